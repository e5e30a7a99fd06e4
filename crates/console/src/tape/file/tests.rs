use super::*;
use crate::tape::read::{LONGEST, read};

fn tape(text: &str) -> Tape {
    let reading = read(text.as_bytes());
    assert_eq!(reading.faults, [], "{text}");
    reading.tape.unwrap()
}

fn faults(text: &str) -> Vec<String> {
    let reading = read(text.as_bytes());
    assert_eq!(reading.tape.is_none(), !reading.faults.is_empty());
    reading.faults.iter().map(|fault| format!("{fault} = {}", fault.hint)).collect()
}

#[test]
fn reads_every_word() {
    let tape = tape(
        "# a comment\n\
         Source scenario \"my files/a.yaml\" # and another\n\
         Set Width 120\n  Set Height 40\nSet Theme mono\nSet As sue:dev,ops\nSet Core 1.5.1\n\
         Set Color 256\nSet Ascii true\nSet SchedulerAdmin true\nSet ReadOnly true\nSet Served true\nSet TypingSpeed 20ms\nSet PlaybackSpeed 2\nSet WaitTimeout 3s\n\
         Type `say \"hi\"` Enter\n\
         Type@50ms '#no comment' Sleep .5\n\
         Down 3 Up@1s Ctrl+C Alt+x Shift+Tab F12\n\
         Expect \"a\" Refute /b\\s+\\d/ Snapshot one\n\
         Settle Advance 1m Set Width 60\n\
         Wait /x/ Wait+Screen@5s \"y\" Wait+Line@100ms /z/ Screenshot a.svg\n\
         Say 'look' Hide Show Copy \"a b\" Paste Click 3 4 ScrollUp ScrollDown 2 Server gone Server back Ended\n",
    );
    insta::assert_debug_snapshot!(tape.head);
    let acts: Vec<String> =
        tape.steps.iter().map(|step| format!("{}:{} {:?}", step.at.line, step.at.column, step.act)).collect();
    insta::assert_snapshot!(acts.join("\n"));
}

#[test]
fn only_a_tape_that_is_served_has_a_server() {
    let message = faults("Source default\nServer gone\n");
    assert!(message.len() == 1 && message[0].contains("2:1: error[TAPE-011]"), "{message:?}");
    let message = faults("Source default\nSet Served true\nServer asleep\n");
    assert!(message.len() == 1 && message[0].contains("3:8: error[TAPE-003]"), "{message:?}");
}

#[test]
fn a_tape_on_a_server_sets_nothing_of_a_scheduler() {
    assert_eq!(tape("Source server\nSet ReadOnly true").head.against, Against::Server);
    let message = faults("Set As sue\nSource server\nSet Served true\n");
    assert_eq!(message.len(), 2, "{message:?}");
    assert!(message[0].contains("1:1: error[TAPE-012]") && message[1].contains("3:1: error[TAPE-012]"), "{message:?}");
}

#[test]
fn a_tape_contains_only_what_is_needed() {
    let head = tape("Source default").head;
    assert_eq!((head.width, head.height, head.core, head.theme), (80, 24, Profile::Kornsole, ThemeName::default()));
    assert_eq!(head.identity.user, "you");
    assert_eq!(tape("Source demo seed 42").head.against, Against::Demo { seed: 42 });
    assert_eq!(tape("\u{feff}Source config q.yaml\r\nEnter\r\n").steps.len(), 1);
}

#[test]
fn all_errors_are_reported_in_one_pass_with_their_locations() {
    let text = "\
Source dmeo seed 42
Set Width 0
Set Hight 10
Set FontSize 22
Set Theme drak
Set As :dev
Set Core 2.0
Typ \"x\"
Type x
Type \"never ends
enter
x
Down 0
Down 3x
Wait
Wait+Word /x/
Wait@soon /x/
Screenshot a.png
Screenshot ../a.svg
Set Color blue
Set Ascii maybe
Set PlaybackSpeed fast
Set WaitTimeout never
Click 0 3
Click 3
Say hello
Require sh
Output a.gif
Env A b
Insert
Expect
Expect \"\"
Expect /(/
Refute /never ends
Sleep soon
Advance 25h
Type@fast \"x\"
Snapshot
Snapshot a/b
Snapshot twice
Snapshot twice
Set Core 1.5.1
Frobnicate
Settle@2s
";
    insta::assert_snapshot!(faults(text).join("\n"));
}

#[test]
fn the_head_is_first_and_exists_once() {
    let texts = [
        "Source default\nSource default\nEnter\nSet Core 1.8.0",
        "Enter",
        "Source",
        "Source demo seed",
        "Source demo 42",
    ];
    insta::assert_snapshot!(texts.map(|text| faults(text).join("\n")).join("\n"));
}

#[test]
fn what_is_no_text_is_no_tape() {
    assert_eq!(read(b"Source default\n\xff").faults[0].code, "TAPE-009");
    assert_eq!(read(&vec![b'\n'; LONGEST + 1]).faults[0].code, "TAPE-009");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn reading_never_fails(text in any::<String>()) {
            let _ = read(text.as_bytes());
        }

        #[test]
        fn words_in_any_order_read_or_are_reported(words in proptest::collection::vec(
            prop_oneof![
                Just("Type"), Just("\"a b\""), Just("Source"), Just("default"), Just("Set"), Just("Width"), Just("80"),
                Just("Down"), Just("3"), Just("/x/"), Just("Expect"), Just("\n"), Just("@5s"), Just("#"), Just("'"),
            ], 0..30))
        {
            let reading = read(words.join(" ").as_bytes());
            prop_assert_eq!(reading.tape.is_some(), reading.faults.is_empty());
        }
    }
}

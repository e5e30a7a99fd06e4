use std::fs;
use std::path::Path;

use kornsole::cli::play::{Mode, play_file, shots_file};

use crate::common::TestDir;
use crate::kornsole;

pub(super) fn play(dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    kornsole(dir, &[&["play"], arguments].concat(), "")
}

#[test]
fn a_tape_on_a_server_is_played_at_the_address_in_the_arguments() {
    let dir = TestDir::new();
    fs::write(dir.join("there.tape"), "Source server\nWait@20s /CONNECTING.*refuses/\n").unwrap();
    fs::write(dir.join("here.tape"), "Source default\n").unwrap();
    let (code, _, message) = play(&dir, &["there.tape"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("there.tape: use --server to name its scheduler"), "{message}");
    let (code, _, message) = play(&dir, &["here.tape", "--server", "localhost:1"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("here.tape: it has its own scheduler"), "{message}");
    // Nothing listens on this port, and the console must report it.
    let (code, out, message) = play(&dir, &["there.tape", "--server", "localhost:1"]);
    assert_eq!(code, Some(0), "{out}{message}");
}

#[test]
fn the_command_reports_the_error_and_its_status() {
    let dir = TestDir::new();
    fs::write(dir.join("good.tape"), "Source default\nExpect \"root\"\nSnapshot home\n").expect("written");
    fs::write(dir.join("typo.tape"), "Source default\nExpekt \"root\"\n").expect("written");
    fs::write(dir.join("wrong.tape"), "Source default\nExpect \"nowhere\"\n").expect("written");
    fs::write(dir.join("gone.tape"), "Enter\nSource config gone.yaml\n").expect("written");
    fs::write(dir.join("lost.tape"), "Source config gone.yaml\n").expect("written");
    fs::write(dir.join("faulty.tape"), "Source config faulty.yaml\n").expect("written");
    fs::write(dir.join("faulty.yaml"), "partitions: 3\n").expect("written");

    let (code, out, _) = play(&dir, &["good.tape"]);
    assert_eq!((code, out.as_str()), (Some(0), "good.tape: ok, 1 snapshot, 0s of virtual time\n"));
    for (tape, expected, starts) in [
        ("wrong.tape", 1, "wrong.tape:2:1: error[TAPE-020]: no line of the screen contains \"nowhere\""),
        ("typo.tape", 1, "typo.tape:2:1: error[TAPE-001]: unknown word `Expekt`"),
        ("gone.tape", 1, "gone.tape:2:1: error[TAPE-007]: `Source` is after the first step"),
        ("lost.tape", 1, "lost.tape:1:1: error[TAPE-010]: cannot open the scheduler of the tape"),
        ("faulty.tape", 1, "faulty.tape:1:1: error[TAPE-010]: cannot open the scheduler of the tape"),
        ("none.tape", 1, "error: cannot read none.tape: "),
    ] {
        let (code, out, message) = play(&dir, &[tape]);
        assert_eq!((code, out.as_str()), (Some(expected), ""), "{tape}: {message}");
        assert!(message.starts_with(starts), "{tape}: {message}");
    }
    let (_, _, message) = play(&dir, &["faulty.tape"]);
    assert!(message.contains("faulty.yaml:1:13: error[CFG-"), "{message}");
    let (code, out, _) = play(&dir, &["wrong.tape", "good.tape"]);
    assert_eq!((code, out.lines().count()), (Some(1), 1));
    assert_eq!(play(&dir, &[]).0, Some(2));
    assert_eq!(play(&dir, &["good.tape", "--check", "--update"]).0, Some(2));
    assert_eq!(play(&dir, &["good.tape", "good.tape", "--svg", "a.svg"]).0, Some(2));
}

#[test]
fn snapshots_are_made_compared_and_missed() {
    let dir = TestDir::new();
    let (tape, file) = (dir.join("a.tape"), dir.join("a.txt"));
    assert_eq!(shots_file(&tape), file);
    let text = "Source default\nSnapshot home\nType \":\"\nSnapshot line\n";
    fs::write(&tape, text).expect("written");

    let (code, _, message) = play(&dir, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(
        message.contains("a.tape:2:1: error[TAPE-030]: the snapshot `home` differs from the recording"),
        "{message}"
    );
    assert!(message.contains("no screen of that name was recorded"), "{message}");

    assert_eq!(play(&dir, &["a.tape", "--update"]).0, Some(0));
    assert_eq!(play(&dir, &["a.tape", "--check"]).0, Some(0));
    let recorded = fs::read_to_string(&file).expect("it was written");

    fs::write(&file, recorded.replace("root", "roof")).expect("written");
    let (code, _, message) = play(&dir, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("roof") && message.contains("root"), "{message}");

    let (lines, styles) = recorded.split_once("--- styles").expect("there are colours");
    fs::write(&file, format!("{lines}--- styles{}", styles.replacen(" bold", "", 1))).expect("written");
    let (code, _, message) = play(&dir, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("  styles "), "{message}");

    fs::write(&file, &recorded).expect("written");
    fs::write(&tape, text.replace("Snapshot home\n", "")).expect("written");
    let (code, _, message) = play(&dir, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("recorded, but the tape has no such snapshot"), "{message}");

    fs::write(&tape, "Source default\n").expect("written");
    assert_eq!(play(&dir, &["a.tape", "--update"]).0, Some(0));
    assert!(!file.exists(), "a tape without snapshots has no file");
}

#[test]
fn the_last_screen_becomes_an_image() {
    let dir = TestDir::new();
    fs::write(dir.join("a.tape"), "Source default\nSet Width 60\nSet Height 14\n").expect("written");
    assert_eq!(play(&dir, &["a.tape", "--svg", "a.svg", "--text", "a.text"]).0, Some(0));
    let text = fs::read_to_string(dir.join("a.text")).expect("it was written");
    assert_eq!(text.lines().count(), 14);
    assert!(text.contains("root"));
    let svg = fs::read_to_string(dir.join("a.svg")).expect("it was written");
    assert!(svg.starts_with("<svg ") && svg.contains(">root</text>") && svg.ends_with("</svg>\n"));
}

#[test]
fn a_cast_is_what_one_sees() {
    let dir = TestDir::new();
    let text = "Source default\nSet Width 60\nSet Height 14\nHide\nType '?'\nEscape\nShow\nSay 'The queues.'\nType ':' Sleep 2s\n";
    fs::write(dir.join("a.tape"), text).expect("written");
    assert_eq!(play(&dir, &["a.tape", "--cast", "a.cast"]).0, Some(0));
    let cast = fs::read_to_string(dir.join("a.cast")).expect("it was written");
    let about: serde_json::Value = serde_json::from_str(cast.lines().next().expect("a line")).expect("it is JSON");
    assert_eq!(
        (about["version"].as_u64(), about["width"].as_u64(), about["height"].as_u64()),
        (Some(2), Some(60), Some(16))
    );
    let mut emulator = vt100::Parser::new(16.try_into().expect("not 0"), 60.try_into().expect("not 0"), 0);
    let mut times = Vec::new();
    for line in cast.lines().skip(1) {
        let (time, kind, data): (f64, String, String) = serde_json::from_str(line).expect("a time, a kind, data");
        assert_eq!(kind, "o");
        emulator.process(data.as_bytes());
        assert!(!emulator.screen().contents().contains("Help"), "what is hidden is not seen");
        times.push(time);
    }
    assert!(times.is_sorted() && times.last().is_some_and(|last| *last > 2.5), "{times:?}");
    let played = play_file(&dir.join("a.tape"), Mode::Play).expect("it plays");
    let rows: Vec<String> = emulator.screen().rows(0, 60).map(|row| row.trim_end().to_owned()).collect();
    assert_eq!(rows[..14], played.screen.lines()[..], "the last frame is the last screen");
    assert!(rows[15].starts_with(" The queues.") && rows[15].ends_with(':'), "{}", rows[15]);

    let again = dir.join("b.cast");
    assert_eq!(play(&dir, &["a.tape", "--cast", "b.cast"]).0, Some(0));
    assert_eq!(fs::read_to_string(again).expect("it was written"), cast, "the same tape, the same bytes");
}

#[test]
fn live_needs_a_terminal() {
    let dir = TestDir::new();
    fs::write(dir.join("a.tape"), "Source default\n").expect("written");
    let (code, out, message) = play(&dir, &["a.tape", "--live"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(message.contains("no terminal"), "{message}");
}

#[test]
fn a_stale_or_missing_image_fails_the_check() {
    let dir = TestDir::new();
    fs::write(dir.join("a.tape"), "Source default\nScreenshot a.svg\nScreenshot a.text\n").expect("written");
    let (code, _, message) = play(&dir, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("a.tape:2:1: error[TAPE-031]: the image `a.svg` does not exist"), "{message}");
    assert_eq!(play(&dir, &["a.tape", "--update"]).0, Some(0));
    assert_eq!(play(&dir, &["a.tape", "--check"]).0, Some(0));
    fs::write(dir.join("a.text"), "old").expect("written");
    let (_, _, message) = play(&dir, &["a.tape", "--check"]);
    assert!(
        message.contains("a.tape:3:1: error[TAPE-031]: the image `a.text` differs from the recording"),
        "{message}"
    );
}

//! Tapes: every one in `recordings/` plays as recorded, and what is wrong with a tape is told.

#![allow(clippy::panic, reason = "a failed test says so by a panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output};
use std::sync::Arc;
use std::time::Duration;

use kornsole::cli::play::{Mode, picture, play_file, shots_file};
use kornsole::config;
use kornsole::engine::Core;
use kornsole::model::{Profile, Time};
use kornsole::scenario::Workload;
use kornsole::scheduler::{Command, Event, NodeSpec, PartitionCommand};
use kornsole::source::{About, SourcePlace};
use kornsole::tape::{self, Limits, Played, words};

fn recordings(extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir("recordings").expect("the recordings are there");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder is read").path()).collect();
    found.retain(|path| path.extension().is_some_and(|found| found == extension));
    found.sort();
    found
}

#[test]
fn every_tape_plays_as_recorded() {
    let tapes = recordings("tape");
    assert!(!tapes.is_empty());
    let troubles: Vec<String> =
        tapes.iter().filter_map(|tape| play_file(tape, Mode::Check).err()).map(|trouble| trouble.message).collect();
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

#[test]
fn every_recorded_screen_belongs_to_a_tape() {
    for file in recordings("txt") {
        assert!(file.with_extension("tape").exists(), "{} has no tape", file.display());
    }
}

#[test]
fn pictures_are_what_their_tapes_make() {
    let pictures = recordings("svg");
    assert!(!pictures.is_empty());
    for file in pictures {
        let tape = file.with_extension("tape");
        let outcome = play_file(&tape, Mode::Play).unwrap_or_else(|trouble| panic!("{}", trouble.message));
        let (tape, file) = (tape.display(), file.display());
        let drawn = fs::read_to_string(file.to_string()).expect("it is text");
        let made = format!("kornsole play {tape} --svg {file}");
        assert!(picture(Path::new(&tape.to_string()), &outcome) == drawn, "{file} is stale: `{made}` makes it anew");
    }
}

#[test]
fn the_same_tape_shows_the_same_screens() {
    let play = || play_file(Path::new("recordings/first.tape"), Mode::Play).expect("it plays");
    let (one, other) = (play(), play());
    assert!(one.shots.len() > 5);
    assert_eq!(one.shots, other.shots);
}

#[test]
fn every_word_is_documented() {
    let text = fs::read_to_string("recordings/README.md").expect("the recordings say what they are");
    let forms = words::WORDS.into_iter().chain(words::KEYS.iter().map(|(name, _)| *name)).map(str::to_owned);
    let settings = words::SETTINGS.iter().map(|name| format!("Set {name}"));
    let sources = words::SOURCES.iter().map(|name| format!("Source {name}"));
    for form in forms.chain(settings).chain(sources) {
        assert!(text.contains(&format!("`{form}")), "{form} is not documented");
    }
}

/// Plays a text on the default configuration.
fn played(text: &str, workload: Option<Box<dyn Workload>>, limits: Limits) -> Played {
    let reading = tape::read(text.as_bytes());
    assert_eq!(reading.faults, []);
    let configuration = config::read(config::DEFAULT_CONFIG, Profile::Kornsole).config.expect("it is legal");
    let core = Core::new(Profile::Kornsole, Arc::new(configuration), workload).expect("it is taken");
    let about = About { place: SourcePlace::Embedded, name: "test".to_owned(), notes: Vec::new() };
    tape::play(&reading.tape.expect("there are no faults"), core, about, limits)
}

/// The line, code and words of the step that failed.
fn failed(played: &Played) -> (u32, &str, &str) {
    let failure = played.failure.as_ref().expect("a step fails");
    (failure.at.line, failure.code, &failure.what)
}

#[test]
fn expectations_that_do_not_hold_stop_the_tape() {
    let text = "Source default\nExpect \"root\"\nRefute /rooot+/\nSnapshot one\nExpect /no such \\d+/\nSnapshot two\n";
    let outcome = played(text, None, Limits::default());
    assert_eq!(failed(&outcome), (5, "TAPE-020", "no line of the screen holds /no such \\d+/"));
    assert!(outcome.failure.expect("checked").screen.lines().iter().any(|line| line.contains("root")));
    assert_eq!(outcome.shots.len(), 1);

    let outcome = played("Source default\nRefute \"root\"", None, Limits::default());
    let (line, code, what) = failed(&outcome);
    assert_eq!((line, code), (2, "TAPE-020"));
    assert!(what.starts_with("line ") && what.ends_with("of the screen holds \"root\""), "{what}");
}

#[test]
fn nothing_is_played_after_the_console_has_quit() {
    assert_eq!(played("Source default\nType \"q\"\nEnded", None, Limits::default()).failure, None);
    let outcome = played("Source default\nType \"q\" Enter", None, Limits::default());
    assert_eq!(failed(&outcome), (2, "TAPE-023", "the console has quit before this"));
    let outcome = played("Source default\nType \"q\"\nAdvance 1s", None, Limits::default());
    assert_eq!(failed(&outcome), (3, "TAPE-023", "the console has quit before this"));
    let outcome = played("Source default\nType \"qj\"", None, Limits::default());
    assert_eq!(failed(&outcome), (2, "TAPE-023", "the console has quit before the key j"));
    let outcome = played("Source default\nEnded", None, Limits::default());
    assert_eq!(failed(&outcome), (2, "TAPE-023", "the console has not quit"));
}

#[test]
fn the_screen_has_the_size_that_the_tape_sets() {
    let text =
        "Source default\nSet Width 120\nSet Height 40\nSnapshot large\nSet Width 50\nSet Height 13\nSnapshot small";
    let sizes: Vec<(u16, u16)> = played(text, None, Limits::default())
        .shots
        .iter()
        .map(|shot| (shot.screen.width(), shot.screen.height()))
        .collect();
    assert_eq!(sizes, [(120, 40), (50, 13)]);
}

/// Always has something to do at once.
struct Restless(Time);

impl Workload for Restless {
    fn next(&self) -> Option<Time> {
        Some(self.0)
    }

    fn act(&mut self, _now: Time) -> Vec<Command> {
        vec![Command::Clean]
    }

    fn observe(&mut self, _now: Time, _events: &[Event]) {}
}

#[test]
fn no_tape_can_hang() {
    let limits = Limits { time: Duration::from_secs(10), presses: 100, work: 20_000 };
    let outcome = played("Source default\nAdvance 9s\nAdvance 2s\n", None, limits);
    assert_eq!(failed(&outcome), (3, "TAPE-021", "more than 10s of virtual time go by"));
    let outcome = played("Source default\nDown 60\nUp 60\n", None, limits);
    assert_eq!(failed(&outcome), (3, "TAPE-021", "more than 100 keys are pressed"));

    let told = "after 20000 cycles and commands the scheduler still has something to do";
    let restless = |ms| -> Option<Box<dyn Workload>> { Some(Box::new(Restless(Time::from_millis(ms)))) };
    let outcome = played("# at once\nSource default\n", restless(0), limits);
    assert_eq!(failed(&outcome), (2, "TAPE-021", told));
    let outcome = played("Source default\nEnter\nSettle\n", restless(5), limits);
    assert_eq!(failed(&outcome), (3, "TAPE-021", told));
}

/// Adds a node every 10 ms until the time given.
struct Growing {
    at: Time,
    until: Time,
}

impl Workload for Growing {
    fn next(&self) -> Option<Time> {
        (self.at <= self.until).then_some(self.at)
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        self.at = now + Duration::from_millis(10);
        let spec = NodeSpec { id: format!("n-{}", now.as_millis()).into(), ..NodeSpec::default() };
        vec![PartitionCommand::AddNode(spec).into()]
    }

    fn observe(&mut self, _now: Time, _events: &[Event]) {}
}

#[test]
fn settling_waits_for_a_screen_that_stands_still() {
    let growing = |until| -> Option<Box<dyn Workload>> {
        Some(Box::new(Growing { at: Time::ZERO, until: Time::from_millis(until) }))
    };
    let outcome = played("Source default\nSettle\nExpect \"21 nodes\"", growing(200), Limits::default());
    assert_eq!(outcome.failure, None);
    assert!(outcome.time < Duration::from_millis(300), "{:?}", outcome.time);

    let outcome = played("Source default\n\nSettle", growing(60_000), Limits::default());
    assert_eq!(failed(&outcome), (3, "TAPE-022", "the screen still changes after 5s"));
}

/// A folder of its own for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder for temporary files can be written to");
    folder
}

fn kornsole(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Process::new(env!("CARGO_BIN_EXE_kornsole"))
        .arg("play")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

#[test]
fn the_command_tells_what_is_wrong_and_how_it_ended() {
    let folder = folder("play-command");
    fs::write(folder.join("good.tape"), "Source default\nExpect \"root\"\nSnapshot home\n").expect("written");
    fs::write(folder.join("typo.tape"), "Source default\nExpekt \"root\"\n").expect("written");
    fs::write(folder.join("wrong.tape"), "Source default\nExpect \"nowhere\"\n").expect("written");
    fs::write(folder.join("gone.tape"), "Enter\nSource config gone.yaml\n").expect("written");
    fs::write(folder.join("lost.tape"), "Source config gone.yaml\n").expect("written");
    fs::write(folder.join("faulty.tape"), "Source config faulty.yaml\n").expect("written");
    fs::write(folder.join("faulty.yaml"), "partitions: 3\n").expect("written");

    let (code, out, _) = kornsole(&folder, &["good.tape"]);
    assert_eq!((code, out.as_str()), (Some(0), "good.tape: ok, 1 snapshot, 0s of virtual time\n"));
    for (tape, expected, begins) in [
        ("wrong.tape", 1, "wrong.tape:2:1: error[TAPE-020]: no line of the screen holds \"nowhere\""),
        ("typo.tape", 2, "typo.tape:2:1: error[TAPE-001]: `Expekt` is no word of a tape"),
        ("gone.tape", 2, "gone.tape:2:1: error[TAPE-007]: `Source` stands after the first step"),
        ("lost.tape", 2, "lost.tape:1:1: error[TAPE-010]: what the tape runs against cannot be opened"),
        ("faulty.tape", 2, "faulty.tape:1:1: error[TAPE-010]: what the tape runs against cannot be opened"),
        ("none.tape", 2, "none.tape: cannot be read"),
    ] {
        let (code, out, told) = kornsole(&folder, &[tape]);
        assert_eq!((code, out.as_str()), (Some(expected), ""), "{tape}: {told}");
        assert!(told.starts_with(begins), "{tape}: {told}");
    }
    let (_, _, told) = kornsole(&folder, &["faulty.tape"]);
    assert!(told.contains("faulty.yaml:1:13: error[CFG-"), "{told}");
    let (code, out, _) = kornsole(&folder, &["wrong.tape", "good.tape"]);
    assert_eq!((code, out.lines().count()), (Some(1), 1));
    assert_eq!(kornsole(&folder, &[]).0, Some(2));
    assert_eq!(kornsole(&folder, &["good.tape", "--check", "--update"]).0, Some(2));
    assert_eq!(kornsole(&folder, &["good.tape", "good.tape", "--svg", "a.svg"]).0, Some(2));
}

#[test]
fn snapshots_are_made_compared_and_missed() {
    let folder = folder("play-snapshots");
    let (tape, file) = (folder.join("a.tape"), folder.join("a.txt"));
    assert_eq!(shots_file(&tape), file);
    let text = "Source default\nSnapshot home\nType \":\"\nSnapshot line\n";
    fs::write(&tape, text).expect("written");

    let (code, _, told) = kornsole(&folder, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("a.tape:2:1: error[TAPE-030]: the snapshot `home` is not as recorded"), "{told}");
    assert!(told.contains("no screen of that name was recorded"), "{told}");

    assert_eq!(kornsole(&folder, &["a.tape", "--update"]).0, Some(0));
    assert_eq!(kornsole(&folder, &["a.tape", "--check"]).0, Some(0));
    let recorded = fs::read_to_string(&file).expect("it was written");

    fs::write(&file, recorded.replace("root", "roof")).expect("written");
    let (code, _, told) = kornsole(&folder, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("roof") && told.contains("root"), "{told}");

    let (lines, styles) = recorded.split_once("--- styles").expect("there are colours");
    fs::write(&file, format!("{lines}--- styles{}", styles.replacen(" bold", "", 1))).expect("written");
    let (code, _, told) = kornsole(&folder, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("  styles "), "{told}");

    fs::write(&file, &recorded).expect("written");
    fs::write(&tape, text.replace("Snapshot home\n", "")).expect("written");
    let (code, _, told) = kornsole(&folder, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("recorded, but the tape has no such snapshot"), "{told}");

    fs::write(&tape, "Source default\n").expect("written");
    assert_eq!(kornsole(&folder, &["a.tape", "--update"]).0, Some(0));
    assert!(!file.exists(), "a tape without snapshots has no file");
}

#[test]
fn the_last_screen_becomes_a_picture() {
    let folder = folder("play-pictures");
    fs::write(folder.join("a.tape"), "Source default\nSet Width 60\nSet Height 14\n").expect("written");
    assert_eq!(kornsole(&folder, &["a.tape", "--svg", "a.svg", "--text", "a.text"]).0, Some(0));
    let text = fs::read_to_string(folder.join("a.text")).expect("it was written");
    assert_eq!(text.lines().count(), 14);
    assert!(text.contains("root"));
    let svg = fs::read_to_string(folder.join("a.svg")).expect("it was written");
    assert!(svg.starts_with("<svg ") && svg.contains(">root</text>") && svg.ends_with("</svg>\n"));
}

//! Every tape in `recordings/` plays as recorded; errors are reported.

mod program;
mod shown;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use console::tape::{self, Limits, PlayResult, Stage, words};
use engine::Core;
use kornsole::cli::play::{Mode, play_file, play_linear};
use model::{Profile, Time};
use scenario::Workload;
use scheduler::{Command, Event, NodeSpec, PartitionCommand};

use crate::common::{TestDir, about};

fn recordings(extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir("recordings").expect("the recordings are there");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder is read").path()).collect();
    found.retain(|path| path.extension().is_some_and(|found| found == extension));
    found.sort();
    found
}

#[test]
fn every_tape_plays_as_recorded_and_in_linear_mode() {
    let tapes = recordings("tape");
    assert!(!tapes.is_empty());
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let play = || {
        while let Some(tape) = tapes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let problem = play_linear(tape, Mode::Check).err();
            problems.lock().unwrap().extend(problem.map(|problem| problem.message));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(play))));
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_recorded_screen_belongs_to_a_tape() {
    for file in recordings("txt") {
        assert!(file.with_extension("tape").exists(), "{} has no tape", file.display());
    }
}

#[test]
fn every_image_is_created_by_a_tape() {
    // `every_tape_plays_as_recorded_and_in_linear_mode` checks that none is stale.
    let made: Vec<String> = recordings("tape").iter().filter_map(|tape| fs::read_to_string(tape).ok()).collect();
    let images = recordings("svg");
    assert!(!images.is_empty());
    for file in images {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a picture has a name").to_owned();
        assert!(made.iter().any(|text| text.contains(&format!("Screenshot {name}"))), "no tape makes {name}");
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

fn played(text: &str, workload: Option<Box<dyn Workload>>, limits: Limits) -> PlayResult {
    let reading = tape::read(text.as_bytes());
    assert_eq!(reading.faults, []);
    let configuration = config::read(config::DEFAULT_CONFIG, Profile::Kornsole).config.expect("it is legal");
    let core = Core::new(Profile::Kornsole, Arc::new(configuration), workload).expect("it is taken");
    let stage = Stage { limits, ..Stage::default() };
    tape::play(&reading.tape.expect("there are no faults"), core, about("test"), stage)
}

fn failed(played: &PlayResult) -> (u32, &str, &str) {
    let failure = played.failure.as_ref().expect("a step fails");
    (failure.at.line, failure.code, &failure.what)
}

#[test]
fn expectations_that_do_not_hold_stop_the_tape() {
    let text = "Source default\nExpect \"root\"\nRefute /rooot+/\nSnapshot one\nExpect /no such \\d+/\nSnapshot two\n";
    let outcome = played(text, None, Limits::default());
    assert_eq!(failed(&outcome), (5, "TAPE-020", "no line of the screen contains /no such \\d+/"));
    assert!(outcome.failure.expect("checked").screen.lines().iter().any(|line| line.contains("root")));
    assert_eq!(outcome.shots.len(), 1);

    let outcome = played("Source default\nRefute \"root\"", None, Limits::default());
    let (line, code, what) = failed(&outcome);
    assert_eq!((line, code), (2, "TAPE-020"));
    assert!(what.starts_with("line ") && what.ends_with("of the screen contains \"root\""), "{what}");
}

#[test]
fn nothing_is_played_after_the_console_has_quit() {
    assert_eq!(played("Source default\nType \"q\"\nEnded", None, Limits::default()).failure, None);
    let outcome = played("Source default\nType \"q\" Enter", None, Limits::default());
    assert_eq!(failed(&outcome), (2, "TAPE-023", "the console has already quit"));
    let outcome = played("Source default\nType \"q\"\nAdvance 1s", None, Limits::default());
    assert_eq!(failed(&outcome), (3, "TAPE-023", "the console has already quit"));
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
    assert_eq!(failed(&outcome), (3, "TAPE-021", "more than 10s of virtual time passed"));
    let outcome = played("Source default\nDown 60\nUp 60\n", None, limits);
    assert_eq!(failed(&outcome), (3, "TAPE-021", "more than 100 keys are pressed"));

    let report = "the scheduler is still busy after 20000 cycles and commands";
    let restless = |ms| -> Option<Box<dyn Workload>> { Some(Box::new(Restless(Time::from_millis(ms)))) };
    let outcome = played("# at once\nSource default\n", restless(0), limits);
    assert_eq!(failed(&outcome), (2, "TAPE-021", report));
    let outcome = played("Source default\nEnter\nSettle\n", restless(5), limits);
    assert_eq!(failed(&outcome), (3, "TAPE-021", report));
}

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
fn settling_waits_for_an_unchanged_screen() {
    let growing = |until| -> Option<Box<dyn Workload>> {
        Some(Box::new(Growing { at: Time::ZERO, until: Time::from_millis(until) }))
    };
    let outcome = played("Source default\nSettle\nExpect \"21 nodes\"", growing(200), Limits::default());
    assert_eq!(outcome.failure, None);
    assert!(outcome.time < Duration::from_millis(300), "{:?}", outcome.time);

    let outcome = played("Source default\n\nSettle", growing(60_000), Limits::default());
    assert_eq!(failed(&outcome), (3, "TAPE-022", "the screen still changes after 5s"));
}

#[test]
fn messages_must_be_expected() {
    let toast = "Source default\nType ':theme none' Enter\n";
    let outcome = played(toast, None, Limits::default());
    let (line, code, what) = failed(&outcome);
    assert_eq!((line, code), (2, "TAPE-024"));
    assert!(what.starts_with("unexpected message \"no theme none"), "{what}");

    let outcome = played(&format!("{toast}Down\nExpect 'no theme'"), None, Limits::default());
    let (line, code, what) = failed(&outcome);
    assert_eq!((line, code), (3, "TAPE-024"), "an expectation behind the next key comes too late: {what}");

    for expected in ["Expect 'no theme none'", "Expect /theme none; available/", "Wait 'no theme'", "Snapshot said"] {
        let outcome = played(&format!("{toast}{expected}\nDown\n"), None, Limits::default());
        assert_eq!(outcome.failure, None, "{expected}");
    }
    let outcome = played(&format!("{toast}Expect 'root'\n"), None, Limits::default());
    assert_eq!(failed(&outcome).1, "TAPE-024", "what is found elsewhere expects nothing");

    let question = "Source demo seed 42\nAdvance 5s\nType 'q'\nType 'y'\n";
    let dir = TestDir::new();
    fs::write(dir.join("a.tape"), question).expect("written");
    let (code, _, report) = program::play(&dir, &["a.tape"]);
    assert_eq!(code, Some(1));
    assert!(report.starts_with("a.tape:4:1: error[TAPE-024]: unexpected message \"Quit kornsole?\""), "{report}");
}

#[test]
fn waiting_continues_until_it_exists_and_not_longer() {
    let growing = || -> Option<Box<dyn Workload>> {
        Some(Box::new(Growing { at: Time::ZERO, until: Time::from_millis(60_000) }))
    };
    let outcome = played("Source default\nWait '201 nodes'", growing(), Limits::default());
    assert_eq!(outcome.failure, None);
    assert_eq!(outcome.time, Duration::from_secs(2));
    let outcome = played("Source default\nWait@250ms 'never'\n", growing(), Limits::default());
    assert_eq!(failed(&outcome), (2, "TAPE-025", "\"never\" did not appear within 250ms of virtual time"));
    assert_eq!(outcome.time, Duration::from_millis(250));
    let outcome = played("Source default\nSet WaitTimeout 1s\nWait+Line /never/\n", growing(), Limits::default());
    assert_eq!(failed(&outcome), (3, "TAPE-025", "/never/ did not appear within 1s of virtual time"));
    let outcome = played("Source default\nType ':que'\nWait+Line ':que'\n", None, Limits::default());
    assert_eq!(outcome.failure, None);
}

#[test]
fn a_thousand_keys_take_no_second() {
    let mut text = "Source demo seed 42\nSet Width 120\nSet Height 40\nAdvance 1m\n".to_owned();
    for round in 0..100 {
        text += &format!("Type '{}' Down 4 Type '/a' Escape Up 2\n", round % 4 + 1);
    }
    let dir = TestDir::new();
    fs::write(dir.join("keys.tape"), "Source demo seed 42\nAdvance 1m\n").expect("written");
    let time = |text: &str| {
        fs::write(dir.join("keys.tape"), text).expect("written");
        let start = std::time::Instant::now();
        play_file(&dir.join("keys.tape"), Mode::Play).unwrap_or_else(|problem| panic!("{}", problem.message));
        start.elapsed()
    };
    let without = time("Source demo seed 42\nAdvance 1m\n");
    let with = time(&text);
    // A test build on a busy machine is slow.
    assert!(with.saturating_sub(without) < Duration::from_secs(5), "{with:?} with the keys, {without:?} without");
}

//! Tapes: every one in `recordings/` plays as recorded, and what is wrong with a tape is told.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output};
use std::sync::Arc;
use std::time::Duration;

use kornsole::cli::play::{Mode, play_file, shots_file};
use kornsole::config;
use kornsole::engine::Core;
use kornsole::model::{Profile, Time};
use kornsole::scenario::Workload;
use kornsole::scheduler::{Command, Event, NodeSpec, PartitionCommand};
use kornsole::source::{About, SourcePlace};
use kornsole::tape::{self, Limits, Played, Stage, words};

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
fn every_picture_is_made_by_a_tape() {
    // That none is stale is held by `every_tape_plays_as_recorded`.
    let made: Vec<String> = recordings("tape").iter().filter_map(|tape| fs::read_to_string(tape).ok()).collect();
    let pictures = recordings("svg");
    assert!(!pictures.is_empty());
    for file in pictures {
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

/// Plays a text on the default configuration.
fn played(text: &str, workload: Option<Box<dyn Workload>>, limits: Limits) -> Played {
    let reading = tape::read(text.as_bytes());
    assert_eq!(reading.faults, []);
    let configuration = config::read(config::DEFAULT_CONFIG, Profile::Kornsole).config.expect("it is legal");
    let core = Core::new(Profile::Kornsole, Arc::new(configuration), workload).expect("it is taken");
    let about = About { place: SourcePlace::Embedded, name: "test".to_owned(), notes: Vec::new() };
    let stage = Stage { limits, ..Stage::default() };
    tape::play(&reading.tape.expect("there are no faults"), core, about, stage)
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

#[test]
fn what_is_said_must_be_expected() {
    let toast = "Source default\nType ':theme none' Enter\n";
    let outcome = played(toast, None, Limits::default());
    let (line, code, what) = failed(&outcome);
    assert_eq!((line, code), (2, "TAPE-024"));
    assert!(what.contains("no theme none") && what.ends_with("was said, and no step expects it"), "{what}");

    let outcome = played(&format!("{toast}Down\nExpect 'no theme'"), None, Limits::default());
    let (line, code, what) = failed(&outcome);
    assert_eq!((line, code), (3, "TAPE-024"), "an expectation behind the next key comes too late: {what}");

    for expected in ["Expect 'no theme none'", "Expect /theme none; there/", "Wait 'no theme'", "Snapshot said"] {
        let outcome = played(&format!("{toast}{expected}\nDown\n"), None, Limits::default());
        assert_eq!(outcome.failure, None, "{expected}");
    }
    let outcome = played(&format!("{toast}Expect 'root'\n"), None, Limits::default());
    assert_eq!(failed(&outcome).1, "TAPE-024", "what is found elsewhere expects nothing");

    // A question, and the answer without a look at it.
    let question = "Source demo seed 42\nAdvance 5s\nType 'q'\nType 'y'\n";
    let folder = folder("play-question");
    fs::write(folder.join("a.tape"), question).expect("written");
    let (code, _, told) = kornsole(&folder, &["a.tape"]);
    assert_eq!(code, Some(1));
    assert!(told.starts_with("a.tape:4:1: error[TAPE-024]: \"Quit kornsole?\" was said"), "{told}");
}

#[test]
fn waiting_goes_on_until_it_is_there_and_no_longer() {
    let growing = || -> Option<Box<dyn Workload>> {
        Some(Box::new(Growing { at: Time::ZERO, until: Time::from_millis(60_000) }))
    };
    let outcome = played("Source default\nWait '201 nodes'", growing(), Limits::default());
    assert_eq!(outcome.failure, None);
    assert_eq!(outcome.time, Duration::from_secs(2));
    let outcome = played("Source default\nWait@250ms 'never'\n", growing(), Limits::default());
    assert_eq!(failed(&outcome), (2, "TAPE-025", "\"never\" did not come within 250ms of virtual time"));
    assert_eq!(outcome.time, Duration::from_millis(250));
    let outcome = played("Source default\nSet WaitTimeout 1s\nWait+Line /never/\n", growing(), Limits::default());
    assert_eq!(failed(&outcome), (3, "TAPE-025", "/never/ did not come within 1s of virtual time"));
    let outcome = played("Source default\nType ':que'\nWait+Line ':que'\n", None, Limits::default());
    assert_eq!(outcome.failure, None);
}

#[test]
fn a_thousand_keys_take_no_second() {
    let mut text = "Source demo seed 42\nSet Width 120\nSet Height 40\nAdvance 1m\n".to_owned();
    for _ in 0..100 {
        text += "Down 4 Type '/a' Escape Up 2 Tab\n";
    }
    let folder = folder("play-keys");
    fs::write(folder.join("keys.tape"), "Source demo seed 42\nAdvance 1m\n").expect("written");
    let time = |text: &str| {
        fs::write(folder.join("keys.tape"), text).expect("written");
        let begin = std::time::Instant::now();
        play_file(&folder.join("keys.tape"), Mode::Play).unwrap_or_else(|trouble| panic!("{}", trouble.message));
        begin.elapsed()
    };
    let without = time("Source demo seed 42\nAdvance 1m\n");
    let with = time(&text);
    // A build for tests on a busy machine is several times slower than what people get.
    assert!(with.saturating_sub(without) < Duration::from_secs(5), "{with:?} with the keys, {without:?} without");
}

#[test]
fn a_cast_is_what_one_sees() {
    let folder = folder("play-cast");
    let text = "Source default\nSet Width 60\nSet Height 14\nHide\nType '?'\nEscape\nShow\nSay 'The queues.'\nType ':' Sleep 2s\n";
    fs::write(folder.join("a.tape"), text).expect("written");
    assert_eq!(kornsole(&folder, &["a.tape", "--cast", "a.cast"]).0, Some(0));
    let cast = fs::read_to_string(folder.join("a.cast")).expect("it was written");
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
    let played = play_file(&folder.join("a.tape"), Mode::Play).expect("it plays");
    let rows: Vec<String> = emulator.screen().rows(0, 60).map(|row| row.trim_end().to_owned()).collect();
    assert_eq!(rows[..14], played.screen.lines()[..], "the last frame is the last screen");
    assert!(rows[15].starts_with(" The queues.") && rows[15].ends_with(':'), "{}", rows[15]);

    let again = folder.join("b.cast");
    assert_eq!(kornsole(&folder, &["a.tape", "--cast", "b.cast"]).0, Some(0));
    assert_eq!(fs::read_to_string(again).expect("it was written"), cast, "the same tape, the same bytes");
}

#[test]
fn live_needs_a_terminal() {
    let folder = folder("play-live");
    fs::write(folder.join("a.tape"), "Source default\n").expect("written");
    let (code, out, told) = kornsole(&folder, &["a.tape", "--live"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(told.contains("needs a terminal"), "{told}");
}

#[test]
fn a_picture_that_is_stale_or_missing_fails_the_check() {
    let folder = folder("play-screenshot");
    fs::write(folder.join("a.tape"), "Source default\nScreenshot a.svg\nScreenshot a.text\n").expect("written");
    let (code, _, told) = kornsole(&folder, &["a.tape", "--check"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("a.tape:2:1: error[TAPE-031]: the picture `a.svg` is not there"), "{told}");
    assert_eq!(kornsole(&folder, &["a.tape", "--update"]).0, Some(0));
    assert_eq!(kornsole(&folder, &["a.tape", "--check"]).0, Some(0));
    fs::write(folder.join("a.text"), "old").expect("written");
    let (_, _, told) = kornsole(&folder, &["a.tape", "--check"]);
    assert!(told.contains("a.tape:3:1: error[TAPE-031]: the picture `a.text` is stale"), "{told}");
}

/// What an issue says that a person can, and the tape that shows it.
const CLAIMS: [(&str, &str); 14] = [
    ("see a queue drain, what holds it, and that it goes and comes back", "draining"),
    ("find out why an application was rejected", "rejected"),
    ("find out which limit holds another one back", "held-back"),
    ("see where a submission would go, and who may submit", "placement"),
    ("see what happened, what it looked like, and whether the numbers agree", "events"),
    ("move and kill an application of the own queue", "orders"),
    ("see which access an application of another queue would take", "denied"),
    ("edit the configuration and bring it into force", "edit"),
    ("see why an edit would be refused", "refused"),
    ("change a queue without writing YAML", "forms"),
    ("find a stuck draining queue, see what holds it, move that away, and watch the queue go", "stuck"),
    ("submit an application, ask for more, and give it back", "workload"),
    ("tell who did what, bring a configuration back, and see the moment before", "records"),
    ("look at another partition, and at all nodes in one picture", "partitions"),
];

#[test]
fn what_a_person_can_is_shown_from_the_help_on() {
    for (claim, tape) in CLAIMS {
        let text = fs::read_to_string(format!("recordings/{tape}.tape"))
            .unwrap_or_else(|error| panic!("{claim}: {tape}.tape cannot be read: {error}"));
        let typed = text.lines().find(|line| line.starts_with("Type"));
        assert_eq!(typed, Some("Type \"?\""), "{tape}.tape, by which one can {claim}");
    }
}

/// The text of every test and source file.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).expect("the folder is read") {
        let path = entry.expect("the folder is read").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&fs::read_to_string(&path).expect("a source file is text"));
        }
    }
}

#[test]
fn what_is_said_to_be_shown_is_there() {
    let readme = fs::read_to_string("recordings/README.md").expect("it is there");
    let table = readme.split("<!-- shown -->").nth(1).and_then(|rest| rest.split("<!-- /shown -->").next());
    let rows: Vec<&str> =
        table.expect("the table is there").lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 15, "{rows:?}");
    let mut all = String::new();
    for folder in ["src", "tests"] {
        sources(Path::new(folder), &mut all);
    }
    for row in rows {
        let shown = row.trim_end_matches('|').rsplit_once('|').map_or("", |(_, shown)| shown);
        let named: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "nothing shows {row}");
        for name in named {
            let there = match name.strip_suffix(".tape") {
                Some(_) => Path::new("recordings").join(name).exists(),
                None if name.starts_with("cargo bench --bench ") => {
                    Path::new(&format!("benches/{}.rs", name.rsplit(' ').next().unwrap_or_default())).exists()
                }
                None => all.contains(&format!("fn {name}(")),
            };
            assert!(there, "{name} is not there");
        }
    }
}

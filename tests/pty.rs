//! The real binary in a pseudoterminal, with a terminal emulator that looks on: it starts, listens, and leaves the terminal whole.
//!
//! Method: nothing waits for a fixed time. A test waits until the emulated screen shows what it looks for, and fails with that screen
//! when it does not come within a deadline that is far beyond anything that is normal.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic, and one is provoked")]

#[path = "pty/attach.rs"]
mod attach;
#[path = "pty/round.rs"]
mod round;

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::Command as Process;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use kornsole::cli::play::{Mode, play_file};
use kornsole::console;
use kornsole::console::input::key::{Code, Key};
use kornsole::model::Identity;
use kornsole::source::{About, Link, Source, SourcePlace};
use kornsole::tape::{self, Act, Against, Reading};
use kornsole::view::View;
use portable_pty::{ChildKiller, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};

const DEADLINE: Duration = Duration::from_secs(20);
const ENTERS_ALTERNATE: &str = "\x1b[?1049h";
const LEAVES_ALTERNATE: &str = "\x1b[?1049l";

/// What came out of the program so far.
struct Seen {
    emulator: vt100::Parser,
    raw: Vec<u8>,
}

/// A terminal with a program in it.
struct Terminal {
    id: u32,
    killer: Box<dyn ChildKiller + Send + Sync>,
    ended: Receiver<ExitStatus>,
    master: Box<dyn MasterPty + Send>,
    /// Kept open, so that what the terminal was set to can be asked after the program has ended.
    _slave: Box<dyn SlavePty + Send>,
    keyboard: Box<dyn Write + Send>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    /// What the terminal was set to before the program began.
    before: String,
}

impl Terminal {
    /// Starts the binary in a terminal of 100 × 30.
    fn kornsole(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_kornsole"));
        command.args(arguments);
        for (name, value) in environment {
            command.env(name, value);
        }
        Self::start(command)
    }

    fn start(mut command: CommandBuilder) -> Self {
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env("TERM", "xterm-256color");
        if command.get_env("NO_COLOR").is_none_or(|value| value != "1") {
            command.env_remove("NO_COLOR");
        }
        let pair = native_pty_system().openpty(size(100, 30)).expect("there is a pseudoterminal");
        let before = settings(&*pair.master);
        let mut output = pair.master.try_clone_reader().expect("the terminal can be read");
        let keyboard = pair.master.take_writer().expect("the terminal can be written to");
        let seen = Arc::new((Mutex::new(Seen { emulator: emulator(100, 30), raw: Vec::new() }), Condvar::new()));
        let told = Arc::clone(&seen);
        let mut child = pair.slave.spawn_command(command).expect("the binary starts");
        let (id, killer) = (child.process_id().expect("it runs"), child.clone_killer());
        let (tell, ended) = channel();
        std::thread::spawn(move || tell.send(child.wait().expect("it is our child")));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let mut seen = told.0.lock().expect("nobody panicked with it");
                seen.emulator.process(&bytes[..count]);
                seen.raw.extend_from_slice(&bytes[..count]);
                told.1.notify_all();
            }
        });
        Self { id, killer, ended, master: pair.master, _slave: pair.slave, keyboard, seen, before }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keyboard.flush().expect("the terminal takes keys");
    }

    /// Waits until what was seen is so.
    fn until(&self, what: &str, holds: impl Fn(&Seen) -> bool) {
        let (lock, changed) = &*self.seen;
        let seen = lock.lock().expect("nobody panicked with it");
        let (seen, timeout) =
            changed.wait_timeout_while(seen, DEADLINE, |seen| !holds(seen)).expect("nobody panicked with it");
        let screen = seen.emulator.screen().contents();
        drop(seen);
        assert!(!timeout.timed_out(), "{what} did not come; the screen is\n{screen}");
    }

    fn until_text(&self, text: &str) {
        self.until(text, |seen| seen.emulator.screen().contents().contains(text));
    }

    fn look<T>(&self, at: impl FnOnce(&Seen) -> T) -> T {
        at(&self.seen.0.lock().expect("nobody panicked with it"))
    }

    fn screen_text(&self) -> String {
        self.look(|seen| seen.emulator.screen().contents())
    }

    fn signal(&self, name: &str) {
        let status =
            Process::new("kill").args([format!("-{name}"), self.id.to_string()]).status().expect("there is kill");
        assert!(status.success());
    }

    /// Whether the process is stopped, as `ps` tells.
    fn is_stopped(&self) -> bool {
        let told = Process::new("ps").args(["-o", "stat=", "-p", &self.id.to_string()]).output().expect("there is ps");
        String::from_utf8_lossy(&told.stdout).trim_start().starts_with('T')
    }

    /// Waits for the end of the program.
    fn end(&self) -> ExitStatus {
        let ended = self.ended.recv_timeout(DEADLINE);
        ended.unwrap_or_else(|_| panic!("it does not end; the screen is\n{}", self.screen_text()))
    }

    /// Waits until the terminal is as it was: no alternate screen, the cursor there, lines and echo as before.
    fn until_whole(&self) {
        self.until("the main screen with a cursor", |seen| {
            let screen = seen.emulator.screen();
            !screen.alternate_screen() && !screen.hide_cursor() && contains(&seen.raw, ENTERS_ALTERNATE)
        });
        wait_for("the settings of before", || settings(&*self.master) == self.before);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.killer.kill();
    }
}

fn emulator(columns: u16, lines: u16) -> vt100::Parser {
    vt100::Parser::new(side(lines), side(columns), 0)
}

fn side(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).expect("a terminal has cells")
}

fn size(columns: u16, lines: u16) -> PtySize {
    PtySize { rows: lines, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn settings(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().expect("a terminal has settings"))
}

fn contains(raw: &[u8], text: &str) -> bool {
    raw.windows(text.len()).any(|bytes| bytes == text.as_bytes())
}

/// Waits until something outside of the screen is so.
fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < DEADLINE, "{what}: did not come");
        std::thread::yield_now();
    }
}

/// A demo that has shown its first rows.
fn demo(environment: &[(&str, &str)]) -> Terminal {
    let terminal = Terminal::kornsole(&["demo", "--seed", "42"], environment);
    terminal.until_text("tenant-a");
    terminal.until("live applications", |seen| !seen.emulator.screen().contents().contains(" 0 alloc/s"));
    terminal
}

#[test]
fn the_demo_is_alive_and_takes_keys() {
    let mut terminal = demo(&[]);
    assert_ne!(settings(&*terminal.master), terminal.before, "keys come one by one");
    let first = terminal.screen_text();
    terminal.until("another screen", |seen| seen.emulator.screen().contents() != first);
    assert!(terminal.look(|seen| seen.emulator.screen().alternate_screen()));

    terminal.press("3");
    terminal.until_text("Nodes");
    terminal.press("?");
    terminal.until_text("Help");
    terminal.press("\x1b");
    terminal.until("the help gone", |seen| !seen.emulator.screen().contents().contains("Help"));
    terminal.press("1");
    terminal.until_text("Queues");
}

#[test]
fn another_size_is_drawn_at_once() {
    let terminal = demo(&[]);
    for (columns, lines) in [(140, 45), (60, 15), (100, 30)] {
        terminal
            .seen
            .0
            .lock()
            .expect("nobody panicked with it")
            .emulator
            .screen_mut()
            .set_size(side(lines), side(columns));
        terminal.master.resize(size(columns, lines)).expect("the terminal takes a size");
        terminal.until("the whole width, with the hints in the last line", |seen| {
            let rows: Vec<String> = seen.emulator.screen().rows(0, columns).collect();
            let used = rows.iter().map(|row| row.trim_end().chars().count()).max().unwrap_or(0);
            rows.last().is_some_and(|row| row.contains("help")) && used + 2 >= usize::from(columns)
        });
    }
}

#[test]
fn quitting_leaves_the_terminal_whole() {
    let mut terminal = demo(&[]);
    terminal.press("q");
    terminal.until_text("would be lost");
    terminal.press("y");
    assert_eq!(terminal.end().exit_code(), 0);
    terminal.until_whole();
}

#[test]
fn signals_leave_the_terminal_whole() {
    for signal in ["TERM", "HUP", "INT"] {
        let terminal = demo(&[]);
        terminal.signal(signal);
        terminal.end();
        terminal.until_whole();
    }
}

#[test]
fn suspending_leaves_the_terminal_whole_and_comes_back() {
    let mut terminal = demo(&[]);
    for stop in ["\x1a", "TSTP"] {
        if stop == "TSTP" {
            terminal.signal(stop)
        } else {
            terminal.press(stop)
        }
        terminal.until_whole();
        wait_for("a stopped process", || terminal.is_stopped());
        let seen = terminal.look(|seen| seen.raw.len());
        terminal.signal("CONT");
        terminal.until("the alternate screen again", |now| {
            let screen = now.emulator.screen();
            contains(&now.raw[seen..], ENTERS_ALTERNATE)
                && screen.alternate_screen()
                && screen.contents().contains("tenant-a")
        });
        terminal.press("?");
        terminal.until_text("Help");
        terminal.press("\x1b");
        terminal.until("the help gone", |seen| !seen.emulator.screen().contents().contains("Help"));
    }
}

/// A source that breaks the program when the console asks for news: by a panic of the console itself, or of a thread beside it.
struct Breaking {
    about: About,
    identity: Identity,
    asked: Mutex<u32>,
    elsewhere: bool,
}

impl Source for Breaking {
    fn view(&self) -> Arc<View> {
        let mut asked = self.asked.lock().expect("it panics without holding this");
        *asked += 1;
        let second = *asked == 2;
        drop(asked);
        if second && self.elsewhere {
            let thread = std::thread::spawn(|| panic!("broken on purpose"));
            assert!(thread.join().is_err());
        } else if second {
            panic!("broken on purpose");
        }
        Arc::default()
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        Link::LIVE
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        // The terminal is taken by now; the news are looked at after the first frame.
        wake();
    }
}

fn break_console(elsewhere: bool) {
    let about = About { place: SourcePlace::Embedded, name: "breaking".to_owned(), notes: Vec::new() };
    let source = Breaking { about, identity: Identity::new("you", ["you"]), asked: Mutex::new(0), elsewhere };
    let outcome = console::run(Arc::new(source), console::Options::default(), console::Personal::default());
    assert!(outcome.is_err(), "the console does not go on after a panic");
}

#[test]
#[ignore = "not a test: run in a terminal by `a_panic_leaves_the_terminal_whole`"]
fn console_that_panics() {
    break_console(false);
}

#[test]
#[ignore = "not a test: run in a terminal by `a_panic_leaves_the_terminal_whole`"]
fn console_beside_a_panic() {
    break_console(true);
}

#[test]
fn a_panic_leaves_the_terminal_whole() {
    for program in ["console_that_panics", "console_beside_a_panic"] {
        // The binary has no way to be broken, so this very test file is the program.
        let mut command = CommandBuilder::new(std::env::current_exe().expect("this test has a file"));
        command.args([program, "--exact", "--ignored", "--nocapture"]);
        command.env("RUST_BACKTRACE", "0");
        let terminal = Terminal::start(command);
        terminal.end();
        terminal.until_whole();
        let after = |raw: &[u8]| {
            let raw = String::from_utf8_lossy(raw);
            raw.rsplit_once(LEAVES_ALTERNATE).map(|(_, after)| after.to_owned()).unwrap_or_default()
        };
        let told = |seen: &Seen| after(&seen.raw).contains("broken on purpose");
        terminal.until(&format!("{program}'s report on the main screen"), told);
        let after = terminal.look(|seen| after(&seen.raw));
        assert!(!after.contains("Queues"), "{program}: nothing is drawn after it:\n{after}");
    }
}

/// The numbers of all `ESC [ … m`.
fn style_numbers(raw: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(raw);
    let sequences = text.split("\x1b[").skip(1);
    let ended = sequences.filter_map(|sequence| {
        let end = sequence.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        sequence[end..].starts_with('m').then(|| sequence[..end].to_owned())
    });
    ended.flat_map(|numbers| numbers.split(';').filter_map(|n| n.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// Whether a number of `ESC [ … m` asks for a colour; 39 and 49 are the terminal's own.
fn is_colour(number: u32) -> bool {
    matches!(number, 30..=38 | 40..=48 | 90..=97 | 100..=107)
}

#[test]
fn no_color_is_without_colours_and_the_selection_stays_visible() {
    let colours = |terminal: &Terminal| terminal.look(|seen| style_numbers(&seen.raw).into_iter().any(is_colour));
    assert!(colours(&demo(&[])), "with colours this test would tell");

    let mut terminal = demo(&[("NO_COLOR", "1")]);
    let reversed = |seen: &Seen, line: u16| {
        let screen = seen.emulator.screen();
        (0..100).filter(|column| screen.cell(line, *column).is_some_and(vt100::Cell::inverse)).count()
    };
    let selected = |seen: &Seen| (2..30).find(|line| reversed(seen, *line) > 90);
    terminal.until("a selected row", |seen| selected(seen).is_some());
    let first = terminal.look(selected);
    terminal.press("j");
    terminal.until("the row below selected", |seen| selected(seen).is_some() && selected(seen) != first);
    terminal.press("?");
    terminal.until_text("Help");
    assert!(!colours(&terminal), "a colour in spite of NO_COLOR");
}

/// Puts a text in the place of a file as an editor does: a new file is written and renamed.
fn edit(file: &Path, text: &str) {
    let new = file.with_extension("new");
    std::fs::write(&new, text).expect("the folder can be written to");
    std::fs::rename(&new, file).expect("it can be renamed");
}

#[test]
fn an_edited_configuration_drains_removes_and_brings_back_on_the_screen() {
    let folder = std::env::temp_dir().join(format!("kornsole-pty-reload-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is a folder for temporary files");
    let (config, workload) = (folder.join("queues.yaml"), folder.join("workload.yaml"));
    let with = |queues: &str| {
        format!("partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues: [{queues}]\n")
    };
    let all = with("{name: stays}, {name: busy}, {name: empty}");
    edit(&config, &all);
    let steps = "steps:\n- node: {id: n, capacity: {vcore: 4}}\n- submit: {app: one, queue: root.busy, user: sue}\n- ask: {app: one, id: a, resource: {vcore: 1}}\n";
    edit(&workload, steps);
    let [config_name, workload_name] =
        [&config, &workload].map(|file| file.to_str().expect("its name is text").to_owned());
    // The cleaner comes every ten seconds of the scheduler's time.
    let mut terminal =
        Terminal::kornsole(&["--config", &config_name, "--workload", &workload_name, "--speed", "40"], &[]);
    let row = |seen: &Seen, queue: &str| {
        let screen = seen.emulator.screen().contents();
        screen
            .lines()
            .find(|line| line.split_whitespace().any(|word| word.trim_start_matches('▌') == queue))
            .map(str::to_owned)
    };
    let is = |seen: &Seen, queue: &str, sign: char| row(seen, queue).is_some_and(|row| row.contains(sign));
    terminal.until("all queues active", |seen| ["stays", "busy", "empty"].iter().all(|queue| is(seen, queue, '●')));

    edit(&config, &with("{name: stays}"));
    terminal.until("busy drains", |seen| is(seen, "busy", '◐'));
    terminal.until("the empty queue is gone", |seen| row(seen, "empty").is_none() && is(seen, "busy", '◐'));

    edit(&config, &with("{name: 'no good'}"));
    terminal.until_text("was refused");
    // The notice has the fault with its place.
    terminal.until_text("error[CFG-030]");
    terminal.press("\x1b");
    terminal.until("the notice gone", |seen| !seen.emulator.screen().contents().contains("was refused"));
    assert!(terminal.look(|seen| is(seen, "busy", '◐') && is(seen, "stays", '●')), "{}", terminal.screen_text());

    edit(&config, &all);
    terminal.until("all are back", |seen| ["stays", "busy", "empty"].iter().all(|queue| is(seen, queue, '●')));
    drop(terminal);
    // What cannot be removed is left to the system.
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn what_does_not_read_draws_nothing() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let file = format!("{folder}/unreadable.yaml");
    std::fs::write(&file, "partitions: 3\n").expect("written");
    for (arguments, code, told) in [
        (vec!["--config", &file], 1, format!("{file}:1:13: error[CFG-")),
        (vec!["--config", "no/such/file.yaml"], 1, "no/such/file.yaml: cannot be read".to_owned()),
        (vec!["--config", "no/such/file.yaml"], 1, "`kornsole demo --print-config > queues.yaml`".to_owned()),
        (vec!["--workload", "no/such.yaml"], 1, "`kornsole demo --print-workload > scenario.yaml`".to_owned()),
        (vec!["--speed", "never"], 2, "--speed".to_owned()),
        (vec!["demo", "--seed", "x"], 2, "--seed".to_owned()),
        (vec!["dmeo"], 2, "dmeo".to_owned()),
    ] {
        let terminal = Terminal::kornsole(&arguments, &[]);
        let status = terminal.end();
        assert_eq!(status.exit_code(), code, "{arguments:?}: {}", terminal.screen_text());
        terminal.until("a word about it", |seen| contains(&seen.raw, &told));
        assert!(!terminal.look(|seen| contains(&seen.raw, ENTERS_ALTERNATE)), "{arguments:?} draws");
    }
}

#[test]
fn without_a_terminal_the_console_says_so() {
    let output = Process::new(env!("CARGO_BIN_EXE_kornsole")).arg("demo").output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"));
}

/// The keys of a word as a terminal sends them.
fn sent(key: Key) -> String {
    let control = |c: char| char::from(c.to_ascii_lowercase() as u8 & 0x1f).to_string();
    match key.code {
        Code::Char(c) if key.ctrl => control(c),
        Code::Char(c) => c.to_string(),
        Code::Enter => "\r".to_owned(),
        Code::Esc => "\x1b".to_owned(),
        Code::Tab => "\t".to_owned(),
        Code::BackTab => "\x1b[Z".to_owned(),
        Code::Backspace => "\x7f".to_owned(),
        Code::Up => "\x1b[A".to_owned(),
        Code::Down => "\x1b[B".to_owned(),
        Code::Right => "\x1b[C".to_owned(),
        Code::Left => "\x1b[D".to_owned(),
        code => panic!("no tape for a terminal presses {code:?}"),
    }
}

/// The lines of the emulated screen, without blanks at their ends.
fn rows(seen: &Seen) -> Vec<String> {
    let screen = seen.emulator.screen();
    screen.rows(0, screen.size().1.get()).map(|row| row.trim_end().to_owned()).collect()
}

/// The screens beside a tape, by name.
fn recorded(tape: &str) -> Vec<(String, Vec<String>)> {
    let text = std::fs::read_to_string(tape.replace(".tape", ".txt")).expect("its screens are recorded");
    let mut lines = text.lines();
    let mut screens = Vec::new();
    while let Some(line) = lines.next() {
        let Some((name, size)) = line.strip_prefix("=== ").and_then(|head| head.split_once(' ')) else { continue };
        let height: usize = size.split(['x', ' ']).nth(1).and_then(|height| height.parse().ok()).expect("a height");
        screens.push((name.to_owned(), lines.by_ref().take(height).map(str::to_owned).collect()));
    }
    screens
}

/// Plays a tape with the real binary in a terminal: everything that does not hang on the time of a clock.
fn play_in_terminal(name: &str) {
    let tape = format!("recordings/{name}.tape");
    let text = std::fs::read(&tape).expect("the tape is there");
    let Reading { tape: read, faults } = tape::read(&text);
    assert_eq!(faults, []);
    let read = read.expect("it has no faults");
    let Against::Config(config) = &read.head.against else { panic!("{tape}: only a configuration stands still") };
    let who = format!("{}:{}", read.head.identity.user, read.head.identity.groups.join(","));
    let config = format!("recordings/{config}");
    let mut terminal = Terminal::kornsole(
        &["--config", &config, "--as", &who, "--theme", read.head.theme.as_str(), "--color", "true"],
        &[("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"))],
    );
    let mut size_now = (read.head.width, read.head.height);
    let resized = |terminal: &Terminal, (width, height): (u16, u16)| {
        let mut seen = terminal.seen.0.lock().expect("nobody panicked with it");
        seen.emulator.screen_mut().set_size(side(height), side(width));
        let before = seen.raw.len();
        drop(seen);
        terminal.master.resize(size(width, height)).expect("the terminal takes a size");
        terminal.until("an answer to another size", |seen| seen.raw.len() > before);
    };
    assert_eq!(size_now, (100, 30), "{tape}: begins at the size that the terminal has");
    terminal.until_text("EMBEDDED");
    let screens = recorded(&tape);
    for step in &read.steps {
        let at = format!("{tape}:{}", step.at.line);
        match &step.act {
            Act::Press { key, count, .. } => {
                for _ in 0..*count {
                    let before = terminal.look(|seen| seen.raw.len());
                    terminal.press(&sent(*key));
                    if key.code == Code::Esc {
                        // What follows an escape at once makes another key of it.
                        terminal.until(&format!("{at}, an answer"), |seen| seen.raw.len() > before);
                    }
                }
            }
            Act::Type { text, .. } => terminal.press(text),
            Act::Width(width) => {
                size_now.0 = *width;
                resized(&terminal, size_now);
            }
            Act::Height(height) => {
                size_now.1 = *height;
                resized(&terminal, size_now);
            }
            Act::Expect(pattern) => terminal.until(&at, |seen| rows(seen).iter().any(|row| pattern.is_in(row))),
            Act::Refute(pattern) => terminal.until(&at, |seen| !rows(seen).iter().any(|row| pattern.is_in(row))),
            Act::Snapshot(name) => {
                let (_, screen) = screens.iter().find(|(known, _)| known == name).expect("it is recorded");
                terminal.until(&format!("{at}, the screen\n{}\n", screen.join("\n")), |seen| rows(seen) == *screen);
            }
            Act::Ended => assert_eq!(terminal.end().exit_code(), 0, "{at}"),
            Act::Say(_) | Act::Shown(_) => {}
            act => panic!("{at}: {act:?} is for virtual time"),
        }
    }
    terminal.until_whole();
}

#[test]
fn tapes_play_the_same_with_the_real_binary() {
    for tape in ["own-files", "own-files-light", "own-files-help"] {
        play_in_terminal(tape);
    }
}

#[test]
fn a_tape_is_shown_live() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let tape = format!("{folder}/live.tape");
    let text = "Source demo seed 42\nSet Width 90\nSet Height 24\nSay 'Look.'\nAdvance 30s\nType '3'\nExpect '12 nodes'\nSleep 1h\n";
    std::fs::write(&tape, text).expect("written");
    let mut terminal = Terminal::kornsole(&["play", &tape, "--live", "--color", "true"], &[]);
    terminal.until_text("Look.");
    terminal.until_text("12 nodes");
    terminal.press("q");
    assert_eq!(terminal.end().exit_code(), 0);
    terminal.until_whole();

    std::fs::write(&tape, "Source default\nSet Width 200\n").expect("written");
    let terminal = Terminal::kornsole(&["play", &tape, "--live"], &[]);
    assert_eq!(terminal.end().exit_code(), 2);
    terminal.until_text("is shown in 200x24, and this terminal has 100x30");
}

#[test]
fn what_a_person_does_is_recorded_and_plays_the_same() {
    let folder = format!("{}/record", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("made");
    let tape = format!("{folder}/mine.tape");
    let arguments = ["--config", "recordings/own-files.yaml", "--as", "sue:dev", "--record", &tape, "--color", "true"];
    let mut terminal = Terminal::kornsole(&arguments, &[("XDG_CONFIG_HOME", &folder)]);
    terminal.until_text("EMBEDDED");
    terminal.until_text("Good to know");
    terminal.press("\x1b");
    terminal.until("the note gone", |seen| !seen.emulator.screen().contents().contains("Good to know"));
    terminal.press("/blue\r");
    terminal.until_text("filter blue");
    terminal.press("\x1b");
    terminal.until_text("filter –");
    terminal.press(":theme no'such\r");
    terminal.until_text("no theme no'such");
    terminal.press("?");
    terminal.until_text("Help");
    terminal.press("\x1b");
    terminal.until("the help gone", |seen| !seen.emulator.screen().contents().contains("Help"));
    terminal.press("5");
    terminal.until_text("Placement");
    terminal.signal("TERM");
    terminal.end();
    let text = std::fs::read_to_string(&tape).expect("it was written");
    for line in
        ["Set As sue:dev", "Type \"/blue\"", "Enter", "Type \":theme no'such\"", "Set Width 100", "Set Height 30"]
    {
        assert!(text.lines().any(|written| written == line), "{line} is not in\n{text}");
    }
    assert!(text.contains("Expect \"no theme no'such"), "{text}");
    let played =
        play_file(std::path::Path::new(&tape), Mode::Play).unwrap_or_else(|trouble| panic!("{}", trouble.message));
    let lines = played.screen.lines();
    assert!(lines.iter().any(|line| line.contains("Placement")), "{}", lines.join("\n"));

    let again = Terminal::kornsole(&arguments, &[]);
    assert_eq!(again.end().exit_code(), 1, "nothing is written over");
}

use console::state::key::{Code, Key};
use console::tape::{self, Act, Against, Reading};
use kornsole::cli::play::{Mode, play_file};

use super::terminal::{Seen, Terminal, side, size};

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

fn rows(seen: &Seen) -> Vec<String> {
    let screen = seen.emulator.screen();
    screen.rows(0, screen.size().1.get()).map(|row| row.trim_end().to_owned()).collect()
}

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
                    let before = terminal.look(rows);
                    terminal.press(&sent(*key));
                    if key.code == Code::Esc {
                        // Bytes immediately after an escape would form another key.
                        terminal.until(&format!("{at}, another screen"), |seen| rows(seen) != before);
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
            Act::Expect(pattern, _) => terminal.until(&at, |seen| rows(seen).iter().any(|row| pattern.is_in(row))),
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
    let dir = env!("CARGO_TARGET_TMPDIR");
    let tape = format!("{dir}/live.tape");
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
    terminal.until_text("needs 200x24, this terminal has 100x30");
}

#[test]
fn what_a_person_does_is_recorded_and_plays_the_same() {
    let dir = format!("{}/record", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("made");
    let tape = format!("{dir}/mine.tape");
    let arguments = ["--config", "recordings/own-files.yaml", "--as", "sue:dev", "--record", &tape, "--color", "true"];
    let mut terminal = Terminal::kornsole(&arguments, &[("XDG_CONFIG_HOME", &dir)]);
    terminal.until_text("EMBEDDED");
    terminal.until_text("Note: ");
    terminal.press("\x1b");
    terminal.until("the note gone", |seen| !seen.emulator.screen().contents().contains("Note: "));
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
        play_file(std::path::Path::new(&tape), Mode::Play).unwrap_or_else(|problem| panic!("{}", problem.message));
    let lines = played.screen.lines();
    assert!(lines.iter().any(|line| line.contains("Placement")), "{}", lines.join("\n"));

    let again = Terminal::kornsole(&arguments, &[]);
    assert_eq!(again.end().exit_code(), 1, "nothing is written over");
}

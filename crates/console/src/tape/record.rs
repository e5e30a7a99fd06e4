//! Records a tape that plays to the same result.
//!
//! Keys in quick succession form one step; the time between them is added to the next wait.

use std::time::Duration;

use crate::state::key::{Code, Key};

use super::words;

/// These form one step.
const TOGETHER: Duration = Duration::from_millis(400);
const LONGEST: usize = 60;
/// The screen may cut the rest.
const EXPECTED: usize = 30;

/// The start of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeStart {
    /// The text after `Source`.
    pub source: String,
    /// The texts after `Set`.
    pub settings: Vec<String>,
    /// Columns and lines.
    pub size: (u16, u16),
}

/// A recorded input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Did {
    /// Pressed a key.
    Key(Key),
    /// A click at a column and line, from 0.
    Click(u16, u16),
    /// Wheel steps, down or (negative) up.
    Wheel(isize),
    /// Pasted a text.
    Paste(String),
    /// Gave the terminal another size.
    Size(u16, u16),
}

/// Writes a tape.
#[derive(Clone, Debug)]
pub struct Recorder {
    size: (u16, u16),
    written: Duration,
    last: Duration,
    typed: String,
    pressed: Option<(String, u32)>,
    reported: Vec<String>,
    out: String,
}

impl Recorder {
    /// Starts a tape.
    pub fn new(tape_start: &TapeStart) -> Self {
        let mut out = format!("Source {}\n", tape_start.source);
        for setting in &tape_start.settings {
            out += &format!("Set {setting}\n");
        }
        let (width, height) = tape_start.size;
        out += &format!("Set Width {width}\nSet Height {height}\n\n");
        let (written, last) = (Duration::ZERO, Duration::ZERO);
        Self { size: tape_start.size, written, last, typed: String::new(), pressed: None, reported: Vec::new(), out }
    }

    /// The initial messages, which need no expectation.
    pub fn start(&mut self, reported: Vec<String>) {
        self.reported = reported;
    }

    /// `at` since the start.
    pub fn did(&mut self, did: &Did, at: Duration) {
        if at.saturating_sub(self.last) >= TOGETHER || self.last == Duration::ZERO {
            self.wait(at);
        }
        self.last = self.last.max(at);
        match did {
            Did::Key(key) => self.key(*key),
            Did::Click(column, line) => self.line(&format!("Click {} {}", column + 1, line + 1)),
            Did::Wheel(turns) if *turns < 0 => self.line(&format!("ScrollUp {}", turns.unsigned_abs())),
            Did::Wheel(turns) => self.line(&format!("ScrollDown {turns}")),
            Did::Paste(text) => match quoted(text) {
                Some(quoted) => self.line(&format!("Copy {quoted}\nPaste")),
                None => self.line("# a pasted text of several lines is not recorded"),
            },
            Did::Size(width, height) => {
                let before = std::mem::replace(&mut self.size, (*width, *height));
                if before.0 != *width {
                    self.line(&format!("Set Width {width}"));
                }
                if before.1 != *height {
                    self.line(&format!("Set Height {height}"));
                }
            }
        }
    }

    /// Records the current messages ([`super::announced::reported_now`]): new ones are expected.
    pub fn reported(&mut self, now: Vec<String>) {
        let new: Vec<String> = now.iter().filter(|text| !self.reported.contains(text)).cloned().collect();
        for text in new {
            let start: String = text.chars().take(EXPECTED).collect();
            if let Some(quoted) = quoted(start.trim_end()) {
                self.line(&format!("Expect {quoted}"));
            }
        }
        self.reported = now;
    }

    /// Completes the recording.
    pub fn end(&mut self, at: Duration, quit: bool) {
        if quit {
            self.line("Ended");
        } else {
            self.wait(at);
        }
    }

    /// The completed lines since the last call.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    fn key(&mut self, key: Key) {
        if let (Code::Char(c), false, false) = (key.code, key.ctrl, key.alt)
            && !c.is_control()
            && (c != ' ' || !self.typed.is_empty())
        {
            self.close_press();
            self.typed.push(c);
            if self.typed.len() >= LONGEST {
                self.close();
            }
            return;
        }
        self.close_type();
        let name = name(key);
        match &mut self.pressed {
            Some((pressed, count)) if *pressed == name => *count += 1,
            _ => {
                self.close_press();
                self.pressed = Some((name, 1));
            }
        }
    }

    fn wait(&mut self, at: Duration) {
        self.close();
        let millis = at.saturating_sub(self.written).as_millis();
        if millis > 0 {
            self.out += &format!("Sleep {millis}ms\n");
            self.written = at;
        }
    }

    fn line(&mut self, line: &str) {
        self.close();
        self.out += line;
        self.out.push('\n');
    }

    fn close(&mut self) {
        self.close_type();
        self.close_press();
    }

    fn close_press(&mut self) {
        match self.pressed.take() {
            None => {}
            Some((name, 1)) => self.out += &format!("{name}\n"),
            Some((name, count)) => self.out += &format!("{name} {count}\n"),
        }
    }

    fn close_type(&mut self) {
        let typed = std::mem::take(&mut self.typed);
        // Split a text with all three quotation marks.
        let mut rest = typed.as_str();
        while !rest.is_empty() {
            let end = (1..=rest.len()).rev().filter(|end| rest.is_char_boundary(*end));
            let Some((end, text)) = end.into_iter().find_map(|end| Some((end, quoted(&rest[..end])?))) else { break };
            self.out += &format!("Type {text}\n");
            rest = &rest[end..];
        }
    }
}

/// `None` with all quotation marks, or several lines.
fn quoted(text: &str) -> Option<String> {
    let glyph = ['"', '\'', '`'].into_iter().find(|glyph| !text.contains(*glyph))?;
    (!text.contains(char::is_control)).then(|| format!("{glyph}{text}{glyph}"))
}

fn name(key: Key) -> String {
    let mut name = String::new();
    if key.ctrl {
        name += "Ctrl+";
    }
    if key.alt {
        name += "Alt+";
    }
    match key.code {
        Code::BackTab => name + "Shift+Tab",
        Code::Char(c) if c != ' ' => {
            // Shift and the small letter.
            if c.is_uppercase() && (key.ctrl || key.alt) { format!("{name}Shift+{c}") } else { format!("{name}{c}") }
        }
        code => name + &words::name_of(code).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::Act;
    use super::super::read::read;
    use super::*;

    fn recorder() -> Recorder {
        let settings = vec!["As sue:dev".to_owned()];
        Recorder::new(&TapeStart { source: "demo seed 42".to_owned(), settings, size: (80, 24) })
    }

    fn millis(at: u64) -> Duration {
        Duration::from_millis(at)
    }

    #[test]
    fn what_is_done_becomes_a_tape() {
        let mut recorder = recorder();
        let mut at = 1234;
        for (after, keys) in [(0, "/low<ret>"), (2000, "<down><down><C-c>"), (100, "it's \"so\""), (900, "  x")] {
            at += after;
            for key in Key::parse_all(keys).unwrap() {
                recorder.did(&Did::Key(key), millis(at));
                at += 50;
            }
        }
        recorder.reported(vec!["Quit kornsole?".to_owned()]);
        recorder.reported(vec!["Quit kornsole?".to_owned()]);
        recorder.did(&Did::Click(9, 4), millis(at + 3000));
        recorder.did(&Did::Wheel(-3), millis(at + 3100));
        recorder.did(&Did::Size(100, 24), millis(at + 3200));
        recorder.did(&Did::Paste("x y".to_owned()), millis(at + 3300));
        recorder.end(millis(at + 5000), false);
        insta::assert_snapshot!(recorder.take());
    }

    mod properties {
        use proptest::prelude::*;

        use super::*;

        fn played(text: &str) -> (Vec<Key>, Duration) {
            let tape = read(text.as_bytes()).tape.unwrap_or_else(|| panic!("it does not read:\n{text}"));
            let (mut keys, mut time) = (Vec::new(), Duration::ZERO);
            for step in tape.steps {
                match step.act {
                    Act::Press { key, count, .. } => keys.extend((0..count).map(|_| key)),
                    Act::Type { text, .. } => keys.extend(text.chars().map(|c| Key::plain(Code::Char(c)))),
                    Act::Pass { time: by, .. } => time += by,
                    _ => {}
                }
            }
            (keys, time)
        }

        fn any_key() -> impl Strategy<Value = Key> {
            let code = prop_oneof![
                "[ -~é東]".prop_map(|c| Code::Char(c.chars().next().unwrap_or('x'))),
                Just(Code::Enter),
                Just(Code::Esc),
                Just(Code::Tab),
                Just(Code::BackTab),
                Just(Code::Backspace),
                Just(Code::Up),
                Just(Code::PageDown),
                (1..=12u8).prop_map(Code::F),
            ];
            (code, any::<bool>()).prop_map(|(code, ctrl)| {
                // A terminal can send only these with Control.
                let ctrl = ctrl && matches!(code, Code::Char('a'..='z') | Code::Up | Code::Enter);
                Key { code, ctrl, alt: false }
            })
        }

        proptest! {
            #[test]
            fn no_key_and_no_time_is_lost(keys in proptest::collection::vec((any_key(), 0..3000u64), 0..60)) {
                let mut recorder = recorder();
                let mut at = 0;
                for (key, after) in &keys {
                    at += after;
                    recorder.did(&Did::Key(*key), millis(at));
                }
                recorder.end(millis(at + 700), false);
                let (played, time) = played(&recorder.take());
                let pressed: Vec<Key> = keys.iter().map(|(key, _)| *key).collect();
                prop_assert_eq!(played, pressed);
                prop_assert_eq!(time, millis(at + 700));
            }
        }
    }
}

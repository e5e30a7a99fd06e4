//! The job on the screen, where applications are jobs of a machine: its sheet, and the end of its output as text.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use model::AppId;
use view::job::{JobOutput, JobSheet};

/// How many lines of output are kept.
const MOST_LINES: usize = 5_000;
/// How many characters a line has at most; what is longer continues in the next one.
const LONGEST_LINE: usize = 2_000;
/// Columns between two stops of the tabulator.
const TAB: usize = 8;

/// The page of a job.
#[derive(Clone, Debug)]
pub struct JobPage {
    /// The application that the job is for the scheduler.
    pub app: AppId,
    /// The first line of its output on the screen.
    pub top: usize,
    /// The end of the output stays on the screen.
    pub follow: bool,
    /// How many lines of it are on the screen.
    pub room: usize,
}

impl JobPage {
    /// The page of a job, at the end of its output.
    pub fn new(app: AppId) -> Self {
        Self { app, top: 0, follow: true, room: 1 }
    }
}

/// The job on the screen: the data about it, and the requests under way.
#[derive(Clone, Debug, Default)]
pub struct JobWatch {
    /// The application that is examined; `None` before the first one.
    pub app: Option<AppId>,
    /// What it is; or why that is unknown. `None` until there is an answer.
    pub seen: Option<Result<Arc<JobSheet>, String>>,
    /// Its output, as far as it was requested.
    pub output: OutputText,
    /// When it was requested last, on the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The last question was for its output too.
    pub with_output: bool,
    /// There is more output than came with the last answer.
    pub more: bool,
    /// What happens to the orders of the last question.
    pub acting: Acting,
}

/// Orders on jobs on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acting {
    /// How many answers are waited for.
    pub left: usize,
    /// How many were carried out.
    pub done: usize,
    /// How many were refused.
    pub refused: usize,
}

impl JobWatch {
    /// What is known of the job of an application.
    pub fn of(&self, app: &AppId) -> Option<&Arc<JobSheet>> {
        self.seen.as_ref()?.as_ref().ok().filter(|_| self.app.as_ref() == Some(app))
    }
}

/// The end of an output as lines of text, without the codes by which programs color it. What comes after a carriage return takes the
/// place of its line, as on a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputText {
    /// Of which attempt; 0 before anything came.
    pub attempt: u32,
    /// The number of the byte that follows.
    pub next: u64,
    /// Something stood before the first line that is not here.
    pub cut: bool,
    lines: VecDeque<String>,
    /// The bytes of a character that has not come whole.
    part: Vec<u8>,
    /// The line that has not ended.
    line: String,
    /// A carriage return came: what follows takes the place of the line.
    returned: bool,
    code: Code,
}

/// Where a code of the terminal stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Code {
    #[default]
    None,
    /// An escape came.
    Begun,
    /// A control sequence, until its last letter.
    Control,
    /// A text for the terminal, until a bell or an escape.
    Text,
}

impl OutputText {
    /// Takes what came.
    pub fn take(&mut self, output: &JobOutput) {
        if output.attempt != self.attempt {
            *self = Self { attempt: output.attempt, next: output.first, cut: output.first > 0, ..Self::default() };
        }
        if output.first > self.next {
            *self = Self { attempt: self.attempt, cut: true, ..Self::default() };
        }
        // Bytes that came before are not taken again.
        let known = usize::try_from(self.next.saturating_sub(output.first)).unwrap_or(usize::MAX);
        let new = output.bytes.get(known..).unwrap_or_default();
        self.next = (output.first + output.bytes.len() as u64).max(self.next);
        let mut bytes = std::mem::take(&mut self.part);
        bytes.extend(new);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    text.chars().for_each(|letter| self.letter(letter));
                    break;
                }
                Err(error) => {
                    let (text, after) = rest.split_at(error.valid_up_to());
                    String::from_utf8_lossy(text).chars().for_each(|letter| self.letter(letter));
                    let Some(wrong) = error.error_len() else {
                        self.part = after.to_vec();
                        break;
                    };
                    self.letter(char::REPLACEMENT_CHARACTER);
                    rest = &after[wrong..];
                }
            }
        }
    }

    fn letter(&mut self, letter: char) {
        match (self.code, letter) {
            (Code::None, '\u{1b}') => self.code = Code::Begun,
            (Code::Begun, '[') => self.code = Code::Control,
            (Code::Begun, ']') => self.code = Code::Text,
            (Code::Begun, _) | (Code::Control, '\u{40}'..='\u{7e}') | (Code::Text, '\u{7}') => self.code = Code::None,
            (Code::Text, '\u{1b}') => self.code = Code::Begun,
            (Code::Control | Code::Text, _) => {}
            (Code::None, '\n') => self.end_line(),
            (Code::None, '\r') => self.returned = true,
            (Code::None, letter) => {
                if std::mem::take(&mut self.returned) {
                    self.line.clear();
                }
                match letter {
                    '\t' => {
                        let stop = TAB - self.line.chars().count() % TAB;
                        self.line.extend(std::iter::repeat_n(' ', stop));
                    }
                    letter => self.line.push(letter),
                }
                if self.line.len() >= LONGEST_LINE {
                    self.end_line();
                }
            }
        }
    }

    fn end_line(&mut self) {
        self.returned = false;
        self.lines.push_back(std::mem::take(&mut self.line));
        if self.lines.len() > MOST_LINES {
            self.lines.pop_front();
            self.cut = true;
        }
    }

    /// How many lines there are, the one that has not ended included.
    pub fn len(&self) -> usize {
        self.lines.len() + usize::from(!self.line.is_empty())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lines from one on.
    pub fn from(&self, first: usize) -> impl Iterator<Item = &str> {
        let last = (!self.line.is_empty()).then_some(self.line.as_str());
        self.lines.iter().map(String::as_str).chain(last).skip(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrived(first: u64, bytes: &[u8]) -> JobOutput {
        JobOutput { attempt: 1, first, bytes: bytes.to_vec(), more: false }
    }

    fn lines(text: &OutputText) -> Vec<&str> {
        text.from(0).collect()
    }

    #[test]
    fn output_is_shown_as_a_terminal_shows_it() {
        let mut text = OutputText::default();
        text.take(&arrived(0, b"\x1b[1;31mred\x1b[0m\ttab\n 10%\r 20%\r100%\n\x1b]0;title\x07plain\r\nhal"));
        assert_eq!(lines(&text), ["red     tab", "100%", "plain", "hal"]);
        text.take(&arrived(text.next, "f ü\n".as_bytes()));
        assert_eq!(lines(&text).last(), Some(&"half ü"));
    }

    #[test]
    fn characters_and_codes_may_come_in_pieces_and_bytes_twice() {
        let all = "a ü \u{1b}[32mgreen\u{1b}[0m\nb".as_bytes();
        let mut text = OutputText::default();
        for at in 0..all.len() {
            text.take(&arrived(at as u64, &all[at..=at]));
            text.take(&arrived(0, &all[..=at]));
        }
        assert_eq!(lines(&text), ["a ü green", "b"]);
        text.take(&arrived(text.next, &[0xff, b'c']));
        assert_eq!(lines(&text), ["a ü green", "b\u{fffd}c"]);
    }

    #[test]
    fn what_is_missing_is_known_and_what_is_kept_is_bounded() {
        let mut text = OutputText::default();
        text.take(&arrived(0, b"one\n"));
        text.take(&arrived(400, b"two\n"));
        assert!(text.cut && lines(&text) == ["two"], "{text:?}");
        text.take(&JobOutput { attempt: 2, ..arrived(0, b"again\n") });
        assert!(!text.cut && lines(&text) == ["again"], "{text:?}");
        let many = "x\n".repeat(MOST_LINES + 10);
        text.take(&JobOutput { attempt: 2, ..arrived(text.next, many.as_bytes()) });
        assert!(text.cut && text.len() == MOST_LINES);
        text.take(&JobOutput { attempt: 2, ..arrived(text.next, &vec![b'y'; 3 * LONGEST_LINE]) });
        assert!(text.from(0).all(|line| line.len() <= LONGEST_LINE));
    }
}

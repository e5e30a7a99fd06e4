//! The local job on the screen, and the end of its output.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use model::AppId;
use view::job::{JobOutput, JobSheet};

const MOST_LINES: usize = 5_000;
/// Longer lines are split (characters).
const LONGEST_LINE: usize = 2_000;
const TAB: usize = 8;

/// The page of a job.
#[derive(Clone, Debug)]
pub struct JobPage {
    /// The application of the job.
    pub app: AppId,
    /// The first visible line of the output.
    pub top: usize,
    /// The end of the output stays visible.
    pub follow: bool,
    /// The number of visible lines of output.
    pub space: usize,
}

impl JobPage {
    /// Opens at the end of the output.
    pub fn new(app: AppId) -> Self {
        Self { app, top: 0, follow: true, space: 1 }
    }
}

/// The watched job.
#[derive(Clone, Debug, Default)]
pub struct JobWatch {
    /// The watched application, if any.
    pub app: Option<AppId>,
    /// `None` until there is an answer.
    pub seen: Option<Result<Arc<JobSheet>, String>>,
    /// The loaded output.
    pub output: OutputText,
    /// On the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The last request included output.
    pub with_output: bool,
    /// The output continues after the last answer.
    pub more: bool,
    /// The operations of the last question.
    pub acting: Acting,
}

/// Job operations under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acting {
    /// The number of missing answers.
    pub left: usize,
    /// The number that succeeded.
    pub done: usize,
    /// The number that were rejected.
    pub refused: usize,
}

impl JobWatch {
    /// The known job of an application.
    pub fn of(&self, app: &AppId) -> Option<&Arc<JobSheet>> {
        self.seen.as_ref()?.as_ref().ok().filter(|_| self.app.as_ref() == Some(app))
    }
}

/// Lines without color codes. Text after a carriage return replaces its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputText {
    /// 0 before the first output.
    pub attempt: u32,
    /// The offset of the next byte.
    pub next: u64,
    /// Earlier lines were dropped.
    pub cut: bool,
    lines: VecDeque<String>,
    part: Vec<u8>,
    line: String,
    /// After a carriage return: the next text replaces the line.
    returned: bool,
    code: Code,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Code {
    #[default]
    None,
    /// After the escape character.
    Started,
    /// In a control sequence, until its last letter.
    Control,
    /// Until a bell or an escape.
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
            (Code::None, '\u{1b}') => self.code = Code::Started,
            (Code::Started, '[') => self.code = Code::Control,
            (Code::Started, ']') => self.code = Code::Text,
            (Code::Started, _) | (Code::Control, '\u{40}'..='\u{7e}') | (Code::Text, '\u{7}') => self.code = Code::None,
            (Code::Text, '\u{1b}') => self.code = Code::Started,
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

    /// The number of lines, including the last incomplete one.
    pub fn len(&self) -> usize {
        self.lines.len() + usize::from(!self.line.is_empty())
    }

    /// Whether no line exists.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lines from index `first`.
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
    fn characters_and_codes_may_arrive_in_pieces_and_bytes_twice() {
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
    fn missing_parts_are_known_and_stored_parts_are_bounded() {
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

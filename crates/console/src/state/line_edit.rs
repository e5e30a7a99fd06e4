//! A one-line editor and its history.

use unicode_segmentation::UnicodeSegmentation;

/// [`crate::input::editing`] maps keys to steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStep {
    /// Insert a character at the cursor.
    Insert(char),
    /// Remove the text from the cursor to a location.
    Remove(Reach),
    /// Move the cursor to a location.
    Move(Reach),
}

/// A location relative to the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// One grapheme before it.
    Left,
    /// One grapheme after it.
    Right,
    /// The start of the word before it.
    WordLeft,
    /// The end of the word after it.
    WordRight,
    /// The start of the line.
    Start,
    /// The end of the line.
    End,
}

/// A text with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEdit {
    text: String,
    /// In bytes, at a grapheme boundary.
    cursor: usize,
    /// Prefilled: the first input replaces it.
    fresh: bool,
}

impl LineEdit {
    /// The maximum number of pasted characters.
    pub const PASTED: usize = 1000;

    /// A text with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text, fresh: false }
    }

    /// The first input replaces the text; a cursor movement keeps it.
    pub fn prefilled(text: impl Into<String>) -> Self {
        Self { fresh: true, ..Self::new(text) }
    }

    /// Marks the text as prefilled.
    pub fn enter(&mut self) {
        self.fresh = true;
        self.cursor = self.text.len();
    }

    /// Whether the first input replaces the text.
    pub fn is_fresh(&self) -> bool {
        self.fresh && !self.text.is_empty()
    }

    fn start(&mut self) {
        if std::mem::take(&mut self.fresh) {
            (self.text, self.cursor) = (String::new(), 0);
        }
    }

    /// What is written so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor.
    pub fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// The cursor is at the end.
    pub fn set(&mut self, text: impl Into<String>) {
        *self = Self::new(text);
    }

    /// Applies an editing step.
    pub fn apply(&mut self, step: LineStep) {
        let starts = matches!(step, LineStep::Insert(_) | LineStep::Remove(Reach::Left | Reach::Right));
        if self.is_fresh() && starts {
            self.start();
        }
        match step {
            LineStep::Insert(c) => self.insert(c),
            // The prefilled text was removed as a whole.
            LineStep::Remove(_) if self.text.is_empty() => {}
            LineStep::Remove(reach) => self.remove_to(self.reached(reach)),
            LineStep::Move(reach) => self.cursor = self.reached(reach),
        }
        self.fresh = false;
    }

    fn reached(&self, reach: Reach) -> usize {
        match reach {
            Reach::Left => self.left(),
            Reach::Right => self.right(),
            Reach::WordLeft => self.word_left(),
            Reach::WordRight => self.word_right(),
            Reach::Start => 0,
            Reach::End => self.text.len(),
        }
    }

    /// Inserts the first line without control characters, at most [`Self::PASTED`] characters. Returns `false` if
    /// nothing remains.
    pub fn paste(&mut self, text: &str) -> bool {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if !first.is_empty() {
            self.start();
        }
        let before = self.text.len();
        first.chars().filter(|c| !c.is_control()).take(Self::PASTED).for_each(|c| self.insert(c));
        self.text.len() > before
    }

    fn insert(&mut self, c: char) {
        self.text.insert(self.cursor, c);
        self.cursor += c.len_utf8();
        // A combining character joins the previous grapheme.
        if !self.text.grapheme_indices(true).any(|(at, _)| at == self.cursor) {
            let after = self.text.grapheme_indices(true).map(|(at, _)| at).find(|at| *at > self.cursor);
            self.cursor = after.unwrap_or(self.text.len());
        }
    }

    fn remove_to(&mut self, other: usize) {
        let (from, to) = (self.cursor.min(other), self.cursor.max(other));
        self.text.replace_range(from..to, "");
        self.cursor = from;
        if !self.text.is_char_boundary(self.cursor) || !self.at_border() {
            self.cursor = self.left();
        }
    }

    /// A removal can join graphemes.
    fn at_border(&self) -> bool {
        self.cursor == self.text.len() || self.text.grapheme_indices(true).any(|(at, _)| at == self.cursor)
    }

    fn left(&self) -> usize {
        self.text.grapheme_indices(true).map(|(at, _)| at).take_while(|at| *at < self.cursor).last().unwrap_or(0)
    }

    fn right(&self) -> usize {
        let after = self.text.grapheme_indices(true).map(|(at, _)| at).find(|at| *at > self.cursor);
        after.unwrap_or(self.text.len())
    }

    fn word_left(&self) -> usize {
        let words = self.text.unicode_word_indices().map(|(at, _)| at);
        words.take_while(|at| *at < self.cursor).last().unwrap_or(0)
    }

    fn word_right(&self) -> usize {
        let mut ends = self.text.unicode_word_indices().map(|(at, word)| at + word.len());
        ends.find(|at| *at > self.cursor).unwrap_or(self.text.len())
    }
}

/// Earlier entries, the oldest first, and the current position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    entries: Vec<String>,
    at: Option<(usize, String)>,
}

impl History {
    const RETAINED: usize = 100;

    /// Removes an earlier copy.
    pub fn add(&mut self, text: &str) {
        self.at = None;
        if text.trim().is_empty() {
            return;
        }
        self.entries.retain(|entry| entry != text);
        self.entries.push(text.to_owned());
        if self.entries.len() > Self::RETAINED {
            self.entries.remove(0);
        }
    }

    /// The entry before the shown one; stores `draft`.
    pub fn older(&mut self, draft: &str) -> Option<String> {
        let (at, draft) = match &self.at {
            None => (self.entries.len(), draft.to_owned()),
            Some((at, draft)) => (*at, draft.clone()),
        };
        let older = at.checked_sub(1)?;
        self.at = Some((older, draft));
        self.entries.get(older).cloned()
    }

    /// The draft after the last entry.
    pub fn newer(&mut self) -> Option<String> {
        let (at, draft) = self.at.take()?;
        match self.entries.get(at + 1) {
            Some(entry) => {
                self.at = Some((at + 1, draft));
                Some(entry.clone())
            }
            None => Some(draft),
        }
    }

    /// [`History::older`] then starts at the end.
    pub fn leave(&mut self) {
        self.at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_text_is_one_line_without_controls() {
        let mut line = LineEdit::new("ab");
        line.apply(LineStep::Move(Reach::Left));
        assert!(line.paste("\n  \n\u{1b}[31mx\ty\u{0}\nsecond"));
        assert_eq!((line.before(), line.text()), ("a[31mxy", "a[31mxyb"));
        assert!(!line.paste("\u{7}\u{7}"));
        line.paste(&"z".repeat(1 << 20));
        assert_eq!(line.text().len(), 8 + LineEdit::PASTED);
    }

    #[test]
    fn history_moves_back_and_returns_to_the_draft() {
        let mut history = History::default();
        for entry in ["one", "two", "one"] {
            history.add(entry);
        }
        assert_eq!(history.older("dr").as_deref(), Some("one"));
        assert_eq!(history.older("one").as_deref(), Some("two"));
        assert_eq!(history.older("two"), None);
        assert_eq!(history.newer().as_deref(), Some("one"));
        assert_eq!(history.newer().as_deref(), Some("dr"));
        assert_eq!(history.newer(), None);
    }
}

//! One line of text being written, and the history of the lines that were written there before.

use unicode_segmentation::UnicodeSegmentation;

/// One step of editing a line: keys become these in [`crate::input::editing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStep {
    /// Writes a character at the cursor.
    Insert(char),
    /// Removes what is between the cursor and a place.
    Remove(Reach),
    /// Moves the cursor to a place.
    Move(Reach),
}

/// A place in a line, as seen from the cursor.
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

/// A text with a cursor between two of its graphemes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEdit {
    text: String,
    /// A byte offset, always at the border of a grapheme.
    cursor: usize,
    /// The text was there before anything was written: what is written first takes its place.
    fresh: bool,
}

impl LineEdit {
    /// The most characters that are taken of a pasted text.
    pub const PASTED: usize = 1000;

    /// A text with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text, fresh: false }
    }

    /// A text that was there before, as in a field of a form: what is written or pasted first takes its place, a key that moves the
    /// cursor keeps it.
    pub fn prefilled(text: impl Into<String>) -> Self {
        Self { fresh: true, ..Self::new(text) }
    }

    /// The field is entered: the first text that is written replaces its content.
    pub fn enter(&mut self) {
        self.fresh = true;
        self.cursor = self.text.len();
    }

    /// Whether what is written first takes the place of the text.
    pub fn is_fresh(&self) -> bool {
        self.fresh && !self.text.is_empty()
    }

    /// Takes what was there before away, as something is written or removed.
    fn begin(&mut self) {
        if std::mem::take(&mut self.fresh) {
            (self.text, self.cursor) = (String::new(), 0);
        }
    }

    /// What is written so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What precedes the cursor.
    pub fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Replaces the text and puts the cursor at its end.
    pub fn set(&mut self, text: impl Into<String>) {
        *self = Self::new(text);
    }

    /// Carries out one step of editing.
    pub fn apply(&mut self, step: LineStep) {
        let begins = matches!(step, LineStep::Insert(_) | LineStep::Remove(Reach::Left | Reach::Right));
        if self.is_fresh() && begins {
            self.begin();
        }
        match step {
            LineStep::Insert(c) => self.insert(c),
            // What was there before went as one.
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

    /// Puts pasted text at the cursor: its first line, without control characters, at most [`Self::PASTED`] characters. `false` when
    /// nothing of it is left.
    pub fn paste(&mut self, text: &str) -> bool {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if !first.is_empty() {
            self.begin();
        }
        let before = self.text.len();
        first.chars().filter(|c| !c.is_control()).take(Self::PASTED).for_each(|c| self.insert(c));
        self.text.len() > before
    }

    fn insert(&mut self, c: char) {
        self.text.insert(self.cursor, c);
        self.cursor += c.len_utf8();
        // A combining character joins the grapheme before it: the cursor must not stand inside one.
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

    /// Removing what was between two graphemes can join them.
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

/// What was entered before, the oldest first, and where one is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    entries: Vec<String>,
    /// The entry shown now, and what was being written before it was called up.
    at: Option<(usize, String)>,
}

impl History {
    /// The most entries kept.
    const RETAINED: usize = 100;

    /// Adds an entry; one that repeats an earlier one takes its place.
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

    /// The entry before the one shown; `draft` is kept to return to.
    pub fn older(&mut self, draft: &str) -> Option<String> {
        let (at, draft) = match &self.at {
            None => (self.entries.len(), draft.to_owned()),
            Some((at, draft)) => (*at, draft.clone()),
        };
        let older = at.checked_sub(1)?;
        self.at = Some((older, draft));
        self.entries.get(older).cloned()
    }

    /// The entry after the one shown, at last the draft.
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

    /// Leaves the history: the next [`History::older`] starts at its end.
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
    fn history_goes_back_and_returns_to_the_draft() {
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

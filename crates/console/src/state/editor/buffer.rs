//! A [`TextArea`] with indentation for YAML.

use tui_textarea::{CursorMove, TextArea};

use crate::state::editor::fold::{Folds, indent};
use crate::state::line_edit::{LineStep, Reach};

const STEP: usize = 2;
const UNDO: usize = 2_000;
/// The last line for [`CursorMove::Jump`].
const FURTHEST: usize = u16::MAX as usize;

/// [`crate::input::editing`] maps keys to steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStep {
    /// A step in the line under the cursor.
    InLine(LineStep),
    /// Starts a new line with YAML indentation.
    NewLine,
    /// Moves to the previous visible line.
    Up,
    /// Moves to the next visible line.
    Down,
}

/// A text that is edited.
#[derive(Clone, Debug)]
pub struct Buffer {
    area: TextArea<'static>,
    /// Lines of the file end with carriage return and line feed.
    carriage: bool,
    version: u64,
    /// What is folded up.
    pub folds: Folds,
}

impl Buffer {
    /// A text with the cursor at its start.
    pub fn new(text: &str) -> Self {
        let carriage = text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count();
        let lines =
            text.split('\n').map(|line| line.strip_suffix('\r').filter(|_| carriage).unwrap_or(line).to_owned());
        let mut area = TextArea::new(lines.collect());
        area.set_max_histories(UNDO);
        Self { area, carriage, version: 0, folds: Folds::default() }
    }

    /// The lines without line ends.
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.lines().join(if self.carriage { "\r\n" } else { "\n" })
    }

    /// Counts up with every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The row and column in characters, from 0.
    pub fn cursor(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0, at.1)
    }

    /// The text of the line before the cursor.
    pub fn before(&self) -> &str {
        let (row, column) = self.cursor();
        let line = self.lines().get(row).map_or("", String::as_str);
        let end = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        &line[..end]
    }

    /// The text of the line after the cursor.
    pub fn behind(&self) -> &str {
        let (row, _) = self.cursor();
        let line = self.lines().get(row).map_or("", String::as_str);
        &line[self.before().len()..]
    }

    /// Moves the cursor, limited to the text; unfolds its line.
    pub fn go(&mut self, row: usize, column: usize) {
        let row = row.min(self.lines().len().saturating_sub(1));
        let near = u16::try_from(row).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(near, u16::try_from(column).unwrap_or(u16::MAX)));
        for _ in FURTHEST..row {
            self.area.move_cursor(CursorMove::Down);
        }
        self.folds.reveal(row);
    }

    /// Moves over visible lines, up (negative) or down.
    pub fn step(&mut self, rows: isize) {
        let (mut row, column) = self.cursor();
        for _ in 0..rows.unsigned_abs() {
            let next = if rows > 0 { self.folds.next(row, self.lines().len()) } else { self.folds.previous(row) };
            match next {
                Some(next) => row = next,
                None => break,
            }
        }
        self.go(row, column);
    }

    /// Returns whether text or cursor changed.
    pub fn apply(&mut self, step: TextStep) -> bool {
        let lines = self.lines().len();
        let row = self.cursor().0;
        let changed = match step {
            TextStep::Up => return self.moved(|buffer| buffer.step(-1)),
            TextStep::Down => return self.moved(|buffer| buffer.step(1)),
            TextStep::InLine(LineStep::Move(reach)) => {
                return self.moved(|buffer| buffer.area.move_cursor(cursor_move(reach)));
            }
            TextStep::NewLine => {
                let margin = self.margin();
                self.area.insert_str(format!("\n{margin}"))
            }
            TextStep::InLine(LineStep::Insert(c)) => {
                self.area.insert_char(c);
                true
            }
            TextStep::InLine(LineStep::Remove(reach)) => self.remove(reach),
        };
        if changed {
            self.changed(row, lines);
        }
        changed
    }

    /// At the end of a line, also removes the line end.
    fn remove(&mut self, reach: Reach) -> bool {
        match reach {
            Reach::Left => self.backspace(),
            Reach::Right => self.area.delete_next_char(),
            Reach::WordLeft => self.area.delete_word(),
            Reach::WordRight => self.area.delete_next_word(),
            Reach::Start => self.area.delete_line_by_head(),
            Reach::End => self.area.delete_line_by_end(),
        }
    }

    fn moved(&mut self, by: impl FnOnce(&mut Self)) -> bool {
        by(self);
        let row = self.cursor().0;
        self.folds.reveal(row);
        true
    }

    fn changed(&mut self, row: usize, lines: usize) {
        self.version += 1;
        let now = self.lines().len();
        let at = row.min(self.cursor().0);
        self.folds.shift(at, now.cast_signed() - lines.cast_signed());
        let cursor = self.cursor().0;
        self.folds.reveal(cursor);
    }

    /// The indentation: one level more after a key without a value.
    fn margin(&self) -> String {
        let before = self.before();
        let own = indent(before);
        let item = if before.trim_start().starts_with("- ") { STEP } else { 0 };
        let deeper = if before.trim_end().ends_with(':') { STEP } else { 0 };
        " ".repeat(own + item + deeper)
    }

    fn backspace(&mut self) -> bool {
        let before = self.before();
        let blank = !before.is_empty() && before.bytes().all(|b| b == b' ');
        let count = if blank { (before.len() - 1) % STEP + 1 } else { 1 };
        (0..count).fold(false, |changed, _| self.area.delete_char() || changed)
    }

    /// Tabs become blanks; control characters are dropped.
    pub fn insert(&mut self, text: &str) {
        let (row, lines) = (self.cursor().0, self.lines().len());
        let clean: String = text
            .replace("\r\n", "\n")
            .replace('\t', &" ".repeat(STEP))
            .chars()
            .map(|c| if c == '\r' { '\n' } else { c })
            .filter(|c| *c == '\n' || !c.is_control())
            .collect();
        if !clean.is_empty() && self.area.insert_str(clean) {
            self.changed(row, lines);
        }
    }

    /// Replaces the last `typed` characters before the cursor.
    pub fn complete(&mut self, typed: usize, text: &str) {
        let (row, lines) = (self.cursor().0, self.lines().len());
        for _ in 0..typed {
            self.area.delete_char();
        }
        self.area.insert_str(text);
        self.changed(row, lines);
    }

    /// Undo restores it.
    pub fn replace(&mut self, text: &str) {
        let (row, column) = self.cursor();
        self.area.select_all();
        if text.is_empty() {
            self.area.cut();
        } else {
            self.area.insert_str(text);
        }
        self.version += 1;
        self.folds = Folds::default();
        self.go(row, column);
    }

    /// Another user applied it: clears the undo history.
    pub fn reset(&mut self, text: &str) {
        let (row, column) = self.cursor();
        let fresh = Self::new(text);
        *self = Self { version: self.version + 1, ..fresh };
        self.go(row, column);
    }

    /// Returns whether an item exists.
    pub fn toggle_fold(&mut self) -> bool {
        let (row, _) = self.cursor();
        let Some(start) = self.folds.toggle(self.area.lines(), row) else { return false };
        // A jump would unfold the surrounding items.
        let folds = std::mem::take(&mut self.folds);
        self.go(start, 0);
        self.folds = folds;
        true
    }

    /// Folds only queues with lines of their own.
    pub fn fold_all(&mut self, fold: bool) {
        let mut folds = Folds::default();
        if fold {
            folds.fold_all(self.area.lines());
        }
        let row = self.cursor().0;
        self.folds = Folds::default();
        self.go(folds.hiding(row).unwrap_or(row), 0);
        self.folds = folds;
    }

    /// Undoes the last change. Returns whether one existed.
    pub fn undo(&mut self) -> bool {
        let done = self.area.undo();
        // Replacing all is two steps of the widget.
        if done && self.is_empty() {
            self.area.undo();
        }
        self.history(done)
    }

    /// Redoes a change. Returns whether one existed.
    pub fn redo(&mut self) -> bool {
        let done = self.area.redo();
        if done && self.is_empty() {
            self.area.redo();
        }
        self.history(done)
    }

    fn is_empty(&self) -> bool {
        matches!(self.area.lines(), [line] if line.is_empty())
    }

    fn history(&mut self, done: bool) -> bool {
        if done {
            self.version += 1;
            self.area.cancel_selection();
            // The changed lines are unknown.
            self.folds = Folds::default();
        }
        done
    }

    /// Searches after the cursor (at it if `here`), then from the other end. Case counts if the text has upper case.
    pub fn find(&self, text: &str, forward: bool, here: bool) -> Option<(usize, usize)> {
        let sensitive = text.chars().any(char::is_uppercase);
        let fold = |line: &str| if sensitive { line.to_owned() } else { line.to_lowercase() };
        let sought = fold(text);
        if sought.is_empty() {
            return None;
        }
        let (row, column) = self.cursor();
        let len = self.lines().len();
        let places_in = |row: usize| -> Vec<usize> {
            let line = fold(&self.lines()[row]);
            line.match_indices(&sought).map(|(at, _)| line[..at].chars().count()).collect()
        };
        for step in 0..=len {
            let at = if forward { (row + step) % len } else { (row + 2 * len - step) % len };
            let mut places = places_in(at);
            match (step, forward) {
                (0, true) => places.retain(|place| *place > column || (here && *place == column)),
                (0, false) => places.retain(|place| *place < column),
                _ => {}
            }
            let found = if forward { places.first() } else { places.last() };
            if let Some(column) = found {
                return Some((at, *column));
            }
        }
        None
    }
}

/// Reaches the neighboring line at a line's end.
const fn cursor_move(reach: Reach) -> CursorMove {
    match reach {
        Reach::Left => CursorMove::Back,
        Reach::Right => CursorMove::Forward,
        Reach::WordLeft => CursorMove::WordBack,
        Reach::WordRight => CursorMove::WordForward,
        Reach::Start => CursorMove::Head,
        Reach::End => CursorMove::End,
    }
}

#[cfg(test)]
mod tests;

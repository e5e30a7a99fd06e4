//! The fields of a form: labels with texts, several per line if they fit.
//!
//! A wide screen has the results at their side; a small one shows only the field under the cursor.

use ratatui::layout::Rect;

use crate::present::pieces::{Piece, dim, plain};
use crate::present::text;
use crate::state::line_edit::LineEdit;

const LEAST_BELOW: u16 = 6;
const WIDE: u16 = 140;
const MOST_SIDE_WIDTH: u16 = 72;
const LABEL: (u16, u16) = (8, 20);

/// A field for drawing.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What precedes it.
    pub label: &'a str,
    /// The meaning of an empty field.
    pub hint: &'a str,
    /// What is written in it.
    pub line: &'a LineEdit,
    /// The text differs from the current value.
    pub changed: bool,
    /// The current value; may be empty.
    pub was: &'a str,
}

/// A form for drawing.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    /// The fields in their order.
    pub entries: Vec<Entry<'a>>,
    /// The field under the cursor.
    pub here: usize,
    /// The field is in edit mode.
    pub writing: bool,
    /// The rest of the completion.
    pub suggestion: &'a str,
}

impl Fields<'_> {
    /// The width of the labels with their blanks.
    pub fn label(&self) -> u16 {
        let widest = self.entries.iter().map(|entry| text::width(&text::escape(entry.label))).max().unwrap_or(0);
        u16::try_from(widest + 2).unwrap_or(u16::MAX).clamp(LABEL.0, LABEL.1)
    }

    /// The fields as label, and text or hint.
    pub fn lines(&self) -> Vec<Vec<Piece>> {
        let label = usize::from(self.label());
        let line = |entry: &Entry<'_>| {
            let message = if entry.line.text().is_empty() { entry.hint } else { entry.line.text() };
            vec![dim(format!("{:<label$}", entry.label)), plain(message.to_owned())]
        };
        self.entries.iter().map(line).collect()
    }

    fn side_width(&self, area: Rect) -> Option<u16> {
        let count = u16::try_from(self.entries.len()).unwrap_or(u16::MAX);
        (area.width >= WIDE && area.height >= count && count > 0).then(|| (area.width / 3).min(MOST_SIDE_WIDTH))
    }

    /// The area of each visible field.
    pub fn places(&self, area: Rect) -> Vec<(usize, Rect)> {
        let count = self.entries.len();
        if count == 0 {
            return Vec::new();
        }
        if let Some(width) = self.side_width(area) {
            let row = |at: usize| area.y + u16::try_from(at).unwrap_or(u16::MAX);
            return (0..count).map(|at| (at, Rect { x: area.x, y: row(at), width, height: 1 })).collect();
        }
        let in_line = match area.width {
            0..64 => 1,
            64..100 => 2,
            _ => 3,
        };
        let tall = u16::try_from(count.div_ceil(usize::from(in_line))).unwrap_or(u16::MAX);
        if area.height < tall.saturating_add(LEAST_BELOW) {
            return vec![(self.here, Rect { height: 1.min(area.height), ..area })];
        }
        let wide = area.width / in_line;
        let place = |at: usize| {
            let number = u16::try_from(at).unwrap_or(u16::MAX);
            let (x, y) = (area.x + number % in_line * wide, area.y + number / in_line);
            (at, Rect { x, y, width: wide, height: 1 })
        };
        (0..count).map(place).collect()
    }

    /// The area below the form or at its side.
    pub fn below(&self, area: Rect) -> Rect {
        if let Some(used) = self.side_width(area) {
            return Rect { x: area.x + used + 2, width: area.width.saturating_sub(used + 3), ..area };
        }
        let end = self.places(area).iter().map(|(_, rect)| rect.bottom()).max().unwrap_or(area.y);
        let gap = u16::from(area.height > LEAST_BELOW + 4 && end > area.y);
        let top = (end + gap).min(area.bottom());
        Rect { x: area.x + 1, y: top, width: area.width.saturating_sub(2), height: area.bottom() - top }
    }

    /// The width of the text of a field.
    pub fn value_space(&self, rect: Rect, alone: bool) -> u16 {
        rect.width.saturating_sub(self.label() + 3 + if alone { 8 } else { 0 })
    }
}

/// The text before and after the cursor that fits.
pub fn around(line: &LineEdit, space: u16, ellipsis: &str) -> (String, String) {
    let after = line.text()[line.before().len()..].to_owned();
    let before = text::escape(line.before()).into_owned();
    (text::cut_start(&before, usize::from(space).saturating_sub(1), ellipsis).into_owned(), after)
}

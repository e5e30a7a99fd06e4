//! A screen: text, and readable styles.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};

use crate::present::text::width;

/// One picture of the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    buffer: Buffer,
    cursor: Option<Position>,
}

/// The appearance of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Colour of the signs.
    pub fg: Color,
    /// Colour behind them.
    pub bg: Color,
    /// Bold, dim, and other modifiers.
    pub modifier: Modifier,
}

impl Look {
    /// The appearance of an unstyled cell.
    pub const PLAIN: Self = Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };
}

/// A grapheme with its columns.
#[derive(Clone, Copy, Debug)]
pub struct Glyph<'s> {
    /// The first column, from 0.
    pub column: u16,
    /// 1 or 2.
    pub columns: u16,
    /// The grapheme that the cell shows.
    pub text: &'s str,
    /// How it looks.
    pub look: Look,
}

const MODIFIERS: [(Modifier, &str); 8] = [
    (Modifier::BOLD, "bold"),
    (Modifier::DIM, "dim"),
    (Modifier::ITALIC, "italic"),
    (Modifier::UNDERLINED, "underlined"),
    (Modifier::REVERSED, "reversed"),
    (Modifier::CROSSED_OUT, "struck"),
    (Modifier::HIDDEN, "hidden"),
    (Modifier::SLOW_BLINK.union(Modifier::RAPID_BLINK), "blinking"),
];

impl Screen {
    /// Cells and text cursor.
    pub fn new(buffer: Buffer, cursor: Option<Position>) -> Self {
        Self { buffer, cursor }
    }

    /// The cells with colors.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// How many columns it has.
    pub fn width(&self) -> u16 {
        self.buffer.area.width
    }

    /// How many lines it has.
    pub fn height(&self) -> u16 {
        self.buffer.area.height
    }

    /// The position of the text cursor, from 0.
    pub fn cursor(&self) -> Option<Position> {
        self.cursor
    }

    /// A wide one includes the next cell.
    pub fn glyphs(&self, line: u16) -> impl Iterator<Item = Glyph<'_>> {
        let mut column = 0;
        std::iter::from_fn(move || {
            let cell = (column < self.width()).then(|| &self.buffer[(column, line)])?;
            let columns = u16::try_from(width(cell.symbol())).unwrap_or(1).clamp(1, self.width() - column);
            let glyph = Glyph { column, columns, text: cell.symbol(), look: look(cell) };
            column += columns;
            Some(glyph)
        })
    }

    /// The lines without trailing blanks.
    pub fn lines(&self) -> Vec<String> {
        let line = |y| {
            let mut text: String = self.glyphs(y).map(|glyph| glyph.text).collect();
            text.truncate(text.trim_end().len());
            text
        };
        (0..self.height()).map(line).collect()
    }

    /// Styles per line: `3: 1-8 255 bold; 12-20 234 on 110`, counted from 1.
    pub fn styles(&self) -> Vec<String> {
        (0..self.height()).filter_map(|line| self.styles_of(line)).collect()
    }

    fn styles_of(&self, line: u16) -> Option<String> {
        let mut runs: Vec<(u16, u16, Look)> = Vec::new();
        for glyph in self.glyphs(line) {
            let end = glyph.column + glyph.columns;
            match runs.last_mut() {
                Some(last) if last.2 == glyph.look => last.1 = end,
                _ => runs.push((glyph.column, end, glyph.look)),
            }
        }
        runs.retain(|(_, _, look)| *look != Look::PLAIN);
        let mut text = String::new();
        for (start, end, look) in &runs {
            let separator = if text.is_empty() { "" } else { "; " };
            let columns = if start + 1 == *end { end.to_string() } else { format!("{}-{end}", start + 1) };
            let _ = write!(text, "{separator}{columns} {}", described(*look));
        }
        (!runs.is_empty()).then(|| format!("{}: {text}", line + 1))
    }
}

fn look(cell: &Cell) -> Look {
    Look { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
}

/// `110 on 237 bold`
fn described(look: Look) -> String {
    let mut words = Vec::new();
    if look.fg != Color::Reset {
        words.push(look.fg.to_string());
    }
    if look.bg != Color::Reset {
        words.push(format!("on {}", look.bg));
    }
    let has = |(modifier, name): &(Modifier, &str)| look.modifier.intersects(*modifier).then(|| (*name).to_owned());
    words.extend(MODIFIERS.iter().filter_map(has));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    fn screen() -> Screen {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 3));
        buffer.set_string(0, 0, "a東京b", Style::new().fg(Color::Indexed(110)));
        buffer.set_string(8, 0, "x", Style::new().bg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::BOLD | Modifier::DIM));
        buffer.set_string(0, 2, "plain", Style::new());
        buffer.set_style(Rect::new(3, 2, 9, 1), Style::new().add_modifier(Modifier::REVERSED));
        Screen::new(buffer, None)
    }

    #[test]
    fn wide_characters_are_one_and_ends_are_trimmed() {
        assert_eq!(screen().lines(), ["a東京b  x", "", "plain"]);
        let glyphs: Vec<(u16, u16)> = screen().glyphs(0).take(4).map(|glyph| (glyph.column, glyph.columns)).collect();
        assert_eq!(glyphs, [(0, 1), (1, 2), (3, 2), (5, 1)]);
    }

    #[test]
    fn styles_are_runs_of_columns_from_one() {
        assert_eq!(screen().styles(), ["1: 1-6 110; 9 on #010203 bold dim", "3: 4-12 reversed"]);
    }

    #[test]
    fn a_wide_character_cut_off_by_the_border_stays_inside() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 2, 1));
        buffer[(1, 0)].set_symbol("東");
        assert_eq!(Screen::new(buffer, None).glyphs(0).last().map(|glyph| glyph.columns), Some(1));
    }
}

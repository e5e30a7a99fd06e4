//! Writes into the buffer, the only way to the terminal: text is escaped and cut to its columns.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::present::pieces::{Piece, width};
use crate::present::text;
use crate::theme::{Role, Symbols, Theme};

/// A buffer with its theme.
pub struct Pen<'b> {
    buffer: &'b mut Buffer,
    theme: &'b Theme,
}

impl<'b> Pen<'b> {
    /// A pen for a buffer.
    pub fn new(buffer: &'b mut Buffer, theme: &'b Theme) -> Self {
        Self { buffer, theme }
    }

    /// The signs of the theme.
    pub fn symbols(&self) -> &'static Symbols {
        self.theme.symbols
    }

    /// Writes text, cut with an ellipsis. Returns its width.
    pub fn text(&mut self, x: u16, y: u16, max: u16, text: &str, role: Role) -> u16 {
        let style = self.theme.style(role);
        let escaped = text::escape(text);
        let cut = text::cut(&escaped, usize::from(max), self.theme.symbols.ellipsis);
        self.raw(x, y, max, &cut, style)
    }

    /// Writes a path, cut at the start.
    pub fn path(&mut self, x: u16, y: u16, max: u16, text: &str, role: Role) -> u16 {
        let style = self.theme.style(role);
        let escaped = text::escape(text);
        let cut = text::cut_start(&escaped, usize::from(max), self.theme.symbols.ellipsis);
        self.raw(x, y, max, &cut, style)
    }

    fn raw(&mut self, x: u16, y: u16, max: u16, text: &str, style: Style) -> u16 {
        let area = *self.buffer.area();
        if x >= area.right() || y >= area.bottom() || x < area.x || y < area.y {
            return 0;
        }
        let max = usize::from(max.min(area.right() - x));
        let (end, _) = if self.theme.ascii {
            self.buffer.set_stringn(x, y, text::ascii(text), max, style)
        } else {
            self.buffer.set_stringn(x, y, text, max, style)
        };
        end - x
    }

    /// Returns their width.
    pub fn pieces(&mut self, x: u16, y: u16, max: u16, pieces: &[Piece]) -> u16 {
        let mut used = 0;
        for (at, piece) in pieces.iter().enumerate() {
            if used >= max {
                if max > 0 && pieces[at..].iter().any(|piece| !piece.text.trim().is_empty()) {
                    self.cut_before(x + max, y, piece.role);
                }
                break;
            }
            used += self.text(x + used, y, max - used, &piece.text, piece.role);
        }
        used
    }

    fn cut_before(&mut self, x: u16, y: u16, role: Role) {
        let at = Position { x: x.saturating_sub(1), y };
        if self.buffer.cell(at).is_some_and(|cell| !cell.symbol().trim().is_empty()) {
            self.text(at.x, y, 1, self.theme.symbols.ellipsis, role);
        }
    }

    /// Writes pieces right-aligned. Returns their width.
    pub fn pieces_right(&mut self, x: u16, y: u16, max: u16, pieces: &[Piece]) -> u16 {
        let wide = u16::try_from(width(pieces)).unwrap_or(u16::MAX).min(max);
        self.pieces(x + (max - wide), y, wide, pieces)
    }

    /// Whether only ASCII is allowed.
    pub fn is_ascii(&self) -> bool {
        self.theme.ascii
    }

    /// The style of a role.
    pub fn role(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Draws a widget without text, clipped to the buffer.
    pub fn widget(&mut self, widget: impl Widget, area: Rect) {
        widget.render(area.intersection(*self.buffer.area()), self.buffer);
    }

    /// Applies a role's style, keeping the text.
    pub fn style(&mut self, area: Rect, role: Role) {
        self.buffer.set_style(area.intersection(*self.buffer.area()), self.theme.style(role));
    }

    /// Clears an area.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(*self.buffer.area());
        let page = self.theme.style(Role::Page);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                self.buffer[(x, y)].reset();
                self.buffer[(x, y)].set_style(page);
            }
        }
    }

    /// A horizontal line.
    pub fn line(&mut self, x: u16, y: u16, width: u16) {
        let line = self.theme.symbols.line.repeat(usize::from(width));
        self.raw(x, y, width, &line, self.theme.style(Role::Border));
    }

    /// A vertical line.
    pub fn wall(&mut self, area: Rect) {
        for y in area.top()..area.bottom() {
            self.text(area.x, y, 1, self.theme.symbols.wall, Role::Border);
        }
    }

    /// Draws a cleared box; returns its padded inner area.
    pub fn frame(&mut self, area: Rect, title: &str) -> Rect {
        self.clear(area);
        if area.width < 4 || area.height < 2 {
            return Rect::default();
        }
        let symbols = self.symbols();
        let right = area.right() - 1;
        for (y, left_corner, right_corner) in [
            (area.y, symbols.corners[0], symbols.corners[1]),
            (area.bottom() - 1, symbols.corners[2], symbols.corners[3]),
        ] {
            self.text(area.x, y, 1, left_corner, Role::Border);
            self.line(area.x + 1, y, area.width - 2);
            self.text(right, y, 1, right_corner, Role::Border);
        }
        let sides = Rect { y: area.y + 1, height: area.height - 2, width: 1, ..area };
        self.wall(sides);
        self.wall(Rect { x: right, ..sides });
        if !title.is_empty() {
            self.over(area.x + 2, area.y, area.width.saturating_sub(4), &format!(" {title} "), Role::Title);
        }
        Rect { x: area.x + 2, y: area.y + 1, width: area.width - 4, height: area.height - 2 }
    }

    /// Overwrites text without keeping its style.
    pub fn over(&mut self, x: u16, y: u16, max: u16, text: &str, role: Role) {
        let wide = u16::try_from(text::width(text)).unwrap_or(u16::MAX).min(max);
        self.clear(Rect { x, y, width: wide, height: 1 });
        self.text(x, y, max, text, role);
    }

    /// The lines from `top` that fit.
    pub fn lines(&mut self, area: Rect, lines: &[Vec<Piece>], top: usize) {
        for (y, line) in (area.top()..area.bottom()).zip(lines.iter().skip(top)) {
            self.pieces(area.x, y, area.width, line);
        }
    }

    /// The same, with the number of lines below.
    pub fn scrolled(&mut self, area: Rect, lines: &[Vec<Piece>], top: usize) {
        self.lines(area, lines, top);
        self.more_below(area, lines.len(), top);
    }

    /// Shows how many lines are below the visible ones.
    pub fn more_below(&mut self, area: Rect, lines: usize, top: usize) {
        let space = usize::from(area.height);
        if lines > top + space {
            let more = format!(" {} more ", lines - top - space);
            let wide = u16::try_from(more.len()).unwrap_or(0);
            let (x, y) = (area.right().saturating_sub(wide), area.bottom().saturating_sub(1));
            self.over(x, y, wide, &more, Role::HintKey);
            self.cut_before(x, y, Role::Dim);
        }
    }
}

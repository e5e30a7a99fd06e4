//! Terminal colors as RGB for pictures.

use ratatui::style::{Color, Modifier};

use super::screen::Look;

pub(super) const FOREGROUND: Rgb = Rgb(0xd0, 0xd0, 0xd0);
pub(super) const BACKGROUND: Rgb = Rgb(0x17, 0x18, 0x1a);

/// Terminals differ in them.
const SIXTEEN: [Rgb; 16] = [
    Rgb(0x1c, 0x1c, 0x1c),
    Rgb(0xcd, 0x5c, 0x5c),
    Rgb(0x87, 0xaf, 0x87),
    Rgb(0xd7, 0xaf, 0x5f),
    Rgb(0x5f, 0x87, 0xd7),
    Rgb(0xaf, 0x87, 0xd7),
    Rgb(0x5f, 0xaf, 0xaf),
    Rgb(0xd0, 0xd0, 0xd0),
    Rgb(0x6c, 0x6c, 0x6c),
    Rgb(0xff, 0x87, 0x87),
    Rgb(0xaf, 0xd7, 0xaf),
    Rgb(0xff, 0xd7, 0x87),
    Rgb(0x87, 0xaf, 0xff),
    Rgb(0xd7, 0xaf, 0xff),
    Rgb(0x87, 0xd7, 0xd7),
    Rgb(0xff, 0xff, 0xff),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    fn of(color: Color, default: Self) -> Self {
        let named = |index: usize| SIXTEEN[index];
        match color {
            Color::Reset => default,
            Color::Black => named(0),
            Color::Red => named(1),
            Color::Green => named(2),
            Color::Yellow => named(3),
            Color::Blue => named(4),
            Color::Magenta => named(5),
            Color::Cyan => named(6),
            Color::Gray => named(7),
            Color::DarkGray => named(8),
            Color::LightRed => named(9),
            Color::LightGreen => named(10),
            Color::LightYellow => named(11),
            Color::LightBlue => named(12),
            Color::LightMagenta => named(13),
            Color::LightCyan => named(14),
            Color::White => named(15),
            Color::Rgb(r, g, b) => Self(r, g, b),
            Color::Indexed(index) => Self::indexed(index),
        }
    }

    pub(super) fn indexed(index: u8) -> Self {
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
        match index {
            0..=15 => SIXTEEN[usize::from(index)],
            16..=231 => {
                let cube = index - 16;
                Self(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
            }
            232..=255 => {
                let gray = 8 + 10 * (index - 232);
                Self(gray, gray, gray)
            }
        }
    }

    pub(super) fn towards(self, other: Self) -> Self {
        let half = |a: u8, b: u8| a.midpoint(b);
        Self(half(self.0, other.0), half(self.1, other.1), half(self.2, other.2))
    }
}

impl std::fmt::Display for Rgb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

pub(super) fn colors(look: Look) -> (Rgb, Rgb) {
    let (mut fg, mut bg) = (Rgb::of(look.fg, FOREGROUND), Rgb::of(look.bg, BACKGROUND));
    if look.modifier.contains(Modifier::REVERSED) {
        (fg, bg) = (bg, fg);
    }
    if look.modifier.contains(Modifier::DIM) {
        fg = fg.towards(bg);
    }
    (fg, bg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_of_the_cube_and_the_grays() {
        for (index, hex) in [(16, "#000000"), (110, "#87afd7"), (231, "#ffffff"), (232, "#080808"), (255, "#eeeeee")] {
            assert_eq!(Rgb::indexed(index).to_string(), hex);
        }
    }
}

//! Colors: parsing, RGB, contrast, and replacements.

use ratatui::style::Color;

/// The number of colors of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// `mono` replaces every theme.
    None,
    /// `ansi16` replaces themes with other colors.
    Sixteen,
    /// 256: other colors are replaced by the nearest.
    Indexed,
    /// 16 million colors.
    #[default]
    True,
}

impl Depth {
    /// The names for `--color`.
    pub const NAMES: [(&'static str, Self); 4] =
        [("never", Self::None), ("16", Self::Sixteen), ("256", Self::Indexed), ("true", Self::True)];

    /// The depth with a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, depth)| depth)
    }

    /// Reads `NO_COLOR` (not empty), `COLORTERM`, `TERM`.
    pub fn of_terminal(variable: impl Fn(&str) -> Option<String>) -> Self {
        const TRUE: [&str; 8] = ["direct", "kitty", "alacritty", "wezterm", "foot", "ghostty", "contour", "rio"];
        let set = |name: &str| variable(name).unwrap_or_default().to_lowercase();
        let (term, message) = (set("TERM"), set("COLORTERM"));
        if !set("NO_COLOR").is_empty() || term == "dumb" {
            Self::None
        } else if message == "truecolor" || message == "24bit" || TRUE.iter().any(|name| term.contains(name)) {
            Self::True
        } else if term.contains("256") {
            Self::Indexed
        } else {
            Self::Sixteen
        }
    }
}

/// The named terminal colors in numeric order.
pub const NAMED: [(&str, Color); 16] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

/// `#87afd7`, a number up to 255, one of [`NAMED`], or `default`.
pub fn parse(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        let channel = |at: usize| hex.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let is_hex = hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        return is_hex.then(|| Some(Color::Rgb(channel(0)?, channel(2)?, channel(4)?)))?;
    }
    if text == "default" {
        return Some(Color::Reset);
    }
    let named = NAMED.iter().find(|(name, _)| *name == text).map(|(_, color)| *color);
    named.or_else(|| text.parse().ok().map(Color::Indexed))
}

/// `None` for colors that the terminal defines.
pub fn rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(index) => indexed(index),
        _ => None,
    }
}

/// 16 named, a 6 × 6 × 6 cube, 24 grays.
pub fn indexed(index: u8) -> Option<[u8; 3]> {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        0..=15 => None,
        16..=231 => {
            let cube = index - 16;
            Some([cube / 36, cube / 6 % 6, cube % 6].map(level))
        }
        232..=255 => Some([8 + 10 * (index - 232); 3]),
    }
}

/// The nearest color, weighted by perception; never one of the 16.
pub fn nearest(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else { return color };
    let far = |index: u8| {
        let other = indexed(index).unwrap_or_default();
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        3 * square(r, other[0]) + 6 * square(g, other[1]) + square(b, other[2])
    };
    Color::Indexed((16..=255).min_by_key(|index| far(*index)).unwrap_or(16))
}

/// WCAG 2, from 1 to 21.
pub fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// WCAG 2, from 0 to 1.
fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = |channel: u8| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = rgb.map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_form_of_a_color() {
        for (text, color) in [
            ("#87afd7", Color::Rgb(0x87, 0xaf, 0xd7)),
            ("#FFffFF", Color::Rgb(255, 255, 255)),
            ("244", Color::Indexed(244)),
            ("default", Color::Reset),
            ("bright-black", Color::DarkGray),
            ("white", Color::Gray),
        ] {
            assert_eq!(parse(text), Some(color), "{text}");
        }
        for text in ["", "#fff", "#12345g", "#ééé", "#+12345", "256", "-1", "blu", "Red"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn contrast_is_that_of_the_guidelines() {
        let [white, black, gray] = [[255; 3], [0; 3], [0x76; 3]];
        assert!((contrast(white, black) - 21.0).abs() < 0.001);
        assert!((contrast(black, black) - 1.0).abs() < 0.001);
        // The lightest legible gray on white.
        assert!((4.5..4.6).contains(&contrast(gray, white)));
    }

    #[test]
    fn the_nearest_color_of_one_of_the_256_is_itself() {
        for index in 16..=255 {
            let [r, g, b] = indexed(index).unwrap();
            let Color::Indexed(found) = nearest(Color::Rgb(r, g, b)) else { panic!("not an index") };
            assert_eq!(indexed(found), Some([r, g, b]), "{index}");
        }
    }

    #[test]
    fn the_environment_sets_the_color_depth() {
        let depth = |set: &[(&str, &str)]| {
            Depth::of_terminal(|name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Indexed);
        assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Depth::True);
        assert_eq!(depth(&[("TERM", "xterm-kitty")]), Depth::True);
        assert_eq!(depth(&[("TERM", "linux")]), Depth::Sixteen);
        assert_eq!(depth(&[("TERM", "xterm-kitty"), ("NO_COLOR", "1")]), Depth::None);
        assert_eq!(depth(&[("TERM", "xterm-kitty"), ("NO_COLOR", "")]), Depth::True);
        assert_eq!(depth(&[("TERM", "dumb")]), Depth::None);
    }
}

//! A screen as an SVG picture, for documents. The same screen gives the same bytes.
//!
//! Every run of text says how long it is, so that columns stay aligned whatever font a reader has. Lines, bars and meters are drawn as
//! shapes, because fonts disagree about them most.

use std::fmt::Write;

use ratatui::style::{Color, Modifier};

use super::screen::{Look, Screen, Sign};

/// Tenths of a pixel that a column is wide: what the common fonts take at the size that is requested.
const COLUMN: u32 = 84;
/// Tenths of a pixel that a line is high.
const LINE: u32 = 180;
/// Tenths of a pixel from the top of a line to the foot of its letters.
const BASE: u32 = 132;
/// Tenths of a pixel around the screen.
const PADDING: u32 = 140;

/// The terminal's own colors where the console sets none.
const FOREGROUND: Rgb = Rgb(0xd0, 0xd0, 0xd0);
const BACKGROUND: Rgb = Rgb(0x17, 0x18, 0x1a);

/// The 16 colors of a terminal, as far as they are anybody's to choose.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rgb(u8, u8, u8);

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

    /// The color of an index of 256: 16 names, a cube of 6 × 6 × 6, 24 greys.
    fn indexed(index: u8) -> Self {
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
        match index {
            0..=15 => SIXTEEN[usize::from(index)],
            16..=231 => {
                let cube = index - 16;
                Self(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
            }
            232..=255 => {
                let grey = 8 + 10 * (index - 232);
                Self(grey, grey, grey)
            }
        }
    }

    /// Half way to another color.
    fn towards(self, other: Self) -> Self {
        let half = |a: u8, b: u8| a.midpoint(b);
        Self(half(self.0, other.0), half(self.1, other.1), half(self.2, other.2))
    }
}

impl std::fmt::Display for Rgb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// What a look is once reversed and dimmed.
fn colors(look: Look) -> (Rgb, Rgb) {
    let (mut fg, mut bg) = (Rgb::of(look.fg, FOREGROUND), Rgb::of(look.bg, BACKGROUND));
    if look.modifier.contains(Modifier::REVERSED) {
        (fg, bg) = (bg, fg);
    }
    if look.modifier.contains(Modifier::DIM) {
        fg = fg.towards(bg);
    }
    (fg, bg)
}

/// Draws a screen. The title is for readers who cannot see it.
pub fn draw(screen: &Screen, title: &str) -> String {
    let (width, height) = (u32::from(screen.width()) * COLUMN, u32::from(screen.height()) * LINE);
    let (width, height) = (px(width + 2 * PADDING), px(height + 2 * PADDING));
    let mut picture = Picture { text: String::new(), ground: BACKGROUND };
    let title = escaped(title);
    picture.add(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">"
    ));
    picture.add(format_args!("<title>{title}</title>"));
    let ground = screen.signs(0).next().map_or(BACKGROUND, |sign| colors(sign.look).1);
    picture.ground = ground;
    picture.add(format_args!("<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{ground}\"/>"));
    picture.add(format_args!(
        "<g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13.95\" xml:space=\"preserve\" style=\"white-space:pre\">"
    ));
    for line in 0..screen.height() {
        picture.backgrounds(screen, line);
        picture.signs(screen, line);
    }
    if let Some(cursor) = screen.cursor() {
        let (x, y) = (left(cursor.x), top(cursor.y));
        picture.rect(x, y, COLUMN, LINE, FOREGROUND, " fill-opacity=\"0.5\"");
    }
    picture.add(format_args!("</g>\n</svg>"));
    picture.text
}

fn left(column: u16) -> u32 {
    PADDING + u32::from(column) * COLUMN
}

fn top(line: u16) -> u32 {
    PADDING + u32::from(line) * LINE
}

/// Tenths of a pixel as SVG writes them.
fn px(tenths: u32) -> String {
    if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// A text as XML holds it. Control characters, which XML cannot hold, do not reach a screen.
fn escaped(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).fold(String::new(), |mut out, c| {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
        out
    })
}

struct Picture {
    text: String,
    /// What follows all of it.
    ground: Rgb,
}

/// Text of one look that is in a row.
struct Run {
    column: u16,
    columns: u16,
    text: String,
    look: Look,
}

impl Picture {
    fn add(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn rect(&mut self, x: u32, y: u32, width: u32, height: u32, fill: Rgb, more: &str) {
        let (x, y, width, height) = (px(x), px(y), px(width), px(height));
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"{more}/>"
        ));
    }

    fn backgrounds(&mut self, screen: &Screen, line: u16) {
        let mut runs: Vec<(u16, u16, Rgb)> = Vec::new();
        for sign in screen.signs(line) {
            let (end, bg) = (sign.column + sign.columns, colors(sign.look).1);
            match runs.last_mut() {
                Some(last) if last.2 == bg => last.1 = end,
                _ => runs.push((sign.column, end, bg)),
            }
        }
        let ground = self.ground;
        for (start, end, bg) in runs.into_iter().filter(|(_, _, bg)| *bg != ground) {
            self.rect(left(start), top(line), u32::from(end - start) * COLUMN, LINE, bg, "");
        }
    }

    fn signs(&mut self, screen: &Screen, line: u16) {
        let mut run: Option<Run> = None;
        for sign in screen.signs(line).filter(|sign| !sign.look.modifier.contains(Modifier::HIDDEN)) {
            let joins = sign.text.is_ascii();
            // Behind a gap text restarts, at its own column.
            if run.as_ref().is_some_and(|run| sign.text != " " && run.text.ends_with("  ")) {
                self.run(run.take(), line);
            }
            if let Some(run) =
                run.as_mut().filter(|run| joins && run.look == sign.look && run.column + run.columns == sign.column)
            {
                run.text += sign.text;
                run.columns += 1;
                continue;
            }
            self.run(run.take(), line);
            if joins {
                run = Some(Run { column: sign.column, columns: 1, text: sign.text.to_owned(), look: sign.look });
            } else if !self.shape(&sign, line) {
                let Sign { column, columns, text, look } = sign;
                self.run(Some(Run { column, columns, text: text.to_owned(), look }), line);
            }
        }
        self.run(run, line);
    }

    fn run(&mut self, run: Option<Run>, line: u16) {
        let Some(mut run) = run else { return };
        if !run.look.modifier.contains(Modifier::UNDERLINED) {
            let blanks = run.text.len() - run.text.trim_start().len();
            // Blanks at the start are of ASCII: one byte, one column.
            let blanks = u16::try_from(blanks).unwrap_or(0);
            (run.column, run.columns) = (run.column + blanks, run.columns - blanks);
            run.columns -= u16::try_from(run.text.len() - run.text.trim_end().len()).unwrap_or(0).min(run.columns);
            run.text = run.text.trim().to_owned();
        }
        if run.text.is_empty() {
            return;
        }
        let (x, y) = (px(left(run.column)), px(top(line) + BASE));
        let length = px(u32::from(run.columns) * COLUMN);
        let mut style = String::new();
        for (modifier, attribute) in [
            (Modifier::BOLD, " font-weight=\"bold\""),
            (Modifier::ITALIC, " font-style=\"italic\""),
            (Modifier::UNDERLINED, " text-decoration=\"underline\""),
            (Modifier::CROSSED_OUT, " text-decoration=\"line-through\""),
        ] {
            if run.look.modifier.contains(modifier) {
                style += attribute;
            }
        }
        let (fill, text) = (colors(run.look).0, escaped(&run.text));
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{fill}\"{style}>{text}</text>"
        ));
    }

    /// Draws a sign that is a shape rather than a letter. Returns whether it was one.
    fn shape(&mut self, sign: &Sign<'_>, line: u16) -> bool {
        let (x, y, color) = (left(sign.column), top(line), colors(sign.look).0);
        let (middle_x, middle_y) = (x + COLUMN / 2, y + LINE / 2);
        let thin = 10;
        // From where to where a line goes, with the cell's middle as the joint.
        let (mut across, mut down) = (None, None);
        match sign.text {
            "─" => across = Some((x, x + COLUMN)),
            "│" => down = Some((y, y + LINE)),
            "┌" => (across, down) = (Some((middle_x, x + COLUMN)), Some((middle_y, y + LINE))),
            "┐" => (across, down) = (Some((x, middle_x + thin)), Some((middle_y, y + LINE))),
            "└" => (across, down) = (Some((middle_x, x + COLUMN)), Some((y, middle_y + thin))),
            "┘" => (across, down) = (Some((x, middle_x + thin)), Some((y, middle_y + thin))),
            "┃" => self.rect(middle_x - thin, y, 3 * thin, LINE, color, ""),
            "▌" => self.rect(x, y, COLUMN / 2, LINE, color, ""),
            "┆" => {
                for part in 0..3 {
                    self.rect(middle_x, y + part * LINE / 3 + 10, thin, LINE / 3 - 20, color, "");
                }
            }
            "▰" | "▱" => {
                let paint = if sign.text == "▰" {
                    format!("fill=\"{color}\"")
                } else {
                    format!("fill=\"none\" stroke=\"{color}\"")
                };
                let [a, b, c, d] = [x + 25, x + COLUMN - 4, x + COLUMN - 25, x + 4].map(px);
                let (upper, lower) = (px(y + 55), px(y + LINE - 50));
                self.add(format_args!("<path d=\"M{a} {upper}H{b}L{c} {lower}H{d}Z\" {paint}/>"));
            }
            _ => return false,
        }
        if let Some((from, to)) = across {
            self.rect(from, middle_y, to - from, thin, color, "");
        }
        if let Some((from, to)) = down {
            self.rect(middle_x, from, thin, to - from, color, "");
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::{Position, Rect};
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn draws_text_colours_and_shapes() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
        let style = Style::new().fg(Color::Indexed(110)).add_modifier(Modifier::BOLD);
        buffer.set_string(1, 0, "a <&> b", style);
        buffer.set_string(9, 0, "東", Style::new().bg(Color::Indexed(237)));
        buffer.set_string(0, 1, "▰▱─", Style::new());
        buffer.set_string(4, 1, "rev", Style::new().add_modifier(Modifier::REVERSED));
        let screen = Screen::new(buffer, Some(Position { x: 8, y: 1 }));
        insta::assert_snapshot!(draw(&screen, "a \"title\""));
    }

    #[test]
    fn colours_of_the_cube_and_the_greys() {
        for (index, hex) in [(16, "#000000"), (110, "#87afd7"), (231, "#ffffff"), (232, "#080808"), (255, "#eeeeee")] {
            assert_eq!(Rgb::indexed(index).to_string(), hex);
        }
    }

    #[test]
    fn what_is_hidden_is_not_drawn_and_dim_is_paler() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 9, 1));
        buffer.set_string(0, 0, "secret", Style::new().add_modifier(Modifier::HIDDEN));
        buffer.set_string(7, 0, "x", Style::new().fg(Color::White).add_modifier(Modifier::DIM));
        let svg = draw(&Screen::new(buffer, None), "t");
        assert!(!svg.contains("secret"));
        assert!(svg.contains(&Rgb(255, 255, 255).towards(BACKGROUND).to_string()));
    }
}

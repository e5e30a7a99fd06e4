//! Draws a screen as SVG. The same screen gives the same bytes.
//!
//! Text runs have a length, so that columns align in any font. Lines, bars, and meters are shapes, because fonts draw
//! them differently. One path per color and one class per style keep a picture at a few KB.

use ratatui::style::Modifier;

use super::screen::{Glyph, Look, Screen};
use super::svg_color::{BACKGROUND, FOREGROUND, Rgb, colors};

/// Tenths of a pixel, from common fonts.
const COLUMN: u32 = 84;
/// Tenths of a pixel.
const LINE: u32 = 180;
/// From the top of a line, in tenths of a pixel.
const BASE: u32 = 132;
/// Tenths of a pixel.
const PADDING: u32 = 140;

/// In eighths of a line.
const BARS: &str = "▁▂▃▄▅▆▇█";

/// The title is the alternative text.
pub fn draw(screen: &Screen, title: &str) -> String {
    let (width, height) = (u32::from(screen.width()) * COLUMN, u32::from(screen.height()) * LINE);
    let (width, height) = (px(width + 2 * PADDING), px(height + 2 * PADDING));
    let ground = screen.glyphs(0).next().map_or(BACKGROUND, |glyph| colors(glyph.look).1);
    let mut image = Image { ground, ..Image::default() };
    for line in 0..screen.height() {
        image.backgrounds(screen, line);
        image.glyphs(screen, line);
    }
    image.grounds.iter_mut().chain(&mut image.shapes).for_each(Path::close);
    let cursor = screen.cursor().map(|cursor| {
        let path = rect(left(cursor.x), top(cursor.y), COLUMN, LINE);
        format!("<path d=\"{path}\" fill=\"{FOREGROUND}\" fill-opacity=\"0.5\"/>\n")
    });
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n"
    );
    out += &format!("<title>{}</title>\n<style>\n", escaped(title));
    out += "text{font:13.95px DejaVu Sans Mono,Menlo,Consolas,monospace;white-space:pre}\n";
    for (at, style) in image.styles.iter().enumerate() {
        out += &format!(".{}{{{style}}}\n", class(at));
    }
    out += &format!("</style>\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{ground}\"/>\n");
    for paths in [&image.grounds, &image.shapes] {
        for path in paths {
            out += &format!("<path d=\"{}\" {}/>\n", path.d, path.paint);
        }
    }
    out + &image.texts + &cursor.unwrap_or_default() + "</svg>\n"
}

/// `a`, `b`, … `z`, `aa`
fn class(number: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(number % 26).unwrap_or(0));
    if number < 26 { letter.to_string() } else { format!("{}{letter}", class(number / 26 - 1)) }
}

fn rect(x: u32, y: u32, width: u32, height: u32) -> String {
    let (x, y, width, height) = (px(x), px(y), px(width), px(height));
    format!("M{x} {y}h{width}v{height}h-{width}z")
}

fn left(column: u16) -> u32 {
    PADDING + u32::from(column) * COLUMN
}

fn top(line: u16) -> u32 {
    PADDING + u32::from(line) * LINE
}

fn px(tenths: u32) -> String {
    if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// Control characters never reach a screen.
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

#[derive(Default)]
struct Image {
    ground: Rgb,
    grounds: Vec<Path>,
    shapes: Vec<Path>,
    styles: Vec<String>,
    texts: String,
}

#[derive(Default)]
struct Path {
    paint: String,
    d: String,
    open: Option<(u32, u32, u32, u32)>,
}

impl Path {
    fn of(all: &mut Vec<Self>, paint: String) -> &mut Self {
        let at = all.iter().position(|path| path.paint == paint).unwrap_or_else(|| {
            all.push(Self { paint, ..Self::default() });
            all.len() - 1
        });
        &mut all[at]
    }

    fn close(&mut self) {
        if let Some((x, end, y, height)) = self.open.take() {
            self.d += &rect(x, y, end - x, height);
        }
    }

    fn rect(&mut self, x: u32, y: u32, width: u32, height: u32) {
        match &mut self.open {
            Some((_, end, top, tall)) if (*end, *top, *tall) == (x, y, height) => *end = x + width,
            _ => {
                self.close();
                self.open = Some((x, x + width, y, height));
            }
        }
    }
}

struct Run {
    column: u16,
    columns: u16,
    text: String,
    look: Look,
}

impl Image {
    fn rect(&mut self, x: u32, y: u32, width: u32, height: u32, fill: Rgb) {
        Path::of(&mut self.shapes, format!("fill=\"{fill}\"")).rect(x, y, width, height);
    }

    fn backgrounds(&mut self, screen: &Screen, line: u16) {
        let mut runs: Vec<(u16, u16, Rgb)> = Vec::new();
        for glyph in screen.glyphs(line) {
            let (end, bg) = (glyph.column + glyph.columns, colors(glyph.look).1);
            match runs.last_mut() {
                Some(last) if last.2 == bg => last.1 = end,
                _ => runs.push((glyph.column, end, bg)),
            }
        }
        let ground = self.ground;
        for (start, end, bg) in runs.into_iter().filter(|(_, _, bg)| *bg != ground) {
            let path = Path::of(&mut self.grounds, format!("fill=\"{bg}\""));
            path.rect(left(start), top(line), u32::from(end - start) * COLUMN, LINE);
        }
    }

    fn glyphs(&mut self, screen: &Screen, line: u16) {
        let mut run: Option<Run> = None;
        for glyph in screen.glyphs(line).filter(|glyph| !glyph.look.modifier.contains(Modifier::HIDDEN)) {
            let joins = glyph.text.is_ascii();
            // Restart text after a gap.
            if run.as_ref().is_some_and(|run| glyph.text != " " && run.text.ends_with("  ")) {
                self.run(run.take(), line);
            }
            if let Some(run) =
                run.as_mut().filter(|run| joins && run.look == glyph.look && run.column + run.columns == glyph.column)
            {
                run.text += glyph.text;
                run.columns += 1;
                continue;
            }
            self.run(run.take(), line);
            if joins {
                run = Some(Run { column: glyph.column, columns: 1, text: glyph.text.to_owned(), look: glyph.look });
            } else if !self.shape(&glyph, line) {
                let Glyph { column, columns, text, look } = glyph;
                self.run(Some(Run { column, columns, text: text.to_owned(), look }), line);
            }
        }
        self.run(run, line);
    }

    fn run(&mut self, run: Option<Run>, line: u16) {
        let Some(mut run) = run else { return };
        if !run.look.modifier.contains(Modifier::UNDERLINED) {
            let blanks = run.text.len() - run.text.trim_start().len();
            let blanks = u16::try_from(blanks).unwrap_or(0);
            (run.column, run.columns) = (run.column + blanks, run.columns - blanks);
            run.columns -= u16::try_from(run.text.len() - run.text.trim_end().len()).unwrap_or(0).min(run.columns);
            run.text = run.text.trim().to_owned();
        }
        if run.text.is_empty() {
            return;
        }
        let (x, y) = (px(left(run.column)), px(top(line) + BASE));
        let mut style = format!("fill:{}", colors(run.look).0);
        for (modifier, property) in [
            (Modifier::BOLD, ";font-weight:bold"),
            (Modifier::ITALIC, ";font-style:italic"),
            (Modifier::UNDERLINED, ";text-decoration:underline"),
            (Modifier::CROSSED_OUT, ";text-decoration:line-through"),
        ] {
            if run.look.modifier.contains(modifier) {
                style += property;
            }
        }
        let known = self.styles.iter().position(|known| *known == style);
        let class = class(known.unwrap_or(self.styles.len()));
        if known.is_none() {
            self.styles.push(style);
        }
        // A single symbol needs no length.
        let length = (run.columns > 1).then(|| format!(" textLength=\"{}\"", px(u32::from(run.columns) * COLUMN)));
        let (length, text) = (length.unwrap_or_default(), escaped(&run.text));
        self.texts += &format!("<text x=\"{x}\" y=\"{y}\"{length} class=\"{class}\">{text}</text>\n");
    }

    fn shape(&mut self, glyph: &Glyph<'_>, line: u16) -> bool {
        let (x, y, color) = (left(glyph.column), top(line), colors(glyph.look).0);
        let (middle_x, middle_y) = (x + COLUMN / 2, y + LINE / 2);
        let thin = 10;
        let (mut across, mut down) = (None, None);
        match glyph.text {
            "─" => across = Some((x, x + COLUMN)),
            "│" => down = Some((y, y + LINE)),
            "┌" => (across, down) = (Some((middle_x, x + COLUMN)), Some((middle_y, y + LINE))),
            "┐" => (across, down) = (Some((x, middle_x + thin)), Some((middle_y, y + LINE))),
            "└" => (across, down) = (Some((middle_x, x + COLUMN)), Some((y, middle_y + thin))),
            "┘" => (across, down) = (Some((x, middle_x + thin)), Some((y, middle_y + thin))),
            "┃" => self.rect(middle_x - thin, y, 3 * thin, LINE, color),
            "▌" => self.rect(x, y, COLUMN / 2, LINE, color),
            "┆" => {
                for part in 0..3 {
                    self.rect(middle_x, y + part * LINE / 3 + 10, thin, LINE / 3 - 20, color);
                }
            }
            "▰" | "▱" => {
                let paint = if glyph.text == "▰" {
                    format!("fill=\"{color}\"")
                } else {
                    format!("fill=\"none\" stroke=\"{color}\"")
                };
                let [a, b, c, d] = [x + 25, x + COLUMN - 4, x + COLUMN - 25, x + 4].map(px);
                let (upper, lower) = (px(y + 55), px(y + LINE - 50));
                let path = Path::of(&mut self.shapes, paint);
                path.d += &format!("M{a} {upper}H{b}L{c} {lower}H{d}Z");
            }
            text if BARS.contains(text) => {
                let eighths = u32::try_from(text.chars().next().map_or(0, |bar| bar as usize - '▁' as usize) + 1);
                let tall = LINE * eighths.unwrap_or(8) / 8;
                self.rect(x, y + LINE - tall, COLUMN, tall, color);
            }
            _ => return false,
        }
        if let Some((from, to)) = across {
            self.rect(from, middle_y, to - from, thin, color);
        }
        if let Some((from, to)) = down {
            self.rect(middle_x, from, thin, to - from, color);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::{Position, Rect};
    use ratatui::style::{Color, Style};

    use super::*;

    #[test]
    fn draws_text_colors_and_shapes() {
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
    fn what_is_hidden_is_not_drawn_and_dim_is_paler() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 9, 1));
        buffer.set_string(0, 0, "secret", Style::new().add_modifier(Modifier::HIDDEN));
        buffer.set_string(7, 0, "x", Style::new().fg(Color::White).add_modifier(Modifier::DIM));
        let svg = draw(&Screen::new(buffer, None), "t");
        assert!(!svg.contains("secret"));
        assert!(svg.contains(&Rgb(255, 255, 255).towards(BACKGROUND).to_string()));
    }
}

//! Named screens in the file next to a tape.
//!
//! `recordings/README.md` shows the format. A diff shows changed lines, and lost colors under `--- styles`.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::screen::Screen;
use config::Place;

/// A stored screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The name that the tape gives it.
    pub name: String,
    /// The location in the tape.
    pub at: Place,
    /// What the screen showed.
    pub screen: Screen,
}

/// A picture from a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The file next to the tape.
    pub file: String,
    /// The location in the tape.
    pub at: Place,
    /// What is in it.
    pub text: String,
}

/// The screens of a tape's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shots {
    sections: Vec<Section>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    name: String,
    about: String,
    lines: Vec<String>,
    styles: Vec<String>,
}

/// A screen and the file differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The name of the screen.
    pub name: String,
    /// `None` if not in the tape.
    pub at: Option<Place>,
    /// The description, in several lines.
    pub what: String,
}

const SHOWN: usize = 6;

impl Section {
    fn of(shot: &Shot) -> Self {
        let screen = &shot.screen;
        let mut about = format!("{}x{}", screen.width(), screen.height());
        if let Some(cursor) = screen.cursor() {
            let _ = write!(about, " cursor {},{}", cursor.x + 1, cursor.y + 1);
        }
        Self { name: shot.name.clone(), about, lines: screen.lines(), styles: screen.styles() }
    }
}

impl Shots {
    /// The screens of a tape in order.
    pub fn of(shots: &[Shot]) -> Self {
        Self { sections: shots.iter().map(Section::of).collect() }
    }

    /// Reads screens. Skips other text; the comparison reports missing parts.
    pub fn read(text: &str) -> Self {
        let mut sections = Vec::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let Some((name, about)) = line.strip_prefix("=== ").and_then(|head| head.split_once(' ')) else { continue };
            let height = about.split([' ', 'x']).nth(1).and_then(|height| height.parse().ok()).unwrap_or(0);
            // A screen line may look like a heading.
            let screen = lines.by_ref().take(height).map(str::to_owned).collect();
            let mut styles = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("=== ")) {
                if line.starts_with(|c: char| c.is_ascii_digit()) {
                    styles.push(line.to_owned());
                }
            }
            sections.push(Section { name: name.to_owned(), about: about.to_owned(), lines: screen, styles });
        }
        Self { sections }
    }

    /// The file for the tape with that name.
    pub fn text(&self, tape: &str) -> String {
        let mut text = format!("# The screens of {tape}, written by `kornsole play {tape} --update`.\n");
        for section in &self.sections {
            text += &format!("=== {} {}\n", section.name, section.about);
            for line in &section.lines {
                text += line;
                text.push('\n');
            }
            text += "--- styles\n";
            for line in &section.styles {
                text += line;
                text.push('\n');
            }
        }
        text
    }

    /// Whether no screen exists.
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// Ignores missing screens of an incomplete tape.
    pub fn compare(&self, shots: &[Shot], complete: bool) -> Vec<Difference> {
        let mut differences = Vec::new();
        for shot in shots {
            let actual = Section::of(shot);
            let what = match self.sections.iter().find(|section| section.name == shot.name) {
                None => Some("no screen of that name was recorded".to_owned()),
                Some(expected) if *expected == actual => None,
                Some(expected) => Some(difference(expected, &actual)),
            };
            let (name, at) = (shot.name.clone(), Some(shot.at));
            differences.extend(what.map(|what| Difference { name, at, what }));
        }
        if complete {
            let unused = self.sections.iter().filter(|section| !shots.iter().any(|shot| shot.name == section.name));
            differences.extend(unused.map(|section| Difference {
                name: section.name.clone(),
                at: None,
                what: "recorded, but the tape has no such snapshot".to_owned(),
            }));
        }
        differences
    }
}

fn difference(expected: &Section, actual: &Section) -> String {
    let mut message = Vec::new();
    if expected.about != actual.about {
        message.push(format!("  size    expected |{}\n          actual   |{}", expected.about, actual.about));
    }
    let texts = |section: &Section| -> Vec<(usize, String)> { (1..).zip(section.lines.iter().cloned()).collect() };
    let styles = |section: &Section| section.styles.iter().filter_map(|line| numbered(line)).collect::<Vec<_>>();
    differing("line  ", &texts(expected), &texts(actual), &mut message);
    differing("styles", &styles(expected), &styles(actual), &mut message);
    message.join("\n")
}

fn numbered(line: &str) -> Option<(usize, String)> {
    let (number, runs) = line.split_once(": ")?;
    Some((number.parse().ok()?, runs.to_owned()))
}

fn differing(label: &str, expected: &[(usize, String)], actual: &[(usize, String)], message: &mut Vec<String>) {
    let of = |lines: &[(usize, String)], number| {
        let found = lines.iter().find(|(line, _)| *line == number);
        found.map_or_else(|| " (none)".to_owned(), |(_, text)| format!("|{text}"))
    };
    let numbers: BTreeSet<usize> = expected.iter().chain(actual).map(|(number, _)| *number).collect();
    let mut pairs = numbers.into_iter().map(|number| (number, of(expected, number), of(actual, number)));
    let mut pairs = pairs.by_ref().filter(|(_, expected, actual)| expected != actual);
    for (number, expected, actual) in pairs.by_ref().take(SHOWN) {
        message.push(format!("  {label} {number:>3} expected {expected}\n             actual   {actual}"));
    }
    match pairs.count() {
        0 => {}
        more => message.push(format!("  {label} … {more} more differ")),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::{Position, Rect};
    use ratatui::style::{Color, Style};

    use super::*;

    fn shot(name: &str, lines: &[&str], color: Option<Color>) -> Shot {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 3));
        for (y, line) in (0..).zip(lines) {
            buffer.set_string(0, y, line, color.map_or(Style::new(), |color| Style::new().fg(color)));
        }
        let cursor = (name == "written").then_some(Position { x: 2, y: 1 });
        Shot { name: name.to_owned(), at: Place { line: 7, column: 1 }, screen: Screen::new(buffer, cursor) }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let tricky = ["=== trap 1x1", "--- styles", "1: 2-3 4"];
        let shots = [shot("home", &tricky, Some(Color::Indexed(3))), shot("written", &["a"], None)];
        let retained = Shots::of(&shots);
        assert_eq!(Shots::read(&retained.text("t.tape")), retained);
        assert!(retained.compare(&shots, true).is_empty());
    }

    #[test]
    fn a_lost_color_and_a_changed_word_are_reported() {
        let retained = Shots::of(&[shot("home", &["one", "two"], Some(Color::Indexed(110)))]);
        let now = [shot("home", &["one", "2"], Some(Color::Indexed(110)))];
        insta::assert_snapshot!(retained.compare(&now, true)[0].what, @r#"
        line     2 expected |two
                   actual   |2
        styles   2 expected |1-3 110
                   actual   |1 110
        "#);
        let now = [shot("home", &["one", "two"], None)];
        insta::assert_snapshot!(retained.compare(&now, true)[0].what, @r#"
        styles   1 expected |1-3 110
                   actual    (none)
        styles   2 expected |1-3 110
                   actual    (none)
        "#);
    }

    #[test]
    fn missing_and_unused_screens_are_reported() {
        let retained = Shots::of(&[shot("old", &["x"], None)]);
        let now = [shot("new", &["x"], None)];
        let message = |complete| -> Vec<(String, Option<u32>)> {
            let differences = retained.compare(&now, complete);
            differences.into_iter().map(|message| (message.name, message.at.map(|at| at.line))).collect()
        };
        assert_eq!(message(true), [("new".to_owned(), Some(7)), ("old".to_owned(), None)]);
        assert_eq!(message(false), [("new".to_owned(), Some(7))]);
    }

    #[test]
    fn nonsense_is_no_screen() {
        assert!(Shots::read("").is_empty());
        assert!(Shots::read("===\n=== \nx\n").is_empty());
        let cut = Shots::read("=== home 80x24\nonly one line");
        assert_eq!(cut.sections[0].lines, ["only one line"]);
    }
}

//! The start page: a list of what can be opened, each with a key.
//!
//! Invariants:
//! - nothing is contacted: the choices come from files and the environment;
//! - the first choice is preselected.

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::buffer::Buffer;

use crate::draw::pen::Pen;
use crate::shell::terminal::Screen;
use crate::state::Options;
use crate::theme::{Role, Theme};

/// A choice of the start page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// `None` beyond the ninth choice of a kind.
    pub key: Option<char>,
    /// Its heading, for example `Kubernetes contexts`.
    pub heading: &'static str,
    /// The context or file.
    pub name: String,
    /// Known data, for example an address or a directory.
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Stay,
    Quit,
    Open,
}

/// The index of the choice; `None` to quit.
///
/// # Errors
/// The terminal cannot be used.
pub fn choose(choices: &[Choice], options: &Options) -> std::io::Result<Option<usize>> {
    let theme = Theme::new(&options.themes, &options.theme, options.depth, options.ascii);
    let (mut screen, mut cursor) = (Screen::take()?, 0);
    loop {
        screen.draw(|frame| render(choices, cursor, &theme, frame.buffer_mut()))?;
        let Event::Key(key) = crossterm::event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        let interrupted = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
        match if interrupted { Outcome::Quit } else { press(choices, &mut cursor, key.code) } {
            Outcome::Stay => {}
            Outcome::Quit => return Ok(None),
            Outcome::Open => return Ok(Some(cursor)),
        }
    }
}

fn press(choices: &[Choice], cursor: &mut usize, key: KeyCode) -> Outcome {
    let last = choices.len().saturating_sub(1);
    match key {
        KeyCode::Down | KeyCode::Char('j') => *cursor = (*cursor + 1).min(last),
        KeyCode::Up | KeyCode::Char('k') => *cursor = cursor.saturating_sub(1),
        KeyCode::Home | KeyCode::Char('g') => *cursor = 0,
        KeyCode::End | KeyCode::Char('G') => *cursor = last,
        KeyCode::Enter if !choices.is_empty() => return Outcome::Open,
        KeyCode::Char('q') | KeyCode::Esc => return Outcome::Quit,
        KeyCode::Char(pressed) => {
            let Some(at) = choices.iter().position(|choice| choice.key == Some(pressed)) else { return Outcome::Stay };
            *cursor = at;
            return Outcome::Open;
        }
        _ => {}
    }
    Outcome::Stay
}

fn lines(choices: &[Choice]) -> Vec<Result<usize, &'static str>> {
    let mut lines = Vec::new();
    for (at, choice) in choices.iter().enumerate() {
        if at == 0 || choices[at - 1].heading != choice.heading {
            lines.push(Err(choice.heading));
        }
        lines.push(Ok(at));
    }
    lines
}

fn render(choices: &[Choice], cursor: usize, theme: &Theme, buffer: &mut Buffer) {
    let area = *buffer.area();
    let (width, height) = (area.width, area.height);
    let mut pen = Pen::new(buffer, theme);
    pen.text(1, 0, width, "kornsole: open a scheduler", Role::Title);
    let space = usize::from(height.saturating_sub(4));
    let lines = lines(choices);
    let at = lines.iter().position(|line| *line == Ok(cursor)).unwrap_or_default();
    let first = (at + 1).saturating_sub(space);
    let names = choices.iter().map(|choice| choice.name.chars().count()).max().unwrap_or_default();
    let column = u16::try_from(names.min(40)).unwrap_or(40) + 8;
    for (y, line) in (2..).zip(lines.iter().skip(first).take(space)) {
        match line {
            Err(heading) => {
                pen.text(1, y, width, heading, Role::Dim);
            }
            Ok(index) => {
                let choice = &choices[*index];
                let role = if *index == cursor { Role::Strong } else { Role::Text };
                let mark = if *index == cursor { ">" } else { " " };
                let key = choice.key.map_or_else(|| " ".to_owned(), String::from);
                pen.text(1, y, 6, &format!("{mark} {key}"), role);
                pen.text(6, y, column.saturating_sub(7), &choice.name, role);
                pen.text(column, y, width.saturating_sub(column), &choice.detail, Role::Dim);
            }
        }
    }
    let keys = "enter open   j k select   q quit";
    pen.text(1, height.saturating_sub(1), width, keys, Role::Dim);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices() -> Vec<Choice> {
        let choice = |key, heading, name: &str| Choice { key, heading, name: name.into(), detail: "detail".into() };
        let contexts = (1..=12).map(|n| choice(char::from_digit(n, 10), "Kubernetes contexts", &format!("k8s://c{n}")));
        contexts.chain([choice(Some('d'), "Without a cluster", "demo")]).collect()
    }

    fn screen(cursor: usize, width: u16, height: u16) -> Vec<String> {
        let options = Options::default();
        let theme = Theme::new(&options.themes, &options.theme, options.depth, true);
        let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, width, height));
        render(&choices(), cursor, &theme, &mut buffer);
        let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(line).collect()
    }

    #[test]
    fn every_choice_is_reached_by_its_key_or_the_cursor() {
        let (choices, mut cursor) = (choices(), 0);
        assert_eq!(press(&choices, &mut cursor, KeyCode::Enter), Outcome::Open);
        assert_eq!(press(&choices, &mut cursor, KeyCode::Char('d')), Outcome::Open);
        assert_eq!(cursor, 12);
        assert_eq!(press(&choices, &mut cursor, KeyCode::Down), Outcome::Stay);
        assert_eq!(cursor, 12, "the last choice is the end");
        assert_eq!(press(&choices, &mut cursor, KeyCode::Char('x')), Outcome::Stay);
        assert_eq!(press(&choices, &mut cursor, KeyCode::Esc), Outcome::Quit);
        assert_eq!(press(&[], &mut cursor, KeyCode::Enter), Outcome::Stay, "an empty list opens nothing");
    }

    #[test]
    fn the_selected_choice_is_on_the_screen_at_every_size() {
        for (width, height) in [(80, 24), (40, 8), (120, 40)] {
            for cursor in 0..choices().len() {
                let shown = screen(cursor, width, height);
                let name = choices()[cursor].name.clone();
                assert!(shown.iter().any(|line| line.starts_with(" > ") && line.contains(&name)), "{shown:#?}");
                assert!(shown[usize::from(height) - 1].contains("q quit"), "{shown:#?}");
            }
        }
    }

    #[test]
    fn a_heading_is_written_once() {
        let shown = screen(0, 80, 24);
        assert_eq!(shown.iter().filter(|line| line.contains("Kubernetes contexts")).count(), 1, "{shown:#?}");
    }
}

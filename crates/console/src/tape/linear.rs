//! A tape in linear mode: lines of text instead of the screen.
//!
//! Expected words are expected in the lines too: see [`Wanted`].

use super::file::Pattern;
use crate::linear;
use crate::linear::plain;
use crate::state::State;
use config::Place;

/// The lines at a time of a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reporting {
    /// The name of the snapshot, or `the end`.
    pub name: String,
    /// The line of the tape.
    pub at: Place,
    /// All lines: location, layers, page, last messages.
    pub lines: Vec<String>,
}

/// The lines while a tape is played, if enabled.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    on: bool,
    /// The lines at snapshots and at the end.
    pub sayings: Vec<Reporting>,
    unsaid: Vec<(Place, String)>,
}

impl Lines {
    /// Enables or disables linear mode.
    pub fn new(on: bool) -> Self {
        Self { on, ..Self::default() }
    }

    /// Checks that the lines contain a pattern.
    pub fn expect(&mut self, state: &State, pattern: &Pattern, at: Place) {
        let wanted = Wanted::of(pattern);
        if self.on && wanted != Wanted::Nothing && !wanted.is_in(&reported(state)) {
            self.unsaid.push((at, pattern.to_string()));
        }
    }

    /// Checks for plain words.
    ///
    /// # Errors
    /// The other line.
    pub fn look(&self, state: &State) -> Result<(), String> {
        if !self.on {
            return Ok(());
        }
        not_plain(&reported(state)).map_or(Ok(()), |line| Err(format!("linear mode draws: {line}")))
    }

    /// Stores the lines under a name.
    pub fn keep(&mut self, state: &State, name: &str, at: Place) {
        if self.on {
            self.sayings.push(Reporting { name: name.to_owned(), at, lines: reported(state) });
        }
    }

    /// Checks expected texts.
    ///
    /// # Errors
    /// The first step, and all missing texts.
    pub fn all_reported(&self) -> Result<(), (Place, String)> {
        let Some((at, _)) = self.unsaid.first() else { return Ok(()) };
        let each = |(at, pattern): &(Place, String)| format!("\n  line {}: {pattern}", at.line);
        let all: String = self.unsaid.iter().map(each).collect();
        Err((*at, format!("linear mode does not show the expected text of the screen:{all}")))
    }
}

/// All lines of a state.
pub fn reported(state: &State) -> Vec<String> {
    let mut state = state.clone();
    (state.options.linear, state.wide) = (true, true);
    linear::all(&state)
}

/// The first line with a control character or drawing symbol.
pub fn not_plain(lines: &[String]) -> Option<&String> {
    let drawn = |line: &str| {
        let written = line.match_indices("\\u{").any(|(at, found)| {
            let digits: String = line[at + found.len()..].chars().take_while(char::is_ascii_hexdigit).collect();
            u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).is_some_and(plain::is_drawn)
        });
        written || line.chars().any(|c| c.is_control() || plain::is_drawn(c))
    };
    lines.iter().find(|line| drawn(line))
}

/// What applies to linear mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// These words in one line.
    Words(String),
    /// Nothing: it concerns the drawing.
    Nothing,
}

impl Wanted {
    /// A text with a letter or digit and no drawing symbol applies. A regular expression concerns screen columns.
    pub fn of(pattern: &Pattern) -> Self {
        match pattern {
            Pattern::Text(text) if text.chars().any(char::is_alphanumeric) && !text.chars().any(plain::is_drawn) => {
                Self::Words(folded(text))
            }
            _ => Self::Nothing,
        }
    }

    /// Ignores case, blanks, and punctuation.
    pub fn is_in(&self, lines: &[String]) -> bool {
        match self {
            Self::Words(words) => lines.iter().any(|line| folded(line).contains(words.as_str())),
            Self::Nothing => true,
        }
    }
}

/// Folds to lower-case letters and digits, one blank between words.
fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_drawings_are_not() {
        let text = |text: &str| Wanted::of(&Pattern::Text(text.to_owned()));
        assert_eq!(text("┌─ Help"), Wanted::Nothing);
        assert_eq!(text(" · "), Wanted::Nothing);
        assert_eq!(text("4 of  4 cpu"), Wanted::Words("4 of 4 cpu".to_owned()));
        assert!(text("4 of 4 cpu").is_in(&["Cluster: 4 of 4 CPU, used".to_owned()]));
        assert!(!text("5 of 4 cpu").is_in(&["4 of 4 cpu".to_owned()]));
    }

    #[test]
    fn a_drawing_symbol_is_also_found_if_it_is_escaped() {
        assert_eq!(not_plain(&["a".to_owned(), "\\u{2588}".to_owned()]), Some(&"\\u{2588}".to_owned()));
        assert_eq!(not_plain(&["\\u{202e} is a name".to_owned()]), None);
        assert_eq!(not_plain(&["▌".to_owned()]), Some(&"▌".to_owned()));
    }
}

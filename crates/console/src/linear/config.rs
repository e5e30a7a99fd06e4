//! The configuration in lines.

use crate::linear::plain;
use crate::linear::plain::WIDTH;
use crate::present::config_pane;
use crate::state::State;
use crate::state::config::ConfigPage;

/// The lines of the page.
pub fn lines(state: &State, page: &ConfigPage) -> Vec<String> {
    let mut lines = plain::lines(&config_pane::content(state, page, WIDTH));
    lines.push(format!("The text, {} lines; line N TEXT, insert N TEXT, delete N edit it:", page.buffer.lines().len()));
    lines.extend(page.buffer.lines().iter().enumerate().map(|(at, line)| numbered(at + 1, line)));
    lines
}

/// A line with its number and indentation.
pub fn numbered(number: usize, line: &str) -> String {
    let reported = plain::text(line);
    let indent = line.len() - line.trim_start_matches(' ').len();
    match (reported.is_empty(), indent) {
        (true, _) => format!("line {number}: empty"),
        (false, 0) => format!("line {number}: {reported}"),
        (false, _) => format!("line {number}, indent {indent}: {reported}"),
    }
}

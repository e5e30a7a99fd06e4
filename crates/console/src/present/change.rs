//! A form on one queue: fields, then errors, or the changes with their effects.

use ratatui::layout::Rect;

use crate::present::config_pane;
use crate::present::config_pane::wrapped;
use crate::present::form::{Entry, Fields};
use crate::present::pieces;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::state::change::{ChangeField, ChangePage, Kind, Problem};
use crate::theme::Role;

const SIDE_BY_SIDE: usize = 98;

/// The fields of the form.
pub fn fields(page: &ChangePage, writing: bool) -> Fields<'_> {
    let entries = page.fields.iter().map(|field| {
        let ChangeField { label, hint, line, was, .. } = field;
        Entry { label, hint, line, changed: field.changed(), was }
    });
    Fields { entries: entries.collect(), here: page.field, writing, suggestion: &page.suggestion }
}

/// The number of lines, and the number that fits.
pub fn extent(page: &ChangePage, area: Rect) -> (usize, usize) {
    let below = fields(page, false).below(area);
    (content(page, usize::from(below.width)).len(), usize::from(below.height))
}

/// All lines of the page including the form.
pub fn lines(page: &ChangePage, width: usize) -> Lines {
    let mut lines = fields(page, false).lines();
    lines.push(Vec::new());
    lines.extend(content(page, width));
    lines
}

/// The facts for the second line.
pub fn facts(page: &ChangePage) -> Vec<Vec<Piece>> {
    let drafted = &page.drafted;
    let state = if page.applying.is_some() {
        piece(Role::StateWaiting, "being applied")
    } else if drafted.problem.is_some() || drafted.checked.errors() > 0 {
        piece(Role::Error, "cannot be applied")
    } else if drafted.checked.refused.is_some() {
        piece(Role::Warning, "would be rejected")
    } else if drafted.checked.differs {
        piece(Role::StateWaiting, "not applied")
    } else {
        dim("nothing changed")
    };
    let revision = drafted.base.as_ref().map(|base| vec![dim(format!("on revision {}", base.revision))]);
    revision.into_iter().chain([vec![state]]).collect()
}

/// The content below the form.
pub fn content(page: &ChangePage, width: usize) -> Lines {
    let drafted = &page.drafted;
    let mut lines = Lines::new();
    match (&drafted.problem, &drafted.text) {
        (Some(Problem::Field(report)), _) => wrapped(&mut lines, 0, report, width, Role::Warning),
        (Some(Problem::Text(fault)), _) => {
            let place = match fault.at.line {
                0 => String::new(),
                line => format!("{line}:{} ", fault.at.column),
            };
            wrapped(&mut lines, 0, &format!("{place}{} {}", fault.code, fault.message), width, Role::Error);
            wrapped(&mut lines, 2, &fault.hint, width, Role::Dim);
        }
        (None, Some(text)) => {
            wrapped(&mut lines, 0, &drafted.note, width, Role::Dim);
            config_pane::faults(&mut lines, &drafted.checked, width);
            if let Some(why) = &drafted.checked.refused {
                wrapped(&mut lines, 0, &format!("it would be rejected: {why}"), width, Role::Warning);
            }
            if !lines.is_empty() {
                lines.push(Vec::new());
            }
            let base = drafted.base.as_ref().map_or("", |base| &*base.text);
            lines.extend(meaning_and_lines(page, base, text, width));
        }
        (None, None) if page.looking => lines.push(vec![dim("checking")]),
        (None, None) => lines.push(vec![dim(nothing_yet(page.kind))]),
    }
    lines
}

fn nothing_yet(kind: Kind) -> &'static str {
    match kind {
        Kind::Max | Kind::Guaranteed => "write the new values; an empty field removes the value",
        Kind::Property => "write a property and its value",
        Kind::Child => "write the name of the new queue",
        Kind::Limit => "write users or groups; a limit with the same names is changed, otherwise a limit is added",
        Kind::Remove => "checking",
    }
}

fn meaning_and_lines(page: &ChangePage, old: &str, new: &str, width: usize) -> Lines {
    let columns = width >= SIDE_BY_SIDE;
    let half = if columns { width / 2 - 2 } else { width };
    let mut left = Lines::new();
    let mut right = vec![vec![piece(Role::Title, "the lines that differ")]];
    config_pane::difference(&mut right, old, new, half);
    if page.drafted.checked.config.is_none() {
        return right;
    }
    config_pane::changes(&mut left, &page.drafted.checked, half);
    if !columns {
        left.push(Vec::new());
        left.extend(right);
        return left;
    }
    let tall = left.len().max(right.len());
    (0..tall).map(|at| side_by_side(left.get(at), right.get(at), half)).collect()
}

fn side_by_side(left: Option<&Vec<Piece>>, right: Option<&Vec<Piece>>, half: usize) -> Vec<Piece> {
    let mut line = left.cloned().unwrap_or_default();
    let pad = (half + 4).saturating_sub(pieces::width(&line));
    line.push(plain(" ".repeat(pad)));
    let Some(right) = right else { return line };
    let mut space = half;
    for piece in right {
        let shown = text::cut(&text::escape(&piece.text), space, "").into_owned();
        space = space.saturating_sub(text::width(&shown));
        line.push(Piece { text: shown.into(), role: piece.role });
    }
    line
}

//! The last line: hints, or what is being said, or what is being written. Over it, the completions of a command line.
//!
//! ```text
//!  ────────────────────────────────────────────────────────────
//!    sort COLUMN        Sort by a column; again to turn it round
//! ▌  sort queue                                                     chosen
//!  :sort qu▁eue                                                     what is written, its completion dim
//! ```
//!
//! Hints are cut at the width, nearest context first; the way back and the one for help are always there.

use ratatui::layout::{Position, Rect};

use crate::console::draw::pen::Pen;
use crate::console::present::hints;
use crate::console::present::layout::Regions;
use crate::console::present::lists;
use crate::console::present::overlay;
use crate::console::present::page::Present;
use crate::console::present::pieces;
use crate::console::present::pieces::{Piece, dim, piece, plain};
use crate::console::present::text;
use crate::console::state::layer::{CommandLine, Layer, Off};
use crate::console::state::line_edit::LineEdit;
use crate::console::state::page::{Page, each_page};
use crate::console::state::{State, Toast};
use crate::console::theme::{Role, Signs};

/// Hints that stay when others go.
const KEPT: [&str; 2] = ["help", "back"];
/// The most lines for what is said just now.
const TOAST_LINES: usize = 3;
/// The most completions on the screen.
const COMPLETIONS: u16 = 10;

/// Draws the last line. Gives the place of the text cursor, if something is being written.
pub fn draw(pen: &mut Pen<'_>, state: &State, regions: &Regions) -> Option<Position> {
    let area = regions.bottom;
    match state.layers.last() {
        Some(Layer::Command(command)) => {
            completions(pen, command, area);
            return Some(command_line(pen, command, area));
        }
        Some(Layer::Filter { line }) => {
            let said = shown(state, pen.signs());
            let wide = u16::try_from(pieces::width(&said)).unwrap_or(0).min(area.width / 2);
            pen.pieces_right(area.right() - wide - 1, area.y, wide, &said);
            return Some(input(pen, Rect { width: area.width - wide - 2, ..area }, "/", line, None));
        }
        Some(Layer::Reason { line }) => return Some(input(pen, area, "reason: ", line, None)),
        _ => {}
    }
    if let Some(toast) = &state.toast {
        said(pen, state, toast, area);
        return None;
    }
    hints(pen, state, area);
    None
}

/// The first line that the bottom of the screen takes: something long that is said just now takes lines above the last one.
pub fn top(state: &State, signs: &Signs, area: Rect) -> u16 {
    let writing = matches!(state.layers.last(), Some(Layer::Command(_) | Layer::Filter { .. } | Layer::Reason { .. }));
    let tall = state.toast.as_ref().filter(|_| !writing).map_or(1, |toast| lines_of(toast, signs, area.width).len());
    (area.y + 1).saturating_sub(u16::try_from(tall).unwrap_or(1))
}

/// The columns of the sign before what is said.
fn sign_columns(toast: &Toast, signs: &Signs) -> u16 {
    u16::try_from(text::width(overlay::grade(toast.grade, signs).0) + 1).unwrap_or(2)
}

/// What is said, in as many lines as it takes and may take.
fn lines_of(toast: &Toast, signs: &Signs, width: u16) -> Vec<String> {
    let room = usize::from(width.saturating_sub(sign_columns(toast, signs) + 2));
    let mut lines = text::wrap(&text::escape(&toast.text), room);
    if lines.len() > TOAST_LINES {
        let rest = lines.split_off(TOAST_LINES - 1).join(" ");
        lines.push(text::cut(&rest, room, signs.ellipsis).into_owned());
    }
    lines
}

/// What is said just now; what is too long for the line takes some above it.
fn said(pen: &mut Pen<'_>, state: &State, toast: &Toast, area: Rect) {
    let (sign, role) = overlay::grade(toast.grade, pen.signs());
    let column = sign_columns(toast, pen.signs());
    let lines = lines_of(toast, pen.signs(), area.width);
    let top = top(state, pen.signs(), area);
    if top < area.y {
        pen.clear(Rect { y: top, height: area.y + 1 - top, ..area });
    }
    let room = area.width.saturating_sub(column + 2);
    for (y, line) in (top..=area.y).zip(&lines) {
        let sign = if y == top { sign } else { "" };
        pen.text(area.x + 1, y, column, sign, role);
        pen.text(area.x + 1 + column, y, room, line, role);
    }
}

/// What the filter that is being written lets through.
fn shown(state: &State, signs: &Signs) -> Vec<Piece> {
    let Some(list) = state.page().list().filter(|_| state.layers.len() == 1) else { return Vec::new() };
    let (rows, total) = (each_page!(state.page(), page => page.passed()).unwrap_or(list.rows()), list.total());
    let rows = if lists::is_awaited(state) { signs.ellipsis.to_owned() } else { rows.to_string() };
    let mut pieces = vec![plain(format!("{rows} of {total}"))];
    for (key, word) in hints::hints(state) {
        pieces.extend([plain("  "), piece(Role::HintKey, key), piece(Role::HintText, format!(" {word}"))]);
    }
    pieces
}

fn hints(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let room = usize::from(area.width).saturating_sub(2);
    let as_pieces = |(key, word): &(String, &str)| {
        vec![piece(Role::HintKey, key.clone()), piece(Role::HintText, format!(" {word}"))]
    };
    let all = hints::hints(state);
    let (kept, others): (Vec<_>, Vec<_>) = all.iter().partition(|(_, word)| KEPT.contains(word));
    let kept: Vec<Vec<Piece>> = kept.into_iter().rev().map(as_pieces).collect();
    let kept: Vec<Piece> = kept.join(&plain("  "));
    let mut line: Vec<Piece> = Vec::new();
    for hint in others {
        let hint = as_pieces(hint);
        if pieces::width(&line) + pieces::width(&hint) + 2 + pieces::width(&kept) > room {
            break;
        }
        line.extend(hint);
        line.push(plain("  "));
    }
    line.extend(kept);
    pen.pieces(area.x + 1, area.y, area.width - 2, &line);
}

fn command_line(pen: &mut Pen<'_>, command: &CommandLine, area: Rect) -> Position {
    let ghost = hints::ghost(command);
    if command.line.text().is_empty() {
        let words = "a command; tab completes, enter runs, esc leaves";
        pen.text(area.x + 3, area.y, area.width - 4, words, Role::Ghost);
    }
    input(pen, area, ":", &command.line, ghost)
}

/// A text being written behind a sign, scrolled so that the cursor is in kind.
fn input(pen: &mut Pen<'_>, area: Rect, sign: &str, line: &LineEdit, ghost: Option<&str>) -> Position {
    let sign_width = pen.text(area.x + 1, area.y, area.width, sign, Role::Accent);
    let room = usize::from(area.width.saturating_sub(sign_width + 3));
    let before = text::escape(line.before());
    let shown_before = text::cut_start(&before, room, pen.signs().ellipsis);
    let mut x = area.x + 1 + sign_width;
    let right = area.right() - 1;
    let place = |x: u16| Position { x: x.min(right), y: area.y };
    x += pen.text(x, area.y, right.saturating_sub(x), &shown_before, Role::Strong);
    let cursor = place(x);
    let after = &line.text()[line.before().len()..];
    x += pen.text(x, area.y, right.saturating_sub(x), after, Role::Strong);
    if let Some(ghost) = ghost.filter(|_| after.is_empty()) {
        pen.text(x, area.y, right.saturating_sub(x), ghost, Role::Ghost);
    }
    cursor
}

fn completions(pen: &mut Pen<'_>, command: &CommandLine, area: Rect) {
    let len = command.candidates.len();
    let tall = u16::try_from(len).unwrap_or(u16::MAX).min(COMPLETIONS).min(area.y.saturating_sub(4));
    if tall == 0 {
        return;
    }
    let top = command.chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(usize::from(tall)));
    let list = Rect { y: area.y - tall, height: tall, ..area };
    pen.clear(Rect { y: list.y - 1, height: tall + 1, ..area });
    pen.line(list.x + 1, list.y - 1, list.width - 2);
    if len > usize::from(tall) {
        let more = format!(" {} of {len} ", tall);
        let wide = u16::try_from(more.len()).unwrap_or(0);
        pen.over(list.right().saturating_sub(wide + 3), list.y - 1, wide, &more, Role::Dim);
    }
    let longest =
        command.candidates.iter().map(|candidate| text::width(&text::escape(&candidate.word))).max().unwrap_or(0);
    let column = u16::try_from(longest + 3).unwrap_or(u16::MAX).min(list.width.saturating_sub(4));
    for (y, (index, candidate)) in (list.top()..list.bottom()).zip(command.candidates.iter().enumerate().skip(top)) {
        let role = if candidate.off.is_some() { Role::Dim } else { Role::Text };
        pen.text(list.x + 3, y, column.saturating_sub(2), &candidate.word, role);
        let key_width = u16::try_from(candidate.key.len()).unwrap_or(0);
        let doc_x = list.x + 3 + column;
        let room = list.right().saturating_sub(doc_x + key_width + 3);
        match &candidate.off {
            Some(Off::Off(why)) => pen.pieces(doc_x, y, room, &[piece(Role::Warning, "off: "), dim(why.clone())]),
            Some(Off::Refused(why)) => {
                pen.pieces(doc_x, y, room, &[piece(Role::Warning, "would be refused: "), dim(why.clone())])
            }
            None => pen.text(doc_x, y, room, &candidate.doc, Role::Dim),
        };
        pen.text(list.right().saturating_sub(key_width + 2), y, key_width, &candidate.key, Role::HintKey);
        if command.chosen == Some(index) {
            pen.style(Rect { y, height: 1, ..list }, Role::Selection);
            pen.text(list.x, y, 1, pen.signs().bar, Role::SelectionBar);
        }
    }
}

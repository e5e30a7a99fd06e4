//! The last line: hints, a message, or a text input, with completions above it.
//!
//! Hints are cut, nearest context first; next page, command line, exit, and help remain.

use ratatui::layout::{Position, Rect};

use crate::draw::pen::Pen;
use crate::present::hints;
use crate::present::hints::Hint;
use crate::present::layout::Regions;
use crate::present::lists;
use crate::present::page::Present;
use crate::present::pieces;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::reported;
use crate::present::text;
use crate::state::State;
use crate::state::layer::{CommandLine, Layer, Off};
use crate::state::line_edit::LineEdit;
use crate::state::page::{Page, each_page};
use crate::theme::{Role, Symbols};

const COMPLETIONS: u16 = 10;

/// Returns the position of the text cursor.
pub fn draw(pen: &mut Pen<'_>, state: &State, regions: &Regions) -> Option<Position> {
    let area = regions.bottom;
    reported(pen, state, regions);
    match state.layers.last() {
        Some(Layer::Command(command)) => {
            completions(pen, command, area);
            return Some(command_line(pen, command, area));
        }
        Some(Layer::Filter { line }) => {
            let reported = shown(state, pen.symbols());
            let wide = u16::try_from(pieces::width(&reported)).unwrap_or(0).min(area.width / 2);
            pen.pieces_right(area.right() - wide - 1, area.y, wide, &reported);
            return Some(input(pen, Rect { width: area.width - wide - 2, ..area }, "/", line, None));
        }
        Some(Layer::Reason { line }) => return Some(input(pen, area, "reason: ", line, None)),
        _ => {}
    }
    if state.toast.is_none() {
        hints(pen, state, area);
    }
    None
}

fn reported(pen: &mut Pen<'_>, state: &State, regions: &Regions) {
    let Rect { x, y, width, .. } = regions.reported;
    let notice = reported::notice(state);
    pen.lines(Rect { height: u16::try_from(notice.len()).unwrap_or(0), ..regions.reported }, &notice, 0);
    let Some((symbol, role, lines)) = reported::toast(state) else { return };
    let top = y + u16::try_from(notice.len()).unwrap_or(0);
    let column = u16::try_from(text::width(symbol) + 1).unwrap_or(2);
    for (at, (y, line)) in (top..=regions.bottom.y).zip(&lines).enumerate() {
        pen.text(x + 1, y, column, if at == 0 { symbol } else { "" }, role);
        pen.text(x + 1 + column, y, width.saturating_sub(column + 2), line, role);
    }
}

fn shown(state: &State, symbols: &Symbols) -> Vec<Piece> {
    let Some(list) = state.page().list().filter(|_| state.layers.len() == 1) else { return Vec::new() };
    let (rows, total) = (each_page!(state.page(), page => page.passed()).unwrap_or(list.rows()), list.total());
    let rows = if lists::is_awaited(state) { symbols.ellipsis.to_owned() } else { rows.to_string() };
    let mut pieces = vec![plain(format!("{rows} of {total}"))];
    for hint in hints::hints(state) {
        pieces.push(plain("  "));
        pieces.extend(hint_pieces(&hint));
    }
    pieces
}

fn hint_pieces(hint: &Hint) -> [Piece; 2] {
    let role = if hint.first { Role::Text } else { Role::HintText };
    [piece(Role::HintKey, hint.key.clone()), piece(role, format!(" {}", hint.word))]
}

fn hints(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let space = usize::from(area.width).saturating_sub(2);
    let (retained, others): (Vec<Hint>, Vec<Hint>) = hints::hints(state).into_iter().partition(|hint| hint.stays);
    let retained: Vec<Vec<Piece>> = retained.iter().map(|hint| hint_pieces(hint).to_vec()).collect();
    let retained: Vec<Piece> = retained.join(&plain("  "));
    let mut line: Vec<Piece> = Vec::new();
    if others.first().is_some_and(|hint| hint.first) {
        line.push(dim("Try: "));
    }
    for hint in others {
        let hint = hint_pieces(&hint);
        if pieces::width(&line) + pieces::width(&hint) + 2 + pieces::width(&retained) > space {
            break;
        }
        line.extend(hint);
        line.push(plain("  "));
    }
    line.extend(retained);
    pen.pieces(area.x + 1, area.y, area.width - 2, &line);
}

fn command_line(pen: &mut Pen<'_>, command: &CommandLine, area: Rect) -> Position {
    let ghost = hints::ghost(command);
    if command.line.text().is_empty() {
        let words = "a command; tab completes, enter runs, esc cancels";
        pen.text(area.x + 3, area.y, area.width - 4, words, Role::Ghost);
    }
    input(pen, area, ":", &command.line, ghost)
}

fn input(pen: &mut Pen<'_>, area: Rect, symbol: &str, line: &LineEdit, ghost: Option<&str>) -> Position {
    let symbol_width = pen.text(area.x + 1, area.y, area.width, symbol, Role::Accent);
    let space = usize::from(area.width.saturating_sub(symbol_width + 3));
    let before = text::escape(line.before());
    let shown_before = text::cut_start(&before, space, pen.symbols().ellipsis);
    let mut x = area.x + 1 + symbol_width;
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
        let space = list.right().saturating_sub(doc_x + key_width + 3);
        match &candidate.off {
            Some(Off::Off(why)) => pen.pieces(doc_x, y, space, &[piece(Role::Warning, "off: "), dim(why.clone())]),
            Some(Off::Refused(why)) => {
                pen.pieces(doc_x, y, space, &[piece(Role::Warning, "would be rejected: "), dim(why.clone())])
            }
            None => pen.text(doc_x, y, space, &candidate.doc, Role::Dim),
        };
        pen.text(list.right().saturating_sub(key_width + 2), y, key_width, &candidate.key, Role::HintKey);
        if command.chosen == Some(index) {
            pen.style(Rect { y, height: 1, ..list }, Role::Selection);
            pen.text(list.x, y, 1, pen.symbols().bar, Role::SelectionBar);
        }
    }
}

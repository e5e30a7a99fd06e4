//! The configuration page: numbered, colored text with errors such as CFG-021, and the consequences of an edit. Below
//! 100 columns a key swaps them.

use ratatui::layout::{Position, Rect};

use crate::draw::pen::Pen;
use crate::present::config::{Parts, parts, place_of};
use crate::present::config_pane;
use crate::present::layout::Regions;
use crate::present::pieces::{piece, plain};
use crate::present::text;
use crate::present::yaml_syntax::{Kind, tokens};
use crate::state::State;
use crate::state::config::ConfigPage;
use crate::state::layer::Layer;
use crate::state::page::Page;
use crate::theme::Role;
use config::{Fault, Severity};

const COMPLETIONS: usize = 7;

/// Draws the page.
pub fn draw(pen: &mut Pen<'_>, state: &State, page: &ConfigPage, regions: &Regions) {
    if let Some(pane) = regions.pane {
        pen.wall(pane.border);
        draw_side(pen, state, page, pane.area);
    } else if page.swapped {
        let area = Rect { x: regions.rows.x + 1, width: regions.rows.width.saturating_sub(2), ..regions.rows };
        return draw_side(pen, state, page, area);
    }
    if page.base.is_none() {
        let words = match state.cluster.until() {
            Some(_) => "The active configuration of that time is unknown.",
            None => "The active configuration is not available.",
        };
        pen.text(regions.rows.x + 3, regions.rows.y + 2, regions.rows.width.saturating_sub(4), words, Role::Dim);
        return;
    }
    let parts = parts(page, regions.rows);
    lines(pen, state, page, parts);
    draw_faults(pen, page, parts.faults);
}

fn draw_side(pen: &mut Pen<'_>, state: &State, page: &ConfigPage, area: Rect) {
    let lines = config_pane::content(state, page, usize::from(area.width));
    let space = usize::from(area.height);
    let top = page.side_top.min(lines.len().saturating_sub(space));
    pen.scrolled(area, &lines, top);
}

fn rows(page: &ConfigPage, height: u16) -> impl Iterator<Item = usize> + '_ {
    let len = page.buffer.lines().len();
    let first = page.top.min(len.saturating_sub(1));
    std::iter::successors(Some(first), move |row| page.buffer.folds.next(*row, len)).take(usize::from(height))
}

fn lines(pen: &mut Pen<'_>, state: &State, page: &ConfigPage, parts: Parts) {
    let Parts { text: area, gutter, .. } = parts;
    let (cursor, _) = page.buffer.cursor();
    let writing = matches!(state.layers.last(), Some(Layer::Edit));
    for (y, row) in (area.top()..area.bottom()).zip(rows(page, area.height)) {
        let number = format!("{:>width$}", row + 1, width = usize::from(gutter) - 3);
        pen.text(area.x + 1, y, gutter - 3, &number, if row == cursor { Role::Text } else { Role::Dim });
        let hidden = page.buffer.folds.end(row).map(|end| end - row);
        if hidden.is_some() {
            pen.text(area.x + gutter - 2, y, 1, pen.symbols().closed, Role::Accent);
        }
        let space = Rect { x: area.x + gutter, y, width: area.width.saturating_sub(gutter), height: 1 };
        line(pen, page, row, space, hidden);
        if row == cursor && !writing {
            pen.style(Rect { y, height: 1, ..area }, Role::Selection);
            pen.text(area.x, y, 1, pen.symbols().bar, Role::SelectionBar);
        }
    }
}

fn line(pen: &mut Pen<'_>, page: &ConfigPage, row: usize, space: Rect, hidden: Option<usize>) {
    let (left, wide) = (page.left, usize::from(space.width));
    let whole = &page.buffer.lines()[row];
    let most = (left + wide + 8).saturating_mul(4).min(whole.len());
    let end = (most..=whole.len()).find(|at| whole.is_char_boundary(*at)).unwrap_or(whole.len());
    let shown = &whole[..end];
    let mut columns = 0;
    let mut at = 0;
    let mut write = |pen: &mut Pen<'_>, piece: &str, role: Role| {
        let escaped = text::escape(piece);
        let own = text::width(&escaped);
        if columns + own > left && columns < left + wide {
            let skip = left.saturating_sub(columns);
            let x = space.x + u16::try_from(columns.saturating_sub(left)).unwrap_or(u16::MAX);
            pen.text(x, space.y, space.right().saturating_sub(x), text::skip(&escaped, skip), role);
        }
        columns += own;
    };
    for token in tokens(shown) {
        write(pen, &shown[at..token.range.start], Role::Text);
        write(pen, &shown[token.range.clone()], color(token.kind));
        at = token.range.end;
    }
    write(pen, &shown[at..], Role::Text);
    let mut behind = columns.saturating_sub(left) + 2;
    if let Some(hidden) = hidden {
        let more = format!("{} {hidden} lines", pen.symbols().ellipsis);
        behind += behind_line(pen, space, behind, &more, Role::Dim);
    }
    for fault in faults_in(page, row) {
        underline(pen, page, fault, space);
        let role = role_of(fault);
        behind += behind_line(pen, space, behind, &format!("{} {}", fault.code, fault.message), role);
    }
}

fn behind_line(pen: &mut Pen<'_>, space: Rect, column: usize, what: &str, role: Role) -> usize {
    let x = space.x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
    let left = space.right().saturating_sub(x);
    if left < 12 {
        return 0;
    }
    usize::from(pen.text(x, space.y, left, what, role)) + 2
}

fn color(kind: Kind) -> Role {
    match kind {
        Kind::Key => Role::SyntaxKey,
        Kind::Text => Role::Text,
        Kind::Quoted => Role::SyntaxText,
        Kind::Number => Role::SyntaxNumber,
        Kind::Word => Role::SyntaxNumber,
        Kind::Comment => Role::SyntaxComment,
        Kind::Mark => Role::Dim,
    }
}

fn role_of(fault: &Fault) -> Role {
    if fault.severity == Severity::Error { Role::Error } else { Role::Warning }
}

fn faults_in(page: &ConfigPage, row: usize) -> impl Iterator<Item = &Fault> {
    let faults = &page.checked.faults;
    let first = faults.partition_point(|fault| place_of(fault).0 < row);
    faults[first..].iter().take_while(move |fault| place_of(fault).0 == row)
}

fn underline(pen: &mut Pen<'_>, page: &ConfigPage, fault: &Fault, space: Rect) {
    let (row, column) = place_of(fault);
    let line = &page.buffer.lines()[row];
    let start = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    let rest = &line[start..];
    let word = rest.find([' ', ',', '}', ']', ':']).filter(|len| *len > 0).unwrap_or(rest.len());
    let before = text::width(&text::escape(&line[..start]));
    let wide = text::width(&text::escape(&rest[..word])).max(1);
    let from = before.max(page.left);
    let to = (before + wide).min(page.left + usize::from(space.width));
    let underlined = if fault.severity == Severity::Error { Role::Fault } else { Role::FaultWarning };
    if from < to {
        let x = space.x + u16::try_from(from - page.left).unwrap_or(0);
        pen.style(Rect { x, width: u16::try_from(to - from).unwrap_or(1), ..space }, underlined);
    }
}

fn draw_faults(pen: &mut Pen<'_>, page: &ConfigPage, area: Rect) {
    if area.height < 2 {
        return;
    }
    let (row, column) = page.buffer.cursor();
    let faults = &page.checked.faults;
    let here = faults_in(page, row).filter(|fault| place_of(fault).1 <= column).last();
    let next = || faults.iter().find(|fault| place_of(fault).0 >= row);
    let Some(fault) = here.or_else(next).or(faults.first()) else { return };
    let role = role_of(fault);
    let symbol = if fault.severity == Severity::Error { pen.symbols().fault } else { pen.symbols().limit };
    let place = format!(" {}:{} {} ", fault.at.line, fault.at.column, fault.code);
    let line = [piece(role, symbol), piece(role, place), plain(fault.message.clone())];
    pen.pieces(area.x + 1, area.y, area.width.saturating_sub(2), &line);
    pen.text(area.x + 3, area.y + 1, area.width.saturating_sub(4), &fault.hint, Role::Dim);
}

/// Draws completions; returns the text cursor.
pub fn cursor(pen: &mut Pen<'_>, state: &State, regions: &Regions) -> Option<Position> {
    let (Page::Config(page), Some(Layer::Edit)) = (state.page(), state.layers.last()) else { return None };
    let Parts { text: area, gutter, .. } = parts(page, regions.rows);
    let (row, _) = page.buffer.cursor();
    let line = rows(page, area.height).position(|shown| shown == row)?;
    let column = text::width(&text::escape(page.buffer.before())).checked_sub(page.left)?;
    let x = area.x + gutter + u16::try_from(column).ok()?;
    let at = Position { x: x.min(area.right().saturating_sub(1)), y: area.y + u16::try_from(line).ok()? };
    completions(pen, page, area, at);
    Some(at)
}

fn completions(pen: &mut Pen<'_>, page: &ConfigPage, area: Rect, at: Position) {
    let words = &page.completion.words;
    // Words of other releases are not selectable.
    let elsewhere = page.completion.elsewhere.iter().map(|(word, who)| format!("{word}  {who}"));
    let elsewhere: Vec<String> = elsewhere.take(COMPLETIONS.saturating_sub(words.len())).collect();
    if words.is_empty() && elsewhere.is_empty() {
        return;
    }
    let listed = words.len().min(COMPLETIONS);
    let shown = listed + elsewhere.len();
    let first = (page.chosen + 1).saturating_sub(listed);
    let all = words.iter().chain(&elsewhere);
    let widest = all.map(|word| text::width(&text::escape(word))).max().unwrap_or(0) + 2;
    let wide = u16::try_from(widest).unwrap_or(u16::MAX).min(area.width);
    let tall = u16::try_from(shown).unwrap_or(1);
    let typed = u16::try_from(page.completion.typed).unwrap_or(0);
    let x = at.x.saturating_sub(typed + 1).min(area.right().saturating_sub(wide));
    let y = if at.y + tall < area.bottom() { at.y + 1 } else { at.y.saturating_sub(tall) };
    for (at, word) in elsewhere.iter().enumerate() {
        let line = Rect { x, y: y + u16::try_from(listed + at).unwrap_or(0), width: wide, height: 1 };
        pen.clear(line);
        pen.text(x + 1, line.y, wide.saturating_sub(2), word, Role::Dim);
    }
    for (index, word) in words.iter().enumerate().skip(first).take(listed) {
        let line = Rect { x, y: y + u16::try_from(index - first).unwrap_or(0), width: wide, height: 1 };
        pen.clear(line);
        pen.text(x + 1, line.y, wide.saturating_sub(2), word, Role::Text);
        pen.style(line, if index == page.chosen { Role::Choice } else { Role::Selection });
    }
}

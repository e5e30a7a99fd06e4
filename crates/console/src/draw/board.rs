//! The dashboard around the queue tree. [`crate::present::board`] has the content.

use ratatui::layout::Rect;
use ratatui::symbols::Marker;

use crate::draw::pen::Pen;
use crate::draw::trends;
use crate::draw::trends::Line;
use crate::present::board;
use crate::present::layout::{Board, Regions};
use crate::present::pieces::{Piece, dim};
use crate::present::subject;
use crate::state::State;
use crate::theme::Role;
use model::VCORE;
use view::units::show_amount;

/// Draws the dashboard if the page has it.
pub fn draw(pen: &mut Pen<'_>, state: &State, regions: &Regions) {
    let Some(places) = regions.board else { return };
    let Board { gauges, side, line, chart } = places;
    if gauges.height >= 2 {
        let wide = usize::from(gauges.width.saturating_sub(2));
        for (y, pieces) in (gauges.top()..gauges.bottom()).zip(board::gauges(state, wide, pen.symbols())) {
            pen.pieces(gauges.x + 1, y, gauges.width.saturating_sub(2), &pieces);
        }
    }
    if let Some(line) = line {
        first(pen, state, line);
    }
    if let Some(side) = side {
        let pane = regions.pane.is_some();
        if pane {
            pen.wall(Rect { width: 1, ..side });
            pen.line(side.x + 2, side.bottom() - 1, side.width - 3);
        }
        draw_side(pen, state, Rect { height: side.height - u16::from(pane), ..side });
    }
    if let Some(chart) = chart {
        if chart.x < regions.rows.right() {
            pen.line(chart.x, chart.y - 1, chart.width);
        }
        history(pen, state, chart);
    }
}

const SCALE: u16 = 7;

fn history(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let chart = Rect { x: area.x + SCALE, y: area.y + 1, width: area.width - SCALE, height: area.height - 1 };
    let queue = subject::queue(state);
    let found = queue.as_ref().and_then(|queue| board::history(state, queue, usize::from(chart.width)));
    let (Some(queue), Some(found)) = (queue, found) else {
        pen.text(area.x, area.y, area.width, "CPU 10m: no data yet", Role::Dim);
        return;
    };
    pen.pieces(area.x, area.y, area.width, &found.legend(&queue, usize::from(area.width), pen.symbols()));
    let middle = chart.height / 2;
    let scale = [(0, found.top), (middle, found.top / 2), (chart.height - 1, 0)];
    for (y, metric) in scale.into_iter().filter(|(y, _)| *y != middle || chart.height >= 7) {
        pen.pieces_right(area.x, chart.y + y, SCALE - 1, &[dim(show_amount(VCORE, metric))]);
    }
    let symbols = ['*', '+', '=', '-'];
    let lines = found.lines.iter().zip(symbols).rev();
    let lines: Vec<Line<'_>> = lines
        .map(|((_, role, series), symbol)| Line { series, factor: 1.0, role: *role, symbol, marker: Marker::Braille })
        .collect();
    trends::plot(pen, &lines, found.top, chart);
}

fn first(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let index = focused(state).unwrap_or(0);
    let (x, wide) = (area.x + 1, area.width.saturating_sub(2));
    match board::items(state) {
        None => pen.pieces(x, area.y, wide, &board::title(state, pen.symbols())),
        Some([]) => pen.text(x, area.y, wide, "No issues", Role::Dim),
        Some(items) => {
            let mut pieces = items.get(index).map(|line| board::item(state, line)).unwrap_or_default();
            pieces.insert(0, dim(format!("{} of {} ", index + 1, items.len())));
            pen.pieces(x, area.y, wide, &pieces)
        }
    };
    if focused(state).is_some() {
        pen.style(area, Role::Selection);
    }
}

fn focused(state: &State) -> Option<usize> {
    state.board.as_ref().filter(|board| board.focused).map(|board| board.overview.index)
}

/// Gives attention items up to a half of the height, then the causes, then the events.
fn draw_side(pen: &mut Pen<'_>, state: &State, side: Rect) {
    pen.wall(Rect { width: 1, ..side });
    let inside = Rect { x: side.x + 2, width: side.width.saturating_sub(3), ..side };
    let wide = usize::from(inside.width);
    let items = board::attention_lines(state, wide, pen.symbols());
    let waiting = board::waiting_lines(state, wide, pen.symbols());
    let causes = u16::try_from(waiting.len()).unwrap_or(u16::MAX).min(side.height / 4);
    let most = (side.height / 2).max(2);
    let tall = u16::try_from(items.len()).unwrap_or(u16::MAX).min(most.saturating_sub(1));
    pen.pieces(inside.x, inside.y, inside.width, &board::title(state, pen.symbols()));
    attention(pen, state, Rect { y: inside.y + 1, height: tall, ..inside }, &items);
    let mut y = inside.y + 1 + tall;
    y = part(pen, Rect { y, height: causes, ..inside }, &waiting, side.bottom());
    let left = side.bottom().saturating_sub(y + 1);
    let events = board::event_lines(state, usize::from(left));
    part(pen, Rect { y, height: left, ..inside }, &events, side.bottom());
}

fn part(pen: &mut Pen<'_>, area: Rect, lines: &[Vec<Piece>], bottom: u16) -> u16 {
    if area.height == 0 || area.y + 1 + area.height > bottom {
        return area.y;
    }
    pen.line(area.x, area.y, area.width);
    for (y, line) in (area.y + 1..area.y + 1 + area.height).zip(lines) {
        pen.pieces(area.x, y, area.width, line);
    }
    area.y + 1 + area.height
}

fn attention(pen: &mut Pen<'_>, state: &State, area: Rect, items: &[(usize, Vec<Piece>)]) {
    let focused = focused(state);
    let at = focused.and_then(|index| items.iter().rposition(|(item, _)| *item == index)).unwrap_or(0);
    let top = (at + 1).saturating_sub(usize::from(area.height));
    for (y, (item, pieces)) in (area.top()..area.bottom()).zip(items.iter().skip(top)) {
        pen.pieces(area.x, y, area.width, pieces);
        if focused == Some(*item) {
            pen.style(Rect { y, height: 1, ..area }, Role::Selection);
        }
    }
    let space = usize::from(area.height);
    let item = |line: Option<&(usize, Vec<Piece>)>| line.map_or(0, |(item, _)| *item);
    let hidden = item(items.last()).saturating_sub(item(items.iter().skip(top).take(space).next_back()));
    pen.more_below(area, top + space + hidden, top);
}

//! The layers over a page.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::layout;
use crate::present::layout::Regions;
use crate::present::metrics;
use crate::present::overlay;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::state::keymap::chord_text;
use crate::state::layer::{Confirm, Layer};
use crate::theme::Role;

/// Draws the layers over the page.
pub fn draw(pen: &mut Pen<'_>, state: &State, regions: &Regions) {
    for layer in &state.layers {
        match layer {
            Layer::Help(help) => {
                let title = match help.filter.as_str() {
                    "" if layout::is_short_help(state) => "Help: / or ? searches all keys and commands".to_owned(),
                    "" => "Help".to_owned(),
                    filter => format!("Help  /{filter}"),
                };
                scrolled(pen, state, &title, &overlay::help_lines(state, help), help.top);
            }
            Layer::Messages { top } => scrolled(pen, state, "Messages", &overlay::message_lines(state), *top),
            Layer::Tour { top } => scrolled(pen, state, "A short tour", &overlay::tour_lines(state), *top),
            Layer::Metrics(metrics) => {
                let title = metrics::title(state, metrics);
                scrolled(pen, state, &title, &overlay::metric_lines(state, metrics), metrics.top);
            }
            Layer::Columns(picker) => {
                let title = format!("Columns of {}", state.page().name());
                let top = picker.at.saturating_sub(layout::overlay_space(state).saturating_sub(1));
                scrolled(pen, state, &title, &overlay::column_lines(state, picker), top);
            }
            Layer::Confirm(question) => confirm(pen, state, question),
            Layer::Command(_) | Layer::Filter { .. } | Layer::Form | Layer::Edit | Layer::Reason { .. } => {}
        }
    }
    if !state.pressed.is_empty() {
        chord(pen, state, regions);
    }
}

fn scrolled(pen: &mut Pen<'_>, state: &State, title: &str, lines: &[Vec<Piece>], top: usize) {
    let area = layout::overlay(state);
    let inner = pen.frame(area, title);
    let (wide, space) = (layout::overlay_width(state), layout::overlay_space(state));
    for column in 0..layout::overlay_columns(state) {
        let x = inner.x + column * (wide + layout::OVERLAY_GAP);
        pen.lines(Rect { x, width: wide, ..inner }, lines, top + usize::from(column * inner.height));
    }
    if lines.len() > space {
        let seen = (top + space).min(lines.len());
        let place = format!(" {}-{seen} of {} ", top + 1, lines.len());
        let wide = u16::try_from(place.len()).unwrap_or(0);
        pen.over(area.right().saturating_sub(wide + 2), area.bottom() - 1, wide, &place, Role::Dim);
    }
}

fn confirm(pen: &mut Pen<'_>, state: &State, question: &Confirm) {
    let space = usize::from(state.size.width.saturating_sub(8)).min(usize::from(state.size.width * 6 / 10).max(68));
    let reason = question.reason.as_ref().map(|reason| match reason.as_str() {
        "" => "Reason: none given".to_owned(),
        reason => format!("Reason: {reason}"),
    });
    let lines: Vec<String> = question.lines.iter().chain(&reason).flat_map(|line| text::wrap(line, space)).collect();
    let widest = lines.iter().map(|line| text::width(line)).max().unwrap_or(0).max(36);
    let wide = u16::try_from(widest + 4).unwrap_or(u16::MAX).min(state.size.width);
    let tall = u16::try_from(lines.len() + 4).unwrap_or(u16::MAX).min(state.size.height);
    let area = Rect { x: (state.size.width - wide) / 2, y: (state.size.height - tall) / 3, width: wide, height: tall };
    let inner = pen.frame(area, &question.title);
    let lines: Vec<Vec<Piece>> = lines.into_iter().map(|line| vec![plain(line)]).collect();
    pen.lines(inner, &lines, 0);
    if let Some(typed) = &question.typed {
        let y = inner.bottom().saturating_sub(1);
        let ask = format!("type {} to confirm: ", typed.want);
        let used = pen.text(inner.x, y, inner.width, &ask, Role::Warning);
        pen.text(inner.x + used, y, inner.width.saturating_sub(used), typed.line.text(), Role::Strong);
        return;
    }
    let answer = |word: &str, chosen: bool, role: Role| {
        if chosen { piece(role, format!("[ {word} ]")) } else { dim(format!("  {word}  ")) }
    };
    let answers = [
        answer("Cancel", !question.accepting, Role::Strong),
        plain("   "),
        answer(question.accept, question.accepting, Role::Danger),
    ];
    pen.pieces_right(inner.x, inner.bottom().saturating_sub(1), inner.width, &answers);
}

fn chord(pen: &mut Pen<'_>, state: &State, regions: &Regions) {
    let lines = overlay::chord_lines(state, corner_space(state));
    corner(pen, state, regions, &chord_text(&state.pressed), &lines);
}

fn corner_space(state: &State) -> usize {
    usize::from(state.size.width.saturating_sub(6)).min(72)
}

fn corner(pen: &mut Pen<'_>, state: &State, regions: &Regions, title: &str, lines: &[Vec<Piece>]) {
    let close = " esc closes ";
    let columns = |text: &str| u16::try_from(text::width(text)).unwrap_or(u16::MAX);
    let widest =
        lines.iter().map(|line| crate::present::pieces::width(line)).max().unwrap_or(0).max(text::width(close));
    let wide = u16::try_from(widest + 4).unwrap_or(u16::MAX).min(state.size.width);
    let tall = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let area = Rect {
        x: state.size.width.saturating_sub(wide + 1),
        y: regions.reported.y.saturating_sub(tall),
        width: wide,
        height: tall,
    };
    let inner = pen.frame(area, title);
    pen.lines(inner, lines, 0);
    let edge = area.right().saturating_sub(columns(close) + 2);
    pen.over(edge, area.bottom() - 1, columns(close), close, Role::Dim);
}

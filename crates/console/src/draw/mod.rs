//! Draws a state: `draw(&State, &Theme, &mut Frame)`, without side effects.
//!
//! Invariants:
//! - nothing is stored or changed; the same state gives the same screen;
//! - only visible rows are examined and formatted;
//! - long text is cut, and a terminal that is too small shows a message.
//!
//! [`crate::present::layout`] decides about pane and lines.

mod alerts;
mod board;
mod bottom;
mod config;
mod contexts;
mod crumbs;
mod details;
mod explain;
mod form;
mod header;
mod heat;
mod job;
mod lists;
mod overlay;
mod past;
pub(crate) mod pen;
mod pod;
mod table;
mod trends;
mod trial;
mod unreached;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::draw::pen::Pen;
use crate::present::layout;
use crate::present::layout::{Regions, SMALLEST};
use crate::present::strip;
use crate::state::State;
use crate::state::page::{Body, Page};
use crate::theme::{Role, Theme};

/// Draws the state into a frame.
pub fn draw(state: &State, theme: &Theme, frame: &mut Frame<'_>) {
    if let Some(cursor) = paint(state, theme, frame.buffer_mut()) {
        frame.set_cursor_position(cursor);
    }
}

/// Draws into an empty buffer; returns the text cursor.
pub fn paint(state: &State, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    let area = *buffer.area();
    let mut pen = Pen::new(buffer, theme);
    pen.style(area, Role::Page);
    let Some(regions) = layout::regions(state) else {
        too_small(&mut pen, state, area);
        return None;
    };
    header::draw(&mut pen, state, regions.header);
    past::draw(&mut pen, state, regions.banner);
    trial::draw(&mut pen, state, regions.banner);
    alerts::draw(&mut pen, state, regions.banner);
    strip(&mut pen, state, regions.strip);
    crumbs::draw(&mut pen, state, regions.crumbs);
    page(&mut pen, state, &regions);
    board::draw(&mut pen, state, &regions);
    if !state.cluster.link.is_live() {
        let content = Rect::new(0, regions.head.y, area.width, regions.reported.y.saturating_sub(regions.head.y));
        pen.style(content, Role::Dim);
    }
    let cursor = bottom::draw(&mut pen, state, &regions).or_else(|| form::cursor(state, theme, regions.rows));
    let cursor = cursor.or_else(|| config::cursor(&mut pen, state, &regions));
    overlay::draw(&mut pen, state, &regions);
    cursor
}

fn page(pen: &mut Pen<'_>, state: &State, regions: &Regions) {
    if crate::present::unreached::is(state) && !matches!(state.page(), Page::Details(_) | Page::Contexts(_)) {
        return unreached::draw(pen, state, regions);
    }
    match (state.page().row().body, state.page()) {
        (Body::List, _) => lists::draw(pen, state, regions),
        (Body::Form, _) => form::draw(pen, state, regions.rows),
        (_, Page::Details(page)) => details::draw_page(pen, state, page, regions.rows),
        (_, Page::Contexts(page)) => contexts::draw(pen, state, page, regions.rows),
        (_, Page::Pod(page)) => pod::draw(pen, state, page, regions.rows),
        (_, Page::Job(page)) => job::draw(pen, state, page, regions.rows),
        (_, Page::Explain(page)) => explain::draw(pen, state, page, regions.rows),
        (_, Page::Trends(page)) => trends::draw(pen, state, page, regions.rows),
        (_, Page::Config(page)) => return config::draw(pen, state, page, regions),
        (Body::Text | Body::Config, _) => {}
    }
    if let Some(pane) = regions.pane {
        details::draw_pane(pen, state, pane);
    }
}

fn strip(pen: &mut Pen<'_>, state: &State, area: Rect) {
    if area.height == 0 {
        return;
    }
    let space = area.width.saturating_sub(1);
    for (x, pieces) in strip::pieces(state, space) {
        pen.pieces(area.x + 1 + x, area.y, space.saturating_sub(x), &pieces);
    }
}

fn too_small(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let armed = if state.quit_armed_until.is_some() { "; press again to quit now" } else { "" };
    let words = format!("too small, needs {}x{}{armed}", SMALLEST.width, SMALLEST.height);
    let wide = usize::from(area.width);
    let mut lines = crate::present::text::wrap(&words, wide);
    let status = crate::present::board::status(state);
    let space = usize::from(area.height).saturating_sub(lines.len());
    let status = status.iter().flat_map(|line| crate::present::text::wrap(line, wide)).take(space);
    lines.splice(0..0, status);
    let tall = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let top = area.height.saturating_sub(tall) / 2;
    for (y, line) in (top..area.height).zip(lines) {
        let wide = u16::try_from(crate::present::text::width(&line)).unwrap_or(u16::MAX);
        pen.text(area.width.saturating_sub(wide) / 2, y, area.width, &line, Role::Text);
    }
}

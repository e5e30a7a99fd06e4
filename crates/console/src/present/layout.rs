//! The regions of the screen. Update and draw use the same regions.
//!
//! ```text
//!  header      1 line, 2 below 120 columns
//!  strip       1 line from 16 lines on: the pages; the current one is marked
//!  crumbs      1 line: the path of the page, the sort column, and the filter
//!  head        1 line: the titles of the columns
//!  rows        the rest                                        | pane, from 190 columns on
//!  ───────────────────────────────────────────────────────────
//!  pane        below the rows from 100 x 28 on; for one application or node from 20 lines on
//!  reported    1 line for a notice; up to 2 lines for a long message
//!  bottom      1 line: hints, a message, or an input
//! ```

use ratatui::layout::{Rect, Size};

use crate::present::board;
use crate::present::config_state::{is_unfolded, page_of};
use crate::present::reported;
use crate::state::State;
use crate::state::layer::Layer;
use crate::state::page::{Body, Pane as Place};

/// The smallest supported terminal.
pub const SMALLEST: Size = Size { width: 40, height: 12 };

const WITH_STRIP: u16 = 16;

/// The regions of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regions {
    /// The first lines: cluster, user, connection.
    pub header: Rect,
    /// Past, what-if, or alerts; may be empty.
    pub banner: Rect,
    /// The strip of pages; empty on a low screen.
    pub strip: Rect,
    /// The path of the page, the sort column, and the filter.
    pub crumbs: Rect,
    /// The column titles; empty without a list.
    pub head: Rect,
    /// The rows or lines of the page.
    pub rows: Rect,
    /// The details of the selected row.
    pub pane: Option<Pane>,
    /// `None` on other pages.
    pub board: Option<Board>,
    /// The notice above the last line; may be empty.
    pub reported: Rect,
    /// Hints and messages.
    pub bottom: Rect,
}

/// The parts of the dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Above the tree; empty on a low screen.
    pub gauges: Rect,
    /// Right of the tree, on a wide screen.
    pub side: Option<Rect>,
    /// Below the tree, on a narrow screen.
    pub line: Option<Rect>,
    /// The chart of the selected queue: below the tree, otherwise below its details.
    pub chart: Option<Rect>,
}

/// The area of the details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pane {
    /// The content without the border.
    pub area: Rect,
    /// The border to the list.
    pub border: Rect,
    /// It is next to the list, not below.
    pub side_pane: bool,
}

/// The regions; `None` if the terminal is too small.
pub fn regions(state: &State) -> Option<Regions> {
    let Size { width, height } = state.size;
    if width < SMALLEST.width || height < SMALLEST.height {
        return None;
    }
    let with_board = board::is_shown(state);
    // The gauges replace the second header line.
    let header_height = if width >= 120 || with_board && height >= WITH_GAUGES { 1 } else { 2 };
    let header = Rect::new(0, 0, width, header_height);
    let past = state.cluster.past.shown.is_some() || state.cluster.trial.is_some();
    let past = u16::from(past || state.cluster.alerts_show());
    let banner = Rect::new(0, header_height, width, past);
    let header_height = header_height + past;
    let strip = Rect::new(0, header_height, width, u16::from(height >= WITH_STRIP));
    let header_height = header_height + strip.height;
    let crumbs = Rect::new(0, header_height, width, 1);
    let bottom = Rect::new(0, height - 1, width, 1);
    let reported = reported::height(state);
    let reported = Rect::new(0, bottom.y - reported, width, reported);
    let top = header_height + 1;
    let body = Rect::new(0, top, width, reported.y - top);
    let (list, pane, board) = match with_board {
        true => split_board(state, body),
        false => {
            let (list, pane) = split(state, body);
            (list, pane, None)
        }
    };
    let head_height = u16::from(state.page().row().body == Body::List);
    let head = Rect { height: head_height, ..list };
    let rows = Rect { y: list.y + head_height, height: list.height - head_height, ..list };
    Some(Regions { header, banner, strip, crumbs, head, rows, pane, board, reported, bottom })
}

const WITH_GAUGES: u16 = 20;
/// From this width the dashboard is next to the tree.
const SIDE_BOARD_FROM: u16 = 110;

/// Gauges at the top, the rest next to the tree, above the details, or in one line below.
fn split_board(state: &State, body: Rect) -> (Rect, Option<Pane>, Option<Board>) {
    let Size { width, height } = state.size;
    let gauges = Rect { height: if height >= WITH_GAUGES { 2 } else { 0 }, ..body };
    let below = Rect { y: body.y + gauges.height, height: body.height - gauges.height, ..body };
    if state.wide || width < SIDE_BOARD_FROM {
        let tall = below.height.saturating_sub(1);
        let line = Rect { y: below.y + tall, height: 1, ..below };
        return (
            Rect { height: tall, ..below },
            None,
            Some(Board { gauges, side: None, line: Some(line), chart: None }),
        );
    }
    let wide = (width * 31 / 100).clamp(36, 80);
    let left = Rect { width: width - wide, ..below };
    let side_pane = Rect { x: left.width, width: wide, ..below };
    let (list, chart) = chart_below(state, left);
    if width < SIDE_PANE_FROM || height < 40 {
        return (list, None, Some(Board { gauges, side: Some(side_pane), line: None, chart }));
    }
    let tall = side_pane.height / 2;
    let side = Rect { height: tall, ..side_pane };
    let border = Rect { y: side.bottom(), height: side_pane.height - tall, width: 1, ..side_pane };
    let whole = Rect { x: border.x + 2, width: wide - 3, ..border };
    let under = if chart.is_some() { 0 } else { CHART };
    let area = Rect { height: whole.height - under, ..whole };
    let chart = chart.or(Some(Rect { y: area.bottom(), height: under, ..whole }));
    let pane = Pane { area, border, side_pane: true };
    (list, Some(pane), Some(Board { gauges, side: Some(side), line: None, chart }))
}

const CHART: u16 = 9;
/// The fewest and the most lines of a chart below the tree, with its border.
const LOWEST_CHART: u16 = 8;
const TALLEST_CHART: u16 = 28;

/// The tree, and the chart in the height that the tree leaves. A notice shortens only the tree.
fn chart_below(state: &State, left: Rect) -> (Rect, Option<Rect>) {
    let rows = state.page().list().map_or(0, |list| list.rows() + 1);
    let spare = usize::from(left.height + reported::height(state)).saturating_sub(rows + 2);
    // In steps: the border does not move with every row.
    let tall = u16::try_from(spare).unwrap_or(0) / 4 * 4;
    let tall = tall.min(TALLEST_CHART);
    if tall < LOWEST_CHART {
        return (left, None);
    }
    let list = Rect { height: left.height - tall, ..left };
    let chart = Rect { x: left.x + 1, y: list.bottom() + 1, width: left.width - 2, height: tall - 1 };
    (list, Some(chart))
}

fn split(state: &State, body: Rect) -> (Rect, Option<Pane>) {
    let Size { width, height } = state.size;
    if state.wide && state.page().row().body == Body::List {
        return (body, None);
    }
    let (most, of_one_thing) = match state.page().row().pane {
        Place::Below(most) => (most, false),
        Place::OfOne(most) => (most, true),
        Place::Nowhere => return (body, None),
        Place::SideText => return side_text(state, body),
    };
    if width >= SIDE_PANE_FROM {
        let wide = (width * 30 / 100).clamp(56, 80);
        let list = Rect { width: width - wide - 1, ..body };
        let border = Rect { x: list.width, width: 1, ..body };
        let area = Rect { x: list.width + 2, width: wide - 2, ..body };
        return (list, Some(Pane { area, border, side_pane: true }));
    }
    if (width < 100 || height < 28) && !(of_one_thing && height >= 20) {
        return (body, None);
    }
    // Independent of the selected row.
    let tall = (height / 3).min(most);
    // In steps: the border does not move with every row.
    let spare = state.page().list().map_or(0, |list| usize::from(body.height).saturating_sub(list.rows() + 3));
    let spare = u16::try_from(spare).unwrap_or(0) / 4 * 4;
    let tall = if of_one_thing { tall.max(spare.min(most * 2)) } else { tall };
    let list = Rect { height: body.height - tall - 1, ..body };
    let border = Rect { x: 1, y: list.bottom(), width: width - 2, height: 1 };
    let area = Rect { x: 1, y: list.bottom() + 1, width: width - 2, height: tall };
    (list, Some(Pane { area, border, side_pane: false }))
}

/// The minimum width for a side pane.
pub const SIDE_TEXT: u16 = 100;

fn side_text(state: &State, body: Rect) -> (Rect, Option<Pane>) {
    let folded = page_of(state).is_some_and(|page| !is_unfolded(state, page));
    if body.width < SIDE_TEXT || folded {
        return (body, None);
    }
    let wide = (body.width * 40 / 100).min(72);
    let list = Rect { width: body.width - wide - 1, ..body };
    let border = Rect { x: list.width, width: 1, ..body };
    let area = Rect { x: list.width + 2, width: wide - 2, ..body };
    (list, Some(Pane { area, border, side_pane: true }))
}

/// The number of visible list rows; at least 1.
pub fn rows_on_screen(state: &State) -> usize {
    regions(state).map_or(1, |regions| usize::from(regions.rows.height).max(1))
}

const SIDE_PANE_FROM: u16 = 190;

/// Names per label; more on a full-height pane.
pub fn named_in_details(state: &State) -> usize {
    let tall = state.size.width >= SIDE_PANE_FROM || state.page().row().body == Body::Text;
    if tall { usize::from(state.size.height / 4) } else { 0 }
}

/// Names in a question about many objects.
pub fn named_in_question(state: &State) -> usize {
    usize::from(state.size.height).saturating_sub(18).max(6)
}

/// Whether the overlay is the short help.
pub fn is_short_help(state: &State) -> bool {
    matches!(state.layers.last(), Some(Layer::Help(help)) if help.filter.is_empty())
}

/// The help uses several if they fit.
pub fn overlay_columns(state: &State) -> u16 {
    if is_short_help(state) {
        return (state.size.width / 39).clamp(1, 3);
    }
    let help = matches!(state.layers.last(), Some(Layer::Help(_) | Layer::Filter { .. }));
    1 + u16::from(help && state.size.width >= 160)
}

/// The number of visible lines of the overlay.
pub fn overlay_space(state: &State) -> usize {
    usize::from(overlay(state).height.saturating_sub(2)) * usize::from(overlay_columns(state))
}

/// The text width of the overlay.
pub fn overlay_width(state: &State) -> u16 {
    let columns = overlay_columns(state);
    overlay(state).width.saturating_sub(4 + (columns - 1) * OVERLAY_GAP) / columns
}

/// The gap between overlay columns.
pub const OVERLAY_GAP: u16 = 3;

/// The area of an overlay: help and messages.
pub fn overlay(state: &State) -> Rect {
    let Size { width, height } = state.size;
    // No margin in a small terminal, and no unreadable rest of the page.
    let side_pane = if width < 136 || overlay_columns(state) > 1 && width < 216 { 0 } else { 4 };
    let above = if height < 20 || width < 60 { 1 } else { 4 };
    let most = match overlay_columns(state) {
        1 if width < 136 => width,
        1 => 96,
        _ if width < 216 => width,
        _ => 200,
    };
    let (wide, tall) = (width.saturating_sub(side_pane).min(most), height.saturating_sub(above));
    if side_pane == 0 && above > 1 {
        // The overlay also covers the page below.
        let top = if width >= 120 { 1 } else { 2 };
        return Rect { x: 0, y: top, width: wide, height: height - top - 1 };
    }
    Rect { x: (width - wide) / 2, y: (height - tall) / 2, width: wide, height: tall }
}

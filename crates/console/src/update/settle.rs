//! Limits scrolling and cursors after every action.

use crate::present::{config, config_pane, details, layout, overlay};
use crate::state::State;
use crate::state::layer::{Layer, Metrics};
use crate::state::page::Page;
use crate::update::{change, contexts, explain, job, lists, placement, pod};

pub(super) fn settle(state: &mut State) {
    let height = layout::rows_on_screen(state);
    let most = |lines: usize, height: usize| lines.saturating_sub(height);
    match state.page() {
        Page::Details(_) => {
            let lines = details::height(state);
            if let Page::Details(page) = state.page_mut() {
                page.top = page.top.min(most(lines, height));
            }
        }
        Page::Placement(_) => placement::settle(state),
        Page::Job(_) => job::settle(state),
        Page::Contexts(_) => contexts::settle(state, height),
        Page::Pod(_) => pod::settle(state, height),
        Page::Explain(_) => explain::settle(state, height),
        Page::Change(_) => change::settle(state),
        Page::Config(page) => {
            let (top, left) = config::scrolled(state, page);
            let side_pane = config_pane::side_extent(state, page);
            if let Page::Config(page) = state.page_mut() {
                (page.top, page.left) = (top, left);
                page.side_top = page.side_top.min(side_pane);
            }
        }
        _ => lists::scroll(state, height),
    }
    let space = layout::overlay_space(state);
    let lines = overlay::height(state);
    match state.layers.last_mut() {
        Some(Layer::Help(help)) => help.top = help.top.min(most(lines, space)),
        Some(Layer::Messages { top } | Layer::Tour { top } | Layer::Metrics(Metrics { top, .. })) => {
            *top = (*top).min(most(lines, space))
        }
        _ => {}
    }
}

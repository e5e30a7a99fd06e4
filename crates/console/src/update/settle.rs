//! Limits scrolling and cursors after every action.

use crate::present::{config, config_pane, details, layout, overlay};
use crate::state::State;
use crate::state::layer::{Figures, Layer};
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
            let beside = config_pane::beside_extent(state, page);
            if let Page::Config(page) = state.page_mut() {
                (page.top, page.left) = (top, left);
                page.beside_top = page.beside_top.min(beside);
            }
        }
        _ => lists::scroll(state, height),
    }
    let room = layout::overlay_room(state);
    let lines = overlay::height(state);
    match state.layers.last_mut() {
        Some(Layer::Help(help)) => help.top = help.top.min(most(lines, room)),
        Some(Layer::Messages { top } | Layer::Tour { top } | Layer::Figures(Figures { top, .. })) => {
            *top = (*top).min(most(lines, room))
        }
        _ => {}
    }
}

//! The explained values on the screen, updated with the view.

use crate::present::metrics;
use crate::state::State;
use crate::state::layer::{Layer, Metrics};

/// Values of a row that is no longer selected stay, with their age.
pub(super) fn follow(state: &mut State) {
    let at = state.framed().at;
    let Some(Layer::Metrics(shown)) = state.layers.last() else { return };
    if shown.at.is_none_or(|shown| shown == at) {
        return;
    }
    let newest = metrics::metrics(state);
    if let Some(Layer::Metrics(shown)) = state.layers.last_mut()
        && shown.of == newest.of
    {
        *shown = Metrics { top: shown.top, ..newest };
    }
}

//! The explained values on the screen, updated with the view.

use crate::present::figures;
use crate::state::State;
use crate::state::layer::{Figures, Layer};

/// Values of a row that is no longer selected stay, with their age.
pub(super) fn follow(state: &mut State) {
    let at = state.framed().at;
    let Some(Layer::Figures(shown)) = state.layers.last() else { return };
    if shown.at.is_none_or(|shown| shown == at) {
        return;
    }
    let newest = figures::figures(state);
    if let Some(Layer::Figures(shown)) = state.layers.last_mut()
        && shown.of == newest.of
    {
        *shown = Figures { top: shown.top, ..newest };
    }
}

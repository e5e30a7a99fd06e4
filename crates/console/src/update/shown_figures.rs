//! The figures on the screen, which follow the view.

use crate::present::figures;
use crate::state::State;
use crate::state::layer::{Figures, Layer};

/// Computes the figures on the screen again when the view has changed. Those of a row that has left the cursor stay, with their age.
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

//! The contexts.

use crate::console::present::contexts;
use crate::console::present::format;
use crate::console::present::page::Present;
use crate::console::present::pieces::{Piece, dim, piece};
use crate::console::state::State;
use crate::console::state::contexts::ContextsPage;
use crate::console::theme::{Role, Signs};

impl Present for ContextsPage {
    fn stands_alone(&self) -> bool {
        true
    }

    fn facts(&self, state: &State, _signs: &'static Signs) -> Vec<Vec<Piece>> {
        let fault = state.contexts.fault.as_ref().map(|_| vec![piece(Role::Error, "the kubeconfig does not read")]);
        let count = vec![dim(format::count(state.contexts.all.len() as u64, "context"))];
        fault.into_iter().chain([count]).collect()
    }

    fn sheet(&self, state: &State, width: usize) -> Option<Vec<Vec<Piece>>> {
        Some(contexts::all(state, width))
    }
}

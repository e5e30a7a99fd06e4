//! The page of the contexts.

use crate::present::contexts;
use crate::present::format;
use crate::present::page::Present;
use crate::present::pieces::{Piece, dim, piece};
use crate::state::State;
use crate::state::contexts::ContextsPage;
use crate::theme::{Role, Symbols};

impl Present for ContextsPage {
    fn is_standalone(&self) -> bool {
        true
    }

    fn facts(&self, state: &State, _symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let fault = state.contexts.fault.as_ref().map(|_| vec![piece(Role::Error, "the kubeconfig cannot be parsed")]);
        let count = vec![dim(format::count(state.contexts.all.len() as u64, "context"))];
        fault.into_iter().chain([count]).collect()
    }

    fn sheet(&self, state: &State, width: usize) -> Option<Vec<Vec<Piece>>> {
        Some(contexts::all(state, width))
    }
}

//! The changes of a row between two views.

use std::sync::Arc;

use crate::state::marks::Facet;
use model::{MEMORY, Resource, VCORE};

/// A row in two views, if they differ.
pub fn row<'a, T>(old: Option<&'a Arc<T>>, new: Option<&'a Arc<T>>) -> Option<(&'a T, &'a T)> {
    let (old, new) = (old?, new?);
    (!Arc::ptr_eq(old, new)).then_some((old, new))
}

/// The facets that changed.
pub fn facets(changes: impl IntoIterator<Item = (Facet, bool)>) -> Vec<Facet> {
    changes.into_iter().filter(|(_, changed)| *changed).map(|(facet, _)| facet).collect()
}

/// Whether CPU and memory changed.
pub fn usage(old: &Resource, new: &Resource) -> [(Facet, bool); 2] {
    [(Facet::Cpu, old.get(VCORE) != new.get(VCORE)), (Facet::Memory, old.get(MEMORY) != new.get(MEMORY))]
}

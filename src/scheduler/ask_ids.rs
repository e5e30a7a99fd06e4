//! The asks of an application by their id.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::app::Ask;
use super::index::{AskKey, Slab};
use crate::model::AskId;

/// Which ask an id stands for. Ids stand with the asks only; here is what they hash to, so that growing reads none of them again: an
/// application may have a million.
#[derive(Clone, Debug, Default)]
pub(super) struct AskIds(HashTable<(u64, AskKey)>);

fn hash(id: &AskId) -> u64 {
    FxBuildHasher.hash_one(id)
}

impl AskIds {
    /// The ask that an id stands for.
    pub fn get(&self, id: &AskId, asks: &Slab<AskKey, Ask>) -> Option<AskKey> {
        self.0.find(hash(id), |(_, key)| asks[*key].id == *id).map(|(_, key)| *key)
    }

    /// The id of an ask stands for it from now on. Gives the ask that it stood for before.
    pub fn insert(&mut self, ask: AskKey, asks: &Slab<AskKey, Ask>) -> Option<AskKey> {
        let id = &asks[ask].id;
        let hash = hash(id);
        if let Some((_, known)) = self.0.find_mut(hash, |(_, key)| asks[*key].id == *id) {
            return Some(std::mem::replace(known, ask));
        }
        self.0.insert_unique(hash, (hash, ask), |(hash, _)| *hash);
        None
    }

    /// An id stands for this ask no more. Gives whether it did.
    pub fn remove(&mut self, id: &AskId, ask: AskKey) -> bool {
        let found = self.0.find_entry(hash(id), |(_, key)| *key == ask);
        found.map(|entry| drop(entry.remove())).is_ok()
    }

    /// Makes room for so many more at once.
    pub fn reserve(&mut self, more: usize) {
        self.0.reserve(more, |(hash, _)| *hash);
    }
}

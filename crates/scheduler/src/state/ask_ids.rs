//! The requests of an application by id.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::index::{AskKey, Slab};
use crate::state::ask::Ask;
use model::AskId;

const MANY: usize = 16_384;
const PARTS: usize = 64;

/// Stores only hashes. An application may have a million requests, and none may wait for the look-up to grow: growth
/// reads no ids and affects only one part.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskIds {
    few: Table,
    many: Vec<Table>,
}

type Table = HashTable<(u32, AskKey)>;

/// 32 bits are enough to distinguish millions.
fn hash(id: &AskId) -> u32 {
    let hash = FxBuildHasher.hash_one(id);
    (hash ^ (hash >> 32)) as u32
}

const fn spread(hash: u32) -> u64 {
    (hash as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

const fn part(hash: u32) -> usize {
    (spread(hash) >> 44) as usize % PARTS
}

impl AskIds {
    /// The request that an id represents.
    pub fn get(&self, id: &AskId, asks: &Slab<AskKey, Ask>) -> Option<AskKey> {
        let hash = hash(id);
        let table = if self.many.is_empty() { &self.few } else { &self.many[part(hash)] };
        table.find(spread(hash), |(_, key)| asks[*key].id == *id).map(|(_, key)| *key)
    }

    /// Returns the previous one.
    pub fn insert(&mut self, ask: AskKey, asks: &Slab<AskKey, Ask>) -> Option<AskKey> {
        let id = &asks[ask].id;
        let hash = hash(id);
        if self.few.len() >= MANY {
            self.split();
        }
        let table = self.table(hash);
        if let Some((_, known)) = table.find_mut(spread(hash), |(_, key)| asks[*key].id == *id) {
            return Some(std::mem::replace(known, ask));
        }
        table.insert_unique(spread(hash), (hash, ask), |(hash, _)| spread(*hash));
        None
    }

    /// Ends the representation. Returns whether the id represented this request.
    pub fn remove(&mut self, id: &AskId, ask: AskKey) -> bool {
        let hash = hash(id);
        let found = self.table(hash).find_entry(spread(hash), |(_, key)| *key == ask);
        found.map(hashbrown::hash_table::OccupiedEntry::remove).is_ok()
    }

    /// Reserves capacity for `more` requests.
    pub fn reserve(&mut self, more: usize) {
        if self.many.is_empty() {
            self.few.reserve(more.min(MANY), |(hash, _)| spread(*hash));
        }
    }

    fn table(&mut self, hash: u32) -> &mut Table {
        if self.many.is_empty() { &mut self.few } else { &mut self.many[part(hash)] }
    }

    fn split(&mut self) {
        self.many = vec![Table::new(); PARTS];
        for (hash, key) in std::mem::take(&mut self.few) {
            self.many[part(hash)].insert_unique(spread(hash), (hash, key), |(hash, _)| spread(*hash));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::command::AskSpec;
    use model::Time;

    #[test]
    fn every_id_is_found_however_many_there_are() {
        let (mut ids, mut asks) = (AskIds::default(), Slab::<AskKey, Ask>::default());
        let ask = |id| Ask::new(id, 0, Time::ZERO, &AskSpec::default());
        let id = |number: usize| AskId::from(format!("t-{number}"));
        let count = MANY + 1000;
        for number in 0..count {
            let key = asks.insert_with(|_| ask(id(number)));
            assert_eq!(ids.insert(key, &asks), None);
        }
        assert!(ids.few.is_empty() && ids.many.iter().all(|part| part.len() > MANY / PARTS / 2), "evenly");
        for number in 0..count {
            let key = ids.get(&id(number), &asks).expect("it was put in");
            assert_eq!(asks[key].id, id(number));
        }
        let (first, again) = (ids.get(&id(7), &asks), asks.insert_with(|_| ask(id(7))));
        assert_eq!(ids.insert(again, &asks), first, "it stands for the later one");
        assert!(!ids.remove(&id(7), first.expect("it was there")) && ids.remove(&id(7), again));
        assert_eq!((ids.get(&id(7), &asks), ids.get(&id(count), &asks)), (None, None));
    }
}

//! The two containers of the core: a slab, and a look-up without an iterator.

use std::borrow::Borrow;
use std::hash::Hash;
use std::marker::PhantomData;

use rustc_hash::FxHashMap;
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::shareable::Shareable;

/// A look-up by key. It has no iterator: the order of a hash map must never decide anything (SCH-001).
#[derive(Clone, Debug)]
pub struct Index<K, V>(FxHashMap<K, V>);

impl<K, V> Default for Index<K, V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<K: Eq + Hash, V> Index<K, V> {
    /// The value at `key`.
    pub fn get<Q: ?Sized + Eq + Hash>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key)
    }

    /// Inserts `value` and returns the previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    /// Removes the entry at `key`.
    pub fn remove<Q: ?Sized + Eq + Hash>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.remove(key)
    }

    /// Reserves capacity for `more` entries.
    pub fn reserve(&mut self, more: usize) {
        self.0.reserve(more);
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A key into a [`Slab`].
pub trait SlabKey: Copy {
    /// The key of a slot.
    fn from_slot(slot: u32) -> Self;
    /// The slot of a key.
    fn slot(self) -> usize;
}

macro_rules! slab_key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub struct $name(pub u32);

        impl SlabKey for $name {
            fn from_slot(slot: u32) -> Self {
                Self(slot)
            }

            fn slot(self) -> usize {
                self.0 as usize
            }
        }
    };
}

slab_key! {
    /// A queue of a partition.
    QueueKey
}
slab_key! {
    /// A live application of a partition.
    AppKey
}
slab_key! {
    /// A node of a partition.
    NodeKey
}
slab_key! {
    /// A request of an application.
    AskKey
}
slab_key! {
    /// A user whose usage is tracked.
    UserKey
}
slab_key! {
    /// A group whose usage is tracked.
    GroupKey
}

/// A fork that changes one slot copies its chunk.
const TOGETHER: usize = 32;

/// Values in numbered slots. The slot that was freed last is reused first. An insertion never moves other values. A
/// fork shares the chunks that neither side changes.
#[derive(Clone, Debug)]
pub struct Slab<K, V> {
    chunks: Vec<Shareable<Vec<Option<V>>>>,
    free: Vec<u32>,
    key: PhantomData<K>,
}

impl<K, V> Default for Slab<K, V> {
    fn default() -> Self {
        Self { chunks: Vec::new(), free: Vec::new(), key: PhantomData }
    }
}

impl<K, V> Slab<K, V> {
    fn slots(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * TOGETHER + last.len())
    }

    /// Makes clones share what neither side changes. Calls `each` for the values changed since the last call.
    pub fn share(&mut self, mut each: impl FnMut(&mut V)) {
        for chunk in &mut self.chunks {
            if let Shareable::Owned(values) = chunk {
                values.iter_mut().flatten().for_each(&mut each);
                chunk.share();
            }
        }
    }
}

impl<K, V: Clone> Slab<K, V> {
    fn push(&mut self, value: Option<V>) {
        match self.chunks.last_mut().filter(|last| last.len() < TOGETHER) {
            Some(last) => last.push(value),
            None => {
                let mut next = if self.chunks.is_empty() { Vec::new() } else { Vec::with_capacity(TOGETHER) };
                next.push(value);
                self.chunks.push(Shareable::Owned(next));
            }
        }
    }
}

impl<K: SlabKey, V: Clone> Slab<K, V> {
    /// Stores the value that `make` returns for its key.
    pub fn insert_with(&mut self, make: impl FnOnce(K) -> V) -> K {
        if let Some(slot) = self.free.pop() {
            let key = K::from_slot(slot);
            let at = key.slot();
            self.chunks[at / TOGETHER][at % TOGETHER] = Some(make(key));
            return key;
        }
        #[expect(clippy::expect_used, reason = "fewer than 2^32 objects fit into memory")]
        let slot = u32::try_from(self.slots()).expect("fewer than 2^32 objects fit into memory");
        let key = K::from_slot(slot);
        self.push(Some(make(key)));
        key
    }

    /// Reserves capacity for `more` slots, at most one chunk, if the slab is empty.
    pub fn reserve(&mut self, more: usize) {
        if self.chunks.is_empty() {
            self.chunks.push(Shareable::Owned(Vec::with_capacity(more.min(TOGETHER))));
        }
    }

    /// Frees all slots if the slab is empty.
    pub fn shrink(&mut self) {
        if self.free.len() == self.slots() {
            *self = Self::default();
        }
    }

    /// Removes and returns a value.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let at = key.slot();
        let value = self.chunks.get_mut(at / TOGETHER)?.get_mut(at % TOGETHER)?.take()?;
        #[expect(clippy::expect_used, reason = "the key was made from an u32")]
        self.free.push(u32::try_from(at).expect("the key was made from an u32"));
        Some(value)
    }

    /// The value of a key, if it exists.
    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        let at = key.slot();
        self.chunks.get(at / TOGETHER)?.get(at % TOGETHER)?.as_ref()
    }

    /// The value of a key, if it exists.
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let at = key.slot();
        self.chunks.get_mut(at / TOGETHER)?.get_mut(at % TOGETHER)?.as_mut()
    }

    /// All values in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).enumerate().filter_map(|(slot, value)| {
            let key = K::from_slot(slot as u32);
            value.as_ref().map(|value| (key, value))
        })
    }

    /// All values in the order of their slots.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        self.chunks.iter_mut().flat_map(|chunk| chunk.iter_mut()).enumerate().filter_map(|(slot, value)| {
            let key = K::from_slot(slot as u32);
            value.as_mut().map(|value| (key, value))
        })
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.slots() - self.free.len()
    }

    /// Whether it contains no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: SlabKey, V> std::ops::Index<K> for Slab<K, V> {
    type Output = V;

    /// An invalid key is a bug of the core.
    #[inline]
    #[expect(clippy::expect_used, reason = "a dangling key is a defect of the core")]
    fn index(&self, key: K) -> &V {
        let at = key.slot();
        self.chunks[at / TOGETHER][at % TOGETHER].as_ref().expect("the key belongs to a live object")
    }
}

impl<K: SlabKey, V: Clone> std::ops::IndexMut<K> for Slab<K, V> {
    #[inline]
    #[expect(clippy::expect_used, reason = "a dangling key is a defect of the core")]
    fn index_mut(&mut self, key: K) -> &mut V {
        let at = key.slot();
        self.chunks[at / TOGETHER][at % TOGETHER].as_mut().expect("the key belongs to a live object")
    }
}

/// Saved as all slots in sequence, then the free ones.
impl<K, V: Serialize> Serialize for Slab<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Slots<'s, K, V>(&'s Slab<K, V>);

        impl<K, V: Serialize> Serialize for Slots<'_, K, V> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let mut slots = to.serialize_seq(Some(self.0.slots()))?;
                self.0
                    .chunks
                    .iter()
                    .flat_map(|chunk| chunk.iter())
                    .try_for_each(|slot| slots.serialize_element(slot))?;
                slots.end()
            }
        }

        let mut slab = to.serialize_struct("Slab", 2)?;
        slab.serialize_field("slots", &Slots(self))?;
        slab.serialize_field("free", &self.free)?;
        slab.end()
    }
}

impl<'de, K, V: Deserialize<'de> + Clone> Deserialize<'de> for Slab<K, V> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Slab")]
        struct Written<V> {
            slots: Vec<Option<V>>,
            free: Vec<u32>,
        }

        let Written { slots, free } = Written::deserialize(from)?;
        let mut slab = Self { free, ..Self::default() };
        slots.into_iter().for_each(|slot| slab.push(slot));
        Ok(slab)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn large() -> Slab<AskKey, u64> {
        let mut slab = Slab::default();
        slab.reserve(10);
        for value in 0..2500 {
            slab.insert_with(|_| value);
        }
        for slot in (0..2500).step_by(3) {
            slab.remove(AskKey(slot));
        }
        for value in 0..5 {
            slab.insert_with(|_| 10_000 + value);
        }
        slab
    }

    #[test]
    fn values_are_in_the_order_of_their_slots_and_freed_slots_are_reused() {
        let mut slab = large();
        assert_eq!((slab.slots(), slab.len()), (2500, 2500 - 834 + 5));
        assert_eq!(slab.insert_with(|_| 7), AskKey(2499 - 5 * 3), "the one freed last first");
        let walked: Vec<u32> = slab.iter().map(|(AskKey(slot), _)| slot).collect();
        assert!(walked.is_sorted());
        assert_eq!((slab[AskKey(2498)], slab[AskKey(1024)], slab.get(AskKey(0))), (2498, 1024, None));
        assert_eq!(slab.get(AskKey(2500)), None);
        assert_eq!(slab.remove(AskKey(9999)), None);
    }

    #[test]
    fn a_clone_shares_what_neither_side_changes() {
        let mut slab = large();
        let mut seen = 0;
        slab.share(|_| seen += 1);
        assert_eq!(seen, slab.len());
        let mut fork = slab.clone();
        fork[AskKey(1)] = 77;
        slab[AskKey(2498)] = 78;
        assert_eq!((slab[AskKey(1)], fork[AskKey(1)]), (1, 77));
        assert_eq!((slab[AskKey(2498)], fork[AskKey(2498)]), (78, 2498));
        let owned = |slab: &Slab<AskKey, u64>| slab.chunks.iter().filter(|chunk| chunk.is_owned()).count();
        assert_eq!((owned(&slab), owned(&fork)), (1, 1), "one chunk each was copied");
        assert!(std::ptr::eq(&slab[AskKey(1000)], &fork[AskKey(1000)]));
    }

    #[test]
    fn it_is_written_down_slot_by_slot() {
        let slab = large();
        let written = rmp_serde::to_vec(&slab).unwrap();
        let read: Slab<AskKey, u64> = rmp_serde::from_slice(&written).unwrap();
        assert_eq!((read.chunks, &read.free), (slab.chunks, &slab.free));
        let plain: (Vec<Option<u64>>, Vec<u32>) = rmp_serde::from_slice(&written).unwrap();
        assert_eq!((plain.0.len(), plain.1), (2500, slab.free));
    }
}

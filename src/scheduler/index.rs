//! The two containers of the core: a slab, and a look-up that cannot be walked.

use std::borrow::Borrow;
use std::hash::Hash;
use std::marker::PhantomData;

use rustc_hash::FxHashMap;

/// A look-up by key. It has no iterator on purpose: the order of a hash map must never decide anything (SCH-001).
#[derive(Clone, Debug)]
pub struct Index<K, V>(FxHashMap<K, V>);

impl<K, V> Default for Index<K, V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<K: Eq + Hash, V> Index<K, V> {
    /// What stands at `key`.
    pub fn get<Q: ?Sized + Eq + Hash>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key)
    }

    /// Puts `value` at `key` and gives back what stood there.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    /// Takes away what stands at `key`.
    pub fn remove<Q: ?Sized + Eq + Hash>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.remove(key)
    }

    /// Makes room for so many more at once.
    pub fn reserve(&mut self, more: usize) {
        self.0.reserve(more);
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no key.
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
    /// An ask of an application.
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

/// Values in numbered slots. A freed slot is used again, the one freed last first.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Slab<K, V> {
    slots: Vec<Option<V>>,
    free: Vec<u32>,
    #[serde(skip)]
    key: PhantomData<K>,
}

impl<K, V> Default for Slab<K, V> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), key: PhantomData }
    }
}

impl<K: SlabKey, V> Slab<K, V> {
    /// Stores what `make` gives for its key.
    pub fn insert_with(&mut self, make: impl FnOnce(K) -> V) -> K {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 objects fit into memory")
        });
        let key = K::from_slot(slot);
        self.slots[key.slot()] = Some(make(key));
        key
    }

    /// Makes room for so many more; for the first ones no more than that.
    pub fn reserve(&mut self, more: usize) {
        let more = more.saturating_sub(self.free.len());
        if self.slots.is_empty() {
            self.slots.reserve_exact(more);
        } else {
            self.slots.reserve(more);
        }
    }

    /// Takes a value out.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let value = self.slots.get_mut(key.slot())?.take()?;
        self.free.push(u32::try_from(key.slot()).expect("the key was made from an u32"));
        Some(value)
    }

    /// The value of a key, if it is still there.
    pub fn get(&self, key: K) -> Option<&V> {
        self.slots.get(key.slot())?.as_ref()
    }

    /// The value of a key, if it is still there.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.slots.get_mut(key.slot())?.as_mut()
    }

    /// All values in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.slots.iter().enumerate().filter_map(|(slot, value)| {
            #[expect(clippy::cast_possible_truncation, reason = "slots are numbered by u32")]
            let key = K::from_slot(slot as u32);
            value.as_ref().map(|value| (key, value))
        })
    }

    /// All values in the order of their slots.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        self.slots.iter_mut().enumerate().filter_map(|(slot, value)| {
            #[expect(clippy::cast_possible_truncation, reason = "slots are numbered by u32")]
            let key = K::from_slot(slot as u32);
            value.as_mut().map(|value| (key, value))
        })
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: SlabKey, V> std::ops::Index<K> for Slab<K, V> {
    type Output = V;

    /// For keys that the owner knows to be there; a dangling one is a defect of the core.
    fn index(&self, key: K) -> &V {
        self.slots[key.slot()].as_ref().expect("the key belongs to a live object")
    }
}

impl<K: SlabKey, V> std::ops::IndexMut<K> for Slab<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        self.slots[key.slot()].as_mut().expect("the key belongs to a live object")
    }
}

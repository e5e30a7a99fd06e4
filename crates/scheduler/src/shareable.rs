//! Parts of a state that a fork shares with the original until one of them changes.
//!
//! A part is owned until a fork is made ([`Shareable::share`]), then shared. The side that changes it first copies that
//! part alone, or takes it if the other side is gone. A change of an owned part needs no atomic operation: the speed of
//! cycles depends on that.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A part of a state.
#[derive(Clone, Debug)]
pub enum Shareable<T> {
    /// Not shared; a clone is a copy.
    Owned(T),
    /// Perhaps shared; a clone costs nothing.
    Shared(Arc<T>),
}

impl<T: Default> Default for Shareable<T> {
    fn default() -> Self {
        Self::Owned(T::default())
    }
}

impl<T: PartialEq> PartialEq for Shareable<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Default> Shareable<T> {
    /// Makes clones share it. Copies nothing.
    pub fn share(&mut self) {
        if let Self::Owned(part) = self {
            *self = Self::Shared(Arc::new(std::mem::take(part)));
        }
    }

    /// Takes the shared part, or a copy of it if others have it too.
    #[cold]
    fn owned(&mut self) -> &mut T
    where
        T: Clone,
    {
        if let Self::Shared(part) = self {
            *self = Self::Owned(Arc::unwrap_or_clone(std::mem::take(part)));
        }
        match self {
            Self::Owned(part) => part,
            // The lines before made every shared part owned.
            Self::Shared(part) => Arc::make_mut(part),
        }
    }

    /// Whether it is owned: changed since it was shared, or never shared.
    pub const fn is_owned(&self) -> bool {
        matches!(self, Self::Owned(_))
    }
}

impl<T> Deref for Shareable<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Owned(part) => part,
            Self::Shared(part) => part,
        }
    }
}

impl<T: Clone + Default> DerefMut for Shareable<T> {
    // Called sixty times for each allocation.
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::Owned(part) => part,
            Self::Shared(_) => self.owned(),
        }
    }
}

impl<T: Serialize> Serialize for Shareable<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        T::serialize(self, to)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shareable<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_part_is_copied_by_who_changes_it_and_taken_back_by_who_is_left_with_it() {
        let mut own = Shareable::Owned(vec![1, 2, 3]);
        own.share();
        let mut fork = own.clone();
        assert!(std::ptr::eq(&*own, &*fork), "nothing is copied yet");
        fork.push(4);
        assert_eq!((&*own, &*fork), (&vec![1, 2, 3], &vec![1, 2, 3, 4]));
        assert!(!own.is_owned() && fork.is_owned());
        let before = own.as_ptr();
        own.push(5);
        assert!(own.is_owned());
        assert_eq!(*own, [1, 2, 3, 5]);
        // Not copied: the same elements, perhaps moved by growth.
        assert!(before == own.as_ptr() || own.capacity() > 3);
    }
}

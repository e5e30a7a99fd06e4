//! Bounds of the audit and the configurations: the oldest are dropped first. Rejected orders are dropped before all
//! others, so that a user without rights cannot displace the orders of others.

use super::store::{Store, StoreError};
use super::tables::{Change, EntryTable};
use view::audit::AuditEntry;

/// The limits per kind in a directory with a disk limit. Together they are a quarter of it: the newest snapshot and the
/// records after it are extra, and a store has free pages between used ones, at the highest rates more than used ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of records.
    pub records: u64,
    /// Bytes of snapshots except the newest.
    pub snapshots: u64,
    /// Bytes of the audit.
    pub audit: u64,
    /// Bytes of configurations except the newest.
    pub revisions: u64,
}

impl Bounds {
    /// Returns the limits of a directory with this many bytes.
    pub const fn of(bytes: u64) -> Self {
        let part = bytes / 32;
        Self { records: 3 * part, snapshots: 2 * part, audit: 2 * part, revisions: part }
    }
}

/// An additional fraction (1/n) is dropped, so that drops are rare.
const SPARE: u64 = 8;
const AT_ONCE: usize = 4096;

/// Drops the excess until `make` fails.
///
/// # Errors
/// If the store cannot be read.
pub fn bound(store: &Store, bounds: Bounds, make: impl Fn(Change) -> bool) -> Result<(), StoreError> {
    for (catalog, most) in [(EntryTable::Audit, bounds.audit), (EntryTable::Revisions, bounds.revisions)] {
        if !store.has_grown(catalog, most / SPARE / 2) {
            continue;
        }
        let mut sizes = store.entry_sizes(catalog)?;
        if catalog == EntryTable::Revisions {
            sizes.pop();
        }
        let refused = |number: &u64| catalog == EntryTable::Audit && is_refused(store, *number);
        let removable = excess(&sizes, most, refused);
        for numbers in removable.chunks(AT_ONCE) {
            if !make(Change::DropEntries(catalog, numbers.to_vec())) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// `false` if it cannot be read.
fn is_refused(store: &Store, number: u64) -> bool {
    let entry = store.entries::<AuditEntry>(EntryTable::Audit, number + 1, 1);
    entry.is_ok_and(|entries| entries.first().is_some_and(|entry| !entry.allowed))
}

/// `sizes` has bytes, the oldest first.
fn excess(sizes: &[(u64, u64)], most: u64, refused: impl Fn(&u64) -> bool) -> Vec<u64> {
    let all: u64 = sizes.iter().map(|(_, bytes)| bytes).sum();
    if all <= most {
        return Vec::new();
    }
    let mut left = all - (most - most / SPARE);
    let mut removable = Vec::new();
    let (first, then): (Vec<_>, Vec<_>) = sizes.iter().copied().partition(|(number, _)| refused(number));
    for (number, bytes) in first.into_iter().chain(then) {
        if left == 0 {
            break;
        }
        left = left.saturating_sub(bytes);
        removable.push(number);
    }
    removable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_rejected_entries_are_removed_first() {
        let sizes: Vec<(u64, u64)> = (1..=16).map(|number| (number, 10)).collect();
        let refused = |number: &u64| number.is_multiple_of(2);
        assert!(excess(&sizes, 160, refused).is_empty());
        assert_eq!(excess(&sizes, 144, refused), [2, 4, 6, 8]);
        assert_eq!(excess(&sizes, 40, |number| *number == 16), [16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }
}

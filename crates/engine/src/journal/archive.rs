//! The audit archive: entries older than those in memory, read from the store. Unreadable entries are returned as such,
//! never omitted.

use std::sync::Arc;

use super::store::{EntryRow, Store, StoreError};
use super::tables::EntryTable;
use crate::audit_log::AuditArchive;
use model::Time;
use view::audit::{AuditEntry, AuditQuery, Revision, RevisionSource};

const PAGE: usize = 1000;

pub(super) struct StoreArchive(pub Arc<Store>);

impl StoreArchive {
    fn page<T: for<'de> serde::Deserialize<'de>>(
        &self,
        catalog: EntryTable,
        before: u64,
        most: usize,
        damaged: fn(u64, &StoreError) -> T,
    ) -> (Vec<(u64, T)>, bool) {
        match self.0.rows_of(catalog, before, most) {
            Ok(rows) => {
                let whole = rows.len() == most;
                let read =
                    |(number, entry): EntryRow<T>| (number, entry.unwrap_or_else(|error| damaged(number, &error)));
                (rows.into_iter().map(read).collect(), whole)
            }
            Err(error) => {
                let newest = before.saturating_sub(1);
                (vec![(newest, damaged(newest, &error))], false)
            }
        }
    }
}

fn damaged_entry(id: u64, error: &StoreError) -> AuditEntry {
    let why = format!("cannot read this record: {error}");
    AuditEntry { id, action: "unreadable".to_owned(), code: "DAMAGED".to_owned(), why, ..AuditEntry::default() }
}

fn damaged_revision(number: u64, error: &StoreError) -> Revision {
    let reason = format!("cannot read this record: {error}");
    let (checksum, by) = Default::default();
    let (at, source) = (Time::ZERO, RevisionSource::Start);
    Revision { number, checksum, at, wall: None, by, reason, source, changes: 0, text: None }
}

impl AuditArchive for StoreArchive {
    fn entries(&self, query: &AuditQuery) -> Vec<Arc<AuditEntry>> {
        let mut found = Vec::new();
        let mut before = query.before.unwrap_or(u64::MAX);
        while found.len() < query.limit {
            let (page, more) = self.page(EntryTable::Audit, before, PAGE, damaged_entry);
            before = page.last().map_or(0, |(id, _)| *id);
            let wanted = page.into_iter().map(|(_, entry)| entry);
            let wanted = wanted.filter(|entry| query.wants(entry) || entry.code == "DAMAGED");
            found.extend(wanted.take(query.limit - found.len()).map(Arc::new));
            if !more {
                break;
            }
        }
        found
    }

    fn revisions(&self, before: u64, limit: usize) -> Vec<Arc<Revision>> {
        let (page, _) = self.page(EntryTable::Revisions, before, limit, damaged_revision);
        page.into_iter().map(|(_, revision)| Arc::new(revision)).collect()
    }

    fn revision(&self, number: u64) -> Option<Arc<Revision>> {
        self.revisions(number.checked_add(1)?, 1).pop().filter(|revision| revision.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::super::disk::{Disk, MemoryDisk};
    use super::super::tables::Change;
    use super::*;

    #[test]
    fn damaged_parts_are_shown_as_damaged() {
        let disk = Arc::new(MemoryDisk::default());
        let store = Store::open(Arc::clone(&disk) as _).unwrap();
        let changes = (1..=3).map(|id| {
            let entry =
                AuditEntry { id, user: "ann".to_owned(), reason: format!("reason-{id}"), ..AuditEntry::default() };
            Change::Audit(id, rmp_serde::to_vec_named(&entry).unwrap().into())
        });
        let text = Some(Arc::from("text-of-one"));
        let revision = Revision { text, ..damaged_revision(1, &StoreError::Damaged(String::new())) };
        let revision = Change::Revision(1, rmp_serde::to_vec_named(&revision).unwrap().into());
        store.commit(&changes.chain([revision]).collect::<Vec<_>>()).unwrap();
        let bytes = disk.copy();
        for needle in ["reason-2", "text-of-one"] {
            let at = bytes.windows(needle.len()).position(|found| found == needle.as_bytes()).unwrap();
            disk.write(at as u64, b"X").unwrap();
        }
        store.reopen().unwrap();
        let catalogs = StoreArchive(Arc::new(store));
        let query = |user: &str| AuditQuery { limit: 9, user: Some(user.to_owned()), ..AuditQuery::default() };
        let message: Vec<_> =
            catalogs.entries(&query("ann")).iter().map(|entry| (entry.id, entry.code.clone())).collect();
        let damaged = || (2, "DAMAGED".to_owned());
        assert_eq!(message, [(3, String::new()), damaged(), (1, String::new())]);
        assert_eq!(catalogs.entries(&query("sue")).len(), 1, "it may have been hers");
        let one = catalogs.revision(1).unwrap();
        assert!(one.text.is_none() && one.reason.contains("cannot read"), "{one:?}");
    }
}

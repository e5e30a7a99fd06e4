//! The tables of the store, their content, and their changes.

use std::sync::Arc;

use redb::{ReadableTable as _, TableDefinition};
use serde::{Deserialize, Serialize};

use super::frame::{self, Kind};
use super::record::WallTime;
use super::recorder::Volume;
use model::Time;

pub(super) const HEAD: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("head");
pub(super) const RECORDS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("records");
pub(super) const SNAPSHOTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("snapshots");
pub(super) const PARTS: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("parts");
pub(super) const AUDIT: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("audit");
pub(super) const REVISIONS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("revisions");

/// The head of the journal: JSON, so that all versions can read each other's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalHead {
    /// The format version.
    pub format: u32,
    /// The profile of its scheduler.
    pub core: String,
    /// The version that created it.
    pub made_by: String,
}

/// The index of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotIndex {
    /// The scheduler time.
    pub at: Time,
    /// The wall clock.
    pub wall: WallTime,
    /// The number of parts.
    pub parts: u32,
    /// The size in bytes.
    pub bytes: u64,
    /// The work since the start of the journal.
    pub work: u64,
    /// The approximate bytes of records since the start of the journal; zero in version 0.2.
    #[serde(default)]
    pub record_bytes: u64,
}

impl SnapshotIndex {
    /// The recorded volume before the snapshot.
    pub const fn volume(&self) -> Volume {
        Volume { work: self.work, bytes: self.record_bytes }
    }
}

/// A change of the store.
#[derive(Clone, Debug)]
pub enum Change {
    /// Sets the head.
    Head(JournalHead),
    /// Adds framed records from this number on.
    Records(u64, Arc<[u8]>),
    /// Removes the records from this number on.
    CutFrom(u64),
    /// Removes whole blocks of records before this number.
    DropBefore(u64),
    /// Adds a part of a snapshot.
    Part(u64, u32, Arc<[u8]>),
    /// Completes a snapshot.
    Index(u64, SnapshotIndex),
    /// Removes a snapshot.
    DropSnapshot(u64),
    /// Adds an audit entry; existing ones stay.
    Audit(u64, Arc<[u8]>),
    /// Adds a revision of the configuration.
    Revision(u64, Arc<[u8]>),
    /// These entries go.
    DropEntries(EntryTable, Vec<u64>),
}

impl Change {
    pub(super) fn adds(&self) -> Option<(EntryTable, u64)> {
        match self {
            Self::Audit(_, bytes) => Some((EntryTable::Audit, bytes.len() as u64)),
            Self::Revision(_, bytes) => Some((EntryTable::Revisions, bytes.len() as u64)),
            _ => None,
        }
    }
}

/// A table of entries by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryTable {
    /// Who did what, by the number of the entry.
    Audit,
    /// Revisions of the configuration.
    Revisions,
}

impl EntryTable {
    pub(super) const fn table(self) -> TableDefinition<'static, u64, &'static [u8]> {
        match self {
            Self::Audit => AUDIT,
            Self::Revisions => REVISIONS,
        }
    }

    pub(super) const fn kind(self) -> Kind {
        match self {
            Self::Audit => Kind::Audit,
            Self::Revisions => Kind::Revision,
        }
    }
}

pub(super) fn make(write: &redb::WriteTransaction, change: &Change) -> Result<(), redb::Error> {
    match change {
        Change::Head(head) => {
            #[expect(clippy::expect_used, reason = "plain data without a fallible serializer")]
            let text = serde_json::to_vec(head).expect("a head uses only types of JSON");
            write.open_table(HEAD)?.insert("head", &*frame::alone(Kind::Head, 0, 0, &text))?;
        }
        Change::Records(first, frames) => {
            write.open_table(RECORDS)?.insert(first, &**frames)?;
        }
        Change::CutFrom(first) => write.open_table(RECORDS)?.retain_in(*first.., |_, _| false)?,
        Change::DropBefore(first) => {
            let mut table = write.open_table(RECORDS)?;
            // The block that contains it stays.
            let previous = table.range(..=*first)?.next_back().transpose()?.map(|(key, _)| key.value());
            table.retain_in(..previous.unwrap_or(*first), |_, _| false)?;
        }
        Change::Part(key, part, bytes) => {
            let row = frame::alone(Kind::Snapshot, *key, *part, bytes);
            write.open_table(PARTS)?.insert((*key, *part), &*row)?;
        }
        Change::Index(key, index) => {
            #[expect(clippy::expect_used, reason = "plain data without a fallible serializer")]
            let text = rmp_serde::to_vec_named(index).expect("an index uses only types of MessagePack");
            write.open_table(SNAPSHOTS)?.insert(key, &*frame::alone(Kind::Index, *key, 0, &text))?;
        }
        Change::DropSnapshot(key) => {
            write.open_table(SNAPSHOTS)?.remove(key)?;
            write.open_table(PARTS)?.retain_in((*key, 0)..=(*key, u32::MAX), |_, _| false)?;
        }
        Change::Audit(id, entry) => {
            let mut table = write.open_table(AUDIT)?;
            if table.get(id)?.is_none() {
                table.insert(id, &*frame::alone(Kind::Audit, *id, 0, entry))?;
            }
        }
        Change::Revision(number, revision) => {
            write.open_table(REVISIONS)?.insert(number, &*frame::alone(Kind::Revision, *number, 0, revision))?;
        }
        Change::DropEntries(catalog, numbers) => {
            let mut table = write.open_table(catalog.table())?;
            for number in numbers {
                table.remove(number)?;
            }
        }
    }
    Ok(())
}

//! What is in the store, table by table, and how it is changed: everything of one call or nothing.

use std::ops::RangeBounds;
use std::sync::{Arc, PoisonError, RwLock};

use redb::{Builder, Database, ReadableDatabase as _, ReadableTable as _, TableDefinition};
use serde::{Deserialize, Serialize};

use super::disk::{Backend, Disk};
use super::frame::{self, Kind};
use super::record::WallTime;
use crate::model::Time;

const HEAD: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("head");
const RECORDS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("records");
const SNAPSHOTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("snapshots");
const PARTS: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("parts");
const AUDIT: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("audit");
const REVISIONS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("revisions");

/// The version of the journal's format that is written.
pub const FORMAT: u32 = 1;

/// How many bytes of the file are kept in memory.
const CACHE: usize = 64 << 20;

/// What the journal is. Stored as JSON, so that every version can read what another one wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalHead {
    /// The version of its form.
    pub format: u32,
    /// The profile that its scheduler decides by.
    pub core: String,
    /// The version that made it.
    pub made_by: String,
}

/// What is known of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotIndex {
    /// The scheduler's time.
    pub at: Time,
    /// When it was taken.
    pub wall: WallTime,
    /// How many parts it has.
    pub parts: u32,
    /// How many bytes.
    pub bytes: u64,
    /// How much work was replayed since the beginning of the journal.
    pub work: u64,
}

/// One change of the store.
#[derive(Clone, Debug)]
pub enum Change {
    /// What the journal is.
    Head(JournalHead),
    /// Records, framed, from this number on.
    Records(u64, Arc<[u8]>),
    /// No records from this number on.
    CutFrom(u64),
    /// No records before this number, as far as whole blocks of them go.
    DropBefore(u64),
    /// A part of a snapshot.
    Part(u64, u32, Arc<[u8]>),
    /// A snapshot is whole.
    Index(u64, SnapshotIndex),
    /// A snapshot goes.
    DropSnapshot(u64),
    /// An entry of the audit; one that is there stays.
    Audit(u64, Arc<[u8]>),
    /// A revision of the configuration.
    Revision(u64, Arc<[u8]>),
}

/// A table of entries by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryTable {
    /// The audit.
    Audit,
    /// The revisions.
    Revisions,
}

/// An entry of a shelf with its number, if it is as it was written.
pub type EntryRow<T> = (u64, Result<T, StoreError>);

/// Why the store cannot do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk fails.
    #[error("{0}")]
    Disk(String),
    /// Something in it is not as it was written.
    #[error("{0}")]
    Damaged(String),
}

/// Whether an error is about what is in the file, and not about the disk.
fn is_about_content(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

impl From<redb::Error> for StoreError {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::Io(error) if is_about_content(&error) => Self::Damaged(error.to_string()),
            redb::Error::Io(error) => Self::Disk(match error.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
                std::io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
                _ => error.to_string(),
            }),
            redb::Error::PreviousIo => Self::Disk("the disk failed before".to_owned()),
            error => Self::Damaged(error.to_string()),
        }
    }
}

/// The store on a disk.
#[derive(Debug)]
pub struct Store {
    disk: Arc<dyn Disk>,
    /// `None` after a failure, until it is opened again.
    database: RwLock<Option<Database>>,
}

fn open(disk: &Arc<dyn Disk>, check: bool) -> Result<Database, StoreError> {
    let backend = Backend(Arc::clone(disk));
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE).set_check_integrity_on_open(check);
    builder.create_with_backend(backend).map_err(|error| redb::Error::from(error).into())
}

impl Store {
    /// Opens the store on a disk, or makes one where there is nothing.
    ///
    /// # Errors
    /// The disk fails, or what is on it is damaged.
    pub fn open(disk: Arc<dyn Disk>) -> Result<Self, StoreError> {
        let database = open(&disk, true)?;
        Ok(Self { disk, database: RwLock::new(Some(database)) })
    }

    /// The disk that it is on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Opens it again after a failure: what was committed is there, and what was not is not, or whole.
    ///
    /// # Errors
    /// The disk still fails.
    pub fn reopen(&self) -> Result<(), StoreError> {
        let mut database = self.database.write().unwrap_or_else(PoisonError::into_inner);
        // The old one lets go of the file first.
        *database = None;
        *database = Some(open(&self.disk, false)?);
        Ok(())
    }

    /// Lets go of the file. Nothing can be read or written any more.
    pub fn close(&self) {
        *self.database.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Makes changes, all of them or none, and waits until they outlast a power cut.
    ///
    /// # Errors
    /// The disk fails. What is in the store then is reported by [`Store::reopen`].
    pub fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.with(|database| {
            let write = database.begin_write()?;
            for change in changes {
                make(&write, change)?;
            }
            write.commit()?;
            Ok(())
        })
    }

    fn with<T>(&self, act: impl FnOnce(&Database) -> Result<T, redb::Error>) -> Result<T, StoreError> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = database.as_ref().ok_or_else(|| StoreError::Disk("the disk failed before".to_owned()))?;
        Ok(act(database)?)
    }

    /// What the journal is; `None` for one that is new.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn head(&self) -> Result<Option<JournalHead>, StoreError> {
        let text = self.with(|database| {
            let read = database.begin_read()?;
            match read.open_table(HEAD) {
                Ok(table) => Ok(table.get("head")?.map(|value| value.value().to_vec())),
                Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })?;
        let Some(text) = text else { return Ok(None) };
        let head = frame::read(&text).map(|(frame, _)| serde_json::from_slice(frame.content));
        match head {
            Some(Ok(head)) => Ok(Some(head)),
            _ => Err(StoreError::Damaged("the head of the journal is not as it was written".to_owned())),
        }
    }

    /// The whole snapshots, the oldest first.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn snapshots(&self) -> Result<Vec<(u64, SnapshotIndex)>, StoreError> {
        let rows = self.rows(SNAPSHOTS, .., usize::MAX)?;
        rows.iter().map(|(key, row)| Ok((*key, content(Kind::Index, *key, row)?))).collect()
    }

    /// The bytes of a snapshot.
    ///
    /// # Errors
    /// It is not there, or a part of it is damaged.
    pub fn snapshot(&self, key: u64, index: &SnapshotIndex) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::with_capacity(usize::try_from(index.bytes).unwrap_or(0));
        for part in 0..index.parts {
            let row = self.with(|database| {
                let table = database.begin_read()?.open_table(PARTS)?;
                Ok(table.get((key, part))?.map(|value| value.value().to_vec()))
            })?;
            let row = row.unwrap_or_default();
            let intact = frame::read(&row).map(|(frame, _)| frame);
            match intact.filter(|frame| (frame.kind, frame.key, frame.part) == (Kind::Snapshot, key, part)) {
                Some(frame) => bytes.extend(frame.content),
                None => return Err(StoreError::Damaged(format!("part {part} of the snapshot at record {key}"))),
            }
        }
        if bytes.len() as u64 == index.bytes {
            return Ok(bytes);
        }
        Err(StoreError::Damaged(format!("the length of the snapshot at record {key}")))
    }

    /// Some blocks of records, from the one that holds `from` on; empty when there are none.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn blocks(&self, from: u64, most: usize) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        let first = self.with(|database| {
            let read = database.begin_read()?;
            match read.open_table(RECORDS) {
                Ok(table) => {
                    let mut below = table.range(..=from)?;
                    Ok(below.next_back().transpose()?.map_or(from, |(key, _)| key.value()))
                }
                Err(redb::TableError::TableDoesNotExist(_)) => Ok(from),
                Err(error) => Err(error.into()),
            }
        })?;
        self.rows(RECORDS, first.., most)
    }

    /// Looks through the records from this number on, whether they are as they were written and none is missing. They need not be
    /// understood.
    ///
    /// # Errors
    /// Which one is damaged, or that they cannot be read.
    pub fn look_through(&self, from: u64) -> Result<(), StoreError> {
        let mut next = from;
        loop {
            let blocks = self.blocks(next, 256)?;
            let before = next;
            for (first, block) in blocks {
                let mut at = first;
                let whole = frame::read_all(&block, |frame| {
                    at = if frame.kind == Kind::Record && frame.key == at { at + 1 } else { u64::MAX };
                });
                if whole.is_err() || at == u64::MAX || first > next {
                    return Err(StoreError::Damaged(format!("record {} is not as it was written", next.max(first))));
                }
                next = next.max(at);
            }
            if next == before {
                return Ok(());
            }
        }
    }

    /// Entries of a shelf, the newest first, with a number below `before`.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn entries<T: for<'de> Deserialize<'de>>(
        &self,
        shelf: EntryTable,
        before: u64,
        most: usize,
    ) -> Result<Vec<T>, StoreError> {
        self.rows_of(shelf, before, most)?.into_iter().map(|(_, entry)| entry).collect()
    }

    /// The same with their numbers, each by itself: one that is damaged hides no other one.
    ///
    /// # Errors
    /// None of them can be read.
    pub fn rows_of<T: for<'de> Deserialize<'de>>(
        &self,
        shelf: EntryTable,
        before: u64,
        most: usize,
    ) -> Result<Vec<EntryRow<T>>, StoreError> {
        let (table, kind) = match shelf {
            EntryTable::Audit => (AUDIT, Kind::Audit),
            EntryTable::Revisions => (REVISIONS, Kind::Revision),
        };
        let rows = self.with(|database| {
            let read = database.begin_read()?;
            match read.open_table(table) {
                Ok(table) => {
                    let newest = table.range(..before)?.rev().take(most);
                    let rows = newest.map(|row| row.map(|(key, value)| (key.value(), value.value().to_vec())));
                    Ok(rows.collect::<Result<Vec<_>, _>>()?)
                }
                Err(redb::TableError::TableDoesNotExist(_)) => Ok(Vec::new()),
                Err(error) => Err(error.into()),
            }
        })?;
        Ok(rows.iter().map(|(key, row)| (*key, content(kind, *key, row))).collect())
    }

    fn rows(
        &self,
        table: TableDefinition<'static, u64, &'static [u8]>,
        range: impl RangeBounds<u64>,
        most: usize,
    ) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.with(|database| {
            let read = database.begin_read()?;
            match read.open_table(table) {
                Ok(table) => {
                    let rows = table.range(range)?.take(most);
                    let rows = rows.map(|row| row.map(|(key, value)| (key.value(), value.value().to_vec())));
                    Ok(rows.collect::<Result<_, _>>()?)
                }
                Err(redb::TableError::TableDoesNotExist(_)) => Ok(Vec::new()),
                Err(error) => Err(error.into()),
            }
        })
    }
}

/// What is in a row that is one frame.
fn content<T: for<'de> Deserialize<'de>>(kind: Kind, key: u64, row: &[u8]) -> Result<T, StoreError> {
    let frame = frame::read(row).map(|(frame, _)| frame).filter(|frame| (frame.kind, frame.key) == (kind, key));
    let value = frame.and_then(|frame| rmp_serde::from_slice(frame.content).ok());
    value.ok_or_else(|| StoreError::Damaged(format!("entry {key} of {kind:?}")))
}

fn make(write: &redb::WriteTransaction, change: &Change) -> Result<(), redb::Error> {
    match change {
        Change::Head(head) => {
            #[expect(clippy::expect_used, reason = "plain data without a fallible serializer")]
            let text = serde_json::to_vec(head).expect("a head has nothing that JSON lacks");
            write.open_table(HEAD)?.insert("head", &*frame::alone(Kind::Head, 0, 0, &text))?;
        }
        Change::Records(first, frames) => {
            write.open_table(RECORDS)?.insert(first, &**frames)?;
        }
        Change::CutFrom(first) => write.open_table(RECORDS)?.retain_in(*first.., |_, _| false)?,
        Change::DropBefore(first) => {
            let mut table = write.open_table(RECORDS)?;
            // The block that holds it stays.
            let holds = table.range(..=*first)?.next_back().transpose()?.map(|(key, _)| key.value());
            table.retain_in(..holds.unwrap_or(*first), |_, _| false)?;
        }
        Change::Part(key, part, bytes) => {
            let row = frame::alone(Kind::Snapshot, *key, *part, bytes);
            write.open_table(PARTS)?.insert((*key, *part), &*row)?;
        }
        Change::Index(key, index) => {
            #[expect(clippy::expect_used, reason = "plain data without a fallible serializer")]
            let text = rmp_serde::to_vec_named(index).expect("an index has nothing that MessagePack lacks");
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
    }
    Ok(())
}

//! The store: its tables and atomic changes.

use std::ops::RangeBounds;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use redb::{Builder, Database, ReadableDatabase as _, TableDefinition};
use serde::Deserialize;

use super::disk::{Backend, Disk};
use super::frame::{self, Kind};
use super::recorder::space;
use super::tables::{Change, EntryTable, HEAD, JournalHead, PARTS, RECORDS, SNAPSHOTS, SnapshotIndex, make};
use model::messagepack;

/// The written format version.
pub const FORMAT: u32 = 1;

/// Bytes of the file cached in memory.
const CACHE: usize = 4 << 20;

/// Bytes of records that are read at one time. A busy journal has blocks of 100 kB.
pub const AT_ONCE: usize = 1 << 20;

/// The maximum allocation in bytes based on a size in the file; the actual data may be larger.
const MOST_AT_ONCE: usize = 64 << 20;

/// An entry with its number, or its damage.
pub type EntryRow<T> = (u64, Result<T, StoreError>);

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk fails.
    #[error("{0}")]
    Disk(String),
    /// The content is damaged.
    #[error("{0}")]
    Damaged(String),
}

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
            redb::Error::PreviousIo => Self::Disk("the disk has already failed".to_owned()),
            error => Self::Damaged(error.to_string()),
        }
    }
}

/// The store on a disk.
#[derive(Debug)]
pub struct Store {
    disk: Arc<dyn Disk>,
    /// `None` after a failure, until it is reopened.
    database: RwLock<Option<Database>>,
    /// Bytes of audit entries and revisions added since the last check.
    added: [AtomicU64; 2],
}

fn open(disk: &Arc<dyn Disk>, check: bool) -> Result<Database, StoreError> {
    let backend = Backend(Arc::clone(disk));
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE).set_check_integrity_on_open(check);
    builder.create_with_backend(backend).map_err(|error| redb::Error::from(error).into())
}

impl Store {
    /// Opens or creates it.
    ///
    /// # Errors
    /// If the disk fails or the content is damaged.
    pub fn open(disk: Arc<dyn Disk>) -> Result<Self, StoreError> {
        Self::opened(disk, true)
    }

    /// Opens a store with verified content.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub fn open_verified(disk: Arc<dyn Disk>) -> Result<Self, StoreError> {
        Self::opened(disk, false)
    }

    fn opened(disk: Arc<dyn Disk>, check: bool) -> Result<Self, StoreError> {
        let database = open(&disk, check)?;
        // The existing size is unknown.
        let added = [AtomicU64::new(u64::MAX / 2), AtomicU64::new(u64::MAX / 2)];
        Ok(Self { disk, database: RwLock::new(Some(database)), added })
    }

    /// The disk that it is on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Reopens the store after a failure: committed data is present; uncommitted data is missing or complete.
    ///
    /// # Errors
    /// Returns an error if the disk still fails.
    pub fn reopen(&self) -> Result<(), StoreError> {
        let mut database = self.database.write().unwrap_or_else(PoisonError::into_inner);
        // Releases the file first.
        *database = None;
        *database = Some(open(&self.disk, false)?);
        Ok(())
    }

    /// Releases the file and ends access.
    pub fn close(&self) {
        *self.database.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.disk.close();
    }

    /// Applies all changes or none, durably.
    ///
    /// # Errors
    /// Returns an error if the disk fails. [`Store::reopen`] then reads the actual content.
    pub fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.with(|database| {
            let write = database.begin_write()?;
            for change in changes {
                make(&write, change)?;
                if let Some((catalog, bytes)) = change.adds() {
                    self.added(catalog).fetch_add(bytes, Ordering::Relaxed);
                }
            }
            write.commit()?;
            Ok(())
        })
    }

    /// Whether this many bytes of entries were added since this last returned true.
    pub(super) fn has_grown(&self, catalog: EntryTable, bytes: u64) -> bool {
        let added = self.added(catalog);
        let grown = added.load(Ordering::Relaxed) >= bytes;
        if grown {
            added.store(0, Ordering::Relaxed);
        }
        grown
    }

    const fn added(&self, catalog: EntryTable) -> &AtomicU64 {
        match catalog {
            EntryTable::Audit => &self.added[0],
            EntryTable::Revisions => &self.added[1],
        }
    }

    fn with<T>(&self, act: impl FnOnce(&Database) -> Result<T, redb::Error>) -> Result<T, StoreError> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = database.as_ref().ok_or_else(|| StoreError::Disk("the disk has already failed".to_owned()))?;
        Ok(act(database)?)
    }

    /// The head; `None` for a new journal.
    ///
    /// # Errors
    /// Returns an error if it cannot be read.
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
            _ => Err(StoreError::Damaged("the head of the journal is corrupt".to_owned())),
        }
    }

    /// The complete snapshots, the oldest first.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn snapshots(&self) -> Result<Vec<(u64, SnapshotIndex)>, StoreError> {
        let rows = self.rows(SNAPSHOTS, .., usize::MAX)?;
        rows.iter().map(|(key, row)| Ok((*key, content(Kind::Index, *key, row)?))).collect()
    }

    /// The bytes of a snapshot.
    ///
    /// # Errors
    /// Returns an error if it is missing or damaged.
    pub fn snapshot(&self, key: u64, index: &SnapshotIndex) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::with_capacity(usize::try_from(index.bytes).unwrap_or(0).min(MOST_AT_ONCE));
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

    /// Returns blocks of records, starting with the one that contains `from`, until they have this many bytes.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn blocks(&self, from: u64, bytes: usize) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
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
        self.rows(RECORDS, first.., bytes)
    }

    /// The bytes of a record; `None` if it is missing or damaged.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read.
    pub fn record(&self, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let mut found = None;
        for (_, block) in self.blocks(number, 1)? {
            // A reader of all records reports damage.
            let _ = frame::read_all(&block, |frame| {
                if (frame.kind, frame.key) == (Kind::Record, number) {
                    found = Some(frame.content.to_vec());
                }
            });
        }
        Ok(found)
    }

    /// The bytes of the record rows that start in a range of numbers. Reads all of them.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn record_bytes(&self, range: impl RangeBounds<u64>) -> Result<u64, StoreError> {
        Ok(self.sizes(RECORDS, range)?.into_iter().map(|(_, bytes)| bytes).sum())
    }

    /// Verifies that all records from a number on are intact and present, without decoding them.
    ///
    /// # Errors
    /// Returns an error if a record is damaged or cannot be read.
    pub fn look_through(&self, from: u64) -> Result<(), StoreError> {
        let mut next = from;
        loop {
            let blocks = self.blocks(next, AT_ONCE)?;
            let before = next;
            for (first, block) in blocks {
                let mut at = first;
                let whole = frame::read_all(&block, |frame| {
                    at = if frame.kind == Kind::Record && frame.key == at { at + 1 } else { u64::MAX };
                });
                if whole.is_err() || at == u64::MAX || first > next {
                    return Err(StoreError::Damaged(format!("record {} is corrupt", next.max(first))));
                }
                next = next.max(at);
            }
            if next == before {
                return Ok(());
            }
        }
    }

    /// Returns entries with a number below `before`, the newest first.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn entries<T: for<'de> Deserialize<'de>>(
        &self,
        catalog: EntryTable,
        before: u64,
        most: usize,
    ) -> Result<Vec<T>, StoreError> {
        self.rows_of(catalog, before, most)?.into_iter().map(|(_, entry)| entry).collect()
    }

    /// As [`Self::entries`], with numbers and separate results: a damaged entry does not hide others.
    ///
    /// # Errors
    /// Returns an error if none can be read.
    pub fn rows_of<T: for<'de> Deserialize<'de>>(
        &self,
        catalog: EntryTable,
        before: u64,
        most: usize,
    ) -> Result<Vec<EntryRow<T>>, StoreError> {
        let (table, kind) = (catalog.table(), catalog.kind());
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

    /// The numbers and sizes in bytes of all entries, the oldest first.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn entry_sizes(&self, catalog: EntryTable) -> Result<Vec<(u64, u64)>, StoreError> {
        self.sizes(catalog.table(), ..)
    }

    fn sizes(
        &self,
        table: TableDefinition<'static, u64, &'static [u8]>,
        range: impl RangeBounds<u64>,
    ) -> Result<Vec<(u64, u64)>, StoreError> {
        self.with(|database| {
            let read = database.begin_read()?;
            match read.open_table(table) {
                Ok(table) => {
                    let rows = table.range(range)?;
                    let rows = rows.map(|row| row.map(|(key, value)| (key.value(), space(value.value().len()))));
                    Ok(rows.collect::<Result<_, _>>()?)
                }
                Err(redb::TableError::TableDoesNotExist(_)) => Ok(Vec::new()),
                Err(error) => Err(error.into()),
            }
        })
    }

    fn rows(
        &self,
        table: TableDefinition<'static, u64, &'static [u8]>,
        range: impl RangeBounds<u64>,
        bytes: usize,
    ) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.with(|database| {
            let (mut rows, mut size) = (Vec::new(), 0);
            let read = database.begin_read()?;
            let table = match read.open_table(table) {
                Ok(table) => table,
                Err(redb::TableError::TableDoesNotExist(_)) => return Ok(rows),
                Err(error) => return Err(error.into()),
            };
            for row in table.range(range)? {
                let (key, value) = row?;
                size += value.value().len();
                rows.push((key.value(), value.value().to_vec()));
                if size >= bytes {
                    break;
                }
            }
            Ok(rows)
        })
    }
}

fn content<T: for<'de> Deserialize<'de>>(kind: Kind, key: u64, row: &[u8]) -> Result<T, StoreError> {
    let frame = frame::read(row).map(|(frame, _)| frame).filter(|frame| (frame.kind, frame.key) == (kind, key));
    let value = frame.and_then(|frame| messagepack::from_slice(frame.content).ok());
    value.ok_or_else(|| StoreError::Damaged(format!("entry {key} of {kind:?}")))
}

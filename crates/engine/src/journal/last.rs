//! The last written record, in a file next to the journal. If the newest commit is damaged, the store silently falls
//! back to the previous one, and an answered order would be lost; this file detects that.
//!
//! Invariants:
//! - it is written after the journal is synced and before any answer, so it never names an unsaved record;
//! - for orders it is also synced.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::frame::{self, Kind};
use super::refused;
use super::store::{Store, StoreError};
use super::tables::Change;

const FILE: &str = "journal.last";

/// Removes the file of a directory.
///
/// # Errors
/// Returns an error if the file cannot be removed.
pub fn remove(dir: &Path) -> io::Result<()> {
    match std::fs::remove_file(dir.join(FILE)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The file with the last record.
#[derive(Debug)]
pub struct LastFile {
    file: File,
    last: Option<LastRecord>,
    damaged: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct LastRecord {
    number: u64,
    sha256: String,
}

impl LastFile {
    /// Opens or creates it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        Self::read(options.open(dir.join(FILE))?)
    }

    /// Opens the file of a directory read-only; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if it cannot be read.
    pub fn look(dir: &Path) -> io::Result<Option<Self>> {
        match File::open(dir.join(FILE)) {
            Ok(file) => Self::read(file).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(file: File) -> io::Result<Self> {
        let mut text = vec![0; usize::try_from(file.metadata()?.len().min(4096)).map_err(io::Error::other)?];
        file.read_exact_at(&mut text, 0)?;
        let frame = frame::read(&text).map(|(frame, _)| frame).filter(|frame| frame.kind == Kind::Last);
        let last = frame.and_then(|frame| {
            let sha256 = String::from_utf8(frame.content.to_vec()).ok()?;
            Some(LastRecord { number: frame.key, sha256 })
        });
        Ok(Self { damaged: last.is_none() && !text.is_empty(), file, last })
    }

    /// The missing end of a journal, in words, if any.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read.
    pub fn missing(&self, store: &Store) -> Result<Option<String>, StoreError> {
        let Some(LastRecord { number, sha256 }) = &self.last else { return Ok(None) };
        let Some(record) = store.record(*number)? else {
            let text =
                format!("record {number} was written and may have been confirmed, but the journal ends before it");
            return Ok(Some(text));
        };
        let same = refused::digest(&record) == *sha256 || refused::is_of(&record, sha256);
        Ok((!same).then(|| format!("record {number} is not the last written record")))
    }

    /// Whether it names a record.
    pub const fn names_one(&self) -> bool {
        self.last.is_some()
    }

    /// Continues without a lost record.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// The message about a damaged file, if any.
    pub fn note(&self) -> Option<String> {
        let text = format!("{FILE} is damaged: the end of the journal may be missing");
        self.damaged.then_some(text)
    }

    /// Stores the last record of changes that are on disk; `sync` makes it durable.
    ///
    /// # Errors
    /// Returns an error if the write fails.
    pub fn wrote(&mut self, changes: &[Change], sync: bool) -> io::Result<()> {
        let before = self.last.clone();
        for change in changes {
            match change {
                // The next record replaces it.
                Change::CutFrom(first) if self.last.as_ref().is_some_and(|last| last.number >= *first) => {
                    self.last = None
                }
                Change::Records(_, frames) => self.take(frames),
                _ => {}
            }
        }
        let Some(LastRecord { number, sha256 }) = self.last.as_ref().filter(|_| self.last != before) else {
            return Ok(());
        };
        self.file.write_all_at(&frame::alone(Kind::Last, *number, 0, sha256.as_bytes()), 0)?;
        if sync { self.file.sync_data() } else { Ok(()) }
    }

    fn take(&mut self, frames: &[u8]) {
        let Some((number, record)) = frame::last(frames) else { return };
        if self.last.as_ref().is_none_or(|last| last.number <= number) {
            self.last = Some(LastRecord { number, sha256: refused::digest(record) });
        }
    }
}

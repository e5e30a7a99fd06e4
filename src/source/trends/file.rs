//! The file of trends: `trends.redb` in a folder, with `trends.lock` beside it.
//!
//! Who holds the lock writes. The file itself is open only while it is read or written, so that others can read it.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use redb::{Database, ReadableDatabase as _, TableDefinition};

use super::Published;
use crate::model::Time;
use crate::view::trends::{Change, Rings, Write};

/// By partition and key ([`Change::write`]); a partition's name ends at the first 0.
const PAIRS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("trends 1");
/// When a person looked last, in microseconds of the cluster's time.
const LOOKS: TableDefinition<'_, &str, u64> = TableDefinition::new("looks");
const LOOKED: &str = "overview";
/// How much of the file is held in memory while it is open.
const CACHE: usize = 4 << 20;

/// What this process does with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It alone writes.
    Writer,
    /// Another one writes.
    Reader,
}

/// The file, and the lock while this process has it.
#[derive(Debug)]
pub struct File {
    folder: PathBuf,
    path: PathBuf,
    lock: Option<fs::File>,
    /// When the file was changed, as it was read last.
    read: Option<SystemTime>,
    /// When a person looked last, as the file has it.
    looked: Option<Time>,
}

impl File {
    /// The file of a folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), path: folder.join("trends.redb"), lock: None, read: None, looked: None }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When a person looked at the overview last before this process began, by the cluster's time.
    pub fn looked(&self) -> Option<Time> {
        self.looked
    }

    /// Takes the lock, if nobody has it, and reads the file.
    ///
    /// # Errors
    /// The folder or the file cannot be used: why, in words. A damaged file is moved aside by the one who writes.
    pub fn open(&mut self) -> Result<(Role, Published), String> {
        let folder = self.folder.display().to_string();
        let failed = |error: std::io::Error| format!("{folder}: {error}");
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(failed)?;
        let mut options = OpenOptions::new();
        let lock = options.create(true).truncate(false).write(true).mode(0o600);
        let lock = lock.open(self.folder.join("trends.lock")).map_err(failed)?;
        let role = if lock.try_lock().is_ok() { Role::Writer } else { Role::Reader };
        if role == Role::Writer {
            self.lock = Some(lock);
        }
        if !self.path.exists() {
            return Ok((role, Published::new()));
        }
        match self.read() {
            Ok(read) => Ok((role, read)),
            Err(redb::Error::Corrupted(_) | redb::Error::RepairAborted) if role == Role::Writer => {
                let aside = self.path.with_extension("redb.damaged");
                fs::rename(&self.path, &aside).map_err(failed)?;
                tracing::warn!("the trends were damaged, and begin again: the file is {} now", aside.display());
                Ok((role, Published::new()))
            }
            // It is being written just now.
            Err(redb::Error::DatabaseAlreadyOpen) => Ok((role, Published::new())),
            Err(error) => Err(format!("{}: {error}", self.path.display())),
        }
    }

    /// What changed since it was read last; `None` where nothing did. The role is another one when the writer has ended.
    pub fn follow(&mut self) -> Option<(Role, Published)> {
        let changed = fs::metadata(&self.path).and_then(|data| data.modified()).ok();
        if changed != self.read {
            if let Ok(read) = self.read() {
                self.read = changed;
                return Some((Role::Reader, read));
            }
            return None;
        }
        match self.open() {
            Ok((Role::Writer, read)) => Some((Role::Writer, read)),
            _ => None,
        }
    }

    fn database(&self) -> Result<Database, redb::Error> {
        if !self.path.exists() {
            // What was measured is nobody else's business.
            OpenOptions::new().create_new(true).write(true).mode(0o600).open(&self.path)?;
        }
        Ok(redb::Builder::new().set_cache_size(CACHE).create(&self.path)?)
    }

    fn read(&mut self) -> Result<Published, redb::Error> {
        let database = self.database()?;
        let mut all: BTreeMap<Arc<str>, Rings> = BTreeMap::new();
        let read = database.begin_read()?;
        if let Ok(table) = read.open_table(LOOKS) {
            self.looked = table.get(LOOKED)?.map(|at| Time(at.value()));
        }
        let table = match read.open_table(PAIRS) {
            Ok(table) => table,
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(all),
            Err(error) => return Err(error.into()),
        };
        for pair in table.range::<&[u8]>(..)? {
            let (key, value) = pair?;
            let Some((partition, rest)) = split(key.value()) else { continue };
            if !all.contains_key(partition) {
                all.insert(Arc::from(partition), Rings::default());
            }
            if let Some(rings) = all.get_mut(partition) {
                rings.take_pair(rest, value.value());
            }
        }
        Ok(all)
    }

    /// Writes changes and when a person looked last, all of it or nothing; `afresh`: in place of all that is in the file.
    ///
    /// # Errors
    /// Why the file cannot be written, in words.
    pub fn write(&self, changes: &[(Arc<str>, Change)], looked: Option<Time>, afresh: bool) -> Result<(), String> {
        if self.lock.is_none() || (changes.is_empty() && looked.is_none()) {
            return Ok(());
        }
        self.put(changes, looked, afresh).map_err(|error| format!("{}: {error}", self.path.display()))
    }

    fn put(&self, changes: &[(Arc<str>, Change)], looked: Option<Time>, afresh: bool) -> Result<(), redb::Error> {
        let database = self.database()?;
        let write = database.begin_write()?;
        if afresh {
            write.delete_table(PAIRS)?;
        }
        if let Some(at) = looked {
            write.open_table(LOOKS)?.insert(LOOKED, at.0)?;
        }
        {
            let mut table = write.open_table(PAIRS)?;
            for (partition, change) in changes {
                match change.write() {
                    Write::Put(key, value) => drop(table.insert(&*joined(partition, &key), &*value)?),
                    Write::Remove(key) => drop(table.remove(&*joined(partition, &key))?),
                    Write::RemoveAll(begin) => {
                        let begin = joined(partition, &begin);
                        let mut end = begin.clone();
                        end.extend([0xff; 9]);
                        table.retain_in::<&[u8], _>(&*begin..&*end, |_, _| false)?;
                    }
                }
            }
        }
        write.commit()?;
        Ok(())
    }
}

/// A key of a partition.
fn joined(partition: &str, key: &[u8]) -> Vec<u8> {
    [partition.as_bytes(), &[0], key].concat()
}

fn split(key: &[u8]) -> Option<(&str, &[u8])> {
    let end = key.iter().position(|byte| *byte == 0)?;
    Some((std::str::from_utf8(&key[..end]).ok()?, &key[end + 1..]))
}

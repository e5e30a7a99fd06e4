//! The trends file `trends.redb` in a directory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use redb::{Database, ReadableDatabase as _, TableDefinition, WriteTransaction};

use super::Published;
use crate::stored_file::RetainedFile;
pub use crate::stored_file::Role;
use model::Time;
use view::trends::{Change, Rings, Write};

/// By partition and key ([`Change::write`]); the name of a partition ends at the first 0.
const PAIRS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("trends 1");
const VISITS: TableDefinition<'_, &str, u64> = TableDefinition::new("looks");
const LAST_VISIT: &str = "overview";

/// The file, and the lock if this process has it.
#[derive(Debug)]
pub struct File {
    retained: RetainedFile,
    visited: Option<Time>,
}

type Content = (Published, Option<Time>);

impl File {
    /// Returns the file of a directory, unopened.
    pub fn new(dir: &Path) -> Self {
        Self { retained: RetainedFile::new(dir, "trends", "the saved trends"), visited: None }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.retained.path()
    }

    /// The user's last look at the overview before this process started, in cluster time.
    pub fn visited(&self) -> Option<Time> {
        self.visited
    }

    /// The new path of a damaged file.
    pub fn moved_aside(&self) -> Option<&Path> {
        self.retained.moved_aside()
    }

    /// Acquires the lock if it is free, and reads the file.
    ///
    /// # Errors
    /// As [`RetainedFile::open`].
    pub fn open(&mut self) -> Result<(Role, Published), String> {
        let (role, (all, visited)) = self.retained.open(read)?;
        self.visited = visited.or(self.visited);
        Ok((role, all))
    }

    /// Reads the file if it changed since the last read. The role changes when the writer has exited.
    pub fn follow(&mut self) -> Option<(Role, Published)> {
        let (role, (all, visited)) = self.retained.follow(read)?;
        self.visited = visited.or(self.visited);
        Some((role, all))
    }

    /// Writes changes and the last look atomically; `afresh` replaces the whole content.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, changes: &[(Arc<str>, Change)], visited: Option<Time>, recreated: bool) -> Result<(), String> {
        if !self.retained.is_writer() || (changes.is_empty() && visited.is_none()) {
            return Ok(());
        }
        self.retained.write(|write| put(write, changes, visited, recreated))
    }
}

fn read(database: &Database) -> Result<Content, redb::Error> {
    let mut all: BTreeMap<Arc<str>, Rings> = BTreeMap::new();
    let read = database.begin_read()?;
    let mut visited = None;
    if let Ok(table) = read.open_table(VISITS) {
        visited = table.get(LAST_VISIT)?.map(|at| Time(at.value()));
    }
    let table = match read.open_table(PAIRS) {
        Ok(table) => table,
        Err(redb::TableError::TableDoesNotExist(_)) => return Ok((all, visited)),
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
    Ok((all, visited))
}

fn put(
    write: &WriteTransaction,
    changes: &[(Arc<str>, Change)],
    visited: Option<Time>,
    recreated: bool,
) -> Result<(), redb::Error> {
    if recreated {
        write.delete_table(PAIRS)?;
    }
    if let Some(at) = visited {
        write.open_table(VISITS)?.insert(LAST_VISIT, at.0)?;
    }
    let mut table = write.open_table(PAIRS)?;
    for (partition, change) in changes {
        match change.write() {
            Write::Put(key, value) => drop(table.insert(&*joined(partition, &key), &*value)?),
            Write::Remove(key) => drop(table.remove(&*joined(partition, &key))?),
            Write::RemoveAll(start) => {
                let start = joined(partition, &start);
                let mut end = start.clone();
                end.extend([0xff; 9]);
                table.retain_in::<&[u8], _>(&*start..&*end, |_, _| false)?;
            }
        }
    }
    Ok(())
}

fn joined(partition: &str, key: &[u8]) -> Vec<u8> {
    [partition.as_bytes(), &[0], key].concat()
}

fn split(key: &[u8]) -> Option<(&str, &[u8])> {
    let end = key.iter().position(|byte| *byte == 0)?;
    Some((std::str::from_utf8(&key[..end]).ok()?, &key[end + 1..]))
}

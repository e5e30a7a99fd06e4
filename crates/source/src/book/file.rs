//! The ledger file `usage.redb` in the directory of a context.
//!
//! Three tables: a head, the hours by number, and the usage of ended allocations by application. Values are
//! MessagePack.

use std::path::Path;

use redb::{
    Builder, Database, ReadableDatabase as _, ReadableTable as _, TableDefinition, TableError, WriteTransaction,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::stored_file::Role;
use crate::stored_file::{RetainedFile, damaged, is_damage};
use ledger::followed::saved::{Ended, Head, Moment, SavedHour, Write};
use model::{AppId, messagepack};

const HEAD: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("usage head 1");
const HOURS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("usage hours 1");
const ENDED: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("usage ended 1");
const ONLY: &str = "head";

/// The file, and the lock if this process has it.
#[derive(Debug)]
pub struct File(RetainedFile);

impl File {
    /// Returns the file of a directory, unopened.
    pub fn new(dir: &Path) -> Self {
        Self(RetainedFile::new(dir, "usage", "the usage ledger"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The new path of a damaged file.
    pub fn moved_aside(&self) -> Option<&Path> {
        self.0.moved_aside()
    }

    /// Acquires the lock if it is free, and reads the file.
    ///
    /// # Errors
    /// As [`RetainedFile::open`].
    pub fn open(&mut self) -> Result<(Role, Option<Moment>), String> {
        self.0.open(read)
    }

    /// Reads the file if it changed since the last read. The role changes when the writer has exited.
    pub fn follow(&mut self) -> Option<(Role, Option<Moment>)> {
        self.0.follow(read)
    }

    /// Writes the differences atomically; without `before`, everything.
    pub fn write(&self, moment: &Moment, before: Option<&Moment>) -> Result<(), String> {
        if !self.0.is_writer() {
            return Ok(());
        }
        let (nothing, recreated) = (Moment::default(), before.is_none());
        let changes = moment.changes(before.unwrap_or(&nothing));
        self.0.write(|write| put(write, &moment.head, &changes, recreated))
    }
}

/// `None` without a file.
pub fn read_retained(dir: &Path) -> Result<Option<Moment>, String> {
    let path = dir.join("usage.redb");
    if !path.exists() {
        return Ok(None);
    }
    let failed = |error: redb::Error| match is_damage(&error) {
        true => damaged(&path, &error),
        false => format!("{}: {error}", path.display()),
    };
    // A writer keeps it open for milliseconds.
    for _ in 0..50 {
        match Builder::new().set_check_integrity_on_open(true).open(&path) {
            Ok(database) => return read(&database).map_err(failed),
            Err(redb::DatabaseError::DatabaseAlreadyOpen) => std::thread::sleep(std::time::Duration::from_millis(20)),
            Err(error) => return Err(failed(error.into())),
        }
    }
    Err(format!("{} is open in another process", path.display()))
}

fn read(database: &Database) -> Result<Option<Moment>, redb::Error> {
    let read = database.begin_read()?;
    let head = match read.open_table(HEAD) {
        Ok(table) => table,
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Some(head) = head.get(ONLY)?.map(|head| decoded::<Head>(head.value())).transpose()? else { return Ok(None) };
    let (mut hours, mut ended) = (Vec::new(), Vec::new());
    for pair in read.open_table(HOURS)?.iter()? {
        let (number, hour) = pair?;
        hours.push((number.value(), decoded::<SavedHour>(hour.value())?));
    }
    for pair in read.open_table(ENDED)?.iter()? {
        let (app, used) = pair?;
        ended.push((AppId::from(app.value()), decoded::<Ended>(used.value())?));
    }
    Ok(Some(Moment::restored(head, hours, ended)))
}

fn put(write: &WriteTransaction, head: &Head, changes: &[Write], recreated: bool) -> Result<(), redb::Error> {
    if recreated {
        write.delete_table(HOURS)?;
        write.delete_table(ENDED)?;
    }
    write.open_table(HEAD)?.insert(ONLY, &*encoded(head)?)?;
    let (mut hours, mut ended) = (write.open_table(HOURS)?, write.open_table(ENDED)?);
    for change in changes {
        match change {
            Write::Hour(number, Some(hour)) => drop(hours.insert(number, &*encoded(hour)?)?),
            Write::Hour(number, None) => drop(hours.remove(number)?),
            Write::Ended(app, Some(used)) => drop(ended.insert(app.as_str(), &*encoded(used)?)?),
            Write::Ended(app, None) => drop(ended.remove(app.as_str())?),
        }
    }
    Ok(())
}

fn encoded<T: Serialize>(value: &T) -> Result<Vec<u8>, redb::Error> {
    rmp_serde::to_vec(value).map_err(|error| redb::Error::Io(std::io::Error::other(error)))
}

fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, redb::Error> {
    messagepack::from_slice(bytes).map_err(|error| redb::Error::Corrupted(error.to_string()))
}

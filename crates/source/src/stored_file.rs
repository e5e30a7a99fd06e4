//! A file of a context or state directory with one writer process and many readers: `NAME.redb`, with `NAME.lock`.
//!
//! The owner of the lock writes. The file is open only during a read or write, so that others can read it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use engine::file_lock::FileLock;
use redb::{Database, WriteTransaction};

/// Bytes of the file cached while it is open.
const CACHE: usize = 4 << 20;

/// The number of retries while a reader has the file open, and the pause before each.
const READER_TRIES: u32 = 50;
const READER_PAUSE: Duration = Duration::from_millis(20);

/// The role of this process for the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// This process writes.
    Writer,
    /// Another process writes.
    Reader,
}

/// The file, and the lock if this process has it.
#[derive(Debug)]
pub struct RetainedFile {
    dir: PathBuf,
    path: PathBuf,
    /// The name of the content in messages.
    what: &'static str,
    lock: Option<FileLock>,
    aside: Option<PathBuf>,
    read: Option<SystemTime>,
}

/// Whether an error is about the content, not the disk.
pub fn is_damage(error: &redb::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error {
        redb::Error::Corrupted(_) | redb::Error::RepairAborted => true,
        redb::Error::Io(error) => matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof),
        _ => false,
    }
}

/// The message about a damaged file.
pub fn damaged(path: &Path, error: &redb::Error) -> String {
    format!("{} is damaged: {error}; the next start moves it aside and starts a new file", path.display())
}

impl RetainedFile {
    /// Returns a file of a directory, unopened; `what` names the content in messages.
    pub fn new(dir: &Path, name: &str, what: &'static str) -> Self {
        let path = dir.join(format!("{name}.redb"));
        Self { dir: dir.to_owned(), path, what, lock: None, aside: None, read: None }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Acquires the lock if it is free, and reads the file. A writer moves a damaged file aside.
    ///
    /// # Errors
    /// Returns an error if the directory or the file is unusable.
    pub fn open<T: Default>(
        &mut self,
        read: impl FnOnce(&Database) -> Result<T, redb::Error>,
    ) -> Result<(Role, T), String> {
        let dir = self.dir.display().to_string();
        let failed = |error: std::io::Error| format!("{dir}: {error}");
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir).map_err(failed)?;
        if self.lock.is_none() {
            self.lock = FileLock::take(&self.path.with_extension("lock")).map_err(failed)?;
        }
        let role = if self.is_writer() { Role::Writer } else { Role::Reader };
        if !self.path.exists() {
            return Ok((role, T::default()));
        }
        // A writer must not continue without the data.
        let database = if role == Role::Writer { self.database_soon(true) } else { self.database(true) };
        match database.and_then(|database| read(&database)) {
            Ok(read) => Ok((role, read)),
            Err(error) if role == Role::Writer && is_damage(&error) => {
                let aside = self.path.with_extension("redb.damaged");
                fs::rename(&self.path, &aside).map_err(failed)?;
                tracing::warn!("{} was damaged; moved to {} and started a new file", self.what, aside.display());
                self.aside = Some(aside);
                Ok((role, T::default()))
            }
            Err(error) if is_damage(&error) => Err(damaged(&self.path, &error)),
            // It is being written now.
            Err(redb::Error::DatabaseAlreadyOpen) if role == Role::Reader => Ok((role, T::default())),
            Err(error) => Err(format!("{}: {error}", self.path.display())),
        }
    }

    /// Reads the file if it changed since the last read. The role changes when the writer has exited.
    pub fn follow<T: Default>(&mut self, read: impl FnOnce(&Database) -> Result<T, redb::Error>) -> Option<(Role, T)> {
        let changed = fs::metadata(&self.path).and_then(|data| data.modified()).ok();
        if changed != self.read {
            if let Ok(read) = self.database(true).and_then(|database| read(&database)) {
                self.read = changed;
                return Some((Role::Reader, read));
            }
            return None;
        }
        match self.open(read) {
            Ok((Role::Writer, read)) => Some((Role::Writer, read)),
            _ => None,
        }
    }

    /// The new path of a damaged file; the content restarts.
    pub fn moved_aside(&self) -> Option<&Path> {
        self.aside.as_deref()
    }

    /// Whether this process is the writer.
    pub const fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    /// With `check`, damaged pages are an error, not a panic.
    fn database(&self, check: bool) -> Result<Database, redb::Error> {
        if !self.path.exists() {
            // Measurements are private to the owner.
            OpenOptions::new().create_new(true).write(true).mode(0o600).open(&self.path)?;
        } else if fs::metadata(&self.path)?.len() == 0 {
            // The store would initialize it.
            return Err(match self.is_writer() {
                true => redb::Error::Corrupted("the file is empty".to_owned()),
                false => redb::Error::DatabaseAlreadyOpen,
            });
        }
        Ok(redb::Builder::new().set_cache_size(CACHE).set_check_integrity_on_open(check).create(&self.path)?)
    }

    fn database_soon(&self, check: bool) -> Result<Database, redb::Error> {
        for _ in 0..READER_TRIES {
            match self.database(check) {
                Err(redb::Error::DatabaseAlreadyOpen) => std::thread::sleep(READER_PAUSE),
                opened => return opened,
            }
        }
        self.database(check)
    }

    /// Writes atomically.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, put: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>) -> Result<(), String> {
        let written = || {
            self.lock.as_ref().map_or(Ok(()), FileLock::keep)?;
            let write = self.database_soon(false)?.begin_write()?;
            put(&write)?;
            write.commit()?;
            Ok(())
        };
        written().map_err(|error: redb::Error| format!("{}: {error}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::{ReadableDatabase as _, ReadableTable as _, TableDefinition};

    const TABLE: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("rows");
    const ROWS: u64 = 60;

    fn rows(database: &Database) -> Result<u64, redb::Error> {
        let table = database.begin_read()?.open_table(TABLE)?;
        table.iter()?.try_fold(0, |rows, row| row.map(|_| rows + 1).map_err(Into::into))
    }

    #[test]
    fn each_damaged_page_is_noticed_by_whoever_reads() {
        let dir = std::env::temp_dir().join(format!("kornsole-pages-{}", std::process::id()));
        let mut writer = RetainedFile::new(&dir, "rows", "the rows");
        assert_eq!(writer.open(rows), Ok((Role::Writer, 0)));
        for row in 0..ROWS {
            let put = |write: &WriteTransaction| {
                write.open_table(TABLE)?.insert(row, &*vec![7; 700])?;
                Ok(())
            };
            writer.write(put).unwrap();
        }
        drop(writer);
        let path = dir.join("rows.redb");
        let whole = fs::read(&path).unwrap();
        let mut noticed = 0;
        for from in (0..whole.len()).step_by(4096) {
            let mut bytes = whole.clone();
            bytes[from..(from + 4096).min(whole.len())].fill(0);
            fs::write(&path, &bytes).unwrap();
            let mut opened = RetainedFile::new(&dir, "rows", "the rows");
            let (_, read) = opened.open(rows).unwrap();
            let aside = opened.moved_aside().is_some();
            assert_eq!(read, if aside { 0 } else { ROWS }, "page {from}");
            noticed += usize::from(aside);
        }
        assert!(noticed > 5, "{noticed} pages");
        fs::remove_dir_all(&dir).unwrap();
    }
}

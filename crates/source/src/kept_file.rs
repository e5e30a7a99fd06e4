//! A file of one context or state directory that one process writes and others read: `NAME.redb`, with `NAME.lock` next to it.
//!
//! Who holds the lock writes. The file itself is open only while it is read or written, so that others can read it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use engine::file_lock::FileLock;
use redb::{Database, WriteTransaction};

/// How much of the file is held in memory while it is open.
const CACHE: usize = 4 << 20;

/// How often it is tried again while someone reads the file, and the pause before that.
const READER_TRIES: u32 = 50;
const READER_PAUSE: Duration = Duration::from_millis(20);

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
pub struct RetainedFile {
    folder: PathBuf,
    path: PathBuf,
    /// What is in it, as messages call it.
    what: &'static str,
    lock: Option<FileLock>,
    /// Where a damaged file is that this process has moved aside.
    aside: Option<PathBuf>,
    /// When the file was changed, as it was read last.
    read: Option<SystemTime>,
}

/// Whether an error is about what is in the file, and not about the disk.
pub fn is_damage(error: &redb::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error {
        redb::Error::Corrupted(_) | redb::Error::RepairAborted => true,
        redb::Error::Io(error) => matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof),
        _ => false,
    }
}

/// What is reported of a file that is damaged.
pub fn damaged(path: &Path, error: &redb::Error) -> String {
    format!("{} is damaged: {error}; the next start moves it aside and starts a new file", path.display())
}

impl RetainedFile {
    /// The file of this name in a directory; `what`: how messages call what is in it.
    pub fn new(folder: &Path, name: &str, what: &'static str) -> Self {
        let path = folder.join(format!("{name}.redb"));
        Self { folder: folder.to_owned(), path, what, lock: None, aside: None, read: None }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the lock, if no one has it, and reads the file.
    ///
    /// # Errors
    /// The directory or the file cannot be used: why, in words. A damaged file is moved aside by the one who writes.
    pub fn open<T: Default>(
        &mut self,
        read: impl FnOnce(&Database) -> Result<T, redb::Error>,
    ) -> Result<(Role, T), String> {
        let folder = self.folder.display().to_string();
        let failed = |error: std::io::Error| format!("{folder}: {error}");
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(failed)?;
        if self.lock.is_none() {
            self.lock = FileLock::take(&self.path.with_extension("lock")).map_err(failed)?;
        }
        let role = if self.is_writer() { Role::Writer } else { Role::Reader };
        if !self.path.exists() {
            return Ok((role, T::default()));
        }
        // To who writes nothing is as good as what is there: a reader has it open for milliseconds.
        let database = if role == Role::Writer { self.database_soon() } else { self.database() };
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
            // It is being written just now.
            Err(redb::Error::DatabaseAlreadyOpen) if role == Role::Reader => Ok((role, T::default())),
            Err(error) => Err(format!("{}: {error}", self.path.display())),
        }
    }

    /// What changed since it was read last; `None` where nothing did. The role is another one when the writer has ended.
    pub fn follow<T: Default>(&mut self, read: impl FnOnce(&Database) -> Result<T, redb::Error>) -> Option<(Role, T)> {
        let changed = fs::metadata(&self.path).and_then(|data| data.modified()).ok();
        if changed != self.read {
            if let Ok(read) = self.database().and_then(|database| read(&database)) {
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

    /// Where a damaged file is that was there before: all restarts.
    pub fn moved_aside(&self) -> Option<&Path> {
        self.aside.as_deref()
    }

    /// Whether this process may write it.
    pub const fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    fn database(&self) -> Result<Database, redb::Error> {
        if !self.path.exists() {
            // What was measured is no one else's business.
            OpenOptions::new().create_new(true).write(true).mode(0o600).open(&self.path)?;
        } else if fs::metadata(&self.path)?.len() == 0 {
            // The store would take it for a new one. It is one for a moment, of a process that makes it.
            return Err(match self.is_writer() {
                true => redb::Error::Corrupted("the file is empty".to_owned()),
                false => redb::Error::DatabaseAlreadyOpen,
            });
        }
        Ok(redb::Builder::new().set_cache_size(CACHE).create(&self.path)?)
    }

    /// The same, once no one reads it.
    fn database_soon(&self) -> Result<Database, redb::Error> {
        for _ in 0..READER_TRIES {
            match self.database() {
                Err(redb::Error::DatabaseAlreadyOpen) => std::thread::sleep(READER_PAUSE),
                opened => return opened,
            }
        }
        self.database()
    }

    /// Writes, all of it or nothing.
    ///
    /// # Errors
    /// Why the file cannot be written, in words.
    pub fn write(&self, put: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>) -> Result<(), String> {
        let written = || {
            self.lock.as_ref().map_or(Ok(()), FileLock::keep)?;
            let write = self.database_soon()?.begin_write()?;
            put(&write)?;
            write.commit()?;
            Ok(())
        };
        written().map_err(|error: redb::Error| format!("{}: {error}", self.path.display()))
    }
}

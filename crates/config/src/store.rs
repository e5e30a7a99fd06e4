//! Storing a text so that, whatever fails, the file always has the complete old or new text.
//!
//! A temporary file in the same directory is written and synced, gets the owner and mode of the old file, and is
//! renamed over it; then the directory is synced. A symbolic link is kept, and its target is replaced.
//!
//! Invariants:
//! - an error before the rename leaves the old file unchanged and no temporary file;
//! - after [`Prepared::commit`] returns, the new text survives a power failure.
//!
//! Known limits: extended attributes, access lists, and other hard links are not preserved. A killed process can leave
//! a temporary file; [`sweep`] removes it.

mod disk;
mod sweep;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use self::disk::Disk;
pub use self::sweep::sweep;

/// Replaces or creates a file.
///
/// # Errors
/// See [`StoreError::replaced`].
pub fn store(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    prepare(&Disk, path, text)?.commit()
}

/// Does the same; only the owner can read and write a new file.
///
/// # Errors
/// The error of the first failed step, as in [`store`].
pub fn store_private(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    prepare_as(&Disk, path, text, true)?.commit()
}

/// The system calls of storing, so that tests can make each of them fail.
pub trait FileSystem {
    /// An open file.
    type File;

    /// Returns the target of a symbolic link; an error if it is not a link.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// Returns the metadata of a file.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// Creates a new file and locks it until it is closed. Only the owner can read a private one.
    fn create(&self, path: &Path, private: bool) -> io::Result<Self::File>;
    /// Writes some of the bytes.
    fn write(&self, file: &mut Self::File, bytes: &[u8]) -> io::Result<usize>;
    /// Sets the owner and the group.
    fn set_owner(&self, file: &Self::File, user: u32, group: u32) -> io::Result<()>;
    /// Sets the permission bits.
    fn set_mode(&self, file: &Self::File, mode: u32) -> io::Result<()>;
    /// Waits until the data is on the disk.
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    /// Replaces a file by another atomically.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Waits until the directory is on the disk.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Removes a file; an error if it does not exist.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The preserved metadata of the old file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Whether it is a regular file.
    pub is_file: bool,
    /// The permission bits of `chmod`.
    pub mode: u32,
    /// The user ID of the owner.
    pub user: u32,
    /// The group ID.
    pub group: u32,
}

/// Why a text was not stored.
#[derive(Debug)]
pub struct StoreError {
    /// The file, with symbolic links resolved.
    pub path: PathBuf,
    /// The step that failed.
    pub step: StoreStep,
    /// The error of the operating system.
    pub source: io::Error,
}

/// The steps of storing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreStep {
    /// Resolving symbolic links and reading the metadata.
    Look,
    /// Creating the temporary file.
    Create,
    /// Writing the temporary file.
    Write,
    /// Setting the owner and mode.
    Keep,
    /// Syncing it to the disk.
    Sync,
    /// Replacing the old file.
    Rename,
    /// Syncing the directory.
    SyncDir,
}

impl StoreError {
    /// Whether the file has the new text; only its survival of a power failure is unknown.
    pub fn replaced(&self) -> bool {
        self.step == StoreStep::SyncDir
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if self.replaced() {
            write!(f, "{path} is replaced, but a power cut may restore the old file: ")?;
        } else {
            write!(f, "{path} is unchanged: ")?;
        }
        f.write_str(match self.step {
            StoreStep::Look => "cannot read its metadata",
            StoreStep::Create => "cannot create a file in its directory",
            StoreStep::Write => "cannot write the new text",
            StoreStep::Keep => "cannot copy owner and mode to the new file",
            StoreStep::Sync => "cannot sync the new text to disk",
            StoreStep::Rename => "cannot replace the file",
            StoreStep::SyncDir => "cannot sync its directory",
        })?;
        match self.source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => f.write_str(": the disk is full"),
            io::ErrorKind::ReadOnlyFilesystem => f.write_str(": the file system is read-only"),
            io::ErrorKind::PermissionDenied => f.write_str(": permission denied"),
            _ => write!(f, ": {}", self.source),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Dropping it removes the temporary file.
#[must_use = "the file is replaced by `commit`"]
pub struct Prepared<'f, F: FileSystem> {
    files: &'f F,
    /// Kept open, so that [`sweep`] does not remove the file.
    file: F::File,
    temporary: PathBuf,
    path: PathBuf,
    committed: bool,
}

/// Writes and syncs a temporary file, so that failures happen before any decision.
///
/// # Errors
/// The failed step; the file is unchanged.
pub fn prepare<'f, F: FileSystem>(files: &'f F, path: &Path, text: &[u8]) -> Result<Prepared<'f, F>, StoreError> {
    prepare_as(files, path, text, false)
}

fn prepare_as<'f, F: FileSystem>(
    files: &'f F,
    path: &Path,
    text: &[u8],
    private: bool,
) -> Result<Prepared<'f, F>, StoreError> {
    let path = follow(files, path)?;
    let failed = |step| {
        let path = path.clone();
        move |source| StoreError { path, step, source }
    };
    let old = match files.metadata(&path) {
        Ok(old) if old.is_file => Some(old),
        Ok(_) => return Err(failed(StoreStep::Look)(io::Error::other("it is not a regular file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(StoreStep::Look)(error)),
    };
    let (temporary, file) = create(files, &path, private || old.is_some()).map_err(failed(StoreStep::Create))?;
    // From here on a failure removes the temporary file.
    let mut prepared = Prepared { files, file, temporary, path: path.clone(), committed: false };
    write_all(files, &mut prepared.file, text).map_err(failed(StoreStep::Write))?;
    if let Some(old) = old {
        // The mode last: a change of the owner can clear bits of it.
        files
            .set_owner(&prepared.file, old.user, old.group)
            .and_then(|()| files.set_mode(&prepared.file, old.mode))
            .map_err(failed(StoreStep::Keep))?;
    }
    files.sync(&prepared.file).map_err(failed(StoreStep::Sync))?;
    Ok(prepared)
}

impl<F: FileSystem> Prepared<'_, F> {
    /// Replaces the old text.
    ///
    /// # Errors
    /// The failed step; see [`StoreError::replaced`].
    pub fn commit(mut self) -> Result<(), StoreError> {
        let failed = |step| {
            let path = self.path.clone();
            move |source| StoreError { path, step, source }
        };
        self.files.rename(&self.temporary, &self.path).map_err(failed(StoreStep::Rename))?;
        self.committed = true;
        self.files.sync_dir(dir(&self.path)).map_err(failed(StoreStep::SyncDir))
    }
}

impl<F: FileSystem> Drop for Prepared<'_, F> {
    fn drop(&mut self) {
        if !self.committed {
            // The error is ignored: a leftover file is never read.
            let _removed = self.files.remove(&self.temporary);
        }
    }
}

fn follow(files: &impl FileSystem, path: &Path) -> Result<PathBuf, StoreError> {
    const MOST: usize = 40;
    let mut here = path.to_path_buf();
    for _ in 0..MOST {
        match files.read_link(&here) {
            Ok(there) => here = dir(&here).join(there),
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(here);
            }
            Err(source) => return Err(StoreError { path: here, step: StoreStep::Look, source }),
        }
    }
    Err(StoreError { path: here, step: StoreStep::Look, source: io::Error::other("too many symbolic links") })
}

fn dir(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if dir.as_os_str().is_empty() => Path::new("."),
        Some(dir) => dir,
        None => Path::new("/"),
    }
}

fn create<F: FileSystem>(files: &F, path: &Path, private: bool) -> io::Result<(PathBuf, F::File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const TRIES: u32 = 100;
    let name = path.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
    let mut last = None;
    for _ in 0..TRIES {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{}.new", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = dir(path).join(temporary);
        match files.create(&temporary, private) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into()))
}

fn write_all<F: FileSystem>(files: &F, file: &mut F::File, mut text: &[u8]) -> io::Result<()> {
    while !text.is_empty() {
        match files.write(file, text) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => text = text.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

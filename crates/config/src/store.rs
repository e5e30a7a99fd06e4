//! Storing a text so that at any moment, whatever fails, the file holds the whole old text or the whole new one.
//!
//! A temporary file in the same directory is written and synced, takes the owner and mode of the old file, and is renamed
//! over it; then the directory is synced. A symbolic link stays: what it leads to is replaced.
//!
//! Invariants:
//! - an error before the rename leaves the old file unchanged, and no temporary file;
//! - once [`Prepared::commit`] is back, the new text outlasts a power cut.
//!
//! Known limits: extended attributes and access lists of the file system are not carried over, and other hard links of the
//! file keep the old text. A process that is killed can leave a temporary file, which nothing reads; [`sweep`] removes it.

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

/// Replaces the text of a file, or makes a new file.
///
/// # Errors
/// Why the file is unchanged; or, when only the last step failed, that the new text may not outlast a power cut.
pub fn store(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    prepare(&Disk, path, text)?.commit()
}

/// The same, but a new file can be read and written by its owner only.
///
/// # Errors
/// The error of the first step that failed, as [`store`] reports it.
pub fn store_private(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    prepare_as(&Disk, path, text, true)?.commit()
}

/// The calls that storing makes, so that tests can let each of them fail.
pub trait FileSystem {
    /// A file that is open for writing.
    type File;

    /// Where a symbolic link leads; an error when this is none.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// What is known of a file.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// Makes a file that is not there yet, and holds it until it is closed. A private one can be read by its owner only.
    fn create(&self, path: &Path, private: bool) -> io::Result<Self::File>;
    /// Writes some bytes, perhaps not all.
    fn write(&self, file: &mut Self::File, bytes: &[u8]) -> io::Result<usize>;
    /// Returns the file an owner and a group.
    fn set_owner(&self, file: &Self::File, user: u32, group: u32) -> io::Result<()>;
    /// Returns the file its permission bits.
    fn set_mode(&self, file: &Self::File, mode: u32) -> io::Result<()>;
    /// Waits until all that was written is on the disk.
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    /// Puts a file instead of another, in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Waits until the names in a directory are on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes a file; it is an error when there is none.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// What is kept of the old file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Whether it is an ordinary file, not a directory or a device.
    pub is_file: bool,
    /// The permission bits, as `chmod` takes them.
    pub mode: u32,
    /// The user id of the owner.
    pub user: u32,
    /// The id of the group.
    pub group: u32,
}

/// Why a text was not stored.
#[derive(Debug)]
pub struct StoreError {
    /// The file, symbolic links followed.
    pub path: PathBuf,
    /// The step that failed.
    pub step: StoreStep,
    /// The error of the operating system.
    pub source: io::Error,
}

/// The steps of storing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreStep {
    /// Following symbolic links and looking at the old file.
    Look,
    /// Making the temporary file.
    Create,
    /// Writing the temporary file.
    Write,
    /// Giving it the owner and mode of the old one.
    Keep,
    /// Waiting for it to be on the disk.
    Sync,
    /// Putting it instead of the old one.
    Rename,
    /// Waiting for that to be on the disk.
    SyncFolder,
}

impl StoreError {
    /// Whether the file holds the new text already; only whether that outlasts a power cut is unknown.
    pub fn replaced(&self) -> bool {
        self.step == StoreStep::SyncFolder
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
            StoreStep::Rename => "cannot replace it",
            StoreStep::SyncFolder => "cannot sync its directory",
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

/// A text that is on the disk next to the file it is for. When this is dropped, it no longer exists again.
#[must_use = "the file is replaced by `commit`"]
pub struct Prepared<'f, F: FileSystem> {
    files: &'f F,
    /// Held, so that no one takes it for what a killed process left.
    file: F::File,
    temporary: PathBuf,
    path: PathBuf,
    committed: bool,
}

/// Writes and syncs a text next to the file it is for, so that what can fail has failed before anything is decided.
///
/// # Errors
/// Why it cannot be; the file is unchanged.
pub fn prepare<'f, F: FileSystem>(files: &'f F, path: &Path, text: &[u8]) -> Result<Prepared<'f, F>, StoreError> {
    prepare_as(files, path, text, false)
}

/// The same; `private` makes a new file readable by its owner alone.
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
    // From here on the temporary file goes when anything fails.
    let mut prepared = Prepared { files, file, temporary, path: path.clone(), committed: false };
    write_all(files, &mut prepared.file, text).map_err(failed(StoreStep::Write))?;
    if let Some(old) = old {
        // The mode last: a change of the owner can take bits of it away.
        files
            .set_owner(&prepared.file, old.user, old.group)
            .and_then(|()| files.set_mode(&prepared.file, old.mode))
            .map_err(failed(StoreStep::Keep))?;
    }
    files.sync(&prepared.file).map_err(failed(StoreStep::Sync))?;
    Ok(prepared)
}

impl<F: FileSystem> Prepared<'_, F> {
    /// Puts the text instead of the old one.
    ///
    /// # Errors
    /// Why it cannot be; see [`StoreError::replaced`].
    pub fn commit(mut self) -> Result<(), StoreError> {
        let failed = |step| {
            let path = self.path.clone();
            move |source| StoreError { path, step, source }
        };
        self.files.rename(&self.temporary, &self.path).map_err(failed(StoreStep::Rename))?;
        self.committed = true;
        self.files.sync_folder(folder(&self.path)).map_err(failed(StoreStep::SyncFolder))
    }
}

impl<F: FileSystem> Drop for Prepared<'_, F> {
    fn drop(&mut self) {
        if !self.committed {
            // The error is dropped: no one waits for it, and a file that stays behind is never read.
            let _removed = self.files.remove(&self.temporary);
        }
    }
}

/// Follows symbolic links, to a file that need not be there.
fn follow(files: &impl FileSystem, path: &Path) -> Result<PathBuf, StoreError> {
    const MOST: usize = 40;
    let mut here = path.to_path_buf();
    for _ in 0..MOST {
        match files.read_link(&here) {
            Ok(there) => here = folder(&here).join(there),
            // No link, or nothing at all.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(here);
            }
            Err(source) => return Err(StoreError { path: here, step: StoreStep::Look, source }),
        }
    }
    Err(StoreError { path: here, step: StoreStep::Look, source: io::Error::other("too many symbolic links") })
}

/// The directory that a file is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("/"),
    }
}

/// Makes a temporary file that no other process and no other call uses.
fn create<F: FileSystem>(files: &F, path: &Path, private: bool) -> io::Result<(PathBuf, F::File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const TRIES: u32 = 100;
    let name = path.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
    let mut last = None;
    for _ in 0..TRIES {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{}.new", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = folder(path).join(temporary);
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

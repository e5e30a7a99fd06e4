//! The file of the store behind a trait, so that tests can use a disk that fails or forgets.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// A disk of the store.
pub trait Disk: Debug + Send + Sync {
    /// The length of the file in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Whether the file is empty.
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|len| len == 0)
    }
    /// Reads all of `out`, or fails.
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;
    /// Extends the file with zeros, or truncates it.
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Writes `data`; a failure may leave a part written.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()>;
    /// Waits until all writes are durable.
    fn sync(&self) -> io::Result<()>;
    /// Ends access: another process may own the file afterwards.
    fn close(&self) {}
}

/// A file owned by this process.
#[derive(Debug)]
pub struct FileDisk {
    file: File,
    len: AtomicU64,
    /// Another process changed it; its content is unknown.
    foreign: AtomicBool,
    place: OnceLock<PathBuf>,
}

impl FileDisk {
    /// Opens or creates a file with access for its owner only, and locks it.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened; [`io::ErrorKind::WouldBlock`] if another process has it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        lock(&file)?;
        let len = AtomicU64::new(file.metadata()?.len());
        Ok(Self { file, len, foreign: AtomicBool::new(false), place: OnceLock::new() })
    }

    /// Returns the same file with writes in memory only.
    ///
    /// # Errors
    /// Returns an error if the handle cannot be cloned.
    pub fn overlay(&self) -> io::Result<Overlay> {
        Overlay::over(self.file.try_clone()?)
    }

    /// Makes every sync check that the file is still at this path.
    pub fn stays_at(&self, path: &Path) {
        // Called once.
        let _ = self.place.set(path.to_owned());
    }

    /// Fails if moved, replaced, or changed.
    fn check_place(&self) -> io::Result<()> {
        let Some(place) = self.place.get() else { return Ok(()) };
        let own = self.file.metadata()?;
        if own.len() != self.len.load(Ordering::Acquire) || self.foreign.load(Ordering::Acquire) {
            self.foreign.store(true, Ordering::Release);
            let text =
                format!("{} was changed by another program; restore the directory, and restart", place.display());
            return Err(io::Error::other(text));
        }
        let there = std::fs::metadata(place).ok();
        if there.is_some_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())) {
            return Ok(());
        }
        let text = format!("{} was moved, removed, or replaced; restore it, or restart", place.display());
        Err(io::Error::other(text))
    }
}

/// Locks a file, with retries: a starting child process has open files for a short time.
fn lock(file: &File) -> io::Result<()> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            locked => return Ok(locked?),
        }
    }
    Ok(file.try_lock()?)
}

const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

impl Disk for FileDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(out, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)?;
        self.len.store(len, Ordering::Release);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write_all_at(data, offset)?;
        self.len.fetch_max(offset + data.len() as u64, Ordering::AcqRel);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()?;
        // Checked after the sync: an order synced into a file that is not the journal anymore must not be answered.
        self.check_place()
    }

    fn close(&self) {
        // Released with the file at the latest.
        let _ = self.file.unlock();
    }
}

/// A read-only file with writes in memory only.
#[derive(Debug)]
pub struct Overlay {
    below: File,
    over: Mutex<OverlayState>,
}

#[derive(Debug)]
struct OverlayState {
    len: u64,
    /// Everything after this offset of the file is deleted.
    below: u64,
    pages: BTreeMap<u64, Vec<u8>>,
}

impl Overlay {
    const PAGE: u64 = 4096;

    /// Opens a file for shared reading.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened; [`io::ErrorKind::WouldBlock`] if another process writes it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let below = File::open(path)?;
        below.try_lock_shared()?;
        Self::over(below)
    }

    fn over(below: File) -> io::Result<Self> {
        let len = below.metadata()?.len();
        Ok(Self { below, over: Mutex::new(OverlayState { len, below: len, pages: BTreeMap::new() }) })
    }

    fn state(&self) -> MutexGuard<'_, OverlayState> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn page(&self, over: &OverlayState, number: u64) -> io::Result<Vec<u8>> {
        if let Some(page) = over.pages.get(&number) {
            return Ok(page.clone());
        }
        let mut page = vec![0; usize::try_from(Self::PAGE).map_err(io::Error::other)?];
        let there = over.below.saturating_sub(number * Self::PAGE).min(Self::PAGE);
        let there = usize::try_from(there).map_err(io::Error::other)?;
        self.below.read_exact_at(&mut page[..there], number * Self::PAGE)?;
        Ok(page)
    }

    /// Splits a range into pages: the number, the offset in the page, and the length.
    fn pieces(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize)> {
        let (mut at, end) = (offset, offset + len as u64);
        std::iter::from_fn(move || {
            let (number, from) = (at / Self::PAGE, at % Self::PAGE);
            let much = (Self::PAGE - from).min(end - at);
            at += much;
            // A page is small.
            (much > 0).then_some((number, from as usize, much as usize))
        })
    }
}

impl Disk for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let over = self.state();
        if offset + out.len() as u64 > over.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut rest = out;
        for (number, from, much) in Self::pieces(offset, rest.len()) {
            let (piece, behind) = rest.split_at_mut(much);
            piece.copy_from_slice(&self.page(&over, number)?[from..from + much]);
            rest = behind;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut over = self.state();
        (over.len, over.below) = (len, over.below.min(len));
        let last = len / Self::PAGE;
        let cut = usize::try_from(len % Self::PAGE).map_err(io::Error::other)?;
        over.pages.retain(|number, _| *number <= last);
        if let Some(page) = over.pages.get_mut(&last) {
            page[cut..].fill(0);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut over = self.state();
        let mut rest = data;
        for (number, from, much) in Self::pieces(offset, data.len()) {
            let (piece, behind) = rest.split_at(much);
            let mut page = self.page(&over, number)?;
            page[from..from + much].copy_from_slice(piece);
            over.pages.insert(number, page);
            rest = behind;
        }
        over.len = over.len.max(offset + data.len() as u64);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A file in memory.
#[derive(Debug, Default)]
pub struct MemoryDisk(Mutex<Vec<u8>>);

impl Disk for MemoryDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes(|bytes| bytes.len() as u64))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(offset).map_err(io::Error::other)?;
        self.bytes(|bytes| {
            let found = bytes.get(from..).and_then(|rest| rest.get(..out.len()));
            out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(io::Error::other)?;
        self.bytes(|bytes| bytes.resize(len, 0));
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let from = usize::try_from(offset).map_err(io::Error::other)?;
        self.bytes(|bytes| {
            let end = from + data.len();
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[from..end].copy_from_slice(data);
        });
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

impl From<Vec<u8>> for MemoryDisk {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Mutex::new(bytes))
    }
}

impl MemoryDisk {
    /// A copy of the content.
    pub fn copy(&self) -> Vec<u8> {
        self.bytes(|bytes| bytes.clone())
    }

    fn bytes<T>(&self, with: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Debug)]
pub(super) struct Backend(pub Arc<dyn Disk>);

impl redb::StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}

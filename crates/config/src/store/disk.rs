//! The local file system.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use super::{FileSystem, Metadata};

/// The local file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

const BITS: u32 = 0o7777;

impl FileSystem for Disk {
    type File = File;

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(path)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let known = fs::metadata(path)?;
        Ok(Metadata { is_file: known.is_file(), mode: known.mode() & BITS, user: known.uid(), group: known.gid() })
    }

    fn create(&self, path: &Path, private: bool) -> io::Result<File> {
        // The process mask applies.
        let mode = if private { 0o600 } else { 0o666 };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
        // Without lock support, [`sweep`] keeps the file too.
        let _locked = file.try_lock();
        Ok(file)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    fn set_owner(&self, file: &File, user: u32, group: u32) -> io::Result<()> {
        let own = file.metadata()?;
        // An unchanged value needs no permission.
        let differs = |mine, wanted| (mine != wanted).then_some(wanted);
        match (differs(own.uid(), user), differs(own.gid(), group)) {
            (None, None) => Ok(()),
            (user, group) => fchown(file, user, group),
        }
    }

    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(mode))
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

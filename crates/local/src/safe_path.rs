//! Paths of a daemon of root: nobody else may replace a part of one while the daemon uses it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The bit of a directory in which only the owner of a file may remove or rename it.
const STICKY: u32 = 0o1000;

/// The path of a directory without links, if no other user can replace it or a directory above it. A daemon of another user than root is
/// not held to that: it can do no more than its user can.
///
/// # Errors
/// Another user can, or the file system refuses.
pub(super) fn checked(folder: &Path) -> io::Result<PathBuf> {
    let real = fs::canonicalize(folder)?;
    let own = rustix::process::geteuid();
    if !own.is_root() {
        return Ok(real);
    }
    for above in real.ancestors() {
        let found = fs::metadata(above)?;
        let others_write = found.mode() & 0o022 != 0 && found.mode() & STICKY == 0;
        if found.uid() != own.as_raw() || others_write {
            let why = "belongs to another user, or other users can write to it and replace what is in it";
            return Err(io::Error::other(format!("the directory {} {why}", above.display())));
        }
    }
    Ok(real)
}

/// The same for the part of a path that is there already, before the rest is made.
pub(super) fn checked_above(folder: &Path) -> io::Result<()> {
    folder.ancestors().find(|above| above.exists()).map_or(Ok(()), |above| checked(above).map(drop))
}

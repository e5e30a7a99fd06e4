//! Safe paths for root: no other user can replace a part.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Mode bit of a directory in which only the owner of a file can remove or rename it.
const STICKY: u32 = 0o1000;

/// Returns the path of a directory without links, if no other user can replace it or a parent directory. Without root
/// there is no check: such a daemon has no more rights than its user.
///
/// # Errors
/// Another user can replace it, or the file system rejects it.
pub(super) fn checked(dir: &Path) -> io::Result<PathBuf> {
    let real = fs::canonicalize(dir)?;
    let own = rustix::process::geteuid();
    if !own.is_root() {
        return Ok(real);
    }
    for above in real.ancestors() {
        let found = fs::metadata(above)?;
        let others_write = found.mode() & 0o022 != 0 && found.mode() & STICKY == 0;
        if found.uid() != own.as_raw() || others_write {
            let why = "belongs to another user, or other users can write to it and replace its contents";
            return Err(io::Error::other(format!("the directory {} {why}", above.display())));
        }
    }
    Ok(real)
}

pub(super) fn checked_above(dir: &Path) -> io::Result<()> {
    dir.ancestors().find(|above| above.exists()).map_or(Ok(()), |above| checked(above).map(drop))
}

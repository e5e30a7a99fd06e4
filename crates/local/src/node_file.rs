//! The `PBS_NODEFILE`: the host name per task slot, shared by jobs with the same number of slots.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::dialect::host;

/// Returns the file for this number of slots, next to the socket, where all submitters can read it.
///
/// # Errors
/// The file system rejects it.
pub(super) fn of(dir: &Path, slots: u32) -> io::Result<PathBuf> {
    let file = dir.join(format!("nodes-{slots}"));
    let text = format!("{}\n", host()).repeat(usize::try_from(slots).unwrap_or_default());
    if fs::read(&file).is_ok_and(|known| known == text.as_bytes()) {
        return Ok(file);
    }
    let temporary = file.with_extension("new");
    fs::write(&temporary, text)?;
    fs::set_permissions(&temporary, Permissions::from_mode(0o644))?;
    fs::rename(&temporary, &file)?;
    Ok(file)
}

//! Checks that a file with secrets is private to its owner.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Mode bits of group and others.
const OTHERS: u32 = 0o077;
/// Mode bit: the group may read.
const GROUP_READ: u32 = 0o040;
/// Mode bits: group or others may write.
const OTHERS_WRITE: u32 = 0o022;

/// Rejects a token file that others may read or write, except that a group may read root's file, like a Kubernetes
/// Secret. If the program runs as root, the file and its directory must belong to root, and only root may write in the
/// directory: anyone who can replace the file can impersonate all users.
///
/// # Errors
/// The problem and its fix.
pub(super) fn check(file: &Path, metadata: &fs::Metadata) -> Result<(), String> {
    let (mode, shown) = (metadata.permissions().mode() & 0o777, file.display());
    let is_root = nix::unistd::Uid::effective().is_root();
    let refused = if metadata.uid() == 0 && !is_root { OTHERS & !GROUP_READ } else { OTHERS };
    if mode & refused != 0 {
        return Err(format!("{shown}: other users can read or write it (mode {mode:o}); run `chmod 600 {shown}`"));
    }
    if !is_root {
        return Ok(());
    }
    if metadata.uid() != 0 {
        let owner = metadata.uid();
        return Err(format!(
            "{shown}: its owner is uid {owner}, and the server runs as root; run `chown root {shown}`"
        ));
    }
    let resolved = fs::canonicalize(file).map_err(|error| format!("cannot find {shown}: {error}"))?;
    // A writer of either directory can replace the file.
    for dir in [file, &resolved].into_iter().filter_map(Path::parent) {
        let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
        let metadata = fs::metadata(dir).map_err(|error| format!("cannot read {}: {error}", dir.display()))?;
        let (mode, dir) = (metadata.permissions().mode() & 0o777, dir.display());
        if metadata.uid() != 0 || mode & OTHERS_WRITE != 0 {
            let owner = metadata.uid();
            return Err(format!(
                "{shown}: other users can write to its directory {dir} (uid {owner}, mode {mode:o}), and the \
                    server runs as root; move it to a directory that only root can write to"
            ));
        }
    }
    Ok(())
}

/// `None` if only the owner may read it, or if unknown.
pub(super) fn key_warning(file: &Path) -> Option<String> {
    let mode = fs::metadata(file).ok()?.permissions().mode() & 0o777;
    let shown = file.display();
    (mode & OTHERS != 0)
        .then(|| format!("{shown}: other users can read this private key (mode {mode:o}); run `chmod 600 {shown}`"))
}

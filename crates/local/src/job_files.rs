use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Creates a directory that only its owner can enter, with its parents.
///
/// # Errors
/// The file system rejects it.
pub(super) fn private_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

pub(super) fn is_empty(file: &Path) -> bool {
    fs::metadata(file).map_or(true, |found| found.len() == 0)
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::job::{Job, JobSpec, Owner};
    use model::Identity;

    pub(crate) fn sues(number: u64, spec: JobSpec) -> Job {
        let owner = Owner { uid: 1, gid: 1, groups: Vec::new(), identity: Identity::new("sue", ["staff"]) };
        Job::new(number, spec, owner, 0)
    }
}

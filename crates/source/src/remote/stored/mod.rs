//! The data that this machine stores about a cluster, because Apache YuniKorn stores neither: the audit of orders, and
//! the observed configurations, in `$XDG_STATE_HOME/kornsole/CONTEXT`.
//!
//! Invariants:
//! - several consoles may write: each appends whole lines under the lock of the directory;
//! - an invalid line (an interrupted write) is skipped, without other losses;
//! - the files are bounded, accessible only to their owner, and contain no token or Secret.

mod audit;
mod history;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

pub use self::history::Origin;
use crate::Records;

/// The directory of a context. Its calls block on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retained {
    dir: PathBuf,
}

impl Retained {
    /// `None` without a home directory.
    pub fn of(context: &str) -> Option<Self> {
        dir(context).map(|dir| Self { dir })
    }

    #[cfg(test)]
    fn at(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// All stored data, for the console.
    pub fn records(&self) -> Records {
        let (audit, revisions) = (self.audit_page(crate::records::SHOWN), self.revisions());
        Records { generation: 0, audit: Ok(audit), revisions: Ok(revisions) }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn lock(&self) -> io::Result<File> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)?;
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(self.file("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// Appends a line; terminates an interrupted line first.
    fn append(&self, name: &str, line: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).read(true).append(true).mode(0o600).open(self.file(name))?;
        let mut last = [b'\n'];
        if file.seek(SeekFrom::End(-1)).is_ok() {
            file.read_exact(&mut last)?;
        }
        let text = if last == [b'\n'] { format!("{line}\n") } else { format!("\n{line}\n") };
        file.write_all(text.as_bytes())
    }

    fn lines(&self, name: &str) -> impl Iterator<Item = String> {
        let file = File::open(self.file(name)).ok();
        file.into_iter().flat_map(|file| BufReader::new(file).lines().map_while(Result::ok))
    }
}

/// `$XDG_STATE_HOME/kornsole/CONTEXT`; `None` without a home directory.
pub fn dir(context: &str) -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state")))?;
    Some(state.join("kornsole").join(dir_name(context)))
}

fn dir_name(context: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '.') { c } else { '_' };
    let name: String = context.chars().map(safe).collect();
    // Neither `.` nor `..`.
    if name.chars().all(|c| c == '.') { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_with_slashes_stays_below_its_directory() {
        assert_eq!(dir_name("arn:aws:eks/prod"), "arn_aws_eks_prod");
        assert_eq!([dir_name(".."), dir_name("")], ["_..", "_"]);
        assert_eq!(dir_name("k8s://prod/yunikorn"), "k8s___prod_yunikorn");
        assert_eq!(dir_name("me@x"), "me@x");
    }
}

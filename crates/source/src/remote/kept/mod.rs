//! What this machine keeps of a cluster that it acts on: the audit of its orders and the configurations that were seen active, in
//! `$XDG_STATE_HOME/kornsole/CONTEXT`. Apache YuniKorn keeps neither.
//!
//! Invariants:
//! - several consoles may write at a time: each appends whole lines while it holds the lock of the directory;
//! - a line that is invalid (a write that was cut short) is skipped, and nothing else is lost;
//! - the files are bounded, only their owner reads them, and no token or Secret is in them.

mod audit;
mod history;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

pub use self::history::Origin;
use crate::Records;

/// The directory of one context. Its calls wait for the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retained {
    folder: PathBuf,
}

impl Retained {
    /// The directory of a context of the kubeconfig; `None` where a person has no home.
    pub fn of(context: &str) -> Option<Self> {
        folder(context).map(|folder| Self { folder })
    }

    /// A directory by its path.
    #[cfg(test)]
    fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// All that is kept, as the pages of the console show it.
    pub fn records(&self) -> Records {
        let (audit, revisions) = (self.audit_page(crate::records::SHOWN), self.revisions());
        Records { generation: 0, audit: Ok(audit), revisions: Ok(revisions) }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Holds the lock of the directory until what it gives is dropped.
    fn lock(&self) -> io::Result<File> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(self.file("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// Appends a line; one that was cut short before it gets its end first.
    fn append(&self, name: &str, line: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).read(true).append(true).mode(0o600).open(self.file(name))?;
        let mut last = [b'\n'];
        if file.seek(SeekFrom::End(-1)).is_ok() {
            file.read_exact(&mut last)?;
        }
        let text = if last == [b'\n'] { format!("{line}\n") } else { format!("\n{line}\n") };
        file.write_all(text.as_bytes())
    }

    /// The lines of a file, the oldest first; none of one that is not there.
    fn lines(&self, name: &str) -> impl Iterator<Item = String> {
        let file = File::open(self.file(name)).ok();
        file.into_iter().flat_map(|file| BufReader::new(file).lines().map_while(Result::ok))
    }
}

/// Where this machine keeps what it knows of a context: `$XDG_STATE_HOME/kornsole/CONTEXT`; `None` where a person has no home.
pub fn folder(context: &str) -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state")))?;
    Some(state.join("kornsole").join(folder_name(context)))
}

/// The name of a context, which may have characters that no directory has.
fn folder_name(context: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '.') { c } else { '_' };
    let name: String = context.chars().map(safe).collect();
    // Neither the directory itself nor the one above.
    if name.chars().all(|c| c == '.') { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_with_slashes_stays_below_its_folder() {
        assert_eq!(folder_name("arn:aws:eks/prod"), "arn_aws_eks_prod");
        assert_eq!([folder_name(".."), folder_name("")], ["_..", "_"]);
        assert_eq!(folder_name("k8s://prod/yunikorn"), "k8s___prod_yunikorn");
        assert_eq!(folder_name("me@x"), "me@x");
    }
}

//! Errors of state directories.

use std::path::{Path, PathBuf};

/// Why a state directory cannot be used, with a remedy.
#[derive(Debug, thiserror::Error)]
pub enum DirError {
    /// The file system denies access.
    #[error("{}: {why}", dir.display())]
    Dir {
        /// The path of the directory, as it was given.
        dir: PathBuf,
        /// The system error, for example `Permission denied`.
        why: String,
    },
    /// Another process uses it.
    #[error("{} is in use by another kornsole{}: stop it, or use another directory with --state", dir.display(), by(who))]
    InUse {
        /// The path of the directory, as it was given.
        dir: PathBuf,
        /// The process, if known.
        who: String,
    },
    /// Another process runs it; it was opened for inspection.
    #[error("{} is in use by another kornsole{}: connect to it with --server URL", dir.display(), by(who))]
    Running {
        /// The path of the directory, as it was given.
        dir: PathBuf,
        /// The process, if known.
        who: String,
    },
    /// It is empty.
    #[error("{} has no scheduler state", dir.display())]
    Nothing {
        /// The path of the directory, as it was given.
        dir: PathBuf,
    },
    /// It has the state of another kind of scheduler.
    #[error("{} is a state of `{by}`: use another directory with --state", dir.display())]
    OtherKind {
        /// The path of the directory, as it was given.
        dir: PathBuf,
        /// The command that owns it.
        by: &'static str,
    },
    /// It has another profile.
    #[error(
        "the state belongs to a scheduler with the profile {was} and cannot continue as {wanted}: use --core {was}, or another directory with --state"
    )]
    OtherCore {
        /// The profile of the journal.
        was: String,
        /// The requested profile.
        wanted: String,
    },
    /// It is of a later version.
    #[error(
        "the state has format {found}, written by kornsole {by}; this version supports formats up to {known}: use the \
            later version, or another directory with --state"
    )]
    Newer {
        /// The format of the files.
        found: u32,
        /// The version that wrote it.
        by: String,
        /// The newest supported format.
        known: u32,
    },
    /// Its content is damaged.
    #[error("{0}")]
    Damaged(String),
    /// The scheduler cannot start.
    #[error("{0}")]
    Start(String),
}

impl DirError {
    /// The message with the directory named once.
    pub fn reported_of(&self, dir: &Path) -> String {
        match self {
            Self::Damaged(_) | Self::Start(_) | Self::OtherCore { .. } | Self::Newer { .. } => {
                format!("{}: {self}", dir.display())
            }
            _ => self.to_string(),
        }
    }
}

fn by(who: &str) -> String {
    if who.is_empty() { String::new() } else { format!(" (process {who})") }
}

//! Why a state directory cannot be used.

use std::path::{Path, PathBuf};

/// Why a state directory cannot be used, and what can be done about it.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The file system says no.
    #[error("{}: {why}", folder.display())]
    Folder {
        /// The path of the directory, as it was given.
        folder: PathBuf,
        /// What the system says, as `Permission denied`.
        why: String,
    },
    /// Another process has it.
    #[error("{} is in use by another kornsole{}: stop it, or use another directory with --state", folder.display(), by(who))]
    InUse {
        /// The path of the directory, as it was given.
        folder: PathBuf,
        /// The process, as far as it is known.
        who: String,
    },
    /// Another process runs it, and it was only to be examined.
    #[error("{} is in use by another kornsole{}: connect to it with --server URL", folder.display(), by(who))]
    Running {
        /// The path of the directory, as it was given.
        folder: PathBuf,
        /// The process, as far as it is known.
        who: String,
    },
    /// There is nothing in it.
    #[error("{} has no scheduler state", folder.display())]
    Nothing {
        /// The path of the directory, as it was given.
        folder: PathBuf,
    },
    /// Another kind of scheduler keeps its state in it.
    #[error("{} is a state of `{by}`: use another directory with --state", folder.display())]
    OtherKind {
        /// The path of the directory, as it was given.
        folder: PathBuf,
        /// The command that keeps it.
        by: &'static str,
    },
    /// It was made by another profile.
    #[error(
        "the state belongs to a scheduler with the profile {was} and cannot continue as {wanted}: use --core {was}, or another directory with --state"
    )]
    OtherCore {
        /// The profile of the journal.
        was: String,
        /// The one requested.
        wanted: String,
    },
    /// It was made by a later version.
    #[error(
        "the state has format {found}, written by kornsole {by}; this version supports formats up to {known}: use the \
            later version, or another directory with --state"
    )]
    Newer {
        /// The format of the files; formats count up.
        found: u32,
        /// Who wrote it.
        by: String,
        /// The newest format that is known.
        known: u32,
    },
    /// Something in it is not as it was written.
    #[error("{0}")]
    Damaged(String),
    /// The scheduler cannot start.
    #[error("{0}")]
    Begin(String),
}

impl FolderError {
    /// What is reported of a directory: it is named once.
    pub fn said_of(&self, folder: &Path) -> String {
        match self {
            Self::Damaged(_) | Self::Begin(_) | Self::OtherCore { .. } | Self::Newer { .. } => {
                format!("{}: {self}", folder.display())
            }
            _ => self.to_string(),
        }
    }
}

fn by(who: &str) -> String {
    if who.is_empty() { String::new() } else { format!(" (process {who})") }
}

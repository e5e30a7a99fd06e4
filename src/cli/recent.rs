//! Recently opened files and state directories for the start page.
//!
//! Invariant: opening a scheduler never fails because of this list.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use serde::{Deserialize, Serialize};

const MOST: usize = 8;
/// Maximum size of the list's file, in bytes.
const LARGEST: u64 = 64 << 10;

/// A recently opened file or directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// `--config`, `--workload`, `--state`, or `open`.
    pub with: String,
    /// Its absolute path.
    pub path: PathBuf,
}

fn file() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    Some(etcetera::base_strategy::Xdg::new().ok()?.state_dir()?.join("kornsole").join("recent.json"))
}

/// Returns the recent files and directories that still exist, newest first.
pub fn list() -> Vec<Recent> {
    file().map(|file| read(&file)).unwrap_or_default().into_iter().filter(|recent| recent.path.exists()).collect()
}

fn read(file: &Path) -> Vec<Recent> {
    let small = std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    let text = if small { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
    serde_json::from_str(&text).unwrap_or_default()
}

/// Records that `path` was opened; standard input (`-`) is ignored.
pub fn opened(with: &str, path: Option<&Path>) {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else { return };
    let (Some(file), Ok(path)) = (file(), path.canonicalize()) else { return };
    let all = added(read(&file), Recent { with: with.to_owned(), path });
    let written = serde_json::to_vec_pretty(&all).map_err(std::io::Error::other).and_then(|bytes| {
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
        // Parallel processes write separate files, and the last rename wins.
        let next = file.with_extension(format!("{}.new", std::process::id()));
        let saved = std::fs::write(&next, bytes).and_then(|()| std::fs::rename(&next, &file));
        // Remove an incomplete file, because the next process uses another name.
        saved.inspect_err(|_| drop(std::fs::remove_file(&next)))
    });
    if let Err(error) = written {
        tracing::debug!("cannot write {}: {error}", file.display());
    }
}

fn added(mut all: Vec<Recent>, new: Recent) -> Vec<Recent> {
    all.retain(|recent| *recent != new);
    all.insert(0, new);
    all.truncate(MOST);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_first_once_and_old_ones_are_dropped() {
        let recent = |n: usize| Recent { with: "--config".to_owned(), path: PathBuf::from(format!("/q{n}.yaml")) };
        let all = (0..20).chain([15]).fold(Vec::new(), |all, n| added(all, recent(n)));
        assert_eq!(all.len(), MOST);
        assert_eq!((&all[0], &all[1]), (&recent(15), &recent(19)));
        assert_eq!(all.iter().filter(|one| **one == recent(15)).count(), 1);
    }

    #[test]
    fn a_damaged_list_is_empty() {
        let file = std::env::temp_dir().join(format!("kornsole-recent-{}", std::process::id()));
        std::fs::write(&file, "[{").unwrap();
        assert_eq!(read(&file), []);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(read(&file), []);
    }
}

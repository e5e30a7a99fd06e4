//! Temporary files of killed processes.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use super::{Disk, dir, follow};

/// Whether a name is that of a temporary file for a file of this name: `.NAME.PROCESS-NUMBER.new`.
fn is_own(name: &str, of: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let middle = name.strip_prefix('.').and_then(|rest| rest.strip_prefix(of)?.strip_prefix('.')?.strip_suffix(".new"));
    middle.and_then(|middle| middle.split_once('-')).is_some_and(|(process, count)| number(process) && number(count))
}

/// Removes the temporary files of ended processes: running ones lock theirs. Returns the removed files.
pub fn sweep(path: &Path) -> Vec<PathBuf> {
    let Ok(path) = follow(&Disk, path) else { return Vec::new() };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(dir(&path)) else { return Vec::new() };
    let left = entries.flatten().filter(|entry| {
        let file = entry.file_type().is_ok_and(|kind| kind.is_file());
        file && entry.file_name().to_str().is_some_and(|found| is_own(found, name))
    });
    let mut gone: Vec<PathBuf> = left.map(|entry| entry.path()).filter(|file| is_left(file)).collect();
    // A remaining file is never read.
    gone.retain(|file| fs::remove_file(file).is_ok());
    gone.sort();
    gone
}

/// Not locked by a process; `false` if unknown.
fn is_left(file: &Path) -> bool {
    // It may have the mode of its target.
    let opened: std::io::Result<File> = OpenOptions::new().read(true).open(file);
    opened.is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::prepare;

    #[test]
    fn only_unlocked_files_with_a_known_name_are_removed() {
        let home = std::env::temp_dir().join(format!("kornsole-sweep-{}", std::process::id()));
        fs::create_dir_all(home.join(".queues.yaml.7-7.new")).unwrap();
        let file = home.join("queues.yaml");
        let foreign = ["queues.yaml", ".queues.yaml.new", ".queues.yaml.1-x.new", ".queues.yaml.1-2.new~"];
        let others = [".other.yaml.1-2.new", ".queues.yaml.1-2-3.new", ".queues.yaml.-2.new", "queues.yaml.1-2.new"];
        for name in foreign.iter().chain(&others) {
            fs::write(home.join(name), "theirs").unwrap();
        }
        std::os::unix::fs::symlink(&file, home.join(".queues.yaml.8-8.new")).unwrap();
        let prepared = prepare(&Disk, &file, b"at work").unwrap();
        fs::write(home.join(".queues.yaml.1-2.new"), "left").unwrap();
        fs::write(home.join(".queues.yaml.123-45.new"), "left").unwrap();
        let gone = sweep(&file);
        assert_eq!(gone, [home.join(".queues.yaml.1-2.new"), home.join(".queues.yaml.123-45.new")]);
        for name in foreign.iter().chain(&others) {
            assert_eq!(fs::read_to_string(home.join(name)).unwrap(), "theirs", "{name}");
        }
        prepared.commit().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "at work");
        assert!(home.join(".queues.yaml.7-7.new").is_dir() && home.join(".queues.yaml.8-8.new").is_symlink());
        assert!(sweep(&home.join("nowhere/queues.yaml")).is_empty());
        fs::remove_dir_all(&home).unwrap();
    }
}

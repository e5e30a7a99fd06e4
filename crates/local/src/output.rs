//! The output of a job: two files of bounded size, the older of which goes when the newer is full.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::user_file::UserFile;

/// The newer file; the older one has `.1` behind it, and `output.base` says how many bytes came before both.
const NAME: &str = "output";

/// Takes output in; keeps the last part of it.
pub struct Writer {
    folder: PathBuf,
    file: Option<File>,
    written: u64,
    /// How many bytes the newer file may have.
    most: u64,
    base: u64,
    older: u64,
    lost: u64,
    copy: Option<UserFile>,
}

impl Writer {
    /// Writes into a folder, at most so many bytes at one time.
    pub fn new(folder: &Path, most: u64) -> Self {
        let file = Self::open(folder).ok();
        let (folder, most) = (folder.to_path_buf(), (most / 2).max(1));
        Self { folder, file, written: 0, most, base: 0, older: 0, lost: 0, copy: None }
    }

    /// Has a file of the user get everything too.
    pub fn copy_to(&mut self, file: UserFile) {
        self.copy = Some(file);
    }

    /// Whether more can be taken in without waiting.
    pub fn is_ready(&self) -> bool {
        self.copy.as_ref().is_none_or(UserFile::is_ready)
    }

    /// Ends the file of the user: waits for a moment until it is written.
    pub fn finish(&mut self) {
        self.copy.iter_mut().for_each(UserFile::finish);
    }

    /// What is to be said of the file of the user; empty for nothing.
    pub fn note(&self) -> String {
        self.copy.as_ref().map(UserFile::note).unwrap_or_default()
    }

    fn open(folder: &Path) -> io::Result<File> {
        OpenOptions::new().create(true).append(true).mode(0o600).open(folder.join(NAME))
    }

    /// Takes bytes in. What the disk does not take is counted.
    pub fn write(&mut self, bytes: &[u8]) {
        if let Some(copy) = &mut self.copy {
            copy.write(bytes);
        }
        if self.written >= self.most {
            self.rotate();
        }
        let written = self.file.as_mut().map(|file| file.write_all(bytes));
        match written {
            Some(Ok(())) => self.written += bytes.len() as u64,
            _ => self.lost += bytes.len() as u64,
        }
    }

    fn rotate(&mut self) {
        let file = self.folder.join(NAME);
        self.base += self.older;
        let _ = fs::write(self.folder.join("output.base"), self.base.to_string());
        if fs::rename(&file, self.folder.join("output.1")).is_ok() {
            self.older = self.written;
            self.written = 0;
            self.file = Self::open(&self.folder).ok();
        }
    }

    /// How many bytes could not be written.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

/// How many bytes came so far.
pub fn end(folder: &Path) -> u64 {
    let length = |name: &str| fs::metadata(folder.join(name)).map_or(0, |found| found.len());
    base(folder) + length("output.1") + length(NAME)
}

/// How many bytes came before those that are kept.
fn base(folder: &Path) -> u64 {
    let text = fs::read_to_string(folder.join("output.base")).ok();
    text.and_then(|text| text.trim().parse().ok()).unwrap_or_default()
}

/// Reads output from byte `from` on, at most `most` bytes. Gives the number of the first byte that is there, and the bytes.
///
/// # Errors
/// The files cannot be read.
pub fn read(folder: &Path, from: u64, most: usize) -> io::Result<(u64, Vec<u8>)> {
    let base = base(folder);
    let mut start = base;
    let mut at = from.max(start);
    let mut found = Vec::new();
    for name in ["output.1", NAME] {
        let mut file = match File::open(folder.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let end = start + file.metadata()?.len();
        if at >= start && at < end && found.len() < most {
            file.seek(SeekFrom::Start(at - start))?;
            let room = (most - found.len()) as u64;
            at += file.take(room).read_to_end(&mut found)? as u64;
        }
        start = end;
    }
    Ok((from.max(base), found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_is_kept_and_numbered_by_all_of_it() {
        let folder = std::env::temp_dir().join(format!("kornsole-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut writer = Writer::new(&folder, 20);
        for line in 0..10 {
            writer.write(format!("line {line}\n").as_bytes());
        }
        assert_eq!(writer.lost(), 0);
        let (first, bytes) = read(&folder, 0, 1000).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.ends_with("line 8\nline 9\n") && text.starts_with("line "), "{text}");
        assert!(text.len() <= 40, "it is bounded: {text}");
        assert_eq!(first + text.len() as u64, 70, "bytes have the number that they had");
        let (at, rest) = read(&folder, 63, 4).unwrap();
        assert_eq!((at, rest.as_slice()), (63, b"line".as_slice()));
        assert_eq!(end(&folder), 70);
        fs::remove_dir_all(&folder).unwrap();
    }
}

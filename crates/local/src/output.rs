//! The output of a job: two files of bounded size, the older of which is replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::background::Background;
use super::user_file::UserFile;

pub(super) const NAME: &str = "output";
const OLDER: &str = "output.1";
const BASE: &str = "output.base";

/// Stores the last part; never waits for the disk.
pub struct Writer {
    files: Background,
    copy: Option<UserFile>,
}

impl Writer {
    /// Stores at most `most` bytes. The writing thread runs `first` before.
    pub fn new(dir: &Path, most: u64, first: impl FnOnce() + Send + 'static) -> Self {
        let dir = dir.to_path_buf();
        let files = Background::start(move || {
            first();
            let mut files = Files::new(dir, most);
            move |bytes: &[u8]| files.write(bytes).map_err(|why| why.to_string())
        });
        Self { files, copy: None }
    }

    /// Copies to a file of the user.
    pub fn copy_to(&mut self, file: UserFile) {
        self.copy = Some(file);
    }

    /// Accepts more bytes without waiting.
    pub fn is_ready(&self) -> bool {
        self.files.is_ready() && self.copy.as_ref().is_none_or(UserFile::is_ready)
    }

    /// Waits briefly until all bytes are written.
    pub fn finish(&mut self) {
        self.copy.iter_mut().for_each(UserFile::finish);
        self.files.finish();
    }

    /// Describes errors of the user's file; empty for none.
    pub fn note(&self) -> String {
        self.copy.as_ref().map(UserFile::note).unwrap_or_default()
    }

    /// Accepts bytes; counts those that the disk rejects.
    pub fn write(&mut self, bytes: &[u8]) {
        if let Some(copy) = &mut self.copy {
            copy.write(bytes);
        }
        self.files.write(bytes);
    }

    /// Returns the number of lost bytes.
    pub fn lost(&self) -> u64 {
        self.files.lost().0
    }
}

struct Files {
    dir: PathBuf,
    file: io::Result<File>,
    written: u64,
    most: u64,
    base: u64,
    older: u64,
}

impl Files {
    fn new(dir: PathBuf, most: u64) -> Self {
        let file = Self::open(&dir);
        Self { dir, file, written: 0, most: (most / 2).max(1), base: 0, older: 0 }
    }

    fn open(dir: &Path) -> io::Result<File> {
        OpenOptions::new().create(true).append(true).mode(0o600).open(dir.join(NAME))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.written >= self.most {
            self.rotate();
        }
        if self.file.is_err() {
            self.file = Self::open(&self.dir);
        }
        match &mut self.file {
            Ok(file) => file.write_all(bytes)?,
            Err(why) => return Err(io::Error::new(why.kind(), why.to_string())),
        }
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn rotate(&mut self) {
        let file = self.dir.join(NAME);
        self.base += self.older;
        let _ = fs::write(self.dir.join(BASE), self.base.to_string());
        if fs::rename(&file, self.dir.join(OLDER)).is_ok() {
            self.older = self.written;
            self.written = 0;
            self.file = Self::open(&self.dir);
        }
    }
}

/// Returns the number of stored bytes.
pub fn retained(dir: &Path) -> u64 {
    [OLDER, NAME].iter().map(|name| fs::metadata(dir.join(name)).map_or(0, |found| found.len())).sum()
}

/// Removes the stored bytes; their offsets stay used.
pub fn forget(dir: &Path) {
    // A file that cannot be removed is counted again at the next start.
    let _ = fs::write(dir.join(BASE), end(dir).to_string());
    for name in [OLDER, NAME] {
        let _ = fs::remove_file(dir.join(name));
    }
}

/// Returns the number of bytes so far.
pub fn end(dir: &Path) -> u64 {
    base(dir) + retained(dir)
}

fn base(dir: &Path) -> u64 {
    let text = fs::read_to_string(dir.join(BASE)).ok();
    text.and_then(|text| text.trim().parse().ok()).unwrap_or_default()
}

/// Reads bytes, and returns the first available offset.
///
/// # Errors
/// The files cannot be read.
pub fn read(dir: &Path, from: u64, most: usize) -> io::Result<(u64, Vec<u8>)> {
    let base = base(dir);
    let mut start = base;
    let mut at = from.max(start);
    let mut found = Vec::new();
    for name in [OLDER, NAME] {
        let mut file = match File::open(dir.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let end = start + file.metadata()?.len();
        if at >= start && at < end && found.len() < most {
            file.seek(SeekFrom::Start(at - start))?;
            let space = (most - found.len()) as u64;
            at += file.take(space).read_to_end(&mut found)? as u64;
        }
        start = end;
    }
    Ok((from.max(base), found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_is_stored_and_numbered_by_the_whole() {
        let dir = std::env::temp_dir().join(format!("kornsole-output-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let mut writer = Writer::new(&dir, 20, || {});
        for line in 0..10 {
            writer.write(format!("line {line}\n").as_bytes());
        }
        writer.finish();
        assert_eq!(writer.lost(), 0);
        let (first, bytes) = read(&dir, 0, 1000).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.ends_with("line 8\nline 9\n") && text.starts_with("line "), "{text}");
        assert!(text.len() <= 40, "it is bounded: {text}");
        assert_eq!(first + text.len() as u64, 70, "bytes have the number that they had");
        let (at, rest) = read(&dir, 63, 4).unwrap();
        assert_eq!((at, rest.as_slice()), (63, b"line".as_slice()));
        assert_eq!((end(&dir), retained(&dir)), (70, text.len() as u64));
        forget(&dir);
        assert_eq!((end(&dir), retained(&dir), read(&dir, 0, 1000).unwrap()), (70, 0, (70, Vec::new())));
        fs::remove_dir_all(&dir).unwrap();
    }
}

//! Notices when the queue configuration's file changes.
//!
//! The folder is watched and not the file: editors write a new file and rename it, and a mounted ConfigMap swaps a
//! symbolic link. What counts is the content: it is read once things are quiet, and told only if it is another one.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use notify::{RecursiveMode, Watcher};

/// How long nothing must happen in the folder before the file is read.
const QUIET: Duration = Duration::from_millis(200);

/// Watches one file until it is dropped.
pub struct FileWatch {
    watcher: Option<notify::RecommendedWatcher>,
    thread: Option<JoinHandle<()>>,
}

impl FileWatch {
    /// Calls `changed` from another thread with the content of `file` whenever it is another one than before, at first than
    /// `known`; with the reason when it cannot be read any more.
    ///
    /// # Errors
    /// The folder cannot be watched.
    pub fn start(
        file: &Path,
        known: Vec<u8>,
        changed: impl Fn(Result<Vec<u8>, String>) + Send + 'static,
    ) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: cannot be watched: {error}", file.display());
        let folder = match file.parent() {
            Some(folder) if folder != Path::new("") => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let (news, inbox) = channel();
        let mut watcher = notify::recommended_watcher(move |_: notify::Result<notify::Event>| {
            // Whatever happened, the file is looked at again. The reader may have gone already.
            let _ = news.send(());
        })
        .map_err(|error| told(&error))?;
        watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(|error| told(&error))?;
        let path = file.to_path_buf();
        let thread = std::thread::Builder::new()
            .name("config-watch".to_owned())
            .spawn(move || read_changes(&path, known, &inbox, &changed))
            .map_err(|error| told(&error))?;
        Ok(Self { watcher: Some(watcher), thread: Some(thread) })
    }
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        // Without its watcher the thread has no news to wait for, and ends.
        self.watcher.take();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been told by the panic hook already.
            let _ = thread.join();
        }
    }
}

fn read_changes(file: &Path, known: Vec<u8>, inbox: &Receiver<()>, changed: &dyn Fn(Result<Vec<u8>, String>)) {
    let mut last = Ok(known);
    loop {
        loop {
            match inbox.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        // The first look is without any news: the file may have changed before it was watched.
        let now = std::fs::read(file).map_err(|error| format!("{}: cannot be read: {error}", file.display()));
        if now != last {
            changed(now.clone());
            last = now;
        }
        if inbox.recv().is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this test's own, gone when it ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("kornsole-watch-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            // What cannot be removed is left to the system.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn tells_a_written_a_renamed_and_a_missing_file_once_each() {
        let folder = Folder::new("changes");
        let file = folder.0.join("queues.yaml");
        std::fs::write(&file, "one").unwrap();
        let (tell, told) = channel();
        let watch = FileWatch::start(&file, b"one".to_vec(), move |content| tell.send(content).unwrap()).unwrap();
        let patience = Duration::from_secs(20);

        std::fs::write(folder.0.join("other.yaml"), "x").unwrap();
        std::fs::write(&file, "two").unwrap();
        assert_eq!(told.recv_timeout(patience).unwrap(), Ok(b"two".to_vec()));

        std::fs::write(folder.0.join("new"), "three").unwrap();
        std::fs::rename(folder.0.join("new"), &file).unwrap();
        assert_eq!(told.recv_timeout(patience).unwrap(), Ok(b"three".to_vec()));

        std::fs::remove_file(&file).unwrap();
        assert!(told.recv_timeout(patience).unwrap().unwrap_err().contains("queues.yaml"));
        drop(watch);
        assert!(told.try_recv().is_err(), "nothing is told twice");
    }
}

//! Detects changes of the configuration file. Its directory is watched, and that of a link's target: editors rename a
//! new file, and a mounted ConfigMap swaps a link.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{RecursiveMode, Watcher};

/// The quiet time before the file is read.
const QUIET: Duration = Duration::from_millis(200);
/// The maximum wait: another file in the directory can change continuously.
const PATIENCE: Duration = Duration::from_secs(2);

/// Watches a file until it is dropped.
pub struct FileWatch {
    watcher: Option<notify::RecommendedWatcher>,
    thread: Option<JoinHandle<()>>,
}

impl FileWatch {
    /// Calls `changed` from another thread with each new content of `file`, compared with `known` at first, or with the
    /// reason if it cannot be read.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be watched.
    pub fn start(
        file: &Path,
        known: Vec<u8>,
        changed: impl Fn(Result<Vec<u8>, String>) + Send + 'static,
    ) -> Result<Self, String> {
        let message = |error: &dyn std::fmt::Display| format!("cannot watch {}: {error}", file.display());
        let (news, inbox) = channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // After an error, changes may be missed.
            if event.map_or(true, |event| is_news(event.kind)) {
                let _ = news.send(());
            }
        })
        .map_err(|error| message(&error))?;
        watcher.watch(dir(file), RecursiveMode::NonRecursive).map_err(|error| message(&error))?;
        if let Some(target) = std::fs::canonicalize(file).ok().filter(|_| file.is_symlink()) {
            // If the target cannot be watched, the change of the link is still detected.
            let _ = watcher.watch(dir(&target), RecursiveMode::NonRecursive);
        }
        let path = file.to_path_buf();
        let thread = std::thread::Builder::new()
            .name("config-watch".to_owned())
            .spawn(move || read_changes(&path, known, &inbox, &changed))
            .map_err(|error| message(&error))?;
        Ok(Self { watcher: Some(watcher), thread: Some(thread) })
    }
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        // Without its watcher, the thread ends.
        self.watcher.take();
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

fn dir(file: &Path) -> &Path {
    file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether the content may have changed. Opening and reading do not count: the read here would be an event again.
fn is_news(kind: EventKind) -> bool {
    !matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}

fn read_changes(file: &Path, known: Vec<u8>, inbox: &Receiver<()>, changed: &dyn Fn(Result<Vec<u8>, String>)) {
    let mut last = Ok(known);
    loop {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            match inbox.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        // The first read needs no event: the file may have changed before it was watched.
        let now = std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()));
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
    use std::path::PathBuf;

    use super::*;

    struct Dir(PathBuf);

    impl Dir {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("kornsole-watch-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Dir {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn reports_a_written_a_renamed_and_a_missing_file_once_each() {
        let dir = Dir::new("changes");
        let file = dir.0.join("queues.yaml");
        std::fs::write(&file, "one").unwrap();
        let (sender, message) = channel();
        let watch = FileWatch::start(&file, b"one".to_vec(), move |content| sender.send(content).unwrap()).unwrap();
        let patience = Duration::from_secs(20);

        std::fs::write(dir.0.join("other.yaml"), "x").unwrap();
        std::fs::write(&file, "two").unwrap();
        assert_eq!(message.recv_timeout(patience).unwrap(), Ok(b"two".to_vec()));

        std::fs::write(dir.0.join("new"), "three").unwrap();
        std::fs::rename(dir.0.join("new"), &file).unwrap();
        assert_eq!(message.recv_timeout(patience).unwrap(), Ok(b"three".to_vec()));

        std::fs::remove_file(&file).unwrap();
        assert!(message.recv_timeout(patience).unwrap().unwrap_err().contains("queues.yaml"));
        drop(watch);
        assert!(message.try_recv().is_err(), "nothing is reported twice");
    }
    #[test]
    fn reading_the_file_is_no_news() {
        use notify::event::{DataChange, ModifyKind, RenameMode};
        for news in [
            EventKind::Access(AccessKind::Close(AccessMode::Write)),
            EventKind::Modify(ModifyKind::Data(DataChange::Any)),
            EventKind::Modify(ModifyKind::Name(RenameMode::To)),
            EventKind::Any,
        ] {
            assert!(is_news(news), "{news:?}");
        }
        for idle in [AccessKind::Open(AccessMode::Any), AccessKind::Read, AccessKind::Close(AccessMode::Read)] {
            assert!(!is_news(EventKind::Access(idle)), "{idle:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn the_target_of_a_link_is_watched_and_other_changes_do_not_hide_a_change() {
        let (links, targets) = (Dir::new("links"), Dir::new("targets"));
        let (link, target) = (links.0.join("queues.yaml"), targets.0.join("real.yaml"));
        std::fs::write(&target, "one").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let (sender, message) = channel();
        let watch = FileWatch::start(&link, b"one".to_vec(), move |content| sender.send(content).unwrap()).unwrap();
        std::fs::write(&target, "two").unwrap();
        // Another file is written continuously, so the directory is never quiet.
        let changed = loop {
            std::fs::write(targets.0.join("noise"), "x").unwrap();
            match message.recv_timeout(QUIET / 10) {
                Ok(changed) => break changed,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the reader is gone"),
            }
        };
        assert_eq!(changed, Ok(b"two".to_vec()));
        drop(watch);
    }
}

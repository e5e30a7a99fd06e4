//! The alerts file, written to a temporary file and renamed, so that readers find it complete.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::Disk;
use engine::file_lock::FileLock;

/// The file name in a state directory.
pub const FILE: &str = "alerts.json";
const LARGEST: u64 = 64 << 20;

/// The alerts file of a cluster, with one writer process.
#[derive(Debug)]
pub struct Store {
    file: PathBuf,
    lock: FileLock,
}

impl Store {
    /// Locks the file in a directory, which is created if needed.
    ///
    /// # Errors
    /// Returns an error if another process has it or the directory is unusable.
    pub fn open(dir: &Path) -> Result<Self, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", dir.display());
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(wrong)?;
        match FileLock::take(&dir.join("alerts.lock")).map_err(wrong)? {
            Some(lock) => Ok(Self { file: dir.join(FILE), lock }),
            None => Err(format!("another kornsole process uses the alerts in {}", dir.display())),
        }
    }

    /// The content; `None` without a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read.
    pub fn read(&self) -> Result<Option<String>, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", self.file.display());
        let mut text = String::new();
        match File::open(&self.file) {
            Ok(file) => file.take(LARGEST).read_to_string(&mut text).map_err(wrong)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(wrong(error)),
        };
        Ok(Some(text))
    }

    /// Replaces the content durably.
    ///
    /// # Errors
    /// Returns an error if the write fails; the old content remains.
    pub fn write(&self, text: &str) -> Result<(), String> {
        let temporary = self.file.with_extension("json.new");
        self.lock.keep().map_err(|error| format!("{}: {error}", self.file.display()))?;
        let written = || -> std::io::Result<()> {
            let mut file = private(&temporary)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&temporary, &self.file)
        };
        written().map_err(|error| {
            // A partial file only uses space.
            let _ = std::fs::remove_file(&temporary);
            format!("{}: {error}", self.file.display())
        })
    }

    /// Returns its new path.
    pub fn set_aside(&self) -> PathBuf {
        let aside = self.file.with_extension("json.damaged");
        // It is stored only for inspection.
        let _ = std::fs::rename(&self.file, &aside);
        aside
    }
}

/// Creates or truncates a file with access for its owner only; earlier versions created it with wider permissions.
fn private(path: &Path) -> std::io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// `None` if unknown.
pub fn disk(dir: &Path) -> Option<Disk> {
    let found = rustix::fs::statvfs(dir).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Some(Disk {
        dir: dir.display().to_string(),
        free: bytes(found.f_bavail),
        // Space reserved for root counts as used.
        size: bytes(found.f_blocks),
        failure: None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::alerting::board::{Board, Timing};
    use crate::given::Given;
    use crate::read::defaults;
    use crate::silence::SilenceOrder;
    use model::Time;

    #[test]
    fn what_is_alerted_about_is_for_its_owner_alone() {
        let dir = std::env::temp_dir().join(format!("kornsole-alerts-mode-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("alerts.json.new"), "cut off").unwrap();
        std::fs::set_permissions(dir.join("alerts.json.new"), Permissions::from_mode(0o644)).unwrap();
        let store = Store::open(&dir).unwrap();
        store.write("{}").unwrap();
        for name in [FILE, "alerts.lock"] {
            let mode = std::fs::metadata(dir.join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        assert_eq!(store.read().unwrap().as_deref(), Some("{}"));
        drop(store);
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_silence_is_on_the_disk_or_refused_and_a_clock_set_back_stops_nothing() {
        let dir = std::env::temp_dir().join(format!("kornsole-alerts-full-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let (rules, file) = (Arc::new(defaults()), dir.join(FILE));
        let store = Store::open(&dir).unwrap();
        let board = Board::new("test", rules, Some(store), Time::ZERO, Vec::new());
        let (rule, subject, lasts) = (None, None, Duration::from_secs(3600));
        let order = SilenceOrder { rule, subject, lasts, by: "sue".to_owned(), reason: "known".to_owned() };
        let wall = SystemTime::now();
        let step = |wall| board.step(&given(), Timing { wall, speed: 1.0 });
        step(wall + Duration::from_secs(7200));
        // Simulates a full disk: a directory is in place of the file.
        let temporary = file.with_extension("json.new");
        std::fs::create_dir_all(temporary.join("below")).unwrap();
        let refused = board.silence(order.clone(), Time::ZERO).unwrap_err();
        assert!(refused.contains("cannot save the silence"), "{refused}");
        assert!(board.snapshot().silences.is_empty(), "what is refused is not done");
        assert!(
            board.snapshot().problem.iter().any(|why| why.contains("cannot save the alerts")),
            "{:?}",
            board.snapshot().problem
        );
        std::fs::remove_dir_all(&temporary).unwrap();
        let id = board.silence(order, Time::ZERO).unwrap();
        assert!(board.snapshot().problem.is_empty(), "it is over: {:?}", board.snapshot().problem);
        assert!(std::fs::read_to_string(&file).unwrap().contains("known") && id > 0);
        step(wall + Duration::from_secs(7200));
        std::fs::remove_file(&file).unwrap();
        step(wall);
        assert!(file.exists(), "it is written though the clock was set back two hours");
        drop(board);
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_stolen_lock_never_allows_two_writers_and_is_reported_until_it_is_free() {
        let dir = std::env::temp_dir().join(format!("kornsole-alerts-stolen-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let store = Store::open(&dir).unwrap();
        store.write("{}").unwrap();
        std::fs::remove_file(dir.join("alerts.lock")).unwrap();
        let reopened = Store::open(&dir).unwrap();
        let why = store.write("{\"a\":1}").unwrap_err();
        assert!(why.contains("alerts.json: another kornsole took the lock"), "{why}");
        assert_eq!(store.read().unwrap().as_deref(), Some("{}"));
        drop(reopened);
        store.write("{\"a\":2}").unwrap();
        assert!(Store::open(&dir).is_err(), "it has the lock again");
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn truncated_alerts_are_reported_as_damaged() {
        let dir = std::env::temp_dir().join(format!("kornsole-alerts-cut-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let new = || Board::new("test", Arc::new(defaults()), Some(Store::open(&dir).unwrap()), Time::ZERO, Vec::new());
        let board = new();
        board.step(&given(), Timing { wall: SystemTime::now(), speed: 1.0 });
        drop(board);
        let whole = std::fs::read(dir.join(FILE)).unwrap();
        for len in [0, 1, whole.len() / 2, whole.len() - 1] {
            std::fs::write(dir.join(FILE), &whole[..len]).unwrap();
            let problem = new().snapshot().problem.join(" ");
            assert!(
                problem.contains("damaged") && problem.contains("alerts.json.damaged and started"),
                "{len}: {problem}"
            );
        }
        std::fs::write(dir.join(FILE), &whole).unwrap();
        assert!(new().snapshot().problem.is_empty());
        std::fs::remove_dir_all(&dir).unwrap();
    }

    fn given() -> Given {
        let (happened, connection, health, disk) = Default::default();
        Given { view: Arc::default(), at: Time::ZERO, happened, connection, health, disk, apps: true }
    }
}

//! The observed configurations: `revisions.jsonl`, one line per configuration with its text.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Retained;
use model::{Profile, Time};
use view::audit::{Revision, RevisionSource};

const FILE: &str = "revisions.jsonl";
const MOST: usize = 200;

/// How a configuration became active, as far as known.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The user; empty if unknown.
    pub by: String,
    /// The reason; may be empty.
    pub reason: String,
    /// `Seen` if another client wrote it.
    pub source: RevisionSource,
}

impl Retained {
    /// Stores an active configuration, unless it is the newest already. Returns its number.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be written.
    pub fn keep(&self, text: &str, origin: Origin) -> io::Result<u64> {
        let _lock = self.lock()?;
        let all: Vec<Revision> = self.read().collect();
        let newest = all.last();
        if let Some(newest) = newest.filter(|newest| newest.text.as_deref() == Some(text)) {
            return Ok(newest.number);
        }
        let read = |text: &str| config::read(text, Profile::default()).config;
        let before = newest.and_then(|newest| read(newest.text.as_deref()?));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let revision = Revision {
            number: newest.map_or(1, |newest| newest.number + 1),
            checksum: config::checksum(text.as_bytes()),
            at: Time(u64::try_from(now.as_micros()).unwrap_or(u64::MAX)),
            wall: i64::try_from(now.as_nanos()).ok(),
            by: origin.by,
            reason: origin.reason,
            source: origin.source,
            changes: before.zip(read(text)).map_or(0, |(old, new)| config::diff(&old, &new).changes.len()),
            text: Some(Arc::from(text)),
        };
        let line = serde_json::to_string(&revision)?;
        if all.len() >= MOST {
            self.replace(&all[all.len() + 1 - MOST..], &line)?;
        } else {
            self.append(FILE, &line)?;
        }
        Ok(revision.number)
    }

    fn replace(&self, retained: &[Revision], line: &str) -> io::Result<()> {
        let next = self.file("revisions.jsonl.new");
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&next)?;
        for one in retained {
            writeln!(file, "{}", serde_json::to_string(one)?)?;
        }
        writeln!(file, "{line}")?;
        file.sync_all()?;
        fs::rename(next, self.file(FILE))
    }

    fn read(&self) -> impl Iterator<Item = Revision> {
        self.lines(FILE).filter_map(|line| serde_json::from_str(&line).ok())
    }

    /// The stored revisions, the newest first, without texts.
    pub fn revisions(&self) -> Vec<Arc<Revision>> {
        let mut all: Vec<_> = self.read().map(|one| Arc::new(Revision { text: None, ..one })).collect();
        all.reverse();
        all
    }

    /// A revision with its text.
    pub fn revision(&self, number: u64) -> Option<Revision> {
        self.read().find(|one| one.number == number)
    }

    /// The newest revision with its text.
    pub fn newest(&self) -> Option<Revision> {
        self.read().last()
    }
}

#[cfg(test)]
pub mod tests {
    use std::path::PathBuf;

    use super::*;

    pub fn scratch(name: &str) -> (Retained, PathBuf) {
        let dir = std::env::temp_dir().join(format!("kornsole-kept-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        (Retained::at(&dir), dir)
    }

    fn seen() -> Origin {
        Origin { by: String::new(), reason: String::new(), source: RevisionSource::Seen }
    }

    #[test]
    fn a_text_is_stored_once_while_it_is_active() {
        let (retained, dir) = scratch("history");
        let text = |max: u32| {
            format!(
                "partitions: [{{name: default, queues: [{{name: root, queues: [{{name: a, resources: {{max: {{vcore: {max}}}}}}}]}}]}}]\n"
            )
        };
        assert_eq!(retained.keep(&text(1), seen()).unwrap(), 1);
        assert_eq!(retained.keep(&text(1), seen()).unwrap(), 1);
        let by = Origin { by: "ann".to_owned(), reason: "room".to_owned(), source: RevisionSource::Rollback(1) };
        assert_eq!(retained.keep(&text(2), by).unwrap(), 2);
        assert_eq!(retained.keep(&text(1), seen()).unwrap(), 3, "it returned");
        let all = retained.revisions();
        let numbers: Vec<(u64, usize)> = all.iter().map(|one| (one.number, one.changes)).collect();
        assert_eq!(numbers, [(3, 1), (2, 1), (1, 0)]);
        assert_eq!((all[1].by.as_str(), all[1].source), ("ann", RevisionSource::Rollback(1)));
        assert_eq!(retained.revision(2).unwrap().text.as_deref(), Some(&*text(2)));
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn only_the_newest_are_stored() {
        let (retained, dir) = scratch("bounded");
        for number in 1..=MOST as u64 + 5 {
            assert_eq!(retained.keep(&format!("# {number}\n"), seen()).unwrap(), number);
        }
        let all = retained.revisions();
        assert_eq!((all.len(), all[0].number, all[MOST - 1].number), (MOST, MOST as u64 + 5, 6));
        fs::remove_dir_all(dir).unwrap();
    }
}

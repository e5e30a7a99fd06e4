//! Repairs a damaged journal: continues with the intact frames. The damaged file is moved aside, never deleted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::disk::{Disk, FileDisk};
use super::frame::{self, Kind};
use super::record::{Record, WallTime};
use super::refused;
use super::store::Store;
use super::tables::{Change, JournalHead, SnapshotIndex};
use model::messagepack;

#[derive(Default)]
struct IntactParts {
    head: Option<JournalHead>,
    records: BTreeMap<u64, Vec<u8>>,
    /// Numbers with two different records: one of them was withdrawn.
    unsure: Vec<u64>,
    parts: BTreeMap<(u64, u32), Vec<u8>>,
    snapshots: BTreeMap<u64, SnapshotIndex>,
    audit: BTreeMap<u64, Vec<u8>>,
    revisions: BTreeMap<u64, Vec<u8>>,
}

struct IntactRange {
    from: u64,
    /// The last record that follows without a gap.
    to: u64,
}

impl IntactParts {
    fn look(file: &[u8]) -> Self {
        let mut found = Self::default();
        frame::scan(file, |frame| {
            let content = frame.content;
            match frame.kind {
                Kind::Head => found.head = serde_json::from_slice(content).ok().or(found.head.take()),
                Kind::Record => {
                    let known = found.records.entry(frame.key).or_insert_with(|| content.to_vec());
                    match refused::contains_bytes(known, content) {
                        _ if known == content => {}
                        Some(contains_bytes) => *known = contains_bytes.to_vec(),
                        None => found.unsure.push(frame.key),
                    }
                }
                Kind::Snapshot => {
                    found.parts.insert((frame.key, frame.part), content.to_vec());
                }
                Kind::Index => {
                    found.snapshots.extend(messagepack::from_slice(content).ok().map(|index| (frame.key, index)));
                }
                Kind::Audit => {
                    found.audit.insert(frame.key, content.to_vec());
                }
                // In a separate file.
                Kind::Last => {}
                Kind::Revision => {
                    found.revisions.insert(frame.key, content.to_vec());
                }
            }
        });
        found
    }

    fn is_whole(&self, number: u64, index: &SnapshotIndex) -> bool {
        let parts = (0..index.parts).map(|part| self.parts.get(&(number, part)).map(|bytes| bytes.len() as u64));
        parts.sum::<Option<u64>>() == Some(index.bytes)
    }

    /// The last record that follows a snapshot without a gap.
    fn reach(&self, from: u64) -> u64 {
        let next = |last: &u64| {
            let next = last + 1;
            (self.records.contains_key(&next) && !self.unsure.contains(&next)).then_some(next)
        };
        std::iter::successors(Some(from), next).last().unwrap_or(from)
    }

    /// The range that reaches farthest, from the newest possible snapshot.
    fn farthest(&self) -> Option<IntactRange> {
        let whole = self.snapshots.iter().filter(|(number, index)| self.is_whole(**number, index));
        let reaches = whole.map(|(number, _)| IntactRange { from: *number, to: self.reach(*number) });
        reaches.max_by_key(|reach| (reach.to, reach.from))
    }

    /// The time of the last of these records with a time.
    fn time_of(&self, numbers: impl std::ops::RangeBounds<u64>) -> Option<WallTime> {
        let mut walls = self.records.range(numbers).rev().filter_map(|(_, bytes)| Record::read(bytes).ok()?.wall());
        walls.next()
    }
}

/// Describes the damage of a journal.
pub fn report(disk: &Arc<dyn Disk>, why: &str) -> String {
    let mut message = format!("the state is damaged: {why}\n");
    match read(disk) {
        Ok(file) => message.push_str(&summary(&IntactParts::look(&file))),
        Err(error) => message.push_str(&format!("  the complete state is unreadable too: {error}")),
    }
    message.push_str(
        "\n  = use --state-repair to move the damaged file aside and continue with the intact part, or restore a copy of the directory",
    );
    message
}

fn summary(found: &IntactParts) -> String {
    let Some(IntactRange { to, .. }) = found.farthest() else {
        return "  it is unusable: no snapshot is intact".to_owned();
    };
    let until = found.time_of(..=to).map(|wall| format!(", the last operation at {}", date(wall)));
    let mut message = format!("  intact: records up to {to}{}", until.unwrap_or_default());
    let later = found.records.range(to + 1..).count();
    if later > 0 {
        let last = found.time_of(to + 1..).map(|wall| format!(", until {}", date(wall))).unwrap_or_default();
        message.push_str(&format!(
            "\n  the records after that are lost: {later} later records are intact{last}, but depend on damaged ones"
        ));
    } else {
        message.push_str("\n  later records, if any, are lost");
    }
    message
}

/// Moves a damaged file aside, and creates a new one with the intact part. Returns a message.
///
/// # Errors
/// Returns an error if that fails; the file stays in place.
pub fn repaired(file: &Path) -> Result<String, String> {
    let disk: Arc<dyn Disk> = Arc::new(FileDisk::open(file).map_err(|error| error.to_string())?);
    let bytes = read(&disk).map_err(|error| error.to_string())?;
    let found = IntactParts::look(&bytes);
    let message = summary(&found);
    let reach = found.farthest().ok_or_else(|| message.clone())?;
    let aside = replace(file, |fresh| write(fresh, found, &reach))?;
    Ok(format!("the damaged state was moved to {}\n{message}", aside.display()))
}

/// As [`repaired`], for a file with only an audit and revisions: all intact entries are kept.
///
/// # Errors
/// Returns an error if that fails; the file stays in place.
pub fn repair_audit(file: &Path) -> Result<String, String> {
    let disk: Arc<dyn Disk> = Arc::new(FileDisk::open(file).map_err(|error| error.to_string())?);
    let bytes = read(&disk).map_err(|error| error.to_string())?;
    let found = IntactParts::look(&bytes);
    let (entries, revisions) = (found.audit.len(), found.revisions.len());
    let aside = replace(file, |fresh| {
        let store = Store::open(fresh).map_err(|error| error.to_string())?;
        store.commit(&entries_of(&found)).map_err(|error| error.to_string())
    })?;
    Ok(format!(
        "the audit was damaged: moved to {}; {entries} intact entries and {revisions} configurations remain",
        aside.display()
    ))
}

pub(super) struct IntactAudit {
    pub head: Option<JournalHead>,
    /// The entries and revisions, for a new store.
    pub changes: Vec<Change>,
    pub entries: usize,
    pub revisions: usize,
}

/// Fails if the file cannot be read.
pub(super) fn audit_in(disk: &Arc<dyn Disk>) -> std::io::Result<IntactAudit> {
    let mut found = IntactParts::look(&read(disk)?);
    let (entries, revisions) = (found.audit.len(), found.revisions.len());
    Ok(IntactAudit { changes: entries_of(&found), head: found.head.take(), entries, revisions })
}

/// Writes a new file and swaps it with the old one, which is moved aside. Returns the new path of the old file.
fn replace(file: &Path, write: impl FnOnce(Arc<dyn Disk>) -> Result<(), String>) -> Result<PathBuf, String> {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let new = file.with_extension(format!("new-{seconds}"));
    let aside = file.with_extension(format!("damaged-{seconds}"));
    let fresh: Arc<dyn Disk> = Arc::new(FileDisk::open(&new).map_err(|error| error.to_string())?);
    write(fresh)?;
    let swap = std::fs::rename(file, &aside).and_then(|()| std::fs::rename(&new, file));
    swap.map_err(|error| format!("cannot move {} aside: {error}", file.display()))?;
    Ok(aside)
}

fn read(disk: &Arc<dyn Disk>) -> std::io::Result<Vec<u8>> {
    let len = usize::try_from(disk.len()?).map_err(std::io::Error::other)?;
    let mut bytes = vec![0; len];
    disk.read(0, &mut bytes)?;
    Ok(bytes)
}

fn write(disk: Arc<dyn Disk>, mut found: IntactParts, reach: &IntactRange) -> Result<(), String> {
    let store = Store::open(disk).map_err(|error| error.to_string())?;
    let head = found.head.take().ok_or("its head is damaged: its core is unknown")?;
    // Older snapshots are usable only with all later records.
    let older = |number: &u64| *number <= reach.from && found.reach(*number) >= reach.to;
    let retained: Vec<(u64, SnapshotIndex)> = (found.snapshots.iter())
        .filter(|(number, index)| older(number) && found.is_whole(**number, index))
        .map(|(number, index)| (*number, index.clone()))
        .collect();
    let first = retained.first().map_or(reach.from, |(number, _)| *number);
    let mut changes = vec![Change::Head(head)];
    for (number, index) in retained {
        let parts = found.parts.range((number, 0)..(number, index.parts));
        changes.extend(parts.map(|((number, part), bytes)| Change::Part(*number, *part, bytes.as_slice().into())));
        changes.push(Change::Index(number, index));
    }
    changes.extend(
        found
            .records
            .range(first + 1..)
            .take_while(|(number, _)| **number <= reach.to)
            .map(|(number, bytes)| Change::Records(*number, frame::alone(Kind::Record, *number, 0, bytes).into())),
    );
    changes.extend(entries_of(&found));
    store.commit(&changes).map_err(|error| error.to_string())
}

fn entries_of(found: &IntactParts) -> Vec<Change> {
    let entries = found.audit.iter().map(|(id, bytes)| Change::Audit(*id, bytes.as_slice().into()));
    let revisions = found.revisions.iter().map(|(number, bytes)| Change::Revision(*number, bytes.as_slice().into()));
    entries.chain(revisions).collect()
}

fn date(wall: WallTime) -> String {
    let seconds = i64::try_from(wall.0 / 1_000_000).unwrap_or(i64::MAX);
    let at = OffsetDateTime::from_unix_timestamp(seconds).ok().and_then(|at| at.format(&Rfc3339).ok());
    at.unwrap_or_default().replace('T', " ").replace('Z', " UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let date = |seconds: u64| date(WallTime(seconds * 1_000_000));
        assert_eq!(date(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(date(951_825_599), "2000-02-29 11:59:59 UTC");
        assert_eq!(date(1_763_775_136), "2025-11-22 01:32:16 UTC");
    }
}

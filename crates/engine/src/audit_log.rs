//! The audit log and the revisions of the configuration (REST E5, E11).
//!
//! The owner of the scheduler writes; all threads read. Memory is limited by [`MOST_ENTRIES`] and [`MOST_TEXT`]. The
//! journal stores new entries ([`AuditLog::take_new`]), restores them at a start ([`AuditLog::restore`]), and serves
//! older ones ([`AuditArchive`]).
//!
//! Invariants:
//! - append-only: a number is used once, and its entry never changes;
//! - numbers depend only on the order of the acts, so a replay gives the same log;
//! - no lock is held during work: reads copy pointers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use view::audit::{AuditEntry, AuditQuery, Revision};

/// The number of audit entries in memory.
pub const MOST_ENTRIES: usize = 10_000;
/// The number of revisions in memory.
pub const MOST_REVISIONS: usize = 1_000;
/// The number of recent revisions that are checked for an equal text.
const SHARED_WITH: usize = 16;
/// The bytes of configuration texts in memory, in addition to the newest.
pub const MOST_TEXT: usize = 64 << 20;

/// Access to entries older than memory.
pub trait AuditArchive: Send + Sync {
    /// Returns matching entries, the newest first, up to the limit of the query.
    fn entries(&self, query: &AuditQuery) -> Vec<Arc<AuditEntry>>;

    /// Returns revisions before `before`, the newest first, at most `limit`.
    fn revisions(&self, before: u64, limit: usize) -> Vec<Arc<Revision>>;

    /// Returns a revision; `None` if it was never stored or is invalid.
    fn revision(&self, number: u64) -> Option<Arc<Revision>>;
}

/// New records of a log, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewEntries {
    /// The audit entries.
    pub entries: Vec<Arc<AuditEntry>>,
    /// The revisions. A known number replaces the earlier record: its text became known.
    pub revisions: Vec<Arc<Revision>>,
}

/// The audit log and the revisions.
#[derive(Default)]
pub struct AuditLog {
    log: Mutex<LogEntries>,
    archive: OnceLock<Arc<dyn AuditArchive>>,
}

#[derive(Default)]
struct LogEntries {
    entries: VecDeque<Arc<AuditEntry>>,
    last: u64,
    revisions: VecDeque<Arc<Revision>>,
    text: usize,
    /// `None` if not collected.
    new: Option<NewEntries>,
    generation: u64,
}

impl std::fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let log = self.log();
        let (last, revisions) = (log.last, log.revisions.len());
        f.debug_struct("AuditLog").field("last", &last).field("revisions", &revisions).finish_non_exhaustive()
    }
}

impl AuditLog {
    /// Collects new records for [`AuditLog::take_new`], starting with the existing ones.
    pub fn collect_new(&self) {
        let mut log = self.log();
        if log.new.is_none() {
            let entries = log.entries.iter().cloned().collect();
            let revisions = log.revisions.iter().cloned().collect();
            log.new = Some(NewEntries { entries, revisions });
        }
    }

    /// The number of the newest entry.
    pub fn last(&self) -> u64 {
        self.log().last
    }

    pub(super) fn continue_after(&self, last: u64) {
        self.log().last = last;
    }

    /// Whether [`AuditLog::take_new`] would return records.
    pub fn has_new(&self) -> bool {
        self.log().new.as_ref().is_some_and(|new| *new != NewEntries::default())
    }

    /// Returns the records since the last call.
    pub fn take_new(&self) -> NewEntries {
        self.log().new.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Restores stored records, the oldest first, into an empty log; numbers continue after them. They are not reported
    /// as new. A stored entry replaces one of the same number.
    pub fn restore(&self, retained: NewEntries) {
        let mut log = self.log();
        let new = log.new.take();
        for entry in retained.entries {
            log.last = log.last.max(entry.id);
            log.entries.retain(|known| known.id != entry.id);
            log.entries.push_back(entry);
        }
        log.entries.make_contiguous().sort_by_key(|entry| entry.id);
        for revision in retained.revisions {
            log.revise(revision);
        }
        log.bound();
        log.new = new;
    }

    /// Only the first call has an effect.
    pub fn set_archive(&self, archive: Arc<dyn AuditArchive>) {
        let _ = self.archive.set(archive);
    }

    /// Adds an entry and returns its number.
    pub(super) fn enter(&self, entry: AuditEntry) -> u64 {
        let mut log = self.log();
        log.last += 1;
        let entry = Arc::new(AuditEntry { id: log.last, ..entry });
        if let Some(new) = &mut log.new {
            new.entries.push(Arc::clone(&entry));
        }
        log.entries.push_back(entry);
        log.bound();
        log.last
    }

    pub(super) fn revise(&self, mut revision: Revision) {
        let mut log = self.log();
        log.share_text(&mut revision);
        let revision = Arc::new(revision);
        if let Some(new) = &mut log.new {
            new.revisions.retain(|known| known.number != revision.number);
            new.revisions.push(Arc::clone(&revision));
        }
        log.revise(revision);
        log.bound();
    }

    /// Returns matching entries, the newest first.
    pub fn entries(&self, query: &AuditQuery) -> Vec<Arc<AuditEntry>> {
        let (mut found, oldest) = {
            let log = self.log();
            (query.pick(&log.entries), log.entries.front().map_or(log.last + 1, |entry| entry.id))
        };
        if let Some(archive) = self.archive.get().filter(|_| found.len() < query.limit) {
            let before = Some(query.before.map_or(oldest, |before| before.min(oldest)));
            let limit = query.limit - found.len();
            found.extend(archive.entries(&AuditQuery { before, limit, ..query.clone() }));
        }
        found
    }

    /// Returns matching entries in memory, the newest first, without reading a disk.
    pub fn recent(&self, query: &AuditQuery) -> Vec<Arc<AuditEntry>> {
        query.pick(&self.log().entries)
    }

    /// The revisions in memory, the newest first.
    pub fn recent_revisions(&self) -> Vec<Arc<Revision>> {
        self.log().revisions.iter().rev().cloned().collect()
    }

    /// Returns the revisions before `before`, the newest first, at most `limit`.
    pub fn revisions(&self, before: Option<u64>, limit: usize) -> Vec<Arc<Revision>> {
        let below = |revision: &&Arc<Revision>| before.is_none_or(|before| revision.number < before);
        let mut found: Vec<_> = self.log().revisions.iter().rev().filter(below).take(limit).cloned().collect();
        if let Some(archive) = self.archive.get().filter(|_| found.len() < limit) {
            let oldest = found.last().map(|revision| revision.number).or(before);
            found.extend(archive.revisions(oldest.unwrap_or(u64::MAX), limit - found.len()));
        }
        found
    }

    /// Returns a revision from memory or the archive.
    pub fn revision(&self, number: u64) -> Option<Arc<Revision>> {
        let known = self.log().revisions.iter().find(|revision| revision.number == number).cloned();
        known.or_else(|| self.archive.get()?.revision(number))
    }

    /// Counts up with each change.
    pub fn generation(&self) -> u64 {
        self.log().generation
    }

    fn log(&self) -> MutexGuard<'_, LogEntries> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogEntries {
    fn share_text(&self, revision: &mut Revision) {
        let same = self.revisions.iter().rev().take(SHARED_WITH).find_map(|known| {
            known
                .text
                .as_ref()
                .filter(|text| known.checksum == revision.checksum && Some(*text) == revision.text.as_ref())
        });
        if let Some(text) = same {
            revision.text = Some(Arc::clone(text));
        }
    }

    fn revise(&mut self, revision: Arc<Revision>) {
        let size = |revision: &Revision| revision.text.as_ref().map_or(0, |text| text.len());
        if let Some(at) = self.revisions.iter().position(|known| known.number == revision.number) {
            self.text -= size(&self.revisions[at]);
            self.revisions.remove(at);
        }
        self.text += size(&revision);
        let at = self.revisions.partition_point(|known| known.number < revision.number);
        self.revisions.insert(at, revision);
        while self.revisions.len() > MOST_REVISIONS || (self.revisions.len() > 1 && self.text > MOST_TEXT) {
            let oldest = self.revisions.pop_front();
            self.text -= oldest.as_deref().map_or(0, size);
        }
    }

    fn bound(&mut self) {
        self.generation += 1;
        while self.entries.len() > MOST_ENTRIES {
            self.entries.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Time;
    use view::audit::RevisionSource;

    fn entry(user: &str, action: &str) -> AuditEntry {
        AuditEntry { user: user.to_owned(), action: action.to_owned(), ..AuditEntry::default() }
    }

    fn revision(number: u64, text: &str) -> Revision {
        let (by, reason) = Default::default();
        let (at, source) = (Time(number), RevisionSource::Start);
        let text = Some(Arc::from(text));
        Revision { number, checksum: format!("{number}"), at, wall: None, by, reason, source, changes: 0, text }
    }

    fn ids(entries: &[Arc<AuditEntry>]) -> Vec<u64> {
        entries.iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn numbers_continue_and_the_oldest_are_dropped_first() {
        let log = AuditLog::default();
        for at in 0..MOST_ENTRIES + 3 {
            log.enter(entry(["ann", "sue"][at % 2], "kill"));
        }
        let all = log.entries(&AuditQuery { limit: usize::MAX, ..AuditQuery::default() });
        assert_eq!((all.len(), all[0].id, all[MOST_ENTRIES - 1].id), (MOST_ENTRIES, 10_003, 4));
        let query = AuditQuery { before: Some(8), limit: 2, user: Some("ann".to_owned()), ..AuditQuery::default() };
        assert_eq!(ids(&log.entries(&query)), [7, 5]);
        let none = AuditQuery { limit: 9, action: Some("move".to_owned()), ..AuditQuery::default() };
        assert!(log.entries(&none).is_empty());
    }

    #[test]
    fn what_is_new_is_reported_once_and_can_be_put_back() {
        let log = AuditLog::default();
        log.enter(entry("ann", "kill"));
        log.revise(revision(1, "a"));
        log.collect_new();
        log.enter(entry("sue", "move"));
        log.revise(Revision { changes: 7, ..revision(1, "a") });
        let new = log.take_new();
        assert_eq!((ids(&new.entries), new.revisions.len(), new.revisions[0].changes), (vec![1, 2], 1, 7));
        assert_eq!(log.take_new(), NewEntries::default());

        let again = AuditLog::default();
        again.collect_new();
        again.restore(new);
        assert_eq!(again.take_new(), NewEntries::default(), "what was kept before is not new");
        assert_eq!((again.enter(entry("ann", "kill")), again.revision(1).map(|known| known.changes)), (3, Some(7)));
    }

    #[test]
    fn texts_are_bounded_but_the_newest_stays() {
        let log = AuditLog::default();
        let large = "x".repeat(MOST_TEXT / 2 + 1);
        (1..=3).for_each(|number| log.revise(revision(number, &large)));
        let numbers: Vec<u64> = log.revisions(None, 9).iter().map(|revision| revision.number).collect();
        assert_eq!(numbers, [3]);
        assert!(log.revision(2).is_none());
    }

    #[test]
    fn a_text_that_is_restored_is_in_memory_once() {
        let log = AuditLog::default();
        let of = |number, text| Revision { checksum: text_sum(text), ..revision(number, text) };
        for (number, text) in [(1, "with"), (2, "without"), (3, "with")] {
            log.revise(of(number, text));
        }
        let text = |number| log.revision(number).unwrap().text.clone().unwrap();
        assert!(Arc::ptr_eq(&text(1), &text(3)) && !Arc::ptr_eq(&text(1), &text(2)));
        assert_eq!(&*text(3), "with");
    }

    fn text_sum(text: &str) -> String {
        config::checksum(text.as_bytes())
    }

    #[test]
    fn older_entries_are_read_from_the_archive() {
        struct Catalog;
        impl AuditArchive for Catalog {
            fn entries(&self, query: &AuditQuery) -> Vec<Arc<AuditEntry>> {
                let old = (1..query.before.unwrap_or(9)).rev().take(query.limit);
                old.map(|id| Arc::new(AuditEntry { id, ..AuditEntry::default() })).collect()
            }
            fn revisions(&self, before: u64, limit: usize) -> Vec<Arc<Revision>> {
                (1..before).rev().take(limit).map(|number| Arc::new(revision(number, "old"))).collect()
            }
            fn revision(&self, number: u64) -> Option<Arc<Revision>> {
                Some(Arc::new(revision(number, "old")))
            }
        }
        let log = AuditLog::default();
        let retained = AuditEntry { id: 5, ..AuditEntry::default() };
        log.restore(NewEntries { entries: vec![Arc::new(retained)], revisions: vec![Arc::new(revision(4, "new"))] });
        log.set_archive(Arc::new(Catalog));
        let query = |before, limit| AuditQuery { before, limit, ..AuditQuery::default() };
        assert_eq!(ids(&log.entries(&query(None, 3))), [5, 4, 3]);
        assert_eq!(ids(&log.entries(&query(Some(3), 9))), [2, 1]);
        let numbers: Vec<u64> = log.revisions(None, 3).iter().map(|revision| revision.number).collect();
        assert_eq!((numbers, log.revision(2).and_then(|old| old.text.clone())), (vec![4, 3, 2], Some("old".into())));
    }
}

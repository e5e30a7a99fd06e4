//! Tests that written entries survive all failures.

use std::fs;
use std::path::PathBuf;

use super::super::dir::Dir;
use super::super::salvage::SalvagedDir;
use super::*;
use model::Time;
use view::audit::{AuditEntry, Revision, RevisionSource};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("kornsole-audit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        Self(dir)
    }

    fn open(&self) -> AuditDir {
        AuditDir::open(&self.0, Profile::Kornsole).unwrap()
    }

    fn file(&self) -> PathBuf {
        self.0.join(AUDIT)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn enter(log: &AuditLog, reason: &str) {
    log.enter(AuditEntry { user: "ann".to_owned(), reason: reason.to_owned(), ..AuditEntry::default() });
}

fn revision(number: u64, text: &str) -> Revision {
    let (by, reason) = Default::default();
    let (at, source, text) = (Time(number), RevisionSource::File, Some(Arc::from(text)));
    Revision { number, checksum: format!("{number}"), at, wall: None, by, reason, source, changes: 0, text }
}

fn reasons(new: &NewEntries) -> Vec<(u64, &str)> {
    new.entries.iter().map(|entry| (entry.id, entry.reason.as_str())).collect()
}

#[test]
fn what_is_written_is_there_again_and_numbers_continue() {
    let scratch = Scratch::new("again");
    let log = Arc::new(AuditLog::default());
    enter(&log, "before");
    let mut writer = scratch.open().follow(&log);
    log.revise(revision(1, "one"));
    assert_eq!(writer.write().unwrap(), 0);
    enter(&log, "later");
    writer.write().unwrap();
    enter(&log, "never written");
    drop(writer);

    let dir = scratch.open();
    let retained = dir.retained();
    assert_eq!(reasons(&retained), [(1, "before"), (2, "later")]);
    assert_eq!(
        retained.revisions.iter().map(|one| (one.number, one.text.as_deref())).collect::<Vec<_>>(),
        [(1, Some("one"))]
    );
    let log = Arc::new(AuditLog::default());
    log.restore(retained);
    let mut writer = dir.follow(&log);
    enter(&log, "again");
    writer.write().unwrap();
    assert!(matches!(AuditInspection::open(&scratch.0), Err(DirError::Running { .. })), "it runs");
    drop(writer);
    let look = AuditInspection::open(&scratch.0).unwrap();
    let all = look.audit_log().entries(&AuditQuery { limit: 9, ..AuditQuery::default() });
    let all: Vec<_> = all.iter().map(|entry| (entry.id, entry.reason.as_str())).collect();
    assert_eq!(all, [(3, "again"), (2, "later"), (1, "before")]);
    assert_eq!(look.profile(), Profile::Kornsole);
}

#[test]
fn entries_that_are_not_in_memory_are_read_from_the_file() {
    let scratch = Scratch::new("older");
    let log = Arc::new(AuditLog::default());
    let mut writer = scratch.open().follow(&log);
    for number in 1..=MOST_ENTRIES + 5 {
        enter(&log, "order");
        if number.is_multiple_of(4_000) {
            writer.write().unwrap();
        }
    }
    writer.write().unwrap();
    let query = AuditQuery { before: Some(8), limit: 9, ..AuditQuery::default() };
    let ids: Vec<u64> = log.entries(&query).iter().map(|entry| entry.id).collect();
    assert_eq!(ids, [7, 6, 5, 4, 3, 2, 1]);
    drop(writer);
    let retained = scratch.open().retained();
    assert_eq!((retained.entries.len(), retained.entries[0].id), (MOST_ENTRIES, 6), "as much as memory takes");
}

#[test]
fn a_second_process_learns_who_uses_the_directory_and_other_kinds_are_rejected() {
    let scratch = Scratch::new("kinds");
    let dir = scratch.open();
    let second = AuditDir::open(&scratch.0, Profile::Kornsole).map(drop).unwrap_err().to_string();
    assert!(second.contains(&format!("in use by another kornsole (process {})", std::process::id())), "{second}");
    drop(dir);
    let serve = Dir::open(&scratch.0, false).map(drop).unwrap_err().to_string();
    assert!(serve.contains("is a state of `kornsole kube schedule`"), "{serve}");
    fs::rename(scratch.file(), scratch.0.join(FILE)).unwrap();
    let schedule = AuditDir::open(&scratch.0, Profile::Kornsole).map(drop).unwrap_err().to_string();
    assert!(schedule.contains("is a state of `kornsole serve`"), "{schedule}");
}

#[test]
fn of_a_damaged_file_the_intact_entries_stay_and_the_file_is_moved_aside() {
    let scratch = Scratch::new("damaged");
    let log = Arc::new(AuditLog::default());
    let mut writer = scratch.open().follow(&log);
    ["first", "second"].iter().for_each(|reason| enter(&log, reason));
    log.revise(revision(1, "the queues"));
    writer.write().unwrap();
    drop(writer);
    // Destroys the head of the store, so that it cannot be opened.
    let mut bytes = fs::read(scratch.file()).unwrap();
    bytes[..64].fill(0xab);
    fs::write(scratch.file(), &bytes).unwrap();
    let look = AuditInspection::open(&scratch.0).map(drop).unwrap_err().to_string();
    assert!(look.contains("the audit is damaged"), "{look}");

    let dir = scratch.open();
    let note = dir.notes().join(" ");
    assert!(note.contains("audit.damaged-") && note.contains("2 intact entries and 1 configurations"), "{note}");
    assert_eq!(reasons(&dir.retained()), [(1, "first"), (2, "second")]);
    let names: Vec<String> =
        fs::read_dir(&scratch.0).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().any(|name| name.starts_with("audit.damaged-")), "{names:?}");
}

#[test]
fn while_the_disk_fails_it_waits_and_nothing_is_lost() {
    let scratch = Scratch::new("failing");
    let log = Arc::new(AuditLog::default());
    let mut writer = scratch.open().follow(&log);
    enter(&log, "first");
    writer.write().unwrap();
    let away = scratch.0.join("elsewhere");
    fs::rename(scratch.file(), &away).unwrap();
    enter(&log, "second");
    for _ in 0..2 {
        let why = writer.write().unwrap_err().to_string();
        assert!(why.contains("was moved, removed, or replaced") || why.contains("has already failed"), "{why}");
    }
    for _ in 0..MOST_ENTRIES {
        enter(&log, "flood");
    }
    assert!(writer.write().is_err());
    fs::rename(&away, scratch.file()).unwrap();
    assert_eq!(writer.write().unwrap(), 1, "one more waited than there is room for, and it is counted");
    enter(&log, "last");
    assert_eq!(writer.write().unwrap(), 0);
    drop(writer);
    let retained = scratch.open().retained();
    assert_eq!(retained.entries.last().map(|last| last.reason.as_str()), Some("last"));
}

fn written(name: &str) -> (Scratch, Vec<u8>) {
    let scratch = Scratch::new(name);
    let log = Arc::new(AuditLog::default());
    let mut writer = scratch.open().follow(&log);
    ["first", "second"].iter().for_each(|reason| enter(&log, reason));
    log.revise(revision(1, "the queues"));
    writer.write().unwrap();
    drop(writer);
    let bytes = fs::read(scratch.file()).unwrap();
    (scratch, bytes)
}

#[test]
fn a_file_that_was_cut_off_is_damaged_and_what_is_intact_is_shown() {
    let (scratch, whole) = written("cut");
    let last = whole.windows(6).rposition(|found| found == b"second").unwrap();
    for len in [0, 1, 100, last / 2, last + 200, whole.len() / 2, whole.len() - 1] {
        fs::write(scratch.file(), &whole[..len]).unwrap();
        let problem = AuditInspection::open(&scratch.0).map(drop);
        assert!(matches!(problem, Err(DirError::Damaged(_))), "{len} of {}: {problem:?}", whole.len());
        let look = SalvagedDir::open(&scratch.0, "cut off").unwrap();
        let all = look.audit_log().entries(&AuditQuery { limit: 9, ..AuditQuery::default() });
        let damage = look.damage().unwrap();
        assert!(damage.contains(&scratch.file().display().to_string()) && damage.contains("cut off"), "{damage}");
        assert!(damage.contains(&format!("intact: {} audit entries", all.len())), "{damage}");
        if len == whole.len() - 1 {
            assert_eq!((all.len(), look.audit_log().revisions(None, 9).len()), (2, 1));
        }
        assert_eq!(fs::read(scratch.file()).unwrap(), &whole[..len], "it stays as it is");
    }
    fs::write(scratch.file(), &whole).unwrap();
    assert!(AuditInspection::open(&scratch.0).is_ok());
}

#[test]
fn a_stolen_lock_lets_no_second_writer_in_and_loses_nothing() {
    let scratch = Scratch::new("stolen");
    let log = Arc::new(AuditLog::default());
    let mut writer = scratch.open().follow(&log);
    for reason in ["one", "two"] {
        let _ = fs::remove_file(scratch.0.join("lock"));
        let second = AuditDir::open(&scratch.0, Profile::Kornsole).map(drop);
        assert!(matches!(second, Err(DirError::InUse { .. })), "{second:?}");
        enter(&log, reason);
        assert_eq!(writer.write().unwrap(), 0);
    }
    drop(writer);
    assert_eq!(reasons(&scratch.open().retained()), [(1, "one"), (2, "two")]);
}

#[test]
fn a_copy_without_the_lock_is_read_and_a_foreign_directory_is_rejected() {
    let (scratch, _) = written("copy");
    fs::remove_file(scratch.0.join("lock")).unwrap();
    assert!(AuditInspection::open(&scratch.0).is_ok());
    fs::rename(scratch.file(), scratch.0.join("letters.txt")).unwrap();
    let none = AuditInspection::open(&scratch.0).map(drop);
    assert!(matches!(none, Err(DirError::Nothing { .. })), "{none:?}");
}

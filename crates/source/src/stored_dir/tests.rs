use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::channel;

use super::*;
use alerts::read::defaults;
use engine::{Core, Setup};
use ledger::Question;
use model::{Identity, Resource, Time, VCORE};
use scheduler::{AskSpec, Command, PartitionCommand, Submission};
use view::act::{Act, Actor, Order, PartitionAct};

const QUEUES: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\n";
const STARTS: u64 = 1_700_000_000;

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("kornsole-kept-folder-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    dir
}

/// A run with an application that waits for a core, and its directory, which is written until the last part is dropped.
fn run(dir: &Path, starts: u64) -> (Arc<Engine>, Arc<Board>, Keeper) {
    let retained = RetainedDir::open(dir, Profile::Kornsole).unwrap();
    let setup = Setup { starts: Time::from_millis(starts * 1_000), ..Setup::of(Profile::Kornsole) };
    let config = Arc::new(config::read(QUEUES, setup.profile).config.unwrap());
    let core = Core::set_up_after(&setup, config, retained.earlier()).unwrap();
    let mut core = core.with_config_text(QUEUES.as_bytes(), None);
    let who = Identity { user: "sue".into(), ..Identity::default() };
    let submission = Submission { app: "app".into(), queue: "root.a".into(), who, ..Submission::default() };
    let resource: Resource = [(VCORE, 1_000)].into_iter().collect();
    let ask = AskSpec { app: "app".into(), id: "one".into(), count: 1, resource, ..AskSpec::default() };
    for command in [PartitionCommand::Submit(submission), PartitionCommand::Ask(ask)] {
        core.apply(&Command::from(command));
    }
    let engine = Arc::new(Engine::start(core, 1.0).unwrap());
    let board = Arc::new(Board::new("test", Arc::new(defaults()), None, engine.now(), Vec::new()));
    let keeper = retained.keep(&engine, &board).unwrap();
    (engine, board, keeper)
}

fn refused(engine: &Engine) {
    let (done, answer) = channel();
    let who = Actor::from(Identity { user: "ann".into(), ..Identity::default() });
    let act = PartitionAct::Kill { app: "none".into(), expect_queue: None };
    let order = Order::from(Act::within(&"default".into(), act));
    engine.perform(who, order, Box::new(move |answer| done.send(answer.is_err()).unwrap()));
    assert!(answer.recv().unwrap());
}

#[test]
fn an_entry_and_what_was_used_are_there_after_a_restart() {
    let dir = scratch("restart");
    let (engine, board, keeper) = run(&dir, STARTS);
    refused(&engine);
    drop((keeper, board));
    let ledger = ledger_of(&dir).unwrap().expect("it is written at the end");
    let until = ledger.counted_until();
    assert!(until <= engine.now());
    let seconds = |ledger: &Ledger, at| ledger.report(at, &Question::default()).total.waited.seconds(VCORE) / 1_000;
    assert_eq!(seconds(&ledger, until), until.since(Time::from_millis(STARTS * 1_000)).as_secs());
    drop(engine);

    let before = seconds(&ledger, until);
    let starts = STARTS + 3_600;
    let (engine, board, keeper) = run(&dir, starts);
    refused(&engine);
    let (log, now) = (Arc::clone(engine.audit_log()), engine.now());
    let since = now.since(Time::from_millis(starts * 1_000)).as_secs();
    let used = seconds(&engine.ledger(), now);
    assert!((before + since..=before + since + 1).contains(&used), "{before} and {since}: {used}");
    assert_eq!((log.last(), log.revisions(None, 9).len()), (2, 1));
    drop((keeper, board, engine));
    let retained = RetainedDir::open(&dir, Profile::Kornsole).unwrap();
    assert_eq!(retained.earlier().records.entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), [1, 2]);
    drop(retained);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_damaged_ledger_is_moved_aside_and_reported() {
    let dir = scratch("damaged");
    drop(run(&dir, STARTS));
    fs::write(dir.join("usage.redb"), b"this is no ledger, and was never one").unwrap();
    let retained = RetainedDir::open(&dir, Profile::Kornsole).unwrap();
    let notes = retained.notes().join(" ");
    assert!(notes.contains("the ledger was damaged") && dir.join("usage.redb.damaged").exists(), "{notes}");
    assert!(retained.earlier().ledger.is_none());
    assert!(!retained.earlier().records.revisions.is_empty(), "the audit is another file");
    drop(retained);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_failed_write_is_reported_by_the_alerts_and_a_notice() {
    let dir = scratch("failing");
    let (engine, board, keeper) = run(&dir, STARTS);
    fs::rename(dir.join("audit.redb"), dir.join("elsewhere")).unwrap();
    refused(&engine);
    // The end retries the write.
    drop(keeper);
    let problem = board.snapshot().problem.join(" ");
    assert!(
        problem.contains("cannot write the state directory") && problem.contains("audit.redb was moved"),
        "{problem}"
    );
    let (done, notices) = channel();
    let look = engine.work(move |core| done.send(core.whole_view().notices.len()).unwrap());
    look.recv().unwrap();
    assert_eq!(notices.recv().unwrap(), 1, "it is said once");
    drop(engine);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_failing_disk_does_not_stop_the_start_but_a_directory_that_cannot_be_created_does() {
    let dir = scratch("unusable");
    drop(run(&dir, STARTS));
    // Simulates a full disk: a directory is in place of the file.
    fs::remove_file(dir.join("usage.redb")).unwrap();
    fs::create_dir_all(dir.join("usage.redb")).unwrap();
    let failing = RetainedDir::open(&dir, Profile::Kornsole).map(drop).unwrap_err();
    assert!(matches!(&failing, NotOpened::Failing(why) if why.contains("usage.redb")), "{failing:?}");
    let below = dir.join("audit.redb").join("below");
    let refused = RetainedDir::open(&below, Profile::Kornsole).map(drop).unwrap_err();
    assert!(matches!(&refused, NotOpened::Refused(why) if why.contains("below")), "{refused:?}");
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn reading_the_ledger_at_the_start_removes_nothing() {
    let dir = scratch("read");
    drop(run(&dir, STARTS));
    let reader = redb::Database::open(dir.join("usage.redb")).unwrap();
    let reads = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        drop(reader);
    });
    let retained = RetainedDir::open(&dir, Profile::Kornsole).unwrap();
    assert!(retained.earlier().ledger.is_some());
    reads.join().unwrap();
    drop(retained);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_truncated_ledger_is_reported_as_damaged_and_starts_over() {
    let dir = scratch("cut");
    drop(run(&dir, STARTS));
    let file = dir.join("usage.redb");
    let whole = fs::read(&file).unwrap();
    for len in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&file, &whole[..len]).unwrap();
        let why = ledger_of(&dir).map(drop).unwrap_err();
        assert!(why.contains(&file.display().to_string()) && why.contains("is damaged"), "{len}: {why}");
        assert_eq!(fs::read(&file).unwrap().len(), len, "who reads it leaves it as it is");
        let retained = RetainedDir::open(&dir, Profile::Kornsole).unwrap();
        let notes = retained.notes().join("\n");
        assert!(notes.contains("damaged") && notes.contains("usage.redb.damaged"), "{len}: {notes}");
        assert!(retained.earlier().ledger.is_none());
        drop(retained);
    }
    for from in (0..whole.len()).step_by(4096) {
        let mut bytes = whole.clone();
        bytes[from..(from + 4096).min(whole.len())].fill(0);
        fs::write(&file, bytes).unwrap();
        match ledger_of(&dir) {
            Ok(read) => assert!(read.is_some(), "page {from} is not in use"),
            Err(why) => assert!(why.contains("is damaged"), "page {from}: {why}"),
        }
    }
    fs::write(&file, &whole).unwrap();
    assert!(ledger_of(&dir).unwrap().is_some());
    fs::remove_dir_all(&dir).unwrap();
}

/// A small disk in memory; `None` without the rights for it.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mounted(name: &str) -> Option<Self> {
        let dir = scratch(name);
        fs::create_dir_all(&dir).unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(&dir).stderr(std::process::Stdio::null());
        mount.status().is_ok_and(|status| status.success()).then_some(Self(dir))
    }

    fn fill(&self) {
        use std::io::Write as _;
        let mut file = fs::File::create(self.0.join("filler")).unwrap();
        for piece in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![7; piece]).is_ok() {}
        }
    }

    fn free(&self) {
        fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl SmallDisk {
    /// Makes all paths of the disk read-only, or writable again. An open file can still be written, because the kernel
    /// refuses a real remount with such files.
    fn set_read_only(&self, read_only: bool) {
        let mut command = std::process::Command::new(if read_only { "mount" } else { "umount" });
        if read_only {
            command.args(["--bind", "-o", "ro"]).arg(&self.0);
        }
        assert!(command.arg(&self.0).status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).status();
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn until_reported(board: &Board, wanted: Option<&str>) {
    for _ in 0..600 {
        let problem = board.snapshot().problem.join(" ");
        if wanted.map_or(problem.is_empty(), |words| problem.contains(words)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{wanted:?} is not said: {:?}", board.snapshot().problem);
}

#[test]
fn a_full_disk_is_reported_once_and_nothing_is_lost_after_space_is_free() {
    let Some(disk) = SmallDisk::mounted("full") else { return };
    let dir = disk.0.join("state");
    let (engine, board, keeper) = run(&dir, STARTS);
    refused(&engine);
    std::thread::sleep(AUDIT_EVERY * 2);
    let mut orders = 1;
    for _ in 0..2 {
        disk.fill();
        for _ in 0..3_000 {
            refused(&engine);
            orders += 1;
        }
        until_reported(&board, Some("full"));
        disk.free();
        until_reported(&board, None);
    }
    let (done, notices) = channel();
    engine.work(move |core| done.send(core.whole_view().notices.len()).unwrap()).recv().unwrap();
    assert_eq!(notices.recv().unwrap(), 4, "twice that it is full, twice that it is over");
    drop((keeper, board, engine));
    let retained = RetainedDir::open(&dir, Profile::Kornsole).unwrap();
    assert!(retained.notes().is_empty(), "{:?}", retained.notes());
    assert_eq!(retained.earlier().records.entries.last().map(|entry| entry.id), Some(orders), "each is there");
    assert!(retained.earlier().ledger.is_some());
}

#[test]
fn a_disk_that_becomes_read_only_is_reported_once_and_nothing_is_lost_after_it_is_writable() {
    let Some(disk) = SmallDisk::mounted("read-only") else { return };
    let dir = disk.0.join("state");
    let (engine, board, keeper) = run(&dir, STARTS);
    refused(&engine);
    std::thread::sleep(AUDIT_EVERY * 2);
    disk.set_read_only(true);
    refused(&engine);
    until_reported(&board, Some("Read-only file system"));
    refused(&engine);
    disk.set_read_only(false);
    until_reported(&board, None);
    let (done, notices) = channel();
    engine.work(move |core| done.send(core.whole_view().notices.len()).unwrap()).recv().unwrap();
    assert_eq!(notices.recv().unwrap(), 2, "that it fails, and that it is over");
    drop((keeper, board, engine));
    let stored = RetainedDir::open(&dir, Profile::Kornsole).unwrap();
    assert!(stored.notes().is_empty(), "{:?}", stored.notes());
    assert_eq!(stored.earlier().records.entries.last().map(|entry| entry.id), Some(3), "each is there");
    assert!(stored.earlier().ledger.is_some());
}

#[test]
fn a_stolen_lock_of_the_ledger_is_reported_and_clears() {
    let dir = scratch("stolen");
    let (engine, board, keeper) = run(&dir, STARTS);
    std::thread::sleep(AUDIT_EVERY * 2);
    let lock = dir.join("usage.lock");
    fs::remove_file(&lock).unwrap();
    let other_lock = engine::file_lock::FileLock::take(&lock).unwrap().unwrap();
    until_reported(&board, Some("another kornsole took the lock"));
    drop(other_lock);
    until_reported(&board, None);
    drop((keeper, board, engine));
    assert!(ledger_of(&dir).unwrap().is_some());
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_clock_that_is_set_back_or_forth_between_two_runs_loses_nothing() {
    let dir = scratch("clock");
    let mut waited = 0;
    for (number, starts) in [STARTS, STARTS - 7_200, STARTS + 86_400, STARTS - 60].into_iter().enumerate() {
        let (engine, board, keeper) = run(&dir, starts);
        refused(&engine);
        assert_eq!(engine.audit_log().last(), number as u64 + 1);
        drop((keeper, board));
        let ledger = ledger_of(&dir).unwrap().unwrap();
        let used = ledger.report(ledger.counted_until(), &Question::default()).total.waited.seconds(VCORE);
        assert!(used >= waited, "run {number}: {used} after {waited}");
        waited = used;
        drop(engine);
    }
    let stored = RetainedDir::open(&dir, Profile::Kornsole).unwrap();
    assert!(stored.notes().is_empty(), "{:?}", stored.notes());
    assert_eq!(stored.earlier().records.entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), [1, 2, 3, 4]);
    drop(stored);
    fs::remove_dir_all(&dir).unwrap();
}

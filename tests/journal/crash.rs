//! A configuration change is interrupted at each step: a start finds the complete old or new one and no leftover files.
//!
//! The journal's disk stores itself and the configuration's directory before and after each changing call. A power
//! failure leaves the synced data and a part of the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use ::engine::Core;
use ::engine::journal::{Dir, Disk, MemoryDisk, RunningJournal};
use view::act::{Act, Done, Order, Refusal};
use view::audit::AuditQuery;

use super::disk::BadDisk;
use crate::common::TestDir;

use super::stage::{Chance, engine, perform, setup, sue};

const OLD: &str = "partitions: [{name: default, queues: [{name: root, queues: [{name: a}, {name: b}]}]}]\n";
const NEW: &str = "partitions: [{name: default, queues: [{name: root, queues: [{name: a}]}]}]\n";

type Files = BTreeMap<String, String>;

fn files(dir: &Path) -> Files {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())).collect()
}

struct Point {
    journal: Vec<u8>,
    files: Files,
    answered: bool,
}

#[derive(Debug)]
struct Camera {
    disk: BadDisk,
    dir: PathBuf,
    answered: AtomicBool,
    points: Mutex<Option<Vec<Point>>>,
}

impl std::fmt::Debug for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Point").field("files", &self.files).field("answered", &self.answered).finish_non_exhaustive()
    }
}

impl Camera {
    fn new(journal: Vec<u8>, dir: &Path) -> Self {
        let (disk, dir) = (BadDisk::new(journal), dir.to_owned());
        Self { disk, dir, answered: AtomicBool::new(false), points: Mutex::new(None) }
    }

    fn start(&self) {
        *self.points.lock().unwrap() = Some(Vec::new());
        self.shoot();
    }

    fn shoot(&self) {
        if let Some(points) = &mut *self.points.lock().unwrap() {
            let (files, answered) = (files(&self.dir), self.answered.load(Ordering::SeqCst));
            let mut chance = Chance(points.len() as u64);
            let cut = self.disk.after_cut(&mut chance);
            points.push(Point { journal: self.disk.seen(), files: files.clone(), answered });
            points.push(Point { journal: cut, files, answered });
        }
    }

    fn call(&self, call: impl FnOnce(&BadDisk) -> io::Result<()>) -> io::Result<()> {
        self.shoot();
        let outcome = call(&self.disk);
        self.shoot();
        outcome
    }
}

impl Disk for Camera {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.call(|disk| disk.set_len(len))
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.call(|disk| disk.write(offset, data))
    }

    fn sync(&self) -> io::Result<()> {
        self.call(|disk| disk.sync())
    }
}

fn reopen(disk: Arc<dyn Disk>, file: &Path) -> (Core, RunningJournal) {
    let (setup, bytes) = (setup(), fs::read(file).unwrap());
    let fresh = Box::new(|workload| {
        let config = config::read(std::str::from_utf8(&bytes).unwrap(), setup.profile).config.ok_or("no")?;
        Ok(Core::set_up(&setup, Arc::new(config), workload)?.with_config_text(&bytes, Some(file.to_owned())))
    });
    let (mut core, retained) = Dir::on(disk).unwrap().start(&setup, 1.0, None, fresh).unwrap();
    core.attach_config_file(file, fs::read(file).unwrap());
    (core, retained)
}

fn configuring(text: &str, base: &str) -> Act {
    Act::Configure { text: text.to_owned(), base: Some(config::checksum(base.as_bytes())), dry_run: false }
}

fn points(rolls_back: bool) -> Vec<Point> {
    let scratch = TestDir::new();
    let (dir, file) = (scratch.to_path_buf(), scratch.join("queues.yaml"));
    fs::write(&file, OLD).unwrap();
    let camera = Arc::new(Camera::new(Vec::new(), &dir));
    let engine = engine(reopen(Arc::clone(&camera) as _, &file));
    let mut act = configuring(NEW, OLD);
    if rolls_back {
        perform(&engine, act).unwrap();
        act = Act::Rollback { revision: 1, base: Some(config::checksum(NEW.as_bytes())), dry_run: false };
    }
    camera.start();
    let (sender, message) = channel();
    let on_answer = Arc::clone(&camera);
    let answer = move |outcome: Result<Done, Refusal>| {
        on_answer.shoot();
        on_answer.answered.store(true, Ordering::SeqCst);
        on_answer.shoot();
        sender.send(outcome.is_ok()).unwrap();
    };
    engine.perform(sue(), Order::from(act), Box::new(answer));
    assert_eq!(message.recv(), Ok(true));
    drop(engine);
    camera.shoot();
    camera.points.lock().unwrap().take().unwrap()
}

/// Returns whether the text was written, renamed, decided, and acknowledged.
fn start(point: &Point, old: (&str, u64), new: (&str, u64), cut: Option<usize>) -> [bool; 4] {
    let scratch = TestDir::new();
    for (name, text) in &point.files {
        let text = if name == "queues.yaml" { text } else { &text[..cut.unwrap_or(text.len()).min(text.len())] };
        fs::write(scratch.join(name), text).unwrap();
    }
    let file = scratch.join("queues.yaml");
    let (core, retained) = reopen(Arc::new(MemoryDisk::from(point.journal.clone())), &file);
    let written = core.configuration().unwrap();
    let decided = written.revision == new.1;
    let (text, revision) = if decided { new } else { old };
    assert_eq!((&*written.text, written.revision), (text, revision), "{point:?}");
    let found = files(&scratch);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["queues.yaml"], "{point:?}");
    assert_eq!(found["queues.yaml"], text, "the file holds what is active: {point:?}");
    let renamed = point.files["queues.yaml"] == new.0;
    assert!(decided || (!renamed && !point.answered), "{point:?}");
    let entries = core.audit_log().entries(&AuditQuery { limit: 99, ..AuditQuery::default() });
    assert_eq!(entries.len() as u64, revision - 1, "one entry for each change that was decided: {point:?}");
    assert!(entries.iter().all(|entry| entry.user == "sue" && entry.allowed));
    assert_eq!(core.audit_log().revision(revision).unwrap().text.as_deref(), Some(text));
    drop((core, retained));
    [point.files.len() > 1, renamed, decided, point.answered]
}

#[test]
fn a_change_is_whole_wherever_it_is_cut_off() {
    for rolls_back in [false, true] {
        let (old, new) = if rolls_back { ((NEW, 2), (OLD, 3)) } else { ((OLD, 1), (NEW, 2)) };
        let mut seen = BTreeSet::new();
        for point in points(rolls_back) {
            seen.insert(start(&point, old, new, None));
            if point.files.len() > 1 {
                start(&point, old, new, Some(10));
                start(&point, old, new, Some(0));
            }
        }
        let steps = [
            ("validated", [false; 4]),
            ("beside its file", [true, false, false, false]),
            ("in the journal", [true, false, true, false]),
            ("in its place and in force", [false, true, true, false]),
            ("answered", [false, true, true, true]),
        ];
        for (step, what) in steps {
            assert!(seen.contains(&what), "no picture of: {step}; {seen:?}");
        }
        assert_eq!(seen.len(), steps.len(), "{seen:?}");
    }
}

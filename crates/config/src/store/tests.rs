//! Storing on a file system that fails at any call, loses what was not synced, or both; and on a real one.

mod forgetful;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;

use self::forgetful::{Forgetful, Problem};
use super::*;

const OLD: &[u8] = b"partitions: []\n";
const NEW: &[u8] = b"# another text, longer than the old one\npartitions: []\n";
const FILE: &str = "/etc/queues.yaml";
const LINK: &str = "/home/link.yaml";
const RETAINED: Metadata = Metadata { is_file: true, mode: 0o640, user: 7, group: 8 };

fn disk(problem: Problem) -> Forgetful {
    let disk = Forgetful::new(problem);
    disk.put(Path::new(FILE), OLD, RETAINED);
    disk.link(Path::new(LINK), Path::new("../etc/queues.yaml"));
    disk
}

fn stored(disk: &Forgetful, path: &str) -> Result<(), StoreError> {
    prepare(disk, Path::new(path), NEW)?.commit()
}

fn calls() -> usize {
    let disk = disk(Problem::default());
    stored(&disk, LINK).expect("nothing fails");
    disk.calls()
}

#[test]
fn the_target_of_a_link_is_replaced_and_retains_owner_and_mode() {
    let disk = disk(Problem { short: true, ..Problem::default() });
    stored(&disk, LINK).expect("short writes are gone on with");
    assert_eq!(disk.read(Path::new(FILE)), Some((NEW.to_vec(), RETAINED)));
    assert_eq!(disk.names(), [FILE, LINK]);
    assert_eq!(disk.read_link(Path::new(LINK)).ok().as_deref(), Some(Path::new("../etc/queues.yaml")));
}

#[test]
fn whichever_call_fails_the_old_file_is_whole_or_the_new_one_is() {
    for error in [28, 5, 30, 13] {
        for call in 0..calls() {
            let disk = disk(Problem { fail: Some((call, error)), ..Problem::default() });
            let result = stored(&disk, LINK);
            let (text, retained) = disk.read(Path::new(FILE)).expect("the file is there");
            assert_eq!(retained, RETAINED);
            match result {
                Ok(()) => panic!("call {call} failed, and no failure was reported"),
                Err(error) => {
                    assert_eq!(text, if error.replaced() { NEW } else { OLD }, "call {call}: {error}");
                    assert_eq!(disk.names(), [FILE, LINK], "call {call}: {error}");
                }
            }
        }
    }
}

#[test]
fn the_message_shows_what_failed() {
    let reported = |call, error| {
        let disk = disk(Problem { fail: Some((call, error)), ..Problem::default() });
        stored(&disk, FILE).expect_err("a call fails").to_string()
    };
    assert_eq!(
        reported(2, 30),
        "/etc/queues.yaml is unchanged: cannot create a file in its directory: the file system is read-only"
    );
    assert_eq!(reported(3, 28), "/etc/queues.yaml is unchanged: cannot write the new text: the disk is full");
    assert!(reported(4, 1).starts_with("/etc/queues.yaml is unchanged: cannot copy owner and mode to the new file"));
    assert!(
        reported(6, 5)
            .starts_with("/etc/queues.yaml is unchanged: cannot sync the new text to disk: Input/output error")
    );
    assert_eq!(reported(7, 13), "/etc/queues.yaml is unchanged: cannot replace the file: permission denied");
    assert!(reported(8, 5).starts_with("/etc/queues.yaml is replaced, but a power cut may restore the old file: "));
}

proptest! {
    #[test]
    fn a_disk_that_forgets_has_the_old_text_or_the_new_one(at in 0..12_usize, short in any::<bool>(), seed in any::<u64>()) {
        let disk = disk(Problem { power_cut: Some(at), short, ..Problem::default() });
        let result = stored(&disk, LINK);
        disk.start_again(seed);
        let (text, retained) = disk.read(Path::new(FILE)).expect("the file is there");
        prop_assert!(text == OLD || text == NEW, "{:?}", String::from_utf8_lossy(&text));
        prop_assert!(result.is_err() || text == NEW);
        prop_assert_eq!(retained, RETAINED);
    }

    #[test]
    fn so_has_one_that_fails_before(fail in 0..9_usize, at in 0..12_usize, seed in any::<u64>()) {
        let disk = disk(Problem { fail: Some((fail, 5)), power_cut: Some(at), ..Problem::default() });
        let _result = stored(&disk, FILE);
        disk.start_again(seed);
        let (text, _) = disk.read(Path::new(FILE)).expect("the file is there");
        prop_assert!(text == OLD || text == NEW, "{:?}", String::from_utf8_lossy(&text));
    }
}

/// Verifies the simulation: without syncing, the same steps sometimes lose the file.
#[test]
fn without_syncing_the_text_would_be_lost() {
    let lost = |problem: Problem| {
        (0..200).any(|seed| {
            let disk = disk(problem);
            let done = stored(&disk, FILE).is_ok();
            disk.start_again(seed);
            let text = disk.read(Path::new(FILE)).map(|(text, _)| text);
            text.as_deref() != Some(NEW) && done
        })
    };
    assert!(lost(Problem { no_sync: true, ..Problem::default() }));
    assert!(lost(Problem { no_dir_sync: true, ..Problem::default() }));
    assert!(!lost(Problem::default()));
}

#[test]
fn what_is_prepared_and_given_up_leaves_nothing() {
    let disk = disk(Problem::default());
    drop(prepare(&disk, Path::new(FILE), NEW).expect("nothing fails"));
    assert_eq!(disk.names(), [FILE, LINK]);
    assert_eq!(disk.read(Path::new(FILE)), Some((OLD.to_vec(), RETAINED)));
}

#[test]
fn circular_links_and_directories_are_rejected() {
    let disk = disk(Problem::default());
    disk.link(Path::new("/a"), Path::new("b"));
    disk.link(Path::new("/b"), Path::new("a"));
    assert!(stored(&disk, "/a").expect_err("it is a circle").to_string().contains("too many symbolic links"));
    disk.put(Path::new("/folder"), b"", Metadata { is_file: false, ..RETAINED });
    assert!(stored(&disk, "/folder").expect_err("it is a folder").to_string().contains("not a regular file"));
}

struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kornsole-store-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder for temporary files is writable");
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _removed = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn on_a_real_disk() {
    let dir = Dir::new("real");
    let (file, link) = (dir.0.join("queues.yaml"), dir.0.join("link.yaml"));
    store(&file, OLD).expect("a new file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o604)).unwrap();
    symlink("queues.yaml", &link).unwrap();
    store(&link, NEW).expect("over a link");
    assert_eq!(fs::read(&file).unwrap(), NEW);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o604);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("queues.yaml"));
    let dangling = dir.0.join("dangling.yaml");
    symlink("made.yaml", &dangling).unwrap();
    store(&dangling, NEW).expect("to where a link leads");
    assert_eq!(dir.names(), ["dangling.yaml", "link.yaml", "made.yaml", "queues.yaml"]);
    let error = store(&dir.0.join("none/queues.yaml"), NEW).expect_err("there is no such folder");
    assert_eq!((error.step, error.source.kind()), (StoreStep::Create, io::ErrorKind::NotFound));
    assert_eq!(store(&dir.0, NEW).expect_err("it is a folder").step, StoreStep::Look);
}

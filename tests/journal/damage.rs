//! Unusable directories and damage: reported and repaired as far as possible.

use std::fs;
use std::sync::Arc;

use ::engine::Setup;
use ::engine::journal::{Change, Dir, DirError, FORMAT, JournalHead, MemoryDisk, Store};
use model::Profile;
use proptest::prelude::*;
use scheduler::inspect::invariants;

use crate::common::TestDir;

use super::stage::{AnsweredOrders, Chance, engine, fresh, on, perform, setup, steps};

fn dir(answered: &mut AnsweredOrders) -> TestDir {
    let scratch = TestDir::new();
    let setup = setup();
    let started = Dir::open(&scratch, false).unwrap().start(&setup, 1.0, None, fresh(&setup)).unwrap();
    let engine = engine(started);
    for step in steps("client", &mut Chance(1), 60) {
        match perform(&engine, step.act()) {
            Ok(_) => answered.done.push(step.line()),
            Err(_) => answered.refused.push(step.line()),
        }
    }
    scratch
}

#[test]
fn a_directory_has_one_process_at_a_time() {
    let mut answered = AnsweredOrders::default();
    let scratch = dir(&mut answered);
    let first = Dir::open(&scratch, false).unwrap();
    let problem = Dir::open(&scratch, false).unwrap_err();
    assert!(matches!(&problem, DirError::InUse { who, .. } if *who == std::process::id().to_string()), "{problem}");
    assert!(problem.to_string().contains("--state"), "{problem}");
    drop(first);
    let setup = setup();
    let (core, _retained) = Dir::open(&scratch, false).unwrap().start(&setup, 1.0, None, fresh(&setup)).unwrap();
    answered.check(&core);
    answered.check_audit(&core);
}

#[test]
fn another_core_or_a_later_format_is_refused() {
    let disk = Arc::new(MemoryDisk::default());
    drop(on(Arc::clone(&disk) as _).unwrap());
    let other = Setup::of(Profile::V1_8_0);
    let dir = Dir::on(Arc::clone(&disk) as _).unwrap();
    let problem = dir.start(&other, 1.0, None, fresh(&other)).map(drop).unwrap_err();
    assert!(
        matches!(problem, DirError::OtherCore { .. }) && problem.to_string().contains("--core kornsole"),
        "{problem}"
    );
    let store = Store::open(Arc::clone(&disk) as _).unwrap();
    let head = JournalHead { format: FORMAT + 1, core: "kornsole".to_owned(), made_by: "9.9".to_owned() };
    store.commit(&[Change::Head(head)]).unwrap();
    drop(store);
    let problem = on(disk).map(drop).unwrap_err();
    assert!(problem.contains("9.9") && problem.contains("later version"), "{problem}");
}

#[test]
fn a_flipped_bit_is_found_and_intact_parts_continue() {
    let mut answered = AnsweredOrders::default();
    let scratch = dir(&mut answered);
    let file = scratch.join("journal.redb");
    let whole = fs::read(&file).unwrap();
    let setup = setup();
    let mut chance = Chance(5);
    let (mut found, mut repaired) = (0, 0);
    for _ in 0..40 {
        let mut damaged = whole.clone();
        let at = chance.below(damaged.len() as u64) as usize;
        damaged[at] ^= 1 << chance.below(8);
        fs::write(&file, &damaged).unwrap();
        let open = |repair| {
            let dir = Dir::open(&scratch, repair)?;
            dir.start(&setup, 1.0, None, fresh(&setup))
        };
        match open(false) {
            // The damaged sector is unused or is rewritten.
            Ok((core, _retained)) => answered.check(&core),
            Err(problem) => {
                found += 1;
                let text = problem.to_string();
                assert!(text.contains("damaged") || text.contains("cannot read"), "byte {at}: {text}");
                if let Ok((core, _retained)) = open(true) {
                    repaired += 1;
                    let wrong = scheduler::inspect::invariants::violations(core.scheduler());
                    assert!(wrong.is_empty(), "byte {at}: {}", wrong.join("; "));
                    let aside = fs::read_dir(&scratch).unwrap().flatten();
                    let aside = aside.filter(|entry| entry.file_name().to_string_lossy().contains("damaged"));
                    assert_eq!(aside.inspect(|entry| fs::remove_file(entry.path()).unwrap()).count(), 1);
                }
            }
        }
    }
    assert!(found > 0 && repaired > 0, "{found} found, {repaired} mended");
}

#[derive(Clone, Debug)]
enum Harm {
    Flip(prop::sample::Index, u8),
    Sector(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Grown(usize),
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        4 => (any::<prop::sample::Index>(), 0..8_u8).prop_map(|(at, bit)| Harm::Flip(at, bit)),
        4 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Harm::Sector(at, byte)),
        2 => any::<prop::sample::Index>().prop_map(Harm::Cut),
        1 => (1..9000_usize).prop_map(Harm::Grown),
    ]
}

impl Harm {
    fn act(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Flip(at, bit) => {
                let at = at.index(bytes.len());
                bytes[at] ^= 1 << bit;
            }
            Self::Sector(at, byte) => {
                let at = at.index(bytes.len()) / 512 * 512;
                let end = (at + 512).min(bytes.len());
                bytes[at..end].fill(*byte);
            }
            Self::Cut(at) => bytes.truncate(at.index(bytes.len())),
            Self::Grown(more) => bytes.resize(bytes.len() + more, 7),
        }
    }
}

fn cases() -> u32 {
    std::env::var("KORNSOLE_CRASH_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// All acknowledged changes are present, or a message names the missing ones. A repaired file is consistent.
    #[test]
    fn damage_is_never_passed_over(damages in prop::collection::vec(harm(), 1..3)) {
        let (whole, answered) = &*WHOLE;
        let mut damaged = whole.clone();
        damages.iter().for_each(|harm| harm.act(&mut damaged));
        let setup = setup();
        let scratch = TestDir::new();
        let file = scratch.join("journal.redb");
        fs::write(&file, &damaged).unwrap();
        let open = |repair| -> Result<_, DirError> {
            let dir = Dir::open(&scratch, repair)?;
            let notes = dir.notes().to_vec();
            Ok((dir.start(&setup, 1.0, None, fresh(&setup))?, notes))
        };
        match open(false) {
            Ok(((core, retained), _)) => {
                answered.check(&core);
                answered.check_audit(&core);
                drop(retained);
            }
            Err(problem) => {
                let text = problem.to_string();
                prop_assert!(text.contains("damaged") || text.contains("cannot read"), "{text}");
                prop_assert!(text.contains("intact") || text.contains("it is unusable"), "{text}");
                prop_assert_eq!(&fs::read(&file).unwrap()[..64.min(damaged.len())], &damaged[..64.min(damaged.len())]);
                match open(true) {
                    Ok(((core, retained), notes)) => {
                        let wrong = invariants::violations(core.scheduler());
                        prop_assert!(wrong.is_empty(), "{}", wrong.join("; "));
                        prop_assert!(notes.iter().any(|note| note.contains("damaged state was moved to")), "{notes:?}");
                        let parts = core.scheduler().partitions();
                        for (_, app) in parts[0].apps.iter() {
                            let name = app.id.to_string();
                            prop_assert!(answered.done.iter().any(|line| line.contains(&name)), "{name}");
                        }
                        drop(retained);
                    }
                    Err(problem) => prop_assert!(!problem.to_string().is_empty()),
                }
            }
        }
    }
}

static WHOLE: std::sync::LazyLock<(Vec<u8>, AnsweredOrders)> = std::sync::LazyLock::new(|| {
    let mut answered = AnsweredOrders::default();
    let scratch = dir(&mut answered);
    (fs::read(scratch.join("journal.redb")).unwrap(), answered)
});

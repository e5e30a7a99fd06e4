//! Folders that cannot be used, and damage: told, never passed over in silence, and mended as far as it goes.

use std::fs;
use std::sync::Arc;

use kornsole::engine::Setup;
use kornsole::engine::journal::{Change, FORMAT, Folder, Head, MemoryDisk, Store, Trouble};
use kornsole::model::Profile;

use super::stage::{Chance, Scratch, Told, engine, fresh, on, perform, setup, steps};

/// A folder in which something happened.
fn folder(name: &str, told: &mut Told) -> Scratch {
    let scratch = Scratch::new(name);
    let setup = setup();
    let begun = Folder::open(&scratch.0, false).unwrap().begin(&setup, 1.0, None, fresh(&setup)).unwrap();
    let engine = engine(begun);
    for step in steps("client", &mut Chance(1), 60) {
        match perform(&engine, step.act()) {
            Ok(_) => told.done.push(step.line()),
            Err(_) => told.refused.push(step.line()),
        }
    }
    scratch
}

#[test]
fn a_folder_is_for_one_process_at_a_time() {
    let mut told = Told::default();
    let scratch = folder("two", &mut told);
    let first = Folder::open(&scratch.0, false).unwrap();
    let trouble = Folder::open(&scratch.0, false).unwrap_err();
    assert!(matches!(&trouble, Trouble::InUse { who, .. } if *who == std::process::id().to_string()), "{trouble}");
    assert!(trouble.to_string().contains("--state"), "{trouble}");
    drop(first);
    let setup = setup();
    let (core, _kept) = Folder::open(&scratch.0, false).unwrap().begin(&setup, 1.0, None, fresh(&setup)).unwrap();
    told.check(&core);
    told.check_audit(&core);
}

#[test]
fn another_core_or_a_later_format_is_refused() {
    let disk = Arc::new(MemoryDisk::default());
    drop(on(Arc::clone(&disk) as _).unwrap());
    let other = Setup::of(Profile::V1_8_0);
    let folder = Folder::on(Arc::clone(&disk) as _).unwrap();
    let trouble = folder.begin(&other, 1.0, None, fresh(&other)).map(drop).unwrap_err();
    assert!(
        matches!(trouble, Trouble::OtherCore { .. }) && trouble.to_string().contains("--core kornsole"),
        "{trouble}"
    );
    let store = Store::open(Arc::clone(&disk) as _).unwrap();
    let head = Head { format: FORMAT + 1, core: "kornsole".to_owned(), made_by: "9.9".to_owned() };
    store.commit(&[Change::Head(head)]).unwrap();
    drop(store);
    let trouble = on(disk).map(drop).unwrap_err();
    assert!(trouble.contains("9.9") && trouble.contains("later version"), "{trouble}");
}

#[test]
fn a_flipped_bit_is_found_and_what_is_intact_goes_on() {
    let mut told = Told::default();
    let scratch = folder("flip", &mut told);
    let file = scratch.0.join("journal.redb");
    let whole = fs::read(&file).unwrap();
    let setup = setup();
    let mut chance = Chance(5);
    let (mut found, mut mended) = (0, 0);
    for _ in 0..40 {
        let mut damaged = whole.clone();
        let at = chance.below(damaged.len() as u64) as usize;
        damaged[at] ^= 1 << chance.below(8);
        fs::write(&file, &damaged).unwrap();
        let open = |mend| {
            let folder = Folder::open(&scratch.0, mend)?;
            folder.begin(&setup, 1.0, None, fresh(&setup))
        };
        match open(false) {
            // Nobody reads there, or it is written anew.
            Ok((core, _kept)) => told.check(&core),
            Err(trouble) => {
                found += 1;
                let text = trouble.to_string();
                assert!(text.contains("damaged") || text.contains("cannot be read"), "byte {at}: {text}");
                if let Ok((core, _kept)) = open(true) {
                    mended += 1;
                    let wrong = kornsole::scheduler::check::violations(core.scheduler());
                    assert!(wrong.is_empty(), "byte {at}: {}", wrong.join("; "));
                    let aside = fs::read_dir(&scratch.0).unwrap().flatten();
                    let aside = aside.filter(|entry| entry.file_name().to_string_lossy().contains("damaged"));
                    assert_eq!(aside.inspect(|entry| fs::remove_file(entry.path()).unwrap()).count(), 1);
                }
            }
        }
    }
    assert!(found > 0 && mended > 0, "{found} found, {mended} mended");
}

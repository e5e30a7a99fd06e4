//! Cases with deviations of the default profile have their own trace, and that of 1.5.1 with the deviations disabled.

use std::collections::BTreeSet;
use std::path::PathBuf;

use model::Profile;
use scheduler::interface::switch_table::SWITCHES;
use scheduler::interface::switches::AskAgainAllocated;
use scheduler::interface::switches::AskAgainPending;
use scheduler::interface::switches::ReloadProperties;
use scheduler::{Switches, placement};

use super::{Case, DIFFERING, DIFFERING_FROM_1_9, case, difference, lines, text};

/// Disables a deviation; the profile is the one that reads configurations.
type Off = fn(&mut Switches, &mut Profile);

const DEVIATIONS: &[(&str, Off)] = &[
    ("D-02", |switches, _| switches.reload_properties = ReloadProperties::Own),
    ("D-03", |switches, _| switches.reload_revives = false),
    ("D-04", |switches, _| switches.place.draining = placement::Draining::Ignored),
    ("P-16", |switches, _| switches.running_leak = true),
    ("D-23", |switches, _| switches.ask_again_pending = AskAgainPending::LeavesOld),
    ("D-23a", |switches, _| switches.ask_again_allocated = AskAgainAllocated::Second),
    ("P-22", |switches, _| switches.gang_failed_leak = true),
    ("P-02", |switches, _| {
        switches.priority_cache = true;
        switches.priority_on_submit = true;
    }),
    ("P-04", |switches, _| switches.root_max_keeps_zero = true),
    ("D-22", |switches, _| switches.commit_check = true),
    ("PLC-051", |switches, reads_as| {
        switches.place.any_case = false;
        *reads_as = Profile::V1_5_1;
    }),
    ("PLC-072", |switches, _| switches.place.partial_path = true),
    ("CFG-090", |_, reads_as| *reads_as = Profile::V1_5_1),
];

fn listed() -> Vec<(Case, Vec<&'static str>)> {
    let mut all = Vec::new();
    for (family, numbers, why) in DIFFERING {
        let ids: Vec<&str> = why.split(", ").map(|id| id.split(':').next().unwrap_or(id)).collect();
        all.extend(numbers.split(' ').map(|number| (case(format!("{family}-{number}")), ids.clone())));
    }
    all
}

fn without(case: &Case, ids: &[&str]) -> String {
    let (mut switches, mut reads_as) = (Switches::of(Profile::Kornsole), Profile::Kornsole);
    for id in ids {
        let (_, off) = DEVIATIONS.iter().find(|(known, _)| known == id).expect("every listed deviation has a switch");
        off(&mut switches, &mut reads_as);
    }
    text(case, switches, reads_as)
}

fn stored(case: &Case) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/conformance/kornsole/{}.jsonl", case.name))
}

/// `UPDATE=1` rewrites the traces.
#[test]
fn the_default_profile_has_a_trace_of_its_own_for_each_listed_case() {
    let mut names = BTreeSet::new();
    for (case, _) in listed() {
        let (local, file) = (without(&case, &[]), stored(&case));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &local).expect("the folder is there");
        }
        let want = std::fs::read_to_string(&file).expect("every listed case has its own trace");
        assert_eq!(difference(&lines(&local), &lines(&want)), None, "{}", case.name);
        assert!(difference(&lines(&want), &case.old).is_some(), "{} agrees with 1.5.1", case.name);
        names.insert(format!("{}.jsonl", case.name));
    }
    let dir = std::fs::read_dir(stored(&case("mix-005".to_owned())).parent().expect("a folder")).expect("it is there");
    let there: BTreeSet<String> = dir.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    assert_eq!(there, names, "a stored trace of a case that is not listed");
}

#[test]
fn without_the_listed_deviations_a_release_results() {
    let mut wrong = String::new();
    for (case, ids) in listed() {
        let local = lines(&without(&case, &ids));
        if let Some(difference) = difference(&local, &case.old) {
            wrong += &format!("{} without {ids:?}: {difference}\n", case.name);
        }
        for id in &ids {
            let others: Vec<&str> = ids.iter().copied().filter(|other| other != id).collect();
            let alone = difference(&lines(&without(&case, &[id])), &lines(&without(&case, &[])));
            if alone.is_none() && difference(&lines(&without(&case, &others)), &case.old).is_none() {
                wrong += &format!("{} is listed with {id}, which changes nothing\n", case.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn with_1_9(names: &[&str]) -> Switches {
    let mut switches = Switches::of(Profile::Kornsole);
    for name in names {
        let row = SWITCHES.iter().find(|row| row.name == *name).expect("every listed switch is in the table");
        row.take.expect("it is one of the scheduler")(&mut switches, &Switches::of(Profile::V1_9_0));
    }
    switches
}

#[test]
fn the_listed_switches_give_1_9_0() {
    let mut wrong = String::new();
    for (family, numbers, names) in DIFFERING_FROM_1_9 {
        let names: Vec<&str> = names.split(", ").collect();
        for number in numbers.split(' ') {
            let case = case(format!("{family}-{number}"));
            let newest = case.newest.as_deref().expect("none of them varies");
            let by = |names: &[&str]| difference(&lines(&text(&case, with_1_9(names), Profile::Kornsole)), newest);
            if let Some(difference) = by(&names) {
                wrong += &format!("{} with {names:?}: {difference}\n", case.name);
            }
            for name in &names {
                let others: Vec<&str> = names.iter().copied().filter(|other| other != name).collect();
                if by(&others).is_none() {
                    wrong += &format!("{} is listed with {name}, which changes nothing\n", case.name);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

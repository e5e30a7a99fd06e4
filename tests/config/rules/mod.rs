//! Each rule of configurations, names, users, and access lists by ID, on the smallest file. `tests/worked` tests the
//! effect of limits.
//!
//! Short forms: `Q` is a partition with these queues, `R` its root with these keys, `A` a queue `root.a` with these
//! keys, `P` a partition with these keys, the leaf `root.default`, and the parent `root.users`, and `L` the limits of
//! the root.

#![allow(non_snake_case, reason = "the short names are those of the rules' own examples")]
mod access;
mod bounds;
mod checksums;
mod limits;
mod names;
mod partitions;
mod placement;
mod quantities;
mod queues;
mod reading;
mod resources;
mod users;

use config::{Config, Fault, QueueConfig, RuleKind, Severity, read};
use model::{Profile, QueuePath};

fn Q(queues: &str) -> String {
    format!("partitions: [{{name: default, queues: {queues}}}]")
}

fn R(keys: &str) -> String {
    Q(&format!("[{{name: root, {keys}}}]"))
}

fn A(keys: &str) -> String {
    R(&format!("queues: [{{name: a, {keys}}}]"))
}

fn P(keys: &str) -> String {
    let queues = "queues: [{name: root, submitacl: '*', queues: [{name: default}, {name: users, parent: true}]}]";
    format!("partitions: [{{name: default, {keys}, {queues}}}]")
}

fn L(limits: &str) -> String {
    R(&format!("limits: {limits}"))
}

fn faults(text: &str, profile: Profile, severity: Severity) -> Vec<Fault> {
    read(text, profile).faults.into_iter().filter(|fault| fault.severity == severity).collect()
}

#[track_caller]
fn refused(code: &str, text: &str) -> Fault {
    let errors = faults(text, Profile::Kornsole, Severity::Error);
    let report: Vec<_> = errors.iter().map(|fault| fault.code).collect();
    assert_eq!(report, [code], "{text}\n{errors:#?}");
    assert!(read(text, Profile::Kornsole).config.is_none());
    let fault = errors.into_iter().next().expect("there is one");
    assert!(fault.at.line > 0 && fault.at.column > 0, "{fault}");
    assert!(!fault.hint.is_empty(), "{fault}");
    fault
}

#[track_caller]
fn accepted(text: &str) -> Config {
    let reading = read(text, Profile::Kornsole);
    reading.config.unwrap_or_else(|| panic!("{text}\n{:#?}", reading.faults))
}

#[track_caller]
fn warned(code: &str, text: &str) -> Fault {
    accepted(text);
    let warnings = faults(text, Profile::Kornsole, Severity::Warning);
    let report: Vec<_> = warnings.iter().map(|fault| fault.code).collect();
    warnings.into_iter().find(|fault| fault.code == code).unwrap_or_else(|| panic!("{text}\n{report:?}"))
}

#[track_caller]
fn no_warning(code: &str, text: &str) {
    let warnings = faults(text, Profile::Kornsole, Severity::Warning);
    assert!(warnings.iter().all(|fault| fault.code != code), "{text}\n{warnings:#?}");
}

#[track_caller]
fn release(profile: Profile, text: &str, accepts: bool) {
    let reading = read(text, profile);
    assert_eq!(reading.is_valid(), accepts, "{profile}: {text}\n{:#?}", reading.faults);
}

#[track_caller]
fn both_releases(text: &str, take: bool) {
    for profile in Profile::RELEASES {
        release(profile, text, take);
    }
}

fn queue<'c>(config: &'c Config, path: &str) -> &'c QueueConfig {
    let mut queue = &config.partitions[0].root;
    for part in QueuePath::new(path).parts().skip(1) {
        queue = queue.children.iter().find(|child| child.name == part).expect("the queue is there");
    }
    assert_eq!(queue.path, Some(QueuePath::new(path)));
    queue
}

#[track_caller]
fn check_text(fault: &Fault, words: &[&str]) {
    for word in words {
        assert!(fault.message.contains(word) || fault.path.contains(word), "{word:?} is not in: {fault}");
    }
}

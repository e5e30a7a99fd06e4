//! The 550 recorded configurations: verdicts of releases, and deviations.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use config::{Reading, Severity, read_bytes};
use model::Profile;
use serde_json::Value;

fn recorded() -> Vec<(String, Vec<u8>, bool, bool)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/configs");
    let bytes = |name: &str| fs::read(dir.join(name)).expect("the recorded files are there");
    let verdicts: BTreeMap<String, Value> =
        serde_json::from_slice(&bytes("verdicts.json")).expect("the verdicts are JSON");
    assert_eq!(verdicts.len(), 550);
    let each = verdicts.into_iter().map(|(name, verdict)| {
        let text = bytes(&name);
        let reported = |key: &str| verdict[key].as_bool().expect("a verdict is a bool");
        let (valid, valid_in_1_8) = (reported("valid"), reported("validIn18"));
        (name, text, valid, valid_in_1_8)
    });
    each.collect()
}

fn errors(reading: &Reading) -> Vec<String> {
    let errors = reading.faults.iter().filter(|fault| fault.severity == Severity::Error);
    errors.map(ToString::to_string).collect()
}

fn assert_verdicts(profile: Profile, reported: impl Fn(&(String, Vec<u8>, bool, bool)) -> bool) {
    let mut wrong = Vec::new();
    for file in recorded() {
        let reading = read_bytes(&file.1, profile);
        if reading.is_valid() != reported(&file) {
            wrong.push(format!("{}: the release says {}, we {:?}", file.0, reported(&file), errors(&reading)));
        }
        assert_eq!(reading.is_valid(), errors(&reading).is_empty(), "{}", file.0);
    }
    assert!(wrong.is_empty(), "{} of 550:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_verdicts_of_1_5_1() {
    assert_verdicts(Profile::V1_5_1, |file| file.2);
}

#[test]
fn the_verdicts_of_1_8_0() {
    assert_verdicts(Profile::V1_8_0, |file| file.3);
}

#[test]
fn the_verdicts_of_1_9_0_are_those_of_1_8_0() {
    assert_verdicts(Profile::V1_9_0, |file| file.3);
}

/// Deliberate deviations of the default profile from 1.5.1, by rule.
const DIFFERENT: [(&str, &str); 29] = [
    ("0018-partition.yaml", "statedumpfilepath"),
    ("0033-rootother.yaml", "CFG-018"),
    ("0040-partition.yaml", "CFG-006"),
    ("0061-rules.yaml", "CFG-086"),
    ("0087-text.yaml", "CFG-011"),
    ("0108-template.yaml", "CFG-023"),
    ("0122-acl.yaml", "CFG-037"),
    ("0131-text.yaml", "CFG-011"),
    ("0165-rootother.yaml", "CFG-055"),
    ("0172-partition.yaml", "nodesortpolicy"),
    ("0193-rules.yaml", "CFG-081"),
    ("0216-partition.yaml", "statedumpfilepath"),
    ("0227-apps.yaml", "CFG-007"),
    ("0238-partition.yaml", "CFG-006"),
    ("0263-text.yaml", "CFG-011"),
    ("0281-rules.yaml", "CFG-081"),
    ("0282-partition.yaml", "nodesortpolicy"),
    ("0284-template.yaml", "CFG-055"),
    ("0298-acl.yaml", "CFG-037"),
    ("0320-acl.yaml", "CFG-037"),
    ("0325-rules.yaml", "CFG-081"),
    ("0363-rootother.yaml", "CFG-055"),
    ("0391-rules.yaml", "CFG-081"),
    ("0394-template.yaml", "CFG-023"),
    ("0425-apps.yaml", "CFG-055"),
    ("0480-partition.yaml", "CFG-013"),
    ("0483-text.yaml", "CFG-011"),
    ("0523-rules.yaml", "CFG-086"),
    ("0539-rootother.yaml", "CFG-055"),
];

/// The rule that rejects only here, or the key that only the release rejects.
fn parted_by(local: &Reading, remote: &Reading) -> String {
    let refusing = |reading: &Reading| {
        let mut errors = reading.faults.iter().filter(|fault| fault.severity == Severity::Error);
        errors.next().map(|fault| (fault.code, fault.message.clone()))
    };
    match (refusing(local), refusing(remote)) {
        (Some((code, _)), None) => code.to_owned(),
        (None, Some((_, message))) => {
            let wider = ["statedumpfilepath", "nodesortpolicy"];
            wider.into_iter().find(|key| message.contains(key)).unwrap_or("unknown").to_owned()
        }
        other => format!("unknown: {other:?}"),
    }
}

#[test]
fn rules_of_kornsole_differ_where_documented() {
    let mut different = Vec::new();
    for (name, text, valid, _) in recorded() {
        let reading = read_bytes(&text, Profile::Kornsole);
        if reading.is_valid() != valid {
            different.push((name, parted_by(&reading, &read_bytes(&text, Profile::V1_5_1))));
        }
    }
    let different: Vec<_> = different.iter().map(|(name, rule)| (name.as_str(), rule.as_str())).collect();
    assert_eq!(different, DIFFERENT);
}

#[test]
fn our_stricter_rules_are_warnings_for_a_release() {
    for (name, text, valid, _) in recorded() {
        if !valid {
            continue;
        }
        let warned: Vec<_> = read_bytes(&text, Profile::V1_5_1).faults.iter().map(|fault| fault.code).collect();
        for fault in read_bytes(&text, Profile::Kornsole).faults {
            assert!(fault.severity == Severity::Warning || warned.contains(&fault.code), "{name}: {fault}");
        }
    }
}

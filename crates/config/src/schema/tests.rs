use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::validator::{faults, value_of};
use super::*;
use crate::{Severity, read, read_bytes};

fn schema_faults(text: &str, profile: Profile) -> Vec<String> {
    let schema = schema(profile);
    faults(&schema, &schema, &value_of(text).expect("it is YAML"), "")
}

const LEVELS: [(&str, &[&str]); 8] = [
    ("file", &decode::FILE),
    ("partition", &decode::PARTITION),
    ("queue", &decode::QUEUE),
    ("resources", &decode::RESOURCES),
    ("limit", &decode::LIMIT),
    ("childtemplate", &decode::TEMPLATE),
    ("rule", &decode::RULE),
    ("filter", &decode::FILTER),
];

#[test]
fn the_keys_are_those_of_the_reader() {
    for profile in Profile::ALL {
        let schema = schema(profile);
        for (level, keys) in LEVELS {
            let shape = &schema["$defs"][level];
            let mut known: Vec<&str> = shape["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            known.retain(|key| !["statedumpfilepath", "usergroupresolver"].contains(key));
            let mut keys = keys.to_vec();
            known.sort_unstable();
            keys.sort_unstable();
            assert_eq!(known, keys, "{level} of {profile}");
            assert_eq!(shape["additionalProperties"], false, "{level}");
        }
    }
}

/// `EXTRA` represents keys of some profiles.
const EVERYTHING: &str = "\
checksum: ABC
partitions:
- name: default
  EXTRA
  preemption: {enabled: true}
  nodesortpolicy: {type: fair, resourceweights: {vcore: 1.5}}
  placementrules:
  - {name: tag, value: namespace, create: true, filter: {type: deny, users: [joe], groups: [dev]}, parent: {name: user}}
  queues:
  - name: root
    submitacl: '*'
    limits: [{limit: all, users: ['*'], groups: [dev], maxapplications: 3, maxresources: {vcore: 500m}}]
    queues:
    - name: 123
      parent: true
      adminacl: sue dev
      maxapplications: 5
      properties: {priority.offset: 5, preemption.policy: fence, mine: true}
      resources: {guaranteed: {memory: 1Gi}, max: {memory: '20 G', vcore: 20, gpu: 4}}
      childtemplate: {maxapplications: 1, properties: {a: b}, resources: {max: {memory: 10}, guaranteed: {}}}
";

#[test]
fn a_text_with_every_key_fits() {
    for (profile, extra) in [
        (Profile::Kornsole, "statedumpfilepath: /tmp/x"),
        (Profile::V1_5_1, ""),
        (Profile::V1_8_0, "usergroupresolver: {type: os}"),
        (Profile::V1_9_0, "usergroupresolver: {type: os}"),
    ] {
        let text = EVERYTHING.replace("EXTRA", extra);
        assert_eq!(schema_faults(&text, profile), [""; 0], "{profile}");
        let reading = read(&text, profile);
        assert!(reading.is_valid(), "{:?}", reading.faults);
    }
    let only_newer = EVERYTHING.replace("enabled: true", "enabled: true, quotapreemptionenabled: true");
    for profile in Profile::ALL {
        let fits = profile != Profile::V1_5_1;
        let text = only_newer.replace("EXTRA", "");
        assert_eq!(
            (schema_faults(&text, profile).is_empty(), read(&text, profile).is_valid()),
            (fits, fits),
            "{profile}"
        );
    }
}

/// Except for texts that YAML 1.2 reads as numbers.
#[test]
fn it_agrees_with_the_reader_on_the_recorded_configurations() {
    const OF_SHAPE: [&str; 12] = [
        "CFG-002", "CFG-003", "CFG-005", "CFG-006", "CFG-007", "CFG-011", "CFG-014", "CFG-020", "CFG-021", "CFG-024",
        "CFG-055", "CFG-100",
    ];
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/configs");
    for profile in Profile::ALL {
        let schema = schema(profile);
        let (mut fitting, mut refused, mut missed) = (0, BTreeMap::new(), BTreeMap::new());
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let Some(value) = std::str::from_utf8(&bytes).ok().and_then(value_of) else { continue };
            let reading = read_bytes(&bytes, profile);
            let why = faults(&schema, &schema, &value, "");
            if reading.is_valid() {
                assert_eq!(why, [""; 0], "{} by {profile}", path.display());
                fitting += 1;
                continue;
            }
            let errors = reading.faults.iter().filter(|fault| fault.severity == Severity::Error);
            let shape: Vec<_> = errors.filter(|fault| OF_SHAPE.contains(&fault.code)).collect();
            if let Some(first) = shape.first() {
                if why.is_empty() {
                    missed.insert(path.file_name().unwrap().to_owned(), first.message.clone());
                } else {
                    *refused.entry(first.code).or_insert(0) += 1;
                }
            }
        }
        assert!(fitting > 200, "{fitting} by {profile}");
        assert!(refused.values().sum::<i32>() > 80, "{refused:?} by {profile}");
        assert!(missed.len() < 8, "{missed:#?} by {profile}");
    }
}

#[test]
fn what_is_often_wrong_is_reported() {
    let good = "partitions: [{queues: [{name: root, submitacl: '*'}]}]";
    assert_eq!(schema_faults(good, Profile::Kornsole), [""; 0]);
    for bad in [
        "partitions: []",
        "queues: []",
        "partitions: [{name: default}]",
        "partitions: [{queues: [{name: root, submitAcl: x}]}]",
        "partitions: [{queues: [{name: 'a b'}]}]",
        "partitions: [{queues: [{name: a, parent: yes}]}]",
        "partitions: [{queues: [{name: a, submitacl: 'a b c'}]}]",
        "partitions: [{queues: [{name: a, maxapplications: '5'}]}]",
        "partitions: [{queues: [{name: a, maxapplications: 0}]}]",
        "partitions: [{queues: [{name: a, resources: {max: {memory: 500m}}}]}]",
        "partitions: [{queues: [{name: a, resources: {max: {memory: -1}}}]}]",
        "partitions: [{queues: [{name: a, resources: {max: {vcore: 1ki}}}]}]",
        "partitions: [{queues: [{name: a, resources: {memory: 1}}]}]",
        "partitions: [{queues: [{name: a, limits: [{users: [9a], maxapplications: 1}]}]}]",
        "partitions: [{queues: [{name: a, limits: [{users: [a]}]}]}]",
        "partitions: [{queues: [{name: a, limits: [{maxapplications: 1}]}]}]",
        "partitions: [{queues: [], placementrules: [{name: bogus}]}]",
        "partitions: [{queues: [], placementrules: [{name: Tag}]}]",
        "partitions: [{queues: [], placementrules: [{name: user, filter: {type: maybe}}]}]",
        "partitions: [{queues: [], nodesortpolicy: FAIR}]",
    ] {
        assert!(!schema_faults(bad, Profile::Kornsole).is_empty(), "{bad}");
        assert!(!read(bad, Profile::Kornsole).is_valid(), "{bad}");
    }
}

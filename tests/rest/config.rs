//! The active configuration in the form of 1.8.0, parsed to the same value.

use wire::convert;
use wire::dto::{Config, json};

use super::recorded::exchanges;

fn recorded_yaml() -> String {
    exchanges("1.8.0").into_iter().find(|exchange| exchange.file == "30.yaml").unwrap().body
}

fn recorded_json() -> String {
    let found = exchanges("1.8.0").into_iter().find(|exchange| exchange.file == "44.json");
    found.unwrap().body
}

#[test]
fn yaml_and_json_are_upstreams_byte_for_byte() {
    let recorded = recorded_yaml();
    let checksum = serde_json::from_str::<Config>(&recorded_json()).unwrap().checksum;
    let config = convert::config(Some((&recorded, &checksum)));
    assert_eq!(convert::config_yaml(&config), recorded);
    assert_eq!(String::from_utf8(json::to_indented(&config, " ")).unwrap(), recorded_json());
}

#[test]
fn what_a_file_leaves_out_is_filled_in() {
    let text = "\
partitions:
- limits: [{limit: all, users: ['*'], maxapplications: 3}]
  placementrules:
  - name: user
    parent: root.people
  nodesortpolicy: {type: binpacking, resourceweights: {vcore: 2.5, memory: 1}}
  preemption: {enabled: false}
  queues:
  - {name: People, resources: {max: {vcore: 500m, memory: 010}}, properties: {a: 1, b: }}
";
    let config = convert::config(Some((text, "AB")));
    insta::assert_snapshot!(convert::config_yaml(&config));
    insta::assert_snapshot!(String::from_utf8(json::to_indented(&config, "  ")).unwrap());
    let nothing = convert::config(None);
    assert_eq!(convert::config_yaml(&nothing), "deadlockdetectionenabled: false\ndeadlocktimeoutseconds: 60\n");
    let empty = convert::config(Some(("# nothing\n", "CD")));
    assert_eq!(empty.partitions.unwrap()[0].placement_rules[0].value, "namespace", "an empty text is the default");
}

#[test]
fn the_yaml_of_every_good_configuration_reads_to_the_same() {
    use config::{diff, read};
    use model::Profile;
    let mut seen = 0;
    for entry in std::fs::read_dir("tests/conformance/configs").unwrap() {
        let file = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let profile = Profile::V1_8_0;
        let Some(before) = read(&text, profile).config else { continue };
        if file.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let mut again = convert::config(Some((&text, "")));
        // These two cannot be posted back: upstream's own validator rejects them.
        (again.deadlock_detection_enabled, again.deadlock_timeout_seconds) = (None, None);
        let written = convert::config_yaml(&again);
        let reading = read(&written, profile);
        let after = reading.config.unwrap_or_else(|| panic!("{}: {:?}\n{written}", file.display(), reading.faults));
        let diff = diff(&before, &after);
        assert!(diff.changes.is_empty(), "{}: {:?}\n{written}", file.display(), diff.changes);
        seen += 1;
    }
    assert!(seen > 100, "only {seen} configurations were looked at");
}

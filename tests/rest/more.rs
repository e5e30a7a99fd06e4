//! Long scenarios of a real 1.8.0 (`tests/conformance/rest/more`), compared field by field.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use config::Settings;
use engine::Setup;
use model::Profile;
use serde_json::Value;

use super::recorded::exchanges_in;
use super::served::{are_times, covers, in_order, leaves};
use super::stage::Stage;
use crate::common::TestDir;

/// Differences by recording and leaf path, with reasons. Each entry is needed.
const DIFFERENCES: &[(&str, &str)] = &[
    ("**/partition", "section 10: filled in on all queues"),
    ("**/clusterId", "an id"),
    ("**/si~node-partition", "an id is part of it"),
    ("**/allocationDelay", "section 10: allocationTime is when it was allocated, and this is the difference"),
    ("*/03/**", "section 10: a removed application is among the completed ones"),
    ("*/00/0/applications/Completed", "and is counted there"),
    ("*/00/0/applications/total", "and here"),
    ("mixb-135/07/bob/**", "an entry that uses nothing: the release keeps it after the limit that named him went"),
];

fn ready(scenario: &str) -> String {
    let lines = scenario.lines().flat_map(|line| {
        let node = line == "- node:";
        [Some(line), node.then_some("    attributes: {ready: 'true'}")].into_iter().flatten()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn long_scenarios_are_answered_as_by_1_8_0_but_for_what_is_listed() {
    let (mut wrong, mut needed) = (Vec::new(), BTreeSet::new());
    for name in ["mixb-009", "mixb-040", "mixb-086", "mixb-135"] {
        let home = format!("tests/conformance/rest/more/{name}");
        let text = std::fs::read_to_string(format!("{home}/scenario.yaml")).unwrap();
        let dir = TestDir::new();
        // The recorder's cleaner runs only when the scenario says so.
        let clean_every = Duration::from_secs(1_000_000);
        let setup = Setup { clean_every, ..Setup::by(Profile::V1_8_0, Settings::default().config()) };
        let stage = Stage::resting_by(setup, &dir.write("scenario.yaml", ready(&text)), |_| {});
        for exchange in
            exchanges_in(&format!("{home}/1.8.0")).iter().filter(|exchange| !exchange.path.ends_with("/config"))
        {
            let local = stage.get(&exchange.path);
            assert_eq!(local.status, exchange.status, "{name} {}", exchange.path);
            let (mut expected_leaves, mut our_leaves) = (BTreeMap::new(), BTreeMap::new());
            leaves("", &in_order(serde_json::from_str(&exchange.body).unwrap()), &mut expected_leaves);
            leaves("", &in_order(local.json()), &mut our_leaves);
            let paths: BTreeSet<&String> = expected_leaves.keys().chain(our_leaves.keys()).collect();
            for path in paths {
                let pair: (Option<&Value>, Option<&Value>) = (expected_leaves.get(path), our_leaves.get(path));
                if pair.0 == pair.1 || are_times(path.rsplit('/').next().unwrap(), pair.0, pair.1) {
                    continue;
                }
                let full = format!("{name}/{}{path}", exchange.file.trim_end_matches(".json"));
                match DIFFERENCES.iter().position(|(pattern, _)| covers(pattern, &full)) {
                    Some(at) => drop(needed.insert(at)),
                    None => wrong.push(format!("{full}: {:?} here {:?}", pair.0, pair.1)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    let idle = DIFFERENCES.iter().enumerate().filter(|(at, _)| !needed.contains(at));
    let idle: Vec<&str> = idle.map(|(_, (pattern, _))| *pattern).collect();
    assert!(idle.is_empty(), "nothing differs any more at {idle:?}");
}

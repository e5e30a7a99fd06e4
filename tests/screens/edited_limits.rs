//! The users and groups that an edited limit concerns.

use std::sync::Arc;
use std::time::Duration;

use ::scenario::{self, ScenarioWorkload};
use console::present::edit_check;
use console::state::editor::CheckJob;
use engine::Core;
use model::Profile;
use source::{Source as _, Stepped};

use super::common::{about, user};

const CONFIG: &str = "partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: a
            limits:
              - limit: two
                users: [sue, bob]
                maxresources: {vcore: 6}
                maxapplications: 9
              - limit: devs
                groups: [dev]
                maxresources: {vcore: 20}
";

/// sue uses 4 cores with two applications, bob 1 core and requests 3 more; zoe, in dev, 2.
const STEPS: &str = "
- node: {id: n1, capacity: {vcore: 20}}
- submit: {app: one, queue: root.a, user: sue}
- ask: {app: one, id: one, resource: {vcore: 1}, count: 2}
- submit: {app: two, queue: root.a, user: sue}
- ask: {app: two, id: two, resource: {vcore: 1}, count: 2}
- submit: {app: three, queue: root.a, user: bob}
- ask: {app: three, id: three, resource: {vcore: 1}, count: 1}
- submit: {app: four, queue: root.a, user: zoe, groups: [dev]}
- ask: {app: four, id: four, resource: {vcore: 2}, count: 1}
- schedule: idle
- ask: {app: three, id: more, resource: {vcore: 99}, count: 1}
- schedule: idle
";

fn effects(change: &[(&str, &str)]) -> Vec<String> {
    let indented: String = CONFIG.lines().map(|line| format!("  {line}\n")).collect();
    let reading = scenario::read(&format!("version: 1\nname: limits\nconfig: |\n{indented}steps:{STEPS}"));
    let scenario = reading.scenario.unwrap_or_else(|| panic!("{:?}", reading.faults));
    let config = Arc::new(config::read(CONFIG, Profile::Kornsole).config.unwrap());
    let workload = Box::new(ScenarioWorkload::new(scenario, Profile::Kornsole));
    let core = Core::new(Profile::Kornsole, config, Some(workload)).unwrap();
    let source = Stepped::new(core, about("limits"), user("ann"));
    source.advance(Duration::from_secs(10));
    let view = source.view();
    let text = change.iter().fold(CONFIG.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    });
    let (at, base) = (view.at, Arc::from(CONFIG));
    let actor = Err(Arc::from("not asked"));
    let job = CheckJob { at, version: 0, text, base, view, profile: Profile::Kornsole, actor, preview: None };
    let all = edit_check::check(&job).consequences;
    assert!(all.iter().all(|(queue, _)| queue == "root.a"), "{all:?}");
    all.into_iter().flat_map(|(_, sentences)| sentences).collect()
}

#[test]
fn a_lower_limit_names_its_users_with_what_is_above_and_what_is_blocked() {
    assert_eq!(
        effects(&[("{vcore: 6}", "{vcore: 3}"), ("maxapplications: 9", "maxapplications: 1")]),
        [
            "user bob: cpu: 1 of 3 in use, the limit blocks 97 pending",
            "user bob: 1 of 1 running applications, 0 pending",
            "user sue: cpu: 4 in use continues; no new allocations until below 3",
            "user sue: 2 applications continue; none starts until fewer than 1 run",
        ]
    );
}

#[test]
fn a_limit_without_a_change_and_one_of_users_without_usage_are_not_listed() {
    assert_eq!(effects(&[("limit: two", "limit: both")]), [""; 0], "a description decides nothing");
    assert_eq!(effects(&[("[sue, bob]", "[sue, bob, eve]")]), [""; 0]);
    assert_eq!(effects(&[("{vcore: 20}", "{vcore: 30}")]), ["group dev: cpu: 2 of 30 in use"]);
}

#[test]
fn a_new_limit_names_the_users_that_it_concerns() {
    let limit = "groups: [dev]\n                maxresources: {vcore: 20}\n";
    let more = format!(
        "{limit}              - limit: all\n                users: ['*']\n                maxresources: {{vcore: 1}}\n"
    );
    assert_eq!(effects(&[(limit, &more)]), ["user zoe: cpu: 2 in use continues; no new allocations until below 1"]);
}

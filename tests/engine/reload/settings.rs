//! Settings of retained queues take effect immediately, and allocations are not modified.

use config::AppSortPolicy;
use model::{PriorityPolicy, Profile};

use super::stage::Stage;

fn queues(root: &str, queues: &str) -> String {
    format!("partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n{root}    queues:\n{queues}")
}

#[test]
fn a_maximum_below_usage_releases_nothing_and_allocates_nothing_more() {
    let text = |max: &str| queues("", &format!("    - {{name: a, resources: {{max: {{vcore: {max}}}}}}}\n"));
    let mut stage = Stage::new(&text("10"));
    stage.submit("one", "root.a", "sue", &[4, 4]);
    assert_eq!(stage.cores("one"), Some(8));
    stage.accepts(&text("5"));
    stage.ask("one", "more", 1);
    assert_eq!(stage.cores("one"), Some(8), "what runs stays, nothing is added");
    stage.accepts(&text("9"));
    stage.wait(1);
    assert_eq!(stage.cores("one"), Some(9), "the next cycle uses what is free again");
}

#[test]
fn maxapplications_counts_from_the_next_start_on_also_at_the_root() {
    let text = |root: &str, a: &str| queues(root, &format!("    - {{name: a{a}}}\n"));
    let mut stage = Stage::new(&text("", ""));
    stage.submit("one", "root.a", "sue", &[1]);
    stage.submit("two", "root.a", "sue", &[1]);
    stage.accepts(&text("", ", maxapplications: 1"));
    assert_eq!((stage.cores("one"), stage.cores("two")), (Some(1), Some(1)));
    stage.submit("three", "root.a", "sue", &[1]);
    assert_eq!(stage.cores("three"), Some(0), "no further one starts");
    stage.accepts(&text("    maxapplications: 2\n", ", maxapplications: 2"));
    stage.wait(1);
    assert_eq!(stage.cores("three"), Some(0), "the root holds it back now");
    stage.accepts(&text("", ""));
    stage.wait(1);
    assert_eq!(stage.cores("three"), Some(1));
}

#[test]
fn properties_are_inherited_again() {
    let text = |properties: &str| queues("", &format!("    - name: p\n{properties}      queues: [{{name: a}}]\n"));
    let sort = |stage: &Stage| stage.queue("root.p.a").unwrap().settings.properties.app_sort;
    let with = "      properties: {application.sort.policy: fair, priority.policy: fence, priority.offset: '5'}\n";
    let mut stage = Stage::new(&text(with));
    assert_eq!(sort(&stage), AppSortPolicy::Fair);
    assert_eq!(stage.queue("root.p.a").unwrap().settings.properties.priority_policy, PriorityPolicy::Default);
    stage.accepts(&text("      properties: {application.sort.policy: stateaware}\n"));
    assert_eq!(sort(&stage), AppSortPolicy::StateAware, "the new value is passed down");
    assert_eq!(stage.queue("root.p").unwrap().settings.properties.priority_offset, 0, "a removed one has no effect");
    stage.accepts(&text(""));
    assert_eq!(sort(&stage), AppSortPolicy::Fifo);
    assert!(stage.queue("root.p.a").unwrap().settings.merged.is_empty());
}

#[test]
fn access_lists_and_rules_hold_from_the_next_check_on() {
    let text = |acl: &str, rules: &str| {
        format!(
            "partitions:\n- name: default\n{rules}  queues:\n  - name: root\n    queues: [{{name: a, submitacl: {acl}}}, \
             {{name: b, submitacl: '*'}}]\n"
        )
    };
    let mut stage = Stage::new(&text("sue", ""));
    assert_eq!(stage.submit("one", "root.a", "sue", &[1]), None);
    stage.accepts(&text("bob", ""));
    assert!(stage.submit("two", "root.a", "sue", &[1]).is_some());
    assert_eq!(stage.submit("three", "root.a", "bob", &[1]), None);
    stage.accepts(&text("bob", "  placementrules: [{name: fixed, value: root.b}]\n"));
    assert_eq!(stage.submit("four", "root.a", "sue", &[1]), None);
    assert_eq!(stage.queue("root.b").unwrap().apps.len(), 1, "the new rule places it");
    assert_eq!(stage.queue("root.a").unwrap().apps.len(), 2, "placed applications stay where they are");
    assert_eq!(stage.cores("one"), Some(1));
}

#[test]
fn limits_apply_immediately_and_templates_to_later_leaves() {
    let text = |limit: &str, max: &str| {
        format!(
            "partitions:\n- name: default\n  placementrules: [{{name: provided, create: true}}]\n  queues:\n  - name: root\n    \
             submitacl: '*'\n    queues:\n    - name: p\n      parent: true\n{limit}      childtemplate: {{resources: {{max: \
             {{vcore: {max}}}}}}}\n"
        )
    };
    let max_of = |stage: &Stage, path: &str| stage.queue(path).unwrap().max.as_ref().unwrap().amount("vcore");
    let mut stage = Stage::new(&text("", "10"));
    stage.submit("one", "root.p.x", "sue", &[3]);
    stage.accepts(&text("      limits: [{limit: sue, users: [sue], maxresources: {vcore: 4}}]\n", "20"));
    stage.ask("one", "more", 2);
    assert_eq!(stage.cores("one"), Some(3), "the limit counts what was there before it");
    stage.submit("two", "root.p.y", "bob", &[5]);
    assert_eq!((max_of(&stage, "root.p.x"), max_of(&stage, "root.p.y")), (10_000, 20_000));
    stage.accepts(&text("", "20"));
    stage.wait(1);
    assert_eq!(stage.cores("one"), Some(5));
}

#[test]
fn a_bad_file_is_refused_with_every_fault_and_nothing_changes() {
    let good = queues("", "    - {name: a, maxapplications: 3}\n");
    let mut stage = Stage::new(&good);
    stage.submit("one", "root.a", "sue", &[1]);
    let before = (stage.tree(), stage.core.scheduler().checksum().to_owned());
    let bad = queues("", "    - {name: 'a b', maxapplications: -1}\n    - {name: c, nonsense: 1}\n");
    let message = stage.rejects(&bad);
    for fault in ["queues.yaml:7:14: error[CFG-030]", "error[CFG-007]", "queues.yaml:8:17: error[CFG-003]"] {
        assert!(message.contains(fault), "{fault} is not in\n{message}");
    }
    assert_eq!((stage.tree(), stage.core.scheduler().checksum().to_owned()), before);
    assert_eq!(stage.cores("one"), Some(1));
    stage.core.reload("queues.yaml", good.as_bytes());
    assert!(stage.core.take_view().is_some());
    assert_eq!((stage.tree(), stage.core.scheduler().checksum().to_owned()), before);
    stage.core.reload("queues.yaml", good.as_bytes());
    assert!(stage.core.take_view().is_none(), "the same text as before is nothing");
}

#[test]
fn another_policy_group_of_a_manifest_is_read_at_each_reload() {
    let manifest = |name: &str| {
        let inner = queues("", &format!("    - {{name: {name}}}\n")).replace('\n', "\n    ");
        format!("kind: ConfigMap\ndata:\n  queues.yaml: 'other'\n  batch.yaml: |\n    {}\n", inner.trim_end())
    };
    let setup = engine::Setup { policy_group: "batch".to_owned(), ..engine::Setup::of(Profile::Kornsole) };
    let mut stage = Stage::set_up(&manifest("a"), &setup);
    stage.accepts(&manifest("b"));
    assert_eq!(stage.tree(), "root parent\nroot.a leaf Draining\nroot.b leaf");
    assert!(stage.rejects(&manifest("b").replace("batch.yaml", "other.yaml")).contains("batch.yaml"));
}

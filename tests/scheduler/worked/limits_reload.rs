//! Limits that change: section 9 of the user and group rules, and the reload of section 8.

use model::Profile;
use scheduler::{EventKind, RunnableCause};

use super::limits::{Limited, memory};

fn a(limits: &str) -> String {
    format!("{{name: a, limits: [{limits}]}}")
}

fn limited(limits: &str) -> Limited {
    Limited::new("", &a(limits))
}

#[test]
fn section_8_reload() {
    let mut limited = limited("{users: [u1], maxresources: {memory: 100}, maxapplications: 3}");
    limited.using("app-1", "root.a", "u1", "{memory: 60}");
    limited.using("app-2", "root.a", "u1", "{memory: 20}");
    limited.reload("", &a("{users: [u1], maxresources: {memory: 50}, maxapplications: 1}"));
    limited.submit("app-3", "root.a", "u1");
    limited.0.ask_for("app-3", "t", "{memory: 1}", 0, 1);
    let message = |events: Vec<EventKind>| {
        let message = events.into_iter().filter_map(|event| match event {
            EventKind::AppRunnable { app, cause: RunnableCause::Limits, runnable } => Some(format!("{app} {runnable}")),
            _ => None,
        });
        message.collect::<Vec<_>>()
    };
    let apps = ["app-1", "app-2", "app-3"];
    assert_eq!(message(limited.0.play("- schedule: 1")), ["app-3 false"]);
    assert_eq!(message(limited.0.play("- schedule: 1")), [""; 0]);
    assert_eq!(apps.map(|app| limited.space(app)), ["memory -30"; 3]);
    assert_eq!(apps.map(|app| limited.may_run(app)), [true, true, false]);

    limited.allocates("app-1", "cores", "{vcore: 1}");
    limited.allocates("app-1", "more", "{memory: 1}");
    let allocated = limited.0.application("app-1").allocated.clone();
    assert_eq!((allocated.amount("vcore"), allocated.amount("memory")), (1000, 60));

    limited.0.play("- release: {app: app-2, id: t}\n- schedule: idle");
    assert_eq!((limited.0.app("app-2"), limited.space("app-3").as_str()), ("Completing", "memory -10"));
    assert!(!limited.may_run("app-3") && limited.0.app("app-3") == "Accepted");
    limited
        .0
        .play("- release: {app: app-1, id: more}\n- release: {app: app-1, id: cores}\n- release: {app: app-1, id: t}");
    assert_eq!((limited.space("app-3").as_str(), limited.may_run("app-3")), ("memory 50", true));
    assert_eq!(message(limited.0.play("- schedule: 1")), ["app-3 true"]);
}

#[test]
fn section_8_reload_removes_the_entry() {
    let mut limited = limited("{users: [u1], maxresources: {memory: 100}, maxapplications: 3}");
    limited.using("app-1", "root.a", "u1", "{memory: 60}");
    limited.using("app-2", "root.a", "u1", "{memory: 20}");
    limited.reload("", "{name: a}");
    assert_eq!(["app-1", "app-2"].map(|app| limited.space(app)), ["no bound", "no bound"]);
    assert_eq!(["root.a", "root"].map(|queue| limited.user("u1", queue)), [80, 80].map(memory));
    limited.reload("", &a("{users: [u1], maxresources: {memory: 90}}"));
    assert_eq!(limited.space("app-1"), "memory 10");
}

#[test]
fn section_9_user_limits() {
    let named = "{users: [u1], maxresources: {memory: 40}}";
    let mut limited = limited(named);
    limited.using("one", "root.a", "u1", "{memory: 30}");
    limited.using("two", "root.a", "u2", "{memory: 30}");
    for (change, limits, one, two) in [
        ("reset", named.to_owned(), "memory 10", "no bound"),
        ("raised", "{users: [u1], maxresources: {memory: 70}}".to_owned(), "memory 40", "no bound"),
        ("'*' added", format!("{named}, {{users: ['*'], maxresources: {{memory: 35}}}}"), "memory 10", "memory 5"),
        ("'*' changed", format!("{named}, {{users: ['*'], maxresources: {{memory: 20}}}}"), "memory 10", "memory -10"),
        ("named removed", "{users: ['*'], maxresources: {memory: 50}}".to_owned(), "memory 20", "memory 20"),
        ("'*' removed", named.to_owned(), "memory 10", "no bound"),
        ("all removed", String::new(), "no bound", "no bound"),
    ] {
        limited.reload("", &a(&limits));
        assert_eq!((limited.space("one").as_str(), limited.space("two").as_str()), (one, two), "{change}");
        assert_eq!(
            ["one", "two"].map(|app| limited.0.app(app)),
            ["Starting", "Starting"],
            "{change}: nothing is stopped"
        );
    }
}

#[test]
fn section_9_a_changed_group_limit_retains_its_applications() {
    let mut limited = limited("{groups: [g1], maxresources: {memory: 50}}");
    limited.using("app", "root.a", "u1 g1, g2", "{memory: 20}");
    limited.reload("", &a("{groups: [g2], maxresources: {memory: 90}}, {groups: [g1], maxresources: {memory: 25}}"));
    assert_eq!((limited.group("app"), limited.space("app").as_str()), ("g1", "memory 5"));
    limited.probe("new", "root.a", "u1 g1, g2");
    assert_eq!((limited.group("new"), limited.space("new").as_str()), ("g2", "memory 90"));
}

#[test]
fn section_9_a_removed_group_limit_moves_its_applications_to_another_group_with_their_usage() {
    let root = "{groups: [g1], maxresources: {memory: 100}}";
    let mut limited = Limited::new(root, &a("{groups: [g2], maxresources: {memory: 50}, maxapplications: 1}"));
    limited.using("app", "root.a", "u1 g1, g2", "{memory: 20}");
    assert_eq!(
        (limited.group("app"), limited.pot("g2", "root"), limited.pot("g1", "root")),
        ("g2", memory(20), memory(0))
    );
    limited.reload(root, "{name: a}");
    assert_eq!((limited.group("app"), limited.space("app").as_str()), ("g1", "memory 80"));
    assert_eq!((limited.pot("g1", "root.a"), limited.pot("g1", "root")), (memory(20), memory(20)));
    assert!(limited.0.partition().usage.groups.find("g2").is_none(), "nobody counts under g2 any more");
    limited.0.play("- release: {app: app, id: t}");
    assert_eq!(limited.pot("g1", "root"), memory(0));
}

#[test]
fn section_9_an_application_without_a_group_stays_so_until_it_is_done() {
    let limit = "{groups: [g1], maxresources: {memory: 50}}";
    let mut limited = limited(limit);
    limited.using("app", "root.a", "u1 g1", "{memory: 20}");
    limited.reload("", "{name: a}");
    assert_eq!((limited.group("app"), limited.space("app").as_str()), ("none", "no bound"));
    limited.reload("", &a(limit));
    limited.allocates("app", "more", "{memory: 100}");
    assert_eq!((limited.group("app"), limited.user("u1", "root")), ("none", memory(120)));
    // The old application's group is determined again after its usage was 0.
    limited.probe("new", "root.a", "u1 g1");
    assert_eq!((limited.group("new"), limited.space("new").as_str()), ("g1", "memory 50"));
    limited.0.play("- release: {app: app, id: t}\n- release: {app: app, id: more}");
    limited.allocates("app", "again", "{memory: 10}");
    assert_eq!((limited.group("app"), limited.space("app").as_str()), ("g1", "memory 40"));
}

#[test]
fn section_9_a_removed_queue_loses_its_limits_and_retains_those_of_its_parents() {
    let root = "{users: [u1], maxresources: {memory: 100}}";
    let mut limited = Limited::new(root, "{name: a, limits: [{users: [u1], maxresources: {memory: 40}}]}, {name: b}");
    limited.using("app", "root.a", "u1", "{memory: 30}");
    limited.reload(root, "{name: b}");
    assert_eq!(limited.0.states(&["root.a"]), "Draining");
    assert_eq!(limited.space("app"), "memory 70");
}

/// D-26: the limit on the leaf is removed, and the releases lose the group's usage.
#[test]
fn section_9_the_releases_lose_the_usage_of_a_group() {
    let root = "{groups: [g1], maxresources: {memory: 100}}";
    let leaf = a("{groups: [g1], maxresources: {memory: 50}}");
    for (profile, before, after) in [
        (Profile::Kornsole, "memory 80", "memory 100"),
        (Profile::V1_5_1, "memory 100", "memory 120"),
        (Profile::V1_8_0, "memory 100", "memory 120"),
    ] {
        let mut limited = Limited::by(profile, root, &leaf);
        limited.using("app", "root.a", "u1 g1", "{memory: 20}");
        limited.reload(root, "{name: a}");
        limited.allocates("app", "probe", "{gpu: 1}");
        assert_eq!((limited.group("app"), limited.space("app").as_str()), ("g1", before), "{profile}");
        limited.0.play("- release: {app: app, id: t}");
        limited.probe("next", "root.a", "u1 g1");
        assert_eq!(limited.space("next"), after, "{profile}");
        assert_eq!(limited.user("u1", "root"), memory(0), "{profile}");
    }
}

/// Switch `limit_path_case`.
#[test]
fn section_10_limits_of_a_queue_in_capitals() {
    let queues = "{name: AbC, parent: true, limits: [{users: ['*'], maxresources: {memory: 9}}], queues: [
        {name: d, limits: [{users: ['*'], maxresources: {memory: 5}}]}]}";
    for (profile, space) in
        [(Profile::Kornsole, "memory 5"), (Profile::V1_5_1, "no bound"), (Profile::V1_8_0, "no bound")]
    {
        let mut limited = Limited::by(profile, "", queues);
        limited.probe("app", "root.abc.d", "u1");
        assert_eq!(limited.space("app"), space, "{profile}");
    }
}

/// LIM-017, switch `limits_per_process`: the limits loaded last apply to all partitions.
#[test]
fn lim_017_limits_of_several_partitions() {
    let partition = |name: &str, memory: i64| {
        let limits = format!("limits: [{{users: ['*'], maxresources: {{memory: {memory}}}}}]");
        format!("{{name: {name}, queues: [{{name: root, submitacl: '*', queues: [{{name: a, {limits}}}]}}]}}")
    };
    let text = format!("partitions: [{}, {}]", partition("default", 5), partition("other", 7));
    for (profile, space) in
        [(Profile::Kornsole, "memory 5"), (Profile::V1_5_1, "memory 7"), (Profile::V1_8_0, "memory 7")]
    {
        let mut limited = Limited::by(profile, "", "{name: a}");
        limited.0.configure(&text);
        limited.probe("app", "root.a", "u1");
        assert_eq!(limited.space("app"), space, "{profile}");
    }
}

/// P-15, switch `reload_trial_limits`: 1.5.1 rejects the queue, but has already applied the limits.
#[test]
fn a_rejected_reload_leaves_its_limits_in_1_5_1() {
    let parent = |children: &str| format!("{{name: p, parent: true, queues: [{children}]}}");
    let mut limited = Limited::by(Profile::V1_5_1, "", &format!("{{name: a}}, {}", parent("{name: x}")));
    limited.probe("held", "root.p.x", "u1");
    limited.probe("app", "root.a", "u1");
    limited.reload("", "{name: a}");
    let limits = a("{users: [u1], maxresources: {memory: 8}}");
    let refused = super::limits::limited_root("", &format!("{limits}, {}", parent("{name: x}, {name: new}")));
    let events = limited.0.configure(&refused);
    assert!(events.iter().any(|event| matches!(event, EventKind::ConfigRejected { .. })), "{events:?}");
    assert_eq!(limited.space("app"), "memory 8");
}

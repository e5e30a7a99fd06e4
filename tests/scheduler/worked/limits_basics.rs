//! LIM-001 to LIM-047, without those in `limits_rules`.

use model::Resource;
use scheduler::{EventKind, RunnableCause};

use super::gangs::{gang, member};
use super::limits::{Limited, memory};
use super::stage::cores;

fn spaces<const N: usize>(limited: &Limited, apps: [&str; N]) -> [String; N] {
    apps.map(|app| limited.space(app))
}

#[test]
fn lim_001_a_user_limit_is_for_each_of_its_users() {
    let mut limited = Limited::new("", "{name: q, limits: [{users: [sue, bob], maxresources: {memory: 10}}]}");
    limited.using("sue", "root.q", "sue", "{memory: 10}");
    limited.using("bob", "root.q", "bob", "{memory: 10}");
    assert_eq!([limited.user("sue", "root.q"), limited.user("bob", "root.q")], [10, 10].map(memory));
}

#[test]
fn lim_002_a_group_limit_is_shared_by_its_users() {
    let mut limited = Limited::new("", "{name: q, limits: [{groups: [dev, ops], maxresources: {memory: 10}}]}");
    limited.using("sue", "root.q", "sue dev", "{memory: 6}");
    limited.using("bob", "root.q", "bob dev", "{memory: 6}");
    limited.using("ann", "root.q", "ann ops", "{memory: 6}");
    assert_eq!([limited.pot("dev", "root.q"), limited.pot("ops", "root.q")], [6, 6].map(memory));
    assert_eq!(spaces(&limited, ["sue", "bob", "ann"]), ["memory 4"; 3]);
}

#[test]
fn lim_003_the_star_of_users_applies_to_each_user_that_the_queue_does_not_name() {
    let mut limited = Limited::new(
        "",
        "{name: q, limits: [{users: [sue], maxresources: {memory: 9}}, {users: ['*'], maxresources: {memory: 5}}]}",
    );
    for user in ["sue", "bob", "ann"] {
        limited.probe(user, "root.q", user);
    }
    limited.using("more", "root.q", "bob", "{memory: 3}");
    assert_eq!(spaces(&limited, ["sue", "bob", "ann"]), ["memory 9", "memory 2", "memory 5"]);
}

#[test]
fn lim_004_the_star_of_groups_is_one_pot() {
    let limits = "[{groups: [dev], maxresources: {memory: 9}}, {groups: ['*'], maxresources: {memory: 5}}]";
    let mut limited = Limited::new("", &format!("{{name: q, limits: {limits}}}"));
    limited.using("bob", "root.q", "bob qa", "{memory: 3}");
    limited.probe("ann", "root.q", "ann hr");
    assert_eq!((limited.group("bob"), limited.group("ann")), ("*", "*"));
    assert_eq!(spaces(&limited, ["bob", "ann"]), ["memory 2", "memory 2"]);
}

#[test]
fn lim_005_who_is_named_has_that_even_if_it_is_more() {
    let limits = "[{users: [sue], groups: [dev], maxresources: {memory: 90}}, {users: ['*'], groups: ['*'], maxresources: {memory: 5}}]";
    let mut limited = Limited::new("", &format!("{{name: q, limits: {limits}}}"));
    limited.probe("named", "root.q", "sue dev");
    limited.probe("other", "root.q", "bob qa");
    assert_eq!(spaces(&limited, ["named", "other"]), ["memory 90", "memory 5"]);
}

#[test]
fn lim_006_all_levels_hold_together_each_with_its_own_entry() {
    let mut limited = Limited::new(
        "{users: ['*'], maxresources: {memory: 8, gpu: 2}}",
        "{name: p, limits: [{users: [bob], maxresources: {memory: 1}}], queues: [{name: q, limits: [{users: [sue], maxresources: {memory: 5}}]}, {name: r}]}",
    );
    limited.probe("sue", "root.p.q", "sue");
    limited.using("sue-r", "root.p.r", "sue", "{memory: 6}");
    assert_eq!(spaces(&limited, ["sue", "sue-r"]), ["memory 2, gpu 2"; 2]);
}

#[test]
fn lim_007_limits_of_users_and_groups_hold_both() {
    let limits = "[{users: [sue], maxresources: {memory: 5, vcore: 1}}, {groups: [dev], maxresources: {memory: 3}}]";
    let mut limited = Limited::new("", &format!("{{name: q, limits: {limits}}}"));
    limited.probe("sue", "root.q", "sue dev");
    limited.probe("bob", "root.q", "bob dev");
    assert_eq!(spaces(&limited, ["sue", "bob"]), ["memory 3, vcore 1", "memory 3"]);
}

#[test]
fn lim_008_a_value_without_an_entry_is_not_limited() {
    let mut limited = Limited::new(
        "",
        "{name: q, limits: [{users: [sue], maxresources: {memory: 5}}, {users: [ann], maxapplications: 1}]}",
    );
    for user in ["sue", "ann", "bob"] {
        limited.probe(user, "root.q", user);
        limited.using(&format!("{user}-2"), "root.q", user, "{vcore: 9}");
    }
    assert_eq!(spaces(&limited, ["sue", "ann", "bob"]), ["memory 5", "no bound", "no bound"]);
    assert_eq!(["sue", "ann", "bob"].map(|app| limited.may_run(app)), [true, false, true]);
}

#[test]
fn lim_009_limits_do_not_matter_for_what_is_submitted() {
    let mut limited =
        Limited::new("", "{name: q, limits: [{users: [sue], maxapplications: 1, maxresources: {memory: 1}}]}");
    limited.using("one", "root.q", "sue", "{memory: 1}");
    for app in ["two", "three"] {
        limited.submit(app, "root.q", "sue");
        assert_eq!(limited.0.app(app), "New", "{app} is taken all the same");
    }
}

#[test]
fn lim_010_usage_is_summed_in_every_queue_of_the_path() {
    let queues = "{name: p, limits: [{groups: [dev], maxresources: {memory: 90}}], queues: [{name: q}, {name: r}]}";
    let mut limited = Limited::new("{groups: [dev], maxresources: {memory: 99}}", queues);
    limited.using("one", "root.p.q", "sue dev", "{memory: 3}");
    limited.using("two", "root.p.r", "sue dev", "{memory: 4}");
    let path = ["root", "root.p", "root.p.q", "root.p.r"];
    assert_eq!(path.map(|queue| limited.user("sue", queue)), [7, 7, 3, 4].map(memory));
    assert_eq!(path.map(|queue| limited.pot("dev", queue)), [7, 7, 3, 4].map(memory));
}

#[test]
fn lim_012_a_replacement_is_counted_without_a_check() {
    let queues = |most: i64| format!("{{name: q, limits: [{{users: [sue], maxresources: {{vcore: {most}}}}}]}}");
    let mut limited = Limited::new("", &queues(2));
    gang(&mut limited.0, "app", "root.q", "", "{vcore: 2}", 2);
    limited.0.play("- schedule: idle");
    limited.reload("", &queues(1));
    assert_eq!(limited.space("app"), "vcore -1");
    member(&mut limited.0, "app", "real", "{vcore: 1}");
    assert_eq!(limited.0.asks(1), "real", "it takes the room of its placeholder although the limit has none");
    assert_eq!((limited.user("sue", "root.q"), limited.space("app").as_str()), (cores(2), "vcore -1"));
}

#[test]
fn lim_014_asks_do_not_count() {
    let mut limited = Limited::new("", "{name: q, limits: [{users: [sue], maxresources: {memory: 50}}]}");
    limited.submit("app", "root.q", "sue");
    limited.0.ask_for("app", "large", "{memory: 60}", 0, 1);
    limited.0.play("- schedule: idle");
    assert_eq!((limited.user("sue", "root.q"), limited.space("app").as_str()), (Resource::new(), "memory 50"));
}

#[test]
fn lim_015_users_are_tracked_always_and_groups_only_by_a_limit() {
    let mut limited = Limited::new("", "{name: q}, {name: r, limits: [{groups: [dev], maxapplications: 9}]}");
    limited.using("one", "root.q", "sue dev", "{memory: 3}");
    assert_eq!((limited.user("sue", "root.q"), limited.pot("dev", "root.q")), (memory(3), memory(0)));
    limited.using("two", "root.r", "sue dev", "{memory: 4}");
    assert_eq!((limited.user("sue", "root"), limited.pot("dev", "root.r")), (memory(7), memory(4)));
}

/// `root.a`: first `g3`, then `g2`, then `*`.
fn grouped() -> Limited {
    Limited::new(
        "{groups: [g1], maxresources: {memory: 100}}",
        "{name: a, limits: [{groups: [g3, g2], maxresources: {memory: 60}}, {groups: ['*'], maxresources: {memory: 30}}]}, {name: b}",
    )
}

#[track_caller]
fn counts_under(cases: &[(&str, &str, &str)]) {
    let mut limited = grouped();
    for (number, (who, queue, group)) in cases.iter().enumerate() {
        let app = format!("app-{number}");
        limited.probe(&app, queue, who);
        assert_eq!(limited.group(&app), *group, "{who} in {queue}");
    }
}

#[test]
fn lim_030_the_first_named_group_from_the_queue_upwards() {
    counts_under(&[
        ("u g2", "root.a", "g2"),
        ("u gx", "root.a", "*"),
        ("u g1", "root.b", "g1"),
        ("u gx", "root.b", "none"),
    ]);
}

#[test]
fn lim_031_the_order_of_the_users_groups_plays_no_role() {
    counts_under(&[("u g2, g3", "root.a", "g3"), ("u g3, g2", "root.a", "g3")]);
}

#[test]
fn lim_032_only_that_one_group_counts_along_the_path() {
    let mut limited = grouped();
    limited.probe("app", "root.a", "u g1, g2");
    limited.using("more", "root.a", "u g1, g2", "{memory: 10}");
    assert_eq!((limited.group("more"), limited.space("app").as_str()), ("g2", "memory 50"));
    assert_eq!((limited.pot("g2", "root.a"), limited.pot("g1", "root")), (memory(10), memory(0)));
}

#[test]
fn lim_033_a_star_hides_what_is_named_above() {
    counts_under(&[("u g1", "root.a", "*"), ("u g1", "root.b", "g1")]);
}

#[test]
fn lim_035_without_groups_there_is_the_one_of_the_users_name() {
    counts_under(&[("u", "root.a", "*"), ("u", "root.b", "none"), ("g2", "root.a", "g2")]);
}

#[test]
fn lim_040_headroom_is_the_smallest_of_all_levels_and_may_be_negative() {
    let queues =
        |most: i64| format!("{{name: q, limits: [{{users: [sue], maxresources: {{memory: {most}, gpu: 1}}}}]}}");
    let mut limited = Limited::new("{users: [sue], maxresources: {memory: 50, vcore: 2}}", &queues(40));
    limited.using("app", "root.q", "sue", "{memory: 30}");
    assert_eq!(limited.space("app"), "memory 10, vcore 2, gpu 1");
    limited.reload("{users: [sue], maxresources: {memory: 50, vcore: 2}}", &queues(20));
    assert_eq!(limited.space("app"), "memory -10, vcore 2, gpu 1");
}

#[test]
fn lim_041_the_headrooms_of_user_and_group_are_combined() {
    let limits =
        "[{users: [sue], maxresources: {memory: 50, gpu: 1}}, {groups: [dev], maxresources: {memory: 40, vcore: 3}}]";
    let mut limited = Limited::new("", &format!("{{name: q, limits: {limits}}}"));
    limited.probe("app", "root.q", "sue dev");
    limited.using("other", "root.q", "bob dev", "{memory: 5}");
    assert_eq!(limited.space("app"), "memory 35, vcore 3, gpu 1");
}

#[test]
fn lim_044_every_level_must_let_it_run() {
    let mut limited = Limited::new(
        "{users: [sue], maxapplications: 2}",
        "{name: q, limits: [{groups: [dev], maxapplications: 1}]}, {name: r}",
    );
    limited.using("one", "root.q", "sue dev", "{memory: 1}");
    limited.using("two", "root.q", "bob dev", "{memory: 1}");
    limited.using("three", "root.r", "sue dev", "{memory: 1}");
    limited.using("four", "root.r", "sue dev", "{memory: 1}");
    assert_eq!(["one", "two", "three", "four"].map(|app| limited.may_run(app)), [true, false, true, false]);
    assert_eq!(["two", "four"].map(|app| limited.0.app(app)), ["Accepted", "Accepted"]);
}

#[test]
fn lim_045_what_may_not_run_is_skipped_and_reported_once() {
    let mut limited = Limited::new("", "{name: q, limits: [{users: [sue], maxapplications: 1}]}");
    limited.using("one", "root.q", "sue", "{memory: 1}");
    limited.submit("two", "root.q", "sue");
    limited.0.ask_for("two", "t", "{memory: 1}", 0, 1);
    let message = |events: Vec<EventKind>| -> Vec<bool> {
        let message = events.into_iter().filter_map(|event| match event {
            EventKind::AppRunnable { cause: RunnableCause::Limits, runnable, .. } => Some(runnable),
            _ => None,
        });
        message.collect()
    };
    assert_eq!(message(limited.0.play("- schedule: 3")), [false]);
    assert_eq!(message(limited.0.play("- schedule: 3")), [false; 0]);
    assert_eq!(limited.0.app("two"), "Accepted");
    limited.0.play("- release: {app: one, id: t}");
    assert_eq!(message(limited.0.play("- schedule: 3")), [true]);
}

#[test]
fn lim_046_running_applications_are_never_blocked_by_the_number() {
    let queues = |most: u32| format!("{{name: q, limits: [{{users: [sue], maxapplications: {most}}}]}}");
    let mut limited = Limited::new("", &queues(2));
    limited.using("one", "root.q", "sue", "{memory: 1}");
    limited.using("two", "root.q", "sue", "{memory: 1}");
    limited.reload("", &queues(1));
    for app in ["one", "two"] {
        limited.allocates(app, "more", "{memory: 1}");
        assert_eq!(limited.0.application(app).allocated, memory(2), "{app}");
    }
}

#[test]
fn lim_047_the_number_of_a_queue_counts_what_runs_in_it_and_below() {
    let mut limited = Limited::new(
        "",
        "{name: p, maxapplications: 2, queues: [{name: q, maxapplications: 2}, {name: r, maxapplications: 2}]}",
    );
    limited.using("one", "root.p.q", "sue", "{memory: 1}");
    limited.using("two", "root.p.r", "bob", "{memory: 1}");
    limited.using("three", "root.p.r", "ann", "{memory: 1}");
    assert_eq!(limited.0.app("three"), "Accepted");
    assert!(limited.may_run("three"), "no limit of a user is asked");
    assert_eq!(limited.0.application("three").allocated, cores(0));
    limited.0.play("- release: {app: one, id: t}\n- schedule: idle");
    assert_eq!(limited.0.application("three").allocated, memory(1));
}

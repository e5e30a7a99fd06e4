use model::{AppId, Resource};
use scheduler::{EventKind, RunnableCause};
use view::{AppGroup, AskState, PendingReason};

use super::limits::{Limited, memory};
use super::stage::cores;

const ADMIN: &str = "as: {user: root}";

fn message(events: Vec<EventKind>) -> Vec<String> {
    let message = events.into_iter().filter_map(|event| match event {
        EventKind::AskFitsLimits { ask, fits, .. } => Some(format!("limits {ask} {fits}")),
        EventKind::AskFitsQueue { ask, fits, .. } => Some(format!("queue {ask} {fits}")),
        EventKind::AppRunnable { app, cause: RunnableCause::Limits, runnable } => Some(format!("run {app} {runnable}")),
        EventKind::Allocated { ask, .. } => Some(format!("allocated {ask}")),
        _ => None,
    });
    message.collect()
}

#[test]
fn lim_043_limits_are_asked_before_queues_and_reported_once() {
    let mut limited = Limited::new(
        "",
        "{name: q, resources: {max: {memory: 60}}, limits: [{users: [sue], maxresources: {memory: 50}}]}",
    );
    limited.submit("app", "root.q", "sue");
    limited.0.ask_for("app", "large", "{memory: 70}", 2, 1);
    limited.0.ask_for("app", "small", "{memory: 20}", 1, 1);
    let cycle = |limited: &mut Limited| message(limited.0.play("- schedule: 1"));
    assert_eq!(cycle(&mut limited), ["limits large false", "allocated small"]);
    assert_eq!(cycle(&mut limited), [""; 0]);
    let view = limited.0.view();
    let app = view.app_by_id(&AppId::from("app")).expect("the application is live");
    let state = |id: &str| app.asks.values().find(|ask| ask.id.as_str() == id).map(|ask| ask.state.clone());
    assert_eq!(state("large"), Some(AskState::Pending { reason: PendingReason::UserQuota, reserved: None }));

    limited
        .reload("", "{name: q, resources: {max: {memory: 60}}, limits: [{users: [bob], maxresources: {memory: 50}}]}");
    assert_eq!(cycle(&mut limited), ["limits large true", "queue large false"]);
    limited.reload("", "{name: q, limits: [{users: [sue], maxresources: {memory: 50}}]}");
    assert_eq!(cycle(&mut limited), ["limits large false"]);
    limited.reload("", "{name: q}");
    assert_eq!(cycle(&mut limited), ["limits large true", "queue large true", "allocated large"]);
}

#[test]
fn lim_042_what_a_limit_does_not_name_is_free_and_zero_denies() {
    let mut limited = Limited::new("", "{name: q, limits: [{users: ['*'], maxresources: {memory: 10, vcore: 0}}]}");
    limited.submit("app", "root.q", "sue");
    for (ask, resource, fits) in
        [("cores", "{vcore: 1m}", false), ("memory", "{memory: 10}", true), ("gpu", "{gpu: 5, memory: 0}", true)]
    {
        limited.0.play("- updateNode: {id: n0, capacity: {memory: 1T, vcore: 1000, gpu: 100}}");
        limited.allocates("app", ask, resource);
        let app = limited.0.application("app");
        let allocated = app.ask_key(&ask.into()).is_some_and(|key| app.asks[key].allocation.is_some());
        assert_eq!(allocated, fits, "{ask}");
    }
}

#[test]
fn lim_013_an_application_runs_from_its_first_allocation_until_it_has_nothing_left() {
    let mut limited = Limited::new("", "{name: q, limits: [{users: ['*'], maxapplications: 1}]}");
    limited.using("one", "root.q", "sue", "{memory: 1}");
    limited.using("two", "root.q", "sue", "{memory: 1}");
    limited.using("bob", "root.q", "bob", "{memory: 1}");
    let states = |limited: &Limited| ["one", "two", "bob"].map(|app| limited.0.app(app)).join(" ");
    assert_eq!(states(&limited), "Starting Accepted Starting");
    // LIM-046: running applications are never blocked.
    limited.allocates("one", "more", "{memory: 1}");
    assert_eq!(limited.0.application("one").allocated, memory(2));
    limited.allocates("one", "never", "{gpu: 1}");
    limited.0.play("- release: {app: one, id: t}\n- release: {app: one, id: more}\n- schedule: idle");
    assert_eq!(states(&limited), "Running Accepted Starting");
    limited.0.play("- release: {app: one, id: never}");
    assert_eq!(message(limited.0.play("- schedule: 1")), ["run two true", "allocated t"]);
    assert_eq!(states(&limited), "Completing Starting Starting");
    // SCH-113: a resumed application is not checked again.
    limited.allocates("one", "again", "{memory: 1}");
    assert_eq!(states(&limited), "Running Starting Starting");
}

#[test]
fn lim_034_the_group_is_decided_at_the_first_attempt() {
    let mut limited = Limited::new("", "{name: q}");
    limited.submit("idle", "root.q", "sue dev");
    limited.probe("tried", "root.q", "sue dev");
    let limits = "{name: q, limits: [{groups: [dev], maxresources: {memory: 10}}]}";
    limited.reload("", limits);
    limited.allocates("idle", "t", "{memory: 1}");
    assert_eq!(["idle", "tried"].map(|app| limited.group(app)), ["dev", "none"]);
    let view = limited.0.view();
    let app = |id: &str| view.app_by_id(&AppId::from(id)).expect("the application is live");
    assert_eq!(app("idle").group, AppGroup::Group("dev".into()));
    assert_eq!(app("tried").group, AppGroup::Ungrouped);
    let queue = view.queue_at(&app("tried").queue).expect("its queue is there");
    assert_eq!(view.group_by_limits(&app("tried").who, queue).as_deref(), Some("dev"));
}

#[test]
fn lim_016_users_and_groups_vanish_with_their_last_application() {
    let mut limited = Limited::new("", "{name: q, limits: [{groups: [dev], maxresources: {memory: 10}}]}");
    limited.using("app", "root.q", "sue dev", "{memory: 1}");
    let names = |limited: &Limited| {
        let view = limited.0.view();
        let names: Vec<String> = view.users.keys().chain(view.groups.keys()).map(ToString::to_string).collect();
        names.join(" ")
    };
    assert_eq!(names(&limited), "sue dev");
    limited.0.play("- release: {app: app, id: t}");
    assert_eq!(names(&limited), "sue");
    limited.0.play("- remove: {app: app}");
    assert_eq!(names(&limited), "");
}

#[test]
fn sch_128_dynamic_queues_are_limited_by_those_above() {
    let queues = "{name: p, parent: true, limits: [{users: ['*'], maxresources: {memory: 5}}]}";
    let text = super::limits::limited_root("", queues).replacen(
        "name: default,",
        "name: default, placementrules: [{name: provided, create: true}],",
        1,
    );
    let mut limited = Limited(super::stage::Stage::bare(model::Profile::Kornsole, &text));
    limited.0.play("- node: {id: n0, capacity: {memory: 1T}}");
    limited.using("app", "root.p.made", "sue", "{memory: 3}");
    assert_eq!(limited.space("app"), "memory 2");
}

fn movable(limits: &str) -> Limited {
    let queues = format!("{{name: a, adminacl: root}}, {{name: b, adminacl: root, limits: [{limits}]}}");
    let mut limited = Limited::new("{users: [sue], maxresources: {memory: 10}}", &queues);
    limited.using("app", "root.a", "sue dev", "{memory: 8}");
    limited
}

#[test]
fn sch_203_check_9_a_move_must_fit_the_limits_of_the_target() {
    for (limits, refusal) in [
        ("{users: [sue], maxresources: {memory: 7}}", "limit of user sue on root.b exceeded"),
        ("{users: ['*'], maxresources: {memory: 8}, maxapplications: 1}", ""),
        ("{groups: [dev], maxresources: {memory: 9}}", "limit of group dev on root.b exceeded"),
        ("{groups: [dev], maxapplications: 1}", "limit of group dev on root.b reached: 1 of 1"),
        ("{groups: [qa], maxapplications: 1}, {groups: ['*'], maxresources: {memory: 8}}", ""),
    ] {
        let mut limited = movable(limits);
        limited.using("other", "root.b", "joe dev", "{vcore: 1}");
        if limits.contains("memory: 9") {
            limited.allocates("other", "more", "{memory: 2}");
        }
        let reported = limited.0.refusals(&format!("- move: {{app: app, to: root.b, {ADMIN}}}")).join("");
        assert!(reported.starts_with(refusal) && reported.is_empty() == refusal.is_empty(), "{limits}: {reported:?}");
    }
}

#[test]
fn sch_204_a_move_includes_the_usage_and_finds_the_group_of_the_target() {
    let mut limited = movable("{groups: [dev], maxresources: {memory: 20}}");
    assert_eq!(limited.group("app"), "none");
    limited.0.play(&format!("- move: {{app: app, to: root.b, {ADMIN}}}"));
    assert_eq!((limited.group("app"), limited.space("app").as_str()), ("dev", "memory 2"));
    assert_eq!(["root.a", "root.b", "root"].map(|queue| limited.user("sue", queue)), [0, 8, 8].map(memory));
    assert_eq!(["root.b", "root"].map(|queue| limited.pot("dev", queue)), [8, 8].map(memory));
    limited.0.play(&format!("- move: {{app: app, to: root.a, {ADMIN}}}"));
    assert_eq!((limited.group("app"), limited.pot("dev", "root")), ("none", memory(0)));
    limited.0.play("- release: {app: app, id: t}");
    assert_eq!(limited.user("sue", "root"), memory(0));
}

#[test]
fn a_view_shows_which_limit_binds() {
    let text = r"
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: tenant
            parent: true
            limits:
              - limit: sue and bob
                users: [sue, bob]
                maxapplications: 1
                maxresources: {vcore: 6}
            queues:
              - name: etl
";
    let mut limited = Limited(super::stage::Stage::bare(model::Profile::Kornsole, text));
    limited.0.play("- node: {id: n0, capacity: {memory: 1T, vcore: 1000}}");
    limited.submit("etl-1", "root.tenant.etl", "sue");
    limited.0.ask("etl-1", "k", 0, 7);
    limited.submit("etl-2", "root.tenant.etl", "sue");
    limited.0.ask("etl-2", "k2", 0, 1);
    limited.0.play("- schedule: idle");

    let view = limited.0.view();
    let [first, second] = ["etl-1", "etl-2"].map(|id| view.app_by_id(&AppId::from(id)).expect("it is live"));
    assert_eq!((first.blocked_by_limits, second.blocked_by_limits, second.blocked_by_queue), (false, true, false));
    let wanted: Resource = cores(1);
    let limit = view.limit_too_full_for(first, &wanted).expect("the limit is used up");
    assert_eq!((limit.name.as_str(), limit.queue.as_str(), limit.limit.at.line), ("sue", "root.tenant", 11));
    assert_eq!(limit.short_of(&wanted), Some(("vcore", 6000, 6000)));
    assert!(limit.is_full() && limit.short_of(&memory(1)).is_none());
    assert!(view.blocking_limit(first).is_none(), "it runs already");
    let blocking = view.blocking_limit(second).expect("sue has her one application");
    assert_eq!((blocking.running.len(), blocking.limit.max_applications), (1, Some(1)));

    let sue = &view.users["sue"];
    let levels: Vec<_> = sue.queues.iter().map(|row| (row.queue.as_str(), row.apps, row.limit.is_some())).collect();
    assert_eq!(levels, [("root", 2, false), ("root.tenant", 2, true), ("root.tenant.etl", 2, false)]);
    assert!(sue.queues.iter().all(|row| row.allocated == cores(6) && row.running.len() == 1));
    let etl = view.queue_at(&first.queue).expect("its queue is there");
    let bob = view.user_limits("bob", etl);
    assert!(bob.len() == 1 && bob[0].allocated.is_empty() && !bob[0].is_full());
    assert_eq!(view.limits_in(etl).iter().map(|limit| limit.name.as_str()).collect::<Vec<_>>(), ["sue"]);
}

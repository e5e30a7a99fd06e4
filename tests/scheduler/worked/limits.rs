//! EX-15 and the tables of section 8 of the user and group rules.

use model::{Profile, Resource};
use scheduler::EventKind;

use super::stage::{Stage, cores, open_root};

/// Applications are tried but never allocated, because no node has what they request.
pub struct Limited(pub Stage);

impl Limited {
    /// Queues under an open root with `limits`.
    pub fn new(limits: &str, queues: &str) -> Self {
        Self::by(Profile::Kornsole, limits, queues)
    }

    /// Like [`Self::new`], under this profile.
    pub fn by(profile: Profile, limits: &str, queues: &str) -> Self {
        let mut stage = Stage::bare(profile, &limited_root(limits, queues));
        stage.play("- node: {id: n0, capacity: {memory: 1T, vcore: 1000}}");
        Self(stage)
    }

    /// Loads another configuration in the form of [`Limited::new`].
    pub fn reload(&mut self, limits: &str, queues: &str) {
        let events = self.0.configure(&limited_root(limits, queues));
        assert!(events.contains(&EventKind::ConfigAccepted), "{events:?}");
    }

    /// Submits an application to query its limits. `who` is a user with groups.
    pub fn probe(&mut self, app: &str, queue: &str, who: &str) {
        self.submit(app, queue, who);
        self.0.ask_for(app, "probe", "{gpu: 1}", 0, 1);
        self.0.play("- schedule: idle");
    }

    /// Submits an application of `who`.
    pub fn submit(&mut self, app: &str, queue: &str, who: &str) {
        let (user, groups) = who.split_once(' ').unwrap_or((who, ""));
        self.0.play(&format!("- submit: {{app: {app}, queue: {queue}, user: {user}, groups: [{groups}]}}"));
    }

    /// Submits an application of `who` with an allocation.
    pub fn using(&mut self, app: &str, queue: &str, who: &str, resource: &str) {
        self.submit(app, queue, who);
        self.allocates(app, "t", resource);
    }

    /// Adds an allocation to an application.
    pub fn allocates(&mut self, app: &str, ask: &str, resource: &str) {
        self.0.ask_for(app, ask, resource, 0, 1);
        self.0.play("- schedule: idle");
    }

    /// The limit headroom; `no bound` if no limit names a resource.
    pub fn space(&self, app: &str) -> String {
        let app = self.0.application(app);
        self.0.partition().usage.headroom(&app.account).map_or("no bound".to_owned(), |space| space.to_string())
    }

    /// Returns whether the limits allow an application to start.
    pub fn may_run(&self, app: &str) -> bool {
        let app = self.0.application(app);
        self.0.partition().usage.lets_run(&app.account, &app.id)
    }

    /// The group of an application, or `none`.
    pub fn group(&self, app: &str) -> &str {
        self.0.partition().group_name(self.0.application(app)).unwrap_or("none")
    }

    /// The usage of a user in a queue's subtree.
    pub fn user(&self, name: &str, queue: &str) -> Resource {
        let users = &self.0.partition().usage.users;
        let usage = users.find(name).and_then(|key| users.get(key)).and_then(|user| user.at(self.0.queue(queue).key));
        usage.map(|usage| usage.allocated.clone()).unwrap_or_default()
    }

    /// The usage of a group in a queue's subtree.
    pub fn pot(&self, name: &str, queue: &str) -> Resource {
        let groups = &self.0.partition().usage.groups;
        let usage = groups.find(name).and_then(|key| groups.get(key)).and_then(|pot| pot.at(self.0.queue(queue).key));
        usage.map(|usage| usage.allocated.clone()).unwrap_or_default()
    }
}

/// A configuration whose root accepts all users and has these limits.
pub fn limited_root(limits: &str, queues: &str) -> String {
    open_root(queues).replacen("submitacl: '*',", &format!("submitacl: '*', limits: [{limits}],"), 1)
}

pub fn memory(amount: i64) -> Resource {
    [("memory", amount)].into_iter().collect()
}

#[test]
fn ex_15_users() {
    let mut stage = Stage::new(
        "{name: q, limits: [
            {users: [sue], maxapplications: 1, maxresources: {vcore: 3}},
            {users: ['*'], maxresources: {vcore: 2}}]}",
    );
    for (app, user, count) in [("s1", "sue", 5), ("s2", "sue", 1), ("b1", "bob", 3), ("b2", "bob", 1)] {
        stage.play(&format!("- submit: {{app: {app}, queue: root.q, user: {user}}}"));
        stage.ask(app, app, 0, count);
    }
    assert_eq!(stage.apps(6), "s1 s1 s1 b1 b1 nothing");
    assert_eq!(stage.app("s2"), "Accepted");
    stage.play("- release: {app: b1, id: b1-1}");
    assert_eq!(stage.apps(2), "b1 nothing");
}

#[test]
fn ex_15_groups() {
    let mut limited = Limited::new(
        "{groups: [ops], maxresources: {vcore: 10}}",
        "{name: q, limits: [
            {groups: [dev], maxresources: {vcore: 3}},
            {groups: ['*'], maxresources: {vcore: 2}}]},
         {name: r}",
    );
    let table = [
        ("a1", "root.q", "ann ops, dev", "dev", 3),
        ("a2", "root.q", "bob dev", "dev", 0),
        ("a3", "root.q", "cat qa", "*", 2),
        ("a4", "root.q", "dan ops", "*", 0),
        ("a5", "root.q", "eve", "*", 0),
        ("a6", "root.r", "cat qa", "none", 4),
    ];
    for (app, queue, who, ..) in table {
        limited.submit(app, queue, who);
        limited.0.ask(app, "t", 0, 4);
    }
    limited.0.play("- schedule: idle");
    for (app, .., group, gets) in table {
        assert_eq!(limited.group(app), group, "{app}");
        assert_eq!(limited.0.application(app).allocated, cores(gets), "{app}");
    }
}

#[test]
fn section_8_users() {
    let mut limited = Limited::new(
        "{users: [u1], maxresources: {memory: 100}, maxapplications: 3}",
        "{name: a, limits: [{users: ['*'], maxresources: {memory: 50, vcore: 1}, maxapplications: 1}]}, {name: b}",
    );
    for (app, queue, user) in
        [("1a", "root.a", "u1"), ("2a", "root.a", "u2"), ("1b", "root.b", "u1"), ("2b", "root.b", "u2")]
    {
        limited.probe(app, queue, user);
        assert!(limited.may_run(app));
    }
    let spaces = |limited: &Limited| ["1a", "2a", "1b", "2b"].map(|app| limited.space(app));
    assert_eq!(spaces(&limited), ["memory 50, vcore 1", "memory 50, vcore 1", "memory 100", "no bound"]);
    limited.using("app-1", "root.a", "u1", "{memory: 30}");
    assert_eq!(spaces(&limited), ["memory 20, vcore 1", "memory 50, vcore 1", "memory 70", "no bound"]);
    assert_eq!(["1a", "2a", "1b", "2b"].map(|app| limited.may_run(app)), [false, true, true, true]);
    limited.using("app-3", "root.b", "u1", "{memory: 10}");
    assert_eq!(spaces(&limited), ["memory 20, vcore 1", "memory 50, vcore 1", "memory 60", "no bound"]);
}

#[test]
fn section_8_groups() {
    let mut limited = Limited::new(
        "{groups: [g1], maxresources: {memory: 100}, maxapplications: 2}",
        "{name: a, limits: [
            {groups: [g3], maxresources: {memory: 60}},
            {groups: [g2], maxresources: {memory: 50}},
            {groups: ['*'], maxresources: {memory: 30}, maxapplications: 1}]},
         {name: b}",
    );
    for (who, queue, group, space) in [
        ("u1 g1, g2", "root.a", "g2", "memory 50"),
        ("u2 g1", "root.a", "*", "memory 30"),
        ("u3 g1, g2", "root.b", "g1", "memory 100"),
        ("u4 g2, g3", "root.a", "g3", "memory 60"),
        ("u5", "root.a", "*", "memory 30"),
        ("u6 gx", "root.b", "none", "no bound"),
    ] {
        let app = &who[..2];
        limited.probe(app, queue, who);
        assert_eq!((limited.group(app), limited.space(app).as_str()), (group, space), "{who}");
        assert!(limited.may_run(app));
    }
    limited.using("app", "root.a", "u2 g1", "{memory: 20}");
    limited.probe("u7", "root.a", "u7 zz");
    assert_eq!((limited.group("u7"), limited.space("u7").as_str(), limited.may_run("u7")), ("*", "memory 10", false));
}

#[test]
fn section_8_one_entry_for_a_user_and_a_group() {
    let entry = "{users: [u1], groups: [g1], maxresources: {memory: 100}, maxapplications: 1}";
    let mut limited = Limited::new("", &format!("{{name: a, limits: [{entry}]}}"));
    limited.using("app", "root.a", "u1 g1", "{memory: 40}");
    limited.probe("one", "root.a", "u1 g1");
    limited.probe("two", "root.a", "u2 g1");
    let bounds = |app: &str| limited.0.application(app).account.bounds.as_ref().map(Vec::len);
    assert_eq!(["one", "two"].map(bounds), [Some(2), Some(1)]);
    assert_eq!(["one", "two"].map(|app| limited.space(app)), ["memory 60", "memory 60"]);
    assert_eq!(["one", "two"].map(|app| limited.may_run(app)), [false, false]);
}

#[test]
fn section_8_several_entries_on_one_path() {
    let mut limited = Limited::new(
        "{users: [u1], maxresources: {memory: 100}}",
        "{name: p, parent: true, limits: [{users: ['*'], maxresources: {memory: 80, vcore: 4}}], queues: [
            {name: c, limits: [{users: [u1], maxresources: {memory: 40}}]},
            {name: d}]},
         {name: q}",
    );
    limited.using("app-c", "root.p.c", "u1", "{memory: 30}");
    limited.using("app-q", "root.q", "u1", "{memory: 60}");
    assert_eq!(["root.p.c", "root.p", "root"].map(|queue| limited.user("u1", queue)), [30, 30, 90].map(memory));
    limited.probe("c", "root.p.c", "u1");
    limited.probe("d", "root.p.d", "u1");
    assert_eq!(["c", "d"].map(|app| limited.space(app)), ["memory 10, vcore 4", "memory 10, vcore 4"]);
}

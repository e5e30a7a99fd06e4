use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use client::{Limits, Target, Token};
use model::AppState;
use serde_json::{Value, json};
use source::remote::RemoteOptions;
use source::{Link, Remote, Source};
use view::act::{Act, Done, Order};
use view::{AppGroup, AskState, PartitionView, View};

use crate::remote::commands::kornsole_set;
use crate::remote::serve::{Answer, Server, Set};
use crate::remote::sets::{self, get};

/// The maximum wait of a test.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Time without a change after which all lists are considered read.
const SETTLED: Duration = Duration::from_secs(1);

/// A remote with a short polling interval that reports every update.
pub struct Observer {
    pub remote: Arc<Remote>,
    news: Receiver<()>,
}

impl Observer {
    pub fn at(url: &str) -> Self {
        Self::with(&Target::new(url).unwrap(), RemoteOptions::default())
    }

    /// With timeouts short enough for a test.
    pub fn with(target: &Target, options: RemoteOptions) -> Self {
        let limits = Limits {
            connect: Duration::from_millis(500),
            header: Duration::from_millis(400),
            idle: Duration::from_millis(400),
            whole: Duration::from_secs(5),
            ..Limits::default()
        };
        Self::patient(target, RemoteOptions { limits, ..options })
    }

    /// With the given timeouts: slow answers are accepted.
    pub fn patient(target: &Target, options: RemoteOptions) -> Self {
        let remote = Remote::start(target, RemoteOptions { every: Duration::from_millis(40), ..options }).unwrap();
        let (sender, news) = channel();
        remote.on_change(Box::new(move || {
            let _ = sender.send(());
        }));
        Self { remote: Arc::new(remote), news }
    }

    /// Waits until `look` returns a value.
    pub fn wait<T>(&self, what: &str, mut look: impl FnMut(&View, &Link) -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        loop {
            let (view, link) = (self.remote.view(), self.remote.link());
            if let Some(found) = look(&view, &link) {
                return found;
            }
            assert!(Instant::now() < until, "never seen: {what}; {link:?}\n{}", text(&view));
            // Ages grow without updates.
            let _ = self.news.recv_timeout(Duration::from_millis(50));
        }
    }

    /// Waits until everything was read once. Lists are read independently, so it waits for a pause.
    pub fn all(&self) -> String {
        let (mut last, mut since) = (String::new(), Instant::now());
        self.wait("everything", |view, _| {
            let part = view.partitions.first()?;
            let complete = part.live_apps > 0
                && part.nodes.len() == 3
                && !part.users.is_empty()
                && !part.groups.is_empty()
                && !part.rules.is_empty()
                && part.root().is_some_and(|root| !root.settings.limits.is_empty() && root.app_count > 0)
                && part.apps.iter().flatten().any(|app| matches!(app.group, AppGroup::Group(_)));
            let now = text(view);
            if now != last {
                (last, since) = (now.clone(), Instant::now());
            }
            (complete && since.elapsed() >= SETTLED).then_some(now)
        })
    }
}

/// Formats a view without the values that depend on the time of reading.
pub fn text(view: &View) -> String {
    let mut out = String::new();
    for part in &view.partitions {
        let _ = writeln!(out, "partition {} {:?} {:?} of {:?}", part.name, part.state, part.allocated, part.capacity);
        queues(&mut out, part);
        apps(&mut out, part);
        nodes(&mut out, part);
        usage(&mut out, part);
        for line in part.rules.rule_lines() {
            let _ = writeln!(out, "rule {} {} {}", line.head, line.value, line.filter);
        }
    }
    out
}

fn queues(out: &mut String, part: &PartitionView) {
    for row in part.walk() {
        let kind = if row.leaf { "leaf" } else { "parent" };
        let from = if row.managed { "managed" } else { "dynamic" };
        let _ = writeln!(
            out,
            "queue {} {kind} {from} {} priority {}<{} offset {} {:?} running {}/{:?} apps {} allocated {} pending {} guaranteed {:?} max {:?}",
            row.path,
            row.state,
            row.priority.current,
            row.priority.raw,
            row.priority.offset,
            row.priority.policy,
            row.running,
            row.max_running,
            row.app_count,
            row.allocated,
            row.pending,
            row.guaranteed,
            row.max,
        );
        let settings = &row.settings;
        let properties: Vec<String> =
            settings.properties.iter().map(|one| format!("{}={}", one.key, one.value)).collect();
        let limits: Vec<&str> = settings.limits.list().iter().map(|limit| limit.description.as_str()).collect();
        let template = settings.template.as_ref().map(|(from, template)| format!("{from}: {:?}", template.max));
        let _ = writeln!(
            out,
            "  {:?} submit {:?} admin {:?} limits {limits:?} template {template:?} {properties:?} headroom {:?}",
            settings.app_sort,
            settings.submit_acl.to_string(),
            settings.admin_acl.to_string(),
            part.headroom(row),
        );
    }
}

/// 1.8 has no Starting state and reports it as Running.
fn state(state: AppState) -> AppState {
    if state == AppState::Starting { AppState::Running } else { state }
}

fn apps(out: &mut String, part: &PartitionView) {
    let mut live: Vec<_> = part.apps.iter().flatten().collect();
    live.sort_by(|one, other| one.id.cmp(&other.id));
    for (kind, row) in live.into_iter().map(|row| ("app", row)).chain(part.ended.iter().map(|row| ("ended", row))) {
        let _ = writeln!(
            out,
            "{kind} {} in {:?} {} {} {:?} held {}{} allocated {} placeholder {} pending {} in {} priority {} started {} finished {}",
            row.id,
            row.queue.as_str(),
            row.who,
            state(row.state),
            row.group,
            u8::from(row.blocked_by_queue),
            u8::from(row.blocked_by_limits),
            row.allocated,
            row.placeholder,
            row.pending,
            row.pending_asks,
            row.priority,
            row.started.is_some(),
            row.finished.is_some(),
        );
        for group in &row.task_groups {
            let _ = writeln!(
                out,
                "  group {} {} of {}, {} timed out",
                group.name, group.replaced, group.count, group.timed_out
            );
        }
        for ask in row.asks.values() {
            let message = match &ask.state {
                AskState::Pending { reason, reserved } => format!("pending {reason:?} {reserved:?}"),
                AskState::Allocated { node, .. } => format!("on {node}"),
            };
            let _ = writeln!(
                out,
                "  ask {} {} priority {} placeholder {} {message}",
                ask.id, ask.resource, ask.priority, ask.placeholder
            );
        }
    }
}

fn nodes(out: &mut String, part: &PartitionView) {
    for node in part.nodes.values() {
        let _ = writeln!(
            out,
            "node {} {} of {} occupied {} available {} schedulable {} reserved {:?} runs {:?}",
            node.id,
            node.allocated,
            node.capacity,
            node.occupied,
            node.available(),
            node.schedulable,
            node.reservations,
            node.allocations
                .values()
                .map(|one| format!("{}/{}", one.app, one.ask))
                .collect::<std::collections::BTreeSet<_>>(),
        );
    }
}

fn usage(out: &mut String, part: &PartitionView) {
    let rows = part.users.values().map(|row| ("user", row)).chain(part.groups.values().map(|row| ("group", row)));
    for (kind, row) in rows {
        for level in row.queues.iter() {
            let limit =
                level.limit.as_ref().map(|limit| (&limit.description, limit.max_applications, &limit.max_resources));
            let _ = writeln!(
                out,
                "{kind} {} {} {} running {:?} of {} {limit:?}",
                row.name, level.queue, level.allocated, level.running, level.apps,
            );
        }
    }
}

#[test]
fn packed_answers_are_read_to_the_same() {
    let read = |set: Set| {
        let server = Server::start(set);
        (Observer::at(&server.url()).all(), server.arrived())
    };
    let (plain, _) = read(sets::of("1.8.0"));
    let (packed, arrived) = read(sets::of("1.8.0").into_iter().map(|(key, answer)| (key, answer.gzipped())).collect());
    assert_eq!(plain, packed);
    let asks_for_it = |header: &String| header.eq_ignore_ascii_case("accept-encoding: gzip");
    assert!(arrived.iter().all(|arrived| arrived.headers.iter().any(asks_for_it)), "{:?}", arrived.first());
}

#[test]
fn previews_of_a_yunikorn_are_estimates_and_those_of_a_kornsole_are_not() {
    for (set, estimates) in [(sets::of("1.8.0"), true), (kornsole_set(), false)] {
        let server = Server::start(set);
        let observer = Observer::at(&server.url());
        observer.all();
        assert_eq!(observer.remote.estimates(), estimates);
    }
}

#[test]
fn the_scheduler_of_a_kornsole_server_is_paused_and_resumed_by_an_operation() {
    let mut set = kornsole_set();
    let who =
        json!({"authenticated": true, "user": "sue", "groups": ["dev"], "schedulerAdmin": true, "readOnly": false});
    set.insert(get("/kornsole/v1/whoami"), Answer::json(who.to_string()));
    let order = |verb: &str| ("POST".to_owned(), format!("/kornsole/v1/scheduler/{verb}"));
    set.insert(order("pause"), Answer::json(r#"{"paused":true}"#));
    set.insert(order("resume"), Answer::json(r#"{"paused":false}"#));
    let server = Server::start(set.clone());
    let target = Target::new(&server.url()).unwrap().with_token(Token::new("secret").unwrap()).unwrap();
    let observer = Observer::with(&target, RemoteOptions::default());
    let mut rests = |rests: bool| {
        let key = get("/kornsole/v1/server");
        let mut message: Value = serde_json::from_slice(&set[&key].body).unwrap();
        message["paused"] = json!(rests);
        set.insert(key, Answer::json(message.to_string()));
        server.answer(set.clone());
        observer.wait("whether it rests", |view, _| (view.paused == rests).then_some(()));
    };
    let give = |act: Act| {
        observer.wait("the right to", |_, _| observer.remote.may(&act).ok());
        let (sender, message) = channel();
        observer.remote.act(Order::from(act), Box::new(move |outcome| sender.send(outcome).unwrap()));
        message.recv_timeout(PATIENCE).unwrap().unwrap()
    };
    assert_eq!(give(Act::Pause), Done::Paused);
    rests(true);
    assert_eq!(give(Act::Resume), Done::Resumed);
    rests(false);
    let arrived = server.arrived();
    let posts: Vec<&str> =
        arrived.iter().filter_map(|arrived| arrived.line.strip_prefix("POST ")?.split(' ').next()).collect();
    assert_eq!(posts, ["/kornsole/v1/scheduler/pause", "/kornsole/v1/scheduler/resume"]);
}

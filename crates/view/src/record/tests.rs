use std::sync::Arc;
use std::time::Duration;

use super::*;
use model::{Acl, AppId, AppState, AskId, NodeId, Profile, QueuePath, QueueState, Resource, Time};
use scheduler::interface::event::Holder;
use scheduler::interface::grounds::{PreemptionGrounds, PreemptionRule, RetainedSurvey, UsageState};
use scheduler::usage::Side;
use scheduler::{Denial, Event, EventKind, EventKind as K, ReleaseReason, RunnableCause};

fn amount(vcore: i64) -> Resource {
    [("vcore", vcore)].into_iter().collect()
}

fn holder(group: Option<&str>) -> Holder {
    Holder { queue: QueuePath::new("root.a"), user: "sue".into(), group: group.map(Arc::from) }
}

fn allocated(in_place: bool, group: Option<&str>) -> EventKind {
    EventKind::Allocated {
        app: "app".into(),
        ask: "ask".into(),
        node: "n1".into(),
        resource: amount(1000),
        holder: holder(group),
        placeholder: false,
        in_place,
    }
}

fn released(reason: ReleaseReason) -> EventKind {
    let (app, ask, node) = ("app".into(), "ask".into(), "n1".into());
    let in_place = reason == ReleaseReason::Replaced;
    EventKind::Released { app, ask, node, reason, resource: amount(1000), holder: holder(Some("dev")), in_place }
}

fn state(state: AppState) -> EventKind {
    EventKind::AppState { app: "app".into(), state, message: None, allocated: amount(3000) }
}

fn app() -> AppId {
    "app".into()
}

fn ask() -> AskId {
    "ask".into()
}

fn node() -> NodeId {
    "n1".into()
}

fn queue() -> QueuePath {
    QueuePath::new("root.a")
}

fn text() -> String {
    "why".to_owned()
}

fn every_kind() -> Vec<EventKind> {
    [admissions(), asks(), victims(), queues(), nodes(), limits(), ends()].concat()
}

fn admissions() -> Vec<EventKind> {
    vec![
        K::ConfigAccepted,
        K::ConfigRejected { message: text() },
        K::ConfigRolledBack { message: text() },
        K::NodeAccepted { node: node() },
        K::NodeRejected { node: node(), message: text() },
        K::AppAccepted { app: app(), queue: queue() },
        K::AppRejected { app: app(), message: text() },
        K::AskRejected { app: app(), ask: ask(), message: text() },
        allocated(false, None),
        allocated(true, None),
        allocated(false, Some("dev")),
        K::Denied { app: app(), message: text(), why: Denial::NoApp(app()) },
        K::Moved { app: app(), from: queue(), queue: QueuePath::new("root.b"), by: "bob".into() },
        K::Killed { app: app(), queue: queue(), by: "bob".into(), reason: "too long".into() },
        K::Killed { app: app(), queue: queue(), by: "bob".into(), reason: "".into() },
        K::Refused { message: text() },
    ]
}

fn asks() -> Vec<EventKind> {
    vec![
        K::Reserved { app: app(), ask: ask(), node: node(), resource: amount(1) },
        K::Unreserved { app: app(), ask: ask(), node: node(), resource: amount(1) },
        K::AskAdded { app: app(), ask: ask(), resource: amount(1) },
        K::AskRemoved { app: app(), ask: ask(), reason: ReleaseReason::Stopped, resource: amount(1) },
        K::AskRemoved { app: app(), ask: ask(), reason: ReleaseReason::Timeout, resource: amount(1) },
        K::AskResized { app: app(), ask: ask(), resource: amount(2), before: amount(1), allocated: true },
        K::AskSpent { app: app(), ask: ask(), resource: amount(1) },
        K::Replacing { app: app(), ask: ask(), placeholder: "ph".into(), node: node() },
        K::PlaceholderTooSmall { app: app(), ask: ask(), placeholder: "ph".into(), resource: amount(1000) },
    ]
}

fn grounds() -> Arc<PreemptionGrounds> {
    Arc::new(PreemptionGrounds {
        rule: PreemptionRule::Guarantee,
        node: Some(node()),
        wanted: amount(1),
        own: UsageState::default(),
        leaves: Vec::new(),
        victims: 1,
        retained: RetainedSurvey::default(),
    })
}

fn victims() -> Vec<EventKind> {
    vec![
        K::Preempted {
            app: app(),
            ask: ask(),
            by_app: "other".into(),
            by_ask: "big".into(),
            by_queue: QueuePath::new("root.b"),
            resource: amount(1),
            grounds: grounds(),
        },
        K::QuotaPreempted { app: app(), ask: ask(), queue: queue(), resource: amount(1), grounds: None },
        K::QuotaEnforced { queue: queue(), max: amount(4), excess: amount(2), preempted: amount(1), victims: 1 },
        K::NoVictim { app: app(), ask: ask(), node: node(), resource: amount(1) },
        K::PredicatesFailed { app: app(), ask: ask(), nodes: 3, resource: amount(1) },
        K::AppNew { app: app() },
        K::AppLeft { app: app(), queue: queue() },
    ]
}

fn queues() -> Vec<EventKind> {
    vec![
        K::QueueAdded { queue: queue(), managed: true },
        K::QueueAdded { queue: queue(), managed: false },
        K::QueueRemoved { queue: queue(), managed: true },
        K::QueueRemoved { queue: queue(), managed: false },
        K::QueueState { queue: queue(), from: QueueState::Active, to: QueueState::Draining },
        K::QueueDrains { partition: "default".into(), queue: queue(), admins: Acl::default() },
        K::QueueDrainAlert {
            partition: "default".into(),
            queue: queue(),
            draining_for: Duration::from_secs(3900),
            admins: Acl { users: vec!["sue".to_owned()], groups: vec!["ops".to_owned()], all_users: false },
        },
        K::AppQueueDraining { app: app(), queue: queue() },
        K::PartitionRemoved { partition: "default".into(), applications: 1 },
        K::QueueType { queue: queue(), leaf: true },
        K::QueueMax { queue: queue(), max: amount(1) },
        K::QueueGuaranteed { queue: queue(), guaranteed: amount(1) },
    ]
}

fn nodes() -> Vec<EventKind> {
    vec![
        K::NodeAdded { node: node(), capacity: amount(8000) },
        K::NodeSchedulable { node: node(), schedulable: false },
        K::NodeCapacity { node: node(), capacity: amount(9000) },
        K::NodeOccupied { node: node(), occupied: amount(1) },
        K::NodeRemoved { node: node() },
        K::GroupLink { group: "dev".into(), app: app(), linked: true },
        K::GroupLink { group: "dev".into(), app: app(), linked: false },
    ]
}

fn limits() -> Vec<EventKind> {
    let mut all = Vec::new();
    for fits in [false, true] {
        let (resource, headroom) = (amount(1000), [("vcore", 500), ("memory", 7)].into_iter().collect());
        all.push(K::AskFitsLimits { app: app(), ask: ask(), fits, resource, headroom });
        let (resource, headroom) = (amount(1000), Resource::new());
        all.push(K::AskFitsQueue { app: app(), ask: ask(), fits, queue: queue(), resource, headroom });
        for cause in [RunnableCause::Queue, RunnableCause::Limits] {
            all.push(K::AppRunnable { app: app(), cause, runnable: fits });
        }
        for side in [Side::User, Side::Group] {
            all.push(K::Limit { side, name: "x".into(), queue: queue(), set: fits });
            all.push(K::Usage { side, name: "x".into(), queue: queue(), resource: amount(1), more: fits });
        }
    }
    all
}

fn ends() -> Vec<EventKind> {
    let reasons = [
        ReleaseReason::Stopped,
        ReleaseReason::Timeout,
        ReleaseReason::Preempted,
        ReleaseReason::Replaced,
        ReleaseReason::NodeRemoved,
    ];
    let states = [
        AppState::Accepted,
        AppState::Starting,
        AppState::Running,
        AppState::Resuming,
        AppState::Completing,
        AppState::Completed,
        AppState::Failing,
        AppState::Failed,
        AppState::Expired,
    ];
    reasons.map(released).into_iter().chain(states.map(state)).collect()
}

fn shown(records: &[Record]) -> String {
    records
        .iter()
        .map(|r| {
            let numbers = format!("{}/{}/{}", r.kind.0, r.change.0, r.detail.0);
            let line = format!("{numbers} {} [{}] {} {:?}", r.object, r.reference, r.resource, r.message);
            format!("{}\n", line.trim_end_matches(" \"\"").trim_end())
        })
        .collect()
}

#[test]
fn every_kind_of_event_has_its_numbers() {
    let events: Vec<Event> = every_kind().into_iter().map(|kind| Event::new(Time::ZERO, kind)).collect();
    // Converted one by one, so that no state is placed between the records of an allocation.
    let all: Vec<Record> =
        events.iter().flat_map(|event| records(std::slice::from_ref(event), Profile::Kornsole)).collect();
    insta::assert_snapshot!(shown(&all));
    for record in &all {
        assert!(record.kind.word().is_some() && record.change.word().is_some() && record.detail.word().is_some());
    }
}

#[test]
fn the_count_matches_the_items() {
    for kind in every_kind() {
        let event = Event::new(Time::ZERO, kind);
        let found = records(std::slice::from_ref(&event), Profile::Kornsole);
        let local = found.iter().filter(|record| record.is_own()).count();
        let count = Tally { all: found.len() as u64, upstream: (found.len() - local) as u64 };
        assert_eq!(tally(&event.kind), count, "{event:?}");
    }
}

#[test]
fn a_state_is_where_upstream_reports_it() {
    let at =
        |kinds: Vec<EventKind>| -> Vec<Event> { kinds.into_iter().map(|kind| Event::new(Time::ZERO, kind)).collect() };
    let details = |events: &[Event]| records(events, Profile::Kornsole).iter().map(|r| r.detail.0).collect::<Vec<_>>();
    let started = at(vec![allocated(false, Some("dev")), state(AppState::Starting)]);
    assert_eq!(details(&started), [303, 205, 603, 604, 200]);
    assert_eq!(records(&started, Profile::Kornsole)[1].resource, amount(2000), "before the allocation counts");
    assert!(records(&started, Profile::V1_8_0)[1].resource.is_empty());
    let done = at(vec![released(ReleaseReason::Stopped), state(AppState::Completing)]);
    assert_eq!(details(&done), [603, 604, 207, 500, 303]);
    let other = EventKind::AppState { app: "b".into(), state: AppState::Running, message: None, allocated: amount(0) };
    assert_eq!(details(&at(vec![allocated(true, None), other])), [603, 200, 206], "that of another stays behind");
}

#[test]
fn a_long_message_is_cut() {
    let message = "é".repeat(600);
    let event = Event::new(Time::ZERO, EventKind::ConfigRejected { message });
    let record = &records(&[event], Profile::Kornsole)[0];
    assert!(record.message.len() <= LONGEST_MESSAGE && record.message.ends_with("é..."));
}

#[test]
fn an_unknown_number_is_shown_unchanged() {
    assert_eq!(ChangeDetail(999).to_string(), "999");
    assert_eq!(format!("{} {}", ObjectType::NODE, ChangeType::ADD), "node add");
}

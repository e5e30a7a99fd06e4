//! A preview equals the submission's result, at random.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::config::{self, FilterConfig, RuleConfig, RuleKind};
use model::{AppState, Identity, Profile, QueuePath, Time};
use proptest::prelude::*;
use scheduler::placement::{Placement, Request, RuleRef};
use scheduler::{Command, Event, EventKind, PartitionCommand, Scheduler, Submission};
use view::{View, ViewBuilder};

const PARTS: [&str; 9] = ["a", "b", "C", "users", "default", "x y", "root", "@recovery@", ""];

fn part() -> impl Strategy<Value = String> {
    prop::sample::select(&PARTS).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    (prop::sample::select(&["", "root.", "root."]), prop::collection::vec(part(), 0..4))
        .prop_map(|(front, parts)| format!("{front}{}", parts.join(".")))
}

fn one_rule() -> impl Strategy<Value = RuleConfig> {
    const KINDS: [RuleKind; 5] =
        [RuleKind::Provided, RuleKind::User, RuleKind::Tag, RuleKind::Provided, RuleKind::Fixed];
    let users = prop::collection::vec(prop::sample::select(&["a", "^b", "users"]).prop_map(str::to_owned), 0..2);
    (prop::sample::select(&KINDS), any::<bool>(), any::<bool>(), users).prop_map(|(kind, create, deny, users)| {
        let value = match kind {
            RuleKind::Tag => "ns",
            RuleKind::Fixed => "users",
            _ => "",
        };
        let filter =
            FilterConfig { deny: deny && !users.is_empty(), written: !users.is_empty(), users, groups: vec![] };
        RuleConfig { kind, create, filter, value: value.to_owned(), ..RuleConfig::default() }
    })
}

fn rules() -> impl Strategy<Value = Vec<RuleConfig>> {
    let chain = prop::collection::vec(one_rule(), 1..3).prop_map(|links| {
        let below = |parent, rule: RuleConfig| RuleConfig { parent: Some(Box::new(parent)), ..rule };
        links.into_iter().reduce(below).unwrap_or_default()
    });
    prop::collection::vec(chain, 1..4)
}

const TREES: [&str; 3] = [
    "[{name: root, submitacl: '*', queues: [{name: default}, {name: users, parent: true, childtemplate: {maxapplications: 2}}]}]",
    "[{name: root, queues: [{name: a, submitacl: 'a'}, {name: b, submitacl: ' users', queues: [{name: c}]}, {name: users, adminacl: '*', parent: true}]}]",
    "[{name: root, submitacl: 'a,b', queues: [{name: a, queues: [{name: a}, {name: b, queues: [{name: users}]}]}, {name: default}]}]",
];

fn submission() -> impl Strategy<Value = (u8, Submission)> {
    let tags = (prop::option::of(text()), prop::bool::weighted(0.15));
    let groups = prop::collection::vec(part(), 0..3);
    (0..6u8, text(), part(), groups, tags).prop_map(|(id, queue, user, groups, (ns, forced))| {
        let mut tags = BTreeMap::new();
        tags.extend(ns.map(|ns| ("NS".to_owned(), ns)));
        tags.extend(forced.then(|| ("application.create.force".to_owned(), "t".to_owned())));
        let app = format!("app-{id}").into();
        (id, Submission { app, queue, who: Identity::new(user, groups), tags, ..Submission::default() })
    })
}

fn outcome(events: &[Event]) -> (Result<QueuePath, String>, Vec<QueuePath>) {
    let made = events.iter().filter_map(|event| match &event.kind {
        EventKind::QueueAdded { queue, .. } => Some(queue.clone()),
        _ => None,
    });
    let answer = events.iter().find_map(|event| match &event.kind {
        EventKind::AppAccepted { queue, .. } => Some(Ok(queue.clone())),
        EventKind::AppRejected { message, .. } => Some(Err(message.clone())),
        _ => None,
    });
    (answer.expect("a submission is accepted or rejected"), made.collect())
}

fn previewed(placement: &Placement) -> (Result<QueuePath, String>, Vec<QueuePath>) {
    match (placement.placed(), placement.refused()) {
        (Some(placed), _) => (Ok(placed.path.clone()), placed.create.clone()),
        (None, refused) => {
            let reason = placement.reason().expect("it is refused").to_string();
            (Err(reason), refused.map(|refused| refused.left_behind.clone()).unwrap_or_default())
        }
    }
}

fn retained(view: &View, submission: &Submission, rejected: bool) -> Placement {
    let part = &view.partitions[0];
    let row = if rejected { part.ended.last().unwrap() } else { part.app_by_id(&submission.app).unwrap() };
    assert_eq!(row.id, submission.app);
    assert_eq!(row.state == AppState::Rejected, rejected);
    row.placement.as_ref().expect("the scheduler keeps it").placement.clone()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn a_preview_is_what_a_submission_gets(
        tree in prop::sample::select(&TREES),
        rules in rules(),
        submissions in prop::collection::vec(submission(), 1..12),
        profile in prop::sample::select(&Profile::ALL[..]),
    ) {
        let text = format!("partitions: [{{name: default, queues: {tree}}}]");
        let mut config = config::read(&text, profile).config.expect("the trees are valid");
        config.partitions[0].rules = rules;
        let mut scheduler = Scheduler::new(profile);
        let mut views = ViewBuilder::default();
        scheduler.apply(Time::ZERO, &Command::Configure(Arc::new(config)));
        let mut view = views.update(Time::ZERO, &mut scheduler).unwrap();
        let (mut placed, mut refused) = (0, 0);
        for (second, (id, submission)) in submissions.into_iter().enumerate() {
            let now = Time(second as u64 * 1_000_000);
            if id == 5 {
                scheduler.apply(now, &Command::Clean);
                view = views.update(now, &mut scheduler).unwrap_or(view);
            }
            let Submission { app, queue, who, tags, .. } = &submission;
            let groups = scheduler.known_groups(now, &submission).unwrap_or(&who.groups).to_vec();
            let request = Request { queue, user: &who.user, groups: &groups, tags };
            let part = &view.partitions[0];
            let admission = part.preview(&request, Some(app));
            let command = PartitionCommand::Submit(submission.clone()).into();
            let events = scheduler.apply(now, &command);
            prop_assert_eq!(outcome(&events), previewed(&admission.placement));

            view = views.update(now, &mut scheduler).expect("something happened");
            let rejected = admission.placement.placed().is_none();
            prop_assert_eq!(retained(&view, &submission, rejected), admission.placement.clone());
            let reached = !admission.placement.trace.rules.is_empty();
            placed += u64::from(!rejected);
            refused += u64::from(rejected && reached);
        }
        let part = &view.partitions[0];
        prop_assert_eq!(part.hits.rules.iter().map(|hit| hit.placed).sum::<u64>(), placed);
        prop_assert_eq!(part.hits.refused, refused);
    }
}

fn scheduler(rules: &str) -> Scheduler {
    let mut scheduler = Scheduler::new(Profile::Kornsole);
    configure(&mut scheduler, rules);
    scheduler
}

fn configure(scheduler: &mut Scheduler, rules: &str) {
    let text = format!(
        "partitions: [{{name: default, placementrules: {rules}, queues: [{{name: root, submitacl: '*', queues: [{{name: a}}]}}]}}]"
    );
    let config = config::read(&text, Profile::Kornsole).config.expect("valid");
    scheduler.apply(Time::ZERO, &Command::Configure(Arc::new(config)));
}

fn submit(scheduler: &mut Scheduler, app: &str, queue: &str) {
    let who = Identity::new("sue", ["dev"]);
    let submission = Submission { app: app.into(), queue: queue.to_owned(), who, ..Submission::default() };
    scheduler.apply(Time::ZERO, &PartitionCommand::Submit(submission).into());
}

#[test]
fn hits_continue_while_the_rules_are_equal() {
    let mut scheduler = scheduler("[{name: provided}, {name: fixed, value: b, create: true}]");
    submit(&mut scheduler, "x", "root.a");
    submit(&mut scheduler, "y", "root.z");
    let hits = |scheduler: &Scheduler, rule| {
        let hit = scheduler.partitions()[0].hits.get(RuleRef::Rule(rule));
        (hit.reached, hit.placed)
    };
    assert_eq!((hits(&scheduler, 0), hits(&scheduler, 1)), ((2, 1), (1, 1)));
    configure(&mut scheduler, "[{name: Provided}, {create: true, value: B, name: fixed}]");
    assert_eq!((hits(&scheduler, 0), hits(&scheduler, 1)), ((2, 1), (1, 1)));
    configure(&mut scheduler, "[{name: provided}]");
    assert_eq!(hits(&scheduler, 0), (0, 0));
}

#[test]
fn applications_with_the_same_placement_share_its_text() {
    let mut scheduler = scheduler("[{name: provided}]");
    for app in ["a", "b", "c"] {
        submit(&mut scheduler, app, if app == "c" { "root.nowhere" } else { "root.a" });
    }
    let partition = &scheduler.partitions()[0];
    let live: Vec<_> = partition.apps.iter().map(|(_, app)| &app.placement).collect();
    assert!(Arc::ptr_eq(live[0], live[1]));
    assert!(!Arc::ptr_eq(live[0], &partition.ended[0].placement));
    assert!(Arc::ptr_eq(&live[0].rules, &partition.rules));
}

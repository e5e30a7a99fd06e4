//! Changes between the request to stop a placeholder and its confirmation (SCH-144, SCH-193, EX-27). The embedded
//! resource manager confirms at once, so this time is not visible from outside.

use std::sync::Arc;

use super::*;
use crate::cycle::try_asks::Pick;
use crate::inspect::invariants;
use crate::interface::command::{AskSpec, Command, GangStyle, NodeSpec, PartitionCommand, Submission};
use crate::interface::event::{EventKind, ReleaseReason};
use crate::state::node::Node;
use crate::state::partition::Partition;
use crate::state::scheduler::Scheduler;
use crate::{Event, Predicates};
use model::{AppState, AskId, Profile, Resource, Time};

const CONFIG: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', adminacl: '*', queues: [{name: q}, {name: r}]}]}]";

#[derive(Debug)]
struct OnlyOn(&'static str);

impl Predicates for OnlyOn {
    fn pass(&self, ask: &Ask, node: &Node, _allocate: bool) -> bool {
        ask.placeholder || node.id.as_str() == self.0
    }
}

fn vcore(amount: i64) -> Resource {
    [("vcore", amount)].into_iter().collect()
}

struct Half {
    scheduler: Scheduler,
}

impl Half {
    fn new(profile: Profile) -> Self {
        Self::of(profile, 4)
    }

    fn of(profile: Profile, total: i64) -> Self {
        let config = config::read(CONFIG, profile).config.unwrap();
        let mut half = Self { scheduler: Scheduler::new(profile) };
        half.apply(&Command::Configure(Arc::new(config)));
        half.node("n1");
        half.play(PartitionCommand::Submit(Submission {
            app: "g".into(),
            queue: "root.q".to_owned(),
            who: model::Identity::new("sue", ["dev"]),
            placeholder_ask: vcore(total),
            ..Submission::default()
        }));
        half.ask("p", 4, true);
        half.apply(&Command::Cycle);
        half.node("n2");
        half
    }

    fn apply(&mut self, command: &Command) -> Vec<Event> {
        let events = self.scheduler.apply(Time::from_millis(1), command);
        assert_eq!(invariants::violations(&self.scheduler), [""; 0]);
        events
    }

    fn play(&mut self, command: PartitionCommand) -> Vec<EventKind> {
        self.apply(&command.into()).into_iter().map(|event| event.kind).collect()
    }

    fn node(&mut self, id: &str) {
        self.play(PartitionCommand::AddNode(NodeSpec { id: id.into(), capacity: vcore(10), ..NodeSpec::default() }));
    }

    fn ask(&mut self, id: &str, amount: i64, placeholder: bool) -> Vec<EventKind> {
        self.play(PartitionCommand::Ask(AskSpec {
            app: "g".into(),
            id: id.into(),
            count: 1,
            resource: vcore(amount),
            placeholder,
            task_group: Some(Arc::from("tg")),
            ..AskSpec::default()
        }))
    }

    fn partition(&mut self) -> &mut Partition {
        &mut self.scheduler.partitions[0]
    }

    fn app(&mut self) -> &Application {
        let partition = self.partition();
        let key = partition.app_key(&"g".into()).unwrap();
        &partition.apps[key]
    }

    fn start(&mut self) {
        self.ask("m", 3, false);
        let partition = self.partition();
        let leaf = partition.queues.find_text("root.q").unwrap();
        let mut events = Vec::new();
        let now = Time::from_millis(1);
        let Some(Pick::Replace { app, ask, placeholder, node }) = partition.try_replace(now, leaf, &mut events) else {
            panic!("nothing to replace");
        };
        partition.start_replacement(now, app, ask, placeholder, node, &mut events);
        let kinds: Vec<EventKind> = events.into_iter().map(|event| event.kind).collect();
        let node = partition.nodes[node].id.clone();
        let replacing = EventKind::Replacing { app: "g".into(), ask: "m".into(), placeholder: "p".into(), node };
        assert_eq!(kinds, [replacing]);
    }

    fn used(&mut self, node: &str) -> Resource {
        let partition = self.partition();
        let key = partition.nodes.find(&node.into()).unwrap();
        partition.nodes[key].allocated.clone()
    }

    fn queue(&mut self) -> (Resource, Resource) {
        let partition = self.partition();
        let leaf = partition.queues.find_text("root.q").unwrap();
        (partition.queues[leaf].allocated.clone(), partition.queues[leaf].pending.clone())
    }

    fn counts(&mut self) -> (u64, u64, u64) {
        let group = &self.app().task_groups["tg"];
        (group.count, group.replaced, group.timed_out)
    }

    fn is_pending(&mut self, ask: &str) -> bool {
        let app = self.app();
        app.ask_key(&ask.into()).is_some_and(|key| app.pending_order.iter().any(|(.., pending)| *pending == key))
    }
}

fn ends(events: &[EventKind]) -> Vec<(AskId, ReleaseReason)> {
    let ends = events.iter().filter_map(|event| match event {
        EventKind::Released { ask, reason, .. } => Some((ask.clone(), *reason)),
        _ => None,
    });
    ends.collect()
}

fn is_placed(events: &[EventKind], ask: &str, on: &str) -> bool {
    events.iter().any(|event| match event {
        EventKind::Allocated { ask: a, node, .. } => a.as_str() == ask && node.as_str() == on,
        _ => false,
    })
}

/// SCH-144: in place nothing moves but the pending amount; the difference goes back once the placeholder no longer exists.
#[test]
fn in_place_nothing_is_charged_twice() {
    let mut half = Half::new(Profile::Kornsole);
    half.start();
    assert_eq!((half.queue(), half.used("n1"), half.counts()), ((vcore(4), vcore(0)), vcore(4), (1, 0, 0)));
    assert_eq!((half.app().allocated.clone(), half.app().allocated_placeholder.clone()), (vcore(0), vcore(4)));
    half.apply(&Command::Tick);
    assert!(half.app().asks.iter().any(|(_, ask)| ask.rare.takes_over.is_some()), "a tick confirms nothing");
    let events = half.play(PartitionCommand::ResumeNode("n2".into()));
    assert_eq!(ends(&events), [("p".into(), ReleaseReason::Replaced)]);
    assert!(is_placed(&events, "m", "n1"));
    assert_eq!((half.queue(), half.used("n1"), half.counts()), ((vcore(3), vcore(0)), vcore(3), (1, 1, 0)));
}

/// SCH-143: on another node the room is charged at once, the queue is not.
#[test]
fn another_node_is_charged_at_once() {
    let mut half = Half::new(Profile::Kornsole);
    half.partition().nodes.set_predicates(Arc::new(OnlyOn("n2")));
    half.start();
    assert_eq!((half.queue(), half.used("n1"), half.used("n2")), ((vcore(4), vcore(0)), vcore(4), vcore(3)));
    let events: Vec<EventKind> = half.apply(&Command::Cycle).into_iter().map(|event| event.kind).collect();
    assert_eq!(events, [], "nothing is pending, so the cycle has nothing to look at");
    let events = half.play(PartitionCommand::ResumeNode("n2".into()));
    assert!(is_placed(&events, "m", "n2"));
    assert_eq!((half.queue(), half.used("n1"), half.used("n2")), ((vcore(3), vcore(0)), vcore(0), vcore(3)));
}

/// SCH-143: the same in one cycle; where no node will do, nothing happens at all.
#[test]
fn a_cycle_searches_beyond_the_node_of_the_placeholder() {
    for (node, found) in [("n2", true), ("n3", false)] {
        let mut half = Half::new(Profile::Kornsole);
        half.partition().nodes.set_predicates(Arc::new(OnlyOn(node)));
        half.ask("m", 3, false);
        let events: Vec<EventKind> = half.apply(&Command::Cycle).into_iter().map(|event| event.kind).collect();
        assert_eq!((is_placed(&events, "m", node), half.is_pending("m")), (found, !found));
        assert_eq!(half.app().allocated_placeholder.is_zero(), found);
    }
}

/// EX-27 (a): the removal of the node confirms the stop of the placeholder.
#[test]
fn ex_27_the_node_of_the_placeholder_is_removed() {
    let mut half = Half::new(Profile::Kornsole);
    half.partition().nodes.set_predicates(Arc::new(OnlyOn("n2")));
    half.start();
    let events = half.play(PartitionCommand::RemoveNode("n1".into()));
    assert_eq!(ends(&events), [("p".into(), ReleaseReason::NodeRemoved)]);
    assert!(is_placed(&events, "m", "n2"));
    assert_eq!((half.queue(), half.used("n2"), half.counts()), ((vcore(3), vcore(0)), vcore(3), (1, 1, 0)));
    assert_eq!(half.partition().placeholders, 0);
}

/// EX-27 (b): pending again, the placeholder is lost.
#[test]
fn ex_27_the_node_of_both_is_removed() {
    for profile in Profile::ALL {
        let mut half = Half::new(profile);
        half.start();
        let events = half.play(PartitionCommand::RemoveNode("n1".into()));
        assert_eq!(ends(&events), [("p".into(), ReleaseReason::NodeRemoved)]);
        assert!(half.is_pending("m") && !is_placed(&events, "m", "n1"));
        assert_eq!((half.queue(), half.counts()), ((vcore(0), vcore(3)), (1, 0, 1)));
        let events: Vec<EventKind> = half.apply(&Command::Cycle).into_iter().map(|event| event.kind).collect();
        assert!(is_placed(&events, "m", "n2"), "no placeholder is left to wait for");
    }
}

#[test]
fn the_target_of_a_replacement_is_removed() {
    let mut half = Half::new(Profile::Kornsole);
    half.partition().nodes.set_predicates(Arc::new(OnlyOn("n2")));
    half.start();
    let events = half.play(PartitionCommand::RemoveNode("n2".into()));
    assert_eq!(ends(&events), [("p".into(), ReleaseReason::Replaced)]);
    assert!(half.is_pending("m"));
    assert_eq!((half.queue(), half.used("n1"), half.counts()), ((vcore(0), vcore(3)), vcore(0), (1, 0, 1)));
}

#[test]
fn anything_else_breaks_the_tie() {
    let by = || model::Identity::new("sue", ["dev"]);
    let release = |ask: &str| PartitionCommand::Release { app: "g".into(), ask: ask.into() };
    let gone = || vcore(0);
    for target in ["n1", "n2"] {
        for (command, left) in [
            (release("m"), gone()),
            (release("p"), vcore(3)),
            (PartitionCommand::Remove { app: "g".into() }, gone()),
            (PartitionCommand::Kill { app: "g".into(), by: by(), reason: String::new() }, gone()),
        ] {
            let mut half = Half::new(Profile::Kornsole);
            half.partition().nodes.set_predicates(Arc::new(OnlyOn(target)));
            half.start();
            let events = half.play(command.clone());
            assert!(ends(&events).iter().any(|(ask, _)| ask.as_str() == "p"), "{command:?}: {events:?}");
            assert_eq!(half.queue(), (gone(), left), "{command:?}");
            assert_eq!((half.used("n1"), half.used("n2"), half.partition().placeholders), (gone(), gone(), 0));
        }
    }
}

/// SCH-204: a move takes an application half way along; the ask arrives in the new queue.
#[test]
fn a_move_includes_the_tie() {
    let mut half = Half::new(Profile::Kornsole);
    half.start();
    let by = model::Identity::new("sue", ["dev"]);
    let to = model::QueuePath::new("root.r");
    let events = half.play(PartitionCommand::Move { app: "g".into(), to, by });
    assert!(is_placed(&events, "m", "n1"), "{events:?}");
    assert_eq!(half.queue(), (vcore(0), vcore(0)));
    let (state, r) = (half.app().state, half.partition().queues.find_text("root.r").unwrap());
    assert_eq!((state, half.partition().queues[r].allocated.clone()), (AppState::Running, vcore(3)));
}

/// SCH-202; in the releases only its gang makes an application fail.
#[test]
fn a_failing_gang_accepts_requests_in_the_releases_alone() {
    for profile in Profile::ALL {
        let mut half = Half::of(profile, 8);
        let partition = half.partition();
        let app = partition.app_key(&"g".into()).unwrap();
        partition.apps[app].gang_style = GangStyle::Hard;
        partition.placeholder_timeout(Time::from_millis(1), app, &mut Vec::new());
        assert_eq!(half.app().state, AppState::Failing, "{profile}: its placeholder is not gone yet");
        let events = half.ask("late", 1, false);
        let accepted = events.iter().any(|event| matches!(event, EventKind::AskAdded { .. }));
        let refused = events.iter().any(|event| matches!(event, EventKind::AskRejected { .. }));
        assert_eq!((accepted, refused), (profile != Profile::Kornsole, profile == Profile::Kornsole), "{profile}");
    }
}

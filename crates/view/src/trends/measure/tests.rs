use imbl::{OrdMap, OrdSet, Vector};

use super::*;
use crate::trends::Value;
use crate::usage::QueueUsageRow;
use crate::{AppSlot, AskRow, PendingReason};
use model::{AppState, Identity, QueuePath};

const MINUTE: u64 = 60_000_000;

fn cpu(amount: i64) -> Resource {
    let mut resource = Resource::new();
    resource.set(VCORE, amount);
    resource
}

fn queue(slot: u32, path: &str, parent: Option<u32>, children: &[u32]) -> QueueRow {
    QueueRow {
        slot: QueueSlot(slot),
        path: QueuePath::new(path),
        parent: parent.map(QueueSlot),
        children: children.iter().map(|slot| QueueSlot(*slot)).collect(),
        leaf: children.is_empty(),
        ..QueueRow::default()
    }
}

fn pending(created: u64) -> Arc<AskRow> {
    Arc::new(AskRow {
        id: "ask".into(),
        resource: cpu(500),
        priority: Default::default(),
        created: Time(created),
        state: AskState::Pending { reason: PendingReason::NoNode, reserved: None },
        placeholder: false,
        task_group: None,
        required_node: None,
        tags: Default::default(),
        reported: None,
    })
}

fn waits(slot: u32, id: &str, queue: &str, user: &str, since: u64) -> Arc<AppRow> {
    Arc::new(AppRow {
        slot: AppSlot(slot),
        id: id.into(),
        queue: QueuePath::new(queue),
        who: Identity::new(user, [user]),
        state: AppState::Accepted,
        pending: cpu(500),
        pending_asks: 1,
        asks: OrdMap::unit(7, pending(since * MINUTE)),
        ..AppRow::default()
    })
}

/// `root` with the leaves `root.a` (2 waiting applications) and `root.b` (1 that started at minute 55).
fn part() -> PartitionView {
    let mut root = queue(0, "root", None, &[1, 2]);
    (root.allocated, root.pending, root.running) = (cpu(3000), cpu(1000), 1);
    let mut a = queue(1, "root.a", Some(0), &[]);
    (a.pending, a.guaranteed, a.apps) = (cpu(1000), Some(cpu(4000)), OrdSet::from_iter([AppSlot(0), AppSlot(1)]));
    let mut b = queue(2, "root.b", Some(0), &[]);
    (b.allocated, b.max, b.running, b.apps) = (cpu(3000), Some(cpu(5000)), 1, OrdSet::unit(AppSlot(2)));
    let runs = AppRow {
        pending_asks: 0,
        state: AppState::Running,
        submitted: Time(52 * MINUTE),
        started: Some(Time(55 * MINUTE)),
        ..(*waits(2, "runs", "root.b", "bob", 0)).clone()
    };
    let usage = QueueUsageRow { queue: QueuePath::root(), allocated: cpu(3000), ..QueueUsageRow::default() };
    let bob = UsageRow::new("bob".into(), [usage]);
    PartitionView {
        name: "default".into(),
        capacity: cpu(8000),
        allocated: cpu(3000),
        queues: Vector::from_iter([root, a, b].map(|row| Some(Arc::new(row)))),
        apps: Vector::from_iter([
            Some(waits(0, "old", "root.a", "ann", 20)),
            Some(waits(1, "new", "root.a", "bob", 50)),
            Some(Arc::new(runs)),
        ]),
        users: OrdMap::unit("bob".into(), Arc::new(bob)),
        ..PartitionView::default()
    }
}

fn record(at: u64, kind: ObjectType, object: &str, change: ChangeType, detail: ChangeDetail) -> Arc<Record> {
    Arc::new(Record {
        at: Time(at * MINUTE),
        kind,
        object: object.into(),
        change,
        detail,
        ..Record::hole(1, 1, Time(0))
    })
}

fn at_the_hour(known: &Known) -> Moment {
    let view = View { allocations_made: 130, ..View::default() };
    measure(&view, &part(), Time(60 * MINUTE), known)
}

fn metric(moment: &Moment, subject: &str, value: &str) -> Option<i64> {
    let value: Value = value.parse().unwrap();
    moment.get(&Subject::new(value.of, subject), &value)
}

#[test]
fn a_queue_counts_what_is_below_it() {
    let moment = at_the_hour(&Known { apps: true, ..Known::default() });
    let of = |subject: &str, value: &str| metric(&moment, subject, value);
    assert_eq!([of("root", "queue.use.cpu"), of("root.b", "queue.use.cpu")], [Some(3000); 2]);
    assert_eq!([of("root", "queue.pending.cpu"), of("root.a", "queue.pending.cpu")], [Some(1000); 2]);
    assert_eq!([of("root.a", "queue.guarantee.cpu"), of("root.b", "queue.guarantee.cpu")], [Some(4000), None]);
    assert_eq!([of("root.a", "queue.maximum.cpu"), of("root.b", "queue.maximum.cpu")], [None, Some(5000)]);
    assert_eq!([of("root.b", "queue.share"), of("root.a", "queue.share")], [Some(375), Some(0)]);
    assert_eq!(
        [of("root", "queue.waiting"), of("root.a", "queue.waiting"), of("root.b", "queue.waiting")],
        [Some(2), Some(2), Some(0)]
    );
    let minutes = |count: i64| Some(count * 60_000);
    assert_eq!([of("root", "queue.waiting.p50"), of("root.a", "queue.waiting.p95")], [minutes(10), minutes(40)]);
    assert_eq!([of("root.b", "queue.started.p95"), of("root.a", "queue.started.p95")], [minutes(3), None]);
    assert_eq!(
        [of("", "cluster.running"), of("", "cluster.waiting"), of("", "cluster.maximum.cpu")],
        [Some(1), Some(2), Some(8000)]
    );
    assert_eq!([of("bob", "user.use.cpu"), of("bob", "user.pending.cpu")], [Some(3000), Some(500)]);
    assert_eq!([of("bob", "user.waiting.p95"), of("bob", "user.started.p50")], [minutes(10), minutes(3)]);
}

#[test]
fn what_is_not_known_is_not_0() {
    let moment = at_the_hour(&Known::default());
    for value in ["queue.waiting", "queue.waiting.p95", "queue.preemptions"] {
        assert_eq!(metric(&moment, "root.a", value), None, "{value}");
    }
    for value in ["cluster.nodes.lost", "cluster.allocations"] {
        assert_eq!(metric(&moment, "", value), None, "{value}");
    }
    assert_eq!(metric(&moment, "", "cluster.nodes.up"), Some(0));
    assert_eq!(metric(&moment, "root.a", "queue.use.nvidia.com/gpu"), None, "the cluster has none");
}

#[test]
fn preemptions_and_lost_nodes_are_those_of_late() {
    let preempted = |at, app| record(at, ObjectType::APP, app, ChangeType::REMOVE, ChangeDetail::ALLOC_PREEMPT);
    let gone = |at, node| record(at, ObjectType::NODE, node, ChangeType::REMOVE, ChangeDetail::NODE_DECOMMISSION);
    let happened =
        [gone(0, "n-1"), gone(30, "n-1"), preempted(49, "old"), preempted(55, "runs"), preempted(59, "forgotten")];
    let moment = at_the_hour(&Known { happened: Some(&happened), ..Known::default() });
    let counts = |subject| metric(&moment, subject, "queue.preemptions");
    assert_eq!([counts("root"), counts("root.a"), counts("root.b")], [Some(2), Some(0), Some(1)]);
    assert_eq!(metric(&moment, "", "cluster.nodes.lost"), Some(1), "a node counts once");
}

#[test]
fn a_counter_or_clock_that_jumped_back_reports_nothing() {
    let rate = |at: u64, made| {
        let known = Known { before: Some((Time(at * MINUTE), made)), ..Known::default() };
        metric(&at_the_hour(&known), "", "cluster.allocations")
    };
    assert_eq!(rate(58, 30), Some(50));
    assert_eq!([rate(58, 131), rate(61, 30), rate(60, 30)], [None; 3]);
}

#[test]
fn percentiles_are_those_of_the_nearest_rank() {
    let all: Vec<u64> = (1..=20).collect();
    assert_eq!([percentile(&all, 50), percentile(&all, 95), percentile(&all[..1], 95)], [Some(10), Some(19), Some(1)]);
    assert_eq!(percentile(&[], 50), None);
}

//! Converts remote events and rows for the ledger.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::Vector;

use ledger::Followed;
use ledger::followed::{Change, Look, SeenApp, SeenAsk, SeenPartition};
use model::{AppId, AskId, QueuePath, Time};
use view::record::{ChangeDetail as Detail, ChangeType, ObjectType, Record};
use view::{AppGroup, AppRow, AskState, QueueRow};
use wire::convert::ended_use;

/// The differences between releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Allocation IDs are the request ID with a counter suffix (up to 1.5).
    pub numbers_allocations: bool,
    /// Applications report the usage of their ended allocations (since 1.6).
    pub counts_ended: bool,
}

impl Dialect {
    fn ask(self, id: &str) -> AskId {
        AskId::from(if self.numbers_allocations { id.strip_suffix("-0").unwrap_or(id) } else { id })
    }
}

/// `None` if it does not affect usage.
pub fn change(record: &Record, dialect: Dialect) -> Option<Change> {
    let (object, reference) = (&*record.object, &*record.reference);
    let app = || AppId::from(object);
    let resource = || record.resource.clone();
    Some(match (record.kind, record.change, record.detail) {
        (ObjectType::APP, ChangeType::ADD, Detail::APP_REQUEST) => {
            Change::Asked(app(), AskId::from(reference), resource())
        }
        (ObjectType::APP, ChangeType::REMOVE, Detail(100..=102)) => Change::Canceled(app(), AskId::from(reference)),
        (ObjectType::APP, ChangeType::ADD, Detail::APP_ALLOC) => {
            Change::Allocated(app(), dialect.ask(reference), resource())
        }
        (ObjectType::APP, ChangeType::REMOVE, Detail(500..=504)) => Change::Released(app(), dialect.ask(reference)),
        (ObjectType::APP, ChangeType::REMOVE, Detail::NONE) => Change::Left(app()),
        (ObjectType::QUEUE, ChangeType::ADD, Detail::QUEUE_APP) => {
            Change::Entered(AppId::from(reference), QueuePath::new(object))
        }
        (ObjectType::QUEUE, ChangeType::SET, Detail::QUEUE_GUARANTEED) => {
            Change::Guaranteed(QueuePath::new(object), resource())
        }
        (ObjectType::QUEUE, ChangeType::REMOVE, Detail::NONE | Detail::QUEUE_DYNAMIC) => {
            Change::QueueGone(QueuePath::new(object))
        }
        (ObjectType::USER_GROUP, ChangeType::SET, Detail::UG_APP_LINK) => {
            Change::Grouped(AppId::from(reference), Some(Arc::clone(&record.object)))
        }
        (ObjectType::USER_GROUP, ChangeType::REMOVE, Detail::UG_APP_LINK) => {
            Change::Grouped(AppId::from(reference), None)
        }
        _ => return None,
    })
}

/// The rows of a partition, read at about the same time.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The partition's name.
    pub name: Arc<str>,
    /// All active applications.
    pub apps: Vector<Option<Arc<AppRow>>>,
    /// The queues at the last read.
    pub queues: Vector<Option<Arc<QueueRow>>>,
    /// Applications that ended.
    pub ended: Vector<Arc<AppRow>>,
}

/// The rows of the previous comparison, so that the next one reads only changed rows.
pub type Before = BTreeMap<Arc<str>, Vector<Option<Arc<AppRow>>>>;

/// Rows that are unchanged since `before` and agree with the ledger are only named.
pub fn look(rows: &[Rows], (number, at): (u64, Time), before: &Before, followed: &Followed, dialect: Dialect) -> Look {
    let part = |rows: &Rows| {
        let mut seen = SeenPartition { name: Arc::clone(&rows.name), ..SeenPartition::default() };
        let before = before.get(&rows.name);
        for (slot, row) in rows.apps.iter().enumerate() {
            let Some(row) = row else { continue };
            let known = before.and_then(|before| before.get(slot)?.as_ref());
            if known.is_some_and(|known| Arc::ptr_eq(known, row)) && followed.agrees(&row.id) {
                seen.same.push(row.id.clone());
            } else {
                seen.apps.push(app(row, dialect));
            }
        }
        let queues = rows.queues.iter().flatten();
        seen.guarantees = queues.filter_map(|row| Some((row.path.clone(), row.guaranteed.clone()?))).collect();
        seen.ended = followed.nameless(rows.ended.iter().map(|row| (&row.id, row.who.user.as_str())));
        seen
    };
    Look { at, number, partitions: rows.iter().map(part).collect() }
}

fn app(row: &AppRow, dialect: Dialect) -> SeenApp {
    let mut asks: BTreeMap<AskId, SeenAsk> = BTreeMap::new();
    for ask in row.asks.values() {
        let allocated = matches!(ask.state, AskState::Allocated { .. });
        let id = if allocated { dialect.ask(ask.id.as_str()) } else { ask.id.clone() };
        let seen = asks.entry(id).or_default();
        seen.priority = ask.priority;
        let amount = if allocated { &mut seen.allocated } else { &mut seen.pending };
        *amount = Some(ask.resource.clone());
    }
    let group = match &row.group {
        AppGroup::Group(name) => Some(Arc::clone(name)),
        AppGroup::Undecided | AppGroup::Ungrouped => None,
    };
    SeenApp {
        id: row.id.clone(),
        submitted: row.submitted,
        queue: row.queue.clone(),
        user: Arc::from(row.who.user.as_str()),
        group,
        asks,
        counted: dialect.counts_ended.then(|| ended_use(&row.past)),
    }
}

//! Converts scheduler events to records.

use std::sync::Arc;

use super::types::{ChangeDetail, ChangeType, ObjectType, Record};
use super::words::message;
use model::{AppId, AppState, AskId, Profile, Resource, Time};
use scheduler::interface::event::Holder;
use scheduler::interface::grounds::PreemptionGrounds;
use scheduler::usage::Side;
use scheduler::{Event, EventKind, ReleaseReason, RunnableCause};

/// A number of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub all: u64,
    /// The records that upstream also has.
    pub upstream: u64,
}

impl Tally {
    const fn of_upstream(count: u64) -> Self {
        Self { all: count, upstream: count }
    }

    const KORNSOLE: Self = Self { all: 1, upstream: 0 };
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.upstream += other.upstream;
    }
}

/// The number of records of an event, without converting it.
pub fn tally(kind: &EventKind) -> Tally {
    let count = match kind {
        EventKind::Allocated { holder, in_place, .. } | EventKind::Released { holder, in_place, .. } => {
            2 + u64::from(!in_place) + u64::from(holder.group.is_some())
        }
        EventKind::AppLeft { .. } => 2,
        EventKind::Moved { .. } => return Tally { all: 3, upstream: 2 },
        EventKind::ConfigAccepted
        | EventKind::ConfigRejected { .. }
        | EventKind::ConfigRolledBack { .. }
        | EventKind::QueueState { .. }
        | EventKind::QueueDrainAlert { .. }
        | EventKind::Killed { .. }
        | EventKind::AppQueueDraining { .. } => return Tally::KORNSOLE,
        EventKind::NodeAccepted { .. }
        | EventKind::NodeRejected { .. }
        | EventKind::AskRejected { .. }
        | EventKind::Denied { .. }
        | EventKind::Refused { .. }
        | EventKind::AskResized { .. }
        | EventKind::Replacing { .. }
        | EventKind::Stopping { .. }
        | EventKind::QueueDrains { .. }
        | EventKind::PartitionRemoved { .. } => 0,
        _ => 1,
    };
    Tally::of_upstream(count)
}

/// The records of the events of whole commands, in upstream's order. `profile` selects the release.
pub fn records(events: &[Event], profile: Profile) -> Vec<Record> {
    let out = Vec::with_capacity(events.len() * 2);
    let mut convert = Convert { out, profile, state_changes: None, victims: Vec::new() };
    for event in events {
        convert.event(event);
    }
    convert.out
}

struct Convert<'e> {
    out: Vec<Record>,
    profile: Profile,
    state_changes: Option<StateChanges<'e>>,
    victims: Vec<Victim<'e>>,
}

struct Victim<'e> {
    app: &'e AppId,
    ask: &'e AskId,
    message: Arc<str>,
    grounds: Option<Arc<PreemptionGrounds>>,
}

/// The position of a state change that the previous event caused: upstream reports it between the records of that
/// event.
struct StateChanges<'e> {
    app: &'e AppId,
    at: usize,
    /// An allocation that upstream no longer counts at that time.
    uncounted: Option<&'e Resource>,
}

fn record(at: Time, kind: ObjectType, object: impl Into<Arc<str>>) -> Record {
    Record {
        at,
        kind,
        object: object.into(),
        reference: Arc::default(),
        change: ChangeType::NONE,
        detail: ChangeDetail::NONE,
        resource: Resource::new(),
        message: Arc::default(),
        grounds: None,
    }
}

impl Record {
    fn change(self, change: ChangeType, detail: ChangeDetail) -> Self {
        Self { change, detail, ..self }
    }

    fn of(self, reference: impl Into<Arc<str>>) -> Self {
        Self { reference: reference.into(), ..self }
    }

    fn sized(self, resource: &Resource) -> Self {
        Self { resource: resource.clone(), ..self }
    }
}

const fn arrived(more: bool) -> ChangeType {
    if more { ChangeType::ADD } else { ChangeType::REMOVE }
}

impl<'e> Convert<'e> {
    fn event(&mut self, event: &'e Event) {
        let place = self.state_changes.take();
        match &event.kind {
            EventKind::Allocated { .. } | EventKind::Released { .. } => self.allocation(event),
            EventKind::AppState { app, state, allocated, .. } => {
                let place = place.filter(|place| place.app == app && *state != AppState::Failed);
                let uncounted = place.as_ref().and_then(|place| place.uncounted);
                let allocated = uncounted.map_or_else(|| allocated.clone(), |some| allocated.sub(some));
                let record = self.app_state(event, app, *state, allocated);
                self.out.insert(place.map_or(self.out.len(), |place| place.at), record);
            }
            _ => {
                // The release event does not contain the preemptor.
                let victim = match &event.kind {
                    EventKind::Preempted { app, ask, grounds, .. } => Some((app, ask, Some(grounds))),
                    EventKind::QuotaPreempted { app, ask, grounds, .. } => Some((app, ask, grounds.as_ref())),
                    _ => None,
                };
                let grounds = victim.and_then(|(.., grounds)| grounds.cloned());
                if let Some((app, ask, _)) = victim.filter(|_| self.profile == Profile::Kornsole) {
                    self.victims.push(Victim { app, ask, message: message(event), grounds: grounds.clone() });
                }
                let text = self.out.len();
                self.app(event);
                self.request(event);
                self.node(event);
                self.queue(event);
                self.user_or_group(event);
                if let [.., last] = &mut self.out[text..] {
                    last.message = message(event);
                    last.grounds = grounds;
                }
            }
        }
    }

    /// An allocation that starts or ends, with the records of its node, user, and group.
    fn allocation(&mut self, event: &'e Event) {
        let at = event.at;
        match &event.kind {
            EventKind::Allocated { app, ask, node, resource, holder, placeholder, in_place } => {
                if !in_place {
                    let record = record(at, ObjectType::NODE, node.clone()).of(ask.clone()).sized(resource);
                    self.out.push(record.change(ChangeType::ADD, ChangeDetail::NODE_ALLOC));
                }
                let before_usage = self.out.len();
                self.usage(at, holder, resource, true);
                self.state_changes = Some(if *placeholder {
                    StateChanges { app, at: self.out.len(), uncounted: None }
                } else {
                    StateChanges { app, at: before_usage, uncounted: Some(resource) }
                });
                let record = record(at, ObjectType::APP, app.clone()).of(ask.clone()).sized(resource);
                self.out.push(record.change(ChangeType::ADD, ChangeDetail::APP_ALLOC));
            }
            EventKind::Released { app, ask, node, reason, resource, holder, in_place } => {
                self.usage(at, holder, resource, false);
                self.state_changes = Some(StateChanges { app, at: self.out.len(), uncounted: None });
                let detail = match reason {
                    ReleaseReason::Stopped => ChangeDetail::ALLOC_CANCEL,
                    ReleaseReason::Preempted => ChangeDetail::ALLOC_PREEMPT,
                    ReleaseReason::Timeout => ChangeDetail::ALLOC_TIMEOUT,
                    ReleaseReason::Replaced => ChangeDetail::ALLOC_REPLACED,
                    ReleaseReason::NodeRemoved => ChangeDetail::ALLOC_NODE_REMOVED,
                };
                let of_app = record(at, ObjectType::APP, app.clone()).of(ask.clone()).sized(resource);
                let victim = self.victims.iter().position(|one| (one.app, one.ask) == (app, ask));
                let victim = victim.map(|at| self.victims.swap_remove(at));
                let (message, grounds) = victim.map(|one| (one.message, one.grounds)).unwrap_or_default();
                self.out.push(Record { message, grounds, ..of_app.change(ChangeType::REMOVE, detail) });
                if !in_place {
                    let record = record(at, ObjectType::NODE, node.clone()).of(ask.clone()).sized(resource);
                    self.out.push(record.change(ChangeType::REMOVE, ChangeDetail::NODE_ALLOC));
                }
            }
            _ => {}
        }
    }

    fn usage(&mut self, at: Time, holder: &Holder, resource: &Resource, more: bool) {
        let Holder { queue, user, group } = holder;
        self.usage_of(at, Side::User, user, queue.clone(), resource, more);
        if let Some(group) = group {
            self.usage_of(at, Side::Group, group, queue.clone(), resource, more);
        }
    }

    fn usage_of(
        &mut self,
        at: Time,
        side: Side,
        name: &Arc<str>,
        queue: impl Into<Arc<str>>,
        resource: &Resource,
        more: bool,
    ) {
        let detail = if side == Side::User { ChangeDetail::UG_USER_RESOURCE } else { ChangeDetail::UG_GROUP_RESOURCE };
        let record = record(at, ObjectType::USER_GROUP, Arc::clone(name)).of(queue).sized(resource);
        self.out.push(record.change(arrived(more), detail));
    }

    fn app_state(&self, event: &Event, app: &AppId, state: AppState, allocated: Resource) -> Record {
        let detail = match state {
            AppState::New => ChangeDetail::APP_NEW,
            AppState::Accepted => ChangeDetail::APP_ACCEPTED,
            AppState::Starting => ChangeDetail::APP_STARTING,
            AppState::Running => ChangeDetail::APP_RUNNING,
            AppState::Completing => ChangeDetail::APP_COMPLETING,
            AppState::Completed => ChangeDetail::APP_COMPLETED,
            AppState::Failing => ChangeDetail::APP_FAILING,
            AppState::Failed => ChangeDetail::APP_FAILED,
            AppState::Resuming => ChangeDetail::APP_RESUMING,
            AppState::Rejected => ChangeDetail::APP_REJECT,
            AppState::Expired => ChangeDetail::APP_EXPIRED,
        };
        let record = record(event.at, ObjectType::APP, app.clone()).change(ChangeType::SET, detail);
        let record = Record { message: message(event), ..record };
        // 1.8.0 reports no resource with a state.
        if self.profile.is_since_1_8() { record } else { Record { resource: allocated, ..record } }
    }

    fn app(&mut self, event: &Event) {
        let of = |app: &AppId| record(event.at, ObjectType::APP, app.clone());
        let record = match &event.kind {
            EventKind::AppNew { app } => of(app).change(
                ChangeType::ADD,
                // 1.5.1 has the number but does not send it.
                if self.profile == Profile::V1_5_1 { ChangeDetail::NONE } else { ChangeDetail::APP_NEW },
            ),
            EventKind::AppRejected { app, .. } => of(app).change(ChangeType::SET, ChangeDetail::APP_REJECT),
            EventKind::AppLeft { app, queue } => {
                let left = self::record(event.at, ObjectType::QUEUE, queue.clone()).of(app.clone());
                self.out.push(left.change(ChangeType::REMOVE, ChangeDetail::QUEUE_APP));
                of(app).change(ChangeType::REMOVE, ChangeDetail::NONE)
            }
            EventKind::AskAdded { app, ask, resource } => {
                of(app).of(ask.clone()).sized(resource).change(ChangeType::ADD, ChangeDetail::APP_REQUEST)
            }
            EventKind::AskRemoved { app, ask, reason, resource } => {
                let detail = match reason {
                    ReleaseReason::Timeout => ChangeDetail::REQUEST_TIMEOUT,
                    _ => ChangeDetail::REQUEST_CANCEL,
                };
                of(app).of(ask.clone()).sized(resource).change(ChangeType::REMOVE, detail)
            }
            EventKind::AskSpent { app, ask, resource } => {
                of(app).of(ask.clone()).sized(resource).change(ChangeType::REMOVE, ChangeDetail::REQUEST_CANCEL)
            }
            EventKind::AppRunnable { app, cause, runnable } => of(app).change(
                ChangeType::NONE,
                match (cause, runnable) {
                    (RunnableCause::Queue, false) => ChangeDetail::APP_CANNOTRUN_QUEUE,
                    (RunnableCause::Queue, true) => ChangeDetail::APP_RUNNABLE_QUEUE,
                    (RunnableCause::Limits, false) => ChangeDetail::APP_CANNOTRUN_QUOTA,
                    (RunnableCause::Limits, true) => ChangeDetail::APP_RUNNABLE_QUOTA,
                },
            ),
            EventKind::Killed { app, .. } => of(app).change(ChangeType::SET, ChangeDetail::APP_KILLED),
            EventKind::AppQueueDraining { app, queue } => {
                of(app).of(queue.clone()).change(ChangeType::SET, ChangeDetail::APP_QUEUE_DRAINING)
            }
            _ => return,
        };
        self.out.push(record);
    }

    fn request(&mut self, event: &Event) {
        let (app, ask, resource) = match &event.kind {
            EventKind::AskFitsQueue { app, ask, resource, .. }
            | EventKind::AskFitsLimits { app, ask, resource, .. }
            | EventKind::PredicatesFailed { app, ask, resource, .. }
            | EventKind::NoVictim { app, ask, resource, .. }
            | EventKind::Preempted { app, ask, resource, .. }
            | EventKind::QuotaPreempted { app, ask, resource, .. }
            | EventKind::PlaceholderTooSmall { app, placeholder: ask, resource, .. } => (app, ask, resource),
            _ => return,
        };
        self.out.push(record(event.at, ObjectType::REQUEST, ask.clone()).of(app.clone()).sized(resource));
    }

    fn node(&mut self, event: &Event) {
        let of = |node: &model::NodeId| record(event.at, ObjectType::NODE, node.clone());
        let record = match &event.kind {
            EventKind::NodeAdded { node, capacity } => {
                of(node).sized(capacity).change(ChangeType::ADD, ChangeDetail::NONE)
            }
            EventKind::NodeRemoved { node } => of(node).change(ChangeType::REMOVE, ChangeDetail::NODE_DECOMMISSION),
            EventKind::NodeSchedulable { node, .. } => of(node).change(ChangeType::SET, ChangeDetail::NODE_SCHEDULABLE),
            EventKind::NodeCapacity { node, capacity } => {
                of(node).sized(capacity).change(ChangeType::SET, ChangeDetail::NODE_CAPACITY)
            }
            EventKind::NodeOccupied { node, occupied } => {
                of(node).sized(occupied).change(ChangeType::SET, ChangeDetail::NODE_OCCUPIED)
            }
            EventKind::Reserved { ask, node, resource, .. } => {
                of(node).of(ask.clone()).sized(resource).change(ChangeType::ADD, ChangeDetail::NODE_RESERVATION)
            }
            EventKind::Unreserved { ask, node, resource, .. } => {
                of(node).of(ask.clone()).sized(resource).change(ChangeType::REMOVE, ChangeDetail::NODE_RESERVATION)
            }
            _ => return,
        };
        self.out.push(record);
    }

    fn queue(&mut self, event: &Event) {
        let of = |queue: &model::QueuePath| record(event.at, ObjectType::QUEUE, queue.clone());
        let made = |managed: &bool| if *managed { ChangeDetail::NONE } else { ChangeDetail::QUEUE_DYNAMIC };
        let of_config =
            |detail| record(event.at, ObjectType::QUEUE, model::QueuePath::root()).change(ChangeType::SET, detail);
        let record = match &event.kind {
            EventKind::QueueAdded { queue, managed } => of(queue).change(ChangeType::ADD, made(managed)),
            EventKind::QueueRemoved { queue, managed } => of(queue).change(ChangeType::REMOVE, made(managed)),
            EventKind::QueueType { queue, .. } => of(queue).change(ChangeType::SET, ChangeDetail::QUEUE_TYPE),
            EventKind::QueueMax { queue, max } => of(queue).sized(max).change(ChangeType::SET, ChangeDetail::QUEUE_MAX),
            EventKind::QuotaEnforced { queue, max, .. } => {
                of(queue).sized(max).change(ChangeType::SET, ChangeDetail::QUEUE_PREEMPTION)
            }
            EventKind::QueueGuaranteed { queue, guaranteed } => {
                of(queue).sized(guaranteed).change(ChangeType::SET, ChangeDetail::QUEUE_GUARANTEED)
            }
            EventKind::AppAccepted { app, queue } => {
                of(queue).of(app.clone()).change(ChangeType::ADD, ChangeDetail::QUEUE_APP)
            }
            EventKind::Moved { app, from, queue, .. } => {
                let of_queue = |queue, more| of(queue).of(app.clone()).change(arrived(more), ChangeDetail::QUEUE_APP);
                self.out.extend([of_queue(from, false), of_queue(queue, true)]);
                let moved = self::record(event.at, ObjectType::APP, app.clone()).of(queue.clone());
                moved.change(ChangeType::SET, ChangeDetail::APP_MOVED)
            }
            EventKind::QueueState { queue, .. } => of(queue).change(ChangeType::SET, ChangeDetail::QUEUE_STATE),
            EventKind::QueueDrainAlert { queue, .. } => {
                of(queue).change(ChangeType::SET, ChangeDetail::QUEUE_DRAIN_ALERT)
            }
            EventKind::ConfigAccepted => of_config(ChangeDetail::CONFIG_LOADED),
            EventKind::ConfigRejected { .. } => of_config(ChangeDetail::CONFIG_REFUSED),
            EventKind::ConfigRolledBack { .. } => of_config(ChangeDetail::CONFIG_ROLLED_BACK),
            _ => return,
        };
        self.out.push(record);
    }

    fn user_or_group(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Usage { side, name, queue, resource, more } => {
                self.usage_of(event.at, *side, name, queue.clone(), resource, *more);
            }
            EventKind::GroupLink { group, app, linked } => {
                let change = if *linked { ChangeType::SET } else { ChangeType::REMOVE };
                let record = record(event.at, ObjectType::USER_GROUP, Arc::clone(group)).of(app.clone());
                self.out.push(record.change(change, ChangeDetail::UG_APP_LINK));
            }
            EventKind::Limit { side, name, queue, set } => {
                let change = if *set { ChangeType::SET } else { ChangeType::REMOVE };
                let detail =
                    if *side == Side::User { ChangeDetail::UG_USER_LIMIT } else { ChangeDetail::UG_GROUP_LIMIT };
                let record = record(event.at, ObjectType::USER_GROUP, Arc::clone(name)).of(queue.clone());
                self.out.push(record.change(change, detail));
            }
            _ => {}
        }
    }
}

//! Applications and their asks.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::model::{AppId, AppState, AskId, Identity, NodeId, Priority, QueuePath, Resource, Tags, Time};
use crate::scheduler::cycle::backoff::Sleep;
use crate::scheduler::gang::{Takeover, TaskGroup};
use crate::scheduler::index::{AppKey, AskKey, NodeKey, QueueKey, Slab};
use crate::scheduler::interface::command::{AskSpec, GangStyle};
use crate::scheduler::placement::Record;
use crate::scheduler::state::ask_ids::AskIds;
use crate::scheduler::state::ask_log::AskLog;
use crate::scheduler::state::order::AppRank;
use crate::scheduler::usage::Account;

/// An application (SCH-012).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Application {
    /// Its own key.
    pub key: AppKey,
    /// The id.
    pub id: AppId,
    /// Who submitted it.
    pub who: Identity,
    /// The leaf it is in.
    pub queue: QueueKey,
    /// The leaf's path, kept for the time after the queue is gone.
    pub queue_path: QueuePath,
    /// The queue that was asked for.
    #[serde(with = "crate::model::saved::text")]
    pub requested_queue: Arc<str>,
    /// How it came to its first queue, or why to none. Shared by applications that came the same way.
    #[serde(skip, default = "crate::scheduler::saved::no_record")]
    pub placement: Arc<Record>,
    /// When it was submitted.
    pub submitted: Time,
    /// When it first ran (SCH-171).
    pub started: Option<Time>,
    /// When it ended (SCH-172).
    pub finished: Option<Time>,
    /// The state.
    pub state: AppState,
    /// Every state entered, the oldest first; New is not in it (SCH-171).
    pub log: Vec<(Time, AppState)>,
    /// Why it failed, or was killed or rejected.
    #[serde(default, with = "crate::model::saved::text_option")]
    pub message: Option<Arc<str>>,
    /// Tags.
    #[serde(with = "crate::model::saved::arc")]
    pub tags: Arc<BTreeMap<String, String>>,
    /// What the gang does when it does not come together (SCH-146).
    pub gang_style: GangStyle,
    /// How long the gang may take.
    pub placeholder_timeout: Option<Duration>,
    /// Total of all task groups.
    pub placeholder_ask: Resource,
    /// Its task groups by name (SCH-141).
    #[serde(with = "crate::model::saved::text_map")]
    pub task_groups: BTreeMap<Arc<str>, TaskGroup>,
    /// Pending asks and allocations.
    pub asks: Slab<AskKey, Ask>,
    #[serde(skip)]
    pub(in crate::scheduler) by_id: AskIds,
    /// Asks whose id stands for a later one, by their arrival (switches `ask_again_pending`, `ask_again_allocated`).
    #[serde(with = "crate::scheduler::saved::namesakes")]
    pub(in crate::scheduler) namesakes: Namesakes,
    /// Pending asks in the order in which they are tried (SCH-080).
    #[serde(skip)]
    pub pending_order: BTreeSet<AskRank>,
    /// Allocations in order of allocation.
    #[serde(skip)]
    pub allocations: BTreeMap<u64, AskKey>,
    /// Nodes kept for its asks, in the order in which that was done (SCH-016).
    pub reservations: Vec<(AskKey, NodeKey)>,
    /// Sum of the pending asks.
    pub pending: Resource,
    /// Sum of the real allocations.
    pub allocated: Resource,
    /// Sum of the placeholder allocations.
    pub allocated_placeholder: Resource,
    /// The most that it had allocated at one time, name by name; real allocations and placeholders apart.
    pub max_allocated: Resource,
    /// What it has used that has ended.
    #[serde(with = "crate::model::saved::arc")]
    pub past: Arc<crate::scheduler::usage::tracked_resources::Past>,
    /// Its place among the candidates of its leaf, if it is one.
    #[serde(skip)]
    pub rank: Option<AppRank>,
    /// It was tried in vain and need not be tried again yet.
    #[serde(skip)]
    pub(in crate::scheduler) sleep: Option<Box<Sleep>>,
    /// It also stands among those of its leaf that may replace a placeholder.
    #[serde(skip)]
    pub(in crate::scheduler) may_replace: bool,
    /// The priority that its leaf counts it with.
    pub counted_priority: Priority,
    /// Whether its queues let it begin to run, as last reported (SCH-114).
    pub runnable_in_queue: bool,
    /// Whether the limits of its user and group do, as last reported (SCH-114).
    pub runnable_by_limits: bool,
    /// Under whom it counts, and which limits hold for it.
    pub account: Account,
    /// The timer of the present state; cleared on leaving it.
    pub(in crate::scheduler) state_timer: Option<crate::scheduler::state::partition::TimerKey>,
    /// The timer of its gang, from the first placeholder until the last is gone (SCH-145).
    pub(in crate::scheduler) placeholder_timer: Option<crate::scheduler::state::partition::TimerKey>,
    /// The state that it enters once everything is taken off it, which takes more than one command.
    #[serde(default)]
    pub(in crate::scheduler) ending: Option<AppState>,
}

/// The place of a pending ask: priority first, then age, then arrival (SCH-080).
pub type AskRank = (Reverse<Priority>, Time, u64, AskKey);

/// Asks by their id and their arrival.
pub(in crate::scheduler) type Namesakes = BTreeMap<AskId, BTreeMap<u64, AskKey>>;

/// An ask, and the allocation that it becomes (SCH-013, SCH-014).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Ask {
    /// The id.
    pub id: AskId,
    /// Counts arrivals over the whole partition.
    pub arrival: u64,
    /// What is wanted.
    pub resource: Resource,
    /// The priority.
    pub priority: Priority,
    /// When it was asked.
    pub created: Time,
    /// The only node that will do.
    pub required_node: Option<NodeId>,
    /// May be preempted.
    pub allow_preempt_self: bool,
    /// May preempt others.
    pub allow_preempt_other: bool,
    /// Began its application: the last one to be preempted (SCH-158).
    pub originator: bool,
    /// Holds room for a gang.
    pub placeholder: bool,
    /// The task group.
    #[serde(default, with = "crate::model::saved::text_option")]
    pub task_group: Option<Arc<str>>,
    /// It was made again since: it is still tried, but only the later one is counted as pending (switch `ask_again_pending`).
    pub superseded: bool,
    /// Where it runs; `None` while it is pending.
    pub allocation: Option<Allocation>,
    /// The resource manager was asked to stop it and has not confirmed that yet (SCH-046).
    pub released: bool,
    /// Of an ask that is about to take over a placeholder's room: it is neither pending nor allocated (SCH-144).
    pub takes_over: Option<Takeover>,
    /// Of a placeholder that is about to give way: the ask that takes over.
    pub gives_way: Option<AskKey>,
    /// What the last cycle that tried it found.
    pub tried: Tried,
    /// Why it was not allocated so far.
    pub log: AskLog,
    /// When the placeholder was asked for that it took over from (SCH-144).
    pub replaced: Option<Time>,
    /// Whether it fitted its queues when last reported (SCH-222).
    pub fits_queue: bool,
    /// Whether it fitted the limits of its user and group when last reported (SCH-222).
    pub fits_limits: bool,
    /// Others were preempted for it, which happens once (SCH-161).
    pub preempted_others: bool,
    /// When victims were last sought for it (SCH-151).
    pub preemption_tried: Option<Time>,
    /// When it was last told that nobody on the node that it requires can make room (SCH-222).
    pub no_victim_told: Option<Time>,
    /// When it was last told that the resource manager's conditions keep it from nodes (SCH-222).
    pub predicates_told: Option<Time>,
    /// What the resource manager says of it. Nothing is decided by them.
    #[serde(default)]
    pub tags: Tags,
}

/// Where an ask was allocated.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Allocation {
    /// The node.
    pub node: NodeKey,
    /// Counts allocations over the whole partition.
    pub number: u64,
    /// When.
    pub since: Time,
    /// It is being preempted: the resource manager is asked to stop it (SCH-161).
    pub preempted: bool,
}

/// What the last cycle that tried an ask found (SCH-082).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Tried {
    /// Not tried yet.
    #[default]
    Never,
    /// A limit of its user or group has no room.
    UserQuota,
    /// A queue on the path has no room.
    QueueQuota,
    /// It fits the queues, no node has room.
    NoNode,
    /// It is to take over from a placeholder of its task group.
    Placeholder,
}

impl Ask {
    /// An ask as it is made: nothing came of it yet.
    pub(in crate::scheduler) fn new(id: AskId, arrival: u64, created: Time, spec: &AskSpec) -> Self {
        Self {
            id,
            arrival,
            resource: spec.resource.clone(),
            priority: spec.priority,
            created,
            required_node: spec.required_node.clone(),
            allow_preempt_self: spec.allow_preempt_self,
            allow_preempt_other: spec.allow_preempt_other,
            originator: spec.originator,
            placeholder: spec.placeholder,
            task_group: spec.task_group.clone(),
            tags: spec.tags.clone(),
            allocation: None,
            released: false,
            superseded: false,
            takes_over: None,
            gives_way: None,
            tried: Tried::Never,
            log: Default::default(),
            replaced: None,
            fits_queue: true,
            fits_limits: true,
            preempted_others: false,
            preemption_tried: None,
            no_victim_told: None,
            predicates_told: None,
        }
    }

    /// Its place among the pending asks of its application (SCH-080).
    pub(in crate::scheduler) fn rank(&self, key: AskKey) -> AskRank {
        (Reverse(self.priority), self.created, self.arrival, key)
    }

    /// Whether it is on its way out, and not because it is being preempted (P-09).
    pub(in crate::scheduler) fn goes_anyway(&self) -> bool {
        self.released && self.allocation.is_some_and(|allocation| !allocation.preempted)
    }

    /// The task group of an ask that can take over from a placeholder.
    pub(in crate::scheduler) fn replaces_in(&self) -> Option<&Arc<str>> {
        self.task_group.as_ref().filter(|_| !self.placeholder)
    }
}

impl Application {
    /// Its priority: the highest of its pending asks (SCH-061).
    pub fn priority(&self) -> Priority {
        let counts = |(.., key): &&AskRank| self.namesakes.is_empty() || !self.asks[*key].superseded;
        self.pending_order.iter().find(counts).map_or(Priority::MIN, |(Reverse(priority), ..)| *priority)
    }

    /// The ask of an id.
    pub fn ask_key(&self, id: &AskId) -> Option<AskKey> {
        self.by_id.get(id, &self.asks)
    }

    /// Makes room for so many asks more.
    pub(in crate::scheduler) fn make_room(&mut self, asks: usize) {
        self.asks.reserve(asks);
        self.by_id.reserve(asks);
    }

    /// Adds a pending ask.
    pub fn add_ask(&mut self, ask: Ask) -> AskKey {
        let key = self.asks.insert_with(|_| ask);
        if let Some(earlier) = self.by_id.insert(key, &self.asks) {
            let id = self.asks[key].id.clone();
            self.namesakes.entry(id).or_default().insert(self.asks[earlier].arrival, earlier);
        }
        self.put_pending(key);
        key
    }

    /// Puts an ask that is neither pending nor allocated among the pending ones.
    pub(in crate::scheduler) fn put_pending(&mut self, key: AskKey) {
        let ask = &self.asks[key];
        self.pending.add_assign(&ask.resource);
        self.pending_order.insert(ask.rank(key));
        if let Some(group) = ask.replaces_in() {
            self.task_groups.entry(Arc::clone(group)).or_default().waiting += 1;
        }
    }

    /// Takes an ask out of the pending ones, because it is `allocated` or goes. One that was superseded counts as pending no more, but
    /// is taken off the count when it is allocated.
    pub(in crate::scheduler) fn take_pending(&mut self, key: AskKey, allocated: bool) {
        let ask = &self.asks[key];
        if allocated || !ask.superseded {
            self.pending.sub_assign(&ask.resource);
            self.pending.prune();
        }
        self.pending_order.remove(&ask.rank(key));
        if let Some(group) = ask.replaces_in().and_then(|group| self.task_groups.get_mut(group)) {
            group.waiting -= 1;
        }
    }

    /// Makes an allocation of an ask that is not pending any more.
    pub(in crate::scheduler) fn allocate(&mut self, key: AskKey, allocation: Allocation) {
        let ask = &mut self.asks[key];
        ask.allocation = Some(allocation);
        self.allocations.insert(allocation.number, key);
        if ask.placeholder {
            self.allocated_placeholder.add_assign(&ask.resource);
            self.max_allocated = self.max_allocated.max(&self.allocated_placeholder);
            if let Some(group) = &ask.task_group {
                let group = self.task_groups.entry(Arc::clone(group)).or_default();
                group.placeholders.insert(allocation.number, key);
            }
        } else {
            self.allocated.add_assign(&ask.resource);
            self.max_allocated = self.max_allocated.max(&self.allocated);
        }
    }

    /// Takes an ask out, pending or allocated.
    pub(in crate::scheduler) fn remove_ask(&mut self, key: AskKey) -> Option<Ask> {
        if self.asks.get(key)?.allocation.is_none() {
            self.take_pending(key, false);
        }
        let ask = self.asks.remove(key)?;
        self.forget_id(key, &ask);
        if let Some(allocation) = &ask.allocation {
            self.allocations.remove(&allocation.number);
            if let Some(group) = ask.task_group.as_ref().and_then(|group| self.task_groups.get_mut(group)) {
                group.placeholders.remove(&allocation.number);
            }
            let sum = if ask.placeholder { &mut self.allocated_placeholder } else { &mut self.allocated };
            sum.sub_assign(&ask.resource);
            sum.prune();
        }
        Some(ask)
    }

    /// The id of an ask that is gone stands for the namesake that was made last from now on, if there is one.
    fn forget_id(&mut self, gone: AskKey, Ask { id, arrival, .. }: &Ask) {
        let stood_for_it = self.by_id.remove(id, gone);
        let Some(namesakes) = self.namesakes.get_mut(id) else { return };
        if !stood_for_it {
            namesakes.remove(arrival);
        } else if let Some((_, last)) = namesakes.pop_last() {
            self.by_id.insert(last, &self.asks);
        }
        if namesakes.is_empty() {
            self.namesakes.remove(id);
        }
    }

    /// Everything it holds, placeholders included.
    pub fn holds(&self) -> Resource {
        self.allocated.add(&self.allocated_placeholder)
    }

    /// What of it is being preempted.
    pub fn preempting(&self) -> Resource {
        let victims = self.asks.iter().filter(|(_, ask)| ask.allocation.is_some_and(|allocation| allocation.preempted));
        victims.fold(Resource::new(), |sum, (_, ask)| sum.add(&ask.resource))
    }

    /// Whether nothing is pending and nothing real is allocated: it has nothing left to do (SCH-170).
    pub fn is_idle(&self) -> bool {
        self.pending.is_zero() && self.allocated.is_zero()
    }

    /// Whether the queue counts it as running (SCH-111).
    pub fn counts_as_running(&self) -> bool {
        matches!(self.state, AppState::Starting | AppState::Running)
    }
}

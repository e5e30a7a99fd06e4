//! Applications and their requests.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::index::{AppKey, AskKey, NodeKey, QueueKey, Slab};
use crate::interface::command::GangStyle;
use crate::placement::Record;
use crate::state::app_rank::AppRank;
use crate::state::ask::{Allocation, Ask, AskRank};
use crate::state::ask_ids::AskIds;
use crate::state::asleep::Asleep;
use crate::state::backoff::Backoff;
use crate::state::bands::{self, Band, Bands};
use crate::state::known_ids::KnownIds;
use crate::state::task_group::TaskGroup;
use crate::state::timer::TimerKey;
use crate::usage::Account;
use crate::usage::tracked_resources::TrackedResources;
use model::{AppId, AppState, AskId, Identity, Priority, QueuePath, Resource, Time};

/// An application (SCH-012).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Application {
    /// Its own key.
    pub key: AppKey,
    /// The submitted ID, unique in its partition.
    pub id: AppId,
    /// Who submitted it.
    pub who: Identity,
    /// The leaf it is in.
    pub queue: QueueKey,
    /// The leaf's path, also after the queue was removed.
    pub queue_path: QueuePath,
    /// The requested queue.
    #[serde(with = "model::saved::text")]
    pub requested_queue: Arc<str>,
    /// Shared by equal placements.
    #[serde(skip, default = "super::saved_fields::no_record")]
    pub placement: Arc<Record>,
    /// When it was submitted.
    pub submitted: Time,
    /// When it first ran (SCH-171).
    pub started: Option<Time>,
    /// When it ended (SCH-172).
    pub finished: Option<Time>,
    /// Where it is in its life.
    pub state: AppState,
    /// Every state entered, the oldest first, without New (SCH-171).
    pub log: Vec<(Time, AppState)>,
    /// Why it failed, or was killed or rejected.
    #[serde(default, with = "model::saved::text_option")]
    pub message: Option<Arc<str>>,
    /// The submitted tags, including namespaces and quotas.
    #[serde(with = "model::saved::arc")]
    pub tags: Arc<BTreeMap<String, String>>,
    /// What happens if the gang does not complete (SCH-146).
    pub gang_style: GangStyle,
    /// The time for the gang.
    pub placeholder_timeout: Option<Duration>,
    /// The total of all task groups.
    pub placeholder_ask: Resource,
    /// Its task groups by name (SCH-141).
    #[serde(with = "model::saved::text_map")]
    pub task_groups: BTreeMap<Arc<str>, TaskGroup>,
    /// Pending requests and allocations.
    pub asks: Slab<AskKey, Ask>,
    #[serde(skip)]
    pub(crate) by_id: AskIds,
    /// Requests with a repeated id, by arrival (switches `ask_again_pending`, `ask_again_allocated`).
    #[serde(with = "saved_namesakes")]
    pub(crate) namesakes: Namesakes,
    /// Pending requests in the order in which they are tried (SCH-080).
    #[serde(skip)]
    pub pending_order: BTreeSet<AskRank>,
    /// Allocations in order of allocation.
    #[serde(skip)]
    pub allocations: BTreeMap<u64, AskKey>,
    /// Nodes reserved for its requests, in the order of the reservations (SCH-016).
    pub reservations: Vec<(AskKey, NodeKey)>,
    /// Sum of the pending requests.
    pub pending: Resource,
    /// Sum of the real allocations.
    pub allocated: Resource,
    /// Sum of the placeholder allocations.
    pub allocated_placeholder: Resource,
    /// The peak by name; separate for real allocations and placeholders.
    pub max_allocated: Resource,
    /// The tracked resources of ended allocations.
    #[serde(rename = "past", with = "model::saved::arc")]
    pub tracked_resources: Arc<TrackedResources>,
    /// Its rank among the candidates of its leaf, if it is one.
    #[serde(skip)]
    pub rank: Option<AppRank>,
    #[serde(skip)]
    pub(crate) backoff: Option<Box<Backoff>>,
    #[serde(skip)]
    pub(crate) asleep: Option<Asleep>,
    #[serde(skip)]
    pub(crate) may_replace: bool,
    /// The priority counted in its leaf.
    pub counted_priority: Priority,
    /// Whether its queues allow it to start, as last reported (SCH-114).
    pub runnable_in_queue: bool,
    /// The same by the limits of its user and group.
    pub runnable_by_limits: bool,
    /// Its user and group, and the limits that apply.
    pub account: Account,
    pub(crate) state_timer: Option<TimerKey>,
    /// From the first placeholder until the last is removed (SCH-145).
    pub(crate) placeholder_timer: Option<TimerKey>,
    /// The final state, while the end needs several commands.
    #[serde(default)]
    pub(crate) ending: Option<AppState>,
    #[serde(default)]
    pub(crate) bands: Bands,
    /// Before a request was sent again with a lower one (D-23, switch `ask_again_pending`).
    #[serde(default, rename = "kept_priority")]
    pub(crate) retained_priority: Option<Priority>,
    /// Its asks are not tried before then (D-19).
    #[serde(default, rename = "held_off_until")]
    pub(crate) backoff_until: Option<Time>,
    /// Missing in older saved states.
    #[serde(rename = "held_off", default)]
    pub(crate) delayed: Option<Delay>,
    /// What the releases still know of what is gone (D-23).
    #[serde(default)]
    pub(crate) known_ids: KnownIds,
}

/// Why the asks of an application are not tried for a while (D-19).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Delay {
    /// The end of the cycle that found no node for them.
    pub since: Time,
    /// The number of requests without a node.
    pub asks: u64,
    /// The last of these requests.
    pub last: AskId,
}

pub(crate) type Namesakes = BTreeMap<AskId, BTreeMap<u64, AskKey>>;

impl Application {
    /// The highest priority of its pending requests (SCH-061).
    pub fn priority(&self) -> Priority {
        let counts = |(.., key): &&AskRank| self.namesakes.is_empty() || !self.asks[*key].superseded;
        let highest = self.pending_order.iter().find(counts).map_or(Priority::MIN, |(Reverse(priority), ..)| *priority);
        self.retained_priority.map_or(highest, |retained| retained.max(highest))
    }

    fn all_of(&self, id: &AskId) -> impl Iterator<Item = AskKey> {
        let earlier = self.namesakes.get(id).into_iter().flat_map(|earlier| earlier.values().rev());
        self.ask_key(id).into_iter().chain(earlier.copied())
    }

    /// The known allocation, otherwise the request that counts.
    pub(crate) fn key_to_release(&self, id: &AskId) -> Option<AskKey> {
        let counts = |key: &AskKey| self.asks[*key].allocation.is_none() && !self.asks[*key].superseded;
        self.known_allocation(id).or_else(|| self.all_of(id).find(counts))
    }

    pub(crate) fn known_allocation(&self, id: &AskId) -> Option<AskKey> {
        self.all_of(id).find(|key| self.asks[*key].allocation.is_some() && !self.asks[*key].rare.shadowed)
    }

    fn shadow_others(&mut self, key: AskKey, node: NodeKey) {
        let others: Vec<AskKey> = self.all_of(&self.asks[key].id).filter(|other| *other != key).collect();
        for other in others {
            let other = &mut self.asks[other];
            if let Some(allocation) = other.allocation {
                other.rare.shadowed = true;
                other.rare.unlisted |= allocation.node == node;
            }
        }
    }

    /// The request with an id.
    pub fn ask_key(&self, id: &AskId) -> Option<AskKey> {
        self.by_id.get(id, &self.asks)
    }

    /// A request that was sent again while pending shares the reservation (D-23, 1.5.1).
    pub(crate) fn are_one(&self, one: AskKey, other: AskKey) -> bool {
        one == other || !self.namesakes.is_empty() && self.asks[one].id == self.asks[other].id
    }

    pub(crate) fn made_last(&self, ask: AskKey) -> AskKey {
        let last = || self.ask_key(&self.asks[ask].id);
        if self.asks[ask].superseded { last().unwrap_or(ask) } else { ask }
    }

    pub(crate) fn make_space(&mut self, asks: usize) {
        self.asks.reserve(asks);
        self.by_id.reserve(asks);
    }

    /// Adds a pending request.
    pub fn add_ask(&mut self, ask: Ask) -> AskKey {
        self.bands.meet(ask.priority);
        let key = self.asks.insert_with(|_| ask);
        if let Some(earlier) = self.by_id.insert(key, &self.asks) {
            let id = self.asks[key].id.clone();
            self.namesakes.entry(id).or_default().insert(self.asks[earlier].arrival, earlier);
        }
        self.put_pending(key);
        key
    }

    pub(crate) fn put_pending(&mut self, key: AskKey) {
        let ask = &self.asks[key];
        self.pending.add_assign(&ask.resource);
        self.bands.add(ask.priority, false, &ask.resource);
        self.pending_order.insert(ask.rank(key));
        if let Some(group) = ask.replaces_in() {
            self.task_groups.entry(Arc::clone(group)).or_default().waiting += 1;
        }
    }

    /// A superseded request no longer counts as pending, but is subtracted when it is allocated.
    pub(crate) fn take_pending(&mut self, key: AskKey, allocated: bool) {
        let ask = &self.asks[key];
        if allocated || !ask.superseded {
            self.pending.sub_assign(&ask.resource);
            self.pending.prune();
            self.bands.sub(ask.priority, false, &ask.resource);
        }
        self.pending_order.remove(&ask.rank(key));
        if self.retained_priority.is_some_and(|retained| ask.priority >= retained) {
            self.retained_priority = None;
        }
        if let Some(group) = ask.replaces_in().and_then(|group| self.task_groups.get_mut(group)) {
            group.waiting -= 1;
        }
    }

    pub(crate) fn allocate(&mut self, key: AskKey, allocation: Allocation) {
        if !self.namesakes.is_empty() {
            self.shadow_others(key, allocation.node);
        }
        let ask = &mut self.asks[key];
        ask.allocation = Some(allocation);
        self.bands.add(ask.priority, true, &ask.resource);
        self.allocations.insert(allocation.number, key);
        if ask.placeholder {
            self.allocated_placeholder.add_assign(&ask.resource);
            self.max_allocated = self.max_allocated.max(&self.allocated_placeholder);
            if let Some(group) = &ask.rare.task_group {
                let group = self.task_groups.entry(Arc::clone(group)).or_default();
                group.placeholders.insert(allocation.number, key);
            }
        } else {
            self.allocated.add_assign(&ask.resource);
            self.max_allocated = self.max_allocated.max(&self.allocated);
        }
    }

    pub(crate) fn remove_ask(&mut self, key: AskKey) -> Option<Ask> {
        if self.asks.get(key)?.allocation.is_none() {
            self.take_pending(key, false);
        }
        let ask = self.asks.remove(key)?;
        self.forget_id(key, &ask);
        if let Some(allocation) = &ask.allocation {
            self.allocations.remove(&allocation.number);
            if let Some(group) = ask.rare.task_group.as_ref().and_then(|group| self.task_groups.get_mut(group)) {
                group.placeholders.remove(&allocation.number);
            }
            let sum = if ask.placeholder { &mut self.allocated_placeholder } else { &mut self.allocated };
            sum.sub_assign(&ask.resource);
            sum.prune();
            self.bands.sub(ask.priority, true, &ask.resource);
        }
        Some(ask)
    }

    pub(crate) fn lose_sight_of(&mut self, key: AskKey) -> Option<Ask> {
        let (real, placeholders) = (self.allocated.clone(), self.allocated_placeholder.clone());
        let lost = self.remove_ask(key)?;
        (self.allocated, self.allocated_placeholder) = (real, placeholders);
        self.known_ids.counted.add_assign(&lost.resource);
        Some(lost)
    }

    fn forget_id(&mut self, gone: AskKey, Ask { id, arrival, .. }: &Ask) {
        let was_indexed = self.by_id.remove(id, gone);
        let Some(namesakes) = self.namesakes.get_mut(id) else { return };
        if !was_indexed {
            namesakes.remove(arrival);
        } else if let Some((_, last)) = namesakes.pop_last() {
            self.by_id.insert(last, &self.asks);
        }
        if namesakes.is_empty() {
            self.namesakes.remove(id);
        }
    }

    /// Its allocated resources, including placeholders.
    pub fn total_allocated(&self) -> Resource {
        self.allocated.add(&self.allocated_placeholder)
    }

    /// Its resources by priority, the lowest first. They add up to those of the application.
    pub fn by_priority(&self) -> Vec<Band> {
        self.bands.split(self.total_allocated(), self.pending.clone())
    }

    pub(crate) fn counts_by_priority(&self) -> bool {
        bands::are_of(self.by_priority(), self.asks.iter().map(|(_, ask)| ask))
    }

    /// Its resources that are being preempted.
    pub fn preempting(&self) -> Resource {
        let victims = self.asks.iter().filter(|(_, ask)| ask.allocation.is_some_and(|allocation| allocation.preempted));
        victims.fold(Resource::new(), |sum, (_, ask)| sum.add(&ask.resource))
    }

    /// Whether it has no pending request and no real allocation (SCH-170).
    pub fn is_idle(&self) -> bool {
        self.pending.is_zero() && self.allocated.is_zero()
    }

    /// Whether the queue counts it as running (SCH-111).
    pub fn counts_as_running(&self) -> bool {
        matches!(self.state, AppState::Starting | AppState::Running)
    }
}

/// Follows from the requests: only the number is saved.
mod saved_namesakes {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::state::app::Namesakes;

    pub fn serialize<S: Serializer>(namesakes: &Namesakes, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(namesakes.values().map(|earlier| earlier.len() as u64).sum())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Namesakes, D::Error> {
        u64::deserialize(from).map(|_| Namesakes::new())
    }
}

//! One partition: its state, and look-ups in it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::index::{AppKey, AskKey, Index, Slab};
use crate::interface::event::{Holder, ReleaseReason};
use crate::interface::switches::Switches;
use crate::interface::tuning::Tuning;
use crate::placement::{Hits, Records, Rules};
use crate::shareable::Shareable;
use crate::state::app::Application;
use crate::state::dirty::Dirty;
use crate::state::meter::Meter;
use crate::state::nodes::Nodes;
use crate::state::queue::ROOT;
use crate::state::queue_tree::QueueTree;
use crate::state::siblings::Visit;
use crate::state::skipped_cycles::SkippedCycles;
use crate::state::timer::{Timer, TimerKey};
use crate::usage::Usage;
use model::{AppId, QueueState, Resource, Time};

/// A partition (SCH-010).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Partition {
    /// The name that commands give.
    #[serde(with = "model::saved::text")]
    pub name: Arc<str>,
    /// Active, or draining once the configuration does not have it any more.
    pub state: QueueState,
    /// The queue tree.
    pub queues: QueueTree,
    /// The nodes with their order.
    pub nodes: Nodes,
    /// The live applications.
    pub apps: Slab<AppKey, Application>,
    /// Applications that ended, the oldest first (SCH-172).
    #[serde(with = "model::saved::arcs")]
    pub ended: VecDeque<Arc<Application>>,
    /// How many applications have ended so far, also those that were forgotten since.
    pub ended_total: u64,
    /// What users have in use.
    pub usage: Usage,
    /// Allocations made since the start.
    pub allocations_made: u64,
    /// Reservations that stand.
    pub reservations: u64,
    /// Placeholders that are allocated.
    pub placeholders: u64,
    /// How many allocations a second.
    pub meter: Meter,
    /// What changed since it was last requested; `None` while no one asks.
    #[serde(skip)]
    pub dirty: Option<Dirty>,
    /// The placement active rules.
    #[serde(skip)]
    pub rules: Arc<Rules>,
    /// How often they decided since they became active.
    #[serde(with = "model::saved::arc")]
    pub hits: Arc<Hits>,
    #[serde(skip)]
    pub(crate) records: Records,
    /// Whether an ask may preempt others for its queue's guarantee (SCH-150).
    pub preemption: bool,
    #[serde(skip, default = "super::saved_fields::no_switches")]
    pub(crate) switches: Switches,
    #[serde(skip)]
    pub(crate) tuning: Tuning,
    #[serde(skip)]
    pub(crate) app_index: Shareable<Index<AppId, AppKey>>,
    pub(crate) timers: Shareable<BTreeMap<TimerKey, Timer>>,
    pub(crate) timers_set: u64,
    pub(crate) arrivals: u64,
    /// Allocations that the resource manager is asked to stop, in the order of these requests, each with its ask's arrival (SCH-046).
    #[serde(skip)]
    pub(crate) stopping: VecDeque<(AppKey, AskKey, u64, ReleaseReason)>,
    /// Whether the bases of the 1.8.0 fair shares are out of date.
    pub(crate) share_bases_stale: bool,
    /// Applications whose end takes more than one command.
    #[serde(skip)]
    pub(crate) unfinished: BTreeSet<AppKey>,
    /// How often something changed that concerns everyone, such as the configuration.
    #[serde(skip)]
    pub(crate) epoch: u64,
    /// Until when cycles find nothing and report nothing, if nothing happens before.
    #[serde(skip)]
    pub(crate) quiet: Option<Time>,
    /// How many cycles found nothing because of that.
    #[serde(skip)]
    pub(crate) skipped_cycles: SkippedCycles,
    /// The parents on the way down in a cycle, and what is left of them from earlier walks: kept for its capacity.
    #[serde(skip)]
    pub(crate) walk: Vec<Visit>,
    /// Everyone may kill and move: it is a fork, in which nothing is real.
    #[serde(skip)]
    pub(crate) trusts_everybody: bool,
    /// Whether maxima that are exceeded are enforced (N-01).
    #[serde(default)]
    pub quota_preemption: bool,
    /// A look for maxima to enforce has its timer.
    #[serde(default)]
    pub(crate) quota_timer: bool,
    /// The names that nodes have ever given the root's maximum, each with its amount or 0, where they stay in it (P-04).
    #[serde(default)]
    pub(crate) names_of_nodes: Resource,
    /// A release has miscounted since the beginning, and sums are not those of their parts any more (D-23).
    #[serde(default)]
    pub miscounted: bool,
    /// Whether every node was reserved when asks were last tried.
    #[serde(skip)]
    pub(crate) all_reserved: bool,
    /// The blocked asks that have their turn first, the oldest turn first ([`Tuning::turns`]).
    #[serde(default)]
    pub(crate) turns: Vec<(AppKey, AskKey)>,
    /// How often nodes had gained something when an ask was last sent back because of them.
    #[serde(skip)]
    pub(crate) sent_back_at: Option<u64>,
}

impl Partition {
    /// An empty partition, before its first configuration.
    pub(crate) fn new(name: Arc<str>, switches: Switches, tuning: Tuning, rules: Arc<Rules>) -> Self {
        Self {
            name,
            state: QueueState::Active,
            queues: QueueTree::default(),
            nodes: Nodes::default(),
            apps: Slab::default(),
            ended: VecDeque::new(),
            ended_total: 0,
            usage: Usage::default(),
            allocations_made: 0,
            reservations: 0,
            placeholders: 0,
            meter: Meter::default(),
            dirty: None,
            hits: Arc::new(Hits::of(&rules)),
            records: Records::default(),
            rules,
            preemption: true,
            switches,
            tuning,
            app_index: Shareable::default(),
            timers: Shareable::default(),
            timers_set: 0,
            arrivals: 0,
            stopping: VecDeque::new(),
            share_bases_stale: false,
            unfinished: BTreeSet::new(),
            epoch: 0,
            quiet: None,
            skipped_cycles: SkippedCycles::default(),
            walk: Vec::new(),
            trusts_everybody: false,
            quota_preemption: false,
            quota_timer: false,
            names_of_nodes: Resource::new(),
            miscounted: false,
            all_reserved: false,
            turns: Vec::new(),
            sent_back_at: None,
        }
    }

    /// Brings placement rules into force (PLC-100). Hits are counted further as long as the rules say the same.
    pub(crate) fn set_rules(&mut self, rules: Arc<Rules>) {
        if !self.rules.same_as(&rules) {
            self.hits = Arc::new(Hits::of(&rules));
        }
        self.rules = rules;
    }

    /// Under whom the allocations of an application count.
    pub fn holder(&self, app: AppKey) -> Holder {
        let Application { queue_path, account, .. } = &self.apps[app];
        let (user, group) = (self.usage.user_of(account), self.usage.group_of(account));
        Holder { queue: queue_path.clone(), user, group }
    }

    /// The key of a live application.
    pub fn app_key(&self, id: &AppId) -> Option<AppKey> {
        self.app_index.get(id).copied()
    }

    /// Whether a cycle has something to look at (SCH-041, SCH-042).
    pub fn has_work(&self) -> bool {
        self.queues.get(ROOT).is_some_and(|root| root.max.is_some() && root.wants())
    }

    /// When the next timer is due.
    pub fn next_timer(&self) -> Option<Time> {
        self.timers.first_key_value().map(|((due, _), _)| *due)
    }

    /// Sum of the nodes' capacities, which is also the root's maximum.
    pub fn capacity(&self) -> Resource {
        self.queues.get(ROOT).and_then(|root| root.max.clone()).unwrap_or_default()
    }

    pub(crate) fn next_arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }
}

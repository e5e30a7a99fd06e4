//! One partition: its state and look-ups.

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
    /// The name in commands.
    #[serde(with = "model::saved::text")]
    pub name: Arc<str>,
    /// Active, or draining after it was removed from the configuration.
    pub state: QueueState,
    /// The queue tree.
    pub queues: QueueTree,
    /// The nodes and their order.
    pub nodes: Nodes,
    /// The active applications.
    pub apps: Slab<AppKey, Application>,
    /// Ended applications, the oldest first (SCH-172).
    #[serde(with = "model::saved::arcs")]
    pub ended: VecDeque<Arc<Application>>,
    /// The number of ended applications, including forgotten ones.
    pub ended_total: u64,
    /// The usage of users and groups.
    pub usage: Usage,
    /// The number of allocations since the start.
    pub allocations_made: u64,
    /// The number of reservations.
    pub reservations: u64,
    /// The number of allocated placeholders.
    pub placeholders: u64,
    /// The rate of allocations.
    pub meter: Meter,
    /// `None` if nothing reads them.
    #[serde(skip)]
    pub dirty: Option<Dirty>,
    /// The active placement rules.
    #[serde(skip)]
    pub rules: Arc<Rules>,
    /// The hits of the rules since they became active.
    #[serde(with = "model::saved::arc")]
    pub hits: Arc<Hits>,
    #[serde(skip)]
    pub(crate) records: Records,
    /// Whether requests may preempt for their queue's guaranteed resources (SCH-150).
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
    /// In order, each with its request's arrival number (SCH-046).
    #[serde(skip)]
    pub(crate) stopping: VecDeque<(AppKey, AskKey, u64, ReleaseReason)>,
    pub(crate) share_bases_stale: bool,
    #[serde(skip)]
    pub(crate) unfinished: BTreeSet<AppKey>,
    /// Counts changes that concern all applications.
    #[serde(skip)]
    pub(crate) epoch: u64,
    /// Cycles find and report nothing until then, unless something changes.
    #[serde(skip)]
    pub(crate) quiet: Option<Time>,
    #[serde(skip)]
    pub(crate) skipped_cycles: SkippedCycles,
    #[serde(skip)]
    pub(crate) walk: Vec<Visit>,
    /// It is a fork: all users may kill and move.
    #[serde(skip)]
    pub(crate) trusts_all: bool,
    /// Whether exceeded maxima are enforced (N-01).
    #[serde(default)]
    pub quota_preemption: bool,
    #[serde(default)]
    pub(crate) quota_timer: bool,
    /// Names that nodes ever added to the root's maximum, each with its value or 0 (P-04).
    #[serde(default)]
    pub(crate) names_of_nodes: Resource,
    /// A release has miscounted, and sums differ from their parts (D-23).
    #[serde(default)]
    pub miscounted: bool,
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
            trusts_all: false,
            quota_preemption: false,
            quota_timer: false,
            names_of_nodes: Resource::new(),
            miscounted: false,
            all_reserved: false,
            turns: Vec::new(),
            sent_back_at: None,
        }
    }

    /// PLC-100. Hits continue if the rules are equal.
    pub(crate) fn set_rules(&mut self, rules: Arc<Rules>) {
        if !self.rules.same_as(&rules) {
            self.hits = Arc::new(Hits::of(&rules));
        }
        self.rules = rules;
    }

    /// The user and group of an application's allocations.
    pub fn holder(&self, app: AppKey) -> Holder {
        let Application { queue_path, account, .. } = &self.apps[app];
        let (user, group) = (self.usage.user_of(account), self.usage.group_of(account));
        Holder { queue: queue_path.clone(), user, group }
    }

    /// The key of an active application.
    pub fn app_key(&self, id: &AppId) -> Option<AppKey> {
        self.app_index.get(id).copied()
    }

    /// Whether a cycle has something to examine (SCH-041, SCH-042).
    pub fn has_work(&self) -> bool {
        self.queues.get(ROOT).is_some_and(|root| root.max.is_some() && root.wants())
    }

    /// When the next timer is due.
    pub fn next_timer(&self) -> Option<Time> {
        self.timers.first_key_value().map(|((due, _), _)| *due)
    }

    /// The sum of the nodes' capacities, which is also the root's maximum.
    pub fn capacity(&self) -> Resource {
        self.queues.get(ROOT).and_then(|root| root.max.clone()).unwrap_or_default()
    }

    pub(crate) fn next_arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }
}

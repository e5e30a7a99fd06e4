//! One queue: its settings, its counters, its priority.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::index::{AppKey, QueueKey};
use crate::state::app_rank::AppRank;
use crate::state::backoff::Backoff;
use crate::state::candidates::Candidates;
use crate::state::share::ShareList;
use crate::state::siblings::{SiblingRank, Siblings};
use crate::usage::QueueLimits;
use config::properties::{MergedProperties, QueueProperties};
use config::{Place, TemplateConfig};
use model::{Acl, AppId, Priority, QueuePath, QueueState, Resource, Time};

/// The root's key.
pub const ROOT: QueueKey = QueueKey(0);

/// One queue (SCH-011).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Queue {
    /// Its own key.
    pub key: QueueKey,
    /// The full path.
    pub path: QueuePath,
    /// The parent; `None` for the root.
    pub parent: Option<QueueKey>,
    /// The children by name.
    pub children: Vec<QueueKey>,
    /// Whether it holds applications; else queues.
    pub leaf: bool,
    /// Stands in the configuration.
    pub managed: bool,
    /// Active, draining or stopped.
    pub state: QueueState,
    /// When it entered the state.
    pub state_since: Time,
    /// How many thresholds of draining have been reported since (SCH-211).
    pub alerts: u64,
    /// What the configuration says.
    #[serde(with = "model::saved::arc")]
    pub settings: Arc<Settings>,
    /// Maximum; `None` is unset. The root's is the sum of the nodes (SCH-034, SCH-195).
    pub max: Option<Resource>,
    /// Guarantee; `None` is unset (SCH-034).
    pub guaranteed: Option<Resource>,
    /// In use here and below.
    pub allocated: Resource,
    /// Asked for here and below.
    pub pending: Resource,
    /// Being preempted here and below; still part of `allocated`.
    pub preempting: Resource,
    /// Running applications here and below (SCH-111).
    pub running: u64,
    /// Accepted applications that hold something already (SCH-084, SCH-110).
    pub allocating_accepted: BTreeSet<AppId>,
    /// Live applications here and below.
    pub app_count: u64,
    /// The applications of a leaf. A persistent set, so that a read model shares it.
    #[serde(skip)]
    pub apps: imbl::OrdSet<AppKey>,
    /// Those of them with pending asks, in the order of the leaf's policy (SCH-071).
    #[serde(skip)]
    pub candidates: Candidates,
    /// Those of the candidates that may replace a placeholder, in the same order.
    #[serde(skip)]
    pub replacers: BTreeSet<AppRank>,
    /// The applications of a leaf that hold reservations, the oldest first (SCH-001).
    pub reserved: BTreeSet<(Time, AppId, AppKey)>,
    /// The highest priority inside (SCH-062).
    pub raw_priority: Priority,
    /// The priority last reported to the parent, which the parent counts with.
    #[serde(rename = "handed_up")]
    pub(super) reported_priority: Priority,
    /// How often each priority stands inside: of applications in a leaf, as reported by children in a parent.
    pub(super) priorities: BTreeMap<Priority, u32>,
    /// Fair share, for the order among siblings (SCH-054, SCH-055).
    pub share: ShareList,
    /// What 1.8.0 takes shares of (SCH-055); `None` elsewhere.
    pub share_base: Option<Resource>,
    /// Its place among its siblings may be out of date.
    #[serde(skip)]
    pub(crate) marked: bool,
    /// By what it is on its parent's list; `None` if it does not.
    #[serde(skip)]
    pub(crate) rank: Option<SiblingRank>,
    /// Of a parent: the children that want something, in their order.
    #[serde(skip)]
    pub(crate) siblings: Siblings,
    /// Of a leaf that was tried without success and need not be tried again yet.
    #[serde(skip)]
    pub(crate) backoff: Option<Box<Backoff>>,
    /// When its maximum is enforced, if it is still exceeded then (N-01).
    #[serde(default)]
    pub quota_due: Option<Time>,
}

/// What the configuration, or a template, says of a queue.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Settings {
    /// Where the queue is in the file.
    pub at: Option<Place>,
    /// A parent by configuration or creation, whether it has children or not.
    pub parent: bool,
    /// Every property with where it comes from.
    #[serde(with = "model::saved::arc")]
    pub merged: Arc<MergedProperties>,
    /// What they mean.
    pub properties: QueueProperties,
    /// The queue's own admin ACL.
    pub admin_acl: Acl,
    /// The queue's own submit ACL.
    pub submit_acl: Acl,
    /// The most running applications; `None` is no limit.
    pub max_applications: Option<u64>,
    /// What dynamic leaves right below take, with the queue it is from (`config.md` section 10).
    #[serde(with = "super::saved_fields::template")]
    pub template: Option<(QueuePath, Arc<TemplateConfig>)>,
    /// The limits of users and groups active.
    #[serde(with = "model::saved::arc")]
    pub limits: Arc<QueueLimits>,
}

impl Queue {
    /// What the parent, the sort and everyone outside see (SCH-063).
    pub fn current_priority(&self) -> Priority {
        let properties = &self.settings.properties;
        self.raw_priority.seen_outside(properties.priority_policy, properties.priority_offset)
    }

    /// Brings the share up to date after a change of usage, guarantee or base.
    pub fn refresh_share(&mut self) {
        self.share = match &self.share_base {
            None => ShareList::of(&self.allocated, self.guaranteed.as_ref()),
            Some(base) => ShareList::largest(&self.allocated, base),
        };
    }

    /// Whether a cycle examines the queue at all (SCH-050).
    pub fn wants(&self) -> bool {
        self.state != QueueState::Stopped && self.pending.strictly_greater_than_zero()
    }

    /// Whether someone waits for nothing but the queue's end: nothing is in it (SCH-182).
    pub fn is_empty(&self) -> bool {
        self.children.is_empty() && self.apps.is_empty()
    }
}

//! One queue: its settings, counters, and priority.

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
    /// `None` for the root.
    pub parent: Option<QueueKey>,
    /// The children by name.
    pub children: Vec<QueueKey>,
    /// Whether it is a leaf.
    pub leaf: bool,
    /// Whether it is configured.
    pub managed: bool,
    /// Active, draining or stopped.
    pub state: QueueState,
    /// When it entered the state.
    pub state_since: Time,
    /// The number of reported draining thresholds (SCH-211).
    pub alerts: u64,
    /// What the configuration says.
    #[serde(with = "model::saved::arc")]
    pub settings: Arc<Settings>,
    /// Its maximum; `None` if unset. The root's is the sum of the nodes (SCH-034, SCH-195).
    pub max: Option<Resource>,
    /// `None` if unset (SCH-034).
    pub guaranteed: Option<Resource>,
    /// Allocated, including its subtree.
    pub allocated: Resource,
    /// Pending, including its subtree.
    pub pending: Resource,
    /// Being preempted, including its subtree; still part of `allocated`.
    pub preempting: Resource,
    /// Running applications in its subtree (SCH-111).
    pub running: u64,
    /// Accepted applications with a placeholder or reservation (SCH-084, SCH-110).
    pub allocating_accepted: BTreeSet<AppId>,
    /// Active applications in its subtree.
    pub app_count: u64,
    /// The applications of a leaf. A persistent set, so that a read model shares it.
    #[serde(skip)]
    pub apps: imbl::OrdSet<AppKey>,
    /// Its applications with pending requests, in the order of the leaf's policy (SCH-071).
    #[serde(skip)]
    pub candidates: Candidates,
    /// The candidates that may replace a placeholder, in the same order.
    #[serde(skip)]
    pub replacers: BTreeSet<AppRank>,
    /// The applications with reservations, the oldest first (SCH-001).
    pub reserved: BTreeSet<(Time, AppId, AppKey)>,
    /// The highest priority inside (SCH-062).
    pub raw_priority: Priority,
    /// As last reported to the parent.
    #[serde(rename = "handed_up")]
    pub(super) reported_priority: Priority,
    /// Counts of each priority, as reported by children in a parent.
    pub(super) priorities: BTreeMap<Priority, u32>,
    /// Fair share for the order among siblings (SCH-054, SCH-055).
    pub share: ShareList,
    /// The base of the share in 1.8.0 (SCH-055); otherwise `None`.
    pub share_base: Option<Resource>,
    #[serde(skip)]
    pub(crate) marked: bool,
    /// `None` if it is not in its parent's list.
    #[serde(skip)]
    pub(crate) rank: Option<SiblingRank>,
    #[serde(skip)]
    pub(crate) siblings: Siblings,
    #[serde(skip)]
    pub(crate) backoff: Option<Box<Backoff>>,
    /// When its maximum is enforced if it is still exceeded (N-01).
    #[serde(default)]
    pub quota_due: Option<Time>,
}

/// The settings of a queue from the configuration or a template.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Settings {
    /// The location in the file.
    pub at: Option<Place>,
    /// A parent by configuration or creation, even without children.
    pub parent: bool,
    /// Every property with its origin.
    #[serde(with = "model::saved::arc")]
    pub merged: Arc<MergedProperties>,
    /// The parsed properties.
    pub properties: QueueProperties,
    /// Its own admin ACL.
    pub admin_acl: Acl,
    /// Its own submit ACL.
    pub submit_acl: Acl,
    /// `None` if unlimited.
    pub max_applications: Option<u64>,
    /// For dynamic leaves directly in it, with the defining queue (`config.md` section 10).
    #[serde(with = "super::saved_fields::template")]
    pub template: Option<(QueuePath, Arc<TemplateConfig>)>,
    /// The active limits of users and groups.
    #[serde(with = "model::saved::arc")]
    pub limits: Arc<QueueLimits>,
}

impl Queue {
    /// The priority that is visible outside (SCH-063).
    pub fn current_priority(&self) -> Priority {
        let properties = &self.settings.properties;
        self.raw_priority.seen_outside(properties.priority_policy, properties.priority_offset)
    }

    /// Updates the share after a change of usage, guaranteed resources, or base.
    pub fn refresh_share(&mut self) {
        self.share = match &self.share_base {
            None => ShareList::of(&self.allocated, self.guaranteed.as_ref()),
            Some(base) => ShareList::largest(&self.allocated, base),
        };
    }

    /// Whether a cycle examines the queue (SCH-050).
    pub fn wants(&self) -> bool {
        self.state != QueueState::Stopped && self.pending.strictly_greater_than_zero()
    }

    /// Whether the cleaner may remove the queue (SCH-182).
    pub fn is_empty(&self) -> bool {
        self.children.is_empty() && self.apps.is_empty()
    }
}

//! The account of an application: its part in the limits of its user and group.

use std::sync::Arc;

use crate::index::{GroupKey, QueueKey, UserKey};
use crate::usage::side::Side;
use config::LimitConfig;

/// The user and group of an application, and the limits that apply to it.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Account {
    /// `None` for an application that is in no queue.
    pub user: Option<UserKey>,
    /// The one group under which it counts (LIM-032).
    pub group: Option<GroupKey>,
    /// From the leaf up; `None` before the first scheduling attempt (LIM-034).
    #[serde(with = "saved_bounds")]
    pub bounds: Option<Vec<Bound>>,
    /// Counts as running for the limits of its user (LIM-013).
    pub running: bool,
    /// Differs from `running` only after a release has lost usage (switch `group_limit_gone`).
    pub(crate) running_in_group: bool,
}

/// A limit that applies to an application.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The queue of the limit.
    pub queue: QueueKey,
    /// Whether a user or a group is limited.
    pub side: Side,
    /// The configured limit.
    pub limit: Arc<LimitConfig>,
}

/// Only whether they were decided is saved.
mod saved_bounds {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::usage::account::Bound;

    pub fn serialize<S: Serializer>(bounds: &Option<Vec<Bound>>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bool(bounds.is_some())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Bound>>, D::Error> {
        Ok(bool::deserialize(from)?.then(Vec::new))
    }
}

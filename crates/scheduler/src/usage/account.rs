//! The account of an application: its part in the limits of its user and group.

use std::sync::Arc;

use crate::index::{GroupKey, QueueKey, UserKey};
use crate::usage::side::Side;
use config::LimitConfig;

/// Under whom an application counts, and the limits that apply to it.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Account {
    /// Its user; `None` for an application that is in no queue.
    pub user: Option<UserKey>,
    /// The one group that it counts under, if any (LIM-032).
    pub group: Option<GroupKey>,
    /// The limits that apply to it, from its leaf up to the root; `None` before its first scheduling attempt, when its group is
    /// not decided yet either (LIM-034).
    #[serde(with = "saved_bounds")]
    pub bounds: Option<Vec<Bound>>,
    /// It runs for the limits of its user (LIM-013).
    pub running: bool,
    /// It runs for those of its group. Not the same only after a release has lost usage (switch `group_limit_gone`).
    pub(crate) running_in_group: bool,
}

/// One limit that applies to an application.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Where the limit stands.
    pub queue: QueueKey,
    /// Whose usage it limits.
    pub side: Side,
    /// The limit as it is configured.
    pub limit: Arc<LimitConfig>,
}

/// Which limits apply to an application follows from its queue, its user and its group: only whether that was decided is written.
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

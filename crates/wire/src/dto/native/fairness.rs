//! How queues stand to their guarantees, and users and groups to their limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How queues stand to their guarantees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Fairness {
    /// Each queue and resource with a guarantee, or in use; those that lack most of their guarantee first.
    pub queues: Vec<QueueFairness>,
    /// Users and groups beside each limit that holds for them; those who are held back most first.
    pub limits: Vec<LimitFairness>,
}

/// How a user or a group stands to a limit, in one resource or in its number of applications.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct LimitFairness {
    /// The user; empty for a group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// The group; empty for a user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The queue that the limit stands on.
    pub queue: String,
    /// The line of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The resource; missing: the number of running applications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// How much there may be.
    pub limit: i64,
    /// How much is in use.
    pub used: i64,
    /// What is asked for beyond that; of applications how many have not begun to run.
    pub pending: i64,
    /// What of that the limit does not let through now.
    pub held_back: i64,
}

/// How a queue stands to its guarantee in one resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QueueFairness {
    /// Full path of the queue.
    pub queue: String,
    /// Name of the resource: `vcore`, `memory`, others.
    pub resource: String,
    /// Guarantee, in millicores, bytes or units.
    pub guaranteed: i64,
    /// What it uses.
    pub used: i64,
    /// What it asks for beyond that.
    pub pending: i64,
    /// What it lacks of its guarantee though it asks for it.
    pub deficit: i64,
    /// That as a part of the guarantee, in thousandths.
    pub lack: i64,
    /// What it would have if its parent's share went by guarantees among the siblings that ask.
    pub fair: i64,
    /// Since when it has had a deficit, at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// What it uses beyond its guarantee.
    pub borrowed: i64,
    /// What of its guarantee it does not even ask for.
    pub idle: i64,
    /// The siblings that use more than their guarantee, where it lacks some of its own.
    pub borrowers: Vec<String>,
}

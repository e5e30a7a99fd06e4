//! The cause for which an ask waits, by what takes it away (E4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an ask waits for, in short: the first of what blocks it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cause {
    /// What takes it away, the worst first. `never`: the request cannot run as it is, because no node has the resource, the size, or what its
    /// conditions require, or because it is above a maximum. `change`: a quota, a limit, or the state of a queue or node is in the way.
    /// `end`: something that runs or is reserved has to end. `time`: only time has to pass. `turn`: others are served first.
    pub kind: String,
    /// Neither time nor the end of other work takes it away: the request, the configuration, or the nodes have to be changed.
    pub permanent: bool,
    /// The check that fails, as in `blockedBy`.
    pub level: String,
    /// The resource of which too little is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The cause as a sentence.
    pub text: String,
}

//! The cause of a pending request, by what removes it (E4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cause of a wait, in short: the first blocker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cause {
    /// The kind of cause, worst first. `never`: the request cannot run unchanged, because no node has the resource, the size, or
    /// the conditions, or because it is above a maximum. `change`: a quota, a limit, or the state of a queue or node blocks it.
    /// `end`: an allocation or reservation must end first. `time`: only time must pass. `turn`: other requests are scheduled first.
    pub kind: String,
    /// Whether only a change of the request, the configuration, or the nodes can remove the cause.
    pub permanent: bool,
    /// The check that fails, as in `blockedBy`.
    pub level: String,
    /// The resource of which too little is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The cause as a sentence.
    pub text: String,
}

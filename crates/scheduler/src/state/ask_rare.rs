//! Fields that most requests do not use, stored outside of the request to keep it small.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use crate::index::{AskKey, NodeKey};
use crate::interface::command::AskSpec;
use crate::interface::event::ReleaseReason;
use model::{AppId, NodeId, Tags, Time};

/// The [`RareParts`] of a request. While none is set they use one pointer.
#[derive(Clone, Debug, Default)]
pub struct Rare(Option<Box<RareParts>>);

/// The fields of gangs, required nodes, and failed preemption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RareParts {
    /// The required node.
    pub required_node: Option<NodeId>,
    /// The task group.
    pub task_group: Option<Arc<str>>,
    /// Of a request that is replacing a placeholder: it is neither pending nor allocated (SCH-144).
    pub takes_over: Option<Takeover>,
    /// Of a placeholder that is being replaced: the replacing request.
    pub gives_way: Option<AskKey>,
    /// When the replaced placeholder was requested (SCH-144).
    pub replaced: Option<Time>,
    /// When victims were last sought for it (SCH-151).
    pub preemption_tried: Option<Time>,
    /// When it was last reported that no allocation on its required node can be preempted (SCH-222).
    pub no_victim_reported: Option<Time>,
    /// When it was last reported that the resource manager's conditions exclude nodes (SCH-222).
    pub predicates_reported: Option<Time>,
    /// Tags from the resource manager, which decide nothing.
    pub tags: Tags,
    /// The time of its reservation (N-04).
    pub reserved_since: Option<Time>,
    /// The reason for a requested stop that is not confirmed.
    pub stopping: Option<ReleaseReason>,
    /// Its id was allocated again: the application knows only the later one but counts both (switch
    /// `ask_again_allocated`).
    pub shadowed: bool,
    /// Its node lists only the later one.
    pub unlisted: bool,
    /// How long it runs at most.
    pub limit: Option<Duration>,
    /// The application that has its turn first, where that was found last.
    pub behind: Option<AppId>,
}

/// A replacement in progress (SCH-144).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Takeover {
    /// The replaced placeholder.
    pub placeholder: AskKey,
    /// The node of the request.
    pub node: NodeKey,
    /// The number of the future allocation.
    pub number: u64,
    /// The node is not the placeholder's, and its resources are charged.
    pub charged: bool,
}

static NONE: RareParts = RareParts {
    required_node: None,
    task_group: None,
    takes_over: None,
    gives_way: None,
    replaced: None,
    preemption_tried: None,
    no_victim_reported: None,
    predicates_reported: None,
    tags: Tags::none(),
    reserved_since: None,
    stopping: None,
    shadowed: false,
    unlisted: false,
    limit: None,
    behind: None,
};

impl Rare {
    pub(super) fn of(spec: &AskSpec) -> Self {
        let AskSpec { required_node, task_group, tags, limit, .. } = spec;
        Self::from(RareParts {
            required_node: required_node.clone(),
            task_group: task_group.clone(),
            tags: tags.clone(),
            limit: *limit,
            ..RareParts::default()
        })
    }
}

impl From<RareParts> for Rare {
    fn from(parts: RareParts) -> Self {
        Self((parts != NONE).then(|| Box::new(parts)))
    }
}

impl Deref for Rare {
    type Target = RareParts;

    fn deref(&self) -> &RareParts {
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for Rare {
    fn deref_mut(&mut self) -> &mut RareParts {
        self.0.get_or_insert_default()
    }
}

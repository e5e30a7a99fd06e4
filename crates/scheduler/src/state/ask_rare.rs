//! Fields that most asks do not have. They are outside of the ask, so that it stays small.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use crate::index::{AskKey, NodeKey};
use crate::interface::command::AskSpec;
use crate::interface::event::ReleaseReason;
use model::{AppId, NodeId, Tags, Time};

/// The [`RareParts`] of an ask. As long as none of them is set they take no more than a pointer.
#[derive(Clone, Debug, Default)]
pub struct Rare(Option<Box<RareParts>>);

/// What few asks have: of a gang, of a required node, of a failed preemption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RareParts {
    /// The only node that will do.
    pub required_node: Option<NodeId>,
    /// The task group.
    pub task_group: Option<Arc<str>>,
    /// Of an ask that is about to take over a placeholder's room: it is neither pending nor allocated (SCH-144).
    pub takes_over: Option<Takeover>,
    /// Of a placeholder that is about to give way: the ask that takes over.
    pub gives_way: Option<AskKey>,
    /// When the placeholder was requested that it took over from (SCH-144).
    pub replaced: Option<Time>,
    /// When victims were last sought for it (SCH-151).
    pub preemption_tried: Option<Time>,
    /// When it was last reported that nothing on the node that it requires can make room (SCH-222).
    pub no_victim_reported: Option<Time>,
    /// When it was last reported that the resource manager's conditions keep it from nodes (SCH-222).
    pub predicates_reported: Option<Time>,
    /// What the resource manager says of it. Nothing is decided by them.
    pub tags: Tags,
    /// Since when it holds a node reserved (N-04).
    pub reserved_since: Option<Time>,
    /// Why it was asked to stop, while the resource manager has not confirmed that.
    pub stopping: Option<ReleaseReason>,
    /// Of an allocation whose id was allocated again: the application knows only the later one, but counts both (switch
    /// `ask_again_allocated`).
    pub shadowed: bool,
    /// The later one is on the same node, which lists only that.
    pub unlisted: bool,
    /// How long it runs at most.
    pub limit: Option<Duration>,
    /// The application that has its turn first, where that was found last.
    pub behind: Option<AppId>,
}

/// What an ask takes over (SCH-144).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Takeover {
    /// The placeholder that gives way.
    pub placeholder: AskKey,
    /// Where the ask goes.
    pub node: NodeKey,
    /// The number of the allocation to come.
    pub number: u64,
    /// The node is not the placeholder's own, and has been charged.
    pub charged: bool,
}

/// Those of an ask that has none.
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
    /// Those of an ask as it is made.
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
    /// Makes room for them if there are none yet.
    fn deref_mut(&mut self) -> &mut RareParts {
        self.0.get_or_insert_default()
    }
}

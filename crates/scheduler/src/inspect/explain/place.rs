//! The location of a blocker or a change.

use std::sync::Arc;

use model::{AppId, AskId, NodeId, QueuePath};

/// The location of a blocker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Place {
    /// The whole partition: stopped, or without nodes.
    #[default]
    Partition,
    /// A queue with its maximum or its state.
    Queue(QueuePath),
    /// The limit of a user on a queue.
    User(Arc<str>, QueuePath),
    /// The limit of a group on a queue.
    Group(Arc<str>, QueuePath),
    /// A node that was examined.
    Node(NodeId),
    /// An application or one of its requests.
    App(AppId, Option<AskId>),
    /// A task group of the application.
    TaskGroup(Arc<str>),
}

//! What is seen of the other scheduler and of what it decides about.

use std::sync::Arc;
use std::time::Duration;

use config::Config;
use model::{AppId, AskId, NodeId, Time};
use scheduler::PartitionCommand;

/// What arrives in addition decisions.
#[derive(Clone, Debug)]
pub enum Input {
    /// Another configuration is active.
    Configure(Arc<Config>),
    /// Something changed: a node, an application, an ask, the end of an allocation.
    Command(PartitionCommand),
    /// An ask had its node already when it was first seen.
    Runs {
        /// The application of the ask.
        app: AppId,
        /// The pending ask.
        ask: AskId,
        /// Where it runs.
        node: NodeId,
    },
}

/// From where the time of a decision is known, the most exact first (K8S-300).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The event of the allocation that the other scheduler gives over REST: to nanoseconds.
    RestEvent,
    /// The pod's event `Scheduled`: to microseconds.
    ScheduledEvent,
    /// The pod's event `PodBindSuccessful`: after volumes are bound.
    BindEvent,
    /// The pod's condition `PodScheduled`: to a second, after volumes are bound.
    Condition,
    /// An allocation that REST shows for a pod without a node: to an interval of polls.
    Poll,
    /// Nothing but that the pod has its node: when that was seen.
    Watch,
}

impl Source {
    /// As a person calls it, in a report.
    pub const fn words(self) -> &'static str {
        match self {
            Self::RestEvent => "REST event",
            Self::ScheduledEvent => "event Scheduled",
            Self::BindEvent => "event PodBindSuccessful",
            Self::Condition => "condition PodScheduled",
            Self::Poll => "REST allocation",
            Self::Watch => "the pod's node",
        }
    }

    /// How far the time may be off. Events of one burst are not written in the order of its decisions.
    pub const fn resolution(self) -> Duration {
        match self {
            Self::RestEvent => Duration::ZERO,
            Self::ScheduledEvent => Duration::from_millis(10),
            Self::BindEvent | Self::Condition | Self::Poll | Self::Watch => Duration::from_secs(1),
        }
    }
}

/// A decision of the other scheduler: an ask goes to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When it was made.
    pub at: Time,
    /// The application of the ask.
    pub app: AppId,
    /// The id of the ask: the UID of its pod.
    pub ask: AskId,
    /// Where it goes.
    pub node: NodeId,
    /// From where the time is known.
    pub source: Source,
}

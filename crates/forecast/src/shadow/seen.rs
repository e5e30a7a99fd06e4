//! Inputs and decisions of the other scheduler.

use std::sync::Arc;
use std::time::Duration;

use config::Config;
use model::{AppId, AskId, NodeId, Time};
use scheduler::PartitionCommand;

/// An input other than a decision.
#[derive(Clone, Debug)]
pub enum Input {
    /// A new active configuration.
    Configure(Arc<Config>),
    /// A node, an application, a request, or the end of an allocation.
    Command(PartitionCommand),
    /// It had its node when it was first seen.
    Runs {
        /// The application of the ask.
        app: AppId,
        /// The pending ask.
        ask: AskId,
        /// Where it runs.
        node: NodeId,
    },
}

/// Source of a decision's time, the most exact first (K8S-300).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The allocation event from the REST API: nanoseconds.
    RestEvent,
    /// The pod's event `Scheduled`: microseconds.
    ScheduledEvent,
    /// The pod's event `PodBindSuccessful`: after volumes are bound.
    BindEvent,
    /// Condition `PodScheduled`: seconds, after volumes are bound.
    Condition,
    /// An allocation in the REST API: the polling interval.
    Poll,
    /// When the watch reported the node.
    Watch,
}

impl Source {
    /// Returns the name for reports.
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

    /// Returns the precision. Events of one burst are not in the order of the decisions.
    pub const fn resolution(self) -> Duration {
        match self {
            Self::RestEvent => Duration::ZERO,
            Self::ScheduledEvent => Duration::from_millis(10),
            Self::BindEvent | Self::Condition | Self::Poll | Self::Watch => Duration::from_secs(1),
        }
    }
}

/// A request gets a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Time of the decision.
    pub at: Time,
    /// The application of the ask.
    pub app: AppId,
    /// Request ID: the UID of the pod.
    pub ask: AskId,
    /// Where it goes.
    pub node: NodeId,
    /// Source of the time.
    pub source: Source,
}

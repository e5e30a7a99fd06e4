//! The parts of the data that are read, and can fail, separately.

use super::plan::Query;

/// A part of the data with its own age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The list of partitions.
    Partitions,
    /// The trees of queues.
    Queues,
    /// Active applications, all or some.
    Apps,
    /// The users with their usage.
    Users,
    /// The groups with their usage.
    Groups,
    /// Nodes, all or one.
    Nodes,
    /// Applications that ended.
    Ended,
    /// The active configuration.
    Config,
    /// What has happened.
    Events,
    /// The audit and the revisions.
    Records,
    /// Additional data: pause, drains, permissions, and the user from a kornsole server; health checks.
    Related,
}

impl Part {
    /// The name in messages: `the applications`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Partitions => "the list of partitions",
            Self::Queues => "the queues",
            Self::Apps => "the list of applications",
            Self::Users => "the list of users",
            Self::Groups => "the list of groups",
            Self::Nodes => "the list of nodes",
            Self::Ended => "the list of ended applications",
            Self::Config => "the configuration",
            Self::Events => "the list of events",
            Self::Records => "the audit and the history",
            Self::Related => "drain times and permissions",
        }
    }

    /// Whether every page needs it, for the header and the tree.
    pub const fn is_basic(self) -> bool {
        matches!(self, Self::Partitions | Self::Queues)
    }
}

impl Query {
    /// The part of the data that the query loads.
    pub const fn part(&self) -> Part {
        match self {
            Self::Partitions => Part::Partitions,
            Self::Queues(_) => Part::Queues,
            Self::App(..) | Self::QueueApps(..) | Self::Apps(_) => Part::Apps,
            Self::Node(..) | Self::Nodes(_) => Part::Nodes,
            Self::Users(_) => Part::Users,
            Self::Groups(_) => Part::Groups,
            Self::Completed(_) | Self::Rejected(_) => Part::Ended,
            Self::Config => Part::Config,
            Self::Events => Part::Events,
            Self::Audit | Self::History => Part::Records,
            Self::WhoAmI
            | Self::Resting
            | Self::Draining(_)
            | Self::Quotas(_)
            | Self::Permissions(_)
            | Self::MayKill(..)
            | Self::Health
            | Self::Metrics => Part::Related,
        }
    }

    /// The name in messages: `the list of users`.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Partitions => "the list of partitions",
            Self::Queues(_) => "the queues",
            Self::App(..) => "the application",
            Self::Node(..) => "the node",
            Self::QueueApps(..) => "the applications of the queue",
            Self::Config => "the configuration",
            Self::WhoAmI => "your identity",
            Self::Resting => "whether the scheduler is paused",
            Self::Draining(_) => "drain times of queues",
            Self::Quotas(_) => "queues above their maximum",
            Self::Permissions(_) | Self::MayKill(..) => "your access",
            Self::Events => "the list of events",
            Self::Apps(_) => "the list of applications",
            Self::Users(_) => "the list of users",
            Self::Groups(_) => "the list of groups",
            Self::Nodes(_) => "the list of nodes",
            Self::Completed(_) => "the list of completed applications",
            Self::Rejected(_) => "the list of rejected applications",
            Self::Health => "its own health check",
            Self::Metrics => "its metrics",
            Self::Audit => "the audit",
            Self::History => "the history of configurations",
        }
    }
}

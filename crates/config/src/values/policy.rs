//! Policies of queues, nodes, and rule filters. [`PriorityPolicy`](model::PriorityPolicy) has its own table.

use std::fmt;

use model::allowed_values;

/// The order of the applications of a leaf (`application.sort.policy`, SCH-070).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AppSortPolicy {
    /// By time of submission.
    #[default]
    Fifo,
    /// By the share of the leaf's guaranteed resources, smallest first.
    Fair,
    /// By time of submission; a new application starts only when the previous one is running (SCH-073).
    StateAware,
}

allowed_values!(AppSortPolicy, exact, {
    Fifo: All "fifo", [], "oldest first";
    Fair: All "fair", [], "smallest share first";
    StateAware: All "stateaware", [], "oldest first, one new application at a time";
});

impl AppSortPolicy {
    /// Whether at most one application of the leaf may be starting (SCH-073).
    pub const fn starts_one_at_a_time(self) -> bool {
        match self {
            Self::Fifo | Self::Fair => false,
            Self::StateAware => true,
        }
    }

    /// Gangs require an order by submission (SCH-140).
    pub const fn accepts_gangs(self) -> bool {
        match self {
            Self::Fifo | Self::StateAware => true,
            Self::Fair => false,
        }
    }
}

impl fmt::Display for AppSortPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether priority comes before the other order (`application.sort.priority`, SCH-071).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrioritySorting {
    /// Priority first, then the sort policy.
    Enabled,
    /// The sort policy first, then priority.
    Disabled,
}

allowed_values!(PrioritySorting, any_case, {
    Enabled: All "enabled", [], "higher priorities first";
    Disabled: All "disabled", [], "the sort policy alone";
});

impl PrioritySorting {
    /// Whether priority comes first.
    pub const fn is_enabled(self) -> bool {
        match self {
            Self::Enabled => true,
            Self::Disabled => false,
        }
    }
}

/// Preemption in a queue (`preemption.policy`, SCH-150).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PreemptionPolicy {
    /// Requests in the subtree may find victims outside of it.
    #[default]
    Default,
    /// Requests in the subtree find victims only inside it.
    Fence,
    /// Requests of this queue preempt nothing, and its allocations are not victims.
    Disabled,
}

allowed_values!(PreemptionPolicy, any_case, {
    Default: All "default", [], "requests in the queue can preempt outside it";
    Fence: All "fence", [], "requests in the queue preempt only inside it";
    Disabled: All "disabled", [], "no preemption by or of the queue";
});

impl PreemptionPolicy {
    /// Whether the search for victims ends at this queue (SCH-150).
    pub const fn is_fence(self) -> bool {
        match self {
            Self::Fence => true,
            Self::Default | Self::Disabled => false,
        }
    }

    /// Whether preemption is enabled in the queue.
    pub const fn is_enabled(self) -> bool {
        match self {
            Self::Default | Self::Fence => true,
            Self::Disabled => false,
        }
    }
}

impl fmt::Display for PreemptionPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The order of nodes (`nodesortpolicy.type`, SCH-090).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NodeSortPolicy {
    /// By the weighted used share, smallest first.
    #[default]
    Fair,
    /// By the weighted used share, largest first.
    BinPacking,
}

allowed_values!(NodeSortPolicy, exact, {
    Fair: All "fair", [], "the least used node first";
    BinPacking: All "binpacking", [], "the most used node first";
});

/// The users that pass the filter of a placement rule (`filter.type`, CFG-082).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterType {
    /// Those who match.
    #[default]
    Allow,
    /// Those who do not match.
    Deny,
}

allowed_values!(FilterType, any_case, {
    Allow: All "allow", [], "allow users who match";
    Deny: All "deny", [], "deny users who match";
});

impl FilterType {
    /// An empty text is [`FilterType::Allow`].
    pub fn of_text(text: &str) -> Option<Self> {
        if text.is_empty() { Some(Self::default()) } else { Self::parse(text) }
    }

    /// Whether a type excludes matches. `exact_case`: as in the releases, which act only on lower case (switch
    /// `filter_type_case`).
    pub fn text_denies(text: &str, exact_case: bool) -> bool {
        match Self::parse(text).filter(|kind| !exact_case || kind.name() == text) {
            Some(kind) => kind.denies(),
            None => Self::default().denies(),
        }
    }

    /// Whether matches are excluded.
    pub const fn denies(self) -> bool {
        match self {
            Self::Allow => false,
            Self::Deny => true,
        }
    }
}

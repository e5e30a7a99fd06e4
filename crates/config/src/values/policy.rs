//! Policies of queues, nodes and rule filters. The table of [`PriorityPolicy`](model::PriorityPolicy) stands with its type.

use std::fmt;

use model::allowed_values;

/// The order of the applications of a leaf (`application.sort.policy`, SCH-070).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AppSortPolicy {
    /// By time of submission.
    #[default]
    Fifo,
    /// By the share of the leaf's guaranteed resources that an application holds, smallest first.
    Fair,
    /// By time of submission; a new application starts only when the one before it runs (SCH-073).
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

    /// Whether a leaf with this order takes gangs, which need an order by submission (SCH-140).
    pub const fn takes_gangs(self) -> bool {
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

/// Whether a higher priority goes before the other order (`application.sort.priority`, SCH-071).
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
    /// Whether priority is first.
    pub const fn is_enabled(self) -> bool {
        match self {
            Self::Enabled => true,
            Self::Disabled => false,
        }
    }
}

/// What preemption may do in a queue (`preemption.policy`, SCH-150).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PreemptionPolicy {
    /// Asks of this queue and below may find victims outside of it.
    #[default]
    Default,
    /// Asks of this queue and below find victims only in this queue and below.
    Fence,
    /// Asks of this queue preempt nothing, and its allocations are no victims.
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

    /// Whether preemption takes part in the queue at all.
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

/// The order in which nodes are tried (`nodesortpolicy.type`, SCH-090).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NodeSortPolicy {
    /// By the weighted share in use, smallest first.
    #[default]
    Fair,
    /// By the weighted share in use, largest first.
    BinPacking,
}

allowed_values!(NodeSortPolicy, exact, {
    Fair: All "fair", [], "the least used node first";
    BinPacking: All "binpacking", [], "the most used node first";
});

/// Whom the filter of a placement rule lets pass (`filter.type`, CFG-082).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterType {
    /// Those whom the filter names.
    #[default]
    Allow,
    /// Those whom the filter does not name.
    Deny,
}

allowed_values!(FilterType, any_case, {
    Allow: All "allow", [], "allow users who match";
    Deny: All "deny", [], "deny users who match";
});

impl FilterType {
    /// The type that a written text gives; `None` when it is no type. No text means [`FilterType::Allow`].
    pub fn of_text(text: &str) -> Option<Self> {
        if text.is_empty() { Some(Self::default()) } else { Self::parse(text) }
    }

    /// Whether a filter of the written type keeps out those who match. `exact_case`: as the releases decide, which take any case
    /// for known and then act on lower case alone (switch `filter_type_case`).
    pub fn text_denies(text: &str, exact_case: bool) -> bool {
        match Self::parse(text).filter(|kind| !exact_case || kind.name() == text) {
            Some(kind) => kind.denies(),
            None => Self::default().denies(),
        }
    }

    /// Whether those who match are kept out.
    pub const fn denies(self) -> bool {
        match self {
            Self::Allow => false,
            Self::Deny => true,
        }
    }
}

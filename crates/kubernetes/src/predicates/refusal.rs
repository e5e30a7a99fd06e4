//! Reasons of rejections (K8S-162).

use std::fmt;

/// The filters in the order of evaluation (K8S-161).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Filter {
    /// Before all nodes: the message omits its name.
    Before,
    NodeUnschedulable,
    TaintToleration,
    NodeAffinity,
    NodePorts,
    VolumeRestrictions,
    NodeVolumeLimits,
    VolumeBinding,
    VolumeZone,
    PodTopologySpread,
    InterPodAffinity,
    DynamicResources,
}

impl Filter {
    const fn name(self) -> &'static str {
        match self {
            Self::Before => "",
            Self::NodeUnschedulable => "NodeUnschedulable",
            Self::TaintToleration => "TaintToleration",
            Self::NodeAffinity => "NodeAffinity",
            Self::NodePorts => "NodePorts",
            Self::VolumeRestrictions => "VolumeRestrictions",
            Self::NodeVolumeLimits => "NodeVolumeLimits",
            Self::VolumeBinding => "VolumeBinding",
            Self::VolumeZone => "VolumeZone",
            Self::PodTopologySpread => "PodTopologySpread",
            Self::InterPodAffinity => "InterPodAffinity",
            Self::DynamicResources => "DynamicResources",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Refusal {
    pub filter: Filter,
    pub message: String,
}

impl Refusal {
    pub fn new(filter: Filter, message: impl Into<String>) -> Self {
        Self { filter, message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed plugin: '{}'\n{}", self.filter.name(), self.message)
    }
}

//! The page of all clusters.

use std::sync::Arc;
use std::time::Duration;

use crate::state::column::ClusterColumn;
use crate::state::listing::Listing;
use model::{MEMORY, VCORE};
use source::{Link, Source};
use view::{PartitionView, View};

/// All clusters that can be opened.
#[derive(Clone, Debug, Default)]
pub struct ClustersPage {
    /// In the order of the settings.
    pub known: Vec<Arc<ClusterRow>>,
    /// One row per context.
    pub list: Listing<Arc<ClusterRow>, Arc<str>, ClusterColumn>,
}

/// A cluster and its known state.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterRow {
    /// The context, otherwise the name of the source.
    pub name: Arc<str>,
    /// This is the cluster on the screen.
    pub here: bool,
    /// The state of the connection.
    pub state: ClusterState,
    /// The version, for example `YuniKorn 1.8`; empty if unknown.
    pub version: String,
    /// `None` before the first response.
    pub metrics: Option<ClusterMetrics>,
    /// The number of firing, unsilenced alerts; `None` if unknown.
    pub alerts: Option<u64>,
}

/// The state of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterState {
    /// A kubeconfig context may run a program or ask for a login.
    NotAsked,
    /// A worker thread opens it.
    Opening,
    /// Failed with this reason.
    Failed(String),
    /// Opened, with the state of its connection.
    Open(Link),
}

/// The totals of all partitions of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterMetrics {
    /// The number of nodes.
    pub nodes: u64,
    /// Usage in thousandths; `None` without a node.
    pub cpu: Option<i64>,
    /// Memory usage of all nodes, in thousandths.
    pub memory: Option<i64>,
    /// The number of running applications.
    pub running: u64,
    /// Pending cpu, in millicores.
    pub pending_vcore: i64,
    /// Pending memory, in bytes.
    pub pending_memory: i64,
}

impl ClusterRow {
    /// A cluster that has not responded.
    pub fn unseen(name: &str, state: ClusterState) -> Self {
        Self { name: name.into(), here: false, state, version: String::new(), metrics: None, alerts: None }
    }

    /// The state of a source.
    pub fn of(name: &str, source: &dyn Source) -> Self {
        let link = match source.link() {
            // The latency would differ each time.
            Link::Live { .. } => Link::LIVE,
            Link::Stale { age, cause, retry_in } => {
                Link::Stale { age: Duration::from_secs(age.as_secs()), cause, retry_in }
            }
            other => other,
        };
        let metrics = ClusterMetrics::of_view(&source.view());
        let snapshot = source.alerts().map(|board| board.snapshot()).filter(|snapshot| snapshot.at.is_some());
        let alerts = snapshot.map(|snapshot| snapshot.on().count() as u64);
        Self { version: source.version(), metrics, alerts, ..Self::unseen(name, ClusterState::Open(link)) }
    }

    /// Why the values are outdated.
    pub fn problem(&self) -> Option<&str> {
        match &self.state {
            ClusterState::Failed(why) => Some(why),
            ClusterState::Open(Link::Connecting { cause: Some(why), .. } | Link::Stale { cause: why, .. }) => Some(why),
            ClusterState::Open(Link::Refused { why, .. }) => Some(why),
            _ => None,
        }
    }
}

impl ClusterMetrics {
    /// `None` if empty.
    pub fn of_view(view: &View) -> Option<Self> {
        (!view.partitions.is_empty()).then(|| Self::of(&view.partitions))
    }

    fn of(parts: &[PartitionView]) -> Self {
        let mut all = Self::default();
        let mut sums = [(0_i128, 0_i128); 2];
        for part in parts {
            all.nodes += part.nodes.len() as u64;
            for (sum, name) in sums.iter_mut().zip([VCORE, MEMORY]) {
                sum.0 += i128::from(part.allocated.amount(name));
                sum.1 += i128::from(part.capacity.amount(name));
            }
            if let Some(root) = part.root() {
                all.running += root.running;
                all.pending_vcore = all.pending_vcore.saturating_add(root.pending.amount(VCORE));
                all.pending_memory = all.pending_memory.saturating_add(root.pending.amount(MEMORY));
            }
        }
        let share = |(used, of): (i128, i128)| (of > 0).then(|| i64::try_from(used * 1000 / of).unwrap_or(i64::MAX));
        let [cpu, memory] = sums;
        (all.cpu, all.memory) = (share(cpu), share(memory));
        all
    }
}

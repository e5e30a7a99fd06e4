//! The page of all clusters: one row for each context.

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
    /// What is known of each, in the order of the settings.
    pub known: Vec<Arc<ClusterRow>>,
    /// The rows: a context each.
    pub list: Listing<Arc<ClusterRow>, Arc<str>, ClusterColumn>,
}

/// A cluster and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterRow {
    /// The name of its context; of the cluster on the screen, which may have none, that of its source.
    pub name: Arc<str>,
    /// It is the cluster on the screen.
    pub here: bool,
    /// How it is reached.
    pub state: ClusterState,
    /// What answers: `YuniKorn 1.8`; empty while that is unknown.
    pub version: String,
    /// Its figures; `None` before the first answer.
    pub figures: Option<ClusterFigures>,
    /// How many alerts fire that nothing blocks; `None` where no rules are evaluated, or not yet.
    pub alerts: Option<u64>,
}

/// How a cluster is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterState {
    /// It is not asked: a context of the kubeconfig may run a program, or ask the person to log in.
    NotAsked,
    /// A worker thread opens it.
    Opening,
    /// It cannot be opened, for this reason.
    Failed(String),
    /// It was opened; this is how its connection is.
    Open(Link),
}

/// The figures of a cluster, over all of its partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterFigures {
    /// How many nodes it has, over all partitions.
    pub nodes: u64,
    /// What is in use of the cpu of all nodes, in thousandths; `None` without a node.
    pub cpu: Option<i64>,
    /// The same of the memory.
    pub memory: Option<i64>,
    /// How many applications run below the roots of its partitions.
    pub running: u64,
    /// Pending cpu, in millicores.
    pub pending_vcore: i64,
    /// Pending memory, in bytes.
    pub pending_memory: i64,
}

impl ClusterRow {
    /// A cluster that is not asked, or not yet.
    pub fn unseen(name: &str, state: ClusterState) -> Self {
        Self { name: name.into(), here: false, state, version: String::new(), figures: None, alerts: None }
    }

    /// What a source shows of its cluster.
    pub fn of(name: &str, source: &dyn Source) -> Self {
        let link = match source.link() {
            // How long an answer took differs each time.
            Link::Live { .. } => Link::LIVE,
            Link::Stale { age, cause, retry_in } => {
                Link::Stale { age: Duration::from_secs(age.as_secs()), cause, retry_in }
            }
            other => other,
        };
        let figures = ClusterFigures::of_view(&source.view());
        let picture = source.alerts().map(|board| board.picture()).filter(|picture| picture.at.is_some());
        let alerts = picture.map(|picture| picture.on().count() as u64);
        Self { version: source.version(), figures, alerts, ..Self::unseen(name, ClusterState::Open(link)) }
    }

    /// Why nothing newer is known; `None` while its figures are those of now.
    pub fn trouble(&self) -> Option<&str> {
        match &self.state {
            ClusterState::Failed(why) => Some(why),
            ClusterState::Open(Link::Connecting { cause: Some(why), .. } | Link::Stale { cause: why, .. }) => Some(why),
            ClusterState::Open(Link::Refused { why, .. }) => Some(why),
            _ => None,
        }
    }
}

impl ClusterFigures {
    /// What a view shows of its cluster; `None` before there is anything.
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

//! Schedulers that one can go to, each with what is known of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Where a context is written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextOrigin {
    /// In the person's settings.
    #[default]
    Settings,
    /// In the kubeconfig.
    Kubeconfig,
}

impl ContextOrigin {
    /// The word for it on the screen: `settings`, `kubeconfig`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Kubeconfig => "kubeconfig",
        }
    }
}

/// A scheduler that one can go to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextEntry {
    /// What `:context` takes: a name of the settings, or `k8s://` and a name of the kubeconfig.
    pub name: String,
    /// The address, of the API server where it is one of the kubeconfig.
    pub address: String,
    /// The user that is named for it; empty where none is.
    pub user: String,
    /// The namespace that is named for it; empty where none is.
    pub namespace: String,
    /// Where it is written down.
    pub origin: ContextOrigin,
    /// It is the current one of the kubeconfig.
    pub current: bool,
    /// The program that gives its credentials. It may want something of the person, so it is run only when requested.
    pub plugin: Option<String>,
}

/// What a context answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFacts {
    /// How long the first answer took.
    pub took: Duration,
    /// What answers, with its version: `Kubernetes v1.34.2`.
    pub version: String,
    /// Who one is there, with the groups; or why that is unknown.
    pub user: Result<String, String>,
    /// Where the scheduler is in a cluster; or why none is found.
    pub scheduler: Option<Result<String, String>>,
}

/// What is known of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextState {
    /// An answer is awaited.
    Asked,
    /// It answered with these.
    Reached(ContextFacts),
    /// It did not, for this reason.
    Failed(String),
}

/// All contexts, and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    /// Those that there are, by name.
    pub all: Vec<Arc<ContextEntry>>,
    /// What is known of each, by name; nothing of those that were not asked.
    pub known: BTreeMap<String, ContextState>,
    /// The one that is examined, where it was opened by its name.
    pub here: Option<String>,
    /// Why the kubeconfig is invalid.
    pub fault: Option<String>,
}

impl Contexts {
    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|one| one.name.as_str())
    }
}

/// The page of the contexts. It is no list of the scheduler's, so it is there also while that cannot be reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContextsPage {
    /// The context under the cursor, by its place.
    pub index: usize,
    /// The first line on the screen.
    pub top: usize,
}

//! Schedulers that can be opened, and their known state.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Where a context is defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextOrigin {
    /// The user's settings.
    #[default]
    Settings,
    /// In the kubeconfig.
    Kubeconfig,
}

impl ContextOrigin {
    /// The displayed name: `settings`, `kubeconfig`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Kubeconfig => "kubeconfig",
        }
    }
}

/// A scheduler that can be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextEntry {
    /// A name from the settings, or `k8s://CONTEXT`.
    pub name: String,
    /// The address of the server or the API server.
    pub address: String,
    /// The configured user; may be empty.
    pub user: String,
    /// The configured namespace; may be empty.
    pub namespace: String,
    /// Where it is defined.
    pub origin: ContextOrigin,
    /// It is the current kubeconfig context.
    pub current: bool,
    /// It may prompt the user, so it runs only on request.
    pub plugin: Option<String>,
}

/// The response of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFacts {
    /// The latency of the first response.
    pub took: Duration,
    /// The product and version: `Kubernetes v1.34.2`.
    pub version: String,
    /// The user with groups there, or why unknown.
    pub user: Result<String, String>,
    /// The scheduler in a cluster, or why none was found.
    pub scheduler: Option<Result<String, String>>,
}

/// The known state of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextState {
    /// A response is awaited.
    Asked,
    /// It answered with these.
    Reached(ContextFacts),
    /// It failed with this reason.
    Failed(String),
}

/// All contexts and their known state.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    /// The contexts, sorted by name.
    pub all: Vec<Arc<ContextEntry>>,
    /// The state by name, for contexts that were contacted.
    pub known: BTreeMap<String, ContextState>,
    /// The shown context, if opened by name.
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

/// Works while the scheduler is unreachable.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContextsPage {
    /// The row under the cursor.
    pub index: usize,
    /// The first visible line.
    pub top: usize,
}

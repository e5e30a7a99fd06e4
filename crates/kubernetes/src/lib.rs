//! Kubernetes as the resource manager: manifests in, commands of the scheduler out, and the filters of Kubernetes as its predicates.
//!
//! ```text
//!  manifests ──> Cluster ──> Recovery: nodes, submissions, asks, what runs ──> Scheduler
//!                       └──> Snapshot: its predicates
//! ```
//!
//! Invariants:
//! - pure: texts and objects go in, values come out;
//! - what cannot be mapped is reported with its namespace, name and reason, and stops nothing else;
//! - a pod that needs what is not there yet is unchanged, and never requested.
//!
//! Where to read: `manifests` reads texts, `admission` completes pods, and `workloads` creates those of other objects;
//! `recovery` is the order in which a cluster is brought to a scheduler; `application`, `gang`, `ask`, `pod_resources` and
//! `node` are the mapping of one object each; [`predicates`] are the filters; [`dry_run`] schedules a cluster that is stopped, and
//! `recovered` is one to fork; `beside` is for a twin of a scheduler elsewhere.

mod admission;
mod application;
mod ask;
mod beside;
mod cluster;
mod created;
pub mod dry_run;
mod gang;
mod gang_hints;
mod held;
pub mod live;
mod making;
mod manifests;
mod moment;
mod names;
mod namespace;
mod node;
mod not_yet;
mod objects;
mod outline;
mod pod_resources;
pub mod predicates;
pub mod quantity;
mod quota;
mod recovered;
mod recovery;
pub mod submitted;
#[cfg(test)]
mod tests;
mod unlisted;
mod values;
mod workloads;

pub use application::Users;
pub use beside::{AskSeen, Beside, Listed, NotListed};
pub use cluster::Cluster;
pub use held::HeldPod;
pub use manifests::{ManifestReport, Manifests, read_manifests};
pub use outline::{PodOutline, allocatable};
pub use recovered::Recovered;
pub use recovery::{LeftAlone, Recovery, Settings};
pub use values::values;

//! Kubernetes as the resource manager: manifests in, scheduler commands out, and the filters of Kubernetes as
//! predicates.
//!
//! ```text
//!  manifests ──> Cluster ──> Recovery: nodes, submissions, asks, what runs ──> Scheduler
//!                       └──> Snapshot: its predicates
//! ```
//!
//! Invariants:
//! - pure: texts and objects in, values out;
//! - what cannot be mapped is reported with its namespace, name, and reason, and stops nothing else;
//! - a pod with a missing dependency stays unchanged and is not requested.
//!
//! Where to read: `manifests` parses texts, `admission` completes pods, and `workloads` creates the pods of other
//! objects; `recovery` has the order in which a cluster is loaded into a scheduler; `application`, `gang`, `ask`,
//! `pod_resources`, and `node` each map one object; [`predicates`] are the filters; [`dry_run`] schedules a stopped
//! cluster, and `recovered` is one to fork; `beside` is for a simulation copy.

mod admission;
mod application;
mod ask;
mod blocked;
mod cluster;
mod context;
mod created;
pub mod dry_run;
mod gang;
mod gang_hints;
mod limit_range;
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
mod pruned;
pub mod quantity;
mod quota;
mod quota_scope;
mod recovered;
mod recovery;
mod rejections;
pub mod submitted;
#[cfg(test)]
mod tests;
mod unlisted;
mod validity;
mod values;
mod workloads;

pub use application::Users;
pub use blocked::BlockedPod;
pub use cluster::Cluster;
pub use context::{AskSeen, ClusterContext, Listed, NotListed};
pub use manifests::{ManifestReport, Manifests, ParsedManifest, read_manifests};
pub use outline::{GangOutline, PodOutline, allocatable};
pub use pruned::Pruned;
pub use recovered::Recovered;
pub use recovery::{LeftAlone, Recovery, Settings};
pub use values::values;

//! Kubernetes clusters.
//!
//! - [`kube`] is a cluster by a kubeconfig: the way to its scheduler, its ConfigMaps, pods and nodes;
//! - [`shim`] is the half of a scheduler that speaks with Kubernetes: watches, bindings, the lease.
//!
//! Invariant: what pods and nodes mean for the scheduler is decided in the pure crate `kubernetes`; here are only requests.

pub mod kube;
pub mod shim;

/// Boxed: otherwise each crate that awaits an `async fn` compiles its code again, a third of what the callers would
/// compile.
pub type Answer<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

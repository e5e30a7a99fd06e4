//! Kubernetes clusters.
//!
//! - [`kube`] is a cluster by a kubeconfig: the path to its scheduler, its ConfigMaps, pods, and nodes;
//! - [`shim`] is the part of a scheduler that communicates with Kubernetes: watches, bindings, the lease.
//!
//! Invariant: the pure crate `kubernetes` decides the meaning of pods and nodes; this crate only sends requests.

pub mod kube;
pub mod shim;

/// Boxed: otherwise each crate that awaits an `async fn` compiles its code again.
pub type Answer<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

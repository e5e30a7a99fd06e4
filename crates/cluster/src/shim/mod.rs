//! The shim: the half of a scheduler in Kubernetes that speaks with Kubernetes. It follows the objects of a cluster, feeds the engine by
//! [`kubernetes::live`], and carries out what that decides.
//!
//! ```text
//!  API server ──watches──> Feed ──> Shim (thread `shim`) ──batches──> engine: Live ──deeds──> Hands ──writes──> API server
//!                                      ^──────────────────outcomes──────────────────────────────┘
//! ```
//!
//! Invariants:
//! - nothing is decided before every kind has been listed once and all of it is taken over;
//! - what was missed is listed again, and what is not in that list no longer exists;
//! - only who holds the lease writes, and only while more than some seconds of it are left ([`lease`]);
//! - a pod is named by its UID in every write; a write is sent once, and what came of it goes back to the mapping.
//!
//! Where to read: [`Shim`], then [`feed`], [`hands`], [`lease`]. [`copy`] follows the same objects for explanations of an attached cluster.

pub mod configuration;
pub mod copy;
mod core_sink;
mod deciding;
pub mod feed;
mod fence;
mod hands;
pub mod lease;
pub mod probes;
pub mod process;
mod review;
mod running;
pub mod shadow;
mod stopper;
mod words;

pub use self::core_sink::CoreSink;
pub use self::feed::{Feed, FeedChange};
pub use self::fence::Fence;
pub use self::running::{Options, Serving, Shim, Started};
pub use self::stopper::Stopper;

use std::time::{SystemTime, UNIX_EPOCH};

use model::Time;

/// The time of day, counted from 1970.
pub fn time_of_day() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}

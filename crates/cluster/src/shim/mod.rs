//! The shim: the part of a scheduler that communicates with Kubernetes.
//!
//! ```text
//!  API server ──watches──> Feed ──> Shim (thread `shim`) ──batches──> engine: Live ──deeds──> Hands ──writes──> API server
//!                                      ^──────────────────outcomes──────────────────────────────┘
//! ```
//!
//! Invariants:
//! - nothing is decided before every kind was listed and loaded;
//! - missed changes are listed again, and objects that are not in the list are removed;
//! - only the holder of the lease writes, and only while some seconds of it are left ([`lease`]);
//! - a write names the pod's UID and is sent once; its result goes back to the mapping.

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

/// Returns the time since 1970.
pub fn time_of_day() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}

//! The usage of users and groups, and the limits that apply to them (`acl-and-users.md` sections 5 to 11, SCH-120 to
//! SCH-128).
//!
//! Invariants:
//! - usage is tracked for users with an active application, and groups under which one counts. A tracker has a level
//!   for each queue with such an application in its subtree, and is removed with the last level;
//! - the sums of a level are those of its applications; [`crate::inspect::invariants`] recounts them;
//! - the limits of an application are computed at its first attempt, and after a change of configuration, queue, or
//!   group.
//!
//! [`limits`] has a queue's limits, [`tracker`] the sums, [`account`] the part of an application, [`totals`] combines
//! them. [`user_limits`](super::user_limits) uses them in a cycle and applies new limits.
//!
//! Known limits: under a release's profile the limits of the last loaded partition apply to all partitions (LIM-017),
//! but usage is counted per partition.

pub mod account;
pub mod limits;
pub mod side;
pub mod totals;
pub mod tracked_resources;
pub mod tracker;

pub use account::{Account, Bound};
pub use limits::QueueLimits;
pub use side::Side;
pub use totals::Usage;
pub use tracker::{QueueUsage, Tracker, Trackers};

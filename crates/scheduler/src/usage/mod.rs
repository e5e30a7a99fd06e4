//! The usage of users and groups, and the limits that apply to them (`acl-and-users.md` sections 5 to 11, SCH-120 to
//! SCH-128).
//!
//! Invariants:
//! - usage is tracked for every user with a live application, and for every group that an application counts under;
//!   a tracker has a level for each queue with such an application in or below it, and no longer exists with the last of them;
//! - the sums of a level are those of the applications that count there; [`crate::inspect::invariants`] recounts them;
//! - the limits of an application are worked out once, at its first scheduling attempt, and again when the
//!   configuration, its queue or its group changes. An application without limits carries an empty list, so that a cycle
//!   asks nothing more for it.
//!
//! Where to read: [`limits`] has a queue's limits by user and group, [`tracker`] the sums, [`account`] the part of an application;
//! [`totals`] brings them together. [`user_limits`](super::user_limits) asks all this in a cycle and brings new limits into force.
//!
//! Known limits: under a release's profile the limits of the partition loaded last hold in all partitions (LIM-017), but the
//! usage of a user is still counted in each partition by itself.

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

//! The scheduler core: a deterministic state machine, [`Scheduler::apply`].
//!
//! Invariants:
//! - pure: no IO, no clock, no thread, no randomness; time arrives as an argument, and the same commands at the same
//!   times give the same state and the same events, on every machine;
//! - nothing is ever decided by the order of a hash map: hash maps here only look up ([`index`] has no way to walk one);
//! - every command is all or nothing: what is refused changes nothing and says why;
//! - every counter that a command moves is moved in that command; [`inspect::invariants`] compares them all with a recount.
//!
//! Where to read: [`interface`] is the way in (commands), the way out (events) and the options. [`state`] holds applications, nodes,
//! queues and partitions. [`commands`] carries out what resource managers and administrators do, [`configuration`] loads
//! configurations. [`cycle`] is one scheduling cycle, `preemption` makes room in it. [`gang`] has placeholders and their replacement,
//! [`placement`] the queue of an application, `lifecycle` the state machine of applications with its timers. [`usage`] is the usage of
//! users and groups, [`user_limits`] their limits at work. [`inspect`] answers without changing anything; [`shareable`] makes a fork cheap.

mod adopt;
mod apply;
pub mod commands;
pub mod configuration;
pub mod cycle;
pub mod gang;
pub mod index;
pub mod inspect;
pub mod interface;
mod lifecycle;
pub mod placement;
mod preemption;
pub mod saved;
pub mod shareable;
pub mod state;
pub mod usage;
pub mod user_limits;

pub use crate::adopt::Adopted;
pub use crate::commands::admin::{may_take, may_touch};
pub use crate::configuration::queue_drain::{Draining, DrainingApp};
pub use crate::inspect::dry_run::CleaningPlan;
pub use crate::interface::command::{
    AskSpec, Command, ForeignAllocation, GangStyle, NodeSpec, PartitionCommand, Submission,
};
pub use crate::interface::denial::{Denial, Misfit, MisfitKind};
pub use crate::interface::event::{Event, EventKind, ReleaseReason, RunnableCause};
pub use crate::interface::switches::Switches;
pub use crate::interface::tuning::{Tuning, Turns};
pub use crate::preemption::quota;
pub use crate::state::partition::Partition;
pub use crate::state::predicates::{Copies, Predicates};
pub use crate::state::scheduler::Scheduler;
pub use lifecycle::COMPLETING;

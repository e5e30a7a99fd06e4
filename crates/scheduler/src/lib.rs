//! The scheduler core: a deterministic state machine, [`Scheduler::apply`].
//!
//! Invariants:
//! - pure: no IO, no clock, no thread, no randomness. The same commands at the same times give the same state and
//!   events on every machine;
//! - the order of a hash map never decides anything ([`index`]);
//! - a rejected command changes nothing and reports the reason;
//! - a command changes all counters that it affects; [`inspect::invariants`] compares them with a recount.
//!
//! Where to read: [`interface`] has the commands, events, and options, [`state`] the data. [`commands`] applies what
//! resource managers and administrators do, [`configuration`] loads configurations. [`cycle`] is one scheduling cycle,
//! `preemption` frees resources in it. [`gang`] has placeholders, [`placement`] selects the queue of an application,
//! `lifecycle` is the state machine of applications. [`usage`] counts users and groups, [`user_limits`] checks their
//! limits. [`inspect`] answers without a change; [`shareable`] makes forks cheap.

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
pub use crate::interface::tuning::Tuning;
pub use crate::preemption::quota;
pub use crate::state::partition::Partition;
pub use crate::state::predicates::{Copies, Predicates};
pub use crate::state::scheduler::Scheduler;
pub use lifecycle::COMPLETING;

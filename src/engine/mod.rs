//! One owner of one scheduler: commands in, views out.
//!
//! [`Core`] is the engine without a thread: it carries out what is due in virtual time, in the order in which it is due, so that the
//! same workload gives the same history however fast the clock runs. [`Engine`] runs a core on a thread of its own by a
//! [`Clock`]; tests and tapes step a core by hand.
//!
//! Invariants:
//! - nobody but its owner touches the scheduler; everybody else reads the published view;
//! - a workload and the timers act at their own times, not at the time when the thread got round to them.

mod ahead;
mod audit;
pub mod clock;
mod configure;
pub mod core;
pub mod counters;
pub mod events;
pub mod host;
pub mod journal;
mod keep;
pub mod ledger;
mod owner;
mod perform;
pub mod setup;
pub mod tell;
pub mod thread;
pub mod watch;

pub use clock::Clock;
pub use core::{Core, Progress};
pub use counters::{BOUNDS, Counters, Counts, Latency, QueueCounts};
pub use events::{EventLog, Numbering};
pub use host::Host;
pub use journal::Journal;
pub use keep::Stretch;
pub use ledger::Ledger;
pub use setup::Setup;
pub use tell::{DrainReport, Hook};
pub use thread::{Engine, Published};
pub use watch::FileWatch;

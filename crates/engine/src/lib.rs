//! One owner of one scheduler: commands in, views out.
//!
//! [`Core`] is the engine without a thread: it carries out everything in virtual time, in the order of the due times. So the
//! same workload gives the same history however fast the clock runs. [`Engine`] runs a core on a thread of its own by a
//! [`Clock`]; tests and tapes step a core by hand.
//!
//! Where to read: [`state`] is the data; [`run_loop`] does what is due; [`orders`] checks and carries out orders, with [`configure`] for
//! those that replace the configuration; [`config_load`] brings configurations in from elsewhere, [`workload_config`] those of the
//! workload; [`audit`] writes the audit, [`explain`] answers why something waits, [`forecast`] runs several what-ifs, [`trial`] makes a
//! core of a fork, and [`suppose`] makes changes in it. [`replay`] and [`save`] bring a state back from the [`journal`]; [`earlier`] is what is left of a run without one. On the thread, [`owner`] takes requests, and [`output`]
//! sends records, views and answers out; other threads use a [`handle`].
//!
//! Invariants:
//! - only the owner touches the scheduler; all other threads read the published view;
//! - a workload and the timers act at their own times, not at the time when the thread had its turn.

mod active_config;
mod audit;
pub mod audit_log;
pub mod call;
pub mod clock;
mod config_cache;
mod config_load;
mod config_prefetch;
mod configure;
pub mod core;
pub mod counters;
pub mod drain_hooks;
pub mod drain_report;
pub mod earlier;
mod event_outbox;
pub mod events;
pub mod explain;
pub mod file_lock;
pub mod forecast;
pub mod handle;
pub mod host;
pub mod journal;
mod ledger_book;
mod orders;
mod output;
mod owner;
mod prepared;
pub mod published;
mod rejected;
mod replay;
mod request;
pub mod run_loop;
mod save;
pub mod setup;
mod state;
mod suppose;
mod trial;
pub mod watch;
mod workload_config;

pub use audit_log::AuditLog;
pub use clock::{Clock, ClockRun};
pub use config_load::rejected_file;
pub use core::Core;
pub use counters::{BOUNDS, Counters, Counts, Latency, QueueCounts};
pub use drain_hooks::DrainHook;
pub use drain_report::DrainReport;
pub use earlier::Earlier;
pub use events::{EventLog, Numbering};
pub use handle::Engine;
pub use host::Host;
pub use journal::Journal;
pub use ledger_book::LedgerBook;
pub use published::Published;
pub use run_loop::Progress;
pub use setup::Setup;
pub use watch::FileWatch;

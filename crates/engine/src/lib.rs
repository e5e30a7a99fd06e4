//! The owner of one scheduler: commands in, views out.
//!
//! A [`Core`] executes everything in virtual time, in the order of due times, so a workload gives the same history at
//! any clock speed. An [`Engine`] runs a core on its own thread by a [`Clock`].
//!
//! `state` is the data; `run_loop` does what is due; `orders` executes orders; `replay` and `save` restore a state from
//! the [`journal`]. `owner` is the thread, and [`handle`] is for other threads.
//!
//! Invariants:
//! - only the owner accesses the scheduler; all other threads read the published view;
//! - a workload and timers act at their own times, not when the thread runs.

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
mod drained;
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

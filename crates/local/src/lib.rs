//! Local jobs: the embedded scheduler runs real processes on this machine.
//!
//! A job is an application with one ask. When the scheduler allocates it, the daemon gives it a *supervisor* (`kornsole-job
//! local-run`, [`part`]), which starts the command, holds its output and its exit status, and outlives the daemon. When the supervisor says that the job
//! has ended, or no longer exists, the daemon reads how it ended and releases the allocation. The supervisor then waits a moment for another job ([`line`]).
//!
//! Read first: [`job`] (what is kept of a job), [`reconcile`] (what the daemon does when the view changes or a job ends), [`supervise`].
//!
//! Invariants:
//! - the scheduler decides: a process is started for an allocation of the view and for nothing else, and stopped when that no longer exists;
//! - the kernel names the user at the other end of the socket; the peer's own word does not count;
//! - an attempt is started once: its supervisor claims it by a link that only one process can make;
//! - a job ends once, with the exit status that its supervisor wrote, even if the daemon ends meanwhile;
//! - run by root, a command is started only after the user, the groups and `no_new_privs` are set, by a process of its own.

mod accounts;
pub mod after;
mod array;
pub mod attach;
mod background;
pub mod cgroup;
mod changes;
pub mod client;
pub mod daemon;
pub mod dialect;
mod drained;
pub mod filter;
pub mod helper;
pub mod hook;
pub mod job;
mod job_files;
mod kept_output;
mod known;
pub mod launch;
mod limits;
mod line;
mod listing;
pub mod machine;
mod meter;
mod node_file;
mod offer;
pub mod output;
pub mod part;
pub mod peer;
mod pending;
mod placing;
pub mod process;
pub mod queues;
pub mod reconcile;
mod requests;
mod requeue;
mod running;
mod safe_path;
pub mod server;
pub mod shared;
mod starting;
pub mod store;
pub mod submission;
mod submitted_log;
pub mod supervise;
mod table;
pub mod task;
pub mod terminal;
mod usage;
mod user_file;
pub mod wire;
pub mod words;

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970, by the machine's clock.
pub fn wall_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

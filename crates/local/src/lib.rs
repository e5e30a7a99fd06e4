//! Local jobs: the embedded scheduler runs real processes on this machine.
//!
//! A job is an application with one request. After its allocation, the daemon starts a *supervisor* (`kornsole-job
//! local-run`, [`part`]). The supervisor starts the command, stores its output and exit status, and outlives the
//! daemon. When the supervisor reports the end of the job or exits, the daemon reads the result and releases the
//! allocation. The supervisor then waits briefly for another job ([`line`]).
//!
//! Read first: [`job`] (the record of a job), [`reconcile`] (the reaction to a new view or the end of a job),
//! [`supervise`].
//!
//! Invariants:
//! - the scheduler decides: a process runs only for an allocation of the view, and is stopped when the allocation is
//!   removed;
//! - the kernel identifies the user at the other end of the socket;
//! - an attempt is started once: its supervisor claims it by a link that only one process can create;
//! - a job ends once, with the exit status from its supervisor, even if the daemon ends meanwhile;
//! - run by root, a command starts only after a separate process has set the user, the groups, and `no_new_privs`.

mod accounts;
pub mod after;
mod array;
mod arrays;
pub mod attach;
mod attempts;
mod awaited;
mod background;
mod busy;
pub mod cgroup;
mod changes;
pub mod client;
mod crowd;
pub mod daemon;
pub mod dialect;
mod drained;
mod earlier_files;
pub mod filter;
pub mod helper;
pub mod history;
pub mod hook;
mod interned;
pub mod job;
mod job_files;
pub mod launch;
mod limits;
mod line;
mod listing;
pub mod machine;
mod meter;
mod node_file;
mod offer;
mod outcome;
pub mod output;
pub mod part;
pub mod peer;
mod pending;
mod placing;
pub mod process;
pub mod queues;
pub mod reconcile;
mod record;
mod requests;
mod requeue;
mod running;
mod safe_path;
pub mod server;
mod starting;
mod states;
pub mod store;
mod stored;
mod stored_output;
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

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use view::drain::span;

/// Returns the machine's time in milliseconds since 1970.
pub fn wall_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// How long something takes that is not known to the second: `40s`, `12m`, `2h 5m`.
pub fn about_ms(ms: u64) -> String {
    let minutes = (ms + 30_000) / 60_000;
    span(match ms.div_ceil(1000) {
        seconds @ 0..60 => Duration::from_secs(seconds),
        _ => Duration::from_secs(minutes * 60),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn future_times_are_rounded_to_minutes() {
        let reported = [1, 40_000, 59_500, 725_000, 3_600_000, 7_500_000].map(about_ms);
        assert_eq!(reported, ["1s", "40s", "1m", "12m", "1h", "2h 5m"]);
    }
}

//! Jobs on this machine, side by side with task-spooler (`tsp`) and pueue (`pueue`, `pueued`) where they are installed: how long a
//! submission takes from the start of its command to its end, how many short jobs are run in a second on two slots and on 500, and what the daemon
//! holds of memory and uses of processors while nothing happens.
//!
//! Prints one line for each figure. `cargo bench --bench local`; `-- --jobs N` runs more of them.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench is a program for its own people")]

#[cfg(target_os = "linux")]
mod run;

fn main() {
    #[cfg(target_os = "linux")]
    run::all();
}

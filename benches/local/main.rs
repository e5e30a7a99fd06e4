//! Local jobs compared with task-spooler (`tsp`) and pueue (`pueue`, `pueued`) if installed.
//!
//! Prints one line per metric. `cargo bench --bench local`; `-- --jobs N` runs more jobs.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench is a program for its own people")]

#[cfg(target_os = "linux")]
mod run;

fn main() {
    #[cfg(target_os = "linux")]
    run::all();
}

//! Local jobs compared with task-spooler (`tsp`), pueue (`pueue`, `pueued`), and Slurm (`sbatch`) if they are there.
//!
//! Prints one line per metric. `cargo bench --bench local`; `-- --jobs N --pending N` sets the numbers of jobs, and
//! `--program FILE` measures another kornsole program, for example an installed one. `--only WHO` measures one queue.
//! Slurm must be running: its daemons are not started here.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench is a program for its own people")]

#[cfg(target_os = "linux")]
mod daemon;
#[cfg(target_os = "linux")]
mod measure;
#[cfg(target_os = "linux")]
mod queue;
#[cfg(target_os = "linux")]
mod run;

fn main() {
    #[cfg(target_os = "linux")]
    run::all();
}

//! Local jobs compared with task-spooler (`tsp`), pueue, and Slurm if they are there. `-- --jobs N --pending N`;
//! `--program FILE` measures another kornsole program, `--only WHO` one queue. Slurm must be running.

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

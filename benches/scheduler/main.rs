//! What single commands and cycles cost, by what there is: queues, applications, nodes, depth; full clusters, reloads, storms of
//! releases and of preemption, views.
//!
//! `cargo bench --bench scheduler` takes some minutes; a group alone: `cargo bench --bench scheduler -- cycles`. Beside the time each
//! line has what was allocated for it. `cargo test --bench scheduler` runs everything once, small.

#![allow(clippy::expect_used, reason = "a bench is a program for its own people")]

mod cycles;
mod explain;
mod full;
mod reload;
mod storms;
mod views;
mod world;

/// That of the program; what is allocated is counted and stands in the table beside the times.
#[global_allocator]
static ALLOCATOR: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

fn main() {
    divan::main();
}

/// The sizes of a bench: `full` ones when it measures, the `small` one when it only has to run.
pub fn sizes(full: &'static [usize], small: usize) -> Vec<usize> {
    if std::env::args().any(|argument| argument == "--bench") { full.to_vec() } else { vec![small] }
}

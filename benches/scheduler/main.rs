//! The cost of single commands and cycles by size of the cluster; full clusters, reloads, storms, and views.
//!
//! `cargo bench --bench scheduler` takes some minutes; one group: `cargo bench --bench scheduler -- cycles`. Each line
//! also has the allocated memory. `cargo test --bench scheduler` runs everything once, small.

#![allow(clippy::expect_used, reason = "a bench is a program for its own people")]

mod cycles;
mod explain;
mod full;
mod reload;
mod storms;
mod views;
mod world;

/// The program's allocator; the table lists allocations next to the times.
#[global_allocator]
static ALLOCATOR: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

fn main() {
    divan::main();
}

/// `small` for tests.
pub fn sizes(full: &'static [usize], small: usize) -> Vec<usize> {
    if std::env::args().any(|argument| argument == "--bench") { full.to_vec() } else { vec![small] }
}

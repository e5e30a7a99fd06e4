//! Single commands and cycles by size of the cluster; full clusters, reloads, storms, and views. One group: `cargo
//! bench --bench scheduler -- cycles`.

#![allow(clippy::expect_used, reason = "a bench is a program for its own people")]

mod cycles;
mod explain;
mod full;
mod reload;
mod storms;
mod views;
mod world;

/// Its allocations are in the table.
#[global_allocator]
static ALLOCATOR: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

fn main() {
    divan::main();
}

/// `small` for tests.
pub fn sizes(full: &'static [usize], small: usize) -> Vec<usize> {
    if std::env::args().any(|argument| argument == "--bench") { full.to_vec() } else { vec![small] }
}

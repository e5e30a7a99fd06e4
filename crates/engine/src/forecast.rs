//! Runs several what-ifs from one state on several threads.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use forecast::whatif::{self, Bounds, Fork, Job, Pair, Plan, Unfinished};

/// Runs a pair for each seed, in order; without seeds, one pair. At most this many threads run, each with two copies of
/// the state.
///
/// # Errors
/// Returns an error if a run was stopped or takes too long.
pub fn pairs(
    fork: &Fork,
    plan: &Plan,
    seeds: &[u64],
    bounds: Bounds,
    threads: usize,
    may_continue: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Pair>, Unfinished> {
    if seeds.is_empty() {
        let pair = match threads {
            0 | 1 => whatif::run(fork, plan, bounds, &may_continue),
            _ => whatif::run_by(fork, plan, bounds, &may_continue, &on_two_threads),
        };
        return pair.map(|pair| vec![pair]);
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(seed) = seeds.get(number) else { return };
            let plan = Plan { seed: Some(*seed), ..plan.clone() };
            let bounds = Bounds { trace_lines: if number == 0 { bounds.trace_lines } else { 0 }, ..bounds };
            let pair = whatif::run(fork, &plan, bounds, &may_continue);
            if pair.is_err() {
                // The other results are not needed.
                next.store(seeds.len(), Ordering::Relaxed);
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, pair));
        }
    };
    std::thread::scope(|scope| {
        (1..threads.min(seeds.len())).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, pair)| pair).collect()
}

/// Runs both runs of a pair in parallel.
pub fn on_two_threads(one: Job<'_>, other: Job<'_>) {
    std::thread::scope(|scope| {
        scope.spawn(one);
        other();
    });
}

//! Forecasts the effect of another configuration in the next minutes: tried on a copy, in which allocations end like
//! earlier ones of their queue.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use forecast::whatif::{
    Arrivals, Bounds, Fork, HistoryKey, LONG_WAIT, Metrics, Pair, Plan, RuntimeRule, Span, Step, run,
};
use model::{QueuePath, Resource, VCORE};
use view::units::show_amount;

/// The time range, in scheduler time.
pub const AHEAD: Duration = Duration::from_secs(600);
/// A cluster with more decisions than this gets a message instead.
const BOUNDS: Bounds = Bounds { cycles: 200_000, trace_lines: 0 };
const MOST_QUEUES: usize = 6;

/// Receives the lines or an error, once, from any thread; never after a stop.
pub type ForecastAnswer = Box<dyn FnOnce(Result<Vec<String>, String>) + Send>;

/// Stops work whose result is no longer needed.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Stops the work.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the result is still needed.
    pub fn is_clear(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

/// Returns the effects of a configuration on a fork; `None` if stopped.
pub fn forecast(fork: &Fork, text: Arc<str>, stop: &StopFlag) -> Option<Result<Vec<String>, String>> {
    let plan = Plan {
        steps: vec![Step::Config(text)],
        span: Span::For(AHEAD),
        runtimes: vec![RuntimeRule::History(HistoryKey::Queue)],
        seed: None,
        arrivals: Arrivals::default(),
        long_wait: LONG_WAIT,
        node_groups: Vec::new(),
    };
    match run(fork, &plan, BOUNDS, &|| stop.is_clear()) {
        Ok(pair) => Some(Ok(lines(&pair))),
        Err(_) if !stop.is_clear() => None,
        Err(_) => Some(Err(format!("it needs more than {} cycles", BOUNDS.cycles))),
    }
}

fn lines(pair: &Pair) -> Vec<String> {
    if let Some(refused) = pair.refused.first() {
        return vec![format!("the copy rejects it: {}", refused.why)];
    }
    let mut lines = vec![pair.comparison.verdict.clone()];
    let mut queues: BTreeMap<&QueuePath, String> = BTreeMap::new();
    for (queue, (without, with)) in &pair.comparison.queues {
        let (without, with) = (without.clone().unwrap_or_default(), with.clone().unwrap_or_default());
        // The leaves already cover a parent.
        let is_parent = pair.comparison.queues.keys().any(|other| other != queue && other.is_within(queue));
        let line = if is_parent { String::new() } else { of_queue(&without, &with) };
        if !line.is_empty() {
            queues.insert(queue, line);
        }
    }
    let more = queues.len().saturating_sub(MOST_QUEUES);
    lines.extend(queues.iter().take(MOST_QUEUES).map(|(queue, line)| format!("{queue}: {line}")));
    if more > 0 {
        lines.push(format!("and {more} queues more"));
    }
    lines.push(pair.runtimes.clone());
    lines
}

fn of_queue(without: &Metrics, with: &Metrics) -> String {
    let mut parts = Vec::new();
    let taken = with.taken.sub(&without.taken);
    let amounts = |all: &Resource, symbol: i64| {
        let some = all.iter().filter(|(_, amount)| amount.signum() == symbol);
        let words = some.map(|(name, amount)| {
            format!("{} {}", show_amount(name, amount.saturating_abs()), if name == VCORE { "cpu" } else { name })
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let mut report = |amounts: String, before: &str, after: &str| {
        if !amounts.is_empty() {
            parts.push(format!("{before}{amounts}{after}"));
        }
    };
    report(amounts(&taken, 1), "is preempted by ", "");
    report(amounts(&taken, -1), "is preempted by ", " less");
    let used = with.allocated.sub(&without.allocated);
    report(amounts(&used, 1), "uses ", " more at the end");
    report(amounts(&used, -1), "uses ", " less at the end");
    match (without.waiting, with.waiting) {
        (one, other) if one < other => parts.push(format!("{} more wait at the end", asks(other - one))),
        (one, other) if one > other => parts.push(format!("{} fewer wait at the end", asks(one - other))),
        _ => {}
    }
    parts.join(", ")
}

fn asks(count: u64) -> String {
    if count == 1 { "1 request".to_owned() } else { format!("{count} requests") }
}

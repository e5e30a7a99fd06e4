//! Progress of runs: done, remaining, and rate.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use forecast::simulate::Done;
use forecast::simulate::target::time;

const PERIOD: Duration = Duration::from_millis(250);
const PERIOD_OF_LINES: Duration = Duration::from_secs(10);
const NAMED: usize = 4;

pub(super) type Reported<'s> = dyn Fn(&str) + Sync + 's;

pub(super) type Watch<'w> = (&'w AtomicBool, &'w Reported<'w>);

/// On a terminal one line that is replaced, and cleared by an empty one; otherwise lines every few seconds.
pub(super) fn on_stderr() -> impl Fn(&str) + Sync {
    let terminal = std::io::stderr().is_terminal();
    let last = Mutex::new(Instant::now());
    move |words| {
        let words = crate::cli::printed::safe(words);
        // An error on stderr must not stop the command.
        if terminal {
            let _written = write!(std::io::stderr(), "\r\x1b[2K{words}");
            return;
        }
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= PERIOD_OF_LINES && !words.is_empty() {
            *last = Instant::now();
            let _written = writeln!(std::io::stderr(), "{words}");
        }
    }
}

pub(super) struct Progress<'s> {
    head: String,
    all: usize,
    started_at: Instant,
    state: Mutex<State>,
    reported: &'s Reported<'s>,
}

#[derive(Default)]
struct State {
    done: usize,
    under_way: BTreeMap<usize, Done>,
    shown: Option<Instant>,
}

impl<'s> Progress<'s> {
    pub fn new(head: impl Into<String>, all: usize, reported: &'s Reported<'s>) -> Self {
        let progress = Self { head: head.into(), all, started_at: Instant::now(), state: Mutex::default(), reported };
        progress.print_line(&State::default());
        progress
    }

    /// Cheap enough for frequent calls.
    pub fn advance(&self, run: usize, done: Done) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.under_way.insert(run, done);
        self.report_if_due(&mut state);
    }

    pub fn ended(&self, run: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.under_way.remove(&run);
        state.done += 1;
        self.report_if_due(&mut state);
    }

    fn report_if_due(&self, state: &mut State) {
        if state.shown.is_none_or(|shown| shown.elapsed() >= PERIOD) {
            state.shown = Some(Instant::now());
            self.print_line(state);
        }
    }

    fn print_line(&self, state: &State) {
        let under_way: Vec<Done> = state.under_way.values().copied().collect();
        let words = words((state.done, self.all), &under_way, self.started_at.elapsed());
        (self.reported)(&format!("{}{words}", self.head));
    }
}

/// The progress of one run by requests, of several by runs.
fn words((done, all): (usize, usize), under_way: &[Done], took: Duration) -> String {
    let so_far = done as f64 + under_way.iter().map(|run| run.share()).sum::<f64>();
    let seconds = took.as_secs_f64().max(0.001);
    let left = if so_far > 0.0 {
        let left = (all as f64 - so_far).max(0.0) * seconds / so_far;
        format!(", {} left", time((left * 1000.0).round() as u64))
    } else {
        String::new()
    };
    match under_way {
        [run] if all == 1 => {
            format!("{} of {} requests, {:.0}/s{left}", run.over, run.all, run.over as f64 / seconds)
        }
        _ => {
            let shares: Vec<String> =
                under_way.iter().take(NAMED).map(|run| format!("{:.0} %", run.share() * 100.0)).collect();
            let shares =
                if shares.is_empty() { String::new() } else { format!(" ({} of the current runs)", shares.join(", ")) };
            let rate = if so_far > 0.0 { format!(", {:.1}/s", so_far / seconds) } else { String::new() };
            format!("{done} of {all} {}{shares}{rate}{left}", if all == 1 { "run" } else { "runs" })
        }
    }
}

pub(super) fn is_wanted(stop: &AtomicBool) -> bool {
    !stop.load(Ordering::Relaxed)
}

pub(super) struct Share<'s> {
    what: String,
    last: Option<Instant>,
    reported: &'s Reported<'s>,
}

impl<'s> Share<'s> {
    pub fn new(what: impl Into<String>, reported: &'s Reported<'s>) -> Self {
        Self { what: what.into(), last: None, reported }
    }

    /// Updates the share, from 0 to 1.
    pub fn print_line(&mut self, share: f64) {
        if self.last.is_none_or(|last| last.elapsed() >= PERIOD) {
            self.last = Some(Instant::now());
            (self.reported)(&format!("{}: {:.0} %", self.what, share * 100.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_rest_and_rate_are_reported_for_one_run_and_for_several() {
        let run = |over| Done { over, all: 100_000 };
        let second = Duration::from_secs(1);
        assert_eq!(words((0, 1), &[], second), "0 of 1 run");
        assert_eq!(words((0, 1), &[run(0)], second), "0 of 100000 requests, 0/s");
        assert_eq!(words((0, 1), &[run(25_000)], second), "25000 of 100000 requests, 25000/s, 3.0 s left");
        assert_eq!(
            words((2, 10), &[run(50_000), run(50_000)], second),
            "2 of 10 runs (50 %, 50 % of the current runs), 3.0/s, 2.3 s left"
        );
        assert_eq!(words((10, 10), &[], second * 4), "10 of 10 runs, 2.5/s, 0 ms left");
    }
}

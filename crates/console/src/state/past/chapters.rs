//! The fetched chapters of the stored past, and the target of a step.
//!
//! Invariants:
//! - a step never skips an important moment: unknown events are fetched first;
//! - at most [`Chapters::MOST`] chapters are stored.

use std::collections::VecDeque;
use std::time::Duration;

use crate::state::past::moment::{Moment, Shown, Step};
use model::Time;

pub(super) const INSTANT: Duration = Duration::from_micros(1);
const NEVER: Time = Time(u64::MAX);

/// The important moments of a time range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The start, exclusive.
    pub from: Time,
    /// The end, inclusive.
    pub to: Time,
    /// The moments, the oldest first.
    pub moments: VecDeque<Moment>,
    /// It contains the first stored record.
    pub first: bool,
    /// It contains the last written record.
    pub last: bool,
}

/// A chapter for a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seek {
    /// The waiting step.
    pub step: Step,
    /// The time to step from.
    pub at: Time,
}

/// The target of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepTarget {
    /// Right before this moment.
    Moment(Shown),
    /// Known after the events next to this time are fetched.
    Unknown(Time),
    /// No moment in that direction.
    Nothing,
}

/// The fetched chapters.
#[derive(Clone, Debug, Default)]
pub struct Chapters {
    spans: VecDeque<Span>,
    watched: Option<Time>,
    starts: Option<Time>,
    /// The running fetch.
    pub seeking: Option<Seek>,
}

impl Chapters {
    /// The maximum number of chapters.
    pub const MOST: usize = 16;

    /// Sets the time from which live events contain all important moments.
    pub fn watched_from(&mut self, at: Time) {
        self.watched = Some(at);
    }

    /// Whether that time is set.
    pub fn is_watched(&self) -> bool {
        self.watched.is_some()
    }

    /// The start of the stored past, if known.
    pub fn starts(&self) -> Option<Time> {
        self.starts
    }

    /// Steps to right before the previous or next important moment. `watched` are those of the live events.
    pub fn seek(&self, step: Step, here: Time, watched: &VecDeque<Moment>) -> StepTarget {
        let retained = self.spans.iter().map(|span| (span.from, span.to, &span.moments));
        let spans: Vec<_> = retained.chain(self.watched.map(|from| (from, NEVER, watched))).collect();
        // As far as chapters are adjacent.
        let mut at = if step == Step::Back { here } else { here + INSTANT };
        loop {
            let Some((from, to, moments)) = spans.iter().rev().find(|(from, to, _)| is_within(step, at, *from, *to))
            else {
                let over = step == Step::Back && self.starts.is_some_and(|starts| at <= starts);
                return if over { StepTarget::Nothing } else { StepTarget::Unknown(at) };
            };
            let moment = match step {
                Step::Back => moments.iter().rev().find(|moment| moment.at < here).filter(|moment| moment.at >= *from),
                Step::On => moments.iter().find(|moment| moment.at > here + INSTANT),
            };
            if let Some(moment) = moment {
                return StepTarget::Moment(before(moment, moments));
            }
            at = if step == Step::Back { *from } else { *to };
            if at == NEVER {
                return StepTarget::Nothing;
            }
        }
    }

    /// Returns whether the chapter covers the step.
    pub fn take(&mut self, mut span: Span, step: Step, at: Time) -> bool {
        if let Some(watched) = self.watched.filter(|_| span.last) {
            // Nothing happened in between.
            span.to = span.to.max(watched);
        }
        if span.first {
            self.starts = Some(span.from);
        }
        let covers = is_within(step, at, span.from, span.to);
        if covers {
            self.spans.retain(|known| known.from != span.from);
            self.spans.push_back(span);
            if self.spans.len() > Self::MOST {
                self.spans.pop_front();
            }
        }
        covers
    }
}

fn is_within(step: Step, at: Time, from: Time, to: Time) -> bool {
    match step {
        Step::Back => from < at && at <= to,
        Step::On => from <= at && at < to,
    }
}

fn before(moment: &Moment, moments: &VecDeque<Moment>) -> Shown {
    let same: Vec<&Moment> = moments.iter().filter(|other| other.at == moment.at).collect();
    let first = same.first().map_or_else(String::new, |first| first.text.clone());
    let before = if same.len() > 1 { format!("{first}, and {} more", same.len() - 1) } else { first };
    Shown { at: moment.at - INSTANT, before }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(at: u64) -> Time {
        Time::from_millis(at * 1000)
    }

    fn moments(at: &[u64]) -> VecDeque<Moment> {
        at.iter().map(|at| Moment { number: 0, at: seconds(*at), text: format!("at {at}") }).collect()
    }

    /// Snapshots and important moments by second; the last is the present.
    struct Retained {
        snapshots: Vec<u64>,
        mattered: Vec<u64>,
        now: u64,
    }

    impl Retained {
        fn span(&self, step: Step, at: Time) -> Span {
            let starts = |from: &&u64| match step {
                Step::Back => seconds(**from) < at,
                Step::On => seconds(**from) <= at,
            };
            let place = self.snapshots.iter().filter(starts).count().max(1) - 1;
            let (from, next) = (self.snapshots[place], self.snapshots.get(place + 1));
            let to = next.copied().unwrap_or(self.now);
            let mattered: Vec<u64> = self.mattered.iter().copied().filter(|at| from < *at && *at <= to).collect();
            let (from, to, moments) = (seconds(from), seconds(to), moments(&mattered));
            Span { from, to, moments, first: place == 0, last: next.is_none() }
        }

        /// Walks to the start and back; returns stops and the number of fetches.
        fn walk(&self, watched: u64) -> (Vec<u64>, Vec<u64>, usize) {
            let own: Vec<u64> = self.mattered.iter().copied().filter(|at| *at >= watched).collect();
            let own = moments(&own);
            let mut chapters = Chapters::default();
            chapters.watched_from(seconds(watched));
            let (mut here, mut searched) = (seconds(self.now), 0);
            let mut stops = [Vec::new(), Vec::new()];
            for (step, stops) in [Step::Back, Step::On].into_iter().zip(&mut stops) {
                loop {
                    match chapters.seek(step, here, &own) {
                        StepTarget::Moment(shown) => {
                            here = shown.at;
                            stops.push((here + INSTANT).as_millis() / 1000);
                        }
                        StepTarget::Unknown(at) => {
                            searched += 1;
                            assert!(chapters.take(self.span(step, at), step, at), "{at} was reported");
                        }
                        StepTarget::Nothing => break,
                    }
                }
            }
            let [back, on] = stops;
            (back, on, searched)
        }
    }

    #[test]
    fn each_important_event_is_a_stop_independent_of_earlier_searches() {
        let retained =
            Retained { snapshots: vec![0, 20, 40, 41, 60], mattered: vec![3, 20, 21, 40, 59, 70, 95], now: 100 };
        for watched in [10, 59, 65, 90, 100] {
            let (back, on, searched) = retained.walk(watched);
            assert_eq!(back, [95, 70, 59, 40, 21, 20, 3], "watched from {watched}");
            assert_eq!(on, [20, 21, 40, 59, 70, 95], "watched from {watched}");
            assert!(searched <= 5, "{searched} times");
        }
    }

    #[test]
    fn a_long_past_is_walked_with_little_in_memory() {
        let all: Vec<u64> = (1..200).map(|at| at * 5).collect();
        let retained = Retained { snapshots: (0..100).map(|at| at * 10).collect(), mattered: all.clone(), now: 1000 };
        let (back, on, searched) = retained.walk(1000);
        assert_eq!(back, all.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!(on, all[1..]);
        assert!((100..250).contains(&searched), "{searched}");
    }

    #[test]
    fn a_redundant_comment_is_reported() {
        let mut chapters = Chapters::default();
        let span = Span { from: seconds(5), to: seconds(9), moments: VecDeque::new(), first: true, last: false };
        assert!(!chapters.take(span.clone(), Step::Back, seconds(5)));
        assert_eq!(chapters.seek(Step::Back, seconds(5), &VecDeque::new()), StepTarget::Nothing, "it begins there");
        assert!(chapters.take(span, Step::Back, seconds(9)));
        assert_eq!(chapters.seek(Step::On, seconds(6), &VecDeque::new()), StepTarget::Unknown(seconds(9)));
    }
}

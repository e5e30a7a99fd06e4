//! The course of a fork that someone steps by hand, counted so that it can be compared with the course without the changes.

use super::compare::{Comparison, compared, first_difference, parting};
use super::pair::LONG_WAIT;
use super::tally::{Decision, Tally};
use model::{AppId, AskId, Time};
use scheduler::{Event, Partition, Scheduler};

/// All that happened in one course, from a moment on.
#[derive(Clone, Debug)]
pub struct Course {
    tally: Tally,
}

/// Where two courses part, for one side of them: what the other side decides there, and the last moment before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartingPlace {
    /// The ask that the other side decides about.
    pub subject: (AppId, AskId),
    /// The number of the command by which this side decides otherwise; `None` where it decides nothing any more.
    pub command: Option<u64>,
    /// When the other side decides it.
    pub at: Time,
}

impl Course {
    /// Counts from a moment on.
    pub fn beginning(partition: &Partition, now: Time) -> Self {
        Self { tally: Tally::beginning(partition, now, LONG_WAIT) }
    }

    /// Takes in what one command did; the scheduler is as it is after that.
    pub fn observe(&mut self, events: &[Event], scheduler: &Scheduler) {
        self.tally.command += 1;
        self.tally.observe(events, scheduler);
    }

    /// How many commands were taken in.
    pub fn commands(&self) -> u64 {
        self.tally.command
    }

    /// The differences between a course without the changes and one with them, each with its partition as it is at the same time.
    pub fn compared(
        without: (&mut Self, Option<&Partition>),
        with: (&mut Self, Option<&Partition>),
        now: Time,
    ) -> Comparison {
        let first = first_difference(&without.0.tally, &with.0.tally);
        let [one, other] = [without, with].map(|(course, part)| course.ended(part, now));
        compared(&one, &other, first, LONG_WAIT)
    }

    /// Where the courses part, for the side without the changes and the one with them; `None` where the other side decides about no ask.
    pub fn parting(without: &Self, with: &Self) -> [Option<PartingPlace>; 2] {
        let Some([one, other]) = parting(&without.tally, &with.tally) else { return [None, None] };
        let place = |own: Option<&Decision>, others: Option<&Decision>| {
            let others = others?;
            let subject = others.subject.clone()?;
            Some(PartingPlace { subject, command: own.map(|own| own.command), at: others.at })
        };
        [place(one, other), place(other, one)]
    }

    /// A copy of the counts that is ended; the decisions, which are many, stay.
    fn ended(&mut self, partition: Option<&Partition>, now: Time) -> Tally {
        let decisions = std::mem::take(&mut self.tally.decisions);
        let mut ended = self.tally.clone();
        self.tally.decisions = decisions;
        ended.end(partition, now);
        ended
    }
}

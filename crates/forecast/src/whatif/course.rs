//! A course that a user steps manually, to compare it with the course without the changes.

use super::compare::{Comparison, compared, first_difference, parting};
use super::pair::LONG_WAIT;
use super::tally::{Decision, Tally};
use model::{AppId, AskId, Time};
use scheduler::{Event, Partition, Scheduler};

/// All events of a course since a time.
#[derive(Clone, Debug)]
pub struct Course {
    tally: Tally,
}

/// The divergence for one side: the other side's decision, and the last time before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartingPlace {
    /// Request of the other side's decision.
    pub subject: (AppId, AskId),
    /// With this command, this side decides differently.
    pub command: Option<u64>,
    /// Time of the other side's decision.
    pub at: Time,
}

impl Course {
    /// Counts from a moment on.
    pub fn initial(partition: &Partition, now: Time) -> Self {
        Self { tally: Tally::initial(partition, now, LONG_WAIT) }
    }

    /// Records events; the scheduler is in the state after the command.
    pub fn observe(&mut self, events: &[Event], scheduler: &Scheduler) {
        self.tally.command += 1;
        self.tally.observe(events, scheduler);
    }

    /// Returns the number of recorded commands.
    pub fn commands(&self) -> u64 {
        self.tally.command
    }

    /// Compares two courses, each with its partition at the same time.
    pub fn compared(
        without: (&mut Self, Option<&Partition>),
        with: (&mut Self, Option<&Partition>),
        now: Time,
    ) -> Comparison {
        let first = first_difference(&without.0.tally, &with.0.tally);
        let [one, other] = [without, with].map(|(course, part)| course.ended(part, now));
        compared(&one, &other, first, LONG_WAIT)
    }

    /// Returns the divergence for both sides; `None` if the other side's decision concerns no request.
    pub fn parting(without: &Self, with: &Self) -> [Option<PartingPlace>; 2] {
        let Some([one, other]) = parting(&without.tally, &with.tally) else { return [None, None] };
        let place = |own: Option<&Decision>, others: Option<&Decision>| {
            let others = others?;
            let subject = others.subject.clone()?;
            Some(PartingPlace { subject, command: own.map(|own| own.command), at: others.at })
        };
        [place(one, other), place(other, one)]
    }

    /// The many decisions are not copied.
    fn ended(&mut self, partition: Option<&Partition>, now: Time) -> Tally {
        let decisions = std::mem::take(&mut self.tally.decisions);
        let mut ended = self.tally.clone();
        self.tally.decisions = decisions;
        ended.end(partition, now);
        ended
    }
}

//! Reads a time range of a journal, for inspection or simulation.

use std::sync::Arc;
use std::time::Duration;

use super::frame::{self, Kind};
use super::record::{Record, RecordedCommand};
use super::store::{AT_ONCE, Store, StoreError};
use crate::core::Core;
use crate::replay;
use crate::setup::Setup;
use ::view::act::{Act, PartitionAct};
use ::view::{self, View};
use forecast::whatif::Fork;
use model::{Profile, Time};
use scheduler::{AskSpec, Event, PartitionCommand, Scheduler};

/// Reads the records from number `from` until the end or until `each` returns false. Returns the number after the last
/// one.
///
/// # Errors
/// Returns an error if the disk fails, or a record is damaged or missing.
pub fn records(store: &Store, from: u64, mut each: impl FnMut(u64, Record) -> bool) -> Result<u64, StoreError> {
    let mut next = from;
    loop {
        let blocks = store.blocks(next, AT_ONCE)?;
        let before = next;
        for (first, block) in blocks {
            let (mut rest, mut number) = (&block[..], first);
            while !rest.is_empty() {
                let corrupt = || StoreError::Damaged(format!("record {number} is corrupt"));
                let (frame, after) = frame::read(rest).ok_or_else(corrupt)?;
                (rest, number) = (after, frame.key + 1);
                if frame.kind != Kind::Record || frame.key < next {
                    continue;
                }
                if frame.key != next {
                    return Err(missing(next, frame.key));
                }
                let damaged = |why| StoreError::Damaged(format!("record {}: {why}", frame.key));
                let record = Record::read(frame.content).map_err(damaged)?;
                next += 1;
                if !each(frame.key, record) {
                    return Ok(next);
                }
            }
        }
        if next == before {
            return Ok(next);
        }
    }
}

fn missing(from: u64, to: u64) -> StoreError {
    let last = to.saturating_sub(1);
    StoreError::Damaged(if from == last {
        format!("record {from} is missing")
    } else {
        format!("records {from} to {last} are missing")
    })
}

/// Replays the records up to a time and a number into a core without a workload and without notifications.
///
/// # Errors
/// Returns an error if the journal does not reach back so far, the disk fails, or data is damaged.
pub fn core_at(store: &Store, setup: &Setup, until: Time, last: u64) -> Result<Core, StoreError> {
    let snapshots = store.snapshots()?;
    let nearest = snapshots.iter().rev().find(|(number, index)| *number <= last && index.at <= until);
    let Some((number, index)) = nearest else {
        return Err(StoreError::Damaged("the journal does not go back that far".to_owned()));
    };
    let bytes = store.snapshot(*number, index)?;
    let mut core = Core::restored(setup, &bytes, None).map_err(StoreError::Damaged)?;
    drop(bytes);
    records(store, number + 1, |number, record| {
        if number > last || record.at() > until {
            return false;
        }
        core.replay(record);
        true
    })?;
    Ok(core)
}

/// A journal up to a time.
pub struct Recording<'j> {
    store: &'j Store,
    setup: &'j Setup,
    now: Time,
}

impl<'j> Recording<'j> {
    pub(super) const fn new(store: &'j Store, setup: &'j Setup, now: Time) -> Self {
        Self { store, setup, now }
    }

    /// The moment that it ends at.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// How its scheduler decides.
    pub const fn profile(&self) -> Profile {
        self.setup.profile
    }

    /// Copies a partition at an earlier time (default: the first one).
    ///
    /// # Errors
    /// Returns an error if the partition did not exist, or the journal does not reach back so far or cannot be read.
    pub fn fork_at(&self, partition: Option<&str>, at: Time) -> Result<Fork, String> {
        let mut core = core_at(self.store, self.setup, at, u64::MAX).map_err(|why| {
            let reach = self.store.snapshots().ok().and_then(|all| all.first().map(|(_, index)| index.at));
            match reach.filter(|reach| *reach > at) {
                Some(reach) => format!("the journal goes back only to {reach}"),
                None => why.to_string(),
            }
        })?;
        replay::advance_to(&mut core.state, at);
        core.fork(partition, usize::MAX).map_err(|why| why.to_string())
    }

    /// The submissions and requests of a partition between two times, in order. Records without a partition belong to
    /// the first one.
    ///
    /// # Errors
    /// Returns an error if the journal does not reach back so far or cannot be read.
    pub fn submissions(
        &self,
        (partition, is_first): (&str, bool),
        from: Time,
        to: Time,
    ) -> Result<Vec<(Time, PartitionCommand)>, String> {
        let snapshots = self.store.snapshots().map_err(|why| why.to_string())?;
        let Some((number, _)) = snapshots.iter().rev().find(|(_, index)| index.at <= from) else {
            let reach = snapshots.first().map(|(_, index)| index.at.to_string()).unwrap_or_default();
            return Err(format!("submissions are known only since {reach}"));
        };
        let here = |name: Option<&str>| name.map_or(is_first, |name| name == partition);
        let mut found = Vec::new();
        let read = records(self.store, number + 1, |_, record| {
            let at = record.at();
            if at > from && at <= to {
                found.extend(arrived_in(record, &here).into_iter().map(|command| (at, command)));
            }
            at <= to
        });
        read.map_err(|why| why.to_string())?;
        Ok(found)
    }

    /// Replays the changes between two times. `each` gets the events of some commands with the scheduler after them;
    /// the first call has no events and the scheduler at the start. Returns the scheduler at the end.
    ///
    /// # Errors
    /// Returns an error if the journal does not reach back so far or cannot be read.
    pub fn watch(&self, from: Time, to: Time, each: &mut dyn FnMut(&[Event], &Scheduler)) -> Result<Scheduler, String> {
        let snapshots = self.store.snapshots().map_err(|why| why.to_string())?;
        let Some((number, index)) = snapshots.iter().rev().find(|(_, index)| index.at <= from) else {
            let reach = snapshots.first().map(|(_, index)| index.at.to_string()).unwrap_or_default();
            return Err(format!("events are known only since {reach}"));
        };
        let bytes = self.store.snapshot(*number, index).map_err(|why| why.to_string())?;
        let mut core = Core::restored(self.setup, &bytes, None)?;
        let mut started = false;
        let read = records(self.store, number + 1, |_, record| {
            if record.at() > to {
                return false;
            }
            if !started && record.at() > from {
                started = true;
                // A restored core drops its events until it is live.
                core.go_live(self.setup);
                core.state.outbox.flush();
                core.state.outbox.hold();
                each(&[], core.scheduler());
            }
            core.replay(record);
            if started {
                core.state.outbox.flush();
                core.state.outbox.take().iter().for_each(|events| each(events, core.scheduler()));
            }
            true
        });
        read.map_err(|why| why.to_string())?;
        Ok(core.state.scheduler)
    }
}

/// A moment of a replayed journal.
pub struct PastMoment {
    /// The scheduler time.
    pub at: Time,
    /// The view at that time.
    pub view: Arc<View>,
    /// The important events since the previous moment.
    pub happened: Vec<view::Record>,
}

impl Recording<'_> {
    /// The earliest time in the journal; `None` while it is empty.
    pub fn reaches_back_to(&self) -> Option<Time> {
        self.store.snapshots().ok()?.first().map(|(_, index)| index.at)
    }

    /// Replays the changes between two times, and returns the view after each time step. Nothing is cached.
    ///
    /// # Errors
    /// Returns an error if the journal does not reach back so far or cannot be read.
    pub fn moments(
        &self,
        from: Time,
        to: Time,
        step: Duration,
        each: &mut dyn FnMut(PastMoment),
    ) -> Result<(), String> {
        let snapshots = self.store.snapshots().map_err(|why| why.to_string())?;
        let Some((number, index)) = snapshots.iter().rev().find(|(_, index)| index.at <= from) else {
            let reach = snapshots.first().map(|(_, index)| index.at.to_string()).unwrap_or_default();
            return Err(format!("events are known only since {reach}"));
        };
        let bytes = self.store.snapshot(*number, index).map_err(|why| why.to_string())?;
        let mut core = Core::restored(self.setup, &bytes, None)?;
        replay::collect_events(&mut core.state);
        let mut next = from;
        let mut view = Arc::new(View::default());
        let mut show = |core: &mut Core, at: Time| {
            replay::advance_to(&mut core.state, at);
            if let Some(newer) = core.take_view() {
                view = newer;
            }
            let mut happened = replay::take_records(&mut core.state);
            happened.retain(view::Record::is_important);
            each(PastMoment { at, view: Arc::clone(&view), happened });
        };
        let read = records(self.store, number + 1, |_, record| {
            while next < record.at() && next <= to {
                show(&mut core, next);
                next = next + step;
            }
            let continues = record.at() <= to;
            if continues {
                core.replay(record);
            }
            continues
        });
        read.map_err(|why| why.to_string())?;
        while next <= to {
            show(&mut core, next);
            next = next + step;
        }
        Ok(())
    }
}

fn arrived_in(record: Record, here: &dyn Fn(Option<&str>) -> bool) -> Vec<PartitionCommand> {
    let of = |command: RecordedCommand| match command {
        RecordedCommand::In { partition, command } if here(partition.as_deref()) => Some(command),
        _ => None,
    };
    match record {
        Record::Work { commands, .. } => commands.into_iter().filter_map(of).collect(),
        Record::Give { command, .. } => of(command).into_iter().collect(),
        Record::Order(order) => match order.order.act {
            Act::In { partition, act } if here(Some(&partition)) => match act {
                PartitionAct::Submit(submission) => vec![PartitionCommand::Submit(submission)],
                PartitionAct::Ask { app, asks } => {
                    let own = |ask: AskSpec| PartitionCommand::Ask(AskSpec { app: app.clone(), ..ask });
                    asks.into_iter().map(own).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

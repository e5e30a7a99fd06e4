//! What was: the scheduler as it stood at any time that the journal still has.
//!
//! From any thread, read only: [`Past::view_at`] gives the view of a time, [`Past::moments`] the times at which somebody did
//! something. What is asked for is made anew from the nearest snapshot before it and the records since.

use std::sync::Arc;

use super::committer::Journal;
use super::frame::{self, Kind};
use super::record::{Record, Wall};
use super::store::{Store, StoreError};
use crate::engine::core::Core;
use crate::engine::setup::Setup;
use crate::model::Time;
use crate::view::View;
use crate::view::act::Act;

/// How many blocks of records are read at once.
const BLOCKS: usize = 256;

/// A time at which somebody did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The number of the record.
    pub number: u64,
    /// When, by the scheduler's time.
    pub at: Time,
    /// When, by the wall clock.
    pub wall: Wall,
    /// What, in a few words: `sue: kill nightly-42`.
    pub what: String,
}

/// Gives the records from number `from` on, until there are no more or `each` says stop by `false`. Gives the number behind the
/// last one.
///
/// # Errors
/// The disk fails, or a record is damaged or missing.
pub fn records(store: &Store, from: u64, mut each: impl FnMut(u64, Record) -> bool) -> Result<u64, StoreError> {
    let mut next = from;
    loop {
        let blocks = store.blocks(next, BLOCKS)?;
        let before = next;
        for (first, block) in blocks {
            let mut found = Vec::new();
            let whole = frame::read_all(&block, |frame| {
                if frame.kind == Kind::Record && frame.key >= next {
                    found.push((frame.key, Record::read(frame.content)));
                }
            });
            for (number, record) in found {
                if number != next {
                    return Err(missing(next, number));
                }
                let record = record.map_err(|why| StoreError::Damaged(format!("record {number}: {why}")))?;
                next += 1;
                if !each(number, record) {
                    return Ok(next);
                }
            }
            if let Err(last) = whole {
                let number = last.map_or(first, |last| last + 1);
                return Err(StoreError::Damaged(format!("record {number} is not as it was written")));
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

/// A scheduler as records led to it: those up to the time and number given. It has no workload and tells nobody.
///
/// # Errors
/// The journal does not reach back so far, the disk fails, or something is damaged.
pub fn core_at(store: &Store, setup: &Setup, until: Time, last: u64) -> Result<Core, StoreError> {
    let snapshots = store.snapshots()?;
    let nearest = snapshots.iter().rev().find(|(number, index)| *number <= last && index.at <= until);
    let Some((number, index)) = nearest else {
        return Err(StoreError::Damaged("the journal does not reach back so far".to_owned()));
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

/// The past of a scheduler that is kept, to look at from any thread.
#[derive(Clone)]
pub struct Past {
    journal: Journal,
    setup: Setup,
}

impl Past {
    pub(super) fn new(journal: Journal, setup: Setup) -> Self {
        Self { journal, setup }
    }

    fn store(&self) -> &Store {
        self.journal.store()
    }

    /// What was to be seen at a time, of all that is on the disk. Takes a moment, in proportion to what happened since the snapshot
    /// before it; so not for a thread that somebody waits for.
    ///
    /// # Errors
    /// The journal does not reach back so far, or cannot be read.
    pub fn view_at(&self, at: Time) -> Result<Arc<View>, StoreError> {
        let mut core = core_at(self.store(), &self.setup, at, u64::MAX)?;
        core.stands_at(at);
        Ok(core.take_view().unwrap_or_default())
    }

    /// How far the journal reaches back, by the scheduler's time; `None` while it is empty.
    pub fn reaches_back_to(&self) -> Option<Time> {
        self.store().snapshots().ok()?.first().map(|(_, index)| index.at)
    }

    /// The times at which somebody did something, the oldest first, after the record of number `after`.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn moments(&self, after: u64) -> Result<Vec<Moment>, StoreError> {
        let oldest = self.store().snapshots()?.first().map_or(0, |(number, _)| *number);
        let mut moments = Vec::new();
        records(self.store(), after.max(oldest) + 1, |number, record| {
            moments.extend(moment(number, &record));
            true
        })?;
        Ok(moments)
    }
}

fn moment(number: u64, record: &Record) -> Option<Moment> {
    let what = match record {
        Record::Order(ordered) if matches!(ordered.order.act, Act::In { .. } | Act::Pause | Act::Resume) => {
            format!("{}: {}", ordered.actor.user(), ordered.order.act)
        }
        Record::Order(ordered) => format!("{}: {}", ordered.actor.user(), ordered.order.act.verb()),
        Record::Reload { name, .. } => format!("{name} was read again"),
        Record::Start { .. } => "the scheduler was started".to_owned(),
        _ => return None,
    };
    Some(Moment { number, at: record.at(), wall: record.wall().unwrap_or_default(), what })
}

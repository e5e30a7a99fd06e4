//! The past: the state of the scheduler at any time that the journal still has.
//!
//! From any thread, read only: [`JournalHistory::view_at`] gives the view of a time, [`JournalHistory::chapter`] the events before or
//! after one. Both are rebuilt from the nearest snapshot before that time and the records since, so they equal the reports of that time.

use std::sync::Arc;

use super::committer::Journal;
use super::frame::{self, Kind};
use super::record::Record;
use super::store::{Store, StoreError};
use super::tables::SnapshotIndex;
use crate::engine::core::Core;
use crate::engine::replay;
use crate::engine::setup::Setup;
use crate::model::Time;
use crate::view::{self, Chapter, Toward, View};

/// How many blocks of records are read at once.
const BLOCKS: usize = 256;

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

/// A scheduler as records led to it: those up to the time and number given. It has no workload and notifies nobody.
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
pub struct JournalHistory {
    journal: Journal,
    setup: Setup,
}

impl JournalHistory {
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
        replay::advance_to(&mut core.state, at);
        Ok(core.take_view().unwrap_or_default())
    }

    /// How far the journal reaches back, by the scheduler's time; `None` while it is empty.
    pub fn reaches_back_to(&self) -> Option<Time> {
        self.store().snapshots().ok()?.first().map(|(_, index)| index.at)
    }

    /// What happened between two snapshots, right before or after a time: of the records of events those that `wanted` says, and
    /// the starts. Takes a moment, as [`JournalHistory::view_at`] does.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn chapter(&self, at: Time, toward: Toward, wanted: fn(&view::Record) -> bool) -> Result<Chapter, StoreError> {
        let snapshots = self.store().snapshots()?;
        let begins = |index: &SnapshotIndex| match toward {
            Toward::Earlier => index.at < at,
            Toward::Later => index.at <= at,
        };
        let place = snapshots.iter().rposition(|(_, index)| begins(index));
        let (place, (number, index)) = match (place, toward, snapshots.first()) {
            (Some(place), ..) => (place, &snapshots[place]),
            (None, Toward::Later, Some(first)) => (0, first),
            (None, ..) => return Ok(Chapter { from: at, to: at, first: true, ..Chapter::default() }),
        };
        let next = snapshots.get(place + 1);
        let bytes = self.store().snapshot(*number, index)?;
        let mut core = Core::restored(&self.setup, &bytes, None).map_err(StoreError::Damaged)?;
        drop(bytes);
        replay::collect_events(&mut core.state);
        let mut chapter = Chapter { from: index.at, first: place == 0, last: next.is_none(), ..Chapter::default() };
        let last = next.map_or(u64::MAX, |(number, _)| *number);
        records(self.store(), number + 1, |number, record| {
            if number > last {
                return false;
            }
            chapter.starts.extend((number > 1 && matches!(record, Record::Start { .. })).then(|| record.at()));
            core.replay(record);
            chapter.records.extend(replay::take_records(&mut core.state).into_iter().filter(wanted));
            true
        })?;
        chapter.to = core.now();
        Ok(chapter)
    }
}

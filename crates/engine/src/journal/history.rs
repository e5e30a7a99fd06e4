//! The past: rebuilt from the nearest earlier snapshot and the records since.

use std::sync::Arc;

use super::committer::Journal;
use super::record::Record;
use super::recording::{Recording, core_at, records};
use super::store::{Store, StoreError};
use super::tables::SnapshotIndex;
use crate::core::Core;
use crate::replay;
use crate::setup::Setup;
use ::view::{self, Chapter, Toward, View};
use model::Time;

/// The stored past of a scheduler.
#[derive(Clone)]
pub struct JournalHistory {
    journal: Journal,
    setup: Setup,
}

impl std::fmt::Debug for JournalHistory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JournalHistory")
    }
}

impl JournalHistory {
    pub(super) fn new(journal: Journal, setup: Setup) -> Self {
        Self { journal, setup }
    }

    fn store(&self) -> &Store {
        self.journal.store()
    }

    /// Returns the view at a time. The duration depends on the distance to the previous snapshot: do not call it from a
    /// thread that must respond.
    ///
    /// # Errors
    /// Returns an error if the journal does not reach back so far or cannot be read.
    pub fn view_at(&self, at: Time) -> Result<Arc<View>, StoreError> {
        let mut core = core_at(self.store(), &self.setup, at, u64::MAX)?;
        replay::advance_to(&mut core.state, at);
        Ok(core.take_view().unwrap_or_default())
    }

    /// Returns the recording up to a time.
    pub fn recording(&self, now: Time) -> Recording<'_> {
        Recording::new(self.store(), &self.setup, now)
    }

    /// The earliest scheduler time in the journal; `None` while it is empty.
    pub fn reaches_back_to(&self) -> Option<Time> {
        self.store().snapshots().ok()?.first().map(|(_, index)| index.at)
    }

    /// Returns the events between two snapshots, directly before or after a time: the records that `wanted` accepts,
    /// and the starts. As slow as [`JournalHistory::view_at`].
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read.
    pub fn chapter(&self, at: Time, toward: Toward, wanted: fn(&view::Record) -> bool) -> Result<Chapter, StoreError> {
        let snapshots = self.store().snapshots()?;
        let starts = |index: &SnapshotIndex| match toward {
            Toward::Earlier => index.at < at,
            Toward::Later => index.at <= at,
        };
        let place = snapshots.iter().rposition(|(_, index)| starts(index));
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

//! Finished applications in the remote lists, and vanished ones.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::elements::{Element, Seen};
use super::{AppReader, ListReader, RemoteState, rows};
use crate::dto;
use model::{AppId, Time};
use view::AppRow;

const GONE: usize = 1000;

/// A list of finished applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// Completed and failed applications.
    Completed,
    /// Applications that were not placed.
    Rejected,
}

/// An ID can occur several times.
#[derive(Clone, Debug, Default)]
pub(super) struct EndedList {
    rows: Vec<(u64, Arc<AppRow>)>,
    seen: Seen<AppId>,
}

impl EndedList {
    /// Keeps the rows, but parses all of them again.
    pub fn forget(&mut self) {
        self.seen.clear();
    }
}

impl RemoteState {
    /// Returns a reader for a list of finished applications.
    pub fn ended_reader(&self, partition: &str, which: Ended) -> AppReader {
        let seen = self.index(partition).map(|index| self.parts[index].ended[which as usize].seen.clone());
        let shapes = self.shapes;
        ListReader::new(seen.unwrap_or_default(), "applicationID", move |app: dto::Application| rows::app(app, shapes))
    }

    /// Applies a list of finished applications.
    pub fn ended(&mut self, partition: &str, which: Ended, reader: AppReader) {
        let Some(index) = self.index(partition) else { return };
        let list = &mut self.parts[index].ended[which as usize];
        let known: FxHashMap<u64, Arc<AppRow>> = list.rows.drain(..).collect();
        list.seen.clear();
        let mut changed = known.len() != reader.elements.len();
        for element in reader.elements {
            let (row, hash) = match element {
                Element::Same(_, hash) => (known.get(&hash).cloned(), hash),
                Element::Read(row, hash) => {
                    let same = known.get(&hash).cloned();
                    changed |= same.is_none();
                    (Some(same.unwrap_or_else(|| Arc::new(*row))), hash)
                }
            };
            if let Some(row) = row {
                list.seen.insert(row.id.clone(), hash);
                list.rows.push((hash, row));
            }
        }
        if changed {
            self.arrange_ended(index);
        }
    }

    /// Its submitter removed it. Its last state is retained (rule 23).
    pub(super) fn mark_gone(&mut self, index: usize, row: &AppRow, now: Time) {
        let message =
            format!("missing from all lists of the scheduler: removed by its submitter, last seen {}", row.state);
        let gone = AppRow { finished: Some(now), message: Some(Arc::from(message)), ..row.clone() };
        let part = &mut self.parts[index];
        part.gone.push(Arc::new(gone));
        let too_many = part.gone.len().saturating_sub(GONE);
        part.gone.drain(..too_many);
        self.arrange_ended(index);
    }

    /// A list entry replaces a vanished application.
    fn arrange_ended(&mut self, index: usize) {
        let part = &mut self.parts[index];
        let listed: FxHashMap<(&AppId, Time), ()> =
            part.ended.iter().flat_map(|list| &list.rows).map(|(_, row)| ((&row.id, row.submitted), ())).collect();
        part.gone.retain(|row| !listed.contains_key(&(&row.id, row.submitted)));
        let listed = part.ended.iter().flat_map(|list| &list.rows).map(|(_, row)| row);
        let mut all: Vec<Arc<AppRow>> = listed.chain(&part.gone).cloned().collect();
        let order = |row: &AppRow| (row.finished.unwrap_or(row.submitted), row.id.clone());
        all.sort_by_cached_key(|row| order(row));
        let view = &mut self.view.partitions[index];
        if view.ended.len() != all.len() || !view.ended.iter().zip(&all).all(|(one, other)| Arc::ptr_eq(one, other)) {
            view.ended = all.into();
            view.app_generation += 1;
            self.changed = true;
        }
    }
}

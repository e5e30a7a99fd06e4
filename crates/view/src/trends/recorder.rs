//! Writes the rings: adds moments, seals blocks, and reports the changes to store.
//!
//! Invariants:
//! - a cell of 10 seconds is measured once, whatever the clock does;
//! - a cell of a coarser ring is computed once from the finer cells, when their block is sealed;
//! - rings are limited by time and bytes, moments by rows, marks by number.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::block::{Block, Stat, SubjectId, Table};
use super::codec::UNKNOWN;
use super::mark::{Mark, MarkKind};
use super::moment::{Moment, Row};
use super::rings::{Open, Ring, Rings, is_setting};
use super::saved::Change;
use super::value::{Measure, Subject, Value};
use crate::drain::span;
use model::Time;

/// The maximum number of rows of a moment. Above it, rows are dropped in this order: idle queues, users, nodes, queues;
/// the last ones of each.
pub const MOST_ROWS: usize = 20_000;
/// The maximum number of marks.
pub const MOST_MARKS: usize = 2_000;
/// If the clock jumps back by at least this, it was wrong before, and the data after the new time is dropped.
pub const WRONG_FROM: Duration = Duration::from_secs(3600);
/// The size in bytes at which an incomplete open block is sealed.
const MOST_OPEN: usize = 24 << 20;

/// The result of adding a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It was recorded.
    New,
    /// The cell was already recorded.
    Known,
}

/// Writes the rings of a partition.
#[derive(Debug, Default)]
pub struct Recorder {
    rings: Rings,
    /// The newest known row of each subject, with its last cell.
    last: FxHashMap<SubjectId, (Box<[i64]>, u64)>,
    ids: FxHashMap<Subject, SubjectId>,
    next_id: SubjectId,
    behind: bool,
    changes: Vec<Change>,
}

impl Recorder {
    pub(super) fn continuing(rings: Rings) -> Self {
        let ids: FxHashMap<Subject, SubjectId> = rings.subjects.iter().map(|(of, id)| (of.clone(), *id)).collect();
        let next_id = ids.values().max().map_or(0, |last| last + 1);
        let mut recorder = Self { rings, ids, next_id, ..Self::default() };
        // The next moment is complete: it starts a block.
        if !recorder.rings.open.is_empty() {
            recorder.seal();
        }
        recorder
    }

    /// The recorded rings.
    pub fn rings(&self) -> &Rings {
        &self.rings
    }

    /// The changes to store since the last call.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Records a moment.
    pub fn add(&mut self, moment: &Moment) -> Recorded {
        let cell = Ring::Fine.cell_of(moment.at);
        if let Some(newest) = self.rings.newest_cell().filter(|newest| cell <= *newest) {
            if cell == newest {
                return Recorded::Known;
            }
            let back = Ring::Fine.start(newest).since(moment.at);
            if !std::mem::replace(&mut self.behind, true) {
                let text = format!("the clock jumped back by {}", span(back));
                self.mark(Mark { at: moment.at, kind: MarkKind::Clock, text: text.into(), count: 1 });
            }
            if back < WRONG_FROM {
                return Recorded::Known;
            }
            self.drop_after(cell);
        }
        self.behind = false;
        let first = self.rings.open.front().map(|first| (first.cell, first.layout != moment.layout));
        if let Some((first, other)) = first {
            let full = cell / Ring::Fine.block_cells() != first / Ring::Fine.block_cells();
            let large = || self.rings.open.iter().map(|open| open.size()).sum::<usize>() > MOST_OPEN;
            if full || other || (cell.is_multiple_of(6) && large()) {
                self.seal();
            }
        }
        self.open(cell, moment);
        self.rings.generation += 1;
        Recorded::New
    }

    fn open(&mut self, cell: u64, moment: &Moment) {
        if self.rings.open.is_empty() {
            self.last.clear();
        }
        let rows = chosen(moment);
        self.rings.left_out = moment.rows.len() - rows.len();
        let (mut changed, mut metrics) = (Vec::new(), Vec::new());
        for row in rows {
            metrics.clear();
            metrics.extend(row.metrics.iter().map(|metric| metric.unwrap_or(UNKNOWN)));
            let id = self.id_of(&row.subject);
            match self.last.get_mut(&id) {
                Some((known, seen)) if **known == *metrics => *seen = cell,
                _ => {
                    changed.push((id, Box::from(&*metrics)));
                    self.last.insert(id, (Box::from(&*metrics), cell));
                }
            }
        }
        changed.sort_unstable_by_key(|(id, _)| *id);
        let mut gone: Vec<SubjectId> =
            self.last.iter().filter(|(_, (_, seen))| *seen != cell).map(|(id, _)| *id).collect();
        gone.sort_unstable();
        gone.iter().for_each(|id| {
            self.last.remove(id);
        });
        let open = Arc::new(Open { cell, layout: moment.layout.clone(), changed, gone });
        self.changes.push(Change::Open(Arc::clone(&open)));
        self.rings.open.push_back(open);
    }

    fn id_of(&mut self, subject: &Subject) -> SubjectId {
        if let Some(id) = self.ids.get(subject) {
            return *id;
        }
        let id = self.next_id;
        self.next_id += 1;
        self.ids.insert(subject.clone(), id);
        self.rings.subjects.insert(subject.clone(), id);
        self.changes.push(Change::Subject(id, Some(subject.clone())));
        id
    }

    fn seal(&mut self) {
        let Some(first) = self.rings.open.front() else { return };
        let layout = first.layout.clone();
        let cells: Vec<u64> = self.rings.open.iter().map(|open| open.cell).collect();
        let block = Arc::new(Block::new(layout, cells, self.rings.open_tables()));
        let newest = self.rings.rings[Ring::Minute as usize].back().and_then(|block| block.cells.last().copied());
        let minutes = coarser(&block, Ring::Fine, Ring::Minute, newest);
        self.put(Ring::Fine, block);
        self.rings.open.clear();
        self.last.clear();
        self.changes.push(Change::NoOpen);
        if let Some(minutes) = minutes {
            self.append_minutes(minutes);
        }
        self.rings.generation += 1;
    }

    /// Appends minutes of one hour, and the previous hour if they complete it.
    fn append_minutes(&mut self, minutes: Block) {
        let hour_of = |block: &Block| block.cells.first().map(|first| Ring::Hour.cell_of(Ring::Minute.start(*first)));
        let before = self.rings.rings[Ring::Minute as usize].back().cloned();
        let full = before.filter(|before| hour_of(before) != hour_of(&minutes));
        self.append(Ring::Minute, minutes);
        let known = self.rings.rings[Ring::Hour as usize].back().and_then(|block| block.cells.last().copied());
        if let Some(hour) = full.and_then(|full| coarser(&full, Ring::Minute, Ring::Hour, known)) {
            self.append(Ring::Hour, hour);
            self.forget_subjects();
        }
    }

    fn append(&mut self, ring: Ring, more: Block) {
        let number = |block: &Block| block.cells.first().map_or(0, |first| first / ring.block_cells());
        let joined = self.rings.rings[ring as usize]
            .back()
            .filter(|last| number(last) == number(&more) && last.layout == more.layout)
            .map(|last| Arc::new(join(last, &more)));
        if joined.is_some() {
            self.rings.rings[ring as usize].pop_back();
        }
        self.put(ring, joined.unwrap_or_else(|| Arc::new(more)));
    }

    fn put(&mut self, ring: Ring, block: Arc<Block>) {
        let newest = block.cells.last().copied().unwrap_or_default();
        self.changes.push(Change::Block(ring, Arc::clone(&block)));
        let blocks = &mut self.rings.rings[ring as usize];
        blocks.push_back(block);
        let reach = ring.reach().as_secs() / ring.cell().as_secs();
        let mut size: usize = blocks.iter().map(|block| block.size()).sum();
        while let Some(first) = blocks.front()
            && blocks.len() > 1
            && (size > ring.most_bytes() || first.cells.last().is_some_and(|last| last + reach < newest))
        {
            size -= first.size();
            self.changes.extend(first.cells.first().map(|cell| Change::NoBlock(ring, *cell)));
            blocks.pop_front();
        }
    }

    fn drop_after(&mut self, cell: u64) {
        self.rings.open.clear();
        self.last.clear();
        self.changes.push(Change::NoOpen);
        let from = Ring::Fine.start(cell);
        for ring in Ring::ALL {
            let first = ring.cell_of(from);
            let blocks = &mut self.rings.rings[ring as usize];
            while let Some(last) = blocks.back()
                && last.cells.last().is_some_and(|last| *last >= first)
            {
                self.changes.extend(last.cells.first().map(|cell| Change::NoBlock(ring, *cell)));
                blocks.pop_back();
            }
        }
    }

    fn forget_subjects(&mut self) {
        let retained: FxHashSet<SubjectId> = self
            .rings
            .rings
            .iter()
            .flatten()
            .flat_map(|block| block.subjects())
            .chain(self.last.keys().copied())
            .collect();
        let gone: Vec<(Subject, SubjectId)> =
            self.ids.iter().filter(|(_, id)| !retained.contains(id)).map(|(of, id)| (of.clone(), *id)).collect();
        for (subject, id) in gone {
            self.ids.remove(&subject);
            self.rings.subjects.remove(&subject);
            self.changes.push(Change::Subject(id, None));
        }
    }

    /// Adds a mark; marks of one kind in the same minute are merged.
    pub fn mark(&mut self, mark: Mark) {
        let minute = |at: Time| Ring::Minute.cell_of(at);
        let same = |own: &Arc<Mark>| own.kind == mark.kind && minute(own.at) == minute(mark.at);
        let at = self.rings.marks.iter().rposition(same);
        let mark = match at {
            Some(at) => {
                let own = self.rings.marks.remove(at);
                Arc::new(Mark { count: own.count + mark.count, ..(*own).clone() })
            }
            None => Arc::new(mark),
        };
        let place = self.rings.marks.iter().rposition(|own| own.at <= mark.at).map_or(0, |before| before + 1);
        self.changes.push(Change::Mark(Arc::clone(&mark)));
        self.rings.marks.insert(place, mark);
        if self.rings.marks.len() > MOST_MARKS
            && let Some(gone) = self.rings.marks.pop_front()
        {
            self.changes.push(Change::NoMark(gone));
        }
        self.rings.generation += 1;
    }
}

fn chosen(moment: &Moment) -> Vec<&Row> {
    let mut rows: Vec<&Row> = moment.rows.iter().collect();
    if rows.len() <= MOST_ROWS {
        return rows;
    }
    let layout = &moment.layout;
    let share = Value::plain(super::SubjectKind::Queue, Measure::Share);
    let busy = |row: &Row| {
        let metric = |value: &Value| layout.place(value).and_then(|place| row.metrics[place]).unwrap_or_default();
        let pending =
            (0..layout.resources.len()).any(|at| row.metrics[layout.of_resource(Measure::Pending, at)] > Some(0));
        pending || metric(&share) > 0
    };
    rows.sort_by_cached_key(|row| match row.subject {
        Subject::Cluster => 0,
        Subject::Queue(_) if busy(row) => 1,
        Subject::Node(_) => 2,
        Subject::User(_) => 3,
        Subject::Queue(_) => 4,
    });
    rows.truncate(MOST_ROWS);
    rows
}

/// The complete cells of a coarser ring after `known`; `None` if there are none.
fn coarser(block: &Block, from: Ring, to: Ring, known: Option<u64>) -> Option<Block> {
    let coarse = |cell: u64| to.cell_of(from.start(cell));
    let mut cells: Vec<(u64, Vec<usize>)> = Vec::new();
    for (at, cell) in
        block.cells.iter().enumerate().filter(|(_, cell)| known.is_none_or(|known| coarse(**cell) > known))
    {
        match cells.last_mut().filter(|(last, _)| *last == coarse(*cell)) {
            Some((_, own)) => own.push(at),
            None => cells.push((coarse(*cell), vec![at])),
        }
    }
    let (count, layout) = (block.cells.len(), &block.layout);
    let tables = block.subjects().filter_map(|id| {
        let table = block.table(id)?;
        let merged = table.chunks(count).enumerate().flat_map(|(place, column)| {
            let setting = is_setting(layout, place);
            cells.iter().map(move |(_, own)| Stat::merge(own.iter().map(|at| column[*at]), setting))
        });
        Some((id, merged.collect::<Table>()))
    });
    let numbers: Vec<u64> = cells.iter().map(|(cell, _)| *cell).collect();
    (!numbers.is_empty()).then(|| Block::new(layout.clone(), numbers, tables))
}

fn join(one: &Block, more: &Block) -> Block {
    let width = one.layout.width();
    let mut tables: BTreeMap<SubjectId, [Option<Table>; 2]> = BTreeMap::new();
    for (at, block) in [one, more].into_iter().enumerate() {
        block.subjects().for_each(|id| tables.entry(id).or_default()[at] = block.table(id));
    }
    let cells: Vec<u64> = one.cells.iter().chain(&more.cells).copied().collect();
    let (first, second) = (one.cells.len(), more.cells.len());
    let joined = tables.into_iter().map(|(id, [one, more])| {
        let mut table = Table::with_capacity(width * (first + second));
        for place in 0..width {
            let mut put = |own: &Option<Table>, cells: usize| match own {
                Some(own) => table.extend_from_slice(&own[place * cells..(place + 1) * cells]),
                None => table.extend(std::iter::repeat_n(Stat::UNKNOWN, cells)),
            };
            put(&one, first);
            put(&more, second);
        }
        (id, table)
    });
    Block::new(one.layout.clone(), cells, joined)
}

#[cfg(test)]
mod tests;

//! The rings of a partition for readers: a value that shares unchanged data with its writer.

use std::sync::Arc;
use std::time::Duration;

use imbl::{OrdMap, Vector};

use super::block::{Block, SubjectId, Table};
use super::codec::{UNKNOWN, put, put_column, put_text, take, take_column, take_text};
use super::mark::Mark;
use super::moment::Layout;
use super::value::{Subject, Value};
use super::{Measure, STEP};
use model::Time;

/// A ring, by the duration of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ring {
    /// 10 seconds, for 6 hours.
    Fine,
    /// Cells of a minute, for 3 days.
    Minute,
    /// Cells of an hour, for 90 days.
    Hour,
}

impl Ring {
    /// All rings, the finest first.
    pub const ALL: [Self; 3] = [Self::Fine, Self::Minute, Self::Hour];

    /// The duration of a cell.
    pub const fn cell(self) -> Duration {
        match self {
            Self::Fine => STEP,
            Self::Minute => Duration::from_secs(60),
            Self::Hour => Duration::from_secs(3600),
        }
    }

    /// The time range.
    pub const fn reach(self) -> Duration {
        match self {
            Self::Fine => Duration::from_secs(6 * 3600),
            Self::Minute => Duration::from_secs(3 * 86_400),
            Self::Hour => Duration::from_secs(90 * 86_400),
        }
    }

    /// The maximum size in bytes, in memory and on disk; above it, the oldest block is dropped.
    pub const fn most_bytes(self) -> usize {
        match self {
            Self::Fine | Self::Minute => 48 << 20,
            Self::Hour => 32 << 20,
        }
    }

    pub(super) const fn block_cells(self) -> u64 {
        match self {
            Self::Fine | Self::Minute => 60,
            Self::Hour => 24,
        }
    }

    pub(super) const fn cell_of(self, at: Time) -> u64 {
        at.0 / self.cell().as_micros() as u64
    }

    pub(super) const fn start(self, cell: u64) -> Time {
        Time(cell.saturating_mul(self.cell().as_micros() as u64))
    }
}

/// A moment of the open block: the difference from the previous moment. The first one is complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    pub(super) cell: u64,
    pub(super) layout: Layout,
    pub(super) changed: Vec<(SubjectId, Box<[i64]>)>,
    pub(super) gone: Vec<SubjectId>,
}

impl Open {
    /// `None` if unchanged, `Some(None)` if removed.
    pub(super) fn row(&self, subject: SubjectId) -> Option<Option<&[i64]>> {
        if self.gone.binary_search(&subject).is_ok() {
            return Some(None);
        }
        let at = self.changed.binary_search_by_key(&subject, |(own, _)| *own).ok()?;
        Some(Some(&self.changed[at].1))
    }

    pub(super) fn size(&self) -> usize {
        self.changed.len() * (40 + self.layout.width() * 8) + self.gone.len() * 4 + 100
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, self.cell);
        put(&mut out, self.layout.resources.len() as u64);
        self.layout.resources.iter().for_each(|name| put_text(&mut out, name));
        put(&mut out, self.changed.len() as u64);
        for (subject, row) in &self.changed {
            put(&mut out, u64::from(*subject));
            put_column(&mut out, row);
        }
        put(&mut out, self.gone.len() as u64);
        self.gone.iter().for_each(|subject| put(&mut out, u64::from(*subject)));
        out
    }

    /// Returns `None` if the bytes are corrupt.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = bytes;
        let number = |from: &mut &[u8]| u32::try_from(take(from)?).ok();
        let cell = take(&mut from)?;
        let count = |from: &mut &[u8]| usize::try_from(take(from)?).ok().filter(|count| *count <= from.len());
        let names = count(&mut from)?;
        let resources: Option<Vec<Arc<str>>> = (0..names).map(|_| take_text(&mut from).map(Arc::from)).collect();
        let layout = Layout { resources: resources?.into() };
        let rows = count(&mut from)?;
        let row = |from: &mut &[u8]| Some((number(from)?, take_column(from, layout.width())?.into()));
        let changed: Option<Vec<_>> = (0..rows).map(|_| row(&mut from)).collect();
        let gone = count(&mut from)?;
        let gone: Option<Vec<_>> = (0..gone).map(|_| number(&mut from)).collect();
        Some(Self { cell, layout, changed: changed?, gone: gone? })
    }
}

/// The measurements of a partition over time.
#[derive(Clone, Debug, Default)]
pub struct Rings {
    pub(super) rings: [Vector<Arc<Block>>; 3],
    pub(super) open: Vector<Arc<Open>>,
    pub(super) subjects: OrdMap<Subject, SubjectId>,
    pub(super) marks: Vector<Arc<Mark>>,
    pub(super) generation: u64,
    pub(super) left_out: usize,
}

impl Rings {
    /// Counts up with each change.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The number of subjects omitted from the newest moment because of [`super::MOST_ROWS`].
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The approximate size in bytes.
    pub fn size(&self) -> usize {
        let blocks: usize = self.rings.iter().flatten().map(|block| block.size()).sum();
        blocks + self.open.iter().map(|open| open.size()).sum::<usize>() + self.subjects.len() * 100
    }

    /// The subjects with data.
    pub fn subjects(&self) -> impl Iterator<Item = &Subject> {
        self.subjects.keys()
    }

    /// The marks, the oldest first.
    pub fn marks(&self) -> impl DoubleEndedIterator<Item = &Arc<Mark>> {
        self.marks.iter()
    }

    /// The last layout.
    pub fn layout(&self) -> Option<&Layout> {
        let open = self.open.back().map(|open| &open.layout);
        open.or_else(|| self.rings.iter().find_map(|ring| ring.back()).map(|block| &block.layout))
    }

    /// `None` if it is empty.
    pub fn oldest(&self, ring: Ring) -> Option<Time> {
        let sealed = self.rings[ring as usize].front().and_then(|block| block.cells.first());
        let open = self.open.front().filter(|_| ring == Ring::Fine).map(|open| &open.cell);
        sealed.or(open).map(|cell| ring.start(*cell))
    }

    /// The time of the last measurement.
    pub fn newest(&self) -> Option<Time> {
        self.newest_cell().map(|cell| Ring::Fine.start(cell))
    }

    pub(super) fn newest_cell(&self) -> Option<u64> {
        let sealed = || self.rings[Ring::Fine as usize].back().and_then(|block| block.cells.last().copied());
        self.open.back().map(|open| open.cell).or_else(sealed)
    }

    /// `None` if it is unknown now.
    pub fn newest_metric(&self, subject: &Subject, value: &Value) -> Option<i64> {
        let (id, last) = (*self.subjects.get(subject)?, self.open.back()?);
        let place = last.layout.place(value)?;
        let row = self.open.iter().rev().find_map(|open| open.row(id))??;
        row.get(place).copied().filter(|metric| *metric != UNKNOWN)
    }

    pub(super) fn open_tables(&self) -> impl Iterator<Item = (SubjectId, Table)> + '_ {
        open_tables(&self.open)
    }
}

fn open_tables(open: &Vector<Arc<Open>>) -> impl Iterator<Item = (SubjectId, Table)> + '_ {
    use super::block::Stat;
    type Row<'o> = (usize, Option<&'o [i64]>);
    let mut rows: std::collections::BTreeMap<SubjectId, Vec<Row<'_>>> = std::collections::BTreeMap::new();
    for (at, moment) in open.iter().enumerate() {
        moment.changed.iter().for_each(|(id, row)| rows.entry(*id).or_default().push((at, Some(row))));
        moment.gone.iter().for_each(|id| rows.entry(*id).or_default().push((at, None)));
    }
    let (cells, width) = (open.len(), open.front().map_or(0, |first| first.layout.width()));
    rows.into_iter().map(move |(id, rows)| {
        let mut table = vec![Stat::UNKNOWN; width * cells];
        for (nth, (from, row)) in rows.iter().enumerate() {
            let until = rows.get(nth + 1).map_or(cells, |(next, _)| *next);
            let Some(row) = row else { continue };
            for (place, metric) in row.iter().enumerate().take(width) {
                table[place * cells + from..place * cells + until].fill(Stat::of(*metric));
            }
        }
        (id, table)
    })
}

/// Whether a place contains a setting, of which the last value is used instead of the mean.
pub(super) fn is_setting(layout: &Layout, place: usize) -> bool {
    let first = layout.of_resource(Measure::Guarantee, 0);
    (first..layout.of_resource(Measure::Maximum, 0) + layout.resources.len()).contains(&place)
}

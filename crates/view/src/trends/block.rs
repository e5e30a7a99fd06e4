//! Blocks: the packed, immutable values of all subjects in some cells of a ring.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::codec::{UNKNOWN, put, put_column, put_text, take, take_column, take_text};
use super::moment::Layout;

pub(super) type SubjectId = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub min: i64,
    pub mean: i64,
    pub max: i64,
}

impl Stat {
    pub const UNKNOWN: Self = Self::of(UNKNOWN);

    pub const fn of(metric: i64) -> Self {
        Self { min: metric, mean: metric, max: metric }
    }

    pub const fn is_known(&self) -> bool {
        self.mean != UNKNOWN
    }

    /// Merges values. A setting has no mean: the last value is used.
    pub fn merge(all: impl Iterator<Item = Self>, setting: bool) -> Self {
        let (mut merged, mut sum, mut count) = (Self::UNKNOWN, 0_i128, 0_i128);
        for one in all.filter(Self::is_known) {
            (sum, count) = (sum + i128::from(one.mean), count + 1);
            merged = match merged.is_known() && !setting {
                true => Self { min: merged.min.min(one.min), mean: 0, max: merged.max.max(one.max) },
                false => one,
            };
        }
        if count > 0 && !setting {
            merged.mean = i64::try_from((sum + count / 2).div_euclid(count)).unwrap_or(i64::MAX);
        }
        merged
    }
}

pub(super) type Table = Vec<Stat>;

/// Some cells of a ring.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub(super) layout: Layout,
    pub(super) cells: Vec<u64>,
    index: Vec<(SubjectId, u32)>,
    data: Vec<u8>,
}

impl Block {
    /// Packs tables, in the order of their subjects. Subjects with identical values share their bytes.
    pub(super) fn new(layout: Layout, cells: Vec<u64>, tables: impl Iterator<Item = (SubjectId, Table)>) -> Self {
        let mut block = Self { layout, cells, index: Vec::new(), data: Vec::new() };
        let (mut known, mut packed) = (FxHashMap::<Vec<u8>, u32>::default(), Vec::new());
        for (subject, table) in tables {
            packed.clear();
            block.pack(&table, &mut packed);
            let at = match known.get(&packed) {
                Some(at) => *at,
                None => {
                    let at = u32::try_from(block.data.len()).unwrap_or(u32::MAX);
                    block.data.extend_from_slice(&packed);
                    known.insert(packed.clone(), at);
                    at
                }
            };
            block.index.push((subject, at));
        }
        block
    }

    fn pack(&self, table: &Table, out: &mut Vec<u8>) {
        let flat = table.iter().all(|stat| stat.min == stat.mean && stat.mean == stat.max);
        put(out, u64::from(flat));
        let mut column = Vec::with_capacity(self.cells.len());
        let mut put_all = |metric: fn(&Stat) -> i64, out: &mut Vec<u8>| {
            for stats in table.chunks(self.cells.len().max(1)) {
                column.clear();
                column.extend(stats.iter().map(metric));
                put_column(out, &column);
            }
        };
        put_all(|stat| stat.mean, out);
        if !flat {
            put_all(|stat| stat.min, out);
            put_all(|stat| stat.max, out);
        }
    }

    pub(super) fn subjects(&self) -> impl Iterator<Item = SubjectId> {
        self.index.iter().map(|(subject, _)| *subject)
    }

    pub(super) fn table(&self, subject: SubjectId) -> Option<Table> {
        let mut from = self.bytes_of(subject)?;
        let flat = take(&mut from)? == 1;
        let width = self.layout.width();
        let mut columns = || -> Option<Vec<i64>> {
            let mut all = Vec::with_capacity(width * self.cells.len());
            for _ in 0..width {
                all.extend(take_column(&mut from, self.cells.len())?);
            }
            Some(all)
        };
        let mean = columns()?;
        if flat {
            return Some(mean.into_iter().map(Stat::of).collect());
        }
        let (min, max) = (columns()?, columns()?);
        let all = mean.into_iter().zip(min).zip(max);
        Some(all.map(|((mean, min), max)| Stat { min, mean, max }).collect())
    }

    pub(super) fn column(&self, subject: SubjectId, place: usize) -> Vec<Stat> {
        self.read_column(subject, place).unwrap_or_default()
    }

    fn read_column(&self, subject: SubjectId, place: usize) -> Option<Vec<Stat>> {
        let mut from = self.bytes_of(subject)?;
        let (flat, cells, width) = (take(&mut from)? == 1, self.cells.len(), self.layout.width());
        let mut nth = |skip: usize| -> Option<Vec<i64>> {
            for _ in 0..skip {
                take_column(&mut from, cells)?;
            }
            take_column(&mut from, cells)
        };
        let mean = nth(place)?;
        if flat {
            return Some(mean.into_iter().map(Stat::of).collect());
        }
        let (min, max) = (nth(width - 1)?, nth(width - 1)?);
        Some(mean.into_iter().zip(min).zip(max).map(|((mean, min), max)| Stat { min, mean, max }).collect())
    }

    fn bytes_of(&self, subject: SubjectId) -> Option<&[u8]> {
        let at = self.index.binary_search_by_key(&subject, |(own, _)| *own).ok()?;
        self.data.get(self.index[at].1 as usize..)
    }

    pub(super) fn size(&self) -> usize {
        self.data.len() + self.index.len() * 8 + self.cells.len() * 8 + 200
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size());
        put(&mut out, self.layout.resources.len() as u64);
        self.layout.resources.iter().for_each(|name| put_text(&mut out, name));
        let put_rising = |out: &mut Vec<u8>, all: &mut dyn Iterator<Item = u64>| {
            let mut last = 0;
            for number in all {
                put(out, number.wrapping_sub(last));
                last = number;
            }
        };
        put(&mut out, self.cells.len() as u64);
        put_rising(&mut out, &mut self.cells.iter().copied());
        put(&mut out, self.index.len() as u64);
        put_rising(&mut out, &mut self.subjects().map(u64::from));
        self.index.iter().for_each(|(_, at)| put(&mut out, u64::from(*at)));
        out.extend_from_slice(&self.data);
        out
    }

    /// Returns `None` if the bytes are corrupt.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = bytes;
        let count = |from: &mut &[u8]| -> Option<usize> {
            // A count cannot exceed the number of bytes.
            usize::try_from(take(from)?).ok().filter(|count| *count <= from.len())
        };
        let names = count(&mut from)?;
        let resources: Option<Vec<Arc<str>>> = (0..names).map(|_| take_text(&mut from).map(Arc::from)).collect();
        let rising = |from: &mut &[u8], count: usize| -> Option<Vec<u64>> {
            let mut last = 0_u64;
            (0..count)
                .map(|_| {
                    last = last.wrapping_add(take(from)?);
                    Some(last)
                })
                .collect()
        };
        let cells = count(&mut from)?;
        let cells = rising(&mut from, cells)?;
        let subjects = count(&mut from)?;
        let ids = rising(&mut from, subjects)?;
        let at = |from: &mut &[u8]| u32::try_from(take(from)?).ok();
        let index: Option<Vec<(SubjectId, u32)>> =
            ids.into_iter().map(|id| Some((u32::try_from(id).ok()?, at(&mut from)?))).collect();
        let sorted = |index: &Vec<(SubjectId, u32)>| index.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let index = index.filter(sorted)?;
        let sound = !cells.is_empty() && cells.windows(2).all(|pair| pair[0] < pair[1]);
        let layout = Layout { resources: resources?.into() };
        sound.then(|| Self { layout, cells, index, data: from.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Block {
        let layout = Layout { resources: ["vcore".into()].into() };
        let table = |first: i64| -> Table {
            let metrics = (0..layout.width()).flat_map(|place| {
                let place = i64::try_from(place).unwrap();
                [Stat::of(first + place), Stat::UNKNOWN, Stat { min: 1, mean: first, max: 9 }]
            });
            metrics.collect()
        };
        let tables = [(1, table(5)), (4, table(7)), (9, table(5))];
        Block::new(layout.clone(), vec![7, 8, 12], tables.into_iter())
    }

    #[test]
    fn what_was_packed_is_read() {
        let block = block();
        assert_eq!(block.column(4, 2), [Stat::of(9), Stat::UNKNOWN, Stat { min: 1, mean: 7, max: 9 }]);
        let table = block.table(4).unwrap();
        assert_eq!(table[6..9], block.column(4, 2)[..]);
        assert_eq!(block.column(5, 2), [], "a subject that does not exist");
        assert_eq!(block.bytes_of(1).unwrap().as_ptr(), block.bytes_of(9).unwrap().as_ptr(), "those alike are one");
        assert_eq!(Block::read(&block.write()), Some(block));
    }

    #[test]
    fn damage_is_noticed_or_harmless() {
        let whole = block().write();
        assert!((0..16).all(|length| Block::read(&whole[..length]).is_none()), "cut off in its head");
        let cut = Block::read(&whole[..whole.len() - 1]).unwrap();
        assert_eq!(cut.table(4), None, "cut off in its figures");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            if let Some(block) = Block::read(&damaged) {
                let _ = (block.table(4), block.column(9, 3));
            }
        }
    }

    #[test]
    fn several_are_merged() {
        let all = [Stat::of(4), Stat::UNKNOWN, Stat { min: 1, mean: 3, max: 12 }];
        assert_eq!(Stat::merge(all.into_iter(), false), Stat { min: 1, mean: 4, max: 12 });
        assert_eq!(Stat::merge([Stat::of(8), Stat::of(2)].into_iter(), true), Stat::of(2), "a setting is the last");
        assert_eq!(Stat::merge([Stat::UNKNOWN].into_iter(), false), Stat::UNKNOWN);
    }
}

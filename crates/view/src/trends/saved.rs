//! Stores rings as keys and bytes; the caller owns the file.

use std::sync::Arc;

use super::block::{Block, SubjectId};
use super::codec::{put, put_text, take, take_text};
use super::mark::Mark;
use super::recorder::Recorder;
use super::rings::{Open, Ring, Rings};
use super::value::{Subject, SubjectKind};

/// A change of the stored data.
#[derive(Clone, Debug)]
pub enum Change {
    /// A block is new or has more cells.
    Block(Ring, Arc<Block>),
    /// The block that starts with this cell was dropped.
    NoBlock(Ring, u64),
    /// A moment of the open block.
    Open(Arc<Open>),
    /// The open block was sealed.
    NoOpen,
    /// The subject of a number; `None` if the number is unused.
    Subject(SubjectId, Option<Subject>),
    /// A mark is new or has a new count.
    Mark(Arc<Mark>),
    /// A mark was dropped.
    NoMark(Arc<Mark>),
}

/// A letter for the kind, then numbers in sort order.
pub type Key = Vec<u8>;

/// An operation on the pairs of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Insert or replace a pair.
    Put(Key, Vec<u8>),
    /// Remove a key.
    Remove(Key),
    /// Remove all keys with a prefix.
    RemoveAll(Key),
}

fn key(letter: u8, numbers: &[u64]) -> Key {
    let mut key = vec![letter];
    numbers.iter().for_each(|number| key.extend_from_slice(&number.to_be_bytes()));
    key
}

fn mark_key(mark: &Mark) -> Key {
    // Marks of one kind in the same minute are one mark, which keeps its time.
    key(b'm', &[mark.at.0, mark.kind as u64])
}

fn block_key(ring: Ring, first: u64) -> Key {
    key(b'b', &[ring as u64, first])
}

impl Change {
    /// Returns the operation to write.
    pub fn write(&self) -> Write {
        match self {
            Self::Block(ring, block) => {
                Write::Put(block_key(*ring, block.cells.first().copied().unwrap_or_default()), block.write())
            }
            Self::NoBlock(ring, first) => Write::Remove(block_key(*ring, *first)),
            Self::Open(open) => Write::Put(key(b'o', &[open.cell]), open.write()),
            Self::NoOpen => Write::RemoveAll(vec![b'o']),
            Self::Subject(id, Some(subject)) => {
                let mut value = Vec::new();
                put(&mut value, subject.kind() as u64);
                put_text(&mut value, subject.name());
                Write::Put(key(b's', &[u64::from(*id)]), value)
            }
            Self::Subject(id, None) => Write::Remove(key(b's', &[u64::from(*id)])),
            Self::Mark(mark) => Write::Put(mark_key(mark), mark.write()),
            Self::NoMark(mark) => Write::Remove(mark_key(mark)),
        }
    }
}

fn read_subject(bytes: &[u8]) -> Option<Subject> {
    let mut from = bytes;
    let kind = usize::try_from(take(&mut from)?).ok()?;
    Some(Subject::new(*SubjectKind::ALL.get(kind)?, take_text(&mut from)?))
}

impl Rings {
    /// Adds a pair from a file, in key order. Returns false for an invalid pair, which is skipped.
    pub fn take_pair(&mut self, key: &[u8], value: &[u8]) -> bool {
        let Some((letter, rest)) = key.split_first() else { return false };
        let numbers: Vec<u64> =
            rest.chunks_exact(8).filter_map(|part| Some(u64::from_be_bytes(part.try_into().ok()?))).collect();
        let taken = match (letter, &*numbers) {
            (b'b', [ring, _]) => {
                usize::try_from(*ring).ok().and_then(|ring| self.rings.get_mut(ring)).and_then(|ring| {
                    let block = Block::read(value)?;
                    let after = ring.back().is_none_or(|last| last.cells.last() < block.cells.first());
                    after.then(|| ring.push_back(Arc::new(block)))
                })
            }
            (b'o', [_]) => Open::read(value).and_then(|open| {
                let after = self.open.back().is_none_or(|last| last.cell < open.cell && last.layout == open.layout);
                // A difference from a missing moment is meaningless.
                let started = !self.open.is_empty() || open.gone.is_empty();
                (after && started).then(|| self.open.push_back(Arc::new(open)))
            }),
            (b's', [id]) => u32::try_from(*id).ok().zip(read_subject(value)).map(|(id, subject)| {
                self.subjects.insert(subject, id);
            }),
            (b'm', [_, _]) => Mark::read(value).map(|mark| self.marks.push_back(Arc::new(mark))),
            _ => None,
        };
        self.generation += 1;
        taken.is_some()
    }

    /// All stored data, as changes of an empty file.
    pub fn all_changes(&self) -> Vec<Change> {
        let mut all = Vec::new();
        for ring in Ring::ALL {
            all.extend(self.rings[ring as usize].iter().map(|block| Change::Block(ring, Arc::clone(block))));
        }
        all.extend(self.open.iter().map(|open| Change::Open(Arc::clone(open))));
        all.extend(self.subjects.iter().map(|(subject, id)| Change::Subject(*id, Some(subject.clone()))));
        all.extend(self.marks.iter().map(|mark| Change::Mark(Arc::clone(mark))));
        all
    }
}

impl Recorder {
    /// Continues with the data from a file.
    pub fn open_retained(rings: Rings) -> Self {
        Self::continuing(rings)
    }
}

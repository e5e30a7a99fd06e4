//! Collects the records of a running core for the store.

use super::frame::{self, Kind};
use super::record::{Record, SMALL};
use model::Time;

/// Unwritten records. The number of a record is its position in the journal, from 1.
#[derive(Debug)]
pub struct Recorder {
    next: u64,
    frames: Vec<u8>,
    count: u64,
    /// Pending cycles at the same time, which become one record.
    cycles: Option<(Time, u32)>,
    volume: Volume,
}

/// An amount of recorded data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Other records plus individual cycles: the cost of a replay.
    pub work: u64,
    /// The approximate bytes in the store.
    pub bytes: u64,
}

impl std::ops::Add for Volume {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self { work: self.work + more.work, bytes: self.bytes + more.bytes }
    }
}

/// The bytes in the store for some bytes: large rows have their own pages, in powers of two.
pub fn space(bytes: usize) -> u64 {
    if bytes > LARGE { bytes.next_power_of_two() as u64 } else { bytes as u64 }
}

/// The size in bytes from which a row has its own pages.
const LARGE: usize = 2 << 10;

/// Consecutive framed records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordBlock {
    /// The number of the first record.
    pub first: u64,
    /// The number of records.
    pub count: u64,
    /// The frames, ready to be written.
    pub frames: Vec<u8>,
    /// The starts of further rows: the number of the first record and the offset in the frames.
    cuts: Vec<(u64, usize)>,
}

impl RecordBlock {
    /// Returns a block of records, numbered from `first`.
    pub fn new(first: u64, records: &[Record]) -> Self {
        let mut block = Self { first, ..Self::default() };
        for record in records {
            block.push(&record.bytes());
        }
        block
    }

    /// A large record gets its own row, so that it can be replaced.
    fn push(&mut self, record: &[u8]) {
        let large = record.len() > SMALL;
        let cut = |block: &mut Self| {
            let here = (block.first + block.count, block.frames.len());
            if large && !block.frames.is_empty() && block.cuts.last() != Some(&here) {
                block.cuts.push(here);
            }
        };
        cut(self);
        frame::write(&mut self.frames, Kind::Record, self.first + self.count, 0, record);
        self.count += 1;
        cut(self);
    }

    /// The rows, each with the number of its first record.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let starts = std::iter::once((self.first, 0)).chain(self.cuts.iter().copied());
        let ends = self.cuts.iter().map(|(_, at)| *at).chain([self.frames.len()]);
        let rows = starts.zip(ends).map(|((first, from), to)| (first, self.frames.get(from..to).unwrap_or_default()));
        rows.filter(|(_, frames)| !frames.is_empty())
    }

    /// The volume of the records.
    pub fn volume(&self) -> Volume {
        Volume { work: self.count, bytes: self.rows().map(|(_, frames)| space(frames.len())).sum() }
    }

    /// The number of the last record.
    pub fn last(&self) -> u64 {
        (self.first + self.count).saturating_sub(1)
    }
}

impl Recorder {
    /// Starts with this number.
    pub const fn new(next: u64) -> Self {
        Self { next, frames: Vec::new(), count: 0, cycles: None, volume: Volume { work: 0, bytes: 0 } }
    }

    /// Records a cycle.
    pub fn cycle(&mut self, now: Time) {
        self.volume.work += 1;
        match &mut self.cycles {
            Some((at, n)) if *at == now && *n < u32::MAX => *n += 1,
            _ => {
                self.settle();
                self.cycles = Some((now, 1));
            }
        }
    }

    /// Records another change.
    pub fn record(&mut self, record: &Record) {
        self.volume.work += 1;
        self.settle();
        self.push(record);
    }

    fn settle(&mut self) {
        if let Some((at, n)) = self.cycles.take() {
            self.push(&Record::Cycles { at, n });
        }
    }

    fn push(&mut self, record: &Record) {
        let before = self.frames.len();
        frame::write(&mut self.frames, Kind::Record, self.next, 0, &record.bytes());
        self.volume.bytes += space(self.frames.len() - before);
        self.next += 1;
        self.count += 1;
    }

    /// The waiting bytes.
    pub fn waiting(&self) -> usize {
        self.frames.len() + usize::from(self.cycles.is_some())
    }

    /// The recorded volume.
    pub fn volume(&self) -> Volume {
        self.volume
    }

    /// Returns the unwritten records, if any.
    pub fn take(&mut self) -> Option<RecordBlock> {
        self.settle();
        let count = std::mem::take(&mut self.count);
        let frames = std::mem::take(&mut self.frames);
        (count > 0).then(|| RecordBlock { first: self.next - count, count, frames, cuts: Vec::new() })
    }

    /// No record may wait.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Accounts for records that were written without this recorder.
    pub fn passed(&mut self, volume: Volume) {
        self.next += volume.work;
        self.volume = self.volume + volume;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_at_the_same_time_are_one_record() {
        let mut recorder = Recorder::new(5);
        let (one, two) = (Time::from_millis(1), Time::from_millis(2));
        for at in [one, one, one, two] {
            recorder.cycle(at);
        }
        recorder.record(&Record::Tick { at: two });
        let block = recorder.take().unwrap();
        let mut records = Vec::new();
        let read = frame::read_all(&block.frames, |frame| {
            records.push((frame.key, format!("{:?}", Record::read(frame.content).unwrap())));
        });
        assert_eq!(read, Ok(()));
        let message: Vec<_> = records.iter().map(|(key, text)| (*key, text.as_str())).collect();
        let expected = [
            (5, "Cycles { at: Time(1000), n: 3 }"),
            (6, "Cycles { at: Time(2000), n: 1 }"),
            (7, "Tick { at: Time(2000) }"),
        ];
        assert_eq!(message, expected);
        assert_eq!((block.first, block.last(), recorder.next(), recorder.volume().work), (5, 7, 8, 5));
        assert_eq!(recorder.take(), None);
    }

    #[test]
    fn a_large_record_has_a_row_of_its_own() {
        let notice = |text: &str| Record::Notice {
            at: Time::ZERO,
            weight: view::NoticeWeight::Info,
            title: String::new(),
            text: text.to_owned(),
        };
        let (small, large) = (notice("a"), notice(&"a".repeat(SMALL)));
        let rows = |records: &[&Record]| -> Vec<u64> {
            let records: Vec<Record> = records.iter().map(|record| (*record).clone()).collect();
            let block = RecordBlock::new(7, &records);
            let whole: Vec<u8> = block.rows().flat_map(|(_, frames)| frames.to_vec()).collect();
            assert_eq!(whole, block.frames);
            block.rows().map(|(first, _)| first).collect()
        };
        assert_eq!(rows(&[&small, &small]), [7]);
        assert_eq!(rows(&[&large]), [7]);
        assert_eq!(rows(&[&small, &large, &small, &small, &large, &large]), [7, 8, 9, 11, 12]);
    }
}

//! What a core writes down while it runs, until somebody takes it to the store.

use super::frame::{self, Kind};
use super::record::Record;
use crate::model::Time;

/// Records on their way. The number of a record is its place in the whole journal, from 1.
#[derive(Debug)]
pub struct Recorder {
    /// The number of the next record.
    next: u64,
    frames: Vec<u8>,
    count: u64,
    /// Cycles at the same time that are one record in the end.
    cycles: Option<(Time, u32)>,
    /// Cycles and other records so far, each cycle by itself: how much there is to replay.
    work: u64,
}

/// Records, one behind the other, framed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordBlock {
    /// The number of the first.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// The frames.
    pub frames: Vec<u8>,
}

impl RecordBlock {
    /// The records given, from this number on.
    pub fn new(first: u64, records: &[Record]) -> Self {
        let mut block = Self { first, ..Self::default() };
        for record in records {
            block.push(&record.bytes());
        }
        block
    }

    fn push(&mut self, record: &[u8]) {
        frame::write(&mut self.frames, Kind::Record, self.first + self.count, 0, record);
        self.count += 1;
    }

    /// The number of the last one.
    pub fn last(&self) -> u64 {
        (self.first + self.count).saturating_sub(1)
    }
}

impl Recorder {
    /// The next record gets this number.
    pub const fn new(next: u64) -> Self {
        Self { next, frames: Vec::new(), count: 0, cycles: None, work: 0 }
    }

    /// A cycle runs.
    pub fn cycle(&mut self, now: Time) {
        self.work += 1;
        match &mut self.cycles {
            Some((at, n)) if *at == now && *n < u32::MAX => *n += 1,
            _ => {
                self.settle();
                self.cycles = Some((now, 1));
            }
        }
    }

    /// Something else happens.
    pub fn record(&mut self, record: &Record) {
        self.work += 1;
        self.settle();
        self.push(record);
    }

    fn settle(&mut self) {
        if let Some((at, n)) = self.cycles.take() {
            self.push(&Record::Cycles { at, n });
        }
    }

    fn push(&mut self, record: &Record) {
        frame::write(&mut self.frames, Kind::Record, self.next, 0, &record.bytes());
        self.next += 1;
        self.count += 1;
    }

    /// How many bytes wait.
    pub fn waiting(&self) -> usize {
        self.frames.len() + usize::from(self.cycles.is_some())
    }

    /// How much there has been to replay so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// What waits; `None` when nothing does.
    pub fn take(&mut self) -> Option<RecordBlock> {
        self.settle();
        let count = std::mem::take(&mut self.count);
        let frames = std::mem::take(&mut self.frames);
        (count > 0).then(|| RecordBlock { first: self.next - count, count, frames })
    }

    /// The number of the next record. Nothing may wait.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Records were written past this recorder.
    pub fn passed(&mut self, count: u64) {
        self.next += count;
        self.work += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_one_moment_are_one_record() {
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
        assert_eq!((block.first, block.last(), recorder.next(), recorder.work()), (5, 7, 8, 5));
        assert_eq!(recorder.take(), None);
    }
}

//! Which jobs share a directory: those of one array.

use std::collections::BTreeMap;

use super::job::Job;

/// States of an array are reduced to the newest if they exceed this multiple of their length after the last reduction,
/// plus these bytes. So the written bytes are a small multiple of the stored ones.
const LONGEST: (u64, u64) = (2, 64 << 10);

#[derive(Debug, Default)]
pub(super) struct Arrays(BTreeMap<u64, Array>);

#[derive(Debug)]
pub(super) struct Array {
    pub(super) first: u64,
    last: u64,
    pub(super) left: u64,
    pub(super) longest: u64,
}

impl Array {
    pub(super) fn reduced_to(&mut self, length: u64) {
        self.longest = LONGEST.0 * length + LONGEST.1;
    }
}

impl Arrays {
    pub(super) fn add(&mut self, jobs: &[Job]) {
        if let [first, .., last] = jobs {
            let (first, last) = (first.number, last.number);
            self.0.insert(first, Array { first, last, left: jobs.len() as u64, longest: LONGEST.1 });
        }
    }

    pub(super) fn forget(&mut self, first: u64) {
        self.0.remove(&first);
    }

    pub(super) fn of_mut(&mut self, number: u64) -> Option<&mut Array> {
        self.0.range_mut(..=number).next_back().map(|(_, array)| array).filter(|array| number <= array.last)
    }

    pub(super) fn home(&self, number: u64) -> (u64, u64) {
        let array = self.0.range(..=number).next_back().map(|(_, array)| array).filter(|array| number <= array.last);
        array.map_or((number, 1), |array| (array.first, array.last - array.first + 1))
    }
}

//! Encodes columns of values; constant values and constant changes take almost no bytes.
//!
//! A column is a list of steps; the two low bits of a step are its type:
//!
//! ```text
//!  0 same     n cells equal to the one before
//!  1 change   a cell that differs from the last known one by the number that follows
//!  2 unknown  n cells that are unknown
//!  3 again    n cells that each differ from the one before by the last change
//! ```

pub(super) const UNKNOWN: i64 = i64::MIN;

const SAME: u64 = 0;
const CHANGE: u64 = 1;
const MISSING: u64 = 2;
const AGAIN: u64 = 3;

/// Writes a varint, seven bits per byte.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// `None` if the bytes are invalid.
pub(super) fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(super) fn take_text<'b>(from: &mut &'b [u8]) -> Option<&'b str> {
    let length = usize::try_from(take(from)?).ok()?;
    let (text, rest) = from.split_at_checked(length)?;
    *from = rest;
    std::str::from_utf8(text).ok()
}

pub(super) const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

pub(super) const fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

#[derive(Clone, Copy)]
struct At {
    cell: i64,
    known: i64,
    change: i64,
}

impl At {
    const START: Self = Self { cell: UNKNOWN, known: 0, change: 0 };

    fn step(&self, next: i64) -> u64 {
        match next {
            UNKNOWN => MISSING,
            _ if next == self.cell => SAME,
            _ if self.cell != UNKNOWN && self.change != 0 && self.cell.wrapping_add(self.change) == next => AGAIN,
            _ => CHANGE,
        }
    }

    fn go(&mut self, next: i64) {
        if next != UNKNOWN && next != self.cell {
            self.change = next.wrapping_sub(self.known);
        }
        self.cell = next;
        if next != UNKNOWN {
            self.known = next;
        }
    }
}

pub(super) fn put_column(out: &mut Vec<u8>, column: &[i64]) {
    let (mut at, mut here) = (At::START, 0);
    while here < column.len() {
        let step = at.step(column[here]);
        if step == CHANGE {
            put(out, CHANGE);
            put(out, zigzag(column[here].wrapping_sub(at.known)));
            at.go(column[here]);
            here += 1;
            continue;
        }
        let from = here;
        while here < column.len() && at.step(column[here]) == step {
            at.go(column[here]);
            here += 1;
        }
        put(out, ((here - from) as u64) << 2 | step);
    }
}

/// Returns `None` if the bytes are invalid.
pub(super) fn take_column(from: &mut &[u8], cells: usize) -> Option<Vec<i64>> {
    let (mut at, mut column) = (At::START, Vec::with_capacity(cells));
    while column.len() < cells {
        let step = take(from)?;
        let count = usize::try_from(step >> 2).ok()?;
        if step & 3 == CHANGE {
            at.go(at.known.wrapping_add(unzigzag(take(from)?)));
            column.push(at.cell);
            continue;
        }
        if count == 0 || count > cells - column.len() {
            return None;
        }
        for _ in 0..count {
            match step & 3 {
                SAME => {}
                MISSING => at.go(UNKNOWN),
                _ => at.go(at.cell.wrapping_add(at.change)),
            }
            column.push(at.cell);
        }
    }
    Some(column)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(column: &[i64]) -> Vec<u8> {
        let mut out = Vec::new();
        put_column(&mut out, column);
        out
    }

    proptest! {
        #[test]
        fn a_column_is_read_as_it_was_written(column in proptest::collection::vec(prop_oneof![
            Just(UNKNOWN), 0_i64..4, Just(0), any::<i64>()
        ], 0..80)) {
            let written = bytes(&column);
            let mut rest = &written[..];
            prop_assert_eq!(take_column(&mut rest, column.len()), Some(column));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn bytes_that_are_no_column_are_refused_or_read(written in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some(column) = take_column(&mut &written[..], 60) {
                prop_assert_eq!(column.len(), 60);
            }
        }
    }

    #[test]
    fn what_stays_or_grows_evenly_is_short() {
        assert!(bytes(&[64 << 30; 60]).len() <= 9);
        let waits: Vec<i64> = (0..60).map(|cell| 500 + cell * 10_000).collect();
        assert!(bytes(&waits).len() <= 9, "{:?}", bytes(&waits));
        assert!(bytes(&[UNKNOWN; 60]).len() <= 2);
    }
}

//! Shortens the records of rejected orders: any user with a token can send large orders that are rejected, and they
//! must not fill the disk.
//!
//! An order must be in the journal before the scheduler can reject it. So a large order is written completely, in its
//! own row, which is replaced after a rejection. An order that is rejected earlier is never written completely.
//!
//! Invariants:
//! - a replay of the short record adds the same audit entry, and changes nothing else;
//! - a short record has the digest of the whole one, which decides between two records with one number.

use sha2::{Digest as _, Sha256};

use super::frame::{self, Kind};
use super::record::{CheckedOrder, OmittedBody, OrderRecord, Record, SMALL};
use super::tables::Change;
use view::act::Refusal;

/// The record of an order that is rejected before its execution, without a large body.
pub fn short(record: OrderRecord, refusal: &Refusal) -> OrderRecord {
    shorter(&record, |record| without_body(record, refusal)).unwrap_or(record)
}

/// Returns the short record for a whole one; `None` if that is small. `shorten` omits the body.
pub fn replacement(
    number: u64,
    record: OrderRecord,
    shorten: impl FnOnce(OrderRecord) -> OrderRecord,
) -> Option<Change> {
    let bytes = Record::Order(Box::new(shorter(&record, shorten)?)).bytes();
    Some(Change::Records(number, frame::alone(Kind::Record, number, 0, &bytes).into()))
}

/// A record without the body of its order, which changed nothing.
pub fn without_body(record: OrderRecord, refusal: &Refusal) -> OrderRecord {
    let checked = Some(CheckedOrder::refused(refusal));
    OrderRecord { order: record.order.without_body(), checked, ..record }
}

fn shorter(record: &OrderRecord, shorten: impl FnOnce(OrderRecord) -> OrderRecord) -> Option<OrderRecord> {
    let whole = Record::Order(Box::new(record.clone())).bytes();
    if whole.len() <= SMALL || record.omitted.is_some() {
        return None;
    }
    let omitted = Some(OmittedBody { sha256: digest(&whole), bytes: whole.len() as u64 });
    Some(OrderRecord { omitted, ..shorten(record.clone()) })
}

/// The valid one of two records with the same number, if one replaced the other.
pub fn contains_bytes<'a>(one: &'a [u8], other: &'a [u8]) -> Option<&'a [u8]> {
    let replaces = |short: &[u8], whole: &[u8]| is_of(short, &digest(whole));
    [(one, other), (other, one)].into_iter().find(|(short, whole)| replaces(short, whole)).map(|(short, _)| short)
}

/// Whether a record is the short one of a whole one with this digest.
pub fn is_of(record: &[u8], whole: &str) -> bool {
    let omitted = |record| match record {
        Record::Order(order) => order.omitted,
        _ => None,
    };
    Record::read(record).ok().and_then(omitted).is_some_and(|omitted| omitted.sha256 == whole)
}

/// The SHA-256 of a record, in hexadecimal digits.
pub fn digest(record: &[u8]) -> String {
    Sha256::digest(record).iter().map(|byte| format!("{byte:02x}")).collect()
}

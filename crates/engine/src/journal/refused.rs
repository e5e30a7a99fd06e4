//! The record of a refused order: the actor, the time, the action, its object and the reason, but no body. Anybody with a token can
//! send large orders that are refused; they must not fill the disk.
//!
//! An order has to be in the journal before it is carried out, and only then it is known whether the scheduler refuses it. So a large order
//! is written whole, in a row of its own. If it is refused, that row is replaced. An order that is refused earlier is never written whole.
//!
//! Invariants:
//! - a replay of the short record enters the same into the audit as the whole one, and changes nothing else;
//! - a short record has the digest of the whole one, which decides between two records of one number.

use sha2::{Digest as _, Sha256};

use super::frame::{self, Kind};
use super::record::{CheckedOrder, OmittedBody, OrderRecord, Record, SMALL};
use super::tables::Change;
use view::act::Refusal;

/// The record of an order that is refused before it is carried out: without its body if the whole one is large.
pub fn short(record: OrderRecord, refusal: &Refusal) -> OrderRecord {
    shorter(&record, |record| without_body(record, refusal)).unwrap_or(record)
}

/// Puts the short record of an order instead of its whole one; `None` when that is small. `shorten` leaves something out.
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

/// The valid one of two records with the same number, if one of them replaced the other.
pub fn holds<'a>(one: &'a [u8], other: &'a [u8]) -> Option<&'a [u8]> {
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

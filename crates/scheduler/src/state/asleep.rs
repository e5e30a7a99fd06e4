//! The group and wake time of a candidate that backs off with others ([`super::candidates`]).

use model::Time;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asleep {
    /// The number of its group.
    pub group: usize,
    /// When its backoff ends by time alone.
    pub until: Time,
}

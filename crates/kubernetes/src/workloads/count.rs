//! The number of pods of an object as a formula over its fields.

use super::field::{Field, Rejected};

#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Is(u64),
    /// A dotted path, with a default.
    Of(&'static str, u64),
    /// A dotted path; unbounded if missing.
    AtMost(&'static str),
    Min(&'static [Self]),
    Max(&'static [Self]),
    /// Difference, at least 0.
    Less(&'static Self, u64),
}

impl Count {
    /// Fails for other than whole numbers from 0.
    pub fn in_field(&self, field: &Field<'_>) -> Result<u64, Rejected> {
        let all = |counts: &[Self]| -> Result<Vec<u64>, Rejected> {
            counts.iter().map(|count| count.in_field(field)).collect()
        };
        let read = |path: &str| field.at(path)?.map(|field| field.count()).transpose();
        Ok(match self {
            Self::Is(number) => *number,
            Self::Of(path, default) => read(path)?.unwrap_or(*default),
            Self::AtMost(path) => read(path)?.unwrap_or(u64::MAX),
            Self::Min(counts) => all(counts)?.into_iter().min().unwrap_or(0),
            Self::Max(counts) => all(counts)?.into_iter().max().unwrap_or(0),
            Self::Less(count, less) => count.in_field(field)?.saturating_sub(*less),
        })
    }
}

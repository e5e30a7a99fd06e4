//! The pods that a Job still has to create, by its status.

use super::Owned;
use super::field::{Field, Rejected};
use super::making::Made;

/// Bounds of completed indexes, both included.
type Range = (u64, u64);

/// Like the Job controller: as many active pods as completions are missing, at most `parallelism`.
pub(super) fn remaining(job: &Field<'_>, owned: Owned, made: &mut Vec<Made>) -> Result<(), Rejected> {
    let [only] = made.as_slice() else { return Ok(()) };
    let number = |path: &str| job.at(path)?.map(|field| field.count()).transpose();
    let completed = completed(job)?;
    let by_index = completed.iter().fold(0_u64, |sum, (first, last)| sum.saturating_add(last - first + 1));
    let succeeded = number("status.succeeded")?.unwrap_or(0).max(by_index).max(owned.succeeded);
    let parallelism = number("spec.parallelism")?.unwrap_or(1);
    let active = match number("spec.completions")? {
        Some(all) => parallelism.min(all.saturating_sub(succeeded)),
        // One success ends such a Job: its other pods finish, and no pod is added.
        None if succeeded > 0 => parallelism.min(number("status.active")?.unwrap_or(0)),
        None => parallelism,
    };
    let mut left = active.saturating_sub(owned.pods - owned.ended);
    let mut free = only.first;
    let mut parts = Vec::new();
    for (first, last) in completed.into_iter().chain([(u64::MAX, u64::MAX)]) {
        let count = left.min(first.saturating_sub(free));
        if count > 0 {
            parts.push(Made { first: free, count, ..only.clone() });
            left -= count;
        }
        free = free.max(last.saturating_add(1));
    }
    *made = parts;
    Ok(())
}

/// Returns how many completions are missing, `None` if the Job does not say.
pub(super) fn missing(job: &Field<'_>) -> Result<Option<u64>, Rejected> {
    let Some(all) = job.at("spec.completions")? else { return Ok(None) };
    let succeeded = job.at("status.succeeded")?.map(|field| field.count()).transpose()?.unwrap_or(0);
    Ok(Some(all.count()?.saturating_sub(succeeded)))
}

/// `status.completedIndexes`, for example `0,3-5,7`.
fn completed(job: &Field<'_>) -> Result<Vec<Range>, Rejected> {
    if job.text_at("spec.completionMode")? != Some("Indexed") {
        return Ok(Vec::new());
    }
    let Some(field) = job.at("status.completedIndexes")? else { return Ok(Vec::new()) };
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        Some((first, last)).filter(|_| first <= last && last < u64::MAX)
    };
    let parts = field.text()?.split(',').map(str::trim).filter(|part| !part.is_empty());
    let ranges: Option<Vec<Range>> = parts.map(range).collect();
    let mut ranges = ranges.ok_or_else(|| field.expected("indexes such as 0,3-5"))?;
    ranges.sort_unstable();
    Ok(ranges)
}

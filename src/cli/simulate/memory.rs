//! A sweep that does not fit into memory is rejected before it starts.

use std::collections::BTreeSet;
use std::path::Path;

use super::Ended;
use super::read::Inputs;
use super::variant::Variant;
use forecast::simulate::Workload;

/// Memory of a parsed text, as a multiple of its size.
const READ: u64 = 12;

pub(super) fn fit<'v>(
    inputs: &Inputs,
    variants: impl Iterator<Item = &'v Variant>,
    at_a_time: usize,
) -> Result<(), Ended> {
    // Unknown memory is not a reason to reject.
    let Some(available) = available() else { return Ok(()) };
    let mut seen = BTreeSet::new();
    for variant in variants {
        if seen.insert(variant.workload) {
            check(&variant.workload(inputs).map_err(Ended::input)?, at_a_time, available)?;
        }
    }
    Ok(())
}

pub(super) fn readable(file: &Path) -> Result<(), Ended> {
    let size = std::fs::metadata(file).map_or(0, |file| file.len());
    match available() {
        Some(available) if size.saturating_mul(READ) > available as u64 => Err(Ended::input(format!(
            "{} has {}, which need about {} of memory, and {} are available; simulate a part of it",
            file.display(),
            gibibytes(size),
            gibibytes(size.saturating_mul(READ)),
            gibibytes(available as u64),
        ))),
        _ => Ok(()),
    }
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

fn check(largest: &Workload, at_a_time: usize, available: usize) -> Result<(), Ended> {
    let each = largest.bytes();
    let all = each.saturating_mul(at_a_time);
    if all <= available {
        return Ok(());
    }
    let [each, all, available] = [each, all, available].map(|bytes| gibibytes(bytes as u64));
    let less = if at_a_time > 1 { "--threads 1 needs the least memory; otherwise " } else { "" };
    Err(Ended::input(format!(
        "not enough memory: {} requests need about {each} for each run, {all} for {at_a_time} at a time, and {available} \
            are available; nothing was simulated; {less}simulate a part of the workload",
        largest.asks(),
    )))
}

/// Available memory in bytes.
fn available() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forecast::simulate::{Job, Task};

    #[test]
    fn what_does_not_fit_is_refused_with_the_estimate() {
        let task = Task { count: 4 << 20, ..Task::default() };
        let workload = Workload { jobs: vec![Job { tasks: vec![task], ..Job::default() }], ..Workload::default() };
        assert!(check(&workload, 1, 64 << 30).is_ok());
        let refused = check(&workload, 2, 6 << 30).err().unwrap().message;
        assert!(
            refused.contains("4194304 requests need about 4.0 GiB for each run, 8.0 GiB for 2 at a time"),
            "{refused}"
        );
        assert!(refused.contains("6.0 GiB are available") && refused.contains("--threads 1"), "{refused}");
    }
}

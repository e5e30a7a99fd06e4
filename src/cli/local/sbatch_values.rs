//! Values of sbatch options.

use local::after::{How, Which};
use local::job::Dependency;

/// Parses memory into bytes: Slurm counts in MiB, and its units are powers of 1024.
///
/// # Errors
/// The expected form.
pub fn memory(value: &str) -> Result<i64, String> {
    let (number, unit) = match value.find(|letter: char| !letter.is_ascii_digit()) {
        Some(at) => value.split_at(at),
        None => (value, "M"),
    };
    let shift = match unit.to_ascii_uppercase().trim_end_matches('B') {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected a quantity with K, M, G, or T".to_owned()),
    };
    let bytes = number.parse::<i64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "expected a quantity with K, M, G, or T".to_owned())
}

/// Parses `MINUTES`, `MINUTES:SECONDS`, `HOURS:MINUTES:SECONDS`, `DAYS-HOURS`, `DAYS-HOURS:MINUTES`, or
/// `DAYS-HOURS:MINUTES:SECONDS` into seconds; `None` for no limit.
///
/// # Errors
/// The expected form.
pub fn time(value: &str) -> Result<Option<u64>, String> {
    if ["unlimited", "infinite"].contains(&value.to_ascii_lowercase().as_str()) {
        return Ok(None);
    }
    let wrong = || "write minutes, H:M:S or D-H:M:S".to_owned();
    let (days, rest) = value.split_once('-').map_or((None, value), |(days, rest)| (Some(days), rest));
    let read = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let parts = rest.split(':').map(read).collect::<Result<Vec<u64>, String>>()?;
    let units: &[u64] = match (days, parts.len()) {
        (None, 1) => &[60],
        (None, 2) => &[60, 1],
        (_, 3) => &[3600, 60, 1],
        (Some(_), 1) => &[3600],
        (Some(_), 2) => &[3600, 60],
        _ => return Err(wrong()),
    };
    let mut sum = days.map_or(Ok(0), read)?.checked_mul(86_400);
    for (part, unit) in parts.iter().zip(units) {
        sum = sum.and_then(|sum| sum.checked_add(part.checked_mul(*unit)?));
    }
    let seconds = sum.ok_or_else(wrong)?;
    Ok(Some(seconds).filter(|seconds| *seconds > 0))
}

/// Parses the number of GPUs in `2`, `a100:2`, or `a100`.
///
/// # Errors
/// The expected form.
pub fn gpus(value: &str) -> Result<i64, String> {
    let last = value.rsplit(':').next().unwrap_or_default();
    let count = match last.parse::<i64>() {
        Ok(count) => Some(count),
        // A type without a number means one.
        Err(_) => Some(1).filter(|_| last.starts_with(|letter: char| letter.is_ascii_alphabetic())),
    };
    count
        .filter(|count| (0..=1024).contains(count))
        .ok_or_else(|| "expected a number of GPUs, for example 2 or a100:2".to_owned())
}

/// Fails for resources other than GPUs.
pub fn of_gres(value: &str) -> Result<i64, String> {
    if value.eq_ignore_ascii_case("none") {
        return Ok(0);
    }
    let mut sum = 0;
    for part in value.split(',') {
        let rest = part.strip_prefix("gres/").unwrap_or(part);
        sum += match rest.strip_prefix("gpu") {
            Some("") => 1,
            Some(rest) if rest.starts_with(':') => gpus(&rest[1..])?,
            _ => return Err(format!("{part} is not available on this machine; GPUs only")),
        };
    }
    Ok(sum)
}

/// The value of `--dependency`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// The jobs that must have ended.
    pub after: Vec<Dependency>,
    /// No earlier job of the same user and name may remain.
    pub singleton: bool,
}

/// Parses `afterok:1:2,afterany:3_4,aftercorr:5,singleton`. The first job ID of an array means the whole array.
///
/// # Errors
/// An unsupported kind.
pub fn dependencies(value: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    if value.contains('?') {
        return Err("alternatives with ? are not supported; use commas".to_owned());
    }
    for part in value.split(',') {
        let (kind, jobs) = part.split_once(':').unwrap_or((part, ""));
        let how = match kind {
            "singleton" if jobs.is_empty() => {
                found.singleton = true;
                continue;
            }
            "afterok" => How::Ok,
            "afterany" => How::Any,
            "afternotok" => How::NotOk,
            "aftercorr" => How::Corresponding,
            _ => {
                let valid = "afterok, afterany, afternotok, aftercorr, and singleton";
                return Err(format!("{kind} is not supported; valid values: {valid}"));
            }
        };
        for job in jobs.split(':') {
            let wrong = || format!("{job:?} is not a job ID");
            let (number, index) = job.split_once('_').unwrap_or((job, "*"));
            let of = match index {
                "*" => Which::Array,
                index => Which::Index(index.parse().map_err(|_| wrong())?),
            };
            found.after.push(Dependency { job: number.parse().map_err(|_| wrong())?, how, of });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_slurm_are_read() {
        assert_eq!(["50", "4G", "64GB", "1024K", "0"].map(memory), [50 << 20, 4 << 30, 64 << 30, 1 << 20, 0].map(Ok));
        assert!(["", "G", "1.5G", "4Gi", "-1", "9999999999999T"].into_iter().all(|text| memory(text).is_err()));
        assert_eq!(["2", "a100:2", "a100", "0"].map(gpus), [2, 2, 1, 0].map(Ok));
        assert_eq!(["gpu", "gpu:2", "gpu:a100:4", "gpu:1,gpu:b:2", "none"].map(of_gres), [1, 2, 4, 3, 0].map(Ok));
        assert!(["", "license:1", "gpux", "gpu:-1", "gpu:"].into_iter().all(|text| of_gres(text).is_err()));
    }

    #[test]
    fn dependencies_of_slurm_are_read() {
        let found = dependencies("afterok:7:8_3,afternotok:9,aftercorr:4_*,singleton").unwrap();
        let one = |job, how, of| Dependency { job, how, of };
        let due = [
            one(7, How::Ok, Which::Array),
            one(8, How::Ok, Which::Index(3)),
            one(9, How::NotOk, Which::Array),
            one(4, How::Corresponding, Which::Array),
        ];
        assert_eq!((found.after.as_slice(), found.singleton), (&due[..], true));
        for text in
            ["", "after:1", "afterok", "afterok:x", "afterok:1_", "afterok:1?afterok:2", "expand:1", "singleton:1"]
        {
            assert!(dependencies(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_of_slurm_are_read() {
        let read = ["30", "1:30", "2:00:00", "1-1", "1-1:30", "1-0:0:5"].map(time);
        assert_eq!(read, [1800, 90, 7200, 90_000, 91_800, 86_405].map(|seconds| Ok(Some(seconds))));
        assert_eq!(["0", "UNLIMITED", "infinite"].map(time), [None; 3].map(Ok), "no limit");
        assert!(["", "1:2:3:4", "x", "99999999999999999999-0"].into_iter().all(|text| time(text).is_err()));
    }
}

//! Quantities on the command line of local jobs.

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::process::Signal;

use local::after::{How, Which};
use local::job::{ArraySpec, Dependency};
use local::submission::LARGEST_ARRAY;
use model::{MEMORY, VCORE, parse_quantity};
use view::drain::span;

const SIGNALS: [(&str, i32); 8] = [
    ("TERM", Signal::TERM.as_raw()),
    ("INT", Signal::INT.as_raw()),
    ("HUP", Signal::HUP.as_raw()),
    ("QUIT", Signal::QUIT.as_raw()),
    ("USR1", Signal::USR1.as_raw()),
    ("USR2", Signal::USR2.as_raw()),
    ("ALRM", Signal::ALARM.as_raw()),
    ("CONT", Signal::CONT.as_raw()),
];

/// Parses cores, `2`, `0.5`, or `500m`, into millicores.
///
/// # Errors
/// The expected form.
pub fn cores(text: &str) -> Result<i64, String> {
    let whole = parse_quantity(VCORE, text).ok();
    let broken = || {
        let (cores, parts) = text.split_once('.')?;
        let digits = parts.len() <= 3 && !parts.is_empty() && parts.bytes().all(|byte| byte.is_ascii_digit());
        let parts: i64 = format!("{parts:0<3}").parse().ok().filter(|_| digits)?;
        let cores: i64 = if cores.is_empty() { 0 } else { cores.parse().ok()? };
        cores.checked_mul(1000)?.checked_add(parts)
    };
    let found = whole.or_else(broken).filter(|cores| *cores > 0);
    found.ok_or_else(|| "expected cores, for example 2, 0.5, or 500m".to_owned())
}

/// Parses memory, `4G` or `512Mi`, into bytes.
///
/// # Errors
/// The expected form.
pub fn memory(text: &str) -> Result<i64, String> {
    // A unit is required: without one, Slurm uses megabytes and Kubernetes bytes.
    let has_unit = !text.bytes().all(|byte| byte.is_ascii_digit());
    let found = parse_quantity(MEMORY, text).ok().filter(|bytes| *bytes > 0 && has_unit);
    found.ok_or_else(|| "expected memory with a unit, for example 4G, 512Mi, or 1500M".to_owned())
}

/// Parses a time, `90s`, `30m`, `2h`, `1d`, or `1h30m`, into seconds.
///
/// # Errors
/// The expected form.
pub fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || format!("invalid time {text:?}; use for example 90s, 30m, 2h, 1d, or 1h30m");
    let (mut sum, mut number) = (0_u64, String::new());
    for letter in text.chars() {
        let unit = match letter {
            '0'..='9' => {
                number.push(letter);
                continue;
            }
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            _ => return Err(wrong()),
        };
        let part = number.parse::<u64>().ok().and_then(|count| count.checked_mul(unit)).ok_or_else(wrong)?;
        sum = sum.checked_add(part).ok_or_else(wrong)?;
        number.clear();
    }
    if sum == 0 || !number.is_empty() { Err(wrong()) } else { Ok(sum) }
}

/// Parses a dependency: `17` and `17:ok` require exit status 0, `17:any` only the end.
///
/// # Errors
/// The expected form.
pub fn dependency(text: &str) -> Result<Dependency, String> {
    let (jobs, how) = text.split_once(':').unwrap_or((text, "ok"));
    let wrong = || "write JOB, JOB:ok, JOB:any, or JOB:notok, for example 17:any, 17-116:ok, or 17_3".to_owned();
    let how = match how {
        "ok" => How::Ok,
        "any" => How::Any,
        "notok" => How::NotOk,
        _ => return Err(wrong()),
    };
    if let Some((job, index)) = jobs.split_once('_') {
        let (job, index) = (job.parse().map_err(|_| wrong())?, index.parse().map_err(|_| wrong())?);
        return Ok(Dependency { job, how, of: Which::Index(index) });
    }
    let JobNumbers { first, last } = numbers(jobs).map_err(|why| if jobs.contains('-') { why } else { wrong() })?;
    Ok(Dependency { job: first, how, of: if first == last { Which::One } else { Which::To(last) } })
}

/// Parses job IDs: `17`, or `17-116` for an array.
///
/// # Errors
/// The expected form.
pub fn numbers(text: &str) -> Result<JobNumbers, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last && last - first < LARGEST_ARRAY as u64 => Ok(JobNumbers { first, last }),
        _ => Err(format!(
            "expected a job ID, for example 17, or a range of at most {LARGEST_ARRAY} IDs, for example 17-116"
        )),
    }
}

/// A range of job IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobNumbers {
    /// The first job ID.
    pub first: u64,
    /// The last job ID.
    pub last: u64,
}

/// Parses array indices: `1-100`, `1,4,9`, `0-20:5`; a trailing `%8` allows at most 8 at one time.
///
/// # Errors
/// The expected form.
pub fn array(text: &str) -> Result<ArraySpec, String> {
    let wrong = || format!("invalid array {text:?}; use for example 1-100, 1,4,9, or 0-20:5, and %8 for 8 at one time");
    let (list, most) = match text.split_once('%') {
        Some((list, most)) => (list, most.parse().ok().filter(|most| *most > 0).ok_or_else(wrong)?),
        None => (text, 0),
    };
    let mut indices = BTreeSet::new();
    for part in list.split(',') {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let read = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let (first, last, step) = (read(first)?, read(last)?, read(step)?);
        let count = u64::from(last.checked_sub(first).ok_or_else(wrong)?) / u64::from(step.max(1));
        if step == 0 || indices.len() as u64 + count >= LARGEST_ARRAY as u64 {
            let many = format!("{text:?} has more than {LARGEST_ARRAY} tasks");
            return Err(if step == 0 { wrong() } else { many });
        }
        indices.extend((first..=last).step_by(step as usize));
    }
    Ok(ArraySpec { indices: indices.into_iter().collect(), most })
}

/// Parses a signal: `USR1`, `SIGUSR1`, `10`.
///
/// # Errors
/// The expected form.
pub fn signal(text: &str) -> Result<i32, String> {
    let name = text.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    let named = SIGNALS.iter().find(|(known, number)| *known == name || number.to_string() == name);
    let names = || SIGNALS.map(|(name, _)| name).join(", ");
    named.map(|(_, number)| *number).ok_or_else(|| format!("expected one of {}", names()))
}

/// `12s`, `3m 5s`, `2h 10m`.
pub fn show_ms(ms: u64) -> String {
    span(Duration::from_millis(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        assert_eq!([cores("2"), cores("0.5"), cores(".25"), cores("500m")], [2000, 500, 250, 500].map(Ok));
        assert!(["", "0", "x", "1.", "1.2345", "-1"].into_iter().all(|text| cores(text).is_err()));
        assert_eq!([memory("4G"), memory("1Mi")], [4_000_000_000, 1 << 20].map(Ok));
        assert!(memory("50").is_err() && memory("0").is_err() && memory("much").is_err());
        assert_eq!([seconds("90s"), seconds("2h"), seconds("1h30m")], [90, 7200, 5400].map(Ok));
        assert!(["", "5", "h", "1x", "0s", "99999999999999999999d"].into_iter().all(|text| seconds(text).is_err()));
    }

    #[test]
    fn a_dependency_states_how_the_job_must_have_ended() {
        assert_eq!(dependency("7"), Ok(Dependency::on(7, How::Ok)));
        assert_eq!(dependency("7:any"), Ok(Dependency::on(7, How::Any)));
        assert!(dependency("7:bad").is_err() && dependency("x").is_err());
    }

    #[test]
    fn an_array_has_indices_and_a_bound() {
        let indices = |text: &str| array(text).map(|array| (array.indices, array.most));
        assert_eq!(indices("1-4%2"), Ok((vec![1, 2, 3, 4], 2)));
        assert_eq!(indices("9,1,0-10:5"), Ok((vec![0, 1, 5, 9, 10], 0)));
        for wrong in ["", "x", "5-1", "1-4%0", "1-4:0", "0-4294967295", "1-3,", "-1"] {
            assert!(array(wrong).is_err(), "{wrong}");
        }
        assert_eq!(numbers("17-20"), Ok(JobNumbers { first: 17, last: 20 }));
        assert!(numbers("20-17").is_err() && numbers("1-99999999").is_err() && numbers("a").is_err());
    }

    #[test]
    fn signals_have_names_and_numbers() {
        assert_eq!([signal("usr1"), signal("SIGUSR1"), signal("10")], [Ok(10), Ok(10), Ok(10)]);
        assert!(signal("KILL").is_err() && signal("0").is_err() && signal("").is_err());
    }
}

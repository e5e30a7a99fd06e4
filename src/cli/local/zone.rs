//! The time zone of the call: `TZ` or `/etc/localtime`, a TZif file (RFC 9636) or a POSIX rule.

use std::fs;
use std::path::Path;

use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time};

const ZONES: &str = "/usr/share/zoneinfo";
const LOCAL: &str = "/etc/localtime";
/// Maximum size of a zone file, in bytes.
const LARGEST: u64 = 1 << 20;

/// Changes of a zone's offset from UTC, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    first: i64,
    /// The time of each change since 1970, and the new offset.
    changes: Vec<(i64, i64)>,
    rule: Option<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    standard: i64,
    summer: Option<Summer>,
}

/// Start and end of summer time, in seconds of the local day.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Summer {
    difference: i64,
    start: (Day, i64),
    end: (Day, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Day {
    /// `Mm.w.d`: month, week, and day; week 5 is the last one.
    Week { month: u8, week: u8, day: u8 },
    /// `Jn`: a day of the year from 1, without 29 February.
    WithoutLeap(u16),
    /// `n`: a day of the year from 0.
    OfYear(u16),
}

impl Zone {
    /// The zone of this process.
    ///
    /// # Errors
    /// `TZ` names no zone.
    pub fn local() -> Result<Self, String> {
        match std::env::var("TZ") {
            Err(_) => Ok(Self::file(Path::new(LOCAL)).unwrap_or_default()),
            Ok(name) => Self::named(&name).ok_or_else(|| format!("unknown time zone TZ={name}")),
        }
    }

    fn named(name: &str) -> Option<Self> {
        let file = name.strip_prefix(':').unwrap_or(name);
        if file.is_empty() {
            return Some(Self::default());
        }
        let read = Self::file(&Path::new(ZONES).join(file));
        read.or_else(|| Some(Self { rule: Some(Rule::read(name)?), ..Self::default() }))
    }

    fn file(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(|found| found.is_file() && found.len() <= LARGEST);
        Self::read(&found.and_then(|_| fs::read(path).ok())?)
    }

    /// Times have 4 bytes in version 1, and 8 later.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (block, width) = match bytes.get(4)? {
            0 => (bytes, 4),
            _ => (bytes.get(length(bytes, 4)?..)?, 8),
        };
        let [_, _, _, times, kinds, _] = counts(block)?;
        let (at, of) = (HEADER, HEADER + times * width);
        let number = |at: usize, width: usize| {
            let bytes = block.get(at..at + width)?;
            let symbol = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
            Some(bytes.iter().fold(symbol, |sum: i64, byte| sum << 8 | i64::from(*byte)))
        };
        let difference = |kind: usize| number(of + times + kind * 6, 4).filter(|_| kind < kinds);
        let change = |n: usize| Some((number(at + n * width, width)?, difference(usize::from(*block.get(of + n)?))?));
        let changes = (0..times).map(change).collect::<Option<Vec<_>>>()?;
        let footer = block.get(length(block, width)?..).and_then(|rest| std::str::from_utf8(rest).ok());
        Some(Self { first: difference(0)?, changes, rule: footer.and_then(|text| Rule::read(text.trim())) })
    }

    fn difference(&self, at: i64) -> i64 {
        let passed = self.changes.partition_point(|(change, _)| *change <= at);
        match (&self.rule, passed) {
            (Some(rule), passed) if passed == self.changes.len() => rule.difference(at),
            (_, 0) => self.first,
            (_, passed) => self.changes[passed - 1].1,
        }
    }

    /// The local time at a time in seconds since 1970.
    pub fn clock(&self, at: i64) -> Option<PrimitiveDateTime> {
        let shown = OffsetDateTime::from_unix_timestamp(at.checked_add(self.difference(at))?).ok()?;
        Some(PrimitiveDateTime::new(shown.date(), shown.time()))
    }

    /// Seconds since 1970 at which the local time is reached or, if a change skips it, passed.
    pub fn when(&self, clock: PrimitiveDateTime) -> i64 {
        let shown = clock.assume_utc().unix_timestamp();
        let differences = [shown - 86_400, shown + 86_400].map(|at| self.difference(at));
        let exact = differences.map(|difference| shown - difference).into_iter();
        let exact = exact.filter(|at| at + self.difference(*at) == shown).min();
        exact.unwrap_or(shown - differences[0])
    }
}

const HEADER: usize = 44;

fn counts(block: &[u8]) -> Option<[usize; 6]> {
    let header = block.get(..HEADER).filter(|header| header.starts_with(b"TZif"))?;
    let count = |n: usize| header[20 + n * 4..24 + n * 4].iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    Some([0, 1, 2, 3, 4, 5].map(count))
}

fn length(block: &[u8], width: usize) -> Option<usize> {
    let [utc, standard, leaps, times, kinds, letters] = counts(block)?;
    Some(HEADER + times * (width + 1) + kinds * 6 + letters + leaps * (width + 4) + standard + utc)
}

impl Rule {
    /// Parses `CET-1CEST,M3.5.0,M10.5.0/3`. The sign is inverted: hours to the west.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(',');
        let rest = after_name(parts.next()?)?;
        let (standard, rest) = clock(rest)?;
        if rest.is_empty() {
            return Some(Self { standard: -standard, summer: None });
        }
        let rest = after_name(rest)?;
        let ahead = if rest.is_empty() { standard - 3600 } else { clock(rest).filter(|(_, rest)| rest.is_empty())?.0 };
        let mut day = || {
            let part = parts.next()?;
            let (day, time) = part.split_once('/').map_or((part, "2"), |(day, time)| (day, time));
            Some((Day::read(day)?, clock(time).filter(|(_, rest)| rest.is_empty())?.0))
        };
        let (start, end) = (day()?, day()?);
        Some(Self { standard: -standard, summer: Some(Summer { difference: -ahead, start, end }) })
    }

    fn difference(&self, at: i64) -> i64 {
        let Some(summer) = &self.summer else { return self.standard };
        let Ok(shown) = OffsetDateTime::from_unix_timestamp(at.saturating_add(self.standard)) else {
            return self.standard;
        };
        let of =
            |(day, time): (Day, i64)| Some(day.in_year(shown.year())?.midnight().assume_utc().unix_timestamp() + time);
        let (Some(start), Some(end)) = (of(summer.start), of(summer.end)) else { return self.standard };
        let (start, end) = (start - self.standard, end - summer.difference);
        let is_summer = if start < end { (start..end).contains(&at) } else { !(end..start).contains(&at) };
        if is_summer { summer.difference } else { self.standard }
    }
}

impl Day {
    fn read(text: &str) -> Option<Self> {
        if let Some(text) = text.strip_prefix('M') {
            let numbers = text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u8>>>()?;
            let [month @ 1..=12, week @ 1..=5, day @ 0..=6] = numbers[..] else { return None };
            return Some(Self::Week { month, week, day });
        }
        match text.strip_prefix('J') {
            Some(day) => day.parse().ok().filter(|day| (1..=365).contains(day)).map(Self::WithoutLeap),
            None => text.parse().ok().filter(|day| *day <= 365).map(Self::OfYear),
        }
    }

    fn in_year(self, year: i32) -> Option<Date> {
        let first = Date::from_calendar_date(year, Month::January, 1).ok()?;
        match self {
            Self::OfYear(day) => Some(first + Duration::days(i64::from(day))),
            Self::WithoutLeap(day) => {
                let leap = day >= 60 && time::util::days_in_year(year) == 366;
                Some(first + Duration::days(i64::from(day) - 1 + i64::from(leap)))
            }
            Self::Week { month, week, day } => {
                let first = Date::from_calendar_date(year, Month::try_from(month).ok()?, 1).ok()?;
                let until = (7 + day - first.weekday().number_days_from_sunday()) % 7;
                let found = first + Duration::days(i64::from(until) + 7 * (i64::from(week) - 1));
                Some(if found.month() == first.month() { found } else { found - Duration::days(7) })
            }
        }
    }
}

/// Skips the name of a zone: letters, or any text in `<>`.
fn after_name(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('<') {
        return rest.split_once('>').map(|(_, rest)| rest);
    }
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    (text.len() - rest.len() >= 3).then_some(rest)
}

/// Parses `H`, `H:MM`, or `H:MM:SS` with a sign into seconds and the rest.
fn clock(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|letter: char| letter.is_ascii_alphabetic() || letter == '<').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let (symbol, number) = number.strip_prefix('-').map_or((1, number), |number| (-1, number));
    let parts = number.strip_prefix('+').unwrap_or(number).split(':').map(|part| part.parse::<i64>().ok());
    let parts = parts.collect::<Option<Vec<_>>>().filter(|parts| parts.len() <= 3)?;
    let fit = parts.iter().all(|part| (0..=167).contains(part));
    fit.then(|| (symbol * parts.iter().zip([3600, 60, 1]).map(|(part, unit)| part * unit).sum::<i64>(), rest))
}

/// Midnight at the start of a day.
pub fn midnight(day: Date) -> PrimitiveDateTime {
    PrimitiveDateTime::new(day, Time::MIDNIGHT)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn clocks_show_what_date_prints() {
        let times = [0, 1_711_846_799, 1_711_846_800, 1_729_990_800, 1_750_000_000, 2_145_916_800, 4_102_444_800];
        for zone in ["UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "<+0330>-3:30", "NZST-12NZDT,M9.5.0,M4.1.0/3", "EST5"] {
            compare(zone, &times);
        }
        for zone in ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca"] {
            match Path::new(ZONES).join(zone).exists() {
                true => compare(zone, &times),
                false => eprintln!("skipped {zone}: not installed"),
            }
        }
        assert!(Zone::named("Nowhere/Else").is_none() && Zone::named("X1").is_none());
    }

    fn compare(name: &str, times: &[i64]) {
        let zone = Zone::named(name).unwrap_or_else(|| panic!("{name}"));
        for at in times {
            let mut date = Command::new("date");
            let shown = date.env("TZ", name).env("LC_ALL", "C").args(["-d", &format!("@{at}"), "+%Y-%m-%d %-H:%M:%S"]);
            let shown = String::from_utf8(shown.output().unwrap().stdout).unwrap();
            let clock = zone.clock(*at).unwrap();
            let (hour, minute, second) = clock.time().as_hms();
            assert_eq!(format!("{} {hour}:{minute:02}:{second:02}\n", clock.date()), shown, "{name} at {at}");
            let back = zone.when(clock);
            assert!(back == *at || (zone.clock(back) == Some(clock) && back < *at), "{name}: {back} is not {at}");
        }
    }

    #[test]
    fn an_hour_that_is_omitted_is_the_one_after_it() {
        let zone = Zone::named("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        // 2024-03-31: clocks change from 2:00 to 3:00 at 1:00 UTC.
        let clock = PrimitiveDateTime::new(
            Date::from_calendar_date(2024, Month::March, 31).unwrap(),
            Time::from_hms(2, 30, 0).unwrap(),
        );
        assert_eq!(zone.when(clock), 1_711_848_600);
    }
}

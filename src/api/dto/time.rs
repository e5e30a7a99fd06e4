//! Points in time as they stand on the wire: mostly nanoseconds since 1970, seldom RFC 3339.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

const NANOS: i128 = 1_000_000_000;
const DAY: i64 = 86_400;

/// A moment that one release writes as text and another as a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// RFC 3339 with fraction and zone, as written (1.8, 1.9).
    Text(String),
    /// Nanoseconds since 1970 (after 1.9).
    Nanos(i64),
}

impl Deadline {
    /// Nanoseconds since 1970; `None` for a text that is no RFC 3339 or lies beyond 64 bits.
    pub fn nanos(&self) -> Option<i64> {
        match self {
            Self::Text(text) => parse_rfc3339(text),
            Self::Nanos(nanos) => Some(*nanos),
        }
    }
}

impl Serialize for Deadline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Nanos(nanos) => serializer.serialize_i64(*nanos),
        }
    }
}

impl<'de> Deserialize<'de> for Deadline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = Deadline;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an RFC 3339 text, or nanoseconds")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Deadline, E> {
                Ok(Deadline::Text(text.to_owned()))
            }

            fn visit_i64<E: Error>(self, nanos: i64) -> Result<Deadline, E> {
                Ok(Deadline::Nanos(nanos))
            }

            fn visit_u64<E: Error>(self, nanos: u64) -> Result<Deadline, E> {
                Ok(Deadline::Nanos(i64::try_from(nanos).unwrap_or(i64::MAX)))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// RFC 3339 in UTC with as many digits of the fraction as it needs, as upstream's runtime writes it.
pub fn rfc3339(nanos: i64) -> String {
    let seconds = nanos.div_euclid(1_000_000_000);
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    let fraction = format!(".{:09}", nanos.rem_euclid(1_000_000_000));
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Nanoseconds since 1970 of an RFC 3339 text; `None` where it is none, or beyond 64 bits.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let (time, offset) = match rest.strip_suffix(['Z', 'z']) {
        Some(time) => (time, 0),
        None => {
            let at = rest.rfind(['+', '-'])?;
            let (hours, minutes) = rest.get(at + 1..)?.split_once(':')?;
            let offset = digits(hours, 2)? * 3600 + digits(minutes, 2)? * 60;
            (rest.get(..at)?, if rest.as_bytes()[at] == b'-' { -offset } else { offset })
        }
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut date = date.splitn(3, '-');
    let (year, month, day) = (digits(date.next()?, 4)?, digits(date.next()?, 2)?, digits(date.next()?, 2)?);
    let mut time = time.splitn(3, ':');
    let (hour, minute, second) = (digits(time.next()?, 2)?, digits(time.next()?, 2)?, digits(time.next()?, 2)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    if fraction.is_empty() || fraction.len() > 18 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos: i128 = format!("{fraction:0<9}")[..9].parse().ok()?;
    let seconds = days(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset;
    i64::try_from(i128::from(seconds) * NANOS + nanos).ok()
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let right = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    right.then(|| text.parse().ok()).flatten()
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March here, so that a leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date that many days after 1970-01-01: year, month, day.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year + i64::from(month <= 2), month, of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_calendar() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (946_684_840_034_013_000, "2000-01-01T00:00:40.034013Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
            (1_790_000_000_500_000_000, "2026-09-21T14:13:20.5Z"),
        ];
        for (nanos, text) in cases {
            assert_eq!(rfc3339(nanos), text);
            assert_eq!(parse_rfc3339(text), Some(nanos), "{text}");
        }
        assert_eq!(parse_rfc3339("2000-01-01T02:00:40.034013+02:00"), Some(946_684_840_034_013_000));
        assert_eq!(parse_rfc3339("1999-12-31T23:30:00-00:30"), Some(946_684_800_000_000_000));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in ["", "x", "2000-01-01", "2000-13-01T00:00:00Z", "2000-01-01T00:00:00", "2000-01-01T00:00:00+0é:00"]
        {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
        assert_eq!(parse_rfc3339("9999-01-01T00:00:00Z"), None, "beyond 64 bits");
    }
}

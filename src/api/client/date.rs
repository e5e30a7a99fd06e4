//! The date of an answer's header, which tells how the other side's clock goes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that is still written.
pub fn read(text: &str) -> Option<SystemTime> {
    let mut words = text.split_ascii_whitespace().skip(1);
    let day: i64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)?;
    let year: i64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let plausible = (1..=31).contains(&day) && (1970..=9999).contains(&year) && hour < 24 && minute < 60 && second < 61;
    if !plausible || words.next() != Some("GMT") {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).ok()?))
}

/// Days since 1970-01-01; months count from 0. The year is taken to begin in March, so that the leap day is its last.
fn days(year: i64, month: usize, day: i64) -> i64 {
    let month = i64::try_from(month).unwrap_or(0);
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_headers_are_read() {
        for (text, seconds) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Sun, 22 Nov 2026 02:40:00 GMT", 1_795_315_200),
        ] {
            assert_eq!(read(text), Some(UNIX_EPOCH + Duration::from_secs(seconds)), "{text}");
        }
        for bad in ["", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}

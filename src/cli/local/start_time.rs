//! Start times of `#SBATCH --begin`.

use time::{Date, Duration, Month, PrimitiveDateTime, Time};

use super::zone::{Zone, midnight};

const NAMES: [(&str, u8); 5] = [("midnight", 0), ("elevenses", 11), ("noon", 12), ("fika", 15), ("teatime", 16)];
const FORMS: &str = "expected HH:MM, MM/DD[/YY][-HH:MM], YYYY-MM-DD[THH:MM[:SS]], now+COUNT[UNIT], midnight, noon, teatime, today, \
                     or tomorrow";

/// Parses a start time into ms since 1970, in a time zone; `None` for now. `now` is in ms since 1970.
///
/// # Errors
/// The expected forms.
pub fn begin(value: &str, now: u64, zone: &Zone) -> Result<Option<u64>, String> {
    let value = value.trim().to_ascii_lowercase();
    if let Some(rest) = value.strip_prefix("now") {
        return later(rest.trim(), now).ok_or_else(|| FORMS.to_owned());
    }
    let clock =
        i64::try_from(now / 1000).ok().and_then(|now| zone.clock(now)).ok_or("the time of this machine is wrong")?;
    let wanted = on_clock(&value, clock).ok_or(FORMS)?;
    Ok(u64::try_from(zone.when(wanted)).ok().and_then(|seconds| seconds.checked_mul(1000)).filter(|at| *at > now))
}

/// Parses `+90` or `+2hours`: seconds, minutes, hours, days, or weeks from now.
fn later(rest: &str, now: u64) -> Option<Option<u64>> {
    if rest.is_empty() {
        return Some(None);
    }
    let rest = rest.strip_prefix('+')?.trim_start();
    let (count, unit) = rest.split_at(rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len()));
    let unit = match unit.trim_start().trim_end_matches('s') {
        "" | "second" => 1,
        "minute" => 60,
        "hour" => 3600,
        "day" => 86_400,
        "week" => 7 * 86_400,
        _ => return None,
    };
    count.parse::<u64>().ok()?.checked_mul(unit * 1000)?.checked_add(now).map(Some)
}

/// `now` is local, too.
fn on_clock(value: &str, now: PrimitiveDateTime) -> Option<PrimitiveDateTime> {
    match value {
        "today" => return Some(midnight(now.date())),
        "tomorrow" => return Some(midnight(now.date().next_day()?)),
        _ => {}
    }
    if let Some(time) = time_of_day(value) {
        let today = PrimitiveDateTime::new(now.date(), time);
        return if today > now { Some(today) } else { today.checked_add(Duration::DAY) };
    }
    let (date, time) = match value.split_once(['t', ' ']) {
        Some((date, time)) => (date, time_of_day(time)?),
        None if value.contains('/') || value.contains('.') => {
            let (date, time) = value.split_once('-').map_or((value, None), |(date, time)| (date, Some(time)));
            (date, time.map_or(Some(Time::MIDNIGHT), time_of_day)?)
        }
        None => (value, Time::MIDNIGHT),
    };
    let (year, month, day) = date_of(date)?;
    let in_year = |year| {
        let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
        Some(PrimitiveDateTime::new(date, time))
    };
    match year {
        Some(year) => in_year(year),
        // Without a year, use the next such day.
        None => in_year(now.year()).filter(|at| *at > now).or_else(|| in_year(now.year() + 1)),
    }
}

/// `16:00`, `16:00:30`, `4:00pm`, or a name.
fn time_of_day(text: &str) -> Option<Time> {
    if let Some((_, hour)) = NAMES.iter().find(|(name, _)| *name == text) {
        return Time::from_hms(*hour, 0, 0).ok();
    }
    let (text, half) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(text), _) => (text.trim_end(), Some(0)),
        (_, Some(text)) => (text.trim_end(), Some(12)),
        _ => (text, None),
    };
    let parts = text.split(':').map(number).collect::<Option<Vec<u8>>>()?;
    let (hour, minute, second) = match parts[..] {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let hour = match half {
        Some(half) => (1..=12).contains(&hour).then_some(hour % 12 + half)?,
        None => hour,
    };
    Time::from_hms(hour, minute, second).ok()
}

/// Parses `2030-01-20`, `01/20`, `01/20/30`, `01.20.30`, `012030`, or `0120` into year, month, and day.
fn date_of(text: &str) -> Option<(Option<i32>, u8, u8)> {
    let of_century = |year: u8| 2000 + i32::from(year);
    if let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] {
        let year = (year.len() == 4).then(|| year.parse().ok()).flatten()?;
        return Some((Some(year), number(month)?, number(day)?));
    }
    let parts = match text.len() {
        4 | 6 if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.as_bytes().chunks(2).map(|pair| (pair[0] - b'0') * 10 + pair[1] - b'0').collect()
        }
        _ => text.split(['/', '.']).map(number).collect::<Option<Vec<u8>>>()?,
    };
    match parts[..] {
        [month, day] => Some((None, month, day)),
        [month, day, year] => Some((Some(of_century(year)), month, day)),
        _ => None,
    }
}

fn number(text: &str) -> Option<u8> {
    text.parse().ok().filter(|_| text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2030-06-15 14:30:10 UTC, a Saturday.
    const NOW: u64 = 1_907_764_210_000;

    fn after(value: &str) -> Result<Option<u64>, String> {
        begin(value, NOW, &Zone::default()).map(|at| at.map(|at| (at - NOW) / 1000))
    }

    #[test]
    fn dates_and_times_of_slurm_are_read() {
        let day = 86_400;
        let midnight = day - (14 * 3600 + 30 * 60 + 10);
        let due = [
            ("now", None),
            ("today", None),
            ("now+90", Some(90)),
            ("now+2hours", Some(7200)),
            ("now + 1 day", Some(day)),
            ("16:00", Some(5390)),
            ("16:00:30", Some(5420)),
            ("4:00PM", Some(5390)),
            ("teatime", Some(5390)),
            ("14:30", Some(day - 10)),
            ("noon", Some(midnight + 12 * 3600)),
            ("midnight", Some(midnight)),
            ("tomorrow", Some(midnight)),
            ("06/16", Some(midnight)),
            ("06/16-08:00", Some(midnight + 8 * 3600)),
            ("06/16/30-08:00", Some(midnight + 8 * 3600)),
            ("061630", Some(midnight)),
            ("0616", Some(midnight)),
            ("06/15", Some(364 * day + midnight)),
            ("2030-06-16", Some(midnight)),
            ("2030-06-16T01:02", Some(midnight + 3720)),
            ("2030-06-16T01:02:03", Some(midnight + 3723)),
            ("2020-01-01", None),
        ];
        for (value, seconds) in due {
            assert_eq!(after(value), Ok(seconds), "{value}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        let wrong = [
            "",
            "soon",
            "25:00",
            "13:00pm",
            "02/30",
            "2030-13-01",
            "30-06-16",
            "now+",
            "now+1year",
            "now-1",
            "1/2/3/4",
        ];
        for value in wrong.into_iter().chain(["2030-06-16T", "16", "+1:00", "06/16-"]) {
            assert_eq!(after(value), Err(FORMS.to_owned()), "{value}");
        }
    }
}

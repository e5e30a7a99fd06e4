use model::Time;

const DAY: i64 = 24 * 60 * 60;

/// Parses `2026-11-01T10:00:00Z`, without fractions of a second (K8S-124). `None` if invalid.
pub fn moment(text: &str) -> Option<Time> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let [year, month, day] = numbers::<3>(date, '-')?;
    let zone_at = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at(zone_at);
    let [hour, minute, second] = numbers::<3>(clock.split('.').next()?, ':')?;
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    if !in_range {
        return None;
    }
    let shift = match zone {
        "Z" | "z" => 0,
        _ => {
            let [hours, minutes] = numbers::<2>(&zone[1..], ':')?;
            (hours * 3600 + minutes * 60) * if zone.starts_with('-') { -1 } else { 1 }
        }
    };
    let seconds = days(year, month, day) * DAY + hour * 3600 + minute * 60 + second - shift;
    Some(Time(u64::try_from(seconds).ok()?.saturating_mul(1_000_000)))
}

fn numbers<const N: usize>(text: &str, separator: char) -> Option<[i64; N]> {
    let mut found = [0; N];
    let mut parts = text.split(separator);
    for number in &mut found {
        let part = parts.next()?;
        if part.is_empty() || part.len() > 9 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

/// From 1970-01-01. Years start in March, so that a leap day is the last day.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_years = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let of_months = (153 * month + 2) / 5;
    // 1970-01-01 by the same count.
    of_years + of_months + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_count_from_1970() {
        let seconds = |text: &str| moment(text).map(|time| time.0 / 1_000_000);
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2000-02-29T12:00:00Z"), Some(951_825_600));
        assert_eq!(seconds("2026-11-01T10:00:00Z"), Some(1_793_527_200));
        assert_eq!(seconds("2026-11-01T12:00:00.25+02:00"), Some(1_793_527_200));
        for text in ["", "2026-11-01", "2026-13-01T10:00:00Z", "2026-11-01T10:00Z", "1960-01-01T00:00:00Z", "xTyZ"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}

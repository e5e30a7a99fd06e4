//! Parses quantities of Kubernetes to whole numbers, exactly, without floats.

use super::objects::{Amount, Amounts};
use model::{Resource, VCORE};

/// Number of digits that are read; more are irrelevant.
const DIGITS: usize = 24;

/// Rounds up and saturates: `250m` is 250. Fails for negative or invalid text.
pub fn thousandths(text: &str) -> Result<i64, String> {
    amount(text, 3)
}

/// Rounds up: `1Ki` is 1024, `1m` is 1. Fails for negative or invalid text.
pub fn whole(text: &str) -> Result<i64, String> {
    amount(text, 0)
}

/// `cpu` becomes `vcore` in thousandths, others are whole (K8S-135). Fails with the first invalid quantity.
pub(crate) fn resource(amounts: &Amounts) -> Result<Resource, String> {
    let mut resource = Resource::new();
    for (name, amount) in amounts {
        let value = value(name, amount).map_err(|why| format!("{name}: {why}"))?;
        resource.set(of_core(name), value);
    }
    Ok(resource)
}

pub(crate) fn of_core(name: &str) -> &str {
    if name == "cpu" { VCORE } else { name }
}

/// Parses the quantity of a resource, in the scheduler's unit.
///
/// # Errors
/// The text is not a quantity, or is negative.
pub(crate) fn value(name: &str, amount: &Amount) -> Result<i64, String> {
    if name == "cpu" { thousandths(&amount.0) } else { whole(&amount.0) }
}

/// Parses a quantity times ten to the power of `scale`.
fn amount(text: &str, scale: i32) -> Result<i64, String> {
    let refused = || format!("{text:?} is not a Kubernetes quantity such as 2, 250m, or 1.5Gi");
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = rest.find(|symbol: char| !symbol.is_ascii_digit() && symbol != '.').unwrap_or(rest.len());
    let (number, suffix) = rest.split_at(end);
    let (before, behind) = number.split_once('.').unwrap_or((number, ""));
    if before.is_empty() && behind.is_empty() || behind.contains('.') {
        return Err(refused());
    }
    let (tens, twos) = factor(suffix).ok_or_else(refused)?;
    let is_zero = number.bytes().all(|digit| matches!(digit, b'0' | b'.'));
    if negative && !is_zero {
        return Err(format!("{text:?} is below zero"));
    }
    if is_zero {
        return Ok(0);
    }
    Ok(scaled(before, behind, tens.saturating_add(scale), twos))
}

fn factor(suffix: &str) -> Option<(i32, u32)> {
    Some(match suffix {
        "n" => (-9, 0),
        "u" => (-6, 0),
        "m" => (-3, 0),
        "" => (0, 0),
        "k" => (3, 0),
        "M" => (6, 0),
        "G" => (9, 0),
        "T" => (12, 0),
        "P" => (15, 0),
        "E" => (18, 0),
        "Ki" => (0, 10),
        "Mi" => (0, 20),
        "Gi" => (0, 30),
        "Ti" => (0, 40),
        "Pi" => (0, 50),
        "Ei" => (0, 60),
        _ => (suffix.strip_prefix(['e', 'E'])?.parse().ok()?, 0),
    })
}

/// Rounded up and saturated.
fn scaled(before: &str, behind: &str, tens: i32, twos: u32) -> i64 {
    let before = before.trim_start_matches('0');
    let digits: String = before.chars().chain(behind.chars()).collect();
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let digits = &digits[leading..];
    let retained = digits.len().min(DIGITS);
    // Dropped digits round up.
    let more = digits[retained..].bytes().any(|digit| digit != b'0');
    let Ok(mut value) = digits[..retained].parse::<u128>() else { return i64::MAX };
    let length = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX);
    let mut exponent = tens.saturating_sub(length(behind)).saturating_add(length(&digits[retained..]));
    value += u128::from(more);
    let Some(mut value) = value.checked_mul(1 << twos.min(60)) else { return i64::MAX };
    while exponent > 0 {
        let Some(larger) = value.checked_mul(10) else { return i64::MAX };
        (value, exponent) = (larger, exponent - 1);
    }
    while exponent < 0 && value > 1 {
        (value, exponent) = (value.div_ceil(10), exponent + 1);
    }
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact_and_rounded_up() {
        for (text, milli, units) in [
            ("250m", 250, 1),
            ("1.5", 1500, 2),
            ("2Gi", 2_147_483_648_000, 2_147_483_648),
            ("1e3", 1_000_000, 1000),
            ("1E3", 1_000_000, 1000),
            ("12E-1", 1200, 2),
            ("1E", i64::MAX, 1_000_000_000_000_000_000),
            ("100k", 100_000_000, 100_000),
            ("1n", 1, 1),
            ("0.1", 100, 1),
            ("4.096", 4096, 5),
            ("+.5", 500, 1),
            ("5.", 5000, 5),
            ("0", 0, 0),
            ("-0", 0, 0),
            ("0.000", 0, 0),
            ("1.5Ki", 1_536_000, 1536),
            ("9223372036854775807", i64::MAX, i64::MAX),
            ("99999999999999999999999999999999", i64::MAX, i64::MAX),
            ("1e-400", 1, 1),
            ("1e400", i64::MAX, i64::MAX),
        ] {
            assert_eq!((thousandths(text), whole(text)), (Ok(milli), Ok(units)), "{text}");
        }
    }

    #[test]
    fn what_is_none_is_refused_with_its_text() {
        for text in ["", "abc", "1 Gi", "1gi", "1KiB", "1.2.3", ".", "m", "e3", "1e", "1e1.5", "0x10", "١"] {
            let why = whole(text).expect_err(text);
            assert!(why.contains(&format!("{text:?}")), "{why}");
        }
        assert!(whole("-1").expect_err("it is negative").contains("below zero"));
    }
}

//! The notation of resource quantities (`config.md` section 3).

use std::fmt;

use super::resource::{MEMORY, VCORE};

/// Why a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityFault {
    /// Not digits with an optional suffix; also a sign (CFG-020).
    Malformed,
    /// An unknown suffix, or `m` on another resource than `vcore` (CFG-021).
    Suffix,
    /// Exceeds a signed 64-bit integer (CFG-022).
    Overflow,
}

const SUFFIXES: [(&str, u64); 12] = [
    ("k", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("P", 1_000_000_000_000_000),
    ("E", 1_000_000_000_000_000_000),
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("Pi", 1 << 50),
    ("Ei", 1 << 60),
];

/// Parses memory in bytes, `vcore` in millicores, others raw (`config.md` section 3).
///
/// # Errors
/// CFG-020, CFG-021, or CFG-022, in this order.
pub fn parse_quantity(name: &str, text: &str) -> Result<i64, QuantityFault> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = text.split_at(digits);
    let suffix = suffix.trim_start();
    if number.is_empty() || !suffix.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Err(QuantityFault::Malformed);
    }
    let milli = name == VCORE;
    let factor: u128 = match suffix {
        "" if milli => 1000,
        "" => 1,
        "m" if milli => 1,
        _ => {
            let (_, factor) = SUFFIXES.iter().find(|(known, _)| *known == suffix).ok_or(QuantityFault::Suffix)?;
            u128::from(*factor) * if milli { 1000 } else { 1 }
        }
    };
    // More than 128 bits is too large with any suffix.
    let number: u128 = number.parse().map_err(|_| QuantityFault::Overflow)?;
    number.checked_mul(factor).and_then(|value| i64::try_from(value).ok()).ok_or(QuantityFault::Overflow)
}

impl fmt::Display for QuantityFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not a quantity: digits, then an optional suffix",
            Self::Suffix => "unknown suffix; allowed: k M G T P E, Ki Mi Gi Ti Pi Ei, and m for vcore only",
            Self::Overflow => "too large: at most 9223372036854775807 after its suffix (vcore counts in thousandths)",
        })
    }
}

/// The shortest text that [`parse_quantity`] reads as this value; a negative value is written as 0.
pub fn write_quantity(name: &str, amount: i64) -> String {
    let amount = amount.max(0);
    let (amount, scaled) = match (name == VCORE, amount % 1000) {
        (true, 0) => (amount / 1000, true),
        (true, _) => (amount, false),
        (false, _) => (amount, true),
    };
    if !scaled {
        return format!("{amount}m");
    }
    let whole = |(suffix, factor): &(&str, u64)| {
        let factor = i64::try_from(*factor).ok().filter(|factor| amount > 0 && amount % factor == 0)?;
        Some(format!("{}{suffix}", amount / factor))
    };
    let plain = amount.to_string();
    // The first of equally short texts: a decimal suffix.
    SUFFIXES.iter().filter_map(whole).fold(plain, |best, text| if text.len() < best.len() { text } else { best })
}

/// Shows cores, exact below 1000: `250m` is `0.25`, `23500m` is `23.5`.
pub fn show_vcore(milli: i64) -> String {
    let sign = if milli < 0 { "-" } else { "" };
    let (cores, thousandths) = (milli.unsigned_abs() / 1000, milli.unsigned_abs() % 1000);
    if thousandths == 0 || cores >= 1000 {
        return format!("{sign}{cores}");
    }
    let fraction = format!("{thousandths:03}");
    format!("{sign}{cores}.{}", fraction.trim_end_matches('0'))
}

/// The units of displayed sizes: memory, storage, and huge pages. Other values are shown in thousands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizeUnits {
    /// Powers of 1024: `64Gi`.
    #[default]
    Binary,
    /// Powers of 1000: `68.7G`.
    Decimal,
}

impl SizeUnits {
    /// Both, with their names in the settings.
    pub const NAMES: [(&str, Self); 2] = [("binary", Self::Binary), ("decimal", Self::Decimal)];
}

/// Whether a resource is measured in bytes.
pub fn is_size(name: &str) -> bool {
    matches!(name, MEMORY | "ephemeral-storage" | "storage") || name.starts_with("hugepages-")
}

/// Shows bytes with a binary suffix: `44Gi`, `1.5Ti`, `900Mi`.
pub fn show_memory(bytes: i64) -> String {
    show_binary(bytes)
}

fn show_binary(bytes: i64) -> String {
    let size = bytes.unsigned_abs();
    let largest = SUFFIXES[6..].iter().rev().find(|(_, factor)| size >= *factor);
    let (suffix, factor) = largest.copied().unwrap_or(("", 1));
    show_scaled(bytes, i64::try_from(factor).unwrap_or(i64::MAX), suffix)
}

/// Shows a raw count, with a decimal suffix from 1000 on.
pub fn show_count(count: i64) -> String {
    let size = count.unsigned_abs();
    let (unit, suffix) = match size {
        0..1_000 => (1, ""),
        1_000..1_000_000 => (1_000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        1_000_000_000..1_000_000_000_000 => (1_000_000_000, "G"),
        1_000_000_000_000..1_000_000_000_000_000 => (1_000_000_000_000, "T"),
        1_000_000_000_000_000..1_000_000_000_000_000_000 => (1_000_000_000_000_000, "P"),
        _ => (1_000_000_000_000_000_000, "E"),
    };
    show_scaled(count, unit, suffix)
}

/// Sizes in binary units; [`parse_quantity`] reads it.
pub fn show_amount(name: &str, amount: i64) -> String {
    show_amount_in(SizeUnits::Binary, name, amount)
}

/// Shows a value that [`parse_quantity`] reads.
pub fn show_amount_in(units: SizeUnits, name: &str, amount: i64) -> String {
    match units {
        _ if name == VCORE => show_vcore(amount),
        SizeUnits::Binary if is_size(name) => show_binary(amount),
        SizeUnits::Binary | SizeUnits::Decimal => show_count(amount),
    }
}

/// At most one decimal below 100, none above; a non-zero value is never shown as 0.
fn show_scaled(value: i64, unit: i64, suffix: &str) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let (size, unit) = (value.unsigned_abs(), unit.unsigned_abs());
    let whole = size / unit;
    let tenths = size % unit * 10 / unit;
    if whole >= 100 || unit == 1 || (tenths == 0 && (whole > 0 || size == 0)) {
        return format!("{sign}{whole}{suffix}");
    }
    if whole == 0 && tenths == 0 {
        let thousandths = (size % unit * 1000 / unit).max(1);
        let text = format!("{thousandths:03}");
        return format!("{sign}0.{}{suffix}", text.trim_end_matches('0'));
    }
    format!("{sign}{whole}.{tenths}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::QuantityFault::{Malformed, Overflow, Suffix};
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_short() {
        for (name, amount, text) in [
            ("memory", 0, "0"),
            ("memory", 999, "999"),
            ("memory", 40_000_000_000, "40G"),
            ("memory", 42_949_672_960, "40Gi"),
            ("memory", 1_500_000, "1500k"),
            ("memory", i64::MAX, "9223372036854775807"),
            ("vcore", 20_000, "20"),
            ("vcore", 1500, "1500m"),
            ("vcore", 4_000_000, "4k"),
            ("pods", 1000, "1k"),
            ("pods", -3, "0"),
        ] {
            assert_eq!(write_quantity(name, amount), text);
            assert_eq!(parse_quantity(name, text), Ok(amount.max(0)));
        }
    }

    #[test]
    fn sizes_are_shown_by_1024_and_counts_by_1000() {
        for (name, amount, binary, decimal) in [
            ("memory", 0, "0", "0"),
            ("memory", 1023, "1023", "1k"),
            ("memory", 64 << 30, "64Gi", "68.7G"),
            ("memory", 3 << 29, "1.5Gi", "1.6G"),
            ("memory", (1 << 40) - 1, "1023Gi", "1T"),
            ("memory", -(5 << 20), "-5Mi", "-5.2M"),
            ("memory", i64::MAX, "7.9Ei", "9.2E"),
            ("ephemeral-storage", 100 << 30, "100Gi", "107G"),
            ("hugepages-2Mi", 4 << 20, "4Mi", "4.1M"),
            ("pods", 110_000, "110k", "110k"),
            ("vcore", 1500, "1.5", "1.5"),
            ("vcore", 250, "0.25", "0.25"),
            ("vcore", -1, "-0.001", "-0.001"),
            ("vcore", 186_125, "186.125", "186.125"),
            ("vcore", 1_000_999, "1000", "1000"),
        ] {
            assert_eq!(show_amount(name, amount), binary, "{name} {amount}");
            assert_eq!(show_amount_in(SizeUnits::Decimal, name, amount), decimal, "{name} {amount}");
        }
    }

    #[test]
    fn the_table_of_config_section_3() {
        type Read = Result<i64, QuantityFault>;
        let table: [(&str, Read, Read); 20] = [
            ("0", Ok(0), Ok(0)),
            ("1", Ok(1), Ok(1000)),
            ("010", Ok(10), Ok(10_000)),
            (" 25  k ", Ok(25_000), Ok(25_000_000)),
            ("1k", Ok(1000), Ok(1_000_000)),
            ("1Ki", Ok(1024), Ok(1_024_000)),
            ("500m", Err(Suffix), Ok(500)),
            ("0m", Err(Suffix), Ok(0)),
            ("9223372036854775807", Ok(i64::MAX), Err(Overflow)),
            ("9223372036854775808", Err(Overflow), Err(Overflow)),
            ("9223372036854775", Ok(9_223_372_036_854_775), Ok(9_223_372_036_854_775_000)),
            ("9223372036854776", Ok(9_223_372_036_854_776), Err(Overflow)),
            ("9223372036854775807m", Err(Suffix), Ok(i64::MAX)),
            ("9E", Ok(9_000_000_000_000_000_000), Err(Overflow)),
            ("7Ei", Ok(7 << 60), Err(Overflow)),
            ("10E", Err(Overflow), Err(Overflow)),
            ("8Ei", Err(Overflow), Err(Overflow)),
            ("1000E", Err(Overflow), Err(Overflow)),
            ("6P", Ok(6_000_000_000_000_000), Ok(6_000_000_000_000_000_000)),
            ("10P", Ok(10_000_000_000_000_000), Err(Overflow)),
        ];
        for (text, memory, vcore) in table {
            assert_eq!(parse_quantity("memory", text), memory, "memory {text:?}");
            assert_eq!(parse_quantity("vcore", text), vcore, "vcore {text:?}");
        }
        for text in ["-1", "+5", "1.5", "0x10", "1_000", "ten", "", "true", "\u{663}"] {
            assert_eq!(parse_quantity("memory", text), Err(Malformed), "{text:?}");
        }
        for text in ["1e3", "1e", "5X", "1kk", "1K", "1ki", "1mi", "1KI", "1Gb"] {
            assert!(parse_quantity("memory", text).is_err(), "{text:?}");
            assert!(parse_quantity("vcore", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn only_vcore_in_lower_case_is_special() {
        assert_eq!(parse_quantity("VCORE", "1"), Ok(1));
        assert_eq!(parse_quantity("cpu", "1m"), Err(Suffix));
    }

    #[test]
    fn shows_amounts_for_people() {
        assert_eq!(show_vcore(23_500), "23.5");
        assert_eq!(show_vcore(40_000), "40");
        assert_eq!(show_vcore(500), "0.5");
        assert_eq!(show_vcore(1), "0.001");
        assert_eq!(show_vcore(50), "0.05");
        assert_eq!(show_vcore(0), "0");
        assert_eq!(show_vcore(-1500), "-1.5");
        assert_eq!(show_memory(44 << 30), "44Gi");
        assert_eq!(show_memory(3 << 39), "1.5Ti");
        assert_eq!(show_memory(999), "999");
        assert_eq!(show_memory(i64::MIN), "-8Ei");
    }
}

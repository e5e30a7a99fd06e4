//! The rules of a configuration (`config.md` sections 4 to 11).
//!
//! Invariants:
//! - an invalid value disables only the checks that need it;
//! - in the profile of a release its validator decides, and kornsole's stricter rules are warnings (`profiles.md` 6);
//! - each check is linear in the size of the file.

mod limit_tables;
mod limits;
mod partitions;
mod properties;
mod queues;
mod resources;
mod rules;
mod static_paths;

use super::fault::Faults;
use super::raw::RawFile;
use model::VCORE;
use model::expression::Compiler;

/// First moves the limits of a partition to its root (CFG-079).
pub(super) fn check(file: &mut RawFile, faults: &mut Faults) {
    partitions::check_list(file, faults);
    let mut compiler = Compiler::default();
    for (index, partition) in file.partitions.iter_mut().enumerate() {
        let path = format!("partitions[{index}]");
        partitions::check_node_sort(partition, &path, faults);
        partitions::hand_limits_to_root(partition, faults);
        let Some(root) = &partition.root else { continue };
        partitions::check_root(root, faults);
        queues::check(root, faults);
        resources::check(root, faults);
        limits::check(root, faults);
        rules::check(&partition.rules, root, &path, &mut compiler, faults);
    }
}

/// Exact and short: `10G`, `4Gi`, `500m` for half a vcore.
pub(super) fn shown(name: &str, amount: i64) -> String {
    const UNITS: [(&str, i64); 6] = [
        ("P", 1_000_000_000_000_000),
        ("T", 1_000_000_000_000),
        ("G", 1_000_000_000),
        ("M", 1_000_000),
        ("k", 1000),
        ("", 1),
    ];
    const BINARY: [(&str, i64); 5] =
        [("Pi", 1 << 50), ("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)];
    if name == VCORE {
        return if amount % 1000 == 0 { shown("", amount / 1000) } else { format!("{amount}m") };
    }
    let units = UNITS.iter().chain(&BINARY).filter(|(_, unit)| amount != 0 && amount % unit == 0);
    let each = units.map(|(suffix, unit)| format!("{}{suffix}", amount / unit));
    each.min_by_key(String::len).unwrap_or_else(|| "0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::shown;
    use model::parse_quantity;

    #[test]
    fn amounts_in_messages_are_exact_and_short() {
        let table = [
            ("memory", 0, "0"),
            ("memory", 10_000_000_000, "10G"),
            ("memory", 10_500_000_000, "10500M"),
            ("memory", 4 << 30, "4Gi"),
            ("memory", i64::MAX, "9223372036854775807"),
            ("vcore", 500, "500m"),
            ("vcore", 2_000_000, "2k"),
        ];
        for (name, amount, text) in table {
            assert_eq!(shown(name, amount), text);
            assert_eq!(parse_quantity(name, text), Ok(amount));
        }
    }
}

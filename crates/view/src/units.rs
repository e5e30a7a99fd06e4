//! The display units for sizes: a preference of the user, set once from the settings. Decisions, records, and the API
//! do not depend on them.

use std::sync::atomic::{AtomicBool, Ordering};

use model::quantity::{SizeUnits, show_amount_in};
use model::{MEMORY, VCORE};

static DECIMAL: AtomicBool = AtomicBool::new(false);

/// Sets the units.
pub fn choose(units: SizeUnits) {
    DECIMAL.store(units == SizeUnits::Decimal, Ordering::Relaxed);
}

fn chosen() -> SizeUnits {
    if DECIMAL.load(Ordering::Relaxed) { SizeUnits::Decimal } else { SizeUnits::Binary }
}

/// Formats a quantity of the resource `name`: `64Gi`, `1.5`, `12k`.
pub fn show_amount(name: &str, amount: i64) -> String {
    show_amount_in(chosen(), name, amount)
}

/// The smallest round quantity of the resource `name` that is not below `amount`: the top of a scale, with short labels
/// for itself and its half. Without usage, it is one core or 1Gi.
pub fn round_up(name: &str, amount: i64) -> i64 {
    if amount <= 0 {
        return match name {
            VCORE => 1000,
            MEMORY => 1 << 30,
            _ => 1,
        };
    }
    const TENTHS: [i64; 10] = [10, 12, 16, 20, 24, 30, 40, 50, 60, 80];
    let base = if name == MEMORY && chosen() == SizeUnits::Binary { 1024 } else { 1000 };
    let mut unit: i64 = 1;
    while let Some(larger) = unit.checked_mul(base).filter(|larger| *larger <= amount) {
        unit = larger;
    }
    let round = [1, 10, 100]
        .into_iter()
        .flat_map(|power| TENTHS.map(|tenths| unit.saturating_mul(power * tenths).saturating_add(9) / 10));
    round.chain([unit.saturating_mul(base)]).find(|round| *round >= amount).unwrap_or(amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_at_round_amounts() {
        let tops = [
            (747_500, "800"),
            (512_000, "600"),
            (400_000, "400"),
            (401_000, "500"),
            (999_000, "1000"),
            (250, "0.3"),
            (0, "1"),
        ];
        for (amount, shown) in tops {
            assert_eq!(show_amount(VCORE, round_up(VCORE, amount)), shown, "{amount}");
        }
        let gi = 1 << 30;
        for (amount, shown) in [(37 * gi, "40Gi"), (1000 * gi, "1Ti"), (1025 * gi, "1.2Ti"), (gi, "1Gi"), (0, "1Gi")] {
            assert_eq!(show_amount(MEMORY, round_up(MEMORY, amount)), shown, "{amount}");
        }
        for amount in [0, 1, 7, 11, i64::MAX - 1, i64::MAX] {
            assert!(round_up(VCORE, amount) >= amount && round_up(MEMORY, amount) >= amount, "{amount}");
        }
    }
}

//! The display units for sizes: a preference of the user, set once from the settings. Decisions, records, and the API
//! do not depend on them.

use std::sync::atomic::{AtomicBool, Ordering};

use model::quantity::{SizeUnits, show_amount_in};

static DECIMAL: AtomicBool = AtomicBool::new(false);

/// Sets the units.
pub fn choose(units: SizeUnits) {
    DECIMAL.store(units == SizeUnits::Decimal, Ordering::Relaxed);
}

/// Formats a quantity of the resource `name`: `64Gi`, `1.5`, `12k`.
pub fn show_amount(name: &str, amount: i64) -> String {
    let units = if DECIMAL.load(Ordering::Relaxed) { SizeUnits::Decimal } else { SizeUnits::Binary };
    show_amount_in(units, name, amount)
}

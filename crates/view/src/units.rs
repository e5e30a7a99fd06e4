//! In which units sizes are written for the person at this program. It is a matter of taste as the theme is, set once from the settings;
//! what the scheduler decides, records and sends is invalid it.

use std::sync::atomic::{AtomicBool, Ordering};

use model::quantity::{SizeUnits, show_amount_in};

static DECIMAL: AtomicBool = AtomicBool::new(false);

/// Writes sizes in these units from now on.
pub fn choose(units: SizeUnits) {
    DECIMAL.store(units == SizeUnits::Decimal, Ordering::Relaxed);
}

/// Writes an amount of the resource `name` in the chosen units: `64Gi`, `1.5`, `12k`.
pub fn show_amount(name: &str, amount: i64) -> String {
    let units = if DECIMAL.load(Ordering::Relaxed) { SizeUnits::Decimal } else { SizeUnits::Binary };
    show_amount_in(units, name, amount)
}

//! Prices of resources per hour.
//!
//! ```toml
//! currency = "EUR"
//! [hour]
//! vcore = 0.03    # one core for an hour
//! memory = 0.004  # one GiB for an hour
//! "nvidia.com/gpu" = 1.2
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::formats::in_hours;
use model::MEMORY;

/// The prices of a file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The currency after an amount.
    #[serde(default)]
    pub currency: String,
    /// By resource: the price of one core, GiB, or unit for an hour.
    hour: BTreeMap<String, f64>,
}

impl Prices {
    /// Reads a file.
    ///
    /// # Errors
    /// An unreadable file, invalid TOML, an unknown key, or an invalid price.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Self::of(&text).map_err(|why| format!("{}: {why}", file.display()))
    }

    fn of(text: &str) -> Result<Self, String> {
        let prices: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        match prices.hour.iter().find(|(_, price)| !price.is_finite() || **price < 0.0) {
            Some((name, price)) => Err(format!("invalid price {price} of {name}; use 0 or more")),
            None => Ok(prices),
        }
    }

    /// `an hour of vcore 0.03, of memory (GiB) 0.004`.
    pub fn each(&self) -> String {
        let unit = |name: &str| if name == MEMORY { format!("{name} (GiB)") } else { name.to_owned() };
        let each: Vec<String> = self.hour.iter().map(|(name, price)| format!("of {} {price}", unit(name))).collect();
        if each.is_empty() {
            "no resource has a price".to_owned()
        } else {
            format!("price of an hour {}", each.join(", "))
        }
    }

    /// The price of base-unit seconds.
    pub fn cost(&self, seconds: &BTreeMap<String, u64>) -> f64 {
        let cost = |(name, seconds): (&String, &u64)| self.hour.get(name).map(|price| in_hours(name, *seconds) * price);
        seconds.iter().filter_map(cost).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_of_a_core_and_of_a_gib_costs_what_is_written() {
        let prices = Prices::of("currency = 'EUR'\n[hour]\nvcore = 0.5\nmemory = 0.25\n").unwrap();
        let hour = 3_600;
        let used = [("vcore", 2_000 * hour), ("memory", 4 * (1 << 30) * hour), ("gpu", hour)];
        let used = used.into_iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
        assert!((prices.cost(&used) - 2.0).abs() < 1e-9, "two cores, four GiB, and a gpu without a price");
    }

    #[test]
    fn invalid_prices_are_reported() {
        for (text, why) in [
            ("[hour]\nvcore = -1.0\n", "invalid price -1 of vcore; use 0 or more"),
            ("[hours]\nvcore = 1.0\n", "unknown field `hours`"),
            ("[hour]\nvcore = 'much'\n", "invalid type"),
        ] {
            let found = Prices::of(text).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
    }
}

//! W-002: values that seem wrong by a factor of a thousand or more.

use std::collections::BTreeMap;

use model::parse_quantity;

use super::{Fault, Place, fields, warning};
use crate::node::Fields;

const LITTLE: i64 = 1 << 20;
/// A value without a suffix is suspicious from here on, if another has the same digits.
const MANY_CORES: u64 = 100;

/// All CPU values of a text, and the suspicious other values.
#[derive(Default)]
pub(super) struct Amounts {
    cores: Vec<Cores>,
    found: Vec<Fault>,
}

struct Cores {
    number: u64,
    milli: bool,
    at: Place,
    path: String,
}

impl Amounts {
    pub(super) fn take(&mut self, of: Fields<'_>, kind: &str, path: &str) {
        for (key, value) in of.get(kind).and_then(fields).into_iter().flatten() {
            let Some(text) = value.scalar().map(|scalar| scalar.text.trim()) else { continue };
            match key.text {
                "memory" => self.memory(text, value.at(), path),
                "vcore" => {
                    let milli = text.ends_with('m');
                    let Ok(number) = text.trim_end_matches('m').parse() else { continue };
                    self.cores.push(Cores { number, milli, at: value.at(), path: path.to_owned() });
                }
                _ => {}
            }
        }
    }

    fn memory(&mut self, text: &str, at: Place, path: &str) {
        let Some(bytes) = parse_quantity("memory", text).ok().filter(|bytes| (1..LITTLE).contains(bytes)) else {
            return;
        };
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        let message = format!("`memory: {text}` is {bytes} bytes, less than any pod requests");
        self.found.push(warning(
            "W-002",
            at,
            path,
            message,
            &format!("write the unit, for example `{digits}Mi` or `{digits}Gi`"),
        ));
    }

    pub(super) fn report(&mut self, to: &mut Vec<Fault>) {
        to.append(&mut self.found);
        // So that the first one of each value remains.
        let first: BTreeMap<(u64, bool), &Cores> =
            self.cores.iter().rev().map(|one| ((one.number, one.milli), one)).collect();
        for one in &self.cores {
            let odd = if one.milli { one.number < MANY_CORES } else { one.number >= MANY_CORES };
            let Some(other) = first.get(&(one.number, !one.milli)) else { continue };
            if odd && one.number > 0 {
                let (this, that) = if one.milli { ("m", "") } else { ("", "m") };
                let number = one.number;
                let message = format!(
                    "`vcore: {number}{this}` is a thousand times {} than `{number}{that}` of {} (line {})",
                    if one.milli { "less" } else { "more" },
                    other.path,
                    other.at.line
                );
                to.push(warning(
                    "W-002",
                    one.at,
                    &one.path,
                    message,
                    "a number counts cores, and a number with `m` counts thousandths",
                ));
            }
        }
    }
}

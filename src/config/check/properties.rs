//! Property values that are not understood: never a fault in the releases, so warnings (`config.md` section 9).

use crate::config::fault::Faults;
use crate::config::node::{distance_is_small, quoted};
use crate::config::properties::{KNOWN_1_8, PropertyKey, QueueProperties};
use crate::config::raw::RawProperty;
use crate::config::types::Placed;
use crate::config::values::AppSortPolicy;
use crate::model::Profile;

/// The section of the rules, which have no id of their own.
const CODE: &str = "CFG-S09";

/// Warns of values that are not understood.
pub(super) fn check(properties: &[RawProperty], path: &str, faults: &mut Faults) {
    for property in properties {
        let (key, value) = (&property.key, &property.value.value);
        if let Err(known) = QueueProperties::default().set(key, value) {
            let message = format!("property `{key}` is {value:?}, which is not understood: the default holds");
            faults.warning(CODE, property.value.at, path, message, format!("write {}", known.expected()));
        }
        if PropertyKey::parse(key) == Some(PropertyKey::ApplicationSortPolicy) && faults.profile() == Profile::V1_8_0 {
            check_sort_policy(&property.value, path, faults);
        }
        if KNOWN_1_8.contains(&key.as_str()) && faults.profile() != Profile::V1_8_0 {
            let message = format!("property `{key}` is one of 1.8 and has no effect here");
            faults.warning(CODE, property.key_at, path, message, "leave it out");
        } else if !known(key, faults.profile()) {
            let message =
                format!("property {} is not known: it is kept and handed down, and has no effect", quoted(key));
            let hint = match near_known(key) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("leave it out; known are {}", known_keys().join(", ")),
            };
            faults.warning(CODE, property.key_at, path, message, hint);
        }
    }
}

/// Warns of an order of applications that 1.8.0 takes for another one.
fn check_sort_policy(value: &Placed<String>, path: &str, faults: &mut Faults) {
    match AppSortPolicy::parse(&value.value) {
        Some(AppSortPolicy::StateAware) => {
            let message = "`stateaware` is read as `fifo` by 1.8.0";
            faults.warning(CODE, value.at, path, message, "write `fifo`");
        }
        Some(AppSortPolicy::Fifo | AppSortPolicy::Fair) | None => {}
    }
}

fn known_keys() -> Vec<&'static str> {
    PropertyKey::names().collect()
}

fn known(key: &str, profile: Profile) -> bool {
    PropertyKey::parse(key).is_some() || (profile == Profile::V1_8_0 && KNOWN_1_8.contains(&key))
}

/// The known key that `key` is written like: the same but for case and separators, or but for two letters.
fn near_known(key: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['.', '_', '-'], "");
    let same = PropertyKey::names().find(|known| plain(known) == plain(key));
    same.or_else(|| PropertyKey::names().find(|known| distance_is_small(known, key)))
}

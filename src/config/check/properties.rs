//! Property values that are not understood: never a fault in the releases, so warnings (`config.md` section 9).

use crate::config::fault::Faults;
use crate::config::node::{distance_is_small, quoted};
use crate::config::properties::{APPLICATION_SORT_POLICY, KNOWN, KNOWN_1_8, QueueProperties};
use crate::config::raw::RawProperty;
use crate::model::Profile;

/// The section of the rules, which have no id of their own.
const CODE: &str = "CFG-S09";

/// Warns of values that are not understood.
pub(super) fn check(properties: &[RawProperty], path: &str, faults: &mut Faults) {
    for property in properties {
        let (key, value) = (&property.key, &property.value.value);
        if let Err(hint) = QueueProperties::default().set(key, value) {
            let message = format!("property `{key}` is {value:?}, which is not understood: the default holds");
            faults.warning(CODE, property.value.at, path, message, format!("write {hint}"));
        }
        if key == APPLICATION_SORT_POLICY && value == "stateaware" && faults.profile() == Profile::V1_8_0 {
            let message = "`stateaware` is read as `fifo` by 1.8.0";
            faults.warning(CODE, property.value.at, path, message, "write `fifo`");
        }
        if KNOWN_1_8.contains(&key.as_str()) && faults.profile() != Profile::V1_8_0 {
            let message = format!("property `{key}` is one of 1.8 and has no effect here");
            faults.warning(CODE, property.key_at, path, message, "leave it out");
        } else if !known(key, faults.profile()) {
            let message =
                format!("property {} is not known: it is kept and handed down, and has no effect", quoted(key));
            let hint = match near_known(key) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("leave it out; known are {}", KNOWN.join(", ")),
            };
            faults.warning(CODE, property.key_at, path, message, hint);
        }
    }
}

fn known(key: &str, profile: Profile) -> bool {
    KNOWN.contains(&key) || (profile == Profile::V1_8_0 && KNOWN_1_8.contains(&key))
}

/// The known key that `key` is written like: the same but for case and separators, or but for two letters.
fn near_known(key: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['.', '_', '-'], "");
    let same = KNOWN.into_iter().find(|known| plain(known) == plain(key));
    same.or_else(|| KNOWN.into_iter().find(|known| distance_is_small(known, key)))
}

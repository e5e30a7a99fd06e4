//! Property values that are not understood: never a fault in the releases, so warnings (`config.md` section 9).

use crate::config::fault::Faults;
use crate::config::properties::{APPLICATION_SORT_POLICY, KNOWN_1_8, QueueProperties};
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
        } else if let Some(near) = near_known(key) {
            let message = format!("property `{key}` has no effect, it is kept as it is");
            faults.warning(CODE, property.key_at, path, message, format!("did you mean `{near}`?"));
        }
    }
}

/// The known key that differs from `key` in case or in its separators only.
fn near_known(key: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['.', '_', '-'], "");
    let known = crate::config::properties::KNOWN;
    known.into_iter().find(|known| *known != key && plain(known) == plain(key))
}

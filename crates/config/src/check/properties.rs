//! Invalid property values: never an error in the releases, so warnings (`config.md` section 9).

use crate::fault::Faults;
use crate::node::{distance_is_small, quoted};
use crate::properties::{PropertyKey, QueueProperties};
use crate::raw::RawProperty;
use crate::release_keys::{OLD_QUOTA_DELAY, releases_with, renamed, unobeyed_keys};
use crate::types::Placed;
use crate::values::AppSortPolicy;
use model::Profile;

const CODE: &str = "CFG-S09";

pub(super) fn check(properties: &[RawProperty], path: &str, faults: &mut Faults) {
    for property in properties {
        let (key, value) = (&property.key, &property.value.value);
        let odd = QueueProperties::default().set(key, value).err();
        if let Some(known) = odd.filter(|known| known.row().is_read_by(faults.profile())) {
            let message = format!("property `{key}` is {value:?}, which is invalid: the default is used");
            faults.warning(CODE, property.value.at, path, message, format!("write {}", known.expected()));
        }
        if PropertyKey::parse(key) == Some(PropertyKey::ApplicationSortPolicy) && faults.profile().is_since_1_8() {
            check_sort_policy(&property.value, path, faults);
        }
        let releases = releases_with(key);
        let new = renamed(key, faults.profile());
        let is_old_name = key == OLD_QUOTA_DELAY && faults.profile() == Profile::Kornsole;
        // Both names serve two releases.
        let hint = || match new {
            Some(new) if properties.iter().any(|other| other.key == new) => {
                format!("remove it here, where `{new}` is set too")
            }
            Some(new) => format!("write `{new}`"),
            None => format!("remove it; known properties: {}", known_keys(faults.profile()).join(", ")),
        };
        if let Some(new) = new.filter(|_| is_old_name) {
            let message = format!(
                "property `{key}` is the name of `{new}` in 1.8.0: it applies only if `{new}` is \
                absent"
            );
            faults.warning(CODE, property.key_at, path, message, hint());
        } else if !releases.is_empty() && !known(key, faults.profile()) {
            let names: Vec<&str> = releases.iter().map(|release| release.name()).collect();
            let mut message = format!("property `{key}` exists only in {} and has no effect here", names.join(" and "));
            if let Some(new) = new {
                message.push_str(&format!(": its name in {} is `{new}`", faults.profile().name()));
            }
            faults.warning(CODE, property.key_at, path, message, hint());
        } else if !known(key, faults.profile()) {
            let message = format!("property {} is unknown: it is stored and inherited, and has no effect", quoted(key));
            let hint = match near_known(key, faults.profile()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("remove it; known properties: {}", known_keys(faults.profile()).join(", ")),
            };
            faults.warning(CODE, property.key_at, path, message, hint);
        }
    }
}

/// 1.8.0 and 1.9.0 treat some policies as another one.
fn check_sort_policy(value: &Placed<String>, path: &str, faults: &mut Faults) {
    match AppSortPolicy::parse(&value.value) {
        Some(AppSortPolicy::StateAware) => {
            let message = "`stateaware` is read as `fifo` since 1.8.0";
            faults.warning(CODE, value.at, path, message, "write `fifo`");
        }
        Some(AppSortPolicy::Fifo | AppSortPolicy::Fair) | None => {}
    }
}

fn known_keys(profile: Profile) -> Vec<&'static str> {
    PropertyKey::names_in(profile).collect()
}

fn known(key: &str, profile: Profile) -> bool {
    PropertyKey::parse(key).is_some_and(|key| key.row().is_read_by(profile))
        || unobeyed_keys(profile).any(|known| known == key)
}

/// Differs only in case, separators, or two letters.
fn near_known(key: &str, profile: Profile) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['.', '_', '-'], "");
    let same = PropertyKey::names_in(profile).find(|known| plain(known) == plain(key));
    same.or_else(|| PropertyKey::names_in(profile).find(|known| distance_is_small(known, key)))
}

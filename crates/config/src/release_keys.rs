//! Keys of queue properties that only some releases know (`config.md` section 9).

use super::properties::PropertyKey;
use model::{Profile, Readers};

/// The name in 1.8.0. [`Profile::Kornsole`] reads it if `quota.preemption.delay` is absent (N-01).
pub const OLD_QUOTA_DELAY: &str = "preemption.quota.delay";

type Unobeyed = (&'static str, &'static [Profile]);

const UNOBEYED: [Unobeyed; 3] = [
    ("application.unschedasks.backoff", &[Profile::V1_8_0, Profile::V1_9_0]),
    ("application.unschedasks.backoff.delay", &[Profile::V1_8_0, Profile::V1_9_0]),
    (OLD_QUOTA_DELAY, &[Profile::V1_8_0]),
];

/// The names of one property in different releases.
const RENAMED: [(&str, &str); 1] = [(OLD_QUOTA_DELAY, "quota.preemption.delay")];

/// The name in `profile` of a property that another release has under `key`, if it has another one there.
pub fn renamed(key: &str, profile: Profile) -> Option<&'static str> {
    let is_known = |name: &str| {
        PropertyKey::parse(name).is_some_and(|key| key.row().is_read_by(profile))
            || unobeyed_keys(profile).any(|known| known == name)
    };
    let pairs = RENAMED.into_iter().flat_map(|(old, new)| [(old, new), (new, old)]);
    pairs.filter(|(one, _)| *one == key).map(|(_, other)| other).find(|other| is_known(other))
}

/// The keys that a profile knows although they have no effect.
pub fn unobeyed_keys(profile: Profile) -> impl Iterator<Item = &'static str> {
    UNOBEYED.into_iter().filter(move |(_, known)| known.contains(&profile)).map(|(key, _)| key)
}

/// The releases that know a key; empty if every profile does.
pub fn releases_with(key: &str) -> Vec<Profile> {
    if PropertyKey::parse(key).is_some_and(|key| key.row().readers == Readers::Since1_9) {
        return vec![Profile::V1_9_0];
    }
    UNOBEYED.into_iter().find(|(known, _)| *known == key).map(|(_, known)| known.to_vec()).unwrap_or_default()
}

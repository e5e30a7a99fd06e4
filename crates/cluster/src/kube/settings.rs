//! Other settings in the scheduler's maps (K8S-016, K8S-017).

use std::collections::BTreeMap;

/// Whether changes of the maps are applied.
pub const HOT_REFRESH: &str = "service.enableConfigHotRefresh";
/// Whether task groups are ignored.
pub const GANGS_OFF: &str = "service.disableGangScheduling";
/// Whether a pod without an ID is its own application.
pub const UNIQUE_IDS: &str = "admissionController.filtering.generateUniqueAppId";

const BOOLS: [&str; 3] = [HOT_REFRESH, GANGS_OFF, UNIQUE_IDS];
const DURATIONS: [&str; 3] = ["service.schedulingInterval", "service.volumeBindTimeout", "service.dispatchTimeout"];
const NUMBERS: [&str; 6] = [
    "service.eventChannelCapacity",
    "service.placeholderRunAsUser",
    "service.placeholderRunAsGroup",
    "service.placeholderFsGroup",
    "kubernetes.qps",
    "kubernetes.burst",
];

/// Returns the first invalid setting with the expected form.
pub fn fault(settings: &BTreeMap<String, String>) -> Option<String> {
    settings.iter().find_map(|(key, value)| {
        let what = if BOOLS.contains(&key.as_str()) && bool_of(value).is_none() {
            "true or false"
        } else if DURATIONS.contains(&key.as_str()) && !is_duration(value) {
            "a duration such as 10m"
        } else if NUMBERS.contains(&key.as_str()) && value.parse::<i64>().is_err() {
            "a number"
        } else {
            return None;
        };
        Some(format!("{key} is {value:?}, expected {what}"))
    })
}

/// Returns `usual` if missing or invalid.
pub fn is_on(settings: &BTreeMap<String, String>, key: &str, usual: bool) -> bool {
    settings.get(key).and_then(|value| bool_of(value)).unwrap_or(usual)
}

/// Returns why the scheduler does not apply changes.
pub fn not_read(settings: &BTreeMap<String, String>) -> Option<String> {
    if let Some(fault) = fault(settings) {
        return Some(format!("{fault}, so the scheduler ignores every change of its ConfigMaps"));
    }
    let off = !is_on(settings, HOT_REFRESH, true);
    off.then(|| format!("{HOT_REFRESH} is false, so the scheduler reads its ConfigMaps only when it starts"))
}

fn bool_of(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// `1h30m`, `500ms`, `0`.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (digits, unit) = rest.split_at(number);
        let is_number = digits.chars().any(|c| c.is_ascii_digit()) && digits.matches('.').count() <= 1;
        let units = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];
        let Some(unit) = units.iter().find(|one| {
            unit.strip_prefix(**one)
                .is_some_and(|after| after.is_empty() || after.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
        }) else {
            return false;
        };
        if !is_number {
            return false;
        }
        rest = &rest[number + unit.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Option<String> {
        not_read(&pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn a_setting_that_does_not_parse_is_named_before_hot_refresh() {
        assert_eq!(of(&[("service.schedulingInterval", "1s"), ("kubernetes.qps", "5"), ("log.level", "x")]), None);
        let bad = of(&[("service.enableConfigHotRefresh", "false"), ("service.schedulingInterval", "5x")]).unwrap();
        assert!(bad.contains("service.schedulingInterval is \"5x\", expected a duration"), "{bad}");
        let off = of(&[("service.enableConfigHotRefresh", "f")]).unwrap();
        assert!(off.contains("only when it starts"), "{off}");
        assert!(of(&[("kubernetes.burst", "many")]).is_some());
    }

    #[test]
    fn durations_are_written_like_go_does() {
        for good in ["1s", "1h30m", "500ms", "0", "-1.5h", "10µs", "1m0.5s"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", "5", "5x", "s", "1 s", "1d", "."] {
            assert!(!is_duration(bad), "{bad}");
        }
    }
}

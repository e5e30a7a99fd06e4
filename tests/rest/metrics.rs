//! Metrics: upstream's names and labels, and its values where both count the same.

use std::collections::BTreeMap;

use model::Profile;

use super::recorded::body;
use super::stage::Stage;

fn values(text: &str) -> BTreeMap<&str, f64> {
    let lines = text.lines().filter(|line| line.starts_with("yunikorn_") && !line.starts_with("yunikorn_runtime"));
    lines.map(|line| line.rsplit_once(' ').unwrap()).map(|(name, value)| (name, value.parse().unwrap())).collect()
}

#[test]
fn metrics_have_upstreams_names_and_values() {
    let stage = Stage::recorded(Profile::V1_8_0);
    let (remote, local) = (body("1.8.0", "/ws/v1/metrics"), stage.get("/ws/v1/metrics"));
    assert_eq!(local.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let (remote, local) = (values(&remote), values(local.text()));
    // Durations of the recorder's steps, and counters that upstream maintains incorrectly.
    let other = |name: &str| {
        name.contains("_milliseconds")
            || name.starts_with("yunikorn_event_")
            || name.starts_with("yunikorn_queue_app{queue=\"\"")
            // Upstream retains a 0 for removed objects.
            || (name.starts_with("yunikorn_queue_") && remote[name] == 0.0)
            // Upstream counts only placed applications.
            || name == "yunikorn_scheduler_application_submission_total{result=\"new\"}"
    };
    let wrong: Vec<String> = remote
        .iter()
        .filter(|(name, value)| !other(name) && local.get(*name) != Some(value))
        .map(|(name, value)| format!("{name}: {value} here {:?}", local.get(name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(remote.keys().filter(|name| !other(name)).count() > 100, "too little is compared");
    let timed = |name: &&&str| name.contains("_milliseconds") || name.starts_with("yunikorn_event_");
    let missing: Vec<_> = remote.keys().filter(timed).filter(|name| !local.contains_key(**name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(local["yunikorn_scheduler_scheduling_cycle_milliseconds_count"] > 20.0);
    assert_eq!(local["yunikorn_event_total_stored"], 176.0, "as many as the recorded batch has");
}

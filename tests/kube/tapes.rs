use super::stage::Stage;

/// The rest of the ConfigMap is unchanged, and its text is restored at the end.
pub fn raise(stage: &Stage) {
    let before = stage.config_map();
    stage.plays("admin", "raise");
    let after = stage.config_map();
    assert_ne!(after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);
    assert_eq!(after["data"], before["data"]);
    assert_eq!(after["metadata"]["labels"], before["metadata"]["labels"]);
}

pub fn kill(stage: &Stage) {
    stage.plays("admin", "kill");
    let ends = |name: &str| !stage.read("team-a", "pods", name)["metadata"]["deletionTimestamp"].is_null();
    assert!(ends("job-1-driver"));
    // Another pod has this name now.
    assert!(!ends("job-1-worker"));
}

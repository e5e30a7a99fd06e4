use super::kornsole;

fn run(arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    kornsole(env!("CARGO_MANIFEST_DIR"), arguments, stdin)
}

fn configuration(scenario: &str) -> String {
    let text = std::fs::read_to_string(format!("tests/conformance/scenarios/{scenario}.yaml")).unwrap();
    let (_, rest) = text.split_once("config: |\n").unwrap();
    let (config, _) = rest.split_once("\nsteps:").unwrap();
    config.lines().map(|line| format!("{}\n", line.get(2..).unwrap_or_default())).collect()
}

fn upgrade(from: &str, to: &str, scenario: &str) -> (Option<i32>, String) {
    let workload = format!("tests/conformance/scenarios/{scenario}.yaml");
    let arguments = ["upgrade-check", "--from", from, "--to", to, "-", "--workload", &workload];
    let (code, out, err) = run(&arguments, &configuration(scenario));
    assert_eq!(err, "", "{scenario}");
    (code, out)
}

#[test]
fn the_profiles_are_listed_and_two_compared_in_words() {
    let (code, out, _) = run(&["profiles"], "");
    let names: Vec<&str> = out.lines().take(4).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!((code, names), (Some(0), vec!["1.5.1", "1.8.0", "1.9.0", "kornsole"]));
    let (_, out, _) = run(&["profiles", "--diff", "1.8.0", "1.9.0"], "");
    assert!(out.contains("reservation_timeout (N-04)\n  1.8.0     a reservation without headroom stays\n"), "{out}");
    assert!(!out.contains("starting_state"), "{out}");
    assert_eq!(run(&["profiles", "--diff", "1.9.0", "1.9.0"], "").1, "1.9.0 and 1.9.0 make the same decisions\n");
    let (code, _, err) = run(&["profiles", "--diff", "1.8.0", "1.10.0"], "");
    assert_eq!(code, Some(2));
    assert!(err.contains("kornsole, 1.5.1, 1.8.0, 1.9.0; the nearest release is 1.9.0"), "{err}");
}

#[test]
fn the_first_decision_that_differs_has_its_reason() {
    for (scenario, switch) in [
        ("fence19-015", "max_is_fence (P-10, N-03)"),
        ("inherit19-000", "reload_properties (D-02, N-05)"),
        ("quotapre-012", "quota_preemption (N-01)"),
        ("reserve19-005", "reservation_timeout (N-04)"),
        ("groups19-006", "group_cache (N-07)"),
        ("zero19-006", "zero_capacity (N-06)"),
    ] {
        let (code, out) = upgrade("1.8.0", "1.9.0", scenario);
        let reasons: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix("because of ")).collect();
        assert_eq!((code, reasons), (Some(1), vec![format!("{switch}:").as_str()]), "{scenario}: {out}");
    }
    let (_, out) = upgrade("1.8.0", "1.9.0", "verdict19-001");
    assert!(out.contains("because configurations are read differently"), "{out}");
}

#[test]
fn identical_items_are_reported_as_identical() {
    let (code, out) = upgrade("1.8.0", "1.9.0", "mix-001");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("No differences between 1.8.0 and 1.9.0."), "{out}");
}

#[test]
fn faults_and_keys_without_effect_are_reported_with_their_places() {
    let text = "partitions:\n- name: default\n  preemption: {quotapreemptionenabled: true}\n  queues:\n  - name: root\n    \
                queues:\n    - name: a\n      properties: {preemption.quota.delay: 30s}\n";
    let (code, out, _) = run(&["upgrade-check", "--from", "1.8.0", "--to", "1.9.0", "-"], text);
    assert_eq!(code, Some(1));
    assert!(out.contains("1.9.0 warns") && out.contains("-:8:20: warning[CFG-S09]"), "{out}");
    assert!(out.contains("`preemption.quota.delay` exists only in 1.8.0 and has no effect here"), "{out}");
    let (_, out, _) = run(&["upgrade-check", "--from", "1.8.0", "--to", "1.5.1", "-"], text);
    assert!(out.contains("1.5.1 rejects what 1.8.0 accepts:\n-:3:16: error[CFG-003]"), "{out}");
}

use std::process::Command;

use super::stage::{CONFIG, STEPS};

fn whatif(arguments: &[&str]) -> (i32, String, String) {
    let dir = tempfile_dir();
    let indented: String = CONFIG.lines().map(|line| format!("  {line}\n")).collect();
    let file = dir.join("scenario.yaml");
    std::fs::write(&file, format!("version: 1\nconfig: |\n{indented}steps:{STEPS}")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(["whatif", "--workload"]).arg(&file).args(arguments);
    let output = command.output().unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn tempfile_dir() -> std::path::PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("kornsole-whatif-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let dir = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn it_prints_a_table_or_json() {
    let (code, table, _) = whatif(&["--set", "root.a.max.vcore=+3", "--for", "1m"]);
    assert_eq!(code, 0, "{table}");
    assert!(table.starts_with("1 application starts (without the change: does not)"), "{table}");
    assert!(table.contains("first difference: two/y-1 is allocated on n1, instead of: nothing"), "{table}");
    let (code, json, _) = whatif(&["--set", "root.a.max.vcore=+3", "--for", "1m", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, json["diff"]["applications"][0]["effect"].as_str()), (0, Some("started")));
}

#[test]
fn what_is_no_change_is_wrong_use_and_no_file_is_bad_input() {
    let (code, _, message) = whatif(&["--change", "burn it"]);
    assert!(code == 2 && message.contains("write one of"), "{message}");
    let (code, _, message) = whatif(&["--config", "nowhere.yaml"]);
    assert!(code == 1 && message.contains("nowhere.yaml"), "{message}");
}

/// Two GPUs on one node with a taint; the maximum allows one.
fn of_manifests(arguments: &[&str]) -> (i32, serde_json::Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["whatif", "--from-manifests", "tests/manifests/cluster"]);
    let output = command.args(["--json", "--for", "10m"]).args(arguments).output().unwrap();
    let result = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code().unwrap(), result, String::from_utf8(output.stderr).unwrap())
}

fn effects(result: &serde_json::Value) -> Vec<(&str, &str)> {
    let apps = result["diff"]["applications"].as_array().unwrap();
    apps.iter().map(|app| (app["applicationID"].as_str().unwrap(), app["effect"].as_str().unwrap())).collect()
}

#[test]
fn a_cluster_in_manifests_is_forked_with_its_filters() {
    let (code, result, _) = of_manifests(&["--change", "submit train 2"]);
    assert_eq!(
        (code, effects(&result)),
        (0, vec![("train-whatif-1", "waitsLonger"), ("train-whatif-2", "waitsLonger")])
    );
    let more = ["--set", "root.gpu.max.nvidia.com/gpu=4", "--change", "submit train 3"];
    let (_, result, _) = of_manifests(&more);
    let started: Vec<_> = effects(&result).into_iter().filter(|(_, effect)| *effect == "started").collect();
    assert_eq!(started, [("train-whatif-1", "started")], "the node has two");
    let (_, result, _) = of_manifests(&[&more[..], &["--change", "node add n2 1"]].concat());
    assert!(effects(&result).iter().all(|(_, effect)| *effect == "started"), "the new node is like n2: {result}");
    let (_, result, _) = of_manifests(&[&more[..], &["--change", "node add n1 1"]].concat());
    let waits: Vec<_> = effects(&result).into_iter().filter(|(_, effect)| *effect == "waitsLonger").collect();
    assert_eq!(waits.len(), 2, "a node like n1 lacks the label: {result}");
    let unknown = result["unknown"].to_string();
    assert!(unknown.contains("pod etl/loader is ignored: needs volume binding"), "{unknown}");
}

#[test]
fn manifests_that_do_not_read_are_no_fork() {
    let (code, _, message) = of_manifests(&["--from-manifests", "nowhere"]);
    assert!(code == 1 && message.starts_with("error: cannot read nowhere"), "{message}");
    let (code, _, message) = of_manifests(&["--workload", "x.yaml"]);
    assert!(code == 2 && message.contains("cannot be used with"), "{message}");
}

#[test]
fn an_autoscaler_adds_nodes_in_both_runs() {
    let group = ["--node-group", "big: cpu=100, memory=100Gi, delay=90s, price=2"];
    let more = ["--set", "root.a.max.vcore=+100", "--change", "demand root.a x4", "--for", "1h"];
    let (code, json, _) = whatif(&[&more[..], &group, &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let one = &json["nodeGroups"][0];
    assert_eq!((code, one["name"].as_str()), (0, Some("big")), "{json}");
    let hours = |side: &str| one[side]["nodeHours"].as_f64().unwrap();
    assert!(one["with"]["added"].as_u64() > Some(0) && hours("with") > hours("without"), "{one}");
    assert!((one["with"]["cost"].as_f64().unwrap() - 2.0 * hours("with")).abs() < 1e-9, "{one}");
    let (_, table, _) = whatif(&[&more[..], &group].concat());
    assert!(table.contains("node group big ") && table.contains("node hours"), "{table}");
    let (code, _, message) = whatif(&["--node-group", "big: cpu"]);
    assert!(code == 2 && message.contains("--node-group: \"cpu\" is not KEY=VALUE"), "{message}");
    let (_, json, _) = whatif(&["--for", "1m", "--json"]);
    assert!(!json.contains("nodeGroups"), "{json}");
}

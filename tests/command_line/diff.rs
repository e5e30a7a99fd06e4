use std::fs;
use std::path::PathBuf;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    super::kornsole(env!("CARGO_MANIFEST_DIR"), arguments, "")
}

fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("diff-{name}"));
    fs::write(&path, text).expect("the folder for tests is writable");
    path.display().to_string()
}

const OLD: &str = "partitions: [{queues: [{name: root, submitacl: '*', queues: [{name: a}, {name: b}]}]}]\n";
const NEW: &str = "partitions: [{queues: [{name: root, submitacl: '*', queues: [{name: a, maxapplications: 2}]}]}]\n";

#[test]
fn exit_codes_are_those_of_diff() {
    let (old, new) = (file("old.yaml", OLD), file("new.yaml", NEW));
    let (code, out, err) = run(&["diff", &old, &new]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(out.starts_with("~ root.a\n    maxapplications none → 2 ") && out.contains("\n- root.b "), "{out}");
    assert!(out.ends_with("\n\n1 queue changed, 1 removed (core 1.9.0)\n"), "{out}");

    let commented = file("commented.yaml", &format!("# a comment\n{OLD}"));
    assert_eq!(run(&["diff", &old, &commented]), (Some(0), "no differences (core 1.9.0)\n".into(), String::new()));

    let bad = file("bad.yaml", &NEW.replace("maxapplications: 2", "maxapps: 2"));
    let (code, out, err) = run(&["diff", &old, &bad]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("bad.yaml:1:72: error[CFG-003]"), "{err}");
    let (code, _, err) = run(&["diff", "no/such/file", &bad]);
    assert_eq!(code, Some(2));
    assert!(err.contains("cannot read no/such/file: ") && err.contains("CFG-003"), "{err}");
    assert_eq!(run(&["diff", &old]).0, Some(2));
    assert_eq!(run(&["diff", "-", "-"]).0, Some(2));
}

#[test]
fn json_is_one_object_also_without_a_change() {
    let (old, new) = (file("json-old.yaml", OLD), file("json-new.yaml", NEW));
    let (code, out, _) = run(&["diff", "--json", &old, &new]);
    let message: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!((code, &message["touches"]), (Some(1), &serde_json::json!(["root"])));
    let (code, out, _) = run(&["diff", "--json", &old, &old]);
    let message: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!((code, message), (Some(0), serde_json::json!({"changes": [], "core": "1.9.0", "touches": []})));
}

#[test]
fn manifests_and_cores() {
    let embedded = |key: &str, text: &str| format!("kind: ConfigMap\ndata:\n  {key}.yaml: |\n    {text}");
    let (old, new) = (file("map-old.yaml", &embedded("batch", OLD)), file("map-new.yaml", &embedded("batch", NEW)));
    assert_eq!(run(&["diff", &old, &new]).0, Some(2));
    assert_eq!(run(&["diff", "--policy-group", "batch", &old, &new]).0, Some(1));
    let newer = file("newer.yaml", &OLD.replace("name: b", "name: 'a/b'"));
    assert_eq!(run(&["diff", "--core", "kornsole", &newer, &newer]).0, Some(2));
    assert_eq!(run(&["diff", "--core", "1.8.0", &newer, &newer]).0, Some(0));
}

#[test]
fn the_schema_is_json_for_each_core() {
    for core in ["kornsole", "1.5.1", "1.8.0"] {
        let (code, out, err) = run(&["schema", "--core", core]);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        let schema: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
        let newer = schema["$defs"]["partition"]["properties"].get("usergroupresolver").is_some();
        assert_eq!(newer, core == "1.8.0");
    }
    assert_eq!(run(&["schema", "--core", "2.0"]).0, Some(2));
}

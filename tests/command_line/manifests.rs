//! `kornsole run --from-manifests` as a person calls it.

const FOLDER: &str = "tests/manifests/cluster";

fn run(arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    super::kornsole(env!("CARGO_MANIFEST_DIR"), &[&["run", "--from-manifests"], arguments].concat(), stdin)
}

#[test]
fn a_folder_is_scheduled_and_said_where_and_why_not() {
    let (code, out, err) = run(&[FOLDER], "");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "POD             NODE  QUEUE     APPLICATION");
    assert_eq!(lines[1], "ml/train        n2    root.gpu  train");
    assert_eq!(lines[2], "etl/executor-1  n1    root.etl  spark-1");
    for words in [
        "pending: etl/executor-2 waits for cpu in root.etl: 2 missing, 3 of 3 used",
        "pending: ml/stray waits for a node: of 2 nodes 2 refused by conditions: ",
        "failed plugin: 'TaintToleration' node(s) had untolerated taint {gpu: yes} (1x)",
        "note: objects of other kinds are not looked at: 1 Secret",
        "ignored: etl/loader: needs volume binding: its claim \"data\" is not bound",
        "to be bound: 2; pending: 2; ignored: 1; running already: 1; of other schedulers: 1; nodes: 2",
    ] {
        assert!(out.contains(words), "{words}\n{out}");
    }
}

#[test]
fn the_same_as_json() {
    let (code, out, err) = run(&[FOLDER, "--json", "--core", "1.8.0"], "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let plan: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let bound = plan["bound"].as_array().expect("a list");
    let executor = bound.iter().find(|bound| bound["pod"] == "etl/executor-1").expect("it is bound");
    assert_eq!((&executor["node"], &executor["queue"]), (&"n1".into(), &"root.etl".into()));
    assert_eq!(plan["left_alone"][0]["pod"], "etl/loader");
    assert_eq!((&plan["running"], &plan["foreign"], &plan["nodes"]), (&1.into(), &1.into(), &2.into()));
}

#[test]
fn pods_of_other_scheduler_names_only_use_room() {
    let (code, out, _) = run(&[FOLDER, "--scheduler-name", "kornsole"], "");
    assert_eq!(code, Some(0));
    assert!(
        out.contains("to be bound: 1; pending: 1; ignored: 0; running already: 0; of other schedulers: 2"),
        "{out}"
    );
}

#[test]
fn another_configuration_than_that_of_the_manifests() {
    let queues = "partitions: [{name: default, queues: [{name: root, submitacl: '*'}]}]";
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifests-queues.yaml");
    std::fs::write(&file, queues).expect("the folder for tests is writable");
    let (code, out, _) = run(&[FOLDER, "--config", file.to_str().expect("UTF-8")], "");
    assert_eq!(code, Some(0));
    // What ran before stays in the recovery queue, and no rule places the rest.
    assert!(out.contains("etl/executor-1  n1    root.@recovery@"), "{out}");
    assert!(out.contains("pending: ml/train no placement rule matched"), "{out}");
}

#[test]
fn faults_are_said_with_their_places_and_nothing_else_is_printed() {
    let pod = "kind: Pod\nmetadata: {namespace: ns, name: p}\nspec: {priority: high}\n---\nkind: Pod\nmetadata: {}\n";
    let (code, out, err) = run(&["-"], pod);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("-:1: Pod ns/p: ") && err.contains("-:5: a Pod has no metadata.name"), "{err}");
    let (code, _, err) = run(&["nowhere"], "");
    assert!(code == Some(1) && err.starts_with("nowhere: cannot be read"), "{err}");
    let (code, _, err) = run(&["src/cli"], "");
    assert!(code == Some(1) && err.contains("src/cli: the directory has no manifests"), "{err}");
    let map =
        "kind: ConfigMap\nmetadata: {namespace: yk, name: yunikorn-configs}\ndata: {queues.yaml: 'partitions: 7'}\n";
    let (code, _, err) = run(&["-"], map);
    assert!(code == Some(1) && err.contains("queues.yaml of the ConfigMap:1:"), "{err}");
}

#[test]
fn a_cluster_without_a_configuration_has_the_built_in_one() {
    let pod = "kind: Pod\nmetadata: {namespace: ns, name: p}\nspec: {schedulerName: yunikorn, containers: [{name: c}]}\n---\n\
               {kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 1, pods: 1}}}\n";
    let (code, out, _) = run(&["-"], pod);
    assert_eq!(code, Some(0));
    assert!(out.contains("ns/p  n1    root.ns") && out.contains("note: no queue configuration found"), "{out}");
}

#[test]
fn wrong_use() {
    let (code, ..) = run(&[FOLDER, "--summary"], "");
    assert_eq!(code, Some(2));
    let (code, ..) = super::kornsole(env!("CARGO_MANIFEST_DIR"), &["run"], "");
    assert_eq!(code, Some(2));
    let (code, ..) =
        super::kornsole(env!("CARGO_MANIFEST_DIR"), &["run", "tests/scenarios/multitenancy.yaml", "--json"], "");
    assert_eq!(code, Some(2));
}

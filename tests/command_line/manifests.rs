const DIR: &str = "tests/manifests/cluster";

fn run(arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    super::kornsole(env!("CARGO_MANIFEST_DIR"), &[&["run", "--from-manifests"], arguments].concat(), stdin)
}

#[test]
fn a_directory_is_scheduled_and_the_result_has_nodes_and_reasons() {
    let (code, out, err) = run(&[DIR], "");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "POD             NODE  QUEUE     APPLICATION");
    assert_eq!(lines[1], "ml/train        n2    root.gpu  train");
    assert_eq!(lines[2], "etl/executor-1  n1    root.etl  spark-1");
    for words in [
        "pending: etl/executor-2 waits for cpu in root.etl: 2 missing, 3 of 3 used",
        "pending: ml/stray waits for a node: of 2 nodes 2 excluded by conditions: ",
        "failed plugin: 'TaintToleration' node(s) had untolerated taint {gpu: yes} (1x)",
        "note: objects of other kinds are ignored: 1 Secret",
        "ignored: etl/loader: needs volume binding: its claim \"data\" is not bound",
        "to be bound: 2; pending: 2; ignored: 1; already running: 1; of other schedulers: 1; nodes: 2",
    ] {
        assert!(out.contains(words), "{words}\n{out}");
    }
}

#[test]
fn the_same_as_json() {
    let (code, out, err) = run(&[DIR, "--json", "--core", "1.8.0"], "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let plan: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let bound = plan["bound"].as_array().expect("a list");
    let executor = bound.iter().find(|bound| bound["pod"] == "etl/executor-1").expect("it is bound");
    assert_eq!((&executor["node"], &executor["queue"]), (&"n1".into(), &"root.etl".into()));
    assert_eq!(plan["left_alone"][0]["pod"], "etl/loader");
    assert_eq!((&plan["running"], &plan["foreign"], &plan["nodes"]), (&1.into(), &1.into(), &2.into()));
}

#[test]
fn pods_of_other_scheduler_names_only_use_capacity() {
    let (code, out, _) = run(&[DIR, "--scheduler-name", "kornsole"], "");
    assert_eq!(code, Some(0));
    assert!(
        out.contains("to be bound: 1; pending: 1; ignored: 0; already running: 0; of other schedulers: 2"),
        "{out}"
    );
}

#[test]
fn another_configuration_than_that_of_the_manifests() {
    let queues = "partitions: [{name: default, queues: [{name: root, submitacl: '*'}]}]";
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifests-queues.yaml");
    std::fs::write(&file, queues).expect("the folder for tests is writable");
    let (code, out, _) = run(&[DIR, "--config", file.to_str().expect("UTF-8")], "");
    assert_eq!(code, Some(0));
    // Pods that ran before stay in the recovery queue.
    assert!(out.contains("etl/executor-1  n1    root.@recovery@"), "{out}");
    assert!(out.contains("pending: ml/train no placement rule matched"), "{out}");
}

#[test]
fn errors_are_printed_with_their_locations_and_without_other_output() {
    let pod = "kind: Pod\nmetadata: {namespace: ns, name: p}\nspec: {priority: high}\n---\nkind: Pod\nmetadata: {}\n";
    let (code, out, err) = run(&["-"], pod);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("-:3: Pod ns/p: spec.priority: ") && err.contains("-:5: a Pod has no metadata.name"), "{err}");
    let (code, _, err) = run(&["nowhere"], "");
    assert!(code == Some(1) && err.starts_with("error: cannot read nowhere: "), "{err}");
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
    let (code, ..) = run(&[DIR, "--summary"], "");
    assert_eq!(code, Some(2));
    let (code, ..) = super::kornsole(env!("CARGO_MANIFEST_DIR"), &["run"], "");
    assert_eq!(code, Some(2));
    let (code, ..) =
        super::kornsole(env!("CARGO_MANIFEST_DIR"), &["run", "tests/scenarios/multitenancy.yaml", "--json"], "");
    assert_eq!(code, Some(2));
}

const NODE: &str =
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, memory: 16Gi, pods: 110}}\n---\n";

fn job(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, namespace: spark}}\nspec:\n  {spec}\n  template:\n    \
         metadata: {{labels: {{applicationId: {name}, queue: root.spark}}}}\n    \
         spec: {{schedulerName: yunikorn, containers: [{{name: c, resources: {{requests: {{cpu: 1, memory: 1Gi}}}}}}]}}\n---\n"
    )
}

#[test]
fn the_pods_of_a_job_are_scheduled_and_other_kinds_are_counted() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n";
    let (code, out, err) = run(&["-"], &format!("{NODE}{}{service}", job("etl", "parallelism: 2")));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for words in [
        "spark/etl-0  n1    root.spark  etl",
        "spark/etl-1  n1    root.spark  etl",
        "note: created 2 pods for 1 Job object",
        "note: objects of other kinds are ignored: 1 Service",
        "to be bound: 2; pending: 0;",
    ] {
        assert!(out.contains(words), "{words}\n{out}");
    }
}

#[test]
fn manifests_are_completed_before_pods_are_scheduled() {
    // A limit without a request counts as the request.
    let limits = "kind: Pod\nmetadata: {name: big, namespace: a}\nspec: {schedulerName: yunikorn, containers: [{name: c, resources: {limits: {cpu: 9}}}]}\n";
    let (_, out, _) = run(&["-"], &format!("{NODE}{limits}"));
    assert!(out.contains("to be bound: 0; pending: 1"), "{out}");
    let pod =
        "kind: Pod\nmetadata: {generateName: task-, labels: {applicationId: t}}\nspec: {containers: [{name: c}]}\n";
    let (_, out, _) = run(&["-"], &format!("{NODE}{pod}"));
    assert!(out.contains("default/task-00001  n1    root.default  t"), "{out}");
    assert!(out.contains("note: schedulerName yunikorn is set for 1 pod"), "{out}");
    let (_, out, _) = run(&["-", "--scheduler-name", "default-scheduler"], &format!("{NODE}{pod}"));
    assert!(out.contains("to be bound: 1; pending: 0"), "{out}");
}

#[test]
fn an_error_of_an_object_names_the_file_the_line_and_the_field() {
    let (code, out, err) = run(&["-"], &job("etl", "parallelism: two"));
    assert_eq!((code, out.as_str()), (Some(1), ""));
    let words = "-:5: Job spark/etl: spec.parallelism: expected an integer, found the string \"two\"";
    assert!(err.contains(words), "{err}");
    let (code, _, err) = run(&["-"], &job("etl", "parallelism: 1000000000"));
    assert!(code == Some(1) && err.contains("all objects together may create 250000"), "{err}");
}

#[test]
fn a_what_if_submits_the_pods_of_a_manifest() {
    let file = |name: &str, text: &str| {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).expect("the folder for tests is writable");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (cluster, submitted) = (
        file("submit-node.yaml", &format!("{NODE}{}", job("old", "parallelism: 1"))),
        file("submit-job.yaml", &job("new", "parallelism: 2")),
    );
    let change = format!("submit @{submitted}");
    let try_it = |origin: &[&str]| {
        let arguments = [&["whatif", "--json", "--change", &change, "--for", "1m"], origin].concat();
        super::kornsole(env!("CARGO_MANIFEST_DIR"), &arguments, "")
    };
    let (code, out, err) = try_it(&["--from-manifests", &cluster]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let result: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let apps = result["diff"]["applications"].as_array().expect("a list");
    let new = apps.iter().find(|app| app["applicationID"] == "new").expect("it is submitted");
    assert!(new["without"].is_null() && new["with"]["queue"] == "root.spark", "{new}");
    assert_eq!(result["after"]["started"].as_u64(), result["without"]["started"].as_u64().map(|started| started + 1));
    assert_eq!(result["refused"].as_array().map_or(0, Vec::len), 0, "{result}");
    let (code, out, _) = try_it(&["--workload", "tests/scenarios/multitenancy.yaml"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("node selectors, taints, and affinity of submitted pods are not evaluated"), "{out}");
    let (code, _, err) = try_it(&["--server", "http://127.0.0.1:9"]);
    assert!(code == Some(1) && err.contains("cannot submit manifests to the copy of a remote scheduler"), "{err}");
}

#[test]
fn files_of_a_directory_without_objects_are_skipped_with_their_place() {
    let dir = super::common::TestDir::new();
    for file in std::fs::read_dir(DIR).expect("it is there").flatten() {
        std::fs::copy(file.path(), dir.join(file.file_name())).expect("a temporary folder can be written to");
    }
    dir.write("kustomization.yaml", "resources: [pods.yaml]\n");
    let (code, out, err) = run(&[&dir.to_string_lossy()], "");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("kustomization.yaml:1: skipped: not a Kubernetes object"), "{out}");
    assert!(out.contains("to be bound: 2; pending: 2"), "{out}");
    let named = dir.join("kustomization.yaml");
    let (code, _, err) = run(&[&named.to_string_lossy()], "");
    assert!(code == Some(1) && err.contains("it has no kind"), "{err}");
}

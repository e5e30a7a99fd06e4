//! `kornsole simulate --node-group` and workload objects: output and rejections.

use super::command::{path, simulate};
use super::common::TestFolder;

const JOB: &str = "
apiVersion: batch/v1
kind: Job
metadata: {name: etl, namespace: ns}
spec:
  parallelism: 6
  completions: 6
  template:
    metadata: {labels: {applicationId: etl, queue: root.etl}}
    spec:
      schedulerName: yunikorn
      restartPolicy: Never
      containers: [{name: c, image: i, resources: {requests: {cpu: '2', memory: 4Gi}}}]
";

const SPARK: &str = "
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: pi, namespace: ns}
spec:
  type: Scala
  batchScheduler: yunikorn
  driver: {cores: 1, memory: 1g}
  executor: {cores: 1, instances: 3, memory: 1g}
";

const GROUP: &str = "m5.xlarge: cpu=4, memory=16Gi, max=10, delay=90s, price=0.2";

#[test]
fn pods_of_workload_objects_run_on_nodes_that_come_for_them() {
    let folder = TestFolder::new();
    let job = folder.write("job.yaml", JOB);
    let (code, out, err) = simulate(&[path(&job), "--node-group", GROUP, "--runtime", "10m"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("job.yaml: created 6 pods for 1 Job object\n"), "{out}");
    let line = out.lines().find(|line| line.contains("node group m5.xlarge: ")).unwrap_or_else(|| panic!("{out}"));
    assert!(line.contains(" node hours, cost ") && line.contains("at most 3 nodes, 3 added"), "{line}");
    let (code, out, err) = simulate(&[path(&job), "--node-group", GROUP, "--runtime", "10m", "--json"]);
    let one: serde_json::Value = serde_json::from_str(&out).unwrap();
    let group = &one["figures"]["node_groups"]["groups"][0];
    assert_eq!((code, group["added"].as_u64()), (Some(0), Some(3)), "{err}");
    let hours = group["node_hours"].as_f64().unwrap();
    assert!((group["cost"].as_f64().unwrap() - hours * 0.2).abs() < 1e-9 && hours > 3.0 * 1289.0 / 3600.0, "{group}");
}

#[test]
fn several_objects_of_a_directory_are_one_workload() {
    let folder = TestFolder::new();
    folder.write("job.yaml", JOB);
    folder.write("spark.yaml", SPARK);
    folder.write("node.json", r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "32", "memory": "99Gi", "pods": "99"}}}"#);
    let (code, out, err) = simulate(&[path(&folder), "--runtime", "10m"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("created 6 pods for 1 Job object\n"), "{out}");
    assert!(out.contains("created 4 pods for 1 SparkApplication object\n"), "{out}");
    let root = out.lines().find(|line| line.starts_with("root ")).unwrap();
    assert_eq!(root.split_whitespace().nth(1), Some("10"), "{out}");
}

#[test]
fn a_request_that_fits_no_group_is_named() {
    let folder = TestFolder::new();
    let job = folder.write("job.yaml", JOB);
    let (code, out, _) = simulate(&[path(&job), "--node-group", "small: cpu=1500m, memory=4Gi", "--runtime", "10m"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("application etl requests memory 4Gi, pods 1, vcore 2, which fits no node group"), "{out}");
}

#[test]
fn groups_are_read_from_a_file_and_refused_with_their_place() {
    let folder = TestFolder::new();
    let job = folder.write("job.yaml", JOB);
    let groups = folder.write("groups.txt", format!("# types\n{GROUP}\n"));
    let named = format!("@{}", path(&groups));
    assert_eq!(simulate(&[path(&job), "--node-group", &named, "--runtime", "10m"]).0, Some(0));
    let (code, _, err) = simulate(&[path(&job), "--node-group", &named, "--node-group", GROUP]);
    assert!(code == Some(2) && err.contains("duplicate node group m5.xlarge"), "{err}");
    let (code, _, err) = simulate(&[path(&job), "--node-group", "m5: cpu"]);
    assert!(code == Some(2) && err.contains("--node-group: \"cpu\" is not KEY=VALUE"), "{err}");
}

use super::command::{path, simulate};
use super::common::TestDir;

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
fn pods_of_workload_objects_run_on_nodes_that_are_added_for_them() {
    let dir = TestDir::new();
    let job = dir.write("job.yaml", JOB);
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
    let dir = TestDir::new();
    dir.write("job.yaml", JOB);
    dir.write("spark.yaml", SPARK);
    dir.write("node.json", r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "32", "memory": "99Gi", "pods": "99"}}}"#);
    let (code, out, err) = simulate(&[path(&dir), "--runtime", "10m"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("created 6 pods for 1 Job object\n"), "{out}");
    assert!(out.contains("created 4 pods for 1 SparkApplication object\n"), "{out}");
    let root = out.lines().find(|line| line.starts_with("root ")).unwrap();
    assert_eq!(root.split_whitespace().nth(1), Some("10"), "{out}");
}

#[test]
fn nodes_come_for_a_gang_of_a_scenario_that_never_came_together() {
    let dir = TestDir::new();
    let scenario = dir.write(
        "gang.yaml",
        "config: |\n  partitions: [{queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\nsteps:\n\
         - node: {id: n1, capacity: {vcore: 1, memory: 8Gi}}\n\
         - submit: {app: g, queue: root.a, user: sue, placeholder: {vcore: 8, memory: 8Gi}, gangStyle: Hard, placeholderTimeout: 15m}\n\
         - ask: {app: g, id: p, count: 4, resource: {vcore: 2, memory: 2Gi}, placeholder: true, taskGroup: w}\n\
         - schedule: 10\n- advance: 5m\n",
    );
    let (code, out, err) = simulate(&[path(&scenario), "--node-group", GROUP, "--runtime", "10m"]);
    assert_eq!(code, Some(0), "{err}");
    let line = out.lines().find(|line| line.contains("node group m5.xlarge: ")).unwrap_or_else(|| panic!("{out}{err}"));
    assert!(line.contains("at most 2 nodes, 2 added"), "{out}");
    let root = out.lines().find(|line| line.starts_with("root ")).unwrap();
    assert_eq!(root.split_whitespace().nth(1), Some("4"), "{out}");
}

#[test]
fn a_request_that_fits_no_group_is_named() {
    let dir = TestDir::new();
    let job = dir.write("job.yaml", JOB);
    let (code, out, _) = simulate(&[path(&job), "--node-group", "small: cpu=1500m, memory=4Gi", "--runtime", "10m"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("application etl requests memory 4Gi, pods 1, vcore 2, which fits no node group"), "{out}");
}

#[test]
fn groups_are_read_from_a_file_and_refused_with_their_place() {
    let dir = TestDir::new();
    let job = dir.write("job.yaml", JOB);
    let groups = dir.write("groups.txt", format!("# types\n{GROUP}\n"));
    let named = format!("@{}", path(&groups));
    assert_eq!(simulate(&[path(&job), "--node-group", &named, "--runtime", "10m"]).0, Some(0));
    let (code, _, err) = simulate(&[path(&job), "--node-group", &named, "--node-group", GROUP]);
    assert!(code == Some(2) && err.contains("duplicate node group m5.xlarge"), "{err}");
    let (code, _, err) = simulate(&[path(&job), "--node-group", "m5: cpu"]);
    assert!(code == Some(2) && err.contains("--node-group: \"cpu\" is not KEY=VALUE"), "{err}");
}

const POOL: &str = "
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-family, operator: In, values: [m5]}
  limits: {cpu: 8}
  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s}
";

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: cluster-autoscaler}
spec:
  template:
    spec:
      containers:
      - command: [./cluster-autoscaler, '--nodes=0:2:workers', '--scale-down-unneeded-time=1m']
";

#[test]
fn groups_are_read_from_manifests_of_autoscalers() {
    let dir = TestDir::new();
    let job = dir.write("job.yaml", JOB);
    let (pool, deployment) = (dir.write("pool.yaml", POOL), dir.write("ca.yaml", DEPLOYMENT));
    let run = |file: &std::path::Path, kind: &str| {
        let named = format!("@{}", path(file));
        let arguments = [path(&job), "--node-group", &named, "--instance-type", kind, "--runtime", "10m", "--json"];
        let (code, out, err) = simulate(&arguments);
        assert_eq!(code, Some(0), "{err}");
        let one: serde_json::Value = serde_json::from_str(&out).unwrap();
        one["figures"]["node_groups"]["groups"][0].clone()
    };
    // The limit is 8 cores, and 6 pods request 2 cores each.
    let group = run(&pool, "m5.xlarge: cpu=4, memory=16Gi, price=0.2");
    assert_eq!((group["name"].as_str(), group["peak"].as_u64()), (Some("default"), Some(2)), "{group}");
    let group = run(&deployment, "workers: cpu=4, memory=16Gi");
    assert_eq!((group["name"].as_str(), group["peak"].as_u64()), (Some("workers"), Some(2)), "{group}");
    let named = format!("@{}", path(&pool));
    let (code, _, err) = simulate(&[path(&job), "--node-group", &named]);
    assert!(code == Some(1) && err.contains("pool.yaml:2: NodePool default: cannot read the capacity"), "{err}");
    let (code, _, err) = simulate(&[path(&job), "--node-group", &format!("@{}", path(&job))]);
    assert!(code == Some(1) && err.contains("no node group found; use NodePool"), "{err}");
}

#[test]
fn nodes_are_added_for_the_placeholders_of_a_gang() {
    let dir = TestDir::new();
    let groups = r#"yunikorn.apache.org/task-groups: '[{"name": "w", "minMember": 6, "minResource": {"cpu": "2", "memory": "4Gi"}}]'"#;
    let annotations =
        format!("annotations:\n        yunikorn.apache.org/task-group-name: w\n        {groups}\n      labels:");
    let gang = JOB.replace(
        "metadata: {labels: {applicationId: etl, queue: root.etl}}",
        &format!("metadata:\n      {annotations} {{applicationId: etl, queue: root.etl}}"),
    );
    let job = dir.write("gang.yaml", gang);
    let config = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: etl\n      properties: {application.sort.policy: fifo}\n";
    let config = dir.write("queues.yaml", config);
    let (code, out, err) =
        simulate(&[path(&job), "--config", path(&config), "--node-group", GROUP, "--runtime", "10m", "--json"]);
    assert_eq!(code, Some(0), "{err}");
    let one: serde_json::Value = serde_json::from_str(&out).unwrap();
    let group = &one["figures"]["node_groups"]["groups"][0];
    assert_eq!((group["added"].as_u64(), group["peak"].as_u64()), (Some(3), Some(3)), "{group}");
    let waits = &one["figures"]["total"]["waits"];
    assert_eq!((waits["count"].as_u64(), waits["waiting"].as_u64()), (Some(6), Some(0)), "{one}");
    assert!(waits["p50"].as_u64().unwrap() >= 90_000, "tasks wait for their gang: {waits}");
}

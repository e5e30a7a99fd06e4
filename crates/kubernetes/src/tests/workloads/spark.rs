use super::{faults, notices, pods, read};
use crate::application;
use crate::gang;

fn app(spec: &str) -> String {
    format!(
        "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata: {{name: pi, namespace: jobs}}\nspec:\n{spec}"
    )
}

const PYTHON: &str = "  type: Python\n  mode: cluster\n  driver: {cores: 1, memory: 512m, labels: {version: 3.5.0}, schedulerName: yunikorn}\n  \
    executor: {cores: 2, instances: 3, memory: 5g, schedulerName: yunikorn}\n";

#[test]
fn the_driver_and_its_executors_with_the_overhead_of_spark() {
    // 512 + the minimum overhead of 384; 5120 + 40% without a JVM.
    assert_eq!(
        pods(&app(PYTHON)),
        [
            "jobs/pi-driver - spark-jobs-pi 1000m 896Mi 0 yunikorn",
            "jobs/pi-exec-1 - spark-jobs-pi 2000m 7168Mi 0 yunikorn",
            "jobs/pi-exec-2 - spark-jobs-pi 2000m 7168Mi 0 yunikorn",
            "jobs/pi-exec-3 - spark-jobs-pi 2000m 7168Mi 0 yunikorn",
        ]
    );
    // 10% on the JVM.
    assert!(pods(&app(&PYTHON.replace("Python", "Scala")))[1].contains(" 2000m 5632Mi "));
    assert!(pods(&app(&PYTHON.replace("Python", "R")))[1].contains(" 7168Mi "));
}

#[test]
fn cores_and_memory_in_all_their_fields() {
    let executor = |fields: &str| {
        let spec = format!("  type: Java\n  driver: {{}}\n  executor: {{{fields}}}\n");
        pods(&app(&spec))[1].clone()
    };
    // Defaults of the operator: 1 core, 1g, one executor.
    assert!(executor("").contains("exec-1 - spark-jobs-pi 1000m 1408Mi "));
    assert!(executor("cores: 4, coreRequest: 500m, coreLimit: '8'").contains(" 500m "));
    assert!(executor("memory: 4g, memoryOverhead: 1g").contains(" 5120Mi "));
    assert!(executor("memory: 4096m, memoryOverhead: '512'").contains(" 4608Mi "));
    assert!(executor("gpu: {name: nvidia.com/gpu, quantity: 2}").contains(" gpu=2 "));
    let factor = "  type: Java\n  memoryOverheadFactor: '0.25'\n  driver: {memory: 8g}\n  executor: {}\n";
    assert!(pods(&app(factor))[0].contains(" 10240Mi "));
    let conf = "  type: Python\n  sparkConf: {spark.executor.pyspark.memory: 1g, spark.memory.offHeap.enabled: 'true', spark.memory.offHeap.size: 2g, \
        spark.executor.memory: 2g, spark.executor.cores: '3', spark.executor.instances: '2'}\n  driver: {}\n  executor: {}\n";
    let lines = pods(&app(conf));
    // 2048 + 819 + 1024 + 2048.
    assert_eq!((lines.len(), lines[1].contains(" 3000m 5939Mi ")), (3, true), "{lines:?}");
    let sidecar = "sidecars: [{name: s, resources: {requests: {cpu: 250m}}}], initContainers: [{name: i, resources: {requests: {cpu: 3}}}]";
    assert!(executor(sidecar).contains(" 3000m "));
}

#[test]
fn dynamic_allocation_starts_with_the_largest_of_its_counts() {
    let count = |dynamic: &str, instances: &str| {
        let spec =
            format!("  type: Java\n  dynamicAllocation: {{{dynamic}}}\n  driver: {{}}\n  executor: {{{instances}}}\n");
        pods(&app(&spec)).len() - 1
    };
    assert_eq!(count("enabled: true, initialExecutors: 4, minExecutors: 2, maxExecutors: 10", ""), 4);
    assert_eq!(count("enabled: true, minExecutors: 2, maxExecutors: 10", ""), 2);
    assert_eq!(count("enabled: true, maxExecutors: 10", ""), 0);
    assert_eq!(count("enabled: true, minExecutors: 2", "instances: 5"), 5);
    assert_eq!(count("enabled: false, minExecutors: 7", ""), 1);
}

#[test]
fn the_batch_scheduler_yunikorn_sets_the_queue_and_task_groups() {
    let spec = PYTHON.replace(", schedulerName: yunikorn", "")
        + "  batchScheduler: yunikorn\n  batchSchedulerOptions: {queue: root.spark}\n  nodeSelector: {zone: a}\n";
    let (cluster, report) = read(&[&app(&spec)]);
    assert_eq!(report.faults, Vec::<String>::new());
    let driver = &cluster.pods[&("jobs".to_owned(), "pi-driver".to_owned())];
    assert_eq!((driver.spec.scheduler_name.as_str(), application::queue(&driver.metadata)), ("yunikorn", "root.spark"));
    assert_eq!(driver.spec.node_selector["zone"], "a");
    let groups = gang::task_groups(&driver.metadata).expect("groups");
    let reported: Vec<_> = groups
        .iter()
        .map(|group| (group.name.as_str(), group.min_member, group.min_resource["memory"].0.as_str()))
        .collect();
    assert_eq!(reported, [("spark-driver", 1, "896Mi"), ("spark-executor", 3, "7168Mi")]);
    let executor = &cluster.pods[&("jobs".to_owned(), "pi-exec-1".to_owned())];
    assert_eq!(gang::group_of(&executor.metadata), "spark-executor");
    assert!(gang::task_groups(&executor.metadata).is_ok_and(|groups| groups.is_empty()));
}

#[test]
fn labels_priority_and_a_pod_template() {
    let spec = "  type: Java\n  driver:\n    labels: {applicationId: mine, queue: root.etl}\n    priorityClassName: high\n    template:\n      \
        metadata: {annotations: {a: b}}\n      spec: {schedulerName: yunikorn, containers: [{name: x, resources: {requests: {cpu: 9}}}]}\n  \
        executor: {}\n---\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 50\n";
    // Spark sets the requests of its own container.
    assert_eq!(pods(&app(spec))[0], "jobs/pi-driver root.etl mine 1000m 1408Mi 50 yunikorn");
    let conf = "  type: Java\n  sparkConf: {spark.kubernetes.driver.label.queue: root.x, spark.kubernetes.scheduler.name: yunikorn}\n  driver: {}\n  executor: {}\n";
    assert_eq!(pods(&app(conf))[0], "jobs/pi-driver root.x spark-jobs-pi 1000m 1408Mi 0 yunikorn");
}

#[test]
fn a_schedule_runs_once_and_an_ended_application_not() {
    let scheduled = format!(
        "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: ScheduledSparkApplication\nmetadata: {{name: night, namespace: jobs}}\nspec:\n  schedule: '@daily'\n  template:\n{}",
        PYTHON.replace("\n  ", "\n    ").replacen("  type", "    type", 1)
    );
    assert_eq!(pods(&scheduled).len(), 4);
    assert!(pods(&scheduled)[0].starts_with("jobs/night-driver "));
    let ended = app(PYTHON) + "status: {applicationState: {state: COMPLETED}}\n";
    assert_eq!(pods(&ended).len(), 0);
    assert!(notices(&ended).contains("its status is COMPLETED"));
}

#[test]
fn sizes_that_spark_does_not_read() {
    let fault = faults(&app("  type: Java\n  driver:\n    memory: 4Gi\n  executor: {}\n"));
    assert_eq!(
        fault,
        "0.yaml:7: SparkApplication jobs/pi: spec.driver.memory: expected a size in the format of Spark, for example 4g, found the string \"4Gi\""
    );
    let fault = faults(&app("  type: Java\n  memoryOverheadFactor: lots\n  driver: {}\n  executor: {}\n"));
    assert!(
        fault.contains("0.yaml:6: SparkApplication jobs/pi: spec.memoryOverheadFactor: expected a factor"),
        "{fault}"
    );
    assert!(faults(&app("  type: Java\n  driver: {}\n")).contains("spec.executor: missing field"));
}

#[test]
fn a_connect_server_has_the_size_of_its_template_and_executors_as_spark_computes_them() {
    let connect = |executor: &str| {
        format!(
            "apiVersion: sparkoperator.k8s.io/v1alpha1\nkind: SparkConnect\nmetadata: {{name: c, namespace: jobs}}\nspec:\n  server:\n    cores: 9\n    template: {{metadata: {{labels: {{queue: root.s}}}}, \
             spec: {{containers: [{{name: spark-kubernetes-driver, resources: {{limits: {{cpu: 2, memory: 3Gi}}}}}}]}}}}\n  executor: {{{executor}}}\n"
        )
    };
    let lines = pods(&connect("instances: 1, cores: 4, memory: 10g"));
    assert_eq!(
        lines,
        [
            "jobs/c-exec-1 - spark-jobs-c 4000m 11264Mi 0 yunikorn",
            "jobs/c-server root.s yunikorn-jobs-autogen 2000m 3072Mi 0 yunikorn"
        ]
    );
    assert_eq!(pods(&connect("")).len(), 3, "two executors by default");
}

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

#[test]
fn devices_of_spark_conf_are_requested_by_their_vendor_and_name() {
    let with = |conf: &str, more: &str| {
        app(&format!("  type: Java\n  sparkConf: {{{conf}}}\n  driver: {{}}\n  executor: {{instances: 2{more}}}\n"))
    };
    let gpu = "spark.executor.resource.gpu.amount: '2', spark.executor.resource.gpu.vendor: nvidia.com";
    let lines = pods(&with(gpu, ""));
    assert_eq!(lines[0], "jobs/pi-driver - spark-jobs-pi 1000m 1408Mi 0 yunikorn");
    assert_eq!(lines[1], "jobs/pi-exec-1 - spark-jobs-pi 1000m 1408Mi gpu=2 0 yunikorn");
    assert!(pods(&with(&gpu.replace("executor", "driver"), ""))[0].contains(" gpu=2 "));
    // The field of the operator has the last word.
    assert!(pods(&with(gpu, ", gpu: {name: nvidia.com/gpu, quantity: 1}"))[2].contains(" gpu=1 "));
    assert!(!pods(&with(&gpu.replace('2', "0"), ""))[1].contains("gpu"));
    // Spark fails without a vendor; a driver runs alone then.
    let none = "spark.executor.resource.gpu.amount: '2'";
    assert_eq!(pods(&with(none, "")).len(), 1);
    let words = "Spark rejects 2 pods, so the scheduler does not get them, for example SparkApplication jobs/pi: sparkConf \
        requests spark.executor.resource.gpu.amount without spark.executor.resource.gpu.vendor";
    assert!(notices(&with(none, "")).contains(words), "{}", notices(&with(none, "")));
    assert_eq!(pods(&with(&none.replace("executor", "driver"), "")).len(), 0);
    let fault = faults(&with("spark.executor.resource.gpu.amount: few", ""));
    assert!(fault.contains("expected an integer of 0 or more, found the string \"few\""), "{fault}");
    let fault = faults(&with("spark.executor.resource.gpu.vendor: nvidia.com", ""));
    assert!(fault.contains("spark.executor.resource.gpu.amount is missing"), "{fault}");
}

#[test]
fn spark_fills_in_its_ids_in_annotations() {
    let key = "yunikorn.apache.org/app-id";
    let field = format!(
        "  type: Java\n  driver: {{annotations: {{{key}: '{{{{APP_ID}}}}'}}}}\n  executor: {{instances: 2, annotations: {{{key}: '{{{{APP_ID}}}}'}}}}\n"
    );
    let names = |text: &str| {
        let lines = pods(text);
        lines.iter().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(&app(&field)), ["spark-jobs-pi"; 3]);
    let other = app(&field).replace("name: pi", "name: two");
    assert_eq!(names(&other), ["spark-jobs-two"; 3]);
    let numbered = field
        .replace("2, annotations: {", "2, annotations: {a: b, ")
        .replace("{{APP_ID}}'}}\n", "{{APP_ID}}-{{EXECUTOR_ID}}'}}\n");
    let own = |text: &str| {
        let (cluster, _) = read(&[text]);
        cluster.pods.values().map(|pod| pod.metadata.annotation(key).to_owned()).collect::<Vec<_>>()
    };
    let conf = "  type: Java\n  driver: {}\n  executor: {}\n  sparkConf: {spark.kubernetes.driver.annotation.KEY: 'x{{EXECUTOR_ID}}', \
        spark.kubernetes.executor.annotation.KEY: '{{APP_ID}}/{{EXECUTOR_ID}}', spark.kubernetes.driver.label.team: a}\n";
    assert_eq!(own(&app(&conf.replace("KEY", key))), ["x", "spark-jobs-pi/1"]);
    assert_eq!(own(&app(&numbered))[1..], ["spark-jobs-pi-1", "spark-jobs-pi-2"]);
    // A label is unchanged, and then invalid.
    let label = app("  type: Java\n  driver: {labels: {applicationId: '{{APP_ID}}'}}\n  executor: {instances: 0}\n");
    assert!(notices(&label).contains("metadata.labels[\"applicationId\"]: \"{{APP_ID}}\" must have"));
}

#[test]
fn the_task_groups_are_what_the_operator_computes() {
    let groups = |spec: &str| {
        let (cluster, report) = read(&[&app(&format!("  type: Java\n  batchScheduler: yunikorn\n{spec}"))]);
        assert_eq!((report.faults, report.rejected), (Vec::new(), Vec::new()));
        gang::task_groups(&cluster.pods[&("jobs".to_owned(), "pi-driver".to_owned())].metadata).expect("groups")
    };
    let found = groups(
        "  nodeSelector: {pool: spark, zone: a}\n  driver: {nodeSelector: {zone: b}}\n  executor: {instances: 2}\n",
    );
    let selector =
        |at: usize| found[at].node_selector.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>();
    assert_eq!(
        (selector(0), selector(1)),
        (vec!["pool=spark".into(), "zone=b".into()], vec!["pool=spark".into(), "zone=a".into()])
    );
    assert!(groups("  driver: {}\n  executor: {}\n")[1].node_selector.is_empty());
    // The operator does not read the sizes in sparkConf.
    let found =
        groups("  sparkConf: {spark.executor.memory: 8g, spark.executor.cores: '4'}\n  driver: {}\n  executor: {}\n");
    let sizes = |at: usize| (found[at].min_resource["cpu"].0.as_str(), found[at].min_resource["memory"].0.as_str());
    assert_eq!((sizes(0), sizes(1)), (("1", "1408Mi"), ("1", "384Mi")));
}

#[test]
fn the_operator_does_not_submit_sizes_without_a_unit_to_yunikorn() {
    let with = |scheduler: &str, driver: &str, executor: &str| {
        app(&format!("  type: Java\n{scheduler}  driver: {{{driver}}}\n  executor: {{instances: 2, {executor}}}\n"))
    };
    let own = "  batchScheduler: yunikorn\n";
    for (driver, executor, field) in [
        ("memory: '1024'", "", "spec.driver.memory is 1024 without a unit"),
        ("", "memory: '4096'", "spec.executor.memory is 4096 without a unit"),
        ("", "memoryOverhead: '512'", "spec.executor.memoryOverhead is 512 without a unit"),
    ] {
        let text = with(own, driver, executor);
        assert_eq!(pods(&text).len(), 0);
        let words = format!(
            "spark-operator rejects 3 pods, so the scheduler does not get them, for example SparkApplication jobs/pi: {field}"
        );
        assert!(notices(&text).contains(&words), "{}", notices(&text));
        // Spark itself reads it as MiB.
        assert_eq!(pods(&with("", driver, executor)).len(), 3);
    }
}

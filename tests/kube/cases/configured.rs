use std::io::Write as _;

use k8s_openapi::ByteString;
use serde_json::{Value, json};

use super::super::schedule::{QUEUES, Scheduler, make, prepare, until};
use super::{Stage, asked, configure, create, pod, restore};

fn with_queue(name: &str) -> String {
    QUEUES.replace("    - {name: a}\n", &format!("    - {{name: a}}\n    - {{name: {name}}}\n"))
}

fn in_force(scheduler: &Scheduler) -> String {
    scheduler.text("/ws/v1/config")
}

pub fn maps(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let before = in_force(&scheduler);
    let bad = json!({"data": {"queues.yaml": "invalid", "service.schedulingInterval": null}});
    configure(stage, &bad);
    configure(stage, &json!({"data": {"queues.yaml": with_queue("kt-25")}}));
    until("KT-25: the next text is active", || in_force(&scheduler).contains("kt-25"));
    configure(stage, &bad);
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(in_force(&scheduler).contains("kt-25") && before != in_force(&scheduler), "KT-25: the last good one stays");
    // KT-27: an invalid setting rejects the queues as well.
    configure(stage, &json!({"data": {"queues.yaml": with_queue("kt-27"), "service.schedulingInterval": "x"}}));
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(!in_force(&scheduler).contains("kt-27"), "KT-27");
    // KT-28: a setting that needs a restart is ignored; queues are applied.
    let cluster = |scheduler: &Scheduler| scheduler.get("/ws/v1/clusters").to_string();
    let id = cluster(&scheduler);
    let data =
        json!({"queues.yaml": with_queue("kt-28"), "service.schedulingInterval": "1s", "service.clusterId": "other"});
    configure(stage, &json!({"data": data}));
    until("KT-28: the text is active", || in_force(&scheduler).contains("kt-28"));
    assert_eq!(cluster(&scheduler), id, "KT-28");
    // KT-26: the compressed entry takes precedence; another compression yields an empty text.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(with_queue("kt-26").as_bytes()).unwrap();
    let packed = serde_json::to_value(ByteString(packed.finish().unwrap())).unwrap();
    configure(stage, &json!({"binaryData": {"queues.yaml.gz": packed}}));
    until("KT-26: the compressed text is active", || in_force(&scheduler).contains("kt-26"));
    configure(stage, &json!({"binaryData": {"queues.yaml.gz": null, "queues.yaml.bin": packed}}));
    // YuniKorn would use its built-in default.
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(in_force(&scheduler).contains("kt-26"), "KT-26: the last good one stays");
    scheduler.stop();
    restore(stage, &["service.schedulingInterval", "service.clusterId"]);
}

const BY_NAMESPACE: &str = "
partitions:
- name: default
  placementrules: [{name: tag, value: namespace, create: true}]
  queues: [{name: root, submitacl: '*'}]
";

pub fn namespaces(stage: &Stage) {
    prepare(stage);
    configure(stage, &json!({"data": {"queues.yaml": BY_NAMESPACE}}));
    let quota = json!({"yunikorn.apache.org/namespace.quota": r#"{"cpu": "5"}"#});
    let old = |cpu: &str, memory: &str| json!({"yunikorn.apache.org/namespace.max.cpu": cpu, "yunikorn.apache.org/namespace.max.memory": memory});
    let mut both = old("1", "64M");
    both["yunikorn.apache.org/namespace.quota"] = json!(r#"{"cpu": "5"}"#);
    let cases: [(&str, Value, Value); 4] = [
        ("kt-18-quota", quota, json!({"vcore": 5000})),
        ("kt-18-old", old("1", "64M"), json!({"vcore": 1000, "memory": 64_000_000})),
        ("kt-18-bad", old("error", "128M"), Value::Null),
        ("kt-18-both", both, json!({"vcore": 5000})),
    ];
    let scheduler = Scheduler::start(stage);
    for (name, annotations, _) in &cases {
        let metadata = json!({"name": name, "annotations": annotations});
        create(stage, "/api/v1/namespaces", json!({"metadata": metadata}));
        let one = pod(&format!("{name}-pod"), json!({"applicationId": name}), json!({}), json!({}));
        // The watch of namespaces is independent of that of pods.
        std::thread::sleep(std::time::Duration::from_millis(500));
        create(stage, &format!("/api/v1/namespaces/{name}/pods"), one);
        assert_eq!(asked(&scheduler, &format!("{name}-pod")).0["queueName"], json!(format!("root.{name}")), "{name}");
    }
    let root = scheduler.get("/ws/v1/partition/default/queues");
    for (name, _, wanted) in &cases {
        let queues = root["children"].as_array().unwrap();
        let queue = queues.iter().find(|queue| queue["queuename"] == json!(format!("root.{name}"))).unwrap();
        let max = &queue["maxResource"];
        assert!(
            max == wanted || wanted.is_null() && max.as_object().is_none_or(serde_json::Map::is_empty),
            "KT-18 {name}: {max}"
        );
        stage.kubectl(&["-n", name, "delete", "pods", "--all", "--grace-period=0", "--force"]);
    }
    scheduler.stop();
    restore(stage, &[]);
}

/// KT-39: a running pod that no rule places after a restart.
pub fn recovered(stage: &Stage) {
    prepare(stage);
    configure(stage, &json!({"data": {"queues.yaml": BY_NAMESPACE}}));
    let scheduler = Scheduler::start(stage);
    make(stage, &[pod("kt-39", json!({"applicationId": "kt-39"}), json!({}), json!({}))]);
    until("KT-39: it is bound", || super::node_of(stage, "kt-39").is_some());
    assert_eq!(asked(&scheduler, "kt-39").0["queueName"], "root.batch");
    scheduler.stop();
    let only_dev = "
partitions:
- name: default
  placementrules: [{name: tag, value: namespace, create: false}]
  queues: [{name: root, submitacl: '*', queues: [{name: dev}]}]
";
    configure(stage, &json!({"data": {"queues.yaml": only_dev}}));
    let scheduler = Scheduler::start(stage);
    assert_eq!(asked(&scheduler, "kt-39").0["queueName"], "root.@recovery@", "KT-39");
    scheduler.stop();
    restore(stage, &[]);
}

use scheduler::{EventKind, PartitionCommand};

use super::stage::Stage;

fn partition(name: &str, queue: &str) -> String {
    format!("- name: {name}\n  queues: [{{name: root, submitacl: '*', queues: [{{name: {queue}}}]}}]\n")
}

fn names(stage: &Stage) -> Vec<&str> {
    stage.core.scheduler().partitions().iter().map(|partition| &*partition.name).collect()
}

#[test]
fn partitions_are_added_changed_and_removed() {
    let mut stage = Stage::new(&format!("partitions:\n{}", partition("default", "a")));
    stage.submit("one", "root.a", "sue", &[2]);
    stage.accepts(&format!("partitions:\n{}{}", partition("gpu", "g"), partition("default", "a")));
    assert_eq!(names(&stage), ["gpu", "default"], "in the order of the file");
    stage.node(Some("gpu"), "g1");
    assert_eq!(stage.submit_in(Some("gpu"), "one", "root.g", "sue", &[3]), None, "ids are of one partition");
    assert_eq!(stage.submit_in(Some("nowhere"), "x", "root.g", "sue", &[]).unwrap(), "partition \"nowhere\" not found");
    let used =
        |stage: &Stage, name| stage.partition(name).unwrap().queues.iter().next().unwrap().allocated.amount("vcore");
    assert_eq!((used(&stage, "gpu"), used(&stage, "default")), (3000, 2000));

    stage.accepts(&format!("partitions:\n{}{}", partition("default", "b"), partition("gpu", "g")));
    assert_eq!(names(&stage), ["default", "gpu"]);
    assert_eq!(stage.tree(), "root parent\nroot.a leaf Draining\nroot.b leaf");
    assert_eq!((used(&stage, "gpu"), used(&stage, "default")), (3000, 2000), "nothing that runs is touched");

    stage.accepts(&format!("partitions:\n{}", partition("gpu", "g")));
    assert_eq!(names(&stage), ["gpu"]);
    assert_eq!(used(&stage, "gpu"), 3000);
}

#[test]
fn a_removed_partition_removes_its_contents_and_reports_it() {
    let both = format!("partitions:\n{}{}", partition("default", "a"), partition("gpu", "g"));
    let mut stage = Stage::new(&both);
    stage.node(Some("gpu"), "g1");
    stage.submit_in(Some("gpu"), "train", "root.g", "sue", &[3, 1]);
    let only = format!("partitions:\n{}", partition("default", "a"));
    let config = config::read(&only, model::Profile::Kornsole).config.unwrap();
    let events = stage.core.apply(&scheduler::Command::Configure(std::sync::Arc::new(config)));
    let report: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::QueueState { queue, to, .. } => Some(format!("{queue} {to}")),
            EventKind::QueueRemoved { queue, .. } => Some(format!("{queue} removed")),
            EventKind::AppState { app, state, message, .. } => Some(format!("{app} {state} {}", message.as_deref()?)),
            EventKind::Released { app, ask, .. } => Some(format!("{app}/{ask} released")),
            EventKind::NodeRemoved { node } => Some(format!("{node} removed")),
            EventKind::PartitionRemoved { partition, applications } => {
                Some(format!("{partition} gone, {applications}"))
            }
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(report.join("\n"), @"
    root Draining
    root.g Draining
    train Failing PartitionRemoved
    train/t0 released
    train/t1 released
    train Failed PartitionRemoved
    g1 removed
    root.g removed
    root removed
    gpu gone, 1
    ");
    let view = stage.look();
    assert_eq!(view.partitions.len(), 1);
    let notice = view.notices.iter().find(|notice| notice.title.contains("gpu")).unwrap();
    assert_eq!(notice.title, "partition gpu is removed, 1 of its applications failed");

    // The view shows nothing of the old partition, even without a view in between.
    stage.accepts(&both);
    stage.node(Some("gpu"), "g1");
    stage.submit_in(Some("gpu"), "again", "root.g", "sue", &[1]);
    stage.look();
    for text in [&only, &both] {
        stage.core.reload("queues.yaml", text.as_bytes());
    }
    let view = stage.look();
    let gpu = view.partitions.iter().find(|partition| &*partition.name == "gpu").unwrap();
    assert!(gpu.nodes.is_empty() && gpu.live_apps == 0 && gpu.apps.iter().flatten().count() == 0);
    assert_eq!(gpu.walk().count(), 2);
}

#[test]
fn each_partition_has_limits_and_rules_of_its_own() {
    let text = |max: &str| {
        format!(
            "partitions:\n{}- name: gpu\n  placementrules: [{{name: fixed, value: root.g}}]\n  limits: [{{limit: sue, users: [sue], \
             maxresources: {{vcore: {max}}}}}]\n  queues: [{{name: root, submitacl: '*', queues: [{{name: g}}]}}]\n",
            partition("default", "a")
        )
    };
    let mut stage = Stage::new(&text("2"));
    stage.node(Some("gpu"), "g1");
    stage.submit("one", "root.a", "sue", &[5]);
    stage.submit_in(Some("gpu"), "one", "", "sue", &[2, 1]);
    let used = |stage: &Stage| {
        let gpu = stage.partition("gpu").unwrap();
        gpu.apps[gpu.app_key(&"one".into()).unwrap()].allocated.amount("vcore")
    };
    assert_eq!((stage.cores("one"), used(&stage)), (Some(5), 2000));
    stage.accepts(&text("3"));
    stage.wait(1);
    assert_eq!(used(&stage), 3000);
    let kill = PartitionCommand::Remove { app: "one".into() };
    stage.apply_in(Some("gpu"), kill);
    stage.wait(60);
    assert_eq!(stage.cores("one"), Some(5), "the other partition's application of that name lives on");
}

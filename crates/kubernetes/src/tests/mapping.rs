use super::{ONE_QUEUE, bound, cluster, node, planned, pod, recovery, small};
use crate::application::{self, Users};
use crate::ask::{may_be_preempted, required_node};
use crate::{Settings, gang, namespace};
use model::{Identity, Profile};
use scheduler::{AskSpec, GangStyle, PartitionCommand, Submission};

fn id(metadata: &str, unique: bool) -> String {
    application::id(
        &pod(&format!("metadata: {{name: p, namespace: testns, uid: podUid, {metadata}}}")).metadata,
        unique,
    )
}

fn asks(text: &str) -> Vec<AskSpec> {
    let steps = recovery(text, Profile::Kornsole).steps;
    let asks = steps.into_iter().filter_map(|(_, step)| match step {
        PartitionCommand::Ask(ask) => Some(ask),
        _ => None,
    });
    asks.collect()
}

fn submissions(text: &str) -> Vec<Submission> {
    let steps = recovery(text, Profile::Kornsole).steps;
    let all = steps.into_iter().filter_map(|(_, step)| match step {
        PartitionCommand::Submit(submission) => Some(submission),
        _ => None,
    });
    all.collect()
}

#[test]
fn kt_01_a_label_has_precedence_over_an_annotation() {
    let both = "labels: {yunikorn.apache.org/app-id: a}, annotations: {yunikorn.apache.org/app-id: b}";
    assert_eq!(id(both, false), "a");
}

#[test]
fn kt_02_the_annotation_has_precedence_over_the_old_label() {
    assert_eq!(id("annotations: {yunikorn.apache.org/app-id: b}, labels: {applicationId: c}", false), "b");
}

#[test]
fn kt_03_the_old_label_has_precedence_over_that_of_spark() {
    assert_eq!(id("labels: {applicationId: c, spark-app-selector: d}", false), "c");
    assert_eq!(id("labels: {applicationId: '', spark-app-selector: d}", false), "d");
}

#[test]
fn kt_04_pods_without_an_id_are_one_application_of_their_namespace() {
    assert_eq!(id("", false), "yunikorn-testns-autogen");
    assert_eq!(id("", true), "testns-podUid");
    let long = pod(&format!("metadata: {{name: p, namespace: {}, uid: u}}", "n".repeat(63)));
    assert_eq!(application::id(&long.metadata, false).len(), 63);
    assert_eq!(application::id(&long.metadata, true), format!("{}-u", "n".repeat(26)));
}

#[test]
fn kt_05_an_id_that_is_to_be_made_unique() {
    assert_eq!(id("labels: {yunikorn.apache.org/app-id: testns-uniqueautogen}", false), "testns-podUid");
}

#[test]
fn kt_06_a_pod_of_another_scheduler_is_foreign() {
    let text = node("n1", "", "")
        + "---\nkind: Pod\nmetadata: {namespace: ns, name: p, uid: u, labels: {yunikorn.apache.org/app-id: a}}\n\
         spec: {schedulerName: default, nodeName: n1, containers: [{name: c, resources: {requests: {cpu: '2'}}}]}\n";
    let found = recovery(&text, Profile::Kornsole);
    assert_eq!((found.foreign, found.asked.len(), found.steps.len()), (1, 0, 0));
    assert_eq!((found.nodes[0].occupied.amount("vcore"), found.nodes[0].occupied.amount("pods")), (2000, 1));
}

#[test]
fn kt_07_ignore_application_is_read_by_nothing() {
    let both = "annotations: {yunikorn.apache.org/app-id: b, yunikorn.apache.org/ignore-application: 'true'}";
    assert_eq!(id(both, false), "b");
}

#[test]
fn kt_08_gates_block_a_pod_until_the_last_is_removed() {
    let with = |gates: &str| {
        let text = small("p", 0, &format!("schedulingGates: [{gates}]"));
        let found = recovery(&text, Profile::Kornsole);
        (found.asked.len(), found.left_alone.into_iter().map(|pod| pod.reason).collect::<Vec<_>>())
    };
    assert_eq!(with("{name: gate1}, {name: gate2}"), (0, vec!["it has scheduling gates: gate1, gate2".to_owned()]));
    assert_eq!(with("{name: gate2}"), (0, vec!["it has scheduling gates: gate2".to_owned()]));
    assert_eq!(with(""), (1, vec![]));
}

#[test]
fn kt_17_a_pod_of_a_daemon_set_requires_its_node() {
    let with = |owner: &str| {
        let pod = pod(&format!(
            "metadata: {{name: p, namespace: ns, ownerReferences: [{{kind: {owner}}}]}}\nspec: {{affinity: {{nodeAffinity: \
             {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchFields: \
             [{{key: metadata.name, operator: In, values: [n1]}}]}}]}}}}}}}}"
        ));
        required_node(&pod).map(str::to_owned)
    };
    assert_eq!((with("DaemonSet"), with("ReplicaSet")), (Some("n1".to_owned()), None));
}

#[test]
fn kt_18_quotas_of_a_namespace() {
    let tags = |annotations: &str| {
        let text = format!("kind: Namespace\nmetadata: {{name: ns, annotations: {{{annotations}}}}}");
        let cluster = cluster(&text);
        let meta = &cluster.namespaces["ns"].metadata;
        let quota = namespace::tags(meta).remove("namespace.resourcequota");
        (quota, namespace::unreadable(meta).len())
    };
    let quota = "yunikorn.apache.org/namespace.quota: '{\"cpu\": \"5\"}'";
    let old = |cpu: &str, memory: &str| {
        format!("yunikorn.apache.org/namespace.max.cpu: '{cpu}', yunikorn.apache.org/namespace.max.memory: {memory}")
    };
    let vcore = |amount: i64| Some(format!("{{\"resources\":{{\"vcore\":{{\"value\":{amount}}}}}}}"));
    assert_eq!(tags(quota), (vcore(5000), 0));
    let both = "{\"resources\":{\"memory\":{\"value\":64000000},\"vcore\":{\"value\":1000}}}";
    assert_eq!(tags(&old("1", "64M")), (Some(both.to_owned()), 0));
    assert_eq!(tags(&old("error", "128M")), (None, 1));
    assert_eq!(tags(&format!("{quota}, {}", old("1", "64M"))), (vcore(5000), 0));
    for bad in ["x", "{\"cpu\": 5}", "{\"cpu\": \"five\"}"] {
        assert_eq!(tags(&format!("yunikorn.apache.org/namespace.quota: '{bad}'")), (None, 1), "{bad}");
    }
    assert_eq!(tags("yunikorn.apache.org/namespace.quota: '{\"cpu\": \"0\"}'"), (None, 0));
}

#[test]
fn kt_19_parameters_of_a_gang() {
    let read = |text: &str| {
        let pod = pod(&format!(
            "metadata: {{name: p, annotations: {{yunikorn.apache.org/schedulingPolicyParameters: '{text}'}}}}"
        ));
        let found = gang::parameters(&pod.metadata);
        (found.timeout.map_or(0, |time| time.as_secs()), found.style)
    };
    assert_eq!(read("placeholderTimeoutInSeconds=50=25 gangSchedulingStyle=Hard=Soft"), (0, GangStyle::Soft));
    assert_eq!(read("placeholderTimeoutInSeconds=50  gangSchedulingStyle=Hard"), (50, GangStyle::Hard));
    assert_eq!(read("placeholderTimeoutInSeconds=x gangSchedulingStyle=hard"), (0, GangStyle::Soft));
}

#[test]
fn kt_20_one_bad_task_group_is_no_gang() {
    let bad = ["\"name\": \"g\", \"minMember\": 0", "\"name\": \"g\", \"minMember\": -1", "\"minMember\": 1"];
    for fields in bad {
        let groups = format!("[{{{fields}, \"minResource\": {{\"cpu\": \"1\"}}}}]");
        let text = small("p", 0, "")
            .replace("labels:", &format!("annotations: {{yunikorn.apache.org/task-groups: '{groups}'}}, labels:"));
        let plan = planned(&(node("n1", "", "") + &text), ONE_QUEUE);
        assert_eq!(bound(&plan), ["ns/p on n1"], "{fields}");
        assert!(plan.notices[0].contains("ns/p: TaskGroupsError"), "{:?}", plan.notices);
    }
    let yaml = "annotations: {yunikorn.apache.org/task-groups: \"- name: g\\n  minMember: 1\\n\"}, labels:";
    let plan = planned(&(node("n1", "", "") + &small("p", 0, "").replace("labels:", yaml)), ONE_QUEUE);
    let words = "the annotation yunikorn.apache.org/task-groups must be a JSON list: ";
    assert!(plan.notices[0].contains(words), "{:?}", plan.notices);
}

#[test]
fn kt_21_names_of_placeholders() {
    let name = gang::placeholder_name("app0001", "my-group", "0123456789");
    assert_eq!((name.as_str(), name.len()), ("tg-app0001-my-group-0123456789", 30));
    assert_eq!(gang::placeholder_name(&"a".repeat(99), &"g".repeat(99), "0123456789").len(), 63);
}

#[test]
fn kt_22_the_driver_is_the_originator_although_placeholders_are_first() {
    let placeholder = small("held", 0, "nodeName: n1").replace(
        "labels: {",
        "ownerReferences: [{kind: Pod, uid: driver}], annotations: {yunikorn.apache.org/placeholder: 'true', \
         yunikorn.apache.org/task-group-name: g}, labels: {applicationId: x, ",
    );
    let driver = small("driver", 9, "nodeName: n1").replace("labels: {", "labels: {applicationId: x, ");
    let worker = small("worker", 10, "").replace("labels: {", "labels: {applicationId: x, ");
    let found = asks(&(node("n1", "", "") + &placeholder + &driver + &worker));
    let started_at: Vec<_> = found.iter().map(|ask| (ask.id.as_str(), ask.originator, ask.placeholder)).collect();
    assert_eq!(started_at, [("held", false, true), ("driver", true, false), ("worker", false, false)]);
}

#[test]
fn users_of_pods() {
    let read =
        |metadata: &str, users| application::user(&pod(&format!("metadata: {{name: p, {metadata}}}")).metadata, users);
    let info = |json: &str| format!("annotations: {{yunikorn.apache.org/user.info: '{json}'}}");
    let anonymous = Identity::new("nobody", Vec::<String>::new());
    let ann = info("{\"user\": \"ann\", \"groups\": [\"dev\"]}");
    assert_eq!(read(&ann, Users::Trusted), (Identity::new("ann", ["dev"]), None));
    assert_eq!(read(&ann, Users::Ignored), (anonymous.clone(), None));
    assert_eq!(read(&info("{\"groups\": [\"dev\"]}"), Users::Trusted), (Identity::new("nobody", ["dev"]), None));
    let (user, why) = read(&info("ann"), Users::Trusted);
    assert_eq!(user, anonymous);
    assert!(why.is_some_and(|why| why.contains("user.info ")));
    let old = "labels: {yunikorn.apache.org/username: bob}";
    assert_eq!(read(old, Users::Trusted).0, Identity::new("bob", Vec::<String>::new()));
    assert_eq!(read("", Users::Trusted), (anonymous, None));
}

#[test]
fn preemption_by_the_pods_word_then_by_its_class() {
    let class = cluster(
        "kind: PriorityClass\nmetadata: {name: c, annotations: {yunikorn.apache.org/allow-preemption: 'false'}}",
    );
    let with = |annotation: &str, class| {
        let pod = pod(&format!(
            "metadata: {{name: p, annotations: {{yunikorn.apache.org/allow-preemption: '{annotation}'}}}}"
        ));
        may_be_preempted(&pod, class)
    };
    let class = class.classes.get("c");
    assert_eq!(
        (with("true", class), with("false", None), with("no", class), with("no", None)),
        (true, false, false, true)
    );
}

#[test]
fn the_first_pod_makes_the_application() {
    let first = small("first", 0, "imagePullSecrets: [{name: x}, {name: y}], priority: 7, preemptionPolicy: Never")
        .replace("queue: root.a", "applicationId: app, queue: root.a");
    let later = small("later", 1, "nodeName: n1").replace("queue: root.a", "applicationId: app, queue: root.b");
    let text = node("n1", "", "") + &first + &later;
    let [submission] = <[Submission; 1]>::try_from(submissions(&text)).expect("one");
    assert_eq!((submission.app.as_str(), submission.queue.as_str()), ("app", "root.a"));
    let tag = |name: &str| submission.tags.get(name).map_or("-", String::as_str);
    let known = ["namespace", "application.create.force", "imagePullSecrets", "yunikorn.apache.org/creationTime"];
    assert_eq!(known.map(tag), ["ns", "false", "x,y", "1793527200"]);
    let found = asks(&text);
    assert_eq!((found[0].id.as_str(), found[0].priority.0, found[0].allow_preempt_other), ("first", 7, false));
    assert_eq!(found[0].tags.get("kubernetes.io/label/app"), Some("first"));
    assert_eq!(found[0].tags.pod().as_deref(), Some("ns/first"));
    assert_eq!(Settings::default().scheduler_names, ["yunikorn", "kornsole"]);
}

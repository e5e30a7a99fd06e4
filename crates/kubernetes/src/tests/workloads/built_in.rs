//! The controllers of Kubernetes.

use super::{ONE, faults, lines, notices, pods, read, template};

const NODES: &str = "kind: Node\nmetadata: {name: n1, labels: {disk: ssd}}\n---\nkind: Node\nmetadata: {name: n2}\n---\n\
    kind: Node\nmetadata: {name: n3, labels: {disk: ssd}}\nspec: {taints: [{key: gpu, effect: NoSchedule}], unschedulable: true}\n";

#[test]
fn jobs_have_as_many_pods_as_run_at_once() {
    let job = |spec: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: etl, namespace: spark}}\nspec: {{{spec}template: {}}}\n",
            template(ONE)
        )
    };
    let one = "spark/etl-0 root.a app 1000m 1024Mi 0 yunikorn";
    let two = one.replace("etl-0", "etl-1");
    assert_eq!(pods(&job("")), [one]);
    assert_eq!(pods(&job("parallelism: 2, completions: 2, ")), [one, &two]);
    assert_eq!(pods(&job("parallelism: 4, completions: 2, ")), [one, &two]);
    assert_eq!(pods(&job("parallelism: 2, ")), [one, &two]);
    assert_eq!(pods(&job("parallelism: 0, ")), [""; 0]);
    assert_eq!(pods(&job("completions: 5, ")), [one]);
    assert!(notices(&job("parallelism: 2, completions: 5, ")).contains("Job spark/etl: completes more pods"));
    assert_eq!(pods(&job("suspend: true, ")), [""; 0]);
    assert!(notices(&job("suspend: true, ")).contains("Job spark/etl: creates no pods while it is suspended"));
    let indexed = job("parallelism: 2, completions: 2, completionMode: Indexed, ");
    let (cluster, _) = read(&[&indexed]);
    let label = |pod: &crate::objects::Pod| pod.metadata.label("batch.kubernetes.io/job-completion-index").to_owned();
    assert_eq!(cluster.pods.values().map(|pod| label(pod)).collect::<Vec<_>>(), ["0", "1"]);
}

#[test]
fn a_cron_job_runs_once() {
    let text = format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: nightly}}\nspec:\n  schedule: '0 3 * * *'\n  jobTemplate:\n    \
         spec: {{parallelism: 2, template: {}}}\n",
        template(ONE)
    );
    let lines = pods(&text);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1], "default/nightly-1 root.a app 1000m 1024Mi 0 yunikorn");
    assert!(notices(&text.replace("spec:\n  schedule", "spec:\n  suspend: true\n  schedule")).contains("suspended"));
}

#[test]
fn controllers_have_their_replicas() {
    for (kind, version) in [
        ("Deployment", "apps/v1"),
        ("ReplicaSet", "apps/v1"),
        ("StatefulSet", "apps/v1"),
        ("ReplicationController", "v1"),
    ] {
        let text = |replicas: &str| {
            let template = template("{cpu: 500m, memory: 256Mi}");
            format!(
                "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec:\n  {replicas}\n  template: {template}\n"
            )
        };
        assert_eq!(pods(&text("")), ["shop/web-0 root.a app 500m 256Mi 0 yunikorn"], "{kind}");
        assert_eq!(pods(&text("replicas: 3")).len(), 3, "{kind}");
        assert_eq!(pods(&text("replicas: 0")).len(), 0, "{kind}");
        assert!(notices(&text("replicas: 3")).contains(&format!("created 3 pods for 1 {kind} object")), "{kind}");
    }
    let both = ["Deployment", "StatefulSet"].map(|kind| {
        format!(
            "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: web}}\nspec: {{template: {}}}\n---\n",
            template(ONE)
        )
    });
    let names: Vec<String> = pods(&both.concat()).iter().map(|line| line.split(' ').take(1).collect()).collect();
    assert_eq!(names, ["default/web-0", "default/web-0-2"]);
    let stateful = format!(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: db}}\nspec: {{replicas: 2, ordinals: {{start: 5}}, \
         volumeClaimTemplates: [{{metadata: {{name: data}}}}], template: {}}}\n",
        template(ONE)
    );
    assert_eq!(pods(&stateful)[1], "default/db-6 root.a app 1000m 1024Mi 0 yunikorn");
    assert!(notices(&stateful).contains("volumeClaimTemplates"), "{}", notices(&stateful));
}

#[test]
fn a_daemon_set_has_a_pod_on_each_node_that_fits() {
    let daemon = |more: &str| {
        format!(
            "{NODES}---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: agent, namespace: kube-system}}\nspec:\n  template:\n    \
             spec: {{schedulerName: yunikorn, {more}containers: [{{name: c, resources: {{limits: {{cpu: 100m}}}}}}]}}\n"
        )
    };
    let on = |text: &str| {
        let (cluster, report) = read(&[text]);
        assert_eq!(report.faults, Vec::<String>::new());
        let node = |pod: &crate::objects::Pod| crate::ask::required_node(pod).unwrap_or_default().to_owned();
        cluster.pods.values().map(|pod| node(pod)).collect::<Vec<_>>()
    };
    assert_eq!(on(&daemon("")), ["n1", "n2"]);
    assert_eq!(on(&daemon("nodeSelector: {disk: ssd}, ")), ["n1"]);
    // The controller tolerates a cordon; only the pod itself can tolerate the taint.
    assert_eq!(on(&daemon("tolerations: [{operator: Exists}], ")), ["n1", "n2", "n3"]);
    assert_eq!(pods(&daemon(""))[0], "kube-system/agent-0 - yunikorn-kube-system-autogen 100m 0Mi 0 yunikorn");
}

#[test]
fn pods_that_exist_are_not_created_again() {
    let job = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, uid: d1}\nspec: {replicas: 3, template: TEMPLATE}\n---\n\
        apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-7d9, namespace: shop, uid: r1, ownerReferences: [{kind: Deployment, name: web, uid: d1}]}\n\
        spec: {replicas: 3, template: TEMPLATE}\n---\n\
        kind: Pod\nmetadata: {name: web-7d9-x, namespace: shop, uid: p1, ownerReferences: [{kind: ReplicaSet, name: web-7d9, uid: r1}]}\n\
        spec: {nodeName: n1, schedulerName: yunikorn}\n";
    let (cluster, report) = read(&[&job.replace("TEMPLATE", &template(ONE))]);
    assert_eq!(report.faults, Vec::<String>::new());
    // The Deployment has its ReplicaSet, which needs two more pods.
    let names: Vec<String> =
        lines(&cluster).iter().map(|line| line.split(' ').next().expect("a name").to_owned()).collect();
    assert_eq!(names, ["shop/web-7d9-0", "shop/web-7d9-1", "shop/web-7d9-x"]);
    let done = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j, uid: u}}\nspec: {{template: {}}}\nstatus: {{conditions: [{{type: Complete, status: 'True'}}]}}\n",
        template(ONE)
    );
    assert_eq!(pods(&done).len(), 0);
    assert!(notices(&done).contains("Job default/j: creates no pods: its status is Complete"));
}

#[test]
fn unknown_kinds_are_taken_by_their_template_or_counted() {
    let rollout = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {{name: r}}\nspec: {{replicas: 2, template: {}}}\n---\n\
         apiVersion: v1\nkind: Service\nmetadata: {{name: s}}\n---\napiVersion: v1\nkind: Service\nmetadata: {{name: t}}\n",
        template(ONE)
    );
    let (cluster, report) = read(&[&rollout]);
    assert_eq!(lines(&cluster).len(), 2);
    assert!(
        report
            .notices
            .iter()
            .any(|note| note.contains("Rollout default/r: unknown kind; its pods are created from spec.template"))
    );
    assert_eq!(report.skipped.get("Service"), Some(&2));
    // A Job of another group is not a Job of Kubernetes.
    let volcano = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: v}\nspec: {tasks: []}\n";
    assert_eq!(read(&[volcano]).1.skipped.get("Job of batch.volcano.sh"), Some(&1));
    let template = "apiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nmetadata: {name: t}\nspec: {}\n";
    assert_eq!(read(&[template]).1.skipped.get("WorkflowTemplate"), Some(&1));
}

#[test]
fn lists_documents_and_json_have_the_same_pods() {
    let job =
        format!("{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {{template: {}}}}}", template(ONE));
    let json = "{\"kind\": \"List\", \"items\": [{\"kind\": \"JobList\", \"apiVersion\": \"batch/v1\", \"items\": [{\"apiVersion\": \"batch/v1\", \
        \"metadata\": {\"name\": \"j\"}, \"spec\": {\"template\": {\"metadata\": {\"labels\": {\"applicationId\": \"app\", \"queue\": \"root.a\"}}, \
        \"spec\": {\"schedulerName\": \"yunikorn\", \"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": 1, \"memory\": \"1Gi\"}}}]}}}}]}]}";
    let wanted = pods(&job);
    assert_eq!(wanted.len(), 1);
    for text in [
        format!("kind: List\nitems:\n- {job}\n"),
        format!("# a comment\n---\n---\n{job}\n---\n"),
        format!("- {job}\n"),
        json.to_owned(),
    ] {
        assert_eq!(pods(&text), wanted, "{text}");
    }
}

#[test]
fn a_job_that_partly_succeeded_creates_its_remaining_pods() {
    let job = |spec: &str, status: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j, uid: u}}\nspec: {{{spec}, template: {}}}\nstatus: {{{status}}}\n---\n",
            template(ONE)
        )
    };
    let count = |spec: &str, status: &str| pods(&job(spec, status)).len();
    assert_eq!(count("parallelism: 3, completions: 5", "succeeded: 1"), 3);
    assert_eq!(count("parallelism: 3, completions: 5", "succeeded: 4"), 1);
    assert_eq!(count("parallelism: 3, completions: 5", "succeeded: 5"), 0);
    // Without completions, one success ends the Job.
    assert_eq!(count("parallelism: 3", "active: 3"), 3);
    assert_eq!(count("parallelism: 3", "succeeded: 1, active: 2"), 2);
    let later = "completes more pods than it runs";
    assert!(notices(&job("parallelism: 3, completions: 5", "succeeded: 1")).contains(later));
    assert!(!notices(&job("parallelism: 3, completions: 5", "succeeded: 2")).contains(later));
    // Pods that ended are not active.
    let pod = |name: &str, phase: &str| {
        format!(
            "kind: Pod\nmetadata: {{name: {name}, uid: {name}, ownerReferences: [{{kind: Job, name: j, uid: u}}]}}\n\
             spec: {{schedulerName: yunikorn, nodeName: n, containers: [{{name: c}}]}}\nstatus: {{phase: {phase}}}\n---\n"
        )
    };
    let job = job("parallelism: 3, completions: 5", "succeeded: 3, active: 1");
    let all = format!("{job}{}{}{}", pod("a", "Succeeded"), pod("b", "Running"), pod("c", "Failed"));
    let created = notices(&all);
    assert!(created.contains("created 1 pod for 1 Job object"), "{created}");
}

#[test]
fn an_indexed_job_goes_on_with_the_indexes_that_are_missing() {
    let job = |completed: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec: {{completionMode: Indexed, parallelism: 3, completions: 8, template: {}}}\n\
             status: {{completedIndexes: '{completed}'}}\n",
            template(ONE)
        )
    };
    let indexes = |completed: &str| {
        let (cluster, report) = read(&[&job(completed)]);
        assert_eq!(report.faults, Vec::<String>::new());
        let label =
            |pod: &crate::objects::Pod| pod.metadata.label("batch.kubernetes.io/job-completion-index").to_owned();
        cluster.pods.values().map(|pod| label(pod)).collect::<Vec<_>>()
    };
    assert_eq!(indexes(""), ["0", "1", "2"]);
    assert_eq!(indexes("0,2-4"), ["1", "5", "6"]);
    assert_eq!(indexes("0-6"), ["7"]);
    assert_eq!(indexes("0-7"), [""; 0]);
    for wrong in ["4-2", "x", "1-", "0-18446744073709551615"] {
        let fault = faults(&job(wrong));
        assert!(fault.contains("status.completedIndexes: expected indexes such as 0,3-5"), "{fault}");
    }
}

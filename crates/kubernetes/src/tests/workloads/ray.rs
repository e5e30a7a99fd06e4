use super::{ONE, notices, pods, read, template};
use crate::gang;

fn cluster_spec(workers: &str, more: &str) -> String {
    let head = "{metadata: {labels: {app: ray}}, spec: {containers: [{name: ray-head, resources: {limits: {cpu: 2, memory: 4Gi}}}]}}";
    let worker = "{spec: {containers: [{name: ray-worker, resources: {limits: {cpu: 4, memory: 8Gi, nvidia.com/gpu: 1}, requests: {cpu: 3}}}]}}";
    format!(
        "{{rayVersion: 2.9.0, {more}headGroupSpec: {{rayStartParams: {{}}, template: {head}}}, \
         workerGroupSpecs: [{{groupName: gpu, {workers}rayStartParams: {{}}, template: {worker}}}]}}"
    )
}

fn cluster(labels: &str, workers: &str, more: &str) -> String {
    let spec = cluster_spec(workers, more);
    format!(
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {{name: rc, namespace: ml, labels: {{{labels}}}}}\nspec: {spec}\n"
    )
}

#[test]
fn the_head_and_the_groups_of_workers() {
    assert_eq!(
        pods(&cluster("", "replicas: 2, minReplicas: 1, maxReplicas: 5, ", "")),
        [
            "ml/rc-gpu-worker-0-0 - yunikorn-ml-autogen 3000m 8192Mi gpu=1 0 yunikorn",
            "ml/rc-gpu-worker-1-0 - yunikorn-ml-autogen 3000m 8192Mi gpu=1 0 yunikorn",
            "ml/rc-head - yunikorn-ml-autogen 2000m 4096Mi 0 yunikorn",
        ]
    );
    let workers = |fields: &str| pods(&cluster("", fields, "")).len() - 1;
    assert_eq!(workers("replicas: 2, numOfHosts: 4, "), 8);
    // The autoscaler bounds precede the replicas.
    assert_eq!(workers("replicas: 0, minReplicas: 3, maxReplicas: 5, "), 3);
    assert_eq!(workers("replicas: 9, minReplicas: 1, maxReplicas: 5, "), 5);
    assert_eq!(workers("minReplicas: 2, "), 2);
    assert_eq!(workers(""), 0);
    assert_eq!(workers("replicas: 4, suspend: true, "), 0);
    assert!(notices(&cluster("", "", "suspend: true, ")).contains("creates no pods while it is suspended"));
}

#[test]
fn the_autoscaler_runs_with_the_head() {
    let head = |more: &str| pods(&cluster("", "", more))[0].clone();
    assert!(head("enableInTreeAutoscaling: true, ").contains(" 2500m 4608Mi "));
    let own = "enableInTreeAutoscaling: true, autoscalerOptions: {resources: {limits: {cpu: 1, memory: 1Gi}}}, ";
    assert!(head(own).contains(" 3000m 5120Mi "));
}

#[test]
fn labels_of_yunikorn_reach_the_pods_and_a_gang_is_declared() {
    let labels =
        "ray.io/gang-scheduling-enabled: 'true', yunikorn.apache.org/app-id: ray-1, yunikorn.apache.org/queue: root.ml";
    let text = cluster(labels, "replicas: 2, minReplicas: 2, numOfHosts: 2, ", "");
    assert_eq!(pods(&text)[4], "ml/rc-head root.ml ray-1 2000m 4096Mi 0 yunikorn");
    let (cluster, _) = read(&[&text]);
    let head = &cluster.pods[&("ml".to_owned(), "rc-head".to_owned())];
    let groups = gang::task_groups(&head.metadata).expect("groups");
    let reported: Vec<_> = groups
        .iter()
        .map(|group| (group.name.as_str(), group.min_member, group.min_resource["cpu"].0.as_str()))
        .collect();
    assert_eq!(reported, [("headgroup", 1, "2000m"), ("gpu", 4, "3000m")]);
    let worker = &cluster.pods[&("ml".to_owned(), "rc-gpu-worker-0-0".to_owned())];
    assert_eq!(gang::group_of(&worker.metadata), "gpu");
    assert_eq!(worker.metadata.label("ray.io/node-type"), "worker");
}

#[test]
fn a_ray_job_has_a_cluster_and_a_submitter() {
    let job = |more: &str| {
        let spec = cluster_spec("replicas: 1, ", "");
        format!(
            "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {{name: j, namespace: ml, labels: {{yunikorn.apache.org/app-id: r, yunikorn.apache.org/queue: root.ml}}}}\n\
             spec: {{entrypoint: python x.py, {more}rayClusterSpec: {spec}}}\n"
        )
    };
    assert_eq!(
        pods(&job("")),
        [
            "ml/j-gpu-worker-0-0 root.ml r 3000m 8192Mi gpu=1 0 yunikorn",
            "ml/j-head root.ml r 2000m 4096Mi 0 yunikorn",
            "ml/j-submitter root.ml r 500m 200Mi 0 yunikorn",
        ]
    );
    assert_eq!(pods(&job("submissionMode: HTTPMode, ")).len(), 2);
    assert!(pods(&job("submissionMode: SidecarMode, "))[1].contains(" 2500m 4296Mi "));
    let own = format!("submitterPodTemplate: {}, ", template(ONE));
    assert_eq!(pods(&job(&own))[2], "ml/j-submitter root.ml r 1000m 1024Mi 0 yunikorn");
    assert_eq!(pods(&job("suspend: true, ")).len(), 0);
    assert_eq!(pods(&(job("") + "status: {jobStatus: SUCCEEDED}\n")).len(), 0);
}

#[test]
fn a_ray_service_has_a_cluster() {
    let text = format!(
        "apiVersion: ray.io/v1\nkind: RayService\nmetadata: {{name: s, namespace: ml}}\nspec: {{serveConfigV2: '', rayClusterConfig: {}}}\n",
        cluster_spec("replicas: 2, ", "")
    );
    let lines = pods(&text);
    assert_eq!(lines.len(), 3);
    assert!(lines[2].starts_with("ml/s-head - "), "{lines:?}");
}

#[test]
fn the_labels_of_earlier_releases_reach_the_pods() {
    let text = format!(
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {{name: c, namespace: ml, labels: {{yunikorn.apache.org/application-id: old, \
         yunikorn.apache.org/queue-name: root.old, yunikorn.apache.org/gang-scheduling: 'true'}}}}\nspec: {}\n",
        cluster_spec("replicas: 1, ", "")
    );
    let lines = pods(&text);
    assert!(lines.iter().all(|line| line.contains(" root.old old ")), "{lines:?}");
    let (cluster, _) = read(&[&text]);
    assert!(cluster.pods.values().all(|pod| !gang::group_of(&pod.metadata).is_empty()));
}

#[test]
fn one_suspended_group_does_not_suspend_the_cluster() {
    let text = cluster("", "replicas: 2, ", "").replace(
        "}]}\n",
        "}, {groupName: off, replicas: 3, suspend: true, template: {spec: {containers: [{name: w}]}}}]}\n",
    );
    assert_eq!(pods(&text).len(), 3);
    let reported = notices(&text);
    assert!(reported.contains("RayCluster ml/rc: its group off creates no pods while it is suspended"), "{reported}");
    assert!(!reported.contains(": creates no pods"), "{reported}");
}

#[test]
fn the_submitter_is_a_pod_of_the_gang_of_its_job() {
    let job = |more: &str| {
        let spec = cluster_spec("replicas: 1, minReplicas: 1, ", "").replace(
            "{spec: {containers: [{name: ray-worker",
            "{spec: {nodeSelector: {pool: gpu}, containers: [{name: ray-worker",
        );
        format!(
            "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {{name: j, namespace: ml, labels: {{ray.io/gang-scheduling-enabled: 'true', \
             yunikorn.apache.org/app-id: r, yunikorn.apache.org/queue: root.ml}}}}\nspec: {{{more}rayClusterSpec: {spec}}}\n"
        )
    };
    let groups = |text: &str, name: &str| {
        let (cluster, report) = read(&[text]);
        assert_eq!(report.faults, Vec::<String>::new());
        let meta = &cluster.pods[&("ml".to_owned(), name.to_owned())].metadata;
        let found = gang::task_groups(meta).expect("groups");
        let shown = found.iter().map(|group| {
            format!("{} {} {} {}", group.name, group.min_member, group.min_resource["cpu"].0, group.node_selector.len())
        });
        (gang::group_of(meta).to_owned(), shown.collect::<Vec<_>>())
    };
    let all = ["headgroup 1 2000m 0", "gpu 1 3000m 1", "submitter 1 500m 0"].map(str::to_owned).to_vec();
    assert_eq!(groups(&job(""), "j-submitter"), ("submitter".to_owned(), all.clone()));
    assert_eq!(groups(&job(""), "j-head"), ("headgroup".to_owned(), all.clone()));
    assert_eq!(groups(&job(""), "j-gpu-worker-0-0"), ("gpu".to_owned(), all.clone()));
    let own = "submitterPodTemplate: {spec: {nodeSelector: {a: b}, containers: [{name: s, resources: {limits: {cpu: 1}}}]}}, ";
    assert_eq!(groups(&job(own), "j-submitter").1[2], "submitter 1 1000m 1");
    assert_eq!(pods(&job(own))[2], "ml/j-submitter root.ml r 1000m 0Mi 0 yunikorn");
    // The other modes have no such pod.
    assert_eq!(groups(&job("submissionMode: HTTPMode, "), "j-head").1, all[..2]);
    assert_eq!(groups(&job("submissionMode: SidecarMode, "), "j-head").1, all[..2]);
}

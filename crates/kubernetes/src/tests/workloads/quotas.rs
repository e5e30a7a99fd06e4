//! ResourceQuotas: pods and objects that the API server would reject.

use super::{faults, notices, pods, template};

fn quota(hard: &str, more: &str) -> String {
    format!("kind: ResourceQuota\nmetadata: {{name: q, namespace: default}}\nspec: {{hard: {{{hard}}}{more}}}\n---\n")
}

fn pod(name: &str, spec: &str) -> String {
    format!("kind: Pod\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n---\n")
}

fn job(name: &str, parallelism: u32, requests: &str) -> String {
    let template = template(requests);
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec: {{parallelism: {parallelism}, template: {template}}}\n---\n"
    )
}

fn sized(resources: &str) -> String {
    format!("containers: [{{name: c, resources: {{{resources}}}}}]")
}

#[test]
fn pods_beyond_a_quota_stay_outside_of_the_scheduler() {
    let quota = quota("requests.cpu: '2', pods: 5", "");
    let text = format!("{quota}{}", job("j", 4, "{cpu: 1}"));
    assert_eq!(pods(&text).len(), 2);
    let words = "ResourceQuota default/q rejects 2 pods, so the scheduler does not get them, for example default/j-2: \
        requests.cpu would be 3, and the quota allows 2";
    assert!(notices(&text).contains(words), "{}", notices(&text));
    let many = format!("{quota}{}", job("j", 7, "{cpu: 100m}"));
    assert!(notices(&many).contains("rejects 2 pods") && notices(&many).contains("pods would be 6"));
}

#[test]
fn requests_and_limits_are_counted_separately() {
    for (hard, resources, why) in [
        ("limits.cpu: 3", "limits: {cpu: 2}", "limits.cpu would be 4, and the quota allows 3"),
        ("limits.cpu: 3", "requests: {cpu: 1}, limits: {cpu: 1}", ""),
        (
            "limits.memory: 3Gi",
            "requests: {memory: 1Gi}, limits: {memory: 2Gi}",
            "limits.memory would be 4Gi, and the quota allows 3Gi",
        ),
        ("requests.memory: 3Gi", "requests: {memory: 1Gi}, limits: {memory: 2Gi}", ""),
        ("memory: 3Gi", "limits: {memory: 2Gi}", "memory would be 4Gi, and the quota allows 3Gi"),
        ("cpu: 1", "requests: {cpu: 600m}", "cpu would be 1200m, and the quota allows 1"),
        (
            "requests.nvidia.com/gpu: 1",
            "limits: {nvidia.com/gpu: 1}",
            "requests.nvidia.com/gpu would be 2, and the quota allows 1",
        ),
        (
            "requests.ephemeral-storage: 1Gi",
            "requests: {ephemeral-storage: 1Gi}",
            "requests.ephemeral-storage would be 2Gi, and the quota allows 1Gi",
        ),
        ("count/pods: 1", "", "count/pods would be 2, and the quota allows 1"),
        // CPU and memory must be set; other resources need not.
        ("limits.cpu: 3", "requests: {cpu: 1}", "container c has no cpu limit, which limits.cpu requires"),
        ("requests.memory: 3Gi", "", "container c has no memory request, which requests.memory requires"),
        ("requests.nvidia.com/gpu: 0", "", ""),
        ("requests.storage: 1Gi, services: 0, count/secrets: 0", "limits: {cpu: 2}", ""),
    ] {
        let (one, two) = (pod("a", &sized(resources)), pod("b", &sized(resources)));
        let reported = notices(&format!("{}{one}{two}", quota(hard, "")));
        let found = reported.lines().find(|line| line.contains("ResourceQuota")).unwrap_or_default();
        assert!(found.ends_with(why) && found.is_empty() == why.is_empty(), "{hard} {resources}: {reported}");
    }
    let defaults = "kind: LimitRange\nmetadata: {name: l, namespace: default}\nspec: {limits: [{type: Container, default: {cpu: 1}}]}\n---\n";
    let both = format!("{}{defaults}{}", quota("limits.cpu: 1", ""), pod("a", &sized("")));
    assert_eq!(pods(&both).len(), 1, "the default limit counts");
}

#[test]
fn scopes_select_the_pods_that_count() {
    let with = |more: &str| format!("{}, {more}", sized("requests: {cpu: 1}"));
    let plain = sized("");
    for (scopes, counted, other) in [
        ("scopes: [BestEffort]", plain.clone(), sized("limits: {memory: 1Gi}")),
        ("scopes: [NotBestEffort]", sized("requests: {cpu: 1}"), plain.clone()),
        ("scopes: [Terminating]", with("activeDeadlineSeconds: 60"), plain.clone()),
        ("scopes: [NotTerminating]", plain.clone(), with("activeDeadlineSeconds: 60")),
        ("scopes: [Terminating, BestEffort]", format!("{plain}, activeDeadlineSeconds: 60"), plain.clone()),
        ("scopes: [PriorityClass]", with("priorityClassName: high"), plain.clone()),
        (
            "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}",
            with("priorityClassName: high"),
            with("priorityClassName: low"),
        ),
        (
            "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: NotIn, values: [high]}]}",
            with("priorityClassName: low"),
            with("priorityClassName: high"),
        ),
        (
            "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: DoesNotExist}]}",
            plain.clone(),
            with("priorityClassName: high"),
        ),
    ] {
        let quota = quota("pods: 0", &format!(", {scopes}"));
        let names = pods(&format!("{quota}{}{}", pod("counted", &counted), pod("other", &other)));
        assert!(names.len() == 1 && names[0].starts_with("default/other "), "{scopes}: {names:?}");
    }
    let unknown = quota("pods: 0", ", scopes: [CrossNamespacePodAffinity]");
    let reported = notices(&format!("{unknown}{}", pod("p", &plain)));
    assert!(
        reported.contains(
            "ResourceQuota default/q has the scope CrossNamespacePodAffinity (Exists), which is not evaluated"
        ),
        "{reported}"
    );
}

#[test]
fn completed_pods_count_only_as_objects() {
    let done = "kind: Pod\nmetadata: {name: done}\nspec: {containers: [{name: c}]}\nstatus: {phase: Succeeded}\n---\n";
    let next = pod("next", &sized(""));
    assert_eq!(pods(&format!("{}{done}{next}", quota("pods: 1", ""))).len(), 2);
    assert_eq!(pods(&format!("{}{done}{next}", quota("count/pods: 1", ""))).len(), 1);
}

#[test]
fn objects_beyond_a_count_create_no_pods() {
    let jobs = format!("{}{}", job("a", 2, "{cpu: 1}"), job("b", 2, "{cpu: 1}"));
    let text = format!("{}{jobs}", quota("count/jobs.batch: 1", ""));
    assert_eq!(pods(&text).len(), 2);
    let words = "ResourceQuota default/q rejects 2 pods, so the scheduler does not get them, for example Job default/b: \
        count/jobs.batch would be 2, and the quota allows 1";
    assert!(notices(&text).contains(words), "{}", notices(&text));
    assert_eq!(pods(&format!("{}{jobs}", quota("count/jobs.batch: 2", ""))).len(), 4);
    assert_eq!(pods(&format!("{}{jobs}", quota("count/cronjobs.batch: 0", ""))).len(), 4);
    let deployment = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: w}}\nspec: {{template: {}}}\n",
        template("{}")
    );
    assert_eq!(pods(&format!("{}{deployment}", quota("count/replicasets.apps: 0", ""))).len(), 0);
}

#[test]
fn an_invalid_quantity_is_an_error_at_its_line() {
    let text = "kind: ResourceQuota\nmetadata: {name: q}\nspec:\n  hard:\n    pods: 1\n    limits.cpu: lots\n";
    assert!(
        faults(text).starts_with("0.yaml:6: ResourceQuota q: spec.hard.limits.cpu: \"lots\" is not"),
        "{}",
        faults(text)
    );
}

use std::time::Duration;

use serde_json::{Value, json};

use super::observe::until;
use super::{Stage, acting, has};

const KINDS: [(&str, &str, &str, &str); 2] = [
    ("sparkoperator.k8s.io", "v1beta2", "SparkApplication", "sparkapplications"),
    ("ray.io", "v1", "RayCluster", "rayclusters"),
];

fn definition((group, version, kind, plural): (&str, &str, &str, &str)) -> Value {
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": open, "status": open}}});
    let names =
        json!({"plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List")});
    let version = json!({"name": version, "served": true, "storage": true, "schema": schema});
    // Required for groups under k8s.io; the value is from the Spark operator.
    let approved = json!({"api-approved.kubernetes.io": "https://github.com/kubeflow/spark-operator/pull/1298"});
    json!({"metadata": {"name": format!("{plural}.{group}"), "annotations": approved},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}})
}

/// The definitions, once, and the rights on their objects.
pub fn define(stage: &Stage) {
    if stage.kubectl(&["get", "crd", "-o", "name"]).contains(KINDS[0].3) {
        return;
    }
    let all = KINDS.map(|kind| json!(["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(kind)]));
    stage.command(&json!({"make": all}));
    let resources = KINDS.map(|(group, _, _, plural)| format!("{plural}.{group}"));
    for name in &resources {
        stage.kubectl(&["wait", "--for=condition=Established", "--timeout=30s", &format!("crd/{name}")]);
    }
    let resources = format!("--resource={}", resources.join(","));
    stage.kubectl(&["create", "clusterrole", "operated", "--verb=get,patch", &resources]);
    stage.kubectl(&["create", "clusterrolebinding", "operated", "--clusterrole=operated", "--group=kornsole-admin"]);
}

pub fn owners(stage: &Stage) {
    define(stage);
    for (group, version, kind, plural) in KINDS {
        let (name, app) = (format!("my-{plural}"), format!("{}-1", kind.to_lowercase()));
        let path = format!("/apis/{group}/{version}/namespaces/team-a/{plural}");
        let object = json!({"apiVersion": format!("{group}/{version}"), "kind": kind, "metadata": {"name": name}, "spec": {"size": 2}});
        stage.command(&json!({"owned": {"path": path, "object": object, "app": app, "pod": format!("{app}-driver")}}));
        let read = || stage.read("team-a", &format!("{plural}.{group}"), &name);
        let mut driver = acting::console(stage, "admin", &stage.kubeconfig);
        driver.keys("2").unwrap();
        until(&mut driver, &[&app]);
        driver.keys(&format!(":app {app}<ret>")).unwrap();
        until(&mut driver, &[&format!("{app}-driver"), " of revision "]);
        driver.keys("K").unwrap();
        until(
            &mut driver,
            &[&format!("Kill {app}?"), "Deletes 1 pod: 1 in team-a", &format!("{kind} team-a/{name} (1 pod)")],
        );
        driver.keys("<esc>:suspend-owners<ret>").unwrap();
        until(&mut driver, &[&format!("{kind} team-a/{name}: spec.suspend becomes true")]);
        assert_eq!(read()["spec"], json!({"size": 2}), "a question changes nothing");
        driver.advance(Duration::from_secs(1)).keys("y").unwrap();
        until(&mut driver, &[&format!("{app}: suspended: {kind} team-a/{name}; :unsuspend undoes it")]);
        assert_eq!(read()["spec"], json!({"size": 2, "suspend": true}), "and nothing else is written");
        driver.keys(":unsuspend<ret>").unwrap();
        until(&mut driver, &[&format!("Resume the owners of {app}?")]);
        driver.advance(Duration::from_secs(1)).keys("y").unwrap();
        until(&mut driver, &[&format!("{app}: running again: {kind} team-a/{name}")]);
        stage.saw(&driver.screen_text());
        let killed = stage.run(&["kill", &app, "--yes", "-v", "--suspend-owners", "--server", "k8s://admin"]);
        has(&(killed.1 + &killed.2), &[&format!("{kind} team-a/{name} is suspended first"), "deletion started"]);
        assert_eq!((killed.0, read()["spec"]["suspend"].as_bool()), (0, Some(true)));
        assert!(!stage.read("team-a", "pods", &format!("{app}-driver"))["metadata"]["deletionTimestamp"].is_null());
    }
}

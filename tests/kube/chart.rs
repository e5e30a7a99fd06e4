//! The Helm chart, rendered with kubectl, because the templates use only Go's own functions.

use serde_json::{Value, json};

use super::Stage;

const CHART: &str = "packaging/helm/kornsole";
const RELEASE: &str = "tools";

fn values(stage: &Stage) -> Value {
    let text = std::fs::read_to_string(format!("{CHART}/values.yaml")).unwrap();
    let object = stage.file(
        "values.yaml",
        &format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: values}}\nvalues:\n{}",
            text.lines().map(|line| format!("  {line}\n")).collect::<String>()
        ),
    );
    let read = stage.kubectl(&["create", "--dry-run=client", "--validate=false", "-o", "json", "-f", &object]);
    let mut values = serde_json::from_str::<Value>(&read).unwrap()["values"].take();
    for part in ["watch", "shadow", "schedule"] {
        assert!(values[part]["enabled"].is_boolean(), "{part}");
        values[part]["enabled"] = json!(true);
    }
    values
}

fn rendered(stage: &Stage, name: &str, values: &Value) -> String {
    let data = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "data"}, "Values": values, "Release": {"Namespace": RELEASE}});
    let (data, template) = (stage.file("data.json", &data.to_string()), format!("{CHART}/templates/{name}"));
    let template = format!("go-template-file={template}");
    let text = stage.kubectl(&["create", "--dry-run=client", "--validate=false", "-f", &data, "-o", &template]);
    assert!(!text.contains("<no value>"), "{name} uses a value that the chart does not have: {text}");
    text
}

fn objects(stage: &Stage, text: &str) -> Vec<Value> {
    let file = stage.file("objects.yaml", text);
    let read = stage.kubectl(&["create", "--dry-run=client", "-o", "json", "-f", &file]);
    serde_json::Deserializer::from_str(&read).into_iter::<Value>().map(Result::unwrap).flat_map(each).collect()
}

fn each(object: Value) -> Vec<Value> {
    match object["items"].as_array() {
        Some(items) => items.clone(),
        None => vec![object],
    }
}

fn rules(objects: &[Value], kind: &str) -> Vec<Value> {
    objects.iter().filter(|object| object["kind"] == kind).map(|object| object["rules"].clone()).collect()
}

pub fn applied(stage: &Stage) {
    stage.command(&json!({"make": [["/api/v1/namespaces", {"metadata": {"name": RELEASE}}, "may fail"]]}));
    let values = values(stage);
    for (name, role, account) in [
        ("watch.yaml", "viewer", "kornsole-watch"),
        ("shadow.yaml", "shadow", "kornsole-shadow"),
        ("scheduler.yaml", "scheduler", "kornsole-scheduler"),
    ] {
        let text = rendered(stage, name, &values);
        let namespace = if role == "scheduler" { RELEASE } else { "yunikorn" };
        let printed = stage.works(&["kube", "manifests", "--role", role, "--namespace", namespace]);
        let (chart, printed) = (objects(stage, &text), objects(stage, &printed));
        for kind in ["Role", "ClusterRole"] {
            let of_chart = rules(&chart, kind);
            assert!(!of_chart.is_empty(), "{name}: {kind}");
            assert_eq!(of_chart, rules(&printed, kind), "{name}: the rights of {role}");
        }
        stage.kubectl(&["apply", "-f", &stage.file(name, &text)]);
        let deployment = stage.read(RELEASE, "deployment", account);
        let pod = &deployment["spec"]["template"]["spec"];
        assert_eq!((&pod["serviceAccountName"], &pod["containers"][0]["image"]), (&json!(account), &values["image"]));
        starts(stage, &pod["containers"][0]["args"]);
        let may = |what: &[&str]| stage.may(&format!("system:serviceaccount:{RELEASE}:{account}"), what);
        super::schedule::until("the role is known", || may(&["list", "nodes"]));
        let decides = role == "scheduler";
        assert_eq!(may(&["create", "pods/binding", "-A"]), decides, "{name}");
        assert_eq!((may(&["delete", "pods", "-A"]), may(&["get", "secrets", "-A"])), (decides, false), "{name}");
        let patch = ["patch", "configmap/yunikorn-configs", "-n", "yunikorn"];
        assert!(!may(&patch), "{name}");
    }
    let mut off = values;
    for (name, part) in [("watch.yaml", "watch"), ("shadow.yaml", "shadow"), ("scheduler.yaml", "schedule")] {
        off[part]["enabled"] = json!(false);
        assert_eq!(rendered(stage, name, &off).trim(), "", "{name} is off");
    }
    // The namespace of the scheduler follows its Deployment, which passes it on.
    let text = stage.works(&["kube", "manifests", "--role", "scheduler", "--namespace", "elsewhere"]);
    assert!(text.contains("{name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}"), "{text}");
}

fn starts(stage: &Stage, arguments: &Value) {
    let arguments: Vec<&str> = arguments.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let (code, _, err) = stage.run(&[&arguments[..], &["--help"]].concat());
    assert_eq!(code, 0, "{arguments:?}: {err}");
}

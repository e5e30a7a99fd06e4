//! The Helm chart, rendered with kubectl, because the templates use only Go's own functions.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;

use serde_json::{Value, json};

use super::Stage;
use super::schedule::PATIENCE;

const CHART: &str = "packaging/helm/kornsole";
const RELEASE: &str = "tools";
const MOST_LINES: usize = 20;

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
        let arguments = words(&pod["containers"][0]["args"]);
        starts(stage, &arguments);
        let may = |what: &[&str]| stage.may(&format!("system:serviceaccount:{RELEASE}:{account}"), what);
        super::schedule::until("the role is known", || may(&["list", "nodes"]));
        let decides = role == "scheduler";
        assert_eq!(may(&["create", "pods/binding", "-A"]), decides, "{name}");
        assert_eq!((may(&["delete", "pods", "-A"]), may(&["get", "secrets", "-A"])), (decides, false), "{name}");
        let patch = ["patch", "configmap/yunikorn-configs", "-n", "yunikorn"];
        assert!(!may(&patch), "{name}");
        // The API server proxies to no loopback address.
        if role == "viewer" && stage.proxy {
            connects(stage, account, &arguments);
        }
    }
    let mut off = values;
    for (name, part) in [("watch.yaml", "watch"), ("shadow.yaml", "shadow"), ("scheduler.yaml", "schedule")] {
        off[part]["enabled"] = json!(false);
        assert_eq!(rendered(stage, name, &off).trim(), "", "{name} is off");
    }
    let text = stage.works(&["kube", "manifests", "--role", "scheduler", "--namespace", "elsewhere"]);
    assert!(text.contains("{name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}"), "{text}");
}

fn words(arguments: &Value) -> Vec<&str> {
    arguments.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

fn starts(stage: &Stage, arguments: &[&str]) {
    let (code, _, err) = stage.run(&[arguments, &["--help"]].concat());
    assert_eq!(code, 0, "{arguments:?}: {err}");
}

/// Runs with the rights of a service account of the chart until it is connected.
fn connects(stage: &Stage, account: &str, arguments: &[&str]) {
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&stage.kubeconfig).unwrap()).unwrap();
    config["current-context"] = json!("root");
    let mut users = config["users"].as_array_mut().unwrap().iter_mut();
    let root = users.find(|user| user["name"] == "root").unwrap();
    root["user"]["as"] = json!(format!("system:serviceaccount:{RELEASE}:{account}"));
    let (kubeconfig, state) = (stage.file("as-account", &config.to_string()), stage.dir.join("of-the-chart"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(arguments)
        .envs([("XDG_STATE_HOME", &state), ("XDG_CONFIG_HOME", &state)])
        .env("KUBECONFIG", kubeconfig)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stderr.take().unwrap()).lines();
    let (sender, lines) = channel();
    std::thread::spawn(move || output.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut seen = String::new();
    let connected = std::iter::from_fn(|| lines.recv_timeout(PATIENCE).ok()).take(MOST_LINES).any(|line| {
        seen += &line;
        line.ends_with("by proxy: connected")
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(connected, "{arguments:?}: {seen}");
}

//! Nodes, queues, and pods.

use std::ops::Range;

use cluster::kube::Content;
use http::Method;
use serde_json::{Value, json};

use super::api::{Api, Request};
use super::kubelets::Kubelets;

const LEAVES: usize = 10;
const OF_APP: usize = 100;

fn post(path: &str, body: Value) -> Request {
    (Method::POST, path.to_owned(), Content::Object, body)
}

fn node(number: usize) -> String {
    format!("node-{number:04}")
}

/// Creates namespaces, the configuration, and nodes.
pub fn make(api: &Api, nodes: usize) {
    let namespaces = ["bench", "load"];
    api.all(namespaces.into_iter().map(|name| post("/api/v1/namespaces", json!({"metadata": {"name": name}}))));
    let mut queues = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [".to_owned();
    (0..LEAVES).for_each(|leaf| queues += &format!("{{name: leaf-{leaf}}}, "));
    queues += "]}]}]\n";
    let map = json!({"metadata": {"name": "yunikorn-configs"}, "data": {"queues.yaml": queues}});
    api.all(std::iter::once(post("/api/v1/namespaces/bench/configmaps", map)));
    // A console searches for it even if the address is given.
    let service = json!({"metadata": {"name": "yunikorn-service"}, "spec": {"ports": [{"port": 9080}]}});
    api.all(std::iter::once(post("/api/v1/namespaces/bench/services", service)));
    api.all((0..nodes).map(|number| post("/api/v1/nodes", json!({"metadata": {"name": node(number)}}))));
    api.all((0..nodes).map(|number| {
        let amounts = json!({"cpu": "64", "memory": "256Gi", "pods": "250"});
        let status = json!({"status": {"allocatable": amounts, "capacity": amounts}});
        (Method::PATCH, format!("/api/v1/nodes/{}/status", node(number)), Content::MergePatch, status)
    }));
    // The API server taints a new node as not ready.
    api.all((0..nodes).map(|number| {
        let open = json!({"spec": {"taints": null}});
        (Method::PATCH, format!("/api/v1/nodes/{}", node(number)), Content::MergePatch, open)
    }));
}

fn pod(name: &str, number: usize, scheduler: &str) -> Value {
    let (app, leaf) = (number / OF_APP, number / OF_APP % LEAVES);
    json!({
        "metadata": {"name": name, "labels": {"applicationId": format!("app-{app}"), "queue": format!("root.leaf-{leaf}")}},
        "spec": {
            "schedulerName": scheduler,
            "containers": [{"name": "main", "image": "x", "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}}}],
        },
    })
}

const PODS: &str = "/api/v1/namespaces/load/pods";

/// Creates pods without a node.
pub fn make_pods(api: &Api, numbers: Range<usize>, scheduler: &'static str) {
    api.all(numbers.map(move |number| post(PODS, pod(&format!("pod-{number:05}"), number, scheduler))));
}

/// Creates running pods.
pub fn make_running(api: &Api, count: usize, nodes: usize) {
    api.all((0..count).map(move |number| {
        let mut pod = pod(&format!("old-{number:05}"), number, "kornsole");
        pod["spec"]["nodeName"] = json!(node(number % nodes));
        post(PODS, pod)
    }));
}

/// Binds pods without a node to the nodes in turn.
pub fn bind_blindly(api: &Api, kubelets: &Kubelets, nodes: usize) {
    api.all(kubelets.pods(|bound| !bound).into_iter().enumerate().map(move |(number, path)| {
        let target = json!({"apiVersion": "v1", "kind": "Node", "name": node(number % nodes)});
        let name = path.rsplit('/').next().unwrap_or_default();
        let body = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target});
        post(&format!("{path}/binding"), body)
    }));
}

/// Deletes all pods, without a grace period.
pub fn delete_pods(api: &Api, kubelets: &Kubelets) {
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0});
    let one = move |path| (Method::DELETE, path, Content::Object, options.clone());
    api.all(kubelets.pods(|_| true).into_iter().map(one));
}

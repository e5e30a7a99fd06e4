//! Failures of a real API server, and errors in a kubeconfig.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use client::Target;
use cluster::kube::{Cluster, Known, Via, Wanted};
use console::{Driver, Options};
use serde_json::{Value, json};
use source::Remote;
use source::remote::RemoteOptions;
use std::sync::Arc;

use super::fake_api::{FakeApi, Reply};
use super::observe::until;
use super::{Stage, has, raise};

fn apply(stage: &Stage, file: &str, more: &[&str]) -> (i32, String, String) {
    let arguments = [&["apply", file, "--server", "k8s://admin"], more].concat();
    stage.run(&arguments)
}

pub fn of_helm(stage: &Stage) {
    let note = |value: &str| {
        stage.kubectl(&[
            "-n",
            "yunikorn",
            "annotate",
            "configmap",
            "yunikorn-configs",
            &format!("meta.helm.sh/release-name{value}"),
        ]);
    };
    note("=yk");
    let new = stage.changed("new.yaml", raise);
    let (code, out, err) = apply(stage, &new, &["--dry-run"]);
    note("-");
    assert_eq!(code, 0, "{err}");
    has(&(out + &err), &["the ConfigMap belongs to Helm release yk", "its next sync or upgrade reverts a change here"]);
}

pub fn too_large(stage: &Stage) {
    let before = stage.config_map();
    let new = stage.changed("large.yaml", |text| raise(text) + &"# a long comment\n".repeat(70_000));
    let (code, _, err) = apply(stage, &new, &["--yes"]);
    assert_ne!(code, 0);
    has(&err, &["yunikorn-configs would have", "a ConfigMap has at most 1048576"]);
    assert_eq!(stage.config_map(), before);
}

pub fn absent(stage: &Stage) {
    let before = stage.config_map();
    let new = stage.changed("new.yaml", raise);
    stage.kubectl(&["-n", "yunikorn", "delete", "configmap", "yunikorn-configs"]);
    let (code, out, err) = apply(stage, &new, &["--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    let made = stage.config_map();
    let text = std::fs::read_to_string(&new).unwrap();
    assert_eq!(made["data"], json!({"queues.yaml": text}), "nothing but the key is in it");
    stage.replace_map(before);
}

pub fn several(stage: &Stage) {
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "yunikorn-service", "namespace": "team-a"},
        "spec": {"ports": [{"name": "yunikorn-core", "port": 9080}]}});
    let file = stage.dir.join("service.json");
    std::fs::write(&file, service.to_string()).unwrap();
    stage.kubectl(&["create", "-f", &file.display().to_string()]);
    let why = stage.fails(&["queues", "--server", "k8s://root"]);
    stage.kubectl(&["-n", "team-a", "delete", "service", "yunikorn-service"]);
    has(
        &why,
        &["found 2 schedulers", "team-a/yunikorn-service", "yunikorn/yunikorn-service", "use k8s://CONTEXT/NAMESPACE"],
    );
}

pub fn exec_plugin(stage: &Stage) {
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&stage.kubeconfig).unwrap()).unwrap();
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "interactiveMode": "Never",
        "args": ["-c", "echo the ticket has expired >&2; exit 3"]});
    config["users"] = json!([{"name": "admin", "user": {"exec": exec}}]);
    let file = stage.dir.join("exec.json").display().to_string();
    std::fs::write(&file, config.to_string()).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(["queues", "--server", "k8s://admin"])
        .env("KUBECONFIG", &file)
        .env("XDG_CONFIG_HOME", &stage.dir)
        .output()
        .unwrap();
    assert!(!output.status.success());
    has(&String::from_utf8(output.stderr).unwrap(), &["the credential plugin", "the ticket has expired"]);
}

/// A console over a real port-forward.
pub fn console(stage: &Stage, via: Via) -> Driver {
    console_by(&stage.kubeconfig, via)
}

pub fn console_by(kubeconfig: &str, via: Via) -> Driver {
    let known = Known::of(&[kubeconfig.into()]).unwrap();
    let context = known.context(Some("root")).unwrap();
    let wanted = Wanted { namespace: Some("yunikorn".to_owned()), via: Some(via), ..Wanted::default() };
    let target = Target::of_cluster(Arc::new(Cluster::new(known, context, wanted))).unwrap();
    let options = RemoteOptions { every: Duration::from_millis(200), ..RemoteOptions::default() };
    let remote = Arc::new(Remote::start(&target, options).unwrap());
    Driver::new(remote as Arc<_>, Options::default(), 160, 50)
}

pub fn followed(stage: &Stage) {
    let mut driver = console(stage, Via::PortForward);
    until(&mut driver, &["tenant-a", "etl"]);
    driver.keys("2").unwrap();
    until(&mut driver, &["job-1"]);
    driver.keys(":app job-1<ret>i").unwrap();
    until(&mut driver, &["2 Pending"]);
    let waits = json!({"status": {"phase": "Running", "containerStatuses": [{"name": "main", "image": "x", "imageID": "", "ready": false, "restartCount": 4,
        "lastState": {}, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s"}}}]}});
    stage.patch_status("/api/v1/namespaces/team-a/pods/job-1-driver", &waits);
    until(&mut driver, &["1 CrashLoopBackOff, 1 Pending; 4 restarts", "back-off 40s"]);
    driver.keys("3").unwrap();
    until(&mut driver, &["node-a"]);
    stage.kubectl(&["cordon", "node-a"]);
    until(&mut driver, &["cordoned"]);
    stage.kubectl(&["uncordon", "node-a"]);
    stage.patch_status(
        "/api/v1/namespaces/team-a/pods/job-1-driver",
        &json!({"status": {"phase": "Running", "containerStatuses": []}}),
    );
}

pub fn replaced(stage: &Stage) {
    let mut driver = console(stage, Via::PortForward);
    until(&mut driver, &["tenant-a", "etl"]);
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "yunikorn-scheduler-2", "namespace": "yunikorn",
        "labels": {"app": "yunikorn", "component": "yunikorn-scheduler"}}, "spec": {"nodeName": "n1", "containers": [{"name": "yunikorn-scheduler-k8s", "image": "x"}]}});
    let file = stage.dir.join("pod.json");
    std::fs::write(&file, pod.to_string()).unwrap();
    stage.kubectl(&["create", "-f", &file.display().to_string()]);
    let ready = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    stage.patch_status("/api/v1/namespaces/yunikorn/pods/yunikorn-scheduler-2", &ready);
    stage.kubectl(&["-n", "yunikorn", "delete", "pod", "yunikorn-scheduler-1", "--force", "--grace-period=0"]);
    stage.kubelet_cuts();
    let started_at = std::time::Instant::now();
    while started_at.elapsed() < Duration::from_secs(4) {
        driver.advance(Duration::from_millis(500)).refresh();
        std::thread::sleep(Duration::from_millis(50));
    }
    until(&mut driver, &["tenant-a", "etl", " REMOTE "]);
    let text = driver.screen_text();
    assert!(!text.contains("no answer"), "{text}");
}

#[test]
fn the_identity_comes_from_a_self_subject_review_if_available() {
    let fake_api = FakeApi::new(|call| match call.path.as_str() {
        "/apis/authentication.k8s.io/v1/selfsubjectreviews" => {
            assert_eq!(call.method, "POST");
            Reply::json(
                &json!({"status": {"userInfo": {"username": "ann", "groups": ["dev", "system:authenticated"]}}}),
            )
        }
        path => Reply::refusal(404, path),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cluster = fake_api.cluster();
    let who = runtime.block_on(cluster.who()).unwrap();
    assert_eq!((who.user.as_str(), who.groups.len()), ("ann", 2));
}

#[test]
fn pods_of_an_application_are_found_by_each_label_also_those_of_another_scheduler() {
    let fake_api = FakeApi::new(|call| {
        let pod = |name: &str, label: &str, app: &str, scheduler: &str| json!({"metadata": {"name": name, "namespace": "ns", "uid": name, "labels": {label: app}}, "spec": {"schedulerName": scheduler}});
        let items = match call.path.as_str() {
            path if path.contains("app-id%3Detl") => vec![pod("new", "yunikorn.apache.org/app-id", "etl", "yunikorn")],
            path if path.contains("applicationId%3Detl") => {
                vec![pod("old", "applicationId", "etl", "yunikorn"), pod("own", "applicationId", "etl", "kornsole")]
            }
            path => {
                assert!(path.contains("spark-app-selector%3Detl"), "{path}");
                Vec::new()
            }
        };
        Reply::json(&json!({"metadata": {"resourceVersion": "5"}, "items": items}))
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let found = runtime.block_on(fake_api.cluster().pods_of("etl", &BTreeSet::new())).unwrap();
    let mut names: Vec<&str> = found.iter().map(|pod| &*pod.name).collect();
    names.sort_unstable();
    assert_eq!((names, fake_api.asked()), (vec!["new", "old", "own"], 3));
}

#[test]
fn a_right_to_kill_is_asked_for_all_namespaces_and_then_for_each() {
    let fake_api = FakeApi::new(|call| {
        let review: Value = serde_json::from_str(&call.body).unwrap();
        let asked = &review["spec"]["resourceAttributes"];
        assert_eq!((&asked["verb"], &asked["resource"]), (&json!("delete"), &json!("pods")));
        Reply {
            status: 201,
            ..Reply::json(
                &json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {},
            "spec": review["spec"], "status": {"allowed": asked["namespace"] == "team-a"}}),
            )
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cluster = fake_api.cluster();
    let namespaces = ["team-a".to_owned(), "team-b".to_owned()];
    assert!(!runtime.block_on(cluster.review_namespaces(&namespaces)), "before all are asked for, none is");
    assert!(!runtime.block_on(cluster.may(&Cluster::killing(None))).unwrap());
    assert!(runtime.block_on(cluster.review_namespaces(&namespaces)));
    let may = |namespace| cluster.is_allowed(&Cluster::killing(Some(namespace)));
    assert_eq!((may("team-a"), may("team-b")), (Some(true), Some(false)));
    let asked = fake_api.asked();
    assert!(!runtime.block_on(cluster.review_namespaces(&namespaces)), "each is asked for once");
    assert_eq!(fake_api.asked(), asked);
}

/// An exec plugin prints a token from a file for each use.
fn by_token_in_a_file(stage: &Stage) -> (String, std::path::PathBuf) {
    let file = stage.dir.join("token");
    let credential = r#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"expirationTimestamp":"%s","token":"%s"}}"#;
    let script = format!(
        "printf '{credential}' \"$(date -u -d '+1 second' +%Y-%m-%dT%H:%M:%SZ)\" \"$(cat {})\"",
        file.display()
    );
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "interactiveMode": "Never", "args": ["-c", script]});
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&stage.kubeconfig).unwrap()).unwrap();
    config["users"] = json!([{"name": "root", "user": {"exec": exec}}]);
    let kubeconfig = stage.dir.join("token.json").display().to_string();
    std::fs::write(&kubeconfig, config.to_string()).unwrap();
    (kubeconfig, file)
}

pub fn token_expires(stage: &Stage) {
    let (kubeconfig, file) = by_token_in_a_file(stage);
    let token = stage.token("root");
    std::fs::write(&file, &token).unwrap();
    let mut driver = super::acting::console(stage, "root", &kubeconfig);
    std::fs::write(&file, "expired").unwrap();
    let rejected =
        |driver: &Driver| driver.screen_text().contains("401: the API server does not accept the credentials");
    let start = Instant::now();
    while !rejected(&driver) {
        assert!(start.elapsed() < Duration::from_secs(60), "not rejected:\n{}", driver.screen_text());
        // Connections outlive their token, also one that opens shortly before its end.
        stage.kubelet_cuts();
        for _ in 0..20 {
            driver.advance(Duration::from_millis(100)).refresh();
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    assert!(driver.screen_text().contains("tenant-a"), "the last data stays");
    stage.saw(&driver.screen_text());
    std::fs::write(&file, &token).unwrap();
    until_live(&mut driver);
}

fn until_live(driver: &mut console::Driver) {
    for _ in 0..600 {
        driver.advance(Duration::from_millis(50)).refresh();
        std::thread::sleep(Duration::from_millis(50));
        let text = driver.screen_text();
        let header = text.lines().next().unwrap_or_default();
        if header.contains("ms ") && !header.contains(" OLD ") && !header.contains("CONNECTING") {
            return;
        }
    }
    panic!("it is not attached again: {}", driver.screen_text());
}

pub fn server_gone(stage: &Stage) {
    let mut driver = super::acting::console(stage, "admin", &stage.kubeconfig);
    stage.command(&json!({"stop": true}));
    until(&mut driver, &[" OLD ", "tenant-a"]);
    // The screen is stale, so no operation may use it.
    driver.keys(":queue root.tenants.tenant-a.adhoc<ret>cm").unwrap();
    until(&mut driver, &["the connection is lost"]);
    assert!(!driver.screen_text().contains("set maximum"), "{}", driver.screen_text());
    stage.command(&json!({"start": true}));
    until_live(&mut driver);
    driver.keys("cm").unwrap();
    until(&mut driver, &["set maximum"]);
}

pub fn no_secret(stage: &Stage) {
    let mut all = stage.outputs();
    let mut dirs = vec![stage.dir.join("kornsole")];
    let mut files = 0;
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                dirs.push(entry.path());
            } else {
                files += 1;
                all += &String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap());
            }
        }
    }
    assert!(files > 2 && all.len() > 20_000, "{files} files, {} bytes", all.len());
    for secret in &stage.hidden {
        assert!(!all.contains(secret.as_str()), "{secret} was shown");
    }
}

/// The real API server of these tests stores no `spec.suspend` of a Job.
fn job(version: &str, uid: &str, suspend: Option<bool>) -> Value {
    let owners =
        json!([{"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "c", "controller": true}]);
    json!({"metadata": {"name": "etl", "namespace": "ns", "uid": uid, "resourceVersion": version, "ownerReferences": owners},
        "spec": {"suspend": suspend, "template": {}}})
}

const JOB: &str = "/apis/batch/v1/namespaces/ns/jobs/etl";

fn owner() -> view::kubernetes::OwnerName {
    let text = |text: &str| Arc::from(text);
    view::kubernetes::OwnerName { kind: text("Job"), version: text("batch/v1"), name: text("etl") }
}

#[test]
fn a_job_is_suspended_onto_the_version_that_was_read_also_while_its_status_changes() {
    let version = std::sync::atomic::AtomicUsize::new(4);
    let fake_api = FakeApi::new(move |call| match (call.method.as_str(), call.path.split('?').next().unwrap()) {
        ("GET", JOB) => {
            let now = version.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Reply::json(&job(&now.to_string(), "u", None))
        }
        ("PATCH", JOB) => {
            let body: Value = serde_json::from_str(&call.body).unwrap();
            assert_eq!(body["spec"], json!({"suspend": true}));
            match body["metadata"]["resourceVersion"].as_str() {
                Some("5") => Reply::refusal(409, "the object has been modified"),
                Some("6") => Reply::json(&job("7", "u", Some(true))),
                other => panic!("{other:?}"),
            }
        }
        ("GET", "/apis/batch/v1/namespaces/ns/cronjobs/nightly") => Reply::refusal(403, "forbidden"),
        (method, path) => panic!("{method} {path}"),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cluster = fake_api.cluster();
    let (owners, unknown) = runtime.block_on(cluster.owners_from("ns", &owner()));
    let words: Vec<String> = owners.iter().map(|owner| owner.words()).collect();
    assert_eq!(words, ["Job ns/etl", "CronJob ns/nightly"]);
    assert_eq!((owners[0].suspended, owners[1].suspended), (Some(false), None));
    assert_eq!(unknown.unwrap(), "RBAC of the API server: needs get on cronjobs in ns");
    runtime.block_on(cluster.suspend(&owners[0], true)).unwrap();
}

#[test]
fn another_job_of_the_same_name_is_left_alone() {
    let fake_api = FakeApi::new(|call| {
        assert_eq!(call.method, "GET", "nothing is written");
        Reply::json(&job("9", "another", None))
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let read = view::kubernetes::OwnerObject {
        namespace: Arc::from("ns"),
        name: owner(),
        uid: Arc::from("u"),
        suspended: Some(false),
    };
    let why = runtime.block_on(fake_api.cluster().suspend(&read, true)).unwrap_err();
    assert_eq!(why.to_string(), "another Job now has that name");
}

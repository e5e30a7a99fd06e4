//! kornsole against a real Kubernetes API server, as an administrator uses it: the program itself, a kubeconfig, and kubectl reading back.
//!
//! `KUBEBUILDER_ASSETS` names a folder with etcd, kube-apiserver and kubectl (`scripts/kube-assets` makes one); without it nothing of this
//! is tried, and that is said. `stage.py` starts them, with a recorded YuniKorn and a kubelet as stand-ins. The API server is a 1.20: it has no
//! SelfSubjectReview, so who one is comes from a token review.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

mod failures;
mod follow;
mod looks;
mod schedule;
mod stand_in;

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// What is tried, and how.
type Scenario = (&'static str, fn(&Stage));

/// Everything that is tried, one after the other on one cluster.
const SCENARIOS: [Scenario; 26] = [
    ("a scheduler is found and looked at by port-forward", by_port_forward),
    ("where port-forward is refused, the service proxy is taken", by_proxy),
    ("a refusal names the user, the verb and the rule that is missing", nothing_allowed),
    ("a context or a namespace that is not there is named", not_there),
    ("a configuration is written to its key alone, and back", configure),
    ("a configuration is refused by RBAC, by adminacl and by the scheduler, each by name", refused),
    ("an empty or a truncated configuration is not written", truncated),
    ("a configuration that was changed meanwhile is not overwritten", changed_meanwhile),
    ("the printed roles allow what they say, and no more", roles),
    ("a move is refused with what to do instead", not_offered),
    ("a node that is cordoned in Kubernetes is not shown as open", cordoned),
    ("a ConfigMap of Helm says so before it is written", failures::of_helm),
    ("a configuration that no ConfigMap holds is not written", failures::too_large),
    ("a ConfigMap that is not there is made with the one key", failures::absent),
    ("several schedulers are listed", failures::several),
    ("of an exec plugin that fails its words are shown", failures::exec_plugin),
    ("pods and nodes are followed", failures::followed),
    ("the pod of the scheduler is replaced, and the console is attached again", failures::replaced),
    ("a kill deletes the pods of an application by their UIDs", kill),
    ("thirty pods in two queues with a maximum are bound, and describe says why the rest waits", schedule::thirty_pods),
    ("a gang comes together by placeholders, which give way", schedule::gang),
    ("a pod makes room for one of a queue with a guarantee", schedule::preemption),
    ("a configuration in the ConfigMap is taken while it runs, a bad one is not", schedule::reload),
    ("of two schedulers one binds; killed, the other one does, and nothing is lost", schedule::two),
    ("the API server is restarted under the scheduler", schedule::restarted),
    ("bad annotations get their words and stop nothing", schedule::bad_input),
];

#[test]
fn a_real_api_server() {
    let Some(assets) = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from) else {
        for (name, _) in SCENARIOS {
            say(&format!("left out, KUBEBUILDER_ASSETS names no folder: {name}"));
        }
        return;
    };
    let stage = Stage::start(&assets);
    for (name, scenario) in SCENARIOS {
        say(name);
        scenario(&stage);
    }
}

/// Onto the terminal, also of a test that passes.
fn say(line: &str) {
    std::io::stderr().lock().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// A cluster. Dropping it ends all of its processes.
struct Stage {
    child: Child,
    ends: RefCell<(Option<ChildStdin>, BufReader<ChildStdout>)>,
    folder: PathBuf,
    kubeconfig: String,
    proxy: bool,
    kubectl: PathBuf,
}

impl Stage {
    fn start(assets: &Path) -> Self {
        let folder = std::env::temp_dir().join(format!("kornsole-kube-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut child = Command::new("python3")
            .args([Path::new("tests/kube/stage.py"), &folder, assets])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("tests/kube needs python3 and openssl");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("no stage: {error}, see above"));
        let ends = RefCell::new((child.stdin.take(), stdout));
        let kubeconfig = ready["kubeconfig"].as_str().unwrap().to_owned();
        Self { child, ends, folder, kubeconfig, proxy: ready["proxy"] == true, kubectl: assets.join("kubectl") }
    }

    /// Runs kornsole. Gives its exit code, what it printed, and what it reported.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_kornsole"))
            .args(arguments)
            .env("KUBECONFIG", &self.kubeconfig)
            .env("XDG_CONFIG_HOME", &self.folder)
            .env("XDG_STATE_HOME", &self.folder)
            .env_remove("KORNSOLE_TOKEN")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    fn works(&self, arguments: &[&str]) -> String {
        let (code, out, err) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {err}{out}");
        out
    }

    fn fails(&self, arguments: &[&str]) -> String {
        let (code, out, err) = self.run(arguments);
        assert_ne!(code, 0, "{arguments:?}: {out}");
        err
    }

    fn kubectl(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.kubectl)
            .args(["--kubeconfig", &self.kubeconfig, "--context", "root"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Whether a member of the group of a role may do something.
    fn can(&self, role: &str, what: &[&str]) -> bool {
        let output = Command::new(&self.kubectl)
            .args(["--kubeconfig", &self.kubeconfig, "--context", "root", "auth", "can-i"])
            .args(what)
            .args(["--as", "zoe", "--as-group", &format!("only-{role}")])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim() == "yes"
    }

    /// Writes the status of an object, as a kubelet does.
    fn patch_status(&self, path: &str, body: &Value) {
        self.command(&json!({"patch": format!("{path}/status"), "body": body}));
    }

    /// Ends all port-forwards that stand.
    fn kubelet_cuts(&self) {
        self.command(&json!({"cut": true}));
    }

    /// Has `stage.py` do something, and waits until it is done.
    fn command(&self, command: &Value) {
        let mut ends = self.ends.borrow_mut();
        let (stdin, stdout) = &mut *ends;
        writeln!(stdin.as_mut().unwrap(), "{command}").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "done", "{command}");
    }

    fn config_map(&self) -> Value {
        serde_json::from_str(&self.kubectl(&["-n", "yunikorn", "get", "configmap", "yunikorn-configs", "-o", "json"]))
            .unwrap()
    }

    /// A file with the configuration in the map, changed.
    fn changed(&self, name: &str, change: impl FnOnce(&str) -> String) -> String {
        let map = self.config_map();
        let text = change(map["data"]["queues.yaml"].as_str().unwrap());
        let file = self.folder.join(name);
        std::fs::write(&file, text).unwrap();
        file.display().to_string()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // The stage ends with its input.
        drop(self.ends.borrow_mut().0.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

fn by_port_forward(stage: &Stage) {
    let who = stage.works(&["whoami", "--server", "k8s://eve"]);
    has(&who, &["eve", "admins", "YuniKorn 1.8", "by port-forward to the pod of yunikorn/yunikorn-service"]);
    has(&stage.works(&["queues", "--server", "k8s://eve"]), &["tenant-a", "etl"]);
    // The current context, and the namespace by name.
    has(&stage.works(&["queues", "--server", "k8s:///yunikorn"]), &["tenant-a", "etl"]);
    let app = stage.works(&["app", "job-1", "--server", "k8s://eve/yunikorn"]);
    has(&app, &["team-a/job-1-driver", "team-a/job-1-worker"]);
}

fn by_proxy(stage: &Stage) {
    if !stage.proxy {
        say("left out: this machine has no address but loopback, to which the API server proxies nothing");
        return;
    }
    let who = stage.works(&["whoami", "--server", "k8s://viewer/yunikorn"]);
    has(
        &who,
        &[
            "viewer",
            "by the service proxy to yunikorn/yunikorn-service, because port-forward: 403",
            "may not list pods",
        ],
    );
    has(&stage.works(&["queues", "--server", "k8s://viewer/yunikorn", "--via", "proxy"]), &["tenant-a", "etl"]);
}

fn nothing_allowed(stage: &Stage) {
    let why = stage.fails(&["queues", "--server", "k8s://nobody/yunikorn", "--via", "proxy"]);
    has(&why, &["403: user nobody may not get services/proxy yunikorn-service:yunikorn-core in namespace yunikorn"]);
    has(
        &why,
        &[
            "a Role in yunikorn",
            "resources: [services/proxy], resourceNames: [\"yunikorn-service:yunikorn-core\"], verbs: [get]",
        ],
    );
    let why = stage.fails(&["queues", "--server", "k8s://nobody"]);
    has(&why, &["no Service yunikorn-service in namespace yunikorn, default", "user nobody may not list services"]);
}

fn not_there(stage: &Stage) {
    has(&stage.fails(&["queues", "--server", "k8s://prod"]), &["no context \"prod\"", "admin, bob, eve"]);
    has(
        &stage.fails(&["queues", "--server", "k8s://root/elsewhere"]),
        &["no Service yunikorn-service in namespace elsewhere"],
    );
}

/// Raises a maximum in the recorded configuration.
fn raise(text: &str) -> String {
    assert!(text.contains("memory: 40G"), "{text}");
    text.replacen("memory: 40G", "memory: 41G", 1)
}

fn configure(stage: &Stage) {
    let before = stage.config_map();
    let old = stage.changed("old.yaml", str::to_owned);
    let new = stage.changed("new.yaml", raise);
    let would = stage.works(&["apply", &new, "--server", "k8s://admin", "--dry-run"]);
    has(&would, &["would be in force, 1 change"]);
    assert_eq!(stage.config_map()["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);
    let done = stage.works(&["apply", &new, "--server", "k8s://admin", "--yes", "--reason", "more room"]);
    has(&done, &["is in force, 1 change", "the scheduler has it in force after"]);
    let after = stage.config_map();
    assert_eq!(after["data"]["queues.yaml"].as_str().unwrap(), std::fs::read_to_string(&new).unwrap());
    assert_eq!(after["data"]["log.level"], before["data"]["log.level"]);
    assert_eq!(after["metadata"]["labels"], before["metadata"]["labels"]);
    assert_eq!(after["metadata"]["annotations"]["kornsole/changed-by"], "admin");
    assert_eq!(after["metadata"]["annotations"]["kornsole/reason"], "more room");
    stage.works(&["apply", &old, "--server", "k8s://admin", "--yes"]);
    assert_eq!(stage.config_map()["data"], before["data"]);
}

fn refused(stage: &Stage) {
    let before = stage.config_map();
    let new = stage.changed("new.yaml", raise);
    let apply = |context: &str| stage.fails(&["apply", &new, "--server", context, "--yes"]);
    has(
        &apply("k8s://eve"),
        &["403: user eve may not patch configmaps yunikorn-configs in namespace yunikorn", "verbs: [patch]"],
    );
    has(&apply("k8s://bob"), &["bob may not change the configuration like that", "needs admin access on root"]);
    let bad = stage.changed("bad.yaml", |text| format!("{}# refuse-me\n", raise(text)));
    has(
        &stage.fails(&["apply", &bad, "--server", "k8s://admin", "--yes"]),
        &["the scheduler does not take", "the stand-in refuses it"],
    );
    let broken = stage.changed("broken.yaml", |text| text.replacen("40G", "many", 1));
    has(&stage.fails(&["apply", &broken, "--server", "k8s://admin", "--yes"]), &["broken.yaml:", "error"]);
    assert_eq!(stage.config_map(), before);
    // With enforce-acl = false RBAC alone decides.
    let settings = stage.folder.join("own.toml");
    std::fs::write(&settings, "[contexts.mine]\nurl = \"k8s://bob\"\nenforce-acl = false\n").unwrap();
    let settings = settings.display().to_string();
    stage.works(&["apply", &new, "--server", "mine", "--settings", &settings, "--yes", "--dry-run"]);
}

fn truncated(stage: &Stage) {
    let before = stage.config_map();
    let empty = stage.changed("empty.yaml", |_| String::new());
    has(&stage.fails(&["apply", &empty, "--server", "k8s://admin", "--yes"]), &["--allow-empty"]);
    let root = "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n";
    let root = stage.changed("root.yaml", |_| root.to_owned());
    has(&stage.fails(&["apply", &root, "--server", "k8s://admin", "--yes"]), &["--allow-removal"]);
    assert_eq!(stage.config_map(), before);
}

fn changed_meanwhile(stage: &Stage) {
    let before = stage.config_map();
    let new = stage.changed("new.yaml", raise);
    let why = stage.fails(&["apply", &new, "--server", "k8s://admin", "--yes", "--base", "0123"]);
    has(&why, &["changed meanwhile"]);
    assert_eq!(stage.config_map(), before);
}

fn roles(stage: &Stage) {
    for role in ["viewer", "operator", "admin"] {
        let group = format!("only-{role}");
        let file = stage.folder.join(format!("{role}.yaml")).display().to_string();
        std::fs::write(&file, stage.works(&["kube", "manifests", "--role", role, "--group", &group])).unwrap();
        stage.kubectl(&["apply", "-f", &file]);
        // The API server takes a moment to know a new role.
        let known = (0..50).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            stage.can(role, &["list", "nodes"])
        });
        assert!(known, "{role} may not list nodes");
        assert!(stage.can(role, &["get", "configmap/yunikorn-configs", "-n", "yunikorn"]), "{role}");
        assert_eq!(stage.can(role, &["list", "pods", "-A"]), role != "viewer", "{role}");
        assert_eq!(stage.can(role, &["delete", "pods", "-A"]), role != "viewer", "{role}");
        assert_eq!(stage.can(role, &["patch", "nodes"]), role != "viewer", "{role}");
        let map = ["patch", "configmap/yunikorn-configs", "-n", "yunikorn"];
        assert_eq!(stage.can(role, &map), role == "admin", "{role}");
        let others = ["patch", "configmap/others", "-n", "yunikorn"];
        assert_eq!((stage.can(role, &["get", "secrets", "-A"]), stage.can(role, &others)), (false, false), "{role}");
    }
}

fn not_offered(stage: &Stage) {
    let why = stage.fails(&["move", "job-1", "--to", "root.tenants.tenant-a.adhoc", "--server", "k8s://admin"]);
    has(&why, &["cannot move job-1", "yunikorn.apache.org/queue"]);
}

fn cordoned(stage: &Stage) {
    let nodes = || stage.works(&["nodes", "--server", "k8s://admin"]);
    let line = |of: &str| nodes().lines().find(|line| line.starts_with(of)).unwrap().to_owned();
    has(&line("node-a"), &["schedulable"]);
    stage.kubectl(&["cordon", "node-a"]);
    has(&line("node-a"), &["cordoned"]);
    stage.kubectl(&["uncordon", "node-a"]);
    has(&line("node-a"), &["schedulable"]);
}

fn kill(stage: &Stage) {
    has(
        &stage.fails(&["kill", "job-1", "--server", "k8s://bob"]),
        &["bob may not kill job-1", "root.tenants.tenant-a.etl"],
    );
    has(&stage.fails(&["kill", "job-1", "--server", "k8s://eve"]), &["403: user eve may not delete pods job-1-driver"]);
    let done = stage.works(&["kill", "job-1", "--server", "k8s://admin"]);
    has(&done, &["1 allocations released"]);
    let deleted = |name: &str| {
        let pod: Value =
            serde_json::from_str(&stage.kubectl(&["-n", "team-a", "get", "pod", name, "-o", "json"])).unwrap();
        !pod["metadata"]["deletionTimestamp"].is_null()
    };
    assert!(deleted("job-1-driver"));
    let audit = std::fs::read_to_string(stage.folder.join("kornsole/admin/audit.jsonl")).unwrap();
    let last: Value = serde_json::from_str(audit.lines().last().unwrap()).unwrap();
    assert_eq!((&last["user"], &last["action"], &last["object"]), (&"admin".into(), &"kill".into(), &"job-1".into()));
    assert_eq!(last["outcome"], "done");
    // Another pod has that name by now.
    assert!(!deleted("job-1-worker"));
}

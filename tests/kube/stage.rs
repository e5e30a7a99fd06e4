//! A cluster on loopback, the program, and kubectl.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A cluster. All of its processes are stopped on drop.
pub struct Stage {
    child: Child,
    ends: RefCell<(Option<ChildStdin>, BufReader<ChildStdout>)>,
    pub dir: PathBuf,
    pub kubeconfig: String,
    pub proxy: bool,
    kubectl: PathBuf,
    /// Port of a proxy to the API server that can hold bindings back.
    through: u64,
    /// Port of the scheduler itself, on loopback.
    pub core: u64,
    /// Secrets that no output may contain.
    pub hidden: Vec<String>,
    outputs: RefCell<String>,
}

impl Stage {
    pub fn start(assets: &Path) -> Self {
        let dir = std::env::temp_dir().join(format!("kornsole-kube-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let mut child = Command::new("python3")
            .args([Path::new("tests/kube/stage.py"), &dir, assets])
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
        let hidden = serde_json::from_value(ready["hidden"].clone()).unwrap();
        let (proxy, kubectl) = (ready["proxy"] == true, assets.join("kubectl"));
        let (through, outputs) = (ready["through"].as_u64().unwrap(), RefCell::default());
        let core = ready["core"].as_u64().unwrap();
        Self { child, ends, dir, kubeconfig, proxy, kubectl, through, core, hidden, outputs }
    }

    /// Records output, to search it for secrets.
    pub fn saw(&self, text: &str) {
        self.outputs.borrow_mut().push_str(text);
    }

    pub fn outputs(&self) -> String {
        self.outputs.borrow().clone()
    }

    /// The token of a user in the kubeconfig.
    pub fn token(&self, user: &str) -> String {
        let config: Value = serde_json::from_str(&std::fs::read_to_string(&self.kubeconfig).unwrap()).unwrap();
        let users = config["users"].as_array().unwrap();
        users.iter().find(|one| one["name"] == user).unwrap()["user"]["token"].as_str().unwrap().to_owned()
    }

    /// A kubeconfig for the proxy that can hold bindings back.
    pub fn through(&self) -> String {
        let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&self.kubeconfig).unwrap()).unwrap();
        config["clusters"][0]["cluster"] = json!({"server": format!("http://127.0.0.1:{}", self.through)});
        self.file("through", &config.to_string())
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let file = self.dir.join(name);
        std::fs::write(&file, text).unwrap();
        file.display().to_string()
    }

    /// Reads an object with kubectl.
    pub fn read(&self, namespace: &str, kind: &str, name: &str) -> Value {
        serde_json::from_str(&self.kubectl(&["-n", namespace, "get", kind, name, "-o", "json"])).unwrap()
    }

    /// Changes the ConfigMap with kubectl.
    pub fn patch_map(&self, change: &Value) {
        let change = change.to_string();
        self.kubectl(&["-n", "yunikorn", "patch", "configmap", "yunikorn-configs", "--type=merge", "-p", &change]);
    }

    /// Recreates the ConfigMap.
    pub fn replace_map(&self, mut map: Value) {
        map["metadata"] =
            json!({"name": "yunikorn-configs", "namespace": "yunikorn", "labels": map["metadata"]["labels"]});
        let file = self.file("before.json", &map.to_string());
        self.kubectl(&["-n", "yunikorn", "delete", "configmap", "yunikorn-configs"]);
        self.kubectl(&["create", "-f", &file]);
    }

    /// Waits until a text is active in the scheduler.
    pub fn in_force(&self, text: &str) {
        let sum = config::checksum(text.as_bytes());
        self.command(&json!({"until": sum}));
    }

    /// Runs kornsole and returns the exit code, stdout, and stderr.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_kornsole"))
            .args(arguments)
            .env("KUBECONFIG", &self.kubeconfig)
            .env("XDG_CONFIG_HOME", &self.dir)
            .env("XDG_STATE_HOME", &self.dir)
            .env_remove("KORNSOLE_TOKEN")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.saw(&(text(&output.stdout) + &text(&output.stderr)));
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    /// Plays a tape as the user of a context.
    pub fn plays(&self, context: &str, tape: &str) {
        let tape = format!("recordings/kubernetes/{tape}.tape");
        self.works(&["play", "--server", &format!("k8s://{context}"), &tape]);
    }

    pub fn works(&self, arguments: &[&str]) -> String {
        let (code, out, err) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {err}{out}");
        out
    }

    pub fn fails(&self, arguments: &[&str]) -> String {
        let (code, out, err) = self.run(arguments);
        assert_ne!(code, 0, "{arguments:?}: {out}");
        err
    }

    pub fn kubectl_program(&self) -> &Path {
        &self.kubectl
    }

    pub fn kubectl(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.kubectl)
            .args(["--kubeconfig", &self.kubeconfig, "--context", "root"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns whether a member of a role's group has a right.
    pub fn can(&self, role: &str, what: &[&str]) -> bool {
        self.may_as(&["--as", "zoe", "--as-group", &format!("only-{role}")], what)
    }

    /// Returns whether a user has a right.
    pub fn may(&self, user: &str, what: &[&str]) -> bool {
        self.may_as(&["--as", user], what)
    }

    fn may_as(&self, who: &[&str], what: &[&str]) -> bool {
        let output = Command::new(&self.kubectl)
            .args(["--kubeconfig", &self.kubeconfig, "--context", "root", "auth", "can-i"])
            .args(what)
            .args(who)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim() == "yes"
    }

    /// Writes the status of an object in place of a kubelet.
    pub fn patch_status(&self, path: &str, body: &Value) {
        self.command(&json!({"patch": format!("{path}/status"), "body": body}));
    }

    /// Closes all open port-forwards.
    pub fn kubelet_cuts(&self) {
        self.command(&json!({"cut": true}));
    }

    /// Sends a command to `stage.py` and waits until it is done.
    pub fn command(&self, command: &Value) {
        let mut ends = self.ends.borrow_mut();
        let (stdin, stdout) = &mut *ends;
        writeln!(stdin.as_mut().unwrap(), "{command}").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "done", "{command}");
    }

    /// The number of requests through the proxy so far.
    pub fn requests(&self) -> u64 {
        let file = self.dir.join("requests");
        self.command(&json!({"requests": file}));
        std::fs::read_to_string(file).unwrap().parse().unwrap()
    }

    pub fn config_map(&self) -> Value {
        serde_json::from_str(&self.kubectl(&["-n", "yunikorn", "get", "configmap", "yunikorn-configs", "-o", "json"]))
            .unwrap()
    }

    /// A file with a changed copy of the configuration in the map.
    pub fn changed(&self, name: &str, change: impl FnOnce(&str) -> String) -> String {
        let map = self.config_map();
        self.file(name, &change(map["data"]["queues.yaml"].as_str().unwrap()))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // The stage stops when its input is closed.
        drop(self.ends.borrow_mut().0.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

//! Failures of a real cluster for consoles and commands; for a scheduler see `chaos.rs`.

use std::process::Command;
use std::time::{Duration, Instant};

use cluster::kube::Via;
use console::Driver;
use serde_json::{Value, json};

use super::observe::until;
use super::schedule::{PATIENCE, Scheduler, check, make, on_nodes, pod, pods, prepare};
use super::{Stage, failures, has, raise, schedule};

const OLD: &str = "OLD: the pods of Kubernetes";

fn second_console(stage: &Stage) -> Driver {
    attached_with(stage, &stage.kubeconfig)
}

fn attached_with(stage: &Stage, kubeconfig: &str) -> Driver {
    let mut driver = failures::console_by(kubeconfig, Via::read(&address(stage)).unwrap());
    until(&mut driver, &["tenant-a", "etl"]);
    driver.keys("2").unwrap();
    until(&mut driver, &["job-1"]);
    driver
}

fn address(stage: &Stage) -> String {
    format!("http://127.0.0.1:{}", stage.core)
}

fn old(driver: &mut Driver, is: bool) -> Duration {
    let started_at = Instant::now();
    while driver.screen_text().contains(OLD) != is {
        assert!(started_at.elapsed() < PATIENCE, "old is not {is}: {}", driver.screen_text());
        driver.advance(Duration::from_millis(250)).refresh();
        std::thread::sleep(Duration::from_millis(50));
    }
    started_at.elapsed()
}

fn restarts(stage: &Stage, count: usize) {
    let container = json!({"name": "main", "image": "x", "imageID": "", "ready": false, "restartCount": count, "lastState": {},
        "state": {"waiting": {"reason": "CrashLoopBackOff"}}});
    let status = json!({"status": {"phase": "Running", "containerStatuses": [container]}});
    stage.patch_status("/api/v1/namespaces/team-a/pods/job-1-driver", &status);
}

fn run_by(stage: &Stage, kubeconfig: &str, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    output_of(stage, command.args(arguments).env("KUBECONFIG", kubeconfig))
}

fn output_of(stage: &Stage, command: &mut Command) -> (i32, String) {
    let dirs = [("XDG_CONFIG_HOME", &stage.dir), ("XDG_STATE_HOME", &stage.dir)];
    let output = command.envs(dirs).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    stage.saw(&text);
    (output.status.code().unwrap(), text)
}

pub fn hangs(stage: &Stage) {
    let mut driver = second_console(stage);
    driver.keys(":app job-1<ret>i").unwrap();
    restarts(stage, 1);
    until(&mut driver, &["1 restart"]);
    stage.command(&json!({"freeze": 20}));
    let noticed = old(&mut driver, true);
    assert!(noticed < Duration::from_secs(10), "noticed after {noticed:?}");
    assert!(driver.screen_text().contains("1 restart"), "the last data stays: {}", driver.screen_text());
    old(&mut driver, false);
    restarts(stage, 7);
    until(&mut driver, &["7 restarts"]);
}

/// The kernel drops packets; no end is reported.
pub fn dropped(stage: &Stage) {
    let mut driver = attached_with(stage, &stage.through());
    driver.keys(":app job-1<ret>i").unwrap();
    restarts(stage, 1);
    until(&mut driver, &["1 restart"]);
    // New connections work, so only a deadline of each connection helps.
    stage.command(&json!({"drop": "open"}));
    let started_at = Instant::now();
    restarts(stage, 4);
    until(&mut driver, &["4 restarts"]);
    super::print_line(&format!(
        "packets of open connections are dropped: followed again after {:?}",
        started_at.elapsed()
    ));
    // 8 s, and 10 s more if the next request is also lost.
    assert!(started_at.elapsed() < Duration::from_secs(25), "{:?}", started_at.elapsed());
    old(&mut driver, false);
    stage.command(&json!({"drop": "all"}));
    let noticed = old(&mut driver, true);
    super::print_line(&format!("all packets are dropped: noticed after {noticed:?}"));
    assert!(noticed < Duration::from_secs(10), "noticed after {noticed:?}");
    assert!(driver.screen_text().contains("4 restarts"), "the last data stays: {}", driver.screen_text());
    restarts(stage, 6);
    stage.command(&json!({"drop": null}));
    let again = old(&mut driver, false);
    super::print_line(&format!("packets arrive again: followed again after {again:?}"));
    assert!(again < Duration::from_secs(25), "followed again after {again:?}");
    until(&mut driver, &["6 restarts"]);
}

pub fn dropped_of_a_scheduler(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::launch_by(stage, &stage.through(), &[]).ready();
    make(stage, &[pod("before", "a", "1")]);
    schedule::until("a pod is bound", || on_nodes(&pods(stage)) == 1);
    stage.command(&json!({"drop": "open"}));
    let started_at = Instant::now();
    make(stage, &[pod("p0", "a", "1"), pod("p1", "a", "1")]);
    schedule::until("both are bound", || on_nodes(&pods(stage)) == 3);
    super::print_line(&format!(
        "packets of a scheduler's connections are dropped: it binds after {:?}",
        started_at.elapsed()
    ));
    check(stage, &scheduler);
    scheduler.stop();
}

pub fn away(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let mut driver = second_console(stage);
    stage.command(&json!({"stop": true}));
    let noticed = old(&mut driver, true);
    assert!(noticed < Duration::from_secs(10), "noticed after {noticed:?}");
    std::thread::sleep(Duration::from_mins(1).saturating_sub(noticed));
    stage.command(&json!({"start": true}));
    let again = old(&mut driver, false);
    assert!(again < Duration::from_secs(10), "followed again after {again:?}");
    make(stage, &[pod("p0", "a", "1")]);
    schedule::until("the scheduler binds again", || on_nodes(&pods(stage)) == 1);
    check(stage, &scheduler);
    scheduler.stop();
}

pub fn certificate(stage: &Stage) {
    let mut driver = second_console(stage);
    stage.command(&json!({"certificate": "ca"}));
    old(&mut driver, false);
    driver.keys(":app job-1<ret>i").unwrap();
    restarts(stage, 3);
    until(&mut driver, &["3 restarts"]);
    // A certificate of an authority that is not in the kubeconfig.
    stage.command(&json!({"certificate": "other"}));
    let (code, reported) = run_by(stage, &stage.kubeconfig, &["queues", "--server", "k8s://admin"]);
    old(&mut driver, true);
    stage.command(&json!({"certificate": "ca"}));
    old(&mut driver, false);
    assert_eq!(code, 3, "{reported}");
    has(&reported, &["cannot reach the API server https://127.0.0.1:", "of context admin", "certificate"]);
}

pub fn token_in_a_write(stage: &Stage) {
    let deleted = || stage.read("team-a", "pods", "job-1-driver")["metadata"]["deletionTimestamp"].clone();
    let before = (stage.config_map(), deleted());
    let (new, via) = (stage.changed("new.yaml", raise), address(stage));
    let server = ["--server", "k8s://admin/yunikorn", "--via", &via, "--yes"];
    stage.command(&json!({"hold": "expire"}));
    let applied = run_by(stage, &stage.through(), &[&["apply", &new], &server[..]].concat());
    let killed = run_by(stage, &stage.through(), &[&["kill", "job-1"], &server[..]].concat());
    stage.command(&json!({"hold": null}));
    for (code, reported) in [applied, killed] {
        assert_eq!(code, 1, "{reported}");
        has(&reported, &["401: the API server does not accept the credentials of this context"]);
    }
    assert_eq!((stage.config_map(), deleted()), before);
}

/// The store is compacted meanwhile, so no watch can report the removal.
pub fn watch_expired(stage: &Stage) {
    stage.command(&json!({"make": [["/api/v1/namespaces/team-a/pods", {"metadata": {"name": "brief", "labels": {"applicationId": "job-1"}},
        "spec": {"schedulerName": "yunikorn", "nodeName": "n1", "containers": [{"name": "main", "image": "x"}]}}]]}));
    let mut driver = second_console(stage);
    driver.keys(":app job-1<ret>i").unwrap();
    until(&mut driver, &["brief"]);
    stage.command(&json!({"stop": true}));
    old(&mut driver, true);
    stage.command(&json!({"compact": "/registry/pods/team-a/brief"}));
    stage.command(&json!({"start": true}));
    old(&mut driver, false);
    let started_at = Instant::now();
    while driver.screen_text().contains("brief") {
        assert!(started_at.elapsed() < PATIENCE, "it is still shown: {}", driver.screen_text());
        driver.advance(Duration::from_millis(250)).refresh();
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub fn concurrent_write(stage: &Stage) {
    let before = stage.config_map();
    let text = before["data"]["queues.yaml"].as_str().unwrap();
    let (new, via) = (stage.changed("new.yaml", raise), address(stage));
    let apply = ["apply", &new, "--server", "k8s://admin/yunikorn", "--via", &via, "--yes"];
    // Immediately before the write, another user writes a label or the same key.
    let label = json!({"metadata": {"labels": {"rival": "yes"}}});
    for when in ["rival-dry", "rival"] {
        stage.command(&json!({"hold": when, "with": label}));
        let (code, reported) = run_by(stage, &stage.through(), &apply);
        assert_eq!(code, 0, "another key is not in the way: {reported}");
        assert_eq!(stage.config_map()["metadata"]["labels"]["rival"], "yes");
        stage.patch_map(&json!({"metadata": {"labels": {"rival": null}}, "data": {"queues.yaml": text}}));
        stage.in_force(text);
    }
    let remote = text.replacen("40G", "39G", 1);
    stage.command(&json!({"hold": "rival", "with": {"data": {"queues.yaml": remote}}}));
    let (code, reported) = run_by(stage, &stage.through(), &apply);
    assert_eq!(code, 1, "{reported}");
    has(&reported, &["the configuration has changed", "another user changed it: review it and repeat the change"]);
    assert_eq!(stage.config_map()["data"]["queues.yaml"], remote.as_str());
    stage.command(&json!({"hold": null}));
    stage.patch_map(&json!({"data": {"queues.yaml": text}}));
    stage.in_force(text);
}

pub fn terminating(stage: &Stage) {
    stage.command(&json!({"make": [["/api/v1/namespaces", {"metadata": {"name": "leaving"}}],
        ["/api/v1/namespaces/leaving/configmaps", {"metadata": {"name": "yunikorn-configs"}, "data": {}}]]}));
    stage.kubectl(&["-n", "leaving", "delete", "configmap", "yunikorn-configs"]);
    // Without controllers, the namespace stays in deletion.
    stage.kubectl(&["delete", "namespace", "leaving", "--wait=false"]);
    let (new, via) = (stage.changed("new.yaml", raise), address(stage));
    let why = stage.fails(&[
        "apply",
        &new,
        "--server",
        "k8s://root/leaving",
        "--via",
        &via,
        "--enforce-acl",
        "never",
        "--yes",
    ]);
    has(&why, &["the namespace is being deleted"]);
    assert!(!why.contains("would allow it"), "no rule would: {why}");
}

fn clock(stage: &Stage) -> String {
    let library = stage.dir.join("clock.so").display().to_string();
    let status = Command::new("cc").args(["-shared", "-fPIC", "-o", &library, "tests/kube/clock.c", "-ldl"]).status();
    assert!(status.unwrap().success());
    library
}

pub fn clock_off(stage: &Stage) {
    let library = clock(stage);
    let by = |seconds: &str, kubeconfig: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
        let env = [("KUBECONFIG", kubeconfig), ("LD_PRELOAD", &library), ("CLOCK_OFF", seconds)];
        output_of(stage, command.args(arguments).envs(env))
    };
    let via = address(stage);
    let queues = ["queues", "--server", "k8s://root/yunikorn", "--via", &via];
    let app = ["app", "job-1", "--server", "k8s://root/yunikorn", "--via", &via];
    for off in ["3600", "-3600"] {
        // Without TLS, because the certificates are valid from today.
        let (code, reported) = by(off, &stage.through(), &queues);
        assert_eq!(code, 0, "{off}: {reported}");
        let (code, reported) = by(off, &stage.through(), &app);
        assert_eq!(code, 0, "{off}: {reported}");
        has(&reported, &["job-1-driver"]);
    }
    let (code, reported) = by("-3600", &stage.kubeconfig, &["queues", "--server", "k8s://root"]);
    assert_eq!(code, 3, "{reported}");
    has(&reported, &["certificate not valid yet", "check the clock of this machine"]);
    leases(stage, &library);
}

/// Only the local clock decides when a lease has expired.
fn leases(stage: &Stage, library: &str) {
    prepare(stage);
    let first = Scheduler::start(stage);
    let env = [("LD_PRELOAD", library), ("CLOCK_OFF", "3600")];
    let second = Scheduler::launch_in(stage, &env, &[]);
    std::thread::sleep(Duration::from_secs(18));
    let holder = || stage.read("kornsole", "lease", "kornsole-scheduler")["spec"]["holderIdentity"].clone();
    let lease: Value = holder();
    make(stage, &[pod("p0", "a", "1")]);
    schedule::until("the leader binds", || on_nodes(&pods(stage)) == 1);
    assert_eq!(holder(), lease, "a standby an hour ahead takes no lease that is renewed");
    first.stop();
    let second = second.ready();
    make(stage, &[pod("p1", "a", "1")]);
    schedule::until("the next one binds", || on_nodes(&pods(stage)) == 2);
    check(stage, &second);
    second.stop();
}

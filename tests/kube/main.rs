//! kornsole with a real Kubernetes API server 1.20.
//!
//! `KUBEBUILDER_ASSETS` names a directory with etcd, kube-apiserver, and kubectl (created by `scripts/kube-assets`).
//! Without it, the tests print that they are skipped. `KORNSOLE_KUBE_ONLY` selects scenarios by parts of names, with `|`
//! between them. `stage.py` starts the servers, with stand-ins for a recorded YuniKorn and a kubelet.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

mod access;
mod acting;
mod bad_days;
mod cases;
mod chaos;
mod chart;
mod copied;
mod fail_over;
mod failures;
mod fake_api;
mod first_steps;
mod follow;
mod in_terminal;
mod kill_many;
mod observe;
mod operators;
mod pods;
mod renewed;
mod schedule;
mod seen;
mod shadow;
mod stage;
mod state_dir;
mod tapes;
mod twins;

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use serde_json::Value;
use stage::Stage;

type Scenario = (&'static str, fn(&Stage));

const SCENARIOS: [Scenario; 98] = [
    ("a scheduler is found and looked at by port-forward", by_port_forward),
    ("where port-forward is refused, the service proxy is taken", by_proxy),
    ("a refusal names the user, the verb and the rule that is missing", nothing_allowed),
    ("a context or a namespace that does not exist is named", unknown_context),
    ("a configuration is written to its key alone, and back", configure),
    ("a configuration is refused by RBAC, by adminacl and by the scheduler, each by name", refused),
    ("an empty or a truncated configuration is not written", truncated),
    ("a configuration that was changed meanwhile is not overwritten", changed_meanwhile),
    ("the printed roles allow what they say, and no more", roles),
    ("a move is refused with what to do instead", not_offered),
    ("a node that is cordoned in Kubernetes is not shown as open", cordoned),
    ("a ConfigMap of Helm says so before it is written", failures::of_helm),
    ("a configuration that no ConfigMap holds is not written", failures::too_large),
    ("a ConfigMap that does not exist is created with the one key", failures::absent),
    ("several schedulers are listed", failures::several),
    ("of an exec plugin that fails its words are shown", failures::exec_plugin),
    ("attach and look, in a terminal; the contexts say what they are", in_terminal::attach_and_look),
    ("the requests a minute of an attached console", in_terminal::requests_a_minute),
    ("pods and nodes are followed", failures::followed),
    ("the log, the YAML and the events of a pod are read", pods::for_real),
    ("the Helm chart is applied, with the rights of the printed roles", chart::applied),
    ("the pod of the scheduler is replaced, and the console is attached again", failures::replaced),
    ("the configuration page shows the text as the ConfigMap has it", acting::written),
    ("a configuration that is held compressed stays compressed", acting::compressed),
    ("a configuration that the scheduler refuses says its log, and the text before comes back", acting::not_taken),
    ("a setting that keeps the scheduler from reading is named before the write", acting::not_read),
    ("a ConfigMap that is immutable is not written", acting::immutable),
    ("this machine keeps an audit and a history, with rollback and events", acting::history),
    ("what RBAC or adminacl refuses is off, by its name", acting::dimmed),
    ("owners are named up to the topmost, suspended and run again", acting::owners),
    ("objects of operators own pods: named, suspended, run again, killed", operators::owners),
    ("owners are suspended before a kill, or nothing is killed", acting::suspended_first),
    ("tape: a maximum is raised in the form, seen in the ConfigMap, and brought back", tapes::raise),
    ("tape: who may look only is refused by RBAC", |stage| stage.plays("eve", "refused-viewer")),
    ("tape: an operator is refused by adminacl", |stage| stage.plays("bob", "refused-operator")),
    ("tape: an application is killed", tapes::kill),
    ("a token that expires is said so, and the last data stays", failures::token_expires),
    ("while the API server is gone the last data is called old, and nothing is done", failures::server_gone),
    ("of an API server that hangs it is said within 10 s that pods are not followed", bad_days::hangs),
    (
        "connections whose packets are dropped are noticed within 10 s, and the pods are followed again",
        bad_days::dropped,
    ),
    ("a certificate of the API server is renewed; one of another authority is not trusted", bad_days::certificate),
    ("a token that expires within a write leaves nothing written", bad_days::token_in_a_write),
    ("a watch that expired has the list read again", bad_days::watch_expired),
    (
        "a ConfigMap that another user writes between the read and the write is not overwritten",
        bad_days::concurrent_write,
    ),
    ("a namespace that is being deleted is named, and no rule that would not help", bad_days::terminating),
    ("kubectl finds the plugin", first_steps::plugin),
    ("a kill deletes the pods of an application by their UIDs", kill),
    ("without an adminacl RBAC alone decides, and says so", access::without_lists),
    ("a refusal by adminacl names the line that would allow it, and the option", access::remedy),
    ("whoami lists the rights at the API server and the access to each queue, with reasons", access::who),
    ("a dry run prints the tree of the changes and their effects", access::tree_and_effects),
    (
        "an apply shows what drains, which limits bind and who loses a guarantee before it asks",
        access::effects_before_the_question,
    ),
    ("an address of the scheduler needs no Service", access::no_service),
    ("a shadow agrees with a recorded scheduler, and names a planted decision that is not allowed", shadow::agrees),
    ("decisions within 10 ms whose order is unknown are no differences", shadow::burst),
    (
        "decisions within 10 ms are ordered by their times over REST, with the release that answers",
        shadow::burst_over_rest,
    ),
    ("the role of the shadow reads, and writes nothing", shadow::role),
    ("thirty pods in two queues with a maximum are bound, and describe says why the rest waits", schedule::thirty_pods),
    ("a gang comes together by placeholders, which give way", schedule::gang),
    ("a pod makes room for one of a queue with a guarantee", schedule::preemption),
    ("a configuration in the ConfigMap is taken while it runs, a bad one is not", schedule::reload),
    ("of two schedulers one binds; killed, the other one does, and nothing is lost", schedule::two),
    ("fail-over times", fail_over::times),
    ("a scheduler takes the lease of its own ended process at once", schedule::own_lease),
    (
        "a scheduler that is killed and begins again on its folder has the audit and the ledger once",
        state_dir::restarted,
    ),
    ("the API server is restarted under the scheduler", schedule::restarted),
    ("after an API server was away for a minute, a console and a scheduler continue", bad_days::away),
    ("the clock of the machine is off by an hour", bad_days::clock_off),
    ("a scheduler whose open connections are dropped binds again, and loses nothing", bad_days::dropped_of_a_scheduler),
    ("bad annotations get their words and stop nothing", schedule::bad_input),
    ("an API server that hangs loses nothing", chaos::hangs),
    ("a scheduler that is killed while bindings are under way loses nothing", chaos::killed),
    (
        "a scheduler that is killed between its decisions and their bindings forgets none and binds none twice",
        chaos::killed_between,
    ),
    ("pods that are deleted while they are bound leave nothing behind", chaos::deleted),
    ("pods that another one binds at the same time are counted once, where they are", chaos::bound_by_another),
    ("a lease that is taken away ends the scheduler, and nothing more is bound (K8S-254)", chaos::lease_lost),
    ("pods of a DaemonSet go to their nodes", chaos::daemon_set),
    ("probes say who decides and who stands by", chaos::probes),
    ("the id of an application: KT-01, KT-02, KT-03, KT-04, KT-05, KT-07", cases::applications),
    ("what a pod asks for: KT-09, KT-10, KT-16, KT-17", cases::resources),
    ("the user of a pod is believed where that is said: KT-23", cases::users),
    ("a pod is left as it is: KT-24", cases::untouched),
    ("foreign pods, and pods of a node that comes later: KT-06, KT-29, KT-30, KT-31", cases::foreign),
    ("selectors, taints and a cordoned node: KT-32, KT-33, KT-34", cases::filters),
    ("host ports: KT-35", cases::ports),
    ("a hard gang that does not come together fails: KT-19, KT-20, KT-21, KT-37", cases::hard),
    ("a soft gang that does not come together runs without: KT-38", cases::soft),
    ("after a restart the driver is the originator: KT-22", cases::originator),
    ("changes of the ConfigMap, good and bad: KT-25, KT-26, KT-27, KT-28", cases::maps),
    ("quotas of namespaces: KT-18", cases::namespaces),
    ("a pod whose queue is gone is in the recovery queue after a restart: KT-39", cases::recovered),
    ("a pod of a DaemonSet makes room where it has to go: KT-40", cases::preempted),
    ("a twin has the filters of the pods and nodes of the API server", twins::filters),
    ("a twin names the objects that may not be listed, and goes on", twins::not_listed),
    ("a twin of a what-if binds where the filters let a pod go", twins::what_if),
    ("pods of a SparkApplication, a RayCluster and a Job are explained and tried", twins::operated),
    ("the five commands of the guide, on a cluster without adminacl", first_steps::five_commands),
    ("no secret was shown, kept or logged", failures::no_secret),
];

#[test]
fn a_real_api_server() {
    let Some(assets) = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from) else {
        for (name, _) in SCENARIOS {
            print_line(&format!("left out, KUBEBUILDER_ASSETS names no folder: {name}"));
        }
        return;
    };
    let stage = Stage::start(&assets);
    let only = std::env::var("KORNSOLE_KUBE_ONLY").unwrap_or_default();
    let mut failed = Vec::new();
    for (name, scenario) in SCENARIOS.into_iter().filter(|(name, _)| only.split('|').any(|part| name.contains(part))) {
        print_line(name);
        // Later scenarios can depend on earlier ones.
        if catch_unwind(AssertUnwindSafe(|| scenario(&stage))).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{} scenarios failed: {failed:#?}", failed.len());
}

fn print_line(line: &str) {
    std::io::stderr().lock().write_all(format!("{line}\n").as_bytes()).unwrap();
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
    has(&stage.works(&["queues", "--server", "k8s:///yunikorn"]), &["tenant-a", "etl"]);
    let app = stage.works(&["app", "job-1", "--server", "k8s://eve/yunikorn"]);
    has(&app, &["team-a/job-1-driver", "team-a/job-1-worker"]);
}

fn by_proxy(stage: &Stage) {
    if !stage.proxy {
        print_line("left out: this machine has no address but loopback, to which the API server proxies nothing");
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
    has(
        &why,
        &["Service yunikorn-service not found in namespace yunikorn, default", "user nobody may not list services"],
    );
}

fn unknown_context(stage: &Stage) {
    for command in ["app", "explain", "kill"] {
        let arguments =
            [&[command, "nothere", "--server", "k8s://admin"][..], if command == "kill" { &["--yes"] } else { &[] }];
        has(&stage.fails(&arguments.concat()), &["nothere not found"]);
    }
    has(&stage.fails(&["queues", "--server", "k8s://prod"]), &["context \"prod\" not found", "admin, bob, eve"]);
    has(
        &stage.fails(&["queues", "--server", "k8s://root/elsewhere"]),
        &["Service yunikorn-service not found in namespace elsewhere"],
    );
}

fn raise(text: &str) -> String {
    assert!(text.contains("memory: 40G"), "{text}");
    text.replacen("memory: 40G", "memory: 41G", 1)
}

fn configure(stage: &Stage) {
    let before = stage.config_map();
    let old = stage.changed("old.yaml", str::to_owned);
    let new = stage.changed("new.yaml", raise);
    let would = stage.works(&["apply", &new, "--server", "k8s://admin", "--dry-run"]);
    has(&would, &["would be active, 1 change"]);
    assert_eq!(stage.config_map()["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);
    let done = stage.works(&["apply", &new, "--server", "k8s://admin", "--yes", "--reason", "more room"]);
    has(&done, &["is active, 1 change", "active in the scheduler after"]);
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
    has(&apply("k8s://bob"), &["bob may not change the configuration in this way", "needs admin access on root"]);
    let bad = stage.changed("bad.yaml", |text| format!("{}# refuse-me\n", raise(text)));
    has(
        &stage.fails(&["apply", &bad, "--server", "k8s://admin", "--yes"]),
        &["the scheduler rejects", "the stand-in refuses it"],
    );
    let broken = stage.changed("broken.yaml", |text| text.replacen("40G", "many", 1));
    has(&stage.fails(&["apply", &broken, "--server", "k8s://admin", "--yes"]), &["broken.yaml:", "error"]);
    assert_eq!(stage.config_map(), before);
    let settings = stage.dir.join("own.toml");
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
    has(&why, &["the configuration has changed"]);
    assert_eq!(stage.config_map(), before);
}

fn roles(stage: &Stage) {
    for role in ["viewer", "operator", "admin"] {
        let group = format!("only-{role}");
        let file = stage.dir.join(format!("{role}.yaml")).display().to_string();
        std::fs::write(&file, stage.works(&["kube", "manifests", "--role", role, "--group", &group])).unwrap();
        stage.kubectl(&["apply", "-f", &file]);
        // The API server needs a moment to apply a new role.
        let known = (0..50).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            stage.can(role, &["list", "nodes"])
        });
        assert!(known, "{role} may not list nodes");
        assert!(stage.can(role, &["get", "configmap/yunikorn-configs", "-n", "yunikorn"]), "{role}");
        assert_eq!(stage.can(role, &["list", "pods", "-A"]), role != "viewer", "{role}");
        assert_eq!(stage.can(role, &["delete", "pods", "-A"]), role != "viewer", "{role}");
        assert_eq!(stage.can(role, &["patch", "nodes"]), role != "viewer", "{role}");
        let reads = [["get", "pods/log"], ["list", "events.events.k8s.io"]];
        reads
            .iter()
            .for_each(|what| assert_eq!(stage.can(role, &[what[0], what[1], "-A"]), role != "viewer", "{role}"));
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
        &stage.fails(&["kill", "job-1", "--yes", "--server", "k8s://bob"]),
        &["bob may not kill job-1", "root.tenants.tenant-a.etl"],
    );
    has(
        &stage.fails(&["kill", "job-1", "--yes", "--server", "k8s://eve"]),
        &["403: user eve may not delete pods job-1-driver"],
    );
    has(&stage.fails(&["kill", "job-1", "--server", "k8s://admin"]), &["without a terminal; use --yes"]);
    let done = stage.works(&["kill", "job-1", "--yes", "-v", "--server", "k8s://admin"]);
    has(&done, &["1 allocation released, 0 requests canceled", "team-a/job-1-driver: deletion started"]);
    has(&done, &["team-a/job-1-worker: another pod now has its name and is not deleted"]);
    let audit = std::fs::read_to_string(stage.dir.join("kornsole/admin/audit.jsonl")).unwrap();
    let last: Value = serde_json::from_str(audit.lines().last().unwrap()).unwrap();
    assert_eq!((&last["user"], &last["action"], &last["object"]), (&"admin".into(), &"kill".into(), &"job-1".into()));
    let end = &last["after"]["pod team-a/job-1-driver"];
    assert_eq!((&last["allowed"], end), (&true.into(), &"deletion started".into()));
    let deleted = |name: &str| !stage.read("team-a", "pods", name)["metadata"]["deletionTimestamp"].is_null();
    assert!(deleted("job-1-driver"));
    // Another pod has this name now.
    assert!(!deleted("job-1-worker"));
}

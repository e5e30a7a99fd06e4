use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use client::Target;
use cluster::kube::{Cluster, Known, Via, Wanted};
use console::{Driver, Options};
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use source::Remote;
use source::remote::RemoteOptions;

use super::observe::until;
use super::{Stage, has, raise};

/// A console for a user over a real port-forward.
pub fn console(stage: &Stage, context: &str, kubeconfig: &str) -> Driver {
    let known = Known::of(&[kubeconfig.into()]).unwrap();
    let context = known.context(Some(context)).unwrap();
    let wanted = Wanted { namespace: Some("yunikorn".to_owned()), via: Some(Via::PortForward), ..Wanted::default() };
    let target = Target::of_cluster(Arc::new(Cluster::new(known, context, wanted))).unwrap();
    let options = RemoteOptions { every: Duration::from_millis(200), ..RemoteOptions::default() };
    let remote = Arc::new(Remote::start(&target, options).unwrap());
    let mut driver = Driver::new(remote as Arc<_>, Options::default(), 160, 50);
    until(&mut driver, &["tenant-a"]);
    stage.saw(&driver.screen_text());
    driver
}

fn apply<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["apply", file, "--server", "k8s://admin"], more].concat()
}

fn unpacked(map: &Value) -> String {
    let bytes: ByteString = serde_json::from_value(map["binaryData"]["queues.yaml.gz"].clone()).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*bytes.0).read_to_string(&mut text).unwrap();
    text
}

pub fn written(stage: &Stage) {
    let before = stage.config_map();
    let text = before["data"]["queues.yaml"].as_str().unwrap();
    let with_words = format!("# for the batch team\n{text}");
    stage.patch_map(&json!({"data": {"queues.yaml": with_words}}));
    stage.in_force(&with_words);
    let mut driver = console(stage, "admin", &stage.kubeconfig);
    driver.keys("6").unwrap();
    until(&mut driver, &["# for the batch team", "partitions:"]);
    stage.saw(&driver.screen_text());
    stage.patch_map(&json!({"data": {"queues.yaml": text}}));
    stage.in_force(text);
}

pub fn compressed(stage: &Stage) {
    let before = stage.config_map();
    let text = before["data"]["queues.yaml"].as_str().unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    let packed = serde_json::to_value(ByteString(packed.finish().unwrap())).unwrap();
    let change = json!({"data": {"queues.yaml": null}, "binaryData": {"queues.yaml.gz": packed}});
    stage.patch_map(&change);
    let new = stage.file("packed.yaml", &raise(text));
    let done = stage.works(&apply(&new, &["--yes"]));
    has(&done, &["it is written compressed, as queues.yaml.gz", "active in the scheduler after"]);
    let after = stage.config_map();
    assert_eq!(unpacked(&after), raise(text));
    assert_eq!(after["data"], json!({"log.level": "INFO"}), "nothing else is written");
    stage.patch_map(&json!({"data": {"queues.yaml": text}, "binaryData": null}));
    stage.in_force(text);
}

pub fn not_taken(stage: &Stage) {
    let before = stage.config_map();
    let text = before["data"]["queues.yaml"].as_str().unwrap();
    let bad = stage.file("not-taken.yaml", &format!("{}# not-taken\n", raise(text)));
    let why = stage.fails(&apply(&bad, &["--yes"]));
    has(&why, &["the ConfigMap is written, but another configuration is active"]);
    has(
        &why,
        &["the scheduler has rejected it; its log:", "reload configuration failed", "the stand-in does not take it"],
    );
    let number = why.split("the previous text is revision ").nth(1).unwrap();
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();
    // Until a rollback, nothing else overwrites the text that is not active.
    let other = stage.file("other.yaml", &text.replacen("40G", "42G", 1));
    has(
        &stage.fails(&apply(&other, &["--yes"])),
        &["is not the active configuration of the scheduler", "to restore the active text"],
    );
    let back = stage.works(&["config", "rollback", &number, "--server", "k8s://admin", "--yes"]);
    has(&back, &["the ConfigMap has another text, by admin, which is not active"]);
    assert_eq!(stage.config_map()["data"], before["data"]);
}

pub fn not_read(stage: &Stage) {
    let new = stage.changed("new.yaml", raise);
    stage.patch_map(&json!({"data": {"service.enableConfigHotRefresh": "false"}}));
    let would = stage.works(&apply(&new, &["--dry-run"]));
    stage.patch_map(&json!({"data": {"service.enableConfigHotRefresh": null, "service.schedulingInterval": "5x"}}));
    let bad = stage.works(&apply(&new, &["--dry-run"]));
    stage.patch_map(&json!({"data": {"service.schedulingInterval": null}}));
    has(&would, &["it cannot become active: service.enableConfigHotRefresh is false"]);
    has(&bad, &["service.schedulingInterval is \"5x\", expected a duration"]);
}

pub fn immutable(stage: &Stage) {
    let before = stage.config_map();
    let new = stage.changed("new.yaml", raise);
    stage.patch_map(&json!({"immutable": true}));
    has(&stage.fails(&apply(&new, &["--yes"])), &["yunikorn-configs is immutable: delete it and create it again"]);
    stage.replace_map(before);
}

pub fn history(stage: &Stage) {
    let before = stage.config_map();
    let server = ["--server", "k8s://admin"];
    let new = stage.changed("new.yaml", raise);
    stage.works(&apply(&new, &["--yes", "--reason", "for the audit"]));
    let listed = stage.works(&[&["config", "history", "--json"], &server[..]].concat());
    let revisions: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [.., old, last] = revisions.as_slice() else { panic!("{listed}") };
    assert_eq!(
        (&last["by"], &last["reason"], &last["current"]),
        (&json!("admin"), &json!("for the audit"), &json!(true))
    );
    let (old, number) = (old["revision"].to_string(), last["revision"].to_string());
    let text = stage.works(&[&["config", "show", &number], &server[..]].concat());
    assert_eq!(text, std::fs::read_to_string(&new).unwrap());
    has(&stage.works(&[&["config", "diff", &old, &number], &server[..]].concat()), &["memory"]);
    let other = before["data"]["queues.yaml"].as_str().unwrap().replacen("40G", "39G", 1);
    stage.patch_map(&json!({"data": {"queues.yaml": other}}));
    stage.in_force(&other);
    let listed = stage.works(&[&["config", "history", "--json"], &server[..]].concat());
    let last: Value = serde_json::from_str(listed.lines().last().unwrap()).unwrap();
    assert_eq!((&last["source"], &last["by"]), (&json!("seen"), &json!("kubectl-patch")));
    let done = stage.works(&[&["config", "rollback", &old, "--yes"], &server[..]].concat());
    has(&done, &["is active, 1 change"]);
    assert_eq!(stage.config_map()["data"], before["data"]);
    has(&stage.fails(&[&["config", "rollback", "999", "--yes"], &server[..]].concat()), &["revision 999 not found"]);
    let audit = stage.works(&[&["audit"], &server[..]].concat());
    has(&audit, &["for the audit", "rollback", "admin"]);
    let events = stage.kubectl(&["-n", "yunikorn", "get", "events", "-o", "json"]);
    let events: Value = serde_json::from_str(&events).unwrap();
    let of_map = |event: &&Value| event["involvedObject"]["name"] == "yunikorn-configs";
    let messages: Vec<&str> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(of_map)
        .filter_map(|event| event["message"].as_str())
        .collect();
    assert!(messages.iter().any(|message| message.contains("by admin: for the audit")), "{messages:?}");
}

pub fn owners(stage: &Stage) {
    let mut driver = console(stage, "admin", &stage.kubeconfig);
    driver.keys("2").unwrap();
    until(&mut driver, &["nightly-1", "hourly-1"]);
    // The dialog can appear before the pods are loaded.
    driver.keys(":app nightly-1<ret>").unwrap();
    until(&mut driver, &["nightly-1-x", " of revision "]);
    driver.keys("K").unwrap();
    until(
        &mut driver,
        &["Kill nightly-1?", "Deletes 1 pod: 1 in team-a", "Job team-a/nightly-1, of CronJob nightly (1 pod)"],
    );
    driver.keys("<esc>m").unwrap();
    until(&mut driver, &["YuniKorn places an application once"]);
    driver.keys(":app hourly-1<ret>:suspend-owners<ret>").unwrap();
    until(&mut driver, &["Suspend the owners of hourly-1?", "CronJob team-a/hourly: spec.suspend becomes true"]);
    stage.saw(&driver.screen_text());
    let hourly = || stage.read("team-a", "cronjobs", "hourly");
    assert_eq!(hourly()["spec"]["suspend"], json!(false), "a question changes nothing");
    driver.advance(Duration::from_secs(1)).keys("y").unwrap();
    until(&mut driver, &["hourly-1: suspended: CronJob team-a/hourly; :unsuspend undoes it"]);
    assert_eq!((&hourly()["spec"]["suspend"], &hourly()["spec"]["schedule"]), (&json!(true), &json!("0 0 * * *")));
    driver.keys(":unsuspend<ret>").unwrap();
    until(&mut driver, &["Resume the owners of hourly-1?"]);
    driver.advance(Duration::from_secs(1)).keys("y").unwrap();
    until(&mut driver, &["hourly-1: running again: CronJob team-a/hourly"]);
    assert_eq!(hourly()["spec"]["suspend"], json!(false));
}

pub fn suspended_first(stage: &Stage) {
    let kill = |app: &'static str, context: &'static str| {
        stage.run(&["kill", app, "--yes", "-v", "--suspend-owners", "--server", context])
    };
    let deleted = |name: &str| !stage.read("team-a", "pods", name)["metadata"]["deletionTimestamp"].is_null();
    has(
        &kill("hourly-1", "k8s://bob").2,
        &["bob may not suspend the owners of hourly-1: needs admin access on root.tenants.tenant-a.etl"],
    );
    // API server 1.20: a Job has no spec.suspend, so a pod that would be recreated is not killed.
    let (code, _, err) = kill("nightly-1", "k8s://admin");
    assert_eq!(code, 1, "{err}");
    has(&err, &["this API server does not support spec.suspend of a Job", "no application was killed"]);
    assert!(!deleted("nightly-1-x"));
    assert_eq!(stage.read("team-a", "cronjobs", "nightly")["spec"]["suspend"], json!(true));
    let (code, out, err) = kill("hourly-1", "k8s://admin");
    assert_eq!(code, 0, "{err}");
    has(&err, &["CronJob team-a/hourly is suspended first", "to undo: kubectl -n team-a patch cronjob hourly"]);
    has(&out, &["team-a/hourly-x: deletion started"]);
    assert!(deleted("hourly-x"));
    let audit = stage.works(&["audit", "--server", "k8s://admin"]);
    has(&audit, &["suspend", "hourly-1", "kill"]);
}

pub fn dimmed(stage: &Stage) {
    let mut eve = console(stage, "eve", &stage.kubeconfig);
    eve.keys("2").unwrap();
    until(&mut eve, &["job-1"]);
    let started_at = std::time::Instant::now();
    loop {
        eve.keys(":app job-1<ret>K").unwrap();
        eve.advance(Duration::from_millis(300)).refresh();
        if eve.screen_text().contains("RBAC of the API server: needs delete on pods in team-a") {
            break;
        }
        assert!(started_at.elapsed() < Duration::from_secs(20), "{}", eve.screen_text());
        eve.keys("<esc>").unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
    eve.keys(":queue root.tenants.tenant-a<ret>:set-max<ret>").unwrap();
    until(&mut eve, &["RBAC of the API server: needs patch on configmaps in yunikorn"]);
    stage.saw(&eve.screen_text());
    let mut bob = console(stage, "bob", &stage.kubeconfig);
    bob.keys("2").unwrap();
    until(&mut bob, &["bob", "job-1"]);
    bob.keys(":app job-1<ret>K").unwrap();
    until(&mut bob, &["needs admin access on root.tenants.tenant-a.etl"]);
}

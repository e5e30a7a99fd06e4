use std::process::Output;

use serde_json::{Value, json};

use crate::common::{TestDir, kornsole_command};
use crate::remote::serve::{Answer, Mischief, Server, Set};
use crate::remote::sets::{self, get};

fn kornsole(arguments: &[&str]) -> Output {
    kornsole_command(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", err(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn tables_for_people() {
    let server = Server::start(sets::of("1.8.0"));
    let url = server.url();
    let queues = out(&kornsole(&["queues", "--server", &url]));
    let nodes = out(&kornsole(&["nodes", "--server", &url]));
    let users = out(&kornsole(&["users", "--server", &url]));
    let apps = out(&kornsole(&["apps", "root.tenants", "--server", &url]));
    let app = out(&kornsole(&["app", "etl-1", "--server", &url]));
    insta::assert_snapshot!(format!("{queues}\n{nodes}\n{users}\n{apps}\n{app}"));
}

#[test]
fn sizes_are_in_the_units_of_the_settings() {
    let server = Server::start(sets::of("1.8.0"));
    let dir = TestDir::new();
    let settings = dir.join("own.toml").display().to_string();
    std::fs::write(&settings, "units = \"decimal\"\n").unwrap();
    let url = server.url();
    let root = |more: &[&str]| {
        let text = out(&kornsole(&[&["queues", "--server", &url], more].concat()));
        text.lines().find(|line| line.starts_with("root ")).unwrap().to_owned()
    };
    let (binary, decimal) = (root(&[]), root(&["--settings", &settings]));
    assert!(binary.contains("31.6Gi") && binary.contains("74.5Gi") && !binary.contains("34G"), "{binary}");
    assert!(decimal.contains("34G") && decimal.contains("80G") && !decimal.contains("Gi"), "{decimal}");
}

#[test]
fn json_is_one_form_whichever_release_answers() {
    let of = |release: &str, arguments: &[&str]| {
        let server = Server::start(sets::of(release));
        let mut all = arguments.to_vec();
        let url = server.url();
        all.extend(["--server", &url, "--json"]);
        out(&kornsole(&all))
    };
    for arguments in [&["queues"][..], &["nodes"], &["users"], &["apps", "--ended"]] {
        let new = of("1.8.0", arguments);
        let mut old: Vec<Value> =
            of("1.6", arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut same: Vec<Value> = new.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        if arguments[0] == "apps" {
            assert_eq!(old[0]["resourceHistory"]["resourceUsage"], json!({"m5": {"vcore": 1}}));
            old.iter_mut().chain(&mut same).for_each(|app| app["resourceHistory"] = Value::Null);
        }
        assert_eq!(same, old, "{arguments:?}");
        assert_eq!(new, of("1.8.0", arguments), "{arguments:?}: the same every time");
        for line in new.lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
        }
    }
    let recorded = |file: &str| -> Value {
        let text = std::fs::read_to_string(format!("tests/conformance/rest/1.8.0/{file}")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (app, recorded_app) = (parsed(&of("1.8.0", &["app", "etl-1"])), recorded("16.json"));
    assert_eq!(
        (&app["maxUsedResource"], &app["applicationID"]),
        (&recorded_app["maxUsedResource"], &recorded_app["applicationID"])
    );
    assert!(recorded_app["maxUsedResource"].is_object());
    let (gang, all) = (parsed(&of("1.8.0", &["app", "gang-1"])), recorded("12.json"));
    let recorded_app = all.as_array().unwrap().iter().find(|app| app["applicationID"] == "gang-1").unwrap();
    assert_eq!(gang["resourceHistory"], recorded_app["resourceHistory"]);
    assert!(recorded_app["resourceHistory"]["placeholderResource"].is_object(), "{recorded_app:#}");
    let node = parsed(of("1.8.0", &["nodes"]).lines().next().unwrap());
    assert_eq!(node["attributes"], recorded("21.json")["attributes"]);
    let root: Value = serde_json::from_str(&of("1.4", &["queues"])).unwrap();
    assert_eq!(
        (root["queuename"].as_str(), root["children"][0]["queuename"].as_str()),
        (Some("root"), Some("root.legacy"))
    );
}

#[test]
fn json_loses_nothing() {
    let server = Server::start(sets::of("1.8.0"));
    let url = server.url();
    let printed = |arguments: &[&str]| -> Vec<Value> {
        let text = out(&kornsole(&[arguments, &["--server", &url, "--json"]].concat()));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let recorded = |path: &str, key: &str| -> Vec<Value> {
        let body = crate::recorded::body("1.8.0", path);
        let mut all: Vec<Value> = serde_json::from_str(&body).unwrap();
        for list in ["requests", "allocations"] {
            let lists = all.iter_mut().filter_map(|one| one[list].as_array_mut());
            lists.for_each(|list| list.sort_by_key(|one| one["allocationKey"].to_string()));
        }
        all.sort_by_key(|one| (one["submissionTime"].as_i64(), one[key].to_string()));
        all
    };
    let without_nulls = |mut all: Vec<Value>| {
        all.iter_mut().filter_map(Value::as_object_mut).for_each(|one| one.retain(|_, value| !value.is_null()));
        all
    };
    let apps = recorded("/ws/v1/partition/default/applications/active", "applicationID");
    assert_eq!(without_nulls(printed(&["apps"])), without_nulls(apps.clone()));
    let with = |key: &str| apps.iter().any(|app| app.to_string().contains(key));
    assert!(with("allocationLog") && with("schedulingAttempted") && with("allocationDelay"), "the recording has them");
    let gang = apps.iter().find(|app| app.to_string().contains("placeholderUsed")).expect("one took over");
    assert_eq!(printed(&["app", gang["applicationID"].as_str().unwrap()]), without_nulls(vec![gang.clone()]));
    let nodes = recorded("/ws/v1/partition/default/nodes", "nodeID");
    assert!(nodes.iter().any(|node| node["allocations"].as_array().is_some_and(|all| !all.is_empty())));
    assert_eq!(without_nulls(printed(&["nodes"])), without_nulls(nodes));
}

#[test]
fn events_are_printed_with_their_ids() {
    let server = Server::start(sets::of("1.8.0"));
    let url = server.url();
    let text = out(&kornsole(&["events", "--server", &url, "--last", "5", "--json"]));
    let ids: Vec<u64> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), 5);
    assert!(ids.windows(2).all(|two| two[1] == two[0] + 1), "{ids:?}");
    let about = out(&kornsole(&["events", "--server", &url, "--object", "node-c", "--last", "1000"]));
    assert!(about.lines().count() > 1 && about.lines().all(|line| line.contains("node-c")), "{about}");
}

#[test]
fn exit_codes_show_the_result() {
    let server = Server::start(sets::of("1.8.0"));
    let url = server.url();
    let code = |arguments: &[&str]| {
        let output = kornsole(arguments);
        (output.status.code().unwrap(), err(&output))
    };
    assert_eq!(code(&["app", "none", "--server", &url]), (1, "error: application none not found\n".to_owned()));
    assert_eq!(code(&["queues", "--server", &url, "--partition", "gpu"]).0, 1);
    let (kill, report) = code(&["kill", "etl-1", "--yes", "--server", &url]);
    assert!(kill == 1 && report.contains("is read-only"), "{report}");
    assert_eq!(code(&["queues", "--server", "prod"]).0, 2);
    assert_eq!(code(&["queues", "--server", "ftp://x"]).0, 2);
    assert_eq!(code(&["queues"]).0, 2);
    assert_eq!(code(&["kill", "etl-1", "--yes", "--read-only", "--server", &url]).0, 2);
    server.mischief(Mischief::Always(200, "text/html", "<html>"));
    let (foreign, report) = code(&["queues", "--server", &url]);
    assert!(foreign == 3 && report.contains("not a YuniKorn"), "{foreign} {report}");
    let _away = server.stop();
    let (gone, report) = code(&["queues", "--server", &url]);
    assert!(gone == 3 && report.contains("refuses the connection"), "{report}");
}

/// A kornsole that accepts one token, with the answers that these tests need.
pub fn kornsole_set() -> Set {
    let mut set = sets::of("1.8.0");
    let features = ["kill", "move", "config", "cleanup", "draining", "events"];
    let server = json!({"product": "kornsole", "version": "0.1.0", "api": 1, "compat": "1.8.0", "instanceUUID": "i", "startTime": 1,
        "auth": "optional", "tls": false, "readOnly": false, "features": features});
    let who =
        json!({"authenticated": true, "user": "sue", "groups": ["dev"], "schedulerAdmin": false, "readOnly": false});
    let config = json!({"checksum": "AB", "text": "partitions: []\n", "source": "file", "revision": 3, "loadedAt": 1, "loadedBy": null});
    set.insert(get("/kornsole/v1/server"), Answer::json(server.to_string()));
    set.insert(get("/kornsole/v1/whoami"), Answer::json(who.to_string()));
    set.insert(get("/kornsole/v1/config"), Answer::json(config.to_string()));
    let killed = json!({"applicationID": "etl-1", "queue": "root.tenants.tenant-a.etl", "state": "Failed",
        "releasedAllocations": ["k1-1", "k1-2"], "withdrawnRequests": ["k1-7"], "left": 0});
    let denied = json!({"status_code": 403, "message": "sue may not kill old-1", "code": "ACL_DENIED", "requestId": "1",
        "description": "needs admin access on root.legacy or a parent", "details": {"queue": "root.legacy", "access": "admin"}});
    let moved = json!({"applicationID": "etl-1", "from": "root.tenants.tenant-a.etl", "to": "root.system.low", "state": "Running",
        "effects": ["priority is lowered by 10"]});
    let post = |path: &str| ("POST".to_owned(), format!("/kornsole/v1/partition/default/application/{path}"));
    set.insert(post("etl-1/kill"), Answer::json(killed.to_string()));
    set.insert(post("old-1/kill"), Answer { status: 403, ..Answer::json(denied.to_string()) });
    set.insert(post("etl-1/move"), Answer::json(moved.to_string()));
    let stale = json!({"status_code": 412, "message": "the configuration is another one by now", "description": "changed by ann",
        "code": "CHECKSUM_MISMATCH", "requestId": "1", "details": {"current": "CD", "changedBy": "ann"}});
    set.insert(
        ("PUT".to_owned(), "/kornsole/v1/config".to_owned()),
        Answer { status: 412, ..Answer::json(stale.to_string()) },
    );
    set
}

fn file(name: &str, text: &str) -> (TestDir, String) {
    let dir = TestDir::new();
    let file = dir.write(name, text);
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let shown = file.display().to_string();
    (dir, shown)
}

#[test]
fn orders_are_sent_with_the_token_and_their_answers_reported() {
    let mut set = kornsole_set();
    let permissions = json!({"schedulerAdmin": false, "queues": [
        {"queue": "root", "submit": true, "admin": false, "submitVia": "root"},
        {"queue": "root.a", "submit": true, "admin": true, "submitVia": "root", "adminVia": "root.a"}]});
    set.insert(get("/kornsole/v1/partition/default/permissions"), Answer::json(permissions.to_string()));
    let server = Server::start(set);
    let (_dir, token) = file("token", "secret-1\n");
    let url = server.url();
    let run = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--server", &url, "--token-file", &token]);
        kornsole(&all)
    };
    let who = out(&run(&["whoami"]));
    let lines: Vec<String> = who.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines[0], "sue (dev), at kornsole 0.1.0");
    assert!(
        lines.contains(&"default root no, no list of the queue or its parents names you yes, list of root".to_owned()),
        "{who}"
    );
    assert!(lines.contains(&"default root.a yes, list of root.a yes, list of root".to_owned()), "{who}");
    let killed = out(&run(&["kill", "etl-1", "--yes", "--reason", "too much"]));
    assert_eq!(killed, "etl-1 of root.tenants.tenant-a.etl is Failed: 2 allocations released, 1 request canceled\n");
    let arrived = server.arrived();
    let sent = arrived.iter().find(|arrived| arrived.line.starts_with("POST")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&sent.body).unwrap(), json!({"reason": "too much"}));
    let header = |name: &str| {
        let found = sent.headers.iter().find(|header| header.to_lowercase().starts_with(name));
        found.unwrap_or_else(|| panic!("no {name}: {:?}", sent.headers)).clone()
    };
    assert!(header("authorization").ends_with("Bearer secret-1"));
    assert!(header("content-type").ends_with("application/json"));
    assert!(header("idempotency-key").len() > 40);

    let both = run(&["kill", "old-1", "etl-1", "--yes"]);
    assert_eq!(both.status.code(), Some(1));
    assert_eq!(err(&both), "error: sue may not kill old-1: needs admin access on root.legacy or a parent\n");
    assert!(String::from_utf8(both.stdout).unwrap().starts_with("etl-1 of"), "one refusal stops no other");

    let moved = out(&run(&["move", "etl-1", "--to", "root.system.low", "--json"]));
    let moved: Value = serde_json::from_str(&moved).unwrap();
    assert_eq!((moved["ok"].as_bool(), moved["to"].as_str()), (Some(true), Some("root.system.low")));

    let (_other, config) = file("queues.yaml", "partitions: []\n");
    let stale = run(&["apply", &config, "--yes"]);
    assert_eq!(stale.status.code(), Some(1));
    assert!(err(&stale).contains("the configuration is another one by now: changed by ann"), "{}", err(&stale));
    let arrived = server.arrived();
    let put = arrived.iter().find(|arrived| arrived.line.starts_with("PUT")).unwrap();
    assert!(put.headers.iter().any(|header| header.to_lowercase() == "if-match: \"ab\""), "{:?}", put.headers);
}

#[test]
fn a_token_never_leaves_in_the_clear() {
    let (_dir, token) = file("token2", "secret-2");
    let output = kornsole(&["whoami", "--server", "http://yk.example:9080", "--token-file", &token]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("a token is sent only over https") && !err(&output).contains("secret-2"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_context_of_the_settings_names_a_scheduler() {
    let server = Server::start(sets::of("1.8.0"));
    let settings = format!("[contexts.lab]\nurl = '{}'\nheaders = ['X-Team: data']\n", server.url());
    let (_dir, settings) = file("settings.toml", &settings);
    let text = out(&kornsole(&["nodes", "--server", "lab", "--settings", &settings]));
    assert!(text.contains("node-c"), "{text}");
    assert!(
        server
            .arrived()
            .iter()
            .all(|arrived| arrived.headers.iter().any(|header| header.eq_ignore_ascii_case("x-team: data")))
    );
}

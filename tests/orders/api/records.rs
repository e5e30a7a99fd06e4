//! The ledger over REST: the audit, the history of configurations, rolling back.

use super::*;

/// The entries that somebody sees, the oldest first: number, user, action, code.
async fn seen(api: &Api, who: &str, query: &str) -> Vec<String> {
    let page = api.get(who, &format!("/audit{query}")).await.is(200, "").body;
    let word = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let line = |entry: &Value| {
        format!("{} {} {} {}", entry["id"], word(entry, "user"), word(entry, "action"), word(entry, "code"))
    };
    page["entries"].as_array().unwrap().iter().rev().map(|entry| line(entry).trim_end().to_owned()).collect()
}

#[tokio::test]
async fn each_request_that_changes_something_is_in_the_audit_with_its_id() {
    let api = Api::new();
    let refused = api.json("sue", KILL, json!({"reason": "mine"})).await;
    api.json("ann", MOVE, json!({"to": "root.a.y", "dryRun": true})).await;
    let key = [("content-type", "application/json"), ("idempotency-key", "once")];
    let killed = api.send("ann", KILL, &key, Body::from("{}")).await.is(200, "");
    api.send("ann", KILL, &key, Body::from("{}")).await.is(200, "");
    api.json("reader", KILL, json!({})).await.is(403, "READ_ONLY");
    let told = ["1 sue kill ACL_DENIED", "2 ann kill", "3 ann kill READ_ONLY"];
    assert_eq!(seen(&api, "owner", "").await, told);
    let page = api.get("owner", "/audit").await.body;
    let (newest, oldest) = (&page["entries"][1], &page["entries"][2]);
    for (entry, answer) in [(newest, &killed), (oldest, &refused)] {
        assert_eq!(entry["requestId"], answer.headers["kornsole-request-id"].to_str().unwrap());
        assert_eq!(entry["address"], json!(api.peer.ip().to_string()));
    }
    assert_eq!((&oldest["reason"], &oldest["groups"]), (&json!("mine"), &json!(["dev"])));
    assert_eq!((&newest["before"]["state"], &newest["after"]["state"]), (&json!("Running"), &json!("Failed")));
    assert!(oldest["after"].is_null() && oldest["at"].as_i64().is_some_and(|at| at > 0));
}

#[tokio::test]
async fn who_is_not_in_the_scheduler_acl_sees_his_own() {
    let api = Api::new();
    for who in ["sue", "bob", "sue", "ann"] {
        api.json(who, KILL, json!({})).await;
    }
    assert_eq!(seen(&api, "sue", "").await, ["1 sue kill ACL_DENIED", "3 sue kill ACL_DENIED"]);
    assert_eq!(api.get("sue", "/audit").await.body["only"], json!("sue"));
    assert!(seen(&api, "sue", "?user=bob").await.is_empty());
    assert!(api.get("ops", "/audit").await.body["only"].is_null());
    assert_eq!(seen(&api, "ops", "?user=bob").await, ["2 bob kill ACL_DENIED"]);
    assert_eq!(
        seen(&api, "ops", "?before=4&limit=2&action=kill").await,
        ["2 bob kill ACL_DENIED", "3 sue kill ACL_DENIED"]
    );
    assert!(seen(&api, "ops", "?action=move").await.is_empty());
    assert_eq!(seen(&api, "ops", "?object=etl&user=ann").await, ["4 ann kill"]);
    api.get("", "/audit").await.is(401, "UNAUTHENTICATED");
    api.get("ops", "/audit?before=x").await.is(400, "BAD_REQUEST");
}

#[tokio::test]
async fn a_configuration_that_was_never_valid_is_in_the_audit_and_not_in_the_history() {
    let api = Api::new();
    let tag = api.get("ann", "/config").await.headers["etag"].to_str().unwrap().to_owned();
    let bad = CONFIG.replace("name: y", "name: 'y y'");
    let answer = api.yaml("ann", "PUT /config", &[("if-match", &tag)], &bad).await.is(422, "CONFIG_INVALID");
    let page = api.get("ops", "/audit").await.body;
    assert_eq!(page["entries"][0]["code"], "CONFIG_INVALID");
    assert_eq!(page["entries"][0]["requestId"], answer.headers["kornsole-request-id"].to_str().unwrap());
    assert_eq!(api.get("ann", "/config/history").await.body["revisions"].as_array().unwrap().len(), 1);
    api.yaml("ann", "PUT /config?dryRun", &[("if-match", &tag)], &bad).await.is(422, "CONFIG_INVALID");
    assert_eq!(seen(&api, "ops", "").await.len(), 1, "a dry run is none");
}

#[tokio::test]
async fn the_history_is_listed_shown_compared_and_rolled_back() {
    let api = Api::new();
    let tag = |answer: &Answer| answer.headers["etag"].to_str().unwrap().to_owned();
    let first = tag(&api.get("ann", "/config").await);
    let new = CONFIG.replace("{vcore: 2}", "{vcore: 1m}");
    let reason = ("kornsole-reason", "by mistake");
    let put = api.yaml("ann", "PUT /config", &[("if-match", &first), reason], &new).await.is(200, "");
    let second = tag(&put);

    let shown = api.get("bob", "/config/history/1").await.is(200, "");
    assert_eq!(
        (tag(&shown), &shown.body["text"], &shown.body["source"]),
        (first.clone(), &json!(CONFIG), &json!("start"))
    );
    let raw = api.get("bob", "/config/history/2?raw").await.is(200, "");
    assert_eq!(raw.body, json!(new));
    let diff = api.get("bob", "/config/history/2?diff=1").await.is(200, "").body;
    let change = &diff["changes"][0];
    assert_eq!(
        (&change["path"], &change["key"], &change["from"], &change["to"]),
        (&json!("root.a.y"), &json!("resources.max.vcore"), &json!("2"), &json!("1m"))
    );
    assert_eq!(diff["permission"]["allowed"], json!(false));
    assert_eq!(api.get("bob", "/config/history/1?diff=2").await.body["changes"][0]["to"], json!("2"));
    api.get("bob", "/config/history/7").await.is(404, "NOT_FOUND");
    api.get("bob", "/config/history/1?diff=x").await.is(404, "NOT_FOUND");

    let back = "POST /config/rollback";
    let body = || Body::from(json!({"revision": 1, "reason": "as it was"}).to_string());
    let sent = |tag: &str| [("content-type", "application/json".to_owned()), ("if-match", tag.to_owned())];
    let send = async |who: &str, line: &str, tag: &str| {
        let headers = sent(tag);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        api.send(who, line, &headers, body()).await
    };
    api.json("ann", back, json!({"revision": 1})).await.is(428, "CHECKSUM_REQUIRED");
    send("ann", back, &first).await.is(412, "CHECKSUM_MISMATCH");
    send("bob", back, &second).await.is(403, "ACL_DENIED");
    send("reader", back, &second).await.is(403, "READ_ONLY");
    let dry = send("ann", "POST /config/rollback?dryRun", &second).await.is(200, "");
    assert_eq!((tag(&dry), &dry.body["changes"][0]["to"]), (second.clone(), &json!("2")));
    let done = send("ann", back, &second).await.is(200, "");
    assert_eq!((tag(&done), &done.body["revision"]), (first.clone(), &json!(3)));
    let state = api.get("bob", "/config").await.body;
    assert_eq!(
        (&state["source"], &state["text"], &state["loadedBy"]),
        (&json!("rollback"), &json!(CONFIG), &json!("ann"))
    );

    let history = api.get("bob", "/config/history").await.is(200, "").body;
    let line = |one: &Value| {
        format!("{} {} {} {} {}", one["revision"], one["source"], one["by"], one["reason"], one["current"])
    };
    let lines: Vec<String> = history["revisions"].as_array().unwrap().iter().map(line).collect();
    assert_eq!(
        lines,
        [r#"3 "rollback" "ann" "as it was" true"#, r#"2 "api" "ann" "by mistake" false"#, r#"1 "start" "" "" false"#,]
    );
    assert_eq!(history["revisions"][0]["rollbackOf"], json!(1));
    let older = api.get("bob", "/config/history?before=3&limit=1").await.body;
    assert_eq!(older["revisions"][0]["revision"], json!(2));
    let events = api.get("bob", "/events?detail=906").await.body;
    assert_eq!(events["events"].as_array().unwrap().len(), 1);
}

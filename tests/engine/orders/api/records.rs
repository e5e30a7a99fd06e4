use super::*;

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
    let message = ["1 sue kill ACL_DENIED", "2 ann kill", "3 ann kill READ_ONLY"];
    assert_eq!(seen(&api, "owner", "").await, message);
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
async fn a_user_outside_the_scheduler_acl_sees_its_own() {
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
    let body = || Body::from(json!({"revision": 1, "reason": "reset"}).to_string());
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
        [r#"3 "rollback" "ann" "reset" true"#, r#"2 "api" "ann" "by mistake" false"#, r#"1 "start" "" "" false"#,]
    );
    assert_eq!(history["revisions"][0]["rollbackOf"], json!(1));
    let older = api.get("bob", "/config/history?before=3&limit=1").await.body;
    assert_eq!(older["revisions"][0]["revision"], json!(2));
    let events = api.get("bob", "/events?detail=906").await.body;
    assert_eq!(events["events"].as_array().unwrap().len(), 1);
}

async fn changing(api: &Api) -> Vec<(String, bool)> {
    const ASKING: [&str; 5] = ["/permissions", "/config/validate", "/config/diff", "/placement", "/whatif"];
    let document = api.get("", "/openapi.json").await.is(200, "").body;
    let mut lines = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let path = path.trim_start_matches("/kornsole/v1");
        for (method, about) in methods.as_object().unwrap().iter().filter(|(method, _)| *method != "get") {
            if ASKING.iter().all(|asking| !path.ends_with(asking)) {
                let path = path.replace("{partition}", "default").replace(['{', '}'], "");
                lines.push((format!("{} {path}", method.to_uppercase()), about["requestBody"].is_object()));
            }
        }
    }
    lines
}

#[tokio::test]
async fn requests_that_never_became_an_order_are_in_the_audit() {
    let api = Api::new();
    let lines = changing(&api).await;
    assert!(lines.len() >= 17, "{lines:?}");
    let mut entries = 0;
    for (line, body) in &lines {
        let newest = async |entries: usize, what: &str| {
            let page = api.get("owner", "/audit?limit=1000").await.body;
            assert_eq!(page["entries"].as_array().unwrap().len(), entries, "{line} {what}");
            page["entries"][0].clone()
        };
        let unknown = api.send("", line, &[("content-type", "application/json")], Body::from("{}")).await;
        entries += 1;
        let entry = newest(entries, "without a token").await;
        assert_eq!((unknown.status, &entry["code"], &entry["user"]), (401, &json!("UNAUTHENTICATED"), &json!("")));
        assert_eq!(entry["requestId"], unknown.headers["kornsole-request-id"].to_str().unwrap());
        assert_eq!(entry["address"], json!("127.0.0.1"));
        let looking = api.send("owner", line, &[("kornsole-as", "sue:dev")], Body::empty()).await;
        entries += 1;
        assert_eq!((looking.status, newest(entries, "as another").await["code"].clone()), (403, json!("ACL_DENIED")));
        if !body {
            continue;
        }
        let kind = if line == "PUT /config" { "text/css" } else { "application/json" };
        let broken = api.send("ann", line, &[("content-type", kind)], Body::from("{")).await;
        entries += 1;
        let entry = newest(entries, "that does not read").await;
        assert!([400, 415].contains(&broken.status), "{line}: {}", broken.status);
        assert_eq!((&entry["code"], &entry["user"]), (&json!("BAD_REQUEST"), &json!("ann")), "{line}");
        assert!(entry["why"].as_str().is_some_and(|why| !why.is_empty()), "{entry}");
    }
    let app = &api.get("owner", "/audit?action=kill&object=application").await.body["entries"];
    assert!(app.as_array().is_some_and(|found| found.len() >= 3), "the path names the object: {app}");
}

#[tokio::test]
async fn whoever_is_not_known_cannot_fill_the_audit() {
    let api = Api::new();
    for _ in 0..200 {
        api.json("", KILL, json!({})).await.is(401, "UNAUTHENTICATED");
    }
    let seen = seen(&api, "owner", "?limit=1000").await.len();
    assert!((60..200).contains(&seen), "{seen}");
    let key = [("content-type", "application/json"), ("idempotency-key", "once")];
    for _ in 0..3 {
        api.send("sue", KILL, &key, Body::from("{}")).await.is(403, "ACL_DENIED");
    }
    assert_eq!(self::seen(&api, "sue", "").await.len(), 1, "the same request again is one");
}

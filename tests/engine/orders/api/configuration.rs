use super::*;

#[tokio::test]
async fn a_configuration_is_read_compared_and_replaced_knowingly() {
    let api = Api::new();
    let state = api.get("bob", "/config").await;
    let (tag, text) = (state.headers["etag"].to_str().unwrap().to_owned(), state.body["text"].as_str().unwrap());
    assert_eq!((text, &state.body["revision"]), (CONFIG, &json!(1)));
    assert_eq!(api.get("bob", "/config?raw").await.body, json!(CONFIG));
    let new = CONFIG.replace("{vcore: 2}", "{vcore: 9}");
    let diff = api.yaml("bob", "POST /config/diff", &[], &new).await.is(200, "").body;
    assert_eq!((&diff["touches"], &diff["permission"]["allowed"]), (&json!(["root.a"]), &json!(false)));
    assert_eq!(diff["permission"]["missing"], json!(["admin access on root.a"]));
    assert_eq!(api.yaml("ann", "POST /config/diff", &[], &new).await.body["permission"]["allowed"], json!(true));
    let bad = new.replace("name: y", "name: 'y y'");
    let checked = api.yaml("bob", "POST /config/validate", &[], &bad).await.is(200, "").body;
    assert_eq!((&checked["allowed"], &checked["faults"][0]["code"]), (&json!(false), &json!("CFG-030")));

    let put = "PUT /config";
    api.yaml("ann", put, &[], &new).await.is(428, "CHECKSUM_REQUIRED");
    api.yaml("ann", put, &[("if-match", "*")], &new).await.is(428, "CHECKSUM_REQUIRED");
    api.yaml("bob", put, &[("if-match", &tag)], &new).await.is(403, "ACL_DENIED");
    api.yaml("ann", put, &[("if-match", &tag)], &bad).await.is(422, "CONFIG_INVALID");
    let dry = api.yaml("ann", "PUT /config?dryRun", &[("if-match", &tag)], &new).await.is(200, "");
    assert_eq!(dry.headers["etag"].to_str().unwrap(), tag, "no change was made");
    let done = api.yaml("ann", put, &[("if-match", &tag), ("kornsole-reason", "more")], &new).await.is(200, "");
    assert_eq!((&done.body["revision"], &done.body["changes"][0]["key"]), (&json!(2), &json!("resources.max.vcore")));
    let stale = api.yaml("ann", put, &[("if-match", &tag)], CONFIG).await.is(412, "CHECKSUM_MISMATCH");
    assert_eq!(stale.body["details"]["current"], done.body["checksum"]);
    assert_eq!(stale.body["details"]["changedBy"], json!("ann"));
    assert_eq!(api.get("bob", "/config").await.body["loadedBy"], json!("ann"));
    let whatif = api.json("ann", "POST /whatif", json!({})).await.is(200, "");
    assert_eq!(whatif.body["after"]["preempted"], 0);
}

#[tokio::test]
async fn the_active_text_needs_no_permission_and_a_comment_needs_every_root() {
    let api = Api::new();
    let tag = api.get("bob", "/config").await.headers["etag"].to_str().unwrap().to_owned();
    let same = api.yaml("bob", "PUT /config", &[("if-match", &tag)], CONFIG).await.is(200, "").body;
    assert_eq!((&same["checksum"], &same["previous"]), (&same["previous"], &same["checksum"]));
    assert_eq!((&same["changes"], &same["revision"]), (&json!([]), &json!(1)), "no change was made");
    api.yaml("reader", "PUT /config", &[("if-match", &tag)], CONFIG).await.is(403, "READ_ONLY");
    let diff = |text: String| {
        let api = &api;
        async move { api.yaml("bob", "POST /config/diff", &[], &text).await.is(200, "").body["permission"].clone() }
    };
    assert_eq!(diff(CONFIG.to_owned()).await, json!({"allowed": true, "missing": []}));
    let comment = format!("# mine\n{CONFIG}");
    assert_eq!(diff(comment.clone()).await, json!({"allowed": false, "missing": ["admin access on root"]}));
    api.yaml("bob", "PUT /config", &[("if-match", &tag)], &comment).await.is(403, "ACL_DENIED");
}

#[tokio::test]
async fn an_old_client_sends_a_configuration_with_its_checksum() {
    let api = Api::new();
    let base = api.get("bob", "/config").await.body["checksum"].as_str().unwrap().to_owned();
    let line = format!("PUT {}", native::legacy_config::PATH);
    let curl = [("content-type", "application/x-www-form-urlencoded")];
    let sent = |text: &str, base: &str| Body::from(format!("{text}checksum: {base}\n"));
    let new = CONFIG.replace("{vcore: 2}", "{vcore: 9}");
    let bad = new.replace("name: y", "name: 'y y'");

    api.send("", &line, &curl, sent(&new, &base)).await.is(401, "UNAUTHENTICATED");
    api.send("bob", &line, &curl, sent(&new, &base)).await.is(403, "ACL_DENIED");
    api.send("reader", &line, &curl, sent(&new, &base)).await.is(403, "READ_ONLY");
    let long = "#".repeat((4 << 20) + 1);
    api.send("ann", &line, &curl, Body::from(long)).await.is(413, "TOO_LARGE");
    let faulty = api.send("ann", &line, &curl, sent(&bad, &base)).await.is(409, "");
    let why = faulty.body["message"].as_str().unwrap_or_default();
    assert!(why.contains("CFG-030"), "{:#}", faulty.body);
    for stale in [Body::from(new.clone()), sent(&new, &base.replace(&base[..4], "0000")), sent(&new, "")] {
        let refused = api.send("ann", &line, &curl, stale).await.is(409, "");
        assert_eq!(refused.body["message"], "the base configuration has changed");
    }
    assert_eq!(api.get("bob", "/config").await.body["checksum"], base, "no change was made so far");

    let done = api.send("ann", &line, &curl, sent(&new, &base)).await;
    assert_eq!((done.status, done.body), (200, json!("the configuration is active")));
    assert!(done.headers["content-type"].to_str().unwrap().starts_with("application/json"));
    let state = api.get("bob", "/config").await.body;
    assert_eq!((&state["loadedBy"], &state["revision"]), (&json!("ann"), &json!(2)));
    assert_eq!(config::checksum(state["text"].as_str().unwrap().as_bytes()), state["checksum"]);
    assert!(!state["text"].as_str().unwrap().contains("checksum"), "{}", state["text"]);
    let again = api.send("ann", &line, &curl, sent(CONFIG, &base)).await.is(409, "");
    assert_eq!(again.body["message"], "the base configuration has changed");
}

#[tokio::test]
async fn what_drains_is_reported_and_cleaned_up() {
    let api = Api::new();
    let tag = api.get("owner", "/config").await.headers["etag"].to_str().unwrap().to_owned();
    let rest = "partitions: [{name: default, queues: [{name: root, adminacl: olga, queues: [{name: b}]}]}]";
    let allowed = [("if-match", tag.as_str()), ("kornsole-allow-removal", "5")];
    let done = api.yaml("owner", "PUT /config", &allowed, rest).await.is(200, "").body;
    assert_eq!(done["draining"], json!(["root.a", "root.a.x", "root.a.y", "root.b.few", "root.b.z"]));
    let draining = api.get("sue", "/partition/default/draining").await.is(200, "").body;
    let first = &draining["queues"][0];
    assert_eq!((&first["queue"], &first["applications"]), (&json!("root.a"), &json!(["etl"])));
    assert_eq!(first["admins"], json!({ "users": ["ann", "olga"], "groups": [] }));
    let cleanup = "POST /partition/default/cleanup";
    let what = |dry_run| json!({ "what": ["queues", "applications"], "dryRun": dry_run });
    api.json("sue", cleanup, what(false)).await.is(403, "ACL_DENIED");
    let would = api.json("ops", cleanup, what(true)).await.is(200, "").body;
    let did = api.json("ops", cleanup, what(false)).await.is(200, "").body;
    assert_eq!(would, did);
    assert_eq!(did["kept"][0], json!({ "queue": "root.a.x", "why": "1 application" }));
    api.json("ops", cleanup, json!({ "what": ["all"] })).await.is(400, "BAD_REQUEST");
}

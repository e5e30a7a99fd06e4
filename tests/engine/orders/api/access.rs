//! Authentication, and the properties that all HTTP requests share.

use std::time::{Duration, Instant};

use super::*;

#[tokio::test]
async fn who_is_asking() {
    let api = Api::new();
    let anonymous = api.get("", "/whoami").await;
    assert_eq!((anonymous.status, &anonymous.body["authenticated"]), (200, &json!(false)));
    let sue = api.get("sue", "/whoami").await.body;
    assert_eq!((&sue["user"], &sue["groups"], &sue["schedulerAdmin"]), (&json!("sue"), &json!(["dev"]), &json!(false)));
    assert_eq!(api.get("owner", "/whoami").await.body["schedulerAdmin"], json!(true));
    assert_eq!(api.get("ops", "/whoami").await.body["schedulerAdmin"], json!(true));
    assert_eq!(api.get("reader", "/whoami").await.body["readOnly"], json!(true));
    let server = api.get("", "/server").await.body;
    assert_eq!((&server["product"], &server["auth"]), (&json!("kornsole"), &json!("optional")));
    assert!(server["features"].as_array().unwrap().contains(&json!("audit")));
    for path in ["/config", "/partition/default/permissions", "/events", "/partition/default/draining"] {
        let refused = api.get("", path).await.is(401, "UNAUTHENTICATED");
        assert_eq!(refused.headers["www-authenticate"], "Bearer");
    }
}

#[tokio::test]
async fn wrong_tokens_are_slowed_down_and_a_right_one_always_passes() {
    let api = Api::new();
    for number in 0..10 {
        api.get(&format!("kso_guess{number}"), "/whoami").await.is(401, "UNAUTHENTICATED");
    }
    let started_at = Instant::now();
    let slow = api.get("kso_guessed", "/whoami").await.is(429, "RATE_LIMITED");
    assert_eq!(slow.headers["retry-after"], "60");
    assert!(started_at.elapsed() >= Duration::from_secs(1), "it waits for its answer");
    api.get("kso_else", "/whoami").await.is(401, "UNAUTHENTICATED");
    for _ in 0..2 {
        assert_eq!(api.get("sue", "/whoami").await.body["user"], json!("sue"), "from the same address");
        api.get("kso_guessed", "/whoami").await.is(429, "RATE_LIMITED");
    }
    assert_eq!(api.get("", "/whoami").await.status, 200, "without a token nothing is guessed");
    let ann = "PUT /config";
    api.yaml("ann", ann, &[], CONFIG).await.is(428, "CHECKSUM_REQUIRED");
}

#[tokio::test]
async fn impersonation_is_read_only() {
    let api = Api::new();
    let as_ann = [("kornsole-as", "ann:ann"), ("content-type", "application/json")];
    let admin = |body: &Value, queue: &str| {
        let queues = body["queues"].as_array().unwrap();
        queues.iter().find(|row| row["queue"] == queue).unwrap()["admin"] == json!(true)
    };
    let permissions = "GET /partition/default/permissions";
    let seen = api.send("owner", permissions, &as_ann, Body::empty()).await.is(200, "").body;
    assert!(admin(&seen, "root.a.x") && !admin(&seen, "root.b.z"));
    let own = api.get("owner", "/partition/default/permissions").await.body;
    assert!(!admin(&own, "root.a.x"), "the scheduler ACL gives no right on a queue");
    api.send("bob", permissions, &as_ann, Body::empty()).await.is(403, "ACL_DENIED");
    api.send("owner", KILL, &as_ann, "{}".into()).await.is(403, "ACL_DENIED");
    let checks = json!({ "checks": [
        { "action": "kill", "application": "etl" },
        { "action": "move", "application": "etl", "to": "root.a.y" },
        { "action": "submit", "queue": "root.b.z" },
        { "action": "config", "text": CONFIG.replace("{vcore: 2}", "{vcore: 9}") },
    ] });
    let results = |body: Value| {
        let results = body["results"].as_array().unwrap().clone();
        results.iter().map(|result| result["allowed"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    let ann = api.json("ann", "POST /permissions", checks.clone()).await.is(200, "").body;
    assert!(ann["results"][1]["why"].as_str().unwrap().contains("quota of root.a.y exceeded"));
    assert_eq!(results(ann), [true, false, false, true]);
    assert_eq!(results(api.json("sue", "POST /permissions", checks).await.body), [false, false, true, false]);
}

#[tokio::test]
async fn the_same_request_twice_is_one() {
    let api = Api::new();
    let keyed = [("idempotency-key", "k-1"), ("content-type", "application/json")];
    let first = api.send("ann", KILL, &keyed, "{}".into()).await.is(200, "");
    let again = api.send("ann", KILL, &keyed, "{}".into()).await.is(200, "");
    assert_eq!(first.body, again.body);
    api.send("ann", KILL, &keyed, r#"{"reason":"x"}"#.into()).await.is(409, "KEY_REUSED");
    api.send("bob", KILL, &keyed, "{}".into()).await.is(409, "APP_TERMINATED");
    let long = "k".repeat(129);
    let keyed = [("idempotency-key", long.as_str())];
    api.send("ann", KILL, &keyed, Body::empty()).await.is(400, "BAD_REQUEST");
}

#[tokio::test]
async fn bodies_are_read_strictly() {
    let api = Api::new();
    let wrong = [("content-type", "text/plain")];
    assert_eq!(api.send("ann", KILL, &wrong, "{}".into()).await.status, 415);
    assert_eq!(api.send("ann", "PUT /config", &[("content-type", "application/json")], "{}".into()).await.status, 415);
    let unknown = api.json("ann", KILL, json!({ "expectqueue": "root" })).await.is(400, "BAD_REQUEST");
    assert!(unknown.body["description"].as_str().unwrap().contains("expectqueue"));
    api.json("ann", KILL, json!({ "reason": 1 })).await.is(400, "BAD_REQUEST");
    api.json("ann", KILL, json!({ "reason": "é".repeat(501) })).await.is(400, "BAD_REQUEST");
    api.yaml("ann", "POST /config/validate", &[], &"#".repeat((4 << 20) + 1)).await.is(413, "TOO_LARGE");
    api.get("ann", "/nothing").await.is(404, "NOT_FOUND");
    let other = api.get("ann", "/partition/default/application/etl/kill").await.is(405, "BAD_REQUEST");
    assert_eq!(other.body["status_code"], json!(405), "the body says what HTTP says");
    let read_only = Api::with(|options| options.read_only = true);
    read_only.json("ann", KILL, json!({})).await.is(403, "READ_ONLY");
    let closed = Api::with(|options| options.tokens = None);
    closed.json("ann", KILL, json!({})).await.is(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn the_scheduler_rests_by_order() {
    let api = Api::new();
    api.json("ann", "POST /scheduler/pause", json!({})).await.is(403, "ACL_DENIED");
    api.json("ops", "POST /scheduler/pause", json!({})).await.is(200, "");
    assert!(api.engine.published().view().paused);
    assert_eq!(api.get("", "/server").await.body["paused"], json!(true));
    api.json("ops", "POST /scheduler/resume", json!({})).await.is(200, "");
}

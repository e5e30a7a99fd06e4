//! Part II of the REST API, request by request, on a running engine.

mod records;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request};
use axum::routing::put;
use kornsole::api::auth::{self, NewToken, Tokens};
use kornsole::api::convert::Wall;
use kornsole::api::server::ours::{self, Ours, OwnOptions};
use kornsole::engine::Engine;
use kornsole::model::acl::AclNames;
use kornsole::model::{Acl, Identity, Profile};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::stage::{CONFIG, Stage};

/// A server with tokens for ann, bob, sue, a reader of ann's, and the owner.
struct Api {
    router: Router,
    engine: Arc<Engine>,
    folder: PathBuf,
    tokens: Vec<(&'static str, String)>,
    peer: SocketAddr,
}

impl Drop for Api {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What came back.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    #[track_caller]
    fn is(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, self.code()), (status, code), "{:#}", self.body);
        self
    }
}

impl Api {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut OwnOptions)) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kornsole-ours-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("tokens.yaml");
        let mut tokens = Vec::new();
        for (name, user, groups, read_only) in [
            ("ann", "ann", vec!["ann"], false),
            ("bob", "bob", vec!["bob"], false),
            ("sue", "sue", vec!["dev"], false),
            ("reader", "ann", vec!["ann"], true),
            ("owner", "root", vec!["root"], false),
            ("ops", "olga", vec!["ops"], false),
        ] {
            let new = NewToken::make(Identity::new(user, groups), None, read_only, "").unwrap();
            auth::add(&file, new.token).unwrap();
            tokens.push((name, new.secret));
        }
        let mut options = OwnOptions {
            tokens: Some(Tokens::open(&file).unwrap()),
            require_token: false,
            read_only: false,
            scheduler_acl: Acl::parse(" ops", AclNames::Portable).unwrap().acl,
            owner: "root".to_owned(),
            tls: false,
            profile: Profile::Kornsole,
            policy_group: "queues".to_owned(),
        };
        change(&mut options);
        let engine = Arc::new(Engine::start(Stage::new().core, 1.0).unwrap());
        let wall = Wall::new(std::time::UNIX_EPOCH, 1.0);
        let ours = Ours::new(Arc::clone(&engine), wall, options);
        let old = put(ours::old::replace_config).with_state(Arc::clone(&ours));
        let router = Router::new().nest("/kornsole/v1", ours::routes(ours)).route(ours::old::PATH, old);
        Self { router, engine, folder, tokens, peer: "127.0.0.1:5000".parse().unwrap() }
    }

    fn token(&self, who: &str) -> String {
        let known = self.tokens.iter().find(|(name, _)| *name == who);
        known.map_or_else(|| who.to_owned(), |(_, token)| token.clone())
    }

    async fn send(&self, who: &str, line: &str, headers: &[(&str, &str)], body: Body) -> Answer {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(if path.starts_with("/ws/") {
            path.to_owned()
        } else {
            format!("/kornsole/v1{path}")
        });
        if !who.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token(who)));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.extension(ConnectInfo(self.peer)).body(body).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::String(text));
        assert!(headers.contains_key("kornsole-request-id"));
        assert!(!headers.keys().any(|name| name.as_str().starts_with("access-control")), "no page may drive this");
        Answer { status, headers, body }
    }

    async fn get(&self, who: &str, path: &str) -> Answer {
        self.send(who, &format!("GET {path}"), &[], Body::empty()).await
    }

    async fn json(&self, who: &str, line: &str, body: Value) -> Answer {
        self.send(who, line, &[("content-type", "application/json")], body.to_string().into()).await
    }

    async fn yaml(&self, who: &str, line: &str, headers: &[(&str, &str)], text: &str) -> Answer {
        let headers = [headers, &[("content-type", "application/yaml")]].concat();
        self.send(who, line, &headers, text.to_owned().into()).await
    }
}

const KILL: &str = "POST /partition/default/application/etl/kill";
const MOVE: &str = "POST /partition/default/application/etl/move";

#[tokio::test]
async fn who_is_asking() {
    let api = Api::new();
    let nobody = api.get("", "/whoami").await;
    assert_eq!((nobody.status, &nobody.body["authenticated"]), (200, &json!(false)));
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
async fn whoever_guesses_has_to_wait() {
    let mut api = Api::new();
    for _ in 0..10 {
        api.get("kso_guessed", "/whoami").await.is(401, "UNAUTHENTICATED");
    }
    let shut_out = api.get("sue", "/whoami").await.is(429, "RATE_LIMITED");
    assert_eq!(shut_out.headers["retry-after"], "60");
    assert!(!shut_out.body.to_string().contains(&api.token("sue")));
    assert_eq!(api.get("", "/whoami").await.status, 200, "without a token nothing is guessed");
    api.peer = "127.0.0.2:5000".parse().unwrap();
    assert_eq!(api.get("sue", "/whoami").await.status, 200, "another address has nothing to do with it");
}

#[tokio::test]
async fn a_kill_that_is_refused_has_the_shape_of_e2_and_one_that_is_not_tells_what_went() {
    let api = Api::new();
    let refused = api.json("bob", KILL, json!({ "reason": "why not" })).await.is(403, "ACL_DENIED");
    let mut body = refused.body.clone();
    assert_eq!(body["requestId"].as_str().unwrap(), refused.headers["kornsole-request-id"]);
    body["requestId"] = json!("");
    assert_eq!(
        body,
        json!({
            "status_code": 403,
            "message": "bob may not kill etl",
            "description": "needs admin access on root.a.x or a queue above it",
            "code": "ACL_DENIED",
            "requestId": "",
            "details": { "queue": "root.a.x", "access": "admin", "checked": ["root.a.x", "root.a", "root"] },
        })
    );
    api.json("reader", KILL, json!({})).await.is(403, "READ_ONLY");
    api.json("ann", KILL, json!({ "expectQueue": "root.a.y" })).await.is(409, "QUEUE_CHANGED");
    let done = api.send("ann", KILL, &[], Body::empty()).await.is(200, "");
    assert_eq!(
        done.body,
        json!({
            "applicationID": "etl", "queue": "root.a.x", "state": "Failed",
            "releasedAllocations": ["t-1", "t-2", "t-3"], "withdrawnRequests": ["big"],
        })
    );
    api.json("ann", KILL, json!({})).await.is(409, "APP_TERMINATED");
    api.json("ann", "POST /partition/nowhere/application/etl/kill", json!({})).await.is(404, "NOT_FOUND");
    assert_eq!(api.engine.published().view().partitions[0].live_apps, 0, "the answer comes after the view");
}

#[tokio::test]
async fn moves_and_many_at_once() {
    let api = Api::new();
    let full = api.json("ann", MOVE, json!({ "to": "root.a.y" })).await.is(409, "TARGET_FULL");
    assert_eq!(full.body["details"]["reasons"][0]["queue"], json!("root.a.y"));
    api.json("ann", MOVE, json!({ "to": "root.b" })).await.is(409, "TARGET_NOT_LEAF");
    api.json("ann", MOVE, json!({ "to": "root.a.x" })).await.is(409, "SAME_QUEUE");
    api.json("ann", MOVE, json!({ "to": "root.b.z" })).await.is(403, "ACL_DENIED");
    api.json("ann", MOVE, json!({})).await.is(400, "BAD_REQUEST");
    let action = "POST /partition/default/applications/action";
    let bulk = json!({ "action": "kill", "ids": ["etl", "nobody"], "reason": "both" });
    let results = api.json("ann", action, bulk).await.is(200, "").body;
    assert_eq!((&results["results"][0]["ok"], &results["results"][0]["status"]), (&json!(true), &json!(200)));
    assert_eq!(results["results"][1]["error"]["code"], json!("NOT_FOUND"));
    let many: Vec<String> = (0..1001).map(|number| format!("a-{number}")).collect();
    api.json("ann", action, json!({ "action": "kill", "ids": many })).await.is(400, "BAD_REQUEST");
    api.json("ann", action, json!({ "action": "eat", "ids": [] })).await.is(400, "BAD_REQUEST");
}

#[tokio::test]
async fn a_configuration_is_read_compared_and_replaced_knowingly() {
    let api = Api::new();
    let state = api.get("bob", "/config").await;
    let (tag, text) = (state.headers["etag"].to_str().unwrap().to_owned(), state.body["text"].as_str().unwrap());
    assert_eq!((text, &state.body["revision"]), (CONFIG, &json!(1)));
    assert_eq!(api.get("bob", "/config?raw").await.body, json!(CONFIG));
    let new = CONFIG.replace("{vcore: 2}", "{vcore: 9}");
    let diff = api.yaml("bob", "POST /config/diff", &[], &new).await.is(200, "").body;
    assert_eq!((&diff["touches"], &diff["permission"]["allowed"]), (&json!(["root.a.y"]), &json!(false)));
    assert_eq!(diff["permission"]["missing"], json!(["admin access on root.a.y"]));
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
    assert_eq!(dry.headers["etag"].to_str().unwrap(), tag, "nothing was done");
    let done = api.yaml("ann", put, &[("if-match", &tag), ("kornsole-reason", "more")], &new).await.is(200, "");
    assert_eq!((&done.body["revision"], &done.body["changes"][0]["key"]), (&json!(2), &json!("resources.max.vcore")));
    let stale = api.yaml("ann", put, &[("if-match", &tag)], CONFIG).await.is(412, "CHECKSUM_MISMATCH");
    assert_eq!(stale.body["details"]["current"], done.body["checksum"]);
    assert_eq!(stale.body["details"]["changedBy"], json!("ann"));
    assert_eq!(api.get("bob", "/config").await.body["loadedBy"], json!("ann"));
    let later = "/partition/default/application/etl/explain";
    let answer = api.get("ann", later).await.is(501, "NOT_SUPPORTED");
    assert_eq!(answer.body["message"], "not served yet: why an application waits");
}

#[tokio::test]
async fn an_old_client_puts_a_configuration_with_its_checksum_in_it() {
    let api = Api::new();
    let base = api.get("bob", "/config").await.body["checksum"].as_str().unwrap().to_owned();
    let line = format!("PUT {}", ours::old::PATH);
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
        assert_eq!(refused.body["message"], "the base configuration is changed");
    }
    assert_eq!(api.get("bob", "/config").await.body["checksum"], base, "nothing was done so far");

    let done = api.send("ann", &line, &curl, sent(&new, &base)).await;
    assert_eq!((done.status, done.body), (200, json!("the configuration is in force")));
    assert!(done.headers["content-type"].to_str().unwrap().starts_with("application/json"));
    let state = api.get("bob", "/config").await.body;
    assert_eq!((&state["loadedBy"], &state["revision"]), (&json!("ann"), &json!(2)));
    assert_eq!(kornsole::config::checksum(state["text"].as_str().unwrap().as_bytes()), state["checksum"]);
    assert!(!state["text"].as_str().unwrap().contains("checksum"), "{}", state["text"]);
    let again = api.send("ann", &line, &curl, sent(CONFIG, &base)).await.is(409, "");
    assert_eq!(again.body["message"], "the base configuration is changed");
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
async fn one_may_look_as_somebody_else_but_not_act() {
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
    assert_eq!(api.get("ann", "/partition/default/application/etl/kill").await.status, 405);
    let read_only = Api::with(|options| options.read_only = true);
    read_only.json("ann", KILL, json!({})).await.is(403, "READ_ONLY");
    let closed = Api::with(|options| options.tokens = None);
    closed.json("ann", KILL, json!({})).await.is(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_resource_manager_submits_asks_releases_and_keeps_nodes() {
    let api = Api::new();
    let submit = "POST /partition/default/applications";
    let done = api.json("sue", submit, json!({ "app": "one", "queue": "root.b.z" })).await.is(201, "");
    assert_eq!(done.body, json!({ "applicationID": "one", "queue": "root.b.z" }));
    api.json("sue", submit, json!({ "app": "one", "queue": "root.b.z" })).await.is(409, "EXISTS");
    api.json("ann", submit, json!({ "app": "two", "queue": "root.b.z" })).await.is(422, "NOT_PLACED");
    let asks = "POST /partition/default/application/one/asks";
    let body = json!([{ "id": "t", "count": 2, "resource": { "vcore": "500m", "memory": 1000 } }]);
    assert_eq!(api.json("sue", asks, body.clone()).await.is(201, "").body["asks"], json!(["t-1", "t-2"]));
    api.json("ann", asks, body).await.is(403, "ACL_DENIED");
    api.json("sue", asks, json!([{ "id": "u", "resource": { "vcore": "much" } }])).await.is(400, "BAD_REQUEST");
    let release = "DELETE /partition/default/application/one/allocation/t-1";
    api.send("sue", release, &[], Body::empty()).await.is(200, "");
    api.send("sue", release, &[], Body::empty()).await.is(404, "NOT_FOUND");
    api.json("sue", "POST /partition/default/application/one/remove", json!({})).await.is(200, "");
    let node = json!({ "id": "m", "capacity": { "vcore": 4 } });
    api.json("ann", "POST /partition/default/nodes", node.clone()).await.is(403, "ACL_DENIED");
    api.json("ops", "POST /partition/default/nodes", node.clone()).await.is(201, "");
    api.json("ops", "POST /partition/default/nodes", node).await.is(409, "EXISTS");
    api.json("ops", "PUT /partition/default/node/m", json!({ "capacity": { "vcore": 8 } })).await.is(200, "");
    api.json("ops", "POST /partition/default/node/m/drain", json!({})).await.is(200, "");
    let nodes = api.engine.published().view().partitions[0].nodes.clone();
    assert_eq!((nodes["m"].capacity.amount("vcore"), nodes["m"].schedulable), (8000, false));
    api.json("ops", "POST /partition/default/node/m/resume", json!({})).await.is(200, "");
    api.send("ops", "DELETE /partition/default/node/n", &[], Body::empty()).await.is(409, "NODE_IN_USE");
    let gone = api.send("ops", "DELETE /partition/default/node/n?force", &[], Body::empty()).await.is(200, "").body;
    assert_eq!(gone["released"].as_array().unwrap().len(), 3);
    assert_eq!(gone["released"][0], json!({ "applicationID": "etl", "allocationKey": "t-1", "allocated": true }));
}

#[tokio::test]
async fn what_drains_is_told_and_cleaned_up() {
    let api = Api::new();
    let tag = api.get("owner", "/config").await.headers["etag"].to_str().unwrap().to_owned();
    let rest = "partitions: [{name: default, queues: [{name: root, adminacl: olga, queues: [{name: b}]}]}]";
    let done = api.yaml("owner", "PUT /config", &[("if-match", &tag)], rest).await.is(200, "").body;
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

#[tokio::test]
async fn placement_and_events_are_there_to_look_at() {
    let api = Api::new();
    let placement = "POST /partition/default/placement";
    let question = json!({ "user": "sue", "groups": ["dev"], "queue": "root.b.z" });
    assert_eq!(api.json("bob", placement, question.clone()).await.is(200, "").body["queue"], json!("root.b.z"));
    let mut other = question;
    other["config"] = json!("partitions: [{name: default, queues: [{name: root, queues: [{name: b}]}]}]");
    assert_eq!(api.json("bob", placement, other.clone()).await.is(200, "").body["placed"], json!(false));
    let tag = api.get("owner", "/config").await.headers["etag"].to_str().unwrap().to_owned();
    let limited = CONFIG
        .replace("submitacl: ' dev'", "submitacl: ' dev'\n            limits: [{users: [sue], maxapplications: 1}]");
    api.yaml("owner", "PUT /config", &[("if-match", &tag)], &limited).await.is(200, "");
    let sues = json!({ "user": "sue", "groups": ["dev"], "queue": "root.a.x" });
    let limits = api.json("bob", placement, sues).await.is(200, "").body["limits"].clone();
    let what = "user sue in root.a: at most 1 application";
    assert_eq!(limits, json!([{ "what": what, "would": "hold it back: 1 of 1 run" }]));
    other["config"] = json!("partitions: 1");
    api.json("bob", placement, other).await.is(422, "CONFIG_INVALID");
    api.json("ann", KILL, json!({})).await.is(200, "");
    let page = api.get("sue", "/events?detail=904").await.is(200, "").body;
    assert_eq!(page["events"][0]["objectID"], json!("etl"), "{page:#}");
    let id = page["events"][0]["id"].as_u64().unwrap();
    assert!(id >= page["lowest"].as_u64().unwrap() && id <= page["highest"].as_u64().unwrap());
    api.get("sue", "/events?since=x").await.is(400, "BAD_REQUEST");
    let request = Request::builder()
        .uri(format!("/kornsole/v1/events/stream?since={id}"))
        .header("authorization", format!("Bearer {}", api.token("sue")))
        .body(Body::empty())
        .unwrap();
    let mut body = api.router.clone().oneshot(request).await.unwrap().into_body();
    let mut lines = Vec::new();
    while lines.len() < 2 {
        let frame = std::future::poll_fn(|cx| axum::body::HttpBody::poll_frame(std::pin::Pin::new(&mut body), cx));
        let part = frame.await.unwrap().unwrap().into_data().unwrap();
        lines.extend(serde_json::Deserializer::from_slice(&part).into_iter::<Value>().map(Result::unwrap));
    }
    assert!(lines[0]["instanceUUID"].is_string());
    assert_eq!(lines[1]["id"], json!(id), "it goes on exactly where one was");
}

#[tokio::test]
async fn the_scheduler_rests_by_order() {
    let api = Api::new();
    api.json("ann", "POST /scheduler/pause", json!({})).await.is(403, "ACL_DENIED");
    api.json("ops", "POST /scheduler/pause", json!({})).await.is(200, "");
    assert!(api.engine.published().view().resting);
    assert_eq!(api.get("", "/server").await.body["paused"], json!(true));
    api.json("ops", "POST /scheduler/resume", json!({})).await.is(200, "");
}

/// A value that a schema takes.
fn sample(schema: &Value, all: &Value) -> Value {
    if let Some(name) = schema["$ref"].as_str() {
        return sample(&all[name.rsplit('/').next().unwrap()], all);
    }
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    let kind = schema["type"].as_str().unwrap_or_default();
    match kind {
        "object" => match schema["properties"].as_object() {
            Some(properties) => properties.iter().map(|(name, schema)| (name.clone(), sample(schema, all))).collect(),
            None if schema["additionalProperties"]["type"].is_array() => json!({ "vcore": "1" }),
            None => json!({ "key": "value" }),
        },
        "array" => json!([sample(&schema["items"], all)]),
        "boolean" => json!(true),
        "integer" => json!(1),
        _ => json!("root.a.x"),
    }
}

#[tokio::test]
async fn the_document_tells_what_the_handlers_take() {
    let api = Api::new();
    let document = api.get("", "/openapi.json").await.is(200, "").body;
    let schemas = &document["components"]["schemas"];
    let mut seen = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            seen += 1;
            let line = format!("{} {path}", method.to_uppercase()).replace(['{', '}'], "");
            let protected = operation.get("security").is_some();
            if path != "/events/stream" {
                let anonymous = api.send("", &line, &[], Body::empty()).await;
                assert_eq!(anonymous.status == 401, protected, "{line}");
            }
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if schema.is_null() {
                continue;
            }
            let good = sample(schema, schemas);
            let told = api.json("sue", &line, good.clone()).await;
            let malformed = told.body["details"]["kind"] == json!("body");
            let words = told.body["description"].as_str().unwrap_or_default();
            let unread = words.contains("unknown field") || words.contains("invalid type") || words.contains("missing");
            assert!(!(malformed && unread), "{line} does not take {good:#}: {words}");
            let mut odd = good;
            let target = if odd.is_array() { &mut odd[0] } else { &mut odd };
            target["surely-not-known"] = json!(1);
            let told = api.json("sue", &line, odd).await;
            assert!([400, 501].contains(&told.status), "{line} takes a key that is in no document");
        }
    }
    assert_eq!(seen, ours::route::ROUTES.len());
}

use super::*;

const NEW: &str = "/partition/default/application/new";
const EXPLAIN: &str = "/partition/default/application/etl/explain";

fn ask(id: &str, cpu: u64) -> Value {
    json!({ "id": id, "resource": { "vcore": cpu } })
}

#[tokio::test]
async fn an_explanation_has_every_blocker_with_its_values() {
    let api = Api::new();
    let explain = format!("{NEW}/explain");
    let new = json!({ "app": "new", "queue": "root.a.x" });
    api.json("sue", "POST /partition/default/applications", new).await.is(201, "");
    let idle = api.get("bob", &explain).await.is(200, "").body;
    assert_eq!((&idle["waits"], &idle["blockedBy"]), (&json!(false), &json!([])), "{idle:#}");
    assert_eq!(idle["text"], json!("new in root.a.x is not waiting: it has no requests"));
    api.json("sue", &format!("POST {NEW}/asks"), json!([ask("big", 900), ask("big2", 900)])).await.is(201, "");
    let found = api.get("bob", &explain).await.is(200, "").body;
    assert_eq!(
        (&found["waits"], &found["runnable"], &found["state"]),
        (&json!(true), &json!(true), &json!("Accepted"))
    );
    let first = &found["blockedBy"][0];
    assert_eq!(
        (&first["level"], &first["where"], &first["resource"]),
        (&json!("node"), &json!("the partition"), &json!("vcore")),
        "what no time can mend is first: {found:#}"
    );
    assert_eq!((&found["cause"]["kind"], &found["cause"]["permanent"]), (&json!("never"), &json!(true)), "{found:#}");
    let number = |key: &str| first[key].as_i64().unwrap();
    assert_eq!(number("wanted"), 900_000);
    assert_eq!(number("missing"), number("wanted") - (number("limit") - number("used")), "{first:#}");
    let text = found["text"].as_str().unwrap();
    assert!(
        text.starts_with("new in root.a.x waits for cpu on one node: 900 requested, the largest node has 100"),
        "{text}"
    );
    assert_eq!(found["blockedBy"][1]["level"], json!("queue"), "{found:#}");
    assert_eq!(found["nodes"][0]["reason"], json!("capacity"));
    let all = found["asks"].as_array().unwrap();
    assert_eq!((all.len(), &all[0]["alike"]), (1, &json!(2)), "asks that are alike are explained once: {found:#}");
    let remedies = found["remedies"].as_array().unwrap();
    assert!(
        remedies.iter().any(|one| one["text"].as_str().unwrap().starts_with("add a node with 900 cpu")),
        "{found:#}"
    );
    let one = api.get("bob", &format!("{explain}?key=big2")).await.is(200, "").body;
    assert_eq!((&one["asks"][0]["allocationKey"], &one["asks"][0]["alike"]), (&json!("big2"), &json!(1)));
}

#[tokio::test]
async fn what_is_not_there_is_not_found_with_the_nearest_names() {
    let api = Api::new();
    let missing = api.get("bob", "/partition/default/application/etk/explain").await.is(404, "NOT_FOUND").body;
    assert_eq!(
        (&missing["message"], &missing["description"]),
        (&json!("application etk not found"), &json!("nearest: etl"))
    );
    api.get("bob", "/partition/other/application/etl/explain").await.is(404, "NOT_FOUND");
    let ask = api.get("bob", &format!("{EXPLAIN}?key=none")).await.is(404, "NOT_FOUND").body;
    assert_eq!(ask["message"], json!("request none not found"));
    api.get("", EXPLAIN).await.is(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn all_that_waits_is_put_together_by_its_cause() {
    let api = Api::new();
    let new = json!({ "app": "new", "queue": "root.a.x" });
    api.json("sue", "POST /partition/default/applications", new).await.is(201, "");
    api.json("sue", &format!("POST {NEW}/asks"), json!([ask("big", 900), ask("big2", 900)])).await.is(201, "");
    let all = api.get("bob", "/partition/default/explain").await.is(200, "").body;
    let group = &all["groups"][0];
    assert_eq!((&group["asks"], &group["blockedBy"]["level"]), (&json!(3), &json!("node")), "{all:#}");
    let named = |app: &str| group["examples"].as_array().unwrap().iter().any(|one| one["applicationID"] == app);
    assert!(named("new") && named("etl"), "{all:#}");
    assert!(all["text"].as_str().unwrap().contains(" for cpu on one node: "), "{all:#}");
    let elsewhere = api.get("bob", "/partition/default/explain?queue=root.a.y").await.is(200, "").body;
    assert_eq!((&elsewhere["asks"], &elsewhere["text"]), (&json!(0), &json!("no requests wait in root.a.y")));
    let missing = api.get("bob", "/partition/default/explain?queue=root.a.z").await.is(404, "NOT_FOUND").body;
    assert!(missing["description"].as_str().unwrap().starts_with("nearest: root.a."), "{missing:#}");
}

#[tokio::test]
async fn a_finished_application_shows_its_result() {
    let api = Api::new();
    api.json("ann", KILL, json!({ "reason": "too old" })).await.is(200, "");
    let found = api.get("bob", EXPLAIN).await.is(200, "").body;
    assert_eq!((&found["waits"], &found["blockedBy"][0]["level"]), (&json!(false), &json!("ended")), "{found:#}");
    assert!(found["text"].as_str().unwrap().contains("is not waiting: it is Failed"), "{found:#}");
}

#[tokio::test]
async fn queues_are_next_to_their_guarantees() {
    let api = Api::new();
    let tag = api.get("owner", "/config").await.headers["etag"].to_str().unwrap().to_owned();
    let guaranteed = CONFIG
        .replace("- name: y\n", "- name: y\n                properties: {}\n")
        .replace("resources: {max: {vcore: 2}}", "resources: {guaranteed: {vcore: 1}, max: {vcore: 2}}");
    api.yaml("owner", "PUT /config", &[("if-match", &tag)], &guaranteed).await.is(200, "");
    let found = api.get("bob", "/partition/default/fairness").await.is(200, "").body;
    let rows = found["queues"].as_array().unwrap();
    let row = |queue: &str| rows.iter().find(|row| row["queue"] == queue && row["resource"] == "vcore").unwrap();
    assert_eq!((&row("root.a.y")["idle"], &row("root.a.y")["deficit"]), (&json!(1000), &json!(0)), "{found:#}");
    assert_eq!(row("root.a.x")["borrowed"], row("root.a.x")["used"], "{found:#}");
}

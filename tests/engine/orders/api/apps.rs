use super::*;

#[tokio::test]
async fn a_rejected_kill_has_the_shape_of_e2_and_an_accepted_one_lists_the_released() {
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
            "description": "needs admin access on root.a.x or a parent",
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

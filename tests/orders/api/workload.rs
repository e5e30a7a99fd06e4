//! What a resource manager does: applications, asks, nodes.

use super::*;

#[tokio::test]
async fn a_resource_manager_submits_asks_releases_and_keeps_nodes() {
    let api = Api::new();
    let submit = "POST /partition/default/applications";
    let done = api.json("sue", submit, json!({ "app": "one", "queue": "root.b.z" })).await.is(201, "");
    assert_eq!(done.body, json!({ "applicationID": "one", "queue": "root.b.z" }));
    api.json("sue", submit, json!({ "app": "one", "queue": "root.b.z" })).await.is(409, "EXISTS");
    api.json("ann", submit, json!({ "app": "two", "queue": "root.b.z" })).await.is(422, "NOT_PLACED");
    let asks = "POST /partition/default/application/one/asks";
    let body =
        json!([{ "id": "t", "count": 2, "resource": { "vcore": "500m", "memory": 1000 }, "tags": { "pod": "a" } }]);
    assert_eq!(api.json("sue", asks, body.clone()).await.is(201, "").body["asks"], json!(["t-1", "t-2"]));
    let row = api.engine.published().view().partitions[0].app_by_id(&"one".into()).unwrap().clone();
    assert!(row.asks.values().all(|ask| ask.tags.iter().eq([("pod", "a")])), "{:?}", row.asks);
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

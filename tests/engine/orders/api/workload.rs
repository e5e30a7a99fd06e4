use super::*;

#[tokio::test]
async fn a_resource_manager_submits_requests_releases_and_manages_nodes() {
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

#[tokio::test]
async fn bodies_are_the_values_of_a_scenarios_steps() {
    let api = Api::new();
    let submit = "POST /partition/default/applications";
    let gang = json!({
        "app": "gang", "queue": "root.b.z", "user": "sue", "groups": ["dev"], "tags": { "team": "blue" }, "type": "spark",
        "gangStyle": "Hard", "placeholderTimeout": "1m30s",
        "taskGroups": [
            { "name": "a", "minMember": 2, "minResource": { "vcore": "500m" } },
            { "name": "b", "minResource": { "vcore": 1 } },
        ],
    });
    api.json("sue", submit, gang.clone()).await.is(201, "");
    let row = api.engine.published().view().partitions[0].app_by_id(&"gang".into()).unwrap().clone();
    assert_eq!((row.tags["application.type"].as_str(), row.tags["team"].as_str()), ("spark", "blue"));
    let with = |changed: Value| {
        let mut body = gang.as_object().unwrap().clone();
        body.extend(changed.as_object().unwrap().clone());
        Value::from(body)
    };
    // root.a.y has headroom for exactly the 2 vcores of this gang.
    let tight = json!({ "app": "fits", "queue": "root.a.y" });
    api.json("sue", submit, with(tight)).await.is(201, "");
    let groups = json!([{ "name": "a", "minMember": 3, "minResource": { "vcore": 1 } }]);
    let wide = json!({ "app": "large", "queue": "root.a.y", "taskGroups": groups });
    api.json("sue", submit, with(wide)).await.is(422, "NOT_PLACED");
    let stated = json!({ "app": "stated", "queue": "root.a.y", "taskGroups": groups, "placeholder": { "vcore": 1 } });
    api.json("sue", submit, with(stated)).await.is(201, "");
    api.json("sue", submit, with(json!({ "app": "ann's", "user": "ann" }))).await.is(403, "ACL_DENIED");
    api.json("sue", submit, with(json!({ "app": "ops'", "groups": ["ops"] }))).await.is(403, "ACL_DENIED");
    let asks = "POST /partition/default/application/gang/asks";
    let one =
        json!({ "app": "gang", "id": "p", "resource": { "vcore": "500m" }, "placeholder": true, "taskGroup": "a" });
    api.json("sue", asks, json!([one])).await.is(201, "");
    for (part, reported) in [
        (json!({ "app": "other", "id": "q" }), "does not match the application"),
        (json!({ "id": "q", "count": 0 }), "at least 1"),
        (json!({ "id": "q", "resource": { "vcore": -1 } }), "a quantity: an integer of 0 or more"),
        (json!({ "id": "q", "resource": { "": 1 } }), "a resource needs a name"),
        (json!({ "id": "" }), "an ask needs an `id`"),
        (json!({ "id": "a\u{0}b" }), "no control characters"),
        (json!({ "id": "x".repeat(513) }), "at most 512 bytes"),
    ] {
        let message = api.json("sue", asks, json!([part])).await.is(400, "BAD_REQUEST").body;
        assert!(message["description"].as_str().unwrap().contains(reported), "{part}: {message:#}");
    }
    for (part, reported) in [
        (json!({ "app": "three", "placeholderTimeout": "soon" }), "is not a duration"),
        (json!({ "app": "three", "placeholderTimeout": [1] }), "a duration: whole seconds, or a string"),
        (json!({ "app": "three", "taskGroups": [{ "minMember": 1 }] }), "a task group needs a `name`"),
        (json!({ "app": "x\n" }), "no control characters"),
    ] {
        let message = api.json("sue", submit, with(part.clone())).await.is(400, "BAD_REQUEST").body;
        assert!(message["description"].as_str().unwrap().contains(reported), "{part}: {message:#}");
    }
}

#[tokio::test]
async fn a_duplicate_name_is_rejected_and_named() {
    let api = Api::new();
    let part = "/partition/default";
    for (line, body, name) in [
        ("POST {part}/applications", r#"{"app": "twice", "queue": "root.a.x", "tags": {"a": "1", "a": "2"}}"#, "a"),
        (
            "POST {part}/applications",
            r#"{"app": "twice", "queue": "root.a.x", "placeholder": {"vcore": 1, "vcore": 2}}"#,
            "vcore",
        ),
        (
            "POST {part}/application/etl/asks",
            r#"[{"id": "t", "resource": {"vcore": 1, "memory": 1, "vcore": 2}}]"#,
            "vcore",
        ),
        ("POST {part}/nodes", r#"{"id": "n9", "capacity": {"memory": 1, "memory": 1}}"#, "memory"),
        ("POST {part}/placement", r#"{"user": "sue", "tags": {"namespace": "a", "namespace": "b"}}"#, "namespace"),
        ("POST {part}/application/etl/kill", r#"{"reason": "a", "reason": "b"}"#, "reason"),
    ] {
        let line = line.replace("{part}", part);
        let kind = [("content-type", "application/json")];
        let refused = api.send("owner", &line, &kind, Body::from(body)).await.is(400, "BAD_REQUEST");
        let why = refused.body["description"].as_str().unwrap();
        assert!(why.contains(name) && why.contains(" at line 1 column "), "{line}: {why}");
        assert!(why.contains("duplicate"), "{line}: {why}");
    }
}

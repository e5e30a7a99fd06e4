use super::*;

#[tokio::test]
async fn a_what_if_shows_the_differences_and_changes_nothing() {
    let api = Api::new();
    let before = api.get("owner", "/config").await.body;
    let asked = json!({"changes": ["kill etl", "kill nobody"], "run": {"advance": "1m"}});
    let result = api.json("bob", "POST /whatif", asked).await.is(200, "").body;
    assert_eq!(result["diff"]["applications"][0]["applicationID"], json!("etl"), "{result:#}");
    assert_eq!(result["diff"]["applications"][0]["effect"], json!("killed"));
    assert_eq!(result["refused"][0]["what"], json!("kill nobody"));
    assert_eq!((&result["stopped"], &result["runtimes"]), (&json!("time"), &json!("runtimes: never ends")));
    assert!(result["trace"].as_array().unwrap().iter().any(|line| line["event"] == json!("killed")), "{result:#}");
    assert_eq!(api.get("owner", "/config").await.body, before);
    api.json("ann", KILL, json!({})).await.is(200, "");
}

#[tokio::test]
async fn steps_and_a_configuration_are_tried_and_bad_ones_are_refused_with_their_place() {
    let api = Api::new();
    let steps = json!([{"node": {"id": "more", "capacity": {"vcore": "4"}}}, {"drainNode": "more"}]);
    let asked = json!({"steps": steps, "run": {"cycles": 5}, "compare": ["nodes"]});
    let result = api.json("sue", "POST /whatif", asked).await.is(200, "").body;
    assert_eq!(result["diff"]["nodes"][0]["node"], json!("more"), "{result:#}");
    assert_eq!(result["diff"]["queues"], json!([]));
    let faulty = json!({"config": "partitions: 1"});
    let result = api.json("sue", "POST /whatif", faulty).await.is(200, "").body;
    assert_eq!((&result["verdict"], &result["refused"][0]["what"]), (&json!("nothing differs"), &json!("config")));
    for (wrong, place) in [
        (json!({"changes": ["burn it"]}), "changes[0]"),
        (json!({"steps": [{"node": {}}]}), "steps[0].node"),
        (json!({"run": {"advance": "soon"}}), "run.advance"),
        (json!({"runtimes": ["soon"]}), "runtimes[0]"),
        (json!({"compare": ["weather"]}), "compare"),
        (json!({"chnages": []}), "chnages"),
    ] {
        let answer = api.json("sue", "POST /whatif", wrong).await.is(400, "BAD_REQUEST");
        assert!(answer.body.to_string().contains(place), "{place}: {:#}", answer.body);
    }
    api.json("sue", "POST /whatif", json!({"partition": "nowhere"})).await.is(404, "NOT_FOUND");
    api.json("", "POST /whatif", json!({})).await.is(401, "UNAUTHENTICATED");
}

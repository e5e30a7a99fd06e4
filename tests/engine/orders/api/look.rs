use super::*;

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
    assert_eq!(limits, json!([{ "what": what, "would": "block it: 1 of 1 run" }]));
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
    assert_eq!(lines[1]["id"], json!(id), "it continues exactly where one was");
}

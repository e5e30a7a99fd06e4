use super::*;

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
async fn the_document_matches_the_handlers() {
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
            let message = api.json("sue", &line, good.clone()).await;
            let malformed = message.body["details"]["kind"] == json!("body");
            let words = message.body["description"].as_str().unwrap_or_default();
            let unread = words.contains("unknown field") || words.contains("invalid type") || words.contains("missing");
            assert!(!(malformed && unread), "{line} does not take {good:#}: {words}");
            let mut odd = good;
            let target = if odd.is_array() { &mut odd[0] } else { &mut odd };
            target["surely-not-known"] = json!(1);
            let message = api.json("sue", &line, odd).await;
            assert!([400, 501].contains(&message.status), "{line} takes a key that is in no document");
        }
    }
    assert_eq!(seen, native::route::ROUTES.len());
}

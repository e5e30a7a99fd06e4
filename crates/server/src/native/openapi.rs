//! The OpenAPI document of the native API, generated from the table of routes and the transfer types.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::route::{BodyKind, ROUTES, Route, Verb};
use wire::dto::native as dto;

/// Schemas by direction: optional fields of a request are always present in an answer.
struct Schemas {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
        });
        let settings = settings.with_transform(RecursiveTransform(without_null));
        Self {
            requests: settings.clone().for_deserialize().into_generator(),
            responses: settings.for_serialize().into_generator(),
        }
    }

    fn finish(mut self) -> Map<String, Value> {
        let mut all = self.requests.take_definitions(true);
        all.extend(self.responses.take_definitions(true));
        all
    }
}

/// Fields without a value are omitted, so remove `null` from the types.
fn without_null(schema: &mut Schema) {
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let only = std::mem::take(only);
            schema.remove("anyOf");
            only.into_iter().for_each(|(key, value)| drop(schema.insert(key, value)));
        }
    }
}

pub(super) fn document() -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for route in &ROUTES {
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        methods[route.method.to_lowercase()] = operation(route, &mut schemas);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "kornsole",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The endpoints of kornsole in addition to the REST API of Apache YuniKorn.",
        },
        "servers": [{ "url": "/kornsole/v1" }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas.finish(),
        },
    })
}

fn config_headers() -> [Value; 3] {
    let header = |name: &str, kind: &str, text: &str| json!({ "name": name, "in": "header", "description": text, "schema": { "type": kind } });
    [
        header(
            "If-Match",
            "string",
            "The checksum of the configuration to replace; if it is missing, the response is 428",
        ),
        header("Kornsole-Allow-Empty", "boolean", "The text may be empty, or have comments only"),
        header(
            "Kornsole-Allow-Removal",
            "integer",
            "The number of queues that the configuration may remove, even if it is more than half of them",
        ),
    ]
}

fn operation(route: &Route, schemas: &mut Schemas) -> Value {
    let names = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = names
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    if route.changes() {
        let schema = json!({ "type": "string", "maxLength": 128 });
        parameters.push(json!({ "name": "Idempotency-Key", "in": "header", "schema": schema }));
    }
    if matches!(route.verb, Verb::ConfigPut | Verb::ConfigRollback) {
        parameters.extend(config_headers());
    }
    let query = match route.verb {
        Verb::Explain => Some(("key", "Only this request")),
        Verb::Waiting => Some(("queue", "Only pending requests in this queue and its subtree")),
        _ => None,
    };
    if let Some((name, description)) = query {
        let schema = json!({ "type": "string" });
        parameters.push(json!({ "name": name, "in": "query", "description": description, "schema": schema }));
    }
    let content = |schema: Schema| json!({ "application/json": { "schema": schema } });
    let error = content(schemas.responses.subschema_for::<dto::NativeError>());
    let mut done = json!({ "description": "Done" });
    if let Some(response) = route.response {
        done["content"] = content(response(&mut schemas.responses));
    }
    let mut operation = json!({
        "operationId": format!("{:?}", route.verb),
        "summary": route.summary,
        "parameters": parameters,
        "responses": { "2XX": done, "default": { "description": "Why not", "content": error } },
    });
    if route.token {
        operation["security"] = json!([{ "token": [] }]);
    }
    match route.body {
        BodyKind::None => {}
        BodyKind::Yaml => {
            operation["requestBody"] = json!({ "required": true, "content": { "application/yaml": {} } });
        }
        BodyKind::Json(body) => {
            operation["requestBody"] = json!({ "content": content(body(&mut schemas.requests)) });
        }
    }
    operation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                found.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned));
                object.values().for_each(|value| references(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_to_a_schema() {
        let document = document();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > ROUTES.len(), "{found:?}");
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
        }
    }

    #[test]
    fn every_answer_that_is_a_document_has_a_schema() {
        for route in &ROUTES {
            let other = matches!(route.verb, Verb::OpenApi | Verb::EventStream | Verb::NotYet);
            assert_eq!(route.response.is_none(), other, "{}", route.path);
        }
    }
}

//! The OpenAPI document of part II, made from the table of routes.

use serde_json::{Map, Value, json};

use super::route::{BodyKind, ROUTES, Route};
use crate::api::dto::ours as dto;
use crate::view::act::Code;

/// The whole document.
pub(super) fn document() -> Value {
    let mut paths = Map::new();
    for route in &ROUTES {
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        methods[route.method.to_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "kornsole",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What a kornsole takes beyond an Apache YuniKorn's REST API.",
        },
        "servers": [{ "url": "/kornsole/v1" }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas(),
        },
    })
}

fn operation(route: &Route) -> Value {
    let names = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = names
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    if route.changes() {
        let schema = json!({ "type": "string", "maxLength": 128 });
        parameters.push(json!({ "name": "Idempotency-Key", "in": "header", "schema": schema }));
    }
    let failed = json!({
        "description": "Why not",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    });
    let mut told = json!({
        "operationId": format!("{:?}{}", route.verb, if route.path.ends_with("explain") { "Explain" } else { "" }),
        "summary": route.summary,
        "parameters": parameters,
        "responses": { "2XX": { "description": "Done" }, "default": failed },
    });
    if route.token {
        told["security"] = json!([{ "token": [] }]);
    }
    match route.body {
        BodyKind::None => {}
        BodyKind::Yaml => {
            told["requestBody"] = json!({ "required": true, "content": { "application/yaml": {} } });
        }
        BodyKind::Json(name) => {
            let schema = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                Some(name) => json!({ "type": "array", "items": reference(name) }),
                None => reference(name),
            };
            told["requestBody"] = json!({ "content": { "application/json": { "schema": schema } } });
        }
    }
    told
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn amounts() -> Value {
    json!({ "type": "object", "additionalProperties": { "type": ["string", "integer"] } })
}

fn texts() -> Value {
    json!({ "type": "array", "items": text() })
}

fn tags() -> Value {
    json!({ "type": "object", "additionalProperties": text() })
}

fn object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        properties.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The types that are sent, and that of errors.
fn schemas() -> Value {
    let reason = || ("reason", json!({ "type": "string", "maxLength": 500 }));
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let check = [("action", text()), ("application", text()), ("partition", text()), ("to", text()), ("queue", text())];
    let check = object(&[&check[..], &[("text", text())]].concat(), &["action"]);
    let ask = object(
        &[
            ("id", text()),
            ("count", json!({ "type": "integer", "minimum": 1 })),
            ("resource", amounts()),
            ("priority", json!({ "type": "integer" })),
            ("requiredNode", text()),
            ("allowPreemptSelf", flag()),
            ("allowPreemptOther", flag()),
            ("originator", flag()),
            ("placeholder", flag()),
            ("taskGroup", text()),
            ("tags", tags()),
        ],
        &["id", "resource"],
    );
    let submit = object(
        &[
            ("app", text()),
            ("queue", text()),
            ("tags", tags()),
            ("gangStyle", json!({ "enum": ["Soft", "Hard"] })),
            ("placeholderTimeout", json!({ "type": "integer", "description": "seconds" })),
            ("placeholderAsk", amounts()),
            reason(),
        ],
        &["app"],
    );
    let node = [("id", text()), ("capacity", amounts()), ("occupied", amounts()), ("attributes", tags()), reason()];
    let question = [("user", text()), ("groups", texts()), ("queue", text()), ("tags", tags()), ("config", text())];
    json!({
        "Checks": object(&[("checks", json!({ "type": "array", "items": check }))], &["checks"]),
        "Kill": object(&[reason(), ("expectQueue", text())], &[]),
        "Move": object(&[("to", text()), reason(), ("expectQueue", text()), ("dryRun", flag())], &["to"]),
        "BulkAction": object(
            &[("action", json!({ "enum": ["kill", "move"] })), ("ids", texts()), ("to", text()), reason()],
            &["action", "ids"],
        ),
        "PlacementQuestion": object(&question, &["user"]),
        "Submit": submit,
        "Ask": ask,
        "NodeBody": object(&node, &[]),
        "Rollback": object(&[("revision", json!({ "type": "integer", "minimum": 1 })), reason()], &["revision"]),
        "OnlyReason": object(&[reason()], &[]),
        "Cleanup": object(
            &[("what", json!({ "type": "array", "items": { "enum": ["queues", "applications"] } })), ("dryRun", flag()),
              reason()],
            &["what"],
        ),
        "Error": {
            "type": "object",
            "required": ["status_code", "message", "description", "code", "requestId", "details"],
            "properties": {
                "status_code": { "type": "integer" },
                "message": text(),
                "description": text(),
                "code": { "enum": codes },
                "requestId": text(),
                "details": { "type": "object" },
            },
            "example": dto::OwnError::default(),
        },
    })
}

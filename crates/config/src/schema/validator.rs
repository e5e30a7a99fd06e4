//! A validator for the keywords of the schema, and the YAML values of an editor.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::Regex;
use serde_json::{Value, json};

use crate::fault::Faults;
use crate::node::FieldValue;
use crate::yaml::{self, Node, Style};

/// The first document by the core schema of YAML 1.2, as an editor reads it.
pub fn value_of(text: &str) -> Option<Value> {
    let document = yaml::parse(text, &mut Faults::default())?;
    Some(document.root().map_or(Value::Null, plain))
}

fn plain(node: Node<'_>) -> Value {
    let silent = &mut Faults::default();
    if let Some(items) = node.is_list().then(|| node.items("", "", silent)).flatten() {
        return items.into_iter().map(plain).collect();
    }
    if let Some(fields) = node.any_map("", "", silent) {
        return fields.into_iter().map(|(key, node)| (key.text.to_owned(), plain(node))).collect();
    }
    match node.scalar() {
        Some(scalar) if scalar.is_null() => Value::Null,
        Some(scalar) if scalar.style == Style::Plain => match scalar.text {
            "true" | "True" | "TRUE" => json!(true),
            "false" | "False" | "FALSE" => json!(false),
            text => {
                if let Ok(number) = text.parse::<u64>() {
                    return json!(number);
                }
                match node.float("", "", "", silent) {
                    FieldValue::Value(number) if number.value.is_finite() => json!(number.value),
                    _ => json!(text),
                }
            }
        },
        Some(scalar) => json!(scalar.text),
        None => Value::Null,
    }
}

/// An unknown keyword fails the test.
pub fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut out = Vec::new();
    let fits = |schema: &Value, value: &Value| faults(root, schema, value, at).is_empty();
    for (keyword, rule) in schema.as_object().unwrap() {
        let good = match keyword.as_str() {
            "$schema" | "title" | "description" | "deprecated" | "$defs" | "then" => true,
            "$ref" => {
                let target = root.pointer(rule.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
                out.extend(faults(root, target, value, at));
                true
            }
            "type" => match rule {
                Value::Array(types) => types.iter().any(|name| is_of(name, value)),
                name => is_of(name, value),
            },
            "enum" => rule.as_array().unwrap().contains(value),
            "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().unwrap(), text)),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap()),
            "minProperties" => value.as_object().is_none_or(|map| map.len() as u64 >= rule.as_u64().unwrap()),
            "required" => {
                let keys = rule.as_array().unwrap();
                value.as_object().is_none_or(|map| keys.iter().all(|key| map.contains_key(key.as_str().unwrap())))
            }
            "anyOf" => rule.as_array().unwrap().iter().any(|shape| fits(shape, value)),
            "allOf" => rule.as_array().unwrap().iter().all(|shape| fits(shape, value)),
            "not" => !fits(rule, value),
            "if" => !fits(rule, value) || fits(&schema["then"], value),
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                out.extend(items.flat_map(|(index, item)| faults(root, rule, item, &format!("{at}[{index}]"))));
                true
            }
            "properties" => {
                for (key, shape) in rule.as_object().unwrap() {
                    out.extend(value.get(key).into_iter().flat_map(|v| faults(root, shape, v, &format!("{at}.{key}"))));
                }
                true
            }
            "additionalProperties" => {
                let known = |key: &String| schema["properties"].get(key).is_some();
                let others = value.as_object().into_iter().flatten().filter(|(key, _)| !known(key));
                for (key, value) in others {
                    let at = format!("{at}.{key}");
                    match rule {
                        Value::Bool(false) => out.push(format!("{at}: not allowed")),
                        shape => out.extend(faults(root, shape, value, &at)),
                    }
                }
                true
            }
            other => panic!("unknown keyword {other}"),
        };
        if !good {
            out.push(format!("{at}: {keyword} {rule}: {value}"));
        }
    }
    out
}

fn matches(pattern: &str, text: &str) -> bool {
    thread_local!(static KNOWN: RefCell<HashMap<String, Regex>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| {
        known.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).unwrap()).is_match(text)
    })
}

fn is_of(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            value.as_u64().is_some() || value.as_i64().is_some() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        other => panic!("type {other}"),
    }
}

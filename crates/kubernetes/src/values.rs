//! The objects of manifests as JSON values, for readers of other kinds.

use serde_json::{Map, Value};

use config::Faults;
use config::yaml::{self, Node, Style};

/// The objects of a text of YAML or JSON, those in lists too, each with its line.
///
/// # Errors
/// All errors of the text, each with its place.
pub fn values(name: &str, bytes: &[u8]) -> Result<Vec<(u32, Value)>, Vec<String>> {
    let documents = documents(name, bytes)?;
    let mut found = Vec::new();
    documents.iter().filter_map(yaml::Document::root).for_each(|root| gather(root, &mut found));
    Ok(found)
}

const LARGEST: usize = 1 << 30;

/// The documents of a text of YAML, or all of its errors.
pub(crate) fn documents(name: &str, bytes: &[u8]) -> Result<Vec<yaml::Document>, Vec<String>> {
    let mut faults = Faults::default();
    let text = yaml::decode_up_to(bytes, LARGEST, &mut faults);
    let documents = text.map(|text| yaml::parse_all(text, &mut faults)).unwrap_or_default();
    let errors = faults.into_sorted().into_iter().filter(|fault| fault.severity == config::Severity::Error);
    let errors: Vec<String> = errors.map(|fault| format!("{name}:{fault}")).collect();
    if errors.is_empty() { Ok(documents) } else { Err(errors) }
}

fn gather(node: Node<'_>, found: &mut Vec<(u32, Value)>) {
    let silent = &mut Faults::default();
    if node.is_list() {
        return node.items("", "", silent).unwrap_or_default().into_iter().for_each(|item| gather(item, found));
    }
    let fields = node.any_map("", "", silent);
    let kind = fields.as_ref().and_then(|fields| Some(fields.get("kind")?.scalar()?.text));
    let items = fields.as_ref().and_then(|fields| fields.get("items"));
    match items.filter(|items| items.is_list() && kind.is_some_and(|kind| kind.ends_with("List"))) {
        Some(items) => gather(items, found),
        None if fields.is_some() => found.push((node.at().line, value_of(node))),
        None => {}
    }
}

/// A value of YAML as JSON has it. How deep it goes is bounded by the reader.
pub(crate) fn value_of(node: Node<'_>) -> Value {
    let silent = &mut Faults::default();
    if let Some(scalar) = node.scalar() {
        return scalar_of(scalar.text, scalar.style, scalar.is_null());
    }
    if node.is_list() {
        return Value::Array(node.items("", "", silent).unwrap_or_default().into_iter().map(value_of).collect());
    }
    let fields = node.any_map("", "", silent);
    let entries = fields.into_iter().flatten().map(|(key, value)| (key.text.to_owned(), value_of(value)));
    Value::Object(entries.collect::<Map<_, _>>())
}

/// A scalar: what is not quoted may be a number or a bool.
fn scalar_of(text: &str, style: Style, is_null: bool) -> Value {
    if is_null {
        return Value::Null;
    }
    let is_plain = style == Style::Plain;
    match text {
        "true" | "True" | "TRUE" if is_plain => return Value::Bool(true),
        "false" | "False" | "FALSE" if is_plain => return Value::Bool(false),
        _ => {}
    }
    let number_like = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if is_plain && number_like {
        if let Ok(number) = text.parse::<i64>() {
            return Value::from(number);
        }
        if let Some(number) = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
            return Value::Number(number);
        }
    }
    Value::String(text.to_owned())
}

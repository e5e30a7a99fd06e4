//! The text of an entry: written, encoded, packed, or faulty.

use super::emit;
use super::layers::{Entry, Value};
use super::placeholders;
use super::places::Places;
use super::unpack::{fault, packed_text};
use super::walk::{Text, is_setting};
use crate::fault::Faults;
use crate::types::Place;
use crate::yaml::{Content, Node};

pub(super) fn entry(text: &Text<'_>, key: &str, at: Place, node: Node<'_>) -> Entry {
    Entry { key: key.to_owned(), at: text.places.outer(at), value: value(text, key, node) }
}

fn value(text: &Text<'_>, key: &str, node: Node<'_>) -> Value {
    if let Some(scalar) = node.scalar() {
        if !is_setting(key) {
            return Value::Text(String::new(), Places::default());
        }
        let content = if scalar.is_null() { "" } else { scalar.text };
        let places = text.places.inside(&text.lines, &scalar);
        return match placeholders::unexpanded(content, text.maker(), &places) {
            Some(fault) => Value::Faulty(Box::new(fault)),
            None => Value::Text(content.to_owned(), places),
        };
    }
    if let Some(hcl) = text.hcl {
        return hcl.value(text, key, node);
    }
    if matches!(node.document.nodes[node.id as usize].content, Content::Broken) {
        return Value::Reported;
    }
    let mut faults = Faults::default();
    node.wrong_type(key, "a text", "data", &mut faults);
    let fault = faults.into_sorted().into_iter().next();
    let moved =
        |fault: crate::Fault| Value::Faulty(Box::new(crate::Fault { at: text.places.outer(fault.at), ..fault }));
    fault.map_or(Value::Reported, moved)
}

pub(super) fn encoded(text: &Text<'_>, node: Node<'_>) -> Value {
    match emit::text_of(node, text.hcl) {
        Ok((made, runs)) => Value::Text(made, text.places.made(runs, node.at())),
        Err(fault) => Value::Faulty(Box::new(fault)),
    }
}

/// Without its compression suffix (K8S-011); empty if YuniKorn ignores it.
pub(super) fn packed(text: &Text<'_>, key: &str, at: Place, node: Node<'_>, group: &str) -> Option<Entry> {
    let group = format!("{group}.yaml");
    let (name, form) = key.rsplit_once('.')?;
    let outer = text.places.outer(at);
    if !form.eq_ignore_ascii_case("gz") {
        let message = if key == group {
            format!("YuniKorn ignores the binaryData entry `{key}`: it takes `.{form}` for a compression")
        } else {
            format!("YuniKorn reads the binaryData entry `{key}` as an empty text: it unpacks only gzip")
        };
        let hint = format!("write the text to `{group}` in `data`, or pack it with gzip as `{group}.gz`");
        let fault = fault(outer, message, hint);
        let key = if key == group { String::new() } else { name.to_owned() };
        return Some(Entry { key, at: outer, value: Value::Faulty(Box::new(fault)) });
    }
    let scalar = node.scalar()?;
    let start = text.places.outer(node.at());
    let value = match packed_text(scalar.text) {
        Ok(content) => Value::Text(content, text.places.packed(node.at())),
        Err((message, hint)) => Value::Faulty(Box::new(fault(start, format!("`{key}`: {message}"), hint))),
    };
    Some(Entry { key: name.to_owned(), at: outer, value })
}

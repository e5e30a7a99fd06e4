//! Placement rules with their filters and parent rules, as written.

use super::{FILTER, RULE, names_of};
use crate::fault::Faults;
use crate::node::{FieldValue, Fields};
use crate::raw::{RawFilter, RawRule};
use crate::types::Placed;
use crate::values::RuleKind;
use crate::values::placement_rule::is_qualified;
use crate::yaml::Node;

pub(super) fn rules(fields: Fields<'_>, path: &str, faults: &mut Faults) -> Vec<RawRule> {
    let rules = fields.list("placementrules", path, faults).unwrap_or_default();
    let each = rules.into_iter().enumerate();
    each.filter_map(|(index, node)| rule(node, &format!("{path}.placementrules[{index}]"), faults)).collect()
}

fn rule(node: Node<'_>, path: &str, faults: &mut Faults) -> Option<RawRule> {
    let fields = node.map("a placement rule", &RULE, path, faults)?;
    let (name, name_faulty) = match fields.text("name", path, faults) {
        FieldValue::Value(name) => (name, false),
        FieldValue::Unset => (Placed { value: String::new(), at: node.at() }, false),
        FieldValue::Faulty => (Placed { value: String::new(), at: node.at() }, true),
    };
    let filter = fields.get("filter").and_then(|node| {
        let fields = node.map("filter", &FILTER, path, faults)?;
        Some(RawFilter {
            at: node.at(),
            kind: fields.text("type", path, faults).good(),
            users: names_of(fields, "users", path, faults).unwrap_or_default(),
            groups: names_of(fields, "groups", path, faults).unwrap_or_default(),
        })
    });
    Some(RawRule {
        at: node.at(),
        name,
        name_faulty,
        create: fields.bool("create", path, faults),
        filter,
        parent: fields.get("parent").and_then(|node| parent_rule(node, path, faults)).map(Box::new),
        value: fields.text("value", path, faults).good(),
        text: false,
    })
}

/// A map, and in kornsole's profile also a text or a list of one (CFG-093, PLC-013).
fn parent_rule(node: Node<'_>, path: &str, faults: &mut Faults) -> Option<RawRule> {
    let path = format!("{path}.parent");
    let written = match node {
        node if node.scalar().is_some() => "a text",
        node if node.is_list() => "a list",
        node => return rule(node, &path, faults),
    };
    if faults.as_release() {
        node.wrong_type("parent", "a map", &path, faults);
        return None;
    }
    if written == "a text" {
        return text_rule(node, &path, faults);
    }
    match node.list("parent", &path, faults)?.as_slice() {
        [one] => rule(*one, &path, faults),
        many => {
            let message = format!("`parent` is a list of {} rules", many.len());
            let hint = "a rule has one parent rule: write it as a map; it can have a parent rule too";
            faults.error("CFG-093", node.at(), &path, message, hint);
            None
        }
    }
}

/// A queue path is a `fixed` rule, anything else the name of a rule.
fn text_rule(node: Node<'_>, path: &str, faults: &mut Faults) -> Option<RawRule> {
    let text = node.text("parent", path, faults).good()?;
    let mut rule = RawRule { at: text.at, text: true, ..RawRule::default() };
    if is_qualified(&text.value) {
        rule.name = Placed { value: RuleKind::Fixed.name().to_owned(), at: text.at };
        rule.value = Some(text);
    } else {
        rule.name = text;
    }
    Some(rule)
}

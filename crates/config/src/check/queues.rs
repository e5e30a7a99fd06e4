//! Queues and their siblings (CFG-030 to CFG-038, CFG-051, CFG-056, CFG-057, ACL-005 to ACL-010).

use std::collections::HashMap;

use super::{properties, shown};
use crate::fault::Faults;
use crate::node::FieldValue;
use crate::raw::{RawQueue, RawTemplate};
use crate::types::{Place, Placed};
use model::acl::AclNames;
use model::name::{NameChars, QUEUE_NAME_MAX, is_queue_name};
use model::{Acl, Profile};

pub(super) fn check(root: &RawQueue, faults: &mut Faults) {
    check_queue(root, faults);
    report_empty_submit_acl(root, faults);
}

fn check_queue(queue: &RawQueue, faults: &mut Faults) {
    for (key, acl) in [("adminacl", &queue.admin_acl), ("submitacl", &queue.submit_acl)] {
        if let Some(text) = acl {
            check_acl(key, text, &queue.path, faults);
        }
    }
    properties::check(&queue.properties, &queue.path, faults);
    if let Some(template) = &queue.template {
        check_template(queue, template, faults);
    }
    check_children(queue, faults);
    for child in &queue.children {
        check_applications(queue, child, faults);
        check_queue(child, faults);
    }
}

/// CFG-030, CFG-031, CFG-034.
fn check_children(queue: &RawQueue, faults: &mut Faults) {
    if let Some(parent) = queue.parent.as_good()
        && !parent.value
        && !queue.children.is_empty()
        && queue.path != "root"
    {
        let message = format!("`parent: false` is written on a queue with {} children", queue.children.len());
        faults.strict("CFG-034", parent.at, &queue.path, message, "remove `parent` or the children");
    }
    let mut seen: HashMap<&str, &Placed<String>> = HashMap::new();
    for child in &queue.children {
        if let Some((fault, hint)) = name_fault(&child.name.value, faults.profile()) {
            let message = format!("queue name {} in {} {fault}", shorten(&child.name.value), queue.path);
            faults.error("CFG-030", child.name.at, &queue.path, message, hint);
        }
        match seen.get(child.path.as_str()) {
            Some(first) => {
                let (name, first_name, line) = (&child.name.value, &first.value, first.at.line);
                let message = if name == first_name {
                    format!("duplicate queue {name:?} in {}; first defined on line {line}", queue.path)
                } else {
                    format!("queue {name:?} duplicates {first_name:?} of line {line} in {}", queue.path)
                };
                faults.error(
                    "CFG-031",
                    child.name.at,
                    &queue.path,
                    message,
                    "names ignore case: rename one of the two",
                );
            }
            None => {
                seen.insert(&child.path, &child.name);
            }
        }
    }
}

fn name_fault(name: &str, profile: Profile) -> Option<(String, &'static str)> {
    let (chars, hint) = match profile {
        Profile::V1_8_0 | Profile::V1_9_0 => (NameChars::Wide, "1 to 64 of a-z A-Z 0-9 _ - : # / @"),
        _ => (NameChars::Narrow, "1 to 64 of a-z A-Z 0-9 _ -"),
    };
    if is_queue_name(name, chars) {
        return None;
    }
    let fault = if name.is_empty() {
        "is empty".to_owned()
    } else if let Some(c) = name.chars().find(|c| !is_queue_name(c.encode_utf8(&mut [0; 4]), chars)) {
        format!("contains {c:?}")
    } else {
        format!("has {} characters, more than {QUEUE_NAME_MAX}", name.len())
    };
    Some((fault, hint))
}

fn shorten(name: &str) -> String {
    if name.chars().count() <= 80 {
        return format!("{name:?}");
    }
    format!("{:?}…", name.chars().take(80).collect::<String>())
}

/// CFG-037, CFG-038, and warnings.
fn check_acl(key: &str, text: &Placed<String>, path: &str, faults: &mut Faults) {
    let names = if faults.as_release() { AclNames::Core } else { AclNames::Portable };
    let reading = match Acl::parse(&text.value, names) {
        Ok(reading) => reading,
        Err(parts) => {
            let message =
                format!("`{key}` {} has {} spaces, which makes {parts} parts", shorten(&text.value), parts - 1);
            let hint = "write users and groups, each separated by commas, with one space between the two lists: 'sue,bob dev,ops'";
            let trimmed = text.value.trim();
            if trimmed != "*" && trimmed.split_whitespace().count() > 2 {
                faults.error("CFG-037", text.at, path, message, hint);
            } else {
                faults.strict("CFG-037", text.at, path, message, hint);
            }
            return;
        }
    };
    for name in &reading.ignored {
        let (message, hint) = if name == "*" {
            ("`*` among other names is not a name and is ignored".to_owned(), "write '*' alone for all users")
        } else {
            let legal = match names {
                AclNames::Portable => "letters, digits, `.`, `_` first; then `@` and `-` too",
                AclNames::Core => "a letter or `_` first, then letters, digits, `_`, `-`; for users `.` and `@` too",
            };
            (format!("{} is not a valid name and is ignored", shorten(name)), legal)
        };
        faults.warning("CFG-038", text.at, path, format!("`{key}`: {message}"), hint);
    }
    if reading.comma_before_groups {
        let message = format!("`{key}` {}: names after the space are groups", shorten(&text.value));
        faults.warning(
            "ACL-007",
            text.at,
            path,
            message,
            "no space after a comma; the first space separates users from groups",
        );
    }
}

/// A template: where it may stand, and its values (CFG-035, CFG-051).
fn check_template(queue: &RawQueue, template: &RawTemplate, faults: &mut Faults) {
    let path = &queue.path;
    if !queue.is_parent() && path != "root" {
        let message = "a child template on a leaf has no effect";
        faults.warning("CFG-035", template.at, path, message, "write `parent: true`, or remove the template");
    }
    properties::check(&template.properties, path, faults);
    let amounts = |amounts: &Option<crate::raw::RawResource>| {
        amounts.as_ref().map(|amounts| amounts.resource.clone()).unwrap_or_default()
    };
    let (guaranteed, max) = (amounts(&template.guaranteed), amounts(&template.max));
    for (name, amount) in guaranteed.iter() {
        if let Some(limit) = max.get(name).filter(|limit| amount > *limit) {
            let at = template.guaranteed.as_ref().map_or(template.at, |g| g.place(name));
            let (amount, limit) = (shown(name, amount), shown(name, limit));
            let message = format!("the child template guarantees {name} {amount}, above its own max {limit}");
            faults.warning("CFG-051", at, path, message, "guarantee at most the max");
        }
    }
    let own = queue.max.as_ref().map(|max| &max.resource);
    for (name, amount) in max.iter() {
        if let Some(limit) = own.and_then(|own| own.get(name)).filter(|limit| amount > *limit) {
            let at = template.max.as_ref().map_or(template.at, |max| max.place(name));
            let (amount, limit) = (shown(name, amount), shown(name, limit));
            let message =
                format!("the child template's max {name} {amount} is above the max {limit} of the queue itself");
            faults.warning("CFG-051", at, path, message, "the smaller of the two applies");
        }
    }
}

/// The numbers of applications of a queue and a child of it (CFG-056, CFG-057).
fn check_applications(queue: &RawQueue, child: &RawQueue, faults: &mut Faults) {
    let FieldValue::Value(own) = &queue.max_applications else { return };
    let (above, own) = (&queue.path, own.value);
    match &child.max_applications {
        FieldValue::Value(count) if count.value > own => {
            let message =
                format!("`maxapplications` {} of {} is above the {own} of its parent {above}", count.value, child.path);
            faults.error(
                "CFG-056",
                count.at,
                &child.path,
                message,
                format!("write at most {own}, or raise the parent"),
            );
        }
        FieldValue::Unset => {
            let message = format!("{} has no `maxapplications`, its parent {above} has {own}", child.path);
            let hint = format!("write `maxapplications` from 1 to {own}; below a limited queue every queue needs one");
            faults.error("CFG-057", child.at, &child.path, message, hint);
        }
        _ => {}
    }
}

/// ACL-024: only the topmost queues.
fn report_empty_submit_acl(root: &RawQueue, faults: &mut Faults) {
    let closed = report_closed_below(root, faults);
    if closed {
        report_closed(root, faults);
    }
}

/// Returns whether the whole subtree is closed; otherwise reports the closed parts.
fn report_closed_below(queue: &RawQueue, faults: &mut Faults) -> bool {
    let lets_in = |acl: &Option<Placed<String>>| {
        acl.as_ref().is_some_and(|acl| {
            Acl::parse(&acl.value, AclNames::Portable).map_or(true, |reading| !reading.acl.is_empty_list())
        })
    };
    if lets_in(&queue.submit_acl) || lets_in(&queue.admin_acl) {
        return false;
    }
    let (closed, open): (Vec<_>, Vec<_>) =
        queue.children.iter().map(|child| (child, report_closed_below(child, faults))).partition(|(_, closed)| *closed);
    if open.is_empty() {
        return true;
    }
    for (child, _) in closed {
        report_closed(child, faults);
    }
    false
}

fn report_closed(queue: &RawQueue, faults: &mut Faults) {
    let at = if queue.name.at == Place::default() { queue.at } else { queue.name.at };
    let below = if queue.children.is_empty() { "" } else { " and its subtree" };
    let message = format!("no user may submit to {}{below}", queue.path);
    let hint = "set `submitacl` on this queue or a parent, '*' for all users";
    faults.warning("ACL-024", at, &queue.path, message, hint);
}

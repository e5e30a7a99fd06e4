//! W-003: groups in the position of users in an access list.

use std::collections::BTreeSet;

use model::Acl;
use model::acl::AclNames;
use model::expression::is_expression;

use super::rule::Rule;
use super::{Lint, Queue, fields, list, text_of};
use crate::node::Fields;

const WORDS: [&str; 3] = ["group", "groups", "grp"];

/// The names that the configuration uses as users or as groups.
#[derive(Default)]
pub(super) struct Names {
    users: BTreeSet<String>,
    groups: BTreeSet<String>,
}

impl Names {
    fn add(&mut self, of: Fields<'_>) {
        for (key, names) in [("users", &mut self.users), ("groups", &mut self.groups)] {
            let texts = list(of, key).into_iter().filter_map(|name| Some(name.scalar()?.text));
            names.extend(texts.filter(|text| *text != "*" && !is_expression(text)).map(str::to_owned));
        }
    }

    fn add_filters(&mut self, rule: &Rule<'_>) {
        if let Some(filter) = rule.filter {
            self.add(filter);
        }
        if let Some(parent) = &rule.parent {
            self.add_filters(parent);
        }
    }

    fn add_queue(&mut self, of: Fields<'_>) {
        list(of, "limits").into_iter().filter_map(fields).for_each(|limit| self.add(limit));
        for key in ["submitacl", "adminacl"] {
            let read = text_of(of, key).and_then(|text| Acl::parse(text, AclNames::Portable).ok());
            // After a comma and a space, a user seems to be a group (ACL-007).
            let Some(acl) = read.filter(|read| !read.comma_before_groups).map(|read| read.acl) else { continue };
            // Both in `sue sue`, so also in the other lists.
            self.users.extend(acl.users.iter().filter(|user| acl.groups.contains(user)).cloned());
            self.groups.extend(acl.groups);
        }
        list(of, "queues").into_iter().filter_map(fields).for_each(|queue| self.add_queue(queue));
    }

    /// A certain user is none, even if a group has its name (USR-004).
    fn is_probably_group(&self, name: &str) -> bool {
        let is_word = |word: &str| WORDS.contains(&word.to_ascii_lowercase().as_str());
        !self.users.contains(name) && (self.groups.contains(name) || name.split(['-', '_', '.']).any(is_word))
    }
}

impl Lint {
    pub(super) fn collect_names(&mut self, partition: Fields<'_>) {
        self.names = Names::default();
        list(partition, "placementrules")
            .into_iter()
            .filter_map(Rule::of)
            .for_each(|rule| self.names.add_filters(&rule));
        self.names.add_queue(partition);
    }

    /// W-003: the access lists of a queue.
    pub(super) fn access(&mut self, queue: Queue<'_, '_>) {
        for key in ["submitacl", "adminacl"] {
            let Some(node) = queue.fields.get(key) else { continue };
            let Some(text) = node.scalar().map(|scalar| scalar.text) else { continue };
            let Ok(read) = Acl::parse(text, AclNames::Portable) else { continue };
            let is_group = |user: &&String| self.names.is_probably_group(user) && !read.acl.groups.contains(*user);
            let groups: Vec<&str> = read.acl.users.iter().filter(is_group).map(String::as_str).collect();
            let (what, count) = match groups.as_slice() {
                [] => continue,
                [_] => ("a user", 1),
                many => ("users", many.len()),
            };
            let names: Vec<String> = groups.iter().map(|group| format!("`{group}`")).collect();
            let (last, others) = (&names[count - 1], names[..count - 1].join(", "));
            let names = if others.is_empty() { last.clone() } else { format!("{others} and {last}") };
            let message = format!("`{key}` reads {names} as {what}: groups are after a space");
            let hint = format!("write `{key}: '{}'`", moved(text, &groups).replace('\'', "''"));
            self.warn("W-003", node.at(), queue.path, message, &hint);
        }
    }
}

/// The access list with these users as groups; each other entry remains.
fn moved(text: &str, groups: &[&str]) -> String {
    let (users, after) = text.split_once(' ').unwrap_or((text, ""));
    let entries =
        |list: &'_ str| -> Vec<String> { list.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect() };
    // An ignored `*` would mean all users if it were alone (ACL-004, ACL-005).
    let users: Vec<String> =
        entries(users).into_iter().filter(|name| name != "*" && !groups.contains(&name.as_str())).collect();
    let all = groups.iter().map(|group| (*group).to_owned()).chain(entries(after));
    format!("{} {}", users.join(","), all.collect::<Vec<_>>().join(","))
}

//! W-003: groups in the position of users in an access list.

use model::Acl;
use model::acl::AclNames;

use super::{Lint, Queue, fields, list};
use crate::node::Fields;

const WORDS: [&str; 3] = ["group", "groups", "grp"];

impl Lint {
    pub(super) fn collect_groups(&mut self, of: Fields<'_>) {
        for limit in list(of, "limits").into_iter().filter_map(fields) {
            let names = list(limit, "groups").into_iter().filter_map(|name| name.scalar());
            self.groups.extend(names.map(|name| name.text.to_owned()));
        }
        for key in ["submitacl", "adminacl"] {
            let text = of.get(key).and_then(|node| node.scalar()).map(|scalar| scalar.text);
            let read = text.and_then(|text| Acl::parse(text, AclNames::Portable).ok());
            self.groups.extend(read.into_iter().flat_map(|read| read.acl.groups));
        }
        for queue in list(of, "queues").into_iter().filter_map(fields) {
            self.collect_groups(queue);
        }
    }

    /// W-003: the access lists of a queue.
    pub(super) fn access(&mut self, queue: Queue<'_, '_>) {
        for key in ["submitacl", "adminacl"] {
            let Some(node) = queue.fields.get(key) else { continue };
            let Some(text) = node.scalar().map(|scalar| scalar.text) else { continue };
            let Ok(read) = Acl::parse(text, AclNames::Portable) else { continue };
            let is_group = |user: &&String| {
                let known = self.groups.contains(*user) && *user != "*";
                known || user.split(['-', '_', '.']).any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
            };
            let Some(group) = read.acl.users.iter().find(is_group) else { continue };
            let message = format!("`{key}` reads `{group}` as a user: groups are after a space");
            let hint = match read.acl.users.len() {
                1 => format!("write `{key}: ' {group}'`"),
                _ => "write the users, a space, and then the groups: `ann,bob dev,ops`".to_owned(),
            };
            self.warn("W-003", node.at(), queue.path, message, &hint);
        }
    }
}

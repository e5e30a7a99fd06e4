//! Lists of a remote view that are not loaded yet: missing data is not zero.

use std::fmt;
use std::sync::Arc;

/// The lists that were never loaded since the connection. An embedded scheduler has all lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// The active applications, all or those of a queue.
    pub apps: bool,
    /// The nodes, and so the free capacity.
    pub nodes: bool,
    /// The users and the groups.
    pub users: bool,
    /// Why lists cannot be loaded.
    pub missing: MissingLists,
}

/// The placeholder text for applications that are not loaded.
pub const NO_APPS: &str = "loading applications";
/// The placeholder text for nodes.
pub const NO_NODES: &str = "loading nodes";
/// The placeholder text for users and groups.
pub const NO_USERS: &str = "loading users and groups";

/// `None` for a loaded or loading list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingLists {
    /// The reason for applications.
    pub apps: Option<Arc<str>>,
    /// The reason for nodes.
    pub nodes: Option<Arc<str>>,
    /// The reason for users.
    pub users: Option<Arc<str>>,
    /// The reason for groups.
    pub groups: Option<Arc<str>>,
}

impl Unread {
    /// The text for applications that are not loaded.
    pub fn no_apps(&self) -> String {
        reported(self.missing.apps.as_deref(), "applications", NO_APPS)
    }

    /// The text for nodes that are not loaded.
    pub fn no_nodes(&self) -> String {
        reported(self.missing.nodes.as_deref(), "nodes", NO_NODES)
    }

    /// The text for users and groups that are not loaded.
    pub fn no_users(&self) -> String {
        let why = self.missing.users.as_deref().or(self.missing.groups.as_deref());
        reported(why, "users and groups", NO_USERS)
    }

    /// The text for users or groups of which only the others are loaded.
    pub fn no_side(&self) -> Option<String> {
        let why = [("users", &self.missing.users), ("groups", &self.missing.groups)];
        let (what, why) = why.into_iter().find_map(|(what, why)| Some((what, why.as_deref()?)))?;
        (!self.users).then(|| format!("{what} unknown: {why}"))
    }

    /// The texts for the lists of an overview: applications and nodes.
    pub fn words(&self) -> Vec<String> {
        let (apps, nodes) = (self.apps.then(|| self.no_apps()), self.nodes.then(|| self.no_nodes()));
        apps.into_iter().chain(nodes).collect()
    }
}

fn reported(why: Option<&str>, what: &str, loading: &str) -> String {
    why.map_or_else(|| loading.to_owned(), |why| format!("{what} unknown: {why}"))
}

/// An invalid, and so unknown, value of a remote.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unknown {
    /// The kind of the object: `queue`, `application`, `node`, `user`, `group`, `partition`; empty if none.
    pub kind: &'static str,
    /// The name of the object.
    pub name: String,
    /// The path of keys to the value, for example `maxResource.memory`; empty for the object itself.
    pub path: String,
    /// Why it is invalid.
    pub reason: String,
}

impl Unknown {
    /// Whether the value is at or under a key of an object.
    pub fn is_below(&self, kind: &str, name: &str, key: &str) -> bool {
        self.is_of(kind, name) && self.path.split('.').any(|one| one == key)
    }

    /// Whether the length of the list at a key is unknown because of the value; a value inside an entry does not affect
    /// it.
    pub fn cuts(&self, kind: &str, name: &str, key: &str) -> bool {
        self.path.split('.').count() <= 2 && self.is_below(kind, name, key)
    }

    /// Whether the sum of a resource under `key` is unknown because of the value.
    pub fn touches(&self, kind: &str, name: &str, key: &str, resource: &str) -> bool {
        let mut keys = self.path.rsplit('.');
        let (last, above) = (keys.next().unwrap_or_default(), keys.next().unwrap_or_default());
        // The whole value, an entry, a map, or a quantity.
        let is_entry = last == key || last.parse::<usize>().is_ok();
        self.is_below(kind, name, key) && (is_entry || is_map(last) || (is_map(above) && last == resource))
    }

    /// Whether the value belongs to an object.
    pub fn is_of(&self, kind: &str, name: &str) -> bool {
        self.kind == kind && self.name == name
    }
}

fn is_map(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let ends = ["resource", "resources", "resourceusage", "capacity"];
    ends.iter().any(|end| key.ends_with(end)) || matches!(&*key, "allocated" | "occupied" | "available" | "headroom")
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.kind.is_empty() {
            write!(f, "{} {}: ", self.kind, self.name)?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::Unknown;

    #[test]
    fn a_value_makes_only_its_own_amounts_unknown() {
        let touched = |path: &str, key: &str| {
            let unknown = Unknown { kind: "node", name: "n".to_owned(), path: path.to_owned(), reason: String::new() };
            ["memory", "vcore"].map(|resource| unknown.touches("node", "n", key, resource))
        };
        assert_eq!(touched("capacity.memory", "capacity"), [true, false]);
        assert_eq!(touched("capacity", "capacity"), [true, true]);
        assert_eq!(touched("capacity.memory", "allocated"), [false, false]);
        assert_eq!(touched("allocations.3.resource.vcore", "allocations"), [false, true]);
        assert_eq!(touched("allocations.3.resource", "allocations"), [true, true]);
        assert_eq!(touched("allocations.3", "allocations"), [true, true]);
        assert_eq!(touched("allocations.3.priority", "allocations"), [false, false]);
        assert_eq!(touched("queues.0.resourceUsage.memory", "resourceUsage"), [true, false]);
    }
}

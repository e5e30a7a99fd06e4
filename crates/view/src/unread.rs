//! Which lists of a view have not been read yet: one of a scheduler elsewhere is read list by list, and what is missing is not nothing.

use std::fmt;
use std::sync::Arc;

/// The lists that were never read since the connection was made. A scheduler in this process has all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// The live applications, all or those of a queue.
    pub apps: bool,
    /// The nodes, and so the room that is free.
    pub nodes: bool,
    /// The users and groups.
    pub users: bool,
    /// Why lists of these will not come.
    pub missing: MissingLists,
}

/// What a page says instead of applications that were not read.
pub const NO_APPS: &str = "loading applications";
/// What it says instead of nodes.
pub const NO_NODES: &str = "loading nodes";
/// What it says instead of users and groups.
pub const NO_USERS: &str = "loading users and groups";

/// Why lists that were never read will not come by themselves; `None` for one that is there, or still loads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingLists {
    /// Why the live applications will not come.
    pub apps: Option<Arc<str>>,
    /// Why the nodes will not come.
    pub nodes: Option<Arc<str>>,
    /// Why users and groups will not come.
    pub users: Option<Arc<str>>,
}

impl Unread {
    /// What is to be said in the place of applications that were not read.
    pub fn no_apps(&self) -> String {
        said(self.missing.apps.as_deref(), "applications", NO_APPS)
    }

    /// The same for nodes.
    pub fn no_nodes(&self) -> String {
        said(self.missing.nodes.as_deref(), "nodes", NO_NODES)
    }

    /// The same for users and groups.
    pub fn no_users(&self) -> String {
        said(self.missing.users.as_deref(), "users and groups", NO_USERS)
    }

    /// What is to be said of what an overview needs: applications and nodes.
    pub fn words(&self) -> Vec<String> {
        let (apps, nodes) = (self.apps.then(|| self.no_apps()), self.nodes.then(|| self.no_nodes()));
        apps.into_iter().chain(nodes).collect()
    }
}

fn said(why: Option<&str>, what: &str, loading: &str) -> String {
    why.map_or_else(|| loading.to_owned(), |why| format!("{what} unknown: {why}"))
}

/// A value of a remote that could not be read, and so is unknown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unknown {
    /// The kind of the object: `queue`, `application`, `node`, `user`, `group`, `partition`; empty where none is named.
    pub kind: &'static str,
    /// The name of the object, as the remote has it.
    pub name: String,
    /// The keys from the object to the value, as `maxResource.memory`; empty: the object itself.
    pub path: String,
    /// Why it cannot be read.
    pub reason: String,
}

impl Unknown {
    /// Whether it is at or below a key of an object.
    pub fn is_below(&self, kind: &str, name: &str, key: &str) -> bool {
        self.is_of(kind, name) && self.path.split('.').any(|one| one == key)
    }

    /// Whether it makes the length of the list at a key unknown: a value inside an entry does not.
    pub fn cuts(&self, kind: &str, name: &str, key: &str) -> bool {
        self.path.split('.').count() <= 2 && self.is_below(kind, name, key)
    }

    /// Whether it makes an amount unknown that is the sum of what is below `key`, for one resource type.
    pub fn touches(&self, kind: &str, name: &str, key: &str, resource: &str) -> bool {
        let mut keys = self.path.rsplit('.');
        let (last, above) = (keys.next().unwrap_or_default(), keys.next().unwrap_or_default());
        // The whole of it, an entry of a list, a map of amounts, or one amount of a map.
        let is_entry = last == key || last.parse::<usize>().is_ok();
        self.is_below(kind, name, key) && (is_entry || is_map(last) || (is_map(above) && last == resource))
    }

    /// Whether it is a value of an object.
    pub fn is_of(&self, kind: &str, name: &str) -> bool {
        self.kind == kind && self.name == name
    }
}

/// Whether a key has a map of amounts.
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

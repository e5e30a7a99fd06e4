//! Which lists of a view have not been read yet: one of a scheduler elsewhere is read list by list, and what is missing is not nothing.

/// The lists that were never read since the connection was made. A scheduler in this process has all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// The live applications, all or those of a queue.
    pub apps: bool,
    /// The nodes, and so the room that is free.
    pub nodes: bool,
    /// The users and groups.
    pub users: bool,
}

/// What a page says instead of applications that were not read.
pub const NO_APPS: &str = "loading applications";
/// What it says instead of nodes.
pub const NO_NODES: &str = "loading nodes";
/// What it says instead of users and groups.
pub const NO_USERS: &str = "loading users and groups";

impl Unread {
    /// What is to be reported of what an overview needs: applications and nodes.
    pub fn words(self) -> Vec<&'static str> {
        let all = [(self.apps, NO_APPS), (self.nodes, NO_NODES)];
        all.into_iter().filter(|(unread, _)| *unread).map(|(_, words)| words).collect()
    }
}

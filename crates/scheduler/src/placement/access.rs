//! The submitters and administrators of a queue (`acl-and-users.md` section 4).

use model::{Acl, Identity, QueuePath};

use super::tree::{QueueTree, ancestors};
use super::well_known::RECOVERY_QUEUE;

/// The entry that grants access: only that of the requesting user (ACL-029).
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Grant {
    /// The queue of the list.
    pub queue: QueuePath,
    /// Submit or admin ACL.
    pub list: AclKind,
    /// The matching entry.
    pub by: GrantedBy,
}

/// The two access lists of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum AclKind {
    /// `submitacl`: may submit to the queue.
    Submit,
    /// `adminacl`: may administer the queue and submit to it.
    Admin,
}

/// The kind of the matching entry (ACL-020).
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum GrantedBy {
    /// It names everyone.
    #[serde(rename = "Everybody")]
    AllUsers,
    /// It names the user.
    User,
    /// A group of the user.
    Group(Box<str>),
}

/// The submit access from the nearest queue (ACL-021, ACL-026).
pub fn submit<T: QueueTree + ?Sized>(tree: &T, path: &str, who: &Identity) -> Option<Grant> {
    if path == RECOVERY_QUEUE {
        return None;
    }
    ancestors(path).filter_map(|path| tree.queue(path)).find_map(|queue| {
        let by_list = |list, acl| granted_by(acl, who).map(|by| Grant { queue: queue.path.clone(), list, by });
        by_list(AclKind::Submit, queue.submit_acl).or_else(|| by_list(AclKind::Admin, queue.admin_acl))
    })
}

/// The admin access from the nearest queue (ACL-022).
pub fn admin<T: QueueTree + ?Sized>(tree: &T, path: &str, who: &Identity) -> Option<Grant> {
    ancestors(path).filter_map(|path| tree.queue(path)).find_map(|queue| {
        let by = granted_by(queue.admin_acl, who)?;
        Some(Grant { queue: queue.path.clone(), list: AclKind::Admin, by })
    })
}

fn granted_by(acl: &Acl, who: &Identity) -> Option<GrantedBy> {
    if !acl.grants(who) {
        return None;
    }
    Some(if acl.all_users {
        GrantedBy::AllUsers
    } else if acl.users.contains(&who.user) {
        GrantedBy::User
    } else {
        let group = who.groups.iter().find(|group| acl.groups.contains(group));
        GrantedBy::Group(group.map(String::as_str).unwrap_or_default().into())
    })
}

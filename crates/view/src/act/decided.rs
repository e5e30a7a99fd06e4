//! The access decisions that a server reports for its user (REST E3). They override the access lists of the view.

use rustc_hash::FxHashMap;

use super::order::{Act, Actor};
use super::refusal::{Code, Refusal};
use crate::AppRow;
use model::QueuePath;
use scheduler::placement::access::AclKind;

/// A server's decisions about one identity in one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerPermissions {
    /// Submit and admin access per queue, for the queues that existed at the time of the answer.
    pub queues: FxHashMap<QueuePath, Granted>,
    /// Whether the displayed application may be killed.
    pub kill: Option<KillPermission>,
}

/// Access to a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// Submit, or admin.
    pub submit: bool,
    /// Whether one may administer the queue.
    pub admin: bool,
}

/// Whether an application may be killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillPermission {
    /// The application that would be killed.
    pub app: model::AppId,
    /// The queue of the application at the time of the answer; the decision is void after a move.
    pub queue: QueuePath,
    /// The reason of a rejection; `None` if the kill is allowed.
    pub why_not: Option<String>,
}

impl ServerPermissions {
    /// Replaces a decision made from the view.
    pub(super) fn access(
        &self,
        seen: Result<(), Refusal>,
        actor: &Actor,
        act: &Act,
        queue: &QueuePath,
        access: AclKind,
    ) -> Result<(), Refusal> {
        let granted = self.queues.get(queue).map(|granted| match access {
            AclKind::Admin => granted.admin,
            AclKind::Submit => granted.submit,
        });
        match (seen, granted) {
            (Err(refusal), Some(true)) if refusal.code == Code::AclDenied => Ok(()),
            (Ok(()), Some(false)) => Err(Refusal::no_access(actor, act, queue, access)),
            (seen, _) => seen,
        }
    }

    pub(super) fn killing(&self, seen: Result<(), Refusal>, app: &AppRow) -> Result<(), Refusal> {
        let asked = self.kill.as_ref().filter(|kill| kill.app == app.id && kill.queue == app.queue);
        match (seen, asked.map(|kill| kill.why_not.as_deref())) {
            (Err(refusal), Some(None)) if refusal.code == Code::AclDenied => Ok(()),
            (Ok(()), Some(Some(why))) => {
                let (message, description) = why.split_once(": ").unwrap_or((why, ""));
                Err(Refusal::new(Code::AclDenied, message, description))
            }
            (seen, _) => seen,
        }
    }
}

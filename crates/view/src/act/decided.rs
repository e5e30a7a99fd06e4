//! What a server has decided about the user at it (REST E3): where it is known it counts, and not what the access lists of the
//! view would say.

use rustc_hash::FxHashMap;

use super::order::{Act, Actor};
use super::refusal::{Code, Refusal};
use crate::AppRow;
use model::QueuePath;
use scheduler::placement::access::AclKind;

/// A server's decisions about one identity in one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerPermissions {
    /// Of every queue that was there when the server was asked: whether one may submit, and whether one administers it.
    pub queues: FxHashMap<QueuePath, Granted>,
    /// Whether the application on the screen may be killed.
    pub kill: Option<KillPermission>,
}

/// What is granted in a queue.
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
    /// Where it was when the server was asked; once it is elsewhere, the decision is none.
    pub queue: QueuePath,
    /// Why not; `None` when it may.
    pub why_not: Option<String>,
}

impl ServerPermissions {
    /// What was made out from a view, put right by what the server says of the access to a queue.
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

    /// The same for the application that the server was asked about.
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

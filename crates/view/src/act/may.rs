//! Predicts cheaply from a view whether an order would be rejected, to gray out commands.
//!
//! A rejection is certain; a passing order can still be rejected, because a dry run checks more. Decisions from the
//! server ([`ServerPermissions`](super::ServerPermissions)) have precedence.

use super::{AclKind, Act, Actor, Code, PartitionAct, Refusal};
use crate::{AppRow, PartitionView, View};
use model::{AppId, QueuePath};
use scheduler::placement::access;
use scheduler::{may_take, may_touch};

impl View {
    /// Checks whether an order would be rejected at the time of this view.
    ///
    /// # Errors
    /// Returns the rejection.
    pub fn may(&self, actor: &Actor, act: &Act) -> Result<(), Refusal> {
        if let Some(refusal) = Refusal::read_only(actor, act) {
            return Err(refusal);
        }
        if let Some(rights) = &actor.cluster {
            rights.may(self, actor, act)?;
        }
        match act {
            Act::Configure { .. } | Act::Rollback { .. } => Ok(()),
            Act::Pause | Act::Resume | Act::Silence { .. } | Act::EndSilence { .. } if actor.scheduler_admin => Ok(()),
            Act::Pause | Act::Resume | Act::Silence { .. } | Act::EndSilence { .. } => {
                Err(Refusal::no_scheduler_acl(actor, act))
            }
            Act::In { partition, act: wanted } => {
                let found = self.partitions.iter().find(|part| part.name == *partition);
                let part = found.ok_or_else(|| Refusal::not_found("partition", partition))?;
                part.may(actor, act, wanted)
            }
        }
    }
}

impl PartitionView {
    /// Checks whether an actor may kill or move an application, as far as its queue decides.
    ///
    /// # Errors
    /// Returns the rejection.
    pub fn may_administer(&self, actor: &Actor, act: &Act, app: &AppRow) -> Result<(), Refusal> {
        if let Some(refusal) = Refusal::read_only(actor, act) {
            return Err(refusal);
        }
        let seen = may_touch(self, &app.id, app.state, &app.queue, &actor.identity)
            .map_err(|why| Refusal::denied(actor, act, &why));
        if actor.judged_elsewhere && seen.as_ref().is_err_and(|refusal| refusal.code == Code::AclDenied) {
            return Ok(());
        }
        match &self.decided {
            Some(decided) => decided.killing(decided.access(seen, actor, act, &app.queue, AclKind::Admin), app),
            None => seen,
        }
    }

    /// Checks whether a queue may accept an application, by its kind, its state, and access to it.
    ///
    /// # Errors
    /// Returns the rejection.
    pub fn may_take(&self, actor: &Actor, act: &Act, app: &AppRow, to: &QueuePath) -> Result<(), Refusal> {
        let seen = may_take(self, &app.queue, to, &actor.identity).map_err(|why| Refusal::denied(actor, act, &why));
        match &self.decided {
            Some(decided) => decided.access(seen, actor, act, to, AclKind::Submit),
            None => seen,
        }
    }

    fn may(&self, actor: &Actor, act: &Act, wanted: &PartitionAct) -> Result<(), Refusal> {
        match wanted {
            PartitionAct::Kill { app, expect_queue } => {
                let app = self.administered(actor, act, app)?;
                expected(act, app, expect_queue.as_ref())
            }
            PartitionAct::Move { app, to, expect_queue, .. } => {
                let app = self.administered(actor, act, app)?;
                expected(act, app, expect_queue.as_ref())?;
                self.may_take(actor, act, app, to)
            }
            PartitionAct::Clean { .. } => {
                let root = QueuePath::root();
                if actor.scheduler_admin {
                    return Ok(());
                }
                let admin = access::admin(self, root.as_str(), &actor.identity);
                let seen = admin.map(|_| ()).ok_or_else(|| Refusal::no_access(actor, act, &root, AclKind::Admin));
                match &self.decided {
                    Some(decided) => decided.access(seen, actor, act, &root, AclKind::Admin),
                    None => seen,
                }
            }
            PartitionAct::Submit(_) => Ok(()),
            PartitionAct::Ask { app, .. } | PartitionAct::Release { app, .. } | PartitionAct::Remove { app } => {
                let row = self.row(app)?;
                if row.who.user == actor.identity.user {
                    return Ok(());
                }
                self.administered(actor, act, app).map(|_| ())
            }
            PartitionAct::AddNode(_)
            | PartitionAct::UpdateNode { .. }
            | PartitionAct::DrainNode(_)
            | PartitionAct::ResumeNode(_)
            | PartitionAct::RemoveNode { .. } => {
                if actor.scheduler_admin {
                    Ok(())
                } else {
                    Err(Refusal::no_scheduler_acl(actor, act))
                }
            }
        }
    }

    /// The application, if it is active and in a queue that the actor administers.
    fn administered(&self, actor: &Actor, act: &Act, app: &AppId) -> Result<&AppRow, Refusal> {
        let row = self.row(app)?;
        self.may_administer(actor, act, row)?;
        Ok(row)
    }

    fn row(&self, app: &AppId) -> Result<&AppRow, Refusal> {
        let row = self.app_by_id(app).ok_or_else(|| Refusal::not_found("application", app.as_str()))?;
        Ok(row)
    }
}

fn expected(act: &Act, app: &AppRow, queue: Option<&QueuePath>) -> Result<(), Refusal> {
    match queue {
        Some(queue) if *queue != app.queue => Err(queue_changed(act, &app.queue, queue)),
        _ => Ok(()),
    }
}

/// The rejection for an application that is not in the expected queue.
pub fn queue_changed(act: &Act, is: &QueuePath, expected: &QueuePath) -> Refusal {
    let details = super::Details { queue: Some(is.clone()), ..super::Details::default() };
    Refusal::new(Code::QueueChanged, format!("cannot {act}"), format!("it is now in {is}, not in {expected}"))
        .with(details)
}

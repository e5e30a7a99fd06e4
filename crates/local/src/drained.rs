//! Drains the machine. The audit records who drained it, when, and why.

use super::daemon::Daemon;
use super::job::Owner;
use super::requests::{by_scheduler, misused, refused};
use super::wire::Reply;
use view::PartitionView;
use view::act::PartitionAct;

impl Daemon {
    pub(super) fn drained(&self, part: Option<&PartitionView>) -> Option<String> {
        let id = self.settings.machine.node();
        part?.nodes.get(&id).filter(|node| !node.schedulable)?;
        Some(format!("this machine is {}", self.engine.audit_log().drained(&id)))
    }

    pub(super) fn drain(&self, who: &Owner, reason: &str) -> Reply {
        let reason = reason.trim();
        if reason.is_empty() {
            return misused("cannot drain this machine: missing reason; use --reason");
        }
        if let Some(drained) = self.drained(Self::partition(&self.engine.published().view())) {
            return refused(format!("cannot drain this machine: {drained}"));
        }
        self.serviced(who, PartitionAct::DrainNode(self.settings.machine.node()), reason)
    }

    pub(super) fn undrain(&self, who: &Owner) -> Reply {
        if self.drained(Self::partition(&self.engine.published().view())).is_none() {
            return refused("cannot resume this machine: it is not drained");
        }
        self.serviced(who, PartitionAct::ResumeNode(self.settings.machine.node()), "")
    }

    fn serviced(&self, who: &Owner, act: PartitionAct, reason: &str) -> Reply {
        match self.perform_because(&self.actor(who), act, reason) {
            Ok(_) => Reply::Info(Box::new(self.info())),
            Err(why) => by_scheduler(&why),
        }
    }
}

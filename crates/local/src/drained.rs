//! Drains the machine. The audit records who drained it, when, and why.

use super::daemon::Daemon;
use super::job::Owner;
use super::requests::{by_scheduler, misused, refused};
use super::wire::Reply;
use time::OffsetDateTime;
use view::PartitionView;
use view::act::PartitionAct;
use view::audit::AuditQuery;

const MOST_ENTRIES: usize = 20;

impl Daemon {
    pub(super) fn drained(&self, part: Option<&PartitionView>) -> Option<String> {
        let id = self.settings.machine.node();
        part?.nodes.get(&id).filter(|node| !node.schedulable)?;
        let query = AuditQuery {
            limit: MOST_ENTRIES,
            action: Some("drain-node".to_owned()),
            object: Some(id.to_string()),
            ..AuditQuery::default()
        };
        let entries = self.engine.audit_log().entries(&query);
        let Some(entry) = entries.into_iter().find(|entry| entry.allowed) else {
            return Some("this machine is drained".to_owned());
        };
        let since = entry.wall.map(|wall| format!(", since {}", at(wall))).unwrap_or_default();
        let reason = if entry.reason.is_empty() { "no reason given" } else { &entry.reason };
        Some(format!("this machine is drained by {}{since}: {reason}", entry.user))
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

/// Formats nanoseconds as `2026-11-27 23:05 UTC`.
fn at(wall: i64) -> String {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(wall)).map_or_else(
        |_| "an unknown time".to_owned(),
        |at| {
            let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
            format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", at.hour(), at.minute())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_to_the_minute() {
        assert_eq!(at(0), "1970-01-01 00:00 UTC");
        assert_eq!(at(1_790_000_000_000_000_000), "2026-09-21 14:13 UTC");
        assert_eq!(at(i64::MIN), "1677-09-21 00:12 UTC");
    }
}

//! Who drained a node, when, and why: from the audit log.

use super::audit_log::AuditLog;
use model::NodeId;
use scheduler::Partition;
use time::OffsetDateTime;
use view::audit::AuditQuery;
use view::waiting::{BlockLevel, Blocker, Finding, Place};

/// A drain may have been refused before.
const MOST_ENTRIES: usize = 20;

/// What ends a drain.
const ENDS: [&str; 3] = ["resume-node", "remove-node", "add-node"];

impl AuditLog {
    /// Returns `drained by USER, since TIME: REASON` for a drained node, or `drained` if no user drained it, for example
    /// because its cluster cordoned it.
    pub fn drained(&self, node: &NodeId) -> String {
        let latest = |action: &str| {
            let query = AuditQuery {
                limit: MOST_ENTRIES,
                action: Some(action.to_owned()),
                object: Some(node.to_string()),
                ..AuditQuery::default()
            };
            self.entries(&query).into_iter().find(|entry| entry.allowed)
        };
        let ended = ENDS.iter().filter_map(|action| latest(action)).map(|entry| entry.id).max();
        let Some(entry) = latest("drain-node").filter(|entry| ended.is_none_or(|ended| ended < entry.id)) else {
            return "drained".to_owned();
        };
        let since = entry.wall.map(|wall| format!(", since {}", at(wall))).unwrap_or_default();
        let reason = if entry.reason.is_empty() { "no reason given" } else { &entry.reason };
        format!("drained by {}{since}: {reason}", entry.user)
    }
}

/// Adds to each blocker that names an unschedulable node who drained it.
pub(super) fn add_drains(found: &mut Finding, part: &Partition, log: &AuditLog) {
    let blockers: Vec<&mut Blocker> = match found {
        Finding::App(app) => app.asks.iter_mut().flat_map(|ask| &mut ask.blockers).collect(),
        Finding::Waiting(all) => all.groups.iter_mut().filter_map(|group| group.blocker.as_mut()).collect(),
    };
    for blocker in blockers {
        let (BlockLevel::Node, Place::Node(id)) = (blocker.level, &blocker.place) else { continue };
        if part.nodes.find(id).is_some_and(|node| !part.nodes[node].schedulable) {
            blocker.detail = format!("{}: {}", blocker.detail, log.drained(id));
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

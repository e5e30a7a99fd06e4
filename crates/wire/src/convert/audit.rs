//! Revisions of the configuration (E5) and the audit (E11) on the wire.

use super::Wall;
use crate::dto::audit as dto;
use crate::dto::native::ConfigState;
use model::Time;
use view::audit::{AuditEntry, Revision, RevisionSource};

/// Converts a revision without its text.
pub fn revision(revision: &Revision, current: Option<u64>, wall: &Wall) -> dto::RevisionInfo {
    let rollback_of = match revision.source {
        RevisionSource::Rollback(of) => Some(of),
        _ => None,
    };
    dto::RevisionInfo {
        revision: revision.number,
        checksum: revision.checksum.clone(),
        at: revision.wall.unwrap_or_else(|| wall.nanos(revision.at)),
        by: revision.by.clone(),
        reason: revision.reason.clone(),
        source: revision.source.name().to_owned(),
        rollback_of,
        changes: revision.changes,
        current: current == Some(revision.number),
    }
}

/// Converts a revision with its text.
pub fn old_configuration(revision: &Revision, policy_group: &str, wall: &Wall) -> ConfigState {
    ConfigState {
        checksum: revision.checksum.clone(),
        text: revision.text.as_deref().unwrap_or_default().to_owned(),
        source: revision.source.name().to_owned(),
        revision: revision.number,
        loaded_at: revision.wall.unwrap_or_else(|| wall.nanos(revision.at)),
        loaded_by: revision.by.clone(),
        file: None,
        policy_group: policy_group.to_owned(),
    }
}

/// Moves equal fields; the others are given.
macro_rules! entry {
    ($to:path, $from:ident, $($field:ident: $value:expr),* $(,)?) => {{
        use $to as To;
        To {
            id: $from.id,
            user: $from.user,
            groups: $from.groups,
            address: $from.address,
            action: $from.action,
            partition: $from.partition,
            object: $from.object,
            allowed: $from.allowed,
            code: $from.code,
            why: $from.why,
            reason: $from.reason,
            before: $from.before.into_iter().collect(),
            after: $from.after.into_iter().collect(),
            $($field: $value),*
        }
    }};
}

/// Converts an act, done or rejected.
pub fn audit_entry(entry: &AuditEntry, wall: &Wall) -> dto::AuditEntry {
    let entry = entry.clone();
    let at = entry.wall.unwrap_or_else(|| wall.nanos(entry.at));
    entry!(dto::AuditEntry, entry, at: at, request_id: entry.request)
}

/// Converts an audit entry from the wire.
pub fn read_audit_entry(entry: dto::AuditEntry) -> AuditEntry {
    let at = Time(u64::try_from(entry.at / 1000).unwrap_or(0));
    entry!(AuditEntry, entry, at: at, wall: Some(entry.at), request: entry.request_id)
}

/// Converts a revision from the wire, without its text.
pub fn read_revision(revision: dto::RevisionInfo) -> Revision {
    let dto::RevisionInfo { revision: number, checksum, at, by, reason, source, changes, .. } = revision;
    let source = RevisionSource::named(&source, revision.rollback_of.unwrap_or(0)).unwrap_or(RevisionSource::Api);
    let (wall, at) = (Some(at), Time(u64::try_from(at / 1000).unwrap_or(0)));
    Revision { number, checksum, at, wall, by, reason, source, changes, text: None }
}

//! The ledger on the wire: the configurations that were in force (E5), and who did what (E11).

use super::Wall;
use crate::api::dto::ledger as dto;
use crate::api::dto::ours::ConfigState;
use crate::model::Time;
use crate::view::ledger::{AuditEntry, Facts, Revision, RevisionSource};

/// A configuration that was in force, without its text.
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

/// A configuration that was in force, with its text.
pub fn old_configuration(revision: &Revision, wall: &Wall) -> ConfigState {
    ConfigState {
        checksum: revision.checksum.clone(),
        text: revision.text.as_deref().unwrap_or_default().to_owned(),
        source: revision.source.name().to_owned(),
        revision: revision.number,
        loaded_at: revision.wall.unwrap_or_else(|| wall.nanos(revision.at)),
        loaded_by: revision.by.clone(),
    }
}

/// An act, done or refused.
pub fn audit_entry(entry: &AuditEntry, wall: &Wall) -> dto::AuditEntry {
    let AuditEntry { user, groups, address, action, partition, object, code, why, reason, .. } = entry.clone();
    let at = entry.wall.unwrap_or_else(|| wall.nanos(entry.at));
    let facts = |facts: &Facts| facts.iter().cloned().collect();
    let (before, after) = (facts(&entry.before), facts(&entry.after));
    let (id, allowed, request_id) = (entry.id, entry.allowed, entry.request.clone());
    dto::AuditEntry {
        id,
        at,
        user,
        groups,
        address,
        action,
        partition,
        object,
        allowed,
        code,
        why,
        reason,
        before,
        after,
        request_id,
    }
}

/// The same entry, as another one told it.
pub fn read_audit_entry(entry: dto::AuditEntry) -> AuditEntry {
    let dto::AuditEntry { id, at, user, groups, address, action, partition, object, allowed, code, why, .. } = entry;
    let wall = Some(at);
    let at = Time(u64::try_from(at / 1000).unwrap_or(0));
    let (before, after) = (entry.before.into_iter().collect(), entry.after.into_iter().collect());
    let (reason, request) = (entry.reason, entry.request_id);
    AuditEntry {
        id,
        at,
        wall,
        user,
        groups,
        address,
        action,
        partition,
        object,
        allowed,
        code,
        why,
        reason,
        before,
        after,
        request,
    }
}

/// The same revision, as another one told it: without its text.
pub fn read_revision(revision: dto::RevisionInfo) -> Revision {
    let dto::RevisionInfo { revision: number, checksum, at, by, reason, source, changes, .. } = revision;
    let source = RevisionSource::named(&source, revision.rollback_of.unwrap_or(0)).unwrap_or(RevisionSource::Api);
    let (wall, at) = (Some(at), Time(u64::try_from(at / 1000).unwrap_or(0)));
    Revision { number, checksum, at, wall, by, reason, source, changes, text: None }
}

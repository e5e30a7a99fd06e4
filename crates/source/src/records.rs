//! The audit and the revisions from a source.

use std::sync::Arc;

use engine::AuditLog;
use view::act::Actor;
use view::audit::{AuditPage, AuditQuery, Revision};

/// The maximum number of shown entries and revisions.
pub const SHOWN: usize = 10_000;

/// Receives the text of a revision or an error, once, from any thread.
pub type TextAnswer = Box<dyn FnOnce(Result<Arc<str>, String>) + Send>;

/// The records that an actor may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// Counts up with each change.
    pub generation: u64,
    /// The audit, or why it is unknown.
    pub audit: Result<AuditPage, Arc<str>>,
    /// The revisions, the newest first, or why they are unknown.
    pub revisions: Result<Vec<Arc<Revision>>, Arc<str>>,
}

impl Records {
    /// Returns unknown records, with the reason.
    pub fn unknown(why: &str) -> Self {
        Self { generation: 0, audit: Err(Arc::from(why)), revisions: Err(Arc::from(why)) }
    }

    /// The records of an embedded scheduler that an actor may see; `None` if unchanged since a generation.
    pub fn of(ledger: &AuditLog, actor: &Actor, known: u64) -> Option<Self> {
        let generation = ledger.generation();
        if generation == known {
            return None;
        }
        let only = (!actor.scheduler_admin).then(|| actor.user().to_owned());
        let query = AuditQuery { limit: SHOWN, user: only.clone(), ..AuditQuery::default() };
        let audit = AuditPage { entries: ledger.recent(&query), only };
        Some(Self { generation, audit: Ok(audit), revisions: Ok(ledger.recent_revisions()) })
    }

    /// Fails for unknown revisions.
    pub fn text_of(ledger: &AuditLog, number: u64) -> Result<Arc<str>, String> {
        let revision = ledger.revision(number).ok_or_else(|| format!("revision {number} not found"))?;
        revision.text.clone().ok_or_else(|| format!("the text of revision {number} is unknown"))
    }
}

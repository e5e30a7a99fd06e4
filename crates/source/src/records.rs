//! The ledger as a source knows it: the audit, and the configurations that were active.

use std::sync::Arc;

use engine::AuditLog;
use view::act::Actor;
use view::audit::{AuditPage, AuditQuery, Revision};

/// How many entries and revisions are shown at most.
pub const SHOWN: usize = 10_000;

/// Where the text of a revision goes, or why it cannot be fetched. Called once, from any thread.
pub type TextAnswer = Box<dyn FnOnce(Result<Arc<str>, String>) + Send>;

/// What is known of a ledger at one time, as far as who acts may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// Counts up with each change.
    pub generation: u64,
    /// Who did what; or why that is unknown.
    pub audit: Result<AuditPage, Arc<str>>,
    /// The configurations that were active, the newest first; or why they are unknown.
    pub revisions: Result<Vec<Arc<Revision>>, Arc<str>>,
}

impl Records {
    /// Nothing is known, for this reason.
    pub fn unknown(why: &str) -> Self {
        Self { generation: 0, audit: Err(Arc::from(why)), revisions: Err(Arc::from(why)) }
    }

    /// The part of a ledger in this process that someone may see; `None` when it has not changed since a generation.
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

    /// The text of a revision of a ledger in this process.
    ///
    /// # Errors
    /// It is unknown.
    pub fn text_of(ledger: &AuditLog, number: u64) -> Result<Arc<str>, String> {
        let revision = ledger.revision(number).ok_or_else(|| format!("revision {number} not found"))?;
        revision.text.clone().ok_or_else(|| format!("the text of revision {number} is unknown"))
    }
}

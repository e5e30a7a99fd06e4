//! Changes that wait for a write.

use std::sync::Arc;

use super::recorder::RecordBlock;
use super::tables::Change;
use crate::audit_log::NewEntries;

/// Called after a write.
pub type AfterWrite = Box<dyn FnOnce() + Send>;

#[derive(Default)]
pub(super) struct WriteBatch {
    pub changes: Vec<Change>,
    pub bytes: usize,
    /// 0 if none.
    pub last: u64,
    pub then: Option<AfterWrite>,
}

impl WriteBatch {
    pub fn of(block: Option<RecordBlock>, news: &NewEntries) -> Self {
        let mut waiting = Self::default();
        if let Some(block) = block {
            waiting.last = block.last();
            waiting.bytes = block.frames.len();
            waiting.changes.extend(block.rows().map(|(first, frames)| Change::Records(first, frames.into())));
        }
        waiting.changes.extend(changes_of(news));
        waiting
    }
}

pub(super) fn changes_of(news: &NewEntries) -> impl Iterator<Item = Change> {
    #[expect(clippy::expect_used, reason = "plain data without a fallible serializer")]
    fn bytes(value: &impl serde::Serialize) -> Arc<[u8]> {
        rmp_serde::to_vec_named(value).expect("the ledger uses only types of MessagePack").into()
    }
    let entries = news.entries.iter().map(|entry| Change::Audit(entry.id, bytes(&**entry)));
    let revisions = news.revisions.iter().map(|revision| Change::Revision(revision.number, bytes(&**revision)));
    entries.chain(revisions)
}

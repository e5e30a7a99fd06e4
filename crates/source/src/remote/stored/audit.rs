//! The audit of a cluster's orders: `audit.jsonl`, one line per order.

use std::collections::VecDeque;
use std::fs;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Retained;
use model::Time;
use view::audit::{AuditEntry, AuditPage, AuditQuery};
use wire::convert::{Wall, audit as convert};
use wire::dto;
use wire::dto::json::to_bytes;

const FILE: &str = "audit.jsonl";
const OLDER: &str = "audit.1.jsonl";
/// The size in bytes at which the file is rotated.
const LONGEST: u64 = 8 << 20;

impl Retained {
    /// A failed write is only logged: the order was executed.
    pub fn note(&self, mut entry: AuditEntry) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        entry.at = Time(u64::try_from(now.as_micros()).unwrap_or(u64::MAX));
        entry.wall = i64::try_from(now.as_nanos()).ok();
        if let Err(error) = self.add(entry) {
            tracing::warn!("{}: cannot write the audit: {error}", self.file(FILE).display());
        }
    }

    fn add(&self, mut entry: AuditEntry) -> std::io::Result<()> {
        let _lock = self.lock()?;
        entry.id = self.entries().back().map_or(1, |last| last.id + 1);
        if fs::metadata(self.file(FILE)).is_ok_and(|file| file.len() > LONGEST) {
            fs::rename(self.file(FILE), self.file(OLDER))?;
        }
        let line = to_bytes(&convert::audit_entry(&entry, &Wall::new(UNIX_EPOCH, 1.0)));
        self.append(FILE, String::from_utf8_lossy(&line).trim_end())
    }

    fn entries(&self) -> VecDeque<Arc<AuditEntry>> {
        let lines = self.lines(OLDER).chain(self.lines(FILE));
        let read = |line: String| serde_json::from_str::<dto::audit::AuditEntry>(&line).ok();
        lines.filter_map(read).map(|entry| Arc::new(convert::read_audit_entry(entry))).collect()
    }

    /// The newest entries first.
    pub fn audit_page(&self, most: usize) -> AuditPage {
        let query = AuditQuery { limit: most, ..AuditQuery::default() };
        AuditPage { entries: self.audit_entries(&query), only: None }
    }

    /// The matching entries, the newest first.
    pub fn audit_entries(&self, query: &AuditQuery) -> Vec<Arc<AuditEntry>> {
        query.pick(&self.entries())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::stored::history::tests::scratch;

    #[test]
    fn entries_are_numbered_and_a_cut_line_is_skipped() {
        let (retained, dir) = scratch("audit");
        let entry =
            |object: &str| AuditEntry { object: object.to_owned(), action: "kill".to_owned(), ..AuditEntry::default() };
        retained.note(entry("a"));
        let file = dir.join(FILE);
        let whole = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{whole}{{\"id\": 2, \"obj")).unwrap();
        retained.note(entry("b"));
        let seen = retained.audit_page(10).entries;
        let seen: Vec<(u64, &str)> = seen.iter().map(|entry| (entry.id, entry.object.as_str())).collect();
        assert_eq!(seen, [(2, "b"), (1, "a")]);
        fs::remove_dir_all(dir).unwrap();
    }
}

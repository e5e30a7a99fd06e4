//! The stored data of a scheduler whose applications and nodes come from elsewhere, for example Kubernetes:
//! `audit.redb` and `usage.redb`, next to trends and alerts.
//!
//! Invariants:
//! - one thread writes, and no one waits for it;
//! - the ledger counts up to a time and continues after it: unwritten usage of a crash is a gap, never counted twice;
//! - a write failure is reported once, as a notice and by the alerts, and retried.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::Board;
use super::book::file::{File, Role, read_retained};
use engine::journal::{AuditDir, AuditInspection, AuditWriter, DirError};
use engine::{Earlier, Engine};
use ledger::Ledger;
use ledger::followed::saved::Moment;
use model::Profile;
use view::NoticeWeight;

const AUDIT_EVERY: Duration = Duration::from_millis(500);
const LEDGER_EVERY: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A directory owned by this process.
#[derive(Debug)]
pub struct RetainedDir {
    audit: AuditDir,
    ledger: File,
    written: Option<Moment>,
    notes: Vec<String>,
}

/// Why a directory cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotOpened {
    /// Another process uses it, it is of another kind, or a new directory is unusable: nothing may start with it.
    Refused(String),
    /// It was used before, and its disk fails now: a scheduler can run without it.
    Failing(String),
}

impl RetainedDir {
    /// Opens or creates a directory. A damaged file is moved aside.
    ///
    /// # Errors
    /// Returns the reason in words.
    pub fn open(path: &Path, profile: Profile) -> Result<Self, NotOpened> {
        let was_used = AuditInspection::is_of(path);
        let failing = |why| if was_used { NotOpened::Failing(why) } else { NotOpened::Refused(why) };
        let audit = AuditDir::open(path, profile).map_err(|problem| match problem {
            DirError::Dir { .. } | DirError::Start(_) | DirError::Damaged(_) => failing(problem.to_string()),
            _ => NotOpened::Refused(problem.to_string()),
        })?;
        let mut ledger = File::new(path);
        let existed = ledger.path().exists();
        let (role, written) = ledger.open().map_err(failing)?;
        if role == Role::Reader {
            return Err(NotOpened::Refused(format!("another process has {} open", ledger.path().display())));
        }
        let mut notes = audit.notes().to_vec();
        if existed && !ledger.path().exists() {
            let aside = ledger.path().with_extension("redb.damaged");
            notes.push(format!("the ledger was damaged; moved to {} and started a new file", aside.display()));
        }
        Ok(Self { audit, ledger, written, notes })
    }

    /// The repairs, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The state from an earlier run.
    pub fn earlier(&self) -> Earlier {
        Earlier { records: self.audit.retained(), ledger: self.written.clone().map(Ledger::restored) }
    }

    /// Writes the changes of an engine that started with [`RetainedDir::earlier`] until the keeper is dropped, which
    /// writes the rest. The board has an alert while writes fail.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn keep(self, engine: &Arc<Engine>, board: &Arc<Board>) -> std::io::Result<Keeper> {
        let (stop, stopped) = channel();
        let (engine, board) = (Arc::clone(engine), Arc::clone(board));
        for note in self.notes {
            tracing::warn!("{note}");
            drop(engine.work(move |core| core.report_repair(note)));
        }
        let audit = self.audit.follow(engine.audit_log());
        let (ledger, written) = (self.ledger, self.written);
        let mut work = Work { engine, board, audit, ledger, written, failing: None };
        let thread = Builder::new().name("kept".to_owned()).spawn(move || work.run(&stopped))?;
        Ok(Keeper { stop: Some(stop), thread: Some(thread) })
    }
}

/// Reports that a scheduler runs without its directory, with the reason.
pub fn report_unsaved(engine: &Engine, board: &Board, why: &str) {
    let title = format!("no data is saved until the next start: {why}");
    tracing::error!("{title}");
    board.set_unkept(Some(why.to_owned()));
    // No one waits for it.
    drop(engine.work(move |core| core.notice(NoticeWeight::Error, title, String::new())));
}

/// The last stored ledger of a directory; `None` without one.
///
/// # Errors
/// Returns an error if it cannot be read.
pub fn ledger_of(dir: &Path) -> Result<Option<Ledger>, String> {
    Ok(read_retained(dir)?.map(Ledger::restored))
}

/// Dropping it writes the rest and waits.
#[derive(Debug)]
pub struct Keeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

struct Work {
    engine: Arc<Engine>,
    board: Arc<Board>,
    audit: AuditWriter,
    ledger: File,
    written: Option<Moment>,
    failing: Option<String>,
}

impl Work {
    fn run(&mut self, stopped: &Receiver<()>) {
        let (mut pause, mut ledger_fails, mut ledger_written) = (AUDIT_EVERY, None, None::<Instant>);
        loop {
            let last = stopped.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected);
            let audit_fails = self.write_audit().err();
            if last || ledger_written.is_none_or(|written| written.elapsed() >= LEDGER_EVERY) {
                ledger_written = Some(Instant::now());
                ledger_fails = self.write_ledger().err();
            }
            pause = if audit_fails.is_some() { (pause * 2).min(LONGEST_PAUSE) } else { AUDIT_EVERY };
            self.report(audit_fails.or_else(|| ledger_fails.clone()));
            if last {
                return;
            }
        }
    }

    fn write_audit(&mut self) -> Result<(), String> {
        let lost = self.audit.write().map_err(|error| format!("the audit: {error}"))?;
        if lost > 0 {
            self.notice(NoticeWeight::Error, format!("{lost} entries of the audit are lost: the disk is too slow"));
        }
        Ok(())
    }

    fn write_ledger(&mut self) -> Result<(), String> {
        let moment = self.engine.ledger().moment(self.engine.now());
        let outcome = self.ledger.write(&moment, self.written.as_ref());
        // After a failure, the content of the file is unknown.
        self.written = outcome.is_ok().then_some(moment);
        outcome.map_err(|why| format!("the ledger: {why}"))
    }

    fn report(&mut self, failing: Option<String>) {
        match (&self.failing, &failing) {
            (None, Some(why)) => {
                let text = format!("cannot save data, retrying: {why}");
                self.notice(NoticeWeight::Error, text);
            }
            (Some(_), None) => self.notice(NoticeWeight::Info, "data is saved again".to_owned()),
            _ => {}
        }
        if failing != self.failing {
            self.board.set_unkept(failing.clone());
        }
        self.failing = failing;
    }

    fn notice(&self, weight: NoticeWeight, title: String) {
        tracing::warn!("{title}");
        // No one waits for it.
        drop(self.engine.work(move |core| core.notice(weight, title, String::new())));
    }
}

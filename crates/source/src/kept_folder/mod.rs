//! What is kept of a scheduler whose applications and nodes come from elsewhere, as in a cluster of Kubernetes: who did what, the
//! configurations that were active, and what was used. Trends and alerts have files of their own in the same directory.
//!
//! ```text
//!  audit log of the engine ── twice a second ──> audit.redb
//!  ledger of the engine ── every ten seconds ──> usage.redb, the hours that changed
//! ```
//!
//! Invariants:
//! - one thread writes, and no one waits for it;
//! - the ledger counts up to a time, and continues after it: what a crash did not write is a gap and counts never twice;
//! - what cannot be written is reported once, as a notice and by the alerts, and tried again.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::Board;
use super::book::file::{File, Role, read_retained};
use engine::journal::{AuditFolder, AuditInspection, AuditWriter, FolderError};
use engine::{Earlier, Engine};
use ledger::Ledger;
use ledger::followed::saved::Moment;
use model::Profile;
use view::NoticeWeight;

/// How often the audit is examined.
const AUDIT_EVERY: Duration = Duration::from_millis(500);
/// How often the ledger is written.
const LEDGER_EVERY: Duration = Duration::from_secs(10);
/// The longest pause while the disk fails.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A directory that this process has.
#[derive(Debug)]
pub struct RetainedFolder {
    audit: AuditFolder,
    ledger: File,
    /// The ledger as the file has it.
    written: Option<Moment>,
    notes: Vec<String>,
}

/// Why a directory is not opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotOpened {
    /// Another process has it, it is of another kind, or it has never been used and cannot be: nothing is to start with it.
    Refused(String),
    /// It was used before, and its disk fails now: a scheduler runs without it.
    Failing(String),
}

impl RetainedFolder {
    /// Opens a directory, or makes it. A damaged file is moved aside.
    ///
    /// # Errors
    /// Why it cannot be opened, in words.
    pub fn open(path: &Path, profile: Profile) -> Result<Self, NotOpened> {
        let was_used = AuditInspection::is_of(path);
        let failing = |why| if was_used { NotOpened::Failing(why) } else { NotOpened::Refused(why) };
        let audit = AuditFolder::open(path, profile).map_err(|trouble| match trouble {
            FolderError::Folder { .. } | FolderError::Begin(_) | FolderError::Damaged(_) => {
                failing(trouble.to_string())
            }
            _ => NotOpened::Refused(trouble.to_string()),
        })?;
        let mut ledger = File::new(path);
        let was_there = ledger.path().exists();
        let (role, written) = ledger.open().map_err(failing)?;
        if role == Role::Reader {
            return Err(NotOpened::Refused(format!("another process has {} open", ledger.path().display())));
        }
        let mut notes = audit.notes().to_vec();
        if was_there && !ledger.path().exists() {
            let aside = ledger.path().with_extension("redb.damaged");
            notes.push(format!("the ledger was damaged; moved to {} and started a new file", aside.display()));
        }
        Ok(Self { audit, ledger, written, notes })
    }

    /// What was done about damage, for a person.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What an earlier run left.
    pub fn earlier(&self) -> Earlier {
        Earlier { records: self.audit.retained(), ledger: self.written.clone().map(Ledger::restored) }
    }

    /// Writes what an engine does, which started with [`RetainedFolder::earlier`], until what it gives is dropped; then what is left is written.
    /// A board says in its alerts when nothing can be written.
    ///
    /// # Errors
    /// The operating system gives no thread.
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

/// Says that a scheduler runs without its directory, for a reason in words.
pub fn say_unkept(engine: &Engine, board: &Board, why: &str) {
    let title = format!("no data is saved until the next start: {why}");
    tracing::error!("{title}");
    board.set_unkept(Some(why.to_owned()));
    // No one waits for it.
    drop(engine.work(move |core| core.notice(NoticeWeight::Error, title, String::new())));
}

/// The ledger that is kept in a directory, as it was written last; `None` where there is none.
///
/// # Errors
/// It cannot be read: why, in words.
pub fn ledger_of(folder: &Path) -> Result<Option<Ledger>, String> {
    Ok(read_retained(folder)?.map(Ledger::restored))
}

/// The thread that writes. Dropping this has it write what is left, and waits for that.
#[derive(Debug)]
pub struct Keeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread already.
            let _ = thread.join();
        }
    }
}

/// What the thread has.
struct Work {
    engine: Arc<Engine>,
    board: Arc<Board>,
    audit: AuditWriter,
    ledger: File,
    written: Option<Moment>,
    /// Why nothing can be written at present.
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
        // What is in the file after a failure is not known any more.
        self.written = outcome.is_ok().then_some(moment);
        outcome.map_err(|why| format!("the ledger: {why}"))
    }

    /// Says when it starts to fail, and when that has ended.
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

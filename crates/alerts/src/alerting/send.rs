//! Sends notices: a thread per receiver, with increasing pauses after failures.

use std::sync::mpsc::{Receiver as Inbox, RecvTimeoutError, sync_channel};
use std::sync::{Arc, PoisonError, Weak};
use std::thread::Builder;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::board::Board;
use super::document::{self, Notice};
use crate::rule::{Receiver, ReceiverKind};
use crate::{ChangeKind, Rules};
use engine::call::{Attempt, post, run};

/// The first and the longest pause after a failure.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5 * 60));
/// The interval of updates to an Alertmanager about firing alerts, which expire there otherwise.
const REPEATED: Duration = Duration::from_secs(60);
const IDLE: Duration = Duration::from_secs(60);

/// Starts a thread for each receiver. They end when the board is dropped.
///
/// # Errors
/// Returns an error if a thread cannot be started.
pub fn start(board: &Arc<Board>) -> std::io::Result<()> {
    let rules = Arc::clone(&board.snapshot().rules);
    for receiver in rules.targets.receivers.clone() {
        let (wake, woken) = sync_channel(1);
        board.senders.lock().unwrap_or_else(PoisonError::into_inner).push(wake);
        let sender = Sender { board: Arc::downgrade(board), receiver, woken };
        Builder::new().name("alert-send".to_owned()).spawn(move || sender.run())?;
    }
    Ok(())
}

struct Sender {
    board: Weak<Board>,
    receiver: Receiver,
    woken: Inbox<()>,
}

impl Sender {
    fn run(&self) {
        let mut pause = Duration::ZERO;
        loop {
            let Some(board) = self.board.upgrade() else { return };
            let outcome = self.once(&board);
            // Do not keep the board alive while waiting.
            drop(board);
            pause = match &outcome {
                Ok(_) => Duration::ZERO,
                Err(_) => (pause * 2).clamp(PAUSES.0, PAUSES.1),
            };
            let wait = match outcome {
                Ok(true) => continue,
                Ok(false) => IDLE.min(REPEATED),
                Err(_) => pause,
            };
            if self.sleeps(wait, pause > Duration::ZERO) {
                return;
            }
        }
    }

    /// Waits: for the `whole` time after a failure, otherwise until there is something to send. Returns whether the
    /// board was dropped.
    fn sleeps(&self, time: Duration, whole: bool) -> bool {
        let until = Instant::now() + time;
        loop {
            match self.woken.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
                Ok(()) if !whole => return false,
                Ok(()) => {}
            }
        }
    }

    /// Returns whether more is queued.
    fn once(&self, board: &Board) -> Result<bool, ()> {
        let now = SystemTime::now();
        let (notices, rules) = self.to_send(board);
        let Some(last) = notices.last().map(|notice| notice.number) else { return Ok(false) };
        let document: Arc<str> = self.document(&notices, &rules, &board.cluster, now).into();
        let who = &self.receiver.name;
        let stops = |time: Duration| {
            // A command has its own time limit; no one waits for this thread.
            std::thread::sleep(time);
            false
        };
        let attempt = match &self.receiver.to {
            ReceiverKind::Alertmanager(address) => {
                post(who, &format!("{address}/api/v2/alerts"), None, &document, self.receiver.timeout)
            }
            ReceiverKind::Webhook(address) => post(who, address, None, &document, self.receiver.timeout),
            ReceiverKind::Command(words) => run(words, &document, self.receiver.timeout, stops),
        };
        let mut inner = board.inner();
        let taken = match attempt {
            Attempt::Done => Ok(self.take_out(&mut inner, &notices, last)),
            Attempt::Failed(why) => Err(why),
            Attempt::Stopped => Err("stopped".to_owned()),
        };
        let status = inner.status.entry(who.clone()).or_default();
        status.failure = taken.as_ref().err().cloned();
        status.taken += *taken.as_ref().unwrap_or(&0);
        let more = inner.outbox.get(who).is_some_and(|waiting| !waiting.is_empty());
        if taken.as_ref().is_ok_and(|taken| *taken > 0) {
            board.write(&mut inner, now);
        }
        board.show(inner);
        taken.map(|_| more).map_err(|_| ())
    }

    /// Removes delivered notices from the queue. Returns their number.
    fn take_out(&self, inner: &mut super::board::Inner, sent: &[Notice], last: u64) -> u64 {
        let Some(waiting) = inner.outbox.get_mut(&self.receiver.name) else { return 0 };
        let before = waiting.len();
        match self.receiver.to {
            // It got everything up to the last change.
            ReceiverKind::Alertmanager(_) => {
                let last = sent.iter().map(|notice| notice.number).max().unwrap_or(last);
                waiting.retain(|notice| notice.number > last);
            }
            _ => waiting.retain(|notice| notice.number != last),
        }
        (before - waiting.len()) as u64
    }

    /// The notices to send now: for an Alertmanager, all firing alerts and the newly resolved ones; for others, the
    /// next change.
    fn to_send(&self, board: &Board) -> (Vec<Notice>, Arc<Rules>) {
        let inner = board.inner();
        let rules = Arc::clone(inner.alerts.rules());
        let waiting = inner.outbox.get(&self.receiver.name);
        if !matches!(self.receiver.to, ReceiverKind::Alertmanager(_)) {
            return (waiting.and_then(|waiting| waiting.front()).cloned().into_iter().collect(), rules);
        }
        let mut all: Vec<Notice> = Vec::new();
        for notice in waiting.into_iter().flatten().filter(|notice| notice.kind == ChangeKind::Resolved) {
            all.push(notice.clone());
        }
        let fires = inner
            .alerts
            .list()
            .into_iter()
            .filter(|alert| alert.reported && alert.fired.is_some() && alert.severity >= self.receiver.severity);
        for alert in fires {
            let Some(started_at) = inner.started_at.get(&(alert.rule.clone(), alert.subject.clone())) else { continue };
            let number = inner.alerts.next_change().saturating_sub(1);
            all.push(Notice { number, kind: ChangeKind::Firing, alert, started_at: *started_at, ended: None });
        }
        // An alert that fired and resolved while the receiver was unavailable is only sent as resolved.
        (all, rules)
    }

    fn document(&self, notices: &[Notice], rules: &Rules, cluster: &str, now: SystemTime) -> String {
        let ms = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        match &self.receiver.to {
            ReceiverKind::Alertmanager(_) => {
                document::alertmanager(notices, rules, cluster, i64::try_from(ms).unwrap_or(i64::MAX))
            }
            _ => notices
                .first()
                .map(|one| document::webhook(one, &self.receiver.name, rules, cluster))
                .unwrap_or_default(),
        }
    }
}

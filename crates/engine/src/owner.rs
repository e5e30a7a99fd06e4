//! The engine's thread: it owns the core, executes the requests of other threads, and publishes the results.
//!
//! Invariants with a journal:
//! - an order is on disk before its execution; simultaneous orders are written together;
//! - views, events, and answers go out only when all their content is on disk;
//! - while the disk fails, nothing happens by itself: executed work waits to be written, and orders are rejected.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use super::clock::Clock;
use super::core::Core;
use super::drain_hooks::DrainNotifier;
use super::journal::record::{Record, RecordedCommand};
use super::output::{Output, enter_unwritten, with_last_notice};
use super::replay;
use super::request::{Reply, Request};
use super::run_loop::Progress;
use super::setup::Setup;
use scheduler::{Command, Event};
use view::NoticeWeight;
use view::act::{Act, Actor, Code, Order, Refusal};

/// The cycles and commands between checks for requests, and their time limit: in a large cluster, one cycle can take
/// milliseconds.
const SLICE: usize = 8;
const TURN: Duration = Duration::from_millis(2);
const MOST_REQUESTS: usize = 256;
/// How long orders wait for others, to share a disk write.
const GATHER: Duration = Duration::from_micros(150);

pub(super) struct WaitingOrder {
    actor: Actor,
    order: Order,
    /// It was rejected before it arrived.
    refused: Option<Refusal>,
    reply: Reply,
}

pub(super) struct Owner {
    core: Core,
    clock: Clock,
    inbox: Receiver<Request>,
    notifier: Option<DrainNotifier>,
    output: Output,
    orders: Vec<WaitingOrder>,
    stalled: bool,
    together: usize,
}

impl Owner {
    pub fn new(
        core: Core,
        clock: Clock,
        inbox: Receiver<Request>,
        notifier: Option<DrainNotifier>,
        output: Output,
    ) -> Self {
        Self { core, clock, inbox, notifier, output, orders: Vec::new(), stalled: false, together: 0 }
    }

    pub fn run(&mut self) {
        // The record of the start is written at once, so that it always exists.
        self.output.write(&mut self.core.state, None);
        loop {
            let continues = self.take_requests() && self.gather();
            self.carry_out_orders();
            self.output.send_answers(&mut self.core.state, self.stalled);
            if !continues {
                self.output.write(&mut self.core.state, None);
                return;
            }
            if self.check_disk() {
                if !self.wait() {
                    return;
                }
                continue;
            }
            let progress = self.take_turn();
            self.set_clock();
            self.notify_admins();
            if progress == Progress::Reached || self.output.publish_due() {
                self.output.publish(&mut self.core.state, progress == Progress::Reached);
                self.output.take_snapshot(&mut self.core.state);
            }
            if progress == Progress::Reached && !self.wait() {
                return;
            }
        }
    }

    fn take_turn(&mut self) -> Progress {
        let (until, started_at) = (self.clock.now(), Instant::now());
        for _ in 0..SLICE {
            if self.core.run_until(until, 1) == Progress::Reached {
                return Progress::Reached;
            }
            if started_at.elapsed() >= TURN {
                break;
            }
        }
        Progress::Busy
    }

    fn notify_admins(&mut self) {
        let Some(notifier) = &self.notifier else { return };
        for report in self.core.take_drain_reports() {
            if let Err(full) = notifier.notify(&report, self.clock.wall(report.draining.since)) {
                self.core.notice(NoticeWeight::Warning, full, String::new());
            }
        }
    }

    /// The clock is stopped during a pause and while the disk fails.
    fn set_clock(&self) {
        match (self.core.is_paused() || self.stalled, self.clock.runs()) {
            (true, true) => self.clock.stop(self.core.now()),
            (false, false) => self.clock.start_as(self.core.state.clock_history.last()),
            _ => {}
        }
    }

    fn check_disk(&mut self) -> bool {
        let Some(running) = &self.output.journal else { return false };
        let failing = running.journal().failing();
        if failing.is_some() == self.stalled {
            return self.stalled;
        }
        self.stalled = failing.is_some();
        if !self.stalled {
            // The time was stopped and continues from here.
            let setup = Setup { paused: false, ..running.setup.clone() };
            replay::start_run(&mut self.core.state, &setup, self.clock.speed());
        }
        self.set_clock();
        match failing {
            Some(why) => {
                let title = "cannot write the state: the scheduler is paused until writing works".to_owned();
                let text = format!("{why}\nOperations are rejected until then. No confirmed operation is lost.");
                self.core.notice(NoticeWeight::Error, title, text);
                // Unwritten changes since the last view are not shown; only this notice is.
                let published = &self.output.published;
                published.publish(with_last_notice(&mut self.core.state, &published.view()));
            }
            None => {
                let title = "the state can be written again: the scheduler continues".to_owned();
                self.core.notice(NoticeWeight::Info, title, String::new());
            }
        }
        self.stalled
    }

    fn carry_out_orders(&mut self) {
        if self.orders.is_empty() {
            return;
        }
        if !self.check_disk() {
            self.take_turn();
            self.set_clock();
        }
        let mut together = Vec::new();
        for waiting in std::mem::take(&mut self.orders) {
            let act = &waiting.order.act;
            if self.stalled && !act.is_dry_run() {
                self.refuse_stalled(waiting);
            } else if self.output.journal.is_none() || act.is_dry_run() {
                self.commit_orders(&mut together);
                self.carry_out_unrecorded(waiting);
            } else if matches!(act, Act::Configure { .. } | Act::Rollback { .. }) {
                // The base of a configuration change is known only after all previous orders.
                self.commit_orders(&mut together);
                self.commit_orders(&mut vec![waiting]);
            } else {
                together.push(waiting);
            }
        }
        self.commit_orders(&mut together);
    }

    fn refuse_stalled(&mut self, waiting: WaitingOrder) {
        let WaitingOrder { actor, order, reply, .. } = waiting;
        let refusal = not_durable("the disk has failed");
        let (record, _) = replay::prepare_order(&self.core.state, &actor, &order, Some(&refusal));
        enter_unwritten(&mut self.core.state, vec![Record::Order(Box::new(record))], &refusal);
        reply.send(Err(refusal));
    }

    fn carry_out_unrecorded(&mut self, waiting: WaitingOrder) {
        let WaitingOrder { actor, order, refused, reply } = waiting;
        let outcome = match refused {
            Some(refusal) => {
                self.core.enter_refusal(&actor, &order, &refusal);
                Err(refusal)
            }
            None => self.core.perform(&actor, &order),
        };
        self.set_clock();
        self.output.answers.push((reply, outcome));
    }

    /// Writes orders with one wait for the disk, and executes them.
    fn commit_orders(&mut self, together: &mut Vec<WaitingOrder>) {
        if together.is_empty() {
            return;
        }
        let mut replies = Vec::new();
        let (mut records, mut all_prepared) = (Vec::new(), Vec::new());
        for WaitingOrder { actor, order, refused, reply } in together.drain(..) {
            let (record, prepared) = replay::prepare_order(&self.core.state, &actor, &order, refused.as_ref());
            records.push(Record::Order(Box::new(record)));
            all_prepared.push((actor, order, prepared));
            replies.push(reply);
        }
        let first = match self.output.commit(&mut self.core.state, &records) {
            Ok(first) => first,
            Err(why) => {
                // No unwritten change delays this answer.
                let refusal = not_durable(&why);
                replies.into_iter().for_each(|reply| reply.send(Err(refusal.clone())));
                return enter_unwritten(&mut self.core.state, records, &refusal);
            }
        };
        let written = (first..).zip(records);
        for (((actor, order, prepared), reply), (number, record)) in all_prepared.into_iter().zip(replies).zip(written)
        {
            let (before, loads) = (self.core.state.commands, prepared.config.is_some());
            let outcome = replay::carry_out_order(&mut self.core.state, &actor, &order, prepared);
            self.set_clock();
            if let Err(refusal) = &outcome
                && !loads
            {
                let reached = self.core.state.commands != before;
                self.output.shorten(&self.core.state, (number, record), refusal, reached);
            }
            self.output.answers.push((reply, outcome));
        }
    }

    fn take_requests(&mut self) -> bool {
        for _ in 0..MOST_REQUESTS {
            match self.inbox.try_recv() {
                Ok(request) => {
                    if !self.handle(request) {
                        return false;
                    }
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        true
    }

    /// Waits briefly for new orders of clients that just got answers, so that they share a write again: a separate wait
    /// for the disk costs more. Returns whether the thread continues.
    fn gather(&mut self) -> bool {
        if self.output.journal.is_none() || self.orders.is_empty() {
            return true;
        }
        let until = Instant::now() + GATHER;
        while self.orders.len() < self.together {
            match self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(request) => {
                    if !self.handle(request) {
                        return false;
                    }
                }
                Err(_) => break,
            }
        }
        self.together = self.orders.len().min(MOST_REQUESTS);
        true
    }

    /// Returns whether the thread continues.
    fn wait(&mut self) -> bool {
        let due = self.core.next_wake().and_then(|due| self.clock.until(due)).filter(|_| !self.stalled);
        let publish = self.output.publish_wait().filter(|_| !self.stalled);
        let wait = [due, publish].into_iter().flatten().min().unwrap_or(Duration::from_secs(60));
        match self.inbox.recv_timeout(wait) {
            Ok(request) => {
                let continues = self.handle(request);
                if !continues {
                    self.carry_out_orders();
                    self.output.send_answers(&mut self.core.state, self.stalled);
                    self.output.write(&mut self.core.state, None);
                }
                continues
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    fn handle(&mut self, request: Request) -> bool {
        let (actor, order, refused, reply) = match request {
            Request::Perform(given, reply) => (given.0, given.1, None, reply),
            Request::Refuse(given, reply) => (given.0, given.1, Some(given.2), reply),
            other => return self.handle_at_once(other),
        };
        self.orders.push(WaitingOrder { actor, order, refused, reply });
        true
    }

    /// Executes a request that is not an order, after the orders before it.
    fn handle_at_once(&mut self, request: Request) -> bool {
        self.carry_out_orders();
        match request {
            Request::Stop => return false,
            Request::Wake | Request::Perform(..) | Request::Refuse(..) => {}
            Request::Reload(name, content) => {
                self.catch_up();
                match content {
                    Ok(bytes) => self.core.reload(&name, &bytes),
                    Err(why) => self.core.notice(NoticeWeight::Warning, why, String::new()),
                }
            }
            Request::Warn(title, text) => self.core.notice(NoticeWeight::Warning, title, text),
            Request::Work(work) => {
                self.catch_up();
                work(&mut self.core);
            }
            Request::Apply(command, answer) => self.apply(&command, &answer),
            Request::Explain(question, reply) => {
                self.catch_up();
                let outcome = match self.stalled {
                    // Unwritten changes must not be shown.
                    true => Err(Refusal::new(Code::Unavailable, "not now", "cannot write the state")),
                    false => {
                        self.core.share();
                        self.core.fork_for(&question)
                    }
                };
                self.output.explained.push((reply, outcome));
            }
            Request::Fork(partition, most, answer) => {
                self.catch_up();
                self.core.share();
                // The caller may be gone.
                let _ = answer.send(self.core.fork(partition.as_deref(), most));
            }
        }
        true
    }

    /// A command gets the time of its arrival, after everything due before.
    fn catch_up(&mut self) {
        if !self.stalled {
            self.take_turn();
        }
    }

    fn apply(&mut self, command: &Command, answer: &Sender<Vec<Event>>) {
        self.catch_up();
        if self.output.journal.is_some() {
            let (at, command) = (self.core.now(), RecordedCommand::new(command, None));
            // Without a record it is not executed.
            if self.output.commit(&mut self.core.state, &[Record::Give { at, command }]).is_err() {
                return;
            }
        }
        let events = self.core.apply(command);
        // The caller may be gone; the command is executed.
        let _ = answer.send(events);
    }
}

fn not_durable(why: &str) -> Refusal {
    Refusal::new(Code::NotDurable, "cannot save the operation; it was not executed", why)
}

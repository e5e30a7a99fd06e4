//! The engine's thread: it owns the core, carries out what others ask, and shows what came of it.
//!
//! Invariants, where the scheduler is kept in a journal:
//! - an order is on the disk before it is carried out; orders that wait at the same time go there together;
//! - a view, events and answers go out only once all that they show is on the disk;
//! - while the disk fails nothing happens by itself: what was carried out waits to be written, and orders are refused.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use super::clock::Clock;
use super::core::{Core, Progress};
use super::journal::committer::Then;
use super::journal::{Block, Checked, Given, Journal, Kept, Record};
use super::keep::Preparation;
use super::ledger::News;
use super::setup::Setup;
use super::tell::Tell;
use super::thread::{Published, Reply, Request};
use crate::scheduler::{Command, Event};
use crate::view::act::{Act, Actor, Code, Done, Order, Refusal};
use crate::view::{NoticeWeight, View};

/// How many cycles and commands are done before others are heard again, and how long that may take before no other is begun: in a large
/// cluster one may take milliseconds.
const SLICE: usize = 8;
const TURN: Duration = Duration::from_millis(2);
/// How many requests are heard before the scheduler has its turn again.
const HEARD: usize = 256;
/// The shortest time between two published views while there is always something new.
pub(super) const PUBLISH_EVERY: Duration = Duration::from_millis(33);
/// How long orders wait for others that may go to the disk with them.
const GATHER: Duration = Duration::from_micros(150);
/// How long records wait that nobody waits for, and how many bytes of them.
const WRITE_EVERY: Duration = Duration::from_secs(1);
const WRITE_BYTES: usize = 64 << 10;
/// How many bytes of refusals wait while the disk fails.
const WAITING_BYTES: usize = 1 << 20;
/// How many views wait for the disk at most.
const VIEWS: usize = 2;

/// An order that was heard, with what is to be answered if it was refused already.
pub(super) type Heard = (Actor, Order, Option<Refusal>);

pub(super) struct Owner {
    pub core: Core,
    pub clock: Clock,
    pub inbox: Receiver<Request>,
    pub published: Arc<Published>,
    pub last_publish: Option<Instant>,
    pub tell: Option<Tell>,
    /// Orders that were heard and are not carried out yet.
    pub orders: Vec<(Heard, Reply)>,
    /// Outcomes of orders that are answered once their view is published.
    pub answers: Vec<(Reply, Result<Done, Refusal>)>,
    pub kept: Option<Kept>,
    pub last_write: Instant,
    /// The disk fails.
    pub stalled: bool,
    /// How many orders went to the disk together the last time.
    pub together: usize,
}

impl Owner {
    pub fn run(&mut self) {
        // That it was started is written at once: whoever looks back finds it.
        self.write(None);
        loop {
            let goes_on = self.hear_some() && self.gather();
            self.carry_out_orders();
            self.give_answers();
            if !goes_on {
                self.write(None);
                return;
            }
            if self.stalls() {
                if !self.wait() {
                    return;
                }
                continue;
            }
            let progress = self.take_turn();
            self.set_clock();
            self.tell_admins();
            let due = self.last_publish.is_none_or(|last| last.elapsed() >= PUBLISH_EVERY);
            if progress == Progress::Reached || due {
                self.publish(progress == Progress::Reached);
                self.take_snapshot();
            }
            if progress == Progress::Reached && !self.wait() {
                return;
            }
        }
    }

    /// Does what is due by now, but not for long.
    fn take_turn(&mut self) -> Progress {
        let (until, began) = (self.clock.now(), Instant::now());
        for _ in 0..SLICE {
            if self.core.run_until(until, 1) == Progress::Reached {
                return Progress::Reached;
            }
            if began.elapsed() >= TURN {
                break;
            }
        }
        Progress::Busy
    }

    /// Hands on what there is to tell of draining queues.
    fn tell_admins(&mut self) {
        let Some(tell) = &self.tell else { return };
        for report in self.core.take_reports() {
            if let Err(full) = tell.tell(&report, self.clock.wall(report.draining.since)) {
                self.core.notice(NoticeWeight::Warning, full, String::new());
            }
        }
    }

    fn publish(&mut self, idle: bool) {
        // While views come in quick succession the latest waits for its time; the wait below ends then.
        let room = self.kept.as_ref().is_none_or(|kept| kept.journal().views_waiting() < VIEWS);
        let due = room && self.last_publish.is_none_or(|last| last.elapsed() >= PUBLISH_EVERY);
        let view = if due { self.core.take_view() } else { None };
        if view.is_some() {
            self.last_publish = Some(Instant::now());
        }
        match (&self.kept, view) {
            (None, Some(view)) => self.published.publish(view),
            (None, None) => {}
            (Some(_), Some(view)) => self.write(Some(view)),
            (Some(_), None) => {
                let waiting = self.core.recorder.as_ref().map_or(0, |recorder| recorder.waiting());
                let any = waiting > 0 || self.core.ledger().has_new();
                if waiting > WRITE_BYTES || (any && self.last_write.elapsed() >= WRITE_EVERY) {
                    self.write(None);
                }
            }
        }
        self.published.mark_current(idle);
    }

    /// Has everything written that was carried out; then what came of it is told, `view` shown, and orders answered.
    fn write(&mut self, view: Option<Arc<View>>) {
        let Some(kept) = &self.kept else { return };
        let journal = kept.journal();
        let then = self.core.telling(&self.published, view, std::mem::take(&mut self.answers), journal);
        let (block, news) = self.core.take_written();
        self.last_write = Instant::now();
        journal.write(block, &news, then);
    }

    /// Whether all that was carried out is on the disk.
    fn is_written(&self) -> bool {
        let (Some(kept), Some(recorder)) = (&self.kept, &self.core.recorder) else { return true };
        recorder.waiting() == 0 && kept.journal().durable() + 1 >= recorder.next()
    }

    /// Has a snapshot made when there is enough for one.
    fn take_snapshot(&mut self) {
        let Some(kept) = &mut self.kept else { return };
        let Some(recorder) = &self.core.recorder else { return };
        let (work, busy) = (recorder.work(), self.core.counters().cycling());
        if !kept.snapshots.is_due(work, busy) {
            return;
        }
        let number = self.core.write_played();
        self.write(None);
        if let Some(kept) = &mut self.kept {
            kept.snapshots.make(number, kept.work, work, busy);
        }
    }

    /// The clock stands while the scheduler rests, and while the disk fails.
    fn set_clock(&self) {
        match (self.core.rests() || self.stalled, self.clock.runs()) {
            (true, true) => self.clock.stop(self.core.now()),
            (false, false) => self.clock.start_as(self.core.context.stretches.back()),
            _ => {}
        }
    }

    /// Whether the disk fails; what that means is told when it begins and when it is over.
    fn stalls(&mut self) -> bool {
        let Some(kept) = &self.kept else { return false };
        let failing = kept.journal().failing();
        if failing.is_some() == self.stalled {
            return self.stalled;
        }
        self.stalled = failing.is_some();
        if !self.stalled {
            // Time stood meanwhile, and goes on now.
            let setup = Setup { paused: false, ..kept.setup.clone() };
            self.core.begin_run(&setup, self.clock.speed());
        }
        self.set_clock();
        match failing {
            Some(why) => {
                let title = "the state cannot be written: the scheduler rests until it can".to_owned();
                let text = format!("{why}\nOrders are refused meanwhile. Nothing of what was answered is lost.");
                self.core.notice(NoticeWeight::Error, title, text);
                // What it came to since is not shown before it is written; only this is.
                self.published.publish(self.core.with_last_notice(&self.published.view()));
            }
            None => {
                let title = "the state is written again: the scheduler goes on".to_owned();
                self.core.notice(NoticeWeight::Info, title, String::new());
            }
        }
        self.stalled
    }

    /// Carries out the orders that were heard, one after the other at the same time.
    fn carry_out_orders(&mut self) {
        if self.orders.is_empty() {
            return;
        }
        if !self.stalls() {
            self.take_turn();
            self.set_clock();
        }
        let mut together = Vec::new();
        for (heard, reply) in std::mem::take(&mut self.orders) {
            let (actor, order, refused) = &heard;
            if self.stalled && !order.act.is_dry_run() {
                let refusal = not_durable("the disk fails");
                let (ordered, _) = self.core.ordered(actor, order, Some(&refusal));
                self.core.refused_by_disk(vec![Record::Order(Box::new(ordered))], &refusal);
                reply.give(Err(refusal));
                continue;
            }
            if self.kept.is_none() || order.act.is_dry_run() {
                self.carry_out(&mut together);
                let outcome = match refused {
                    Some(refusal) => {
                        self.core.refused(actor, order, refusal);
                        Err(refusal.clone())
                    }
                    None => self.core.perform(actor, order),
                };
                self.set_clock();
                self.answers.push((reply, outcome));
            } else if matches!(order.act, Act::Configure { .. } | Act::Rollback { .. }) {
                // What it replaces is known once all before it is done.
                self.carry_out(&mut together);
                self.carry_out(&mut vec![(heard, reply)]);
            } else {
                together.push((heard, reply));
            }
        }
        self.carry_out(&mut together);
    }

    /// Writes orders, all with one wait for the disk, and carries them out.
    fn carry_out(&mut self, together: &mut Vec<(Heard, Reply)>) {
        if together.is_empty() {
            return;
        }
        let mut replies = Vec::new();
        let (mut records, mut preparations) = (Vec::new(), Vec::new());
        for ((actor, order, refused), reply) in together.drain(..) {
            let (ordered, preparation) = self.core.ordered(&actor, &order, refused.as_ref());
            records.push(Record::Order(Box::new(ordered)));
            preparations.push(preparation);
            replies.push(reply);
        }
        if let Err(why) = self.commit(&records) {
            // There is nothing to be seen that this would have to wait for.
            let refusal = not_durable(&why);
            replies.into_iter().for_each(|reply| reply.give(Err(refusal.clone())));
            self.core.refused_by_disk(records, &refusal);
            return;
        }
        for ((record, preparation), reply) in records.into_iter().zip(preparations).zip(replies) {
            let outcome = self.core.carry_out_written(record, preparation);
            self.set_clock();
            self.answers.push((reply, outcome));
        }
    }

    /// Writes records and waits for the disk; what was carried out before goes first.
    fn commit(&mut self, records: &[Record]) -> Result<(), String> {
        let (before, news) = self.core.take_written();
        let (Some(kept), Some(recorder)) = (&self.kept, &mut self.core.recorder) else { return Ok(()) };
        let block = Block::of(recorder.next(), records);
        let count = block.count;
        self.last_write = Instant::now();
        kept.journal().commit(before, &news, block)?;
        recorder.passed(count);
        Ok(())
    }

    /// Publishes what came of the orders that were heard, and answers them: whoever has an answer sees it in the view.
    fn give_answers(&mut self) {
        if self.answers.is_empty() {
            return;
        }
        if self.stalled {
            // There are only refusals, and nothing new that may be shown.
            self.answers.drain(..).for_each(|(reply, outcome)| reply.give(outcome));
            return;
        }
        let view = self.core.take_view();
        if view.is_some() {
            self.last_publish = Some(Instant::now());
        }
        if !self.is_written() {
            return self.write(view);
        }
        self.core.take_events().into_iter().for_each(|events| self.core.events().append(events));
        if let Some(view) = view {
            self.published.publish(view);
        }
        self.answers.drain(..).for_each(|(reply, outcome)| reply.give(outcome));
    }

    /// Carries out what others ask, without waiting. Gives whether to go on.
    fn hear_some(&mut self) -> bool {
        for _ in 0..HEARD {
            match self.inbox.try_recv() {
                Ok(request) => {
                    if !self.answer(request) {
                        return false;
                    }
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        true
    }

    /// Waits a moment for the orders of those who had their answers just now, so that these go to the disk together again: one wait
    /// for the disk costs more. Gives whether to go on.
    fn gather(&mut self) -> bool {
        if self.kept.is_none() || self.orders.is_empty() {
            return true;
        }
        let until = Instant::now() + GATHER;
        while self.orders.len() < self.together {
            match self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(request) => {
                    if !self.answer(request) {
                        return false;
                    }
                }
                Err(_) => break,
            }
        }
        self.together = self.orders.len().min(HEARD);
        true
    }

    /// Waits until something is due or asked. Gives whether to go on.
    fn wait(&mut self) -> bool {
        let due = self.core.next_wake().and_then(|due| self.clock.until(due)).filter(|_| !self.stalled);
        let publish = self.last_publish.map(|last| PUBLISH_EVERY.saturating_sub(last.elapsed()));
        let publish = publish.filter(|wait| !wait.is_zero() && !self.stalled);
        let wait = [due, publish].into_iter().flatten().min().unwrap_or(Duration::from_secs(60));
        match self.inbox.recv_timeout(wait) {
            Ok(request) => {
                let goes_on = self.answer(request);
                if !goes_on {
                    self.carry_out_orders();
                    self.give_answers();
                    self.write(None);
                }
                goes_on
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    fn answer(&mut self, request: Request) -> bool {
        let (heard, reply) = match request {
            Request::Perform(wanted, reply) => ((wanted.0, wanted.1, None), reply),
            Request::Refuse(wanted, reply) => ((wanted.0, wanted.1, Some(wanted.2)), reply),
            other => return self.answer_at_once(other),
        };
        self.orders.push((heard, reply));
        true
    }

    /// Carries out what is no order, after the orders before it.
    fn answer_at_once(&mut self, request: Request) -> bool {
        self.carry_out_orders();
        match request {
            Request::Stop => return false,
            Request::Wake | Request::Perform(..) | Request::Refuse(..) => {}
            Request::Reload(name, content) => {
                self.run_up();
                match content {
                    Ok(bytes) => self.core.reload(&name, &bytes),
                    Err(why) => self.core.notice(NoticeWeight::Warning, why, String::new()),
                }
            }
            Request::Warn(title, text) => self.core.notice(NoticeWeight::Warning, title, text),
            Request::Apply(command, answer) => self.apply(&command, &answer),
        }
        true
    }

    /// The time of a command is when it is heard, after everything that was due before.
    fn run_up(&mut self) {
        if !self.stalled {
            self.take_turn();
        }
    }

    fn apply(&mut self, command: &Command, answer: &Sender<Vec<Event>>) {
        self.run_up();
        if self.kept.is_some() {
            let (at, command) = (self.core.now(), Given::of(command, None));
            // Without its record it is not carried out; whoever asked sees that in the answer that does not come.
            if self.commit(&[Record::Give { at, command }]).is_err() {
                return;
            }
        }
        let events = self.core.apply(command);
        // Whoever asked may have gone; the command stands all the same.
        let _ = answer.send(events);
    }
}

fn not_durable(why: &str) -> Refusal {
    Refusal::new(Code::NotDurable, "the order cannot be kept, and nothing was done", why)
}

impl Core {
    /// What is told once all is on the disk; `None` when there is nothing to tell.
    fn telling(
        &mut self,
        published: &Arc<Published>,
        view: Option<Arc<View>>,
        answers: Vec<(Reply, Result<Done, Refusal>)>,
        journal: &Journal,
    ) -> Option<Then> {
        let events = self.take_events();
        if events.is_empty() && view.is_none() && answers.is_empty() {
            return None;
        }
        let (log, published, journal) = (Arc::clone(self.events()), Arc::clone(published), journal.clone());
        if view.is_some() {
            journal.view_waits(true);
        }
        Some(Box::new(move || {
            events.into_iter().for_each(|events| log.append(events));
            if let Some(view) = view {
                published.publish(view);
                journal.view_waits(false);
            }
            answers.into_iter().for_each(|(reply, outcome)| reply.give(outcome));
        }))
    }

    /// What is to be written: records, and what is new in the ledger.
    pub(super) fn take_written(&mut self) -> (Option<Block>, News) {
        let block = self.recorder.as_mut().and_then(|recorder| recorder.take());
        (block, self.ledger().take_new())
    }

    /// Writes down how far the workload has been played. Gives the number of that record.
    pub(super) fn write_played(&mut self) -> u64 {
        let record = Record::Played { at: self.now(), state: self.played() };
        let Some(recorder) = &mut self.recorder else { return 0 };
        recorder.record(&record);
        recorder.next() - 1
    }

    /// Carries out an order that is on the disk.
    fn carry_out_written(&mut self, record: Record, preparation: Preparation) -> Result<Done, Refusal> {
        let Record::Order(ordered) = record else { return Err(Refusal::stopped()) };
        self.context.wall = Some(ordered.wall);
        let outcome = match preparation {
            Preparation::Refused(refusal) => {
                self.refused(&ordered.actor, &ordered.order, &refusal);
                Err(*refusal)
            }
            Preparation::None => self.carry_out_order(&ordered.actor, &ordered.order, ordered.checked, None),
            Preparation::Text(prepared) => {
                self.carry_out_order(&ordered.actor, &ordered.order, ordered.checked, Some(prepared))
            }
        };
        self.context.wall = None;
        outcome
    }

    /// Takes note of orders that could not be written: that is written as soon as it can be, unless too much waits for that already.
    fn refused_by_disk(&mut self, records: Vec<Record>, refusal: &Refusal) {
        for record in records {
            let Record::Order(mut ordered) = record else { continue };
            let Some(recorder) = self.recorder.as_mut().filter(|recorder| recorder.waiting() < WAITING_BYTES) else {
                return;
            };
            ordered.checked = Some(Checked::refused(refusal));
            let (wall, actor, order) = (ordered.wall, ordered.actor.clone(), ordered.order.clone());
            recorder.record(&Record::Order(ordered));
            self.context.wall = Some(wall);
            self.refused(&actor, &order, refusal);
            self.context.wall = None;
        }
    }

    /// A view with the last notice, and nothing else new.
    fn with_last_notice(&mut self, view: &View) -> Arc<View> {
        let generation = self.views.skip_generation(view.generation);
        let mut view = View { generation, resting: true, ..view.clone() };
        view.notices.extend(self.views.kept().0.last().cloned());
        Arc::new(view)
    }
}

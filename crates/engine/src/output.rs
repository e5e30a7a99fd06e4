//! The output of the engine's thread: records go to the journal; once they are on disk, events, views, and answers
//! follow.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::audit;
use super::explain::ExplainReply;
use super::journal::committer::{AfterWrite, Journal};
use super::journal::dir::RunningJournal;
use super::journal::record::{CheckedOrder, OrderRecord, Record};
use super::journal::recorder::RecordBlock;
use super::journal::refused;
use super::published::Published;
use super::rejected;
use super::replay;
use super::request::Reply;
use super::run_loop;
use super::setup::PUBLISH_EVERY;
use super::state::State;
use forecast::whatif::Fork;
use view::View;
use view::act::{Done, Refusal};

/// Views take at most this fraction of the time (1/N), unless they take very long.
const SHARE: u32 = 10;
/// How long records wait for a write if no answer depends on them.
const WRITE_EVERY: Duration = Duration::from_secs(1);
const WRITE_BYTES: usize = 64 << 10;
/// The bytes of rejections that wait while the disk fails.
const WAITING_BYTES: usize = 1 << 20;
/// The bytes of unwritten records at which the scheduler waits for the disk.
const MOST_ON_THE_WAY: usize = 16 << 20;
const MOST_VIEWS: usize = 2;

/// The answer to an order, sent after the publication of its view.
pub(super) type OrderAnswer = (Reply, Result<Done, Refusal>);

/// The copy for a question, sent once its content is on disk.
type Explained = (ExplainReply, Result<Fork, Refusal>);

pub(super) struct Output {
    pub published: Arc<Published>,
    pub last_publish: Option<Instant>,
    publish_every: Duration,
    view_took: Duration,
    /// Outcomes of orders with an unpublished view.
    pub answers: Vec<OrderAnswer>,
    pub explained: Vec<Explained>,
    pub journal: Option<RunningJournal>,
    pub last_write: Instant,
    /// Records in the journal's queue: the number of the last one, and the bytes.
    on_the_way: VecDeque<(u64, usize)>,
}

impl Output {
    pub fn new(published: Arc<Published>, journal: Option<RunningJournal>, publish_every: Duration) -> Self {
        Self {
            published,
            last_publish: None,
            publish_every,
            view_took: Duration::ZERO,
            answers: Vec::new(),
            explained: Vec::new(),
            journal,
            last_write: Instant::now(),
            on_the_way: VecDeque::new(),
        }
    }

    /// `None` for now.
    pub fn publish_wait(&self) -> Option<Duration> {
        if !self.has_place() {
            return Some(self.pause());
        }
        let wait = self.pause().saturating_sub(self.last_publish?.elapsed());
        Some(wait).filter(|wait| !wait.is_zero())
    }

    pub fn publish_due(&self) -> bool {
        self.last_publish.is_none_or(|last| last.elapsed() >= self.pause())
    }

    fn has_place(&self) -> bool {
        self.journal.as_ref().is_none_or(|running| running.journal().views_waiting() < MOST_VIEWS)
    }

    fn pause(&self) -> Duration {
        (self.view_took * SHARE).clamp(self.publish_every, PUBLISH_EVERY.max(self.publish_every))
    }

    /// `idle` means that no work is left.
    pub fn publish(&mut self, state: &mut State, idle: bool) {
        // Under load, the latest view waits.
        let due = self.has_place() && self.publish_due();
        let view = if due { self.take_view(state) } else { None };
        match (&self.journal, view) {
            (None, Some(view)) => self.published.publish(view),
            (None, None) => {}
            (Some(_), Some(view)) => self.write(state, Some(view)),
            (Some(_), None) => {
                let waiting = state.recorder.as_ref().map_or(0, |recorder| recorder.waiting());
                let any = waiting > 0 || state.audit_log.has_new();
                if waiting > WRITE_BYTES || (any && self.last_write.elapsed() >= WRITE_EVERY) {
                    self.write(state, None);
                }
            }
        }
        self.published.mark_current(idle);
    }

    fn take_view(&mut self, state: &mut State) -> Option<Arc<View>> {
        let started_at = Instant::now();
        let view = run_loop::take_view(state);
        if view.is_some() {
            (self.last_publish, self.view_took) = (Some(Instant::now()), started_at.elapsed());
        }
        view
    }

    /// Writes everything executed; afterwards its events are logged, `view` is published, and orders are answered.
    pub fn write(&mut self, state: &mut State, view: Option<Arc<View>>) {
        let Some(running) = &self.journal else { return };
        let journal = running.journal();
        let answers = (std::mem::take(&mut self.answers), std::mem::take(&mut self.explained));
        let then = after_write(state, &self.published, view, answers, journal);
        let (block, new) = state.take_written();
        self.last_write = Instant::now();
        let sent = block.as_ref().map(|block| (block.last(), block.frames.len()));
        journal.write(block, &new, then);
        self.on_the_way.extend(sent);
        while let Some((last, _)) = self.on_the_way.front()
            && *last <= journal.durable()
        {
            self.on_the_way.pop_front();
        }
        // A slow disk slows the scheduler down instead of filling memory.
        while self.on_the_way.iter().map(|(_, bytes)| bytes).sum::<usize>() > MOST_ON_THE_WAY
            && let Some((last, _)) = self.on_the_way.front()
            && journal.wait_while_well(*last)
        {
            self.on_the_way.pop_front();
        }
    }

    fn is_written(&self, state: &State) -> bool {
        let (Some(running), Some(recorder)) = (&self.journal, &state.recorder) else { return true };
        recorder.waiting() == 0 && running.journal().durable() + 1 >= recorder.next()
    }

    pub fn take_snapshot(&mut self, state: &mut State) {
        let Some(running) = &mut self.journal else { return };
        let Some(recorder) = &state.recorder else { return };
        let (volume, busy) = (recorder.volume(), state.counters.cycling());
        running.snapshots.hold_back(volume);
        if !running.snapshots.is_due(volume, busy) {
            return;
        }
        let number = replay::record_progress(state);
        self.write(state, None);
        if let Some(running) = &mut self.journal {
            running.snapshots.make(number, running.volume, volume, busy);
        }
    }

    /// Writes records and waits for the disk, after everything executed before. Returns the number of the first one.
    ///
    /// # Errors
    /// Returns an error if the records are not written; none of them remains.
    pub fn commit(&mut self, state: &mut State, records: &[Record]) -> Result<u64, String> {
        let (before, new) = state.take_written();
        let (Some(running), Some(recorder)) = (&self.journal, &mut state.recorder) else { return Ok(0) };
        let block = RecordBlock::new(recorder.next(), records);
        let (first, volume) = (block.first, block.volume());
        self.last_write = Instant::now();
        running.journal().commit(before, &new, block)?;
        recorder.passed(volume);
        Ok(first)
    }

    /// A replay needs only the part that `reached` the scheduler.
    pub fn shorten(&self, state: &State, (number, record): (u64, Record), refusal: &Refusal, reached: bool) {
        let (Some(running), Record::Order(record)) = (&self.journal, record) else { return };
        let change = if reached {
            let order = rejected::recorded(state.scheduler.partitions(), &record.order);
            order.and_then(|order| refused::replacement(number, *record, |record| OrderRecord { order, ..record }))
        } else {
            refused::replacement(number, *record, |record| refused::without_body(record, refusal))
        };
        if let Some(change) = change {
            running.journal().replace(vec![change]);
        }
    }

    /// Publishes the results of operations before it answers them, so a caller finds its effect in the view. While the
    /// disk is `stalled`, operations are rejected, and nothing is published.
    pub fn send_answers(&mut self, state: &mut State, stalled: bool) {
        if self.answers.is_empty() && self.explained.is_empty() {
            return;
        }
        if stalled {
            self.explained.drain(..).for_each(|(reply, outcome)| reply.send(outcome));
            self.answers.drain(..).for_each(|(reply, outcome)| reply.send(outcome));
            return;
        }
        let view = self.take_view(state);
        if !self.is_written(state) {
            return self.write(state, view);
        }
        state.outbox.release();
        if let Some(view) = view {
            self.published.publish(view);
        }
        self.answers.drain(..).for_each(|(reply, outcome)| reply.send(outcome));
        self.explained.drain(..).for_each(|(reply, outcome)| reply.send(outcome));
    }
}

fn after_write(
    state: &mut State,
    published: &Arc<Published>,
    view: Option<Arc<View>>,
    (answers, explained): (Vec<OrderAnswer>, Vec<Explained>),
    journal: &Journal,
) -> Option<AfterWrite> {
    let events = state.outbox.take();
    if events.is_empty() && view.is_none() && answers.is_empty() && explained.is_empty() {
        return None;
    }
    let (log, published, journal) = (Arc::clone(state.outbox.log()), Arc::clone(published), journal.clone());
    if view.is_some() {
        journal.view_waits(true);
    }
    Some(Box::new(move || {
        events.into_iter().for_each(|events| log.append(events));
        if let Some(view) = view {
            published.publish(view);
            journal.view_waits(false);
        }
        answers.into_iter().for_each(|(reply, outcome)| reply.send(outcome));
        explained.into_iter().for_each(|(reply, outcome)| reply.send(outcome));
    }))
}

/// Records orders in the audit that could not be written: their records follow later, unless too many wait already.
pub(super) fn enter_unwritten(state: &mut State, records: Vec<Record>, refusal: &Refusal) {
    for record in records {
        let Record::Order(mut order) = record else { continue };
        let Some(recorder) = state.recorder.as_mut().filter(|recorder| recorder.waiting() < WAITING_BYTES) else {
            return;
        };
        order.checked = Some(CheckedOrder::refused(refusal));
        let order = refused::short(*order, refusal);
        recorder.record(&Record::Order(Box::new(order.clone())));
        audit::enter_refusal(state, &order.actor, &order.order, refusal, Some(order.wall));
    }
}

pub(super) fn with_last_notice(state: &mut State, view: &View) -> Arc<View> {
    let generation = state.views.skip_generation(view.generation);
    let mut view = View { generation, paused: true, ..view.clone() };
    view.notices.extend(state.views.saved().0.last().cloned());
    Arc::new(view)
}

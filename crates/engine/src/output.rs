//! The output of the engine's thread: records to the journal, and once they are on the disk events, views and answers.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::audit;
use super::explain::ExplainReply;
use super::journal::committer::{AfterWrite, Journal};
use super::journal::folder::RunningJournal;
use super::journal::record::{CheckedOrder, OrderRecord, Record};
use super::journal::recorder::RecordBlock;
use super::journal::refused;
use super::published::Published;
use super::rejected;
use super::replay;
use super::request::Reply;
use super::run_loop;
use super::state::State;
use forecast::whatif::Fork;
use view::View;
use view::act::{Done, Refusal};

/// The shortest time between two published views while there is always something new.
pub(super) const PUBLISH_EVERY: Duration = Duration::from_millis(33);
/// How long records wait that no one waits for, and how many bytes of them.
const WRITE_EVERY: Duration = Duration::from_secs(1);
const WRITE_BYTES: usize = 64 << 10;
/// How many bytes of refusals wait while the disk fails.
const WAITING_BYTES: usize = 1 << 20;
/// How many bytes of records are on the way to the disk before the scheduler waits for it.
const MOST_ON_THE_WAY: usize = 16 << 20;
/// How many views wait for the disk at most.
const MOST_VIEWS: usize = 2;

/// The answer to an order, which is sent once its view is published.
pub(super) type OrderAnswer = (Reply, Result<Done, Refusal>);

/// The copy that a question is answered from, once all that it shows is on the disk.
type Explained = (ExplainReply, Result<Fork, Refusal>);

/// The ways out of the engine's thread.
pub(super) struct Output {
    pub published: Arc<Published>,
    pub last_publish: Option<Instant>,
    /// Outcomes of orders whose view is not published yet.
    pub answers: Vec<OrderAnswer>,
    /// Explanations that were not sent yet.
    pub explained: Vec<Explained>,
    /// The journal, if there is one.
    pub journal: Option<RunningJournal>,
    pub last_write: Instant,
    /// Records that were given to the journal: the number of the last one, and the bytes.
    on_the_way: VecDeque<(u64, usize)>,
}

impl Output {
    pub fn new(published: Arc<Published>, journal: Option<RunningJournal>) -> Self {
        Self {
            published,
            last_publish: None,
            answers: Vec::new(),
            explained: Vec::new(),
            journal,
            last_write: Instant::now(),
            on_the_way: VecDeque::new(),
        }
    }

    /// How long until the next view may be published; `None` when that is now.
    pub fn publish_wait(&self) -> Option<Duration> {
        let wait = PUBLISH_EVERY.saturating_sub(self.last_publish?.elapsed());
        Some(wait).filter(|wait| !wait.is_zero())
    }

    /// Whether it is time for another view.
    pub fn publish_due(&self) -> bool {
        self.last_publish.is_none_or(|last| last.elapsed() >= PUBLISH_EVERY)
    }

    /// Publishes what is new, through the journal if there is one; `idle`: nothing is left to do.
    pub fn publish(&mut self, state: &mut State, idle: bool) {
        // While views arrive quick succession the latest waits for its time; the owner's wait ends then.
        let has_place = self.journal.as_ref().is_none_or(|running| running.journal().views_waiting() < MOST_VIEWS);
        let due = has_place && self.publish_due();
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
        let view = run_loop::take_view(state);
        if view.is_some() {
            self.last_publish = Some(Instant::now());
        }
        view
    }

    /// Has everything written that was carried out; then its events are logged, `view` is shown, and orders are answered.
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
        // A disk that is slower than the scheduler slows it down, and fills no memory.
        while self.on_the_way.iter().map(|(_, bytes)| bytes).sum::<usize>() > MOST_ON_THE_WAY
            && let Some((last, _)) = self.on_the_way.front()
            && journal.wait_while_well(*last)
        {
            self.on_the_way.pop_front();
        }
    }

    /// Whether all that was carried out is on the disk.
    fn is_written(&self, state: &State) -> bool {
        let (Some(running), Some(recorder)) = (&self.journal, &state.recorder) else { return true };
        recorder.waiting() == 0 && running.journal().durable() + 1 >= recorder.next()
    }

    /// Has a snapshot made when enough happened since the last one.
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

    /// Writes records and waits for the disk; what was carried out before is first. Returns the number of the first one.
    ///
    /// # Errors
    /// Why they are not written; nothing of them stays.
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

    /// Has the body of a refused order omitted of the journal, if it is large. What `reached` the scheduler is needed for a replay, as far
    /// as the scheduler kept it.
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

    /// Publishes what the orders led to, and answers them: who gets an answer finds its effect in the view. While the disk is
    /// `stalled` there are only refusals, and nothing new that may be shown.
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

/// What is done once all is on the disk; `None` when there is nothing to do.
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

/// Enters orders into the audit that could not be written: their records follow as soon as they can, unless too much waits for
/// that already.
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

/// A view with the last notice, and nothing else new.
pub(super) fn with_last_notice(state: &mut State, view: &View) -> Arc<View> {
    let generation = state.views.skip_generation(view.generation);
    let mut view = View { generation, paused: true, ..view.clone() };
    view.notices.extend(state.views.saved().0.last().cloned());
    Arc::new(view)
}

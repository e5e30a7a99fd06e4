//! How long queues were below their guaranteed resources while they had pending requests.

use std::collections::BTreeMap;
use std::time::Duration;

use model::{AppId, QueuePath, Time};
use scheduler::state::queue::Queue;
use scheduler::{Event, EventKind, Partition};

#[derive(Clone, Debug, Default)]
pub(super) struct BelowGuarantee {
    since: BTreeMap<QueuePath, Time>,
    over: BTreeMap<QueuePath, Duration>,
    /// No queue has guaranteed resources.
    nothing: bool,
}

impl BelowGuarantee {
    pub fn initial(partition: &Partition, now: Time) -> Self {
        let mut all = Self::default();
        all.look_at_all(partition, now);
        all
    }

    /// Checks affected queues; `queue_of` returns the queue of an application.
    pub fn observe<'q>(
        &mut self,
        partition: &Partition,
        events: &'q [Event],
        queue_of: impl Fn(&AppId) -> Option<&'q QueuePath>,
    ) {
        let Some(now) = events.last().map(|event| event.at) else { return };
        let all = |event: &Event| matches!(event.kind, EventKind::ConfigAccepted | EventKind::QueueGuaranteed { .. });
        if events.iter().any(all) {
            return self.look_at_all(partition, now);
        }
        if self.nothing {
            return;
        }
        let mut last: Option<&QueuePath> = None;
        for event in events {
            if let EventKind::Moved { from, .. } = &event.kind {
                self.look_upwards(partition, from, now);
            }
            // Most events of a command affect one queue.
            if let Some(queue) = touched(event, &queue_of).filter(|queue| last != Some(*queue)) {
                last = Some(queue);
                self.look_upwards(partition, queue, now);
            }
        }
    }

    fn look_at_all(&mut self, partition: &Partition, now: Time) {
        self.nothing = partition.queues.iter().all(|queue| queue.guaranteed.is_none());
        let gone: Vec<QueuePath> = self.since.keys().cloned().collect();
        gone.into_iter().filter(|path| partition.queues.find(path).is_none()).for_each(|path| self.ends(&path, now));
        for queue in partition.queues.iter() {
            self.look(queue, now);
        }
    }

    fn look_upwards(&mut self, partition: &Partition, path: &QueuePath, now: Time) {
        let mut here = partition.queues.find(path);
        if here.is_none() {
            self.ends(path, now);
        }
        while let Some(queue) = here.and_then(|key| partition.queues.get(key)) {
            self.look(queue, now);
            here = queue.parent;
        }
    }

    fn look(&mut self, queue: &Queue, now: Time) {
        match (is_below(queue), self.since.contains_key(&queue.path)) {
            (true, false) => drop(self.since.insert(queue.path.clone(), now)),
            (false, true) => self.ends(&queue.path, now),
            _ => {}
        }
    }

    fn ends(&mut self, path: &QueuePath, now: Time) {
        if let Some(since) = self.since.remove(path) {
            *self.over.entry(path.clone()).or_default() += now.since(since);
        }
    }

    pub fn end(&mut self, now: Time) -> BTreeMap<QueuePath, Duration> {
        let still: Vec<QueuePath> = self.since.keys().cloned().collect();
        still.iter().for_each(|path| self.ends(path, now));
        std::mem::take(&mut self.over)
    }
}

/// Less of a resource than guaranteed, and pending requests for it.
fn is_below(queue: &Queue) -> bool {
    let Some(guaranteed) = &queue.guaranteed else { return false };
    guaranteed.iter().any(|(name, amount)| {
        let has = queue.allocated.get(name).unwrap_or_default();
        has < amount && queue.pending.get(name).is_some_and(|pending| pending > 0)
    })
}

fn touched<'q>(event: &'q Event, queue_of: &impl Fn(&AppId) -> Option<&'q QueuePath>) -> Option<&'q QueuePath> {
    match &event.kind {
        EventKind::Allocated { holder, .. } | EventKind::Released { holder, .. } => Some(&holder.queue),
        EventKind::Moved { queue, .. } | EventKind::Killed { queue, .. } | EventKind::AppLeft { queue, .. } => {
            Some(queue)
        }
        EventKind::AskAdded { app, .. }
        | EventKind::AskRemoved { app, .. }
        | EventKind::AskResized { app, .. }
        | EventKind::AskSpent { app, .. } => queue_of(app),
        _ => None,
    }
}

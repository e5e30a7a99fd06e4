//! Orders changes like the other scheduler saw them, with a delay of some seconds: the Event with the time of a
//! decision arrives after the binding.

use std::collections::BTreeMap;
use std::time::Duration;

use forecast::shadow::Source;
use kubernetes::live::{Input, ObjectKey, PodBinding};
use model::{AskId, Time};

/// Times of pods that have not been seen with a node yet.
const MOST_TIMES: usize = 10_000;

#[derive(Debug)]
struct Queued {
    seen: Time,
    input: Input,
    binding: Option<PodBinding>,
}

#[derive(Debug)]
pub(super) struct Due {
    pub at: Time,
    pub input: Input,
    pub decided: Option<(AskId, Source)>,
}

#[derive(Debug)]
pub(super) struct Queue {
    delay: Duration,
    queued: Vec<Queued>,
    times: BTreeMap<AskId, (Time, Source)>,
    /// Last change of each delayed or returned object: its later changes never come before that.
    last: BTreeMap<ObjectKey, Time>,
}

impl Queue {
    pub fn new(delay: Duration) -> Self {
        Self { delay, queued: Vec::new(), times: BTreeMap::new(), last: BTreeMap::new() }
    }

    /// Adds a change; `binding`: the pod is newly bound, as far as known.
    pub fn put(&mut self, seen: Time, input: Input, binding: Option<PodBinding>) {
        self.queued.push(Queued { seen, input, binding });
    }

    /// Records a time; the most exact source applies.
    pub fn decided(&mut self, ask: AskId, at: Time, source: Source) {
        let known = self.times.entry(ask).or_insert((at, source));
        if source < known.1 {
            *known = (at, source);
        }
        if self.times.len() > MOST_TIMES {
            self.times.pop_first();
        }
    }

    /// Returns changes after the delay, sorted by their own times.
    pub fn due(&mut self, now: Time) -> Vec<Due> {
        let until = now - self.delay;
        let (due, queued) =
            std::mem::take(&mut self.queued).into_iter().partition(|queued: &Queued| queued.seen <= until);
        self.queued = queued;
        let mut ready: Vec<Due> = due.into_iter().map(|queued: Queued| self.timed(queued)).collect();
        // Stable: equal times keep the order of arrival.
        ready.sort_by_key(|due| due.at);
        self.last.retain(|_, at| *at + self.delay * 4 > now);
        ready
    }

    fn timed(&mut self, queued: Queued) -> Due {
        let key = match &queued.input {
            Input::Put(object) => Some(object.key()),
            Input::Gone(key) => Some(key.clone()),
            Input::Done(_) | Input::Configured => None,
        };
        let (mut at, mut decided) = (queued.seen, None);
        if let Some(PodBinding { ask, scheduled, .. }) = queued.binding {
            let by_condition = || scheduled.map(|second| (second + Duration::from_secs(1), Source::Condition));
            let known = self.times.remove(&ask).or_else(by_condition);
            let (time, source) = known.unwrap_or((queued.seen, Source::Watch));
            // It was decided before its arrival, at most `delay` earlier.
            at = time.min(queued.seen).max(queued.seen - self.delay);
            decided = Some((ask, source));
        }
        if let Some(key) = key {
            let last = self.last.entry(key).or_insert(at);
            at = at.max(*last);
            *last = at;
        }
        Due { at, input: queued.input, decided }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use kubernetes::live::LiveObject;

    const SECOND: Duration = Duration::from_secs(1);

    fn pod(name: &str, node: &str) -> Input {
        let value = json!({"metadata": {"namespace": "ns", "name": name, "uid": name}, "spec": {"nodeName": node}});
        Input::Put(LiveObject::read("Pod", value).unwrap())
    }

    fn bound(name: &str, scheduled: Option<Time>) -> Option<PodBinding> {
        Some(PodBinding { ask: AskId::from(name), scheduled })
    }

    fn sources(due: &[Due]) -> Vec<(&str, Source)> {
        due.iter().filter_map(|due| due.decided.as_ref()).map(|(ask, source)| (ask.as_str(), *source)).collect()
    }

    #[test]
    fn decisions_are_ordered_by_their_own_times_from_the_most_exact_source() {
        let mut queue = Queue::new(SECOND * 3);
        let start = Time::from_millis(100_000);
        queue.put(start, pod("late", "n1"), bound("late", None));
        queue.put(start + SECOND, pod("early", "n1"), bound("early", Some(start - SECOND * 2)));
        queue.put(start + SECOND, pod("exact", "n1"), bound("exact", Some(start)));
        queue.decided(AskId::from("exact"), start - SECOND, Source::BindEvent);
        queue.decided(AskId::from("exact"), start - SECOND / 2, Source::ScheduledEvent);
        assert!(queue.due(start + SECOND * 2).is_empty(), "nothing before the Events may be there");
        let due = queue.due(start + SECOND * 4);
        let wanted =
            [("early", Source::Condition), ("exact", Source::ScheduledEvent), ("late", Source::Watch)].to_vec();
        assert_eq!(sources(&due), wanted);
        assert_eq!(due[1].at, start - SECOND / 2);
    }

    #[test]
    fn events_of_one_object_retain_their_order() {
        let mut queue = Queue::new(SECOND);
        let start = Time::from_millis(100_000);
        queue.put(start, pod("p", ""), None);
        // By its own time it was bound before it arrived unbound.
        queue.put(start, pod("p", "n1"), bound("p", Some(start - SECOND * 3)));
        let due = queue.due(start + SECOND);
        assert_eq!((due.len(), due[0].decided.is_none(), due[1].at >= due[0].at), (2, true, true));
    }
}

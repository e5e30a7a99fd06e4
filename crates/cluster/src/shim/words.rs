//! Events (K8S-230, K8S-233): at most ten per second, 25 in a burst, none twice within five minutes.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use kubernetes::live::{Report, Weight};
use model::Time;

const BURST: f64 = 25.0;
const PER_SECOND: f64 = 10.0;
const AGAIN: Duration = Duration::from_secs(300);
/// Maximum number of queued Events; beyond it Normal ones are dropped first, then the oldest.
const WAITING: usize = 1000;
const REMEMBERED: usize = 10_000;
const LONGEST: usize = 1024;

#[derive(Debug)]
pub(super) struct Speaker {
    waiting: VecDeque<Report>,
    reported: BTreeMap<Report, Instant>,
    tokens: f64,
    filled: Instant,
    number: u64,
    instance: String,
}

impl Default for Speaker {
    fn default() -> Self {
        let instance = format!("kornsole-{}", std::process::id());
        let (waiting, reported) = Default::default();
        Self { waiting, reported, tokens: BURST, filled: Instant::now(), number: 0, instance }
    }
}

impl Speaker {
    /// Queues an Event.
    pub fn enqueue(&mut self, reported: Report) {
        let now = Instant::now();
        if self.reported.get(&reported).is_some_and(|at| now.duration_since(*at) < AGAIN) {
            return;
        }
        if self.reported.len() >= REMEMBERED {
            self.reported.retain(|_, at| now.duration_since(*at) < AGAIN);
            if self.reported.len() >= REMEMBERED {
                self.reported.clear();
            }
        }
        self.reported.insert(reported.clone(), now);
        if self.waiting.len() >= WAITING {
            let least = self.waiting.iter().position(|reported| reported.weight == Weight::Normal).unwrap_or(0);
            self.waiting.remove(least);
        }
        self.waiting.push_back(reported);
    }

    /// Returns true if an Event is queued.
    pub fn has_words(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Events with their paths, Warnings first.
    pub fn take(&mut self) -> Vec<(String, Value)> {
        let now = Instant::now();
        let since = now.duration_since(self.filled).as_secs_f64();
        (self.tokens, self.filled) = ((self.tokens + since * PER_SECOND).min(BURST), now);
        let mut events = Vec::new();
        while self.tokens >= 1.0 {
            let urgent = self.waiting.iter().position(|reported| reported.weight == Weight::Warning).unwrap_or(0);
            let Some(reported) = self.waiting.remove(urgent) else { break };
            self.tokens -= 1.0;
            self.number += 1;
            events.push(self.event(&reported));
        }
        events
    }

    fn event(&self, reported: &Report) -> (String, Value) {
        let Report { pod, weight, reason, action, message } = reported;
        let now = super::time_of_day();
        let name = format!("{}.{:x}{:x}", cut(&pod.name, 200), now.0, self.number);
        let kind = if *weight == Weight::Warning { "Warning" } else { "Normal" };
        let event = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event",
            "metadata": {"namespace": pod.namespace, "name": name},
            "eventTime": micros(now), "reportingController": "kornsole", "reportingInstance": self.instance,
            "action": action, "reason": reason, "type": kind, "note": cut(message, LONGEST),
            "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": pod.namespace, "name": pod.name, "uid": pod.uid},
        });
        (format!("/apis/events.k8s.io/v1/namespaces/{}/events", pod.namespace), event)
    }
}

fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Always six digits.
pub(super) fn micros(time: Time) -> String {
    format!("{}.{:06}Z", seconds(time).trim_end_matches('Z'), time.0 % 1_000_000)
}

pub(super) fn seconds(time: Time) -> String {
    let seconds = i64::try_from(time.0 / 1_000_000).unwrap_or(i64::MAX);
    let moment = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    moment.format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubernetes::live::PodName;

    fn reported(pod: usize, weight: Weight) -> Report {
        let pod = PodName { namespace: "ns".to_owned(), name: format!("p{pod}"), uid: format!("u{pod}") };
        Report { pod, weight, reason: "Scheduling", action: "Scheduling", message: "é".repeat(600) }
    }

    #[test]
    fn k8s_233_a_burst_of_25_then_no_more_and_nothing_twice() {
        let mut speaker = Speaker::default();
        for pod in 0..100 {
            speaker.enqueue(reported(pod, Weight::Normal));
            speaker.enqueue(reported(pod, Weight::Normal));
        }
        speaker.enqueue(reported(100, Weight::Warning));
        let first = speaker.take();
        assert!((25..=26).contains(&first.len()), "{}", first.len());
        assert_eq!(first[0].1["regarding"]["name"], "p100", "what is wrong goes first");
        assert!(first[0].1["note"].as_str().unwrap().len() <= LONGEST);
        assert!(speaker.take().len() <= 1 && speaker.has_words());
        assert_eq!(speaker.waiting.len() + first.len(), 101, "each once");
    }

    #[test]
    fn times_are_written_as_kubernetes_does() {
        let time = Time(1_793_527_200_250_001);
        assert_eq!(
            (micros(time).as_str(), seconds(time).as_str()),
            ("2026-11-01T10:00:00.250001Z", "2026-11-01T10:00:00Z")
        );
    }
}

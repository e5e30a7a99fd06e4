//! The other scheduler's Events with the times of decisions (K8S-300).

use std::sync::Arc;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinSet;

use crate::kube::{Change, Followed, Pace, Reader, Texts};
use forecast::shadow::Source;
use model::{AskId, Time};

const WAITING: usize = 16;
const CONTROLLER: &str = "yunikorn";

#[derive(Clone, Debug)]
pub(super) struct DecisionEvent {
    pub ask: AskId,
    pub at: Time,
    pub source: Source,
}

#[derive(Debug)]
struct PodEvent {
    key: Arc<str>,
    reported: Option<DecisionEvent>,
}

impl Followed for PodEvent {
    type Wire = Value;
    const PATH: &'static str = "/apis/events.k8s.io/v1/events";
    const RESOURCE: (&'static str, &'static str) = ("events.k8s.io", "events");

    fn version(wire: &Value) -> &str {
        wire["metadata"]["resourceVersion"].as_str().unwrap_or_default()
    }

    fn read(wire: Value, _texts: &mut Texts) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let key = format!("{}/{}", text(&wire["metadata"]["namespace"]), text(&wire["metadata"]["name"]));
        Self { key: Arc::from(key), reported: reported(&wire) }
    }

    fn key(&self) -> Arc<str> {
        Arc::clone(&self.key)
    }
}

fn reported(wire: &Value) -> Option<DecisionEvent> {
    if wire["reportingController"] != CONTROLLER || wire["regarding"]["kind"] != "Pod" {
        return None;
    }
    let source = match wire["reason"].as_str()? {
        "Scheduled" => Source::ScheduledEvent,
        "PodBindSuccessful" => Source::BindEvent,
        _ => return None,
    };
    let at = moment(wire["eventTime"].as_str()?)?;
    Some(DecisionEvent { ask: AskId::from(wire["regarding"]["uid"].as_str()?), at, source })
}

fn moment(text: &str) -> Option<Time> {
    let nanos = OffsetDateTime::parse(text, &Rfc3339).ok()?.unix_timestamp_nanos();
    Some(Time(u64::try_from(nanos / 1000).ok()?))
}

/// A watch on Events. Dropping it ends it.
#[derive(Debug)]
pub(super) struct DecisionEvents {
    _tasks: JoinSet<()>,
}

impl DecisionEvents {
    /// Follows Events. Without the permission, times come from the pods alone. Must be called in a runtime.
    pub fn start(reader: &Reader, take: impl Fn(DecisionEvent) + Send + 'static) -> Self {
        let mut tasks = JoinSet::new();
        let (sender, mut changes): (Sender<Change<PodEvent>>, _) = channel(WAITING);
        tasks.spawn(reader.clone().follow(Pace::default(), PodEvent::PATH.to_owned(), sender));
        tasks.spawn(async move {
            while let Some(change) = changes.recv().await {
                match change {
                    Change::Put(events) => events.into_iter().filter_map(|event| event.reported).for_each(&take),
                    Change::Lost(fault) => tracing::warn!("cannot watch Events of pods: {fault}"),
                    Change::Started | Change::Gone(_) | Change::Complete | Change::Live => {}
                }
            }
        });
        Self { _tasks: tasks }
    }
}

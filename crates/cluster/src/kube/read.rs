//! Reads a pod, a node, events, or a log on request.
//!
//! Secrets are never read. The text of a pod contains its environment, like `kubectl get pod -o yaml`.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

use super::cluster::Cluster;
use super::objects::{cut, moment};
use super::{Asked, KubeFault};
use crate::Answer;
use view::kubernetes::{EventsOf, LogName, ObjectEvent, ObjectName};

/// Timeout until an answer starts, or continues if it does not follow.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum object size in bytes: an API server stores at most 1.5 MiB.
const OBJECT: usize = 8 << 20;
const EVENTS: usize = 16 << 20;
const MOST_EVENTS: usize = 500;
const REFUSAL: usize = 64 << 10;
/// Number of existing log lines before new ones.
const TAIL: usize = 2_000;

/// A log that is read.
pub struct Log(Body);

impl Log {
    /// Waits while the container is silent; `None` when it has ended.
    ///
    /// # Errors
    /// The connection was lost.
    pub fn more(&mut self) -> Answer<'_, Result<Option<Bytes>, KubeFault>> {
        Box::pin(async move {
            loop {
                let Some(frame) = self.0.frame().await else { return Ok(None) };
                let frame = frame.map_err(|error| broken(&error.to_string()))?;
                if let Ok(data) = frame.into_data()
                    && !data.is_empty()
                {
                    return Ok(Some(data));
                }
            }
        })
    }
}

#[derive(Deserialize)]
struct EventList {
    // An empty list may be `null`.
    items: Option<Vec<EventWire>>,
}

/// An event of `events.k8s.io/v1`; events of the core API have times and counts in the `deprecated` fields.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct EventWire {
    event_time: Option<String>,
    series: Option<Series>,
    reporting_controller: String,
    reason: String,
    note: String,
    #[serde(rename = "type")]
    kind: String,
    deprecated_source: Source,
    deprecated_first_timestamp: Option<String>,
    deprecated_last_timestamp: Option<String>,
    deprecated_count: u32,
    metadata: Made,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Series {
    count: u32,
    last_observed_time: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Source {
    component: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Made {
    creation_timestamp: Option<String>,
}

impl EventWire {
    fn read(self) -> ObjectEvent {
        let Self { event_time, series, deprecated_last_timestamp: last, deprecated_first_timestamp: first, .. } = self;
        let observed = series.as_ref().and_then(|series| series.last_observed_time.clone());
        let times = [observed, last, event_time, first, self.metadata.creation_timestamp];
        let at = times.into_iter().flatten().find_map(|text| moment(&text)).unwrap_or_default();
        let count = series.map_or(self.deprecated_count, |series| series.count).max(1);
        let by = [self.reporting_controller, self.deprecated_source.component];
        let by = by.into_iter().find(|by| !by.is_empty()).unwrap_or_default();
        ObjectEvent {
            at,
            warning: self.kind == "Warning",
            reason: Arc::from(cut(&self.reason)),
            note: Arc::from(cut(self.note.trim())),
            count,
            by: Arc::from(by),
        }
    }
}

impl Cluster {
    /// Returns the version of the API server: `v1.34.2`.
    ///
    /// # Errors
    /// It does not answer, or denies it.
    pub fn version(&self) -> Answer<'_, Result<String, KubeFault>> {
        Box::pin(async move {
            let asked = Asked::core("get", "/version", None);
            let answer: Value = self.read(&asked, "/version", REFUSAL).await?;
            Ok(answer["gitVersion"].as_str().unwrap_or("of an unknown version").to_owned())
        })
    }

    /// Returns `yunikorn/yunikorn-service`, without a request to the scheduler.
    ///
    /// # Errors
    /// None or several exist, or the search is not permitted.
    pub fn scheduler(&self) -> Answer<'_, Result<String, KubeFault>> {
        Box::pin(async move {
            let client = self.client().await?;
            let place = timeout(PATIENCE, self.place(&client)).await.map_err(|_| silent())??;
            Ok(format!("{}/{}", place.namespace, place.service))
        })
    }

    /// Returns YAML like `kubectl get -o yaml`, without managed fields.
    ///
    /// # Errors
    /// It does not exist, or may not be read.
    pub fn text<'a>(&'a self, of: &'a ObjectName) -> Answer<'a, Result<String, KubeFault>> {
        Box::pin(async move {
            let (asked, path) = match of {
                ObjectName::Pod(namespace, name) => (
                    Asked::core("get", "pods", Some(namespace)).named(name),
                    format!("/api/v1/namespaces/{namespace}/pods/{name}"),
                ),
                ObjectName::Node(name) => {
                    (Asked::core("get", "nodes", None).named(name), format!("/api/v1/nodes/{name}"))
                }
            };
            let mut object: Value = self.read(&asked, &path, OBJECT).await?;
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("managedFields");
            }
            yaml(&object)
        })
    }

    /// Lists events, oldest first.
    ///
    /// # Errors
    /// They may not be listed.
    pub fn events<'a>(&'a self, of: &'a EventsOf) -> Answer<'a, Result<Vec<ObjectEvent>, KubeFault>> {
        Box::pin(async move {
            let EventsOf { namespace, uid } = of;
            let asked = Asked { group: "events.k8s.io", ..Asked::core("list", "events", Some(namespace)) };
            let path = format!(
                "/apis/events.k8s.io/v1/namespaces/{namespace}/events?fieldSelector=regarding.uid%3D{uid}&limit={MOST_EVENTS}"
            );
            let list: EventList = self.read(&asked, &path, EVENTS).await?;
            let mut events: Vec<ObjectEvent> =
                list.items.unwrap_or_default().into_iter().map(EventWire::read).collect();
            events.sort_by_key(|event| event.at);
            Ok(events)
        })
    }

    /// Reads the last lines, then new ones while the container runs.
    ///
    /// # Errors
    /// It may not be read, or does not exist: the container has not started, or has no previous run.
    pub fn log<'a>(&'a self, of: &'a LogName) -> Answer<'a, Result<Log, KubeFault>> {
        Box::pin(async move {
            let LogName { namespace, pod, container, previous, .. } = of;
            let asked = Asked::core("get", "pods/log", Some(namespace)).named(pod);
            let path = format!(
                "/api/v1/namespaces/{namespace}/pods/{pod}/log?container={container}&follow={}&previous={previous}&tailLines={TAIL}",
                !previous
            );
            self.open(&asked, &path).await.map(Log)
        })
    }

    async fn read<T: for<'de> Deserialize<'de>>(&self, asked: &Asked, path: &str, most: usize) -> Result<T, KubeFault> {
        let body = self.open(asked, path).await?;
        let whole = timeout(PATIENCE, Limited::new(body, most).collect()).await.map_err(|_| silent())?;
        let whole = whole.map_err(|error| broken(&error.to_string()))?;
        // The parser may quote its input, which may be a secret.
        serde_json::from_slice(&whole.to_bytes()).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            KubeFault::new(format!("invalid response from the API server ({place})"))
        })
    }

    async fn open(&self, asked: &Asked, path: &str) -> Result<Body, KubeFault> {
        let client = self.client().await?;
        let request = http::Request::get(path).body(Body::empty());
        let request = request.map_err(|error| KubeFault::new(error.to_string()))?;
        let sent = timeout(PATIENCE, client.send(request)).await.map_err(|_| silent())?;
        let who = self.user();
        let response = sent.map_err(|error| KubeFault::of(error, asked, who.as_deref()))?;
        if response.status().is_success() {
            return Ok(response.into_body());
        }
        let status = response.status().as_u16();
        let body = timeout(PATIENCE, Limited::new(response.into_body(), REFUSAL).collect()).await;
        let body = body.ok().and_then(Result::ok).map(|body| body.to_bytes()).unwrap_or_default();
        let reported: Value = serde_json::from_slice(&body).unwrap_or_default();
        let reported = reported["message"].as_str().unwrap_or("no reason given");
        Err(KubeFault::answered(status, reported, asked, who.as_deref()))
    }
}

fn yaml(object: &Value) -> Result<String, KubeFault> {
    serde_saphyr::to_string(object).map_err(|error| KubeFault::new(format!("it cannot be written as YAML: {error}")))
}

fn silent() -> KubeFault {
    KubeFault::new("the API server does not answer")
}

fn broken(technical: &str) -> KubeFault {
    KubeFault { technical: technical.to_owned(), ..KubeFault::new("the response of the API server ended too early") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(wire: Value) -> ObjectEvent {
        serde_json::from_value::<EventWire>(wire).unwrap().read()
    }

    #[test]
    fn events_of_both_apis_are_read() {
        let old = event(json!({
            "reason": "Pulled", "note": " Image is there \n", "type": "Normal", "deprecatedSource": {"component": "kubelet"}, "deprecatedCount": 3,
            "deprecatedFirstTimestamp": "2026-01-01T00:00:00Z", "deprecatedLastTimestamp": "2026-01-01T00:00:09Z", "eventTime": null
        }));
        assert_eq!((&*old.by, &*old.note, old.count, old.warning), ("kubelet", "Image is there", 3, false));
        assert_eq!(Some(old.at), moment("2026-01-01T00:00:09Z"));
        let new = event(json!({
            "reason": "FailedScheduling", "type": "Warning", "reportingController": "yunikorn", "eventTime": "2026-01-01T00:00:01.500000Z",
            "series": {"count": 7, "lastObservedTime": "2026-01-01T00:00:02.000000Z"}
        }));
        assert_eq!((&*new.by, new.count, new.warning), ("yunikorn", 7, true));
        assert_eq!(Some(new.at), moment("2026-01-01T00:00:02Z"));
    }

    #[test]
    fn yaml_reads_back_as_what_it_was() {
        let texts = [
            "yes",
            "null",
            "~",
            "1e3",
            "0x1F",
            "007",
            "12:30:00",
            "- a",
            "# no comment",
            "a: b",
            "",
            " ",
            "'",
            "\"",
            "{}",
            "2026-01-01",
            "=",
            "one\ntwo\n",
            "one\n\n  two",
            "tab\tand \u{7}",
            "ü",
            "*a",
            "&a",
            "!x",
            "%",
            "@",
            "`",
        ];
        let object = json!({"texts": texts, "empty": {}, "none": null, "list": [], "number": 1_700_000_000_123_u64, "part": 0.5, "on": true,
            "nested": {"a/b.c": [{"deep": [[1], []]}]}, "y": "n"});
        let text = yaml(&object).unwrap();
        let back: Value = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(back, object, "{text}");
    }
}

//! The documents to send: JSON for an Alertmanager, and JSON in the format of its webhooks.

use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::{Alert, ChangeKind, Rule, Rules};

/// How long an Alertmanager considers an alert active without an update. It gets one every minute.
const ACTIVE_FOR: Duration = Duration::from_secs(4 * 60);

/// A change to send, with wall clock times in ms since 1970.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Notice {
    /// The number of the change.
    pub number: u64,
    /// Whether it fires or has ended.
    pub kind: ChangeKind,
    /// The alert at that time.
    pub alert: Alert,
    /// When it fired.
    #[serde(rename = "began")]
    pub started_at: i64,
    /// When it resolved.
    pub ended: Option<i64>,
}

/// The identifying labels of an alert.
pub fn labels(alert: &Alert, cluster: &str) -> Map<String, Value> {
    let mut labels = Map::new();
    labels.insert("alertname".to_owned(), alert.rule.clone().into());
    labels.insert("severity".to_owned(), alert.severity.word().into());
    if !cluster.is_empty() {
        labels.insert("cluster".to_owned(), cluster.into());
    }
    for (name, value) in alert.subject.labels() {
        labels.insert(name.to_owned(), value.into());
    }
    labels
}

fn annotations(alert: &Alert, rules: &Rules) -> Map<String, Value> {
    let mut all = Map::new();
    all.insert("summary".to_owned(), alert.title().into());
    all.insert("description".to_owned(), alert.text.clone().into());
    if let Some(words) = rules.get(&alert.rule).map(Rule::words).filter(|words| !words.is_empty()) {
        all.insert("rule".to_owned(), words.into());
    }
    all
}

/// Formats a wall clock time as RFC 3339.
pub fn rfc3339(ms: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok();
    at.and_then(|at| at.format(&Rfc3339).ok()).unwrap_or_default()
}

/// The body of `POST /api/v2/alerts` of an Alertmanager: all firing alerts, and resolved ones.
pub fn alertmanager(notices: &[Notice], rules: &Rules, cluster: &str, now: i64) -> String {
    let active_until = now.saturating_add(i64::try_from(ACTIVE_FOR.as_millis()).unwrap_or_default());
    let one = |notice: &Notice| {
        json!({
            "labels": labels(&notice.alert, cluster),
            "annotations": annotations(&notice.alert, rules),
            "startsAt": rfc3339(notice.started_at),
            "endsAt": rfc3339(notice.ended.unwrap_or(active_until)),
        })
    };
    Value::Array(notices.iter().map(one).collect()).to_string()
}

/// The webhook document of an Alertmanager (version 4) for one alert. `number` distinguishes repeated alerts.
pub fn webhook(notice: &Notice, receiver: &str, rules: &Rules, cluster: &str) -> String {
    let status = match notice.kind {
        ChangeKind::Firing => "firing",
        ChangeKind::Resolved => "resolved",
    };
    let labels = labels(&notice.alert, cluster);
    let annotations = annotations(&notice.alert, rules);
    // Go's zero time, which an Alertmanager sends without an end.
    let ended = notice.ended.map_or_else(|| "0001-01-01T00:00:00Z".to_owned(), rfc3339);
    let fingerprint = fingerprint(&labels);
    let alert = json!({
        "status": status,
        "labels": labels,
        "annotations": annotations,
        "startsAt": rfc3339(notice.started_at),
        "endsAt": ended,
        "generatorURL": "",
        "fingerprint": fingerprint,
    });
    json!({
        "version": "4",
        "groupKey": format!("{{}}:{{alertname=\"{}\"}}", notice.alert.rule),
        "truncatedAlerts": 0,
        "status": status,
        "receiver": receiver,
        "groupLabels": { "alertname": notice.alert.rule },
        "commonLabels": labels,
        "commonAnnotations": annotations,
        "externalURL": "",
        "alerts": [alert],
        "number": notice.number,
    })
    .to_string()
}

fn fingerprint(labels: &Map<String, Value>) -> String {
    let mut hash = Sha256::new();
    for (name, value) in labels {
        hash.update(name.as_bytes());
        hash.update([0xff]);
        hash.update(value.as_str().unwrap_or_default().as_bytes());
        hash.update([0xff]);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

//! Events on the scheduler's ConfigMap make operations visible in the cluster.

use std::time::Duration;

use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::cluster::Cluster;
use super::config_map::{CONFIGS, MANAGER};
use super::{Asked, KubeFault};
use crate::Answer;

/// An operation does not wait longer for its Event.
const LONGEST: Duration = Duration::from_secs(5);
/// Maximum message length of an API server, in characters.
const MESSAGE: usize = 1_000;

impl Cluster {
    /// Adds an Event; `reason` is one word.
    ///
    /// # Errors
    /// It is not permitted, or the API server does not answer in time.
    pub fn add_event<'a>(&'a self, reason: &'a str, message: &'a str) -> Answer<'a, Result<(), KubeFault>> {
        Box::pin(async move {
            let namespace = self.namespace().await?;
            let asked = Asked::core("create", "events", Some(&namespace));
            let done = tokio::time::timeout(LONGEST, self.make_event(&namespace, reason, message)).await;
            let done = done.map_err(|_| KubeFault::new("the API server does not answer"))?;
            done.map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))
        })
    }

    async fn make_event(&self, namespace: &str, reason: &str, message: &str) -> Result<(), kube::Error> {
        // An Event without the UID is detached; `kubectl get events` lists it anyway.
        let uid = self.config_map_uid(namespace).await;
        let body = event(namespace, uid.as_deref(), reason, message, OffsetDateTime::now_utc());
        let request = http::Request::post(format!("/api/v1/namespaces/{namespace}/events?fieldManager={MANAGER}"))
            .header("content-type", "application/json")
            .body(body.to_string().into_bytes())
            .map_err(kube::Error::HttpError)?;
        match self.client().await {
            Ok(client) => client.request::<Value>(request).await.map(drop),
            Err(_) => Ok(()),
        }
    }
}

fn event(namespace: &str, uid: Option<&str>, reason: &str, message: &str, at: OffsetDateTime) -> Value {
    let whole = at.replace_nanosecond(0).unwrap_or(at);
    let at = whole.format(&Rfc3339).unwrap_or_default();
    let message: String = message.chars().take(MESSAGE).collect();
    let mut of = json!({"apiVersion": "v1", "kind": "ConfigMap", "namespace": namespace, "name": CONFIGS});
    if let Some(uid) = uid {
        of["uid"] = json!(uid);
    }
    json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"generateName": "kornsole-", "namespace": namespace},
        "involvedObject": of, "reason": reason, "message": message, "type": "Normal", "count": 1,
        "firstTimestamp": at, "lastTimestamp": at, "source": {"component": MANAGER},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_about_the_config_map() {
        let at = OffsetDateTime::from_unix_timestamp(1_700_000_000).unwrap();
        let event = event("yk", Some("u"), "Killed", &"x".repeat(2_000), at);
        assert_eq!(event["involvedObject"]["name"], CONFIGS);
        assert_eq!(
            (&event["involvedObject"]["uid"], &event["firstTimestamp"]),
            (&json!("u"), &json!("2023-11-14T22:13:20Z"))
        );
        assert_eq!(event["message"].as_str().unwrap().len(), MESSAGE);
    }
}

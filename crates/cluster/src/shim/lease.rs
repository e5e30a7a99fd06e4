//! The lease selects the active scheduler (K8S-254); others only follow.

use std::time::{Duration, Instant};

use http::Method;
use serde_json::{Value, json};

use super::fence::Fence;
use super::process::Process;
use super::words::micros;
use crate::Answer;
use crate::kube::{Asked, Content, KubeFault, Writer};

const LASTS: Duration = Duration::from_secs(15);
const RETRY: Duration = Duration::from_secs(2);

/// The owner of the lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This instance, from now on.
    Mine,
    /// This other instance; empty if free.
    Other(String),
    /// No longer this instance: writing must stop.
    Lost(String),
}

/// A lease and its candidate.
#[derive(Clone, Debug)]
pub struct Lease {
    writer: Writer,
    fence: Fence,
    namespace: String,
    name: String,
    process: Process,
    me: String,
}

/// The last seen state, and since when by the local clock: other clocks are not trusted.
struct Seen {
    record: Value,
    since: Instant,
}

impl Lease {
    /// Creates a candidate; `fence` allows writes while it has the lease.
    pub fn new(writer: Writer, fence: Fence, namespace: &str, name: &str, process: Process) -> Self {
        let me = process.identity();
        Self { writer, fence, namespace: namespace.to_owned(), name: name.to_owned(), process, me }
    }

    /// Renews the lease until it is lost. `tell` is called on changes. Without an answer of the API server, no instance
    /// gets the lease: writes end by the fence.
    pub async fn hold(self, report: impl Fn(Turn)) {
        let mut seen: Option<Seen> = None;
        let mut owned = false;
        let mut last: Option<Turn> = None;
        loop {
            let started_at = Instant::now();
            let turn = match self.try_once(&mut seen).await {
                Ok(None) => {
                    owned = true;
                    self.fence.extend(started_at + LASTS);
                    Turn::Mine
                }
                Ok(Some(other)) if owned => Turn::Lost(format!("{other} acquired it")),
                Ok(Some(other)) => Turn::Other(other),
                Err(fault) if owned => {
                    tracing::warn!("cannot renew the lease {}/{}: {fault}", self.namespace, self.name);
                    Turn::Mine
                }
                Err(fault) => {
                    tracing::warn!("cannot acquire the lease {}/{}: {fault}", self.namespace, self.name);
                    Turn::Other(String::new())
                }
            };
            let lost = matches!(turn, Turn::Lost(_));
            if lost {
                self.fence.close();
            }
            if last.as_ref() != Some(&turn) {
                last = Some(turn.clone());
                report(turn);
            }
            if lost {
                return;
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    fn path(&self) -> String {
        format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.namespace)
    }

    fn asked(&self, verb: &'static str) -> Asked {
        let asked = Asked::core(verb, "leases", Some(&self.namespace)).named(&self.name);
        Asked { group: "coordination.k8s.io", ..asked }
    }

    /// `Some`: another instance has it.
    async fn try_once(&self, seen: &mut Option<Seen>) -> Result<Option<String>, KubeFault> {
        let one = format!("{}/{}", self.path(), self.name);
        let found = match self.writer.send(Method::GET, &one, None, &self.asked("get")).await {
            Ok(found) => found,
            Err(fault) if fault.is_missing() => {
                let metadata = json!({"name": self.name, "namespace": self.namespace});
                let body = self.object(&json!({"metadata": metadata}), true);
                let (path, asked) = (self.path(), self.asked("create"));
                let made = self.writer.send(Method::POST, &path, Some((Content::Object, &body)), &asked);
                return made.await.map(|_| None);
            }
            Err(fault) => return Err(fault),
        };
        let holder = found["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned();
        if seen.as_ref().is_none_or(|seen| seen.record != found["spec"]) {
            *seen = Some(Seen { record: found["spec"].clone(), since: Instant::now() });
        }
        let mine = holder == self.me;
        let lasts = found["spec"]["leaseDurationSeconds"].as_u64().map_or(LASTS, Duration::from_secs);
        let fresh = seen.as_ref().is_some_and(|seen| seen.since.elapsed() <= lasts);
        if !mine && !holder.is_empty() && fresh {
            if !self.process.has_ended(&holder) {
                return Ok(Some(holder));
            }
            tracing::info!(
                "the holder of the lease was an earlier process of this pod or machine, and has ended: {holder}"
            );
        }
        // With the seen version: of two concurrent attempts, one is rejected.
        let body = self.object(&found, !mine);
        self.writer.send(Method::PUT, &one, Some((Content::Object, &body)), &self.asked("update")).await.map(|_| None)
    }

    fn object(&self, found: &Value, taken: bool) -> Value {
        let now = micros(super::time_of_day());
        let before = &found["spec"];
        let changes = before["leaseTransitions"].as_i64().unwrap_or(0) + i64::from(taken && !before.is_null());
        let acquired = if taken { json!(now) } else { before["acquireTime"].clone() };
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": found["metadata"],
            "spec": {
                "holderIdentity": self.me, "leaseDurationSeconds": LASTS.as_secs(), "acquireTime": acquired, "renewTime": now,
                "leaseTransitions": changes,
            },
        })
    }

    /// Releases the lease, so that another instance need not wait.
    pub fn give_back(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            self.fence.close();
            let one = format!("{}/{}", self.path(), self.name);
            let Ok(mut found) = self.writer.send(Method::GET, &one, None, &self.asked("get")).await else { return };
            if found["spec"]["holderIdentity"] != json!(self.me) {
                return;
            }
            found["spec"]["holderIdentity"] = json!("");
            found["spec"]["leaseDurationSeconds"] = json!(1);
            // If this fails, it expires.
            let _ = self.writer.send(Method::PUT, &one, Some((Content::Object, &found)), &self.asked("update")).await;
        })
    }
}

//! Executes operations in the cluster: several requests at a time, each sent once.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::fence::Fence;
use super::running::Message;
use super::words::Speaker;
use crate::kube::{Asked, Content, KubeFault, Writer};
use kubernetes::live::{Deed, Failure, Outcome, PodName};

const AT_ONCE: usize = 48;

#[derive(Debug)]
pub(super) struct Hands {
    runtime: Handle,
    writer: Writer,
    fence: Fence,
    slots: Arc<Semaphore>,
    outcomes: Sender<Message>,
    speaker: Speaker,
    image: Arc<str>,
}

impl Hands {
    pub fn new(runtime: Handle, writer: Writer, fence: Fence, outcomes: Sender<Message>, image: &str) -> Self {
        let speaker = Speaker::default();
        Self {
            runtime,
            writer,
            fence,
            slots: Arc::new(Semaphore::new(AT_ONCE)),
            outcomes,
            speaker,
            image: image.into(),
        }
    }

    /// Starts deeds; their results go to the channel.
    pub fn carry_out(&mut self, deeds: Vec<Deed>) {
        for deed in deeds {
            match deed {
                Deed::Report(reported) => self.speaker.enqueue(reported),
                deed => self.start(deed),
            }
        }
        self.speak();
    }

    /// Writes the Events that are due.
    pub fn speak(&mut self) {
        for (path, event) in self.speaker.take() {
            let (writer, fence, slots) = (self.writer.clone(), self.fence.clone(), Arc::clone(&self.slots));
            self.runtime.spawn(async move {
                let _slot = slots.acquire().await;
                let asked = Asked { group: "events.k8s.io", ..Asked::core("create", "events", None) };
                if fence.lets()
                    && let Err(fault) = writer.send(Method::POST, &path, Some((Content::Object, &event)), &asked).await
                {
                    tracing::debug!("cannot write an Event: {fault}");
                }
            });
        }
    }

    /// Returns true if an Event is queued.
    pub fn has_words(&self) -> bool {
        self.speaker.has_words()
    }

    /// Writes the condition for autoscalers (K8S-231).
    pub fn set_unschedulable(&self, pod: PodName, message: String) {
        let condition = json!({
            "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message,
            "lastProbeTime": null, "lastTransitionTime": super::words::seconds(super::time_of_day()),
        });
        let body = json!({"metadata": {"uid": pod.uid}, "status": {"conditions": [condition]}});
        self.patch_status(pod, Content::StrategicPatch, body);
    }

    fn patch_status(&self, pod: PodName, content: Content, body: Value) {
        let (writer, fence, slots) = (self.writer.clone(), self.fence.clone(), Arc::clone(&self.slots));
        self.runtime.spawn(async move {
            let _slot = slots.acquire().await;
            let asked = Asked::core("patch", "pods/status", Some(&pod.namespace)).named(&pod.name);
            let path = format!("{}/status?fieldManager=kornsole", address(&pod));
            if fence.lets()
                && let Err(fault) = writer.send(Method::PATCH, &path, Some((content, &body)), &asked).await
                && !fault.is_missing()
                && !fault.is_conflict()
            {
                tracing::warn!("pod {}/{}: cannot write its status: {fault}", pod.namespace, pod.name);
            }
        });
    }

    fn start(&self, deed: Deed) {
        if let Deed::Fail { pod, reason, message } = deed {
            let status = json!({"phase": "Failed", "reason": reason, "message": message});
            let body = json!({"metadata": {"uid": pod.uid}, "status": status});
            return self.patch_status(pod, Content::MergePatch, body);
        }
        let (writer, fence, slots) = (self.writer.clone(), self.fence.clone(), Arc::clone(&self.slots));
        let (outcomes, image) = (self.outcomes.clone(), Arc::clone(&self.image));
        self.runtime.spawn(async move {
            let _slot = slots.acquire().await;
            let may = || {
                if fence.lets() {
                    Ok(())
                } else {
                    Err(Failure::Failed("this instance does not have the lease".to_owned()))
                }
            };
            let outcome = match deed {
                Deed::Bind { pod, node } => {
                    let done = match may() {
                        Ok(()) => bind(&writer, &pod, &node).await,
                        Err(why) => Err(why),
                    };
                    Outcome::Bound { pod, node, done }
                }
                Deed::Delete { pod } => {
                    let done = match may() {
                        Ok(()) => delete(&writer, &pod).await,
                        Err(why) => Err(why),
                    };
                    Outcome::Deleted { pod, done }
                }
                Deed::Create(made) => {
                    let done = match may() {
                        Ok(()) => create(&writer, &made.owner.namespace, &made.manifest(&image)).await,
                        Err(why) => Err(why),
                    };
                    Outcome::Created { app: made.app.clone(), owner: made.owner.clone(), done }
                }
                Deed::Report(_) | Deed::Fail { .. } => return,
            };
            // The receiver is gone at the end of the process.
            let _ = outcomes.send(Message::Done(outcome));
        });
    }

    /// Waits for the running requests, with a timeout.
    pub fn finish(&self, most: Duration) {
        let all = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
        let slots = Arc::clone(&self.slots);
        let _ =
            self.runtime.block_on(async move { tokio::time::timeout(most, slots.acquire_many(all)).await.map(drop) });
    }
}

fn address(pod: &PodName) -> String {
    format!("/api/v1/namespaces/{}/pods/{}", pod.namespace, pod.name)
}

/// K8S-211, K8S-212: the API server rejects a pod that has a node, another UID, or is being deleted.
async fn bind(writer: &Writer, pod: &PodName, node: &str) -> Result<(), Failure> {
    let asked = Asked::core("create", "pods/binding", Some(&pod.namespace)).named(&pod.name);
    let body = json!({
        "apiVersion": "v1", "kind": "Binding",
        "metadata": {"namespace": pod.namespace, "name": pod.name, "uid": pod.uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    });
    let path = format!("{}/binding", address(pod));
    writer.send(Method::POST, &path, Some((Content::Object, &body)), &asked).await.map(drop).map_err(failure)
}

async fn delete(writer: &Writer, pod: &PodName) -> Result<(), Failure> {
    let asked = Asked::core("delete", "pods", Some(&pod.namespace)).named(&pod.name);
    let body = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": pod.uid}});
    writer.send(Method::DELETE, &address(pod), Some((Content::Object, &body)), &asked).await.map(drop).map_err(failure)
}

/// An existing pod is from an earlier attempt.
async fn create(writer: &Writer, namespace: &str, manifest: &Value) -> Result<(), Failure> {
    let asked = Asked::core("create", "pods", Some(namespace));
    let path = format!("/api/v1/namespaces/{namespace}/pods?fieldManager=kornsole");
    match writer.send(Method::POST, &path, Some((Content::Object, manifest)), &asked).await {
        Err(fault) if !fault.is_conflict() => Err(failure(fault)),
        _ => Ok(()),
    }
}

fn failure(fault: KubeFault) -> Failure {
    let words = fault.to_string();
    match fault.status {
        Some(409) => Failure::Overtaken(words),
        Some(404) => Failure::Gone,
        _ => Failure::Failed(words),
    }
}

//! Cluster operations of the worker: owners of pods, and local records.

use std::sync::Arc;

use super::{Message, Worker};
use crate::remote::act;
use crate::remote::stored::Retained;
use crate::{OwnersAnswer, SuspendAnswer, SuspendOrder};
use client::Remote;
use cluster::kube::Cluster;
use model::AppId;
use view::act::{Code, Order, Refusal};

impl Worker {
    pub(super) fn acts_in(&self) -> Option<Arc<Cluster>> {
        let is_yunikorn = matches!(self.remote, Some(Remote::YuniKorn(_)));
        self.client.cluster().filter(|_| is_yunikorn).cloned()
    }

    pub(super) fn retained(&self) -> Option<Retained> {
        Retained::of(&self.acts_in()?.context().name)
    }

    pub(super) fn load_retained(&self) {
        let Some(retained) = self.retained() else { return };
        let messages = self.messages_in.clone();
        tokio::task::spawn_blocking(move || {
            // The worker may have ended.
            let _ = messages.send(Message::Retained(Box::new(retained.records())));
        });
    }

    pub(super) fn owners(&mut self, partition: Arc<str>, app: AppId, answer: OwnersAnswer) {
        let (cluster, view) = (self.acts_in(), self.shared.view.load_full());
        self.in_background(Message::TextFetched, async move {
            let part = view.partitions.iter().find(|part| part.name == partition);
            let row = part.and_then(|part| part.app_by_id(&app));
            answer(match (cluster, row, &view.kubernetes) {
                (Some(cluster), Some(row), Some(all)) => Ok(act::cluster::chains(&cluster, all, row).await),
                (None, ..) => Err("it has no pods".to_owned()),
                (_, None, _) => Err(format!("application {app} not found")),
                (_, _, None) => Err("the pods are not loaded yet".to_owned()),
            });
        });
    }

    pub(super) fn suspend(&mut self, order: SuspendOrder, answer: SuspendAnswer) {
        let (cluster, view) = (self.acts_in(), self.shared.view.load_full());
        self.in_background(Message::OrderDone, async move {
            answer(match cluster {
                Some(cluster) => act::cluster::suspend(&cluster, &view, &order).await,
                None => {
                    let message = format!("the owners of {} are unknown", order.app);
                    Err(Refusal::new(Code::NotSupported, message, "only pods in a cluster have owners"))
                }
            });
        });
    }

    pub(super) fn note_refusal(&self, (order, refusal): (Order, Refusal)) {
        let Some(cluster) = self.acts_in() else { return };
        let (view, retained, messages) = (self.shared.view.load_full(), self.retained(), self.messages_in.clone());
        tokio::task::spawn_blocking(move || {
            act::cluster::refused_before(&cluster, &view, &order, &refusal);
            if let Some(retained) = retained {
                let _ = messages.send(Message::Retained(Box::new(retained.records())));
            }
        });
    }
}

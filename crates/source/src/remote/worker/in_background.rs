//! Work in parallel to the worker: explanations and simulation copies.

use std::sync::Arc;

use super::super::{explain, shadow};
use super::{Message, Worker};
use crate::forecast::{ForecastAnswer, StopFlag, forecast};
use crate::trial::MOST_BYTES;
use crate::{ShadowAnswer, WhatIf, WhatIfAnswer};
use model::Identity;
use view::waiting::{Question, SheetAnswer};

impl Worker {
    pub(super) fn explain(&mut self, question: Question, answer: SheetAnswer) {
        let at = self.shared.cluster_time();
        let (client, twins) = (self.client.clone(), Arc::clone(&self.twins));
        let native = self.remote.as_ref().is_some_and(|remote| remote.kornsole().is_some());
        self.in_background(Message::TextFetched, async move {
            answer(if native {
                explain::ask(&client, &question).await
            } else {
                explain::twin(twins, question, at).await
            });
        });
    }

    pub(super) fn shadow(&mut self, answer: ShadowAnswer) {
        let client = self.client.clone();
        self.in_background(Message::TextFetched, async move { answer(shadow::sheet(&client).await) });
    }

    pub(super) fn forecast(&mut self, partition: Arc<str>, text: Arc<str>, stop: StopFlag, answer: ForecastAnswer) {
        let (twins, at) = (Arc::clone(&self.twins), self.shared.cluster_time());
        let work = move || {
            let fork = twins.make(&partition, at).and_then(|twin| twin.trusted_fork(MOST_BYTES));
            fork.map(|fork| forecast(&fork, text, &stop))
        };
        self.in_background(Message::TextFetched, async move {
            let found = tokio::task::spawn_blocking(work).await;
            match found.unwrap_or_else(|_| Err("the connection was closed".to_owned())) {
                Ok(Some(found)) => answer(found),
                Ok(None) => {}
                Err(why) => answer(Err(why)),
            }
        });
    }

    pub(super) fn what_if(&mut self, partition: Arc<str>, name: Box<(String, Identity)>, answer: WhatIfAnswer) {
        let (twins, at) = (Arc::clone(&self.twins), self.shared.cluster_time());
        let work = move || {
            let twin = twins.make(&partition, at)?;
            WhatIf::of_twin(&twin, &name.0, &name.1)
        };
        self.in_background(Message::TextFetched, async move {
            let made = tokio::task::spawn_blocking(work).await;
            answer(made.unwrap_or_else(|_| Err("the connection was closed".to_owned())));
        });
    }
}

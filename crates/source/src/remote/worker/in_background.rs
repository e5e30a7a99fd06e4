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
        if self.remote.as_ref().is_some_and(|remote| remote.kornsole().is_some()) {
            let client = self.client.clone();
            self.in_background(Message::TextFetched, async move { answer(explain::ask(&client, &question).await) });
            return;
        }
        let (twins, at, known) = (Arc::clone(&self.twins), self.shared.cluster_time(), self.remote_state.clone());
        let made = explain::twin(twins, question, known, at);
        self.in_background(Message::TextFetched, async move { answer(made.await) });
    }

    pub(super) fn shadow(&mut self, answer: ShadowAnswer) {
        let client = self.client.clone();
        self.in_background(Message::TextFetched, async move { answer(shadow::sheet(&client).await) });
    }

    pub(super) fn forecast(&mut self, partition: Arc<str>, text: Arc<str>, stop: StopFlag, answer: ForecastAnswer) {
        let (twins, at) = (Arc::clone(&self.twins), self.shared.cluster_time());
        let known = self.remote_state.clone();
        let work = move || {
            let fork = twins.make(&partition, known, at).and_then(|twin| twin.trusted_fork(MOST_BYTES));
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
        let known = self.remote_state.clone();
        let work = move || {
            let twin = twins.make(&partition, known, at)?;
            WhatIf::of_twin(&twin, &name.0, &name.1)
        };
        self.in_background(Message::TextFetched, async move {
            let made = tokio::task::spawn_blocking(work).await;
            answer(made.unwrap_or_else(|_| Err("the connection was closed".to_owned())));
        });
    }
}

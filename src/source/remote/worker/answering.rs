//! What follows from knowing who answers: who one is there, and which events are followed.

use std::sync::Arc;
use std::time::Duration;

use super::Worker;
use crate::api::client::Remote;
use crate::source::remote::follow::{self, Feed, Reader};
use crate::source::remote::plan::Query;
use crate::view::NoticeWeight;

impl Worker {
    /// Asks the API server of a cluster who one is and what one may do, beside everything else.
    pub(super) fn review_rights(&self) {
        let Some(cluster) = self.client.cluster().cloned() else { return };
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            cluster.review_all().await;
            shared.wake();
        });
    }

    /// Reports who answers, when that is another than before.
    pub(super) fn report_identity(&mut self, before: Option<&Remote>, remote: &Remote) {
        let title = match before {
            None => format!("connected: {remote}"),
            Some(before) if before.to_string() == remote.to_string() => return,
            Some(before) => format!("{remote} answers now, where {before} did"),
        };
        let hints = self.hints_at_token && remote.kornsole().is_some();
        let hint = if hints { "Read only: no token. --token-file or KORNSOLE_TOKEN names one." } else { "" };
        self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Info, title, hint.to_owned());
    }

    /// Follows the events of who answers.
    pub(super) fn follow(&mut self, remote: &Remote) {
        if let Some(before) = self.follower.take() {
            before.abort();
        }
        if self.shared.clock.is_stepped() {
            let feed = Feed::of(remote, self.has_token);
            self.reader.get_or_insert_with(|| Reader::new(feed));
            self.plan.add(Query::Events, self.now());
            return;
        }
        let (messages, events) = follow::channel();
        let feed = Feed::of(remote, self.has_token);
        let every = self.every.max(Duration::from_millis(50));
        self.follower = Some(tokio::spawn(follow::run(self.client.clone(), every, feed, self.seed, messages)));
        self.events = Some(events);
    }
}

//! The steps after the server is identified: the user, events, objects, and publication.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::{Message, PUBLISH_EVERY, Worker, records};
use crate::remote::follow::{self, Feed, Reader};
use crate::remote::objects;
use crate::remote::plan::Query;
use client::{Fault, Release, Remote};
use cluster::kube::{Cluster, Pace};
use view::act::rights;
use view::{NoticeWeight, View};
use wire::convert::read::Shapes;

/// The number of applications to scan for namespaces per published view.
const APPS: usize = 5_000;
/// How long a rights review is valid.
const REVIEWED: Duration = Duration::from_secs(60);
const NAMESPACES: usize = 50;

impl Worker {
    /// Reviews the user and the rights at the API server, in parallel and again each minute. Started once.
    pub(super) fn review_rights(&mut self) {
        let Some(cluster) = self.client.cluster().filter(|_| !self.reviews_rights).cloned() else { return };
        self.reviews_rights = true;
        let (shared, once) = (Arc::clone(&self.shared), self.shared.clock.is_stepped());
        tokio::spawn(async move {
            loop {
                cluster.review_all().await;
                shared.wake();
                if once {
                    return;
                }
                tokio::time::sleep(REVIEWED).await;
            }
        });
    }

    pub(super) fn review_namespaces(&self, view: &View) {
        let Some(cluster) = self.client.cluster().filter(|_| self.follows_objects).cloned() else { return };
        if cluster.is_allowed(&Cluster::killing(None)) != Some(false) {
            return;
        }
        let apps = view.partitions.iter().flat_map(|part| part.apps.iter().flatten());
        let all: BTreeSet<String> = apps.filter_map(|app| rights::namespace(app)).take(APPS).collect();
        let new = |name: &String| cluster.is_allowed(&Cluster::killing(Some(name))).is_none();
        let namespaces: Vec<String> = all.into_iter().filter(new).take(NAMESPACES).collect();
        if namespaces.is_empty() || self.reviewing.swap(true, Ordering::Relaxed) {
            return;
        }
        let (shared, reviewing) = (Arc::clone(&self.shared), Arc::clone(&self.reviewing));
        tokio::spawn(async move {
            if cluster.review_namespaces(&namespaces).await {
                shared.wake();
            }
            reviewing.store(false, Ordering::Relaxed);
        });
    }

    pub(super) fn start_over(&mut self, before: Option<&Remote>, remote: &Remote, doubt: Option<&Fault>) {
        let now = self.now();
        self.report_identity(before, remote, doubt);
        let has_allocation_time = matches!(remote, Remote::Kornsole(_)) || remote.release() <= Release::V1_5;
        self.remote_state.read_as(remote.profile(), Shapes { has_allocation_time });
        self.config_text = None;
        self.with_link(|link| link.keep_parts(|_| false));
        self.shared.remote.store(Some(Arc::new(remote.clone())));
        self.follow(remote);
        let retained = self.retained().is_some();
        self.shared.keep_records(|records| *records = records::of_remote(remote, self.has_token, retained));
        self.load_retained();
        let in_background = [Query::Health, Query::Metrics, Query::Audit, Query::History];
        for query in [Query::Config, Query::WhoAmI, Query::Resting].into_iter().chain(in_background) {
            self.plan.add(query, now);
        }
    }

    fn report_identity(&mut self, before: Option<&Remote>, remote: &Remote, doubt: Option<&Fault>) {
        let title = match before {
            None => format!("connected: {remote}"),
            Some(before) if before.to_string() == remote.to_string() => return,
            Some(before) => format!("now connected to {remote}, previously to {before}"),
        };
        let hints = self.hints_at_token && remote.kornsole().is_some();
        let hint = if hints { "Read only: no token. Use --token-file or KORNSOLE_TOKEN." } else { "" };
        let details = doubt.map_or_else(|| hint.to_owned(), |fault| format!("The server may be kornsole: {fault}"));
        self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Info, title, details);
    }

    fn follow(&mut self, remote: &Remote) {
        let follower = self.follower.take().inspect(JoinHandle::abort).is_some();
        if self.reader.take().is_some() || follower {
            // Another product numbers its events differently.
            self.shared.forget_events();
            self.feed_lost("another release of the scheduler answers".to_owned());
        }
        let feed = Feed::of(remote, self.has_token);
        if self.shared.clock.is_stepped() {
            self.reader = Some(Reader::new(feed));
            self.plan.add(Query::Events, self.now());
            return;
        }
        let (messages, events) = follow::channel();
        let every = self.every.max(Duration::from_millis(50));
        self.follower = Some(tokio::spawn(follow::run(self.client.clone(), every, feed, self.seed, messages)));
        self.events = Some(events);
    }

    pub(super) fn follow_objects(&mut self) {
        let is_yunikorn = matches!(self.remote, Some(Remote::YuniKorn(_)));
        let Some(cluster) = self.client.cluster().filter(|_| is_yunikorn && !self.follows_objects).cloned() else {
            return;
        };
        self.follows_objects = true;
        let (shared, messages) = (Arc::clone(&self.shared), self.messages_in.clone());
        let publish = move |all| messages.send(Message::Objects(all)).is_ok();
        tokio::spawn(objects::run(cluster, Pace::default(), move || shared.cluster_time(), publish));
    }

    pub(super) fn publish(&mut self) {
        let now = self.now();
        let stepped = self.shared.clock.is_stepped();
        if !stepped && self.published.is_some_and(|last| now < last + PUBLISH_EVERY) {
            return;
        }
        let live = self.shared.link_state().link(now).is_live();
        if live && self.remote.is_some() {
            self.remote_state.pass(self.shared.cluster_time());
            self.remote_state.sample(self.shared.cluster_time());
        }
        if let Some(view) = self.remote_state.take_view(self.shared.cluster_time()) {
            self.review_namespaces(&view);
            self.shared.view.store(view);
            self.published = Some(now);
            self.shared.wake();
        }
    }
}

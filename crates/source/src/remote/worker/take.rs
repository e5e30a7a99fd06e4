//! Applies answers of the remote to the state and the plan.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::Worker;
use crate::remote::NOT_RECEIVED;
use crate::remote::fetch::{FetchResult, FetchedData};
use crate::remote::follow::EventMessage;
use crate::remote::part::Part;
use crate::remote::plan::Query;
use crate::remote::records;
use crate::{OwnHealth, Records};
use client::Fault;
use view::NoticeWeight;
use view::act::{ConfigMapEntry, Configuration};
use wire::convert;
use wire::convert::read::{RemoteState, Scope};
use wire::dto;

const SHOWN_UNKNOWN: usize = 100;
const REPORTED_AFTER: u32 = 2;

impl Worker {
    pub(super) fn take(&mut self, outcome: FetchResult) {
        let FetchResult { query, started, result, unknown, cost } = outcome;
        match result {
            Ok(got) => {
                self.failing.remove(&query);
                self.good(&got);
                let sent_at = self.now();
                self.with_link(|link| link.part_arrived(sent_at, query.part()));
                let (took, cost) = if self.shared.clock.is_stepped() { Default::default() } else { (got.took, cost) };
                let all = matches!(&got.value, FetchedData::Apps(_, Scope::All));
                self.merge(&query, got.value);
                self.take_unknown(&query, unknown);
                if let Some(partition) = query.partition().filter(|_| all) {
                    self.feed_apps(partition, started);
                }
                self.plan.done(&query, took, cost + (self.now() - sent_at));
            }
            Err(fault) => self.take_fault(&query, started, &fault),
        }
    }

    fn take_unknown(&mut self, query: &Query, mut unknown: Vec<dto::Unknown>) {
        unknown.sort();
        if unknown.is_empty() {
            if self.unknown.remove(query).is_some() {
                self.mark_unknown(query);
            }
            return;
        }
        if self.unknown.get(query) == Some(&unknown) {
            return;
        }
        let count = unknown.len();
        let values = if count == 1 { "value" } else { "values" };
        let title = format!("{count} {values} of {} unknown: invalid response", query.words());
        let lines: Vec<String> = unknown.iter().take(SHOWN_UNKNOWN).map(ToString::to_string).collect();
        self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Warning, title, lines.join("\n"));
        self.unknown.insert(query.clone(), unknown);
        self.mark_unknown(query);
    }

    pub(super) fn mark_unknown(&mut self, query: &Query) {
        let of = |partition: &Arc<str>| {
            let about = self.unknown.iter().filter(|(query, _)| query.partition().is_none_or(|one| one == partition));
            about.flat_map(|(_, all)| all.iter().cloned()).collect::<Vec<_>>()
        };
        let names = self.remote_state.partition_names();
        let names = names.into_iter().filter(|name| query.partition().is_none_or(|one| one == name));
        let marked: Vec<_> = names.map(|name| (of(&name), name)).collect();
        marked.into_iter().for_each(|(unknown, name)| self.remote_state.unknown(&name, unknown));
    }

    fn take_fault(&mut self, query: &Query, started: Duration, fault: &Fault) {
        let queues = matches!(query, Query::Queues(_));
        // Without queues or the list of partitions, the rest of the cluster is still shown.
        let basic = matches!(query, Query::Partitions) || (queues && !fault.is_about_this());
        if matches!(query, Query::Partitions) && self.without_list && fault.is_about_this() {
            self.take_without_list(fault);
            return;
        }
        if fault.is_answer() && !basic && !queues {
            self.take_refusal(query, fault);
            return;
        }
        let now = self.now();
        self.plan.failed(query, now + self.every);
        if matches!(fault, Fault::Missing(_)) && (basic || queues) {
            // A partition was removed between two answers: the list of partitions shows it.
            return;
        }
        self.with_link(|link| link.part_failed(query.part(), fault));
        if basic || fault.is_unreachable() {
            self.failed(started, fault);
            return;
        }
        let failures = self.failing.entry(query.clone()).or_default();
        *failures += 1;
        let pause = self.chance.within(self.every * 2, *failures);
        self.plan.failed(query, now + pause);
        if *failures == REPORTED_AFTER {
            let title = format!("cannot fetch {}: {fault}", query.words());
            self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Warning, title, String::new());
        }
    }

    fn take_refusal(&mut self, query: &Query, fault: &Fault) {
        let now = self.now();
        match (query, fault) {
            (Query::Health, fault) => {
                let why = match fault {
                    Fault::Missing(_) => "its health check has not run yet".to_owned(),
                    fault => fault.to_string(),
                };
                self.shared.keep_health(OwnHealth::Unknown(Arc::from(why)));
                self.plan.failed(query, now + self.every * 5);
            }
            (Query::App(partition, id), Fault::Missing(_)) => {
                // It ended or was removed: the lists show which.
                let (partition, id) = (Arc::clone(partition), id.clone());
                let reader = self.remote_state.app_reader(&partition);
                let at = self.shared.cluster_time();
                let scope = wire::convert::read::Scope::One(id);
                self.remote_state.apps(&partition, reader, &scope, at);
                self.plan.expedite(|query| matches!(query, Query::Completed(_) | Query::Rejected(_)), now);
                self.plan.failed(query, now + self.every * 5);
            }
            (_, Fault::NoEndpoint(_)) => {
                self.note_unanswered(query, fault);
                self.plan.drop(query);
            }
            _ => {
                self.note_unanswered(query, fault);
                self.plan.failed(query, now + self.every * 15);
            }
        }
    }

    /// Reports once that a list has no answer: its content is unknown, not empty.
    fn note_unanswered(&mut self, query: &Query, fault: &Fault) {
        let lists = [Part::Apps, Part::Nodes, Part::Users, Part::Groups, Part::Ended];
        if !lists.contains(&query.part()) || matches!(query, Query::App(..) | Query::Node(..) | Query::QueueApps(..)) {
            return;
        }
        self.with_link(|link| link.part_failed(query.part(), fault));
        if self.failing.insert(query.clone(), REPORTED_AFTER).is_none() {
            let title = format!("cannot fetch {}: {fault}", query.words());
            self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Warning, title, String::new());
        }
    }

    fn merge(&mut self, query: &Query, answer: FetchedData) {
        let (now, at) = (self.now(), self.shared.cluster_time());
        let partition = query.partition().cloned().unwrap_or_default();
        match answer {
            FetchedData::Partitions(list) => {
                self.without_list = false;
                if list.is_empty() {
                    // The server was restarted.
                    self.remote = None;
                }
                self.remote_state.partitions(list);
                self.plan_partitions(now);
            }
            FetchedData::Queues(root) => {
                let tree = |remote_state: &RemoteState| {
                    remote_state.view().partitions.iter().map(|part| part.tree_generation).sum()
                };
                let before: u64 = tree(&self.remote_state);
                self.remote_state.queues(&partition, &root, at);
                if tree(&self.remote_state) != before {
                    self.plan.expedite(|query| matches!(query, Query::Permissions(_)), now);
                }
            }
            FetchedData::Apps(reader, scope) => {
                if self.remote_state.apps(&partition, reader, &scope, at) {
                    self.plan.expedite(|query| matches!(query, Query::Completed(_)), now);
                }
            }
            FetchedData::Ended(which, reader) => self.remote_state.ended(&partition, which, reader),
            FetchedData::Nodes(reader, all, marks) => {
                self.remote_state.nodes(&partition, reader, all);
                marks.into_iter().for_each(|marks| self.remote_state.mark_nodes(marks));
            }
            FetchedData::Users(users) => self.remote_state.users(&partition, users),
            FetchedData::Groups(groups) => self.remote_state.groups(&partition, groups),
            FetchedData::Config(text) => self.take_config(&text, false),
            FetchedData::WrittenConfig(text, entry, revision) => {
                self.take_config(&text, true);
                self.show_config(&text, Some((entry, revision)));
            }
            FetchedData::OwnConfig(configuration) => {
                self.take_config(&configuration.queues, true);
                self.remote_state.configuration(*configuration);
            }
            FetchedData::WhoAmI(who) => self.shared.who.store(Some(Arc::new(who))),
            FetchedData::Audit(page) => self.shared.keep_records(|records| records.audit = Ok(page)),
            FetchedData::History(revisions) => self.shared.keep_records(|records| records.revisions = Ok(revisions)),
            FetchedData::Health(health) => {
                let health = OwnHealth::Reported(Arc::new(convert::read_health(health)), at);
                self.shared.keep_health(health);
            }
            FetchedData::Metrics(found) => {
                if let Some((count, total)) = found {
                    self.shared.cycles.take(now, count, total);
                }
            }
            FetchedData::Resting(resting) => self.remote_state.resting(resting),
            FetchedData::Draining(queues) => self.remote_state.draining_since(&partition, queues),
            FetchedData::Quotas(forecasts) => self.remote_state.quotas(&partition, forecasts),
            FetchedData::Permissions(permissions) => self.remote_state.permissions(&partition, permissions),
            FetchedData::MayKill(app, result) => self.remote_state.may_kill(&partition, &app, result),
            FetchedData::Events(reader, messages) => {
                let received = EventMessage::Current(Instant::now(), reader.next());
                self.reader = Some(reader);
                messages.into_iter().chain([received]).for_each(|one| self.take_events(one));
            }
        }
    }

    fn take_config(&mut self, text: &str, written: bool) {
        if self.config_text.as_deref() == Some(text) {
            return;
        }
        if let Err(faults) = self.remote_state.config(text, written) {
            let title =
                "the remote configuration cannot be parsed: limits, access lists, and rules are unknown".to_owned();
            self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Warning, title, faults);
        }
        self.config_text = Some(text.to_owned());
        if !written {
            self.show_config(&convert::read::plain(text), None);
        }
        let now = self.now();
        self.plan.expedite(|query| matches!(query, Query::Queues(_) | Query::Permissions(_)), now);
    }

    fn show_config(&mut self, text: &str, written: Option<(ConfigMapEntry, Option<u64>)>) {
        let at = self.shared.cluster_time();
        let retained = written.as_ref().and_then(|(_, revision)| *revision);
        let newest = |records: &Records| records.revisions.as_ref().ok()?.first().map(|newest| newest.number);
        let mut revision = retained.unwrap_or(1);
        self.shared.keep_records(|records| {
            if retained.is_none() {
                records::saw(records, text, at);
                revision = newest(records).unwrap_or(1);
            }
        });
        let known = newest(&self.shared.records.lock().unwrap_or_else(PoisonError::into_inner));
        if retained.is_some() && retained != known {
            self.load_retained();
        }
        let seen = Configuration::seen(Arc::from(text), revision, at);
        self.remote_state.configuration(match written {
            Some((entry, _)) => seen.in_config_map(entry),
            None => seen,
        });
    }

    pub(super) fn plan_partitions(&mut self, now: Duration) {
        let names = self.remote_state.partition_names();
        self.plan.retain(|query| query.partition().is_none_or(|partition| names.contains(partition)));
        for name in &names {
            let name = || Arc::clone(name);
            let asks = [
                Query::Queues(name()),
                Query::Apps(name()),
                Query::Nodes(name()),
                Query::Users(name()),
                Query::Groups(name()),
                Query::Completed(name()),
                Query::Rejected(name()),
                Query::Draining(name()),
                Query::Quotas(name()),
                Query::Permissions(name()),
            ];
            let known = self.plan.has(&asks[0]);
            if !known {
                asks.into_iter().for_each(|query| self.plan.add(query, now));
                self.plan.set_focus(self.focus.clone(), now);
            }
        }
    }

    pub(super) fn take_events(&mut self, event: EventMessage) {
        let (now, at) = (self.now(), self.shared.cluster_time());
        match event {
            EventMessage::Events(first, records) => {
                self.remote_state.events(&records);
                self.shared.keep_events(first, &records);
                self.feed_events(first, &records);
                let about = |kinds: &[i32]| records.iter().any(|record| kinds.contains(&record.kind));
                let (apps, nodes, queues) = (about(&[1, 2]), about(&[3]), about(&[2, 4]));
                let focus = self.focus.clone();
                self.plan.expedite(
                    |query| match query {
                        Query::Queues(_) => queues,
                        Query::Partitions => nodes,
                        Query::Apps(_) | Query::QueueApps(..) | Query::App(..) => apps && query.is_on(&focus),
                        Query::Nodes(_) | Query::Node(..) => nodes && query.is_on(&focus),
                        _ => false,
                    },
                    now,
                );
            }
            EventMessage::Current(asked, next) => {
                self.plan.fed(now);
                self.feed_received(asked, next);
            }
            EventMessage::Gap(from, to) => {
                self.shared.keep_hole(from, to);
                self.feed_lost(format!("{} events are lost", to - from + 1));
                let title = format!("{} events are lost, numbers {from} to {to}", to - from + 1);
                self.remote_state.notice(at, NoticeWeight::Warning, title, String::new());
            }
            EventMessage::Restarted => {
                self.feed_lost("the scheduler restarted".to_owned());
                self.shared.forget_events();
                self.shared.keep_health(OwnHealth::Unknown(Arc::from(NOT_RECEIVED)));
                let title = "the scheduler was restarted: loading all data again".to_owned();
                self.remote_state.notice(at, NoticeWeight::Warning, title, String::new());
                self.remote_state.start_over();
                self.with_link(|link| link.keep_parts(|_| false));
                // It may be another release.
                self.remote = None;
                self.config_text = None;
                self.plan.all_due(now);
            }
        }
    }
}

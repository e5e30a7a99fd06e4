//! What comes back from the other side → the picture, and what the plan makes of it.

use std::sync::Arc;
use std::time::Duration;

use super::Worker;
use crate::api::client::Fault;
use crate::api::convert;
use crate::api::convert::read::Picture;
use crate::source::OwnHealth;
use crate::source::remote::NOT_HEARD;
use crate::source::remote::ask::{Answer, Outcome};
use crate::source::remote::follow::EventNews;
use crate::source::remote::plan::Ask;
use crate::source::remote::records;
use crate::view::NoticeWeight;

/// How many failures of one request in a row are worth a word.
const TOLD_AT: u32 = 2;

impl Worker {
    /// Takes what came of a request.
    pub(super) fn take(&mut self, outcome: Outcome) {
        let Outcome { ask, started, result, cost } = outcome;
        match result {
            Ok(got) => {
                self.failing.remove(&ask);
                self.good(&got);
                let begun = self.now();
                let (took, cost) = if self.shared.clock.is_stepped() { Default::default() } else { (got.took, cost) };
                self.merge(&ask, got.value);
                self.plan.done(&ask, took, cost + (self.now() - begun));
            }
            Err(fault) => self.take_fault(&ask, started, &fault),
        }
    }

    fn take_fault(&mut self, ask: &Ask, started: Duration, fault: &Fault) {
        let basic = matches!(ask, Ask::Partitions | Ask::Queues(_));
        if fault.is_answer() && !basic {
            self.take_refusal(ask, fault);
            return;
        }
        let now = self.now();
        self.plan.failed(ask, now + self.every);
        if matches!(fault, Fault::Missing(_)) && basic {
            // A partition that went between two answers: the list of them tells it.
            return;
        }
        if basic || fault.is_unreachable() {
            self.failed(started, fault);
            return;
        }
        let failures = self.failing.entry(ask.clone()).or_default();
        *failures += 1;
        let pause = self.chance.within(self.every * 2, *failures);
        self.plan.failed(ask, now + pause);
        if *failures == TOLD_AT {
            let title = format!("{} cannot be had: {fault}", what(ask));
            self.picture.notice(self.shared.cluster_time(), NoticeWeight::Warning, title, String::new());
        }
    }

    /// The other side answered that there is no such thing, or that one may not see it.
    fn take_refusal(&mut self, ask: &Ask, fault: &Fault) {
        let now = self.now();
        match (ask, fault) {
            (Ask::Health, fault) => {
                let why = match fault {
                    Fault::Missing(_) => "it has not checked itself yet".to_owned(),
                    fault => fault.to_string(),
                };
                self.shared.keep_health(OwnHealth::Unknown(Arc::from(why)));
                self.plan.failed(ask, now + self.every * 5);
            }
            (Ask::App(partition, id), Fault::Missing(_)) => {
                // It ended, or went: the lists tell which.
                let (partition, id) = (Arc::clone(partition), id.clone());
                let reader = self.picture.app_reader(&partition);
                let at = self.shared.cluster_time();
                let scope = crate::api::convert::read::Scope::One(id);
                self.picture.apps(&partition, reader, &scope, at);
                self.plan.news(|ask| matches!(ask, Ask::Completed(_) | Ask::Rejected(_)), now);
                self.plan.failed(ask, now + self.every * 5);
            }
            (_, Fault::NoEndpoint(_)) => self.plan.drop(ask),
            _ => self.plan.failed(ask, now + self.every * 15),
        }
    }

    fn merge(&mut self, ask: &Ask, answer: Answer) {
        let (now, at) = (self.now(), self.shared.cluster_time());
        let partition = ask.partition().cloned().unwrap_or_default();
        match answer {
            Answer::Partitions(list) => {
                if list.is_empty() {
                    // Whoever answers has forgotten everything: it has just started.
                    self.remote = None;
                }
                self.picture.partitions(list);
                self.plan_partitions(now);
            }
            Answer::Queues(root) => {
                let tree = |picture: &Picture| picture.view().partitions.iter().map(|part| part.tree_generation).sum();
                let before: u64 = tree(&self.picture);
                self.picture.queues(&partition, &root, at);
                if tree(&self.picture) != before {
                    self.plan.news(|ask| matches!(ask, Ask::Permissions(_)), now);
                }
            }
            Answer::Apps(reader, scope) => {
                if self.picture.apps(&partition, reader, &scope, at) {
                    self.plan.news(|ask| matches!(ask, Ask::Completed(_)), now);
                }
            }
            Answer::Ended(which, reader) => self.picture.ended(&partition, which, reader),
            Answer::Nodes(reader, all) => self.picture.nodes(&partition, reader, all),
            Answer::Users(users) => self.picture.users(&partition, users),
            Answer::Groups(groups) => self.picture.groups(&partition, groups),
            Answer::Config(text) => self.take_config(&text, false),
            Answer::OwnConfig(configuration) => {
                self.take_config(&configuration.queues, true);
                self.picture.configuration(*configuration);
            }
            Answer::WhoAmI(who) => self.shared.who.store(Some(Arc::new(who))),
            Answer::Audit(page) => self.shared.keep_records(|records| records.audit = Ok(page)),
            Answer::History(revisions) => self.shared.keep_records(|records| records.revisions = Ok(revisions)),
            Answer::Health(health) => {
                let health = OwnHealth::Told(Arc::new(convert::read_health(health)), at);
                self.shared.keep_health(health);
            }
            Answer::Resting(resting) => self.picture.resting(resting),
            Answer::Draining(queues) => self.picture.draining_since(&partition, queues),
            Answer::Permissions(permissions) => self.picture.permissions(&partition, permissions),
            Answer::MayKill(app, result) => self.picture.may_kill(&partition, &app, result),
            Answer::Events(reader, news) => {
                self.reader = Some(reader);
                news.into_iter().for_each(|one| self.take_events(one));
            }
        }
    }

    fn take_config(&mut self, text: &str, written: bool) {
        if self.config_text.as_deref() == Some(text) {
            return;
        }
        if let Err(faults) = self.picture.config(text, written) {
            let title =
                "the remote's configuration does not read: limits, access lists and rules are not known".to_owned();
            self.picture.notice(self.shared.cluster_time(), NoticeWeight::Warning, title, faults);
        }
        self.config_text = Some(text.to_owned());
        if !written {
            let at = self.shared.cluster_time();
            self.shared.keep_records(|records| records::saw(records, text, at));
        }
        let now = self.now();
        self.plan.news(|ask| matches!(ask, Ask::Queues(_) | Ask::Permissions(_)), now);
    }

    /// Every partition's things are asked for, and those of no other.
    fn plan_partitions(&mut self, now: Duration) {
        let names = self.picture.partition_names();
        self.plan.retain(|ask| ask.partition().is_none_or(|partition| names.contains(partition)));
        for name in &names {
            let name = || Arc::clone(name);
            let asks = [
                Ask::Queues(name()),
                Ask::Apps(name()),
                Ask::Nodes(name()),
                Ask::Users(name()),
                Ask::Groups(name()),
                Ask::Completed(name()),
                Ask::Rejected(name()),
                Ask::Draining(name()),
                Ask::Permissions(name()),
            ];
            let known = self.plan.has(&asks[0]);
            if !known {
                asks.into_iter().for_each(|ask| self.plan.add(ask, now));
                self.plan.look(self.glance.clone(), now);
            }
        }
    }

    /// Takes what happened.
    pub(super) fn take_events(&mut self, event: EventNews) {
        let (now, at) = (self.now(), self.shared.cluster_time());
        match event {
            EventNews::Events(first, records) => {
                self.picture.events(&records);
                self.shared.keep_events(first, &records);
                let about = |kinds: &[i32]| records.iter().any(|record| kinds.contains(&record.kind));
                let (apps, nodes, queues) = (about(&[1, 2]), about(&[3]), about(&[2, 4]));
                let glance = self.glance.clone();
                self.plan.news(
                    |ask| match ask {
                        Ask::Queues(_) => queues,
                        Ask::Partitions => nodes,
                        Ask::Apps(_) | Ask::QueueApps(..) | Ask::App(..) => apps && ask.is_on(&glance),
                        Ask::Nodes(_) | Ask::Node(..) => nodes && ask.is_on(&glance),
                        _ => false,
                    },
                    now,
                );
            }
            EventNews::Gap(from, to) => {
                self.shared.keep_hole(from, to);
                let title = format!(
                    "{} events are lost, numbers {from} to {to}: what happened then is not known",
                    to - from + 1
                );
                self.picture.notice(at, NoticeWeight::Warning, title, String::new());
            }
            EventNews::Restarted => {
                self.shared.forget_events();
                self.shared.keep_health(OwnHealth::Unknown(Arc::from(NOT_HEARD)));
                let title = "another run of the scheduler answers: everything is read anew".to_owned();
                self.picture.notice(at, NoticeWeight::Warning, title, String::new());
                self.picture.start_over();
                // It may be another release.
                self.remote = None;
                self.config_text = None;
                self.plan.all_due(now);
            }
        }
    }
}

/// What a request is for, in words.
fn what(ask: &Ask) -> &'static str {
    match ask {
        Ask::Partitions => "the list of partitions",
        Ask::Queues(_) => "the queues",
        Ask::App(..) => "the application",
        Ask::Node(..) => "the node",
        Ask::QueueApps(..) => "the applications of the queue",
        Ask::Config => "the configuration",
        Ask::WhoAmI => "who one is",
        Ask::Resting => "whether the scheduler rests",
        Ask::Draining(_) => "since when queues drain",
        Ask::Permissions(_) | Ask::MayKill(..) => "what one may do",
        Ask::Events => "what has happened",
        Ask::Apps(_) => "the list of applications",
        Ask::Users(_) => "the list of users",
        Ask::Groups(_) => "the list of groups",
        Ask::Nodes(_) => "the list of nodes",
        Ask::Completed(_) => "the list of completed applications",
        Ask::Rejected(_) => "the list of rejected applications",
        Ask::Health => "its own health check",
        Ask::Audit => "the audit",
        Ask::History => "the history of configurations",
    }
}

//! Why a request is not allocated: every check of a cycle, without stopping at the first failure (`rest.md` E4).
//!
//! Invariants:
//! - nothing is changed, not even the caches of cycles;
//! - the checks are the cycle's own: `try_asks` and the search for victims;
//! - the next cycle allocates a request without a blocker; a property test verifies that under every profile.
//!
//! [`types`] is the answer, [`judged`] has the objections to a decision of another scheduler, `overview` the blockers
//! of all pending requests.

mod answers;
mod backoff;
mod chain;
mod gates;
mod holders;
pub mod judged;
mod next_decision;
mod nodes;
mod order;
mod overview;
pub mod overview_types;
pub mod place;
mod rank;
mod remedies;
pub mod remedy_types;
mod resolution;
mod settled;
mod submission;
pub mod types;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::cycle::reservation::WITHOUT_HEADROOM;
use crate::index::{AppKey, AskKey};
use crate::state::app::Application;
use crate::state::ask::Ask;
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::{AppId, AskId, Time};
use next_decision::NextDecision;
use types::{Allocated, AskExplanation, AskStatus, BlockLevel, Blocker, Explanation, Place};

/// The limit of explained kinds of requests per application; the others are only counted.
const MOST_ASKS: usize = 20;

type Kind<'a> = (Vec<(&'a str, i64)>, i32, Option<&'a str>, Option<&'a str>, bool, bool, bool);

impl Partition {
    /// Explains why an application, or one of its requests, is not allocated; `None` if it does not exist. Of equal
    /// requests the first is explained for all. Costs about as much as a cycle without a result.
    pub fn explain(&self, now: Time, app: &AppId, ask: Option<&AskId>) -> Option<Explanation> {
        match self.settled(now) {
            Some(copy) => copy.explain_settled(now, app, ask),
            None => self.explain_settled(now, app, ask),
        }
    }

    fn explain_settled(&self, now: Time, app: &AppId, ask: Option<&AskId>) -> Option<Explanation> {
        let Some(key) = self.app_key(app) else {
            let ended = self.ended_app(app).filter(|_| ask.is_none())?;
            return Some(ended_explanation(now, self, ended));
        };
        let application = &self.apps[key];
        let mut explanation = head(now, self, application);
        let groups: Vec<(AskKey, u64)> = match ask {
            Some(id) => vec![(application.ask_key(id)?, 1)],
            None => identical(application),
        };
        explanation.runs = self.runs(application);
        explanation.submission = submission::of(application);
        explanation.left_out = groups.iter().skip(MOST_ASKS).map(|(_, count)| count).sum();
        let next = OnceCell::new();
        for (ask, count) in groups.into_iter().take(MOST_ASKS) {
            explanation.asks.push(self.explain_ask(now, (key, ask), count, &next));
        }
        Some(explanation)
    }

    fn runs(&self, app: &Application) -> Vec<Allocated> {
        let made = app.allocations.values().map(|key| &app.asks[*key]);
        let allocated = |ask: &Ask| {
            let allocation = ask.allocation.as_ref()?;
            Some(Allocated {
                id: ask.id.clone(),
                pod: ask.rare.tags.pod(),
                node: self.nodes[allocation.node].id.clone(),
                since: allocation.since,
                resource: ask.resource.clone(),
                placeholder: ask.placeholder,
            })
        };
        made.filter_map(allocated).take(MOST_ASKS).collect()
    }

    fn explain_ask(
        &self,
        now: Time,
        (app, key): (AppKey, AskKey),
        identical: u64,
        next: &OnceCell<NextDecision>,
    ) -> AskExplanation {
        let application = &self.apps[app];
        let ask = &application.asks[key];
        let mut explained = AskExplanation {
            id: ask.id.clone(),
            pod: ask.rare.tags.pod(),
            identical,
            resource: ask.resource.clone(),
            priority: ask.priority,
            created: ask.created,
            ..AskExplanation::default()
        };
        if let Some(allocation) = &ask.allocation {
            let node = self.nodes[allocation.node].id.clone();
            explained.status = AskStatus::Runs { node, since: allocation.since };
            return explained;
        }
        if let Some(takeover) = &ask.rare.takes_over {
            let placeholder = application.asks.get(takeover.placeholder).map(|allocated| allocated.id.clone());
            let node = self.nodes[takeover.node].id.clone();
            explained.status = AskStatus::TakesOver { placeholder, node };
            return explained;
        }
        let next = next.get_or_init(|| NextDecision::seek(self, now, app));
        let chain = self.chain(now, app, key, next);
        explained.blockers = chain.blockers;
        explained.nodes = chain.nodes;
        explained.preemption = chain.preemption;
        explained.reserved = application
            .reservations
            .iter()
            .find(|(allocated, _)| *allocated == key)
            .map(|(_, node)| self.nodes[*node].id.clone());
        self.waiting(&mut explained, application, key);
        explained.next =
            next.decision.clone().filter(|decision| decision.app == application.id && decision.ask == ask.id);
        explained.ahead = self.ahead(app, key);
        explained.causes = ask.log.failures().to_vec();
        explained.found = ask.log.found().to_vec();
        explained.remedies = remedies::of(ask, &explained.blockers, &explained.nodes, &self.queues[ROOT]);
        explained
    }
}

impl Partition {
    fn waiting(&self, explained: &mut AskExplanation, app: &Application, key: AskKey) {
        if explained.reserved.is_some() {
            let ask = &app.asks[key];
            explained.reserved_since = ask.rare.reserved_since;
            let overdue = ask.rare.reserved_since.filter(|_| self.switches.reservation_timeout);
            explained.reserved_until = overdue.map(|since| since + WITHOUT_HEADROOM);
        }
        let backoff = app.backoff.as_ref().filter(|backoff| backoff.epoch == self.epoch);
        explained.passed_by_until = backoff.map(|backoff| backoff.until);
    }
}

fn head(now: Time, partition: &Partition, app: &Application) -> Explanation {
    Explanation {
        at: now,
        partition: partition.name.clone(),
        app: app.id.clone(),
        queue: app.queue_path.clone(),
        state: app.state,
        submitted: app.submitted,
        finished: app.finished,
        allocations: app.allocations.len() as u64,
        total_allocated: app.total_allocated(),
        pending: app.pending_order.len() as u64,
        ..Explanation::default()
    }
}

fn ended_explanation(now: Time, partition: &Partition, app: &Application) -> Explanation {
    let mut explanation = head(now, partition, app);
    explanation.submission = submission::of(app);
    explanation.blockers.push(Blocker {
        detail: app.message.as_deref().unwrap_or_default().to_owned(),
        ..Blocker::of(BlockLevel::Ended, Place::App(app.id.clone(), None))
    });
    explanation
}

fn identical(app: &Application) -> Vec<(AskKey, u64)> {
    let mut known: BTreeMap<Kind<'_>, usize> = BTreeMap::new();
    let mut found: Vec<(AskKey, u64)> = Vec::new();
    for (.., key) in &app.pending_order {
        let kind = kind(&app.asks[*key], app.reservations.iter().any(|(allocated, _)| allocated == key));
        match known.get(&kind) {
            Some(at) => found[*at].1 += 1,
            None => {
                known.insert(kind, found.len());
                found.push((*key, 1));
            }
        }
    }
    found
}

fn kind(ask: &Ask, reserved: bool) -> Kind<'_> {
    let (node, group) = (ask.rare.required_node.as_ref().map(|id| id.as_str()), ask.rare.task_group.as_deref());
    (ask.resource.iter().collect(), ask.priority.0, node, group, ask.placeholder, ask.allow_preempt_other, reserved)
}

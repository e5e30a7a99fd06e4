//! Audit entries for changing requests that were rejected before they became operations: without a token, or with an
//! invalid body (E11).
//!
//! Invariants:
//! - a request is in the audit once, whichever part rejects it;
//! - at most [`MOST_UNKNOWN`] requests without a valid token are recorded per minute, so that they cannot fill the
//!   disk.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::NativeApi;
use super::caller::Caller;
use super::refused_budget::Limited;
use super::route::{BodyKind, Route, Verb};
use model::{AppId, NodeId};
use view::act::{Act, Order, PartitionAct, Refusal, Submission};

/// Maximum number of recorded anonymous requests in [`WINDOW`].
pub(super) const MOST_UNKNOWN: u32 = 60;
const WINDOW: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(super) struct UnknownCallers(Mutex<Option<(Instant, u32)>>);

impl UnknownCallers {
    fn enters(&self) -> bool {
        let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, known) = count.filter(|(since, _)| since.elapsed() < WINDOW).unwrap_or((Instant::now(), 0));
        *count = Some((since, known.saturating_add(1)));
        known < MOST_UNKNOWN
    }
}

/// The operation of a route, as far as the path describes it; `None` if it changes nothing.
fn order(route: &Route, parameters: &[String]) -> Option<Order> {
    let parameter = |at: usize| parameters.get(at).map_or("", String::as_str);
    let app = || AppId::from(parameter(1));
    let node = || NodeId::from(parameter(1));
    let (text, base, dry_run, expect_queue) = (String::new(), None, false, None);
    let act = match route.verb {
        Verb::Kill => PartitionAct::Kill { app: app(), expect_queue },
        Verb::Move => PartitionAct::Move { app: app(), to: Default::default(), expect_queue, dry_run },
        Verb::Bulk => PartitionAct::Kill { app: AppId::from(""), expect_queue },
        Verb::Submit => PartitionAct::Submit(Submission::default()),
        Verb::Ask => PartitionAct::Ask { app: app(), asks: Vec::new() },
        Verb::Release => PartitionAct::Release { app: app(), ask: parameter(2).into() },
        Verb::Remove => PartitionAct::Remove { app: app() },
        Verb::AddNode => PartitionAct::AddNode(Default::default()),
        Verb::UpdateNode => PartitionAct::UpdateNode { id: node(), capacity: None, occupied: None },
        Verb::DrainNode => PartitionAct::DrainNode(node()),
        Verb::ResumeNode => PartitionAct::ResumeNode(node()),
        Verb::RemoveNode => PartitionAct::RemoveNode { id: node(), force: false },
        Verb::Cleanup => PartitionAct::Clean { queues: false, applications: false, dry_run },
        Verb::ConfigPut => return Some(Act::Configure { text, base, dry_run }.into()),
        Verb::ConfigRollback => return Some(Act::Rollback { revision: 0, base, dry_run }.into()),
        Verb::Pause => return Some(Act::Pause.into()),
        Verb::Resume => return Some(Act::Resume.into()),
        Verb::Silence => {
            let (rule, subject, lasts) = (String::new(), String::new(), Duration::ZERO);
            return Some(Act::Silence { rule, subject, lasts }.into());
        }
        Verb::EndSilence => {
            let silence = parameter(0).parse().unwrap_or_default();
            return Some(Act::EndSilence { silence, of: String::new() }.into());
        }
        Verb::Server
        | Verb::Whoami
        | Verb::OpenApi
        | Verb::PartitionPermissions
        | Verb::Permissions
        | Verb::ConfigGet
        | Verb::ConfigValidate
        | Verb::ConfigDiff
        | Verb::ConfigHistory
        | Verb::ConfigRevision
        | Verb::Audit
        | Verb::Placement
        | Verb::WhatIf
        | Verb::Draining
        | Verb::Quotas
        | Verb::Usage
        | Verb::Shadow
        | Verb::Alerts
        | Verb::Explain
        | Verb::Waiting
        | Verb::Fairness
        | Verb::Events
        | Verb::EventStream
        | Verb::NotYet => return None,
    };
    Some(Act::within(&Arc::from(parameter(0)), act).into())
}

impl NativeApi {
    /// Records a rejected changing request in the audit, unless it is already there.
    pub(super) async fn enter(&self, who: &Caller, route: &Route, parameters: &[String], refusal: Refusal) -> Refusal {
        let Some(order) = order(route, parameters).filter(|_| !who.is_entered()) else { return refusal };
        if !who.authenticated && !self.unknown.enters() {
            return refusal;
        }
        self.enter_refusal(who, order, refusal).await
    }

    /// Records the first request that is blocked because of earlier rejections; later ones are not recorded.
    pub(super) async fn enter_first(
        &self,
        who: &Caller,
        route: &Route,
        parameters: &[String],
        limited: Limited,
    ) -> Refusal {
        if limited.first { self.enter(who, route, parameters, limited.refusal).await } else { limited.refusal }
    }

    /// Counts a rejected changing request. A configuration counts without its text, which is validated before it is
    /// written.
    pub(super) fn charge(&self, who: &Caller, route: &Route, body: usize) {
        if route.changes() {
            self.refused.charge(&who.actor, if matches!(route.body, BodyKind::Yaml) { 0 } else { body });
        }
    }
}

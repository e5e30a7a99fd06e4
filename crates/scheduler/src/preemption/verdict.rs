//! Whether others would be preempted for a request, as the search itself finds.

use std::time::Duration;

use super::attempts::NoSearch;
use super::fence::is_fence_by_max;
use super::victim_search::{NoVictims, VictimSearch};
use crate::index::{AppKey, AskKey};
use crate::interface::grounds::{RetainedSurvey, UsageState};
use crate::state::partition::Partition;
use model::{AppId, AskId, NodeId, QueuePath, Resource, Time};

/// Whether others would be preempted for a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreemptionVerdict {
    /// What is found.
    pub outcome: PreemptionOutcome,
    /// The preemption delay of the leaf.
    pub delay: Duration,
    /// `None`: the root.
    pub fence: Option<QueuePath>,
    /// The usage of its leaf relative to the guaranteed resources.
    pub own: UsageState,
    /// The resources of the request.
    pub wanted: Resource,
    /// If nothing is preempted: the examined allocations, and why they stay.
    pub retained: RetainedSurvey,
}

/// The result of preemption for a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PreemptionOutcome {
    /// The request needs no preemption, or it does not help.
    #[default]
    NotNeeded,
    /// Preemption is disabled in the partition.
    Off,
    /// The usage of the cluster is too low.
    LittleInUse,
    /// Only allocations on the required node are considered.
    RequiresNode,
    /// The request may not preempt others.
    NotAllowed,
    /// Victims were preempted for it before; this happens once.
    DoneBefore,
    /// Not before this time.
    Until(Time),
    /// The requests before it use up the attempts of each cycle.
    NoAttemptLeft,
    /// The guaranteed resources of its leaf do not cover the request.
    BeyondGuarantee,
    /// None is less important, in a queue above its guaranteed resources, and preemptable.
    NoCandidates,
    /// Even without all candidates the guaranteed resources do not cover the request.
    NotEnough,
    /// No node fits without these candidates.
    NoNode(u64),
    /// The node is reserved for the request.
    Victims(NodeId, Vec<(AppId, AskId)>),
}

impl Partition {
    /// `nodes_tried`: headroom, but no node fits.
    pub(crate) fn preemption_verdict(
        &self,
        now: Time,
        (app, ask): (AppKey, AskKey),
        nodes_tried: bool,
        attempts_left: Option<u32>,
    ) -> PreemptionVerdict {
        let leaf = self.apps[app].queue;
        let path = self.queues.path_up(leaf);
        let wanted = &self.apps[app].asks[ask].resource;
        let fence = path.iter().find(|key| {
            is_fence_by_max(&self.queues, **key, wanted, self.switches.max_is_fence)
                || self.queues[**key].settings.properties.preemption_policy.is_fence()
        });
        let outcome = self.preemption_outcome(now, (app, ask), nodes_tried, attempts_left);
        let sought = matches!(
            outcome,
            PreemptionOutcome::NoCandidates | PreemptionOutcome::NotEnough | PreemptionOutcome::NoNode(_)
        );
        PreemptionVerdict {
            retained: if sought { self.retained_without_victims(app, ask) } else { RetainedSurvey::default() },
            outcome,
            delay: self.queues[leaf].settings.properties.preemption_delay,
            fence: fence.map(|key| self.queues[*key].path.clone()),
            own: self.usage_state(leaf),
            wanted: wanted.clone(),
        }
    }

    fn preemption_outcome(
        &self,
        now: Time,
        (app, key): (AppKey, AskKey),
        nodes_tried: bool,
        attempts_left: Option<u32>,
    ) -> PreemptionOutcome {
        if !self.preemption {
            return PreemptionOutcome::Off;
        }
        if !self.is_loaded() {
            return PreemptionOutcome::LittleInUse;
        }
        let (leaf, ask) = (self.apps[app].queue, &self.apps[app].asks[key]);
        let attempts = self.preemption_attempts(leaf);
        if nodes_tried && attempts.finds_all_reserved() {
            return PreemptionOutcome::NotNeeded;
        }
        match attempts.check(now, ask) {
            Err(NoSearch::RequiresNode) => return PreemptionOutcome::RequiresNode,
            Err(NoSearch::NotAllowed) => return PreemptionOutcome::NotAllowed,
            Err(NoSearch::DoneBefore) => return PreemptionOutcome::DoneBefore,
            Err(NoSearch::Until(time))
                if now.since(ask.created) < self.queues[leaf].settings.properties.preemption_delay =>
            {
                return PreemptionOutcome::Until(time);
            }
            // A recent search gives the better answer than a new one.
            Err(NoSearch::Until(_)) | Ok(()) => {}
        }
        if attempts_left == Some(0) {
            return PreemptionOutcome::NoAttemptLeft;
        }
        let search = match VictimSearch::prepare(self, app, key) {
            Ok(search) => search,
            Err(NoVictims::BeyondGuarantee) => return PreemptionOutcome::BeyondGuarantee,
            Err(NoVictims::NoCandidates) => return PreemptionOutcome::NoCandidates,
            Err(NoVictims::NotEnough) => return PreemptionOutcome::NotEnough,
        };
        let candidates = search.candidates() as u64;
        let Some(plan) = search.plan(nodes_tried) else { return PreemptionOutcome::NoNode(candidates) };
        let id = |(app, ask): &(AppKey, AskKey)| (self.apps[*app].id.clone(), self.apps[*app].asks[*ask].id.clone());
        PreemptionOutcome::Victims(self.nodes[plan.node].id.clone(), plan.victims.iter().map(id).collect())
    }

    pub(crate) fn would_preempt(&self, app: AppKey, ask: AskKey, nodes_tried: bool) -> Option<NodeId> {
        let plan = VictimSearch::new(self, app, ask)?.plan(nodes_tried)?;
        Some(self.nodes[plan.node].id.clone())
    }
}

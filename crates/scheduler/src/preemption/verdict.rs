//! Whether others would be preempted for an ask, or the first reason why not: by the search itself.

use std::time::Duration;

use super::attempts::NoSearch;
use super::fence::is_fence_by_max;
use super::victim_search::{NoVictims, VictimSearch};
use crate::index::{AppKey, AskKey};
use crate::interface::grounds::{RetainedSurvey, UsageState};
use crate::state::partition::Partition;
use model::{AppId, AskId, NodeId, QueuePath, Resource, Time};

/// Whether others would be preempted for an ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreemptionVerdict {
    /// What is found.
    pub outcome: PreemptionOutcome,
    /// How long an ask of its leaf waits before it may preempt.
    pub delay: Duration,
    /// The queue that keeps the search for victims inside; `None`: the root.
    pub fence: Option<QueuePath>,
    /// How its leaf stands to its guarantee.
    pub own: UsageState,
    /// What the ask needs.
    pub wanted: Resource,
    /// What was examined where nothing goes for it, and why it stays.
    pub retained: RetainedSurvey,
}

/// What preemption would do for an ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PreemptionOutcome {
    /// It is not looked for: the ask needs none, or fails by what preemption does not change.
    #[default]
    NotNeeded,
    /// The partition preempts nothing.
    Off,
    /// Too little of the cluster is in use.
    LittleInUse,
    /// Preemption for an ask that requires a node goes another way: by what runs on that node.
    RequiresNode,
    /// The ask may not preempt others.
    NotAllowed,
    /// Others were preempted for it already, which happens once.
    DoneBefore,
    /// Not before this time.
    Until(Time),
    /// The asks before it use up the attempts of each cycle.
    NoAttemptLeft,
    /// Its leaf has no guarantee that covers the ask.
    BeyondGuarantee,
    /// Nothing inside the fence may go: not less important, not above its guarantee, or not preemptable.
    NoCandidates,
    /// Even if all that may go went, the guarantee of its queue would not cover the ask.
    NotEnough,
    /// No node would have room for it, whichever of these went.
    NoNode(u64),
    /// These go, and this node is reserved for it.
    Victims(NodeId, Vec<(AppId, AskId)>),
}

impl Partition {
    /// What preemption would do for an ask that found no room. `nodes_tried`: its queues have room, but no node has. `attempts_left`: how
    /// many attempts the asks before it leave in a cycle.
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
            // It was sought a moment ago: what was found then is the better answer than when it is sought again.
            Err(NoSearch::Until(_)) | Ok(()) => {}
        }
        if attempts_left == Some(0) {
            return PreemptionOutcome::NoAttemptLeft;
        }
        let search = match VictimSearch::begin(self, app, key) {
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

    /// The node and the victims of a search that the next cycle makes, if it finds some.
    pub(crate) fn would_preempt(&self, app: AppKey, ask: AskKey, nodes_tried: bool) -> Option<NodeId> {
        let plan = VictimSearch::new(self, app, ask)?.plan(nodes_tried)?;
        Some(self.nodes[plan.node].id.clone())
    }
}

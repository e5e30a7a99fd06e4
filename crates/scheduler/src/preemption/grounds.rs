//! Which allocations a search examined, and why they stay.
//!
//! Invariant: an allocation in an eligible leaf without a reason from [`why_retained`] is a candidate of the search.

use std::collections::{BTreeMap, BTreeSet};

use super::fence::{Fence, VictimQueue};
use super::quota::QuotaPlan;
use super::snapshot::{LevelKey, OfferResult, PreemptionSnapshot};
use super::victim_search::{PreemptionPlan, shares_name, why_retained};
use crate::index::{AppKey, AskKey, NodeKey, QueueKey};
use crate::interface::grounds::{PreemptionGrounds, PreemptionRule, Retained, RetainedSurvey, UsageState, WhyRetained};
use crate::state::ask::Ask;
use crate::state::partition::Partition;
use model::{AppId, AskId, NodeId, Resource};

/// The others are only counted.
const MOST_EXAMINED: usize = 2_000;

type Group = (QueueKey, WhyRetained);
type Counted = (u64, Option<(AppId, AskId)>);

#[derive(Default)]
struct Tally {
    groups: BTreeMap<Group, Counted>,
    others: u64,
    examined: usize,
}

impl Tally {
    /// Whether `count` more may be examined one by one; otherwise they are only counted.
    fn may_examine(&mut self, count: usize) -> bool {
        let is_counted = self.examined + count <= MOST_EXAMINED;
        if is_counted {
            self.examined += count;
        } else {
            self.others += count as u64;
        }
        is_counted
    }

    fn keep(&mut self, leaf: QueueKey, why: WhyRetained, id: impl FnOnce() -> (AppId, AskId)) {
        let (count, first) = self.groups.entry((leaf, why)).or_default();
        *count += 1;
        first.get_or_insert_with(id);
    }
}

fn why_out_of_plan(reserved: &Ask) -> WhyRetained {
    if reserved.rare.required_node.is_some() {
        WhyRetained::RequiresNode
    } else if reserved.released {
        WhyRetained::Ending
    } else if reserved.allocation.is_some_and(|allocation| allocation.preempted) {
        WhyRetained::Preempted
    } else {
        WhyRetained::WithinGuarantee
    }
}

type Victims = BTreeSet<(AppKey, AskKey)>;

impl Partition {
    pub(super) fn grounds_of(&self, app: AppKey, ask: AskKey, plan: &PreemptionPlan) -> PreemptionGrounds {
        let victims: Victims = plan.victims.iter().copied().collect();
        let retained = self.retained_for((app, ask), Some(plan.node), &victims);
        let node = Some(self.nodes[plan.node].id.clone());
        self.grounds(PreemptionRule::Guarantee, (app, ask), node, &victims, retained)
    }

    pub(super) fn grounds_on_required(
        &self,
        app: AppKey,
        ask: AskKey,
        node: NodeKey,
        victims: &[(AppKey, AskKey)],
    ) -> PreemptionGrounds {
        let victims: Victims = victims.iter().copied().collect();
        let mut tally = Tally::default();
        let preemptor = &self.apps[app].asks[ask];
        for (other, key) in self.nodes[node].allocations.values().filter(|reserved| !victims.contains(*reserved)) {
            let (application, reserved) = (&self.apps[*other], &self.apps[*other].asks[*key]);
            let Some(allocation) = &reserved.allocation else { continue };
            let why = if reserved.rare.required_node.is_some() {
                WhyRetained::RequiresNode
            } else if reserved.continues_anyway() {
                WhyRetained::Ending
            } else if allocation.preempted {
                WhyRetained::Preempted
            } else if reserved.priority > preemptor.priority {
                WhyRetained::Important
            } else if !shares_name(&reserved.resource, &preemptor.resource) {
                WhyRetained::NothingShared
            } else {
                WhyRetained::NotNeeded
            };
            tally.keep(application.queue, why, || (application.id.clone(), reserved.id.clone()));
        }
        let retained = self.named(tally, &victims);
        let node = Some(self.nodes[node].id.clone());
        self.grounds(PreemptionRule::RequiredNode, (app, ask), node, &victims, retained)
    }

    pub(super) fn grounds_of_maximum(&self, queue: QueueKey, plan: &QuotaPlan<(AppKey, AskKey)>) -> PreemptionGrounds {
        let victims: Victims = plan.victims.iter().copied().collect();
        let max = self.queues[queue].max.clone();
        PreemptionGrounds {
            rule: PreemptionRule::Maximum,
            node: None,
            wanted: plan.excess.clone(),
            own: UsageState { max, guaranteed: None, ..self.usage_state_with(queue, &victims) },
            leaves: self.leaves_of(&victims),
            victims: victims.len() as u64,
            retained: self.retained_below(queue, &victims, &plan.retained),
        }
    }

    fn retained_below(
        &self,
        queue: QueueKey,
        victims: &Victims,
        known: &[((AppKey, AskKey), WhyRetained)],
    ) -> RetainedSurvey {
        let known: BTreeMap<(AppKey, AskKey), WhyRetained> = known.iter().copied().collect();
        let mut tally = Tally::default();
        let mut stack = vec![queue];
        while let Some(key) = stack.pop() {
            let queue = &self.queues[key];
            stack.extend(queue.children.iter().rev());
            for app in queue.apps.iter().map(|app| &self.apps[*app]) {
                if !tally.may_examine(app.allocations.len()) {
                    continue;
                }
                for ask in app.allocations.values().filter(|ask| !victims.contains(&(app.key, **ask))) {
                    let reserved = &app.asks[*ask];
                    let why = known.get(&(app.key, *ask)).copied().unwrap_or_else(|| why_out_of_plan(reserved));
                    tally.keep(key, why, || (app.id.clone(), reserved.id.clone()));
                }
            }
        }
        self.named(tally, victims)
    }

    pub(super) fn retained_without_victims(&self, app: AppKey, ask: AskKey) -> RetainedSurvey {
        self.retained_for((app, ask), None, &Victims::new())
    }

    fn grounds(
        &self,
        rule: PreemptionRule,
        (app, ask): (AppKey, AskKey),
        node: Option<NodeId>,
        victims: &Victims,
        retained: RetainedSurvey,
    ) -> PreemptionGrounds {
        let application = &self.apps[app];
        PreemptionGrounds {
            rule,
            node,
            wanted: application.asks[ask].resource.clone(),
            own: self.usage_state_with(application.queue, victims),
            leaves: self.leaves_of(victims),
            victims: victims.len() as u64,
            retained,
        }
    }

    fn leaves_of(&self, victims: &Victims) -> Vec<UsageState> {
        let leaves: BTreeSet<QueueKey> = victims.iter().map(|(app, _)| self.apps[*app].queue).collect();
        let mut leaves: Vec<UsageState> = leaves.into_iter().map(|leaf| self.usage_state_with(leaf, victims)).collect();
        leaves.sort_by(|one, other| one.queue.cmp(&other.queue));
        leaves.truncate(PreemptionGrounds::MOST_NAMED);
        leaves
    }

    pub(super) fn usage_state(&self, key: QueueKey) -> UsageState {
        self.usage_state_with(key, &Victims::new())
    }

    fn usage_state_with(&self, key: QueueKey, victims: &Victims) -> UsageState {
        let queue = &self.queues[key];
        let path = self.queues.path_up(key);
        let guarantees = path.iter().map(|key| self.queues[*key].guaranteed.as_ref());
        let of_leaf = |(app, _): &&(AppKey, AskKey)| self.apps[*app].queue == key;
        UsageState {
            queue: queue.path.clone(),
            used: queue.allocated.sub_only_existing(&queue.preempting),
            guaranteed: guarantees.fold(None, |least, own| Resource::min_permissive_unset(least.as_ref(), own)),
            max: None,
            victims: victims.iter().filter(of_leaf).count() as u64,
        }
    }

    fn retained_for(&self, (app, key): (AppKey, AskKey), node: Option<NodeKey>, victims: &Victims) -> RetainedSurvey {
        let (queues, switches) = (&self.queues, &self.switches);
        let (leaf, ask) = (self.apps[app].queue, &self.apps[app].asks[key]);
        let mut snapshot = PreemptionSnapshot::new(queues, switches, leaf, &ask.resource);
        let fence = Fence::around(queues, leaf, (ask.priority, &ask.resource), switches.max_is_fence);
        let mut visits: Vec<(VictimQueue, LevelKey, bool)> = Vec::new();
        for of in fence.victim_queues(queues) {
            let level = snapshot.level(of.leaf);
            visits.push((of, level, snapshot.gives(level)));
        }
        for (app, ask) in victims {
            let level = snapshot.level(self.apps[*app].queue);
            snapshot.remove(level, &self.apps[*app].asks[*ask].resource);
        }
        let mut tally = Tally::default();
        for (of, level, gives) in visits {
            self.look_at_leaf(&mut tally, &mut snapshot, (of, level, gives), (&ask.resource, node, victims));
        }
        self.named(tally, victims)
    }

    fn look_at_leaf<'a>(
        &'a self,
        tally: &mut Tally,
        snapshot: &mut PreemptionSnapshot<'a>,
        (of, level, gives): (VictimQueue, LevelKey, bool),
        (wanted, node, victims): (&Resource, Option<NodeKey>, &Victims),
    ) {
        for app in &self.queues[of.leaf].apps {
            let app = &self.apps[*app];
            if !tally.may_examine(app.allocations.len()) {
                continue;
            }
            for key in app.allocations.values().filter(|key| !victims.contains(&(app.key, **key))) {
                let reserved = &app.asks[*key];
                let Some(allocation) = &reserved.allocation else { continue };
                let reason = match gives {
                    false => Some(WhyRetained::WithinGuarantee),
                    true => why_retained(&self.switches, reserved, allocation, wanted, of.up_to),
                };
                let why = reason.unwrap_or_else(|| {
                    let mark = snapshot.mark();
                    let stays = snapshot.offer(level, &reserved.resource, false) != OfferResult::Taken;
                    snapshot.rewind(mark);
                    match node {
                        _ if stays => WhyRetained::Floor,
                        None => WhyRetained::NoUse,
                        Some(node) if allocation.node != node => WhyRetained::OtherNode,
                        Some(_) => WhyRetained::NotNeeded,
                    }
                });
                tally.keep(of.leaf, why, || (app.id.clone(), reserved.id.clone()));
            }
        }
    }

    fn named(&self, tally: Tally, victims: &Victims) -> RetainedSurvey {
        let mut groups: Vec<(Group, Counted)> = tally.groups.into_iter().collect();
        let path = |key: QueueKey| self.queues[key].path.as_str();
        groups.sort_by(|((one, why), (count, _)), ((other, other_why), (other_count, _))| {
            other_count.cmp(count).then_with(|| path(*one).cmp(path(*other))).then_with(|| why.cmp(other_why))
        });
        let rest = groups.split_off(groups.len().min(PreemptionGrounds::MOST_NAMED));
        let others = tally.others + rest.iter().map(|(_, (count, _))| count).sum::<u64>();
        let named = groups.into_iter().filter_map(|((leaf, why), (count, first))| {
            Some(Retained { why, leaf: self.usage_state_with(leaf, victims), count, first: first? })
        });
        RetainedSurvey { groups: named.collect(), others }
    }
}

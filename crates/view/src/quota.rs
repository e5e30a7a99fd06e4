//! Forecasts of quota preemption (N-01) on a view: which queues, when, and which victims.
//!
//! Invariants:
//! - the victims are those of the scheduler: both run [`scheduler::quota`];
//! - without sufficient data, [`PartitionView::quota_law`] is `None` and nothing is forecast.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::drain::span;
use super::rows::{AskNotes, AskState, QueueRow, QueueSlot};
use super::snapshot::PartitionView;
use model::{AppId, AskId, QueuePath, Resource, Time};
use scheduler::index::AppKey;
use scheduler::quota::{
    QuotaAfter, QuotaAsk, QuotaBefore, QuotaLaw, QuotaPlan, QuotaQueue, QuotaTree, is_above, look_after, quota_plan,
    time_after,
};

/// An allocation on a view: its application, and its position among the requests by arrival.
type Victim = (AppKey, u64);

/// The property with the time that a queue may be above its maximum.
const DELAY: &str = "quota.preemption.delay";

/// A queue that quota preemption will reduce to its maximum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaForecast {
    /// The queue above its maximum.
    pub queue: QueuePath,
    /// The start of its delay; `None` if unknown because the delay was removed since.
    pub since: Option<Time>,
    /// The time of the preemption.
    pub at: Time,
    /// The quantity to preempt.
    pub excess: Resource,
    /// The victims in the order of their selection; `None` if unknown.
    pub victims: Option<Vec<QuotaVictim>>,
}

/// An allocation that will be preempted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaVictim {
    /// The application that the allocation belongs to.
    pub app: AppId,
    /// The user of the application.
    pub user: String,
    /// The id of the request.
    pub ask: AskId,
    /// The allocated resources.
    pub resource: Resource,
}

impl QuotaForecast {
    /// The excess that remains because the other allocations are too large or protected.
    pub fn left(&self) -> Option<Resource> {
        let mut left = self.excess.clone();
        self.victims.as_ref()?.iter().for_each(|victim| left = left.sub_only_existing(&victim.resource));
        Some(left.iter().filter(|(_, amount)| *amount > 0).collect())
    }

    /// A sentence relative to `now`: `in 30s 3 allocations of etl-0002 are preempted`. `amounts` formats resources.
    pub fn sentence(&self, now: Time, amounts: impl Fn(&Resource) -> String) -> String {
        let when = format!("in {}", span(self.at.since(now)));
        let Some(victims) = &self.victims else {
            let excess = amounts(&self.excess);
            return format!("{when} {excess} of it is preempted; the scheduler does not report which allocations");
        };
        let apps = self.by_app();
        let (count, be) = match victims.len() {
            1 => ("1 allocation".to_owned(), "is"),
            count => (format!("{count} allocations"), "are"),
        };
        let mut text = match apps.as_slice() {
            [] => format!("{when} nothing is preempted"),
            [(app, ..)] => format!("{when} {count} of {app} {be} preempted"),
            _ => format!("{when} {count} {be} preempted: {}", named(&apps)),
        };
        if let Some(left) = self.left().filter(|left| !left.is_empty()) {
            let left = amounts(&left);
            text.push_str(&format!("; {left} stays above the maximum: running allocations are too large or protected"));
        }
        text
    }

    /// The victims by application, in the order of first selection: application, user, count.
    pub fn by_app(&self) -> Vec<(&AppId, &str, usize)> {
        let mut apps: Vec<(&AppId, &str, usize)> = Vec::new();
        for victim in self.victims.iter().flatten() {
            match apps.iter_mut().find(|(app, ..)| **app == victim.app) {
                Some((.., count)) => *count += 1,
                None => apps.push((&victim.app, &victim.user, 1)),
            }
        }
        apps
    }
}

const NAMED: usize = 4;

fn named(apps: &[(&AppId, &str, usize)]) -> String {
    let mut named: Vec<String> = apps.iter().take(NAMED).map(|(app, _, count)| format!("{count} of {app}")).collect();
    let rest: usize = apps.iter().skip(NAMED).map(|(.., count)| count).sum();
    if rest > 0 {
        named.push(format!("{rest} of {} more", apps.len() - NAMED));
    }
    named.join(", ")
}

/// The effects of another configuration on quota preemption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuotaEffects {
    /// Preemptions that the configuration causes or changes.
    pub starts: Vec<QuotaForecast>,
    /// Preemptions that the configuration prevents.
    pub called_off: Vec<QuotaForecast>,
}

fn identical(one: &QuotaForecast, other: &QuotaForecast) -> bool {
    let victims = one.victims.is_none() || other.victims.is_none() || one.victims == other.victims;
    victims && one.queue == other.queue && one.at == other.at && one.excess == other.excess
}

#[derive(Clone, Debug)]
struct Reloaded {
    max: Option<Resource>,
    guaranteed: Option<Resource>,
    delay: Duration,
    due: Option<Time>,
}

struct Later<'v> {
    part: &'v PartitionView,
    law: QuotaLaw,
    reloaded: BTreeMap<QueueSlot, Reloaded>,
    /// What earlier preemptions take, by queue and by allocation.
    preempting: BTreeMap<QueueSlot, Resource>,
    gone: BTreeSet<Victim>,
}

impl QueueRow {
    /// Whether the usage is above the maximum in any resource.
    pub fn is_above_max(&self) -> bool {
        is_above(&self.allocated, self.max.as_ref())
    }

    fn delay(&self) -> Duration {
        self.settings.quota_preemption_delay
    }
}

impl PartitionView {
    /// The forecasts, the next one first.
    pub fn quota_forecasts(&self, now: Time) -> Vec<QuotaForecast> {
        if let Some(reported) = &self.quota_reported {
            return reported.to_vec();
        }
        let due = self.queues.iter().flatten().filter_map(|row| Some((row.slot, row.quota_due?))).collect();
        Later::new(self, BTreeMap::new()).forecasts(now, due, self.quota_preemption)
    }

    /// The forecasts if another configuration became active now; only the queues of `loaded` are used.
    pub fn quota_forecasts_with(&self, now: Time, loaded: &Self) -> Vec<QuotaForecast> {
        let mut reloaded = BTreeMap::new();
        let law = self.quota_law.or(loaded.quota_law);
        for then in loaded.queues.iter().flatten() {
            if let (Some(row), Some(law)) = (self.queue_at(&then.path), law) {
                reloaded.insert(row.slot, reload(law, now, row, then));
            }
        }
        let due = |row: &QueueRow| match reloaded.get(&row.slot) {
            Some(reloaded) => reloaded.due,
            None => row.quota_due,
        };
        let due = self.queues.iter().flatten().filter_map(|row| Some((row.slot, due(row)?))).collect();
        Later::new(self, reloaded).forecasts(now, due, loaded.quota_preemption)
    }

    /// The changes of the forecasts if another configuration became active now; only the queues of `loaded` are used.
    pub fn quota_effects(&self, now: Time, loaded: &Self) -> QuotaEffects {
        let (before, mut then) = (self.quota_forecasts(now), self.quota_forecasts_with(now, loaded));
        let stays = |one: &QuotaForecast| then.iter().any(|other| other.queue == one.queue);
        let called_off = before.iter().filter(|one| !stays(one)).cloned().collect();
        then.retain(|one| !before.iter().any(|other| identical(one, other)));
        QuotaEffects { starts: then, called_off }
    }

    /// The usage above the queue's own maximum; empty if none.
    pub fn above_max(row: &QueueRow) -> Resource {
        let max = row.max.iter().flat_map(Resource::iter);
        let above = max.filter_map(|(name, most)| {
            let above = row.allocated.get(name)? - most;
            (above > 0).then_some((name, above))
        });
        above.collect()
    }

    /// The number of allocations in a queue and its subtree; counting stops at about `most`.
    pub fn count_asks(&self, row: &QueueRow, most: usize) -> usize {
        let (mut count, mut stack) = (0, vec![row]);
        while let Some(row) = stack.pop().filter(|_| count < most) {
            count += row.apps.iter().filter_map(|slot| self.app(*slot)).map(|app| app.asks.len()).sum::<usize>();
            stack.extend(row.children.iter().filter_map(|slot| self.queue(*slot)).map(AsRef::as_ref));
        }
        count
    }
}

fn reload(law: QuotaLaw, now: Time, row: &QueueRow, then: &QueueRow) -> Reloaded {
    // The maximum of the root is the size of the cluster, not a setting.
    let max = if row.parent.is_none() { row.max.clone() } else { then.max.clone() };
    let before = QuotaBefore { max: row.max.clone(), delay: row.delay() };
    let has_key = then.settings.properties.iter().any(|property| property.key == DELAY);
    let after = QuotaAfter { delay: then.delay(), has_key, allocated: &row.allocated, max: max.as_ref() };
    let due = time_after(law, now, row.quota_due, &before, &after);
    Reloaded { guaranteed: then.guaranteed.clone(), delay: then.delay(), due, max }
}

impl<'v> Later<'v> {
    fn new(part: &'v PartitionView, reloaded: BTreeMap<QueueSlot, Reloaded>) -> Self {
        // The unknown settings affect the selection of allocations, not the quantity.
        let assumed = QuotaLaw { opted_in_last: false, largest_guard: false, counts_below: false, keeps_time: false };
        let law = part.quota_law.unwrap_or(assumed);
        Self { part, law, reloaded, preempting: BTreeMap::new(), gone: BTreeSet::new() }
    }

    /// Steps through time until no preemption is due.
    fn forecasts(mut self, now: Time, mut due: BTreeMap<QueueSlot, Time>, enforced: bool) -> Vec<QuotaForecast> {
        let mut found = Vec::new();
        if !enforced {
            return found;
        }
        let mut at = now;
        while let Some(first) = due.values().min() {
            at = look_after(at, *first);
            due.retain(|slot, _| self.quota_queue(*slot).is_some_and(|queue| queue.max.is_none() || above(&queue)));
            let ready: Vec<QueueSlot> = due.iter().filter(|(_, due)| **due <= at).map(|(slot, _)| *slot).collect();
            // Queues below a due queue are not examined.
            let topmost = |slot: &&QueueSlot| !self.ancestors(**slot).any(|above| ready.contains(&above));
            let now_due: Vec<QueueSlot> = ready.iter().filter(topmost).copied().collect();
            let plans: Vec<_> = now_due.iter().filter_map(|slot| Some((*slot, quota_plan(&self, *slot)?))).collect();
            for (slot, plan) in plans {
                let since = self.since(slot, due.remove(&slot).unwrap_or(at));
                found.extend(self.take(&plan, at, since));
            }
        }
        found
    }

    fn ancestors(&self, slot: QueueSlot) -> impl Iterator<Item = QueueSlot> {
        let parent = |slot: QueueSlot| self.part.queue(slot).and_then(|row| row.parent);
        std::iter::successors(parent(slot), move |slot| parent(*slot))
    }

    fn since(&self, slot: QueueSlot, due: Time) -> Option<Time> {
        let own = || self.part.queue(slot).map(|row| row.delay());
        let delay = self.reloaded.get(&slot).map(|reloaded| reloaded.delay).or_else(own)?;
        (!delay.is_zero()).then(|| due - delay)
    }

    fn take(&mut self, plan: &QuotaPlan<Victim>, at: Time, since: Option<Time>) -> Option<QuotaForecast> {
        let mut victims = Vec::new();
        for (slot, arrival) in &plan.victims {
            let app = self.part.app(*slot)?;
            let ask = app.asks.get(arrival)?;
            self.gone.insert((*slot, *arrival));
            let leaf = self.part.queue_at(&app.queue)?;
            for queue in self.part.path_up(leaf) {
                self.preempting.entry(queue.slot).or_insert_with(|| queue.preempting.clone()).add_assign(&ask.resource);
            }
            victims.push(QuotaVictim {
                app: app.id.clone(),
                user: app.who.user.clone(),
                ask: ask.id.clone(),
                resource: ask.resource.clone(),
            });
        }
        let victims = self.part.quota_law.map(|_| victims);
        let (queue, excess) = (plan.queue.clone(), plan.excess.clone());
        (!excess.is_empty()).then_some(QuotaForecast { queue, since, at, excess, victims })
    }
}

fn above(queue: &QuotaQueue<'_>) -> bool {
    is_above(queue.allocated, queue.max)
}

impl QuotaTree for Later<'_> {
    type Victim = Victim;

    fn law(&self) -> QuotaLaw {
        self.law
    }

    fn quota_queue(&self, key: QueueSlot) -> Option<QuotaQueue<'_>> {
        let row = self.part.queue(key)?;
        let (max, guaranteed) = match self.reloaded.get(&key) {
            Some(reloaded) => (reloaded.max.as_ref(), reloaded.guaranteed.as_ref()),
            None => (row.max.as_ref(), row.guaranteed.as_ref()),
        };
        Some(QuotaQueue {
            path: &row.path,
            parent: row.parent,
            children: &row.children,
            leaf: row.leaf,
            allocated: &row.allocated,
            preempting: self.preempting.get(&key).unwrap_or(&row.preempting),
            guaranteed,
            max,
        })
    }

    fn quota_asks(&self, leaf: QueueSlot) -> Vec<QuotaAsk<'_, Victim>> {
        let apps = self.part.queue(leaf).into_iter().flat_map(|row| row.apps.iter());
        let apps = apps.filter_map(|slot| self.part.app(*slot));
        let mut asks = Vec::new();
        for app in apps {
            for (arrival, ask) in &app.asks {
                let AskState::Allocated { number, .. } = ask.state else { continue };
                let notes = app.notes.get(arrival);
                let noted = |of: fn(&AskNotes) -> bool| notes.is_some_and(|notes| of(notes));
                let victim = (app.slot, *arrival);
                let is_removed = noted(|notes| notes.preempted || notes.released) || self.gone.contains(&victim);
                if is_removed || ask.required_node.is_some() {
                    continue;
                }
                let (offers_itself, originator) = (noted(|notes| notes.offers_itself), noted(|notes| notes.originator));
                let (resource, priority, created) = (&ask.resource, ask.priority, ask.created);
                asks.push(QuotaAsk { victim, resource, priority, created, number, offers_itself, originator });
            }
        }
        asks
    }
}

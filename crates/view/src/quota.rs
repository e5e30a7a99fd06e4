//! Which queues are to be brought down to their maxima, when, and what goes for it (N-01): the choice of the scheduler, made on a view.
//!
//! Invariants:
//! - what is chosen is what the scheduler would choose from this state: both run [`scheduler::quota`];
//! - nothing is forecast where what is known does not suffice: [`PartitionView::quota_law`] is `None` there.

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

/// An allocation on a view: its application, and its place among the asks of that by arrival.
type Victim = (AppKey, u64);

/// The property that says how long a queue may be above its maximum.
const DELAY: &str = "quota.preemption.delay";

/// A queue that will be brought down to its maximum, unless something changes before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaForecast {
    /// The full path of the queue that is above its maximum.
    pub queue: QueuePath,
    /// Since when its delay counts; `None` where that cannot be reported, as the delay was taken out since.
    pub since: Option<Time>,
    /// When the scheduler examines it and preempts.
    pub at: Time,
    /// How much is to go.
    pub excess: Resource,
    /// What goes, in the order in which it is chosen; `None` where it is unknown what would.
    pub victims: Option<Vec<QuotaVictim>>,
}

/// An allocation that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaVictim {
    /// The application that the allocation belongs to.
    pub app: AppId,
    /// Whose that is.
    pub user: String,
    /// The id of the allocation's ask.
    pub ask: AskId,
    /// What it has.
    pub resource: Resource,
}

impl QuotaForecast {
    /// How much stays above the maximum, as what runs is too large to go, or protected.
    pub fn left(&self) -> Option<Resource> {
        let mut left = self.excess.clone();
        self.victims.as_ref()?.iter().for_each(|victim| left = left.sub_only_existing(&victim.resource));
        Some(left.iter().filter(|(_, amount)| *amount > 0).collect())
    }

    /// In words, what happens and when, as of `now`: `in 30s 3 allocations of etl-0002 are preempted`; `amounts` says resources.
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

    /// What goes, by application, in the order in which the first of each is chosen: the application, its user, how many.
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

/// How many applications are named.
const NAMED: usize = 4;

fn named(apps: &[(&AppId, &str, usize)]) -> String {
    let mut named: Vec<String> = apps.iter().take(NAMED).map(|(app, _, count)| format!("{count} of {app}")).collect();
    let rest: usize = apps.iter().skip(NAMED).map(|(.., count)| count).sum();
    if rest > 0 {
        named.push(format!("{rest} of {} more", apps.len() - NAMED));
    }
    named.join(", ")
}

/// How another configuration changes the forecasts of quota preemption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuotaEffects {
    /// What will be preempted that would not be without it, or otherwise.
    pub begins: Vec<QuotaForecast>,
    /// What would be preempted without it, and is not any more.
    pub called_off: Vec<QuotaForecast>,
}

fn identical(one: &QuotaForecast, other: &QuotaForecast) -> bool {
    let victims = one.victims.is_none() || other.victims.is_none() || one.victims == other.victims;
    victims && one.queue == other.queue && one.at == other.at && one.excess == other.excess
}

/// What another configuration makes of a queue.
#[derive(Clone, Debug)]
struct Reloaded {
    max: Option<Resource>,
    guaranteed: Option<Resource>,
    delay: Duration,
    due: Option<Time>,
}

/// A partition as it would be at a later look.
struct Later<'v> {
    part: &'v PartitionView,
    law: QuotaLaw,
    reloaded: BTreeMap<QueueSlot, Reloaded>,
    /// What earlier looks took, by queue and one by one.
    preempting: BTreeMap<QueueSlot, Resource>,
    gone: BTreeSet<Victim>,
}

impl QueueRow {
    /// Whether it uses more than its maximum in some name of both.
    pub fn is_above_max(&self) -> bool {
        is_above(&self.allocated, self.max.as_ref())
    }

    fn delay(&self) -> Duration {
        self.settings.quota_preemption_delay
    }
}

impl PartitionView {
    /// The queues that are to be brought down to their maxima, the next one first.
    pub fn quota_forecasts(&self, now: Time) -> Vec<QuotaForecast> {
        if let Some(reported) = &self.quota_reported {
            return reported.to_vec();
        }
        let due = self.queues.iter().flatten().filter_map(|row| Some((row.slot, row.quota_due?))).collect();
        Later::new(self, BTreeMap::new()).forecasts(now, due, self.quota_preemption)
    }

    /// The same if a configuration, of which `loaded` has nothing but its queues, became active now.
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

    /// What would be different if a configuration, of which `loaded` has nothing but its queues, became active now.
    pub fn quota_effects(&self, now: Time, loaded: &Self) -> QuotaEffects {
        let (before, mut then) = (self.quota_forecasts(now), self.quota_forecasts_with(now, loaded));
        let stays = |one: &QuotaForecast| then.iter().any(|other| other.queue == one.queue);
        let called_off = before.iter().filter(|one| !stays(one)).cloned().collect();
        then.retain(|one| !before.iter().any(|other| identical(one, other)));
        QuotaEffects { begins: then, called_off }
    }

    /// By how much a queue is above its own maximum; nothing where it is not.
    pub fn above_max(row: &QueueRow) -> Resource {
        let max = row.max.iter().flat_map(Resource::iter);
        let above = max.filter_map(|(name, most)| {
            let above = row.allocated.get(name)? - most;
            (above > 0).then_some((name, above))
        });
        above.collect()
    }

    /// How many allocations there are in a queue and below it, as far as a count is worth it: at most about `most`.
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
    // The root's maximum is the size of the cluster, whatever the file says.
    let max = if row.parent.is_none() { row.max.clone() } else { then.max.clone() };
    let before = QuotaBefore { max: row.max.clone(), delay: row.delay() };
    let has_key = then.settings.properties.iter().any(|property| property.key == DELAY);
    let after = QuotaAfter { delay: then.delay(), has_key, allocated: &row.allocated, max: max.as_ref() };
    let due = time_after(law, now, row.quota_due, &before, &after);
    Reloaded { guaranteed: then.guaranteed.clone(), delay: then.delay(), due, max }
}

impl<'v> Later<'v> {
    fn new(part: &'v PartitionView, reloaded: BTreeMap<QueueSlot, Reloaded>) -> Self {
        // What is unknown decides which allocations go, not how many resources.
        let assumed = QuotaLaw { opted_in_last: false, largest_guard: false, counts_below: false, keeps_time: false };
        let law = part.quota_law.unwrap_or(assumed);
        Self { part, law, reloaded, preempting: BTreeMap::new(), gone: BTreeSet::new() }
    }

    /// Goes from look to look until nothing has a time any more.
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
            // Below a queue that is examined nothing else is.
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

    /// Takes the victims of a plan; gives what is worth saying of it.
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
                let goes = noted(|notes| notes.preempted || notes.released) || self.gone.contains(&victim);
                if goes || ask.required_node.is_some() {
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

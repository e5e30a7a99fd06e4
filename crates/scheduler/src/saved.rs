//! Saving and restoring a whole scheduler.
//!
//! Invariants:
//! - a restored scheduler decides like the saved one: slots, their order of reuse, timers, and counters are kept;
//! - derived data are not saved: look-ups, orders, candidates, limits of an application, and caches of cycles;
//! - records of placements are shared again.
//!
//! The format is a sequence without names (MessagePack of `rmp_serde::to_vec`): a new field comes last and has a
//! default. Any other change needs a new version of the journal's format.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::index::AppKey;
use crate::interface::switches::Switches;
use crate::interface::tuning::Tuning;
use crate::placement::{Placement, Record, Rules};
use crate::state::app::Application;
use crate::state::group_cache::NamedGroups;
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use crate::state::scheduler::Scheduler;
use config::RuleConfig;
use model::Profile;

/// A scheduler in the form in which it is saved.
#[derive(Serialize)]
pub struct Saving<'a> {
    tuning: Tuning,
    checksum: &'a str,
    partitions: Vec<SavingPartition<'a>>,
    named_groups: &'a NamedGroups,
}

/// A saved scheduler as it was read.
#[derive(Deserialize)]
pub struct Saved {
    tuning: Tuning,
    checksum: String,
    partitions: Vec<SavedPartition>,
    #[serde(default)]
    named_groups: NamedGroups,
}

#[derive(Serialize)]
struct SavingPartition<'a> {
    partition: &'a Partition,
    /// Active rules and rules of records; the bool: whether that is all.
    rules: Vec<(&'a [RuleConfig], bool)>,
    in_force: usize,
    /// The distinct placements, each with the index of its rules.
    placements: Vec<(usize, &'a Placement)>,
    live: Vec<usize>,
    ended: Vec<usize>,
}

#[derive(Deserialize)]
struct SavedPartition {
    partition: Partition,
    rules: Vec<(Vec<RuleConfig>, bool)>,
    in_force: usize,
    placements: Vec<(usize, Placement)>,
    live: Vec<usize>,
    ended: Vec<usize>,
}

impl Scheduler {
    /// Returns the form to save.
    pub fn saving(&self) -> Saving<'_> {
        let partitions = self.partitions.iter().map(SavingPartition::of).collect();
        Saving { tuning: self.tuning, checksum: &self.checksum, partitions, named_groups: &self.named_groups }
    }

    /// Restores a saved scheduler, which decides by `profile`.
    ///
    /// # Errors
    /// The inconsistency in the saved data.
    pub fn restored(profile: Profile, saved: Saved) -> Result<Self, String> {
        let mut scheduler = Self::tuned(profile, saved.tuning);
        scheduler.checksum = saved.checksum;
        scheduler.named_groups = saved.named_groups;
        for partition in saved.partitions {
            scheduler.partitions.push(partition.rebuilt(scheduler.switches, scheduler.tuning)?);
        }
        Ok(scheduler)
    }

    /// Replaces the settings for the next decisions.
    pub fn set_tuning(&mut self, tuning: Tuning) {
        if self.tuning == tuning {
            return;
        }
        self.tuning = tuning;
        self.switches.victim_floor = Switches::of(self.switches.profile).tuned(&tuning).victim_floor;
        for partition in &mut self.partitions {
            partition.tuning = tuning;
            partition.switches.victim_floor = self.switches.victim_floor;
            partition.end_all_backoffs();
        }
    }
}

/// Numbers of shared values, by their address.
struct Shared<'a, T: ?Sized> {
    numbers: BTreeMap<usize, usize>,
    values: Vec<&'a T>,
}

impl<'a, T> Shared<'a, T> {
    const fn new() -> Self {
        Self { numbers: BTreeMap::new(), values: Vec::new() }
    }

    fn number(&mut self, value: &'a Arc<T>) -> usize {
        *self.numbers.entry(Arc::as_ptr(value).addr()).or_insert_with(|| {
            self.values.push(value);
            self.values.len() - 1
        })
    }
}

impl<'a> SavingPartition<'a> {
    fn of(partition: &'a Partition) -> Self {
        let (mut rules, mut records) = (Shared::new(), Shared::new());
        let in_force = rules.number(&partition.rules);
        let live = partition.apps.iter().map(|(_, app)| records.number(&app.placement)).collect();
        let ended = partition.ended.iter().map(|app| records.number(&app.placement)).collect();
        let placements = records.values.iter().map(|record| (rules.number(&record.rules), &record.placement)).collect();
        let rules = rules.values.iter().map(|rules| (rules.source(), rules.is_empty())).collect();
        Self { partition, rules, in_force, placements, live, ended }
    }
}

impl SavedPartition {
    fn rebuilt(self, switches: Switches, tuning: Tuning) -> Result<Partition, String> {
        let Self { mut partition, rules, in_force, placements, live, ended } = self;
        let odd = |what: &str| format!("partition {:?}: {what}", partition.name);
        let rules = rules.iter().map(|(source, none)| {
            if *none {
                return Ok(Arc::new(Rules::none(switches.profile)));
            }
            let built = Rules::build_by(source, switches.profile, switches.place).map(Arc::new);
            built.map_err(|fault| odd(&format!("its placement rules are now invalid: {fault}")))
        });
        let rules: Vec<Arc<Rules>> = rules.collect::<Result<_, _>>()?;
        let rules_of = |number: usize| rules.get(number).cloned().ok_or_else(|| odd("rules are missing"));
        let records = placements.into_iter().map(|(number, placement)| {
            let rules = rules_of(number)?;
            Ok(Arc::new(Record { rules, placement }))
        });
        let records: Vec<Arc<Record>> = records.collect::<Result<_, String>>()?;
        let in_force = rules_of(in_force)?;
        if live.len() != partition.apps.len() || ended.len() != partition.ended.len() {
            return Err(odd("placements are missing"));
        }
        if live.iter().chain(&ended).any(|number| *number >= records.len()) {
            return Err(odd("a placement is missing"));
        }
        if partition.apps.iter().any(|(_, app)| partition.queues.get(app.queue).is_none()) {
            return Err(odd("the queue of an application is missing"));
        }
        for ((_, app), number) in partition.apps.iter_mut().zip(live) {
            app.placement = Arc::clone(&records[number]);
        }
        for (app, number) in partition.ended.iter_mut().zip(ended) {
            let app = Arc::make_mut(app);
            app.placement = Arc::clone(&records[number]);
            app.index_asks();
        }
        partition.rules = in_force;
        partition.switches = switches;
        partition.tuning = tuning;
        partition.index();
        Ok(partition)
    }
}

impl Partition {
    fn index(&mut self) {
        self.nodes.index();
        self.usage.users.index();
        self.usage.groups.index();
        let keys: Vec<AppKey> = self.apps.iter().map(|(key, _)| key).collect();
        for key in &keys {
            let app = &mut self.apps[*key];
            app.index_asks();
            self.app_index.insert(app.id.clone(), *key);
            if app.ending.is_some() {
                self.unfinished.insert(*key);
            }
            let queue = &mut self.queues[app.queue];
            queue.apps.insert(*key);
            if queue.path == app.queue_path {
                app.queue_path = queue.path.clone();
            }
        }
        for key in keys {
            if self.apps[key].account.bounds.is_some() {
                let path = self.queues.path_up(self.apps[key].queue);
                self.bind(key, &path);
            }
            self.refresh_app(key);
        }
        self.queues.forget_order();
        if self.queues.get(ROOT).is_some() {
            self.forget_shortcuts();
        }
    }
}

impl Application {
    fn index_asks(&mut self) {
        if self.bands.is_new() {
            self.bands.recount(self.asks.iter().map(|(_, ask)| ask));
        }
        let Self { asks, by_id, namesakes, pending_order, allocations, .. } = self;
        for (key, ask) in asks.iter() {
            // The last of several requests with one id represents it (D-23).
            if let Some(other) = by_id.insert(key, asks) {
                let (earlier, last) = if asks[other].arrival < ask.arrival { (other, key) } else { (key, other) };
                namesakes.entry(ask.id.clone()).or_default().insert(asks[earlier].arrival, earlier);
                by_id.insert(last, asks);
            }
            match &ask.allocation {
                Some(allocation) => {
                    allocations.insert(allocation.number, key);
                }
                None if ask.rare.takes_over.is_none() => {
                    pending_order.insert(ask.rank(key));
                }
                None => {}
            }
        }
    }
}

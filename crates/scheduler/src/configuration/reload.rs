//! Loading a configuration completely or not at all (`scheduler.md` section 17, `config.md` section 15): all checks run
//! before the first change.

use std::sync::Arc;

use crate::interface::event::Event;
use crate::interface::switches::Switches;
use crate::placement::Rules;
use crate::state::partition::Partition;
use crate::state::scheduler::Scheduler;
use config::{Config, PartitionConfig};
use model::Time;

impl Scheduler {
    /// # Errors
    /// The reason for a rejection; nothing changed.
    pub(crate) fn reload(&mut self, now: Time, config: &Arc<Config>, events: &mut Vec<Event>) -> Result<(), String> {
        if !config.checksum.is_empty() && config.checksum == self.checksum {
            return Ok(());
        }
        let trial = self.switches.trial_limits && !self.partitions.is_empty();
        let outcome = self.bring_in(now, config, events);
        if trial {
            self.adopt_limits(now, config, events);
        }
        if outcome.is_ok() {
            self.adopt_limits(now, config, events);
            self.checksum.clone_from(&config.checksum);
        }
        outcome
    }

    fn bring_in(&mut self, now: Time, config: &Arc<Config>, events: &mut Vec<Event>) -> Result<(), String> {
        let rules = self.accepts(config)?;
        let before = self.loaded.take();
        self.remove_partitions(now, config, events);
        for (partition, rules) in config.partitions.iter().zip(rules) {
            if let Some(present) = self.partitions.iter_mut().find(|p| *p.name == partition.name) {
                let before = before.as_ref().and_then(|config| config.partition(&partition.name));
                present.set_rules(Arc::new(rules));
                present.load(now, partition, before, events)?;
            } else {
                let name = Arc::from(partition.name.as_str());
                let mut new = Partition::new(name, self.switches, self.tuning, Arc::new(rules));
                new.load(now, partition, None, events)?;
                self.partitions.push(new);
            }
        }
        let place = |p: &Partition| config.partitions.iter().position(|c| *c.name == *p.name);
        self.partitions.sort_by_key(place);
        self.loaded = Some(Arc::clone(config));
        Ok(())
    }

    /// Runs all checks; returns the placement rules of the partitions.
    pub(crate) fn accepts(&self, config: &Config) -> Result<Vec<Rules>, String> {
        let mut rules = Vec::new();
        for partition in &config.partitions {
            let present = self.partitions.iter().find(|p| *p.name == partition.name);
            rules.push(build_rules(partition, &self.switches, present.is_none())?);
            if let Some(present) = present {
                present.accepts(&partition.root)?;
            }
        }
        Ok(rules)
    }

    /// Brings the limits of users and groups into force (LIM-017).
    fn adopt_limits(&mut self, now: Time, config: &Config, events: &mut Vec<Event>) {
        let last = config.partitions.last().filter(|_| self.switches.limits_of_last_partition);
        for partition in &mut self.partitions {
            let own = config.partition(&partition.name);
            if let Some(config) = last.or(own) {
                partition.adopt_limits(now, config, events);
            }
        }
    }

    /// Partitions that the configuration does not have any more go, with everything in them (SCH-181).
    fn remove_partitions(&mut self, now: Time, config: &Config, events: &mut Vec<Event>) {
        let stays = |p: &Partition| config.partitions.iter().any(|c| *c.name == *p.name);
        for partition in self.partitions.iter_mut().filter(|p| !stays(p)) {
            partition.dissolve(now, events);
        }
        self.partitions.retain(stays);
    }
}

fn build_rules(partition: &PartitionConfig, switches: &Switches, first: bool) -> Result<Rules, String> {
    let build = if first { Rules::build_at_start_by } else { Rules::build_by };
    build(&partition.rules, switches.profile, switches.place)
        .map_err(|fault| format!("placement rules of partition {:?}: {fault}", partition.name))
}

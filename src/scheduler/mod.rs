//! The scheduler core: a deterministic state machine, [`Scheduler::apply`].
//!
//! Invariants:
//! - pure: no IO, no clock, no thread, no randomness; time comes in as an argument, and the same commands at the same
//!   times give the same state and the same events, on every machine;
//! - nothing is ever decided by the order of a hash map: hash maps here only look up ([`index`] has no way to walk one);
//! - every command is all or nothing: what is refused changes nothing and says why;
//! - every counter that a command moves is moved in that command; [`inspect::invariants`] compares them all with a recount.
//!
//! Where to read: [`interface`] is the way in (commands), the way out (events) and the options. [`state`] holds applications, nodes,
//! queues and partitions. [`commands`] carries out what resource managers and administrators do, [`configuration`] loads
//! configurations, [`cycle`] is one scheduling cycle, `preemption` what makes room in it, [`gang`] placeholders and who replaces them,
//! [`placement`] the queue of an application, `lifecycle` the state machine of applications with its timers. [`usage`] is what users and
//! groups have in use, [`user_limits`] their limits at work. [`inspect`] answers without changing anything.

pub mod commands;
pub mod configuration;
pub mod cycle;
pub mod gang;
pub mod index;
pub mod inspect;
pub mod interface;
mod lifecycle;
pub mod placement;
mod preemption;
pub mod saved;
pub mod state;
pub mod usage;
pub mod user_limits;

use std::sync::Arc;

use crate::config::Config;
use crate::model::{Profile, Time};
pub use crate::scheduler::commands::admin::{may_take, may_touch};
pub use crate::scheduler::configuration::queue_drain::{Draining, DrainingApp};
pub use crate::scheduler::inspect::dry_run::CleaningPlan;
pub use crate::scheduler::interface::command::{AskSpec, Command, GangStyle, NodeSpec, PartitionCommand, Submission};
pub use crate::scheduler::interface::denial::{Denial, Misfit, MisfitKind};
pub use crate::scheduler::interface::event::{Event, EventKind, ReleaseReason, RunnableCause};
pub use crate::scheduler::interface::switches::Switches;
pub use crate::scheduler::interface::tuning::Tuning;
pub use crate::scheduler::state::partition::Partition;
pub use crate::scheduler::state::predicates::Predicates;
pub use lifecycle::COMPLETING;

/// A scheduler: partitions, and how they behave.
#[derive(Clone, Debug)]
pub struct Scheduler {
    switches: Switches,
    tuning: Tuning,
    partitions: Vec<Partition>,
    checksum: String,
    /// The configuration that every queue has been settled by; `None` before the first, and where that is not known.
    loaded: Option<Arc<Config>>,
    /// Commands before the invariants are asserted again.
    #[cfg(debug_assertions)]
    unasserted: u64,
}

impl Scheduler {
    /// A scheduler without a configuration. It decides as `profile` says.
    pub fn new(profile: Profile) -> Self {
        Self::tuned(profile, Tuning::default())
    }

    /// A scheduler without a configuration that decides as `profile` says, as far as `tuning` does not say otherwise.
    pub fn tuned(profile: Profile, tuning: Tuning) -> Self {
        Self::switched(Switches::of(profile), tuning)
    }

    /// A scheduler without a configuration that decides by these switches: what a test needs that asks what one of them does.
    pub fn switched(switches: Switches, tuning: Tuning) -> Self {
        Self {
            switches,
            tuning,
            partitions: Vec::new(),
            checksum: String::new(),
            loaded: None,
            #[cfg(debug_assertions)]
            unasserted: 0,
        }
    }

    /// Carries out one command at the time `now`, after all timers that are due by then.
    ///
    /// Time must not go back between calls.
    pub fn apply(&mut self, now: Time, command: &Command) -> Vec<Event> {
        let mut events = Vec::new();
        for partition in &mut self.partitions {
            partition.run_timers(now, &mut events);
        }
        match command {
            Command::Configure(config) => {
                self.partitions.iter_mut().for_each(|p| p.finish_ending(now, &mut events));
                self.configure(now, config, &mut events);
            }
            Command::Cycle => {
                self.partitions.iter_mut().for_each(|p| p.finish_ending(now, &mut events));
                let most = self.tuning.allocations_per_cycle;
                self.partitions.iter_mut().for_each(|p| p.cycle_packing(now, most, &mut events));
            }
            Command::Clean => self.partitions.iter_mut().for_each(|p| {
                p.clean(now, &mut events);
                p.alert_stuck(now, self.tuning.stuck_after, &mut events);
            }),
            Command::Tick => {}
            Command::Continue => {
                if let Some(partition) = self.partitions.iter_mut().find(|p| p.is_unfinished()) {
                    partition.go_on_ending(now, &mut events);
                }
            }
            Command::In { partition, command } => {
                let found = match partition {
                    None => self.partitions.first_mut(),
                    Some(name) => self.partitions.iter_mut().find(|p| p.name == *name),
                };
                match found {
                    Some(partition) => partition.apply(now, command, &mut events),
                    None => events.push(Event {
                        at: now,
                        kind: EventKind::Refused {
                            message: match partition {
                                Some(name) => format!("there is no partition {name:?}"),
                                None => "no configuration is loaded".to_owned(),
                            },
                        },
                    }),
                }
            }
        }
        #[cfg(debug_assertions)]
        crate::scheduler::inspect::invariants::assert_due(self);
        events
    }

    /// The partitions in the order of the configuration.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// The partitions, for whoever takes note of what was touched ([`touched`]).
    pub fn partitions_mut(&mut self) -> &mut [Partition] {
        &mut self.partitions
    }

    /// When the next timer is due; before that a [`Command::Tick`] does nothing.
    pub fn next_timer(&self) -> Option<Time> {
        self.partitions.iter().filter_map(Partition::next_timer).min()
    }

    /// Whether an application ends that had too much for one command. Each [`Command::Continue`] takes more off it; whatever could
    /// decide otherwise because of what it still has, a cycle or a reload, takes all of it off first.
    pub fn is_unfinished(&self) -> bool {
        self.partitions.iter().any(Partition::is_unfinished)
    }

    /// Whether a cycle has something to look at (SCH-041, SCH-042).
    pub fn has_work(&self) -> bool {
        self.partitions.iter().any(Partition::has_work)
    }

    /// Drops everything that cycles keep to save work. No decision rests on it: tests hold a scheduler that has to find everything
    /// anew against one that does not.
    pub fn forget_shortcuts(&mut self) {
        self.partitions.iter_mut().for_each(Partition::forget_shortcuts);
        self.loaded = None;
    }

    /// The checksum of the configuration in force; empty before the first.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// What was decided at its start.
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// How it behaves.
    pub fn switches(&self) -> &Switches {
        &self.switches
    }

    /// Loads a configuration: the first one, or a reload (SCH-177).
    fn configure(&mut self, now: Time, config: &Arc<Config>, events: &mut Vec<Event>) {
        let outcome = self.reload(now, config, events);
        let kind = match outcome {
            Ok(()) => EventKind::ConfigAccepted,
            Err(message) => EventKind::ConfigRejected { message },
        };
        events.push(Event { at: now, kind });
    }
}

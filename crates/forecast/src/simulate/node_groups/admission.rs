//! Which requests queues, limits, and counts of running applications admit, if those before them start.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{AppState, Resource};
use scheduler::Partition;
use scheduler::index::QueueKey;
use scheduler::state::app::Application;
use scheduler::usage::limits::{max_applications, max_resources};
use scheduler::usage::{Bound, QueueUsage, Side};
use scheduler::user_limits::{bounds_of, group_of};

/// A maximum of a queue, or of a limit of a user or group there.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Gate<'p> {
    queue: QueueKey,
    of: Option<(Side, &'p str)>,
}

/// What a gate still admits.
#[derive(Default)]
struct Rest {
    resource: Option<Resource>,
    applications: Option<u64>,
}

/// The gates of one application.
pub(super) struct Path {
    gates: Vec<usize>,
    /// Those where it does not run yet.
    starts: Vec<usize>,
}

pub(super) struct Admission<'p> {
    part: &'p Partition,
    gates: BTreeMap<Gate<'p>, usize>,
    rests: Vec<Rest>,
}

impl<'p> Admission<'p> {
    pub fn new(part: &'p Partition) -> Self {
        Self { part, gates: BTreeMap::new(), rests: Vec::new() }
    }

    pub fn path(&mut self, app: &'p Application) -> Path {
        let part = self.part;
        let mut path = Path { gates: Vec::new(), starts: Vec::new() };
        let queues = part.queues.path_up(app.queue);
        for key in &queues {
            let queue = &part.queues[*key];
            let gate = self.gate(Gate { queue: *key, of: None }, || Rest {
                // The root's maximum is that of the nodes, which can grow.
                resource: queue
                    .max
                    .as_ref()
                    .filter(|_| queue.parent.is_some())
                    .map(|max| max.sub_only_existing(&queue.allocated)),
                applications: queue.settings.max_applications.map(|max| {
                    max.saturating_sub(queue.running).saturating_sub(queue.allocating_accepted.len() as u64)
                }),
            });
            path.add(gate, queue.allocating_accepted.contains(&app.id));
        }
        let group = match app.account.bounds {
            Some(_) => part.group_name(app),
            // Decided at the first attempt, which has not been.
            None => group_of(&part.queues, &queues, &app.who),
        };
        let bounds = match &app.account.bounds {
            Some(bounds) => Cow::Borrowed(bounds.as_slice()),
            None => Cow::Owned(bounds_of(&part.queues, &queues, &app.who.user, group)),
        };
        for Bound { queue, side, limit } in bounds.iter() {
            let name = if *side == Side::User { &app.who.user } else { group.unwrap_or_default() };
            let usage = self.usage(*queue, *side, name);
            let gate = self.gate(Gate { queue: *queue, of: Some((*side, name)) }, || Rest {
                resource: max_resources(limit)
                    .map(|max| usage.map_or_else(|| max.clone(), |used| max.sub_only_existing(&used.allocated))),
                applications: max_applications(limit)
                    .map(|max| max.saturating_sub(usage.map_or(0, |used| used.running.len() as u64))),
            });
            path.add(gate, usage.is_some_and(|used| used.running.contains(&app.id)));
        }
        // A running application is never blocked by counts (SCH-081).
        if !matches!(app.state, AppState::New | AppState::Accepted) {
            path.starts.clear();
        }
        path
    }

    fn usage(&self, queue: QueueKey, side: Side, name: &str) -> Option<&'p QueueUsage> {
        let usage = &self.part.usage;
        match side {
            Side::User => usage.users.get(usage.users.find(name)?)?.at(queue),
            Side::Group => usage.groups.get(usage.groups.find(name)?)?.at(queue),
        }
    }

    fn gate(&mut self, gate: Gate<'p>, rest: impl FnOnce() -> Rest) -> usize {
        *self.gates.entry(gate).or_insert_with(|| {
            self.rests.push(rest());
            self.rests.len() - 1
        })
    }

    /// Counts the request if all gates admit it.
    pub fn admit(&mut self, path: &mut Path, wants: &Resource) -> bool {
        let starts = path.starts.iter().all(|gate| self.rests[*gate].applications != Some(0));
        let fits = |gate: &usize| self.rests[*gate].resource.as_ref().is_none_or(|rest| rest.fit_in_max_undef(wants));
        if !starts || !path.gates.iter().all(fits) {
            return false;
        }
        for gate in path.starts.drain(..) {
            self.rests[gate].applications = self.rests[gate].applications.map(|left| left - 1);
        }
        for gate in &path.gates {
            if let Some(rest) = &mut self.rests[*gate].resource {
                *rest = rest.sub_only_existing(wants);
            }
        }
        true
    }
}

impl Path {
    fn add(&mut self, gate: usize, runs: bool) {
        self.gates.push(gate);
        if !runs {
            self.starts.push(gate);
        }
    }
}

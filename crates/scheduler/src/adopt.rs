//! Taking over the decisions of another scheduler, unchanged: allocations, reservations, states. For a scheduler that is to be in the same
//! state as that one.
//!
//! Invariant: every counter moves as if this scheduler had decided it; only the checks are omitted.

use super::state::partition::Partition;
use super::state::scheduler::Scheduler;
use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::event::{Event, EventKind};
use model::{AppId, AppState, AskId, NodeId, Time};

/// What an ask of another scheduler has on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adopted {
    /// It runs there.
    Allocation,
    /// The node waits for it.
    Reservation,
}

impl Scheduler {
    /// Takes over what a pending ask has on a node there.
    ///
    /// # Errors
    /// There is no such pending ask, or no such node.
    pub fn adopt_ask(
        &mut self,
        now: Time,
        partition: &str,
        (app, ask): (&AppId, &AskId),
        node: &NodeId,
        has: Adopted,
    ) -> Result<(), String> {
        let part = self.adopting(partition)?;
        let (app, ask, node) = part.pending(app, ask, node)?;
        let reserved = part.apps[app].reservations.iter().any(|(held, _)| *held == ask);
        match has {
            Adopted::Allocation => {
                // As at its first try: under which group it counts.
                part.decide_limits(now, app, true, &mut Vec::new());
                part.put(now, app, ask, node, &mut Vec::new());
            }
            Adopted::Reservation if reserved => {}
            Adopted::Reservation => part.reserve(now, app, ask, node, &mut Vec::new()),
        }
        Ok(())
    }

    /// Takes over that a pending ask has the room of a placeholder, which no longer exists by that. It may be on another node.
    ///
    /// # Errors
    /// There is no such pending ask, placeholder or node.
    pub fn adopt_replacement(
        &mut self,
        now: Time,
        partition: &str,
        (app, ask): (&AppId, &AskId),
        placeholder: &AskId,
        node: &NodeId,
    ) -> Result<(), String> {
        let part = self.adopting(partition)?;
        let (app_key, ask_key, node) = part.pending(app, ask, node)?;
        let application = &part.apps[app_key];
        let held = application.ask_key(placeholder).filter(|key| {
            let held = &application.asks[*key];
            held.placeholder && held.allocation.is_some() && held.rare.gives_way.is_none()
        });
        let held = held.ok_or_else(|| format!("{app} has no placeholder {placeholder} that can be replaced"))?;
        part.begin_replacement(now, app_key, ask_key, held, node, &mut Vec::new());
        part.confirm_stopped(now, &mut Vec::new());
        Ok(())
    }

    /// Takes over that an application runs though it has nothing allocated any more. Returns whether its state is the one that is wanted.
    ///
    /// # Errors
    /// There is no such application.
    pub fn adopt_state(&mut self, now: Time, partition: &str, app: &AppId, wanted: AppState) -> Result<bool, String> {
        let part = self.adopting(partition)?;
        let key = part.app_key(app).ok_or_else(|| format!("application {app} not found"))?;
        if matches!(wanted, AppState::Starting | AppState::Running) {
            // From Accepted it is two steps at most.
            for _ in 0..2 {
                let state = part.apps[key].state;
                if state != wanted && matches!(state, AppState::New | AppState::Accepted | AppState::Starting) {
                    part.run_application(now, key, &mut Vec::new());
                }
            }
        }
        Ok(part.apps[key].state == wanted)
    }

    fn adopting(&mut self, partition: &str) -> Result<&mut Partition, String> {
        let found = self.partitions.iter_mut().find(|part| *part.name == *partition);
        let found = found.ok_or_else(|| format!("partition {partition} not found"))?;
        // What cycles found before may not hold any more.
        found.quiet = None;
        Ok(found)
    }
}

impl Partition {
    /// A pending ask runs on a node already: the resource manager says so.
    pub(crate) fn adopt(&mut self, now: Time, app: &AppId, ask: &AskId, node: &NodeId, events: &mut Vec<Event>) {
        match self.pending(app, ask, node) {
            Ok((app, ask, node)) => {
                // As at its first try: under which group it counts.
                self.decide_limits(now, app, true, events);
                self.put(now, app, ask, node, events);
            }
            Err(message) => events.push(Event::new(now, EventKind::Refused { message })),
        }
    }

    fn pending(&self, app: &AppId, ask: &AskId, node: &NodeId) -> Result<(AppKey, AskKey, NodeKey), String> {
        let key = self.app_key(app).ok_or_else(|| format!("application {app} not found"))?;
        let found = self.apps[key].ask_key(ask).filter(|ask| self.apps[key].asks[*ask].allocation.is_none());
        let found = found.ok_or_else(|| format!("{app} has no pending request {ask}"))?;
        let at = self.nodes.find(node).ok_or_else(|| format!("node {node} not found"))?;
        Ok((key, found, at))
    }
}

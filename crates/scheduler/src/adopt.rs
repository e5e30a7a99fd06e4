//! Adopts decisions of another scheduler unchanged: allocations, reservations, states.
//!
//! Invariant: every counter changes as if this scheduler had decided; only the checks are omitted.

use super::state::partition::Partition;
use super::state::scheduler::Scheduler;
use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::event::{Event, EventKind};
use model::{AppId, AppState, AskId, NodeId, Time};

/// What a request of another scheduler has on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adopted {
    /// It runs there.
    Allocation,
    /// The node waits for it.
    Reservation,
}

impl Scheduler {
    /// Adopts the allocation or reservation of a pending request.
    ///
    /// # Errors
    /// The pending request or the node does not exist.
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
        let reserved = part.apps[app].reservations.iter().any(|(other_ask, _)| *other_ask == ask);
        match has {
            Adopted::Allocation => {
                // The first attempt decides the group.
                part.decide_limits(now, app, true, &mut Vec::new());
                part.put(now, app, ask, node, &mut Vec::new());
            }
            Adopted::Reservation if reserved => {}
            Adopted::Reservation => part.reserve(now, app, ask, node, &mut Vec::new()),
        }
        Ok(())
    }

    /// Adopts that a pending request replaced a placeholder, perhaps on another node.
    ///
    /// # Errors
    /// The pending request, the placeholder, or the node does not exist.
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
        let other_ask = application.ask_key(placeholder).filter(|key| {
            let other_ask = &application.asks[*key];
            other_ask.placeholder && other_ask.allocation.is_some() && other_ask.rare.gives_way.is_none()
        });
        let other_ask =
            other_ask.ok_or_else(|| format!("{app} has no placeholder {placeholder} that can be replaced"))?;
        part.start_replacement(now, app_key, ask_key, other_ask, node, &mut Vec::new());
        part.confirm_stopped(now, &mut Vec::new());
        Ok(())
    }

    /// Adopts that an application runs without allocations. Returns whether it has the `wanted` state.
    ///
    /// # Errors
    /// The application does not exist.
    pub fn adopt_state(&mut self, now: Time, partition: &str, app: &AppId, wanted: AppState) -> Result<bool, String> {
        let part = self.adopting(partition)?;
        let key = part.app_key(app).ok_or_else(|| format!("application {app} not found"))?;
        if matches!(wanted, AppState::Starting | AppState::Running) {
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
        found.quiet = None;
        Ok(found)
    }
}

impl Partition {
    /// Adopts a pending request that already runs on a node, as reported by the resource manager.
    pub(crate) fn adopt(&mut self, now: Time, app: &AppId, ask: &AskId, node: &NodeId, events: &mut Vec<Event>) {
        match self.pending(app, ask, node) {
            Ok((app, ask, node)) => {
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

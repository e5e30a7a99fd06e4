//! Decisions that kornsole would make and the other scheduler does not (K8S-303, missed).

use super::follow::Shadow;
use super::foresee::{AskOf, cancel, foresee, foresee_in};
use super::verdict::{Comparison, LocalDecision, Verdict};
use model::{NodeId, Time};
use scheduler::Command;

/// Beyond this number none is searched.
const MOST_PASSED_OVER: usize = 64;

#[derive(Debug)]
pub(super) struct Awaited {
    pub ask: AskOf,
    since: Time,
}

impl Shadow {
    /// Follows a cycle of the other scheduler without an allocation: kornsole makes the reservations of one cycle.
    pub fn idle(&mut self, at: Time) {
        let at = self.turn_to(at);
        self.cycles += 1;
        let Self { state, released, partition, .. } = self;
        let gone = |of: &AskOf| released.is_pending(of);
        if let Some(foreseen) = foresee_in(state, partition, at, &gone, 1) {
            // Without the decision itself.
            self.state = foreseen.quiet;
        }
        self.forget_gone();
    }

    /// Runs the cleaner, every 10 s like the other scheduler (SCH-182).
    pub fn clean(&mut self, at: Time) {
        let at = self.turn_to(at);
        self.state.apply(at, &Command::Clean);
    }

    /// Returns a decision that the other scheduler has not made for too long.
    pub fn pass(&mut self, at: Time) -> Option<Comparison> {
        let at = self.turn_to(at);
        let Self { state, released, partition, passed_over, .. } = self;
        let gone = |of: &AskOf| released.is_pending(of);
        let foreseen = foresee(state, partition, at, &gone)?;
        self.cycles += foreseen.cycles;
        let mut next = foreseen.next;
        let mut trial = next.is_some().then(|| foreseen.quiet.fork(partition)).flatten();
        while let (Some((of, _)), Some(trial)) = (next.as_ref().and_then(|next| next.allocates.as_ref()), &mut trial)
            && passed_over.contains(of)
        {
            cancel(trial, at, of);
            next = foresee(trial, partition, at, &gone).and_then(|foreseen| foreseen.next);
        }
        self.state = foreseen.quiet;
        self.forget_gone();
        let found = next.and_then(|next| next.allocates);
        let found = found.filter(|_| self.unsettled.is_none() && self.passed_over.len() < MOST_PASSED_OVER);
        let Some((of, node)) = found else {
            self.awaited = None;
            return None;
        };
        self.wait(at, of, node)
    }

    fn wait(&mut self, at: Time, of: AskOf, node: NodeId) -> Option<Comparison> {
        let awaited = self.awaited.take().filter(|awaited| awaited.ask == of);
        let since = awaited.map_or(at, |awaited| awaited.since);
        let waited = at.since(since);
        if waited < self.settings.window + self.settings.patience {
            self.awaited = Some(Awaited { ask: of, since });
            return None;
        }
        self.passed_over.insert(of.clone());
        let (app, ask) = of;
        let cause =
            format!("kornsole would have allocated it on {node} for {} s, and it is still pending", waited.as_secs());
        Some(Comparison {
            at: since,
            verdict: Verdict::Missed,
            queue: self.leaf(&app),
            node: None,
            local: Some(LocalDecision { app: app.clone(), ask: ask.clone(), node }),
            rule: None,
            cause,
            source: None,
            app,
            ask,
        })
    }
}

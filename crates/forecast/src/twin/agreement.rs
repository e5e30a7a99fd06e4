//! Compares the decisions of a simulation copy with those of the remote scheduler.

use std::collections::BTreeMap;

use super::Twin;
use model::{AppId, AskId, Time};
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use scheduler::{Command, EventKind, Partition, Scheduler};

const CYCLES: usize = 4;
/// Fewer compared decisions prove nothing.
const ENOUGH: u64 = 10;

/// Agreement of a copy with the remote scheduler.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    last: Option<Twin>,
    agreed: u64,
    of: u64,
}

/// Identical requests are interchangeable.
type Kind = (AppId, Vec<(String, i64)>);

impl Agreement {
    /// Compares the previous copy's predictions with the decisions since, unless something else has changed.
    pub fn see(&mut self, twin: &Twin) {
        let before = self.last.replace(twin.clone());
        let Some(before) = before.filter(|before| before.differs.is_empty() && before.partition == twin.partition)
        else {
            return;
        };
        let (Some(old), Some(new)) = (before.partition(), twin.partition()) else { return };
        let Some(done) = allocated_since(old, new) else { return };
        let decided = decided(&before.scheduler, before.now, twin.now, done.values().sum());
        self.of += done.values().sum::<u64>();
        self.agreed +=
            done.iter().map(|(kind, count)| (*count).min(decided.get(kind).copied().unwrap_or(0))).sum::<u64>();
    }

    /// Counts equal decisions, and all.
    pub const fn counts(&self) -> (u64, u64) {
        (self.agreed, self.of)
    }

    /// Returns the agreement as a sentence.
    pub fn sentence(&self) -> String {
        match self.of {
            0 => "computed on a simulation copy; no decision compared yet".to_owned(),
            of => format!("computed on a simulation copy that agreed in {} of {of} decisions", self.agreed),
        }
    }

    /// Returns true if more than one in ten decisions differs.
    pub const fn is_bad(&self) -> bool {
        self.of >= ENOUGH && self.agreed * 10 < self.of * 9
    }
}

/// `None` if something else changed that affects decisions.
fn allocated_since(old: &Partition, new: &Partition) -> Option<BTreeMap<Kind, u64>> {
    let (before, after) = (asks(old), asks(new));
    if before.len() != after.len() || old.nodes.len() != new.nodes.len() {
        return None;
    }
    let mut done = BTreeMap::new();
    for (id, (amounts, allocated)) in &after {
        let (_, was) = before.get(id)?;
        match (*was, *allocated) {
            (true, false) => return None,
            (false, true) => *done.entry((id.0.clone(), amounts.clone())).or_default() += 1,
            _ => {}
        }
    }
    Some(done)
}

type AskKind = (Vec<(String, i64)>, bool);

fn asks(part: &Partition) -> BTreeMap<(AppId, AskId), AskKind> {
    let of = |app: &Application| {
        let one = |ask: &Ask| {
            let amounts = ask.resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
            ((app.id.clone(), ask.id.clone()), (amounts, ask.allocation.is_some()))
        };
        app.asks.iter().map(|(_, ask)| one(ask)).collect::<Vec<_>>()
    };
    part.apps.iter().flat_map(|(_, app)| of(app)).collect()
}

fn decided(scheduler: &Scheduler, from: Time, until: Time, most: u64) -> BTreeMap<Kind, u64> {
    let mut fork = scheduler.clone();
    let mut decided: BTreeMap<Kind, u64> = BTreeMap::new();
    let mut left = most;
    let cycles = usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(CYCLES);
    for cycle in 0..cycles {
        // Later cycles may reserve and preempt, which requires waiting time.
        let now = if cycle == 0 { from } else { until };
        for event in fork.apply(now, &Command::Cycle) {
            if let EventKind::Allocated { app, resource, .. } = event.kind {
                let amounts = resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
                *decided.entry((app, amounts)).or_default() += 1;
                left = left.saturating_sub(1);
            }
        }
        if left == 0 {
            break;
        }
    }
    decided
}

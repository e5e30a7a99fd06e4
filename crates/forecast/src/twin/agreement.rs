//! What a twin decides, next to what the other side did then.

use std::collections::BTreeMap;

use super::Twin;
use model::{AppId, AskId, Time};
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use scheduler::{Command, EventKind, Partition, Scheduler};

/// How many cycles a twin is given for each decision of the other side.
const CYCLES: usize = 4;
/// How many decisions are compared at least before a twin can be wrong.
const ENOUGH: u64 = 10;

/// How often a twin decided as the other side, so far.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    last: Option<Twin>,
    agreed: u64,
    of: u64,
}

/// Asks that are alike are as good as each other.
type Kind = (AppId, Vec<(String, i64)>);

impl Agreement {
    /// Takes the newest twin: what the one before would have decided is compared with what was decided since, where nothing else has
    /// changed meanwhile.
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

    /// So many decisions were the same, of this many.
    pub const fn counts(&self) -> (u64, u64) {
        (self.agreed, self.of)
    }

    /// How far both agree, as a sentence for people.
    pub fn sentence(&self) -> String {
        match self.of {
            0 => "computed on a simulation copy; no decision compared yet".to_owned(),
            of => format!("computed on a simulation copy that agreed in {} of {of} decisions", self.agreed),
        }
    }

    /// The twin is wrong in more than one decision of ten.
    pub const fn is_bad(&self) -> bool {
        self.of >= ENOUGH && self.agreed * 10 < self.of * 9
    }
}

/// What asks that were pending have been allocated since. `None`: something else has changed as well, on which decisions rest.
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

/// What a scheduler allocates next, at most so much.
fn decided(scheduler: &Scheduler, from: Time, until: Time, most: u64) -> BTreeMap<Kind, u64> {
    let mut fork = scheduler.clone();
    let mut decided: BTreeMap<Kind, u64> = BTreeMap::new();
    let mut left = most;
    let cycles = usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(CYCLES);
    for cycle in 0..cycles {
        // Later cycles may reserve and preempt, which takes time to be allowed.
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

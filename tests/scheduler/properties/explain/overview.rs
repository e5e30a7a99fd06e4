//! Every pending request is counted under the first blocker of its own explanation.

use std::collections::BTreeMap;

use model::Time;
use scheduler::Scheduler;
use scheduler::inspect::explain::types::{BlockLevel, Blocker};

use super::explained;

/// Identical requests count as one cause, because the next cycle can allocate the first and not the others.
type Cause = Option<(BlockLevel, Option<String>)>;

fn cause(blocker: Option<&Blocker>) -> Cause {
    let blocker = blocker.filter(|blocker| !matches!(blocker.level, BlockLevel::Priority | BlockLevel::Gang))?;
    Some((blocker.level, blocker.resource.as_deref().map(str::to_owned)))
}

pub fn compare(scheduler: &Scheduler, now: Time) {
    let part = &scheduler.partitions()[0];
    let all = explained(scheduler, now);
    let overview = part.explain_all(now, None).expect("the root is there");
    let pending: usize = part.apps.iter().map(|(_, app)| app.pending_order.len()).sum();
    assert_eq!(overview.asks, pending as u64);
    assert_eq!(overview.groups.iter().map(|group| group.asks).sum::<u64>(), overview.asks);
    // Neither two requests with one ID nor identical requests after one that ends every cycle can be distinguished.
    let stalled = |one: &&Blocker| one.level == BlockLevel::Stalled;
    if all.len() != pending || all.values().flat_map(|one| &one.blockers).any(|one| stalled(&one)) {
        return;
    }
    let mut one_by_one: BTreeMap<Cause, u64> = BTreeMap::new();
    for found in all.values() {
        *one_by_one.entry(cause(found.blockers.first())).or_default() += 1;
    }
    let mut together: BTreeMap<Cause, u64> = BTreeMap::new();
    for group in &overview.groups {
        *together.entry(cause(group.blocker.as_ref())).or_default() += group.asks;
    }
    assert_eq!(together, one_by_one, "at {now}: {overview:#?}\n{all:#?}");
}

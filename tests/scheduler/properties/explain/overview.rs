//! All that waits is counted under the first blockers that its asks have when they are explained one by one.

use std::collections::BTreeMap;

use model::Time;
use scheduler::Scheduler;
use scheduler::inspect::explain::types::{BlockLevel, Blocker};

use super::explained;

/// What asks wait for: the check, and the resource that is missing. Of asks that are alike the first may be served next, or take the
/// place of a placeholder, and the others after it: that is one.
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
    // Two asks of one id are not distinguished; behind one that ends every cycle asks that are alike are not.
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

//! Shortens submissions that placement rejects: any user can cause them, and they are listed, so they are stored
//! without large tags.

use scheduler::placement::PlacementOutcome;
use scheduler::{Partition, Submission};
use view::act::{Act, Order, PartitionAct};

const MOST_TAGS: usize = 1 << 10;

pub(super) fn small(part: &Partition, submission: &Submission) -> Option<Submission> {
    let size = |(name, value): (&String, &String)| name.len() + value.len();
    if submission.tags.iter().map(size).sum::<usize>() <= MOST_TAGS {
        return None;
    }
    let mut space = MOST_TAGS;
    let mut fits = |tag| {
        let left = space.checked_sub(size(tag));
        space = left.unwrap_or(space);
        left.is_some()
    };
    let tags = submission.tags.iter().filter(|tag| fits(*tag));
    let small =
        Submission { tags: tags.map(|(name, value)| (name.clone(), value.clone())).collect(), ..submission.clone() };
    let [whole, without] = [submission, &small].map(|submission| part.would_place(submission).placement.outcome);
    (matches!(whole, PlacementOutcome::Refused(_)) && whole == without).then_some(small)
}

/// `None` if it is minimal.
pub(super) fn recorded(parts: &[Partition], order: &Order) -> Option<Order> {
    let Act::In { partition, act: PartitionAct::Submit(submission) } = &order.act else { return None };
    let small = small(parts.iter().find(|part| part.name == *partition)?, submission)?;
    Some(Order::new(Act::within(partition, PartitionAct::Submit(small)), order.reason.clone()))
}

//! Differences between a simulation copy and the reported queues.

use model::Resource;
use model::quantity::show_amount;
use scheduler::Partition;
use view::{PartitionView, QueueRow};

const MOST: usize = 3;

pub(super) fn between(own: &Partition, part: &PartitionView) -> Vec<String> {
    let mut found: Vec<String> = part.walk().flat_map(|row| of_queue(own, row)).collect();
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found
}

fn of_queue(own: &Partition, row: &QueueRow) -> Vec<String> {
    let Some(queue) = own.queues.find(&row.path).and_then(|key| own.queues.get(key)) else {
        return vec![format!("{} is not in it", row.path)];
    };
    let sides = [("used", &queue.allocated, &row.allocated), ("requested", &queue.pending, &row.pending)];
    let names = |one: &Resource, other: &Resource| {
        let all = one.iter().chain(other.iter()).map(|(name, _)| name.to_owned());
        all.collect::<std::collections::BTreeSet<String>>()
    };
    let mut found = Vec::new();
    for (what, here, there) in sides {
        for name in names(here, there) {
            let (here, there) = (here.amount(&name), there.amount(&name));
            if here != there {
                let (here, there) = (show_amount(&name, here), show_amount(&name, there));
                found.push(format!("{}: {there} {name} {what} in the source, {here} in the simulation copy", row.path));
            }
        }
    }
    found
}

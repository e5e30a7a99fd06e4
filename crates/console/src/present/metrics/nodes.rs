//! Explanations of columns of nodes and allocations.

use crate::present::format;
use crate::present::metrics::{share, sum_of};
use crate::present::trend_cells;
use crate::state::column::{AllocationColumn, NodeColumn};
use model::{MEMORY, Time, VCORE};
use view::units::show_amount;
use view::{NodeAllocation, NodeRow};

/// The explanation of a node column.
pub fn why(node: &NodeRow, column: NodeColumn) -> String {
    match column {
        NodeColumn::Node => format::count(node.attributes.len() as u64, "attribute"),
        NodeColumn::State => match (node.schedulable, node.reservations.len()) {
            (true, _) if node.closed.is_some() => {
                format!("reported by the cluster: {}; it is unschedulable", node.closed.as_deref().unwrap_or_default())
            }
            (false, _) => "Unschedulable: existing allocations continue to run".to_owned(),
            (true, 0) => "schedulable: it accepts new allocations".to_owned(),
            (true, retained) => {
                format!("reserved for {}: it accepts only these", format::count(retained as u64, "request"))
            }
        },
        NodeColumn::Allocations => {
            format!("allocations on it, of {}", format::count(applications(node) as u64, "application"))
        }
        NodeColumn::Cpu => used(node, VCORE),
        NodeColumn::Memory => used(node, MEMORY),
        NodeColumn::CpuAll => "the capacity of the node".to_owned(),
        NodeColumn::MemoryAll => "the capacity of the node".to_owned(),
        NodeColumn::Trend => trend_cells::OF_NODE.to_owned(),
        NodeColumn::Other => "usage and capacity of resources without their own column".to_owned(),
        NodeColumn::CpuFree => free(node, VCORE),
        NodeColumn::MemoryFree => free(node, MEMORY),
    }
}

fn applications(node: &NodeRow) -> usize {
    let mut apps: Vec<&model::AppId> = node.allocations.values().map(|one| &one.app).collect();
    apps.sort_unstable();
    apps.dedup();
    apps.len()
}

fn used(node: &NodeRow, name: &str) -> String {
    let parts = by_application(node, name);
    let made = match sum_of(parts, name).as_str() {
        "" => "nothing allocated".to_owned(),
        made => made.to_owned(),
    };
    let occupied = match node.occupied.amount(name) {
        0 => String::new(),
        amount => format!(" + {} used outside of this scheduler", show_amount(name, amount)),
    };
    let used = node.allocated.amount(name).saturating_add(node.occupied.amount(name));
    let of = share(used, node.capacity.amount(name)).map_or_else(String::new, |of| format!("; {of} of its capacity"));
    format!("{made}{occupied}{of}")
}

fn by_application(node: &NodeRow, name: &str) -> Vec<(i64, String)> {
    let mut parts: std::collections::BTreeMap<&str, i64> = std::collections::BTreeMap::new();
    for one in node.allocations.values() {
        *parts.entry(one.app.as_str()).or_default() += one.resource.amount(name);
    }
    parts.into_iter().map(|(app, amount)| (amount, app.to_owned())).collect()
}

fn free(node: &NodeRow, name: &str) -> String {
    let shown = |amount: i64| show_amount(name, amount);
    let capacity = node.capacity.amount(name);
    let outside = match node.occupied.amount(name) {
        0 => String::new(),
        amount => format!(" minus {} used outside", shown(amount)),
    };
    let left = shown(node.available().amount(name));
    format!("{left} = capacity {} minus {} allocated{outside}", shown(capacity), shown(node.allocated.amount(name)))
}

/// The explanation of an allocation column.
pub fn why_allocation(node: &NodeRow, one: &NodeAllocation, now: Time, column: AllocationColumn) -> String {
    let of = |name: &str| {
        let of = share(one.resource.amount(name), node.capacity.amount(name));
        of.map_or_else(|| "its usage".to_owned(), |of| format!("its usage, {of} of the node"))
    };
    match column {
        AllocationColumn::Application => "the application of the allocation; enter goes there".to_owned(),
        AllocationColumn::Ask => format!("the request that was allocated on {}", node.id),
        AllocationColumn::Cpu => of(VCORE),
        AllocationColumn::Memory => of(MEMORY),
        AllocationColumn::Other => "its usage of other resources than cpu and memory".to_owned(),
        AllocationColumn::Since => match one.since {
            Some(at) => format!("allocated at {}", format::when(at, now)),
            None => "this release does not report the time; 1.5 and kornsole do".to_owned(),
        },
        AllocationColumn::Arrival => "its position among the allocations, by age".to_owned(),
    }
}

//! Values of a remote that could not be read, and why. Rows contain 0 or nothing for them; columns name their REST API
//! keys.

use crate::present::details::sheet::labeled_text;
use crate::present::pieces::{Lines, Piece, dim};
use crate::present::text;
use crate::state::column::{AppColumn, NodeColumn, QueueColumn};
use crate::theme::{Role, Symbols};
use model::{MEMORY, VCORE};
use view::unread::Unknown;
use view::{AppRow, NodeRow, PartitionView, QueueRow};

#[derive(Clone, Copy)]
enum Of {
    /// Quantities of one resource below these keys.
    Amounts(&'static [&'static str], &'static str),
    /// Everything below these keys.
    Values(&'static [&'static str]),
    /// The length of the list at a key.
    Length(&'static str),
    /// Never unknown alone.
    Nothing,
}

impl Of {
    fn find<'p>(self, part: &'p PartitionView, kind: &str, name: &str) -> Option<&'p Unknown> {
        let mut all = part.unknown.iter();
        match self {
            Self::Amounts(keys, resource) => {
                all.find(|one| keys.iter().any(|key| one.touches(kind, name, key, resource)))
            }
            Self::Values(keys) => all.find(|one| keys.iter().any(|key| one.is_below(kind, name, key))),
            Self::Length(key) => all.find(|one| one.cuts(kind, name, key)),
            Self::Nothing => None,
        }
    }
}

const USED: &[&str] = &["allocated", "occupied"];
/// The keys for the free resources of a node.
pub const FREE: &[&str] = &["capacity", "allocated", "occupied"];

/// Why a node's value is unknown.
pub fn of_node<'p>(part: &'p PartitionView, node: &NodeRow, column: NodeColumn) -> Option<&'p Unknown> {
    let of = match column {
        NodeColumn::State => Of::Values(&["schedulable"]),
        NodeColumn::Allocations => Of::Length("allocations"),
        NodeColumn::Cpu => Of::Amounts(USED, VCORE),
        NodeColumn::CpuAll => Of::Amounts(&["capacity"], VCORE),
        NodeColumn::CpuFree => Of::Amounts(FREE, VCORE),
        NodeColumn::Memory => Of::Amounts(USED, MEMORY),
        NodeColumn::MemoryAll => Of::Amounts(&["capacity"], MEMORY),
        NodeColumn::MemoryFree => Of::Amounts(FREE, MEMORY),
        NodeColumn::Node | NodeColumn::Other | NodeColumn::Trend => Of::Nothing,
    };
    of.find(part, "node", node.id.as_str())
}

/// A maximum depends on its own, the smallest parent's, or the partition's capacity.
pub fn of_queue<'p>(part: &'p PartitionView, row: &QueueRow, column: QueueColumn) -> Option<&'p Unknown> {
    if part.unknown.is_empty() {
        return None;
    }
    let own = |of: Of| of.find(part, "queue", row.path.as_str());
    let up = |of: Of| part.path_up(row).find_map(|row| of.find(part, "queue", row.path.as_str()));
    let max = |name: &'static str| {
        let is_set = row.max.as_ref().is_some_and(|max| max.get(name).is_some());
        let max = Of::Amounts(&["maxResource"], name);
        if is_set { own(max) } else { up(max).or_else(|| of_partition(part, false, name)) }
    };
    match column {
        QueueColumn::State => own(Of::Values(&["status"])),
        QueueColumn::Priority => own(Of::Values(&["currentPriority"])),
        QueueColumn::Apps => own(Of::Values(&["runningApps"])),
        QueueColumn::MaxApps => own(Of::Values(&["maxRunningApps"])),
        QueueColumn::Pending => own(Of::Amounts(&["pendingResource"], VCORE)),
        QueueColumn::PendingMemory => own(Of::Amounts(&["pendingResource"], MEMORY)),
        QueueColumn::Cpu => own(Of::Amounts(&["allocatedResource"], VCORE)),
        QueueColumn::Memory => own(Of::Amounts(&["allocatedResource"], MEMORY)),
        QueueColumn::CpuGuaranteed => own(Of::Amounts(&["guaranteedResource"], VCORE)),
        QueueColumn::MemoryGuaranteed => own(Of::Amounts(&["guaranteedResource"], MEMORY)),
        QueueColumn::CpuMax => max(VCORE),
        QueueColumn::MemoryMax => max(MEMORY),
        QueueColumn::Headroom => up(Of::Amounts(&["maxResource", "allocatedResource"], VCORE)),
        QueueColumn::HeadroomMemory => up(Of::Amounts(&["maxResource", "allocatedResource"], MEMORY)),
        QueueColumn::MemoryShare => own(Of::Amounts(&["allocatedResource"], MEMORY)).or_else(|| max(MEMORY)),
        QueueColumn::Queue
        | QueueColumn::Live
        | QueueColumn::Waiting
        | QueueColumn::WaitP95
        | QueueColumn::Other
        | QueueColumn::Trend => None,
    }
}

/// The same for an application.
pub fn of_app<'p>(part: &'p PartitionView, row: &AppRow, column: AppColumn) -> Option<&'p Unknown> {
    let of = match column {
        AppColumn::Submitted => Of::Values(&["submissionTime"]),
        AppColumn::State => Of::Values(&["applicationState"]),
        AppColumn::Pending => Of::Length("requests"),
        AppColumn::Allocations => Of::Length("allocations"),
        AppColumn::Cpu => Of::Amounts(&["allocations"], VCORE),
        AppColumn::Memory => Of::Amounts(&["allocations"], MEMORY),
        AppColumn::AskedCpu => Of::Amounts(&["requests", "pendingResource"], VCORE),
        AppColumn::AskedMemory => Of::Amounts(&["requests", "pendingResource"], MEMORY),
        _ => Of::Nothing,
    };
    of.find(part, "application", row.id.as_str())
}

/// Why a partition's capacity or allocated quantity (`used`) is unknown.
pub fn of_partition<'p>(part: &'p PartitionView, used: bool, resource: &str) -> Option<&'p Unknown> {
    let is_used = |one: &Unknown| one.path.split('.').any(|key| key == "usedCapacity");
    let touched = |one: &&Unknown| one.touches("partition", &part.name, "capacity", resource);
    part.unknown.iter().filter(touched).find(|one| one.path == "capacity" || is_used(one) == used)
}

/// Whether a quantity with inputs below these keys is unknown.
pub fn of_amount(part: &PartitionView, kind: &str, name: &str, keys: &[&str], resource: &str) -> bool {
    part.unknown.iter().any(|one| keys.iter().any(|key| one.touches(kind, name, key, resource)))
}

/// The displayed reason.
pub fn why(unknown: &Unknown) -> String {
    format!("unknown: {unknown}")
}

/// The cell of an unknown value.
pub fn cell(symbols: &Symbols) -> Piece {
    dim(symbols.none)
}

/// Replaces a text by the unknown symbol of the same width.
pub fn blank(piece: &mut Piece, symbols: &Symbols) {
    let width = text::width(&piece.text);
    *piece = dim(format!("{:>width$}", symbols.none));
}

/// Lines about unknown values.
pub fn lines(lines: &mut Lines, part: Option<&PartitionView>, kind: &str, name: &str, width: usize) {
    let all = part.into_iter().flat_map(|part| part.unknown.iter()).filter(|one| one.is_of(kind, name));
    for (at, one) in all.enumerate() {
        let words = if one.path.is_empty() { one.reason.clone() } else { format!("{}: {}", one.path, one.reason) };
        labeled_text(lines, if at == 0 { "unknown" } else { "" }, &words, width, Role::Warning);
    }
}

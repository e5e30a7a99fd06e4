//! The partitions of the scheduler.

use std::time::Duration;

use crate::present::details::sheet::Sheet;
use crate::present::format;
use crate::present::lists::queue_cells::state_symbol;
use crate::present::meter::Meter;
use crate::present::pieces::{Lines, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::theme::{Role, Symbols};
use model::{MEMORY, QueueState, VCORE};
use view::PartitionView;
use view::units::show_amount;

const METER: (u16, u16) = (12, 60);
const BEFORE: u16 = 34;

/// The sheet of all partitions.
pub fn sheet(state: &State, width: usize, symbols: &Symbols) -> Sheet {
    let wide = u16::try_from(width).unwrap_or(u16::MAX).saturating_sub(BEFORE).clamp(METER.0, METER.1);
    let parts = &state.cluster.view.partitions;
    let many = if parts.len() > 1 { "   :partition NAME shows another partition" } else { "" };
    let mut sheet = Sheet {
        title: vec![piece(Role::Title, "Partitions")],
        what: vec![plain(parts.len().to_string()), dim(many)],
        ..Sheet::default()
    };
    for part in parts {
        sheet.left.push(Vec::new());
        let (symbol, role) = state_symbol(part.state, symbols);
        let here = state.cluster.part().is_some_and(|shown| shown.name == part.name);
        let shown = if here { "   shown here" } else { "" };
        let name = piece(Role::Strong, text::escape(&part.name).into_owned());
        sheet.left.push(vec![piece(role, symbol), plain(" "), name, dim(format!("   {}{shown}", part.state))]);
        of_one(&mut sheet.left, (part, state.cluster.apps_lag), wide, symbols);
    }
    sheet
}

fn of_one(lines: &mut Lines, (part, lag): (&PartitionView, Option<Duration>), wide: u16, symbols: &Symbols) {
    let mut message = |label: &str, value: String| lines.push(vec![dim(format!("  {label:<14}")), plain(value)]);
    let sort = part.node_sort.policy.row().effect;
    message("nodes", format!("{}, {sort}", part.nodes.len()));
    let draining = part.queues.iter().flatten().filter(|row| row.state == QueueState::Draining).count();
    let queues = part.queues.iter().flatten().count();
    message("queues", if draining == 0 { queues.to_string() } else { format!("{queues}, {draining} draining") });
    let running = part.root().map_or(0, |root| root.running);
    let active = format::active(lag, part.live_apps as u64);
    message("applications", format!("{running} running, {active}, {} ended", part.ended.len()));
    message("placement", format::count(part.rules.len() as u64, "rule"));
    message("preemption", if part.preemption { "requests can preempt" } else { "off" }.to_owned());
    let others = part.capacity.iter().map(|(name, _)| name).filter(|name| *name != VCORE && *name != MEMORY);
    for name in [VCORE, MEMORY].into_iter().chain(others) {
        let (used, all) = (part.allocated.amount(name), part.capacity.get(name));
        let of = all.map_or_else(|| symbols.nothing.to_owned(), |all| show_amount(name, all));
        let metric = format!("{:>6} of {of:<8}", show_amount(name, used));
        let mut line = vec![dim(format!("  {:<14}", format::resource_name(name))), plain(metric)];
        line.extend(Meter { used, base: all, guaranteed: None }.pieces(wide, symbols));
        lines.push(line);
    }
}

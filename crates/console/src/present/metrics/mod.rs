//! Explains how each value on the screen is computed: of the selected row, of a sheet, and of the header.
//!
//! Invariants:
//! - the values are the typed values of drawing, sorting, and exports;
//! - every column of every list has an explanation: the matches are exhaustive.

pub(super) mod alerts;
pub(super) mod apps;
pub(super) mod fairness;
pub(super) mod nodes;
pub(super) mod queues;
pub(super) mod records;
pub(super) mod sheets;
pub(super) mod users;

use crate::present::export;
use crate::present::format;
use crate::present::page::Present;
use crate::state::State;
use crate::state::layer::{Metric, Metrics};
use crate::state::page::{Page, each_page};
use model::{MEMORY, VCORE};
use view::units::show_amount;

/// Recomputes the row: not in the draw loop.
pub fn metrics(state: &State) -> Metrics {
    let own = each_page!(state.page(), page => page.metrics(state));
    let (of, mut list) = own.unwrap_or_else(|| row(state));
    list.extend(header(state));
    Metrics { of, at: Some(state.framed().at), list, top: 0 }
}

/// The title, with the age if the subject has left the page.
pub fn title(state: &State, metrics: &Metrics) -> String {
    let age = metrics.at.map(|at| state.framed().at.since(at)).filter(|age| !age.is_zero());
    let age = age.map(|age| format!(", {} old", format::duration(age))).unwrap_or_default();
    format!("Values of {}{age}", metrics.of)
}

fn metric(title: &str, shown: impl Into<String>, why: impl Into<String>) -> Metric {
    Metric { title: title.to_owned(), shown: shown.into(), why: why.into() }
}

fn row(state: &State) -> (String, Vec<Metric>) {
    let row = export::row(state);
    let of = crate::present::subject::name(state).unwrap_or_else(|| "this page".to_owned());
    let part = state.cluster.part();
    let why = |column: usize| each_page!(state.page(), page => page.why(state, part?, column));
    let explained = row.into_iter().enumerate().map(|(column, (title, shown))| {
        let why = why(column).unwrap_or_default();
        Metric { title, shown, why }
    });
    (of, explained.collect())
}

fn header(state: &State) -> Vec<Metric> {
    let Some(part) = state.framed_part() else { return Vec::new() };
    let drained = part.nodes.values().filter(|node| !node.is_open()).count();
    let nodes = match drained {
        0 => "the nodes of this partition; all are schedulable".to_owned(),
        more => format!("the nodes of this partition; {more} unschedulable, with their capacity counted"),
    };
    let mut list = vec![metric("top: nodes", part.nodes.len().to_string(), nodes)];
    for name in [VCORE, MEMORY] {
        let (used, all) = (part.allocated.amount(name), part.capacity.amount(name));
        let whys = format!(
            "allocated on all nodes, of the sum of their capacities; {}",
            share(used, all).unwrap_or_else(|| "none".to_owned())
        );
        let shown = format!("{} of {}", show_amount(name, used), show_amount(name, all));
        list.push(metric(&format!("top: {}", format::resource_name(name)), shown, whys));
    }
    let rate = format::rate(state.framed().allocation_rate);
    list.push(metric("top: alloc/s", rate, "allocations per second of scheduler time, over the last seconds"));
    list
}

/// `37 %` of a whole; `None` where there is no whole.
fn share(used: i64, all: i64) -> Option<String> {
    let percent = i128::from(used) * 100 / i128::from(all).max(1);
    (all > 0).then(|| if percent == 0 && used > 0 { "less than 1%".to_owned() } else { format!("{percent}%") })
}

fn sum_of(mut parts: Vec<(i64, String)>, name: &str) -> String {
    const NAMED: usize = 4;
    parts.retain(|(amount, _)| *amount != 0);
    parts.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let rest: i64 = parts.iter().skip(NAMED).map(|(amount, _)| *amount).sum();
    let more = parts.len().saturating_sub(NAMED);
    let mut message: Vec<String> =
        parts.iter().take(NAMED).map(|(amount, of)| format!("{} {of}", show_amount(name, *amount))).collect();
    if more > 0 {
        message.push(format!("{} of {more} more", show_amount(name, rest)));
    }
    message.join(" + ")
}

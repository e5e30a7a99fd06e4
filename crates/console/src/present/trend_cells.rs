//! The trend column of lists: the last hour as a sparkline of eight cells.

use std::time::Duration;

use crate::state::State;
use crate::theme::Signs;
use view::trends::{Measure, Rings, Subject, Value};

/// The number of cells.
pub const CELLS: u16 = 8;
const SPAN: Duration = Duration::from_secs(3600);
/// The explanation for a queue or user.
pub const MEANS: &str = "the last hour in steps of 7.5 minutes: the share of the cluster in use, of its most used resource; \
    the highest cell is the maximum of the hour (T shows figures)";
/// The explanation for a node.
pub const OF_NODE: &str = "the last hour in steps of 7.5 minutes: the share of the node in use, of its most used resource; a full cell is 100% (T shows figures)";
/// The name of the column.
pub const COLUMN: &str = "trend";

/// `None` if not measured.
pub fn rings(state: &State) -> Option<&Rings> {
    let cluster = &state.cluster;
    let part = cluster.part().map_or(&cluster.partition, |part| &part.name);
    cluster.trends.rings.as_ref()?.get(part)
}

/// The oldest first. A cell is the largest share in 7.5 minutes, scaled to the hour's maximum (a node: to the node).
pub fn cells(state: &State, subject: &Subject, signs: &Signs) -> String {
    let Some(rings) = rings(state) else { return String::new() };
    let to = state.cluster.at;
    let value = Value::plain(subject.kind(), Measure::Share);
    let series = rings.series(subject, &value, to - SPAN, to, usize::from(CELLS));
    let largest = || series.figures.iter().flatten().map(|figure| figure.max).max().unwrap_or(0);
    let top = if matches!(subject, Subject::Node(_)) { 1000 } else { largest() };
    let height = |share: i64| signs.bars[usize::try_from((share * 8 - 1).div_euclid(top.max(1))).unwrap_or(0).min(7)];
    let cell = |figure: &Option<view::trends::Figure>| match figure {
        None => " ",
        Some(figure) if figure.max <= 0 => signs.nothing,
        Some(figure) => height(figure.max),
    };
    let text: String = series.figures.iter().map(cell).collect();
    if text.trim().is_empty() { String::new() } else { text }
}

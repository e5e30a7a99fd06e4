//! The trend column of lists: the last hour of a share in eight cells, as heights.

use std::time::Duration;

use crate::state::State;
use crate::theme::Signs;
use view::trends::{Measure, Rings, Subject, Value};

/// How many cells it has.
pub const CELLS: u16 = 8;
/// How far back it goes.
const SPAN: Duration = Duration::from_secs(3600);
/// What it shows of a queue or user, in a sentence.
pub const MEANS: &str = "the last hour in steps of 7.5 minutes: the share of the cluster in use, of its most used resource; \
    the highest cell is the maximum of the hour (T shows figures)";
/// The same of a node.
pub const OF_NODE: &str = "the last hour in steps of 7.5 minutes: the share of the node in use, of its most used resource; a full cell is 100% (T shows figures)";
/// The name of the column, by which a person chooses it.
pub const COLUMN: &str = "trend";

/// The rings of the partition on the screen; `None` where nothing was measured.
pub fn rings(state: &State) -> Option<&Rings> {
    let cluster = &state.cluster;
    let part = cluster.part().map_or(&cluster.partition, |part| &part.name);
    cluster.trends.rings.as_ref()?.get(part)
}

/// The cells of a subject, the oldest first, empty where nothing is known. The height is the largest share of a step of 7.5 minutes,
/// next to the largest of the hour; of a node, next to the whole node.
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

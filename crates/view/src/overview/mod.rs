//! The overview: what needs attention in a partition, how the cluster stands, and what changed, as a sheet.
//!
//! ```text
//!  1 thing needs attention at 12:40
//!
//!  starves    root.tenants.a: 4 of 8 guaranteed cpu, 6 more requested; b borrows (12m ago)  ->
//!  waits      12 applications for room on a node, first etl-1 (40m ago)  ->
//!
//!  use        cpu 23.5 of 40 (58%), memory 44G of 80G (55%)
//!  changed    root.tenants.a: cpu 2 to 14, pending 0 to 6 (1h ago)  ->
//! ```
//!
//! Invariants:
//! - pure: everything is in [`Given`], so the same moment gives the same sheet;
//! - examines every queue, application and node: made by a worker thread, not where frames are drawn;
//! - the lines about what needs attention come first, the most severe first; nothing to report is one line.

mod attention;
mod changed;
mod cluster;
mod demand;
mod faults;
mod trend;
mod waits;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub use cluster::asks_without_a_node;

use super::record::Record;
use super::trends::Rings;
use super::unread::Unread;
use super::waiting::{Sheet, SheetLine, count};
use super::{PartitionView, View};
use model::Time;

pub use self::demand::{WaitingCause, WaitingIn, WaitingNow};
pub use self::faults::ConfigFaults;

/// What an overview is made from.
#[derive(Clone, Debug)]
pub struct Given {
    /// The moment that is shown.
    pub view: Arc<View>,
    /// The name of the partition.
    pub partition: Arc<str>,
    /// The cluster's time, for ages.
    pub at: Time,
    /// The important events that are known, the oldest first.
    pub happened: Vec<Arc<Record>>,
    /// How long a cycle of the scheduler takes lately, in the mean; `None` where that is unknown.
    pub cycle: Option<Duration>,
    /// What of the view is not read yet.
    pub unread: Unread,
    /// What is wrong with the connection, in words; `None` while it stands.
    pub connection: Option<String>,
    /// What the scheduler says is wrong with itself, one sentence each; `None` where it is unknown.
    pub health: Option<Vec<String>>,
    /// The faults of the active configuration; `None` where they are unknown.
    pub faults: Option<Arc<ConfigFaults>>,
    /// What is alerted about, the worst first, each with whether it is more than good to know.
    pub alerts: Vec<(bool, SheetLine)>,
    /// How many rows the screen has for it: what does not fit is counted in one line.
    pub rows: usize,
    /// What was measured of the partition over time, for what the samples of the view do not reach back to.
    pub trends: Option<Rings>,
    /// When the person looked last, by the cluster's time; `None` when it is the first time.
    pub looked: Option<Time>,
}

/// How much a line needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The figures may be wrong, or nothing is scheduled.
    Now,
    /// Something does not get what it was promised.
    Soon,
    /// Good to know.
    Known,
}

/// How many rows stand around the lines that need attention: the sentence, the cluster, what changed.
const BELOW: usize = 13;
/// How many lines need attention at least before one is omitted.
const LEAST: usize = 5;

/// A line that needs attention.
type Concern = (Rank, SheetLine);

/// Makes the overview. `None`: there is no such partition.
pub fn overview(given: &Given) -> Option<Sheet> {
    let part = given.view.partitions.iter().find(|part| part.name == given.partition)?;
    let mut concerns = attention::of_scheduler(given);
    concerns.extend(faults::concern(given));
    concerns.extend(attention::of_queues(given, part));
    concerns.extend(attention::of_nodes(given, part));
    concerns.extend(waits::of_waiting(part));
    concerns.extend(cluster::fragments(part).map(|line| (Rank::Known, line)));
    // The first of each kind precedes the second of any.
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    concerns.sort_by_cached_key(|(rank, line)| {
        let nth = kinds.entry(line.label.clone()).or_default();
        *nth += 1;
        (*rank, *nth)
    });
    let more = concerns.len().saturating_sub(given.rows.saturating_sub(BELOW).max(LEAST));
    let serious = concerns.iter().filter(|(rank, _)| *rank != Rank::Known).count() as u64;
    let unread = given.unread.words();
    let sentence = match serious {
        0 if !unread.is_empty() => unread.join(", "),
        0 if concerns.is_empty() => "No issues".to_owned(),
        0 => format!("No urgent issues, {}", count(concerns.len() as u64, "notice")),
        1 => "1 thing needs attention".to_owned(),
        more => format!("{more} things need attention"),
    };
    let shown = concerns.len() - more;
    let mut lines: Vec<SheetLine> = concerns.into_iter().take(shown).map(|(_, line)| line).collect();
    if more > 0 {
        lines.push(SheetLine::new("", format!("{} more not shown", count(more as u64, "thing"))));
    }
    let mut lines: Vec<SheetLine> = group(lines).collect();
    lines.extend(group(cluster::lines(given, part)));
    lines.extend(group(trend::line(given, part).into_iter().chain(changed::lines(given, part)).collect()));
    Some(Sheet { at: given.at, title: "Overview".to_owned(), sentence, lines, ..Sheet::default() })
}

/// The lines of an overview that need attention, the most severe first: those before the state of the cluster.
pub fn attention(sheet: &Sheet) -> &[SheetLine] {
    let end = sheet.lines.iter().position(|line| line.label == cluster::USE).unwrap_or(sheet.lines.len());
    &sheet.lines[..end]
}

/// Lines that stand together: the first starts a group.
fn group(lines: Vec<SheetLine>) -> impl Iterator<Item = SheetLine> {
    lines.into_iter().enumerate().map(|(at, line)| line.below(u8::from(at > 0)))
}

/// A share in percent of something that is not nothing.
fn percent(part: i64, of: i64) -> Option<i64> {
    (of > 0).then(|| i64::try_from(i128::from(part) * 100 / i128::from(of)).unwrap_or(i64::MAX))
}

/// How many pending asks a partition has.
fn pending_asks(part: &PartitionView) -> u64 {
    part.apps.iter().flatten().map(|app| u64::from(app.pending_asks)).sum()
}

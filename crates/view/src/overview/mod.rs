//! The overview sheet of a partition.
//!
//! Invariants:
//! - pure: [`Given`] contains all inputs;
//! - reads every queue, application, and node: runs on a worker thread, not per frame.

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
pub use self::waits::cause_words;

/// The inputs of an overview.
#[derive(Clone, Debug)]
pub struct Given {
    /// The displayed view.
    pub view: Arc<View>,
    /// The name of the partition.
    pub partition: Arc<str>,
    /// The cluster time, for ages.
    pub at: Time,
    /// The known important events, the oldest first.
    pub happened: Vec<Arc<Record>>,
    /// The recent mean duration of a scheduling cycle; `None` if unknown.
    pub cycle: Option<Duration>,
    /// The lists of the view that are not loaded.
    pub unread: Unread,
    /// `None` while connected.
    pub connection: Option<String>,
    /// The failed health checks, one sentence each; `None` if unknown.
    pub health: Option<Vec<String>>,
    /// `None` if unknown.
    pub faults: Option<Arc<ConfigFaults>>,
    /// The firing alerts, the most severe first, each with whether it is more than informational.
    pub alerts: Vec<(bool, SheetLine)>,
    /// The available screen rows: one line counts the rest.
    pub rows: usize,
    /// Trends of the partition, for times before the samples of the view.
    pub trends: Option<Rings>,
    /// The cluster time of the user's last look; `None` for the first one.
    pub visited: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Data may be wrong, or nothing is scheduled.
    Now,
    /// A promise is not met.
    Soon,
    Known,
}

/// The rows for the other parts: the sentence, the cluster, the changes.
const BELOW: usize = 13;
/// The minimum number of attention lines before any is omitted.
const LEAST: usize = 5;

type Concern = (Rank, SheetLine);

/// `None` if the partition does not exist.
pub fn overview(given: &Given) -> Option<Sheet> {
    let part = given.view.partitions.iter().find(|part| part.name == given.partition)?;
    let mut concerns = attention::of_scheduler(given);
    concerns.extend(faults::concern(given));
    concerns.extend(attention::of_queues(given, part));
    concerns.extend(attention::of_nodes(given, part));
    concerns.extend(waits::of_waiting(part));
    concerns.extend(cluster::fragments(part).map(|line| (Rank::Known, line)));
    // The first line of each kind precedes the second line of any kind.
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

/// The lines that need attention, the most severe first.
pub fn attention(sheet: &Sheet) -> &[SheetLine] {
    let end = sheet.lines.iter().position(|line| line.label == cluster::USE).unwrap_or(sheet.lines.len());
    &sheet.lines[..end]
}

fn group(lines: Vec<SheetLine>) -> impl Iterator<Item = SheetLine> {
    lines.into_iter().enumerate().map(|(at, line)| line.below(u8::from(at > 0)))
}

fn percent(part: i64, of: i64) -> Option<i64> {
    (of > 0).then(|| i64::try_from(i128::from(part) * 100 / i128::from(of)).unwrap_or(i64::MAX))
}

fn pending_asks(part: &PartitionView) -> u64 {
    part.apps.iter().flatten().map(|app| u64::from(app.pending_asks)).sum()
}

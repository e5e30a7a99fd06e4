//! A diff as text. Queues and partitions start with `~`, `+`, or `-`, their settings are indented.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::{Change, Diff, Key, What};
use crate::fault::escaped;

/// A line of the text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `None` for a value.
    pub symbol: Option<What>,
    /// Whether it is a setting of the queue or partition in the lines before.
    pub setting: bool,
    /// The change, with control characters escaped.
    pub text: String,
    /// The effect of the change; empty if a line before contains it.
    pub effect: &'static str,
}

impl Line {
    /// The displayed sign.
    pub const fn symbol(&self) -> char {
        match self.symbol {
            Some(What::Added) => '+',
            Some(What::Removed) => '-',
            Some(What::Changed) => '~',
            None => ' ',
        }
    }
}

impl Diff {
    /// The lines of each partition and queue, followed by its settings. Control characters are escaped.
    pub fn lines(&self) -> Vec<Line> {
        let of_partition: BTreeSet<&str> =
            self.changes.iter().filter(|change| change.queue.is_none()).map(|change| &*change.partition).collect();
        let mut lines = Vec::new();
        let mut above: Option<&Change> = None;
        let mut new = false;
        for change in &self.changes {
            let entered = above.is_none_or(|above| above.partition != change.partition);
            if entered && (self.several || of_partition.contains(&*change.partition)) {
                new = change.key == Key::Partition && change.what == What::Added;
                lines.push(partition_line(change));
            }
            if change.queue.is_some() && (entered || above.is_some_and(|above| above.queue != change.queue)) {
                new = change.key == Key::Queue && change.what == What::Added;
                lines.extend(queue_line(change));
            }
            if !matches!(change.key, Key::Queue | Key::Partition) {
                lines.push(setting(change, new));
            }
            above = Some(change);
        }
        lines
    }

    /// The text form, with the effects in a column. Empty without changes.
    pub fn to_text(&self) -> String {
        const INDENT: usize = 2;
        const WIDEST: usize = 60;
        let lines = self.lines();
        let indent = |line: &Line| if line.setting { INDENT } else { 0 };
        let width = |line: &Line| indent(line) + 2 + line.text.width();
        let with_effect = lines.iter().filter(|line| !line.effect.is_empty());
        let column = with_effect.map(width).filter(|width| *width <= WIDEST).max().unwrap_or(0);
        let mut out = String::new();
        for line in &lines {
            let _written = write!(out, "{:indent$}{} {}", "", line.symbol(), line.text, indent = indent(line));
            if !line.effect.is_empty() {
                let gap = column.saturating_sub(width(line)) + 3;
                let _written = write!(out, "{:gap$}{}", "", line.effect);
            }
            out.push('\n');
        }
        out
    }

    /// `2 queues changed, 1 added, 1 removed; 1 partition changed`
    pub fn summary(&self) -> String {
        let mut queues: [BTreeSet<_>; 3] = Default::default();
        let mut partitions: [BTreeSet<_>; 3] = Default::default();
        for change in &self.changes {
            let whole = matches!(change.key, Key::Queue | Key::Partition);
            let what = if whole { change.what } else { What::Changed };
            match &change.queue {
                Some(queue) => queues[what as usize].insert((&change.partition, queue)),
                None => partitions[what as usize].insert(&change.partition),
            };
        }
        let reported = [counted("queue", &queues), counted("partition", &partitions)];
        reported.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// Added and removed ones do not count as changed.
fn counted<T: Ord>(thing: &str, of: &[BTreeSet<T>; 3]) -> Option<String> {
    let [added, removed, changed] = of;
    let changed = changed.iter().filter(|it| !added.contains(it)).count();
    let counts = [(changed, "changed"), (added.len(), "added"), (removed.len(), "removed")];
    let mut parts = Vec::new();
    for (count, word) in counts.into_iter().filter(|(count, _)| *count > 0) {
        let plural = if count == 1 { "" } else { "s" };
        let thing = if parts.is_empty() { format!(" {thing}{plural}") } else { String::new() };
        parts.push(format!("{count}{thing} {word}"));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn partition_line(first: &Change) -> Line {
    let whole = first.key == Key::Partition;
    let (what, effect) = if whole { (first.what, first.effect) } else { (What::Changed, "") };
    Line { symbol: Some(what), setting: false, text: format!("partition {}", escaped(&first.partition)), effect }
}

fn queue_line(first: &Change) -> Option<Line> {
    let whole = first.key == Key::Queue;
    let (what, effect) = if whole { (first.what, first.effect) } else { (What::Changed, "") };
    Some(Line { symbol: Some(what), setting: false, text: escaped(first.queue.as_ref()?.as_str()), effect })
}

/// In a `new` queue only the value.
fn setting(change: &Change, new: bool) -> Line {
    let name = name(&change.key);
    let value = |value: &Option<String>| value.as_ref().map_or_else(|| "none".to_owned(), |value| shown(value));
    let effect = if new { "" } else { change.effect };
    let (symbol, text) = match (&change.key, change.what) {
        (Key::Limit(_) | Key::Rule(_) | Key::Template, What::Added | What::Removed) => {
            let shown =
                change.to.as_ref().or(change.from.as_ref()).map_or_else(String::new, |shown| format!(": {shown}"));
            ((!new).then_some(change.what), format!("{name}{shown}"))
        }
        (Key::Rule(_), _) => (None, format!("{name}: {} → {}", value(&change.from), value(&change.to))),
        _ if new => (None, format!("{name} {}", value(&change.to))),
        _ => (None, format!("{name} {} → {}", value(&change.from), value(&change.to))),
    };
    Line { symbol, setting: true, text: escaped(&text), effect }
}

fn name(key: &Key) -> String {
    match key {
        Key::Guaranteed(resource) => format!("guaranteed {resource}"),
        Key::Max(resource) => format!("max {resource}"),
        Key::Property(property) => format!("property {property}"),
        Key::Template => "child template".to_owned(),
        Key::InTemplate(key) => format!("child template: {}", name(key)),
        Key::Limit(names) => format!("limit {names}"),
        Key::InLimit(names, setting) => {
            let setting = match setting.strip_prefix("maxresources.") {
                Some(resource) => format!("max {resource}"),
                None if setting == "limit" => "description".to_owned(),
                None => setting.clone(),
            };
            format!("limit {names}: {setting}")
        }
        Key::LimitOrder => "order of limits".to_owned(),
        Key::Rule(number) => format!("placement rule {number}"),
        Key::NodeSort => "node sorting".to_owned(),
        Key::Weight(resource) => format!("node sorting: weight of {resource}"),
        Key::Preemption => "preemption".to_owned(),
        Key::QuotaPreemption => "quota preemption".to_owned(),
        _ => key.to_string(),
    }
}

fn shown(value: &str) -> String {
    if value.is_empty() || value.trim() != value { format!("{value:?}") } else { value.to_owned() }
}

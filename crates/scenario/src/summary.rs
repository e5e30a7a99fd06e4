//! Summarizes a run for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::time::Duration;

use super::file::{Scenario, StepKind};
use super::plot::Plot;
use super::trace::Sink;
use model::{AppId, AppState, AskId, NodeId, QueuePath, Resource, Time};
use scheduler::{Event, EventKind, PartitionCommand, ReleaseReason, Scheduler};

const LISTED: usize = 50;

/// A sink that summarizes a run.
#[derive(Debug, Default)]
pub struct Summary {
    users: BTreeMap<AppId, String>,
    apps: Vec<App>,
    known: BTreeMap<AppId, usize>,
    waiting: BTreeMap<(AppId, AskId), Time>,
    waited: Vec<Duration>,
    released: BTreeMap<&'static str, u64>,
    allocations: u64,
    refused: u64,
    config_refused: Option<String>,
    nodes: BTreeMap<NodeId, Resource>,
    capacity: Resource,
    allocated: Resource,
    /// The usage of each resource, in thousandths of the capacity, at each change.
    used: BTreeMap<String, Vec<(Time, u32)>>,
    end: Time,
}

#[derive(Debug)]
struct App {
    id: AppId,
    queue: QueuePath,
    user: String,
    state: AppState,
    submitted: Time,
    asks: u64,
    allocations: u64,
    pending: BTreeSet<AskId>,
    /// The wait of its first allocation.
    first: Option<Duration>,
    longest: Duration,
}

impl Summary {
    /// Summarizes a run of this scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let submissions = scenario.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Command(PartitionCommand::Submit(submission)) => Some(submission),
            _ => None,
        });
        let users = submissions.map(|submission| (submission.app.clone(), submission.who.user.clone())).collect();
        Self { users, ..Self::default() }
    }

    fn handle(&mut self, Event { at, kind }: &Event) {
        match kind {
            EventKind::AppAccepted { app, queue } => self.submitted(*at, app, queue.clone(), AppState::New),
            EventKind::AppRejected { app, .. } => {
                self.refused += 1;
                self.submitted(*at, app, QueuePath::default(), AppState::Rejected);
            }
            EventKind::AskRejected { .. } | EventKind::NodeRejected { .. } | EventKind::Denied { .. } => {
                self.refused += 1;
            }
            EventKind::ConfigRejected { message } => self.config_refused = Some(message.clone()),
            EventKind::AppState { app, state, .. } => self.with(app, |app| app.state = *state),
            EventKind::Moved { app, queue, .. } => self.with(app, |app| app.queue = queue.clone()),
            EventKind::AskAdded { app, ask, .. } => {
                self.waiting.insert((app.clone(), ask.clone()), *at);
                self.with(app, |app| {
                    app.asks += 1;
                    app.pending.insert(ask.clone());
                });
            }
            EventKind::AskRemoved { app, ask, .. } => {
                self.waiting.remove(&(app.clone(), ask.clone()));
                self.with(app, |app| {
                    app.pending.remove(ask);
                });
            }
            EventKind::Allocated { app, ask, resource, .. } => self.allocated(*at, app, ask, resource),
            EventKind::Released { reason, resource, .. } => {
                *self.released.entry(word(*reason)).or_default() += 1;
                self.allocated.sub_assign(resource);
                self.note_use(*at);
            }
            EventKind::AskResized { resource, before, allocated: true, .. } => {
                self.allocated.sub_assign(before);
                self.allocated.add_assign(resource);
                self.note_use(*at);
            }
            EventKind::NodeAdded { node, capacity } | EventKind::NodeCapacity { node, capacity } => {
                let before = self.nodes.insert(node.clone(), capacity.clone());
                before.iter().for_each(|before| self.capacity.sub_assign(before));
                self.capacity.add_assign(capacity);
                self.note_use(*at);
            }
            EventKind::NodeRemoved { node } => {
                self.nodes.remove(node).iter().for_each(|gone| self.capacity.sub_assign(gone));
                self.note_use(*at);
            }
            _ => {}
        }
    }

    fn submitted(&mut self, at: Time, id: &AppId, queue: QueuePath, state: AppState) {
        self.known.insert(id.clone(), self.apps.len());
        let user = self.users.get(id).cloned().unwrap_or_default();
        self.apps.push(App {
            id: id.clone(),
            queue,
            user,
            state,
            submitted: at,
            asks: 0,
            allocations: 0,
            pending: BTreeSet::new(),
            first: None,
            longest: Duration::ZERO,
        });
    }

    fn with(&mut self, id: &AppId, change: impl FnOnce(&mut App)) {
        if let Some(app) = self.known.get(id).and_then(|index| self.apps.get_mut(*index)) {
            change(app);
        }
    }

    fn allocated(&mut self, at: Time, id: &AppId, ask: &AskId, resource: &Resource) {
        self.allocations += 1;
        let asked = self.waiting.remove(&(id.clone(), ask.clone()));
        let waited = at.since(asked.unwrap_or(at));
        self.waited.push(waited);
        self.with(id, |app| {
            app.allocations += 1;
            app.pending.remove(ask);
            app.first.get_or_insert(at.since(app.submitted));
            app.longest = app.longest.max(waited);
        });
        self.allocated.add_assign(resource);
        self.note_use(at);
    }

    fn note_use(&mut self, at: Time) {
        for (name, capacity) in self.capacity.iter() {
            let used = i128::from(self.allocated.amount(name).max(0));
            let share = if capacity > 0 { used * 1000 / i128::from(capacity) } else { 0 };
            let share = u32::try_from(share).unwrap_or(u32::MAX);
            let all = self.used.entry(name.to_owned()).or_default();
            match all.last_mut() {
                // Only the last value of each time counts, and only if it differs from the previous one.
                Some((last, value)) if *last == at => *value = share,
                Some((_, value)) if *value == share => {}
                _ => all.push((at, share)),
            }
        }
    }

    fn write_apps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut listed: Vec<&App> = self.apps.iter().collect();
        let more = listed.len().saturating_sub(LISTED);
        if more > 0 {
            let longest = |app: &&App| (!app.pending.is_empty(), app.first.unwrap_or(Duration::MAX), app.longest);
            listed.sort_by_key(|app| std::cmp::Reverse(longest(app)));
            listed.truncate(LISTED);
        }
        let mut table = vec![
            [
                "application",
                "queue",
                "user",
                "state",
                "requests",
                "allocated",
                "pending",
                "first after",
                "longest wait",
            ]
            .map(str::to_owned),
        ];
        table.extend(listed.iter().map(|app| {
            [
                app.id.to_string(),
                if app.queue.as_str().is_empty() { "-".to_owned() } else { app.queue.to_string() },
                app.user.clone(),
                app.state.to_string(),
                app.asks.to_string(),
                app.allocations.to_string(),
                app.pending.len().to_string(),
                app.first.map_or("-".to_owned(), seconds),
                if app.allocations == 0 { "-".to_owned() } else { seconds(app.longest) },
            ]
        }));
        write_table(f, &table, 4)?;
        if more > 0 {
            writeln!(f, "and {more} more; those with the longest wait are listed")?;
        }
        Ok(())
    }

    fn write_totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut states: BTreeMap<&'static str, u64> = BTreeMap::new();
        self.apps.iter().for_each(|app| *states.entry(app.state.name()).or_default() += 1);
        let list = |counts: &BTreeMap<&'static str, u64>| {
            counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
        };
        let with = |text: String| if text.is_empty() { text } else { format!(": {text}") };
        writeln!(f, "{} applications{}", self.apps.len(), with(list(&states)))?;
        let gone: u64 = self.released.values().sum();
        writeln!(f, "{} allocations, {gone} ended{}", self.allocations, with(list(&self.released)))?;
        writeln!(f, "requests still pending: {}; commands rejected: {}", self.waiting.len(), self.refused)?;
        let mut waited = self.waited.clone();
        waited.sort_unstable();
        let at = |percent: usize| waited.get((waited.len().saturating_sub(1)) * percent / 100).copied();
        if let (Some(half), Some(most), Some(longest)) = (at(50), at(95), waited.last()) {
            let (half, most, longest) = (seconds(half), seconds(most), seconds(*longest));
            writeln!(f, "waiting for an allocation: half within {half}, 95 % within {most}, the longest {longest}")?;
        }
        Ok(())
    }
}

impl Sink for Summary {
    fn events(&mut self, _step: i64, events: &[Event]) -> io::Result<()> {
        events.iter().for_each(|event| self.handle(event));
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> io::Result<()> {
        Ok(())
    }

    fn time(&mut self, now: Time) {
        self.end = now;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.config_refused {
            writeln!(f, "a configuration was rejected: {why}\n")?;
        }
        if !self.apps.is_empty() {
            self.write_apps(f)?;
            writeln!(f)?;
        }
        self.write_totals(f)?;
        for (name, used) in &self.used {
            writeln!(f, "\n{name} in use, percent of the nodes' capacity")?;
            write!(f, "{}", Plot { values: used, end: self.end })?;
        }
        Ok(())
    }
}

fn seconds(duration: Duration) -> String {
    (Time::ZERO + duration).to_string()
}

const fn word(reason: ReleaseReason) -> &'static str {
    match reason {
        ReleaseReason::Stopped => "stopped",
        ReleaseReason::Timeout => "timed out",
        ReleaseReason::Preempted => "preempted",
        ReleaseReason::Replaced => "replaced",
        ReleaseReason::NodeRemoved => "with their node",
    }
}

/// Writes a table with a heading; columns from `right` on are right-aligned.
fn write_table<const N: usize>(f: &mut fmt::Formatter<'_>, rows: &[[String; N]], right: usize) -> fmt::Result {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in rows {
        let cells =
            row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
                if at < right { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
        writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

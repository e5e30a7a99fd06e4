//! The workload that a span of a journal has, with what really happened, so that a forecast can be held against it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::super::whatif::origin::earlier;
use super::SimulateArgs;
use crate::config;
use crate::engine::journal::FolderInspection;
use crate::model::{AppId, AskId, Time};
use crate::scheduler::{AskSpec, Event, EventKind, NodeSpec, Partition, PartitionCommand, Scheduler, Submission};
use crate::simulate::backtest::{Backtest, Recorded};
use crate::simulate::meter::Meter;
use crate::simulate::{Figures, Plan, Stopped, Workload, arrange, input};

/// What a span of a journal has.
pub(super) struct Journal {
    pub config: String,
    pub workload: Workload,
    /// How the span was understood, each in a sentence.
    pub notes: Vec<String>,
    /// The second half of the span, forecast from the first.
    pub backtest: Backtest,
}

/// An ask of an application.
type Key = (AppId, AskId);

/// What a replay of the span shows.
#[derive(Default)]
struct Watched {
    /// What was there at the beginning, as commands.
    there: Vec<PartitionCommand>,
    begun: BTreeMap<Key, Time>,
    /// How long what ended had run since it began, or since the beginning of the span; and when it ended.
    ran: BTreeMap<Key, (Duration, Time)>,
}

impl Watched {
    /// What there is of a partition when the span begins: what runs continues.
    fn begins(&mut self, part: &Partition, from: Time) {
        self.there.extend(part.nodes.iter().map(|node| {
            let (id, capacity, occupied) = (node.id.clone(), node.total.clone(), node.occupied.clone());
            PartitionCommand::AddNode(NodeSpec { id, capacity, occupied, ..NodeSpec::default() })
        }));
        for (_, app) in part.apps.iter() {
            let (queue, who, tags) = (app.queue_path.to_string(), app.who.clone(), BTreeMap::clone(&app.tags));
            let submission = Submission { app: app.id.clone(), queue, who, tags, ..Submission::default() };
            self.there.push(PartitionCommand::Submit(submission));
            for (_, ask) in app.asks.iter() {
                if ask.allocation.is_some() {
                    self.begun.insert((app.id.clone(), ask.id.clone()), from);
                }
                self.there.push(PartitionCommand::Ask(AskSpec {
                    app: app.id.clone(),
                    id: ask.id.clone(),
                    count: 1,
                    resource: ask.resource.clone(),
                    priority: ask.priority,
                    placeholder: ask.placeholder,
                    ..AskSpec::default()
                }));
            }
        }
    }

    fn take(&mut self, events: &[Event]) {
        for Event { at, kind } in events {
            match kind {
                EventKind::Allocated { app, ask, .. } => {
                    self.begun.insert((app.clone(), ask.clone()), *at);
                }
                EventKind::Released { app, ask, .. } => {
                    let key = (app.clone(), ask.clone());
                    if let Some(begun) = self.begun.remove(&key) {
                        self.ran.insert(key, (at.since(begun), *at));
                    }
                }
                _ => {}
            }
        }
    }

    /// How long an ask runs, as far as that is known at a time: one that ran then runs once more as long as it had.
    fn runs(&self, key: &Key, known: Time) -> Option<Duration> {
        match (self.ran.get(key), self.begun.get(key)) {
            (Some((ran, ended)), _) if *ended <= known => Some(*ran),
            (Some((ran, ended)), _) => {
                ended.since(known).checked_sub(*ran).is_none().then(|| (*ran - ended.since(known)) * 2)
            }
            (None, Some(begun)) if *begun < known => Some(known.since(*begun) * 2),
            _ => None,
        }
    }
}

/// Reads what came in during a span of a journal and what became of it, and holds a forecast against that.
pub(super) fn journal(args: &SimulateArgs, folder: &Path, go_on: &dyn Fn() -> bool) -> Result<Journal, String> {
    let look = FolderInspection::open(folder).map_err(|why| why.to_string())?;
    let time =
        |option: &str, text: &Option<String>| text.as_ref().map(|text| earlier(option, text, look.now())).transpose();
    let (from, to) = (time("--from", &args.from)?.unwrap_or(Time::ZERO), time("--to", &args.to)?.unwrap_or(look.now()));
    if to.0 < from.0.saturating_add(2) {
        return Err(format!(
            "--from, --to: nothing is from {from} to {to}: the first has to be earlier than the second"
        ));
    }
    let last = look.fork_at(None, to)?;
    let name = last.partition_name().to_owned();
    let config = last.text().map(ToString::to_string).ok_or("the text of its configuration is not known")?;
    let mut watched = Watched::default();
    let mut begins = true;
    look.watch(from, to, &mut |events, scheduler| {
        let part = scheduler.partitions().iter().find(|part| *part.name == *name);
        if let Some(part) = part.filter(|_| std::mem::take(&mut begins)) {
            watched.begins(part, from);
        }
        watched.take(events);
    })?;
    let middle = Time(from.0 + (to.0 - from.0) / 2);
    let mut commands: Vec<(Time, PartitionCommand)> = watched.there.drain(..).map(|command| (from, command)).collect();
    let there: BTreeSet<AppId> = commands.iter().filter_map(|(_, command)| submitted(command)).collect();
    commands.extend(look.submissions(&name, from, to)?);
    let known = |known: Time| {
        let runs = |app: &AppId, ask: &AskId| watched.runs(&(app.clone(), ask.clone()), known);
        input::recorded::read(commands.clone(), Some(from), runs)
    };
    let (mut whole, half) = (known(to), known(middle));
    let guessed = arrange::likely_runtimes(&mut whole);
    let was = second_half(&look, middle, to)?;
    let parsed = config::read(&config, look.profile()).config.ok_or("its configuration does not read")?;
    let plan = Plan {
        config: Arc::new(parsed),
        profile: look.profile(),
        until: None,
        from: None,
        again: !args.lose_preempted,
    };
    let (middle, end) = (Time(middle.0 - from.0), Time(to.0 - from.0));
    let backtest = Recorded { whole: &whole, half: &half, there: &there, middle, end, was }.backtest(&plan, go_on);
    let backtest = backtest.map_err(|why| match why {
        Stopped::Asked => "it was interrupted".to_owned(),
        Stopped::Config(message) => message,
    })?;
    let mut notes = vec![format!(
        "{} applications from {from} to {to}, {} of them there at the beginning; {guessed} asks that never ran get the median runtime of their user and \
         queue, and what still ran at the end runs on as long as it had run",
        whole.jobs.len(),
        whole.jobs.iter().filter(|job| there.contains(&job.app)).count(),
    )];
    notes.extend(backtest.sentences());
    Ok(Journal { config, workload: whole, notes, backtest })
}

fn submitted(command: &PartitionCommand) -> Option<AppId> {
    match command {
        PartitionCommand::Submit(submission) => Some(submission.app.clone()),
        _ => None,
    }
}

/// What really happened after a time, up to another.
fn second_half(look: &FolderInspection, from: Time, to: Time) -> Result<Figures, String> {
    let mut meter: Option<Meter> = None;
    let mut each = |events: &[Event], scheduler: &Scheduler| {
        meter.get_or_insert_with(|| Meter::beginning(scheduler, from)).observe(events, scheduler);
    };
    let scheduler = look.watch(from, to, &mut each)?;
    Ok(meter.unwrap_or_default().end(&scheduler, to))
}

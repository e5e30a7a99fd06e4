//! The workload and the real results of a time range of a journal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::super::whatif::origin::earlier;
use super::progress::{Progress, Reported, Share, Watch, is_wanted};
use super::{Ended, SimulateArgs};
use engine::journal::{DirInspection, Recording};
use forecast::simulate::backtest::{Backtest, Recorded};
use forecast::simulate::input::recorded::{Fates, Gangs};
use forecast::simulate::meter::{Meter, Pending};
use forecast::simulate::{Metrics, Plan, Stopped, Workload, arrange, input};
use model::{AppId, NodeId, Profile, Time};
use scheduler::state::node::Node;
use scheduler::{AskSpec, Event, NodeSpec, Partition, PartitionCommand, Scheduler, Submission};

pub(super) struct Journal {
    pub config: String,
    pub profile: Profile,
    pub workload: Workload,
    /// Notes about the conversion.
    pub notes: Vec<String>,
    /// The forecast of the second half from the first.
    pub backtest: Backtest,
}

#[derive(Default)]
struct Watched {
    /// Pending requests arrive just after the allocated ones, which therefore get their nodes.
    there: Vec<(Time, PartitionCommand)>,
    fates: Fates,
}

impl Watched {
    fn of(look: &Recording<'_>, name: &str, (from, to): (Time, Time), reported: &Reported<'_>) -> Result<Self, Ended> {
        let mut watched = Self::default();
        let mut starts = true;
        let mut progress = Share::new("the journal is read", reported);
        let ended = look.watch(from, to, &mut |events, scheduler| {
            let read = events.first().map_or(0, |event| event.at.0.saturating_sub(from.0));
            progress.print_line(read as f64 / (to.0 - from.0) as f64);
            let part = scheduler.partitions().iter().find(|part| *part.name == *name);
            if let Some(part) = part.filter(|_| std::mem::take(&mut starts)) {
                watched.starts(part, from);
            }
            watched.fates.take(events);
        });
        let ended = ended.map_err(Ended::input)?;
        if let Some(part) = ended.partitions().iter().find(|part| *part.name == *name) {
            watched.ends(part, from);
        }
        Ok(watched)
    }

    fn starts(&mut self, part: &Partition, from: Time) {
        let waiting = Time(from.0 + 1);
        self.there.extend(part.nodes.iter().map(|node| (from, registered(node))));
        for (_, app) in part.apps.iter() {
            let (queue, who, tags) = (app.queue_path.to_string(), app.who.clone(), BTreeMap::clone(&app.tags));
            let submission = Submission { app: app.id.clone(), queue, who, tags, ..Submission::default() };
            self.there.push((from, PartitionCommand::Submit(submission)));
            for (_, ask) in app.asks.iter().filter(|(_, ask)| !ask.placeholder) {
                let runs = ask.allocation.is_some();
                self.fates.there(&app.id, &ask.id, from, runs);
                let spec = AskSpec {
                    app: app.id.clone(),
                    id: ask.id.clone(),
                    count: 1,
                    resource: ask.resource.clone(),
                    priority: ask.priority,
                    required_node: ask.rare.required_node.clone(),
                    allow_preempt_self: ask.allow_preempt_self,
                    allow_preempt_other: ask.allow_preempt_other,
                    ..AskSpec::default()
                };
                self.there.push((if runs { from } else { waiting }, PartitionCommand::Ask(spec)));
            }
        }
    }

    /// Adds nodes that were registered later as if they existed from the start.
    fn ends(&mut self, part: &Partition, from: Time) {
        let known: BTreeSet<NodeId> = self.there.iter().filter_map(|(_, command)| node_of(command)).collect();
        let arrived = part.nodes.iter().filter(|node| !known.contains(&node.id));
        self.there.extend(arrived.map(|node| (from, registered(node))));
    }
}

fn registered(node: &Node) -> PartitionCommand {
    let (id, capacity, occupied) = (node.id.clone(), node.total.clone(), node.occupied.clone());
    PartitionCommand::AddNode(NodeSpec { id, capacity, occupied, ..NodeSpec::default() })
}

pub(super) fn of_dir(args: &SimulateArgs, dir: &Path, watch: Watch<'_>) -> Result<Journal, Ended> {
    let look = DirInspection::open(dir).map_err(|problem| Ended::input(problem.reported_of(dir)))?;
    journal(args, &look.recording(), watch)
}

pub(super) fn journal(args: &SimulateArgs, look: &Recording<'_>, watch: Watch<'_>) -> Result<Journal, Ended> {
    let time = |option: &str, text: &Option<String>| {
        text.as_ref().map(|text| earlier(option, text, look.now())).transpose().map_err(Ended::input)
    };
    let (from, to) = (time("--from", &args.from)?.unwrap_or(Time::ZERO), time("--to", &args.to)?.unwrap_or(look.now()));
    if to.0 < from.0.saturating_add(2) {
        return Err(Ended::input(format!(
            "--from, --to: the range from {from} to {to} is empty; --from must be earlier than --to"
        )));
    }
    let last = look.fork_at(None, to).map_err(Ended::input)?;
    let name = last.partition_name().to_owned();
    let config = last.text().map(ToString::to_string);
    let config = config.ok_or_else(|| Ended::input("the text of its configuration is unknown"))?;
    let mut watched = Watched::of(look, &name, (from, to), watch.1)?;
    let middle = Time(from.0 + (to.0 - from.0) / 2);
    let mut commands = std::mem::take(&mut watched.there);
    let there: BTreeSet<AppId> = commands.iter().filter_map(|(_, command)| submitted(command)).collect();
    commands.extend(look.submissions((&name, true), from, to).map_err(Ended::input)?);
    let known = |known: Time, gangs: Gangs| {
        // What was there at the start has come together.
        let gangs = |app: &AppId| if there.contains(app) { Gangs::Recorded } else { gangs };
        input::recorded::read(commands.clone(), Some(from), gangs, |app, ask| watched.fates.known(app, ask, known))
    };
    // The backtest compares waits with recorded ones, which begin with a request.
    let (mut whole, half) = (known(to, Gangs::Recorded), known(middle, Gangs::Recorded));
    let mut workload = known(to, Gangs::Simulated);
    arrange::likely_runtimes(&mut workload);
    if whole.nodes.is_empty() {
        return Err(Ended::input(format!("no nodes existed from {from} to {to}, so a forecast is not possible")));
    }
    let guessed = arrange::likely_runtimes(&mut whole);
    let was = second_half(look, middle, to).map_err(Ended::input)?;
    let parsed = config::read(&config, look.profile()).config;
    let parsed = parsed.ok_or_else(|| Ended::input("its configuration is invalid"))?;
    let plan = Plan {
        config: Arc::new(parsed),
        profile: look.profile(),
        until: None,
        from: None,
        again: !args.lose_preempted,
    };
    let (middle, end) = (Time(middle.0 - from.0), Time(to.0 - from.0));
    let progress = Progress::new("backtest: ", 1, watch.1);
    let go_on = |done| {
        progress.advance(0, done);
        is_wanted(watch.0)
    };
    let backtest = Recorded { whole: &whole, half: &half, there: &there, middle, end, was }.backtest(&plan, &go_on);
    let backtest = backtest.map_err(|why| match why {
        Stopped::Asked => Ended::interrupted(),
        Stopped::Config(message) => Ended::input(message),
    })?;
    let mut notes = vec![format!(
        "{} applications from {from} to {to}, {} of them at the start; {guessed} requests that never ran get \
            the median runtime of their user and queue; allocations that ran at the end run for twice their time",
        whole.jobs.len(),
        whole.jobs.iter().filter(|job| there.contains(&job.app)).count(),
    )];
    notes.extend(backtest.sentences());
    Ok(Journal { config, profile: look.profile(), workload, notes, backtest })
}

fn node_of(command: &PartitionCommand) -> Option<NodeId> {
    match command {
        PartitionCommand::AddNode(spec) => Some(spec.id.clone()),
        _ => None,
    }
}

fn submitted(command: &PartitionCommand) -> Option<AppId> {
    match command {
        PartitionCommand::Submit(submission) => Some(submission.app.clone()),
        _ => None,
    }
}

fn second_half(look: &Recording<'_>, from: Time, to: Time) -> Result<Metrics, String> {
    let mut meter: Option<Meter> = None;
    let mut each = |events: &[Event], scheduler: &Scheduler| {
        meter.get_or_insert_with(|| Meter::initial(scheduler, from)).observe(events, scheduler);
    };
    let scheduler = look.watch(from, to, &mut each)?;
    Ok(meter.unwrap_or_default().end(&scheduler, to, Pending::Recorded))
}

//! Runs all variants on all cores; stores finished runs in a named file.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::progress::{Progress, Watch, is_wanted};
use super::read::{Inputs, Source};
use super::stored::{Retained, digest};
use super::variant::{Label, Variant};
use super::{Ended, SimulateArgs, memory};
use forecast::simulate::meter::{Meter, Pending};
use forecast::simulate::node_groups::{Autoscaler, checked_names};
use forecast::simulate::{Done, Guest, Metrics, Plan, Stopped};
use model::Time;
use scenario::{RunOutcome, Runner, Sink, Trace};
use scheduler::{Event, Scheduler};

/// Number of scenario steps between checks of the stop flag.
const STEPS: usize = 256;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Row {
    /// The label, which `--json` calls the run.
    #[serde(alias = "run")]
    pub label: Label,
    #[serde(rename = "figures")]
    pub metrics: Metrics,
    /// A digest of the input files; not part of `--json`.
    #[serde(default)]
    pub digest: String,
}

pub(super) struct Report {
    pub rows: Vec<Row>,
    pub notes: Vec<String>,
}

/// Runs all variants, or takes them from the file of finished runs.
pub(super) fn sweep(
    args: &SimulateArgs,
    inputs: &Inputs,
    variants: Vec<Variant>,
    (stop, reported): Watch<'_>,
) -> Result<Report, Ended> {
    let retained = Retained::open(args)?;
    if args.trace.is_some() && (variants.len() > 1 || !is_by_steps(args, inputs, &variants[0])) {
        return Err(Ended::usage(
            "--trace: a trace needs one run of a scenario with its own steps: one configuration, no --runtime, --node-count, --load",
        ));
    }
    let mut done: Vec<Option<Row>> = variants.iter().map(|variant| retained.known(args, inputs, variant)).collect();
    let todo: Vec<usize> = (0..variants.len()).filter(|number| done[*number].is_none()).collect();
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    memory::fit(inputs, todo.iter().map(|number| &variants[*number]), threads.clamp(1, todo.len().max(1)))?;
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let finished: Mutex<Vec<(usize, Result<Row, Ended>)>> = Mutex::new(Vec::new());
    let progress = Progress::new("", todo.len(), reported);
    let go_on = || is_wanted(stop) && !failed.load(Ordering::Relaxed);
    let work = || {
        while go_on() {
            let Some(number) = todo.get(next.fetch_add(1, Ordering::Relaxed)).copied() else { return };
            let row = one(args, inputs, &variants[number], &|done| {
                progress.advance(number, done);
                go_on()
            });
            match &row {
                Ok(row) => retained.keep(row),
                Err(_) => failed.store(true, Ordering::Relaxed),
            }
            finished.lock().unwrap_or_else(PoisonError::into_inner).push((number, row));
            progress.ended(number);
        }
    };
    std::thread::scope(|scope| {
        (1..threads.clamp(1, todo.len().max(1))).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    if !is_wanted(stop) {
        done.extend(finished.into_iter().map(|(_, row)| row.ok()));
        let finished: Vec<Row> = done.into_iter().flatten().collect();
        return Err(retained.interrupted(&finished, &format!(" of {} runs", variants.len())));
    }
    for (number, row) in finished {
        done[number] = Some(row?);
    }
    Ok(Report { rows: done.into_iter().flatten().collect(), notes: inputs.notes.clone() })
}

pub(super) fn one(
    args: &SimulateArgs,
    inputs: &Inputs,
    variant: &Variant,
    go_on: &dyn Fn(Done) -> bool,
) -> Result<Row, Ended> {
    let config = inputs.config(variant.config, variant.core).map_err(Ended::input)?;
    let metrics = if is_by_steps(args, inputs, variant) {
        by_steps(args, inputs, variant, go_on)?
    } else {
        let mut workload = variant.workload(inputs).map_err(Ended::input)?;
        checked_names(&inputs.node_groups, &workload.own_names())
            .map_err(|why| Ended::usage(format!("--node-group: {why}")))?;
        let plan = Plan { config, profile: variant.core, until: inputs.until, from: None, again: !args.lose_preempted };
        let mut scaler = (!inputs.node_groups.is_empty()).then(|| {
            let nodes = workload.nodes.iter().map(|node| (&node.id, &node.attributes));
            Autoscaler::new(inputs.node_groups.clone(), nodes, Time::ZERO, plan.again).until(inputs.until)
        });
        workload.nodes.extend(scaler.iter().flat_map(Autoscaler::first_nodes));
        let guest = scaler.as_mut().map(|scaler| scaler as &mut dyn Guest);
        let metrics = forecast::simulate::run_with(&workload, &plan, guest, go_on).map_err(|why| match why {
            Stopped::Asked => Ended::interrupted(),
            Stopped::Config(message) => Ended::input(message),
        })?;
        let last = Time::from_millis(metrics.ended);
        Metrics { node_groups: scaler.map(|scaler| scaler.report(last)), ..metrics }
    };
    Ok(Row { label: variant.label(inputs), metrics, digest: digest(args, inputs, variant) })
}

fn is_by_steps(args: &SimulateArgs, inputs: &Inputs, variant: &Variant) -> bool {
    let as_written = args.runtimes.is_empty()
        && args.queues.is_empty()
        && args.node.is_none()
        && args.find.is_none()
        && inputs.node_groups.is_empty()
        && inputs.fill.is_none()
        && inputs.until.is_none()
        && variant.nodes.is_none()
        && variant.load.is_none();
    as_written && matches!(inputs.sources[variant.workload].source, Source::Scenario(_))
}

fn by_steps(
    args: &SimulateArgs,
    inputs: &Inputs,
    variant: &Variant,
    go_on: &dyn Fn(Done) -> bool,
) -> Result<Metrics, Ended> {
    let Source::Scenario(steps) = &inputs.sources[variant.workload].source else {
        return Err(Ended::input("not a scenario"));
    };
    let text = &inputs.configs[variant.config].text;
    let trace = args.trace.as_deref().map(created).transpose()?.map(|file| Trace::new(std::io::BufWriter::new(file)));
    let mut sink = Steps { trace, events: Vec::new() };
    let (mut runner, mut meter) = (Runner::new(variant.core), Meter::default());
    let failed = |why: std::io::Error| Ended::input(format!("cannot write the trace: {why}"));
    let loaded = runner.load(config::read(text, variant.core), &mut sink).map_err(failed)?;
    if loaded == RunOutcome::Refused {
        return Err(Ended::input(format!(
            "{}: its configuration is rejected under {}",
            inputs.sources[variant.workload].name, variant.core
        )));
    }
    let all = steps.scenario.steps.len();
    for (number, step) in steps.scenario.steps.iter().enumerate() {
        // A step counts as its share of the requests.
        let asks = steps.jobs.asks();
        let over = asks * number as u64 / all as u64;
        if number.is_multiple_of(STEPS) && !go_on(Done { over, all: asks }) {
            return Err(Ended::interrupted());
        }
        runner.step(step, &mut sink).map_err(failed)?;
        meter.observe(&std::mem::take(&mut sink.events), runner.scheduler());
    }
    if let Some(trace) = sink.trace {
        trace.finish().map_err(failed)?;
    }
    Ok(meter.end(runner.scheduler(), runner.now(), Pending::CutOff))
}

struct Steps {
    trace: Option<Trace<std::io::BufWriter<File>>>,
    events: Vec<Event>,
}

impl Sink for Steps {
    fn events(&mut self, step: i64, events: &[Event]) -> std::io::Result<()> {
        self.events.extend_from_slice(events);
        self.trace.as_mut().map_or(Ok(()), |trace| trace.events(step, events))
    }

    fn snapshot(&mut self, step: i64, label: &str, scheduler: &Scheduler) -> std::io::Result<()> {
        self.trace.as_mut().map_or(Ok(()), |trace| trace.snapshot(step, label, scheduler))
    }
}

fn created(file: &Path) -> Result<File, Ended> {
    File::create(file).map_err(|why| Ended::input(format!("{}: {why}", file.display())))
}

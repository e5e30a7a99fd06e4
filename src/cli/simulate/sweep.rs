//! All runs, on all cores; finished ones are kept in a file where one is named.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::read::{Inputs, Source};
use super::variant::{Label, Variant};
use super::{Ended, SimulateArgs, memory};
use crate::scenario::{RunOutcome, Runner, Sink, Trace};
use crate::scheduler::{Event, Scheduler};
use crate::simulate::meter::Meter;
use crate::simulate::{Figures, Plan, Stopped};

/// How often progress is shown.
const PERIOD: Duration = Duration::from_millis(250);

/// A finished run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Row {
    /// What it was; `--json` calls it the run.
    #[serde(alias = "run")]
    pub label: Label,
    /// What it gave.
    pub figures: Figures,
    /// A digest of the files that it was made of; nothing in what `--json` prints.
    #[serde(default)]
    digest: String,
}

/// All runs, and what has to be known to read them.
pub(super) struct Report {
    pub rows: Vec<Row>,
    pub notes: Vec<String>,
}

/// Takes how far something is, in words.
pub(super) type Said<'s> = dyn Fn(&str) + Sync + 's;

/// Runs all variants, or takes them from the file of finished runs.
pub(super) fn sweep(
    args: &SimulateArgs,
    inputs: &Inputs,
    variants: Vec<Variant>,
    (stop, said): (&AtomicBool, &Said<'_>),
) -> Result<Report, Ended> {
    let mut file = args.resume.as_deref().map(opened).transpose()?;
    let kept = file.as_mut().map(|(_, rows)| std::mem::take(rows)).unwrap_or_default();
    if args.trace.is_some() && (variants.len() > 1 || !is_by_steps(args, inputs, &variants[0])) {
        return Err(Ended::usage(
            "--trace: a trace is of one run of a scenario by its own steps: one configuration, no --runtime, --node-count, --load",
        ));
    }
    let known = |variant: &Variant| {
        let (label, digest) = (variant.label(inputs), digest(args, inputs, variant));
        kept.iter().find(|row| row.label == label && row.digest == digest).cloned()
    };
    let mut done: Vec<Option<Row>> = variants.iter().map(known).collect();
    let todo: Vec<usize> = (0..variants.len()).filter(|number| done[*number].is_none()).collect();
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    memory::fit(inputs, todo.iter().map(|number| &variants[*number]), threads.clamp(1, todo.len().max(1)))?;
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let finished: Mutex<Vec<(usize, Result<Row, Ended>)>> = Mutex::new(Vec::new());
    let progress = Mutex::new(Progress::new(todo.len(), said));
    let file = Mutex::new(file.map(|(file, _)| file));
    let go_on = || !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed);
    let work = || {
        while go_on() {
            let Some(number) = todo.get(next.fetch_add(1, Ordering::Relaxed)).copied() else { return };
            let row = one(args, inputs, &variants[number], &go_on);
            match &row {
                Ok(row) => keep(&file, row),
                Err(_) => failed.store(true, Ordering::Relaxed),
            }
            finished.lock().unwrap_or_else(PoisonError::into_inner).push((number, row));
            progress.lock().unwrap_or_else(PoisonError::into_inner).one();
        }
    };
    std::thread::scope(|scope| {
        (1..threads.clamp(1, todo.len().max(1))).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    if stop.load(Ordering::Relaxed) {
        let count = finished.iter().filter(|(_, row)| row.is_ok()).count() + variants.len() - todo.len();
        let how = match &args.resume {
            Some(file) => format!("they are in {}: the same command continues from there", file.display()),
            None => "give --resume FILE to keep finished runs".to_owned(),
        };
        return Err(Ended {
            message: format!("interrupted after {count} of {} runs; {how}", variants.len()),
            code: 130,
        });
    }
    for (number, row) in finished {
        done[number] = Some(row?);
    }
    Ok(Report { rows: done.into_iter().flatten().collect(), notes: inputs.notes.clone() })
}

/// The figures of one variant.
pub(super) fn one(
    args: &SimulateArgs,
    inputs: &Inputs,
    variant: &Variant,
    go_on: &dyn Fn() -> bool,
) -> Result<Row, Ended> {
    let config = inputs.config(variant.config, variant.core).map_err(Ended::input)?;
    let figures = if is_by_steps(args, inputs, variant) {
        by_steps(args, inputs, variant)?
    } else {
        let workload = variant.workload(inputs).map_err(Ended::input)?;
        let plan = Plan { config, profile: variant.core, until: inputs.until, from: None, again: !args.lose_preempted };
        crate::simulate::run(&workload, &plan, go_on).map_err(|why| match why {
            Stopped::Asked => Ended { message: "it was interrupted".to_owned(), code: 130 },
            Stopped::Config(message) => Ended::input(message),
        })?
    };
    Ok(Row { label: variant.label(inputs), figures, digest: digest(args, inputs, variant) })
}

/// Whether a run is a scenario's own steps, one after the other.
fn is_by_steps(args: &SimulateArgs, inputs: &Inputs, variant: &Variant) -> bool {
    let as_written = args.runtimes.is_empty()
        && args.queues.is_empty()
        && args.node.is_none()
        && args.find.is_none()
        && inputs.fill.is_none()
        && inputs.until.is_none()
        && variant.nodes.is_none()
        && variant.load.is_none();
    as_written && matches!(inputs.sources[variant.workload].source, Source::Scenario(_))
}

fn by_steps(args: &SimulateArgs, inputs: &Inputs, variant: &Variant) -> Result<Figures, Ended> {
    let Source::Scenario(steps) = &inputs.sources[variant.workload].source else {
        return Err(Ended::input("this is no scenario"));
    };
    let text = &inputs.configs[variant.config].text;
    let trace = args.trace.as_deref().map(created).transpose()?.map(|file| Trace::new(std::io::BufWriter::new(file)));
    let mut sink = Steps { trace, events: Vec::new() };
    let (mut runner, mut meter) = (Runner::new(variant.core), Meter::default());
    let failed = |why: std::io::Error| Ended::input(format!("the trace cannot be written: {why}"));
    let loaded = runner.load(crate::config::read(text, variant.core), &mut sink).map_err(failed)?;
    if loaded == RunOutcome::Refused {
        return Err(Ended::input(format!(
            "{}: its configuration is refused under {}",
            inputs.sources[variant.workload].name, variant.core
        )));
    }
    for step in &steps.scenario.steps {
        runner.step(step, &mut sink).map_err(failed)?;
        meter.observe(&std::mem::take(&mut sink.events), runner.scheduler());
    }
    if let Some(trace) = sink.trace {
        trace.finish().map_err(failed)?;
    }
    Ok(meter.end(runner.scheduler(), runner.now()))
}

/// Prints a trace, and keeps the events of a step for the meter.
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

/// What a kept run must agree in beside its label: the files, and the options that change what a run does.
fn digest(args: &SimulateArgs, inputs: &Inputs, variant: &Variant) -> String {
    let options = format!(
        "{:?}{:?}{:?}{:?}{:?}{}",
        args.node, args.fill, args.runtimes, args.queues, args.time, args.lose_preempted
    );
    format!("{}-{options}", inputs.digest(variant.workload, variant.config))
}

/// The file of finished runs, open to add to, and those that are in it. A line that was cut off by the end of a process is left out.
fn opened(path: &Path) -> Result<(File, Vec<Row>), Ended> {
    let failed = |why: std::io::Error| Ended::input(format!("{}: {why}", path.display()));
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
    let mut rows = Vec::new();
    let mut ends_with_line = true;
    for (number, line) in BufReader::new(&file).split(b'\n').enumerate() {
        let line = line.map_err(failed)?;
        match serde_json::from_slice(&line) {
            Ok(row) => rows.push(row),
            Err(_) if number == 0 && !line.is_empty() => {
                return Err(Ended::input(format!(
                    "{}:1: this is no file of finished runs; nothing was changed in it",
                    path.display()
                )));
            }
            Err(_) => ends_with_line = false,
        }
    }
    if !ends_with_line {
        file.write_all(b"\n").map_err(failed)?;
    }
    Ok((file, rows))
}

fn keep(file: &Mutex<Option<File>>, row: &Row) {
    if let Some(file) = file.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
        && let Ok(mut line) = serde_json::to_vec(row)
    {
        line.push(b'\n');
        // A full disk loses what could be taken up again, not the result.
        let _written = file.write_all(&line);
    }
}

/// How many runs are done.
struct Progress<'s> {
    all: usize,
    done: usize,
    began: Instant,
    shown: Option<Instant>,
    said: &'s Said<'s>,
}

impl<'s> Progress<'s> {
    fn new(all: usize, said: &'s Said<'s>) -> Self {
        said(&format!("0 of {all} runs"));
        Self { all, done: 0, began: Instant::now(), shown: None, said }
    }

    fn one(&mut self) {
        self.done += 1;
        if self.shown.is_some_and(|shown| shown.elapsed() < PERIOD) {
            return;
        }
        self.shown = Some(Instant::now());
        let rate = self.done as f64 / self.began.elapsed().as_secs_f64().max(0.001);
        let left = (self.all - self.done) as f64 / rate;
        (self.said)(&format!("{} of {} runs, {rate:.1} a second, {left:.0} s left", self.done, self.all));
    }
}

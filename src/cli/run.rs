//! `kornsole run`: scenarios without a screen, with traces on stdout.

use std::io::{self, BufWriter, IsTerminal, StderrLock, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;

use super::predicted::{self, PredictedCore};
use super::printed::{self, Safe};
use super::{fail, inputs, load, manifests};
use ::scenario::{self, RunOutcome, Sink, Summary, Trace};
use config::DEFAULT_POLICY_GROUP;
use model::{Profile, Time};
use scheduler::{Event, Scheduler};

/// A run without progress output lasts at most this long.
const QUIET: Duration = Duration::from_secs(1);
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// The arguments of `kornsole run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// Scenario files, each run with a new scheduler; `-` is standard input
    #[arg(required_unless_present = "from_manifests", value_name = "SCENARIO")]
    pub scenarios: Vec<PathBuf>,
    /// Queue configuration, instead of the one of the scenario
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
    /// Which core decides
    #[command(flatten)]
    pub core: PredictedCore,
    /// Print applications, waiting times, and utilization instead of the trace
    #[arg(long)]
    pub summary: bool,
    /// Print the time for reading, running, and printing to standard error
    #[arg(long)]
    pub timings: bool,
    /// Manifests of Kubernetes instead.
    #[command(flatten)]
    pub manifests: manifests::ManifestArgs,
}

/// Runs scenarios and prints their traces, or schedules manifests. Exit code 0: all steps ran; 1: a scenario or its
/// configuration is invalid or cannot be read; the other scenarios still run.
pub fn run(args: &RunArgs) -> ExitCode {
    let core = args.core.profile();
    if !args.manifests.from_manifests.is_empty() {
        return manifests::run(&args.manifests, args.config.as_deref(), &args.policy_group, core);
    }
    let stdin = args.scenarios.iter().chain(&args.config).filter(|file| *file == Path::new("-"));
    if stdin.count() > 1 {
        return fail("cannot read standard input twice: duplicate `-`", 2);
    }
    if !args.summary {
        predicted::name_on_stderr(core);
    }
    let mut out = BufWriter::with_capacity(1 << 16, printed::out());
    let mut code = ExitCode::SUCCESS;
    let scenarios = match inputs::matched(&args.scenarios) {
        Ok(scenarios) => scenarios,
        Err(why) => return fail(&why, 1),
    };
    for (number, file) in scenarios.iter().enumerate() {
        match run_one(args, core, (number, scenarios.len(), file), &mut out) {
            Ok(()) => {}
            Err(Ended::Reader) => return ExitCode::SUCCESS,
            Err(Ended::Writing(error)) => return fail(&format!("cannot write the trace: {error}"), 1),
            Err(Ended::Faulty(message)) => code = fail(&message, 1),
        }
    }
    code
}

enum Ended {
    /// The reader closed the pipe, which is not an error.
    Reader,
    Writing(io::Error),
    /// The scenario or its configuration has errors, described for a user.
    Faulty(String),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::Reader } else { Self::Writing(error) }
    }
}

type Out = BufWriter<Safe<StdoutLock<'static>>>;

fn run_one(
    args: &RunArgs,
    core: Profile,
    (number, files, file): (usize, usize, &Path),
    out: &mut Out,
) -> Result<(), Ended> {
    let started = Instant::now();
    let input = load::scenario(file, args.config.as_deref(), &args.policy_group, core).map_err(Ended::Faulty)?;
    let load::ScenarioInput { scenario, config, report: faults, .. } = input;
    let reading = started.elapsed();
    let report = if args.summary {
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{} (core {}), {} steps\n", file.display(), core, scenario.steps.len())?;
        Report::Summary(Box::new(Summary::of(&scenario)))
    } else {
        Report::Trace(Trace::new(&mut *out))
    };
    // A trace on the same terminal already shows progress.
    let watched = io::stderr().is_terminal() && (args.summary || !io::stdout().is_terminal());
    let progress = watched.then(|| Progress::new(started, file, scenario.steps.len()));
    let mut sink = Output { report, spent: Duration::ZERO, timed: args.timings, progress };
    let outcome = if number + 1 == files {
        scenario::run_last(&scenario, config, core, &mut sink)
    } else {
        scenario::run(&scenario, config, core, &mut sink)
    };
    let (running, printing) = (started.elapsed(), Instant::now());
    let Output { report, spent, mut progress, .. } = sink;
    progress.iter_mut().for_each(Progress::clear);
    let outcome = outcome?;
    if let Report::Summary(summary) = report {
        write!(out, "{summary}")?;
    }
    out.flush()?;
    if args.timings {
        report_timings(file, files, reading, running, spent, printing.elapsed());
    }
    match outcome {
        RunOutcome::Done => Ok(()),
        RunOutcome::Refused => Err(Ended::Faulty(faults)),
    }
}

fn report_timings(file: &Path, files: usize, reading: Duration, until: Duration, spent: Duration, after: Duration) {
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let running = until.saturating_sub(reading).saturating_sub(spent);
    let name = if files > 1 { format!("{}: ", file.display()) } else { String::new() };
    let (reading, running, printing) = (ms(reading), ms(running), ms(spent + after));
    let message = format!("{name}reading {reading:.1} ms, running {running:.1} ms, printing {printing:.1} ms");
    // A closed stderr is not an error.
    let _written = writeln!(printed::err(), "{message}");
}

enum Report<'o> {
    Trace(Trace<&'o mut Out>),
    Summary(Box<Summary>),
}

struct Output<'o> {
    report: Report<'o>,
    /// The time for printing, with `--timings`.
    spent: Duration,
    timed: bool,
    progress: Option<Progress>,
}

impl Output<'_> {
    fn timed(&mut self, print: impl FnOnce(&mut Report<'_>) -> io::Result<()>) -> io::Result<()> {
        if !self.timed {
            return print(&mut self.report);
        }
        let started = Instant::now();
        let message = print(&mut self.report);
        self.spent += started.elapsed();
        message
    }
}

impl Sink for Output<'_> {
    fn events(&mut self, step: i64, events: &[Event]) -> io::Result<()> {
        if let Some(progress) = &mut self.progress {
            progress.report(step);
        }
        self.timed(|message| match message {
            Report::Trace(trace) => trace.events(step, events),
            Report::Summary(summary) => summary.events(step, events),
        })
    }

    fn snapshot(&mut self, step: i64, label: &str, scheduler: &Scheduler) -> io::Result<()> {
        self.timed(|message| match message {
            Report::Trace(trace) => trace.snapshot(step, label, scheduler),
            Report::Summary(summary) => summary.snapshot(step, label, scheduler),
        })
    }

    fn time(&mut self, now: Time) {
        if let Report::Summary(summary) = &mut self.report {
            summary.time(now);
        }
    }
}

struct Progress {
    err: StderrLock<'static>,
    name: String,
    steps: usize,
    commands: u64,
    next: Instant,
    shown: bool,
}

impl Progress {
    fn new(started: Instant, file: &Path, steps: usize) -> Self {
        let name = printed::safe(&file.display().to_string()).into_owned();
        Self { err: io::stderr().lock(), name, steps, commands: 0, next: started + QUIET, shown: false }
    }

    fn report(&mut self, step: i64) {
        self.commands += 1;
        if !self.commands.is_multiple_of(64) {
            return;
        }
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + REPORT_EVERY;
        self.shown = true;
        let Self { name, steps, commands, .. } = self;
        // A terminal error must not stop the command.
        let _written = write!(self.err, "\r\x1b[K{name}: step {} of {steps}, {commands} commands", step + 1);
        let _flushed = self.err.flush();
    }

    fn clear(&mut self) {
        if self.shown {
            let _written = write!(self.err, "\r\x1b[K");
            let _flushed = self.err.flush();
        }
    }
}

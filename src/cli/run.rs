//! `kornsole run`: a scenario without a screen, its trace on standard output.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;

use super::{fail, load};
use crate::config::DEFAULT_POLICY_GROUP;
use crate::model::Profile;
use crate::scenario::{self, Outcome, Sink, Trace};
use crate::scheduler::{Event, Scheduler};

/// The arguments of `kornsole run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// The scenario file; `-` is standard input
    pub scenario: PathBuf,
    /// A queue configuration to use instead of the scenario's own; may be a ConfigMap manifest
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Which entry of a ConfigMap is the queue configuration: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
    /// Which core to decide like: kornsole, 1.5.1 or 1.8.0
    #[arg(long, value_name = "PROFILE", default_value_t = Profile::Kornsole)]
    pub core: Profile,
    /// Tell on standard error how long reading, running and printing took
    #[arg(long)]
    pub timings: bool,
}

/// Runs a scenario and prints its trace. Exit code 0: all steps were carried out; 1: the scenario or its configuration is
/// faulty, or cannot be read.
pub fn run(args: &RunArgs) -> ExitCode {
    let started = Instant::now();
    let input = match load::scenario(&args.scenario, args.config.as_deref(), &args.policy_group, args.core) {
        Ok(input) => input,
        Err(told) => return fail(&told, 1),
    };
    let reading = started.elapsed();
    let trace = Trace::new(BufWriter::with_capacity(1 << 16, io::stdout().lock()));
    let mut sink = Timed { trace, spent: Duration::ZERO, on: args.timings };
    let load::ScenarioInput { scenario, config, told, .. } = input;
    let outcome = scenario::run(&scenario, config, args.core, &mut sink);
    let total = started.elapsed();
    let spent = sink.spent;
    let flushed = sink.trace.finish();
    let outcome = match outcome.and_then(|outcome| flushed.map(|_| outcome)) {
        Ok(outcome) => outcome,
        // Whoever reads has seen enough: a closed pipe is no failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(error) => return fail(&format!("the trace cannot be written: {error}"), 1),
    };
    if args.timings {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let running = total.saturating_sub(reading).saturating_sub(spent);
        let (reading, running, spent) = (ms(reading), ms(running), ms(spent));
        let told = format!("reading {reading:.1} ms, running {running:.1} ms, printing {spent:.1} ms");
        // Nobody to tell it to is no failure.
        let _written = writeln!(io::stderr(), "{told}");
    }
    match outcome {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::Refused => fail(&told, 1),
    }
}

/// A trace that knows how long printing took, if that is asked for: asking the clock takes its time, too.
struct Timed<W> {
    trace: Trace<W>,
    spent: Duration,
    on: bool,
}

impl<W: Write> Timed<W> {
    fn timed<T>(&mut self, print: impl FnOnce(&mut Trace<W>) -> T) -> T {
        let started = self.on.then(Instant::now);
        let printed = print(&mut self.trace);
        self.spent += started.map_or(Duration::ZERO, |started| started.elapsed());
        printed
    }
}

impl<W: Write> Sink for Timed<W> {
    fn events(&mut self, step: i64, events: &[Event]) -> io::Result<()> {
        self.timed(|trace| trace.events(step, events))
    }

    fn snapshot(&mut self, step: i64, label: &str, scheduler: &Scheduler) -> io::Result<()> {
        self.timed(|trace| trace.snapshot(step, label, scheduler))
    }
}

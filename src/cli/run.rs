//! `kornsole run`: a scenario without a screen, its trace on standard output.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;

use super::{fail, load};
use crate::config::{self, DEFAULT_POLICY_GROUP, Fault};
use crate::model::Profile;
use crate::scenario::{self, ConfigSource, Outcome, Scenario, Sink, Trace};
use crate::scheduler::{Event, Scheduler};

/// The arguments of `kornsole run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// The scenario file; `-` is standard input
    pub scenario: PathBuf,
    /// A queue configuration to use instead of the scenario's own; may be a ConfigMap manifest
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
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
    let input = match read(args) {
        Ok(input) => input,
        Err(told) => return fail(&told, 1),
    };
    let reading = started.elapsed();
    let mut sink =
        Timed { trace: Trace::new(BufWriter::with_capacity(1 << 16, io::stdout().lock())), spent: Duration::ZERO };
    let Input { scenario, config, told, .. } = input;
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

/// A scenario with the configuration to begin with, which may be a refused one.
struct Input {
    scenario: Scenario,
    config: config::Reading,
    /// What is wrong with the configuration, for a person; empty when nothing is.
    told: String,
}

/// Reads the scenario and the configuration.
fn read(args: &RunArgs) -> Result<Input, String> {
    let bytes = load::bytes(&args.scenario)?;
    let scenario::Reading { scenario, faults } = scenario::read_bytes(&bytes);
    let scenario = scenario.ok_or_else(|| load::told(&args.scenario, &bytes, &faults))?;
    if let Some(file) = &args.config {
        return from_file(scenario, file, args.core);
    }
    match &scenario.config {
        None => {
            let name = args.scenario.display();
            Err(format!(
                "{name}: error[SCN-011]: the scenario has no queue configuration\n  = write `config: |` with one, or \
                 `configFile:` with its name, or give --config FILE"
            ))
        }
        Some(ConfigSource::Text(text)) => {
            let config = text.read(args.core);
            let told = refused(&args.scenario, &bytes, &config);
            Ok(Input { scenario, config, told })
        }
        Some(ConfigSource::File { path, at }) => {
            let file = args.scenario.parent().unwrap_or(Path::new("")).join(path);
            let at = *at;
            from_file(scenario, &file, args.core).map_err(|why| {
                let fault = Fault {
                    code: "SCN-012",
                    severity: config::Severity::Error,
                    at,
                    path: "configFile".to_owned(),
                    message: why,
                    hint: "the name counts from the folder of the scenario file".to_owned(),
                };
                load::told(&args.scenario, &bytes, &[fault])
            })
        }
    }
}

/// A configuration from a file of its own.
fn from_file(scenario: Scenario, file: &Path, profile: Profile) -> Result<Input, String> {
    let bytes = load::bytes(file)?;
    let config = config::read_file(&bytes, DEFAULT_POLICY_GROUP, profile);
    let told = refused(file, &bytes, &config);
    Ok(Input { scenario, config, told })
}

/// Why a configuration is refused; empty when it is not.
fn refused(name: &Path, bytes: &[u8], config: &config::Reading) -> String {
    if config.is_valid() { String::new() } else { load::told(name, bytes, &config.faults) }
}

/// A trace that knows how long printing took.
struct Timed<W> {
    trace: Trace<W>,
    spent: Duration,
}

impl<W: Write> Sink for Timed<W> {
    fn events(&mut self, step: i64, events: &[Event]) -> io::Result<()> {
        let started = Instant::now();
        let written = self.trace.events(step, events);
        self.spent += started.elapsed();
        written
    }

    fn snapshot(&mut self, step: i64, label: &str, scheduler: &Scheduler) -> io::Result<()> {
        let started = Instant::now();
        let written = self.trace.snapshot(step, label, scheduler);
        self.spent += started.elapsed();
        written
    }
}

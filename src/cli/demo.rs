//! `kornsole demo`: a built-in, seeded, endless cluster, or its files.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::console::{CommonArgs, Opened, show};
use super::settings::{SettingsAction, print, setup};
use super::state::StateArgs;
use super::{fail, predicted};
use config::properties::parse_duration;
use console::tape::Against;
use engine::{Core, Progress, Setup};
use model::{Profile, Time};
use scenario::{Demo, Recorder, Workload, demo_config, scenario_text};
use source::{About, SourcePlace};

/// The arguments of `kornsole demo`.
#[derive(Args, Clone, Debug)]
pub struct DemoArgs {
    /// Seed; the same seed shows the same history
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub seed: u64,
    /// Print the queue configuration of the demo and exit
    #[arg(long, conflicts_with = "print_workload")]
    pub print_config: bool,
    /// Print the first minutes of the demo as a scenario and exit
    #[arg(long)]
    pub print_workload: bool,
    /// Duration of the demo to print
    #[arg(long = "for", value_name = "DURATION", default_value = "10m", value_parser = span, requires = "print_workload")]
    pub span: Duration,
    /// Minimum simulated time before the console opens; not with --state, --record, or --linear
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = span)]
    pub ahead: Duration,
    /// The common options of consoles
    #[command(flatten)]
    pub common: CommonArgs,
}

fn span(text: &str) -> Result<Duration, String> {
    let longest = Duration::from_secs(24 * 60 * 60);
    let report = || "a duration up to 24h: 30s, 10m, 1h30m".to_owned();
    parse_duration(text).filter(|span| *span <= longest).ok_or_else(report)
}

/// Shows the demo, or prints the requested text.
pub fn run(args: &DemoArgs) -> ExitCode {
    let profile = args.common.core;
    if args.print_config {
        return print(demo_config());
    }
    if args.print_workload {
        return match workload_text(args.seed, profile, args.span) {
            Ok(text) => print(&text),
            Err(message) => fail(&message, 1),
        };
    }
    let settings = match args.common.settings.read(None, args.common.state.dir.as_deref()) {
        SettingsAction::Run(settings) => settings,
        SettingsAction::Ended(code) => return code,
    };
    let setup = setup(&settings, profile).retaining_little();
    match open_retained(args.seed, &setup, &args.common.state.by(&settings), args.common.speed) {
        Ok(mut opened) => {
            // A recording is played without it, and must look the same.
            if args.common.record.is_none() {
                opened.about.notes.extend(opened.profile_note.clone());
            }
            opened.ahead = args.ahead;
            show(opened, &args.common, &settings)
        }
        Err(message) => fail(&message, 1),
    }
}

/// Fails if this profile rejects the configuration.
pub fn open(seed: u64, setup: &Setup) -> Result<Opened, String> {
    open_retained(seed, setup, &StateArgs::default(), 1.0)
}

/// Opens the same with a state directory, which stores all changes at this speed.
///
/// # Errors
/// This profile rejects the configuration of the demo, or the directory cannot be used.
pub fn open_retained(seed: u64, setup: &Setup, state: &StateArgs, speed: f64) -> Result<Opened, String> {
    let about = About { place: SourcePlace::Embedded, name: format!("demo, seed {seed}"), notes: notes(state) };
    let demo = Box::new(Demo::new(seed, setup.profile));
    let (core, retained) = state.start(setup, speed, Some(demo), Box::new(|demo| start(demo, setup)))?;
    let profile_note = predicted::start_notes(setup.profile, demo_config());
    Ok(Opened {
        core,
        about,
        watched: None,
        against: Against::Demo { seed },
        profile_note,
        retained,
        ahead: Duration::ZERO,
    })
}

fn notes(state: &StateArgs) -> Vec<String> {
    let retained = match &state.dir {
        Some(dir) => format!("Its state is in {}.", dir.display()),
        None => "It is not saved.".to_owned(),
    };
    vec![
        format!("A scheduler in this process runs a simulated cluster. {retained}"),
        "enter opens a queue, ? shows the keys, q quits.".to_owned(),
    ]
}

/// Fails as `open`.
pub fn core(seed: u64, setup: &Setup) -> Result<Core, String> {
    start(Some(Box::new(Demo::new(seed, setup.profile))), setup)
}

fn start(demo: Option<Box<dyn Workload>>, setup: &Setup) -> Result<Core, String> {
    let core = Core::set_up(setup, config_of(setup.profile)?, demo)?;
    Ok(core.with_config_text(demo_config().as_bytes(), None))
}

fn config_of(profile: Profile) -> Result<Arc<config::Config>, String> {
    config::read(demo_config(), profile).config.map(Arc::new).ok_or("invalid configuration of the demo".to_owned())
}

/// Cycles and commands between two checks of the time.
const SLICE: usize = 1 << 16;

/// The first part of the demo as a scenario file with its queue configuration. `kornsole run` makes the same
/// allocations with it.
///
/// # Errors
/// This profile rejects the configuration of the demo.
pub fn workload_text(seed: u64, profile: Profile, span: Duration) -> Result<String, String> {
    let (recorder, recording) = Recorder::new(Demo::new(seed, profile));
    let mut core = Core::new(profile, config_of(profile)?, Some(Box::new(recorder)))?;
    while core.run_until(Time::ZERO + span, SLICE) == Progress::Busy {}
    let description = format!("The first {} s of the demo with seed {seed}.", span.as_secs());
    Ok(scenario_text("demo", &description, demo_config(), &recording.steps()))
}

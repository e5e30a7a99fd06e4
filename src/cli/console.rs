//! `kornsole` without a command: the console on an embedded scheduler with a person's own files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::{fail, identity, load};
use crate::engine::{Core, Engine};
use crate::model::{Identity, Profile};
use crate::scenario::Workload;
use crate::source::{About, Embedded, Source, SourcePlace};

/// The arguments of the console on own files.
#[derive(Args, Clone, Debug)]
pub struct ConsoleArgs {
    /// The queue configuration; also a ConfigMap manifest with one
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What happens in the cluster: a scenario file, whose configuration holds unless --config names another
    #[arg(long, value_name = "FILE")]
    pub workload: Option<PathBuf>,
    /// What every console takes
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What every console on an embedded scheduler takes.
#[derive(Args, Clone, Debug)]
pub struct CommonArgs {
    /// Decide as this release of the core: kornsole, 1.5.1 or 1.8.0
    #[arg(long, value_name = "PROFILE", default_value_t)]
    pub core: Profile,
    /// Be somebody else, with that identity's rights and no others
    #[arg(long = "as", value_name = "USER:GROUP,GROUP", value_parser = Identity::parse)]
    pub identity: Option<Identity>,
    /// How fast the scheduler's time runs
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// How it is drawn
    #[command(flatten)]
    pub look: LookArgs,
}

/// How the console is drawn.
#[derive(Args, Clone, Debug)]
pub struct LookArgs {
    /// Draw with ASCII signs only
    #[arg(long)]
    pub ascii: bool,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.001..=100_000.0).contains(&speed) => Ok(speed),
        _ => Err("a number from 0.001 to 100000".to_owned()),
    }
}

/// Shows the console on the files named.
pub fn run(args: &ConsoleArgs) -> ExitCode {
    match open(args) {
        Ok((core, about)) => show(core, about, &args.common),
        Err(message) => fail(&message, 1),
    }
}

fn open(args: &ConsoleArgs) -> Result<(Core, About), String> {
    let profile = args.common.core;
    let config = load::queue_config(args.config.as_deref(), profile)?;
    let workload: Option<Box<dyn Workload>> = None;
    let core = Core::new(profile, config, workload)?;
    let name = match &args.config {
        Some(file) => file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned(),
        None => "default configuration".to_owned(),
    };
    let mut notes = Vec::new();
    if args.config.is_none() {
        notes.push(
            "No --config: the default configuration holds. It places an application by its tag `namespace`.".to_owned(),
        );
    }
    Ok((core, About { place: SourcePlace::Embedded, name, notes }))
}

/// Starts the engine and shows the console on it until the person leaves.
pub fn show(core: Core, about: About, args: &CommonArgs) -> ExitCode {
    let identity = args.identity.clone().unwrap_or_else(identity::of_process);
    let engine = match Engine::start(core, args.speed) {
        Ok(engine) => engine,
        Err(error) => return fail(&format!("the scheduler cannot be started: {error}"), 1),
    };
    let source: Arc<dyn Source> = Arc::new(Embedded::new(engine, about, identity));
    let _ = source;
    ExitCode::SUCCESS
}

//! `kornsole` without a command: an embedded scheduler with the user's files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::alerts::AlertArgs;
use super::look::LookArgs;
use super::record::Recording;
use super::remote::AllowedRemovalArgs;
use super::serve::{self, ListenArgs};
use super::settings::{SettingsAction, SettingsArgs, hook, setup};
use super::state::StateArgs;
use super::{ahead, fail, identity, inputs, load, predicted, recent, trends};
use ::config::{DEFAULT_CONFIG, SchedulerConfig, Settings};
use ::server::{self, Server};
use console::input::keymap;
use console::shell::settings::StartPage;
use console::shell::tap::Tap;
use console::tape::Against;
use engine::journal::{MakeCore, RunningJournal};
use engine::{Core, Setup};
use model::acl::AclNames;
use model::{Acl, Identity, Profile};
use scenario::{ScenarioWorkload, Workload};
use source::{About, Collector, Embedded, Source, SourcePlace, probe};
use view::act::Actor;

/// The arguments of the console for files of the user.
#[derive(Args, Clone, Debug)]
pub struct ConsoleArgs {
    /// Queue configuration, in any form that `check` reads; reloaded when the file changes
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Scenario file with the steps to run
    ///
    /// The configuration of the scenario is active, unless --config names another configuration.
    #[arg(long, value_name = "FILE")]
    pub workload: Option<PathBuf>,
    /// The queues that a changed --config may remove
    #[command(flatten)]
    pub allowed: AllowedRemovalArgs,
    /// The common options of consoles
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The arguments of every console with an embedded scheduler.
#[derive(Args, Clone, Debug)]
pub struct CommonArgs {
    /// Release to decide like: kornsole, 1.5.1, 1.8.0, or 1.9.0
    #[arg(long, value_name = "PROFILE", default_value_t)]
    pub core: Profile,
    /// Act as this user and these groups
    #[arg(long = "as", value_name = "USER:GROUP,GROUP", value_parser = Identity::parse)]
    pub identity: Option<Identity>,
    /// Users and groups in the scheduler ACL, in addition to the owner of this process
    ///
    /// The form is "USERS GROUPS", with commas in each list, or *. Members change configurations and nodes, pause the scheduler, and read
    /// the full audit. To kill or move applications, a user needs the admin ACL of the queue.
    #[arg(long, value_name = "USERS GROUPS", value_parser = scheduler_acl)]
    pub scheduler_acl: Option<Acl>,
    /// Reject all operations that change the scheduler
    #[arg(long)]
    pub read_only: bool,
    /// Speed of the scheduler clock
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// The state directory
    #[command(flatten)]
    pub state: StateArgs,
    /// The options of the REST server
    #[command(flatten)]
    pub listen: ListenArgs,
    /// The alert options
    #[command(flatten)]
    pub alerts: AlertArgs,
    /// The options of the scheduler
    #[command(flatten)]
    pub settings: SettingsArgs,
    /// The appearance options
    #[command(flatten)]
    pub look: LookArgs,
    /// Record your keystrokes as a tape, for `kornsole play`
    ///
    /// kornsole ignores the keys of your settings while it records.
    #[arg(long, value_name = "TAPE", conflicts_with = "speed")]
    pub record: Option<PathBuf>,
}

pub(super) fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.001..=100_000.0).contains(&speed) => Ok(speed),
        _ => Err("expected a number from 0.001 to 100000".to_owned()),
    }
}

pub(super) fn scheduler_acl(text: &str) -> Result<Acl, String> {
    let report = |parts| format!("an access list has at most two parts, found {parts}");
    let reading = Acl::parse(text, AclNames::Portable).map_err(report)?;
    match reading.ignored.first() {
        Some(name) => Err(format!("invalid name {name:?}")),
        None => Ok(reading.acl),
    }
}

impl CommonArgs {
    /// The actor of the console. The owner of the process has all permissions; another user has those of the scheduler ACL
    /// (REST E1).
    pub fn actor(&self, config: &SchedulerConfig) -> Actor {
        let owner = self.identity.is_none();
        let identity = self.identity.clone().unwrap_or_else(identity::of_process);
        let listed = self.scheduler_acl.as_ref().unwrap_or(&config.scheduler_acl).grants(&identity);
        let actor = Actor::from(identity).scheduler_admin(owner || listed);
        if self.read_only { actor.read_only("the console was started with --read-only") } else { actor }
    }
}

/// An embedded scheduler before its start.
pub struct Opened {
    /// The scheduler with its workload.
    pub core: Core,
    /// The description for the console.
    pub about: About,
    /// The file to watch, and its content.
    pub watched: Option<(PathBuf, Vec<u8>)>,
    /// The requirements of a tape that shows the same.
    pub against: Against,
    /// `None` if it decides like a release.
    pub profile_note: Option<String>,
    /// The journal of the scheduler, if it has one.
    pub retained: Option<RunningJournal>,
    /// The time that passed before the first screen; zero with a journal or a recording.
    pub ahead: Duration,
}

impl ConsoleArgs {
    /// Whether no option describes an embedded scheduler; then kornsole looks for the job daemon.
    #[cfg(target_os = "linux")]
    fn names_no_scheduler(&self) -> bool {
        let CommonArgs { core, identity, scheduler_acl, speed, state, listen, settings, record, alerts, .. } =
            &self.common;
        let reported = [
            self.config.is_some() || self.workload.is_some() || record.is_some() || identity.is_some(),
            *core != Profile::default() || scheduler_acl.is_some() || (*speed - 1.0).abs() > f64::EPSILON,
            state.dir.is_some() || state.repair || *listen != ListenArgs::default(),
            *settings != SettingsArgs::default() || *alerts != AlertArgs::default(),
        ];
        !reported.contains(&true)
    }
}

/// Shows the console for the named files, or without files for the local jobs if a daemon runs.
pub fn run(args: &ConsoleArgs) -> ExitCode {
    #[cfg(target_os = "linux")]
    if args.names_no_scheduler() {
        let (look, read_only) = (args.common.look.clone(), args.common.read_only);
        let found = super::local::LocalConsoleArgs { look, read_only, ..Default::default() };
        if let Some(code) = super::local::run_found(&found) {
            return code;
        }
    }
    embedded(args)
}

/// Shows the console for an embedded scheduler.
pub fn embedded(args: &ConsoleArgs) -> ExitCode {
    let settings = match args.common.settings.read(args.config.as_deref(), args.common.state.dir.as_deref()) {
        SettingsAction::Run(settings) => settings,
        SettingsAction::Ended(code) => return code,
    };
    let (config, state) = (settings.config().queues_file.as_deref(), args.common.state.by(&settings));
    let mut setup = setup(&settings, args.common.core);
    setup.allowed_removal = args.allowed.into();
    match open_retained(config, args.workload.as_deref(), &setup, &state, args.common.speed) {
        Ok(mut opened) => {
            recent::opened("--config", args.config.as_deref());
            recent::opened("--workload", args.workload.as_deref());
            recent::opened("--state", args.common.state.dir.as_deref());
            // A recording is played without a directory, and must look the same.
            if args.common.record.is_none() {
                opened.about.notes.push(state.note());
                opened.about.notes.extend(opened.profile_note.clone());
            }
            show(opened, &args.common, &settings)
        }
        Err(message) => fail(&message, 1),
    }
}

/// Reads all named files before anything starts.
///
/// # Errors
/// All errors of the files, rendered.
pub fn open(config: Option<&Path>, workload: Option<&Path>, setup: &Setup) -> Result<Opened, String> {
    open_retained(config, workload, setup, &StateArgs::default(), 1.0)
}

/// Opens the same with a state directory, which stores all changes at this speed.
///
/// # Errors
/// All errors of the files, rendered, or why the directory cannot be used.
pub fn open_retained(
    config: Option<&Path>,
    workload: Option<&Path>,
    setup: &Setup,
    state: &StateArgs,
    speed: f64,
) -> Result<Opened, String> {
    let (profile, group) = (setup.profile, setup.policy_group.as_str());
    let (named_config, named_workload) = (config, workload);
    let named = [config, workload];
    let (config, written, watched, scenario) = match (workload, config) {
        (Some(workload), config) => {
            let hint = |why| hint_to_print(why, workload, "--print-workload", "scenario.yaml");
            let input = load::scenario(workload, config, group, profile).map_err(hint)?;
            let text = input.scenario.config_text().map(|text| text.as_bytes().to_vec());
            let written = input.file.as_ref().map(|file| file.bytes.clone()).or(text).unwrap_or_default();
            (input.config.config.map(Arc::new).ok_or(input.report)?, written, input.file, Some(input.scenario))
        }
        (None, Some(file)) => {
            let hint = |why| hint_to_print(why, file, "--print-config", "queues.yaml");
            let read = inputs::one(file, group).map_err(hint)?;
            (read.parsed(profile)?, read.bytes.clone(), Some(read), None)
        }
        (None, None) => {
            let bytes = DEFAULT_CONFIG.as_bytes();
            (load::parsed(Path::new("default"), DEFAULT_CONFIG, profile)?, bytes.to_vec(), None, None)
        }
    };
    let queues = watched.as_ref().map(|file| file.queues().to_owned());
    let watched = watched.map(|file| (file.name, file.bytes));
    // Standard input cannot change later.
    let watched = watched.filter(|(file, _)| file != Path::new("-"));
    let about = about(named, watched.as_ref().map(|(file, _)| file.as_path()));
    let workload = scenario.map(|scenario| Box::new(ScenarioWorkload::new(scenario, profile)) as Box<dyn Workload>);
    let file = watched.as_ref().map(|(file, _)| file.clone());
    let fresh: MakeCore<'_> =
        Box::new(|workload| Ok(Core::set_up(setup, config, workload)?.with_config_text(&written, file)));
    let (mut core, retained) = state.start(setup, speed, workload, fresh)?;
    let watched = match watched {
        Some((file, bytes)) if retained.is_some() => {
            let now = core.attach_config_file(&file, bytes);
            Some((file, now))
        }
        watched => {
            if let Some((file, _)) = &watched {
                core.remove_config_leftovers(file);
            }
            watched
        }
    };
    let named = |file: &Path| file.display().to_string();
    let against = match (named_config.map(named), named_workload.map(named)) {
        (config, Some(workload)) => Against::Scenario(workload, config),
        (Some(config), None) => Against::Config(config),
        (None, None) => Against::Default,
    };
    let text = String::from_utf8_lossy(&written);
    let text = queues.unwrap_or_else(|| text.into_owned());
    let profile_note = predicted::start_notes(profile, &text);
    Ok(Opened { core, about, watched, against, profile_note, retained, ahead: Duration::ZERO })
}

/// Why a file cannot be used, and how to create one if it does not exist.
fn hint_to_print(why: String, file: &Path, print: &str, name: &str) -> String {
    if file == Path::new("-") || file.exists() {
        return why;
    }
    format!("{why}\n  = check the path; `kornsole demo {print} > {name}` writes an example")
}

fn about(named: [Option<&Path>; 2], watched: Option<&Path>) -> About {
    let short = |file: &Path| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let mut name = named.into_iter().flatten().map(short).collect::<Vec<_>>().join(" + ");
    let mut notes = Vec::new();
    if name.is_empty() {
        name = "default configuration".to_owned();
        notes.push(
            "No --config: the default configuration is used. It places an application in the queue named by its tag `namespace`."
                .to_owned(),
        );
        notes.push(
            "It has no nodes and applications without --workload; `kornsole demo` shows a busy cluster.".to_owned(),
        );
    }
    if let Some(file) = watched {
        notes.push(format!("Changes of {} are applied.", short(file)));
    }
    About { place: SourcePlace::Embedded, name, notes }
}

/// `None` without a server.
fn server_options(args: &CommonArgs, settings: &Settings) -> Result<Option<server::Options>, String> {
    if args.listen.listen.is_none() {
        return Ok(None);
    }
    let mut options = args.listen.options(settings.config(), args.core)?;
    options.access.read_only = args.read_only;
    options.extra = settings.extra();
    let acl = args.scheduler_acl.as_ref().unwrap_or(&settings.config().scheduler_acl);
    options.access.scheduler_acl.clone_from(acl);
    Ok(Some(options))
}

/// Starts the engine and the server, and shows the console until the user quits.
pub fn show(opened: Opened, args: &CommonArgs, settings: &Settings) -> ExitCode {
    let (options, personal) = match args.look.read() {
        Ok(read) => read,
        Err(report) => return fail(&report.message, report.code),
    };
    let mut personal = personal;
    let mut tap: Option<Box<dyn Tap>> = None;
    if options.linear && args.record.is_some() {
        return fail("cannot record a tape in linear mode; remove --linear or --record", 2);
    }
    if let Some(file) = &args.record {
        // A tape uses the default keys and starts on the default page.
        (personal.keymap, personal.start) = (keymap::defaults(), StartPage::Queues);
        match Recording::new(file, &opened.against, &args.actor(settings.config()), args.core, &options) {
            Ok(recording) => tap = Some(Box::new(recording)),
            Err(message) => return fail(&message, 1),
        }
    }
    let mut about = opened.about.clone();
    let mut server = match server_options(args, settings) {
        Ok(server) => server,
        Err(message) => return fail(&message, 2),
    };
    let dir = args.state.by(settings).dir;
    let trends = trends::embedded(dir.as_deref());
    personal.simulated = args.record.is_none() && matches!(opened.against, Against::Demo { .. });
    let ahead = !options.linear && args.record.is_none() && opened.retained.is_none();
    let opened = if ahead { ahead::run(opened, args.actor(settings.config()), &trends) } else { opened };
    let engine = match serve::engine(opened, args.speed, hook(settings)) {
        Ok(engine) => engine,
        Err(message) => return fail(&message, 1),
    };
    // A recording is played without alerts, and must look the same.
    let board = args.record.is_none().then(|| args.alerts.board(&about.name, dir.as_deref(), engine.now()));
    let board = match board.transpose() {
        Ok(board) => board,
        Err(message) => return fail(&message, 1),
    };
    if let Some(options) = &mut server {
        options.alerts.clone_from(&board);
    }
    let server = match server.map(|options| Server::start(options, Arc::clone(&engine))).transpose() {
        Ok(server) => server,
        Err(error) => return fail(&error.to_string(), 1),
    };
    if let Some(server) = &server {
        args.state.by(settings).served(server);
    }
    about.notes.extend(server.as_ref().map(|server| format!("The REST API is served on {}.", server.address())));
    let mut source = Embedded::new(engine, about, args.actor(settings.config())).with_trends(Arc::clone(&trends));
    if let Some(board) = board {
        source = source.with_alerts(board);
    }
    let source: Arc<dyn Source> = Arc::new(source);
    // Writes its remaining data after the console; both end before the scheduler.
    let _collector = Collector::start(&source, trends);
    let _watching = match probe::watch(&source, dir, args.speed) {
        Ok(watching) => watching,
        Err(error) => return fail(&format!("cannot evaluate alerts: {error}"), 1),
    };
    match console::run_tapped(source, options, personal, tap) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}"), 1),
    }
}

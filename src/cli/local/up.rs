//! The command `kornsole local up`: the daemon.

use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{amounts, console};
use crate::cli::console::open_retained;
use crate::cli::inputs;
use crate::cli::logs::LogArgs;
use crate::cli::serve::{self, ListenArgs};
use crate::cli::settings::{SettingsAction, SettingsArgs, hook, setup};
use crate::cli::state::StateArgs;
use crate::cli::{fail, load, predicted, settings};
use config::Settings as SchedulerSettings;
use engine::journal::MakeCore;
use engine::{Core, Engine, Setup};
use local::cgroup::Enforcement;
use local::daemon::{Daemon, Settings};
use local::helper::Helper;
use local::history::Limits;
use local::machine::Machine;
use local::server::Server;
use local::{peer, queues, store};
use model::Profile;
use scheduler::Turns;
use server::Server as RestServer;

/// The arguments of `kornsole local up`.
#[derive(Args, Clone, Debug)]
pub struct UpArgs {
    /// Queue configuration [default: a queue in root.users for each user]
    ///
    /// The queues of the default configuration have the same guaranteed resources.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Directory for jobs, their output, and the journal of the scheduler
    ///
    /// Default: /var/lib/kornsole/local for root, and ~/.local/state/kornsole/local for other users.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Socket of the daemon
    ///
    /// Default: /run/kornsole/local.sock for root, and a socket in $XDG_RUNTIME_DIR/kornsole for other users.
    #[arg(long, value_name = "FILE")]
    pub socket: Option<PathBuf>,
    /// Cores for jobs, for example 8 or 7.5 [default: all]
    #[arg(long, value_name = "CORES", value_parser = amounts::cores)]
    pub cpu: Option<i64>,
    /// Memory for jobs, for example 60G [default: 95% of the memory]
    #[arg(long, value_name = "AMOUNT", value_parser = amounts::memory)]
    pub mem: Option<i64>,
    /// Number of GPUs for jobs, from index 0 [default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(0..=1024))]
    pub gpu: Option<i64>,
    /// Parent cgroup for the cgroups of jobs [default: the delegated cgroup]
    #[arg(long, value_name = "DIR")]
    pub cgroup: Option<PathBuf>,
    /// Time between SIGTERM and SIGKILL
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = amounts::seconds)]
    pub grace: u64,
    /// Maximum size of the stored output of each attempt
    #[arg(long, value_name = "AMOUNT", default_value = "64M", value_parser = amounts::memory)]
    pub output: i64,
    /// Maximum size of the stored output of one user; removes the oldest output first
    #[arg(long, value_name = "AMOUNT", default_value = "4G", value_parser = amounts::memory)]
    pub user_output: i64,
    /// Start no job before a blocked one that is ahead of it
    ///
    /// Default: a job with a time limit starts before it if that does not delay it.
    #[arg(long)]
    pub no_backfill: bool,
    /// Maximum number of finished jobs to store; removes the oldest of the user with most
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    pub history: usize,
    /// Maximum size of the requests of finished jobs, with environments
    #[arg(long, value_name = "AMOUNT", default_value = "256M", value_parser = amounts::memory)]
    pub history_size: i64,
    /// How long finished jobs are stored
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = amounts::seconds)]
    pub history_age: u64,
    /// The options of the REST server
    #[command(flatten)]
    pub listen: ListenArgs,
    /// The options of the scheduler
    #[command(flatten)]
    pub settings: SettingsArgs,
    /// The log options
    #[command(flatten)]
    pub logs: LogArgs,
}

/// A daemon runs for months, so it stores less history than in a cluster.
const DEFAULTS: [(&str, &str, &str); 1] = [("event.ringBufferCapacity", "10000", "kornsole local up")];
/// The maximum number of ended applications: the daemon has its own records of ended jobs.
const ENDED_APPLICATIONS: usize = 500;
/// A job starts when an allocation is published.
const PUBLISH_EVERY: Duration = Duration::from_millis(1);

struct Places {
    state_dir: PathBuf,
    socket: PathBuf,
}

impl UpArgs {
    fn places(&self, root: bool) -> Result<Places, String> {
        let none = "no home directory; use --dir";
        let state_dir = match &self.dir {
            Some(state_dir) => state_dir.clone(),
            None if root => PathBuf::from(super::MACHINE_DIR),
            None => super::own_dir().ok_or(none)?,
        };
        let socket = match &self.socket {
            Some(socket) => socket.clone(),
            None if root => PathBuf::from(super::MACHINE_SOCKET),
            None => super::own_socket().ok_or(none)?,
        };
        let absolute = |path: PathBuf| std::path::absolute(&path).map_err(|why| format!("{}: {why}", path.display()));
        Ok(Places { state_dir: absolute(state_dir)?, socket: absolute(socket)? })
    }

    fn machine(&self) -> Machine {
        let found = Machine::find();
        Machine {
            vcore: self.cpu.unwrap_or(found.vcore),
            memory: self.mem.unwrap_or(found.memory),
            gpu: self.gpu.unwrap_or(found.gpu),
            ..found
        }
    }
}

/// Runs the daemon until it is asked to stop.
pub fn run(args: &UpArgs) -> ExitCode {
    let owner = peer::of_process();
    let mut places = match args.places(owner.uid == 0) {
        Ok(places) => places,
        Err(why) => return fail(&why, 2),
    };
    // Resolve links now, because their targets could change later.
    places.state_dir = match store::own_dir(&places.state_dir) {
        Ok(state_dir) => state_dir,
        Err(why) => return fail(&format!("{}: {why}", places.state_dir.display()), 1),
    };
    let state = places.state_dir.join("state");
    let settings = match args.settings.read_over(&DEFAULTS, args.config.as_deref(), Some(&state)) {
        SettingsAction::Run(settings) => settings,
        SettingsAction::Ended(code) => return code,
    };
    if let Err((message, code)) = args.logs.start() {
        return fail(&message, code);
    }
    let (helper, slower) = Helper::find();
    if let Some(why) = slower {
        tracing::info!("{why}");
    }
    let own = Settings {
        machine: args.machine(),
        enforcement: Enforcement::find(args.cgroup.as_deref()),
        grace: Duration::from_secs(args.grace),
        output_bytes: u64::try_from(args.output).unwrap_or(u64::MAX),
        user_output_bytes: u64::try_from(args.user_output).unwrap_or(u64::MAX),
        history: Limits {
            jobs: args.history,
            bytes: u64::try_from(args.history_size).unwrap_or(u64::MAX),
            age: Duration::from_secs(args.history_age),
        },
        owner,
        helper,
        files: more_files(),
        socket_dir: places.socket.parent().unwrap_or(Path::new("/")).to_owned(),
    };
    match start(args, &settings, own, &places) {
        Ok((engine, rest)) => {
            let code = until_asked(&engine);
            drop(rest);
            // Clients must not assume a listening daemon.
            let _ = std::fs::remove_file(&places.socket);
            code
        }
        Err((why, code)) => fail(&why, code),
    }
}

/// Raises the limit of open files to its maximum, because each running job needs one. Returns the earlier limit if it
/// was lower.
fn more_files() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = limit.current != limit.maximum
        && setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).is_ok();
    limit.current.filter(|_| raised)
}

type Started = (Arc<Engine>, Option<RestServer>);

fn start(args: &UpArgs, by: &SchedulerSettings, own: Settings, places: &Places) -> Result<Started, (String, u8)> {
    let at = |place: &PathBuf, why: &dyn std::fmt::Display| (format!("{}: {why}", place.display()), 1);
    let (shared, limits, machine) = (own.owner.uid == 0, own.enforcement.describe(), own.machine.clone());
    // The journal is in the directory of the jobs.
    let engine =
        engine(by, &machine, args.no_backfill).map_err(|why| (why.replace("with --state", "with --dir"), 1))?;
    let (daemon, woken) =
        Daemon::open(Arc::clone(&engine), &places.state_dir, own).map_err(|why| at(&places.state_dir, &why))?;
    let server = Server::bind(&places.socket, shared)
        .map_err(|why| (format!("cannot listen on {}: {why}", places.socket.display()), 1))?;
    daemon.set_token_source(console::token_source(&engine, by.config(), &places.state_dir));
    daemon.adopt();
    let reconciling = Arc::clone(&daemon);
    let thread = |error: std::io::Error| (format!("cannot start a thread: {error}"), 1);
    let started = Builder::new().name("local-jobs".to_owned()).spawn(move || reconciling.reconcile_forever(woken));
    started.map_err(thread)?;
    let syncing = Arc::clone(&daemon);
    Builder::new().name("local-sync".to_owned()).spawn(move || syncing.sync_forever()).map_err(thread)?;
    let serving = Builder::new().name("local-socket".to_owned()).spawn(move || server.serve(&daemon));
    serving.map_err(thread)?;
    let rest = match &args.listen.listen {
        None => None,
        Some(_) => {
            let mut options = args.listen.options(by.config(), Profile::Kornsole).map_err(|why| (why, 2))?;
            options.extra = by.extra();
            options.access.of_jobs = true;
            Some(RestServer::start(options, Arc::clone(&engine)).map_err(|why| (why.to_string(), 1))?)
        }
    };
    tracing::info!("{limits}");
    let url = rest.as_ref().map_or_else(String::new, |rest| format!("{}\n", serve::url(rest)));
    // The reader may have closed the pipe.
    let _ = settings::print(&format!("{}\n{url}", places.socket.display()));
    Ok((engine, rest))
}

fn engine(by: &SchedulerSettings, machine: &Machine, no_backfill: bool) -> Result<Arc<Engine>, String> {
    let mut setup = setup(by, Profile::Kornsole);
    // A user above the guaranteed cores is preempted even if the memory is small.
    setup.tuning.above_in_one_gives = true;
    setup.tuning.ended_applications = ENDED_APPLICATIONS;
    setup.publish_every = PUBLISH_EVERY;
    setup.tuning.turns = if no_backfill { Turns::Ordered } else { Turns::Backfilled };
    let state = StateArgs::default().by(by);
    if let Some(file) = &by.config().queues_file {
        let read = inputs::one(file, &setup.policy_group).and_then(|read| read.parsed(setup.profile));
        if let Err(why) = read {
            return last_good(file, why, &setup, &state, hook(by));
        }
        let opened = open_retained(Some(file), None, &setup, &state, 1.0)?;
        opened.profile_note.iter().for_each(|reported| tracing::info!("{reported}"));
        return serve::engine(opened, 1.0, hook(by));
    }
    predicted::start_notes(setup.profile, &queues::configuration(machine))
        .iter()
        .for_each(|reported| tracing::info!("{reported}"));
    let (core, retained) = own_queues(&setup, &state, machine)?;
    let started = Engine::start_with_journal(core, 1.0, hook(by), retained);
    started.map(Arc::new).map_err(|error| format!("cannot start the scheduler: {error}"))
}

/// The engine with the configuration of the journal, if the file is invalid. A later change of the file is loaded.
///
/// # Errors
/// Why the file is invalid, if the journal has no configuration.
fn last_good(
    file: &Path,
    why: String,
    setup: &Setup,
    state: &StateArgs,
    hook: Option<engine::DrainHook>,
) -> Result<Arc<Engine>, String> {
    let fresh: MakeCore<'_> = Box::new(|_| Err("no journal".to_owned()));
    let Ok((mut core, retained)) = state.start(setup, 1.0, None, fresh) else { return Err(why) };
    tracing::warn!("the last good configuration is active: {why}");
    let known = core.attach_config_file(file, std::fs::read(file).unwrap_or_default());
    let started = Engine::start_with_journal(core, 1.0, hook, retained);
    let mut engine = started.map_err(|error| format!("cannot start the scheduler: {error}"))?;
    engine.watch(file, known)?;
    Ok(Arc::new(engine))
}

fn own_queues(
    setup: &Setup,
    state: &StateArgs,
    machine: &Machine,
) -> Result<(Core, Option<engine::journal::RunningJournal>), String> {
    let text = queues::configuration(machine);
    let config = load::parsed(std::path::Path::new("default"), &text, setup.profile)?;
    let fresh: MakeCore<'_> =
        Box::new(|workload| Ok(Core::set_up(setup, config, workload)?.with_config_text(text.as_bytes(), None)));
    state.start(setup, 1.0, None, fresh)
}

fn until_asked(engine: &Engine) -> ExitCode {
    match Signals::new([SIGTERM, SIGINT]) {
        Ok(mut signals) => {
            signals.forever().next();
        }
        Err(error) => return fail(&format!("cannot receive signals: {error}"), 1),
    }
    tracing::info!("stopping; running jobs continue");
    if engine.published().is_alive() { ExitCode::SUCCESS } else { fail("the scheduler stopped", 1) }
}

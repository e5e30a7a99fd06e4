//! `kornsole kube schedule`: the scheduler of a Kubernetes cluster.

use std::cell::Cell;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::alerts::AlertArgs;
use super::console::scheduler_acl;
use super::fail;
use super::inputs;
use super::logs::LogArgs;
use super::manifests::UserInfo;
use super::remote::AllowedRemovalArgs;
use super::serve::{ListenArgs, url};
use super::settings::{SettingsAction, SettingsArgs, setup};
use super::{identity, predicted, trends};
use ::server::{self, Server};
use cluster::kube::{Cluster as Kube, Known, Wanted};
use cluster::shim::process::Process;
use cluster::shim::{Options, Serving, Shim, Started, Stopper};
use engine::journal::lock;
use engine::{Earlier, Engine};
use kubernetes::{Settings, Users};
use model::{Acl, Profile};
use source::probe::{self, Watching};
use source::stored_dir::{self, Keeper, NotOpened, RetainedDir};
use source::{About, Collector, Embedded, Source, SourcePlace};

const LEASE: &str = "kornsole-scheduler";

/// The arguments of `kornsole kube schedule`.
#[derive(Args, Clone, Debug)]
pub struct ScheduleArgs {
    /// Context of the kubeconfig [default: current context; in a pod, the service account]
    #[arg(long, value_name = "CONTEXT")]
    pub context: Option<String>,
    /// Namespace of the ConfigMaps and of the lease
    ///
    /// Default: the namespace of the pod, then of the context, then yunikorn.
    #[arg(long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// Schedule the pods with this schedulerName (repeatable)
    #[arg(long, value_name = "NAME", default_values = ["kornsole"])]
    pub scheduler_name: Vec<String>,
    /// File with the queue configuration, instead of the ConfigMaps
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Release to decide like: kornsole, 1.5.1, 1.8.0, or 1.9.0
    #[arg(long, value_name = "PROFILE", default_value_t)]
    pub core: Profile,
    /// Whether to trust the user that a pod names
    ///
    /// Without an admission controller, anyone who can create pods can name any user.
    #[arg(long, value_name = "WHOM", value_enum, default_value_t = UserInfo::Ignore)]
    pub user_info: UserInfo,
    /// Run without a lease; use it only if no other scheduler has these names
    #[arg(long)]
    pub no_lease: bool,
    /// Address for the probes of the kubelet: /livez and /readyz
    #[arg(long, value_name = "HOST:PORT")]
    pub probes: Option<SocketAddr>,
    /// Directory for audit, configuration history, usage, trends, and alerts
    ///
    /// The state of pods and nodes always comes from the cluster.
    #[arg(long = "state", value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// The options of the REST server
    #[command(flatten)]
    pub listen: ListenArgs,
    /// "USERS GROUPS" in the scheduler ACL, in addition to the owner of this process
    #[arg(long, value_name = "USERS GROUPS", value_parser = scheduler_acl)]
    pub scheduler_acl: Option<Acl>,
    /// The queues that a changed ConfigMap may remove
    #[command(flatten)]
    pub allowed: AllowedRemovalArgs,
    /// The alert options
    #[command(flatten)]
    pub alerts: AlertArgs,
    /// The options of the scheduler
    #[command(flatten)]
    pub settings: SettingsArgs,
    /// The log options
    #[command(flatten)]
    pub logs: LogArgs,
}

/// Schedules until it is asked to stop, or the lease is lost.
pub fn run(args: &ScheduleArgs) -> ExitCode {
    let settings = match args.settings.read(None, args.state.as_deref()) {
        SettingsAction::Run(settings) => settings,
        SettingsAction::Ended(code) => return code,
    };
    if let Err((message, code)) = args.logs.start() {
        return fail(&message, code);
    }
    let mut setup = setup(&settings, args.core);
    setup.allowed_removal = args.allowed.into();
    let mut serve = match server_options(args, &settings) {
        Ok(serve) => serve,
        Err(why) => return fail(&why, 2),
    };
    let options = options(args, setup);
    let cluster = options.as_ref().map(|options| options.kube.label()).unwrap_or_default();
    let shim = match options.and_then(Shim::new) {
        Ok(shim) => shim,
        Err(why) => return fail(&why, 1),
    };
    if let Err(error) = stop_by_signals(shim.stopper()) {
        return fail(&format!("cannot receive signals: {error}"), 1);
    }
    let dir = settings.config().state_dir.as_deref();
    // An invalid rule is reported now, not when this replica becomes active.
    if let Err(why) = args.alerts.read() {
        return fail(&why, 1);
    }
    let (retained, mut services) = (Cell::new(None), None);
    let profile = args.core;
    let earlier = || {
        let Some(dir) = dir else { return Ok(Earlier::default()) };
        let opened = match RetainedDir::open(dir, profile) {
            Err(NotOpened::Refused(why)) => return Err(why),
            Err(NotOpened::Failing(why)) => Err(why),
            Ok(opened) => Ok(opened),
        };
        let earlier = opened.as_ref().map(RetainedDir::earlier).unwrap_or_default();
        retained.set(Some(opened));
        Ok(earlier)
    };
    let mut reads = serve.clone();
    reads.access.standby = Some(shim.health().leader());
    let standby = move |started: Started| {
        let server = Server::start(reads.clone(), started.engine).map_err(|why| why.to_string())?;
        tracing::info!("standby: serving reads on {}", url(&server));
        Ok(Box::new(server) as Serving)
    };
    let on_start = |started| {
        let Started { engine, configured, pods, notices } = started;
        serve.extra.extend(configured.extra);
        let running = Services::start(&cluster, serve, engine, (&args.alerts, dir, retained.take()))?;
        notices.iter().for_each(|notice| tracing::warn!("{notice}"));
        if configured.by_default {
            tracing::warn!("no ConfigMap has a queue configuration: using the default");
        }
        predicted::start_notes(profile, &configured.queues).iter().for_each(|note| tracing::info!("{note}"));
        let url = url(&running.server);
        tracing::info!("scheduling: {} pods, {} of them on nodes; serving on {url}", pods.0, pods.1);
        let _ = super::settings::print(&format!("{url}\n"));
        services = Some(running);
        Ok(())
    };
    let ended = shim.run(&standby, Box::new(earlier), Box::new(on_start));
    drop(services); // writes what is left
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => fail(&why, 1),
    }
}

fn server_options(args: &ScheduleArgs, settings: &config::Settings) -> Result<server::Options, String> {
    let mut serve = args.listen.options(settings.config(), args.core)?;
    serve.extra = settings.extra();
    if let Some(acl) = &args.scheduler_acl {
        serve.access.scheduler_acl = acl.clone();
    }
    // The Deployment can name a Secret that is created later.
    serve.access.tokens_later = true;
    Ok(serve)
}

fn stop_by_signals(stopper: Stopper) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            tracing::info!("stopping");
            stopper.stop();
        }
    });
    Ok(())
}

/// What runs while a scheduler decides, in the order in which it ends. A standby replica has none of it.
struct Services {
    server: Server,
    _watching: Watching,
    _collector: Collector,
    _keeper: Option<Keeper>,
    _source: Arc<dyn Source>,
}

impl Services {
    fn start(
        cluster: &str,
        mut serve: server::Options,
        engine: Arc<Engine>,
        (alerts, dir, retained): (&AlertArgs, Option<&Path>, Option<Result<RetainedDir, String>>),
    ) -> Result<Self, String> {
        let board = alerts.board(cluster, dir, engine.now())?;
        board.snapshot().problem.iter().for_each(|problem| tracing::warn!("{problem}"));
        serve.alerts = Some(Arc::clone(&board));
        let server = Server::start(serve, Arc::clone(&engine)).map_err(|why| why.to_string())?;
        if let Some(dir) = dir {
            lock::served(dir, &url(&server));
        }
        let keeper = match retained {
            Some(Ok(retained)) => {
                Some(retained.keep(&engine, &board).map_err(|why| format!("cannot save data: {why}"))?)
            }
            Some(Err(why)) => {
                stored_dir::report_unsaved(&engine, &board, &why);
                None
            }
            None => None,
        };
        let about = About { place: SourcePlace::Embedded, name: cluster.to_owned(), notes: Vec::new() };
        let source = Embedded::new(engine, about, identity::of_process()).with_alerts(board);
        let source: Arc<dyn Source> = Arc::new(source);
        let watching = probe::watch(&source, dir.map(Path::to_owned), 1.0);
        let watching = watching.map_err(|error| format!("cannot evaluate alerts: {error}"))?;
        let collector = Collector::start(&source, trends::embedded(dir));
        Ok(Self { server, _watching: watching, _collector: collector, _keeper: keeper, _source: source })
    }
}

fn options(args: &ScheduleArgs, setup: engine::Setup) -> Result<Options, String> {
    let known = Known::read().map_err(|fault| fault.to_string())?;
    let context = known.context(args.context.as_deref()).map_err(|fault| fault.to_string())?;
    let of_pod = std::env::var("NAMESPACE").ok().filter(|namespace| !namespace.is_empty());
    let namespace = args.namespace.clone().or(of_pod).or_else(|| context.namespace.clone());
    let namespace = namespace.unwrap_or_else(|| "yunikorn".to_owned());
    let queues = match &args.config {
        Some(file) => Some(inputs::one(file, ::config::DEFAULT_POLICY_GROUP)?.queues().to_owned()),
        None => None,
    };
    let users = if args.user_info == UserInfo::Trust { Users::Trusted } else { Users::Ignored };
    let scheduler_names = args.scheduler_name.clone();
    let settings = Settings { profile: args.core, scheduler_names, users, ..Settings::default() };
    // The instance name must be unique for each run.
    let pod = std::env::var("POD_UID").ok().filter(|uid| !uid.is_empty());
    let me = Process::this(&host(), pod.as_deref(), &setup.instance);
    Ok(Options {
        kube: Arc::new(Kube::new(known, context, Wanted::default())),
        namespace,
        settings,
        setup,
        lease: (!args.no_lease).then(|| (LEASE.to_owned(), me)),
        queues,
        probes: args.probes,
    })
}

fn host() -> String {
    let named = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    let kernel = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned());
    let named = named.or_else(kernel).filter(|name| !name.is_empty());
    named.unwrap_or_else(|| format!("process-{}", std::process::id()))
}

//! `kornsole kube shadow`: follows Apache YuniKorn in a cluster and reports different decisions.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::fail;
use super::logs::LogArgs;
use super::serve::{ListenArgs, url};
use super::settings::{SettingsAction, SettingsArgs, setup};
use client::{Limits, Target};
use cluster::kube::{Cluster as Kube, Known, Reader, Via, Wanted};
use cluster::shim::shadow::{DecisionTimes, News, Options, ShadowShim, Started, report, serve_metrics};
use forecast::shadow::{Settings, Verdict};
use kubernetes::{Settings as Reading, Users};
use model::{AskId, Profile, Time};
use server::{Options as Serve, Server};
use source::remote::follow::EventMessage;
use source::remote::once::Once;
use view::record::{ChangeDetail, ChangeType, ObjectType};
use view::shadowed::ShadowSource;
use wire::dto::EventRecord;

/// How often events are requested if no stream reports them.
const TIMES: Duration = Duration::from_secs(1);

/// The arguments of `kornsole kube shadow`.
#[derive(Args, Clone, Debug)]
pub struct ShadowArgs {
    /// Context of the kubeconfig [default: current context; in a pod, the service account]
    pub context: Option<String>,
    /// Namespace of the scheduler and its ConfigMaps
    #[arg(long, value_name = "NAMESPACE", default_value = "yunikorn")]
    pub namespace: String,
    /// Watch the pods with this schedulerName (repeatable)
    #[arg(long, value_name = "NAME", default_values = ["yunikorn"])]
    pub scheduler_name: Vec<String>,
    /// Release of the watched scheduler: 1.5.1, 1.8.0, 1.9.0, kornsole [default: from REST]
    #[arg(long, value_name = "PROFILE")]
    pub core: Option<Profile>,
    /// How to reach its REST API: port-forward, proxy, a URL, or none [default: proxy]
    ///
    /// The shadow reads the release and the times of decisions. Without the REST API, it compares with 1.8.0 and uses the times of Events.
    #[arg(long, value_name = "WAY|URL", value_parser = Rest::read, default_value = "proxy", hide_default_value = true)]
    pub via: Rest,
    /// Scheduling interval of the watched shim in seconds (service.schedulingInterval)
    #[arg(long, value_name = "SECONDS", default_value_t = 1)]
    pub scheduling_interval: u64,
    /// Mark the decisions of the first five minutes as unsettled
    ///
    /// Use this option if the scheduler has just started.
    #[arg(long)]
    pub after_start: bool,
    /// Print every comparison as a line of JSON, instead of the differences
    #[arg(long)]
    pub json: bool,
    /// Exit after this number of seconds
    #[arg(long = "for", value_name = "SECONDS")]
    pub for_seconds: Option<u64>,
    /// Address for Prometheus metrics: /metrics
    #[arg(long, value_name = "HOST:PORT")]
    pub metrics: Option<SocketAddr>,
    /// The options of the REST server for consoles; no server without --listen
    #[command(flatten)]
    pub listen: ListenArgs,
    /// The options of the scheduler
    #[command(flatten)]
    pub settings: SettingsArgs,
    /// The log options
    #[command(flatten)]
    pub logs: LogArgs,
}

/// The way to the REST API of the watched scheduler.
#[derive(Clone, Debug)]
pub struct Rest(Option<Via>);

impl Rest {
    fn read(text: &str) -> Result<Self, String> {
        if text == "none" { Ok(Self(None)) } else { Via::read(text).map(Some).map(Self) }
    }

    /// `None` if it is disabled or does not answer.
    fn connect(&self, args: &ShadowArgs) -> Option<Once> {
        let via = self.0.clone()?;
        let connected = || {
            let known = Known::read().map_err(|fault| fault.to_string())?;
            let context = known.context(args.context.as_deref()).map_err(|fault| fault.to_string())?;
            let wanted = Wanted { namespace: Some(args.namespace.clone()), via: Some(via), ..Wanted::default() };
            let target = Target::of_cluster(Arc::new(Kube::new(known, context, wanted)));
            let target = target.map_err(|fault| fault.to_string())?;
            Once::connect(&target, Limits::default()).map_err(|fault| fault.to_string())
        };
        connected().map_err(|why: String| tracing::warn!("{NO_REST}: {why}")).ok()
    }
}

const NO_REST: &str = "cannot read the REST API of the scheduler; decisions have the times of Events";

fn pass_times(rest: &Once, times: &DecisionTimes) {
    let ended = rest.events(Some(TIMES), |message| {
        let EventMessage::Events(_, records) = message else { return ControlFlow::Continue(()) };
        let listens = records.into_iter().filter_map(decision).all(|(ask, at)| times.decided(ask, at));
        if listens { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if let Err(fault) = ended {
        tracing::warn!("{NO_REST}: {fault}");
    }
}

fn decision(record: EventRecord) -> Option<(AskId, Time)> {
    let number = |number: i32| u32::try_from(number).unwrap_or_default();
    let kind = (ObjectType(number(record.kind)), ChangeType(number(record.event_change_type)));
    let is_allocation = kind == (ObjectType::APP, ChangeType::ADD)
        && ChangeDetail(number(record.event_change_detail)) == ChangeDetail::APP_ALLOC;
    let at = u64::try_from(record.timestamp_nano / 1_000).ok()?;
    is_allocation.then(|| (AskId::from(record.reference_id.as_str()), Time(at)))
}

/// Watches until a signal stops it, then prints the agreement.
pub fn run(args: &ShadowArgs) -> ExitCode {
    let settings = match args.settings.read(None, None) {
        SettingsAction::Run(settings) => settings,
        SettingsAction::Ended(code) => return code,
    };
    if let Err((message, code)) = args.logs.start() {
        return fail(&message, code);
    }
    let rest = args.via.connect(args);
    let core = args.core.or_else(|| Some(rest.as_ref()?.remote().profile())).unwrap_or(Profile::V1_8_0);
    tracing::info!("comparing with {core}");
    let mut serve = None;
    if args.listen.listen.is_some() {
        match args.listen.options(settings.config(), core) {
            Ok(mut options) => {
                // The shown state belongs to another scheduler, so it is read-only.
                options.access.read_only = true;
                options.extra = settings.extra();
                serve = Some(options);
            }
            Err(why) => return fail(&why, 2),
        }
    }
    let engine = serve.is_some().then(|| setup(&settings, core));
    let shim = match options(args, core, engine).and_then(ShadowShim::new) {
        Ok(shim) => shim,
        Err(why) => return fail(&why, 1),
    };
    if let Some(rest) = rest {
        let times = shim.times();
        std::thread::spawn(move || pass_times(&rest, &times));
    }
    match stop_by_itself(args, &shim).and_then(|()| watch(args, shim, serve)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => fail(&why, 1),
    }
}

/// Serves metrics, and stops on a signal or at the end of its time.
fn stop_by_itself(args: &ShadowArgs, shim: &ShadowShim) -> Result<(), String> {
    if let Some(address) = args.metrics {
        let served = shim.runtime().block_on(serve_metrics(address, shim.shown()));
        let address = served.map_err(|error| format!("cannot serve metrics on {address}: {error}"))?;
        tracing::info!("metrics on http://{address}/metrics");
    }
    let stopper = shim.stopper();
    let mut signals = Signals::new([SIGTERM, SIGINT]).map_err(|error| format!("cannot receive signals: {error}"))?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            stopper.stop();
        }
    });
    if let Some(seconds) = args.for_seconds {
        let stopper = shim.stopper();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(seconds));
            stopper.stop();
        });
    }
    Ok(())
}

fn watch(args: &ShadowArgs, shim: ShadowShim, serve: Option<Serve>) -> Result<(), String> {
    let (to, shown) = (shim.stopper(), shim.shown());
    let mut server = None;
    let started = |started: Started| {
        let Started { pods, notices, engine, configured } = started;
        if let Some((mut serve, engine)) = serve.zip(engine) {
            serve.extra.extend(configured.extra);
            serve.shadow = Some(ShadowSource(Arc::new(move || shown.sheet())));
            let running = Server::start(serve, engine).map_err(|why| why.to_string())?;
            tracing::info!("serving on {}", url(&running));
            server = Some(running);
        }
        notices.iter().for_each(|notice| tracing::warn!("{notice}"));
        if configured.by_default {
            tracing::warn!("no ConfigMap has a queue configuration: using the default");
        }
        // stdout has only lines of JSON.
        let _ = writeln!(super::printed::err(), "watching: {} pods, {} of them on nodes", pods.0, pods.1);
        Ok(())
    };
    let ended = shim.run(Box::new(started), &mut |news| {
        if print_news(&news, args.json).is_err() {
            // The reader has closed the pipe.
            to.stop();
        }
    })?;
    drop(server);
    let Some((tally, free)) = ended.filter(|_| !args.json) else { return Ok(()) };
    match print(&report::summary(&tally, &free)) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("cannot write the output: {error}")),
        _ => Ok(()),
    }
}

fn print(text: &str) -> io::Result<()> {
    super::printed::out().write_all(text.as_bytes())
}

fn print_news(news: &News<'_>, json: bool) -> io::Result<()> {
    match news {
        News::Compared(comparison, pod) if json => print(&format!("{}\n", report::line(comparison, pod))),
        News::Compared(comparison, _) if comparison.verdict == Verdict::Same => Ok(()),
        News::Compared(comparison, pod) => print(&format!("{}\n", report::sentence(comparison, pod))),
        News::Notice(notice) => {
            tracing::warn!("{notice}");
            Ok(())
        }
    }
}

fn options(args: &ShadowArgs, core: Profile, engine: Option<engine::Setup>) -> Result<Options, String> {
    let known = Known::read().map_err(|fault| fault.to_string())?;
    let context = known.context(args.context.as_deref()).map_err(|fault| fault.to_string())?;
    let scheduler_names = args.scheduler_name.clone();
    let reading = Reading { profile: core, scheduler_names, users: Users::Trusted, ..Reading::default() };
    Ok(Options {
        reader: Reader::new(Arc::new(Kube::new(known, context, Wanted::default()))),
        namespace: args.namespace.clone(),
        reading,
        compare: Settings::of_interval(Duration::from_secs(args.scheduling_interval)),
        after_start: args.after_start,
        engine,
    })
}

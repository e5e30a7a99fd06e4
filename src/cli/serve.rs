//! `kornsole serve`: the scheduler and its REST API without a screen.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::alerts::AlertArgs;
use super::console::{Opened, open_retained, scheduler_acl, speed};
use super::logs::LogArgs;
use super::remote::AllowedRemovalArgs;
use super::settings::{SettingsAction, SettingsArgs, hook, setup};
use super::state::StateArgs;
use super::{fail, identity, trends};
use config::SchedulerConfig;
use engine::Engine;
use model::{Acl, Profile};
use server::{Options, Server, TlsFiles};
use source::{Collector, Embedded, Source, probe};

/// The arguments of `kornsole serve`.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Queue configuration, in any form that `check` reads; reloaded when the file changes
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Scenario file with the steps to run
    ///
    /// The configuration of the scenario is active, unless --config names another configuration.
    #[arg(long, value_name = "FILE")]
    pub workload: Option<PathBuf>,
    /// Release to decide like: kornsole, 1.5.1, 1.8.0, or 1.9.0
    #[arg(long, value_name = "PROFILE", default_value_t)]
    pub core: Profile,
    /// Speed of the scheduler clock
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// Pause the scheduler and its clock after the --workload steps
    #[arg(long)]
    pub paused: bool,
    /// The state directory
    #[command(flatten)]
    pub state: StateArgs,
    /// The options of the REST server
    #[command(flatten)]
    pub listen: ListenArgs,
    /// Users and groups in the scheduler ACL, in addition to the owner of this process
    ///
    /// The form is "USERS GROUPS", with commas in each list, or *. Members change configurations and nodes, pause the scheduler,
    /// impersonate users, and read the full audit. To kill or move applications, a user needs the admin ACL of the queue.
    #[arg(long, value_name = "USERS GROUPS", value_parser = scheduler_acl)]
    pub scheduler_acl: Option<Acl>,
    /// Reject all operations that change the scheduler
    #[arg(long)]
    pub read_only: bool,
    /// The queues that a changed --config may remove
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

/// The address and the security of the API.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ListenArgs {
    /// Address of the REST API
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// Certificate chain of the server (PEM); requires --tls-key
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// File with tokens, from `kornsole token new`; required for changes over the API
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
    /// Require a token for all HTTP requests
    #[arg(long)]
    pub require_token: bool,
    /// Accept tokens over plain HTTP on a public address
    #[arg(long)]
    pub insecure_plain_http: bool,
    /// Whether web pages of other sites can read the YuniKorn part of the API (CORS)
    ///
    /// Default: on, and off with --require-token.
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub cors: Option<bool>,
}

impl ListenArgs {
    /// The options of the server: arguments, otherwise the scheduler's configuration.
    ///
    /// # Errors
    /// Why the address is invalid.
    pub fn options(&self, config: &SchedulerConfig, profile: Profile) -> Result<Options, String> {
        let written = self.listen.clone().unwrap_or_else(|| format!("{}:{}", config.bind_host, config.bind_port));
        let mut options = Options::plain(address(&written)?, profile, config.event.clone());
        let files = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => config.tls_certificate.as_ref().zip(config.tls_key.as_ref()),
        };
        options.tls = files.map(|(certificate, key)| TlsFiles { certificate: certificate.clone(), key: key.clone() });
        options.access.tokens = self.tokens.clone().or_else(|| config.token_file.clone());
        options.access.require_token = self.require_token;
        options.access.pages = self.cors;
        options.access.scheduler_acl = config.scheduler_acl.clone();
        options.access.owner = identity::of_process().user;
        options.policy_group.clone_from(&config.policy_group);
        if self.require_token && options.access.tokens.is_none() {
            return Err(
                "cannot require tokens: no file of tokens; use --tokens FILE, from `kornsole token new`".to_owned()
            );
        }
        let plain = options.tls.is_none() && !options.listen.ip().is_loopback() && !self.insecure_plain_http;
        if options.access.tokens.is_some() && plain {
            return Err(format!(
                "cannot accept tokens over plain HTTP: {} is a public address; use --tls-cert and --tls-key, or --insecure-plain-http",
                options.listen
            ));
        }
        Ok(options)
    }
}

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("on or off".to_owned()),
    }
}

/// An address by name or number. A port alone means this machine.
fn address(written: &str) -> Result<SocketAddr, String> {
    let local = written.starts_with(':').then(|| format!("{}{written}", Options::ADDRESS.ip()));
    let report = |why: &dyn std::fmt::Display| {
        format!("--listen {written}: {why}; write HOST:PORT, for example {} or 0.0.0.0:9080", Options::ADDRESS)
    };
    let mut found = local.as_deref().unwrap_or(written).to_socket_addrs().map_err(|why| report(&why))?;
    found.next().ok_or_else(|| report(&"the name has no address"))
}

/// Serves until a signal stops it.
pub fn run(args: &ServeArgs) -> ExitCode {
    let settings = match args.settings.read(args.config.as_deref(), args.state.dir.as_deref()) {
        SettingsAction::Run(settings) => settings,
        SettingsAction::Ended(code) => return code,
    };
    if let Err((message, code)) = args.logs.start() {
        return fail(&message, code);
    }
    let (config, state) = (settings.config(), args.state.by(&settings));
    let mut setup = setup(&settings, args.core);
    setup.paused = args.paused;
    setup.allowed_removal = args.allowed.into();
    let started = args.listen.options(config, args.core).map_err(|why| (why, 2)).and_then(|mut options| {
        options.access.read_only = args.read_only;
        options.extra = settings.extra();
        if let Some(acl) = &args.scheduler_acl {
            options.access.scheduler_acl = acl.clone();
        }
        let (file, workload) = (config.queues_file.as_deref(), args.workload.as_deref());
        let opened = open_retained(file, workload, &setup, &state, args.speed).map_err(|why| (why, 1))?;
        opened.profile_note.iter().for_each(|reported| tracing::info!("{reported}"));
        let about = opened.about.clone();
        let engine = engine(opened, args.speed, hook(&settings)).map_err(|why| (why, 1))?;
        let dir = state.dir.as_deref();
        let board = args.alerts.board(&about.name, dir, engine.now()).map_err(|why| (why, 1))?;
        for problem in &board.snapshot().problem {
            tracing::warn!("{problem}");
        }
        options.alerts = Some(Arc::clone(&board));
        let server = Server::start(options, Arc::clone(&engine)).map_err(|why| (why.to_string(), 1))?;
        let watched = Embedded::new(Arc::clone(&engine), about, identity::of_process()).with_alerts(board);
        let watched: Arc<dyn Source> = Arc::new(watched);
        let watching = probe::watch(&watched, state.dir.clone(), args.speed);
        let watching = watching.map_err(|error| (error.to_string(), 1))?;
        let collector = Collector::start(&watched, trends::embedded(state.dir.as_deref()));
        Ok((engine, server, (watched, watching, collector)))
    });
    match started {
        // Alerts and trends write their remaining data when the last of these is dropped.
        Ok((engine, server, _watched)) => {
            state.served(&server);
            until_stopped(&engine, server)
        }
        Err((message, code)) => fail(&message, code),
    }
}

/// A running engine that watches its configuration file.
///
/// # Errors
/// Why it cannot run.
pub fn engine(opened: Opened, speed: f64, hook: Option<engine::DrainHook>) -> Result<Arc<Engine>, String> {
    let started = Engine::start_with_journal(opened.core, speed, hook, opened.retained);
    let mut engine = started.map_err(|error| format!("cannot start the scheduler: {error}"))?;
    if let Some((file, known)) = opened.watched {
        engine.watch(&file, known)?;
    }
    Ok(Arc::new(engine))
}

/// SIGTERM and SIGINT exit, SIGHUP reloads certificates and tokens.
fn until_stopped(engine: &Engine, server: Server) -> ExitCode {
    let mut signals = match Signals::new([SIGTERM, SIGINT, SIGHUP]) {
        Ok(signals) => signals,
        Err(error) => return fail(&format!("cannot receive signals: {error}"), 1),
    };
    let url = url(&server);
    tracing::info!("serving on {url}");
    announce(&url);
    for signal in signals.forever() {
        if signal != SIGHUP {
            tracing::info!("stopping");
            break;
        }
        match server.reload_certificates() {
            Ok(()) => tracing::info!("reloaded certificates"),
            Err(why) => tracing::error!("cannot read the certificates: {why}; the previous certificates remain active"),
        }
        match server.reload_tokens() {
            Ok(()) => tracing::info!("reloaded tokens"),
            Err(why) => tracing::error!("cannot read the tokens: {why}; the previous tokens remain active"),
        }
    }
    drop(server);
    let alive = engine.published().is_alive();
    if alive { ExitCode::SUCCESS } else { fail("the scheduler stopped", 1) }
}

pub(in crate::cli) fn url(server: &Server) -> String {
    let scheme = if server.is_encrypted() { "https" } else { "http" };
    format!("{scheme}://{}", server.address())
}

/// Prints the address of the API, for scripts that use any free port.
fn announce(address: &str) {
    // The reader may have closed the pipe.
    let _ = super::settings::print(&format!("{address}\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        assert_eq!(address(":80").unwrap().to_string(), "127.0.0.1:80");
        assert_eq!(address("0.0.0.0:9080").unwrap().to_string(), "0.0.0.0:9080");
        assert_eq!(address("[::1]:9080").unwrap().to_string(), "[::1]:9080");
        assert!(address("9080").unwrap_err().contains("HOST:PORT"));
        assert!(address("").unwrap_err().contains("HOST:PORT"));
    }

    #[test]
    fn the_configuration_of_the_scheduler_has_its_address() {
        let config = SchedulerConfig { bind_host: "127.0.0.2".into(), bind_port: 7, ..SchedulerConfig::default() };
        let by_config = ListenArgs::default().options(&config, Profile::Kornsole).unwrap();
        assert_eq!(by_config.listen.to_string(), "127.0.0.2:7");
        let open = SchedulerConfig {
            bind_host: "0.0.0.0".into(),
            token_file: Some(PathBuf::from("tokens.yaml")),
            ..SchedulerConfig::default()
        };
        let refused = ListenArgs::default().options(&open, Profile::Kornsole).unwrap_err();
        assert!(refused.contains("--tls-cert"), "no token goes over a network in plain text: {refused}");
        let by_flag = ListenArgs { listen: Some(":8".to_owned()), ..ListenArgs::default() };
        assert_eq!(by_flag.options(&config, Profile::Kornsole).unwrap().listen.to_string(), "127.0.0.1:8");
    }
}

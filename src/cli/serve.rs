//! `kornsole serve`: the scheduler and its REST API, without a screen.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::console::{Opened, open, speed};
use super::fail;
use super::logs::LogArgs;
use super::settings::{Asked, SettingsArgs, hook, setup};
use crate::api::server::{Options, Server, TlsFiles};
use crate::config::SchedulerConfig;
use crate::engine::Engine;
use crate::model::Profile;

/// The arguments of `kornsole serve`.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// The queue configuration; also a ConfigMap manifest with one. It is watched and reloaded when it changes
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What happens in the cluster: a scenario file, whose configuration holds unless --config names another
    #[arg(long, value_name = "FILE")]
    pub workload: Option<PathBuf>,
    /// Decide as this release of the core: kornsole, 1.5.1 or 1.8.0
    #[arg(long, value_name = "PROFILE", default_value_t)]
    pub core: Profile,
    /// How fast the scheduler's time runs
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// Once the steps of --workload are done nothing is scheduled and time stands, until it is resumed
    #[arg(long)]
    pub paused: bool,
    /// Where the API is served
    #[command(flatten)]
    pub listen: ListenArgs,
    /// How the scheduler itself is run
    #[command(flatten)]
    pub settings: SettingsArgs,
    /// What is logged
    #[command(flatten)]
    pub logs: LogArgs,
}

/// Where the API is served.
#[derive(Args, Clone, Debug, Default)]
pub struct ListenArgs {
    /// Serve the REST API on this address
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// The server's certificate chain, PEM; goes with --tls-key
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

impl ListenArgs {
    /// How the server is set up by the arguments, and where they say nothing by the scheduler's own configuration.
    ///
    /// # Errors
    /// Why the address is none.
    pub fn options(&self, config: &SchedulerConfig, profile: Profile) -> Result<Options, String> {
        let written = self.listen.clone().unwrap_or_else(|| format!("{}:{}", config.bind_host, config.bind_port));
        let mut options = Options::plain(address(&written)?, profile, config.event.clone());
        let files = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => config.tls_certificate.as_ref().zip(config.tls_key.as_ref()),
        };
        options.tls = files.map(|(certificate, key)| TlsFiles { certificate: certificate.clone(), key: key.clone() });
        if config.token_file.is_some() && options.tls.is_none() && !options.listen.ip().is_loopback() {
            return Err(format!(
                "tokens would go over the network as plain text: {} is not this machine alone; give --tls-cert and --tls-key",
                options.listen
            ));
        }
        Ok(options)
    }
}

/// The address of a text, by name or by number. A port alone is on this machine only.
fn address(written: &str) -> Result<SocketAddr, String> {
    let local = written.starts_with(':').then(|| format!("{}{written}", Options::ADDRESS.ip()));
    let told = |why: &dyn std::fmt::Display| {
        format!("--listen {written}: {why}; write HOST:PORT, as {} or 0.0.0.0:9080", Options::ADDRESS)
    };
    let mut found = local.as_deref().unwrap_or(written).to_socket_addrs().map_err(|why| told(&why))?;
    found.next().ok_or_else(|| told(&"the name has no address"))
}

/// Serves until it is told to stop.
pub fn run(args: &ServeArgs) -> ExitCode {
    let settings = match args.settings.read(args.config.as_deref()) {
        Asked::Run(settings) => settings,
        Asked::Ended(code) => return code,
    };
    if let Err(message) = args.logs.start() {
        return fail(&message, 2);
    }
    let config = settings.config();
    let mut setup = setup(&settings, args.core);
    setup.paused = args.paused;
    let started = args.listen.options(config, args.core).map_err(|why| (why, 2)).and_then(|options| {
        let opened = open(config.queues_file.as_deref(), args.workload.as_deref(), &setup).map_err(|why| (why, 1))?;
        let engine = engine(opened, args.speed, hook(&settings)).map_err(|why| (why, 1))?;
        let server = Server::start(options, Arc::clone(&engine)).map_err(|why| (why.to_string(), 1))?;
        Ok((engine, server))
    });
    match started {
        Ok((engine, server)) => until_told(&engine, server),
        Err((message, code)) => fail(&message, code),
    }
}

/// A running engine, which watches its configuration's file.
///
/// # Errors
/// Why it cannot run.
pub fn engine(opened: Opened, speed: f64, hook: Option<crate::engine::Hook>) -> Result<Arc<Engine>, String> {
    let started = Engine::start_telling(opened.core, speed, hook);
    let mut engine = started.map_err(|error| format!("the scheduler cannot be started: {error}"))?;
    if let Some((file, known)) = opened.watched {
        engine.watch(&file, known)?;
    }
    Ok(Arc::new(engine))
}

/// Waits for signals: SIGTERM and SIGINT end it, SIGHUP has certificates read again.
fn until_told(engine: &Engine, server: Server) -> ExitCode {
    let mut signals = match Signals::new([SIGTERM, SIGINT, SIGHUP]) {
        Ok(signals) => signals,
        Err(error) => return fail(&format!("signals cannot be heard: {error}"), 1),
    };
    let scheme = if server.is_encrypted() { "https" } else { "http" };
    tracing::info!("serving on {scheme}://{}", server.address());
    announce(&format!("{scheme}://{}", server.address()));
    for signal in signals.forever() {
        if signal != SIGHUP {
            tracing::info!("stopping");
            break;
        }
        match server.reload_certificates() {
            Ok(()) => tracing::info!("read certificates again"),
            Err(why) => tracing::error!("the certificates stay as they were: {why}"),
        }
    }
    drop(server);
    let alive = engine.published().is_alive();
    if alive { ExitCode::SUCCESS } else { fail("the scheduler had stopped", 1) }
}

/// Tells on standard output where the API is, for scripts that start a server on any free port.
fn announce(address: &str) {
    // Nobody may listen there.
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
    fn the_schedulers_own_configuration_says_where_it_listens() {
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

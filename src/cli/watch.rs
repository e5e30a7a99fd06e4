//! `kornsole watch`: trends and alerts of a remote scheduler without a screen.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::alerts::AlertArgs;
use super::attach::{self, WayArgs};
use super::logs::LogArgs;
use super::{fail, settings};
use alerts::{Alert, ChangeKind, Severity};
use cluster::kube::SCHEME;
use source::trends::Storage;
use source::{BoardSnapshot, Collector, Focus, FocusKind, Link, Source, Trends};

/// The arguments of `kornsole watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// Address, k8s://[CONTEXT][/NAMESPACE], or context of your settings
    ///
    /// The default is the current context of your kubeconfig.
    #[arg(long, value_name = "URL|CONTEXT", default_value = SCHEME)]
    pub server: String,
    /// The connection options
    #[command(flatten)]
    pub way: WayArgs,
    /// Your settings, which contain the contexts
    ///
    /// Default: $XDG_CONFIG_HOME/kornsole/settings.toml, if the file exists.
    #[arg(long = "settings", value_name = "FILE")]
    pub user_settings: Option<PathBuf>,
    /// The alert options
    #[command(flatten)]
    pub alerts: AlertArgs,
    /// Exit with code 4 on this condition, and print it
    #[arg(long, value_name = "WHAT")]
    pub exit_on: Option<ExitOn>,
    /// Minimum severity of an alert for --exit-on: info, warning, or critical
    #[arg(long, value_name = "SEVERITY", default_value = "warning", value_parser = severity, requires = "exit_on")]
    pub severity: Severity,
    /// The log options
    #[command(flatten)]
    pub logs: LogArgs,
}

/// The event that ends the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExitOn {
    /// An alert that is not silenced or inhibited fires
    Alert,
}

fn severity(text: &str) -> Result<Severity, String> {
    let known = [Severity::Info, Severity::Warning, Severity::Critical];
    let found = known.into_iter().find(|severity| severity.word() == text);
    found.ok_or_else(|| "expected info, warning, or critical".to_owned())
}

const ALERTED: u8 = 4;

/// The interval of checks of the connection and the file.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Collects until a signal stops it.
pub fn run(args: &WatchArgs) -> ExitCode {
    if let Err((message, code)) = args.logs.start() {
        return fail(&message, code);
    }
    let found = attach::contexts(args.user_settings.as_deref())
        .and_then(|contexts| attach::find(&args.server, &args.way, &contexts));
    let found = match found {
        Ok(found) => found,
        Err(report) => return fail(&report.message, report.code),
    };
    let mut signals = match Signals::new([SIGTERM, SIGINT, SIGHUP]) {
        Ok(signals) => signals,
        Err(error) => return fail(&format!("cannot receive signals: {error}"), 1),
    };
    let (source, retained) = match attach::watched(found, &args.alerts) {
        Ok(watched) => watched,
        Err(report) => return fail(&report.message, report.code),
    };
    // Applications are fetched only while they are on the screen.
    source.set_focus(&Focus { kind: FocusKind::Apps(None), ..Focus::default() });
    let collector = Collector::start(&source, Arc::clone(&retained));
    let mut reported = Reported::default();
    let mut code = ExitCode::SUCCESS;
    while signals.pending().next().is_none() {
        reported.print_line(&*source, &retained);
        let snapshot = source.alerts().map(|board| board.snapshot());
        if let Some(snapshot) = &snapshot {
            reported.report_alerts(snapshot);
        }
        let serious = |alert: &&Alert| alert.severity >= args.severity;
        let on: Vec<&Alert> = snapshot.iter().flat_map(|snapshot| snapshot.on()).filter(serious).collect();
        if args.exit_on == Some(ExitOn::Alert) && !on.is_empty() {
            let line = |alert: &&Alert| format!("{}  {}: {}\n", alert.severity, alert.title(), alert.text);
            let _ = settings::print(&on.iter().map(line).collect::<String>());
            code = ExitCode::from(ALERTED);
            break;
        }
        std::thread::sleep(CHECK_INTERVAL);
    }
    drop(collector);
    code
}

/// The last reported states, so that each is reported once.
#[derive(Default)]
struct Reported {
    link: Option<String>,
    storage: Option<Storage>,
    /// The number of the next change of an alert.
    change: Option<u64>,
    problem: Vec<String>,
}

impl Reported {
    /// Reports changes of alerts; earlier ones are in the log of an earlier run.
    fn report_alerts(&mut self, snapshot: &BoardSnapshot) {
        let from = self.change.replace(snapshot.next_change).unwrap_or(snapshot.next_change);
        for change in snapshot.recent.iter().filter(|change| change.number >= from) {
            match change.kind {
                ChangeKind::Firing => {
                    tracing::warn!("{} {}: {}", change.alert.severity, change.alert.title(), change.alert.text);
                }
                ChangeKind::Resolved => tracing::info!("{} resolved", change.alert.title()),
            }
        }
        if self.problem != snapshot.problem {
            snapshot.problem.iter().for_each(|why| tracing::warn!("{why}"));
            self.problem.clone_from(&snapshot.problem);
        }
    }

    fn print_line(&mut self, source: &dyn Source, trends: &Trends) {
        let link = link(&source.link());
        if self.link.as_ref() != Some(&link) {
            tracing::info!("{}: {link}", source.about().name);
            self.link = Some(link);
        }
        let storage = trends.storage();
        if self.storage.as_ref() != Some(&*storage) {
            match &*storage {
                Storage::Memory => {}
                Storage::Writes(file) | Storage::Recreated { file, .. } => {
                    if let Some(why) = storage.problem() {
                        tracing::warn!("{why}");
                    }
                    // Reports to scripts that the collection has started, and its file.
                    let _ = settings::print(&format!("{}\n", file.display()));
                }
                Storage::Reads(file) => {
                    tracing::info!("another process is writing {}: waiting until it ends", file.display());
                }
                Storage::Stopped(why) => tracing::error!("cannot store trends: {why}"),
            }
            self.storage = Some((*storage).clone());
        }
    }
}

fn link(link: &Link) -> String {
    match link {
        Link::Connecting { cause: None, .. } => "connecting".to_owned(),
        Link::Connecting { cause: Some(cause), .. } => format!("not connected yet: {cause}"),
        Link::Live { .. } => "connected".to_owned(),
        Link::Stale { cause, .. } => format!("the connection is lost: {cause}"),
        Link::Refused { why, .. } => why.clone(),
    }
}

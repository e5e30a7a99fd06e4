//! `kornsole watch`: collects the trends of a scheduler somewhere else, without a screen.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::attach::{self, WayArgs};
use super::logs::LogArgs;
use super::{fail, settings, trends};
use crate::kube::SCHEME;
use crate::source::trends::Keeping;
use crate::source::{Collector, Focus, FocusKind, Link, Remote, Source, Trends};

/// The arguments of `kornsole watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// The address of a kornsole or an Apache YuniKorn, k8s://[CONTEXT][/NAMESPACE] of your kubeconfig, or a context of your settings.
    /// Without it the current context of your kubeconfig
    #[arg(long, value_name = "URL|CONTEXT", default_value = SCHEME)]
    pub server: String,
    /// How it is asked
    #[command(flatten)]
    pub way: WayArgs,
    /// Your own settings, which hold the contexts. Without it $XDG_CONFIG_HOME/kornsole/settings.toml, if it is there
    #[arg(long = "settings", value_name = "FILE")]
    pub user_settings: Option<PathBuf>,
    /// What is logged
    #[command(flatten)]
    pub logs: LogArgs,
}

/// How often the connection and the file are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Collects until it is asked to stop.
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
        Err(error) => return fail(&format!("signals cannot be heard: {error}"), 1),
    };
    let kept = trends::attached(&found);
    let source: Arc<dyn Source> = match Remote::start(&found.target, found.options) {
        Ok(remote) => Arc::new(remote.with_trends(Arc::clone(&kept))),
        Err(fault) => return fail(&fault.to_string(), 1),
    };
    // Applications are asked for where they are on the screen: here they always are.
    source.set_focus(&Focus { kind: FocusKind::Apps(None), ..Focus::default() });
    let collector = Collector::start(&source, Arc::clone(&kept));
    let mut said = Said::default();
    while signals.pending().next().is_none() {
        said.say(&*source, &kept);
        std::thread::sleep(LOOK_EVERY);
    }
    drop(collector);
    ExitCode::SUCCESS
}

/// What was said last, so that it is said once.
#[derive(Default)]
struct Said {
    link: Option<String>,
    keeping: Option<Keeping>,
}

impl Said {
    fn say(&mut self, source: &dyn Source, trends: &Trends) {
        let link = link(&source.link());
        if self.link.as_ref() != Some(&link) {
            tracing::info!("{}: {link}", source.about().name);
            self.link = Some(link);
        }
        let keeping = trends.keeping();
        if self.keeping.as_ref() != Some(&*keeping) {
            match &*keeping {
                Keeping::Memory => {}
                Keeping::Writes(file) => {
                    // For scripts: it collects now, and where. Nobody may listen there.
                    let _ = settings::print(&format!("{}\n", file.display()));
                }
                Keeping::Reads(file) => {
                    tracing::info!("another process writes {}: this one continues when it ends", file.display());
                }
                Keeping::Stopped(why) => tracing::error!("trends are not kept: {why}"),
            }
            self.keeping = Some((*keeping).clone());
        }
    }
}

/// The connection in words.
fn link(link: &Link) -> String {
    match link {
        Link::Connecting { cause: None, .. } => "connecting".to_owned(),
        Link::Connecting { cause: Some(cause), .. } => format!("not connected yet: {cause}"),
        Link::Live { .. } => "connected".to_owned(),
        Link::Stale { cause, .. } => format!("the connection is down: {cause}"),
        Link::Refused { why, .. } => why.clone(),
    }
}

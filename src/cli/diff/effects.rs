//! Applications affected by a changed configuration.

use std::path::PathBuf;

use clap::Args;

use super::review::Reviewed;
use crate::cli::remote::{ClientArgs, ServerArgs};
use crate::cli::whatif::origin;
use engine::journal::DirInspection;
use forecast::whatif::{ConfigEffect, Fork, config_effects};
use model::Profile;

/// The scheduler with the applications.
#[derive(Args, Clone, Debug, Default)]
#[group(id = "applications", multiple = false)]
pub struct ApplicationArgs {
    /// With --git: list the effects on the applications at the end of a scenario
    #[arg(long, value_name = "FILE", requires = "git")]
    pub workload: Option<PathBuf>,
    /// With --git: list the effects on the applications in a state directory
    #[arg(long, value_name = "DIR", requires = "git")]
    pub state: Option<PathBuf>,
    /// With --git: list the effects on the applications in a state dump
    #[arg(long, value_name = "FILE", requires = "git")]
    pub dump: Option<PathBuf>,
    /// With --git: list the effects on the applications of a scheduler, for example k8s://
    #[arg(long, value_name = "URL|CONTEXT", requires = "git")]
    pub server: Option<String>,
}

/// `None` if none are examined. Fails if unreadable, if several configurations differ, or one is rejected.
pub(super) fn effects(
    all: &[Reviewed],
    args: &ApplicationArgs,
    client: &ClientArgs,
    core: Profile,
) -> Result<Option<Vec<ConfigEffect>>, String> {
    let Some(fork) = fork(args, client, core)? else { return Ok(None) };
    let changed: Vec<&Reviewed> = all.iter().filter(|one| !one.is_same()).collect();
    let one = match changed.as_slice() {
        [] => return Ok(Some(Vec::new())),
        [one] => one,
        several => {
            let files: Vec<&str> = several.iter().map(|one| one.file.as_str()).collect();
            let files = files.join(", ");
            return Err(format!("several configurations differ, and a scheduler has one: {files}; name its path"));
        }
    };
    let Some(new) = one.head.as_ref().and_then(|head| head.config.as_ref()) else {
        return Err(format!("{}: no valid configuration, so its effects are unknown", one.file));
    };
    let old = one.base.as_ref().and_then(|base| base.config.as_ref());
    config_effects(fork.scheduler(), fork.partition_name(), fork.now(), (old, new)).map(Some)
}

fn fork(args: &ApplicationArgs, client: &ClientArgs, core: Profile) -> Result<Option<Fork>, String> {
    if let Some(file) = &args.workload {
        return origin::of_scenario(file, None, core).map(Some);
    }
    if let Some(dir) = &args.state {
        let look = DirInspection::open(dir).map_err(|problem| problem.reported_of(dir))?;
        return look.fork(None).map(Some).map_err(|why| format!("{}: {why}", dir.display()));
    }
    let twin = match (&args.dump, &args.server) {
        (Some(dump), _) => origin::of_dump(dump, None)?.trusted_fork(usize::MAX),
        (None, Some(server)) => {
            let server = ServerArgs { server: server.clone(), client: client.clone() };
            server.twin(None)?.trusted_fork(usize::MAX)
        }
        (None, None) => return Ok(None),
    };
    twin.map(Some)
}

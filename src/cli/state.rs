//! `--state DIR`: a scheduler with persistent state.

use std::path::PathBuf;

use clap::Args;

use super::serve;
use config::Settings;
use engine::journal::{Dir, MakeCore, RunningJournal, lock};
use engine::{Core, Setup};
use scenario::Workload;
use server::Server;

/// The directory of the state.
#[derive(Args, Clone, Debug, Default)]
pub struct StateArgs {
    /// Directory for persistent state; restored at the next start
    #[arg(long = "state", value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// If the state is corrupt, move the corrupt file and continue with the intact part
    #[arg(long = "state-repair")]
    pub repair: bool,
}

impl StateArgs {
    /// The same with the settings; a flag has precedence.
    #[must_use]
    pub fn by(&self, settings: &Settings) -> Self {
        Self { dir: settings.config().state_dir.clone(), repair: self.repair }
    }

    /// The scheduler of the directory, or a new one, with its storage. Without a directory nothing is stored.
    ///
    /// # Errors
    /// Why the directory cannot be used, or the new scheduler cannot start.
    pub fn start(
        &self,
        setup: &Setup,
        speed: f64,
        workload: Option<Box<dyn Workload>>,
        fresh: MakeCore<'_>,
    ) -> Result<(Core, Option<RunningJournal>), String> {
        let Some(path) = &self.dir else {
            if self.repair {
                return Err("--state-repair: no state directory; use --state DIR".to_owned());
            }
            return Ok((fresh(workload)?, None));
        };
        let dir = Dir::open(path, self.repair).map_err(|problem| problem.to_string())?;
        let notes = dir.notes().to_vec();
        let (mut core, retained) =
            dir.start(setup, speed, workload, fresh).map_err(|problem| format!("{}: {problem}", path.display()))?;
        for note in notes {
            core.report_repair(note);
        }
        Ok((core, Some(retained)))
    }

    /// Writes the address of the server to the directory.
    pub fn served(&self, server: &Server) {
        if let Some(dir) = &self.dir {
            lock::served(dir, &serve::url(server));
        }
    }

    /// The note for the console.
    pub fn note(&self) -> String {
        match &self.dir {
            Some(dir) => format!("The state is saved in {}.", dir.display()),
            None => "The state is lost at exit; use --state DIR to save it.".to_owned(),
        }
    }
}

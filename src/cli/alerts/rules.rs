//! The active rules, and the board that evaluates them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::cli::{load, user_settings};
use alerts::alerting::{Board, Store, send};
use alerts::read::defaults;
use alerts::{Rules, read};
use config::Source;
use model::Time;

/// The rules of alerts.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertArgs {
    /// File with alert rules, which override the default rules
    ///
    /// Default: $XDG_CONFIG_HOME/kornsole/alerts.toml, if the file exists.
    #[arg(long = "alerts", value_name = "FILE")]
    pub rules: Option<PathBuf>,
}

impl AlertArgs {
    /// The active rules, with notes.
    ///
    /// # Errors
    /// All errors of a named file, rendered. An invalid file of the user's settings is reported, and the default rules
    /// apply.
    pub fn read(&self) -> Result<(Rules, Vec<String>), String> {
        if let Some(file) = &self.rules {
            return Ok((of_file(file)?, Vec::new()));
        }
        let Some(file) = default_file().filter(|file| file.exists()) else { return Ok((defaults(), Vec::new())) };
        Ok(match of_file(&file) {
            Ok(rules) => (rules, Vec::new()),
            Err(why) => {
                let first = why.lines().next().unwrap_or_default();
                (
                    defaults(),
                    vec![format!("the default rules are active: {first}; run `kornsole alerts check` for all errors")],
                )
            }
        })
    }

    /// The board of a cluster, stored in `dir` if given. Its threads for sending run.
    ///
    /// # Errors
    /// As [`AlertArgs::read`], or threads cannot start.
    pub fn board(&self, cluster: &str, dir: Option<&Path>, now: Time) -> Result<Arc<Board>, String> {
        let (mut rules, mut notes) = self.read()?;
        let store = match dir.map(Store::open).transpose() {
            Ok(store) => store,
            Err(why) => {
                // No alert is sent twice.
                let sends = !rules.targets.receivers.is_empty();
                rules.targets.receivers.clear();
                notes.push(format!("{why}: data is not saved{} here", if sends { " or sent" } else { "" }));
                None
            }
        };
        let board = Arc::new(Board::new(cluster, Arc::new(rules), store, now, notes));
        send::start(&board).map_err(|error| format!("cannot send alerts: {error}"))?;
        Ok(board)
    }
}

/// The rules of a file over the defaults.
///
/// # Errors
/// The file cannot be read, or all errors in it, rendered.
pub fn of_file(file: &Path) -> Result<Rules, String> {
    let bytes = load::bytes(file)?;
    let name = file.display().to_string();
    let text = String::from_utf8(bytes).map_err(|_| format!("{name}: not UTF-8"))?;
    let found = read(&text);
    found.rules.ok_or_else(|| Source::new(&name, &text).render_all(&found.faults))
}

fn default_file() -> Option<PathBuf> {
    Some(user_settings::dir()?.join("alerts.toml"))
}

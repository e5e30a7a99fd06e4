//! Commands for a remote scheduler with `--server`, and for the state directory of a stopped one.
//!
//! They print tables, or with `--json` sorted JSON in the REST form of 1.8.0 for every release. Exit codes: 0 success,
//! 1 rejected or not found, 2 invalid usage, 3 no answer.

mod act;
mod apply;
mod audit_source;
mod effects;
mod events;
mod explain;
mod killing;
mod records;
mod show;
pub(super) mod table;
mod unknown;
mod usage;
mod whoami;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::attach::{self, WayArgs};
use super::look::Rejected;
use super::printed::{csv, document, safe};
use super::{fail, print_line, trends};
pub use act::{KillArgs, MoveArgs, kill, move_to};
pub use apply::{AllowedRemovalArgs, ApplyArgs, apply};
use client::{Fault, Limits, Remote};
pub use events::{EventsArgs, events};
pub use explain::{ExplainArgs, explain, fairness};
use forecast::twin::Twin;
use model::Time;
pub use records::{AuditArgs, ConfigArgs, audit, config};
pub use show::{AppArgs, AppsArgs, ShowArgs, app, apps, nodes, queues, users};
use source::remote::once::Once;
pub use usage::{UsageArgs, moment, usage};
pub use whoami::{WhoAmIArgs, whoami};
use wire::dto::native::{WhatIf, WhatIfResult};

const UNREACHABLE: u8 = 3;
const WATCH: Duration = Duration::from_secs(2);

/// The server and the connection options.
#[derive(Args, Clone, Debug)]
pub struct ServerArgs {
    /// Address, k8s://[CONTEXT][/NAMESPACE], or context of your settings
    #[arg(long, value_name = "URL|CONTEXT")]
    pub server: String,
    /// The connection options
    #[command(flatten)]
    pub client: ClientArgs,
}

/// The connection and output options of all commands for a server.
#[derive(Args, Clone, Debug, Default)]
pub struct ClientArgs {
    /// Your settings, which contain the contexts
    ///
    /// Default: $XDG_CONFIG_HOME/kornsole/settings.toml, if the file exists.
    #[arg(long = "settings", value_name = "FILE")]
    pub user_settings: Option<PathBuf>,
    /// The connection options
    #[command(flatten)]
    pub way: WayArgs,
    /// Print the output as JSON
    #[arg(long)]
    pub json: bool,
}

/// Where a what-if ran, or can run.
pub enum WhatIfOrigin {
    /// The server did it.
    Tried(Box<WhatIfResult>),
    /// The server tries nothing itself; this stands where it stands.
    Twin(Box<Twin>),
}

struct Ended {
    message: String,
    code: u8,
}

impl From<Rejected> for Ended {
    fn from(refused: Rejected) -> Self {
        Self { message: refused.message, code: refused.code }
    }
}

impl From<Fault> for Ended {
    fn from(fault: Fault) -> Self {
        let code = if fault.is_answer() || fault.is_final() { 1 } else { UNREACHABLE };
        Self { message: fault.to_string(), code }
    }
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Self {
        Self { message: format!("cannot write the output: {error}"), code: 1 }
    }
}

impl ServerArgs {
    fn connect(&self) -> Result<Once, Ended> {
        Ok(self.connect_named()?.0)
    }

    /// Connects; returns the name of the context, which identifies the stored data on this machine.
    fn connect_named(&self) -> Result<(Once, String), Ended> {
        let contexts = attach::contexts(self.client.user_settings.as_deref())?;
        let found = attach::find(&self.server, &self.client.way, &contexts)?;
        for note in &found.options.notes {
            note_on_stderr(&format!("warning: {note}"));
        }
        Ok((Once::connect(&found.target, Limits::default())?, trends::context(&found)))
    }

    /// Fetches a path of kornsole's own API, if the server has the feature.
    ///
    /// # Errors
    /// Why the request failed, and the exit code.
    pub fn own(&self, path: &str, feature: &str) -> Result<Vec<u8>, (String, u8)> {
        let asked = || {
            let once = self.connect()?;
            match once.remote() {
                Remote::Kornsole(known) if known.can(feature) => Ok(once.own(path)?.to_vec()),
                Remote::Kornsole(_) => Err(Ended { message: format!("this server has no {feature}"), code: 1 }),
                Remote::YuniKorn(_) => Err(Ended { message: format!("Apache YuniKorn has no {feature}"), code: 1 }),
            }
        };
        asked().map_err(|ended: Ended| (ended.message, ended.code))
    }

    /// Sends an operation to a path of kornsole's own API. Every release with the feature `alerts` has these paths.
    ///
    /// # Errors
    /// Why it failed, and the exit code.
    pub fn order<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        reason: &str,
        body: Option<&impl Serialize>,
    ) -> Result<T, (String, u8)> {
        let done = || {
            let once = act::connect(self)?;
            match once.remote() {
                Remote::Kornsole(known) if known.can("alerts") => Ok(once.own_order(method, path, reason, body)?),
                Remote::Kornsole(_) => Err(Ended { message: "this server has no alerts".to_owned(), code: 1 }),
                Remote::YuniKorn(_) => Err(Ended { message: "Apache YuniKorn has no alerts".to_owned(), code: 1 }),
            }
        };
        done().map_err(|ended: Ended| (ended.message, ended.code))
    }

    /// Runs a what-if on a kornsole server, or creates a simulation copy of Apache YuniKorn for it; by default of the
    /// first partition.
    ///
    /// # Errors
    /// Why it failed, and the exit code.
    pub fn what_if(&self, asked: &WhatIf, partition: Option<&str>) -> Result<WhatIfOrigin, (String, u8)> {
        let tried = || {
            let mut once = self.connect()?;
            if let Remote::Kornsole(server) = once.remote() {
                let core = server.core.clone();
                return Ok(WhatIfOrigin::Tried(Box::new(WhatIfResult { core, ..once.what_if(asked)? })));
            }
            let twin = once.twin(partition.unwrap_or("default"), now())?;
            twin.map(|twin| WhatIfOrigin::Twin(Box::new(twin))).map_err(|message| Ended { message, code: 1 })
        };
        tried().map_err(|ended: Ended| (ended.message, ended.code))
    }

    /// A simulation copy of a partition, by default of the first one.
    ///
    /// # Errors
    /// The scheduler cannot be reached, or its lists are not sufficient.
    pub fn twin(&self, partition: Option<&str>) -> Result<Twin, String> {
        let made = self.connect().and_then(|mut once| Ok(once.twin(partition.unwrap_or("default"), now())?));
        made.map_err(|ended| ended.message)?
    }
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}

fn note_on_stderr(note: &str) {
    print_line(&safe(note));
}

/// A closed pipe is not an error.
fn exit(result: Result<(), Ended>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(ended) => fail(&ended.message, ended.code),
    }
}

/// Prints a text. Returns whether the pipe is still open.
fn print(text: &str) -> Result<bool, Ended> {
    write_out(&safe(text))
}

/// Prints CSV, with a carriage return and a newline after each line.
fn print_csv(text: &str) -> Result<bool, Ended> {
    write_out(&csv(text))
}

/// Prints a whole file; in a pipe its bytes are unchanged.
fn print_document(text: &str) -> Result<bool, Ended> {
    write_out(&document(text))
}

fn write_out(text: &str) -> Result<bool, Ended> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Prints the result of `make`; with `watch` again after each change. A lost connection is reported and retried.
fn print_or_watch(watch: bool, mut make: impl FnMut() -> Result<String, Ended>) -> Result<(), Ended> {
    let mut last = make()?;
    if !print(&last)? || !watch {
        return Ok(());
    }
    let mut silent = false;
    loop {
        std::thread::sleep(WATCH);
        match make() {
            Ok(text) if text == last => silent = false,
            Ok(text) => {
                if !print(&text)? {
                    return Ok(());
                }
                (last, silent) = (text, false);
            }
            Err(ended) if ended.code == UNREACHABLE => {
                if !std::mem::replace(&mut silent, true) {
                    note_on_stderr(&format!("warning: {}; retrying", ended.message));
                }
            }
            Err(ended) => return Err(ended),
        }
    }
}

/// Escapes control characters except newlines.
pub(super) fn escaped(text: &str) -> String {
    act::escape_lines(text)
}

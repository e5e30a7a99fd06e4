//! `kornsole audit` and `kornsole config history|show|diff|rollback`: what was, at a kornsole somewhere else.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::act::{connect, told};
use super::table::Table;
use super::{Ended, ServerArgs, exit, print};
use crate::api::client::{Remote, once};
use crate::api::dto::json::to_bytes;
use crate::api::dto::ledger::{Audit, AuditEntry, RevisionInfo, Revisions};
use crate::api::dto::ours::ConfigState;
use crate::api::dto::time::rfc3339;
use crate::config;
use crate::model::Profile;
use crate::source::remote::once::Once;
use crate::view::act::{Act, Order};

/// How many are asked for at once.
const PAGE: usize = 1000;

/// The arguments of `kornsole audit`.
#[derive(Args, Clone, Debug)]
pub struct AuditArgs {
    /// Which scheduler
    #[command(flatten)]
    pub server: ServerArgs,
    /// At most so many, the newest
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub last: usize,
    /// Only what this user did
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Only this: `kill`, `move`, `config`, `rollback`, `drain-node`…
    #[arg(long, value_name = "NAME")]
    pub action: Option<String>,
    /// Only what was done to this application, node, or `configuration`
    #[arg(long, value_name = "NAME")]
    pub object: Option<String>,
}

/// The arguments of `kornsole config`.
#[derive(Args, Clone, Debug)]
pub struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum ConfigCommand {
    /// List the configurations that were in force, the oldest first
    History {
        /// Which scheduler
        #[command(flatten)]
        server: ServerArgs,
        /// At most so many, the newest
        #[arg(long, value_name = "N", default_value_t = 100)]
        last: usize,
    },
    /// Print the text of one of them
    Show {
        /// Which. Without it, the one in force
        #[arg(value_name = "REVISION")]
        revision: Option<u64>,
        /// Which scheduler
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Compare two of them as trees
    Diff {
        /// The old one
        #[arg(value_name = "OLD")]
        old: u64,
        /// The new one. Without it, the one in force
        #[arg(value_name = "NEW")]
        new: Option<u64>,
        /// Which scheduler
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Bring one of them back, as a new revision
    Rollback {
        /// Which
        #[arg(value_name = "REVISION")]
        revision: u64,
        /// The checksum of the configuration that it is meant to replace. Without it, that which is in force now
        #[arg(long, value_name = "CHECKSUM")]
        base: Option<String>,
        /// Only tell what would happen
        #[arg(long)]
        dry_run: bool,
        /// Why, for the record
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        /// Which scheduler
        #[command(flatten)]
        server: ServerArgs,
    },
}

/// `kornsole audit`.
pub fn audit(args: &AuditArgs) -> ExitCode {
    exit(print_audit(args))
}

/// `kornsole config`.
pub fn config(args: &ConfigArgs) -> ExitCode {
    exit(match &args.command {
        ConfigCommand::History { server, last } => history(server, *last),
        ConfigCommand::Show { revision, server } => show(server, *revision),
        ConfigCommand::Diff { old, new, server } => diff(server, *old, *new),
        ConfigCommand::Rollback { revision, base, dry_run, reason, server } => {
            roll_back(server, (*revision, base.clone(), *dry_run), reason)
        }
    })
}

/// A connection to a kornsole.
fn connect_to_look(server: &ServerArgs) -> Result<Once, Ended> {
    let once = server.connect()?;
    match once.remote() {
        Remote::Kornsole(known) if known.can("audit") => Ok(once),
        Remote::Kornsole(_) => Err(Ended { message: "this kornsole keeps no ledger".to_owned(), code: 1 }),
        Remote::YuniKorn(_) => {
            let message = "an Apache YuniKorn keeps neither an audit nor a history of configurations".to_owned();
            Err(Ended { message, code: 1 })
        }
    }
}

fn get<T: DeserializeOwned>(once: &Once, path: &str) -> Result<T, Ended> {
    let bytes = once.own(path)?;
    serde_json::from_slice(&bytes).map_err(|error| Ended { message: format!("{path}: {error}"), code: 1 })
}

/// A value as one line of JSON.
fn line(value: &impl Serialize) -> String {
    let text = String::from_utf8_lossy(&to_bytes(value)).into_owned();
    if text.ends_with('\n') { text } else { format!("{text}\n") }
}

fn print_audit(args: &AuditArgs) -> Result<(), Ended> {
    let once = connect_to_look(&args.server)?;
    let wanted = [("user", &args.user), ("action", &args.action), ("object", &args.object)];
    let filter: String =
        wanted.iter().filter_map(|(name, value)| Some(format!("&{name}={}", once_encoded(value.as_ref()?)))).collect();
    let mut entries: Vec<AuditEntry> = Vec::new();
    let mut only = None;
    while entries.len() < args.last {
        let limit = PAGE.min(args.last - entries.len());
        let before = entries.last().map(|last| format!("&before={}", last.id)).unwrap_or_default();
        let page: Audit = get(&once, &format!("audit?limit={limit}{before}{filter}"))?;
        only = page.only;
        let whole = page.entries.len() == limit;
        entries.extend(page.entries);
        if !whole {
            break;
        }
    }
    if let Some(user) = only {
        super::note_on_stderr(&format!("only {user}'s own: the scheduler ACL sees all"));
    }
    entries.reverse();
    if args.server.json {
        return print(&entries.iter().map(line).collect::<String>()).map(|_| ());
    }
    let mut table = Table::new(&["TIME", "WHO", "ACTION", "OBJECT", "RESULT", "FROM", "WHY"]);
    for entry in entries {
        let result = if entry.allowed { "done".to_owned() } else { entry.code };
        let why = [entry.reason, entry.why].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" / ");
        let who = if entry.user.is_empty() { "-".to_owned() } else { entry.user };
        table.row(vec![rfc3339(entry.at), who, entry.action, entry.object, result, entry.address, why]);
    }
    print(&table.text()).map(|_| ())
}

/// A text as the value of a query parameter.
fn once_encoded(text: &str) -> String {
    once(text).replace('+', "%2B")
}

fn revisions(once: &Once, last: usize) -> Result<Vec<RevisionInfo>, Ended> {
    let mut found: Vec<RevisionInfo> = Vec::new();
    while found.len() < last {
        let limit = PAGE.min(last - found.len());
        let before = found.last().map(|last| format!("&before={}", last.revision)).unwrap_or_default();
        let page: Revisions = get(once, &format!("config/history?limit={limit}{before}"))?;
        let whole = page.revisions.len() == limit;
        found.extend(page.revisions);
        if !whole {
            break;
        }
    }
    found.reverse();
    Ok(found)
}

fn history(server: &ServerArgs, last: usize) -> Result<(), Ended> {
    let found = revisions(&connect_to_look(server)?, last)?;
    if server.json {
        return print(&found.iter().map(line).collect::<String>()).map(|_| ());
    }
    let mut table = Table::new(&[">REV", "TIME", "BY", "HOW", ">CHANGES", "CHECKSUM", "", "WHY"]);
    for one in found {
        let how = one.rollback_of.map_or(one.source, |of| format!("rollback to {of}"));
        let checksum = one.checksum.chars().take(12).collect();
        let current = if one.current { "in force" } else { "" }.to_owned();
        let (number, changes) = (one.revision.to_string(), one.changes.to_string());
        table.row(vec![number, rfc3339(one.at), one.by, how, changes, checksum, current, one.reason]);
    }
    print(&table.text()).map(|_| ())
}

/// A configuration that was in force; without a number, the one that is.
fn state(once: &Once, revision: Option<u64>) -> Result<ConfigState, Ended> {
    match revision {
        Some(number) => get(once, &format!("config/history/{number}")),
        None => get(once, "config"),
    }
}

fn show(server: &ServerArgs, revision: Option<u64>) -> Result<(), Ended> {
    let state = state(&connect_to_look(server)?, revision)?;
    let text = if server.json { line(&state) } else { state.text };
    print(&text).map(|_| ())
}

fn diff(server: &ServerArgs, old: u64, new: Option<u64>) -> Result<(), Ended> {
    let once = connect_to_look(server)?;
    let read = |number: Option<u64>| -> Result<config::Config, Ended> {
        let state = state(&once, number)?;
        let reading = config::read_file(state.text.as_bytes(), config::DEFAULT_POLICY_GROUP, Profile::default());
        let fault = || reading.faults.first().map(ToString::to_string).unwrap_or_default();
        let message = || format!("revision {} does not read: {}", state.revision, fault());
        reading.config.clone().ok_or_else(|| Ended { message: message(), code: 1 })
    };
    let diff = config::diff(&read(Some(old))?, &read(new)?);
    let text = if server.json { format!("{:#}\n", diff.to_json()) } else { diff.to_text() };
    print(&text).map(|_| ())
}

fn roll_back(server: &ServerArgs, of: (u64, Option<String>, bool), reason: &str) -> Result<(), Ended> {
    let (revision, base, dry_run) = of;
    let mut once = connect(server)?;
    let base = match base {
        Some(base) => Some(base),
        None => once.configuration()?.map(|running| running.checksum.clone()),
    };
    let act = Act::Rollback { revision, base, dry_run };
    let done = once.act(&Order { act, reason: reason.to_owned() })?;
    print(&told(&done, server.json)).map(|_| ())
}

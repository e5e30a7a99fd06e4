//! `kornsole audit` and `kornsole config history|show|diff|rollback`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::act::connect;
use super::apply::{ChangeArgs, Sent, change};
use super::audit_source::AuditSourceArgs;
use super::table::Table;
use super::{Ended, exit, print, print_document};
use view::act::Act;
use view::audit::AuditQuery;
use wire::dto::json::to_bytes;
use wire::dto::time::rfc3339;

/// The arguments of `kornsole audit`.
#[derive(Args, Clone, Debug)]
pub struct AuditArgs {
    /// The source: a server or a state directory
    #[command(flatten)]
    pub of: AuditSourceArgs,
    /// Maximum number of entries; kornsole shows the latest
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub last: usize,
    /// Only operations of this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Only this operation: `kill`, `move`, `config`, `rollback`, `drain-node`, …
    #[arg(long, value_name = "NAME")]
    pub action: Option<String>,
    /// Only operations on this application, node, or `configuration`
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
    /// List the revisions of the configuration, oldest first
    History {
        /// The source: a server or a state directory
        #[command(flatten)]
        of: AuditSourceArgs,
        /// Maximum number of revisions; kornsole shows the latest
        #[arg(long, value_name = "N", default_value_t = 100)]
        last: usize,
    },
    /// Print a revision of the configuration
    Show {
        /// Revision [default: the active one]
        #[arg(value_name = "REVISION")]
        revision: Option<u64>,
        /// The source: a server or a state directory
        #[command(flatten)]
        of: AuditSourceArgs,
    },
    /// Compare two revisions of the configuration
    Diff {
        /// Old revision of the configuration
        #[arg(value_name = "OLD")]
        old: u64,
        /// New revision [default: the active one]
        #[arg(value_name = "NEW")]
        new: Option<u64>,
        /// The source: a server or a state directory
        #[command(flatten)]
        of: AuditSourceArgs,
    },
    /// Roll back to an earlier revision, as a new revision
    Rollback {
        /// Revision, from `kornsole config history`
        #[arg(value_name = "REVISION")]
        revision: u64,
        /// The options of the change
        #[command(flatten)]
        change: ChangeArgs,
        /// The source: a server or a state directory
        #[command(flatten)]
        of: AuditSourceArgs,
    },
}

/// `kornsole audit`: operations and rejections, with their users.
pub fn audit(args: &AuditArgs) -> ExitCode {
    exit(print_audit(args))
}

/// `kornsole config`: revisions, their configurations, and rollback.
pub fn config(args: &ConfigArgs) -> ExitCode {
    exit(match &args.command {
        ConfigCommand::History { of, last } => history(of, *last),
        ConfigCommand::Show { revision, of } => show(of, *revision),
        ConfigCommand::Diff { old, new, of } => diff(of, *old, *new),
        ConfigCommand::Rollback { revision, change, of } => roll_back(of, *revision, change),
    })
}

fn line(value: &impl Serialize) -> String {
    let text = String::from_utf8_lossy(&to_bytes(value)).into_owned();
    if text.ends_with('\n') { text } else { format!("{text}\n") }
}

fn print_audit(args: &AuditArgs) -> Result<(), Ended> {
    let AuditArgs { of, last, user, action, object } = args;
    let (user, action, object) = (user.clone(), action.clone(), object.clone());
    let query = AuditQuery { before: None, limit: *last, user, action, object };
    let source = of.open()?;
    let (mut entries, only) = source.audit(&query)?;
    if let Some(user) = only {
        super::note_on_stderr(&format!(
            "note: only the entries of {user} are shown; members of the scheduler ACL see \
            all entries"
        ));
    }
    entries.reverse();
    if of.client.json {
        print(&entries.iter().map(line).collect::<String>())?;
        return source.end();
    }
    let mut table = Table::new(&["TIME", "WHO", "ACTION", "OBJECT", "RESULT", "FROM", "WHY"]);
    for entry in entries {
        let result = if entry.allowed { "done".to_owned() } else { entry.code };
        let why = [entry.reason, entry.why].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" / ");
        let who = if entry.user.is_empty() { "-".to_owned() } else { entry.user };
        table.row(vec![rfc3339(entry.at), who, entry.action, entry.object, result, entry.address, why]);
    }
    print(&table.text())?;
    source.end()
}

fn history(of: &AuditSourceArgs, last: usize) -> Result<(), Ended> {
    let source = of.open()?;
    let mut found = source.revisions(last)?;
    found.reverse();
    if of.client.json {
        print(&found.iter().map(line).collect::<String>())?;
        return source.end();
    }
    let mut table = Table::new(&[">REV", "TIME", "BY", "HOW", ">CHANGES", "CHECKSUM", "", "WHY"]);
    for one in found {
        let how = one.rollback_of.map_or(one.source, |of| format!("rollback to {of}"));
        let checksum = one.checksum.chars().take(12).collect();
        let current = if one.current { "active" } else { "" }.to_owned();
        let (number, changes) = (one.revision.to_string(), one.changes.to_string());
        table.row(vec![number, rfc3339(one.at), one.by, how, changes, checksum, current, one.reason]);
    }
    print(&table.text())?;
    source.end()
}

fn show(of: &AuditSourceArgs, revision: Option<u64>) -> Result<(), Ended> {
    let source = of.open()?;
    let state = source.state(revision)?;
    if of.client.json { print(&line(&state)) } else { print_document(&state.text) }?;
    source.end()
}

fn diff(of: &AuditSourceArgs, old: u64, new: Option<u64>) -> Result<(), Ended> {
    let source = of.open()?;
    let profile = source.profile();
    let read = |number: Option<u64>| -> Result<config::Config, Ended> {
        let state = source.state(number)?;
        let reading = config::read_file(state.text.as_bytes(), &state.policy_group, profile);
        let fault = || reading.faults.first().map(ToString::to_string).unwrap_or_default();
        let message = || format!("revision {} is invalid: {}", state.revision, fault());
        reading.config.clone().ok_or_else(|| Ended { message: message(), code: 1 })
    };
    let diff = config::diff(&read(Some(old))?, &read(new)?);
    let text = if of.client.json { format!("{:#}\n", diff.to_json()) } else { diff.to_text() };
    print(&text)?;
    source.end()
}

fn roll_back(of: &AuditSourceArgs, revision: u64, args: &ChangeArgs) -> Result<(), Ended> {
    if let Some(dir) = &of.state {
        let dir = dir.display();
        let message = format!(
            "only a running scheduler can roll back, because it shows the effects: start one with --state {dir} and use --server; or print the text with `kornsole config show {revision} --state {dir}`, and start with it"
        );
        return Err(Ended { message, code: 2 });
    }
    let server = of.server_args();
    let mut once = connect(&server)?;
    let act = |base| Act::Rollback { revision, base, dry_run: true };
    change(
        &mut once,
        args,
        of.client.json,
        &Sent { name: &format!("revision {revision}"), found: None, act: &act, texts: None },
    )
}

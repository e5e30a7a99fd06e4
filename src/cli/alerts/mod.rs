//! `kornsole alerts`, and the rules of every command that evaluates them.

mod list;
mod replay;
mod rules;
mod silence;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::settings::print;
use super::{fail, load};
use alerts::read::DEFAULTS;
use alerts::{Kind, read};
use config::Source;
pub use rules::{AlertArgs, of_file};

/// The arguments of `kornsole alerts`.
#[derive(Args, Clone, Debug)]
pub struct AlertsArgs {
    /// What is done
    #[command(subcommand)]
    pub command: AlertsCommand,
}

/// The subcommands of `kornsole alerts`.
#[derive(Clone, Debug, Subcommand)]
pub enum AlertsCommand {
    /// Check files of alert rules and report every error
    Check {
        /// Files with alert rules; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print the default alert rules as a file
    Defaults,
    /// Print the conditions of rules and their units
    Kinds,
    /// Test alert rules on the history in a state directory
    Replay(replay::ReplayArgs),
    /// List the alerts of a server
    List(Box<list::ListArgs>),
    /// Silence an alert rule or some of its alerts
    ///
    /// The operation requires the scheduler ACL and is recorded in the audit.
    Silence(Box<silence::SilenceArgs>),
    /// List the silences of a server
    Silences(Box<silence::SilencesArgs>),
    /// Remove a silence before it expires
    ///
    /// The operation requires the scheduler ACL and is recorded in the audit.
    Unsilence(Box<silence::UnsilenceArgs>),
}

/// Runs the command.
pub fn run(args: &AlertsArgs) -> ExitCode {
    match &args.command {
        AlertsCommand::Check { files } => check(files),
        AlertsCommand::Defaults => print(DEFAULTS),
        AlertsCommand::Kinds => print(&kinds()),
        AlertsCommand::Replay(args) => replay::run(args),
        AlertsCommand::List(args) => list::run(args),
        AlertsCommand::Silence(args) => silence::silence(args),
        AlertsCommand::Silences(args) => silence::silences(args),
        AlertsCommand::Unsilence(args) => silence::unsilence(args),
    }
}

fn check(files: &[PathBuf]) -> ExitCode {
    let mut report = String::new();
    let mut lines = String::new();
    for file in files {
        let text = load::bytes(file)
            .and_then(|bytes| String::from_utf8(bytes).map_err(|_| format!("{}: no UTF-8", file.display())));
        let text = match text {
            Ok(text) => text,
            Err(why) => {
                report += &format!("{why}\n");
                continue;
            }
        };
        let found = read(&text);
        report += &Source::new(&file.display().to_string(), &text).render_all(&found.faults);
        if let Some(rules) = found.rules {
            let receivers = rules.targets.receivers.len();
            lines += &format!("{}: {} rules, {receivers} receivers\n", file.display(), rules.rules.len());
        }
    }
    let printed = print(&lines);
    if report.is_empty() { printed } else { fail(&report, 1) }
}

fn kinds() -> String {
    let unit = |kind: &Kind| match kind.unit() {
        alerts::rule::Unit::Nothing => "no threshold",
        alerts::rule::Unit::Percent => "at: percent",
        alerts::rule::Unit::Count => "at: a number",
        alerts::rule::Unit::Duration => "at: a duration",
    };
    let line = |kind: &Kind| format!("{:<16} {:<15} {}\n", kind.word(), unit(kind), kind.means());
    Kind::ALL.iter().map(line).collect()
}

//! The help of the command line: the texts of `clap`, command groups, exit codes, and examples.

pub mod examples;
mod exit_codes;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _, FromArgMatches as _};

use super::{Cli, flag_order};

/// The commands of the top level, in groups. Each command is in one of them.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Look",
        &[
            "demo", "attach", "open", "queues", "apps", "app", "nodes", "users", "explain", "fairness", "usage",
            "events", "audit", "whoami", "watch", "alerts",
        ],
    ),
    ("Act", &["kill", "move"]),
    ("Configure", &["apply", "config", "check", "explain-rule", "place", "diff", "test", "schema", "token"]),
    ("Plan", &["whatif", "simulate", "profiles", "upgrade-check"]),
    ("Run", &["serve", "run", "kube"]),
    (
        "Local jobs",
        &["local", "submit", "jobs", "job", "logs", "wait", "cancel", "hold", "release", "requeue", "top", "history"],
    ),
    ("Other", &["play", "grafana", "completions", "man", "help"]),
];

const HELP: (&str, &str) = ("help", "Print the help of a command");

/// The program name as a plugin of kubectl, and the command that users type.
const PLUGIN: (&str, &str) = ("kubectl-kornsole", "kubectl kornsole");
const NAME: &str = "kornsole";

/// The command line with its complete help.
pub fn command() -> Command {
    of(NAME)
}

fn of(name: &'static str) -> Command {
    let root = with_notes(Cli::command(), "", name).bin_name(name);
    let template = template(&root);
    root.help_template(template)
}

fn called(program: Option<&OsString>) -> &'static str {
    let file = program.and_then(|program| Path::new(program).file_stem());
    if file.is_some_and(|file| file == PLUGIN.0) { PLUGIN.1 } else { NAME }
}

/// Parses arguments, the name of the program first. An option before its command is accepted.
///
/// # Errors
/// Returns the message of `clap` for invalid arguments, and the text for `--help` and `--version`.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let name = called(arguments.first());
    match parsed(arguments.clone(), name) {
        // As a kubectl plugin, use the current context.
        Err(error) if name == PLUGIN.1 && error.kind() == ErrorKind::MissingRequiredArgument => {
            let mut there = arguments;
            there.splice(1..1, ["--server", "k8s://"].map(OsString::from));
            parsed(there, name).map_err(|_| error)
        }
        other => other,
    }
}

fn parsed(arguments: Vec<OsString>, name: &'static str) -> Result<Cli, clap::Error> {
    let mut plain = Cli::command().bin_name(name);
    let arguments = flag_order::sorted(&plain, arguments);
    match plain.try_get_matches_from_mut(&arguments) {
        Ok(matches) => Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut plain)),
        // The notes and groups of all commands take longer to build than a short command takes to run, so add them only
        // for help.
        Err(error) if shows_help(&error) => Err(of(name).try_get_matches_from_mut(&arguments).err().unwrap_or(error)),
        Err(error) => Err(error),
    }
}

fn shows_help(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
}

fn with_notes(command: Command, path: &str, name: &str) -> Command {
    let command = command.mut_subcommands(|sub| {
        let below = format!("{path} {}", sub.get_name());
        with_notes(sub, below.trim_start(), name)
    });
    let notes = notes(&command, path, name);
    let joined = |before: Option<&StyledStr>| match before {
        Some(text) => format!("{}\n\n{notes}", text.ansi()),
        None => notes.clone(),
    };
    let short = joined(command.get_after_help());
    let long = command.get_after_long_help().map(|long| joined(Some(long)));
    let command = if notes.is_empty() { command } else { command.after_help(short) };
    match long {
        Some(long) => command.after_long_help(long),
        None => command,
    }
}

fn notes(command: &Command, path: &str, name: &str) -> String {
    let header = command.get_styles().get_header();
    let mut parts = Vec::new();
    let codes: Vec<String> = exit_codes::of(path).iter().map(|(code, when)| format!("  {code:<3} {when}")).collect();
    if !codes.is_empty() {
        parts.push(format!("{header}Exit codes:{header:#}\n{}", codes.join("\n")));
    }
    let lines: Vec<String> =
        examples::of(path).iter().map(|line| format!("  {}", line.replace("kornsole ", &format!("{name} ")))).collect();
    if !lines.is_empty() {
        parts.push(format!("{header}Examples:{header:#}\n{}", lines.join("\n")));
    }
    parts.join("\n\n")
}

fn template(root: &Command) -> String {
    let (header, literal) = (root.get_styles().get_header(), root.get_styles().get_literal());
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (title, names) in GROUPS {
        let rows: Vec<(&str, String)> = names.iter().filter_map(|name| Some((*name, about(root, name)?))).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{header}{title}:{header:#}\n");
        for (name, about) in rows {
            let _ = writeln!(text, "  {literal}{name:<13}{literal:#}  {about}");
        }
    }
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    text
}

/// The description of a command; `None` for a command that this platform does not have.
fn about(root: &Command, name: &str) -> Option<String> {
    if name == HELP.0 {
        return Some(HELP.1.to_owned());
    }
    root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_in_one_group() {
        let root = Cli::command();
        let mut all: Vec<&str> = root.get_subcommands().map(Command::get_name).chain([HELP.0]).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        all.sort_unstable();
        grouped.sort_unstable();
        if cfg!(target_os = "linux") {
            assert_eq!(grouped, all);
        }
    }
}

//! The command line: arguments, and the wiring of the layers for each command.
//!
//! Invariants:
//! - wiring only: the layers below implement the commands;
//! - invalid input, including an unreadable file, exits with code 1 and a location, invalid usage with 2, both on
//!   stderr; only `diff` returns 1 for differences and 2 for all errors, like diff(1).

mod ahead;
pub mod alerts;
pub mod attach;
mod attached;
pub mod check;
mod check_output;
mod check_pods;
pub mod console;
mod contexts;
pub mod demo;
pub mod diff;
pub mod explain_rule;
mod flag_order;
pub mod grafana;
pub mod help;
mod html;
pub mod identity;
mod inputs;
mod junit;
pub mod kube;
mod kube_schedule;
mod kube_shadow;
pub mod live;
pub mod load;
#[cfg(target_os = "linux")]
pub mod local;
pub mod logs;
pub mod look;
pub mod manifest_files;
mod manifests;
mod node_groups;
pub mod open;
pub mod place;
pub mod play;
pub mod policy_test;
pub mod predicted;
mod printed;
pub mod profiles;
mod progress;
mod recent;
pub mod record;
pub mod remote;
pub mod run;
mod sarif;
pub mod sayings;
pub mod schema;
pub mod serve;
pub mod served;
pub mod settings;
pub mod shell;
pub mod simulate;
mod start;
pub mod state;
pub mod token;
mod trends;
pub mod upgrade_check;
pub mod user_settings;
pub mod watch;
pub mod whatif;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Terminal console for Apache YuniKorn, with an embedded scheduler
///
/// Without a command, kornsole opens the console for the scheduler in --config and --workload. Without both options, it lists
/// the local job daemon, the contexts of your settings and your kubeconfig, recent files, and the demo, to open one of them.
#[derive(Parser, Debug)]
#[command(name = "kornsole", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    console: console::ConsoleArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Open the console for a simulated cluster
    Demo(demo::DemoArgs),
    /// Open the console for a remote scheduler
    ///
    /// The remote scheduler is kornsole, or Apache YuniKorn 1.4 or newer.
    Attach(Box<attach::AttachArgs>),
    /// Manage Kubernetes contexts, RBAC, scheduler, and shadow
    Kube(kube::KubeArgs),
    /// Open the console for a saved state dump (read-only)
    Open(open::OpenArgs),
    /// List queues and their usage
    Queues(remote::ShowArgs),
    /// List applications and their states
    Apps(remote::AppsArgs),
    /// Show an application and its requests
    App(remote::AppArgs),
    /// List nodes and their available resources
    Nodes(remote::ShowArgs),
    /// List usage and limits of users and groups
    Users(remote::ShowArgs),
    /// Explain why an application is pending and how to fix it
    Explain(remote::ExplainArgs),
    /// Compare the usage of each queue with its guarantee
    Fairness(remote::ShowArgs),
    /// Report usage over time by queue, user, or application
    Usage(Box<remote::UsageArgs>),
    /// Collect trends and evaluate alerts without a screen
    Watch(Box<watch::WatchArgs>),
    /// Check alert rules; list and silence alerts
    Alerts(alerts::AlertsArgs),
    /// Print a Grafana dashboard or Prometheus alerting rules
    Grafana(grafana::GrafanaArgs),
    /// Show scheduler events
    Events(remote::EventsArgs),
    /// Kill running or pending applications
    Kill(remote::KillArgs),
    /// Move applications to another queue
    Move(remote::MoveArgs),
    /// Apply a queue configuration
    Apply(remote::ApplyArgs),
    /// List changes and rejected operations, with their users
    Audit(remote::AuditArgs),
    /// List, show, compare, and roll back configurations
    Config(remote::ConfigArgs),
    /// Show the current user and permissions
    Whoami(remote::WhoAmIArgs),
    /// Validate queue configurations and report every error
    Check(check::CheckArgs),
    /// Show the queue that placement rules select
    Place(place::PlaceArgs),
    /// Play tapes of keystrokes and compare the screens
    Play(play::PlayArgs),
    /// Test changes on a copy of the scheduler state
    Whatif(Box<whatif::WhatIfArgs>),
    /// Simulate workloads and compare configurations
    Simulate(Box<simulate::SimulateArgs>),
    /// Compare two queue configurations
    Diff(Box<diff::DiffArgs>),
    /// Run policy tests of a queue configuration
    Test(policy_test::TestArgs),
    /// Explain the rule with the ID in a message
    ExplainRule(explain_rule::ExplainRuleArgs),
    /// List behavior profiles (--core) and their differences
    Profiles(profiles::ProfilesArgs),
    /// Check a configuration before an upgrade of YuniKorn
    ///
    /// kornsole compares the results of a configuration, and optionally of a workload, under two releases.
    UpgradeCheck(upgrade_check::UpgradeCheckArgs),
    /// Print a JSON Schema of the queue configuration
    Schema(schema::SchemaArgs),
    /// Serve the scheduler and its REST API without a screen
    Serve(serve::ServeArgs),
    /// Create, list, and revoke tokens of the REST API
    Token(token::TokenArgs),
    /// Run scenarios or Kubernetes manifests without a screen
    Run(run::RunArgs),
    /// Run the job daemon; change pending jobs
    #[cfg(target_os = "linux")]
    Local(local::LocalArgs),
    /// Submit a job to this machine and print its ID
    #[cfg(target_os = "linux")]
    Submit(Box<local::SubmitArgs>),
    /// List active jobs
    #[cfg(target_os = "linux")]
    Jobs(local::ListArgs),
    /// Show a job
    #[cfg(target_os = "linux")]
    Job(local::JobArgs),
    /// Print the output of a job
    #[cfg(target_os = "linux")]
    Logs(local::LogsArgs),
    /// Wait until jobs finish
    #[cfg(target_os = "linux")]
    Wait(local::NumbersArgs),
    /// Cancel running or pending jobs
    #[cfg(target_os = "linux")]
    Cancel(local::CancelArgs),
    /// Hold pending jobs
    #[cfg(target_os = "linux")]
    Hold(local::NumbersArgs),
    /// Release held jobs
    #[cfg(target_os = "linux")]
    Release(local::NumbersArgs),
    /// Requeue running or finished jobs
    #[cfg(target_os = "linux")]
    Requeue(local::EndingArgs),
    /// Show the usage of running jobs and their requests
    #[cfg(target_os = "linux")]
    Top(local::TopArgs),
    /// List finished jobs and their usage
    #[cfg(target_os = "linux")]
    History(local::HistoryArgs),
    /// Print a completion script for a shell
    Completions(shell::CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Runs the helper processes of jobs, and `submit`, without the full command line, because each job waits for them.
/// `None` for other commands.
#[cfg(target_os = "linux")]
fn of_a_job() -> Option<ExitCode> {
    if let Some(outcome) = ::local::part::of_a_job(std::env::args_os()) {
        return Some(outcome.map_or_else(|(why, status)| fail(&why, status), |()| ExitCode::SUCCESS));
    }
    local::SubmitArgs::alone(std::env::args_os()).map(|args| local::submit(&args))
}

/// Runs the command of the arguments. Returns the exit code: 0 success, 1 invalid input, 2 invalid usage.
pub fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if is_small(std::env::args_os().nth(1)) {
        use_small_pages();
    }
    #[cfg(target_os = "linux")]
    if let Some(ended) = of_a_job() {
        return ended;
    }
    if is_version(std::env::args_os().skip(1)) {
        let _ = writeln!(std::io::stdout(), "kornsole {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let cli = match help::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return misused(&error),
    };
    match &cli.command {
        None if std::env::args_os().len() == 1 => start::run(&cli.console),
        _ => carry_out(&cli),
    }
}

/// Whether the command is a console, or a part of local jobs. The arguments are parsed later, which uses megabytes.
#[cfg(target_os = "linux")]
fn is_small(command: Option<OsString>) -> bool {
    const SMALL: [&str; 15] = [
        "demo", "attach", "open", "local", "submit", "jobs", "job", "logs", "wait", "cancel", "hold", "release",
        "requeue", "top", "history",
    ];
    command.is_none_or(|word| word.to_str().is_some_and(|word| word.starts_with('-') || SMALL.contains(&word)))
}

/// With huge pages, the first allocation of each of a dozen threads uses 2 MiB. An open console uses a third less
/// memory without them. Programs that compute on one large state use huge pages.
#[cfg(target_os = "linux")]
fn use_small_pages() {
    // A kernel that refuses this uses more memory.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// A shell may have expanded an argument to file names.
fn misused(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() && printed::safe(&text) != text {
        print_line(text.trim_end());
        return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
    }
    error.exit()
}

/// Whether only the version is requested. Then the command line is not built, which would take half of the time.
fn is_version(mut arguments: impl Iterator<Item = OsString>) -> bool {
    let first = arguments.next();
    first.is_some_and(|one| one == "--version" || one == "-V") && arguments.next().is_none()
}

fn carry_out(cli: &Cli) -> ExitCode {
    match &cli.command {
        None => console::run(&cli.console),
        Some(Command::Demo(args)) => demo::run(args),
        Some(Command::Attach(args)) => attach::run(args),
        Some(Command::Kube(args)) => kube::run(args),
        Some(Command::Open(args)) => open::run(args),
        Some(Command::Queues(args)) => remote::queues(args),
        Some(Command::Apps(args)) => remote::apps(args),
        Some(Command::App(args)) => remote::app(args),
        Some(Command::Nodes(args)) => remote::nodes(args),
        Some(Command::Users(args)) => remote::users(args),
        Some(Command::Explain(args)) => remote::explain(args),
        Some(Command::Fairness(args)) => remote::fairness(args),
        Some(Command::Usage(args)) => remote::usage(args),
        Some(Command::Watch(args)) => watch::run(args),
        Some(Command::Alerts(args)) => alerts::run(args),
        Some(Command::Grafana(args)) => grafana::run(args),
        Some(Command::Events(args)) => remote::events(args),
        Some(Command::Kill(args)) => remote::kill(args),
        Some(Command::Move(args)) => remote::move_to(args),
        Some(Command::Apply(args)) => remote::apply(args),
        Some(Command::Audit(args)) => remote::audit(args),
        Some(Command::Config(args)) => remote::config(args),
        Some(Command::Whoami(args)) => remote::whoami(args),
        Some(Command::Check(args)) => check::run(args),
        Some(Command::Place(args)) => place::run(args),
        Some(Command::Play(args)) => play::run(args),
        Some(Command::Whatif(args)) => whatif::run(args),
        Some(Command::Simulate(args)) => simulate::run(args),
        Some(Command::Diff(args)) => diff::run(args),
        Some(Command::Test(args)) => policy_test::run(args),
        Some(Command::ExplainRule(args)) => explain_rule::run(args),
        Some(Command::Profiles(args)) => profiles::run(args),
        Some(Command::UpgradeCheck(args)) => upgrade_check::run(args),
        Some(Command::Schema(args)) => schema::run(args),
        Some(Command::Serve(args)) => serve::run(args),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Token(args)) => token::run(args),
        #[cfg(target_os = "linux")]
        Some(Command::Local(args)) => local::run(args),
        #[cfg(target_os = "linux")]
        Some(Command::Submit(args)) => local::submit(args),
        #[cfg(target_os = "linux")]
        Some(Command::Jobs(args)) => local::jobs(args),
        #[cfg(target_os = "linux")]
        Some(Command::Job(args)) => local::job(args),
        #[cfg(target_os = "linux")]
        Some(Command::Logs(args)) => local::logs(args),
        #[cfg(target_os = "linux")]
        Some(Command::Wait(args)) => local::wait(args),
        #[cfg(target_os = "linux")]
        Some(Command::Cancel(args)) => local::cancel(args),
        #[cfg(target_os = "linux")]
        Some(Command::Hold(args)) => local::hold(args),
        #[cfg(target_os = "linux")]
        Some(Command::Release(args)) => local::release(args),
        #[cfg(target_os = "linux")]
        Some(Command::Requeue(args)) => local::requeue(args),
        #[cfg(target_os = "linux")]
        Some(Command::Top(args)) => local::top(args),
        #[cfg(target_os = "linux")]
        Some(Command::History(args)) => local::history(args),
        Some(Command::Completions(args)) => shell::completions(help::command(), args),
        Some(Command::Man) => shell::man(help::command()),
    }
}

/// Prints the error of a command, and returns its exit code.
pub(crate) fn fail(message: &str, code: u8) -> ExitCode {
    print_line(&printed::error(message.trim_end()));
    ExitCode::from(code)
}

/// Prints a line on standard error; ignores a closed one.
pub(crate) fn print_line(line: &str) {
    let _ = writeln!(printed::err(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_computes_on_a_large_state_has_huge_pages() {
        let small = |word: &str| is_small(Some(word.into()));
        assert!(is_small(None) && small("--config") && small("local") && small("submit"));
        assert!(["run", "simulate", "whatif", "serve", "explain"].iter().all(|word| !small(word)));
    }

    #[test]
    fn the_arguments_are_consistent() {
        help::command().debug_assert();
    }
}

//! The command line: arguments, and the wiring of the layers for each command.
//!
//! Invariants:
//! - wiring only: what a command does stands in the layers below;
//! - bad input, also a file that cannot be read, ends with exit code 1 and a place, wrong use with 2, both on stderr; `diff` alone says
//!   1 where something is different and 2 for everything else, as diff(1) does.

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
mod flag_order;
pub mod grafana;
mod html;
pub mod identity;
mod inputs;
pub mod kube;
mod kube_schedule;
mod kube_shadow;
pub mod live;
pub mod load;
#[cfg(target_os = "linux")]
pub mod local;
pub mod logs;
pub mod look;
pub mod manifests;
pub mod open;
pub mod place;
pub mod play;
pub mod predicted;
mod printed;
pub mod profiles;
mod progress;
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
pub mod state;
pub mod token;
mod trends;
pub mod upgrade_check;
pub mod user_settings;
pub mod watch;
pub mod whatif;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// The console for people who run an Apache YuniKorn scheduler, with the scheduler inside.
///
/// Without a command: the console on an embedded scheduler, by --config and --workload. With neither, the jobs of this
/// machine, if `kornsole local up` runs them; else the default configuration holds: one partition `default`, a root queue that everybody may submit to, and one placement rule, which
/// puts an application into the queue named by its tag `namespace` and creates that queue. `kornsole demo` shows a busy
/// cluster instead.
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
    /// The console on a lively built-in cluster
    Demo(demo::DemoArgs),
    /// The console on a scheduler somewhere else: a kornsole, or an Apache YuniKorn from 1.4 on
    Attach(Box<attach::AttachArgs>),
    /// Kubernetes: its contexts, the rights that a role needs, the scheduler of a cluster, and its shadow
    Kube(kube::KubeArgs),
    /// The console, read only, on a saved state dump
    Open(open::OpenArgs),
    /// The queues of a scheduler somewhere else
    Queues(remote::ShowArgs),
    /// The applications of a running scheduler
    Apps(remote::AppsArgs),
    /// One of its applications, with all asks
    App(remote::AppArgs),
    /// The nodes of a running scheduler, with what is free
    Nodes(remote::ShowArgs),
    /// What its users and groups use, and their limits
    Users(remote::ShowArgs),
    /// Why an application there waits, and what would help: 0 it runs or is next, 1 it waits
    Explain(remote::ExplainArgs),
    /// Which of its queues lack their guarantee, which use more, and which do not need it
    Fairness(remote::ShowArgs),
    /// What was used over time, by queue, user, group or application: as a table, CSV, JSON or a page
    Usage(Box<remote::UsageArgs>),
    /// Collect the trends of a scheduler somewhere else and evaluate its alerts, without a screen
    Watch(Box<watch::WatchArgs>),
    /// Alerts: check rules, try them on the past, list those of a running kornsole
    Alerts(alerts::AlertsArgs),
    /// Print a dashboard for Grafana, or alerting rules for a Prometheus that scrapes /metrics
    Grafana(grafana::GrafanaArgs),
    /// What happened there, and what happens
    Events(remote::EventsArgs),
    /// Kill applications there
    Kill(remote::KillArgs),
    /// Move applications there to another queue
    Move(remote::MoveArgs),
    /// Bring a queue configuration into force there
    Apply(remote::ApplyArgs),
    /// Who did what there, and what was refused
    Audit(remote::AuditArgs),
    /// The configurations that were in force there: list, show, compare, bring one back
    Config(remote::ConfigArgs),
    /// Who one is there
    Whoami(remote::WhoAmIArgs),
    /// Validate queue configurations: every fault at once, with its place
    Check(check::CheckArgs),
    /// Preview placements: which queue an application goes to, rule by rule
    Place(place::PlaceArgs),
    /// Play a tape: scripted keystrokes against a console, compared with what was recorded
    Play(play::PlayArgs),
    /// Try changes on a copy of a state: what starts, waits or is preempted otherwise
    Whatif(Box<whatif::WhatIfArgs>),
    /// Run workloads through the scheduler in virtual time: waits, use and fairness by configuration, nodes and load
    Simulate(Box<simulate::SimulateArgs>),
    /// Compare two queue configurations as trees
    Diff(diff::DiffArgs),
    /// The behaviour profiles (--core), and in what two of them differ
    Profiles(profiles::ProfilesArgs),
    /// What a configuration and a workload would do differently under another release
    UpgradeCheck(upgrade_check::UpgradeCheckArgs),
    /// Print a JSON Schema of the queue configuration, for editors
    Schema(schema::SchemaArgs),
    /// Serve the scheduler's REST API, without a screen
    Serve(serve::ServeArgs),
    /// Make, list and revoke the tokens of the REST API
    Token(token::TokenArgs),
    /// Run a scenario without a screen, its trace on standard output; or schedule the pods of Kubernetes manifests
    Run(run::RunArgs),
    /// Run jobs on this machine: the daemon, what it offers, a systemd unit for it
    #[cfg(target_os = "linux")]
    Local(local::LocalArgs),
    /// Run a command on this machine when the scheduler has room for it; prints the job's number
    #[cfg(target_os = "linux")]
    Submit(Box<local::SubmitArgs>),
    /// The jobs on this machine that have not ended
    #[cfg(target_os = "linux")]
    Jobs(local::JobsArgs),
    /// One job of this machine
    #[cfg(target_os = "linux")]
    Job(local::JobArgs),
    /// The output of a job
    #[cfg(target_os = "linux")]
    Logs(local::LogsArgs),
    /// Wait until jobs have ended, with their exit status
    #[cfg(target_os = "linux")]
    Wait(local::NumbersArgs),
    /// End jobs, or take them out of the queue
    #[cfg(target_os = "linux")]
    Cancel(local::CancelArgs),
    /// Keep queued jobs from beginning
    #[cfg(target_os = "linux")]
    Hold(local::NumbersArgs),
    /// Let held jobs begin
    #[cfg(target_os = "linux")]
    Release(local::NumbersArgs),
    /// Have jobs begin again from their beginning: those that run, or that have ended
    #[cfg(target_os = "linux")]
    Requeue(local::EndingArgs),
    /// What the jobs that run use, against what they asked for
    #[cfg(target_os = "linux")]
    Top(local::TopArgs),
    /// The jobs that ended, with what they used
    #[cfg(target_os = "linux")]
    History(local::HistoryArgs),
    /// Print completions of this command line for a shell
    Completions(shell::CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Does what the processes of jobs and `submit` do, which each job waits for; `None` where something else was called.
#[cfg(target_os = "linux")]
fn of_a_job() -> Option<ExitCode> {
    if let Some(outcome) = ::local::part::of_a_job(std::env::args_os()) {
        return Some(outcome.map_or_else(|(why, status)| fail(&why, status), |()| ExitCode::SUCCESS));
    }
    local::SubmitArgs::alone(std::env::args_os()).map(|args| local::submit(&args))
}

/// Reads the arguments, carries out the command, and gives the exit code: 0 when all is well, 1 for bad input, 2 for wrong use.
pub fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(ended) = of_a_job() {
        return ended;
    }
    let cli = Cli::parse_from(flag_order::sorted(Cli::command(), std::env::args_os()));
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
        Some(Command::Completions(args)) => shell::completions(Cli::command(), args),
        Some(Command::Man) => shell::man(Cli::command()),
    }
}

/// Prints why a command ends, and gives the exit code for it.
pub(crate) fn fail(message: &str, code: u8) -> ExitCode {
    say(&printed::safe(message.trim_end()));
    ExitCode::from(code)
}

/// Prints a line on standard error. When that is gone, with its terminal, nobody is left to be told.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}

//! Local jobs on the command line: `kornsole local`, `submit`, `jobs`, `job`, `logs`, `wait`, `cancel`, `hold`,
//! `release`, `requeue`, `top`, `history`.
//!
//! Exit codes: 0 success, 1 rejected or not found, 2 invalid usage, 3 no daemon; `wait` and `submit --wait` return the
//! job's own.

mod acts;
mod amounts;
mod attach;
mod batch;
mod completions;
mod console;
mod install;
mod job_file;
mod jobs;
mod list;
mod options;
mod pbs;
mod sbatch;
mod sbatch_values;
mod script;
mod start_time;
mod submit;
mod top;
mod unit;
mod up;
mod zone;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::fail;
pub use acts::{CancelArgs, EndingArgs, NumbersArgs, cancel, hold, release, requeue};
pub use completions::extend as extend_completions;
pub use console::{ConsoleArgs as LocalConsoleArgs, is_running, run_found};
pub use jobs::{HistoryArgs, JobArgs, LogsArgs, history, job, logs, wait};
pub use list::{ListArgs, jobs};
use local::client::Client;
use local::wire::{Reply, Request};
pub use submit::{SubmitArgs, submit};
pub use top::{TopArgs, top};

/// The exit code when no daemon answers.
const UNREACHABLE: u8 = 3;
const SOCKET: &str = "KORNSOLE_LOCAL_SOCKET";
/// The socket of the daemon of the machine.
const MACHINE_SOCKET: &str = "/run/kornsole/local.sock";
const MACHINE_DIR: &str = "/var/lib/kornsole/local";

/// The arguments of `kornsole local`.
#[derive(Args, Clone, Debug)]
pub struct LocalArgs {
    #[command(subcommand)]
    command: LocalCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum LocalCommand {
    /// Run the job daemon
    ///
    /// Running jobs survive a daemon restart.
    Up(Box<up::UpArgs>),
    /// Open the console for the job daemon
    Console(Box<console::ConsoleArgs>),
    /// Show capacity, scope, and enforced limits of the daemon
    #[command(visible_alias = "status")]
    Info(jobs::JobsArgs),
    /// Drain this machine: no new jobs start, running jobs continue
    Drain(acts::DrainArgs),
    /// Resume a drained machine
    Resume(SocketArgs),
    /// Attach this terminal to an interactive job
    ///
    /// Press ctrl-] to detach; the job continues.
    Attach(attach::AttachArgs),
    /// Move pending jobs to another queue
    Move(acts::MoveArgs),
    /// Change the priority of pending jobs
    Priority(acts::PriorityArgs),
    /// Change the requested resources of pending jobs
    Edit(Box<acts::EditArgs>),
    /// Print the names for shell completion
    #[command(hide = true)]
    Names(completions::NamesArgs),
    /// Print a systemd unit for the job daemon
    Unit(unit::UnitArgs),
    /// Install the job daemon as a systemd service and start it
    ///
    /// For root the service of the machine, for other users a service of their own, which lingers after their logout.
    Install(install::InstallArgs),
    /// Stop the job daemon and remove its systemd service
    ///
    /// Running jobs continue; jobs and their output remain on the disk.
    Uninstall(install::UninstallArgs),
}

/// The socket of the daemon.
#[derive(Args, Clone, Debug, Default)]
pub struct SocketArgs {
    /// Socket of the daemon
    ///
    /// Default: $KORNSOLE_LOCAL_SOCKET, then the socket of your own daemon, then the socket of the machine.
    #[arg(long, value_name = "FILE")]
    pub socket: Option<PathBuf>,
}

/// Runs a command of `kornsole local`.
pub fn run(args: &LocalArgs) -> ExitCode {
    match &args.command {
        LocalCommand::Up(args) => up::run(args),
        LocalCommand::Console(args) => console::run(args),
        LocalCommand::Info(args) => jobs::info(args),
        LocalCommand::Drain(args) => acts::drain(args),
        LocalCommand::Resume(args) => acts::undrain(args),
        LocalCommand::Attach(args) => attach::run(args),
        LocalCommand::Move(args) => acts::move_to(args),
        LocalCommand::Priority(args) => acts::priority(args),
        LocalCommand::Edit(args) => acts::edit(args),
        LocalCommand::Names(args) => completions::names(args),
        LocalCommand::Unit(args) => unit::run(args),
        LocalCommand::Install(args) => install::install(args),
        LocalCommand::Uninstall(args) => install::uninstall(args),
    }
}

/// `None` without a home directory.
fn own_dir() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    Some(named.or_else(home)?.join("kornsole/local"))
}

fn own_socket() -> Option<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    match runtime {
        Some(runtime) => Some(runtime.join("kornsole/local.sock")),
        None => Some(own_dir()?.join("local.sock")),
    }
}

impl SocketArgs {
    fn path(&self) -> PathBuf {
        let named = self.socket.clone().or_else(|| std::env::var_os(SOCKET).map(PathBuf::from));
        named.unwrap_or_else(|| {
            let own = own_socket().filter(|socket| socket.exists());
            own.unwrap_or_else(|| PathBuf::from(MACHINE_SOCKET))
        })
    }

    fn connect(&self) -> Result<Client, Ended> {
        let path = self.path();
        Client::connect(&path).map_err(|why| Ended {
            message: format!(
                "cannot connect to the job daemon at {}: {why}; start it with `kornsole local up`",
                path.display()
            ),
            code: UNREACHABLE,
        })
    }
}

struct Ended {
    message: String,
    code: u8,
}

impl Ended {
    fn misused(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }

    fn refused(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }
}

/// Sends a request; a rejection is an error.
fn ask(client: &mut Client, request: &Request) -> Result<(Reply, Vec<u8>), Ended> {
    match client.ask(request) {
        Err(why) => Err(Ended { message: format!("the daemon does not answer: {why}"), code: UNREACHABLE }),
        Ok((Reply::Refused { usage, message }, _)) => Err(Ended { message, code: if usage { 2 } else { 1 } }),
        Ok(answered) => Ok(answered),
    }
}

fn code(outcome: Result<ExitCode, Ended>) -> ExitCode {
    outcome.unwrap_or_else(|ended| fail(&super::remote::escaped(&ended.message), ended.code))
}

/// The error for a response that does not match the request: the daemon has another release.
fn unexpected() -> Ended {
    Ended::refused("invalid response from the job daemon; restart the daemon if it is of another release")
}

fn absolute(path: &Path) -> Result<PathBuf, Ended> {
    std::path::absolute(path).map_err(|why| Ended::misused(format!("{}: {why}", path.display())))
}

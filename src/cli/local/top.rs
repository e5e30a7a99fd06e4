//! `kornsole top`: usage of running jobs compared with their requests.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;

use super::amounts::show_ms;
use super::jobs::{self, JobsArgs, print_json};
use super::{Ended, amounts, ask, code, unexpected};
use crate::cli::remote::table::Table;
use crate::cli::settings::print;
use local::client::Client;
use local::wire::{JobUse, Reply, Request};
use model::quantity::{show_memory, show_vcore};

const BETWEEN: Duration = Duration::from_secs(1);
const CLEAR: &str = "\x1b[H\x1b[2J";

/// The arguments of `kornsole top`.
#[derive(Args, Clone, Debug)]
pub struct TopArgs {
    /// Time between two refreshes
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = amounts::seconds)]
    pub every: u64,
    /// Print one table; default if the output is not a terminal
    #[arg(long)]
    pub once: bool,
    /// The output format and the daemon
    #[command(flatten)]
    pub shown: JobsArgs,
}

/// Prints the table until it is interrupted; once if the output is not a terminal.
pub fn top(args: &TopArgs) -> ExitCode {
    code(shown(args))
}

fn shown(args: &TopArgs) -> Result<ExitCode, Ended> {
    let mut client = args.shown.daemon.connect()?;
    let live = !args.once && !args.shown.json && std::io::stdout().is_terminal();
    let mut before = measured(&mut client)?;
    loop {
        sleep(if live { Duration::from_secs(args.every) } else { BETWEEN });
        let now = measured(&mut client)?;
        if args.shown.json {
            return print_json(&now);
        }
        let text = format!("{}{}", table(&before, &now), jobs::notices(&mut client)?);
        if !live {
            return Ok(print(&text));
        }
        print(&format!("{CLEAR}{text}"));
        before = now;
    }
}

fn measured(client: &mut Client) -> Result<Vec<JobUse>, Ended> {
    match ask(client, &Request::Use)? {
        (Reply::Use(uses), _) => Ok(uses),
        _ => Err(unexpected()),
    }
}

/// The cpu usage between two measurements, in thousandths of a core; since the start for a job without an earlier one.
fn vcores(before: &HashMap<(u64, u32), &JobUse>, now: &JobUse) -> Option<i64> {
    let before = before.get(&(now.job.number, now.job.attempts));
    let (earlier, since) = before.map_or((0, now.job.started?), |before| (before.cpu_ms, before.at));
    let (used, passed) = (now.cpu_ms.saturating_sub(earlier), now.at.saturating_sub(since));
    i64::try_from((used * 1000).checked_div(passed)?).ok()
}

fn table(before: &[JobUse], now: &[JobUse]) -> String {
    let titles =
        [">JOB", "NAME", "USER", ">CPU", ">ASKED", ">MEM", ">MOST", ">ASKED", ">CPU TIME", ">FOR", ">PROCESSES"];
    let mut table = Table::new(&titles);
    let before = before.iter().map(|one| ((one.job.number, one.job.attempts), one)).collect();
    for one in now {
        let bytes = |bytes: u64| show_memory(i64::try_from(bytes).unwrap_or(i64::MAX));
        table.row(vec![
            one.job.number.to_string(),
            one.job.name.clone(),
            one.job.user.clone(),
            vcores(&before, one).map_or_else(|| "-".to_owned(), show_vcore),
            show_vcore(one.job.vcore),
            bytes(one.memory),
            one.max_memory.map_or_else(|| format!(">{}", bytes(one.seen_memory)), bytes),
            show_memory(one.job.memory),
            show_ms(one.cpu_ms),
            one.job.started.map_or_else(String::new, |started| show_ms(one.at.saturating_sub(started))),
            one.processes.len().to_string(),
        ]);
    }
    table.text()
}

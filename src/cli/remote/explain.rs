//! `kornsole explain` and `kornsole fairness`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use imbl::Vector;

use super::show::{ShowArgs, lines, show};
use super::table::Table;
use super::{ClientArgs, Ended, ServerArgs, exit, print};
use crate::cli::load;
use crate::cli::predicted::PredictedCore;
use client::Remote;
use config::DEFAULT_POLICY_GROUP;
use console::present::format::duration;
use engine::explain::explained as explained_by;
use engine::journal::{DirInspection, Inspected as _};
use forecast::twin::Twin;
use forecast::whatif::{Fork, Pace};
use model::{AppId, AskId, Identity, Time};
use scenario::{RunOutcome, Runner, Silent};
use source::Saved;
use source::remote::explain::path;
use source::remote::once::Want;
use view::act::Refusal;
use view::limits_used::LimitUsed;
use view::units::show_amount;
use view::users::Side;
use view::waiting::{Asked, Finding, Question, Sheet};
use wire::convert::read::explain as read;
use wire::convert::{Wall, explain as convert};
use wire::dto::native::{Explained, Waiting};

const WAITS: u8 = 1;

/// The arguments of `kornsole explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArgs {
    /// ID of the application
    #[arg(value_name = "APPLICATION", required_unless_present = "all", conflicts_with = "all")]
    pub id: Option<String>,
    /// Explain all pending requests, grouped by reason
    #[arg(long)]
    pub all: bool,
    /// With --all: only requests in the subtree of this queue
    #[arg(long, value_name = "QUEUE", requires = "all")]
    pub queue: Option<String>,
    /// Show only this request
    #[arg(long, visible_alias = "key", value_name = "KEY", conflicts_with = "all")]
    pub ask: Option<String>,
    /// Partition of the application
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub partition: String,
    /// Address, k8s://[CONTEXT][/NAMESPACE], or context of your settings
    #[arg(long, value_name = "URL|CONTEXT", required_unless_present_any = ["state", "workload"])]
    pub server: Option<String>,
    /// State directory of a stopped scheduler, or a state dump; kornsole only reads it
    #[arg(long, value_name = "DIR|FILE", conflicts_with_all = ["server", "workload"])]
    pub state: Option<PathBuf>,
    /// Scenario; kornsole explains its final state
    #[arg(long, value_name = "FILE", conflicts_with_all = ["server", "state"])]
    pub workload: Option<PathBuf>,
    /// Which core a scenario decides like
    #[command(flatten)]
    pub core: PredictedCore,
    /// The connection options
    #[command(flatten)]
    pub client: ClientArgs,
}

/// Exit code 0: running, or next; 1: pending.
pub fn explain(args: &ExplainArgs) -> ExitCode {
    match explained(args) {
        Ok(true) => ExitCode::from(WAITS),
        Ok(false) => ExitCode::SUCCESS,
        Err(ended) => exit(Err(ended)),
    }
}

enum Answered {
    App(Box<Explained>),
    Waiting(Box<Waiting>),
}

impl Answered {
    fn of(found: &Finding) -> Self {
        let wall = Wall::new(UNIX_EPOCH, 1.0);
        match found {
            Finding::App(found) => Self::App(Box::new(convert::explained(found, &wall))),
            Finding::Waiting(found) => Self::Waiting(Box::new(convert::waiting(found, &wall))),
        }
    }

    fn by_twin(found: &Finding, twin: &Twin) -> Self {
        let wall = Wall::new(UNIX_EPOCH, 1.0);
        match found {
            Finding::App(found) => {
                let reported = |app: &AppId, ask: &AskId| twin.reported(app, ask);
                let mut explained = convert::explained_by_twin(found, twin.unknown(), reported, &wall);
                explained.notes = twin.hints(found.asks.iter().map(|ask| &ask.id));
                Self::App(Box::new(explained))
            }
            Finding::Waiting(found) => Self::Waiting(Box::new(convert::waiting_by_twin(found, twin.unknown(), &wall))),
        }
    }

    fn with_core(mut self, name: &str) -> Self {
        match &mut self {
            Self::App(found) => name.clone_into(&mut found.core),
            Self::Waiting(found) => name.clone_into(&mut found.core),
        }
        self
    }

    /// The profile; empty for an earlier kornsole.
    fn core(&self) -> &str {
        match self {
            Self::App(found) => &found.core,
            Self::Waiting(found) => &found.core,
        }
    }

    fn sheet(&self) -> Sheet {
        match self {
            Self::App(found) => read::sheet(found),
            Self::Waiting(found) => read::overview(found),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::App(found) => lines([&**found]),
            Self::Waiting(found) => lines([&**found]),
        }
    }
}

/// Returns whether requests are pending.
fn explained(args: &ExplainArgs) -> Result<bool, Ended> {
    let of = match &args.id {
        Some(id) => Asked::App(id.as_str().into(), args.ask.as_deref().map(Into::into)),
        None => Asked::Waiting(args.queue.as_deref().map(Into::into)),
    };
    let question = Question { partition: args.partition.as_str().into(), of };
    let answered = match (&args.server, &args.state) {
        (Some(server), _) => at_server(args, server, &question)?,
        (None, Some(state)) if state.is_file() => of_dump(state, &question)?,
        (None, Some(dir)) => of_dir(dir, &question)?,
        (None, None) => of_workload(args, &question)?,
    };
    let sheet = answered.sheet();
    let named = if answered.core().is_empty() { String::new() } else { format!("core {}\n", answered.core()) };
    print(&if args.client.json { answered.json() } else { text(&sheet) + &named })?;
    Ok(sheet.waits)
}

fn at_server(args: &ExplainArgs, server: &str, question: &Question) -> Result<Answered, Ended> {
    let server = ServerArgs { server: server.to_owned(), client: args.client.clone() };
    let mut once = server.connect()?;
    if let Remote::YuniKorn(_) = once.remote() {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX));
        let twin = once.twin(&question.partition, at)?.map_err(|message| Ended { message, code: 1 })?;
        let found = twin.explain(&question.of).map_err(refused)?;
        return Ok(Answered::by_twin(&found, &twin).with_core(twin.profile().name()));
    }
    let core = match once.remote() {
        Remote::Kornsole(server) => server.core.clone(),
        Remote::YuniKorn(release) => release.profile().to_string(),
    };
    let body = once.own(&path(question))?;
    let unreadable = |error: serde_json::Error| Ended { message: format!("invalid response: {error}"), code: 1 };
    let answered = match question.of {
        Asked::App(..) => Answered::App(serde_json::from_slice(&body).map_err(unreadable)?),
        Asked::Waiting(_) => Answered::Waiting(serde_json::from_slice(&body).map_err(unreadable)?),
    };
    Ok(answered.with_core(&core))
}

fn of_dir(dir: &Path, question: &Question) -> Result<Answered, Ended> {
    let look = DirInspection::open(dir);
    let look = look.map_err(|problem| Ended { message: problem.reported_of(dir), code: 1 })?;
    let found = look.explain(question).map_err(refused)?;
    Ok(Answered::of(&found).with_core(look.profile().name()))
}

fn of_dump(file: &Path, question: &Question) -> Result<Answered, Ended> {
    let failed = |message: String| Ended { message, code: 1 };
    let bytes = load::bytes(file).map_err(failed)?;
    let saved = Saved::read(&file.display().to_string(), &bytes, Identity::default()).map_err(failed)?;
    let twin = saved.twin(&question.partition).map_err(refused)?;
    let found = twin.explain(&question.of).map_err(refused)?;
    Ok(Answered::by_twin(&found, &twin).with_core(twin.profile().name()))
}

fn of_workload(args: &ExplainArgs, question: &Question) -> Result<Answered, Ended> {
    let failed = |message: String| Ended { message, code: 1 };
    let (file, core) = (args.workload.clone().unwrap_or_default(), args.core.profile());
    let input = load::scenario(&file, None, DEFAULT_POLICY_GROUP, core).map_err(failed)?;
    let mut runner = Runner::new(core);
    match runner.run(&input.scenario, input.config, &mut Silent) {
        Ok(RunOutcome::Done) => {}
        Ok(RunOutcome::Refused) => return Err(failed(input.report)),
        Err(error) => return Err(failed(error.to_string())),
    }
    let moment = (runner.now(), Pace::initial(runner.now()));
    let fork = Fork::of(runner.scheduler(), Some(&question.partition), moment, None, usize::MAX);
    let found = explained_by(&fork.map_err(|why| failed(why.to_string()))?, &question.of, None).map_err(refused)?;
    Ok(Answered::of(&found).with_core(core.name()))
}

fn refused(refusal: Refusal) -> Ended {
    let more = if refusal.description.is_empty() { String::new() } else { format!(": {}", refusal.description) };
    Ended { message: format!("{}{more}", refusal.message), code: 1 }
}

fn text(sheet: &Sheet) -> String {
    let age = |since: Time| format!("{} ago", duration(sheet.at.since(since)));
    let lines = sheet.text(age);
    lines.iter().map(|line| console::present::text::escape(line).into_owned() + "\n").collect()
}

/// `kornsole fairness`: queues compared with their guarantees.
pub fn fairness(args: &ShowArgs) -> ExitCode {
    show(args, Want::Queues, &[Want::Users, Want::Apps], |_, part, json| {
        let rows = part.fairness(&Vector::new(), Time::ZERO);
        if json {
            return Ok(lines([convert::fairness(&rows, &part.limits_used(), &Wall::new(UNIX_EPOCH, 1.0))]));
        }
        let titles = [
            "QUEUE",
            "RESOURCE",
            ">GUARANTEED",
            ">USED",
            ">PENDING",
            ">DEFICIT",
            ">FAIR",
            ">BORROWED",
            ">IDLE",
            "BLOCKED BY",
        ];
        let mut table = Table::new(&titles);
        for row in rows {
            let amount = |amount: i64| if amount == 0 { String::new() } else { show_amount(&row.resource, amount) };
            let borrowers: Vec<String> = row.borrowers.iter().map(ToString::to_string).collect();
            table.row(vec![
                row.queue.to_string(),
                row.resource.to_string(),
                amount(row.guaranteed),
                amount(row.used),
                amount(row.pending),
                amount(row.deficit()),
                amount(row.fair),
                amount(row.borrowed()),
                amount(row.idle()),
                borrowers.join(", "),
            ]);
        }
        let limits = part.limits_used();
        if limits.is_empty() {
            return Ok(table.text());
        }
        Ok(format!("{}\n{}", table.text(), of_limits(&limits)))
    })
}

fn of_limits(limits: &[LimitUsed]) -> String {
    let mut table = Table::new(&["LIMIT OF", "ON", "RESOURCE", ">LIMIT", ">USED", ">PENDING", ">HELD BACK"]);
    for one in limits {
        let name = one.resource_name();
        let amount = |amount: i64| match (&one.resource, amount) {
            (_, 0) => String::new(),
            (Some(resource), amount) => show_amount(resource, amount),
            (None, amount) => amount.to_string(),
        };
        let side = if one.side == Side::User { "user" } else { "group" };
        table.row(vec![
            format!("{side} {}", one.name),
            one.queue.to_string(),
            name.to_owned(),
            amount(one.limit),
            amount(one.used),
            amount(one.pending),
            amount(one.blocked()),
        ]);
    }
    table.text()
}

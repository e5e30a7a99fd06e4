//! `kornsole kill` and `move`: operations on applications of a remote scheduler.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::show::lines;
use super::{Ended, ServerArgs, UNREACHABLE, exit, killing, print};
use client::Remote;
use console::present::text::escape;
use model::QueuePath;
use source::remote::once::Once;
use view::act::{Act, Code, Configured, Done, Order, PartitionAct, Refusal};
use view::waiting::count;

/// The arguments of `kornsole kill`.
#[derive(Args, Clone, Debug)]
pub struct KillArgs {
    /// IDs of the applications
    #[arg(value_name = "APPLICATION", required = true)]
    pub ids: Vec<String>,
    /// Do not request confirmation; required without a terminal
    #[arg(long)]
    pub yes: bool,
    /// Print a line for each pod
    #[arg(short, long)]
    pub verbose: bool,
    /// In Kubernetes, first suspend the owners of the pods, so that they create no new pods
    #[arg(long)]
    pub suspend_owners: bool,
    /// The options of the operation
    #[command(flatten)]
    pub order: OrderArgs,
}

/// The arguments of `kornsole move`.
#[derive(Args, Clone, Debug)]
pub struct MoveArgs {
    /// IDs of the applications
    #[arg(value_name = "APPLICATION", required = true)]
    pub ids: Vec<String>,
    /// Target leaf queue
    #[arg(long, value_name = "QUEUE")]
    pub to: String,
    /// Show the effects only
    #[arg(long)]
    pub dry_run: bool,
    /// The options of the operation
    #[command(flatten)]
    pub order: OrderArgs,
}

/// The options of all operations.
#[derive(Args, Clone, Debug)]
pub struct OrderArgs {
    /// Partition of the applications
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub partition: String,
    /// Reason, recorded in the audit
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// The server to call
    #[command(flatten)]
    pub server: ServerArgs,
}

impl From<Refusal> for Ended {
    fn from(refusal: Refusal) -> Self {
        let code = if refusal.code == Code::Unavailable { UNREACHABLE } else { 1 };
        Self { message: refusal.to_string(), code }
    }
}

/// `kornsole kill`: ends applications with their allocations.
pub fn kill(args: &KillArgs) -> ExitCode {
    let kill = |app: &str| PartitionAct::Kill { app: app.into(), expect_queue: None };
    exit(killing::before(args).and_then(|once| each(&args.ids, &args.order, once, args.verbose, kill)))
}

/// `kornsole move`: moves applications to another leaf.
pub fn move_to(args: &MoveArgs) -> ExitCode {
    let to = QueuePath::new(&args.to);
    let dry_run = args.dry_run;
    let act = |app: &str| PartitionAct::Move { app: app.into(), to: to.clone(), expect_queue: None, dry_run };
    exit(connect(&args.order.server).and_then(|once| each(&args.ids, &args.order, once, true, act)))
}

/// Connects to a scheduler that accepts operations.
pub(super) fn connect(server: &ServerArgs) -> Result<Once, Ended> {
    if server.client.way.read_only || server.client.way.acting_as.is_some() {
        let message = "--read-only and --as do not allow changes".to_owned();
        return Err(Ended { message, code: 2 });
    }
    let once = server.connect()?;
    match once.remote() {
        Remote::YuniKorn(_) if once.cluster().is_some() => Ok(once),
        Remote::YuniKorn(_) => {
            let message = "the REST API of Apache YuniKorn is read-only".to_owned();
            Err(Ended { message, code: 1 })
        }
        Remote::Kornsole(_) => Ok(once),
    }
}

/// Executes the operation for each application; a rejection does not stop the others.
fn each(
    ids: &[String],
    args: &OrderArgs,
    mut once: Once,
    verbose: bool,
    act: impl Fn(&str) -> PartitionAct,
) -> Result<(), Ended> {
    let partition: Arc<str> = Arc::from(args.partition.as_str());
    let mut worst: Option<Ended> = None;
    for id in ids {
        let order = Order::new(Act::within(&partition, act(id)), args.reason.as_str());
        match killing::counted(&mut once, id, |once| once.act(&order)) {
            Ok(Done::Killed(killed)) if !args.server.client.json => {
                let pods = if verbose { killing::each_pod(&killed.pods) } else { killing::by_outcome(&killed.pods) };
                print(&format!("{}{pods}", report(&Done::Killed(killed), false)))?;
            }
            Ok(done) => {
                print(&report(&done, args.server.client.json))?;
            }
            Err(refusal) => {
                if args.server.client.json {
                    let error = json!({"code": refusal.code.name(), "message": refusal.message, "description": refusal.description,
                        "reasons": refusal.details.reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>()});
                    print(&lines([json!({"applicationID": id, "ok": false, "error": error})]))?;
                }
                let reasons = &refusal.details.reasons;
                let each = if verbose { killing::each_reason(reasons) } else { killing::reasons_by_outcome(reasons) };
                let mut ended = Ended::from(refusal);
                ended.message.push_str(&escape_lines(&each));
                let before = worst.take();
                let message = before.as_ref().map(|before| format!("{}\n", before.message)).unwrap_or_default();
                let code = before.map_or(ended.code, |before| before.code.max(ended.code));
                worst = Some(Ended { message: format!("{message}{}", ended.message), code });
            }
        }
    }
    worst.map_or(Ok(()), Err)
}

pub(super) fn report(done: &Done, json: bool) -> String {
    match done {
        Done::Killed(killed) if json => lines([json!({
            "applicationID": killed.app.as_str(), "ok": true, "queue": killed.queue.as_str(), "state": killed.state.name(),
            "releasedAllocations": ids(&killed.released), "withdrawnRequests": ids(&killed.canceled), "left": killed.left,
            "pods": killed.pods.iter().map(|(pod, end)| (pod.clone(), json!(end.to_string()))).collect::<serde_json::Map<_, _>>(),
        })]),
        Done::Killed(killed) => {
            let released = count(killed.released.len() as u64, "allocation");
            let canceled = count(killed.canceled.len() as u64, "request");
            let text = format!("{} of {} is {}", killed.app, killed.queue, killed.state);
            let left = if killed.left > 0 { format!(", {} more follow", killed.left) } else { String::new() };
            format!("{}: {released} released, {canceled} canceled{left}\n", escape(&text))
        }
        Done::Moved(moved) if json => lines([json!({
            "applicationID": moved.app.as_str(), "ok": true, "from": moved.from.as_str(), "to": moved.to.as_str(),
            "state": moved.state.name(), "effects": moved.effects, "dryRun": moved.dry_run,
        })]),
        Done::Moved(moved) => {
            let verb = if moved.dry_run { "would move" } else { "moved" };
            let effects: String = moved.effects.iter().map(|effect| format!("  {effect}\n")).collect();
            escape_lines(&format!("{} {verb} from {} to {}\n{effects}", moved.app, moved.from, moved.to))
        }
        Done::Configured(new) if json => lines([configured_json(new)]),
        Done::Configured(new) => {
            let verb = if new.dry_run { "would be active" } else { "is active" };
            let happens: String = new.what_happens.iter().map(|what| format!("  {what}\n")).collect();
            // A kornsole server reports it with the number of applications.
            let reported = |path: &QueuePath| new.what_happens.iter().any(|what| what.starts_with(path.as_str()));
            let drains = new.draining.iter().filter(|(_, path)| !reported(path));
            let drains: String = drains.map(|(_, path)| format!("  {path} drains\n")).collect();
            let changes = match new.changes.len() {
                1 => "1 change".to_owned(),
                count => format!("{count} changes"),
            };
            let text = format!("{} {verb}, {changes}, {}\n", new.name(), new.checksum);
            escape_lines(&format!("{text}{happens}{drains}"))
        }
        other => format!("{other:?}\n"),
    }
}

pub(super) fn configured_json(new: &Configured) -> Value {
    json!({
        "checksum": new.checksum, "previous": new.previous, "revision": new.revision, "dryRun": new.dry_run,
        "changes": new.changes.len(), "draining": paths(&new.draining), "created": paths(&new.created),
    })
}

/// Escapes control characters except newlines.
pub(super) fn escape_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| format!("{}{}", escape(line.trim_end_matches('\n')), if line.ends_with('\n') { "\n" } else { "" }))
        .collect()
}

fn ids(asks: &[model::AskId]) -> Vec<Value> {
    asks.iter().map(|ask| json!(ask.as_str())).collect()
}

fn paths(queues: &[(String, QueuePath)]) -> Vec<&str> {
    queues.iter().map(|(_, path)| path.as_str()).collect()
}

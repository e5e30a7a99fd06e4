//! `kornsole kill`, `move` and `whoami`: orders to a kornsole somewhere else.

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
use view::act::{Act, Code, Done, Order, PartitionAct, Refusal};

/// The arguments of `kornsole kill`.
#[derive(Args, Clone, Debug)]
pub struct KillArgs {
    /// IDs of the applications
    #[arg(value_name = "APPLICATION", required = true)]
    pub ids: Vec<String>,
    /// Do not ask for confirmation; required without a terminal
    #[arg(long)]
    pub yes: bool,
    /// In Kubernetes, first suspend the owners of the pods, so that they create no new pods
    #[arg(long)]
    pub suspend_owners: bool,
    /// The options of an order
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
    /// The options of an order
    #[command(flatten)]
    pub order: OrderArgs,
}

/// What every order takes.
#[derive(Args, Clone, Debug)]
pub struct OrderArgs {
    /// Partition of the applications
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub partition: String,
    /// Reason, recorded in the audit
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// The scheduler that is asked
    #[command(flatten)]
    pub server: ServerArgs,
}

/// The arguments of `kornsole whoami`.
#[derive(Args, Clone, Debug)]
pub struct WhoAmIArgs {
    /// The scheduler that is asked
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
    exit(killing::before(args).and_then(|once| each(&args.ids, &args.order, once, kill)))
}

/// `kornsole move`: puts applications into another leaf.
pub fn move_to(args: &MoveArgs) -> ExitCode {
    let to = QueuePath::new(&args.to);
    let dry_run = args.dry_run;
    let act = |app: &str| PartitionAct::Move { app: app.into(), to: to.clone(), expect_queue: None, dry_run };
    exit(connect(&args.order.server).and_then(|once| each(&args.ids, &args.order, once, act)))
}

/// `kornsole whoami`: who the server takes one for.
pub fn whoami(args: &WhoAmIArgs) -> ExitCode {
    let run = || -> Result<(), Ended> {
        let mut once = args.server.connect()?;
        let server = once.remote().to_string();
        if let Some(cluster) = once.cluster() {
            let who = once.who_in(&cluster).map_err(|fault| Ended { message: fault.to_string(), code: 1 })?;
            let way = cluster.found().map(|found| found.to_string()).unwrap_or_default();
            let text = if args.server.client.json {
                lines([json!({"server": server, "authenticated": true, "user": who.user, "groups": who.groups})])
            } else {
                format!("{}, at {server}, {}\n", escape(&who.to_string()), escape(&way))
            };
            return print(&text).map(|_| ());
        }
        let who = once.who()?;
        let text = match (&who, args.server.client.json) {
            (Some(who), true) => lines([json!({
                "server": server, "authenticated": who.authenticated, "user": who.user, "groups": who.groups,
                "schedulerAdmin": who.scheduler_admin, "readOnly": who.read_only,
            })]),
            (None, true) => lines([json!({"server": server, "authenticated": false, "readOnly": true})]),
            (None, false) => format!("no user: {server} has no identities, and is read-only\n"),
            (Some(who), false) if !who.authenticated => {
                format!("no user: no token for {server}, so it is read-only\n")
            }
            (Some(who), false) => {
                let admin = if who.scheduler_admin { ", in the scheduler ACL" } else { "" };
                let only = if who.read_only { ", read only" } else { "" };
                format!("{}{admin}{only}, at {server}\n", escape(&who.identity().to_string()))
            }
        };
        print(&text).map(|_| ())
    };
    exit(run())
}

/// A connection to somebody who takes orders.
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

/// Has every application's order carried out; one that is refused stops no other.
fn each(ids: &[String], args: &OrderArgs, mut once: Once, act: impl Fn(&str) -> PartitionAct) -> Result<(), Ended> {
    let partition: Arc<str> = Arc::from(args.partition.as_str());
    let mut worst: Option<Ended> = None;
    for id in ids {
        let order = Order::new(Act::within(&partition, act(id)), args.reason.as_str());
        match once.act(&order) {
            Ok(done) => {
                print(&report(&done, args.server.client.json))?;
            }
            Err(refusal) => {
                if args.server.client.json {
                    let error = json!({"code": refusal.code.name(), "message": refusal.message, "description": refusal.description,
                        "reasons": refusal.details.reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>()});
                    print(&lines([json!({"applicationID": id, "ok": false, "error": error})]))?;
                }
                let each: String =
                    refusal.details.reasons.iter().map(|reason| format!("\n  {}", reason.text)).collect();
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

/// What was done, in a few lines.
pub(super) fn report(done: &Done, json: bool) -> String {
    match done {
        Done::Killed(killed) if json => lines([json!({
            "applicationID": killed.app.as_str(), "ok": true, "queue": killed.queue.as_str(), "state": killed.state.name(),
            "releasedAllocations": ids(&killed.released), "withdrawnRequests": ids(&killed.withdrawn), "left": killed.left,
            "pods": killed.pods.iter().map(|(pod, end)| (pod.clone(), json!(end.to_string()))).collect::<serde_json::Map<_, _>>(),
        })]),
        Done::Killed(killed) => {
            let (released, withdrawn) = (killed.released.len(), killed.withdrawn.len());
            let text = format!("{} of {} is {}", killed.app, killed.queue, killed.state);
            let left = if killed.left > 0 { format!(", {} more follow", killed.left) } else { String::new() };
            let pods: String = killed.pods.iter().map(|(pod, end)| format!("  {pod}: {end}\n")).collect();
            let text =
                format!("{}: {released} allocations released, {withdrawn} asks withdrawn{left}\n", escape(&text));
            format!("{text}{}", escape_lines(&pods))
        }
        Done::Moved(moved) if json => lines([json!({
            "applicationID": moved.app.as_str(), "ok": true, "from": moved.from.as_str(), "to": moved.to.as_str(),
            "state": moved.state.name(), "effects": moved.effects, "dryRun": moved.dry_run,
        })]),
        Done::Moved(moved) => {
            let verb = if moved.dry_run { "would go" } else { "went" };
            let effects: String = moved.effects.iter().map(|effect| format!("  {effect}\n")).collect();
            escape_lines(&format!("{} {verb} from {} to {}\n{effects}", moved.app, moved.from, moved.to))
        }
        Done::Configured(new) if json => lines([json!({
            "checksum": new.checksum, "previous": new.previous, "revision": new.revision, "dryRun": new.dry_run,
            "changes": new.changes.len(), "draining": paths(&new.draining), "created": paths(&new.created),
        })]),
        Done::Configured(new) => {
            let verb = if new.dry_run { "would be active" } else { "is active" };
            let happens: String = new.what_happens.iter().map(|what| format!("  {what}\n")).collect();
            let drains: String = new.draining.iter().map(|(_, path)| format!("  {path} drains\n")).collect();
            let changes = match new.changes.len() {
                1 => "1 change".to_owned(),
                count => format!("{count} changes"),
            };
            let text = format!("{} {verb}, {changes}, {}\n", new.name(), new.checksum);
            escape_lines(&format!("{text}{}", if happens.is_empty() { drains } else { happens }))
        }
        other => format!("{other:?}\n"),
    }
}

/// Lines stay lines; everything else that a terminal would obey is escaped.
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

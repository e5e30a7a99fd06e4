//! Queues, applications, nodes, users, and groups of a remote scheduler.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::table::Table;
use super::unknown::nulled;
use super::{Ended, ServerArgs, exit, note_on_stderr, print_or_watch};
use console::present::format;
use model::{AppId, MEMORY, QueuePath, Resource, VCORE};
use source::remote::once::{Once, Want};
use view::units::show_amount;
use view::{AppRow, AskRow, AskState, PartitionView, PendingReason, Side, UsageRow, View};
use wire::convert;

const SHOWN_UNKNOWN: usize = 20;

/// The output options of lists.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// The server to call
    #[command(flatten)]
    pub server: ServerArgs,
    /// Only this partition
    #[arg(long, value_name = "NAME")]
    pub partition: Option<String>,
    /// Print the list again after each change
    #[arg(long)]
    pub watch: bool,
}

/// The arguments of `kornsole apps`.
#[derive(Args, Clone, Debug)]
pub struct AppsArgs {
    /// Only applications in the subtree of this queue
    #[arg(value_name = "QUEUE")]
    pub queue: Option<String>,
    /// Only applications in this state: running, accepted, …
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// Include finished applications
    #[arg(long)]
    pub ended: bool,
    /// The output options
    #[command(flatten)]
    pub show: ShowArgs,
}

/// The arguments of `kornsole app`.
#[derive(Args, Clone, Debug)]
pub struct AppArgs {
    /// ID of the application
    #[arg(value_name = "APPLICATION")]
    pub id: String,
    /// The output options
    #[command(flatten)]
    pub show: ShowArgs,
}

/// `kornsole queues`: the tree, or JSON.
pub fn queues(args: &ShowArgs) -> ExitCode {
    show(args, Want::Queues, &[], |once, part, json| {
        if json {
            let root = part.root().map(|root| convert::queue_tree(part, root));
            return Ok(lines(root));
        }
        let mut table =
            Table::new(&["QUEUE", "STATE", ">PRI", ">RUN", ">MAX", ">CPU", ">MAX CPU", ">MEM", ">MAX MEM", "PENDING"]);
        for row in part.walk() {
            let max = |name: &str| row.max.as_ref().and_then(|max| max.get(name));
            let cell = Cells { once, kind: "queue", name: row.path.as_str() };
            table.row(vec![
                format!(
                    "{}{}",
                    "  ".repeat(row.path.depth()),
                    if row.path.depth() == 0 { row.path.as_str() } else { row.path.name() }
                ),
                cell.value("status", row.state.to_string()),
                cell.value("currentPriority", row.priority.current.to_string()),
                cell.value("runningApps", row.running.to_string()),
                cell.value("maxRunningApps", row.max_running.map(|max| max.to_string()).unwrap_or_default()),
                cell.amount("allocatedResource", VCORE, show_amount(VCORE, row.allocated.amount(VCORE))),
                cell.amount("maxResource", VCORE, max(VCORE).map(|max| show_amount(VCORE, max)).unwrap_or_default()),
                cell.amount("allocatedResource", MEMORY, show_amount(MEMORY, row.allocated.amount(MEMORY))),
                cell.amount("maxResource", MEMORY, max(MEMORY).map(|max| show_amount(MEMORY, max)).unwrap_or_default()),
                cell.value(
                    "pendingResource",
                    if row.pending.is_zero() { String::new() } else { format::resource(&row.pending) },
                ),
            ]);
        }
        Ok(table.text())
    })
}

/// `kornsole apps`: the columns of the console, or JSON.
pub fn apps(args: &AppsArgs) -> ExitCode {
    let below = args.queue.as_deref().map(QueuePath::new);
    let wanted = |row: &AppRow| {
        below.as_ref().is_none_or(|queue| row.queue.is_within(queue))
            && args.state.as_ref().is_none_or(|state| row.state.name().eq_ignore_ascii_case(state))
    };
    let wants: &[Want] = if args.ended { &[Want::Users, Want::Apps, Want::Ended] } else { &[Want::Users, Want::Apps] };
    show(&args.show, Want::Apps, wants, |once, part, json| {
        if let Some(queue) = below.as_ref().filter(|queue| part.queue_at(queue).is_none()) {
            return Err(Ended { message: format!("queue {queue} not found"), code: 1 });
        }
        if json {
            let all = once.applications(&part.name, args.ended)?;
            return Ok(lines(all.iter().filter(|app| {
                below.as_ref().is_none_or(|queue| QueuePath::new(&app.queue_name).is_within(queue))
                    && args.state.as_ref().is_none_or(|state| app.state.eq_ignore_ascii_case(state))
            })));
        }
        let mut rows: Vec<&Arc<AppRow>> = part.apps.iter().flatten().filter(|row| wanted(row)).collect();
        rows.sort_by(|one, other| (one.submitted, &one.id).cmp(&(other.submitted, &other.id)));
        rows.extend(part.ended.iter().filter(|row| args.ended && wanted(row)));
        let mut table = Table::new(&["APPLICATION", "QUEUE", "USER", "STATE", ">CPU", ">MEM", ">WAITING", "MESSAGE"]);
        for row in rows {
            let used = row.allocated.add(&row.placeholder);
            let cell = Cells { once, kind: "application", name: row.id.as_str() };
            table.row(vec![
                row.id.to_string(),
                row.queue.to_string(),
                row.who.user.clone(),
                row.state.to_string(),
                cell.amount("allocations", VCORE, show_amount(VCORE, used.amount(VCORE))),
                cell.amount("allocations", MEMORY, show_amount(MEMORY, used.amount(MEMORY))),
                cell.list("requests", if row.pending_asks == 0 { String::new() } else { row.pending_asks.to_string() }),
                row.message.as_deref().unwrap_or_default().to_owned(),
            ]);
        }
        Ok(table.text())
    })
}

/// `kornsole app`: an application with its requests, or JSON.
pub fn app(args: &AppArgs) -> ExitCode {
    let id = AppId::from(args.id.as_str());
    exit(args.show.server.connect().and_then(|mut once| {
        print_or_watch(args.show.watch, || {
            let view = once.look_for(Want::Apps, &[Want::Users, Want::Apps, Want::Ended, Want::Nodes])?;
            note_unknown(&once);
            let parts = partitions(&view, args.show.partition.as_deref())?;
            let found = parts.iter().find_map(|part| Some((*part, part.app_by_id(&id)?)));
            let (part, row) = found.ok_or_else(|| Ended { message: format!("application {id} not found"), code: 1 })?;
            if !args.show.server.client.json {
                return Ok(one_app(part, row));
            }
            let name = Arc::clone(&part.name);
            let all = once.applications(&name, true)?;
            Ok(lines(all.iter().rev().filter(|app| app.application_id == args.id).take(1)))
        })
    }))
}

fn one_app(part: &PartitionView, row: &AppRow) -> String {
    let mut facts = Table::new(&["application", row_title(row)]);
    let mut fact = |name: &str, value: String| facts.row(vec![name.to_owned(), value]);
    fact("id", row.id.to_string());
    fact("queue", row.queue.to_string());
    fact("user", row.who.to_string());
    fact("partition", part.name.to_string());
    fact("allocated", format::resource(&row.allocated));
    fact("pending", format::resource(&row.pending));
    if let Some(message) = &row.message {
        fact("message", message.to_string());
    }
    let mut asks = Table::new(&["REQUEST", ">PRI", ">CPU", ">MEM", "STATE", "NODE"]);
    for ask in row.asks.values() {
        let (state, node) = match &ask.state {
            AskState::Pending { reason, .. } => (waits(part, row, *reason, ask), String::new()),
            AskState::Allocated { node, .. } => ("running".to_owned(), node.to_string()),
        };
        let amount = |name: &str, resource: &Resource| show_amount(name, resource.amount(name));
        let cells = vec![
            ask.name().into_owned(),
            ask.priority.to_string(),
            amount(VCORE, &ask.resource),
            amount(MEMORY, &ask.resource),
            state,
            node,
        ];
        asks.row(cells);
    }
    format!("{}\n{}", facts.text(), asks.text())
}

fn waits(part: &PartitionView, row: &AppRow, reason: PendingReason, ask: &AskRow) -> String {
    if let Some(never) = part.never(row, ask) {
        return format!("waits: {}", never.sentence());
    }
    if let (PendingReason::NoNode, Some(reported)) = (reason, &ask.reported) {
        return format!("waits: no node accepts it: {reported}");
    }
    let words = match reason {
        PendingReason::NotTried => "waits: not evaluated yet",
        PendingReason::QueueQuota => "waits: a queue is full",
        PendingReason::UserQuota => "waits: a limit of its user or group is reached",
        PendingReason::NoNode => "waits: no node has enough free resources",
        PendingReason::Placeholder => "pending: a placeholder must be replaced",
        PendingReason::Turn => "waits: a blocked request is scheduled first",
    };
    words.to_owned()
}

fn row_title(row: &AppRow) -> &'static str {
    row.state.name()
}

/// `kornsole nodes`: capacity and free resources.
pub fn nodes(args: &ShowArgs) -> ExitCode {
    show(args, Want::Nodes, &[Want::Nodes], |once, part, json| {
        if json {
            return Ok(lines(once.nodes(&part.name)?));
        }
        let mut table = Table::new(&["NODE", "STATE", ">CPU", ">OF", ">MEM", ">OF", ">RUNS", "FREE"]);
        for node in part.nodes.values() {
            let cell = Cells { once, kind: "node", name: node.id.as_str() };
            let parts = ["capacity", "allocated", "occupied"];
            table.row(vec![
                node.id.to_string(),
                match &node.closed {
                    Some(why) => why.to_string(),
                    None if node.schedulable => "schedulable".to_owned(),
                    None => "drained".to_owned(),
                },
                cell.amount("allocated", VCORE, show_amount(VCORE, node.allocated.amount(VCORE))),
                cell.amount("capacity", VCORE, show_amount(VCORE, node.capacity.amount(VCORE))),
                cell.amount("allocated", MEMORY, show_amount(MEMORY, node.allocated.amount(MEMORY))),
                cell.amount("capacity", MEMORY, show_amount(MEMORY, node.capacity.amount(MEMORY))),
                cell.list("allocations", node.allocations.len().to_string()),
                parts.iter().fold(format::resource(&node.available()), |text, part| cell.value(part, text)),
            ]);
        }
        Ok(table.text())
    })
}

/// `kornsole users`: usage and limits of users and groups.
pub fn users(args: &ShowArgs) -> ExitCode {
    show(args, Want::Users, &[Want::Apps, Want::Users], |once, part, json| {
        let [no_users, no_groups] = [Side::User, Side::Group].map(|side| once.is_missing(&part.name, side));
        if json {
            #[derive(Serialize)]
            struct Both {
                users: Option<Vec<wire::dto::UserUsage>>,
                groups: Option<Vec<wire::dto::GroupUsage>>,
            }
            let users = (!no_users).then(|| convert::users(part));
            return Ok(lines([Both { users, groups: (!no_groups).then(|| convert::groups(part)) }]));
        }
        let titles = ["WHO", "QUEUE", ">CPU", ">OF", ">MEM", ">OF", ">RUN", ">OF"];
        let mut table = Table::new(&titles);
        let rows = [(no_users, "users", &part.users, Side::User), (no_groups, "groups", &part.groups, Side::Group)];
        for (unknown, all, rows, side) in rows {
            if unknown {
                let cells = titles.iter().map(|title| if *title == "WHO" { all } else { UNKNOWN });
                table.row(cells.map(str::to_owned).collect());
            } else {
                rows.values().for_each(|row| usage(&mut table, once, row, side));
            }
        }
        Ok(table.text())
    })
}

fn usage(table: &mut Table, once: &Once, row: &UsageRow, side: Side) {
    let kind = if side == Side::User { "user" } else { "group" };
    let cell = Cells { once, kind, name: &row.name };
    let who = if side == Side::User { row.name.to_string() } else { format!("group {}", row.name) };
    for level in row.queues.iter() {
        let limit = level.limit.as_ref();
        let max = |name: &str| {
            limit.and_then(|limit| limit.max_resources.as_ref()?.get(name)).map(|max| show_amount(name, max))
        };
        let apps = limit.and_then(|limit| limit.max_applications).filter(|max| *max > 0);
        table.row(vec![
            who.clone(),
            level.queue.to_string(),
            cell.amount("resourceUsage", VCORE, show_amount(VCORE, level.allocated.amount(VCORE))),
            max(VCORE).unwrap_or_default(),
            cell.amount("resourceUsage", MEMORY, show_amount(MEMORY, level.allocated.amount(MEMORY))),
            max(MEMORY).unwrap_or_default(),
            level.running.len().to_string(),
            apps.map(|max| max.to_string()).unwrap_or_default(),
        ]);
    }
}

const UNKNOWN: &str = "?";

/// The cells of one row: values that cannot be read are shown as unknown.
struct Cells<'a> {
    once: &'a Once,
    kind: &'a str,
    name: &'a str,
}

impl Cells<'_> {
    /// A quantity of one resource below a key.
    fn amount(&self, key: &str, resource: &str, known: String) -> String {
        let unknown = self.once.unknown().iter().any(|one| one.touches(self.kind, self.name, key, resource));
        if unknown { UNKNOWN.to_owned() } else { known }
    }

    fn value(&self, key: &str, known: String) -> String {
        let unknown = self.once.unknown().iter().any(|one| one.is_below(self.kind, self.name, key));
        if unknown { UNKNOWN.to_owned() } else { known }
    }

    /// A value computed from the length of a list; an unreadable entry does not change it.
    fn list(&self, key: &str, known: String) -> String {
        let unknown = self.once.unknown().iter().any(|one| one.cuts(self.kind, self.name, key));
        if unknown { UNKNOWN.to_owned() } else { known }
    }
}

/// Lists unknown values, with the reasons, on standard error.
fn note_unknown(once: &Once) {
    once.unanswered().iter().for_each(|why| note_on_stderr(&format!("warning: {why}")));
    let unknown = once.unknown();
    unknown.iter().take(SHOWN_UNKNOWN).for_each(|one| note_on_stderr(&format!("warning: unknown: {one}")));
    if let Some(more) = unknown.len().checked_sub(SHOWN_UNKNOWN + 1) {
        note_on_stderr(&format!("warning: unknown: {} more values", more + 1));
    }
}

pub(super) fn show(
    args: &ShowArgs,
    page: Want,
    wants: &[Want],
    render: impl Fn(&Once, &PartitionView, bool) -> Result<String, Ended>,
) -> ExitCode {
    let look = |once: &mut Once| -> Result<String, Ended> {
        let view = once.look_for(page, wants)?;
        note_unknown(once);
        let parts = partitions(&view, args.partition.as_deref())?;
        let several = parts.len() > 1 && !args.server.client.json;
        let mut text = String::new();
        for part in parts {
            if several {
                text.push_str(&format!("partition {}\n", part.name));
            }
            let rendered = render(once, part, args.server.client.json)?;
            let is_json = args.server.client.json;
            text.push_str(&if is_json { nulled(rendered, once.unknown()) } else { rendered });
        }
        Ok(text)
    };
    exit(args.server.connect().and_then(|mut once| print_or_watch(args.watch, || look(&mut once))))
}

fn partitions<'v>(view: &'v View, named: Option<&str>) -> Result<Vec<&'v PartitionView>, Ended> {
    let parts: Vec<&PartitionView> =
        view.partitions.iter().filter(|part| named.is_none_or(|named| *part.name == *named)).collect();
    match named {
        Some(named) if parts.is_empty() => Err(Ended { message: format!("partition {named} not found"), code: 1 }),
        _ => Ok(parts),
    }
}

/// One JSON document per line.
pub(super) fn lines<T: Serialize>(values: impl IntoIterator<Item = T>) -> String {
    let documents = values.into_iter().flat_map(|value| wire::dto::json::to_bytes(&value));
    String::from_utf8_lossy(&documents.collect::<Vec<u8>>()).into_owned()
}

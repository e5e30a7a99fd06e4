//! `kornsole explain` and `kornsole fairness`.

use std::process::ExitCode;

use clap::Args;

use super::show::{ShowArgs, lines, show};
use super::table::Table;
use super::{Ended, ServerArgs, exit, print};
use crate::api::client::{Remote, encode_once};
use crate::api::convert::explain as convert;
use crate::api::dto::native::{Explained, ExplainedAsk};
use crate::model::quantity::show_amount;
use crate::source::remote::once::Want;

/// The exit code for what waits.
const WAITS: u8 = 1;

/// The arguments of `kornsole explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArgs {
    /// Which application
    #[arg(value_name = "APPLICATION")]
    pub id: String,
    /// Only this ask
    #[arg(long, value_name = "KEY")]
    pub ask: Option<String>,
    /// In which partition
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub partition: String,
    /// Which scheduler
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `kornsole explain`. Exit code 0: it runs, or would in the next cycle; 1: it waits.
pub fn explain(args: &ExplainArgs) -> ExitCode {
    match explained(args) {
        Ok(true) => ExitCode::from(WAITS),
        Ok(false) => ExitCode::SUCCESS,
        Err(ended) => exit(Err(ended)),
    }
}

/// Prints the explanation. Gives whether it waits.
fn explained(args: &ExplainArgs) -> Result<bool, Ended> {
    let once = args.server.connect()?;
    if let Remote::YuniKorn(_) = once.remote() {
        let message =
            "an Apache YuniKorn does not explain itself, and its checks are not worked out here yet".to_owned();
        return Err(Ended { message, code: 1 });
    }
    let path = format!("partition/{}/application/{}/explain", encode_once(&args.partition), encode_once(&args.id));
    let key = args.ask.as_ref().map(|key| format!("?key={}", encode_once(key))).unwrap_or_default();
    let body = once.own(&format!("{path}{key}"))?;
    let found: Explained = serde_json::from_slice(&body)
        .map_err(|error| Ended { message: format!("the answer does not read: {error}"), code: 1 })?;
    print(&if args.server.json { lines([&found]) } else { text(&found) })?;
    Ok(found.waits)
}

fn text(found: &Explained) -> String {
    let mut lines = vec![found.text.clone()];
    for ask in &found.asks {
        lines.push(String::new());
        let like = if ask.alike > 1 { format!(" (and {} like it)", ask.alike - 1) } else { String::new() };
        lines.push(format!("{}{like}", ask.text));
        lines.extend(chain(ask));
    }
    if found.left_out > 0 {
        lines.push(format!("\n{} more asks of other kinds wait; --ask KEY explains one", found.left_out));
    }
    let escaped = lines.iter().map(|line| crate::console::present::text::escape(line).into_owned() + "\n");
    escaped.collect()
}

fn chain(ask: &ExplainedAsk) -> Vec<String> {
    let part = |title: &str, text: &str| format!("  {title:<11} {text}");
    let mut lines: Vec<String> = ask.blocked_by.iter().map(|blocked| part(&blocked.level, &blocked.text)).collect();
    for failed in &ask.nodes {
        lines.push(part("nodes", &format!("{} {}: {}", failed.count, failed.reason, failed.examples.join(", "))));
    }
    let notes = [("preemption", Some(&ask.preemption.why)), ("next", ask.next.as_ref())];
    let notes = notes.into_iter().filter_map(|(title, text)| Some((title, text?))).filter(|(_, text)| !text.is_empty());
    lines.extend(notes.map(|(title, text)| part(title, text)));
    lines.extend(ask.remedies.iter().map(|remedy| part("would help", &remedy.text)));
    lines
}

/// `kornsole fairness`.
pub fn fairness(args: &ShowArgs) -> ExitCode {
    show(args, &[Want::Queues], |_, part, json| {
        let rows = part.fairness();
        if json {
            return Ok(lines([convert::fairness(&rows)]));
        }
        let titles =
            ["QUEUE", "RESOURCE", ">GUARANTEED", ">USED", ">PENDING", ">DEFICIT", ">BORROWED", ">IDLE", "HELD BY"];
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
                amount(row.borrowed()),
                amount(row.idle()),
                borrowers.join(", "),
            ]);
        }
        Ok(table.text())
    })
}

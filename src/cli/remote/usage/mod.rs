//! `kornsole usage`: what was used over time, at a running kornsole or in the state folder of one that does not run.

mod formats;
mod html;
mod price;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};

use super::audit_source::AuditSourceArgs;
use super::{Ended, exit, print};
use crate::api::client::{Remote, encode_once};
use crate::api::convert::usage_report;
use crate::api::dto::json::to_bytes;
use crate::api::dto::native::UsageReport;
use crate::api::dto::time::parse_rfc3339;
use crate::config::properties::parse_duration;
use crate::ledger::Question;
use crate::model::QueuePath;

/// The arguments of `kornsole usage`.
#[derive(Args, Clone, Debug)]
pub struct UsageArgs {
    /// Whose ledger: a server's, or that of a state folder
    #[command(flatten)]
    pub of: AuditSourceArgs,
    /// What the rows are split by: hour, partition, queue, user, group, application, priority; or tree: every queue with all below it, beside what
    /// was guaranteed and borrowed
    #[arg(long, value_name = "NAMES", default_value = "queue,user")]
    pub by: String,
    /// From when on: a day, a time as 2026-11-01T08:00:00Z, or how long ago, as 24h. Whole hours count
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Up to when
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Only what was used in this queue and below it
    #[arg(long, value_name = "PATH")]
    pub queue: Option<String>,
    /// Only what was used under this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// How it is printed
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: Format,
    /// What an hour of each resource costs
    #[arg(long, value_name = "FILE")]
    pub price: Option<PathBuf>,
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, in hours of cores, GiB and others
    Table,
    /// For spreadsheets, in seconds of base units
    Csv,
    /// As the REST API answers
    Json,
    /// One page with charts, which needs nothing else
    Html,
}

/// `kornsole usage`: what was used and waited for, as a table, CSV, JSON or a page.
pub fn usage(args: &UsageArgs) -> ExitCode {
    exit(printed(args))
}

fn printed(args: &UsageArgs) -> Result<(), Ended> {
    let prices = args.price.as_deref().map(price::Prices::read).transpose().map_err(ended)?;
    let now = SystemTime::now();
    let from = args.from.as_deref().map(|text| moment(text, now)).transpose().map_err(ended)?;
    let to = args.to.as_deref().map(|text| moment(text, now)).transpose().map_err(ended)?;
    let by = Question::by(&args.by).map_err(ended)?;
    let report = match &args.of.state {
        Some(_) => of_folder(args, by, (from, to))?,
        None => of_server(args, (from, to))?,
    };
    let format = if args.of.client.json { Format::Json } else { args.format };
    let text = match format {
        Format::Table => formats::table(&report, prices.as_ref()),
        Format::Csv => formats::csv(&report, prices.as_ref()),
        Format::Json => String::from_utf8_lossy(&to_bytes(&report)).into_owned() + "\n",
        Format::Html => html::page(&report, prices.as_ref()),
    };
    print(&text).map(drop)
}

fn ended(message: String) -> Ended {
    Ended { message, code: 1 }
}

type Span = (Option<i64>, Option<i64>);

fn of_folder(args: &UsageArgs, by: Vec<crate::ledger::Dimension>, (from, to): Span) -> Result<UsageReport, Ended> {
    let look = args.of.folder()?;
    let runs = look.clock_runs();
    let time = |nanos: Option<i64>| nanos.map(|nanos| runs.time(nanos));
    let (queue, user) = (args.queue.as_deref().map(QueuePath::new), args.user.clone());
    let question = Question { by, from: time(from), to: time(to), queue, user };
    Ok(usage_report(&look.usage(&question), &runs))
}

fn of_server(args: &UsageArgs, (from, to): Span) -> Result<UsageReport, Ended> {
    let once = args.of.server_args().connect()?;
    match once.remote() {
        Remote::Kornsole(known) if known.can("usage") => {}
        Remote::Kornsole(_) => return Err(ended("this kornsole keeps no ledger: it is too old".to_owned())),
        Remote::YuniKorn(_) => {
            let message = "an Apache YuniKorn keeps no ledger; its ended applications have resourceHistory from 1.7 on";
            return Err(ended(message.to_owned()));
        }
    }
    let mut path = format!("usage?by={}", encode_once(&args.by));
    for (name, nanos) in [("from", from), ("to", to)] {
        path.extend(nanos.map(|nanos| format!("&{name}={nanos}")));
    }
    for (name, text) in [("queue", &args.queue), ("user", &args.user)] {
        path.extend(text.as_ref().map(|text| format!("&{name}={}", encode_once(text))));
    }
    let body = once.own(&path)?;
    serde_json::from_slice(&body).map_err(|error| ended(format!("the answer does not read: {error}")))
}

/// A point in time in nanoseconds since 1970.
///
/// # Errors
/// It is none.
pub fn moment(text: &str, now: SystemTime) -> Result<i64, String> {
    let whole = if text.len() == "2026-11-01".len() { format!("{text}T00:00:00Z") } else { text.to_owned() };
    if let Some(nanos) = parse_rfc3339(&whole) {
        return Ok(nanos);
    }
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let ago = days.map(|days| Duration::from_secs(86_400) * days).or_else(|| parse_duration(text));
    let at = ago.and_then(|ago| now.checked_sub(ago)).and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    at.and_then(|at| i64::try_from(at.as_nanos()).ok()).ok_or_else(|| {
        format!(
            "{text:?} is no time; write a day as 2026-11-01, a time as 2026-11-01T08:00:00Z, or how long ago as 24h"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_moments_or_ago() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (text, seconds) in
            [("1970-01-02", 86_400), ("1970-01-01T01:00:00Z", 3_600), ("1h", 996_400), ("2d", 827_200)]
        {
            assert_eq!(moment(text, now), Ok(seconds * 1_000_000_000), "{text}");
        }
        assert!(moment("yesterday", now).unwrap_err().contains("\"yesterday\" is no time"));
        assert!(moment("1970-13-01", now).is_err());
    }
}

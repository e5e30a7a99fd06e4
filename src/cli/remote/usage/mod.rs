//! `kornsole usage`: usage over time of a running or stopped kornsole.

mod formats;
mod html;
mod price;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};

use super::audit_source::AuditSourceArgs;
use super::{Ended, Once, exit, print, print_csv};
use client::{Remote, encode_once};
use config::properties::parse_duration;
use engine::journal::{AuditInspection, DirInspection};
use ledger::{Dimension, Followed, Ledger, Question};
use model::{QueuePath, Time};
use source::book;
use source::remote::once::Want;
use source::remote::stored;
use source::stored_dir;
use view::{ClockRuns, View};
use wire::convert::{followed_report, tracked_report, usage_report};
use wire::dto::json::to_bytes;
use wire::dto::native::UsageReport;
use wire::dto::time::{parse_rfc3339, rfc3339};

/// The arguments of `kornsole usage`.
#[derive(Args, Clone, Debug)]
pub struct UsageArgs {
    /// The source: a server or a state directory
    #[command(flatten)]
    pub of: AuditSourceArgs,
    /// Columns that split the rows: hour, partition, queue, user, group, application, priority
    ///
    /// The value tree prints each queue with its subtree, and its guaranteed and borrowed resources.
    #[arg(long, value_name = "NAMES", default_value = "queue,user")]
    pub by: String,
    /// Start: a day, a time, or an age such as 24h
    ///
    /// A time is written as 2026-11-01T08:00:00Z. kornsole counts whole hours.
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// End, in the same form
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Calendar month in UTC, for example 2026-11, instead of --from and --to
    #[arg(long, value_name = "MONTH", conflicts_with_all = ["from", "to"])]
    pub month: Option<String>,
    /// Only usage in the subtree of this queue
    #[arg(long, value_name = "PATH")]
    pub queue: Option<String>,
    /// Only usage of this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: Format,
    /// File with the prices of each resource for an hour
    #[arg(long, value_name = "FILE")]
    pub price: Option<PathBuf>,
}

/// The output format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Table, in hours of cores, GiB, and other units
    Table,
    /// CSV for spreadsheets, in seconds of base units
    Csv,
    /// JSON of the REST API
    Json,
    /// One HTML page with charts
    Html,
}

/// `kornsole usage`: usage and waits, as a table, CSV, JSON, or an HTML page.
pub fn usage(args: &UsageArgs) -> ExitCode {
    exit(printed(args))
}

fn printed(args: &UsageArgs) -> Result<(), Ended> {
    let prices = args.price.as_deref().map(price::Prices::read).transpose().map_err(ended)?;
    let now = SystemTime::now();
    let at = |text: &Option<String>| text.as_deref().map(|text| moment(text, now)).transpose().map_err(ended);
    let span = match &args.month {
        Some(month) => whole_month(month).map_err(ended)?,
        None => (at(&args.from)?, at(&args.to)?),
    };
    let by = Question::by(&args.by).map_err(ended)?;
    let ledger = Ledgers::open(args)?;
    let report = ledger.report(args, &by, span)?;
    let format = if args.of.client.json { Format::Json } else { args.format };
    let text = match format {
        Format::Table => formats::table(&report, prices.as_ref()),
        Format::Csv => formats::csv(&report, prices.as_ref()),
        Format::Json => String::from_utf8_lossy(&to_bytes(&report)).into_owned() + "\n",
        Format::Html => {
            let by_hour = match over_time(&by) {
                Some(by) if !report.only_allocated => Some(ledger.report(args, &by, span)?),
                _ => None,
            };
            let (by_hour, prices) = (by_hour.as_ref(), prices.as_ref());
            html::page(&report, &html::PageOptions { month: args.month.as_deref(), by_hour, prices })
        }
    };
    let is_csv = !args.of.client.json && matches!(args.format, Format::Csv);
    if is_csv { print_csv(&text).map(drop) } else { print(&text).map(drop) }
}

fn ended(message: String) -> Ended {
    Ended { message, code: 1 }
}

type Span = (Option<i64>, Option<i64>);

/// By hour and the first key of a report, for the charts over time; `None` if the report is by hour.
fn over_time(by: &[Dimension]) -> Option<Vec<Dimension>> {
    if by.contains(&Dimension::Hour) {
        return None;
    }
    // Parent queues contain their children, so only leaves can be stacked.
    let first = by.first().map(|first| if *first == Dimension::Tree { Dimension::Queue } else { *first });
    Some(std::iter::once(Dimension::Hour).chain(first).collect())
}

enum Ledgers {
    Dir(Box<DirInspection>),
    /// From the directory of a scheduler in Kubernetes, which may be running.
    Retained(Box<Ledger>),
    Server(Box<Once>),
    /// Recorded on this machine for Apache YuniKorn.
    Followed(Box<Followed>),
    /// Without a ledger: the values of Apache YuniKorn.
    Seen(Arc<View>),
}

impl Ledgers {
    fn open(args: &UsageArgs) -> Result<Self, Ended> {
        if let Some(path) = args.of.state.as_deref().filter(|path| AuditInspection::is_of(path)) {
            let ledger = stored_dir::ledger_of(path).map_err(ended)?;
            let none = || ended(format!("{} has no ledger yet", path.display()));
            return Ok(Self::Retained(Box::new(ledger.ok_or_else(none)?)));
        }
        if args.of.state.is_some() {
            return Ok(Self::Dir(Box::new(args.of.dir()?)));
        }
        let (mut once, context) = args.of.server_args().connect_named()?;
        match once.remote() {
            Remote::Kornsole(known) if known.can("usage") => Ok(Self::Server(Box::new(once))),
            Remote::Kornsole(_) => Err(ended("this version of kornsole has no ledger".to_owned())),
            Remote::YuniKorn(_) => {
                let retained = stored::dir(&context).map(|dir| book::retained(&dir)).transpose().map_err(ended)?;
                match retained.flatten().filter(|followed| followed.since().is_some()) {
                    Some(followed) => Ok(Self::Followed(Box::new(followed))),
                    None => Ok(Self::Seen(once.look(&[Want::Apps])?)),
                }
            }
        }
    }

    fn report(&self, args: &UsageArgs, by: &[Dimension], (from, to): Span) -> Result<UsageReport, Ended> {
        let once = match self {
            Self::Dir(look) => {
                let runs = look.clock_runs();
                let time = |nanos: Option<i64>| nanos.map(|nanos| runs.time(nanos));
                let (queue, user) = (args.queue.as_deref().map(QueuePath::new), args.user.clone());
                let question = Question { by: by.to_vec(), from: time(from), to: time(to), queue, user };
                return Ok(usage_report(&look.usage(&question), &runs));
            }
            Self::Retained(ledger) => {
                let runs = ClockRuns::always(0, 1.0);
                let time = |nanos: Option<i64>| nanos.map(|nanos| runs.time(nanos));
                let (queue, user) = (args.queue.as_deref().map(QueuePath::new), args.user.clone());
                let question = Question { by: by.to_vec(), from: time(from), to: time(to), queue, user };
                return Ok(usage_report(&ledger.report(ledger.counted_until(), &question), &runs));
            }
            Self::Followed(followed) => {
                let time = |nanos: i64| Time(u64::try_from(nanos / 1_000).unwrap_or(0));
                let (queue, user) = (args.queue.as_deref().map(QueuePath::new), args.user.clone());
                let question = Question { by: by.to_vec(), from: from.map(time), to: to.map(time), queue, user };
                return followed_report(followed, &question).map_err(ended);
            }
            Self::Seen(view) => {
                let (queue, user) = (args.queue.as_deref().map(QueuePath::new), args.user.clone());
                // No time is known, so any value will do.
                let time = |nanos: Option<i64>| nanos.map(|_| view.at);
                let question = Question { by: by.to_vec(), from: time(from), to: time(to), queue, user };
                return tracked_report(view, &question).map_err(ended);
            }
            Self::Server(once) => once,
        };
        let names: Vec<String> = by.iter().map(ToString::to_string).collect();
        let mut path = format!("usage?by={}", encode_once(&names.join(",")));
        for (name, nanos) in [("from", from), ("to", to)] {
            path.extend(nanos.map(|nanos| format!("&{name}={nanos}")));
        }
        for (name, text) in [("queue", &args.queue), ("user", &args.user)] {
            path.extend(text.as_ref().map(|text| format!("&{name}={}", encode_once(text))));
        }
        let body = once.own(&path)?;
        serde_json::from_slice(&body).map_err(|error| ended(format!("invalid response: {error}")))
    }
}

/// The time range of a month in UTC.
///
/// # Errors
/// The text is not a month.
fn whole_month(text: &str) -> Result<Span, String> {
    let first = |month: &str| parse_rfc3339(&format!("{month}-01T00:00:00Z"));
    let from = (text.len() == "2026-11".len()).then(|| first(text)).flatten();
    // 32 days after its start, every month has ended.
    let next = from.and_then(|from| first(rfc3339(from + 32 * 86_400_000_000_000).get(..7)?));
    match (from, next) {
        (Some(_), Some(_)) => Ok((from, next)),
        _ => Err(format!("invalid month {text:?}; use the form 2026-11")),
    }
}

/// A time in nanoseconds since 1970.
///
/// # Errors
/// The text is not a time.
pub fn moment(text: &str, now: SystemTime) -> Result<i64, String> {
    let whole = if text.len() == "2026-11-01".len() { format!("{text}T00:00:00Z") } else { text.to_owned() };
    if let Some(nanos) = parse_rfc3339(&whole) {
        return Ok(nanos);
    }
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let ago = days.map(|days| Duration::from_secs(86_400) * days).or_else(|| parse_duration(text));
    let at = ago.and_then(|ago| now.checked_sub(ago)).and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    at.and_then(|at| i64::try_from(at.as_nanos()).ok()).ok_or_else(|| {
        format!("invalid time {text:?}; use a day (2026-11-01), a time (2026-11-01T08:00:00Z), or an age (24h)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_ends_where_the_next_one_starts() {
        let at = |text: &str| parse_rfc3339(text);
        let months = [
            ("2026-12", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("2028-02", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"),
        ];
        for (month, from, to) in months {
            assert_eq!(whole_month(month), Ok((at(from), at(to))));
        }
        for wrong in ["2026", "2026-13", "2026-1", "november", "2026-11-01", ""] {
            assert!(whole_month(wrong).unwrap_err().contains("invalid month"), "{wrong}");
        }
    }

    #[test]
    fn times_are_days_times_or_ages() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (text, seconds) in
            [("1970-01-02", 86_400), ("1970-01-01T01:00:00Z", 3_600), ("1h", 996_400), ("2d", 827_200)]
        {
            assert_eq!(moment(text, now), Ok(seconds * 1_000_000_000), "{text}");
        }
        assert!(moment("yesterday", now).unwrap_err().contains("invalid time \"yesterday\""));
        assert!(moment("1970-13-01", now).is_err());
    }
}

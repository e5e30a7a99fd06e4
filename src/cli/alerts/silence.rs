//! `kornsole alerts silence`, `silences`, and `unsilence`.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

use crate::cli::remote::{ServerArgs, escaped};
use crate::cli::{fail, settings};
use view::drain::span;
use wire::dto::native::{Alert, Alerts, Silence, SilenceOrder};

/// The arguments of `kornsole alerts silence`.
#[derive(Args, Clone, Debug)]
pub struct SilenceArgs {
    /// Alert rule to silence
    #[arg(value_name = "RULE")]
    pub rule: String,
    /// Silence only the current alerts with this label, for example queue=root.etl (repeatable)
    ///
    /// With several labels, kornsole silences the alerts that have all of them.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
    pub labels: Vec<(String, String)>,
    /// Duration of the silence, for example 30m, 2h, or 7d; at most 30 days
    #[arg(long = "for", value_name = "DURATION")]
    pub lasts: String,
    /// Reason, recorded in the audit
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The server of the alerts
    #[command(flatten)]
    pub of: ServerArgs,
}

/// The arguments of `kornsole alerts silences`.
#[derive(Args, Clone, Debug)]
pub struct SilencesArgs {
    /// Include expired silences
    #[arg(long)]
    pub all: bool,
    /// The server of the silences
    #[command(flatten)]
    pub of: ServerArgs,
}

/// The arguments of `kornsole alerts unsilence`.
#[derive(Args, Clone, Debug)]
pub struct UnsilenceArgs {
    /// ID of the silence
    #[arg(value_name = "ID")]
    pub id: u64,
    /// Reason, recorded in the audit
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// The server of the silence
    #[command(flatten)]
    pub of: ServerArgs,
}

fn label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE, for example queue=root.etl".to_owned()),
    }
}

/// Silences a rule, or each of its alerts with the labels.
pub fn silence(args: &SilenceArgs) -> ExitCode {
    let order = |subject: &str| SilenceOrder {
        rule: args.rule.clone(),
        subject: subject.to_owned(),
        lasts: days(&args.lasts),
        reason: Some(args.reason.clone()),
    };
    let subjects = match subjects(args) {
        Ok(subjects) => subjects,
        Err((why, code)) => return fail(&why, code),
    };
    for subject in subjects {
        match args.of.order::<Silence>("POST", "alerts/silences", "", Some(&order(&subject))) {
            Ok(done) => {
                let _ = settings::print(&report(&[done], args.of.client.json));
            }
            Err((why, code)) => return fail(&why, code),
        }
    }
    ExitCode::SUCCESS
}

/// Converts days to hours, which the server reads.
fn days(lasts: &str) -> String {
    match lasts.strip_suffix('d').and_then(|days| days.parse::<u32>().ok()) {
        Some(days) => format!("{}h", u64::from(days) * 24),
        None => lasts.to_owned(),
    }
}

/// The subjects of the silence: all without labels, otherwise those of the alerts with all labels.
fn subjects(args: &SilenceArgs) -> Result<Vec<String>, (String, u8)> {
    if args.labels.is_empty() {
        return Ok(vec![String::new()]);
    }
    let alerts = read(&args.of)?;
    let of_rule: Vec<&Alert> = alerts.alerts.iter().filter(|alert| alert.rule == args.rule).collect();
    let has = |alert: &&&Alert| args.labels.iter().all(|(name, value)| alert.labels.get(name) == Some(value));
    let found: Vec<String> = of_rule.iter().filter(has).map(|alert| alert.subject.clone()).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let there: Vec<String> = of_rule.iter().map(|alert| alert.subject.clone()).collect();
    let there = match there.as_slice() {
        [] => "it has none".to_owned(),
        all => format!("its alerts name {}", all.join(", ")),
    };
    Err((format!("no alert of {} has these labels: {there}", escaped(&args.rule)), 1))
}

/// Prints the silences.
pub fn silences(args: &SilencesArgs) -> ExitCode {
    let alerts = match read(&args.of) {
        Ok(alerts) => alerts,
        Err((why, code)) => return fail(&why, code),
    };
    let all: Vec<Silence> = alerts.silences.into_iter().filter(|one| args.all || one.active).collect();
    if all.is_empty() && !args.of.client.json {
        return settings::print("no silence\n");
    }
    settings::print(&report(&all, args.of.client.json))
}

/// Ends a silence early.
pub fn unsilence(args: &UnsilenceArgs) -> ExitCode {
    let path = format!("alerts/silences/{}", args.id);
    match args.of.order::<Silence>("DELETE", &path, &args.reason, None::<&SilenceOrder>) {
        Ok(done) => settings::print(&report(&[done], args.of.client.json)),
        Err((why, code)) => fail(&why, code),
    }
}

fn read(of: &ServerArgs) -> Result<Alerts, (String, u8)> {
    let body = of.own("alerts", "alerts")?;
    serde_json::from_slice(&body).map_err(|error| (format!("invalid response: {error}"), 1))
}

/// The silences as lines, or as one JSON object for each line.
fn report(silences: &[Silence], json: bool) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    let line = |one: &Silence| {
        if json {
            return serde_json::to_string(one).unwrap_or_default() + "\n";
        }
        let left = u64::try_from(one.until.saturating_sub(now)).unwrap_or(0);
        let state = match (one.active, left) {
            (true, 1..) => format!("{} left", span(std::time::Duration::from_nanos(left))),
            _ => "over".to_owned(),
        };
        let reason = if one.reason.is_empty() { String::new() } else { format!(": {}", one.reason) };
        escaped(&format!("silence {}, {}, {state}, by {}{reason}\n", one.id, one.of, one.by))
    };
    silences.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_days_read() {
        assert_eq!(label("queue=root.a=b"), Ok(("queue".to_owned(), "root.a=b".to_owned())));
        assert!(label("queue").is_err() && label("=x").is_err() && label("queue=").is_err());
        assert_eq!([days("7d"), days("2h"), days("soond")], ["168h", "2h", "soond"]);
    }
}

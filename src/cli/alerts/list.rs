//! `kornsole alerts list`: the alerts of a running kornsole.

use std::process::ExitCode;

use clap::Args;

use crate::cli::remote::ServerArgs;
use crate::cli::{fail, settings};
use wire::dto::native::Alerts;

/// The arguments of `kornsole alerts list`.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// The server of the alerts
    #[command(flatten)]
    pub of: ServerArgs,
}

/// Prints the alerts. Exit code 0: no alert fires; 1: an alert fires; 2 and 3 as for every command that calls a server.
pub fn run(args: &ListArgs) -> ExitCode {
    let body = match args.of.own("alerts", "alerts") {
        Ok(body) => body,
        Err((why, code)) => return fail(&why, code.max(2)),
    };
    let alerts: Alerts = match serde_json::from_slice(&body) {
        Ok(alerts) => alerts,
        Err(error) => return fail(&format!("invalid response: {error}"), 2),
    };
    let on = alerts.alerts.iter().any(|alert| alert.state == "firing" && alert.muted.is_empty());
    let text = if args.of.client.json { String::from_utf8_lossy(&body).into_owned() + "\n" } else { words(&alerts) };
    let printed = settings::print(&text);
    if on { ExitCode::from(1) } else { printed }
}

fn words(alerts: &Alerts) -> String {
    let mut text = String::new();
    for alert in &alerts.alerts {
        let muted = if alert.muted.is_empty() { String::new() } else { format!("  [{}]", alert.muted) };
        let (state, severity) = (&alert.state, &alert.severity);
        text += &format!("{state:<8}  {severity:<8}  {}: {}  {}{muted}\n", alert.rule, alert.subject, alert.text);
    }
    if alerts.alerts.is_empty() {
        text += "no alert\n";
    }
    for silence in alerts.silences.iter().filter(|silence| silence.active) {
        text += &format!("silence {}: {} by {}: {}\n", silence.id, silence.of, silence.by, silence.reason);
    }
    for problem in &alerts.problem {
        text += &format!("{problem}\n");
    }
    text
}

//! `kornsole alerts replay`: alerts that would have fired in the past.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;

use super::rules::AlertArgs;
use crate::cli::remote::moment;
use crate::cli::{fail, settings};
use alerts::alerting::document::rfc3339;
use alerts::{Alerts, Change, ChangeKind, Given, Rules};
use engine::journal::DirInspection;
use engine::journal::recording::PastMoment;
use model::Time;
use view::ClockRuns;
use view::record::Record;

/// The interval between two evaluations.
const STEP: Duration = Duration::from_secs(10);
/// The time range of events, and their maximum number.
const LATELY: Duration = Duration::from_secs(24 * 3600);
const MOST_EVENTS: usize = 5_000;

/// The arguments of `kornsole alerts replay`.
#[derive(Args, Clone, Debug)]
pub struct ReplayArgs {
    /// File with alert rules [default: the active rules of this machine]
    #[arg(value_name = "RULES")]
    pub rules: Option<PathBuf>,
    /// State directory of a stopped scheduler; kornsole only reads it
    #[arg(long, value_name = "DIR")]
    pub state: PathBuf,
    /// Start: a day, a time, or an age such as 24h [default: start of the journal]
    ///
    /// A time is written as 2026-11-01T08:00:00Z.
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// End, in the same form [default: end of the journal]
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Print one line of JSON for each change of an alert
    #[arg(long)]
    pub json: bool,
}

/// Prints the alerts that would have been sent, and the count for each rule.
pub fn run(args: &ReplayArgs) -> ExitCode {
    match replay(args) {
        Ok(text) => settings::print(&text),
        Err(why) => fail(&why, 1),
    }
}

fn replay(args: &ReplayArgs) -> Result<String, String> {
    let (rules, _) = AlertArgs { rules: args.rules.clone() }.read()?;
    let look = DirInspection::open(&args.state).map_err(|problem| problem.reported_of(&args.state))?;
    let wall = look.clock_runs();
    let now = SystemTime::now();
    let time =
        |text: &Option<String>| text.as_deref().map(|text| moment(text, now).map(|nanos| wall.time(nanos))).transpose();
    let recording = look.recording();
    let from = time(&args.from)?.or(recording.reaches_back_to()).unwrap_or(Time::ZERO);
    let to = time(&args.to)?.unwrap_or(look.now());
    let mut run = Run::new(rules);
    recording.moments(from, to, STEP, &mut |moment| run.step(moment))?;
    Ok(run.text(&wall, args.json, (from, to)))
}

struct Run {
    alerts: Alerts,
    happened: VecDeque<Arc<Record>>,
    changes: Vec<Change>,
}

impl Run {
    fn new(rules: Rules) -> Self {
        Self { alerts: Alerts::new(Arc::new(rules)), happened: VecDeque::new(), changes: Vec::new() }
    }

    fn step(&mut self, moment: PastMoment) {
        self.happened.extend(moment.happened.into_iter().map(Arc::new));
        let old = |record: &Arc<Record>| moment.at.since(record.at) > LATELY;
        while self.happened.len() > MOST_EVENTS || self.happened.front().is_some_and(old) {
            self.happened.pop_front();
        }
        let given = Given {
            view: moment.view,
            at: moment.at,
            happened: Some(self.happened.iter().cloned().collect()),
            connection: None,
            // Health checks visit every allocation, and the same program replays the journal.
            health: None,
            disk: None,
            apps: true,
        };
        self.changes.extend(self.alerts.step(&given));
    }

    fn text(&self, wall: &ClockRuns, json: bool, (from, to): (Time, Time)) -> String {
        let at = |time: Time| rfc3339(wall.wall(time) / 1_000_000);
        if json {
            let line = |change: &Change| {
                let value = serde_json::json!({
                    "at": at(change.at),
                    "kind": change.kind,
                    "rule": change.alert.rule,
                    "severity": change.alert.severity,
                    "subject": change.alert.subject.to_string(),
                    "text": change.alert.text,
                });
                value.to_string() + "\n"
            };
            return self.changes.iter().map(line).collect();
        }
        let mut text = String::new();
        let mut fired: BTreeMap<&str, u64> = BTreeMap::new();
        for change in &self.changes {
            let alert = &change.alert;
            let kind = match change.kind {
                ChangeKind::Firing => {
                    *fired.entry(alert.rule.as_str()).or_default() += 1;
                    "fires"
                }
                ChangeKind::Resolved => "over",
            };
            let (when, severity) = (at(change.at), alert.severity);
            text += &format!("{when}  {kind:<5}  {severity:<8}  {}: {}\n", alert.title(), alert.text);
        }
        let on = self.alerts.list().iter().filter(|alert| alert.is_on()).count();
        text += &format!("{} to {}: ", at(from), at(to));
        let counts: Vec<String> = fired.iter().map(|(rule, times)| format!("{rule} {times}")).collect();
        text += &if counts.is_empty() { "no alert".to_owned() } else { counts.join(", ") };
        text + &format!("; {on} fire at the end\n")
    }
}

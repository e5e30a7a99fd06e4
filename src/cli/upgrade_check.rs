//! `kornsole upgrade-check`: differences of a configuration and a workload under another release.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::{fail, inputs, load, printed};
use ::config::{DEFAULT_POLICY_GROUP, Fault, Reading, Severity};
use ::scenario::{self, Parting};
use model::Profile;
use scheduler::interface::switch_table::SWITCHES;

/// The arguments of `kornsole upgrade-check`.
#[derive(Args, Clone, Debug)]
pub struct UpgradeCheckArgs {
    /// Current release: 1.5.1, 1.8.0, 1.9.0, or kornsole
    #[arg(long, value_name = "PROFILE")]
    pub from: Profile,
    /// Release after the upgrade
    #[arg(long, value_name = "PROFILE")]
    pub to: Profile,
    /// Queue configuration, in any form that `check` reads; `-` is standard input
    pub config: PathBuf,
    /// Scenario to run under both releases; kornsole ignores its configuration
    #[arg(long, value_name = "FILE")]
    pub workload: Option<PathBuf>,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
}

/// Prints the differences.
pub fn run(args: &UpgradeCheckArgs) -> ExitCode {
    match check(args) {
        Ok((text, differs)) => match printed::out().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                fail(&format!("cannot write the result: {error}"), 2)
            }
            _ => ExitCode::from(u8::from(differs)),
        },
        Err(message) => fail(&message, 2),
    }
}

fn check(args: &UpgradeCheckArgs) -> Result<(String, bool), String> {
    let UpgradeCheckArgs { from, to, .. } = args;
    let file = inputs::one(&args.config, &args.policy_group)?;
    let read = |profile| file.read(profile);
    let (before, after) = (read(*from), read(*to));
    let mut text = String::new();
    let mut differs = false;
    let mut part = |title: String, faults: Vec<Fault>| {
        if !faults.is_empty() {
            differs = true;
            text += &format!("{title}:\n{}\n", file.report(&faults).trim_end());
        }
    };
    part(format!("{to} rejects what {from} accepts"), only(&after, &before, Severity::Error));
    part(format!("{to} accepts what {from} rejects"), only(&before, &after, Severity::Error));
    part(format!("{to} warns or ignores it"), only(&after, &before, Severity::Warning));
    part(format!("Only {from} warns or ignores it"), only(&before, &after, Severity::Warning));
    if let Some(workload) = &args.workload {
        let input = load::scenario(workload, Some(&args.config), &args.policy_group, *from)?;
        let parting = scenario::first_parting(&input.scenario, &read, *from, *to);
        match parting.map_err(|error| format!("cannot run the workload: {error}"))? {
            Some(parting) => {
                differs = true;
                text += &parting_text(&parting, *from, *to);
            }
            None => text += &format!("{from} and {to} decide the workload identically, line by line.\n"),
        }
    }
    let switches = SWITCHES.iter().filter(|row| row.parts(*from, *to)).count();
    if !differs {
        text += &format!("No differences between {from} and {to}.\n");
    }
    text += &format!("They differ in {switches} switches: see `kornsole profiles --diff {from} {to}`.\n");
    Ok((text, differs))
}

/// The errors that only one reading has.
fn only(one: &Reading, other: &Reading, severity: Severity) -> Vec<Fault> {
    let key = |fault: &Fault| (fault.at, fault.code, fault.message.clone());
    let known: BTreeSet<_> = other.faults.iter().filter(|fault| fault.severity == severity).map(key).collect();
    let new = one.faults.iter().filter(|fault| fault.severity == severity && !known.contains(&key(fault)));
    new.cloned().collect()
}

fn parting_text(parting: &Parting, from: Profile, to: Profile) -> String {
    let step =
        [&parting.from, &parting.to].into_iter().flatten().filter_map(|line| line["step"].as_i64()).min().unwrap_or(-1);
    let place = if step < 0 { "at the start".to_owned() } else { format!("at step {}", step + 1) };
    let (one, other) = shown(parting.from.as_ref(), parting.to.as_ref());
    let mut text = format!("The workload is decided differently {place}:\n  {from:9} {one}\n  {to:9} {other}\n");
    for name in &parting.switches {
        if let Some(row) = SWITCHES.iter().find(|row| row.name == *name) {
            text += &format!(
                "because of {} ({}):\n  {from:9} {}\n  {to:9} {}\n",
                row.name,
                row.rule,
                row.of(from),
                row.of(to)
            );
        }
    }
    if parting.reading {
        text += "because configurations are read differently; see the errors above, and those of the reloads in the \
            workload\n";
    }
    text
}

/// Both lines; for two snapshots only the differences.
fn shown(one: Option<&Value>, other: Option<&Value>) -> (String, String) {
    if let (Some(Value::Object(one)), Some(Value::Object(other))) = (one, other)
        && one.get("label").is_some()
        && one.get("label") == other.get("label")
    {
        let rows = |(list, value): (&String, &Value)| {
            value.as_array().into_iter().flatten().map(|row| format!("{list} {row}")).collect::<Vec<_>>()
        };
        let [local, remote] = [one, other].map(|line| line.iter().flat_map(rows).collect::<BTreeSet<_>>());
        let first = |of: &BTreeSet<String>, than: &BTreeSet<String>| {
            of.difference(than).next().cloned().unwrap_or_else(|| "nothing more".to_owned())
        };
        return (first(&local, &remote), first(&remote, &local));
    }
    let line = |line: Option<&Value>| match line {
        None => "nothing more".to_owned(),
        Some(line) if line["event"] == "snapshot" => format!("nothing until the snapshot {}", line["label"]),
        Some(line) => line.to_string(),
    };
    (line(one), line(other))
}

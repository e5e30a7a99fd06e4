//! Writes a scenario as text for [`super::read`], one line per step.

use std::fmt::Write as _;
use std::time::Duration;

use super::file::{Cycles, StepKind};
use model::{Identity, MEMORY, Resource, VCORE};
use scheduler::{AskSpec, GangStyle, NodeSpec, PartitionCommand, Submission};

/// Writes a scenario file.
pub fn scenario_text<'s>(
    name: &str,
    description: &str,
    config: &str,
    steps: impl IntoIterator<Item = &'s StepKind>,
) -> String {
    let mut out = format!("version: 1\nname: {}\ndescription: {}\n", quoted(name), quoted(description));
    out += &block("config", config, 0);
    out += "steps:\n";
    for step in steps {
        out += &step_text(step);
    }
    out
}

/// Writes a step as an entry of `steps`.
pub fn step_text(step: &StepKind) -> String {
    let one = match step {
        StepKind::Command(command) => command_text(command),
        StepKind::Schedule(Cycles::Count(count)) => format!("schedule: {count}"),
        StepKind::Schedule(Cycles::Idle) => "schedule: idle".to_owned(),
        StepKind::Config(text) => return format!("  - {}", block("config", text.text(), 4).trim_start()),
        StepKind::Clean => "clean: true".to_owned(),
        StepKind::Advance(by) => format!("advance: {}", duration(*by)),
        StepKind::Snapshot(label) => format!("snapshot: {}", quoted(label)),
    };
    format!("  - {one}\n")
}

fn command_text(command: &PartitionCommand) -> String {
    match command {
        PartitionCommand::AddNode(spec) => node(spec),
        PartitionCommand::UpdateNode { id, capacity, .. } => {
            let capacity = resource(&capacity.clone().unwrap_or_default());
            format!("updateNode: {{id: {}, capacity: {capacity}}}", quoted(id.as_str()))
        }
        PartitionCommand::RemoveNode(id) => format!("removeNode: {}", quoted(id.as_str())),
        PartitionCommand::DrainNode(id) => format!("drainNode: {}", quoted(id.as_str())),
        PartitionCommand::ResumeNode(id) => format!("resumeNode: {}", quoted(id.as_str())),
        PartitionCommand::Submit(submission) => submit(submission),
        PartitionCommand::Ask(spec) => ask(spec),
        // Only Kubernetes gives these two commands, and a scenario cannot contain them: parsing must reject them.
        PartitionCommand::Adopt { app, ask, node } => {
            let [app, ask, node] = [app.as_str(), ask.as_str(), node.as_str()].map(quoted);
            format!("adopt: {{app: {app}, id: {ask}, node: {node}}}")
        }
        PartitionCommand::SetForeign { node, .. } => format!("setForeign: {}", quoted(node.as_str())),
        PartitionCommand::Release { app, ask } => {
            format!("release: {{app: {}, id: {}}}", quoted(app.as_str()), quoted(ask.as_str()))
        }
        PartitionCommand::Remove { app } => format!("remove: {{app: {}}}", quoted(app.as_str())),
        // A scenario has no form for a partial clean.
        PartitionCommand::Clean { .. } => "clean: true".to_owned(),
        PartitionCommand::Kill { app, by, .. } => {
            format!("kill: {{app: {}, as: {{{}}}}}", quoted(app.as_str()), identity(by))
        }
        PartitionCommand::Move { app, to, by } => {
            format!("move: {{app: {}, to: {}, as: {{{}}}}}", quoted(app.as_str()), quoted(to.as_str()), identity(by))
        }
    }
}

fn node(spec: &NodeSpec) -> String {
    let mut out = format!("node: {{id: {}, capacity: {}", quoted(spec.id.as_str()), resource(&spec.capacity));
    texts(&mut out, "attributes", spec.attributes.iter());
    out + "}"
}

fn submit(submission: &Submission) -> String {
    let mut out = format!("submit: {{app: {}", quoted(submission.app.as_str()));
    if !submission.queue.is_empty() {
        put(&mut out, "queue", &quoted(&submission.queue));
    }
    out += &format!(", {}", identity(&submission.who));
    texts(&mut out, "tags", submission.tags.iter());
    if submission.gang_style == GangStyle::Hard {
        put(&mut out, "gangStyle", "Hard");
    }
    if let Some(timeout) = submission.placeholder_timeout {
        put(&mut out, "placeholderTimeout", &duration(timeout));
    }
    if !submission.placeholder_ask.is_empty() {
        put(&mut out, "placeholder", &resource(&submission.placeholder_ask));
    }
    out + "}"
}

fn ask(spec: &AskSpec) -> String {
    let mut out = format!("ask: {{app: {}, id: {}", quoted(spec.app.as_str()), quoted(spec.id.as_str()));
    put(&mut out, "resource", &resource(&spec.resource));
    if spec.priority.0 != 0 {
        put(&mut out, "priority", &spec.priority.0.to_string());
    }
    if spec.count > 1 {
        put(&mut out, "count", &spec.count.to_string());
    }
    if let Some(node) = &spec.required_node {
        put(&mut out, "requiredNode", &quoted(node.as_str()));
    }
    let flags = [
        ("allowPreemptSelf", spec.allow_preempt_self),
        ("allowPreemptOther", spec.allow_preempt_other),
        ("placeholder", spec.placeholder),
    ];
    for (key, _) in flags.into_iter().filter(|(_, set)| *set) {
        put(&mut out, key, "true");
    }
    if let Some(group) = &spec.task_group {
        put(&mut out, "taskGroup", &quoted(group));
    }
    texts(&mut out, "tags", spec.tags.iter());
    out + "}"
}

fn put(out: &mut String, key: &str, value: &str) {
    // Writing to a string cannot fail.
    let _written = write!(out, ", {key}: {value}");
}

fn texts<T: AsRef<str>>(out: &mut String, key: &str, texts: impl Iterator<Item = (T, T)>) {
    let pair = |(name, value): (T, T)| format!("{}: {}", quoted(name.as_ref()), quoted(value.as_ref()));
    let texts: Vec<String> = texts.map(pair).collect();
    if !texts.is_empty() {
        put(out, key, &format!("{{{}}}", texts.join(", ")));
    }
}

fn identity(who: &Identity) -> String {
    let mut out = format!("user: {}", quoted(&who.user));
    if !who.groups.is_empty() && who.groups != [who.user.as_str()] {
        let groups: Vec<String> = who.groups.iter().map(|group| quoted(group)).collect();
        put(&mut out, "groups", &format!("[{}]", groups.join(", ")));
    }
    out
}

fn resource(resource: &Resource) -> String {
    let each = resource.iter().map(|(name, amount)| format!("{}: {}", quoted(name), quantity(name, amount)));
    format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
}

/// The shortest exact quantity.
fn quantity(name: &str, amount: i64) -> String {
    if name == VCORE {
        return if amount % 1000 == 0 { (amount / 1000).to_string() } else { format!("{amount}m") };
    }
    let units = if name == MEMORY { &[(1_000_000_000, "G"), (1_000_000, "M")][..] } else { &[] };
    let unit = units.iter().find(|(unit, _)| amount != 0 && amount % unit == 0);
    unit.map_or_else(|| amount.to_string(), |(unit, suffix)| format!("{}{suffix}", amount / unit))
}

fn duration(duration: Duration) -> String {
    let micros = duration.as_micros();
    match micros {
        _ if micros.is_multiple_of(1_000_000) => format!("{}s", micros / 1_000_000),
        _ if micros.is_multiple_of(1000) => format!("{}ms", micros / 1000),
        _ => format!("{micros}us"),
    }
}

fn block(key: &str, text: &str, indent: usize) -> String {
    let pad = " ".repeat(indent + 2);
    let mut out = format!("{key}: |\n");
    for line in text.lines() {
        if line.is_empty() {
            out += "\n";
        } else {
            out += &format!("{pad}{line}\n");
        }
    }
    out
}

/// A text as YAML, in quotes if needed.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if starts && !word && text.chars().all(plain) {
        return text.to_owned();
    }
    // JSON escapes are valid in YAML double quotes.
    serde_json::Value::from(text).to_string()
}

//! Parses receivers.

use std::ops::Range;
use std::time::Duration;

use super::values::{duration, name, one_of};
use crate::rule::{Osc, Receiver, ReceiverKind, Severity, Terminal};
use config::Fault;
use config::toml_table::{Entry, Table, fault};

/// Parses the table `[terminal]`.
pub fn terminal(table: &Table<'_, '_>, faults: &mut Vec<Fault>) -> Terminal {
    let mut terminal = Terminal::default();
    for entry in table.entries() {
        match entry.name {
            "bell" => terminal.bell = entry.bool(faults).unwrap_or_default(),
            "notify" => terminal.notify = one_of(&entry, &Osc::NAMES, faults),
            "severity" => terminal.severity = one_of(&entry, &Severity::NAMES, faults).unwrap_or(terminal.severity),
            _ => faults.push(entry.unknown("ALR-002", "key", &["bell", "notify", "severity"])),
        }
    }
    terminal
}

/// Parses all tables `[[send]]`.
pub fn all(tables: Vec<(Range<usize>, Table<'_, '_>)>, faults: &mut Vec<Fault>) -> Vec<Receiver> {
    let mut all: Vec<Receiver> = Vec::new();
    for (at, table) in tables {
        let Some(receiver) = receiver(&at, &table, faults) else { continue };
        if all.iter().any(|other| other.name == receiver.name) {
            let message = format!("duplicate receiver {:?}", receiver.name);
            faults.push(fault(table.text, "ALR-005", &at, "send", message, "give each a unique name"));
        }
        all.push(receiver);
    }
    all
}

fn receiver(at: &Range<usize>, table: &Table<'_, '_>, faults: &mut Vec<Fault>) -> Option<Receiver> {
    const KNOWN: [&str; 6] = ["name", "alertmanager", "webhook", "command", "severity", "timeout"];
    let (mut own_name, mut to) = (None, Vec::new());
    let (mut severity, mut timeout) = (Severity::Info, Duration::from_secs(10));
    let before = faults.len();
    for entry in table.entries() {
        match entry.name {
            "name" => own_name = name(&entry, faults),
            "alertmanager" => to.extend(address(&entry, faults).map(ReceiverKind::Alertmanager)),
            "webhook" => to.extend(address(&entry, faults).map(ReceiverKind::Webhook)),
            "command" => to.extend(command(&entry, faults).map(ReceiverKind::Command)),
            "severity" => severity = one_of(&entry, &Severity::NAMES, faults).unwrap_or(severity),
            "timeout" => timeout = limit(&entry, faults).unwrap_or(timeout),
            _ => faults.push(entry.unknown("ALR-002", "key of a receiver", &KNOWN)),
        }
    }
    if faults.len() > before {
        return None;
    }
    let wrong =
        |what: &str| fault(table.text, "ALR-040", at, "send", what.to_owned(), "one of alertmanager, webhook, command");
    let to = match (to.pop(), to.pop()) {
        (Some(to), None) => to,
        (None, _) => {
            faults.push(wrong("the receiver has no address"));
            return None;
        }
        (Some(_), Some(_)) => {
            faults.push(wrong("the receiver has several addresses"));
            return None;
        }
    };
    let Some(name) = own_name else {
        let hint = "name = \"on-call\": the name identifies sent alerts after a restart";
        faults.push(fault(table.text, "ALR-004", at, "send", "the receiver has no name".to_owned(), hint));
        return None;
    };
    Some(Receiver { name, to, severity, timeout })
}

fn address(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<String> {
    let text = entry.text(faults)?;
    let host = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let legal = host.is_some_and(|host| !host.is_empty() && !host.starts_with('/'));
    if !legal || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        faults.push(entry.wrong(
            "ALR-040",
            format!("{text:?} is not an address"),
            "for example \
            \"http://alertmanager:9093\"",
        ));
        return None;
    }
    Some(text.trim_end_matches('/').to_owned())
}

fn command(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<Vec<String>> {
    let words = entry.texts(faults)?;
    if words.first().is_none_or(String::is_empty) {
        faults.push(entry.wrong("ALR-040", "missing program".to_owned(), "command = [\"notify\", \"-v\"]"));
        return None;
    }
    Some(words)
}

fn limit(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<Duration> {
    let timeout = duration(entry, faults)?;
    let within = (Duration::from_millis(100)..=Duration::from_secs(300)).contains(&timeout);
    if !within {
        faults.push(entry.wrong("ALR-012", "a timeout must be from 100ms to 5m".to_owned(), "as \"10s\""));
    }
    within.then_some(timeout)
}

//! Parses one rule.

use std::ops::Range;
use std::time::Duration;

use super::values::{duration, name, one_of};
use crate::expression::Expression;
use crate::rule::{About, Kind, Rule, Severity, Unit};
use config::Fault;
use config::Place;
use config::toml_table::{Entry, Table, fault};
use model::QueuePath;

/// A rule with the locations of its parts.
pub struct Written {
    pub rule: Rule,
    pub enabled: bool,
    /// The location of its name.
    pub name_at: Range<usize>,
    /// The location of its inhibitions in the user's file, if any.
    pub inhibited_at: Option<Range<usize>>,
}

impl Written {
    /// Returns a default rule.
    pub fn of_defaults(rule: &Rule) -> Self {
        Self { rule: rule.clone(), enabled: true, name_at: 0..0, inhibited_at: None }
    }
}

const KNOWN: [&str; 16] = [
    "name",
    "kind",
    "at",
    "resolve-at",
    "for",
    "resolve-after",
    "within",
    "severity",
    "queues",
    "except",
    "text",
    "inhibited-by",
    "when",
    "until",
    "enabled",
    "note",
];

fn empty(name: String, kind: Kind) -> Rule {
    let within = if kind == Kind::NodeLost { 3600 } else { 600 };
    Rule {
        name,
        kind,
        at: 0.0,
        resolve_at: 0.0,
        within: Duration::from_secs(within),
        lasts: Duration::ZERO,
        resolve_after: Duration::ZERO,
        severity: Severity::Warning,
        queues: Vec::new(),
        except: Vec::new(),
        text: None,
        inhibited_by: Vec::new(),
        when: None,
        until: None,
        place: Place::default(),
    }
}

/// `None` without a name or kind.
pub fn rule(at: &Range<usize>, table: &Table<'_, '_>, defaults: &[Rule], faults: &mut Vec<Fault>) -> Option<Written> {
    let entries = table.entries();
    let find = |name: &str| entries.iter().find(|entry| entry.name == name);
    let missing =
        |what: &str, hint: String| fault(table.text, "ALR-004", at, "rule", format!("the rule has no {what}"), hint);
    let Some(named) = find("name") else {
        faults.push(missing("name", "name = \"etl-starves\"".to_owned()));
        return None;
    };
    let own_name = name(named, faults)?;
    let base = defaults.iter().find(|rule| rule.name == own_name);
    let kind = match find("kind") {
        None => base.map(|base| base.kind),
        Some(entry) => {
            let names: Vec<(&str, Kind)> = Kind::ALL.iter().map(|kind| (kind.word(), *kind)).collect();
            Some(one_of(entry, &names, faults)?)
        }
    };
    let Some(kind) = kind else {
        let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
        faults.push(missing("kind", format!("available: {}", all.join(", "))));
        return None;
    };
    let base = base.filter(|base| base.kind == kind);
    let rule = base.cloned().unwrap_or_else(|| empty(own_name, kind));
    let mut written = Written { rule, enabled: true, name_at: named.value_at(), inhibited_at: None };
    written.rule.place = fault(table.text, "", &named.at, "", String::new(), "").at;
    for entry in &entries {
        key(entry, &mut written, faults);
    }
    thresholds(table, at, &entries, base.is_some(), &mut written.rule, faults);
    Some(written)
}

fn key(entry: &Entry<'_, '_>, written: &mut Written, faults: &mut Vec<Fault>) {
    let rule = &mut written.rule;
    let kind = rule.kind;
    let none_of_kind = |what: &str| {
        let message = format!("{} has no effect for the kind {}", entry.name, kind.word());
        entry.fault("ALR-013", message, what)
    };
    match entry.name {
        // Read already, or with the thresholds. `note` is a comment.
        "name" | "kind" | "at" | "resolve-at" | "note" => {}
        "for" => rule.lasts = duration(entry, faults).unwrap_or_default(),
        "resolve-after" => rule.resolve_after = duration(entry, faults).unwrap_or_default(),
        "within" if !rule.kind.has_span() => {
            faults.push(none_of_kind("only preemptions and node-lost use a time window"))
        }
        "within" => match duration(entry, faults) {
            Some(within) if within < Duration::from_secs(1) => {
                faults.push(entry.wrong("ALR-010", "the time must be above 0".to_owned(), "at least \"1s\""));
            }
            within => rule.within = within.unwrap_or(rule.within),
        },
        "severity" => rule.severity = one_of(entry, &Severity::NAMES, faults).unwrap_or(rule.severity),
        "queues" | "except" if !matches!(rule.kind.about(), About::Queues | About::Values) => {
            faults.push(none_of_kind("its alerts do not name queues"));
        }
        "queues" => rule.queues = paths(entry, faults),
        "except" => rule.except = paths(entry, faults),
        "text" => rule.text = text(entry, faults),
        "inhibited-by" => {
            rule.inhibited_by = entry.texts(faults).unwrap_or_default();
            written.inhibited_at = Some(entry.value_at());
        }
        "when" | "until" if rule.kind != Kind::Expression => {
            faults.push(none_of_kind("write kind = \"expression\""));
        }
        "when" => rule.when = expression(entry, faults),
        "until" => rule.until = expression(entry, faults),
        "enabled" => written.enabled = entry.bool(faults).unwrap_or(true),
        _ => faults.push(entry.unknown("ALR-002", "key of a rule", &KNOWN)),
    }
}

fn paths(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Vec<QueuePath> {
    let texts = entry.texts(faults).unwrap_or_default();
    for text in texts.iter().filter(|text| *text != "root" && !text.starts_with("root.")) {
        faults.push(entry.wrong(
            "ALR-003",
            format!("{text:?} is not a queue path"),
            "a path starts with root: \"root.etl\"",
        ));
    }
    texts.iter().map(|text| QueuePath::new(&text.to_lowercase())).collect()
}

fn text(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<String> {
    const PLACEHOLDERS: [&str; 4] = ["subject", "figures", "value", "rule"];
    let text = entry.text(faults)?;
    for part in text.split('{').skip(1) {
        let name = part.split('}').next().unwrap_or_default();
        if !part.contains('}') || !PLACEHOLDERS.contains(&name) {
            let hint = format!("valid placeholders: {{{}}}", PLACEHOLDERS.join("}, {"));
            faults.push(entry.wrong("ALR-031", format!("unknown placeholder {{{name}}}"), &hint));
        }
    }
    Some(text.to_owned())
}

fn expression(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<Expression> {
    let text = entry.text(faults)?;
    match Expression::parse(text) {
        Ok(expression) => Some(expression),
        Err(why) => {
            // The column refers to the unchanged text inside the quotes.
            faults.push(entry.wrong_inside("ALR-030", why.at, why.message, &why.hint));
            None
        }
    }
}

/// Parses `at` and `resolve-at`, and checks both against the kind.
fn thresholds(
    table: &Table<'_, '_>,
    at: &Range<usize>,
    entries: &[Entry<'_, '_>],
    based: bool,
    rule: &mut Rule,
    faults: &mut Vec<Fault>,
) {
    let find = |name: &str| entries.iter().find(|entry| entry.name == name);
    let unit = rule.kind.unit();
    let (own, resolve) = (find("at"), find("resolve-at"));
    if unit == Unit::Nothing {
        for entry in own.iter().chain(resolve.iter()) {
            let hint = "the condition is true or false; use `for` for its duration";
            let hint = if rule.kind == Kind::Expression { "the thresholds are in `when` and `until`" } else { hint };
            let message = format!("{} has no effect for the kind {}", entry.name, rule.kind.word());
            faults.push(entry.fault("ALR-013", message, hint));
        }
        let shortage_when = rule.kind == Kind::Expression && rule.when.is_none() && find("when").is_none();
        if shortage_when {
            let hint = "when = \"queue.waiting.p95 > 30m\"";
            faults.push(fault(table.text, "ALR-004", at, "rule", "the rule has no expression".to_owned(), hint));
        }
        return;
    }
    let before = faults.len();
    if let Some(entry) = own {
        rule.at = threshold(entry, unit, faults).unwrap_or(rule.at);
        if resolve.is_none() {
            rule.resolve_at = rule.at;
        }
    } else if !based {
        let hint = match unit {
            Unit::Duration => "at = \"1h\"",
            Unit::Percent => "at = 90, in percent",
            _ => "at = 10",
        };
        faults.push(fault(table.text, "ALR-004", at, "rule", "the rule has no threshold".to_owned(), hint));
    }
    if let Some(entry) = resolve {
        rule.resolve_at = threshold(entry, unit, faults).unwrap_or(rule.resolve_at);
        if faults.len() == before && rule.resolve_at > rule.at {
            let (own, resolve) = (unit.show(rule.at), unit.show(rule.resolve_at));
            let message = format!("it would fire at {own} and resolve below {resolve} immediately");
            faults.push(entry.wrong("ALR-011", message, &format!("{own} or less")));
        }
    }
}

fn threshold(entry: &Entry<'_, '_>, unit: Unit, faults: &mut Vec<Fault>) -> Option<f64> {
    if unit == Unit::Duration {
        let duration = duration(entry, faults)?;
        if duration.is_zero() {
            faults.push(entry.wrong("ALR-010", "a duration of 0 always matches".to_owned(), "at least \"1s\""));
        }
        return Some(duration.as_secs_f64());
    }
    let metric = entry.number(faults)?;
    let (right, hint) = match unit {
        Unit::Percent => (metric > 0.0 && metric <= 100.0, "percent, more than 0 and at most 100"),
        _ => (metric >= 1.0 && metric.fract() == 0.0 && metric < 1e15, "an integer of 1 or more"),
    };
    if !right {
        let message = format!("{metric} is always true or always false");
        faults.push(entry.wrong("ALR-010", message, hint));
    }
    Some(metric)
}

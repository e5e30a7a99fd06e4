//! Parses rules in TOML, with error locations.
//!
//! ```toml
//! defaults = true               # also use the default rules
//!
//! [[rule]]
//! name = "etl-starves"
//! kind = "below-guarantee"
//! at = 20                       # percent; a count for some kinds; "1h" for durations
//! resolve-at = 10               # a firing alert resolves below this
//! for = "10m"                   # how long the condition must be true
//! resolve-after = "2m"          # how long it must be false
//! severity = "critical"         # info, warning, critical
//! queues = ["root.etl"]         # these subtrees
//! except = ["root.etl.tests"]
//! text = "{subject} starves: {figures}"
//! inhibited-by = ["node-lost"]  # not reported while one of these is true
//!
//! [[rule]]
//! name = "etl-is-slow"
//! kind = "expression"
//! when = "queue.waiting.p95 > 30m"
//! until = "queue.waiting.p95 < 20m"
//!
//! [[rule]]
//! name = "limit-near"           # a default rule
//! enabled = false
//!
//! [terminal]
//! bell = true
//! notify = "osc9"               # osc9, osc777, osc99
//!
//! [[send]]
//! name = "on-call"
//! alertmanager = "http://alertmanager:9093"   # or webhook = "https://…", or command = ["notify", "-v"]
//! severity = "warning"
//! timeout = "10s"
//! ```
//!
//! Invariants:
//! - parsing never panics and continues after an error;
//! - a text with an error gives no rules, so nothing is applied partially.
//!
//! | code | what |
//! |---|---|
//! | ALR-001 | invalid TOML |
//! | ALR-002 | an unknown key |
//! | ALR-003 | a value of another type, or an unknown word |
//! | ALR-004 | a missing value |
//! | ALR-005 | a duplicate or invalid name |
//! | ALR-010 | a threshold that is never or always reached |
//! | ALR-011 | `resolve-at` is beyond `at` |
//! | ALR-012 | an invalid duration, or one that is too long |
//! | ALR-013 | a key that does not apply to the kind |
//! | ALR-020 | `inhibited-by` names an unknown rule |
//! | ALR-021 | a cycle of inhibitions |
//! | ALR-030 | an invalid expression |
//! | ALR-031 | a text with an unknown placeholder |
//! | ALR-040 | a receiver without an address, with several, or with an invalid one |

mod circles;
mod receivers;
mod rule;
mod values;

use std::ops::Range;

use toml::de::DeTable;

use super::rule::{Rule, Rules};
use config::toml_table::{MOST_FAULTS, Table, fault};
use config::{Fault, Place};

/// The default rules as text.
pub const DEFAULTS: &str = include_str!("../defaults.toml");

/// The result of parsing rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RulesRead {
    /// The rules; `None` if there are errors.
    pub rules: Option<Rules>,
    /// The errors, by location.
    pub faults: Vec<Fault>,
}

/// The default rules.
pub fn defaults() -> Rules {
    let mut rules = read_over(DEFAULTS, &[]).rules.unwrap_or_default();
    for rule in &mut rules.rules {
        rule.place = Place::default();
    }
    rules
}

/// Parses rules on top of the defaults.
pub fn read(text: &str) -> RulesRead {
    read_over(text, &defaults().rules)
}

fn read_over(text: &str, defaults: &[Rule]) -> RulesRead {
    let mut faults = Vec::new();
    let mut rules = Rules::default();
    let (root, wrong) = DeTable::parse_recoverable(text);
    if wrong.is_empty() {
        let table = Table { text, path: String::new(), entries: root.get_ref(), wrong_type: "ALR-003" };
        top(&table, defaults, &mut rules, &mut faults);
    }
    for error in wrong.into_iter().take(MOST_FAULTS) {
        let span: Range<usize> = error.span().unwrap_or_default();
        let hint = "the file has no valid rule";
        faults.push(fault(text, "ALR-001", &span, "", error.message().to_owned(), hint));
    }
    faults.sort_by_key(|fault| (fault.at.line, fault.at.column));
    faults.truncate(MOST_FAULTS);
    RulesRead { rules: faults.is_empty().then_some(rules), faults }
}

fn top(table: &Table<'_, '_>, defaults: &[Rule], rules: &mut Rules, faults: &mut Vec<Fault>) {
    const KNOWN: [&str; 4] = ["defaults", "rule", "terminal", "send"];
    let (mut with_defaults, mut written) = (true, Vec::new());
    for entry in table.entries() {
        match entry.name {
            "defaults" => with_defaults = entry.bool(faults).unwrap_or(true),
            "rule" => written = entry.tables(faults),
            "terminal" => {
                if let Some(table) = entry.table(faults) {
                    rules.targets.terminal = receivers::terminal(&table, faults);
                }
            }
            "send" => {
                let tables = entry.tables(faults);
                rules.targets.receivers = receivers::all(tables, faults);
            }
            _ => faults.push(entry.unknown("ALR-002", "key", &KNOWN)),
        }
    }
    let mut all: Vec<rule::Written> = Vec::new();
    for (at, table) in written {
        if let Some(one) = rule::rule(&at, &table, defaults, faults) {
            let same = all.iter().find(|other| other.rule.name == one.rule.name);
            if let Some(other) = same {
                let message =
                    format!("duplicate rule {:?}; first defined on line {}", one.rule.name, other.rule.place.line);
                faults.push(fault(
                    table.text,
                    "ALR-005",
                    &one.name_at,
                    "rule.name",
                    message,
                    "give each a unique name",
                ));
            }
            all.push(one);
        }
    }
    if with_defaults {
        let others = defaults.iter().filter(|rule| !all.iter().any(|one| one.rule.name == rule.name));
        let others: Vec<rule::Written> = others.map(rule::Written::of_defaults).collect();
        all.extend(others);
    }
    circles::check(table.text, &all, faults);
    rules.rules = all.into_iter().filter(|one| one.enabled).map(|one| one.rule).collect();
    rules.rules.sort_by(|one, other| one.name.cmp(&other.name));
}

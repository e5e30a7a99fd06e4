//! Warnings about a valid configuration that probably differs from the intention. Each can be allowed by its ID.

mod access;
mod cluster;
mod limits;
mod names;
mod placement;
mod preemption;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use super::fault::{Fault, Faults, Severity};
use super::node::Fields;
use super::types::Place;
use super::yaml::{self, Node};
use model::Profile;

pub use cluster::{Known, KnownPod};

/// The IDs of all warnings; `docs/rules.md` describes them.
pub const IDS: [&str; 15] = [
    "W-001", "W-002", "W-003", "W-004", "W-005", "W-006", "W-007", "W-008", "W-009", "W-010", "W-011", "W-012",
    "W-013", "W-014", "W-015",
];

/// On its line, or on the next one if the line has nothing else.
const ALLOWED: &str = "# kornsole: allow ";

const DEEPEST: usize = yaml::DEEPEST;

/// The warnings of a configuration with their locations. Invalid YAML has none.
pub fn lint(text: &str) -> Vec<Fault> {
    lint_for(text, &Known::default())
}

/// The same, including warnings about the cluster.
pub fn lint_for(text: &str, known: &Known) -> Vec<Fault> {
    let Some(document) = yaml::parse(text, &mut Faults::new(Profile::default())) else { return Vec::new() };
    let mut lint = Lint { known: known.clone(), ..Lint::default() };
    for partition in document.root().and_then(fields).into_iter().flat_map(|root| list(root, "partitions")) {
        let Some(partition) = fields(partition) else { continue };
        lint.partition(partition);
    }
    lint.units.report(&mut lint.found);
    let allowed = allowed_lines(text);
    lint.found.retain(|fault| !allowed.iter().any(|(line, ids)| *line == fault.at.line && ids.contains(fault.code)));
    lint.found
}

#[derive(Default)]
struct Lint {
    found: Vec<Fault>,
    units: units::Amounts,
    groups: BTreeSet<String>,
    /// By queue path in lower case.
    bounds: BTreeMap<String, placement::Bounds>,
    known: Known,
    preemption_is_off: bool,
    creates: bool,
}

#[derive(Clone, Copy)]
struct Queue<'q, 'd> {
    fields: Fields<'d>,
    path: &'q str,
    above: Option<&'q Queue<'q, 'd>>,
}

impl Lint {
    fn partition(&mut self, partition: Fields<'_>) {
        let name = text_of(partition, "name").unwrap_or("default");
        self.collect_groups(partition);
        self.amounts(partition, name);
        self.bounds.clear();
        let preemption = partition.get("preemption").and_then(fields);
        self.preemption_is_off = preemption.and_then(|of| text_of(of, "enabled")) == Some("false");
        let rules = list(partition, "placementrules");
        self.creates = rules.into_iter().filter_map(fields).any(|rule| text_of(rule, "create") == Some("true"));
        let queues: Vec<Fields<'_>> = list(partition, "queues").into_iter().filter_map(fields).collect();
        // A list without a root contains the children of the root (CFG-015).
        let is_root =
            |queue: &Fields<'_>| text_of(*queue, "name").is_some_and(|name| name.eq_ignore_ascii_case("root"));
        let prefix = if queues.len() == 1 && queues.iter().all(is_root) { "" } else { "root." };
        for queue in queues {
            self.queue(queue, prefix, None);
        }
        self.rules(partition, name);
    }

    fn queue(&mut self, queue: Fields<'_>, prefix: &str, above: Option<&Queue<'_, '_>>) {
        let path = format!("{prefix}{}", text_of(queue, "name").unwrap_or_default());
        if path.split('.').count() > DEEPEST {
            return;
        }
        let queue = Queue { fields: queue, path: &path, above };
        self.amounts(queue.fields, &path);
        if let Some(template) = queue.fields.get("childtemplate").and_then(fields) {
            self.amounts(template, &path);
        }
        self.note_bounds(queue);
        self.access(queue);
        self.idle_limits(queue);
        self.properties(queue);
        self.guarantees(queue);
        self.small_maximum(queue);
        for child in list(queue.fields, "queues").into_iter().filter_map(fields) {
            self.queue(child, &format!("{path}."), Some(&queue));
        }
    }

    fn amounts(&mut self, of: Fields<'_>, path: &str) {
        let resources = of.get("resources").and_then(fields);
        for kind in ["guaranteed", "max"] {
            if let Some(resources) = resources {
                self.names(resources, kind, path);
                self.units.take(resources, kind, path);
            }
        }
        for limit in list(of, "limits").into_iter().filter_map(fields) {
            self.names(limit, "maxresources", path);
            self.units.take(limit, "maxresources", path);
        }
    }

    fn warn(&mut self, code: &'static str, at: Place, path: &str, message: String, hint: &str) {
        self.found.push(warning(code, at, path, message, hint));
    }
}

fn warning(code: &'static str, at: Place, path: &str, message: String, hint: &str) -> Fault {
    Fault { code, severity: Severity::Warning, at, path: path.to_owned(), message, hint: hint.to_owned() }
}

/// With the IDs.
fn allowed_lines(text: &str) -> Vec<(u32, &str)> {
    let mut allowed = Vec::new();
    let mut pending: Vec<&str> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let ids = line.split_once(ALLOWED).map(|(_, ids)| ids.split(" because").next().unwrap_or(ids));
        let is_comment = line.trim_start().starts_with('#');
        if is_comment || line.trim().is_empty() {
            pending.extend(ids);
            continue;
        }
        allowed.extend(pending.drain(..).chain(ids).map(|ids| (number, ids)));
    }
    allowed
}

fn fields(node: Node<'_>) -> Option<Fields<'_>> {
    if node.is_map() { node.any_map("", "", &mut Faults::default()) } else { None }
}

fn list<'d>(of: Fields<'d>, key: &str) -> Vec<Node<'d>> {
    let node = of.get(key).filter(|node| node.is_list());
    node.and_then(|node| node.items(key, "", &mut Faults::default())).unwrap_or_default()
}

fn text_of<'d>(of: Fields<'d>, key: &str) -> Option<&'d str> {
    of.get(key)?.scalar().map(|scalar| scalar.text)
}

/// Removes allowed warnings, and turns denied ones into errors.
pub fn judged(mut warnings: Vec<Fault>, allow: &[String], deny: &[String]) -> Vec<Fault> {
    warnings.retain(|fault| !allow.iter().any(|id| id == fault.code));
    for fault in warnings.iter_mut().filter(|fault| deny.iter().any(|id| id == fault.code)) {
        fault.severity = Severity::Error;
    }
    warnings
}

#[cfg(test)]
mod tests;

//! Warnings about a valid configuration that probably differs from the intention. Each can be allowed by its ID.

mod access;
mod cluster;
mod limits;
mod names;
mod placement;
mod preemption;
mod rule;
mod units;
mod victims;

use std::collections::{BTreeMap, BTreeSet};

use super::allow;
use super::fault::{Fault, Faults, Severity};
use super::node::Fields;
use super::types::Place;
use super::values::boolean;
use super::yaml::{self, Node};
use model::Profile;
use model::expression::Compiler;

pub use cluster::{Known, KnownPod};
pub use names::unrequested;

/// The IDs of all warnings; `docs/rules.md` describes them.
pub const IDS: [&str; 15] = [
    "W-001", "W-002", "W-003", "W-004", "W-005", "W-006", "W-007", "W-008", "W-009", "W-010", "W-011", "W-012",
    "W-013", "W-014", "W-015",
];

/// Warnings in at least one profile. As errors they remain errors.
pub const WARNING_IDS: [&str; 51] = [
    "W-001", "W-002", "W-003", "W-004", "W-005", "W-006", "W-007", "W-008", "W-009", "W-010", "W-011", "W-012",
    "W-013", "W-014", "W-015", "ACL-007", "ACL-024", "CFG-003", "CFG-006", "CFG-007", "CFG-009", "CFG-010", "CFG-011",
    "CFG-013", "CFG-016", "CFG-018", "CFG-023", "CFG-034", "CFG-035", "CFG-037", "CFG-038", "CFG-051", "CFG-055",
    "CFG-063", "CFG-065", "CFG-072", "CFG-079", "CFG-081", "CFG-085", "CFG-086", "CFG-087", "CFG-088", "CFG-089",
    "CFG-090", "CFG-091", "CFG-092", "CFG-094", "CFG-101", "CFG-S09", "LIM-033", "PLC-001",
];

const DEEPEST: usize = yaml::DEEPEST;

/// Invalid YAML has none.
pub fn lint(text: &str) -> Vec<Fault> {
    lint_for(text, &Known::default())
}

/// The same, including warnings about the cluster.
pub fn lint_for(text: &str, known: &Known) -> Vec<Fault> {
    let Some(document) = yaml::parse(text, &mut Faults::new(Profile::default())) else { return Vec::new() };
    let mut lint = Lint { known: known.clone(), ..Lint::default() };
    let partitions = document.root().and_then(fields).into_iter().flat_map(|root| list(root, "partitions"));
    for (index, partition) in partitions.filter_map(fields).enumerate() {
        lint.partition(partition, index);
    }
    lint.units.report(&mut lint.found);
    allow::without_allowed(text, &mut lint.found);
    lint.found
}

#[derive(Default)]
struct Lint {
    found: Vec<Fault>,
    units: units::Amounts,
    names: access::Names,
    /// By limits of the partition, which are those of the root.
    limited_groups: BTreeSet<String>,
    /// By queue path in lower case.
    bounds: BTreeMap<String, placement::Bounds>,
    known: Known,
    compiler: Compiler,
    preemption_is_off: bool,
    /// Quotas are enforced by preemption (N-01).
    quotas_are_enforced: bool,
    creates: bool,
    /// By the place of the queue in which the search ends.
    victims: BTreeMap<Place, victims::Victims>,
    /// By the place of the queue with the fence.
    vain_fences: BTreeMap<Place, bool>,
}

#[derive(Clone, Copy)]
struct Queue<'q, 'd> {
    fields: Fields<'d>,
    path: &'q str,
    above: Option<&'q Queue<'q, 'd>>,
}

impl Lint {
    fn partition(&mut self, partition: Fields<'_>, index: usize) {
        let name = text_of(partition, "name").unwrap_or("default");
        self.collect_names(partition);
        self.partition_limits(partition);
        self.amounts(partition, name);
        self.weights(partition, name);
        self.bounds.clear();
        let preemption = partition.get("preemption").and_then(fields);
        self.preemption_is_off = preemption.is_some_and(|of| flag(of, "enabled") == Some(false));
        self.quotas_are_enforced = preemption.is_some_and(|of| is_true(of, "quotapreemptionenabled"));
        let rules = list(partition, "placementrules");
        self.creates = rules.into_iter().filter_map(fields).any(|rule| is_true(rule, "create"));
        let queues: Vec<Fields<'_>> = list(partition, "queues").into_iter().filter_map(fields).collect();
        // A list without a root contains the children of the root (CFG-015).
        let is_root =
            |queue: &Fields<'_>| text_of(*queue, "name").is_some_and(|name| name.eq_ignore_ascii_case("root"));
        let prefix = if queues.len() == 1 && queues.iter().all(is_root) { "" } else { "root." };
        for queue in queues {
            self.queue(queue, prefix, None);
        }
        self.rules(partition, name, index);
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

fn flag(of: Fields<'_>, key: &str) -> Option<bool> {
    let text = text_of(of, key)?;
    boolean::of_yaml_1_2(text).or_else(|| boolean::of_yaml_1_1(text))
}

/// A weight may have a fraction or an exponent.
fn is_above_zero(weight: &str) -> bool {
    weight.bytes().take_while(|byte| !matches!(byte, b'e' | b'E')).any(|byte| matches!(byte, b'1'..=b'9'))
}

fn is_true(of: Fields<'_>, key: &str) -> bool {
    flag(of, key) == Some(true)
}

/// Removes allowed warnings, and turns denied ones into errors. Errors remain.
pub fn judged(mut faults: Vec<Fault>, allow: &[String], deny: &[String]) -> Vec<Fault> {
    let is_in =
        |fault: &Fault, ids: &[String]| fault.severity == Severity::Warning && ids.iter().any(|id| id == fault.code);
    // The reader reports some of them too.
    let mut seen = BTreeSet::new();
    faults.retain(|fault| {
        !["W-004", "W-005"].contains(&fault.code) || seen.insert((fault.code, fault.at, fault.path.clone()))
    });
    faults.retain(|fault| !is_in(fault, allow));
    for fault in faults.iter_mut().filter(|fault| is_in(fault, deny)) {
        fault.severity = Severity::Error;
    }
    faults
}

#[cfg(test)]
mod tests;

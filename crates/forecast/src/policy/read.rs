//! Parses cases into a [`PolicyFile`], with all errors in one pass.

use super::names;
use super::{Amounts, Case, CaseKind, Expectation, Expected, Placement, PolicyFile, QueueUse, Scheduling, When};
use crate::simulate::{Job, Task};
use config::node::Fields;
use config::yaml::{self, Node};
use config::{Fault, Faults};
use model::{AppId, NodeId, Priority, Profile, Time};
use scenario::own_codes;
use scenario::value::{Values, resource};
use scheduler::NodeSpec;
use scheduler::placement::TYPE_TAG;

const FILE: [&str; 3] = ["config", "core", "tests"];
const CASE: [&str; 7] = ["name", "place", "nodes", "submit", "within", "after", "expect"];
const PLACE: [&str; 5] = ["user", "groups", "queue", "tags", "type"];
const NODE: [&str; 3] = ["name", "count", "capacity"];
const SUBMIT: [&str; 11] =
    ["app", "user", "groups", "queue", "tags", "type", "pods", "resource", "priority", "at", "runtime"];
const EXPECT: [&str; 8] = ["app", "running", "pending", "rejected", "queue", "resource", "atLeast", "atMost"];
/// Maximum number of nodes or pods of one entry.
const MOST: i64 = 100_000;

/// The result of parsing.
#[derive(Debug, Default)]
pub struct Reading {
    /// `None` if a fault is an error.
    pub file: Option<PolicyFile>,
    /// All faults by location.
    pub faults: Vec<Fault>,
}

/// Parses the cases of a text.
pub fn read(bytes: &[u8]) -> Reading {
    let mut faults = Faults::default();
    let text = yaml::decode(bytes, &mut faults);
    let document = text.and_then(|text| yaml::parse(text, &mut faults));
    let file = document.as_ref().and_then(|document| {
        let root = document.root().filter(|root| root.is_map());
        if root.is_none() {
            let hint = "start with `config: queues.yaml` and `tests:`";
            faults.error("SCN-002", Default::default(), "", "the file is not a map", hint);
        }
        file(root?, &mut faults)
    });
    let file = file.filter(|_| !faults.has_errors());
    Reading { file, faults: own_codes(faults) }
}

fn file(root: Node<'_>, faults: &mut Faults) -> Option<PolicyFile> {
    let fields = root.map("the file", &FILE, "", faults)?;
    let mut values = Values { fields, path: "".into(), faults };
    let config = values.optional_id("config").map(str::to_owned);
    let core = values.optional_id("core").map(str::to_owned);
    let core = core.and_then(|text| {
        let read = text.parse::<Profile>();
        if let Err(why) = &read {
            let at = fields.get("core").map(Node::at).unwrap_or_default();
            faults.error("SCN-023", at, "core", why.to_string(), "write a release, for example 1.9.0");
        }
        read.ok()
    });
    let nodes = fields.list("tests", "", faults).unwrap_or_default();
    if nodes.is_empty() {
        faults.error("SCN-021", root.at(), "", "the file has no tests", "add `tests:` with at least one case");
    }
    let cases = nodes.into_iter().enumerate().filter_map(|(number, node)| case(number, node, faults)).collect();
    Some(PolicyFile { config, core, cases })
}

fn case(number: usize, node: Node<'_>, faults: &mut Faults) -> Option<Case> {
    let path = format!("tests[{number}]");
    let fields = node.map("a test", &CASE, &path, faults)?;
    let mut values = Values { fields, path: path.clone().into(), faults };
    let name = values.id("name").to_owned();
    let kind = match (fields.get("place"), fields.get("submit")) {
        (Some(_), None) => CaseKind::Placement(placement(&mut values)?),
        (None, Some(_)) => CaseKind::Scheduling(scheduling(&mut values)?),
        _ => {
            let hint = "write `place:` for a placement, or `submit:` and `nodes:` for a simulation";
            values.faults.error("SCN-021", node.at(), &path, "expected one of `place` and `submit`", hint);
            return None;
        }
    };
    Some(Case { name, at: node.at(), kind })
}

fn placement(values: &mut Values<'_, '_>) -> Option<Placement> {
    let expected = values.id("expect").to_owned();
    for key in ["nodes", "within", "after"] {
        if let Some(at) = values.fields.key_at(key) {
            let message = format!("a placement has no `{key}`");
            values.faults.error("SCN-021", at, &values.path, message, "remove the key");
        }
    }
    let mut of = values.inner("place", &PLACE)?;
    let (queue, who, tags) = (of.optional_text("queue"), of.identity(), tags(&mut of));
    Some(Placement { queue, who, tags, expected: (expected != "rejected").then_some(expected) })
}

fn tags(of: &mut Values<'_, '_>) -> std::collections::BTreeMap<String, String> {
    let mut tags = of.texts("tags");
    let kind = of.optional_text("type");
    if !kind.is_empty() {
        tags.entry(TYPE_TAG.to_owned()).or_insert(kind);
    }
    tags
}

fn maps<'d>(of: &mut Values<'d, '_>, key: &str, known: &[&str]) -> Vec<(String, Fields<'d>)> {
    let nodes = of.fields.list(key, &of.path, of.faults).unwrap_or_default();
    let mut found = Vec::new();
    for (number, node) in nodes.into_iter().enumerate() {
        let path = format!("{}.{key}[{number}]", of.path);
        found.extend(node.map(key, known, &path, of.faults).map(|fields| (path, fields)));
    }
    found
}

fn scheduling(values: &mut Values<'_, '_>) -> Option<Scheduling> {
    let mut of = Scheduling::default();
    for (path, fields) in maps(values, "nodes", &NODE) {
        let mut node = Values { fields, path: path.into(), faults: values.faults };
        let (count, capacity) = (node.number("count", 1, MOST, 1), node.resource("capacity"));
        let name = node.optional_id("name").unwrap_or("node");
        let start = of.nodes.len();
        of.nodes.extend((0..count).map(|number| NodeSpec {
            id: NodeId::from(format!("{name}-{}", start as i64 + number + 1)),
            capacity: capacity.clone(),
            ..NodeSpec::default()
        }));
    }
    for (path, fields) in maps(values, "submit", &SUBMIT) {
        let mut one = Values { fields, path: path.into(), faults: values.faults };
        let job = job(&mut one);
        names::check_map(fields, "resource", &one.path, &of.nodes, one.faults);
        if of.jobs.iter().any(|known: &Job| known.app == job.app) {
            let message = format!("duplicate application {}", job.app);
            one.faults.error("SCN-021", fields.at(), &one.path, message, "write another name");
        }
        of.jobs.push(job);
    }
    match (values.duration("within"), values.duration("after")) {
        (Some(_), Some(_)) => {
            let at = values.fields.key_at("after").unwrap_or_default();
            let hint = "use `within` for any time until then, or `after` for exactly that time";
            values.faults.error("SCN-021", at, &values.path, "both `within` and `after` are given", hint);
        }
        (Some(within), None) => of.when = When::Within(within),
        (None, Some(after)) => of.when = When::After(after),
        (None, None) => {}
    }
    if of.nodes.is_empty() {
        let at = values.fields.at();
        values.faults.error("SCN-021", at, &values.path, "the test has no nodes", "add `nodes:` with a capacity");
    }
    for (path, fields) in maps(values, "expect", &EXPECT) {
        let mut one = Values { fields, path: path.into(), faults: values.faults };
        let found = expected(&mut one, &of.jobs);
        names_of(&one.path, fields, &found, &of.nodes, one.faults);
        of.expected.extend(found);
    }
    if of.expected.is_empty() && !values.faults.has_errors() {
        let at = values.fields.at();
        values.faults.error("SCN-021", at, &values.path, "the test expects nothing", "add `expect:` with a list");
    }
    Some(of)
}

fn names_of(path: &str, fields: Fields<'_>, found: &[Expected], nodes: &[NodeSpec], faults: &mut Faults) {
    for Expected { what, at } in found {
        let Expectation::Uses(QueueUse { at_least, at_most, .. }) = what else { continue };
        let of_resource = fields.get("resource").map(Node::at);
        for (key, amounts) in [("atLeast", at_least), ("atMost", at_most)] {
            names::check_map(fields, key, path, nodes, faults);
            let place = of_resource.or_else(|| fields.get(key).map(Node::at)).unwrap_or(*at);
            names::check_share(amounts.as_ref(), place, path, nodes, faults);
        }
    }
}

fn job(one: &mut Values<'_, '_>) -> Job {
    let priority = one.number("priority", i64::from(i32::MIN), i64::from(i32::MAX), 0);
    let task = Task {
        count: u32::try_from(one.number("pods", 1, MOST, 1)).unwrap_or(1),
        resource: one.resource("resource"),
        priority: Priority(i32::try_from(priority).unwrap_or(0)),
        runs: one.duration("runtime"),
        ..Task::default()
    };
    Job {
        gang: None,
        app: AppId::from(one.id("app")),
        at: Time::ZERO + one.duration("at").unwrap_or_default(),
        queue: one.optional_text("queue"),
        who: one.identity(),
        tags: tags(one),
        tasks: vec![task],
    }
}

fn expected(one: &mut Values<'_, '_>, jobs: &[Job]) -> Vec<Expected> {
    let at = one.fields.at();
    let mut found = Vec::new();
    if let Some(name) = one.optional_id("app") {
        let app = AppId::from(name);
        if !jobs.iter().any(|job| job.app == app) {
            let message = format!("application {name} is not submitted");
            one.faults.error("SCN-021", at, &one.path, message, "write the `app` of an entry of `submit`");
        }
        match one.fields.get("running").and_then(Node::scalar).map(|scalar| scalar.text) {
            Some("all") => found.push(Expectation::Running(app.clone(), None)),
            Some(_) => {
                let count = u32::try_from(one.number("running", 0, MOST, 0)).unwrap_or(0);
                found.push(Expectation::Running(app.clone(), Some(count)));
            }
            None => {}
        }
        if one.fields.get("pending").is_some() {
            let count = u32::try_from(one.number("pending", 0, MOST, 0)).unwrap_or(0);
            found.push(Expectation::Pending(app.clone(), count));
        }
        if one.flag("rejected") {
            found.push(Expectation::Rejected(app.clone()));
        }
        if let Some(queue) = one.optional_id("queue") {
            found.push(Expectation::InQueue(app, queue.to_owned()));
        }
    } else if let Some(queue) = one.optional_id("queue") {
        let queue_at = one.fields.get("queue").map_or(at, Node::at);
        let (at_least, at_most) = (amounts(one, "atLeast"), amounts(one, "atMost"));
        let bounds = QueueUse { queue: queue.to_owned(), queue_at, at_least, at_most };
        if bounds.at_least.is_some() || bounds.at_most.is_some() {
            found.push(Expectation::Uses(bounds));
        }
    }
    if found.is_empty() && !one.faults.has_errors() {
        let hint =
            "write `app` with `running`, `pending`, `rejected`, or `queue`, or `queue` with `atLeast` or `atMost`";
        one.faults.error("SCN-021", at, &one.path, "the entry expects nothing", hint);
    }
    found.into_iter().map(|what| Expected { at, what }).collect()
}

fn amounts(one: &mut Values<'_, '_>, key: &str) -> Option<Amounts> {
    let node = one.fields.get(key)?;
    if node.is_map() {
        return Some(Amounts::Resource(resource(node, key, &one.path, one.faults)));
    }
    let text = node.scalar().map_or("", |scalar| scalar.text);
    let share = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let Some(share) = share.filter(|share| (0.0..=100.0).contains(share)) else {
        let message = format!("`{key}` is {text:?}");
        let hint = "write a share such as 30%, or quantities such as {vcore: 4}";
        one.faults.error("SCN-023", node.at(), &one.path, message, hint);
        return None;
    };
    let of = one.optional_id("resource").unwrap_or("vcore").to_owned();
    Some(Amounts::Share(of, share / 100.0))
}

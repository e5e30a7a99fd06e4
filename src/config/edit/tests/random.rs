//! Random edits of random texts, written in every style: the text reads, the diff is the edit and nothing else, other
//! lines are as they were, and taking the edit back gives the first configuration again.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::config::Config;
use crate::config::diff::{Change, Key, What};

/// A queue to write.
#[derive(Clone, Debug)]
struct Spec {
    name: String,
    acl: Option<String>,
    properties: Vec<(String, String)>,
    max: Vec<(String, String)>,
    /// User names with a number of applications.
    limits: Vec<(Vec<String>, u64)>,
    children: Vec<Spec>,
}

/// Writes a text, each choice of style taken from bytes.
struct Writer {
    bytes: Vec<u8>,
    at: usize,
    comments: usize,
}

impl Writer {
    fn choose(&mut self, of: u8) -> u8 {
        self.at += 1;
        self.bytes[self.at % self.bytes.len()] % of
    }

    fn comment(&mut self) -> String {
        self.comments += 1;
        format!("# c{}", self.comments)
    }

    /// The end of a line, with a comment perhaps.
    fn end(&mut self) -> String {
        if self.choose(5) == 0 { format!(" {}\n", self.comment()) } else { "\n".to_owned() }
    }

    fn text(&mut self, text: &str) -> String {
        match self.choose(4) {
            0 => format!("'{text}'"),
            1 => format!("\"{text}\""),
            _ if text.contains(['*', ',']) => format!("'{text}'"),
            _ => text.to_owned(),
        }
    }

    /// The entries of a queue but its children, each as a key with its value.
    fn entries(&mut self, queue: &Spec) -> Vec<(&'static str, Shape)> {
        let pairs = |pairs: &[(String, String)]| {
            Shape::Map(pairs.iter().map(|(key, value)| (key.clone(), Shape::Text(value.clone()))).collect())
        };
        let mut entries = vec![("name", Shape::Text(queue.name.clone()))];
        entries.extend(queue.acl.iter().map(|acl| ("submitacl", Shape::Text(acl.clone()))));
        if !queue.properties.is_empty() {
            entries.push(("properties", pairs(&queue.properties)));
        }
        if !queue.max.is_empty() {
            entries.push(("resources", Shape::Map(vec![("max".into(), pairs(&queue.max))])));
        }
        let limit = |(users, count): &(Vec<String>, u64)| {
            let users = Shape::List(users.iter().cloned().map(Shape::Text).collect());
            Shape::Map(vec![("users".into(), users), ("maxapplications".into(), Shape::Number(*count))])
        };
        if !queue.limits.is_empty() {
            entries.push(("limits", Shape::List(queue.limits.iter().map(limit).collect())));
        }
        if !queue.children.is_empty() {
            let children = queue.children.iter().map(|child| self.shape(child)).collect();
            let at = if self.choose(4) == 0 { 1 } else { entries.len() };
            entries.insert(at, ("queues", Shape::List(children)));
        }
        entries
    }

    fn shape(&mut self, queue: &Spec) -> Shape {
        Shape::Map(self.entries(queue).into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A map in lines, its keys in `column`; the first line begins where the text ends.
    fn block(&mut self, entries: &[(String, Shape)], column: usize, out: &mut String) {
        for (index, (key, value)) in entries.iter().enumerate() {
            if index > 0 {
                if self.choose(8) == 0 {
                    let _written = writeln!(out, "{:column$}{}", "", self.comment());
                }
                if self.choose(12) == 0 {
                    out.push('\n');
                }
                let _written = write!(out, "{:column$}", "");
            }
            *out += key;
            out.push(':');
            self.value(value, column, out);
        }
    }

    fn value(&mut self, value: &Shape, column: usize, out: &mut String) {
        let bracketed = self.choose(3) == 0;
        match value {
            Shape::Map(entries) if !bracketed => {
                let deeper = column + 2 + usize::from(self.choose(3));
                *out += &self.end();
                let _written = write!(out, "{:deeper$}", "");
                self.block(entries, deeper, out);
            }
            Shape::List(items) if !bracketed => {
                let dash = column + 2 * usize::from(self.choose(2));
                *out += &self.end();
                for item in items {
                    if self.choose(6) == 0 {
                        let _written = writeln!(out, "{:dash$}{}", "", self.comment());
                    }
                    self.item(item, dash, out);
                }
            }
            _ => {
                out.push(' ');
                let deep = self.choose(3) == 0;
                let flow = self.flow(value, deep.then_some(column + 3));
                *out += &flow;
                *out += &self.end();
            }
        }
    }

    fn item(&mut self, item: &Shape, dash: usize, out: &mut String) {
        let _written = write!(out, "{:dash$}-", "");
        let column = match self.choose(5) {
            0 => dash + 4,
            _ => dash + 2,
        };
        match item {
            Shape::Map(entries) if self.choose(4) > 0 => {
                if self.choose(6) == 0 {
                    let _written = write!(out, "\n{:column$}", "");
                } else {
                    let _written = write!(out, "{:gap$}", "", gap = column - dash - 1);
                }
                self.block(entries, column, out);
            }
            _ => {
                let flow = self.flow(item, None);
                let _written = write!(out, " {flow}{}", self.end());
            }
        }
    }

    /// A value in brackets, over several lines when a column is given.
    fn flow(&mut self, value: &Shape, column: Option<usize>) -> String {
        let (open, close, parts): (_, _, Vec<String>) = match value {
            Shape::Text(text) => return self.text(text),
            Shape::Number(number) => return number.to_string(),
            Shape::List(items) => ("[", "]", items.iter().map(|item| self.flow(item, None)).collect()),
            Shape::Map(entries) => {
                ("{", "}", entries.iter().map(|(key, value)| format!("{key}: {}", self.flow(value, None))).collect())
            }
        };
        let trailing = if self.choose(6) == 0 { "," } else { "" };
        let Some(column) = column else {
            let pad = if self.choose(4) == 0 { " " } else { "" };
            return format!("{open}{pad}{}{trailing}{pad}{close}", parts.join(", "));
        };
        let mut out = open.to_owned();
        for (index, part) in parts.iter().enumerate() {
            let comma = if index + 1 < parts.len() { "," } else { trailing };
            let comment = if self.choose(4) == 0 { format!(" {}", self.comment()) } else { String::new() };
            let _written = write!(out, "{comment}\n{:column$}{part}{comma}", "");
        }
        let _written = write!(out, "{}\n{:inner$}{close}", self.end().trim_end(), "", inner = column - 1);
        out
    }

    fn file(&mut self, root: &Spec) -> String {
        let root = self.shape(root);
        let partition =
            vec![("name".to_owned(), Shape::Text("default".into())), ("queues".to_owned(), Shape::List(vec![root]))];
        let mut text = String::from("# head\n");
        self.block(&[("partitions".to_owned(), Shape::List(vec![Shape::Map(partition)]))], 0, &mut text);
        match self.choose(4) {
            0 => text.trim_end().to_owned(),
            1 => text.replace('\n', "\r\n"),
            2 => {
                let lines: Vec<String> = text
                    .lines()
                    .map(|line| if line.is_empty() { String::new() } else { format!("    {line}") })
                    .collect();
                format!(
                    "kind: ConfigMap\ndata:\n  log.level: INFO\n  queues.yaml: |\n{}\n  last: x # y\n",
                    lines.join("\n")
                )
            }
            _ => text,
        }
    }
}

#[derive(Clone, Debug)]
enum Shape {
    Text(String),
    Number(u64),
    List(Vec<Shape>),
    Map(Vec<(String, Shape)>),
}

fn pairs(
    keys: &'static [&'static str],
    values: &'static [&'static str],
) -> impl Strategy<Value = Vec<(String, String)>> {
    let one = (0..keys.len(), 0..values.len());
    prop::collection::vec(one, 0..3).prop_map(move |list| {
        let map: std::collections::BTreeMap<_, _> = list.into_iter().collect();
        map.into_iter().map(|(key, value)| (keys[key].to_owned(), values[value].to_owned())).collect()
    })
}

const RESOURCES: &[&str] = &["memory", "vcore", "nvidia.com/gpu"];
const AMOUNTS: &[&str] = &["1G", "2k", "500", "40"];
const PROPERTIES: &[&str] = &["priority.offset", "application.sort.policy", "x"];
const VALUES: &[&str] = &["5", "fair", "-1", "a b"];

fn a_leaf() -> impl Strategy<Value = Spec> {
    let limits = prop_oneof![
        Just(vec![]),
        Just(vec![(vec!["sue".to_owned(), "bob".to_owned()], 2)]),
        Just(vec![(vec!["sue".to_owned()], 2), (vec!["*".to_owned()], 1)]),
    ];
    let acl = prop::option::of(prop_oneof![Just("*"), Just("sue dev"), Just("sue,bob")]);
    (acl, pairs(PROPERTIES, VALUES), pairs(RESOURCES, AMOUNTS), limits).prop_map(|(acl, properties, max, limits)| {
        Spec { name: String::new(), acl: acl.map(str::to_owned), properties, max, limits, children: Vec::new() }
    })
}

fn a_root() -> impl Strategy<Value = Spec> {
    let parent = (a_leaf(), prop::collection::vec(a_leaf(), 1..3)).prop_map(|(own, children)| Spec {
        max: Vec::new(),
        limits: Vec::new(),
        children: named(children),
        ..own
    });
    let child = prop_oneof![a_leaf().boxed(), parent.boxed()];
    prop::collection::vec(child, 1..4).prop_map(|children| Spec {
        name: "root".into(),
        acl: Some("*".into()),
        properties: Vec::new(),
        max: Vec::new(),
        limits: Vec::new(),
        children: named(children),
    })
}

fn named(children: Vec<Spec>) -> Vec<Spec> {
    children
        .into_iter()
        .zip(["a", "b-b", "'3'"])
        .map(|(child, name)| Spec { name: name.replace('\'', ""), ..child })
        .collect()
}

fn paths(queue: &Spec, above: &str, out: &mut Vec<(String, Spec)>) {
    for child in &queue.children {
        let path = format!("{above}.{}", child.name);
        out.push((path.clone(), child.clone()));
        paths(child, &path, out);
    }
}

fn config(text: &str) -> Result<Config, TestCaseError> {
    let reading = read_file(text.as_bytes(), DEFAULT_POLICY_GROUP, Profile::Kornsole);
    reading.config.ok_or_else(|| TestCaseError::fail(format!("{:#?}\n{text}", reading.faults)))
}

/// How many lines went, and how many came.
fn counts(old: &str, new: &str) -> (usize, usize) {
    let plain = |text: &str| text.replace('\r', "").trim_end().to_owned();
    let lines = lines_changed(&plain(old), &plain(new));
    let gone = lines.iter().filter(|line| line.starts_with('-')).count();
    (gone, lines.len() - gone)
}

fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| Some(&line[line.find("# ")?..])).collect()
}

/// The changes of a text that was edited, each as its key and what happened.
fn changes(old: &str, new: &str) -> Result<Vec<Change>, TestCaseError> {
    Ok(diff(&config(old)?, &config(new)?).changes)
}

/// A file, the path of one of its queues, and what that is.
fn a_case() -> impl Strategy<Value = (String, String, Spec)> {
    (a_root(), prop::collection::vec(any::<u8>(), 40..200), any::<prop::sample::Index>()).prop_map(
        |(root, bytes, pick)| {
            let text = Writer { bytes, at: 0, comments: 0 }.file(&root);
            let mut all = Vec::new();
            paths(&root, "root", &mut all);
            let (path, spec) = pick.get(&all).clone();
            (text, path, spec)
        },
    )
}

fn edited(text: &str, new: Result<String, Fault>) -> Result<String, TestCaseError> {
    new.map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_setting((text, path, queue) in a_case(), resource in 0..3_usize, amount in 0..4_usize, which in 0..4) {
        let queue_path = QueuePath::new(&path);
        let target = target(&queue_path);
        let (resource, property, value) = (RESOURCES[resource], PROPERTIES[resource], ["7", "x: y", "", "null"][amount]);
        let (name, old, new) = match which {
            0 if queue.children.is_empty() => (Key::Max(resource.into()), lookup(&queue.max, resource), AMOUNTS[amount]),
            1 => (Key::Property(property.into()), lookup(&queue.properties, property), value),
            2 => (Key::SubmitAcl, queue.acl.as_deref(), ["sue dev", "*", " ops", "a,b"][amount]),
            _ => (Key::AdminAcl, None, ["sue dev", "*", " ops", "a,b"][amount]),
        };
        let set = |text: &str, value: Option<&str>| match &name {
            Key::Max(resource) => set_amount(text, &target, Bound::Max, resource, value),
            Key::Property(property) => set_property(text, &target, property, value),
            Key::SubmitAcl => set_acl(text, &target, Access::Submit, value),
            _ => set_acl(text, &target, Access::Admin, value),
        };
        let after = edited(&text, set(&text, Some(new)))?;
        let told = changes(&text, &after)?;
        if old == Some(new) {
            prop_assert_eq!(&after, &text);
        } else {
            prop_assert_eq!(told.len(), 1, "{:?}\n{}", told, after);
            prop_assert_eq!((&told[0].key, told[0].queue.as_ref()), (&name, Some(&queue_path)));
        }
        let (gone, came) = counts(&text, &after);
        prop_assert!(gone <= 1 && came <= if old.is_some() { 1 } else { 3 }, "-{} +{}\n{}\n{}", gone, came, text, after);
        prop_assert_eq!(comments(&text), comments(&after));
        let back = edited(&after, set(&after, old))?;
        prop_assert!(diff(&config(&text)?, &config(&back)?).is_empty());
        if old.is_none() {
            prop_assert_eq!(text.trim_end(), back.trim_end(), "{}", after);
        }
        let cleared = edited(&text, set(&text, None))?;
        let told = changes(&text, &cleared)?;
        prop_assert_eq!(told.len(), usize::from(old.is_some()), "{:?}\n{}", told, cleared);
        prop_assert!(counts(&text, &cleared).1 <= 1, "{}\n{}", text, cleared);
    }

    #[test]
    fn a_queue((text, path, queue) in a_case(), settings in any::<bool>()) {
        let path = QueuePath::new(&path);
        let mut new = NewQueue { name: "new".into(), ..NewQueue::default() };
        if settings {
            new.submit_acl = "sue dev".into();
            new.max = vec![("pods".into(), "3".into())];
            new.limits = vec![NewLimit { users: vec!["eve".into()], max_applications: Some(1), ..NewLimit::default() }];
        }
        let after = edited(&text, add_queue(&text, &target(&path), &new))?;
        let below = path.child("new");
        let told = changes(&text, &after)?;
        let others: Vec<_> = told.iter().filter(|change| change.queue.as_ref() != Some(&below)).collect();
        // A leaf becomes a parent by it.
        let flips = usize::from(queue.children.is_empty());
        prop_assert_eq!(others.len(), flips, "{:?}", others);
        prop_assert!(others.iter().all(|change| change.key == Key::Parent && change.queue.as_ref() == Some(&path)));
        let came = |change: &&Change| change.key == Key::Queue && change.what == What::Added;
        prop_assert_eq!(told.iter().filter(came).count(), 1);
        prop_assert!(counts(&text, &after).0 <= 1, "{}\n{}", text, after);
        prop_assert_eq!(comments(&text), comments(&after));
        let back = edited(&after, remove_queue(&after, &target(&below)))?;
        prop_assert_eq!(text.trim_end(), back.trim_end(), "{}", after);

        let without = edited(&text, remove_queue(&text, &target(&path)))?;
        let told = changes(&text, &without)?;
        let within = |change: &&Change| change.queue.as_ref().is_some_and(|queue| queue.is_within(&path));
        let gone = 1 + queue.children.len();
        prop_assert_eq!(told.iter().filter(within).count(), gone);
        let rest: Vec<_> = told.iter().filter(|change| !within(change)).map(|change| &change.key).collect();
        prop_assert!(rest.is_empty() || rest == [&Key::Parent], "{:?}", rest);
        prop_assert!(counts(&text, &without).1 <= 1, "{}\n{}", text, without);
    }

    #[test]
    fn a_limit((text, path, queue) in a_case(), first in any::<bool>()) {
        let path = QueuePath::new(&path);
        let target = target(&path);
        let eve = NewLimit { users: vec!["eve".into()], max_applications: Some(5), ..NewLimit::default() };
        let number = if first { 0 } else { queue.limits.len() };
        prop_assume!(first || !queue.limits.iter().any(|(users, _)| users[0] == "*"));
        let after = edited(&text, add_limit(&text, &target, Some(number), &eve))?;
        let told = changes(&text, &after)?;
        prop_assert_eq!(told.len(), 1, "{:?}\n{}", told, after);
        prop_assert_eq!(&told[0].key, &Key::Limit("users eve".into()));
        prop_assert!(counts(&text, &after).0 <= 1, "{}\n{}", text, after);
        let more = NewLimit {
            description: "the eves".into(),
            users: vec!["eve".into(), "eva".into()],
            groups: vec!["dev".into()],
            max_resources: vec![("pods".into(), "3".into())],
            ..NewLimit::default()
        };
        let changed = edited(&after, change_limit(&after, &target, number, &more))?;
        let told = changes(&after, &changed)?;
        prop_assert_eq!(told.len(), 5, "{:?}\n{}", told, changed);
        prop_assert!(told.iter().all(|change| matches!(change.key, Key::InLimit(..))));
        let changed_back = edited(&changed, change_limit(&changed, &target, number, &eve))?;
        prop_assert_eq!(changes(&after, &changed_back)?, vec![]);
        let back = edited(&after, remove_limit(&after, &target, number))?;
        prop_assert_eq!(text.trim_end(), back.trim_end(), "{}", after);
    }
}

fn lookup<'a>(pairs: &'a [(String, String)], key: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

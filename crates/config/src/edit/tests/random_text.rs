//! Random queue trees as texts in every style.

use std::fmt::Write as _;

use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub name: String,
    pub acl: Option<String>,
    pub properties: Vec<(String, String)>,
    pub max: Vec<(String, String)>,
    /// User names with a number of applications.
    pub limits: Vec<(Vec<String>, u64)>,
    pub children: Vec<Spec>,
}

/// Bytes decide every choice of style.
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

pub(super) const RESOURCES: &[&str] = &["memory", "vcore", "nvidia.com/gpu"];
pub(super) const AMOUNTS: &[&str] = &["1G", "2k", "500", "40"];
pub(super) const PROPERTIES: &[&str] = &["priority.offset", "application.sort.policy", "x"];
pub(super) const VALUES: &[&str] = &["5", "fair", "-1", "a b"];

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

pub(super) fn a_case() -> impl Strategy<Value = (String, String, Spec)> {
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

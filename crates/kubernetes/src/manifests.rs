//! Texts of manifests, YAML or JSON, into a [`Cluster`]: what `kubectl get … -o yaml` prints, lists and single documents.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::cluster::Cluster;
use super::objects::Object;
use config::Faults;
use config::yaml::{self, Node, Style};

/// The largest text that is read, in bytes.
const LARGEST: usize = 1 << 30;

/// What reading manifests gave, besides the objects.
#[derive(Clone, Debug, Default)]
pub struct ManifestReport {
    /// What cannot be read, each with its file and line, or with the namespace and name of the object.
    pub faults: Vec<String>,
    /// How many objects there were of kinds that scheduling does not look at.
    pub skipped: BTreeMap<String, u64>,
}

/// Adds the objects of a text to a cluster. `name` is how the text is called in faults.
pub fn read_manifests(name: &str, bytes: &[u8], cluster: &mut Cluster, report: &mut ManifestReport) {
    let mut reader = Reader { name, cluster, report };
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if matches!(begins, Some(b'{' | b'[')) { reader.json(bytes) } else { reader.yaml(bytes) }
}

struct Reader<'r> {
    name: &'r str,
    cluster: &'r mut Cluster,
    report: &'r mut ManifestReport,
}

impl Reader<'_> {
    /// One or more JSON texts, one behind the other.
    fn json(&mut self, bytes: &[u8]) {
        for document in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
            match document {
                Ok(value) => self.document(value),
                Err(error) => {
                    let (name, line, column) = (self.name, error.line(), error.column());
                    self.report.faults.push(format!("{name}:{line}:{column}: {error}"));
                    return;
                }
            }
        }
    }

    fn document(&mut self, mut value: Value) {
        if let Value::Array(items) = value {
            items.into_iter().for_each(|item| self.object(item, 0));
            return;
        }
        let kind = list_kind(value["kind"].as_str().unwrap_or_default());
        let Some(of) = kind.map(str::to_owned) else { return self.object(value, 0) };
        let Some(Value::Array(items)) = value.get_mut("items").map(Value::take) else { return };
        items.into_iter().for_each(|item| self.object(with_kind(item, &of), 0));
    }

    fn yaml(&mut self, bytes: &[u8]) {
        let mut faults = Faults::default();
        let text = yaml::decode_up_to(bytes, LARGEST, &mut faults);
        let documents = text.map(|text| yaml::parse_all(text, &mut faults)).unwrap_or_default();
        let errors = faults.into_sorted().into_iter().filter(|fault| fault.severity == config::Severity::Error);
        let errors: Vec<String> = errors.map(|fault| format!("{}:{fault}", self.name)).collect();
        if !errors.is_empty() {
            self.report.faults.extend(errors);
            return;
        }
        for root in documents.iter().filter_map(yaml::Document::root) {
            let silent = &mut Faults::default();
            let fields = root.any_map("", "", silent);
            let kind = fields.and_then(|fields| fields.get("kind")?.scalar()).map_or("", |kind| kind.text);
            let items = fields.and_then(|fields| fields.get("items"));
            match (list_kind(kind), items) {
                (Some(of), Some(items)) => {
                    for item in items.list("items", "", silent).unwrap_or_default() {
                        let line = item.at().line;
                        let value = with_kind(value_of(item), of);
                        self.object(value, line);
                    }
                }
                (Some(_), None) => {}
                (None, _) => self.object(value_of(root), root.at().line),
            }
        }
    }

    /// One object; `line` 0 where that is not known.
    fn object(&mut self, value: Value, line: u32) {
        let at = if line > 0 { format!("{}:{line}", self.name) } else { self.name.to_owned() };
        let kind = match value["kind"].as_str() {
            Some(kind) if value.is_object() => kind.to_owned(),
            _ => {
                let hint = "write what `kubectl get pods,nodes,ns,pc,cm,pv,pvc,sc -A -o yaml` prints";
                self.report.faults.push(format!("{at}: not a Kubernetes object: it has no kind; {hint}"));
                return;
            }
        };
        match Object::read(value) {
            Ok(Some(object)) => {
                if let Err(why) = self.cluster.add(object) {
                    self.report.faults.push(format!("{at}: {why}"));
                }
            }
            Ok(None) => *self.report.skipped.entry(kind).or_default() += 1,
            Err(why) => self.report.faults.push(format!("{at}: {why}")),
        }
    }
}

/// The kind of the items of a list, empty where each says it; `None` for what is no list.
fn list_kind(kind: &str) -> Option<&str> {
    kind.strip_suffix("List")
}

/// An item of a list of one kind says its kind itself.
fn with_kind(mut item: Value, kind: &str) -> Value {
    if let Value::Object(fields) = &mut item
        && !kind.is_empty()
    {
        fields.entry("kind").or_insert_with(|| Value::String(kind.to_owned()));
    }
    item
}

/// A value of YAML as JSON has it. How deep it goes is bounded by the reader.
fn value_of(node: Node<'_>) -> Value {
    let silent = &mut Faults::default();
    if let Some(scalar) = node.scalar() {
        return scalar_of(scalar.text, scalar.style, scalar.is_null());
    }
    if node.is_list() {
        return Value::Array(node.items("", "", silent).unwrap_or_default().into_iter().map(value_of).collect());
    }
    let fields = node.any_map("", "", silent);
    let entries = fields.into_iter().flatten().map(|(key, value)| (key.text.to_owned(), value_of(value)));
    Value::Object(entries.collect::<Map<_, _>>())
}

/// A scalar: what is not quoted may be a number or a bool.
fn scalar_of(text: &str, style: Style, is_null: bool) -> Value {
    if is_null {
        return Value::Null;
    }
    let is_plain = style == Style::Plain;
    match text {
        "true" | "True" | "TRUE" if is_plain => return Value::Bool(true),
        "false" | "False" | "FALSE" if is_plain => return Value::Bool(false),
        _ => {}
    }
    let number_like = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if is_plain && number_like {
        if let Ok(number) = text.parse::<i64>() {
            return Value::from(number);
        }
        if let Some(number) = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
            return Value::Number(number);
        }
    }
    Value::String(text.to_owned())
}

//! Parses manifests, YAML or JSON, into a [`Cluster`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::admission::Admission;
use super::cluster::Cluster;
use super::created::Created;
use super::objects::{Object, Pod, Step, Unread};
use super::recovery::Settings;
use super::workloads::field::Lines;
use super::workloads::{self, Owned, Role, Workload};
use config::Faults;
use config::yaml::{self, Node, Style};

const LARGEST: usize = 1 << 30;
/// Kinds without a namespace; other objects default to `default`.
const CLUSTERED: [&str; 8] = [
    "Node",
    "Namespace",
    "PriorityClass",
    "PersistentVolume",
    "StorageClass",
    "CSINode",
    "VolumeAttachment",
    "RuntimeClass",
];

/// The result of parsing manifests, besides the objects.
#[derive(Clone, Debug, Default)]
pub struct ManifestReport {
    /// With file and line, or with the namespace and name.
    pub faults: Vec<String>,
    /// Number of skipped objects by kind.
    pub skipped: BTreeMap<String, u64>,
    /// Number of created pods by kind of object.
    pub created: Vec<String>,
    /// Added values, and what is not evaluated.
    pub notices: Vec<String>,
}

/// Adds objects and their pods. `name` identifies the text in errors.
pub fn read_manifests(name: &str, bytes: &[u8], cluster: &mut Cluster, report: &mut ManifestReport) {
    let mut manifests =
        Manifests { cluster: std::mem::take(cluster), report: std::mem::take(report), ..Manifests::default() };
    manifests.read(name, bytes);
    (*cluster, *report) = manifests.finish(&Settings::default().scheduler_names);
}

/// Objects may refer to other texts, so pods are completed at the end.
#[derive(Debug, Default)]
pub struct Manifests {
    cluster: Cluster,
    report: ManifestReport,
    /// Pods in the order of the texts.
    pods: Vec<Draft>,
    workloads: Vec<Workload>,
    templates: Vec<Workload>,
    admission: Admission,
    /// Number of generated names by namespace, kind, and prefix.
    generated: BTreeMap<(String, String, String), u32>,
    /// Owned objects by the UID of their owner.
    owned: BTreeMap<String, Owned>,
    /// A what-if submits the following objects.
    submits: bool,
}

#[derive(Debug)]
struct Draft {
    at: String,
    pod: Box<Pod>,
    submitted: bool,
}

impl Manifests {
    /// Adds objects; `name` identifies the text in errors.
    pub fn read(&mut self, name: &str, bytes: &[u8]) {
        let mut reader = Reader { name: Arc::from(name), all: self };
        let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if matches!(begins, Some(b'{' | b'[')) { reader.json(bytes) } else { reader.yaml(bytes) }
    }

    /// Adds the objects of a what-if, whose pods come after all others.
    pub fn submit(&mut self, name: &str, bytes: &[u8]) {
        self.submits = true;
        self.read(name, bytes);
    }

    /// Completes all pods; `scheduler_names` are those of the pods that are scheduled.
    pub fn finish(self, scheduler_names: &[String]) -> (Cluster, ManifestReport) {
        let Self { mut cluster, mut report, pods, workloads, templates, mut admission, owned, .. } = self;
        let mut created = Created::new(&mut cluster, &mut admission, scheduler_names);
        let (old, new): (Vec<_>, Vec<_>) = pods.into_iter().partition(|draft| !is_new(&draft.pod));
        for (is_new, drafts) in [(false, old), (true, new)] {
            for Draft { at, pod, submitted } in drafts {
                if let Err(why) = created.put(pod, is_new, submitted) {
                    report.faults.push(format!("{at}: {why}"));
                }
            }
        }
        created.expand(&workloads, &templates, &owned, &mut report.faults);
        (report.created, report.notices) = created.notices();
        (cluster, report)
    }
}

fn is_new(pod: &Pod) -> bool {
    pod.metadata.creation_timestamp.is_none() && pod.node().is_none() && pod.status.phase.is_empty()
}

struct Reader<'r> {
    name: Arc<str>,
    all: &'r mut Manifests,
}

impl Reader<'_> {
    /// Concatenated JSON texts, or YAML in flow style.
    fn json(&mut self, bytes: &[u8]) {
        for (number, document) in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>().enumerate() {
            match (document, number) {
                (Ok(value), _) => self.document(value, ""),
                (Err(error), number) => {
                    if number == 0 && self.documents(bytes).map(|documents| self.roots(&documents)).is_ok() {
                        return;
                    }
                    let (name, line, column) = (&self.name, error.line(), error.column());
                    self.all.report.faults.push(format!("{name}:{line}:{column}: {error}"));
                    return;
                }
            }
        }
    }

    /// An object, a list, or a list of lists. `kind` is that of the enclosing list.
    fn document(&mut self, value: Value, kind: &str) {
        let mut value = with_kind(value, kind);
        if let Value::Array(items) = value {
            return items.into_iter().for_each(|item| self.document(item, ""));
        }
        let of = list_kind(value["kind"].as_str().unwrap_or_default()).map(str::to_owned);
        match (of, value.get_mut("items").map(Value::take)) {
            (Some(of), Some(Value::Array(items))) => items.into_iter().for_each(|item| self.document(item, &of)),
            (Some(_), _) => {}
            (None, items) => {
                if let (Some(items), Value::Object(fields)) = (items, &mut value) {
                    fields.insert("items".to_owned(), items);
                }
                self.object(value, None);
            }
        }
    }

    fn yaml(&mut self, bytes: &[u8]) {
        match self.documents(bytes) {
            Ok(documents) => self.roots(&documents),
            Err(mut errors) => self.all.report.faults.append(&mut errors),
        }
    }

    fn documents(&self, bytes: &[u8]) -> Result<Vec<yaml::Document>, Vec<String>> {
        let mut faults = Faults::default();
        let text = yaml::decode_up_to(bytes, LARGEST, &mut faults);
        let documents = text.map(|text| yaml::parse_all(text, &mut faults)).unwrap_or_default();
        let errors = faults.into_sorted().into_iter().filter(|fault| fault.severity == config::Severity::Error);
        let errors: Vec<String> = errors.map(|fault| format!("{}:{fault}", self.name)).collect();
        if errors.is_empty() { Ok(documents) } else { Err(errors) }
    }

    /// Skips empty documents, for example after a final `---`.
    fn roots(&mut self, documents: &[yaml::Document]) {
        let roots = documents.iter().filter_map(yaml::Document::root);
        let roots = roots.filter(|root| !root.scalar().is_some_and(|scalar| scalar.is_null()));
        roots.for_each(|root| self.node(root, ""));
    }

    /// Like [`Self::document`] for YAML, with lines. The parser bounds the depth.
    fn node(&mut self, node: Node<'_>, of: &str) {
        let silent = &mut Faults::default();
        if node.is_list() {
            let items = node.items("", "", silent).unwrap_or_default();
            return items.into_iter().for_each(|item| self.node(item, ""));
        }
        let fields = node.any_map("", "", silent);
        let own = fields.as_ref().and_then(|fields| fields.get("kind")?.scalar()).map_or(of, |kind| kind.text);
        let items = fields.as_ref().and_then(|fields| fields.get("items"));
        match (list_kind(own), items) {
            (Some(of), Some(items)) => {
                items.list("items", "", silent).unwrap_or_default().into_iter().for_each(|item| self.node(item, of));
            }
            (Some(_), None) => {}
            (None, _) => self.object(with_kind(value_of(node), of), Some(node)),
        }
    }

    fn object(&mut self, mut value: Value, node: Option<Node<'_>>) {
        let kind = match value["kind"].as_str() {
            Some(kind) if value.is_object() => kind.to_owned(),
            _ => {
                let hint = "use the output of `kubectl get pods,nodes,ns,pc,cm,pv,pvc,sc -A -o yaml`";
                return self.fault(node, &[], &format!("not a Kubernetes object: it has no kind; {hint}"));
            }
        };
        self.complete(&kind, &mut value);
        match self.all.admission.take(&value) {
            Ok(true) if kind != "PriorityClass" => return,
            Ok(_) => {}
            Err(unread) => return self.unread(node, unread, &value),
        }
        let role = workloads::role(&value);
        self.owners(&value, kind == "Pod", role == Some(Role::Creates));
        if let Some(role) = role {
            let lines = node.map(Lines::of);
            let workload = Workload { file: Arc::clone(&self.name), value, lines, submitted: self.all.submits };
            match role {
                Role::Template => self.all.templates.push(workload),
                Role::Creates => self.all.workloads.push(workload),
            }
            return;
        }
        match Object::read(value) {
            Ok(Some(Object::Pod(pod))) => {
                let draft = Draft { at: self.at(node), pod, submitted: self.all.submits };
                self.all.pods.push(draft);
            }
            Ok(Some(object)) => {
                if let Err(why) = self.all.cluster.add(object) {
                    self.fault(node, &[], &why);
                }
            }
            Ok(None) => *self.all.report.skipped.entry(kind).or_default() += 1,
            Err(unread) => self.unread(node, unread, &Value::Null),
        }
    }

    /// Like the API server: the namespace, and a name from `generateName`.
    fn complete(&mut self, kind: &str, value: &mut Value) {
        let Some(Value::Object(meta)) = value.get_mut("metadata") else { return };
        let absent =
            |meta: &Map<String, Value>, key: &str| meta.get(key).is_none_or(|value| value.is_null() || value == "");
        if absent(meta, "namespace") && !CLUSTERED.contains(&kind) && !kind.starts_with("Cluster") {
            meta.insert("namespace".to_owned(), Value::from("default"));
        }
        if !absent(meta, "name") {
            return;
        }
        let Some(prefix) = meta.get("generateName").and_then(Value::as_str).map(str::to_owned) else { return };
        let namespace = meta.get("namespace").and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = self.all.generated.entry((namespace, kind.to_owned(), prefix.clone())).or_default();
        *number += 1;
        meta.insert("name".to_owned(), Value::from(format!("{prefix}{number:05}")));
    }

    fn owners(&mut self, value: &Value, is_pod: bool, creates: bool) {
        let owners = value["metadata"]["ownerReferences"].as_array().into_iter().flatten();
        for uid in owners.filter_map(|owner| owner["uid"].as_str()).filter(|_| is_pod || creates) {
            let owned = self.all.owned.entry(uid.to_owned()).or_default();
            owned.pods += u64::from(is_pod);
            owned.creates |= creates;
        }
    }

    fn at(&self, node: Option<Node<'_>>) -> String {
        node.map_or_else(|| self.name.to_string(), |node| format!("{}:{}", self.name, node.at().line))
    }

    fn fault(&mut self, node: Option<Node<'_>>, path: &[Step], why: &str) {
        let at = match node {
            // Lines are only needed for errors.
            Some(node) if !path.is_empty() => format!("{}:{}", self.name, Lines::of(node).line_at(path)),
            node => self.at(node),
        };
        self.all.report.faults.push(format!("{at}: {why}"));
    }

    /// `value` identifies the object if the error does not.
    fn unread(&mut self, node: Option<Node<'_>>, mut unread: Unread, value: &Value) {
        if unread.who.is_empty()
            && let (Some(kind), Some(name)) = (value["kind"].as_str(), value["metadata"]["name"].as_str())
        {
            unread.who = format!("{kind} {name}");
        }
        self.fault(node, &unread.path, &unread.to_string());
    }
}

/// Empty for a mixed list; `None` if it is not a list.
fn list_kind(kind: &str) -> Option<&str> {
    kind.strip_suffix("List")
}

fn with_kind(mut item: Value, kind: &str) -> Value {
    if let Value::Object(fields) = &mut item
        && !kind.is_empty()
    {
        fields.entry("kind").or_insert_with(|| Value::String(kind.to_owned()));
    }
    item
}

/// The parser bounds the depth.
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

/// An unquoted scalar may be a number or a bool.
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

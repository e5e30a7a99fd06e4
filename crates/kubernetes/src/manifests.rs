//! Parses manifests, YAML or JSON, into a [`Cluster`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::admission::Admission;
use super::cluster::Cluster;
use super::created::Created;
use super::objects::{Object, Pod, Step, Unread};
use super::pruned::{Pruned, pruned_of};
use super::recovery::Settings;
use super::values;
use super::workloads::field::Lines;
use super::workloads::{self, Owned, Role, Workload};
use config::Faults;
use config::input::json_error;
use config::yaml::{self, Node};

/// The kinds that are in no namespace; any other object without one is in `default`.
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

/// The API server shortens `generateName` to this length.
const LONGEST_PREFIX: usize = 58;

/// The objects by which autoscalers add nodes.
const SCALERS: [&str; 5] = ["NodePool", "Provisioner", "NodeClaim", "MachineAutoscaler", "ClusterAutoscaler"];

/// What reading manifests gave, in addition the objects.
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
    /// Pods that a LimitRange or ResourceQuota rejects, so that they are not in the cluster.
    pub rejected: Vec<String>,
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
    pods: Vec<Draft>,
    workloads: Vec<Workload>,
    templates: Vec<Workload>,
    admission: Admission,
    generated: BTreeMap<(String, String, String), u32>,
    owned: BTreeMap<String, Owned>,
    submits: bool,
    /// Files of a directory: values without a kind are skipped.
    unnamed: BTreeSet<String>,
    no_objects: Vec<String>,
}

#[derive(Debug)]
struct Draft {
    at: String,
    pod: Box<Pod>,
    submitted: bool,
}

/// A text of manifests that is parsed, so that several can be parsed at the same time.
#[derive(Debug)]
pub struct ParsedManifest {
    name: Arc<str>,
    text: Text,
}

#[derive(Debug)]
enum Text {
    Json(Vec<u8>),
    Yaml(Result<Vec<yaml::Document>, Vec<String>>),
}

impl ParsedManifest {
    /// Parses a text; `name` identifies it in errors.
    pub fn of(name: &str, bytes: Vec<u8>) -> Self {
        let text = if is_json(&bytes) { Text::Json(bytes) } else { Text::Yaml(values::documents(name, &bytes)) };
        Self { name: Arc::from(name), text }
    }
}

fn is_json(bytes: &[u8]) -> bool {
    matches!(bytes.iter().find(|byte| !byte.is_ascii_whitespace()), Some(b'{' | b'['))
}

impl Manifests {
    /// Adds objects; `name` identifies the text in errors.
    pub fn read(&mut self, name: &str, bytes: &[u8]) {
        let mut reader = Reader { name: Arc::from(name), all: self };
        if is_json(bytes) { reader.json(bytes) } else { reader.yaml(values::documents(name, bytes)) }
    }

    /// Adds the objects of a parsed text.
    pub fn take(&mut self, parsed: ParsedManifest) {
        let mut reader = Reader { name: parsed.name, all: self };
        match parsed.text {
            Text::Json(bytes) => reader.json(&bytes),
            Text::Yaml(documents) => reader.yaml(documents),
        }
    }

    /// Adds the objects of a what-if, whose pods come after all others.
    pub fn submit(&mut self, name: &str, bytes: &[u8]) {
        self.submits = true;
        self.read(name, bytes);
    }

    /// Skips, with a notice, what has no kind in these files.
    pub fn skip_other_values(&mut self, files: impl Iterator<Item = String>) {
        self.unnamed.extend(files);
    }

    /// Completes all pods; `scheduler_names` are those of the pods that are scheduled.
    pub fn finish(self, scheduler_names: &[String]) -> (Cluster, ManifestReport) {
        let Self { mut cluster, mut report, pods, workloads, templates, mut admission, owned, no_objects, .. } = self;
        let mut created = Created::new(&mut cluster, &mut admission, scheduler_names);
        let (old, new): (Vec<_>, Vec<_>) = pods.into_iter().partition(|draft| !is_new(&draft.pod));
        for (is_new, drafts) in [(false, old), (true, new)] {
            for Draft { at, pod, submitted } in drafts {
                if let Err(why) = created.put(pod, is_new, submitted) {
                    report.faults.push(format!("{at}: {why}"));
                }
            }
        }
        for template in templates.iter().filter(|_| workloads.is_empty()) {
            *report.skipped.entry(workloads::kind_of(&template.value)).or_default() += 1;
        }
        created.expand(&workloads, &templates, &owned, &mut report.faults);
        [report.created, report.notices, report.rejected] = created.notices();
        report.notices.extend(no_objects);
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
    fn json(&mut self, bytes: &[u8]) {
        let mut objects = Vec::new();
        for document in serde_json::Deserializer::from_slice(bytes).into_iter::<Pruned>() {
            match document {
                Ok(Pruned(value)) => objects.push(value),
                Err(error) => {
                    // Flow style is also YAML, for example in several documents.
                    if let Ok(documents) = values::documents(&self.name, bytes) {
                        return self.roots(&documents);
                    }
                    let (name, line, column) = (&self.name, error.line(), error.column());
                    self.all.report.faults.push(format!("{name}:{line}:{column}: {}", json_error(&error)));
                    return;
                }
            }
        }
        objects.into_iter().for_each(|object| self.document(object, ""));
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

    fn yaml(&mut self, documents: Result<Vec<yaml::Document>, Vec<String>>) {
        match documents {
            Ok(documents) => self.roots(&documents),
            Err(mut errors) => self.all.report.faults.append(&mut errors),
        }
    }

    /// The objects of documents; an empty document, as after a last `---`, has none.
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
            (None, _) => self.object(with_kind(pruned_of(node), of), Some(node)),
        }
    }

    fn object(&mut self, mut value: Value, node: Option<Node<'_>>) {
        let kind = match value["kind"].as_str() {
            Some(kind) if value.is_object() => kind.to_owned(),
            _ => {
                if self.all.unnamed.contains(&*self.name) {
                    let at = self.at(node);
                    self.all.no_objects.push(format!("{at}: skipped: not a Kubernetes object"));
                    return;
                }
                let hint = "use the output of `kubectl get pods,nodes,ns,pc,cm,pv,pvc,sc -A -o yaml`";
                return self.fault(node, &[], &format!("not a Kubernetes object: it has no kind; {hint}"));
            }
        };
        self.complete(&kind, &mut value);
        self.all.cluster.is_scaled |= SCALERS.contains(&kind.as_str()) || shows_scaling(&kind, &value);
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
        let kind = if kind == "Pod" { kind } else { workloads::kind_of(&value) };
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
        let prefix: String = prefix.chars().take(LONGEST_PREFIX).collect();
        let number = self.all.generated.entry((namespace, kind.to_owned(), prefix.clone())).or_default();
        *number += 1;
        meta.insert("name".to_owned(), Value::from(format!("{prefix}{number:05}")));
    }

    fn owners(&mut self, value: &Value, is_pod: bool, creates: bool) {
        let phase = value["status"]["phase"].as_str();
        let owners = value["metadata"]["ownerReferences"].as_array().into_iter().flatten();
        for uid in owners.filter_map(|owner| owner["uid"].as_str()).filter(|_| is_pod || creates) {
            let owned = self.all.owned.entry(uid.to_owned()).or_default();
            owned.pods += u64::from(is_pod);
            let (succeeded, failed) = (phase == Some("Succeeded"), phase == Some("Failed"));
            owned.succeeded += u64::from(is_pod && succeeded);
            owned.ended += u64::from(is_pod && (succeeded || failed));
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

/// A node that Karpenter has added, or the Cluster Autoscaler itself.
fn shows_scaling(kind: &str, value: &Value) -> bool {
    let labels = value["metadata"]["labels"].as_object();
    labels.into_iter().flatten().any(|(key, label)| match kind {
        "Node" => matches!(key.as_str(), "karpenter.sh/nodepool" | "karpenter.sh/provisioner-name"),
        _ => label.as_str().is_some_and(|label| label.ends_with("cluster-autoscaler")),
    })
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

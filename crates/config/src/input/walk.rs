//! Every map of settings in a tree and in the texts inside it: ConfigMaps, Helm values, Kustomize generators and
//! patches.
//!
//! Invariant: each node is visited once, and texts in texts only [`DEEPEST_TEXT`] deep.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::entry::{entry, packed};
use super::hcl::Hcl;
use super::kustomize;
use super::layers::{Entry, Layer, Object, Origin, Rank, Source, is_configuration};
use super::placeholders::Maker;
use super::places::{Lines, Places};
use super::release::{Unread, Wanted};
use super::unpack::base64_text;
use super::{Files, Loaded, Reference};
use crate::fault::Faults;
use crate::node::{Fields, MapKey};
use crate::types::Place;
use crate::yaml::{self, Node};

/// For example a ConfigMap in the values of an Argo CD Application in a List.
const DEEPEST_TEXT: usize = 4;
/// Texts with a queue configuration contain one of them.
const SYMBOLS: [&str; 4] = ["yunikornDefaults", ".yaml", "configuration", "partitions"];
const SKIPPED: [&str; 3] = ["status", "operation", "annotations"];

pub(super) struct Text<'t> {
    pub lines: Lines<'t>,
    pub places: Places,
    pub shape: String,
    pub depth: usize,
    pub hcl: Option<&'t Hcl>,
    pub templates: bool,
    /// `None`: the input itself.
    pub file: Option<Arc<Loaded>>,
}

impl Text<'_> {
    pub fn maker(&self) -> Maker {
        match self.templates {
            true => Maker::Terraform,
            false if self.shape.contains("ApplicationSet") => Maker::ApplicationSet,
            false => Maker::Other,
        }
    }
}

#[derive(Default)]
pub(super) struct Walk<'g> {
    pub group: &'g str,
    pub layers: Vec<Layer>,
    /// Files that may have the configuration, if the input has none.
    pub references: Vec<Reference>,
    pub unread: Option<(String, Place)>,
    /// The object with the values of a HelmRelease, or the file with those of an Application.
    pub values_from: Option<(String, Place)>,
    /// The number of open maps, lists, and texts.
    pub open: usize,
    pub files: Option<&'g Files<'g>>,
    /// Of the values that are open.
    pub source: Option<Source>,
    pub path: Vec<String>,
    pub holder: Option<(Object, String)>,
    pub objects: Vec<Object>,
    pub wanted: Vec<Wanted>,
    pub unread_values: Vec<Unread>,
    pub releases: u32,
    pub files_read: usize,
}

impl Walk<'_> {
    /// Walks a whole tree.
    pub fn document(&mut self, text: &Text<'_>, root: Node<'_>) {
        let fields = fields(root);
        if text.depth == 0
            && let Some(fields) = fields
        {
            self.references.extend(kustomize::references(fields));
        }
        let seen = &mut BTreeSet::new();
        self.release_of(text, "", root, seen);
        self.visit(text, root, seen);
    }

    pub(super) fn visit(&mut self, text: &Text<'_>, node: Node<'_>, seen: &mut BTreeSet<u32>) {
        // The nesting through texts in texts could exceed the stack.
        if self.open >= yaml::DEEPEST || !seen.insert(node.id) {
            return;
        }
        self.open += 1;
        self.member(text, node, seen);
        self.open -= 1;
    }

    fn member(&mut self, text: &Text<'_>, node: Node<'_>, seen: &mut BTreeSet<u32>) {
        if let Some(fields) = fields(node) {
            return self.map(text, fields, seen);
        }
        let silent = &mut Faults::default();
        if node.is_list() {
            for item in node.items("", "", silent).unwrap_or_default() {
                self.visit(text, item, seen);
            }
        } else {
            self.inside(text, node);
        }
    }

    fn map(&mut self, text: &Text<'_>, fields: Fields<'_>, seen: &mut BTreeSet<u32>) {
        let kind = scalar(fields, "kind");
        let is_reference = ["metadata", "data", "binaryData"].into_iter().all(|key| fields.raw(key).is_none());
        if kind == Some("ConfigMap") && !is_reference && self.config_map(text, fields) {
            return;
        }
        if kind == Some("ConfigMapList") {
            // The API server omits the kind in each item.
            let items = fields.get("items").and_then(|node| node.items("", "", &mut Faults::default()));
            let bare = items.into_iter().flatten().filter_map(self::fields).filter(|item| item.raw("kind").is_none());
            bare.for_each(|item| _ = self.config_map(text, item));
        }
        let object = kind.filter(|kind| ["ConfigMap", "Secret"].contains(kind)).map(|kind| object(kind, fields));
        self.objects.extend(object.clone());
        self.named_value(text, fields);
        let lone = kind != Some("ConfigMap") && self.lone(text, fields);
        for (key, value) in in_order(text, fields) {
            if SKIPPED.contains(&key.text) || (kind.is_some() && key.text == "metadata") {
                continue;
            }
            self.release_of(text, key.text, value, seen);
            let at = text.places.outer(key.at);
            match key.text {
                "yunikornDefaults" if value.is_map() => {
                    seen.insert(value.id);
                    if let Some(inner) = self::fields(value) {
                        let layer = layer(text, Rank::Defaults, key.text, at);
                        let entries =
                            inner.into_iter().map(|(key, node)| entry(text, key.text, key.at, node)).collect();
                        self.add(text, Layer { entries, ..layer });
                    }
                }
                "configuration" if value.scalar().is_some_and(|scalar| is_configuration(scalar.text)) => {
                    let entry = entry(text, "queues.yaml", key.at, value);
                    self.add(text, Layer { entries: vec![entry], ..layer(text, Rank::OldChart, key.text, at) });
                }
                "valuesFrom" | "valueFiles" => self.note_values(text, value),
                "data" | "stringData" if object.is_some() => {
                    let is_packed = kind == Some("Secret") && key.text == "data";
                    for ((key, _), node) in members(value) {
                        self.holder = object.clone().map(|object| (object, key.to_owned()));
                        if is_packed { self.secret(text, node) } else { self.visit(text, node, seen) }
                    }
                    self.holder = None;
                }
                "configMapGenerator" => {
                    for generated in kustomize::generated(text, value) {
                        self.add(text, generated);
                    }
                }
                name if lone && name.ends_with(".yaml") => {}
                name if text.hcl.is_some() && value.scalar().is_some_and(|scalar| is_whole(scalar.text)) => {
                    let entries = vec![entry(text, "queues.yaml", key.at, value)];
                    self.add(text, Layer { entries, ..layer(text, Rank::Other, name, at) });
                }
                name => {
                    if value.scalar().is_some_and(|scalar| is_whole(scalar.text)) {
                        self.unread.get_or_insert_with(|| (name.to_owned(), at));
                    }
                    self.path.push(name.to_owned());
                    self.visit(text, value, seen);
                    self.path.pop();
                }
            }
        }
    }

    fn add(&mut self, text: &Text<'_>, layer: Layer) {
        let origin = Origin {
            source: self.source,
            path: self.path.join("."),
            holder: self.holder.clone(),
            file: text.file.clone(),
        };
        self.layers.push(Layer { origin, ..layer });
    }

    /// Returns whether it is one of YuniKorn's, which contains nothing else.
    fn config_map(&mut self, text: &Text<'_>, fields: Fields<'_>) -> bool {
        let metadata = fields.get("metadata").and_then(|node| self::fields(node));
        let name = metadata.and_then(|metadata| scalar(metadata, "name")).unwrap_or_default();
        let mut entries = Vec::new();
        for (key, node) in ["binaryData", "binary_data"].iter().filter_map(|key| fields.get(key)).flat_map(members) {
            entries.extend(packed(text, key.0, key.1, node, self.group));
        }
        let plain: Vec<Entry> = fields
            .get("data")
            .into_iter()
            .flat_map(members)
            .map(|((key, at), node)| entry(text, key, at, node))
            .collect();
        // A compressed entry replaces a plain one, unless it is unreadable.
        let (unread, packed): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.key.is_empty());
        let unread = unread.into_iter().map(|entry| Entry { key: format!("{}.yaml", self.group), ..entry });
        let entries = unread.chain(plain).chain(packed).collect();
        let rank = Rank::of_map(name);
        let shape = join(&text.shape, format!("ConfigMap {name}").trim_end());
        let at = text.places.outer(fields.at());
        let origin = Origin::default();
        self.add(text, Layer { origin, rank, shape, name: String::new(), at, any_key: false, entries });
        rank != Rank::Other
    }

    /// An operation of a JSON patch (`path: /data/queues.yaml`), a parameter of Argo CD or Terraform (`name:
    /// yunikornDefaults.queues\.yaml`).
    fn named_value(&mut self, text: &Text<'_>, fields: Fields<'_>) {
        let Some(value) = fields.get("value") else { return };
        let path = fields.get("op").and_then(|_| scalar(fields, "path"));
        let patched = path.and_then(|path| path.rsplit('/').next()).map(|key| key.replace("~1", "/"));
        let parameter = scalar(fields, "name").map(|name| name.replace('\\', ""));
        let parameter = parameter.as_deref().and_then(|name| name.rsplit_once("yunikornDefaults."));
        let above = parameter.map(|(above, _)| above.trim_end_matches('.').to_owned()).unwrap_or_default();
        let parameter = parameter.map(|(_, key)| key.to_owned());
        let Some(key) = patched.or(parameter).filter(|key| is_setting(key) && !value.is_map()) else { return };
        let at = fields.key_at("value").unwrap_or(fields.at());
        let rank = if path.is_some() { Rank::Other } else { Rank::Defaults };
        let shape = if path.is_some() { join(&text.shape, "JSON patch") } else { text.shape.clone() };
        let entries = vec![entry(text, &key, at, value)];
        let at = text.places.outer(at);
        let before = std::mem::replace(&mut self.path, vec![above]);
        self.add(text, Layer { origin: Origin::default(), rank, shape, name: key, at, any_key: false, entries });
        self.path = before;
    }

    /// A map with only `queues.yaml: |`.
    fn lone(&mut self, text: &Text<'_>, fields: Fields<'_>) -> bool {
        let group = format!("{}.yaml", self.group);
        let is_one = |key: &str, node: Node<'_>| {
            let content = node.scalar().map(|scalar| scalar.text);
            key == group || (key.ends_with(".yaml") && content.is_some_and(is_whole))
        };
        let Some((key, _)) = fields.into_iter().find(|(key, node)| is_one(key.text, *node)) else { return false };
        let at = text.places.outer(key.at);
        let name = key.text.to_owned();
        let entries = fields.into_iter().filter(|(key, _)| is_setting(key.text));
        let entries = entries.map(|(key, node)| entry(text, key.text, key.at, node)).collect();
        let (origin, shape) = (Origin::default(), text.shape.clone());
        self.add(text, Layer { origin, rank: Rank::Other, shape, name, at, any_key: true, entries });
        true
    }

    fn inside(&mut self, text: &Text<'_>, node: Node<'_>) {
        if let Some(scalar) = node.scalar() {
            self.content(text, scalar.text, || text.places.inside(&text.lines, &scalar));
        }
    }

    fn secret(&mut self, text: &Text<'_>, node: Node<'_>) {
        if let Some(content) = node.scalar().and_then(|scalar| base64_text(scalar.text)) {
            self.content(text, &content, || text.places.packed(node.at()));
        }
    }

    /// The first object that `valuesFrom` names, or the first file of `valueFiles`.
    fn note_values(&mut self, text: &Text<'_>, node: Node<'_>) {
        let items = if node.is_list() { node.items("", "", &mut Faults::default()) } else { None };
        let Some(first) = items.into_iter().flatten().next() else { return };
        let named = match (first.scalar(), fields(first)) {
            (Some(file), _) => file.text.to_owned(),
            (None, Some(object)) => ["kind", "name"].map(|key| scalar(object, key).unwrap_or_default()).join(" "),
            (None, None) => return,
        };
        self.values_from.get_or_insert_with(|| (named, text.places.outer(first.at())));
    }

    fn content(&mut self, text: &Text<'_>, content: &str, places: impl Fn() -> Places) {
        let is_tree = content.contains(':') && SYMBOLS.iter().any(|symbol| content.contains(symbol));
        if text.depth >= DEEPEST_TEXT || !is_tree {
            return;
        }
        let (places, above) = (places(), std::mem::take(&mut self.path));
        for document in yaml::parse_all(content, &mut Faults::default()) {
            let Some(root) = document.root().filter(|root| root.scalar().is_none()) else { continue };
            let own = shape_of(root);
            let shape = if own.is_empty() { text.shape.clone() } else { own };
            let inner = Text {
                lines: Lines::of(content),
                places: places.clone(),
                shape,
                depth: text.depth + 1,
                hcl: None,
                templates: text.templates,
                file: text.file.clone(),
            };
            self.document(&inner, root);
        }
        self.path = above;
    }
}

/// Locals come last: their values are read where they are named.
fn in_order<'n>(text: &Text<'_>, fields: Fields<'n>) -> Vec<(MapKey<'n>, Node<'n>)> {
    let is_read = |node: Node<'_>| text.hcl.is_some_and(|hcl| hcl.is_used(node));
    let mut all: Vec<_> = fields.into_iter().filter(|(_, node)| !is_read(*node)).collect();
    if text.hcl.is_some() {
        all.sort_by_key(|(key, _)| key.text == "locals");
    }
    all
}

fn object(kind: &str, fields: Fields<'_>) -> Object {
    let metadata = fields.get("metadata").and_then(self::fields);
    let of = |key| metadata.and_then(|metadata| scalar(metadata, key)).map(str::to_owned);
    Object { kind: kind.to_owned(), namespace: of("namespace"), name: of("name").unwrap_or_default() }
}

fn is_whole(text: &str) -> bool {
    is_configuration(text) && super::starts_plain(text)
}

pub(super) fn is_setting(key: &str) -> bool {
    key.ends_with(".yaml") || key == "service.policyGroup"
}

fn layer(text: &Text<'_>, rank: Rank, name: &str, at: Place) -> Layer {
    let shape = if text.shape.is_empty() { "Helm values".to_owned() } else { text.shape.clone() };
    let (origin, entries) = (Origin::default(), Vec::new());
    Layer { origin, rank, shape, name: name.to_owned(), at, any_key: false, entries }
}

pub(super) fn shape_of(root: Node<'_>) -> String {
    let Some(fields) = fields(root) else { return String::new() };
    let is_kustomize = fields.raw("configMapGenerator").is_some() || fields.raw("patches").is_some();
    match scalar(fields, "kind").unwrap_or_default() {
        "Application" => "Argo CD Application".to_owned(),
        "ApplicationSet" => "Argo CD ApplicationSet".to_owned(),
        "HelmRelease" => "Flux HelmRelease".to_owned(),
        "Kustomization" | "Component" => "Kustomize".to_owned(),
        "" if is_kustomize => "Kustomize".to_owned(),
        "ConfigMap" => String::new(),
        kind if kind.ends_with("List") => String::new(),
        kind => kind.to_owned(),
    }
}

fn join(one: &str, other: &str) -> String {
    if one.is_empty() { other.to_owned() } else { format!("{one}, {other}") }
}

pub(super) fn fields(node: Node<'_>) -> Option<Fields<'_>> {
    if node.is_map() { node.any_map("", "", &mut Faults::default()) } else { None }
}

fn members<'n>(node: Node<'n>) -> Vec<((&'n str, Place), Node<'n>)> {
    fields(node).into_iter().flatten().map(|(key, value)| ((key.text, key.at), value)).collect()
}

pub(super) fn scalar<'n>(fields: Fields<'n>, key: &str) -> Option<&'n str> {
    fields.get(key)?.scalar().map(|scalar| scalar.text)
}

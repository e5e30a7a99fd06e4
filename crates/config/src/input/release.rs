//! The values of one Helm release in the order in which its tool merges them.
//!
//! Sources: the documentation and the code of Terraform's Helm provider, Argo CD, Flux, Kustomize, helmfile, and k3s.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::hcl::Hcl;
use super::layers::{Layer, Object, Source};
use super::placeholders::{self, Maker};
use super::places::{Lines, Places};
use super::walk::{Text, Walk, fields, scalar, shape_of};
use super::{Loaded, refusal};
use crate::fault::{Fault, Faults, Severity};
use crate::node::Fields;
use crate::types::Place;
use crate::yaml::{self, Document, Node};

/// Above every list of values.
const ABOVE: u32 = 1 << 20;
const SHOWN: usize = 40;
const MOST_FILES: usize = 256;

/// One of the values of a release.
pub(super) struct Part<'n> {
    pub node: Node<'n>,
    /// A higher one overrides a lower one.
    pub order: u32,
    pub what: What,
}

pub(super) enum What {
    /// A map, a text, or a parameter.
    Inline,
    File {
        path: String,
        /// Whether Terraform replaces its placeholders.
        template: bool,
    },
    /// The key of an object.
    Held(Object, String),
    /// The tool does not read it.
    Ignored,
    /// It may have values that are not known.
    Unknown(String),
}

/// The members of a map that are the values of a release; `key`: the key of the map.
pub(super) fn parts<'n>(map: Fields<'n>, key: &str, hcl: Option<&Hcl>) -> Vec<Part<'n>> {
    let spec = || map.get("spec").and_then(fields);
    let namespace = || map.get("metadata").and_then(fields).and_then(|metadata| scalar(metadata, "namespace"));
    match (scalar(map, "kind"), key) {
        (Some("HelmRelease"), _) => spec().map_or_else(Vec::new, |spec| flux(spec, namespace())),
        (Some("HelmChartInflationGenerator"), _) | (None, "helmCharts") => kustomize(map),
        (_, "helm") => argo(map),
        (None, "releases") if hcl.is_none() => helmfile(map),
        _ => hcl.map_or_else(Vec::new, |hcl| terraform(map, hcl)),
    }
}

fn items(node: Option<Node<'_>>) -> Vec<Node<'_>> {
    let node = node.filter(|node| node.is_list());
    node.and_then(|node| node.items("", "", &mut Faults::default())).unwrap_or_default()
}

fn inline(node: Node<'_>, order: u32) -> Part<'_> {
    Part { node, order, what: What::Inline }
}

fn file(node: Node<'_>, order: u32) -> Option<Part<'_>> {
    let path = node.scalar()?.text.to_owned();
    Some(Part { node, order, what: What::File { path, template: false } })
}

/// From this order on.
fn ordered<'n>(nodes: Vec<Node<'n>>, first: u32) -> impl Iterator<Item = (u32, Node<'n>)> {
    (first..).zip(nodes)
}

/// `set` is above `values`.
fn terraform<'n>(map: Fields<'n>, hcl: &Hcl) -> Vec<Part<'n>> {
    let Some(values) = map.get("values").filter(|node| node.is_list()) else { return Vec::new() };
    let of = |(order, node): (u32, Node<'n>)| match hcl.source(node) {
        None => inline(node, order),
        Some(source) => {
            let what = match Hcl::file_in(source) {
                Some((path, template)) => What::File { path, template },
                None => What::Unknown(format!("`{}`, which only Terraform can evaluate,", short(source))),
            };
            Part { node, order, what }
        }
    };
    let sets = map.into_iter().filter(|(key, _)| ["set", "set_list", "set_sensitive"].contains(&key.text));
    let sets = (ABOVE..).zip(sets).map(|(order, (_, node))| inline(node, order));
    ordered(hcl.items(values).unwrap_or_default(), 0).map(of).chain(sets).collect()
}

/// The first line.
fn short(source: &str) -> String {
    let line = source.lines().next().unwrap_or_default();
    let short: String = line.chars().take(SHOWN).collect();
    if short.len() < source.len() { format!("{short}…") } else { short }
}

/// `valuesObject` replaces `values`; `parameters` are above them, and `valueFiles` below.
fn argo(map: Fields<'_>) -> Vec<Part<'_>> {
    let object = map.get("valuesObject");
    let text = map.get("values").map(|node| match object {
        Some(_) => Part { node, order: 0, what: What::Ignored },
        None => inline(node, 0),
    });
    let parameters = ordered(items(map.get("parameters")), 2).map(|(order, node)| inline(node, order));
    text.into_iter().chain(object.map(|node| inline(node, 1))).chain(parameters).collect()
}

/// `values` are above `valuesFrom`.
fn flux<'n>(spec: Fields<'n>, namespace: Option<&str>) -> Vec<Part<'n>> {
    let of = |(order, node): (u32, Node<'n>)| {
        let named = fields(node)?;
        // It sets one value that is not a map.
        if named.get("targetPath").is_some() {
            return None;
        }
        let [kind, name] = ["kind", "name"].map(|key| scalar(named, key).unwrap_or_default().to_owned());
        let key = scalar(named, "valuesKey").unwrap_or("values.yaml").to_owned();
        let object = Object { kind, namespace: namespace.map(str::to_owned), name };
        Some(Part { node, order, what: What::Held(object, key) })
    };
    let from = ordered(items(spec.get("valuesFrom")), 0).filter_map(of);
    from.chain(spec.get("values").map(|node| inline(node, ABOVE))).collect()
}

/// `valuesInline` is merged with `valuesFile` by `valuesMerge`; `additionalValuesFiles` are above both.
fn kustomize(map: Fields<'_>) -> Vec<Part<'_>> {
    let written = map.get("valuesInline");
    let merge = scalar(map, "valuesMerge").unwrap_or("override");
    let mut all = Vec::new();
    if let Some(node) = map.get("valuesFile") {
        match (written, merge) {
            (Some(_), "replace") => all.push(Part { node, order: 0, what: What::Ignored }),
            (Some(_), "merge") => all.extend(file(node, 2)),
            _ => all.extend(file(node, 0)),
        }
    }
    all.extend(written.map(|node| inline(node, 1)));
    all.extend(ordered(items(map.get("additionalValuesFiles")), 3).filter_map(|(order, node)| file(node, order)));
    all
}

/// `secrets` are above `values`, and `set` is above both.
fn helmfile<'n>(map: Fields<'n>) -> Vec<Part<'n>> {
    let of = |(order, node): (u32, Node<'n>)| match node.scalar() {
        Some(scalar) if !scalar.text.contains('\n') => file(node, order),
        _ => Some(inline(node, order)),
    };
    let secret = |(order, node)| {
        let what = What::Unknown("an encrypted file of `secrets`".to_owned());
        Part { node, order, what }
    };
    let values = ordered(items(map.get("values")), 0).filter_map(of);
    let secrets = ordered(items(map.get("secrets")), ABOVE).map(secret);
    let sets = ordered(items(map.get("set")), 2 * ABOVE).map(|(order, node)| inline(node, order));
    values.chain(secrets).chain(sets).collect()
}

/// Values that could not be read, and override what is below them.
pub(super) struct Unread {
    pub source: Source,
    pub at: Place,
    pub why: Why,
}

pub(super) enum Why {
    /// A file with errors, or that is missing: nothing below it is certain.
    Faulty(Box<Fault>),
    /// Usually without a queue configuration.
    Unknown(String),
    /// The tool reads other values in place of it.
    Ignored,
}

/// An object with values of a release, anywhere in the input.
pub(super) struct Wanted {
    object: Object,
    key: String,
    source: Source,
    at: Place,
}

impl Walk<'_> {
    /// Reads the values of a release with their order: of a map, or of each map in a list.
    pub fn release_of(&mut self, text: &Text<'_>, key: &str, node: Node<'_>, seen: &mut BTreeSet<u32>) {
        let maps = if node.is_list() { items(Some(node)) } else { vec![node] };
        for map in maps.into_iter().filter(|map| !seen.contains(&map.id)).filter_map(fields).collect::<Vec<_>>() {
            let parts = parts(map, key, text.hcl);
            if !parts.is_empty() {
                self.release(text, parts, seen);
            }
        }
    }

    fn release(&mut self, text: &Text<'_>, parts: Vec<Part<'_>>, seen: &mut BTreeSet<u32>) {
        self.releases += 1;
        let (release, before, above) = (self.releases, self.source.take(), std::mem::take(&mut self.path));
        for Part { node, order, what } in parts {
            let source = Source { release, order };
            let at = text.places.outer(node.at());
            match what {
                What::Inline => {
                    self.source = Some(source);
                    self.visit(text, node, seen);
                }
                What::Ignored => {
                    seen.insert(node.id);
                    self.unread_values.push(Unread { source, at, why: Why::Ignored });
                }
                What::Held(object, key) => self.wanted.push(Wanted { object, key, source, at }),
                What::Unknown(name) => self.unread_values.push(Unread { source, at, why: Why::Unknown(name) }),
                What::File { path, template } => {
                    self.source = Some(source);
                    // A file of values names no files.
                    if text.file.is_none()
                        && let Err(fault) = self.file(&path, at, template)
                    {
                        self.unread_values.push(Unread { source, at, why: Why::Faulty(Box::new(fault)) });
                    }
                }
            }
        }
        (self.source, self.path) = (before, above);
    }

    fn file(&mut self, path: &str, at: Place, template: bool) -> Result<(), Fault> {
        self.files_read += 1;
        let unread = |why: String| {
            let message = format!("the values of `{path}` have precedence, and cannot be read: {why}");
            refusal(
                at,
                "INP-007",
                &message,
                "check in the directory of the file, or name the file with the queues".into(),
            )
        };
        let read = match self.files.filter(|_| self.files_read <= MOST_FILES) {
            Some(files) => (files.read)(path),
            None => Err(format!("the input names more than {MOST_FILES} files")),
        };
        let (name, content) = read.map_err(unread)?;
        let loaded = Arc::new(Loaded { name, text: Arc::from(content), at });
        let mut faults = Faults::default();
        let documents = yaml::parse_all(&loaded.text, &mut faults);
        let error = faults.into_sorted().into_iter().find(|fault| fault.severity == Severity::Error);
        if let Some(error) = error {
            let maker = if template { Maker::Terraform } else { Maker::Other };
            let unexpanded = placeholders::unexpanded(&loaded.text, maker, &Places::default());
            return Err(loaded.named(unexpanded.unwrap_or(error)));
        }
        for root in documents.iter().filter_map(Document::root) {
            let inner = Text {
                lines: Lines::of(&loaded.text),
                places: Places::default(),
                shape: shape_of(root),
                depth: 1,
                hcl: None,
                templates: template,
                file: Some(Arc::clone(&loaded)),
            };
            self.document(&inner, root);
        }
        Ok(())
    }

    /// Gives the values in objects to the releases that name them.
    pub fn assign_objects(&mut self) {
        for Wanted { object, key, source, at } in std::mem::take(&mut self.wanted) {
            let is_held = |layer: &&Layer| {
                let holder = layer.origin.holder.as_ref();
                holder.is_some_and(|(held, held_key)| object.is_same(held) && *held_key == key)
            };
            let held: Vec<Layer> = self.layers.iter().filter(is_held).cloned().collect();
            if held.is_empty() && !self.objects.iter().any(|known| object.is_same(known)) {
                let name = format!("{} {}, which the input does not contain,", object.kind, object.name);
                self.unread_values.push(Unread { source, at, why: Why::Unknown(name) });
            }
            // Another release may name the same object.
            self.layers.retain(|layer| layer.origin.source.is_some() || !is_held(&layer));
            for mut layer in held {
                layer.origin.source = Some(source);
                self.layers.push(layer);
            }
        }
    }
}

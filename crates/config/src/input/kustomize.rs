//! Kustomize: generated ConfigMaps, and the files of a kustomization.

use super::Reference;
use super::layers::{Entry, Layer, Origin, Rank, Value};
use super::walk::{Text, fields, scalar};
use crate::fault::Faults;
use crate::node::Fields;
use crate::types::Place;
use crate::yaml::Node;

/// The kinds of objects that can have a queue configuration.
const HOLDERS: [&str; 6] = ["ConfigMap", "Secret", "HelmRelease", "HelmChart", "Application", "ApplicationSet"];

fn items(node: Node<'_>) -> Vec<Node<'_>> {
    node.items("", "", &mut Faults::default()).unwrap_or_default()
}

pub(super) fn generated(text: &Text<'_>, node: Node<'_>) -> Vec<Layer> {
    let of = |node: Node<'_>| {
        let own = fields(node)?;
        let name = scalar(own, "name").unwrap_or_default();
        let list = |key| own.get(key).filter(|node| node.is_list()).map(items).unwrap_or_default();
        let literals = list("literals").into_iter().filter_map(|node| literal(text, node));
        let files = list("files").into_iter().filter_map(|node| file(text, node));
        let shape = if text.shape.is_empty() { "Kustomize" } else { &text.shape };
        Some(Layer {
            origin: Origin::default(),
            rank: Rank::of_map(name),
            shape: format!("{shape}, configMapGenerator {name}"),
            name: String::new(),
            at: text.places.outer(node.at()),
            any_key: false,
            entries: files.chain(literals).collect(),
        })
    };
    if node.is_list() { items(node).into_iter().filter_map(of).collect() } else { Vec::new() }
}

fn literal(text: &Text<'_>, node: Node<'_>) -> Option<Entry> {
    let literal = node.scalar()?;
    let (key, content) = literal.text.split_once('=')?;
    let quoted = |quote: char| content.strip_prefix(quote)?.strip_suffix(quote);
    let bare = quoted('"').or_else(|| quoted('\''));
    let before = key.chars().count() + 1 + usize::from(bare.is_some());
    let start = Place { line: 1, column: u32::try_from(before + 1).ok()? };
    let places = text.places.inside(&text.lines, &literal).tail(start);
    let value = Value::Text(bare.unwrap_or(content).to_owned(), places);
    Some(Entry { key: key.to_owned(), at: text.places.outer(node.at()), value })
}

/// `FILE`, or `KEY=FILE`.
fn file(text: &Text<'_>, node: Node<'_>) -> Option<Entry> {
    let named = node.scalar()?.text;
    let (key, path) = named.split_once('=').unwrap_or_else(|| (named.rsplit('/').next().unwrap_or(named), named));
    Some(Entry { key: key.to_owned(), at: text.places.outer(node.at()), value: Value::File(path.to_owned()) })
}

/// Whether the target of a patch can have a queue configuration; a target without a kind, or with a pattern, can.
fn may_hold(patch: Fields<'_>) -> bool {
    let kind = patch.get("target").and_then(fields).and_then(|target| scalar(target, "kind"));
    kind.is_none_or(|kind| HOLDERS.contains(&kind) || !kind.chars().all(char::is_alphanumeric))
}

pub(super) fn references(root: Fields<'_>) -> Vec<Reference> {
    let kind = scalar(root, "kind");
    if !matches!(kind, None | Some("Kustomization" | "Component")) {
        return Vec::new();
    }
    let list = |key| root.get(key).filter(|node| node.is_list()).map(items).unwrap_or_default();
    let patches = ["patches", "patchesJson6902"].into_iter().flat_map(list).filter_map(fields);
    let paths = patches.filter(|patch| may_hold(*patch)).filter_map(|patch| patch.get("path"));
    let charts: Vec<_> = list("helmCharts").into_iter().filter_map(fields).collect();
    let more = charts.iter().filter_map(|chart| chart.get("additionalValuesFiles")).filter(|node| node.is_list());
    // The files above `valuesFile` come first.
    let more = more.flat_map(|node| items(node).into_iter().rev());
    let charts = more.chain(charts.iter().filter_map(|chart| chart.get("valuesFile")));
    let names = ["patchesStrategicMerge", "resources"].into_iter().flat_map(list).chain(charts);
    let reference = |node: Node<'_>| {
        let path = node.scalar()?.text;
        let is_file = [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending)) && !path.contains('\n');
        is_file.then(|| Reference { path: path.to_owned(), at: node.at(), plain: false, template: false, rival: false })
    };
    paths.chain(names).filter_map(reference).collect()
}

//! Files of users, read as queue configurations: recognized by content, with locations in the original file.
//!
//! [`unpack`] reads gzip and zstd, [`recognize`] the rest: `walk`, `hcl`, and `kustomize` find maps of settings,
//! `release` orders the values of a release, `layers` selects YuniKorn's entry, [`Places`] maps locations.

mod emit;
mod entry;
mod hcl;
mod kustomize;
mod layers;
mod placeholders;
mod places;
mod printed;
mod release;
mod runs;
mod stream;
#[cfg(test)]
mod tests;
mod unpack;
mod walk;

use std::borrow::Cow;
use std::sync::Arc;

use self::layers::{Chosen, Layer, Value};
use self::placeholders::Maker;
use self::places::Lines;
pub use self::places::Places;
pub use self::printed::TableCommand;
use self::release::Why;
pub use self::stream::{json_error, unpacking};
pub use self::unpack::{is_packed, packed_text, unpack, unread_packing};
use self::walk::{Text, Walk};
use crate::fault::{Fault, Faults, Severity};
use crate::manifest::move_places;
use crate::node::{Fields, distance_is_small};
use crate::reading::{Reading, read};
use crate::types::Place;
use crate::yaml::{self, Document, Node};
use model::Profile;

/// The supported forms, for messages.
pub const FORMS: &str = "kornsole reads a queue configuration (`partitions:`), `queues.yaml: |`, a ConfigMap or a List of them, Helm \
                         values (`yunikornDefaults`, or `configuration` before chart 1.0), an Argo CD Application, a Flux HelmRelease, \
                         a Kustomize file, and Terraform; also packed with gzip or zstd";

/// A queue configuration in an input.
#[derive(Clone, Debug)]
pub struct Found {
    /// The text of the configuration.
    pub text: String,
    /// The mapping of its locations to the input.
    pub places: Places,
    /// The key of its text, for example `queues.yaml`.
    pub key: String,
    /// `yunikorn-configs`, then `yunikorn-defaults`, then others (K8S-010).
    pub strength: u8,
    /// The surrounding form, as text: `Helm values, yunikornDefaults`.
    pub within: String,
    /// The location in the input.
    pub at: Place,
    /// A file that the input names, which has the text and the locations; `None`: the input itself.
    pub file: Option<Arc<Loaded>>,
    /// Values of the same release: `overrides base.yaml:3`.
    pub others: Vec<String>,
}

/// A file that an input names, with its text.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The name for messages.
    pub name: String,
    /// The unpacked text.
    pub text: Arc<str>,
    /// The location of the name in the input.
    pub at: Place,
}

impl Loaded {
    /// The error of this file, for the input.
    fn named(&self, fault: Fault) -> Fault {
        let Place { line, column } = fault.at;
        Fault { message: format!("{} ({}:{line}:{column})", fault.message, self.name), at: self.at, ..fault }
    }
}

/// Returns the name for messages and the text of a file, or why it cannot be read.
pub type ReadFile<'f> = dyn Fn(&str) -> Result<(String, String), String> + 'f;

/// The files next to an input.
#[derive(Clone, Copy)]
pub struct Files<'f> {
    /// The name of the input for messages; may be empty.
    pub name: &'f str,
    /// Reads a file by its path from the input.
    pub read: &'f ReadFile<'f>,
    /// Whether Terraform replaces the placeholders of the input.
    pub template: bool,
}

impl Found {
    /// The recognized form, as text; `file` is the name of the input.
    pub fn description(&self, file: &str) -> String {
        let file = self.file.as_ref().map_or(file, |loaded| &loaded.name);
        let others: String = self.others.iter().map(|other| format!(", {other}")).collect();
        format!("queue configuration in {} of {file}:{}{others}", self.within, self.at.line)
    }

    /// Reads it by the rules of a profile, with all locations in the input.
    pub fn read(&self, profile: Profile) -> Reading {
        let Reading { config, faults } = read(&self.text, profile);
        let faults = faults.into_iter().map(|fault| self.places.fault(fault, &self.key)).collect();
        let config = config.map(|mut config| {
            move_places(&mut config, &|place| self.places.outer(place));
            config
        });
        Reading { config, faults }
    }
}

/// A file that an input refers to instead of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The path, relative to the input.
    pub path: String,
    /// The location of the reference.
    pub at: Place,
    /// Whether the file is the configuration itself.
    pub plain: bool,
    /// Whether Terraform replaces its placeholders.
    pub template: bool,
    /// Whether a later reference does not come after it: only one may have a configuration.
    pub rival: bool,
}

/// The kind of an input.
#[derive(Clone, Debug)]
pub enum Input {
    /// A queue configuration, or a text that is checked as one.
    Plain,
    /// At least one, and several only if they differ.
    Embedded(Vec<Found>),
    /// The configuration is in one of these files.
    Elsewhere(Vec<Reference>),
}

/// The text of a file, unpacked and without a byte order mark.
///
/// # Errors
/// INP-002: unsupported packed data. CFG-001: not UTF-8, or too large.
pub fn text_of(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    let decoded = |bytes: &[u8]| {
        let mut faults = Faults::default();
        let length = yaml::decode(bytes, &mut faults).map(str::len);
        length.ok_or_else(|| faults.into_sorted().into_iter().next())
    };
    let bytes = unpack(bytes)?;
    match decoded(&bytes) {
        Ok(length) => {
            let start = bytes.len() - length;
            // Both were checked to be UTF-8.
            Ok(match bytes {
                Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()),
                Cow::Owned(bytes) => {
                    Cow::Owned(String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned())
                }
            })
        }
        Err(fault) => {
            Err(fault.unwrap_or_else(|| refusal(Place::default(), "CFG-001", "the input is not text", String::new())))
        }
    }
}

/// Without the files that it names; `group`: the policy group, unless the maps name one.
///
/// # Errors
/// Errors that hide a configuration, or why none was found.
pub fn recognize(text: &str, group: &str) -> Result<Input, Vec<Fault>> {
    let read = |_: &str| Err("only this input is given".to_owned());
    recognize_with(text, group, &Files { name: "", read: &read, template: false })
}

/// Like [`recognize`], with the values in the files that it names.
///
/// # Errors
/// Errors that hide a configuration, or why none was found.
pub fn recognize_with(text: &str, group: &str, files: &Files<'_>) -> Result<Input, Vec<Fault>> {
    let plain = || {
        let maker = if files.template { Maker::Terraform } else { Maker::Other };
        let unexpanded = placeholders::unexpanded(text, maker, &Places::default());
        unexpanded.map_or(Ok(Input::Plain), |fault| Err(vec![fault]))
    };
    if starts_plain(text) {
        return plain();
    }
    let mut walk = Walk { group, files: Some(files), ..Walk::default() };
    let whole = |shape, hcl, templates| {
        let (lines, places) = (Lines::of(text), Places::default());
        Text { lines, places, shape, depth: 0, hcl, templates, file: None }
    };
    if hcl::is_hcl(text) {
        let hcl = hcl::read(text).map_err(|fault| vec![fault])?;
        let Some(root) = hcl.document.root() else { return Ok(Input::Plain) };
        walk.document(&whole("Terraform".to_owned(), Some(&hcl), true), root);
        walk.references.extend(hcl.files());
        return chosen(walk, Some(root));
    }
    let mut faults = Faults::default();
    let documents = yaml::parse_all(text, &mut faults);
    let roots: Vec<_> = documents.iter().filter_map(Document::root).collect();
    let first = roots.first().and_then(|root| walk::fields(*root));
    if first.is_some_and(is_plain) {
        return plain();
    }
    if roots.len() == 1 && first.is_none() && !roots[0].is_list() {
        return Ok(Input::Plain);
    }
    for root in &roots {
        walk.document(&whole(walk::shape_of(*root), None, files.template), *root);
    }
    if faults.has_errors() {
        let maker = if files.template { Maker::Terraform } else { Maker::Other };
        return Err(with_template_hint(text, faults.into_sorted(), maker));
    }
    chosen(walk, roots.first().copied())
}

fn starts_plain(text: &str) -> bool {
    let is_empty = |line: &&str| line.trim().is_empty() || line.starts_with(['#', '%']) || line.trim_end() == "---";
    match text.lines().find(|line| !is_empty(line)) {
        Some(line) => ["partitions:", "checksum:"].iter().any(|key| line.starts_with(key)),
        None => true,
    }
}

/// Perhaps with a misspelled key.
fn is_plain(fields: Fields<'_>) -> bool {
    let near = |key: &str| key.eq_ignore_ascii_case("partitions") || distance_is_small("partitions", key);
    let is_object = fields.raw("kind").is_some() || fields.raw("yunikornDefaults").is_some();
    let empty = fields.into_iter().next().is_none();
    empty || fields.raw("partitions").is_some() || (!is_object && fields.into_iter().any(|(key, _)| near(key.text)))
}

fn chosen(mut walk: Walk<'_>, root: Option<Node<'_>>) -> Result<Input, Vec<Fault>> {
    walk.assign_objects();
    let faulty = walk.unread_values.iter().find_map(|unread| match &unread.why {
        Why::Faulty(fault) if fault.code != "INP-007" => Some((**fault).clone()),
        Why::Faulty(_) | Why::Unknown(_) | Why::Ignored => None,
    });
    let selected = match layers::select(&walk.layers, walk.group) {
        Ok(selected) if selected.is_empty() => Err(vec![none_found(&walk, root)]),
        Ok(selected) => Ok(selected),
        Err(fault) => Err(vec![fault]),
    };
    let selected = match (selected, faulty) {
        (Ok(selected), _) => selected,
        (Err(_), Some(fault)) => return Err(vec![fault]),
        (Err(_), None) if !walk.references.is_empty() => return Ok(Input::Elsewhere(walk.references)),
        (Err(_), None) if root.is_none() => return Ok(Input::Plain),
        (Err(faults), None) => return Err(faults),
    };
    let (mut found, mut faults, mut elsewhere) = (Vec::new(), Vec::new(), Vec::new());
    for chosen in selected {
        let others = others(&walk, &chosen).map_err(|fault| vec![fault])?;
        let Chosen { layer, entry, .. } = &chosen;
        match &entry.value {
            Value::Text(text, places) => found.push(found_in(&chosen, text, places, others)),
            Value::File(path) => match of_file(&walk, &chosen, path, others) {
                Some(file) => found.push(file),
                None => elsewhere.push(Reference {
                    path: path.clone(),
                    at: entry.at,
                    plain: true,
                    template: false,
                    rival: true,
                }),
            },
            Value::Faulty(fault) => faults.push(match &layer.origin.file {
                Some(file) => file.named((**fault).clone()),
                None => (**fault).clone(),
            }),
            Value::Reported => {}
        }
    }
    match (faults.is_empty(), found.is_empty(), elsewhere.is_empty()) {
        (false, ..) => Err(faults),
        (true, false, _) => Ok(Input::Embedded(found)),
        (true, true, false) => Ok(Input::Elsewhere(elsewhere)),
        (true, true, true) => Ok(Input::Plain),
    }
}

/// Why the input has no configuration.
fn none_found(walk: &Walk<'_>, root: Option<Node<'_>>) -> Fault {
    if let Some((key, at)) = &walk.unread {
        let message = format!("YuniKorn ignores the queue configuration in `{key}`");
        let hint = "write it to `queues.yaml: |` in `yunikornDefaults` of Helm values, or in `data` of a ConfigMap";
        return refusal(*at, "INP-001", &message, hint.to_owned());
    }
    if let Some((name, at)) = &walk.values_from {
        let message = format!("the Helm values are in {name}, which the input does not contain");
        let hint = "check the file with these values, or a directory that contains it".to_owned();
        return refusal(*at, "INP-001", &message, hint);
    }
    let at = root.map(Node::at).unwrap_or_default();
    let fields = root.and_then(walk::fields).filter(|fields| fields.get("apiVersion").is_some());
    match fields.and_then(|fields| walk::scalar(fields, "kind")) {
        Some(kind) if !kind.ends_with("List") => {
            let message = format!("the input is a Kubernetes object ({kind}) without a queue configuration");
            let hint = "`kornsole run --from-manifests FILE` and `kornsole simulate FILE` read workloads and nodes, \
                        and `--config` the queue configuration";
            refusal(at, "INP-001", &message, hint.to_owned())
        }
        _ => refusal(at, "INP-001", "the input has no queue configuration", FORMS.to_owned()),
    }
}

/// What the entry overrides, and what may override it.
///
/// # Errors
/// Values above it that cannot be read.
fn others(walk: &Walk<'_>, chosen: &Chosen<'_>) -> Result<Vec<String>, Fault> {
    let input = walk.files.map_or("", |files| files.name);
    let named = |file: Option<&Loaded>, at: Place| match (file, input) {
        (Some(file), _) => format!("{}:{}", file.name, at.line),
        (None, "") => format!("line {}", at.line),
        (None, input) => format!("{input}:{}", at.line),
    };
    let weaker = chosen.overridden.iter().rev();
    let weaker = weaker.map(|(layer, entry)| named(layer.origin.file.as_deref(), place_of(layer, entry)));
    let weaker: Vec<String> = weaker.collect();
    let mut others = Vec::new();
    if !weaker.is_empty() {
        others.push(format!("overrides {}", weaker.join(" and ")));
    }
    let Some(source) = chosen.layer.origin.source else { return Ok(others) };
    for unread in walk.unread_values.iter() {
        if unread.source.release != source.release {
            continue;
        }
        match &unread.why {
            Why::Ignored => others.push(format!("replaces {}", named(None, unread.at))),
            _ if unread.source.order < source.order => {}
            Why::Faulty(fault) => return Err((**fault).clone()),
            Why::Unknown(name) => others.push(format!("{name} may override it ({})", named(None, unread.at))),
        }
    }
    Ok(others)
}

fn place_of(layer: &Layer, entry: &layers::Entry) -> Place {
    if layer.name.is_empty() { entry.at } else { layer.at }
}

/// The file of an entry that overrides others, to name them; `None` for another one.
fn of_file(walk: &Walk<'_>, chosen: &Chosen<'_>, path: &str, others: Vec<String>) -> Option<Found> {
    let files = walk.files.filter(|_| !others.is_empty())?;
    let (name, text) = (files.read)(path).ok()?;
    let found = found_in(chosen, &text, &Places::default(), others);
    let loaded = Loaded { name, text: Arc::from(text), at: chosen.entry.at };
    Some(Found { file: Some(Arc::new(loaded)), at: Place { line: 1, column: 1 }, ..found })
}

fn found_in(chosen: &Chosen<'_>, text: &str, places: &Places, others: Vec<String>) -> Found {
    let Chosen { layer, entry, .. } = chosen;
    let Layer { shape, name, .. } = layer;
    let within = match (shape.as_str(), name.as_str()) {
        (shape, "") => format!("{shape}, {}", entry.key),
        ("", name) => name.to_owned(),
        (shape, name) => format!("{shape}, {name}"),
    };
    let is_named = name.is_empty() || *name == entry.key || name == "configuration" || entry.key == "queues.yaml";
    let within = if is_named { within } else { format!("{within} {}", entry.key) };
    Found {
        text: text.to_owned(),
        places: places.clone(),
        key: entry.key.clone(),
        strength: layer.rank as u8,
        within,
        at: place_of(layer, entry),
        file: layer.origin.file.clone(),
        others,
    }
}

/// Helm templates are not YAML.
fn with_template_hint(text: &str, faults: Vec<Fault>, maker: Maker) -> Vec<Fault> {
    let unexpanded = placeholders::unexpanded(text, maker, &Places::default());
    unexpanded.map_or(faults, |fault| vec![fault])
}

pub(crate) fn refusal(at: Place, code: &'static str, message: &str, hint: String) -> Fault {
    Fault { code, severity: Severity::Error, at, path: String::new(), message: message.to_owned(), hint }
}

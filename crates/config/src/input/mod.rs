//! Files of users, read as queue configurations: recognized by content, with locations in the original file.
//!
//! [`unpack`] reads gzip and zstd, [`recognize`] the rest: `walk`, `hcl`, and `kustomize` find maps of settings,
//! `layers` selects YuniKorn's entry, [`Places`] maps locations.

mod emit;
mod hcl;
mod kustomize;
mod layers;
mod places;
mod printed;
mod runs;
mod stream;
#[cfg(test)]
mod tests;
mod unpack;
mod walk;

use std::borrow::Cow;

use self::layers::{Entry, Layer, Value};
use self::places::Lines;
pub use self::places::Places;
pub use self::printed::TableCommand;
pub use self::stream::{json_error, unpacking};
pub use self::unpack::{is_packed, packed_text, unpack, unread_packing};
use self::walk::{Text, Walk};
use crate::fault::{Fault, Faults, Severity};
use crate::manifest::move_places;
use crate::node::{Fields, distance_is_small};
use crate::reading::{Reading, read};
use crate::types::Place;
use crate::yaml::{self, Document};
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
    /// Surrounding form: `Helm values, yunikornDefaults`.
    pub within: String,
    /// The location in the input.
    pub at: Place,
}

impl Found {
    /// The recognized form, as text; `file` is the name of the input.
    pub fn description(&self, file: &str) -> String {
        format!("queue configuration in {} of {file}:{}", self.within, self.at.line)
    }

    /// Reads by a profile's rules, with locations in the input.
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

/// Drops a byte order mark.
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

/// `group`: the policy group, unless the maps name one.
///
/// # Errors
/// Errors that hide a configuration, or why none was found.
pub fn recognize(text: &str, group: &str) -> Result<Input, Vec<Fault>> {
    if starts_plain(text) {
        return Ok(Input::Plain);
    }
    let mut walk = Walk { group, ..Walk::default() };
    if hcl::is_hcl(text) {
        let hcl = hcl::read(text).map_err(|fault| vec![fault])?;
        let Some(root) = hcl.document.root() else { return Ok(Input::Plain) };
        let whole = Text {
            lines: Lines::of(text),
            places: Places::default(),
            shape: "Terraform".to_owned(),
            depth: 0,
            hcl: Some(&hcl),
            templates: true,
        };
        walk.document(&whole, root);
        walk.references.extend(hcl.files());
        return chosen(walk, Some(root.at()));
    }
    let mut faults = Faults::default();
    let documents = yaml::parse_all(text, &mut faults);
    let roots: Vec<_> = documents.iter().filter_map(Document::root).collect();
    let first = roots.first().and_then(|root| walk::fields(*root));
    if first.is_some_and(is_plain) || (roots.len() == 1 && first.is_none() && !roots[0].is_list()) {
        return Ok(Input::Plain);
    }
    for root in &roots {
        let shape = walk::shape_of(*root);
        let whole =
            Text { lines: Lines::of(text), places: Places::default(), shape, depth: 0, hcl: None, templates: false };
        walk.document(&whole, *root);
    }
    if faults.has_errors() {
        return Err(with_template_hint(text, faults.into_sorted()));
    }
    chosen(walk, roots.first().map(|root| root.at()))
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

fn chosen(walk: Walk<'_>, at: Option<Place>) -> Result<Input, Vec<Fault>> {
    let Walk { group, layers, references, unread, values_from, .. } = walk;
    let selected = match layers::select(&layers, group) {
        Err(_) if !references.is_empty() => return Ok(Input::Elsewhere(references)),
        Err(fault) => return Err(vec![fault]),
        Ok(selected) => selected,
    };
    if selected.is_empty() {
        if !references.is_empty() {
            return Ok(Input::Elsewhere(references));
        }
        if let Some((key, at)) = unread {
            let message = format!("YuniKorn ignores the queue configuration in `{key}`");
            let hint = "write it to `queues.yaml: |` in `yunikornDefaults` of Helm values, or in `data` of a ConfigMap";
            return Err(vec![refusal(at, "INP-001", &message, hint.to_owned())]);
        }
        if let Some((name, at)) = values_from {
            let message = format!("the Helm values are in {name}, which the input does not contain");
            let hint = "check the file with these values, or a directory that contains it".to_owned();
            return Err(vec![refusal(at, "INP-001", &message, hint)]);
        }
        let Some(at) = at else { return Ok(Input::Plain) };
        return Err(vec![refusal(at, "INP-001", "the input has no queue configuration", FORMS.to_owned())]);
    }
    let (mut found, mut faults, mut elsewhere) = (Vec::new(), Vec::new(), Vec::new());
    for (layer, entry) in selected {
        match &entry.value {
            Value::Text(text, places) => found.push(found_in(layer, entry, text, places)),
            Value::File(path) => elsewhere.push(Reference { path: path.clone(), at: entry.at, plain: true }),
            Value::Faulty(fault) => faults.push((**fault).clone()),
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

fn found_in(layer: &Layer, entry: &Entry, text: &str, places: &Places) -> Found {
    let Layer { shape, name, .. } = layer;
    let within = match (shape.as_str(), name.as_str()) {
        (shape, "") => format!("{shape}, {}", entry.key),
        ("", name) => name.to_owned(),
        (shape, name) => format!("{shape}, {name}"),
    };
    let is_named = name.is_empty() || *name == entry.key || name == "configuration" || entry.key == "queues.yaml";
    let within = if is_named { within } else { format!("{within} {}", entry.key) };
    let at = if name.is_empty() { entry.at } else { layer.at };
    Found {
        text: text.to_owned(),
        places: places.clone(),
        key: entry.key.clone(),
        strength: layer.rank as u8,
        within,
        at,
    }
}

/// Helm templates are not YAML.
fn with_template_hint(text: &str, mut faults: Vec<Fault>) -> Vec<Fault> {
    if let Some(at) = text.find("{{") {
        let message = "the input is a Helm template, which only Helm evaluates";
        let hint = "render it first: helm template RELEASE CHART -f values.yaml | kornsole check -".to_owned();
        faults.insert(0, refusal(Lines::of(text).place(at), "INP-005", message, hint));
        faults.truncate(1);
    }
    faults
}

pub(crate) fn refusal(at: Place, code: &'static str, message: &str, hint: String) -> Fault {
    Fault { code, severity: Severity::Error, at, path: String::new(), message: message.to_owned(), hint }
}

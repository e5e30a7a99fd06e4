//! Creates sets of pods from an object, by the table of kinds.

use std::collections::BTreeMap;

use super::field::{Field, Lines, Rejected};
use super::kinds::{self, Each, Kind, Labels, Part, Pods};
use crate::objects::Pod;
use serde_json::Value;

/// The table needs three levels.
const DEEPEST: u32 = 8;

pub(super) struct Scope<'v> {
    pub spec: Field<'v>,
    pub name: String,
    pub namespace: String,
    pub labels: BTreeMap<String, String>,
    depth: u32,
}

impl<'v> Scope<'v> {
    pub fn new(spec: Field<'v>, name: &str, namespace: &str, labels: BTreeMap<String, String>) -> Self {
        Self { spec, name: name.to_owned(), namespace: namespace.to_owned(), labels, depth: 0 }
    }

    /// Describes an object in this one.
    pub fn inner(&self, spec: Field<'v>, name: String) -> Self {
        let Self { namespace, labels, .. } = self;
        Self { spec, name, namespace: namespace.clone(), labels: labels.clone(), depth: self.depth + 1 }
    }
}

impl Scope<'_> {
    /// Describes an object that this one creates from a text.
    pub fn created<'o>(
        &self,
        spec: Field<'o>,
        (name, namespace): (&str, &str),
        labels: BTreeMap<String, String>,
    ) -> Scope<'o> {
        Scope { spec, name: name.to_owned(), namespace: namespace.to_owned(), labels, depth: self.depth + 1 }
    }
}

pub(super) type Library<'v> = BTreeMap<(&'v str, &'v str, &'v str), (&'v Value, Option<&'v Lines>)>;

/// Pods that differ in names and numbered labels.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub set: String,
    pub pod: Pod,
    pub name: String,
    pub labels: Vec<(String, String)>,
    pub annotations: Vec<(String, String)>,
    pub groups: u64,
    pub count: u64,
    pub first: u64,
    pub per_node: bool,
}

impl Made {
    /// Creates one pod with this name.
    pub fn one(set: &str, pod: Pod, name: String) -> Self {
        let (labels, annotations) = (Vec::new(), Vec::new());
        Self { set: set.to_owned(), pod, name, labels, annotations, groups: 1, count: 1, first: 0, per_node: false }
    }

    pub fn total(&self) -> u64 {
        self.groups.saturating_mul(self.count)
    }
}

/// Pods that their operator cannot create.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub by: String,
    pub why: String,
    pub pods: u64,
}

pub(super) struct Making<'v> {
    pub library: &'v Library<'v>,
    pub made: Vec<Made>,
    pub refused: Vec<Refused>,
    pub notes: Vec<String>,
    pub from: usize,
    pub suspended: bool,
}

impl<'v> Making<'v> {
    pub fn new(library: &'v Library<'v>) -> Self {
        Self { library, made: Vec::new(), refused: Vec::new(), notes: Vec::new(), from: 0, suspended: false }
    }

    /// Finds a template in its namespace or without one.
    pub fn template(&self, kind: &str, namespace: &str, name: &str) -> Option<Field<'v>> {
        let found = self.library.get(&(kind, namespace, name));
        found.map(|(value, lines)| Field::root(value, *lines))
    }
}

/// Adds the sets of pods of an object.
///
/// # Errors
/// A field has the wrong type, or a required one is missing.
pub(super) fn expand(kind: &Kind, scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    if scope.depth > DEEPEST {
        return Err(scope.spec.rejected(format!("objects are nested deeper than {DEEPEST} levels")));
    }
    if !kind.suspend.is_empty() && scope.spec.is_true_at(kind.suspend)? {
        making.suspended = true;
        return Ok(());
    }
    let start = making.made.len();
    for part in kind.parts {
        match part {
            Part::Pods(pods) => sets(pods, scope, making)?,
            Part::Code(code) => {
                making.from = start;
                code(scope, making)?;
            }
            Part::Objects { each, spec, kind, count, name, labels } => {
                let Some(kind) = kinds::find(None, kind) else { continue };
                for (set, field) in parts(*each, &scope.spec)? {
                    let name = filled(name, &scope.name, &set).replace("{index}", "{group}");
                    let inner = scope.inner(field.required(spec)?, name);
                    let (from, times) = (making.made.len(), count.in_field(&field)?);
                    expand(kind, &inner, making)?;
                    let own = patterns(labels, &scope.name, &set);
                    let own: Vec<_> =
                        own.into_iter().map(|(key, value)| (key, value.replace("{index}", "{group}"))).collect();
                    for made in &mut making.made[from..] {
                        made.groups = made.groups.saturating_mul(times);
                        made.labels.extend(own.iter().cloned());
                    }
                }
            }
        }
    }
    if let Some(after) = kind.after {
        making.from = start;
        after(scope, making)?;
    }
    Ok(())
}

fn sets(pods: &Pods, scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    for (set, field) in parts(pods.each, &scope.spec)? {
        if !pods.suspend.is_empty() && field.is_true_at(pods.suspend)? {
            making.suspended = true;
            if !set.is_empty() {
                making.notes.push(format!("its group {set} creates no pods while it is suspended"));
            }
            continue;
        }
        let (groups, count) = (pods.groups.in_field(&field)?, pods.count.in_field(&field)?);
        let mut template = None;
        for path in pods.template {
            if template.is_none() {
                template = field.at(path)?;
            }
        }
        let template = match (template, pods.template.last()) {
            (Some(template), _) => template,
            (None, last) => field.required(last.copied().unwrap_or_default())?,
        };
        making.made.push(Made {
            pod: template.pod()?,
            name: filled(pods.name, &scope.name, &set),
            labels: patterns(pods.labels, &scope.name, &set),
            annotations: Vec::new(),
            groups,
            count,
            first: pods.first.in_field(&field)?,
            per_node: pods.per_node,
            set,
        });
    }
    Ok(())
}

fn parts<'v>(each: Each, spec: &Field<'v>) -> Result<Vec<(String, Field<'v>)>, Rejected> {
    Ok(match each {
        Each::One(path, name) => spec.at(path)?.map(|field| (name.to_owned(), field)).into_iter().collect(),
        Each::Item(path, name) => {
            let items = spec.at(path)?.map(|list| list.items()).transpose()?.unwrap_or_default();
            let named = items.into_iter().enumerate().map(|(number, item)| {
                let name = item.text_at(name)?.map_or_else(|| number.to_string(), str::to_owned);
                Ok((name, item))
            });
            named.collect::<Result<_, Rejected>>()?
        }
        Each::Entry(ending) => {
            let mut found = Vec::new();
            for (_, map) in spec.entries()?.into_iter().filter(|(key, _)| key.ends_with(ending)) {
                found.extend(map.entries()?.into_iter().map(|(name, field)| (name.to_lowercase(), field)));
            }
            found
        }
    })
}

fn filled(pattern: &str, name: &str, set: &str) -> String {
    pattern.replace("{name}", name).replace("{set}", set)
}

fn patterns(labels: Labels, name: &str, set: &str) -> Vec<(String, String)> {
    labels.iter().map(|(key, value)| ((*key).to_owned(), filled(value, name, set))).collect()
}

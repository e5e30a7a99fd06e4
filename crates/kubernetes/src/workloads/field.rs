//! A value in a manifest with its path and line.

use std::collections::BTreeMap;

use config::Faults;
use config::yaml::Node;
use serde_json::{Map, Value};

use crate::objects::{Pod, Step, Unread, drop_nulls, read_as, shown};
use crate::pruned::is_unread;

/// The lines of a value and its children, from 1; only for YAML.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    line: u32,
    fields: BTreeMap<String, Self>,
    items: Vec<Self>,
}

impl Lines {
    /// Collects the lines of a YAML value.
    pub fn of(node: Node<'_>) -> Self {
        let silent = &mut Faults::default();
        let line = node.at().line;
        if node.scalar().is_some() {
            return Self { line, ..Self::default() };
        }
        if node.is_list() {
            let items = node.items("", "", silent).unwrap_or_default().into_iter().map(Self::of).collect();
            return Self { line, items, ..Self::default() };
        }
        let fields = node.any_map("", "", silent);
        let fields = fields.into_iter().flatten().filter(|(key, value)| !is_unread(key.text, value.scalar().is_some()));
        let fields = fields.map(|(key, value)| (key.text.to_owned(), Self::of(value)));
        Self { line, fields: fields.collect(), items: Vec::new() }
    }

    fn step(&self, step: &Step) -> Option<&Self> {
        match step {
            Step::Key(key) => self.fields.get(key),
            Step::Item(number) => self.items.get(*number),
        }
    }

    /// Returns the line of the last step that has one.
    pub fn line_at(&self, path: &[Step]) -> u32 {
        let mut here = self;
        for step in path {
            match here.step(step) {
                Some(next) => here = next,
                None => break,
            }
        }
        here.line
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejected {
    /// 0 if unknown.
    pub line: u32,
    pub path: String,
    pub why: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Field<'v> {
    pub value: &'v Value,
    lines: Option<&'v Lines>,
    path: Vec<Step>,
}

impl<'v> Field<'v> {
    /// Wraps a whole object.
    pub fn root(value: &'v Value, lines: Option<&'v Lines>) -> Self {
        Self { value, lines, path: Vec::new() }
    }

    fn step(&self, value: &'v Value, step: Step) -> Self {
        let lines = self.lines.and_then(|lines| lines.step(&step));
        let path = self.path.iter().cloned().chain([step]).collect();
        Self { value, lines, path }
    }

    /// `None` if missing or null.
    pub fn key(&self, key: &str) -> Result<Option<Self>, Rejected> {
        let found = self.map()?.get(key).filter(|value| !value.is_null());
        Ok(found.map(|value| self.step(value, Step::Key(key.to_owned()))))
    }

    /// Follows a dotted path; empty is this field.
    ///
    /// # Errors
    /// A field on the path is not a map.
    pub fn at(&self, path: &str) -> Result<Option<Self>, Rejected> {
        let mut here = self.clone();
        for key in path.split('.').filter(|key| !key.is_empty()) {
            match here.key(key)? {
                Some(next) => here = next,
                None => return Ok(None),
            }
        }
        Ok(Some(here))
    }

    /// Follows a dotted path.
    ///
    /// # Errors
    /// The field is missing, or a field on the path is not a map.
    pub fn required(&self, path: &str) -> Result<Self, Rejected> {
        self.at(path)?.ok_or_else(|| {
            let keys = path.split('.').map(|key| Step::Key(key.to_owned()));
            let path: Vec<Step> = self.path.iter().cloned().chain(keys).collect();
            Rejected { line: self.line(), path: shown(&path), why: "missing field".to_owned() }
        })
    }

    fn map(&self) -> Result<&'v Map<String, Value>, Rejected> {
        self.value.as_object().ok_or_else(|| self.expected("a map"))
    }

    /// Fails for other than a list.
    pub fn items(&self) -> Result<Vec<Self>, Rejected> {
        let items = self.value.as_array().ok_or_else(|| self.expected("a list"))?;
        Ok(items.iter().enumerate().map(|(number, value)| self.step(value, Step::Item(number))).collect())
    }

    /// Returns non-null entries.
    ///
    /// # Errors
    /// This is not a map.
    pub fn entries(&self) -> Result<Vec<(&'v str, Self)>, Rejected> {
        let entries = self.map()?.iter().filter(|(_, value)| !value.is_null());
        Ok(entries.map(|(key, value)| (key.as_str(), self.step(value, Step::Key(key.clone())))).collect())
    }

    /// Fails for other than a string.
    pub fn text(&self) -> Result<&'v str, Rejected> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    /// Returns a number from 0.
    ///
    /// # Errors
    /// This is another value, or negative.
    pub fn count(&self) -> Result<u64, Rejected> {
        match (self.value.as_u64(), self.value.as_i64()) {
            (Some(count), _) => Ok(count),
            (None, Some(_)) => Err(self.expected("an integer of 0 or more")),
            (None, None) => Err(self.expected("an integer")),
        }
    }

    /// Fails for other than a boolean.
    pub fn is_true(&self) -> Result<bool, Rejected> {
        self.value.as_bool().ok_or_else(|| self.expected("true or false"))
    }

    /// `None` if missing.
    pub fn text_at(&self, path: &str) -> Result<Option<&'v str>, Rejected> {
        self.at(path)?.map(|field| field.text()).transpose()
    }

    /// Returns false if missing.
    ///
    /// # Errors
    /// It is not a boolean.
    pub fn is_true_at(&self, path: &str) -> Result<bool, Rejected> {
        self.at(path)?.map_or(Ok(false), |field| field.is_true())
    }

    /// Returns an empty map if missing.
    ///
    /// # Errors
    /// It is not a map of strings.
    pub fn texts_at(&self, path: &str) -> Result<BTreeMap<String, String>, Rejected> {
        let Some(map) = self.at(path)? else { return Ok(BTreeMap::new()) };
        map.entries()?.into_iter().map(|(key, field)| Ok((key.to_owned(), field.text()?.to_owned()))).collect()
    }

    /// Fails without any container.
    pub fn pod(&self) -> Result<Pod, Rejected> {
        let spec = self.required("spec")?;
        let pod = self.pod_of(self.value.clone(), 0)?;
        match pod.spec.containers.is_empty() {
            true => Err(spec.rejected("missing field containers")),
            false => Ok(pod),
        }
    }

    /// Reads a `template` that is composed of fields of this one. `depth` is the depth of this field in it, which
    /// errors omit.
    ///
    /// # Errors
    /// A field has the wrong type.
    pub fn pod_of(&self, mut template: Value, depth: usize) -> Result<Pod, Rejected> {
        drop_nulls(&mut template);
        let mut pod: Pod = read_as(&template).map_err(|mut unread| {
            unread.path.drain(..depth.min(unread.path.len()));
            self.inside(&unread)
        })?;
        pod.metadata.name.clear();
        pod.metadata.namespace.clear();
        pod.metadata.uid.clear();
        pod.metadata.owner_references.clear();
        Ok(pod)
    }

    /// Returns the error of a child field.
    fn inside(&self, unread: &Unread) -> Rejected {
        let path: Vec<Step> = self.path.iter().chain(&unread.path).cloned().collect();
        let line = self.lines.map_or(0, |lines| lines.line_at(&unread.path));
        Rejected { line, path: shown(&path), why: unread.why.clone() }
    }

    fn line(&self) -> u32 {
        self.lines.map_or(0, |lines| lines.line)
    }

    /// Returns an error of this field.
    pub fn rejected(&self, why: impl Into<String>) -> Rejected {
        Rejected { line: self.line(), path: shown(&self.path), why: why.into() }
    }

    /// Returns the error of a wrong type.
    pub fn expected(&self, what: &str) -> Rejected {
        let found = match self.value {
            Value::String(text) => format!("the string {text:?}"),
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "a map".to_owned(),
            other => other.to_string(),
        };
        self.rejected(format!("expected {what}, found {found}"))
    }
}

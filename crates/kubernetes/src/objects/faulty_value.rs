//! Finds the invalid field of an object.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Item(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unread {
    pub who: String,
    pub path: Vec<Step>,
    pub why: String,
}

impl Unread {
    /// Rejects the whole object.
    pub fn whole(why: String) -> Self {
        Self { why, ..Self::default() }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = shown(&self.path);
        for part in [self.who.as_str(), path.as_str()].into_iter().filter(|part| !part.is_empty()) {
            write!(f, "{part}: ")?;
        }
        f.write_str(&self.why)
    }
}

pub(crate) fn shown(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(key) => {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(key);
            }
            Step::Item(number) => text.push_str(&format!("[{number}]")),
        }
    }
    text
}

pub(crate) fn read_as<T: DeserializeOwned>(value: &Value) -> Result<T, Unread> {
    T::deserialize(value).map_err(|error| {
        let why = error.to_string();
        let mut path = Vec::new();
        faulty_value::<T>(value, &why, &mut path);
        Unread { path, why, ..Unread::default() }
    })
}

fn faulty_value<T: DeserializeOwned>(whole: &Value, why: &str, path: &mut Vec<Step>) {
    loop {
        let Some(here) = at(whole, path) else { return };
        let steps: Vec<Step> = match here {
            Value::Object(fields) => fields.keys().cloned().map(Step::Key).collect(),
            Value::Array(items) => (0..items.len()).map(Step::Item).collect(),
            _ => return,
        };
        let differs = |step: &Step| {
            let mut without = whole.clone();
            match (at_mut(&mut without, path), step) {
                (Some(Value::Object(fields)), Step::Key(key)) => drop(fields.remove(key)),
                (Some(Value::Array(items)), Step::Item(number)) => drop(items.remove(*number)),
                _ => return false,
            }
            T::deserialize(&without).err().is_none_or(|error| error.to_string() != why)
        };
        match steps.into_iter().find(differs) {
            Some(step) => path.push(step),
            None => return,
        }
    }
}

fn at<'v>(whole: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(whole, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Item(number) => value.get(number),
    })
}

fn at_mut<'v>(whole: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(whole, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(number) => value.get_mut(number),
    })
}

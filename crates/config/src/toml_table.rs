//! TOML tables: entries in the order of the text, and errors with their location.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Fault, Place, Severity};

/// A table with its location.
pub struct Table<'t, 'v> {
    /// The whole text.
    pub text: &'t str,
    /// Its name with dots; empty for the outermost table.
    pub path: String,
    /// What is in it.
    pub entries: &'v DeTable<'t>,
    /// The code of an error for a wrong type.
    pub wrong_type: &'static str,
}

/// A table of a list with its location.
pub type PlacedTable<'t, 'v> = (Range<usize>, Table<'t, 'v>);

/// An entry of a table.
pub struct Entry<'t, 'v> {
    text: &'t str,
    /// The path of its table and its name.
    pub path: String,
    /// Its own name.
    pub name: &'v str,
    /// The location of its name.
    pub at: Range<usize>,
    value: &'v Spanned<DeValue<'t>>,
    wrong_type: &'static str,
}

/// The limit of reported errors: each is searched in the whole text.
pub const MOST_FAULTS: usize = 100;

/// Creates an error at a range of the text.
pub fn fault(
    text: &str,
    code: &'static str,
    at: &Range<usize>,
    path: &str,
    message: String,
    hint: impl Into<String>,
) -> Fault {
    Fault {
        code,
        severity: Severity::Error,
        at: place(text, at.start),
        path: path.to_owned(),
        message,
        hint: hint.into(),
    }
}

fn place(text: &str, at: usize) -> Place {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Place {
        line: count(before.bytes().filter(|b| *b == b'\n').count() + 1),
        column: count(before[line_start..].chars().count() + 1),
    }
}

impl<'t, 'v> Table<'t, 'v> {
    /// The entries in the order of the text.
    pub fn entries(&self) -> Vec<Entry<'t, 'v>> {
        let mut entries: Vec<Entry<'t, 'v>> = self
            .entries
            .iter()
            .map(|(key, value)| Entry {
                text: self.text,
                path: if self.path.is_empty() {
                    key.get_ref().to_string()
                } else {
                    format!("{}.{}", self.path, key.get_ref())
                },
                name: key.get_ref(),
                at: key.span(),
                value,
                wrong_type: self.wrong_type,
            })
            .collect();
        entries.sort_by_key(|entry| entry.at.start);
        entries
    }
}

impl<'t, 'v> Entry<'t, 'v> {
    /// Creates an error at its name.
    pub fn fault(&self, code: &'static str, message: String, hint: &str) -> Fault {
        fault(self.text, code, &self.at, &self.path, message, hint)
    }

    /// Creates an error at its value.
    pub fn wrong(&self, code: &'static str, message: String, hint: &str) -> Fault {
        fault(self.text, code, &self.value.span(), &self.path, message, hint)
    }

    /// Creates an error at byte `at` inside its text value; at the start of the value if it contains escapes.
    pub fn wrong_inside(&self, code: &'static str, at: usize, message: String, hint: &str) -> Fault {
        let span = self.value.span();
        let written = self.text.get(span.clone()).unwrap_or_default();
        let quotes = if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 };
        let as_it_is = self
            .value
            .get_ref()
            .as_str()
            .is_some_and(|text| written.get(quotes..).is_some_and(|from| from.starts_with(text)));
        let start = if as_it_is { span.start + quotes + at } else { span.start };
        fault(self.text, code, &(start..span.end), &self.path, message, hint)
    }

    /// Creates the error of an unknown name.
    pub fn unknown(&self, code: &'static str, kind: &str, known: &[&str]) -> Fault {
        self.fault(code, format!("unknown {kind} {:?}", self.name), &format!("available: {}", known.join(", ")))
    }

    fn other_type(&self, wanted: &str) -> Fault {
        let found = self.value.get_ref().type_str();
        self.wrong(self.wrong_type, format!("`{}` is a TOML {found}", self.name), &format!("write {wanted}"))
    }

    /// Its value as text; anything else is an error.
    pub fn text(&self, faults: &mut Vec<Fault>) -> Option<&'v str> {
        let text = self.value.get_ref().as_str();
        if text.is_none() {
            faults.push(self.other_type("a text: `\"…\"`"));
        }
        text
    }

    /// Its value as a bool.
    pub fn bool(&self, faults: &mut Vec<Fault>) -> Option<bool> {
        let value = self.value.get_ref().as_bool();
        if value.is_none() {
            faults.push(self.other_type("true or false"));
        }
        value
    }

    /// Its value as a number.
    pub fn number(&self, faults: &mut Vec<Fault>) -> Option<f64> {
        let number = match self.value.get_ref() {
            DeValue::Integer(whole) => {
                i64::from_str_radix(whole.as_str(), whole.radix()).ok().map(|whole| whole as f64)
            }
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            faults.push(self.other_type("a number"));
        }
        number
    }

    /// Whether its value is a text.
    pub fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    /// The texts in its list.
    pub fn texts(&self, faults: &mut Vec<Fault>) -> Option<Vec<String>> {
        let list = self.value.get_ref().as_array();
        let texts = list.and_then(|list| {
            list.iter().map(|one| one.get_ref().as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
        });
        if texts.is_none() {
            faults.push(self.other_type("a list of strings: `[\"…\"]`"));
        }
        texts
    }

    /// Its value if it is a text.
    pub fn as_text(&self) -> Option<&'v str> {
        self.value.get_ref().as_str()
    }

    /// The location of its value.
    pub fn value_at(&self) -> Range<usize> {
        self.value.span()
    }

    /// The tables of a list, each with the location of its heading `[[NAME]]`; empty for anything else.
    pub fn tables(&self, faults: &mut Vec<Fault>) -> Vec<PlacedTable<'t, 'v>> {
        let list = self.value.get_ref().as_array();
        let tables = list.and_then(|list| {
            let table = |one: &'v Spanned<DeValue<'t>>| {
                let entries = one.get_ref().as_table()?;
                let (text, path, wrong_type) = (self.text, self.path.clone(), self.wrong_type);
                Some((one.span(), Table { text, path, entries, wrong_type }))
            };
            list.iter().map(table).collect::<Option<Vec<_>>>()
        });
        if tables.is_none() {
            faults.push(self.other_type(&format!("a list of tables: `[[{}]]`", self.path)));
        }
        tables.unwrap_or_default()
    }

    /// Its value as a table.
    pub fn table(&self, faults: &mut Vec<Fault>) -> Option<Table<'t, 'v>> {
        let entries = self.value.get_ref().as_table();
        if entries.is_none() {
            faults.push(self.other_type(&format!("a table: `[{}]`", self.path)));
        }
        let wrong_type = self.wrong_type;
        entries.map(|entries| Table { text: self.text, path: self.path.clone(), entries, wrong_type })
    }
}

//! Walking a TOML table: its entries in the order of the text, and their faults with their places. What a person writes in TOML is read by it:
//! settings, rules of alerts.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Fault, Place, Severity};

/// A table and where it stands.
pub struct Table<'t, 'v> {
    /// The whole text.
    pub text: &'t str,
    /// Its name with dots; empty for the outermost.
    pub path: String,
    /// What is in it.
    pub entries: &'v DeTable<'t>,
    /// The code of a value of another type than it should have.
    pub wrong_type: &'static str,
}

/// A table of a list, and where it stands.
pub type PlacedTable<'t, 'v> = (Range<usize>, Table<'t, 'v>);

/// An entry of a table.
pub struct Entry<'t, 'v> {
    text: &'t str,
    /// The path of its table and its own name.
    pub path: String,
    /// Its own name.
    pub name: &'v str,
    /// Where that stands.
    pub at: Range<usize>,
    value: &'v Spanned<DeValue<'t>>,
    wrong_type: &'static str,
}

/// How many faults of a text are reported at most: each is looked up in the whole of it.
pub const MOST_FAULTS: usize = 100;

/// A fault at a piece of the text.
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
    /// A fault at its name.
    pub fn fault(&self, code: &'static str, message: String, hint: &str) -> Fault {
        fault(self.text, code, &self.at, &self.path, message, hint)
    }

    /// A fault at its value.
    pub fn wrong(&self, code: &'static str, message: String, hint: &str) -> Fault {
        fault(self.text, code, &self.value.span(), &self.path, message, hint)
    }

    /// A fault at byte `at` of the text that its value is; at its start where that is written with escapes.
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

    /// The fault of a name that is unknown.
    pub fn unknown(&self, code: &'static str, kind: &str, known: &[&str]) -> Fault {
        self.fault(code, format!("unknown {kind} {:?}", self.name), &format!("available: {}", known.join(", ")))
    }

    fn other_type(&self, wanted: &str) -> Fault {
        let found = self.value.get_ref().type_str();
        self.wrong(self.wrong_type, format!("`{}` is a TOML {found}", self.name), &format!("write {wanted}"))
    }

    /// Its value as text; anything else is a fault, and then there is none.
    pub fn text(&self, faults: &mut Vec<Fault>) -> Option<&'v str> {
        let text = self.value.get_ref().as_str();
        if text.is_none() {
            faults.push(self.other_type("a text: `\"…\"`"));
        }
        text
    }

    /// Whether it is true.
    pub fn bool(&self, faults: &mut Vec<Fault>) -> Option<bool> {
        let value = self.value.get_ref().as_bool();
        if value.is_none() {
            faults.push(self.other_type("true or false"));
        }
        value
    }

    /// The number that it is, whole or not.
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
            faults.push(self.other_type("a list of texts: `[\"…\"]`"));
        }
        texts
    }

    /// Its value where that is a text.
    pub fn as_text(&self) -> Option<&'v str> {
        self.value.get_ref().as_str()
    }

    /// Where its value stands.
    pub fn value_at(&self) -> Range<usize> {
        self.value.span()
    }

    /// The tables of its list, `[[NAME]]`, each with the place of its heading; none where it is anything else.
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

    /// The table that it is.
    pub fn table(&self, faults: &mut Vec<Fault>) -> Option<Table<'t, 'v>> {
        let entries = self.value.get_ref().as_table();
        if entries.is_none() {
            faults.push(self.other_type(&format!("a table: `[{}]`", self.path)));
        }
        let wrong_type = self.wrong_type;
        entries.map(|entries| Table { text: self.text, path: self.path.clone(), entries, wrong_type })
    }
}

//! Reading values from a YAML tree: each helper reports its errors once and continues.
//!
//! `path` is the queue or the path of keys; `key` names the value in messages.

use super::fault::Faults;
use super::types::{Place, Placed};
use super::values::boolean;
use super::yaml::{Content, Entry, Node, Scalar, Style};

/// The value of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FieldValue<T> {
    /// Missing or null.
    #[default]
    Unset,
    /// Invalid, and reported.
    Faulty,
    /// Valid, with its location.
    Value(Placed<T>),
}

impl<T> FieldValue<T> {
    /// The valid value, if any.
    pub fn good(self) -> Option<Placed<T>> {
        match self {
            Self::Value(placed) => Some(placed),
            _ => None,
        }
    }

    /// The valid value, if any.
    pub fn as_good(&self) -> Option<&Placed<T>> {
        match self {
            Self::Value(placed) => Some(placed),
            _ => None,
        }
    }
}

/// A map whose keys were checked.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'d> {
    node: Node<'d>,
    entries: &'d [Entry],
}

/// A key of a map as written.
#[derive(Clone, Copy, Debug)]
pub struct MapKey<'d> {
    /// The key, without quotes.
    pub text: &'d str,
    /// The start of the key.
    pub at: Place,
}

impl<'d> Fields<'d> {
    fn entry(&self, key: &str) -> Option<&'d Entry> {
        self.entries.iter().find(|entry| self.node.document.key(entry).0 == key)
    }

    /// The value of `key`, unless it is missing or null.
    pub fn get(&self, key: &str) -> Option<Node<'d>> {
        self.raw(key).filter(|node| !node.is_null())
    }

    /// The value of `key`, even if null.
    pub fn raw(&self, key: &str) -> Option<Node<'d>> {
        Some(self.node.with(self.entry(key)?.value))
    }

    /// The location of the key.
    pub fn key_at(&self, key: &str) -> Option<Place> {
        self.entry(key).map(|entry| self.node.document.key(entry).1)
    }

    /// The location of the map.
    pub fn at(&self) -> Place {
        self.node.at()
    }

    /// The list without null entries. `None` if missing or not a list.
    pub fn list(&self, key: &str, path: &str, faults: &mut Faults) -> Option<Vec<Node<'d>>> {
        self.get(key)?.list(key, path, faults)
    }

    /// The text under `key`; null is the empty text.
    pub fn text(&self, key: &str, path: &str, faults: &mut Faults) -> FieldValue<String> {
        self.raw(key).map_or(FieldValue::Unset, |node| node.text(key, path, faults))
    }

    /// The bool under `key` (CFG-006).
    pub fn bool(&self, key: &str, path: &str, faults: &mut Faults) -> FieldValue<bool> {
        self.get(key).map_or(FieldValue::Unset, |node| node.bool(key, path, faults))
    }

    /// The whole number under `key` (CFG-007).
    pub fn uint(&self, key: &str, path: &str, faults: &mut Faults) -> FieldValue<u64> {
        self.get(key).map_or(FieldValue::Unset, |node| node.uint(key, path, faults))
    }
}

impl<'d> Node<'d> {
    fn with(self, id: u32) -> Self {
        Self { id, ..self }
    }

    fn content(self) -> &'d Content {
        &self.document.nodes[self.id as usize].content
    }

    /// The location of the value.
    pub fn at(self) -> Place {
        self.document.nodes[self.id as usize].at
    }

    /// The scalar, if it is one.
    pub fn scalar(self) -> Option<Scalar<'d>> {
        self.document.scalar(self.id)
    }

    /// Whether this is null.
    pub fn is_null(self) -> bool {
        self.scalar().is_some_and(|scalar| scalar.is_null())
    }

    /// Whether this is a map.
    pub fn is_map(self) -> bool {
        matches!(self.content(), Content::Map(_))
    }

    /// Whether this is a list.
    pub fn is_list(self) -> bool {
        matches!(self.content(), Content::List(_))
    }

    /// The kind of the value, for a message.
    pub fn kind(self) -> &'static str {
        match self.content() {
            Content::Scalar(_) if self.is_null() => "nothing",
            Content::Scalar(_) => "a single value",
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
            Content::Broken => "an invalid value",
        }
    }

    /// Reports that another type is expected (CFG-005).
    pub fn wrong_type(self, key: &str, wanted: &str, path: &str, faults: &mut Faults) {
        if !matches!(self.content(), Content::Broken) {
            let message = format!("{} is {}, expected {wanted}", quoted(key), self.kind());
            faults.error("CFG-005", self.at(), path, message, format!("write {wanted}"));
        }
    }

    /// The map, with an error for each key that is not in `known` (CFG-003). `None` for null, and if it is not a map
    /// (CFG-005).
    pub fn map(self, key: &str, known: &[&str], path: &str, faults: &mut Faults) -> Option<Fields<'d>> {
        let fields = self.any_map(key, path, faults)?;
        for entry in fields.entries {
            let (text, at) = self.document.key(entry);
            if !known.contains(&text) {
                unknown_key(text, at, key, known, path, faults);
            }
        }
        Some(fields)
    }

    /// The map with any keys. `None` for null, and if it is not a map (CFG-005).
    pub fn any_map(self, key: &str, path: &str, faults: &mut Faults) -> Option<Fields<'d>> {
        match self.content() {
            Content::Map(map) => Some(Fields { node: self, entries: self.document.entries(*map) }),
            _ if self.is_null() => None,
            _ => {
                self.wrong_type(key, "a map", path, faults);
                None
            }
        }
    }

    /// The list without null entries. `None` for null, and if it is not a list (CFG-005).
    pub fn list(self, key: &str, path: &str, faults: &mut Faults) -> Option<Vec<Node<'d>>> {
        match self.content() {
            Content::List(items) => {
                let items = self.document.items(*items).iter();
                Some(items.map(|id| self.with(*id)).filter(|node| !node.is_null()).collect())
            }
            _ if self.is_null() => None,
            _ => {
                self.wrong_type(key, "a list", path, faults);
                None
            }
        }
    }

    /// The list with null entries. `None` for null, and if it is not a list (CFG-005).
    pub fn items(self, key: &str, path: &str, faults: &mut Faults) -> Option<Vec<Node<'d>>> {
        match self.content() {
            Content::List(items) => Some(self.document.items(*items).iter().map(|id| self.with(*id)).collect()),
            _ => self.list(key, path, faults),
        }
    }

    /// The text of a scalar; null is the empty text.
    pub fn text(self, key: &str, path: &str, faults: &mut Faults) -> FieldValue<String> {
        self.str(key, path, faults).map_or(FieldValue::Faulty, |text| self.value(text.to_owned()))
    }

    /// The same without a copy; `None` if it is not a scalar (CFG-005).
    pub fn str(self, key: &str, path: &str, faults: &mut Faults) -> Option<&'d str> {
        let Some(scalar) = self.scalar() else {
            self.wrong_type(key, "a text", path, faults);
            return None;
        };
        Some(if scalar.is_null() { "" } else { scalar.text })
    }

    /// A bool, not quoted (CFG-006). In the profiles of the releases also the words of YAML 1.1.
    pub fn bool(self, key: &str, path: &str, faults: &mut Faults) -> FieldValue<bool> {
        let Some(scalar) = self.scalar() else {
            self.wrong_type(key, "`true` or `false`", path, faults);
            return FieldValue::Faulty;
        };
        let message = |kind: &str| format!("{} is {kind}{:?}, which is not a bool", quoted(key), scalar.text);
        let is_plain = scalar.style == Style::Plain;
        if let Some(value) = boolean::of_yaml_1_2(scalar.text).filter(|_| is_plain) {
            return self.value(value);
        }
        let kind = if is_plain { "" } else { "the text " };
        let Some(value) = boolean::of_yaml_1_1(scalar.text) else {
            faults.error("CFG-006", self.at(), path, message(kind), "write `true` or `false`, without quotes");
            return FieldValue::Faulty;
        };
        faults.strict("CFG-006", self.at(), path, message(kind), format!("write `{value}`"));
        if faults.as_release() { self.value(value) } else { FieldValue::Faulty }
    }

    /// An integer from 0 to 2^64-1 (CFG-007). In the profiles of the releases also a float, truncated.
    pub fn uint(self, key: &str, path: &str, faults: &mut Faults) -> FieldValue<u64> {
        const HINT: &str = "write a whole number from 0 to 18446744073709551615, without quotes";
        let Some(scalar) = self.scalar() else {
            self.wrong_type(key, "a whole number", path, faults);
            return FieldValue::Faulty;
        };
        let message = || format!("{} is {:?}, which is not a whole number", quoted(key), scalar.text);
        if scalar.style != Style::Plain {
            faults.error("CFG-007", self.at(), path, format!("{} is the text {:?}", quoted(key), scalar.text), HINT);
            return FieldValue::Faulty;
        }
        if let Some(number) = integer(scalar.text) {
            if scalar.text.len() > 1 && scalar.text.starts_with('0') && scalar.text.as_bytes()[1].is_ascii_digit() {
                let message = format!("{} is {}, which YAML reads as octal: {number}", quoted(key), scalar.text);
                faults.warning("CFG-007", self.at(), path, message, format!("write {number}"));
            }
            return self.value(number);
        }
        let Some(cut) = float(scalar.text).filter(|float| *float >= 0.0 && *float <= 18_446_744_073_709_551_616.0)
        else {
            faults.error("CFG-007", self.at(), path, message(), HINT);
            return FieldValue::Faulty;
        };
        faults.strict("CFG-007", self.at(), path, message(), HINT);
        if faults.as_release() { self.value(cut_float(cut)) } else { FieldValue::Faulty }
    }

    /// A number, not quoted. An invalid one is reported with `code`.
    pub fn float(self, key: &str, code: &'static str, path: &str, faults: &mut Faults) -> FieldValue<f64> {
        let Some(scalar) = self.scalar() else {
            self.wrong_type(key, "a number", path, faults);
            return FieldValue::Faulty;
        };
        match float(scalar.text) {
            Some(number) if scalar.style == Style::Plain => self.value(number),
            _ => {
                let kind = if scalar.style == Style::Plain { "" } else { "the text " };
                let message = format!("{} is {kind}{:?}, which is not a number", quoted(key), scalar.text);
                faults.error(code, self.at(), path, message, "write a number without quotes");
                FieldValue::Faulty
            }
        }
    }

    fn value<T>(self, value: T) -> FieldValue<T> {
        FieldValue::Value(Placed { value, at: self.at() })
    }
}

impl<'d> IntoIterator for Fields<'d> {
    type Item = (MapKey<'d>, Node<'d>);
    type IntoIter = EachField<'d>;

    fn into_iter(self) -> Self::IntoIter {
        EachField { node: self.node, entries: self.entries.iter() }
    }
}

/// The entries of a map in their order.
#[derive(Clone, Debug)]
pub struct EachField<'d> {
    node: Node<'d>,
    entries: std::slice::Iter<'d, Entry>,
}

impl<'d> Iterator for EachField<'d> {
    type Item = (MapKey<'d>, Node<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entries.next()?;
        Some((key_of(self.node, entry), self.node.with(entry.value)))
    }
}

fn key_of<'d>(map: Node<'d>, entry: &Entry) -> MapKey<'d> {
    let (text, at) = map.document.key(entry);
    MapKey { text, at }
}

pub(super) fn quoted(key: &str) -> String {
    if key.contains(' ') { key.to_owned() } else { format!("`{key}`") }
}

/// Reports an unknown key (CFG-003).
pub fn unknown_key(key: &str, at: Place, map: &str, known: &[&str], path: &str, faults: &mut Faults) {
    let near = known
        .iter()
        .find(|known| known.eq_ignore_ascii_case(key))
        .or_else(|| known.iter().find(|known| distance_is_small(known, key)));
    let meant = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    let message = format!("unknown key `{key}` in {}", quoted(map));
    faults.error("CFG-003", at, path, message, format!("{meant}keys allowed here: {}", known.join(", ")));
}

/// At most two letters are inserted, removed, or replaced.
pub(super) fn distance_is_small(known: &str, key: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (known.chars().collect(), key.chars().take(known.len() + 3).collect());
    if a.len().abs_diff(b.len()) > 2 || a.len() < 4 {
        return false;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()] <= 2
}

fn integer(text: &str) -> Option<u64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = text.replace('_', "");
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits.as_str()),
    };
    if digits.starts_with('+') { None } else { u64::from_str_radix(digits, radix).ok() }
}

fn float(text: &str) -> Option<f64> {
    let (sign, size) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    match size {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    if let Some(number) = integer(size).filter(|_| !text.starts_with("+-")) {
        return Some(sign * number as f64);
    }
    let digit = |c: char| c.is_ascii_digit();
    let number_like = size.starts_with(|c: char| digit(c) || c == '.') && size.contains(digit);
    let symbols = |c: char| digit(c) || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    if !number_like || !size.chars().all(symbols) {
        return None;
    }
    size.parse::<f64>().ok().map(|size| sign * size)
}

/// As in the releases: towards zero, and 2^64 wraps to 2^63 (CFG-007).
fn cut_float(float: f64) -> u64 {
    if float >= 18_446_744_073_709_551_616.0 { 1 << 63 } else { float as u64 }
}

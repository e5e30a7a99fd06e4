//! Reads a theme file: TOML → [`Draft`], with the location of every error. docs/guide/themes.md shows one.

use std::collections::BTreeMap;
use std::ops::Range;

use ratatui::style::Modifier;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::theme::color;
use crate::theme::role::Role;
use config::toml_table::MOST_FAULTS;
use config::{Fault, Place, Severity};
use model::spelling::nearest;

/// A theme file before its colors are resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The description in one line.
    pub about: String,
    /// The inherited theme.
    pub inherits: Option<Located>,
    /// The terminal background that the theme is made for.
    pub behind: Option<Located>,
    /// Named colors of the theme.
    pub palette: BTreeMap<String, Located>,
    /// Styles by role or role group.
    pub roles: BTreeMap<String, Look>,
    /// The errors, by location. Faulty entries are omitted.
    pub faults: Vec<Fault>,
}

/// A text with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What is written.
    pub text: String,
    /// The location in the file.
    pub at: Place,
}

/// The style of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Where that is written.
    pub at: Place,
    /// Colour of the text.
    pub fg: Option<Located>,
    /// Colour behind it.
    pub bg: Option<Located>,
    /// Modifiers to add.
    pub add: Modifier,
    /// When it overlays another style.
    pub remove: Modifier,
}

const MODIFIERS: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("struck", Modifier::CROSSED_OUT),
];

const LONGEST: usize = 1 << 18;

/// Reads a theme.
///
/// | code | what |
/// |---|---|
/// | THM-001 | not valid TOML |
/// | THM-002 | an unknown key |
/// | THM-003 | a value of another type |
/// | THM-004 | an unknown role |
/// | THM-005 | an unknown color or modifier |
pub fn read(text: &str) -> Draft {
    let mut reader = Reader { text, draft: Draft::default() };
    if text.len() > LONGEST {
        reader.fault("THM-001", &(0..0), format!("the theme has {} bytes, above the limit", text.len()), String::new());
        return reader.draft;
    }
    let (root, wrong) = DeTable::parse_recoverable(text);
    for error in wrong.into_iter().take(MOST_FAULTS) {
        let at = error.span().unwrap_or(0..0);
        reader.fault("THM-001", &at, format!("no TOML: {}", error.message()), String::new());
    }
    reader.top(root.get_ref());
    reader.draft.faults.sort_by_key(|fault| (fault.at.line, fault.at.column));
    reader.draft
}

struct Reader<'t> {
    text: &'t str,
    draft: Draft,
}

type Entry<'v, 't> = (&'v str, Range<usize>, &'v Spanned<DeValue<'t>>);

impl<'t> Reader<'t> {
    fn top(&mut self, table: &DeTable<'t>) {
        const KNOWN: [&str; 5] = ["about", "inherits", "behind", "palette", "roles"];
        for (name, at, value) in entries(table) {
            match name {
                "about" => self.draft.about = self.string(value).map_or_else(String::new, |reported| reported.text),
                "inherits" => self.draft.inherits = self.string(value),
                "behind" => self.draft.behind = self.color(value),
                "palette" => self.table(value, Self::palette),
                "roles" => self.table(value, Self::roles),
                other => self.unknown("THM-002", &at, &format!("unknown part of a theme {other:?}"), other, KNOWN),
            }
        }
    }

    fn table(&mut self, value: &Spanned<DeValue<'t>>, each: impl Fn(&mut Self, Entry<'_, 't>)) {
        match value.get_ref() {
            DeValue::Table(table) => entries(table).into_iter().for_each(|entry| each(self, entry)),
            other => {
                let message = format!("expected a table, found {}", kind(other));
                self.fault("THM-003", &value.span(), message, "write [palette] or [roles]".to_owned());
            }
        }
    }

    fn palette(&mut self, (name, _, value): Entry<'_, 't>) {
        if let Some(reported) = self.color(value) {
            if color::parse(&reported.text).is_some() {
                self.draft.palette.insert(name.to_owned(), reported);
            } else {
                self.no_color(&reported, std::iter::empty());
            }
        }
    }

    fn roles(&mut self, (name, at, value): Entry<'_, 't>) {
        let known: Vec<&str> = Role::ALL.into_iter().flat_map(Role::names).collect();
        if !known.contains(&name) {
            return self.unknown("THM-004", &at, &format!("unknown role {name:?}"), name, known);
        }
        let place = self.place(at.start);
        let mut look = Look { at: place, fg: None, bg: None, add: Modifier::empty(), remove: Modifier::empty() };
        match value.get_ref() {
            DeValue::Table(table) => {
                for (part, at, value) in entries(table) {
                    match part {
                        "fg" => look.fg = self.color(value),
                        "bg" => look.bg = self.color(value),
                        "add" => look.add = self.modifiers(value),
                        "remove" => look.remove = self.modifiers(value),
                        // `text.dim = …` without quotes is a table `text`.
                        other if known.contains(&format!("{name}.{other}").as_str()) => {
                            let hint = format!("write the name of the role in quotation marks: \"{name}.{other}\"");
                            self.fault("THM-002", &at, format!("unknown key {other:?}"), hint);
                        }
                        other => {
                            let message = format!("unknown key {other:?}");
                            self.unknown("THM-002", &at, &message, other, ["fg", "bg", "add", "remove"]);
                        }
                    }
                }
            }
            _ => look.fg = self.color(value),
        }
        self.draft.roles.insert(name.to_owned(), look);
    }

    fn string(&mut self, value: &Spanned<DeValue<'t>>) -> Option<Located> {
        match value.get_ref() {
            DeValue::String(text) => Some(Located { text: text.to_string(), at: self.place(value.span().start) }),
            other => {
                let message = format!("expected a text, found {}", kind(other));
                self.fault("THM-003", &value.span(), message, "write it in quotation marks".to_owned());
                None
            }
        }
    }

    fn color(&mut self, value: &Spanned<DeValue<'t>>) -> Option<Located> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.as_str().to_owned(),
            other => {
                let message = format!("expected a color, found {}", kind(other));
                self.fault("THM-003", &value.span(), message, COLORS.to_owned());
                return None;
            }
        };
        Some(Located { text, at: self.place(value.span().start) })
    }

    fn modifiers(&mut self, value: &Spanned<DeValue<'t>>) -> Modifier {
        let DeValue::Array(words) = value.get_ref() else {
            let message = format!("expected a list, found {}", kind(value.get_ref()));
            self.fault("THM-003", &value.span(), message, "for example [\"bold\", \"underlined\"]".to_owned());
            return Modifier::empty();
        };
        let mut modifiers = Modifier::empty();
        for word in words.iter() {
            let Some(reported) = self.string(word) else { continue };
            match MODIFIERS.iter().find(|(name, _)| *name == reported.text) {
                Some((_, modifier)) => modifiers |= *modifier,
                None => {
                    let message = format!("{:?} is not a text style", reported.text);
                    self.unknown("THM-005", &word.span(), &message, &reported.text, MODIFIERS.map(|(name, _)| name));
                }
            }
        }
        modifiers
    }

    fn no_color<'k>(&mut self, reported: &Located, palette: impl Iterator<Item = &'k str>) {
        self.draft.faults.push(no_color(reported, palette));
    }

    fn unknown<'k>(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: &str,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        let known: Vec<&str> = known.into_iter().collect();
        self.fault(code, at, message.to_owned(), hint(name, &known));
    }

    fn fault(&mut self, code: &'static str, at: &Range<usize>, message: String, hint: String) {
        let at = self.place(at.start);
        self.draft.faults.push(fault(code, at, message, hint));
    }

    fn place(&self, at: usize) -> Place {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Place { line: number(line), column: number(column) }
    }
}

const COLORS: &str = "a color is \"#rrggbb\", a number from 0 to 255, one of the 16 terminal colors (\"bright-red\"), \
    \"default\", or a name from [palette]";

pub(super) fn no_color<'k>(reported: &Located, palette: impl Iterator<Item = &'k str>) -> Fault {
    let known: Vec<&str> = palette.chain(color::NAMED.iter().map(|(name, _)| *name)).collect();
    let meant = nearest(&reported.text, known.iter().copied());
    let hint = meant.map_or_else(|| COLORS.to_owned(), |near| format!("did you mean {near:?}? {COLORS}"));
    fault("THM-005", reported.at, format!("unknown color {:?}", reported.text), hint)
}

pub(super) fn fault(code: &'static str, at: Place, message: String, hint: String) -> Fault {
    Fault { code, severity: Severity::Error, at, path: String::new(), message, hint }
}

pub(super) fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => {
            let mut all = known.to_vec();
            all.sort_unstable();
            all.dedup();
            format!("available: {}", all.join(", "))
        }
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn entries<'v, 't>(table: &'v DeTable<'t>) -> Vec<Entry<'v, 't>> {
    let mut entries: Vec<Entry<'v, 't>> =
        table.iter().map(|(name, value)| (&**name.get_ref(), name.span(), value)).collect();
    entries.sort_by_key(|(_, at, _)| at.start);
    entries
}

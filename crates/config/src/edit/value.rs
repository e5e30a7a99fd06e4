//! Values and their notation.

use granit_parser::ScalarStyle;

use super::lines::column;
use super::syntax::{Shape, Tree};

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A text, quoted if necessary.
    Text(String),
    /// A number or bool, never quoted.
    Plain(String),
    /// A scalar or alias as in the file.
    Written {
        text: String,
        plain: bool,
    },
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

impl PartialEq for Value {
    /// A text matches with or without quotes.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            _ => match (self.scalar(), other.scalar()) {
                (Some((a, a_plain)), Some((b, b_plain))) => {
                    a == b && (a_plain == b_plain || a_plain.is_none() || b_plain.is_none())
                }
                _ => false,
            },
        }
    }
}

impl Value {
    fn scalar(&self) -> Option<(&str, Option<bool>)> {
        match self {
            Self::Text(text) => Some((text, None)),
            Self::Plain(text) => Some((text, Some(true))),
            Self::Written { text, plain } => Some((text, Some(*plain))),
            _ => None,
        }
    }

    fn is_scalar(&self) -> bool {
        self.scalar().is_some()
    }

    pub fn in_flow(&self) -> String {
        match self {
            Self::Text(text) => quoted(text, true, ScalarStyle::Plain),
            Self::Plain(text) | Self::Written { text, .. } => text.clone(),
            Self::List(items) => format!("[{}]", items.iter().map(Self::in_flow).collect::<Vec<_>>().join(", ")),
            Self::Map(entries) => {
                let each = entries.iter().map(|(key, value)| flow_entry(key, value));
                format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
            }
        }
    }

    pub fn in_place(&self, flow: bool, style: ScalarStyle) -> String {
        match self {
            Self::Text(text) => quoted(text, flow, style),
            _ => self.in_flow(),
        }
    }
}

pub(super) fn flow_entry(key: &str, value: &Value) -> String {
    format!("{}: {}", quoted(key, true, ScalarStyle::Plain), value.in_flow())
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TextStyle {
    step: usize,
    list: usize,
    flow_maps: bool,
    flow_lists: bool,
}

impl TextStyle {
    /// The prevailing style of the file; by default two columns, and flow style for short values.
    pub fn of(tree: &Tree<'_>) -> Self {
        let (mut steps, mut lists) = ([0_usize; 9], [0_usize; 9]);
        // For maps, then for lists: flow style, block style.
        let mut short = [[0_usize; 2]; 2];
        for (key, value) in tree.nested() {
            let deeper = column(tree.text, tree.node(value).range.start)
                .saturating_sub(column(tree.text, tree.node(key).range.start));
            let is_scalar = |id: usize| tree.scalar(id).is_some();
            match &tree.node(value).shape {
                Shape::Map { flow, entries } => {
                    if !flow {
                        steps[deeper.min(8)] += 1;
                    }
                    if !entries.is_empty() && entries.iter().all(|(_, value)| is_scalar(*value)) {
                        short[0][usize::from(!flow)] += 1;
                    }
                }
                Shape::List { flow, items } => {
                    if !flow {
                        lists[deeper.min(8)] += 1;
                    }
                    if !items.is_empty() && items.iter().all(|item| is_scalar(*item)) {
                        short[1][usize::from(!flow)] += 1;
                    }
                }
                _ => {}
            }
        }
        let most = |counts: [usize; 9], otherwise: usize| {
            let best = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count);
            best.filter(|(_, count)| **count > 0).map_or(otherwise, |(columns, _)| columns)
        };
        let [flow_maps, flow_lists] = short.map(|[flow, block]| flow >= block);
        Self { step: most(steps, 2).max(1), list: most(lists, 2), flow_maps, flow_lists }
    }

    /// Writes lines, indented at least to `column`, without a final line break.
    pub fn entry(&self, key: &str, value: &Value, column: usize) -> String {
        let key = quoted(key, false, ScalarStyle::Plain);
        format!("{:column$}{key}:{}", "", self.behind_colon(value, column))
    }

    pub fn item(&self, value: &Value, column: usize) -> String {
        let text = match value {
            Value::Map(entries) if !entries.is_empty() => {
                let lines: Vec<String> =
                    entries.iter().map(|(key, value)| self.entry(key, value, column + 2)).collect();
                lines.join("\n")[column + 2..].to_owned()
            }
            Value::Text(text) => quoted(text, false, ScalarStyle::Plain),
            other => other.in_flow(),
        };
        format!("{:column$}- {text}", "")
    }

    pub fn behind_colon(&self, value: &Value, column: usize) -> String {
        let lines: Vec<String> = match value {
            Value::Text(text) => return format!(" {}", quoted(text, false, ScalarStyle::Plain)),
            Value::Map(entries) if !(self.flow_maps && entries.iter().all(|(_, value)| value.is_scalar())) => {
                entries.iter().map(|(key, value)| self.entry(key, value, column + self.step)).collect()
            }
            Value::List(items) if !(self.flow_lists && items.iter().all(Value::is_scalar)) => {
                items.iter().map(|item| self.item(item, column + self.list)).collect()
            }
            other => return format!(" {}", other.in_flow()),
        };
        if lines.is_empty() { format!(" {}", value.in_flow()) } else { format!("\n{}", lines.join("\n")) }
    }
}

/// With its previous quotes, or plain if possible. The reader returns the same text.
pub(super) fn quoted(text: &str, flow: bool, style: ScalarStyle) -> String {
    let plain_enough =
        text.chars().all(|c| !c.is_control() && !matches!(c, '\u{feff}' | '\u{85}' | '\u{2028}' | '\u{2029}'));
    match style {
        ScalarStyle::DoubleQuoted => double_quoted(text),
        _ if !plain_enough => double_quoted(text),
        ScalarStyle::SingleQuoted => single_quoted(text),
        _ if is_plain(text, flow) => text.to_owned(),
        _ => single_quoted(text),
    }
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{85}' | '\u{2028}' | '\u{2029}') => {
                out += &format!("\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

/// For every YAML reader.
fn is_plain(text: &str, flow: bool) -> bool {
    const WORDS: [&str; 8] = ["null", "true", "false", "yes", "no", "on", "off", "~"];
    let first = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '$' | '+' | '(');
    let inner = |c: char| !matches!(c, '#' | ':' | '\t') && (!flow || !matches!(c, ',' | '[' | ']' | '{' | '}'));
    let single = text.len() == 1 && matches!(text, "y" | "Y" | "n" | "N" | ".");
    text.starts_with(first)
        && !text.ends_with(' ')
        && text.chars().all(inner)
        && !single
        && text != "..."
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

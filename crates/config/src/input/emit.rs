//! A structured value as YAML in the notation of Terraform's `yamlencode`, with the origins of its pieces.

use super::hcl::Hcl;
use super::runs::Run;
use crate::fault::{Fault, Faults, Severity};
use crate::types::Place;
use crate::yaml::{Content, DEEPEST, EXPANDED, Node, Style};

/// # Errors
/// The first expression that is not computed (INP-004), or too deep nesting (INP-003).
pub(super) fn text_of(node: Node<'_>, hcl: Option<&Hcl>) -> Result<(String, Vec<Run>), Fault> {
    let mut emitter = Emitter { text: String::new(), line: 1, line_start: 0, runs: Vec::new(), values: 0, hcl };
    emitter.value(node, 0, false)?;
    Ok((emitter.text, emitter.runs))
}

struct Emitter<'h> {
    text: String,
    line: u32,
    line_start: usize,
    runs: Vec<Run>,
    /// Locals in locals could make any number.
    values: usize,
    hcl: Option<&'h Hcl>,
}

impl Emitter<'_> {
    /// `inline`: the first line has started already.
    fn value(&mut self, node: Node<'_>, indent: usize, inline: bool) -> Result<(), Fault> {
        self.values += 1;
        let items = self.items(node).filter(|_| self.values <= EXPANDED);
        let excess = match (indent > 2 * DEEPEST, items.is_none()) {
            (true, _) => Some(format!("values are nested deeper than {DEEPEST} levels here")),
            (_, true) => Some(format!("the locals make more than {EXPANDED} values here")),
            (false, false) => None,
        };
        if let Some(message) = excess {
            let (path, hint) = (String::new(), String::new());
            return Err(Fault { code: "INP-003", severity: Severity::Error, at: node.at(), path, message, hint });
        }
        let silent = &mut Faults::default();
        if matches!(node.document.nodes[node.id as usize].content, Content::Broken) {
            return Err(self
                .hcl
                .map(|hcl| hcl.not_computed(node))
                .unwrap_or_else(|| Hcl::default().not_computed(node)));
        }
        let items = items.unwrap_or_default();
        let fields = if node.is_map() { node.any_map("", "", silent) } else { None };
        if !items.is_empty() {
            for (number, item) in items.into_iter().enumerate() {
                self.margin(indent, inline && number == 0);
                self.text.push_str("- ");
                self.value(item, indent + 2, true)?;
            }
            return Ok(());
        }
        let mut first = true;
        for (key, value) in fields.into_iter().flatten() {
            self.margin(indent, inline && first);
            first = false;
            self.run(key.at);
            self.text.push_str(&word(key.text));
            self.text.push(':');
            if self.is_block(value) {
                self.end_line();
                self.value(value, indent + 2, false)?;
            } else {
                self.text.push(' ');
                self.value(value, indent + 2, true)?;
            }
        }
        if first {
            self.margin(indent, inline);
            self.run(node.at());
            self.text.push_str(&single(node));
            self.end_line();
        }
        Ok(())
    }

    fn items<'n>(&self, node: Node<'n>) -> Option<Vec<Node<'n>>> {
        match self.hcl {
            Some(hcl) => hcl.items(node),
            None if node.is_list() => node.items("", "", &mut Faults::default()),
            None => Some(Vec::new()),
        }
    }

    fn is_block(&self, node: Node<'_>) -> bool {
        let silent = &mut Faults::default();
        self.items(node).is_none_or(|items| !items.is_empty())
            || (node.is_map() && node.any_map("", "", silent).is_some_and(|fields| fields.into_iter().next().is_some()))
    }

    fn margin(&mut self, indent: usize, inline: bool) {
        if !inline {
            self.text.push_str(&" ".repeat(indent));
        }
    }

    fn run(&mut self, outer: Place) {
        let column = self.text[self.line_start..].chars().count() + 1;
        let inner = Place { line: self.line, column: u32::try_from(column).unwrap_or(u32::MAX) };
        self.runs.push(Run { inner, outer });
    }

    fn end_line(&mut self) {
        self.text.push('\n');
        (self.line, self.line_start) = (self.line + 1, self.text.len());
    }
}

fn single(node: Node<'_>) -> String {
    match node.scalar() {
        Some(scalar) if scalar.style == Style::Plain => scalar.text.to_owned(),
        Some(scalar) => quoted(scalar.text),
        None if node.is_list() => "[]".to_owned(),
        None => "{}".to_owned(),
    }
}

/// A key, quoted only if necessary.
fn word(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte));
    if plain { text.to_owned() } else { quoted(text) }
}

/// JSON escapes like YAML in double quotes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! HCL text → tree. Expressions are stored as their source.

mod calls;

use super::super::places::Lines;
use super::Hcl;
use super::heredoc::{heredoc, template};
use crate::fault::{Fault, Severity};
use crate::yaml::{DEEPEST, Style, TreeMaker};

/// # Errors
/// INP-003 with its location: an open bracket or quote, an unexpected token, or too deep nesting.
pub(in crate::input) fn parse(lines: &Lines<'_>) -> Result<Hcl, Fault> {
    let mut parser =
        Parser { text: lines.text, lines, at: 0, depth: 0, tree: TreeMaker::default(), hcl: Hcl::default() };
    let root = parser.body(false)?;
    let Parser { tree, hcl, .. } = parser;
    let mut hcl = Hcl { document: tree.finish(root), ..hcl };
    hcl.resolve_locals();
    Ok(hcl)
}

struct Parser<'t> {
    text: &'t str,
    lines: &'t Lines<'t>,
    at: usize,
    depth: usize,
    tree: TreeMaker,
    hcl: Hcl,
}

type Parsed<T> = Result<T, Fault>;

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    fn fault<T>(&self, at: usize, message: &str) -> Parsed<T> {
        let hint =
            "kornsole reads objects, lists, strings, heredocs, yamlencode(), and locals of Terraform files".to_owned();
        let (at, path) = (self.lines.place(at), String::new());
        Err(Fault { code: "INP-003", severity: Severity::Error, at, path, message: message.to_owned(), hint })
    }

    fn space(&mut self, breaks: bool) {
        loop {
            let rest = self.rest();
            let skipped = if rest.starts_with('#') || rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |at| at + 2)
            } else {
                let is_blank = |c: char| c == ' ' || c == '\t' || c == '\r' || c == '\u{feff}' || (breaks && c == '\n');
                rest.find(|c| !is_blank(c)).unwrap_or(rest.len())
            };
            if skipped == 0 {
                return;
            }
            self.at += skipped;
        }
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let name = rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].to_owned();
        self.at += name.len();
        name
    }

    fn body(&mut self, inside: bool) -> Parsed<u32> {
        let start = self.at;
        self.deeper()?;
        let mut entries = Vec::new();
        loop {
            self.space(true);
            match self.byte() {
                0 if self.at >= self.text.len() && !inside => break,
                0 if self.at >= self.text.len() => return self.fault(start, "this block is not closed"),
                b'}' if inside => {
                    self.at += 1;
                    break;
                }
                _ => self.statement(&mut entries)?,
            }
        }
        self.depth -= 1;
        Ok(self.tree.map(self.lines.place(start), &entries))
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fault(self.at, &format!("blocks and values are nested deeper than {DEEPEST} levels here"));
        }
        Ok(())
    }

    fn statement(&mut self, entries: &mut Vec<(u32, u32)>) -> Parsed<()> {
        let (start, at) = (self.at, self.lines.place(self.at));
        let name = self.name();
        if name.is_empty() {
            return self.fault(start, "expected a name and `=`, or a block");
        }
        let key = self.tree.scalar(&name, Style::Plain, at, at);
        self.space(false);
        if self.byte() == b'=' {
            self.at += 1;
            self.space(false);
            let value = self.value(true)?;
            entries.push((key, value));
            return Ok(());
        }
        let mut labels = Vec::new();
        loop {
            self.space(false);
            match self.byte() {
                b'{' => break,
                b'"' => {
                    let from = self.at;
                    self.quoted()?;
                    labels.push(self.text[from..self.at].trim_matches('"').to_owned());
                }
                _ => match self.name() {
                    label if label.is_empty() => return self.fault(self.at, "expected `=` or `{`"),
                    label => labels.push(label),
                },
            }
        }
        self.at += 1;
        let body = self.body(true)?;
        if name == "locals" {
            self.remember_locals(body);
        }
        // The resource type determines the Kubernetes object.
        if labels.first().is_some_and(|label| label.starts_with("kubernetes_config_map")) {
            let (kind, map) =
                (self.tree.scalar("kind", Style::Plain, at, at), self.tree.scalar("ConfigMap", Style::Plain, at, at));
            let members = self.tree.entries(body).into_iter().chain([(kind, map)]).collect::<Vec<_>>();
            let object = self.tree.map(at, &members);
            entries.push((key, object));
            return Ok(());
        }
        entries.push((key, body));
        Ok(())
    }

    fn remember_locals(&mut self, body: u32) {
        for (key, value) in self.tree.entries(body) {
            self.hcl.locals.insert(self.tree.text(key), (key, value));
        }
    }

    /// `line`: it ends with its line, as everywhere except in brackets.
    fn value(&mut self, line: bool) -> Parsed<u32> {
        let (start, first) = (self.at, self.tree.next());
        self.deeper()?;
        let node = self.primary()?;
        self.depth -= 1;
        let heredoc = self.text[start..].starts_with("<<");
        self.space(!line && !heredoc);
        let ends = matches!(self.byte(), b'\n' | b',' | b'}' | b']' | b')' | 0);
        match node {
            Some(node) if ends => Ok(node),
            _ => {
                // Only the whole expression has an effect.
                self.hcl.expressions.split_off(&first);
                self.expression(start, line)
            }
        }
    }

    /// `None` for another expression.
    fn primary(&mut self) -> Parsed<Option<u32>> {
        let (start, at) = (self.at, self.lines.place(self.at));
        match self.byte() {
            b'"' => {
                let text = self.quoted()?;
                let content = self.lines.place(start + 1);
                Ok(text.map(|text| self.tree.scalar(&text, Style::Quoted, at, content)))
            }
            b'<' => self.heredoc(),
            b'[' => self.list(),
            b'{' => self.object(),
            _ => {
                let word = self.word();
                match word.as_str() {
                    "true" | "false" | "null" => Ok(Some(self.tree.scalar(&word, Style::Plain, at, at))),
                    "yamlencode" | "jsonencode" => self.call(true),
                    // What these make of a text has the same configuration.
                    "yamldecode" | "jsondecode" | "trimspace" | "chomp" => self.call(false),
                    "concat" => self.concat(),
                    _ if word.parse::<f64>().is_ok() => Ok(Some(self.tree.scalar(&word, Style::Plain, at, at))),
                    _ => Ok(None),
                }
            }
        }
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || "_-.+".contains(c);
        let word = rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].to_owned();
        self.at += word.len();
        word
    }

    fn heredoc(&mut self) -> Parsed<Option<u32>> {
        let at = self.lines.place(self.at);
        let Some(found) = heredoc(self.text, self.at) else { return self.fault(self.at, "this heredoc is not closed") };
        self.at = found.end;
        let mut content = self.lines.place(found.start);
        content.column += u32::try_from(found.margin).unwrap_or_default();
        Ok(Some(self.tree.scalar(&found.text, found.style, at, content)))
    }

    fn list(&mut self) -> Parsed<Option<u32>> {
        let (start, mut items) = (self.at, Vec::new());
        self.at += 1;
        loop {
            self.space(true);
            match self.byte() {
                b']' => break,
                0 => return self.fault(start, "this list is not closed"),
                _ => items.push(self.value(false)?),
            }
            self.space(true);
            match self.byte() {
                b',' => self.at += 1,
                b']' => break,
                _ => return self.fault(self.at, "expected `,` or `]`"),
            }
        }
        self.at += 1;
        Ok(Some(self.tree.list(self.lines.place(start), &items)))
    }

    fn object(&mut self) -> Parsed<Option<u32>> {
        let (start, mut entries) = (self.at, Vec::new());
        self.at += 1;
        loop {
            self.space(true);
            let at = self.lines.place(self.at);
            let key = match self.byte() {
                b'}' => break,
                0 => return self.fault(start, "this object is not closed"),
                b'"' => self.quoted()?.unwrap_or_default(),
                b'(' => {
                    let from = self.at;
                    self.bracket()?;
                    self.text[from..self.at].to_owned()
                }
                _ => self.word(),
            };
            self.space(true);
            if key == "for" || !matches!(self.byte(), b'=' | b':') {
                self.at = start;
                self.bracket()?;
                return Ok(None);
            }
            self.at += 1;
            self.space(false);
            let key = self.tree.scalar(&key, Style::Quoted, at, at);
            let value = self.value(true)?;
            entries.push((key, value));
            self.space(true);
            if self.byte() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Ok(Some(self.tree.map(self.lines.place(start), &entries)))
    }

    /// `None` if it has a template.
    fn quoted(&mut self) -> Parsed<Option<String>> {
        let start = self.at;
        let inside = self.skip_quoted()?;
        if template(inside.as_str()).is_some() {
            return Ok(None);
        }
        let mut text = String::new();
        let mut chars = inside.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    Some(symbol @ ('u' | 'U')) => {
                        let digits: String = chars.by_ref().take(if symbol == 'u' { 4 } else { 8 }).collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        let Some(code) = code else { return self.fault(start, "this text has an invalid escape") };
                        text.push(code);
                    }
                    Some(c) => text.push(c),
                    None => {}
                },
                c => text.push(c),
            }
        }
        Ok(Some(text.replace("$${", "${").replace("%%{", "%{")))
    }

    /// Includes quotes inside its templates; returns the content.
    fn skip_quoted(&mut self) -> Parsed<String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let (mut at, mut templates) = (start + 1, 0_usize);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\n' if templates == 0 => break,
                b'$' | b'%' if bytes.get(at + 1) == Some(&b'{') && bytes[at - 1] != *byte => {
                    templates += 1;
                    at += 1;
                }
                b'}' if templates > 0 => templates -= 1,
                b'"' if templates == 0 => {
                    self.at = at + 1;
                    return Ok(self.text.get(start + 1..at).unwrap_or_default().to_owned());
                }
                _ => {}
            }
            at += 1;
        }
        self.fault(start, "this quote is not closed")
    }

    fn bracket(&mut self) -> Parsed<()> {
        let (start, mut open) = (self.at, 0_usize);
        while self.at < self.text.len() {
            self.space(true);
            match self.byte() {
                b'"' => drop(self.skip_quoted()?),
                b'<' if heredoc(self.text, self.at).is_some() => {
                    self.at = heredoc(self.text, self.at).map_or(self.at, |found| found.end)
                }
                b'(' | b'[' | b'{' => (open, self.at) = (open + 1, self.at + 1),
                b')' | b']' | b'}' => {
                    (open, self.at) = (open.saturating_sub(1), self.at + 1);
                    if open == 0 {
                        return Ok(());
                    }
                }
                _ => self.at += self.rest().chars().next().map_or(1, char::len_utf8),
            }
        }
        self.fault(start, "this bracket is not closed")
    }

    fn expression(&mut self, start: usize, line: bool) -> Parsed<u32> {
        self.at = start;
        while self.at < self.text.len() {
            self.space(!line);
            match self.byte() {
                b'"' => drop(self.skip_quoted()?),
                b'(' | b'[' | b'{' => self.bracket()?,
                b',' | b')' | b']' | b'}' | b'\n' => break,
                _ => self.at += self.rest().chars().next().map_or(0, char::len_utf8),
            }
        }
        let node = self.tree.unknown(self.lines.place(start));
        let source = self.text.get(start..self.at).unwrap_or_default().trim().to_owned();
        self.hcl.expressions.insert(node, source);
        Ok(node)
    }
}

//! Terraform files: HCL as a tree. Only `yamlencode`, `jsonencode`, `file`, and locals of the same file are computed.

mod heredoc;
mod locals;
mod parse;

use std::collections::{BTreeMap, BTreeSet};

use self::parse::parse;
use super::Reference;
use super::entry::encoded;
use super::layers::Value;
use super::places::{Lines, Places};
use super::walk::Text;
use crate::fault::{Fault, Faults, Severity};
use crate::types::Place;
use crate::yaml::{Document, EXPANDED, Node};

const SHOWN: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Hcl {
    pub document: Document,
    /// The sources of the expressions that are not computed, by their nodes.
    expressions: BTreeMap<u32, String>,
    /// Values that `yamlencode` or `jsonencode` converts to text.
    encoded: BTreeSet<u32>,
    /// The nodes of their names and values.
    locals: BTreeMap<String, (u32, u32)>,
    /// Lists of the lists that `concat` joins.
    joined: BTreeSet<u32>,
    /// Values whose own locals have their values.
    resolved: BTreeSet<u32>,
    /// Values of locals that are read where they are named.
    used: BTreeSet<u32>,
    /// Why a local has no value, by the nodes that name it.
    endless: BTreeMap<u32, String>,
}

impl Hcl {
    /// The text of an entry that is not a text in the source.
    pub fn value(&self, text: &Text<'_>, key: &str, node: Node<'_>) -> Value {
        let Some(source) = self.expressions.get(&node.id) else {
            if self.encoded.contains(&node.id) {
                return encoded(text, node);
            }
            let hint = format!("write it as a text: yamlencode({{…}}) or a heredoc, or as `{key}: |` in YAML");
            return faulty("CFG-005", node.at(), format!("`{key}` is {}, not a text", node.kind()), hint);
        };
        if let Some(path) = file_of(source) {
            return Value::File(path);
        }
        Value::Faulty(Box::new(self.not_computed(node)))
    }

    /// The items of a list; those of `concat` are the items of its lists, and what is not computed. `None`: too many.
    pub fn items<'n>(&self, node: Node<'n>) -> Option<Vec<Node<'n>>> {
        let (mut all, mut left) = (Vec::new(), EXPANDED);
        self.join(node, &mut all, &mut left);
        (left > 0).then_some(all)
    }

    fn join<'n>(&self, list: Node<'n>, all: &mut Vec<Node<'n>>, left: &mut usize) {
        let items = if list.is_list() { list.items("", "", &mut Faults::default()) } else { None };
        for item in items.into_iter().flatten() {
            if *left == 0 {
                return;
            }
            *left -= 1;
            if self.joined.contains(&list.id) && item.is_list() {
                self.join(item, all, left);
            } else {
                all.push(item);
            }
        }
    }

    /// Whether it is the value of a local that is read elsewhere.
    pub fn is_used(&self, node: Node<'_>) -> bool {
        self.used.contains(&node.id)
    }

    /// The source of an expression that is not computed.
    pub fn source(&self, node: Node<'_>) -> Option<&str> {
        self.expressions.get(&node.id).map(String::as_str)
    }

    /// The files in expressions, for example values of a release.
    pub fn files(&self) -> Vec<Reference> {
        let mut files: Vec<Reference> = Vec::new();
        for (id, source) in &self.expressions {
            let Some(at) = self.document.nodes.get(*id as usize).map(|node| node.at) else { continue };
            // Also `templatefile("…", {…})`, and a file inside another call.
            for (start, call) in source.match_indices("file(\"") {
                let name = source.get(start + call.len()..).and_then(|rest| rest.split('"').next());
                // A call and its argument are both expressions.
                let path = name.and_then(path_of).filter(|path| files.iter().all(|known| known.path != *path));
                let template = source.get(..start).is_some_and(|before| before.ends_with("template"));
                files.extend(path.map(|path| Reference { path, at, plain: false, template, rival: true }));
            }
        }
        files
    }

    /// The only file that an expression names, and whether Terraform replaces its placeholders.
    pub fn file_in(source: &str) -> Option<(String, bool)> {
        const CALLS: [&str; 6] = ["file(", "templatefile(", "yamldecode(", "yamlencode(", "trimspace(", "chomp("];
        CALLS.iter().find(|call| source.starts_with(**call))?;
        let (before, after) = source.split_once("file(\"")?;
        let path = path_of(after.split('"').next()?)?;
        Some((path, before.ends_with("template")))
    }

    /// The error of an expression.
    pub fn not_computed(&self, node: Node<'_>) -> Fault {
        let source = self.source(node).unwrap_or("an expression");
        match self.endless.get(&node.id) {
            Some(why) => {
                let hint = "Terraform refuses locals in a circle; write one of the values out".to_owned();
                super::refusal(node.at(), "INP-004", why, hint)
            }
            None => not_computed(source, node.at()),
        }
    }
}

pub(super) fn templated(text: &str, offset: usize, places: &Places) -> Fault {
    let source = text.get(offset..).unwrap_or_default().lines().next().unwrap_or_default();
    let source = source.split_inclusive('}').next().unwrap_or_default();
    not_computed(source, places.outer(Lines::of(text).place(offset)))
}

fn not_computed(source: &str, at: Place) -> Fault {
    let short: String = source.chars().take(SHOWN).collect();
    let more = if short.len() < source.len() { "…" } else { "" };
    let message = format!("only Terraform can evaluate `{}{more}`", short.replace('\n', " "));
    let hint = "print the value with `terraform console` or `terraform show -json`, and check that text".to_owned();
    Fault { code: "INP-004", severity: Severity::Error, at, path: String::new(), message, hint }
}

fn faulty(code: &'static str, at: Place, message: String, hint: String) -> Value {
    Value::Faulty(Box::new(Fault { code, severity: Severity::Error, at, path: String::new(), message, hint }))
}

/// If the call is the whole expression.
fn argument<'s>(source: &'s str, function: &str) -> Option<&'s str> {
    let inner = source.strip_prefix(function)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    Some(inner.trim())
}

/// The file in `file("…")`, next to the file that names it.
fn file_of(source: &str) -> Option<String> {
    path_of(argument(source, "file")?.strip_prefix('"')?.strip_suffix('"')?)
}

/// `None` if Terraform must compute it.
fn path_of(name: &str) -> Option<String> {
    let name = name.strip_prefix("${path.module}/").unwrap_or(name);
    (!name.contains(['$', '"', '\\'])).then(|| name.trim_start_matches("./").to_owned())
}

/// The first statement is a block, or a name with `=`.
pub(super) fn is_hcl(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        rest = if rest.starts_with('#') || rest.starts_with("//") {
            rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start()
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, rest)| rest).trim_start()
        } else {
            break;
        };
    }
    let line = rest.lines().next().unwrap_or_default().trim_end();
    let name = line.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)).count();
    let (name, after) = line.split_at(name);
    let after = after.trim_start();
    if name.is_empty() || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    let labels = after.split_once('{').map(|(labels, _)| labels);
    let is_block = labels.is_some_and(|labels| labels.chars().all(|c| c.is_alphanumeric() || "\"_- .\t".contains(c)));
    is_block || (after.starts_with('=') && !after.starts_with("=="))
}

/// # Errors
/// INP-003: unsupported HCL, or too deep nesting.
pub(super) fn read(text: &str) -> Result<Hcl, Fault> {
    parse(&Lines::of(text))
}

//! Placeholders that a tool replaces before YuniKorn reads a text: `{{ … }}` of Helm and ApplicationSets, `${…}` of
//! Terraform and shells.
//!
//! Invariant: what can be a part of a valid configuration (a description, a regular expression) is none.

use super::hcl;
use super::places::{Lines, Places};
use super::refusal;
use crate::fault::{Fault, Faults, Severity};
use crate::types::Place;
use crate::yaml::{self, Document, Node, Style};

/// `limit` of a limit is a description, and a filter has regular expressions.
const FREE: [&str; 2] = ["limit", "filter"];
const SHOWN: usize = 60;
const LONGEST: usize = 400;

/// What makes the text of an input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker {
    Terraform,
    ApplicationSet,
    Other,
}

/// The first one outside of comments in the text of a configuration.
pub(super) fn unexpanded(text: &str, maker: Maker, places: &Places) -> Option<Fault> {
    if !["{{", "${", "%{"].iter().any(|start| text.contains(start)) {
        return None;
    }
    let of_terraform = || visible(text, |rest| rest.starts_with("${") || rest.starts_with("%{"));
    if maker == Maker::Terraform
        && let Some(offset) = of_terraform()
    {
        return Some(hcl::templated(text, offset, places));
    }
    let mut faults = Faults::default();
    let documents = yaml::parse_all(text, &mut faults);
    let offset = match faults.into_sorted().iter().find(|fault| fault.severity == Severity::Error) {
        Some(fault) => of_invalid(text, fault.at),
        None => documents.iter().find_map(|document| of_tree(&Lines::of(text), document)),
    };
    offset.map(|offset| fault(text, offset, maker, places))
}

/// The first one in a text that is not YAML, which it probably explains.
fn of_invalid(text: &str, error: Place) -> Option<usize> {
    let braces = visible(text, is_braces);
    braces.or_else(|| {
        let variable = visible(text, is_variable)?;
        // Other texts of the file may have variables of scripts.
        (Lines::of(text).place(variable).line == error.line).then_some(variable)
    })
}

/// The error of the one at this offset.
fn fault(text: &str, offset: usize, maker: Maker, places: &Places) -> Fault {
    let rest = text.get(offset..).unwrap_or_default();
    let end = if rest.starts_with("{{") { "}}" } else { "}" };
    let source: String = rest.lines().next().unwrap_or_default().chars().take(SHOWN).collect();
    let source = source.find(end).map_or(source.as_str(), |at| &source[..at + end.len()]);
    let at = places.outer(Lines::of(text).place(offset));
    let (code, message, hint) = match (end, maker) {
        ("}}", Maker::ApplicationSet) => (
            "INP-004",
            format!("only Argo CD can evaluate `{source}` of the ApplicationSet"),
            "render it first: argocd appset generate FILE -o yaml | kornsole check -",
        ),
        ("}}", _) => (
            "INP-005",
            format!("the input is a Helm template, which only Helm evaluates: `{source}`"),
            "render it first: helm template RELEASE CHART -f values.yaml | kornsole check -",
        ),
        _ => (
            "INP-004",
            format!("the text has the variable `{source}`, which is not substituted"),
            "substitute variables first: envsubst < FILE | kornsole check - (Flux: flux build kustomization)",
        ),
    };
    refusal(at, code, &message, hint.to_owned())
}

fn of_tree(lines: &Lines<'_>, document: &Document) -> Option<usize> {
    document.root().and_then(|root| of_node(lines, root, false))
}

/// `free`: any text is valid.
fn of_node(lines: &Lines<'_>, node: Node<'_>, free: bool) -> Option<usize> {
    let silent = &mut Faults::default();
    if node.is_list() {
        return node.items("", "", silent)?.into_iter().find_map(|item| of_node(lines, item, free));
    }
    if node.is_map() {
        return node.any_map("", "", silent)?.into_iter().find_map(|(key, value)| {
            let own = of_text(lines, key.text, key.at, free);
            // A property may have any text, but no template of Helm.
            let is_property = key.text == "properties";
            own.or_else(|| match is_property {
                true => of_node(lines, value, free).filter(|at| lines.text[*at..].starts_with("{{")),
                false => of_node(lines, value, free || (FREE.contains(&key.text) && is_leaf_of_limit(key.text, value))),
            })
        });
    }
    let scalar = node.scalar()?;
    let at = if scalar.style == Style::Plain { node.at() } else { scalar.content };
    of_text(lines, scalar.text, at, free)
}

fn is_leaf_of_limit(key: &str, value: Node<'_>) -> bool {
    key != "limit" || value.scalar().is_some()
}

fn of_text(lines: &Lines<'_>, text: &str, at: Place, free: bool) -> Option<usize> {
    if free {
        return None;
    }
    let is_one = |rest: &str| is_braces(rest) || is_variable(rest);
    let first = text.char_indices().map(|(at, _)| at).find(|at| is_one(&text[*at..]))?;
    let start = lines.offset(at)?;
    let source = lines.text.get(start..)?;
    // The same one in the source, where a folded text has other offsets.
    let name: String = text[first..].chars().take(2).collect();
    let shift = source.match_indices(name.as_str()).map(|(at, _)| at).find(|at| is_one(&source[*at..]));
    shift.map(|shift| start + shift)
}

/// `{{ … }}` with what a template language has inside, unlike a flow map in a flow map.
fn is_braces(rest: &str) -> bool {
    let Some(inside) = rest.strip_prefix("{{") else { return false };
    let inside = inside.strip_prefix('-').unwrap_or(inside).trim_start_matches([' ', '\t']);
    let starts = inside.starts_with(|c: char| c.is_alphabetic() || "_.$\"(/`".contains(c));
    let Some(inside) = starts.then(|| until(inside, "}}")).flatten() else { return false };
    let word = inside.trim_start_matches(|c: char| c.is_alphanumeric() || "_-".contains(c));
    !word.starts_with(':') || word.starts_with(":=")
}

/// `${NAME}`, also with a default value.
fn is_variable(rest: &str) -> bool {
    let Some(inside) = rest.strip_prefix("${") else { return false };
    let starts = inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && until(inside, "}").is_some_and(|inside| !inside.contains(['\n', '{']))
}

/// Near: a text of only `{{a` must not take a time that grows with its square.
fn until<'t>(rest: &'t str, close: &str) -> Option<&'t str> {
    let near = rest.as_bytes().get(..rest.len().min(LONGEST))?;
    let end = near.windows(close.len()).position(|bytes| bytes == close.as_bytes())?;
    rest.get(..end)
}

/// The first offset outside of comments at which a placeholder starts.
fn visible(text: &str, starts: impl Fn(&str) -> bool) -> Option<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (mut quote, mut before) = (None, ' ');
        for (at, c) in line.char_indices() {
            match (quote, c) {
                (None, '#') if before.is_whitespace() => break,
                (None, '"' | '\'') if before.is_whitespace() || "[{,:".contains(before) => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                _ => {}
            }
            let is_escaped = before == c && "$%".contains(c);
            if "{$%".contains(c) && !is_escaped && starts(&text[start + at..]) {
                return Some(start + at);
            }
            before = c;
        }
        start += line.len();
    }
    None
}

//! Rejected edits as errors with a location.

use super::syntax::Tree;
use crate::fault::{Fault, Severity};
use crate::types::Place;

#[derive(Clone, Copy, Debug)]
pub(super) struct EditFaults<'a> {
    /// The edited queue or partition.
    pub path: &'a str,
}

impl EditFaults<'_> {
    pub fn fault(self, code: &'static str, at: Place, message: impl Into<String>, hint: impl Into<String>) -> Fault {
        let (path, message, hint) = (self.path.to_owned(), message.into(), hint.into());
        Fault { code, severity: Severity::Error, at, path, message, hint }
    }

    /// EDT-001: the object to change does not exist.
    pub fn missing(self, at: Place, message: impl Into<String>, hint: impl Into<String>) -> Fault {
        self.fault("EDT-001", at, message, hint)
    }

    /// EDT-002: the value comes from another place through an alias.
    pub fn alias(self, tree: &Tree<'_>, what: &str, alias: usize, written: Option<usize>) -> Fault {
        let at = tree.place(alias);
        let name = alias_name(tree.text, alias);
        let origin = written.map_or_else(String::new, |at| format!(", from line {}", tree.place(at).line));
        let message = format!("{what} comes from the alias `{name}`{origin}");
        self.fault("EDT-002", at, message, "write the values here first, or change them at the anchor")
    }

    /// EDT-003: aliases use the value elsewhere too.
    pub fn shared(self, tree: &Tree<'_>, what: &str, at: usize, alias: usize) -> Fault {
        let (name, line) = (alias_name(tree.text, alias), tree.place(alias).line);
        let message = format!("{what} contains the value of the alias `{name}` on line {line}: both would change");
        self.fault(
            "EDT-003",
            tree.place(at),
            message,
            "replace the alias by its values first, or edit the file by hand",
        )
    }

    /// EDT-004: the notation cannot be changed without rewriting more.
    pub fn form(self, at: Place, message: impl Into<String>) -> Fault {
        self.fault("EDT-004", at, message, "edit the file by hand")
    }

    /// EDT-005: the new value is invalid.
    pub fn value(self, message: impl Into<String>, hint: impl Into<String>) -> Fault {
        self.fault("EDT-005", Place::default(), message, hint)
    }
}

fn alias_name(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}')).unwrap_or(rest.len());
    &rest[..end]
}

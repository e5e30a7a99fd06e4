//! A placement rule in all its notations (PLC-013), for the warnings.

use super::{Fields, Node, Place, fields, is_true, list, text_of};
use crate::passes::FilterNames;
use crate::values::placement_rule::is_qualified;
use crate::values::{FilterType, RuleKind};
use model::Profile;

pub(super) struct Rule<'d> {
    pub at: Place,
    pub kind: Option<RuleKind>,
    name: &'d str,
    value: &'d str,
    pub create: bool,
    pub filter: Option<Fields<'d>>,
    pub parent: Option<Box<Self>>,
}

impl<'d> Rule<'d> {
    pub fn of(node: Node<'d>) -> Option<Self> {
        if let Some(text) = node.scalar().map(|scalar| scalar.text) {
            let (name, value) = if is_qualified(text) { (RuleKind::Fixed.name(), text) } else { (text, "") };
            let kind = RuleKind::read(name, Profile::Kornsole);
            return Some(Self { at: node.at(), kind, name, value, create: false, filter: None, parent: None });
        }
        let written = match node.list("parent", "", &mut super::Faults::default()) {
            Some(many) => fields(*many.first().filter(|_| many.len() == 1)?)?,
            None => fields(node)?,
        };
        let name = text_of(written, "name").unwrap_or_default();
        Some(Self {
            at: written.at(),
            kind: RuleKind::read(name, Profile::Kornsole),
            name,
            value: text_of(written, "value").unwrap_or_default(),
            create: is_true(written, "create"),
            filter: written.get("filter").and_then(fields),
            parent: written.get("parent").and_then(Self::of).map(Box::new),
        })
    }

    /// From the innermost parent outwards, as the reader names it.
    pub fn label(&self, index: usize) -> String {
        let mut names: Vec<&str> = std::iter::successors(Some(self), |rule| rule.parent.as_deref())
            .map(|rule| if rule.name.is_empty() { "?" } else { rule.name })
            .collect();
        names.reverse();
        format!("rule {} ({})", index + 1, names.join("->"))
    }

    pub fn is_of_namespace(&self) -> bool {
        self.kind == Some(RuleKind::Tag) && self.value.eq_ignore_ascii_case("namespace")
    }

    pub fn needs_namespace(&self) -> bool {
        self.is_of_namespace() || self.parent.as_ref().is_some_and(|parent| parent.needs_namespace())
    }

    /// The path as far as the file gives it, and whether that is all of it.
    pub fn path(&self) -> (String, bool) {
        let (above, is_whole) = self.parent.as_ref().map_or_else(|| ("root".to_owned(), true), |parent| parent.path());
        match self.kind {
            Some(RuleKind::Fixed) if is_qualified(self.value) => (self.value.to_ascii_lowercase(), true),
            Some(RuleKind::Fixed) if is_whole => (format!("{above}.{}", self.value.to_ascii_lowercase()), true),
            _ => (above, false),
        }
    }
}

/// `None` if the releases read the type in another way (PLC-051).
pub(super) fn names_of(filter: Fields<'_>) -> Option<FilterNames<'_>> {
    let kind = text_of(filter, "type").unwrap_or_default();
    let denies = FilterType::text_denies(kind, true);
    let written = |key| list(filter, key).into_iter().filter(|name| !name.is_null());
    let names = |key| written(key).filter_map(|name| Some(name.scalar()?.text)).collect();
    let names = FilterNames { denies, users: names("users"), groups: names("groups") };
    (denies == FilterType::text_denies(kind, false)).then_some(names)
}

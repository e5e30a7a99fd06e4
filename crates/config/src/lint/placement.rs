//! W-004 to W-006: placement rules that match all or none, are never reached, or create queues without a maximum.

use super::rule::{Rule, names_of};
use super::{Lint, Queue, fields, is_true, list, text_of};
use crate::node::Fields;
use crate::passes::Share;
use crate::values::RuleKind;
use model::Acl;
use model::acl::AclNames;
use model::name::NameChars;

/// Of configured queues, for the queues that a rule creates or selects.
#[derive(Clone, Copy, Default)]
pub(super) struct Bounds {
    maximum: bool,
    /// Whether its template has one; `None` without a template.
    template: Option<bool>,
    parent: bool,
    /// All users have submit access.
    is_open: bool,
}

impl Lint {
    pub(super) fn note_bounds(&mut self, queue: Queue<'_, '_>) {
        let has_max = |of: Fields<'_>| {
            let max = of.get("resources").and_then(fields).and_then(|resources| resources.get("max"));
            max.and_then(fields).is_some_and(|max| max.into_iter().next().is_some())
        };
        let template = queue.fields.get("childtemplate").and_then(fields).filter(|template| !is_empty(*template));
        let parent = !list(queue.fields, "queues").is_empty() || is_true(queue.fields, "parent");
        let above = queue.above.and_then(|above| self.bounds.get(&above.path.to_ascii_lowercase()));
        let is_open = above.is_some_and(|above| above.is_open) || is_open(queue.fields);
        let bounds = Bounds { maximum: has_max(queue.fields), template: template.map(has_max), parent, is_open };
        self.bounds.insert(queue.path.to_ascii_lowercase(), bounds);
    }

    pub(super) fn rules(&mut self, partition: Fields<'_>, name: &str, nth: usize) {
        let mut first: Option<(usize, &str)> = None;
        let rules = list(partition, "placementrules").into_iter().filter(|node| node.is_map()).filter_map(Rule::of);
        for (index, rule) in rules.enumerate() {
            let (label, path) = (rule.label(index), format!("partitions[{nth}].placementrules[{index}]"));
            self.filters(&rule, &label, &path, false);
            if let Some((first, what)) = first {
                let message = format!("{label} is never reached: rule {} places every {what}", first + 1);
                let hint = "move it before that rule, add a filter to that rule, or remove it";
                self.warn("W-005", rule.at, &path, message, hint);
                continue;
            }
            self.created(&rule, name);
            // Other applications have no tag for a namespace.
            let what = if rule.needs_namespace() { "application of a pod" } else { "application" };
            first = (self.matches_all(&rule, false) && self.is_open(&rule.path().0)).then_some((index, what));
        }
    }

    /// W-004: passes all users or none.
    fn filters(&mut self, rule: &Rule<'_>, label: &str, path: &str, is_of_parent: bool) {
        if let Some(filter) = rule.filter
            && let Some(names) = names_of(filter)
            && let Some((message, hint)) = names.message(is_of_parent, NameChars::Wide, &mut self.compiler)
        {
            self.warn("W-004", filter.at(), path, format!("{label}: {message}"), &hint);
        }
        if let Some(parent) = &rule.parent {
            self.filters(parent, label, path, true);
        }
    }

    /// W-006: creates unbounded queues.
    fn created(&mut self, rule: &Rule<'_>, name: &str) {
        let (path, is_one) = rule.path();
        if !rule.create || (is_one && self.bounds.contains_key(&path)) {
            return;
        }
        // What exists of the path is the parent of what is created.
        let above = ancestors(&path).skip(usize::from(is_one));
        let parent = above.clone().find(|path| self.bounds.contains_key(*path)).unwrap_or("root");
        let bounds = |path: &str| self.bounds.get(path).copied().unwrap_or_default();
        // The nearest template hides the others.
        let template = above.clone().find_map(|path| bounds(path).template);
        if template == Some(true) || above.clone().any(|path| bounds(path).maximum) {
            return;
        }
        let of_namespace = if rule.is_of_namespace() { ", or the quota of each namespace" } else { "" };
        let (message, hint) = if is_one {
            let message = format!("{path}, which this rule creates, has no maximum");
            let hint =
                format!("configure {path} with `resources.max`, or set `resources.max` in `childtemplate` of {parent}");
            (message, hint)
        } else {
            let message = format!("queues that this rule creates below {path} have no maximum");
            let of_parent = if parent == "root" { String::new() } else { format!(", or a maximum for {parent}") };
            (message, format!("set `resources.max` in `childtemplate` of {parent}{of_parent}{of_namespace}"))
        };
        self.warn("W-006", rule.at, name, message, &hint);
    }

    /// Apart from submit access. Gives a leaf or a parent.
    fn matches_all(&mut self, rule: &Rule<'_>, for_child: bool) -> bool {
        let passes_all = |filter| {
            names_of(filter).is_some_and(|names| names.passing(NameChars::Wide, &mut self.compiler) == Share::All)
        };
        let unfiltered = rule.filter.is_none_or(passes_all);
        let parent_matches = rule.parent.as_ref().is_none_or(|parent| self.matches_all(parent, true));
        let exists = |path: &str| match self.bounds.get(path) {
            Some(bounds) => for_child || !bounds.parent,
            None => for_child && path == "root",
        };
        let (path, is_one) = rule.path();
        let gives = match rule.kind {
            Some(RuleKind::Fixed) if is_one && self.bounds.contains_key(&path) => exists(&path),
            Some(RuleKind::Fixed) => rule.create || (is_one && exists(&path)),
            Some(RuleKind::User) => rule.create,
            // Each pod has a namespace.
            Some(RuleKind::Tag) => rule.create && rule.is_of_namespace(),
            _ => false,
        };
        unfiltered && parent_matches && gives
    }

    /// Whether the nearest configured queue has submit access for all users (PLC-061, PLC-063).
    fn is_open(&self, path: &str) -> bool {
        ancestors(path).find_map(|path| self.bounds.get(path)).is_some_and(|bounds| bounds.is_open)
    }
}

/// Including the path.
fn ancestors(path: &str) -> impl Iterator<Item = &str> + Clone {
    std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(above, _)| above))
}

/// ACL-021: a submit list or an admin list.
fn is_open(queue: Fields<'_>) -> bool {
    let all = |key| {
        let read = text_of(queue, key).and_then(|text| Acl::parse(text, AclNames::Portable).ok());
        read.is_some_and(|read| read.acl.all_users)
    };
    all("submitacl") || all("adminacl")
}

/// Without values, as if it were not written.
fn is_empty(of: Fields<'_>) -> bool {
    of.into_iter().all(|(_, value)| fields(value).is_some_and(is_empty))
}

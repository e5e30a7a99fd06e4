//! W-004 to W-006: placement rules that match all or none, are never reached, or create queues without a maximum.

use super::{Lint, Node, Queue, fields, list, text_of};
use crate::node::Fields;

/// Of created queues.
#[derive(Clone, Copy, Default)]
pub(super) struct Bounds {
    maximum: bool,
    template: bool,
    parent: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Passes {
    All,
    None,
    Some,
}

impl Lint {
    pub(super) fn note_bounds(&mut self, queue: Queue<'_, '_>) {
        let has_max = |of: Fields<'_>| {
            let max = of.get("resources").and_then(fields).and_then(|resources| resources.get("max"));
            max.and_then(fields).is_some_and(|max| max.into_iter().next().is_some())
        };
        let template = queue.fields.get("childtemplate").and_then(fields);
        let parent = !list(queue.fields, "queues").is_empty() || text_of(queue.fields, "parent") == Some("true");
        let bounds = Bounds { maximum: has_max(queue.fields), template: template.is_some_and(has_max), parent };
        self.bounds.insert(queue.path.to_ascii_lowercase(), bounds);
    }

    pub(super) fn rules(&mut self, partition: Fields<'_>, name: &str) {
        let rules: Vec<Fields<'_>> = list(partition, "placementrules").into_iter().filter_map(fields).collect();
        let mut first: Option<Fields<'_>> = None;
        for rule in rules {
            self.filters(rule, name);
            if let Some(first) = first {
                let message = format!(
                    "only users without submit access to the queue of the rule in line {} reach this rule",
                    first.at().line
                );
                self.warn(
                    "W-005",
                    rule.at(),
                    name,
                    message,
                    "move this rule before that rule, or add a filter to that rule",
                );
                break;
            }
            self.created(rule, name);
            first = self.matches_all(rule, false).then_some(rule);
        }
    }

    /// W-004: passes all users or none.
    fn filters(&mut self, rule: Fields<'_>, name: &str) {
        if let Some(filter) = rule.get("filter").and_then(fields) {
            let (message, hint) = match passes(filter) {
                Passes::All => {
                    ("all users pass this filter, so it has no effect", "list users or groups, or remove the filter")
                }
                Passes::None => {
                    ("no user passes this filter, so the rule never places an application", "list users or groups")
                }
                Passes::Some => ("", ""),
            };
            if !message.is_empty() {
                self.warn("W-004", filter.at(), name, message.to_owned(), hint);
            }
        }
        if let Some(parent) = rule.get("parent").and_then(fields) {
            self.filters(parent, name);
        }
    }

    /// W-006: creates unbounded queues.
    fn created(&mut self, rule: Fields<'_>, name: &str) {
        if text_of(rule, "create") != Some("true") || kind(rule) == "fixed" {
            return;
        }
        let below = base(rule).to_ascii_lowercase();
        let above = ancestors(&below).map(|path| self.bounds.get(path).copied().unwrap_or_default());
        let bounded = above.enumerate().any(|(at, bounds)| bounds.maximum || (at == 0 && bounds.template));
        if !bounded {
            let message = format!("queues that this rule creates below {below} have no maximum");
            let of_namespace = if is_of_namespace(rule) { ", or the quota of each namespace" } else { "" };
            let hint =
                format!("set `resources.max` in `childtemplate` of {below}, or a maximum for {below}{of_namespace}");
            self.warn("W-006", rule.at(), name, message, &hint);
        }
    }

    /// Apart from submit access. Gives a leaf or a parent.
    fn matches_all(&self, rule: Fields<'_>, for_child: bool) -> bool {
        let unfiltered = rule.get("filter").and_then(fields).is_none_or(|filter| passes(filter) == Passes::All);
        let create = text_of(rule, "create") == Some("true");
        let parent = rule.get("parent");
        let parent_matches =
            parent.is_none_or(|parent| fields(parent).is_some_and(|parent| self.matches_all(parent, true)));
        let exists = |path: &str| match self.bounds.get(path) {
            Some(bounds) => for_child || !bounds.parent,
            None => for_child && path == "root",
        };
        let gives = match kind(rule).as_str() {
            "fixed" => create || exists(&fixed(rule)),
            "user" | "username" => create,
            // Each pod has a namespace.
            "tag" => create && is_of_namespace(rule),
            _ => false,
        };
        unfiltered && parent_matches && gives
    }
}

fn kind(rule: Fields<'_>) -> String {
    text_of(rule, "name").unwrap_or_default().to_ascii_lowercase()
}

fn is_of_namespace(rule: Fields<'_>) -> bool {
    kind(rule) == "tag" && text_of(rule, "value").is_some_and(|tag| tag.eq_ignore_ascii_case("namespace"))
}

fn fixed(rule: Fields<'_>) -> String {
    let value = text_of(rule, "value").unwrap_or_default().to_ascii_lowercase();
    if value == "root" || value.starts_with("root.") { value } else { format!("{}.{value}", base(rule)) }
}

/// The configured queue in which a rule creates.
fn base(rule: Fields<'_>) -> String {
    match rule.get("parent").and_then(fields) {
        Some(parent) if kind(parent) == "fixed" => fixed(parent),
        Some(parent) => base(parent),
        None => "root".to_owned(),
    }
}

/// Including the path.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(above, _)| above))
}

fn passes(filter: Fields<'_>) -> Passes {
    let deny = text_of(filter, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("deny"));
    let (users, groups) = (list(filter, "users"), list(filter, "groups"));
    let only = |names: &[Node<'_>]| match names {
        [one] => one.scalar().map(|scalar| scalar.text.to_owned()),
        _ => None,
    };
    let all = |names: &[Node<'_>]| {
        only(names).is_some_and(|name| [".*", "^.*$", ".+", "^.+$", "^", "$"].contains(&name.as_str()))
    };
    // Without names the type alone decides (PLC-050).
    match (users.is_empty() && groups.is_empty() || all(&users), deny) {
        (true, false) => Passes::All,
        (true, true) => Passes::None,
        (false, _) => Passes::Some,
    }
}

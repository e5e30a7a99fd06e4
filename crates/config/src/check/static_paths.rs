//! Static queue paths of rules: `fixed` values joined from the innermost parent up to the first other rule (CFG-087,
//! CFG-089 to CFG-092).

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::fault::Faults;
use crate::raw::{RawQueue, RawRule};
use crate::types::Placed;
use crate::values::RuleKind;
use crate::values::placement_rule::is_qualified;
use model::acl::AclNames;
use model::{Acl, Profile, QueuePath};

pub(super) struct ConfiguredQueues<'r> {
    root: &'r RawQueue,
    as_release: bool,
    /// In most files no rule names a queue.
    queues: OnceCell<QueuesByPath<'r>>,
}

#[derive(Default)]
struct QueuesByPath<'r> {
    by_path: HashMap<&'r str, &'r RawQueue>,
    /// As the releases compare.
    as_written: HashMap<String, &'r RawQueue>,
}

impl<'r> QueuesByPath<'r> {
    fn add(&mut self, queue: &'r RawQueue, written: Option<String>) {
        self.by_path.entry(&queue.path).or_insert(queue);
        for child in &queue.children {
            self.add(child, written.as_ref().map(|written| format!("{written}.{}", child.name.value)));
        }
        if let Some(written) = written {
            self.as_written.entry(written).or_insert(queue);
        }
    }
}

impl<'r> ConfiguredQueues<'r> {
    pub(super) fn new(root: &'r RawQueue, as_release: bool) -> Self {
        Self { root, as_release, queues: OnceCell::new() }
    }

    fn queues(&self) -> &QueuesByPath<'r> {
        self.queues.get_or_init(|| {
            let mut queues = QueuesByPath::default();
            queues.add(self.root, self.as_release.then(|| self.root.name.value.clone()));
            queues
        })
    }

    /// No filter, and one configured leaf that is open to all users.
    pub(super) fn places_everything(&self, chain: &[&RawRule], profile: Profile) -> bool {
        let mut path = String::new();
        for rule in chain {
            let fixed = RuleKind::read(&rule.name.value, profile) == Some(RuleKind::Fixed);
            let Some(value) = rule.value.as_ref().filter(|_| fixed && rule.filter.is_none()) else { return false };
            let value = value.value.to_lowercase();
            path = match (path.is_empty(), is_qualified(&value)) {
                (_, true) => value,
                (true, false) => format!("root.{value}"),
                (false, false) => format!("{path}.{value}"),
            };
        }
        let is_leaf = self.queues().by_path.get(path.as_str()).is_some_and(|queue| !queue.is_parent());
        let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        is_leaf
            && ends.into_iter().any(|end| self.queues().by_path.get(&path[..end]).is_some_and(|queue| is_open(queue)))
    }

    /// CFG-089 to CFG-092: case does not matter, and a queue with children is a parent.
    pub(super) fn check_path(&self, chain: &[&RawRule], label: &str, path: &str, faults: &mut Faults) {
        let is_fixed = |rule: &RawRule| RuleKind::read(&rule.name.value, faults.profile()) == Some(RuleKind::Fixed);
        let fixed: Vec<&RawRule> = chain.iter().copied().take_while(|rule| is_fixed(rule)).collect();
        let (Some(innermost), Some(outermost)) = (fixed.first(), chain.last()) else { return };
        let dynamic = fixed.len() < chain.len();
        // With the rule of each part.
        let mut parts: Vec<(String, &RawRule)> = vec![("root".to_owned(), innermost)];
        for rule in &fixed {
            let Some(value) = rule.value.as_ref().filter(|value| !value.value.is_empty()) else { return };
            let mut names: Vec<String> = value.value.to_lowercase().split('.').map(str::to_owned).collect();
            if is_qualified(&value.value) {
                names.remove(0);
            }
            parts.extend(names.into_iter().map(|name| (name, *rule)));
        }
        let whole = parts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(".");
        let Some(mut queue) = self.queues().by_path.get("root").copied() else { return };
        let mut at = QueuePath::root();
        for (name, rule) in &parts[1..] {
            at = at.child(name);
            let Some(found) = self.queues().by_path.get(at.as_str()) else {
                return report_missing(&whole, &at, queue, rule, outermost, label, path, faults);
            };
            queue = found;
        }
        let place = value_place(fixed.last().copied().unwrap_or(innermost));
        if dynamic && !queue.is_parent() && queue.path != "root" {
            let message = format!("{label}: {whole} is a leaf, and the rules after it need a parent");
            let hint = "name a parent queue, or write `parent: true` on that queue";
            faults.strict("CFG-092", place, path, message, hint);
        } else if !dynamic && (queue.is_parent() || queue.path == "root") {
            let message = format!("{label}: {whole} is a parent queue, where no application can be placed");
            faults.strict("CFG-089", place, path, message, "name a leaf queue");
        }
    }

    /// CFG-087, CFG-089 to CFG-092.
    pub(super) fn check_as_release(&self, chain: &[&RawRule], label: &str, path: &str, faults: &mut Faults) {
        let Some(outermost) = chain.last() else { return };
        let mut whole = String::new();
        let mut fixed = 0;
        for rule in chain.iter().take_while(|rule| rule.name.value == RuleKind::Fixed.name()) {
            let value = rule.value.as_ref().map_or("", |value| &value.value);
            fixed += 1;
            if !value.starts_with("root") {
                whole = format!("{}.{value}", if whole.is_empty() { "root" } else { &whole });
            } else if whole.is_empty() {
                value.clone_into(&mut whole);
            } else {
                let message = format!("{label}: {value:?} is a full path, but the rule has a parent rule");
                let hint = "remove the parent rule, or write the value without `root`";
                faults.error("CFG-087", value_place(rule), path, message, hint);
                return;
            }
        }
        if fixed == 0 {
            return;
        }
        let at = value_place(chain[fixed - 1]);
        let dynamic = fixed < chain.len();
        let create = outermost.create.as_good().is_some_and(|create| create.value);
        let hint = "this release compares names with case, and only `parent: true` makes a parent";
        let (code, message) = match self.release_verdict(&whole.to_lowercase(), create, dynamic) {
            None => return,
            Some("CFG-089") => ("CFG-089", format!("{label}: {whole} is a parent queue")),
            Some("CFG-090") => ("CFG-090", format!("{label}: {whole} does not exist and the rule does not create it")),
            Some("CFG-091") => ("CFG-091", format!("{label}: {whole} would be a child of a leaf")),
            Some(_) => ("CFG-092", format!("{label}: {whole} is a leaf, and the rules after it need a parent")),
        };
        faults.error(code, at, path, message, hint);
    }

    fn release_verdict(&self, path: &str, create: bool, dynamic: bool) -> Option<&'static str> {
        let is_parent =
            |queue: &RawQueue| queue.path == "root" || queue.parent.as_good().is_some_and(|parent| parent.value);
        let mut above: Option<&RawQueue> = None;
        let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            if let Some(above) = above.filter(|above| above.children.is_empty()) {
                return if !is_parent(above) {
                    Some("CFG-091")
                } else if create {
                    None
                } else {
                    Some("CFG-090")
                };
            }
            match self.queues().as_written.get(&path[..end]) {
                Some(queue) => above = Some(queue),
                None => return if create { None } else { Some("CFG-090") },
            }
        }
        match (above.is_some_and(is_parent), dynamic) {
            (true, false) => Some("CFG-089"),
            (false, true) => Some("CFG-092"),
            _ => None,
        }
    }
}

/// CFG-090, CFG-091: `queue` is the last configured ancestor of `at`.
#[expect(clippy::too_many_arguments, reason = "the message names all of them")]
fn report_missing(
    whole: &str,
    at: &QueuePath,
    queue: &RawQueue,
    rule: &RawRule,
    outermost: &RawRule,
    label: &str,
    path: &str,
    faults: &mut Faults,
) {
    let creates = |rule: &RawRule| rule.create.as_good().is_some_and(|create| create.value);
    let place = value_place(rule);
    if !queue.is_parent() && queue.path != "root" {
        let message = format!("{label}: {whole} would be a child of {}, which is a leaf", queue.path);
        let hint = "name another queue, or write `parent: true` on that queue";
        faults.strict("CFG-091", place, path, message, hint);
    } else if !creates(outermost) {
        let message = format!("{label}: {whole} cannot be used: {at} is not configured and the rule has no `create`");
        faults.strict("CFG-090", place, path, message, "configure the queue, or write `create: true` on the rule");
    } else if !creates(rule) {
        let message = format!("{label}: {at} is not configured, and the parent rule that names it has no `create`");
        let hint = "write `create: true` on that rule too; otherwise no application is placed until the queue exists";
        faults.warning("CFG-090", place, path, message, hint);
    }
}

fn is_open(queue: &RawQueue) -> bool {
    let open = |acl: &Option<Placed<String>>| {
        let reading = acl.as_ref().map(|text| Acl::parse(&text.value, AclNames::Portable));
        matches!(reading, Some(Ok(reading)) if reading.acl.all_users)
    };
    open(&queue.submit_acl) || open(&queue.admin_acl)
}

fn value_place(rule: &RawRule) -> crate::Place {
    rule.value.as_ref().map_or(rule.at, |value| value.at)
}

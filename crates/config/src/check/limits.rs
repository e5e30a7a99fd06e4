//! Limits of users and groups, alone and along the tree (CFG-060 to CFG-078).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::limit_tables::{Given, LimitTables};
use super::shown;
use crate::decode::LimitName;
use crate::fault::Faults;
use crate::node::FieldValue;
use crate::raw::{RawLimit, RawQueue};
use crate::types::Placed;
use model::Profile;
use model::name::{NameChars, is_limit_group, is_limit_user};

/// All without their own limit.
const ANYONE: &str = "*";

const NAMED: usize = 4;

pub(super) fn check(root: &RawQueue, faults: &mut Faults) {
    let tables = LimitTables::where_needed(root, faults.profile());
    LimitChecker { given: Given::default(), groups_above: BTreeSet::new(), tables, faults }.queue(root, "");
}

/// The rules are almost the same, and the two are never compared with each other.
#[derive(Clone, Copy, PartialEq)]
enum NameKind {
    User,
    Group,
}

const KINDS: [NameKind; 2] = [NameKind::User, NameKind::Group];

impl NameKind {
    fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Group => "group",
        }
    }

    fn names(self, limit: &RawLimit) -> &[Placed<String>] {
        match self {
            Self::User => &limit.users,
            Self::Group => &limit.groups,
        }
    }

    /// CFG-061, CFG-062: whether it is valid, the code, and the expected form.
    fn rule(self, name: &str, profile: Profile) -> (bool, &'static str, &'static str) {
        match (self, profile) {
            (Self::User, Profile::V1_8_0 | Profile::V1_9_0) => (
                is_limit_user(name, NameChars::Wide),
                "CFG-061",
                "a letter or `_`, then letters, digits, `: # / _ . @ -`, perhaps `$` at the end; or '*' alone",
            ),
            (Self::User, _) => (
                is_limit_user(name, NameChars::Narrow),
                "CFG-061",
                "a letter or `_`, then letters, digits, `: _ . @ -`, perhaps `$` at the end; or '*' alone",
            ),
            (Self::Group, _) => {
                (is_limit_group(name), "CFG-062", "a letter or `_`, then letters, digits, `: _ . -`; or '*' alone")
            }
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct LimitAbove<'r> {
    limit: &'r RawLimit,
    path: &'r str,
    applications: Option<u64>,
}

struct LimitChecker<'r, 'f> {
    /// Of the ancestors by name, from the root down.
    given: Given<'r>,
    groups_above: BTreeSet<&'r str>,
    /// Replaces `given` in the releases that compare by path.
    tables: Option<LimitTables<'r>>,
    faults: &'f mut Faults,
}

type FirstLimits<'r> = [HashMap<&'r str, usize>; 2];

impl<'r> LimitChecker<'r, '_> {
    fn queue(&mut self, queue: &'r RawQueue, parent: &str) {
        let mut path = String::new();
        if let Some(tables) = &mut self.tables {
            (path, self.given) = tables.open(queue, parent);
        }
        let limits = queue.limits.as_ref().map_or(&[][..], |limits| &limits.list);
        let mut seen = FirstLimits::default();
        for (index, limit) in limits.iter().enumerate() {
            let label = LimitName { index, description: &limit.description };
            self.check_who(queue, limit, label, &mut seen);
            self.check_amounts(queue, limit, label);
        }
        self.report_hidden_groups(queue, &seen[NameKind::Group as usize]);
        let entered = self.enter(queue, limits);
        if let Some(tables) = &mut self.tables {
            tables.close(&path, &self.given);
        }
        for child in &queue.children {
            self.queue(child, &path);
        }
        if self.tables.is_some() {
            return;
        }
        for (kind, name) in entered {
            let Some(steps) = self.given[kind as usize].get_mut(name) else { continue };
            steps.pop();
            if steps.is_empty() && kind == NameKind::Group {
                self.groups_above.remove(name);
            }
        }
    }

    /// CFG-060 to CFG-068.
    fn check_who(&mut self, queue: &RawQueue, limit: &'r RawLimit, label: LimitName<'_>, seen: &mut FirstLimits<'r>) {
        if limit.users.is_empty() && limit.groups.is_empty() && !limit.names_faulty {
            let message = format!("{label} has no users and no groups");
            let hint = "write `users` or `groups`: a list of names, or ['*']";
            self.faults.error("CFG-060", limit.at, &queue.path, message, hint);
        }
        for kind in KINDS {
            let names = kind.names(limit);
            let (word, path) = (kind.word(), &queue.path);
            let seen = &mut seen[kind as usize];
            if let Some(star) = names.iter().find(|name| name.value == ANYONE).filter(|_| names.len() > 1) {
                let message = format!("{label} has '*' together with other {word}s");
                self.faults.strict("CFG-065", star.at, path, message, "put '*' in a separate limit at the end");
            }
            for name in names {
                let text = name.value.as_str();
                let (legal, code, hint) = kind.rule(text, self.faults.profile());
                if text != ANYONE && !legal {
                    let message = format!("{label}: {text:?} is not a valid {word} name");
                    self.faults.error(code, name.at, path, message, hint);
                }
                self.check_repeated(kind, name, label, path, seen);
                if kind == NameKind::Group && text == ANYONE && seen.is_empty() {
                    let message = format!("{label}: group '*' without a named group before it on {path}");
                    let hint = "use `maxapplications` and `resources.max` of the queue to limit the whole queue";
                    self.faults.error("CFG-068", name.at, path, message, hint);
                }
                seen.entry(text).or_insert(label.index);
            }
        }
    }

    /// LIM-033: a group `*` hides the groups that are named only in ancestors.
    fn report_hidden_groups(&mut self, queue: &RawQueue, named: &HashMap<&str, usize>) {
        let Some(limit) = named.get(ANYONE).and_then(|index| queue.limits.as_ref()?.list.get(*index)) else { return };
        let hides = |name: &&&str| !named.contains_key(**name);
        let overlap = named.keys().filter(|name| self.groups_above.contains(**name)).count();
        let count = self.groups_above.len() - overlap;
        if count == 0 {
            return;
        }
        let label: Vec<&str> = self.groups_above.iter().filter(hides).take(NAMED).copied().collect();
        let message = format!(
            "the '*' here matches all applications of {}: the limits of parent queues never apply to them in {}",
            who(NameKind::Group, &label, count),
            queue.path
        );
        let hint = "to apply their limits, name these groups here too, before the '*'";
        let at = limit.groups.iter().find(|name| name.value == ANYONE).map_or(limit.at, |name| name.at);
        self.faults.warning("LIM-033", at, &queue.path, message, hint);
    }

    /// CFG-063, CFG-066, CFG-067.
    fn check_repeated(
        &mut self,
        kind: NameKind,
        name: &Placed<String>,
        label: LimitName<'_>,
        path: &str,
        seen: &HashMap<&str, usize>,
    ) {
        let (word, text) = (kind.word(), name.value.as_str());
        match seen.get(text) {
            Some(first) if *first == label.index => {
                let message = format!("{label} names {word} {text:?} twice");
                self.faults.lenient("CFG-063", name.at, path, message, "it counts once: remove the second");
            }
            Some(first) if text == ANYONE => {
                let message = format!("{label} is a second limit for {word} '*', after limit {}", first + 1);
                self.faults.error("CFG-067", name.at, path, message, "a queue has one '*' limit: remove one");
            }
            Some(first) => {
                let message = format!("{label} names {word} {text:?}, which limit {} already names", first + 1);
                self.faults.error("CFG-063", name.at, path, message, "name each in one limit of a queue");
            }
            None => {}
        }
        // Next to '*' kornsole's rule is CFG-065; a release checks only the order.
        let after = seen.get(ANYONE).filter(|star| **star != label.index || self.faults.as_release());
        if let Some(star) = after.filter(|_| text != ANYONE) {
            let message = format!("{label} names {word} {text:?} after the '*' of limit {}", star + 1);
            self.faults.error("CFG-066", name.at, path, message, "put the limit with '*' last");
        }
    }

    /// CFG-069 to CFG-072.
    fn check_amounts(&mut self, queue: &RawQueue, limit: &RawLimit, label: LimitName<'_>) {
        let path = &queue.path;
        let amounts = limit.max_resources.as_ref();
        let empty = amounts.is_none_or(|amounts| amounts.resource.is_empty() && !amounts.faulty);
        if limit.max_applications == FieldValue::Unset && empty {
            let message = format!("{label} has no limit");
            let hint = "write `maxapplications`, or `maxresources` with a resource in it";
            self.faults.error("CFG-069", limit.at, path, message, hint);
        }
        if let Some(zero) = amounts.filter(|a| !a.faulty && !a.resource.is_empty() && a.resource.is_zero()) {
            let names = zero.resource.iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
            let message = format!("{label}: every quantity in `maxresources` is 0 ({names})");
            self.faults.error("CFG-070", zero.at, path, message, "set at least one resource to a quantity above 0");
        }
        if let (FieldValue::Value(own), FieldValue::Value(of_queue)) =
            (&limit.max_applications, &queue.max_applications)
            && own.value > of_queue.value
        {
            let message = format!("{label}: `maxapplications` {} is above the {} of {path}", own.value, of_queue.value);
            self.faults.error("CFG-071", own.at, path, message, format!("write at most {}", of_queue.value));
        }
        let by_name = self.faults.as_release() && queue.name.value == "root";
        let (Some(own), Some(max)) = (amounts, &queue.max) else { return };
        if path == "root" || by_name {
            return;
        }
        for (name, amount) in own.resource.iter() {
            if let Some(most) = max.resource.get(name).filter(|most| amount > *most) {
                let (amount, most) = (shown(name, amount), shown(name, most));
                let message = format!("{label}: max {name} {amount} is above the max {most} of {path}");
                self.faults.error("CFG-072", own.place(name), path, message, format!("write at most {most}"));
            }
        }
    }

    /// Returns the added names.
    fn enter(&mut self, queue: &'r RawQueue, limits: &'r [RawLimit]) -> Vec<(NameKind, &'r str)> {
        let mut added: Vec<(NameKind, &'r str, LimitAbove<'r>)> = Vec::new();
        for kind in KINDS {
            let mut entered: HashMap<&str, ()> = HashMap::new();
            for (index, limit) in limits.iter().enumerate() {
                let label = LimitName { index, description: &limit.description };
                let mut groups: Vec<(LimitsAbove<'r>, Vec<&'r str>)> = Vec::new();
                for name in kind.names(limit) {
                    let name = name.value.as_str();
                    if entered.insert(name, ()).is_some() {
                        continue;
                    }
                    let above = self.above(kind, name);
                    let applications = passed_on(limit, &above, self.faults.as_release());
                    added.push((kind, name, LimitAbove { limit, path: &queue.path, applications }));
                    match groups.last_mut() {
                        Some((last, names)) if last.same(&above) => names.push(name),
                        _ => groups.push((above, vec![name])),
                    }
                }
                for (above, names) in groups {
                    self.compare(kind, queue, limit, label, &above, &names);
                }
            }
        }
        for (kind, name, step) in &added {
            self.given[*kind as usize].entry(name).or_default().push(*step);
            if *kind == NameKind::Group && *name != ANYONE {
                self.groups_above.insert(name);
            }
        }
        added.into_iter().map(|(kind, name, _)| (kind, name)).collect()
    }

    /// For `name`, otherwise for `*` (CFG-073 to CFG-076).
    fn above(&self, kind: NameKind, name: &str) -> LimitsAbove<'r> {
        let steps = |name: &str| self.given[kind as usize].get(name).filter(|steps| !steps.is_empty()).cloned();
        match steps(name) {
            Some(steps) => LimitsAbove { steps, by_name: true },
            None if name == ANYONE => LimitsAbove { steps: Vec::new(), by_name: true },
            None => LimitsAbove { steps: steps(ANYONE).unwrap_or_default(), by_name: false },
        }
    }

    /// CFG-073 to CFG-077.
    fn compare(
        &mut self,
        kind: NameKind,
        queue: &RawQueue,
        limit: &RawLimit,
        label: LimitName<'_>,
        above: &LimitsAbove<'_>,
        names: &[&str],
    ) {
        let who = who(kind, names, names.len());
        let wildcard = if above.by_name { "" } else { "'*' of " };
        let code = match kind {
            NameKind::Group => "CFG-076",
            NameKind::User if above.by_name => "CFG-073",
            NameKind::User => "CFG-074",
        };
        if let Some(own) = &limit.max_resources {
            for (name, (most, path)) in above.exceeded(&own.resource) {
                let amount = shown(name, own.resource.amount(name));
                let most = shown(name, most);
                let message =
                    format!("{label}: max {name} {amount} for {who} is above the {most} that {wildcard}{path} gives");
                let hint = format!("write at most {most}, or raise the limit on {path}");
                self.faults.error(code, own.place(name), &queue.path, message, hint);
            }
        }
        let Some((most, path)) = above.applications() else { return };
        let hint = format!("write `maxapplications` from 1 to {most}, or change the limit on {path}");
        match &limit.max_applications {
            FieldValue::Value(own) if own.value > most => {
                let message = format!(
                    "{label}: `maxapplications` {} for {who} is above the {most} that {wildcard}{path} gives",
                    own.value
                );
                self.faults.error("CFG-077", own.at, &queue.path, message, hint);
            }
            FieldValue::Unset => {
                let message = format!("{label} has no `maxapplications` for {who}, but {wildcard}{path} allows {most}");
                self.faults.error("CFG-077", limit.at, &queue.path, message, hint);
            }
            _ => {}
        }
    }
}

struct LimitsAbove<'r> {
    steps: Vec<LimitAbove<'r>>,
    by_name: bool,
}

impl LimitsAbove<'_> {
    fn same(&self, other: &Self) -> bool {
        self.by_name == other.by_name
            && self.steps.len() == other.steps.len()
            && self.steps.iter().zip(&other.steps).all(|(a, b)| std::ptr::eq(a.limit, b.limit))
    }

    /// The smallest limit and its queue.
    fn exceeded<'o>(&self, own: &'o model::Resource) -> BTreeMap<&'o str, (i64, &str)> {
        let mut exceeded: BTreeMap<&str, (i64, &str)> = BTreeMap::new();
        for step in &self.steps {
            let Some(given) = &step.limit.max_resources else { continue };
            for (name, amount) in own.iter() {
                let Some(most) = given.resource.get(name).filter(|most| amount > *most) else { continue };
                let smallest = exceeded.entry(name).or_insert((most, step.path));
                if most < smallest.0 {
                    *smallest = (most, step.path);
                }
            }
        }
        exceeded
    }

    fn applications(&self) -> Option<(u64, &str)> {
        let most = self.steps.last()?.applications?;
        let limiting = self
            .steps
            .iter()
            .rev()
            .find(|step| step.limit.max_applications.as_good().is_some_and(|count| count.value == most));
        limiting.map(|step| (most, step.path))
    }
}

/// In the releases a limit without a number passes none on.
fn passed_on(limit: &RawLimit, above: &LimitsAbove<'_>, as_release: bool) -> Option<u64> {
    let own = limit.max_applications.as_good().map(|count| count.value);
    let Some(last) = above.steps.last().filter(|_| above.by_name) else { return own };
    match (own, last.applications) {
        (Some(own), Some(given)) => Some(own.min(given)),
        (_, None) if as_release => None,
        (own, given) => own.or(given),
    }
}

/// `user "sue"`, `users "sue", "bob" and 3 more`.
fn who(kind: NameKind, names: &[&str], count: usize) -> String {
    let named = names.iter().take(NAMED).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    match count {
        1 => format!("{} {named}", kind.word()),
        count if count > NAMED => format!("{}s {named} and {} more", kind.word(), count - NAMED),
        _ => format!("{}s {named}", kind.word()),
    }
}

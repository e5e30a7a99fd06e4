//! Placement by example: the tables of `placement.md` and `acl-and-users.md`, one file for each topic.

mod draining;
mod filters;
mod force;
mod groups;
mod parents;
mod props;
mod provided_user;
mod rights;
mod rules;
mod seeds;
mod words;

use std::collections::{BTreeMap, HashMap};

use super::*;
use config::{FilterConfig, RuleConfig, RuleKind};
use model::acl::AclNames;
use model::{Acl, Identity, Profile, QueuePath};

#[derive(Clone, Debug, Default)]
struct Tree(HashMap<QueuePath, Queue>);

#[derive(Clone, Debug, Default)]
struct Queue {
    state: QueueState,
    submit: Acl,
    admin: Acl,
}

impl QueueTree for Tree {
    fn queue(&self, path: &str) -> Option<QueueFacts<'_>> {
        let (path, queue) = self.0.get_key_value(path)?;
        Some(QueueFacts {
            path,
            state: queue.state,
            submit_acl: &queue.submit,
            admin_acl: &queue.admin,
            template: None,
        })
    }
}

impl Tree {
    /// One line for each queue: `PATH; leaf; submit ACL; admin ACL; draining; dynamic`, all except the path optional.
    fn new(text: &str) -> Self {
        let mut tree = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut queue = Queue { state: QueueState { managed: true, ..QueueState::default() }, ..Queue::default() };
            let mut words = line.split(';');
            let path = QueuePath::new(words.next().unwrap());
            for word in words {
                let acl = |text| Acl::parse(text, AclNames::Portable).unwrap().acl;
                match word.strip_prefix(' ').unwrap_or(word).split_once(' ') {
                    Some(("submit", text)) => queue.submit = acl(text),
                    Some(("admin", text)) => queue.admin = acl(text),
                    _ => match word.trim() {
                        "leaf" => queue.state.leaf = true,
                        "draining" => queue.state.draining = true,
                        "dynamic" => queue.state.managed = false,
                        other => panic!("{other:?} in {line:?}"),
                    },
                }
            }
            tree.0.insert(path, queue);
        }
        tree
    }

    fn t() -> Self {
        Self::new(
            "root; submit *
             root.default; leaf
             root.last; leaf
             root.upper; leaf
             root.users
             root.namespaces
             root.grp
             root.grp.leaf; leaf",
        )
    }

    fn create(&mut self, placed: &Placed) {
        for path in &placed.create {
            let state = QueueState { leaf: *path == placed.path, ..QueueState::default() };
            self.0.insert(path.clone(), Queue { state, ..Queue::default() });
        }
    }
}

trait RuleExt {
    fn create(self) -> Self;
    fn parent(self, parent: RuleConfig) -> Self;
    fn allow(self, users: &[&str], groups: &[&str]) -> Self;
    fn deny(self, users: &[&str], groups: &[&str]) -> Self;
    fn text(self) -> Self;
}

impl RuleExt for RuleConfig {
    fn create(self) -> Self {
        Self { create: true, ..self }
    }

    fn parent(self, parent: RuleConfig) -> Self {
        Self { parent: Some(Box::new(parent)), ..self }
    }

    fn allow(self, users: &[&str], groups: &[&str]) -> Self {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self { filter: FilterConfig { deny: false, users: own(users), groups: own(groups), written: true }, ..self }
    }

    fn deny(self, users: &[&str], groups: &[&str]) -> Self {
        let mut rule = self.allow(users, groups);
        rule.filter.deny = true;
        rule
    }

    fn text(self) -> Self {
        Self { text: true, ..self }
    }
}

fn rule(kind: RuleKind) -> RuleConfig {
    RuleConfig { kind, ..RuleConfig::default() }
}

fn provided() -> RuleConfig {
    rule(RuleKind::Provided)
}

fn user() -> RuleConfig {
    rule(RuleKind::User)
}

fn fixed(value: &str) -> RuleConfig {
    RuleConfig { value: value.to_owned(), ..rule(RuleKind::Fixed) }
}

fn tag(value: &str) -> RuleConfig {
    RuleConfig { value: value.to_owned(), ..rule(RuleKind::Tag) }
}

#[derive(Clone, Debug, Default)]
struct By {
    queue: String,
    user: String,
    groups: Vec<String>,
    tags: BTreeMap<String, String>,
}

fn by(user: &str) -> By {
    By { user: user.to_owned(), ..By::default() }
}

fn to(queue: &str) -> By {
    by("u").queue(queue)
}

impl By {
    fn queue(self, queue: &str) -> Self {
        Self { queue: queue.to_owned(), ..self }
    }

    fn groups(self, groups: &[&str]) -> Self {
        Self { groups: groups.iter().map(|group| (*group).to_owned()).collect(), ..self }
    }

    fn tag(mut self, name: &str, value: &str) -> Self {
        self.tags.insert(name.to_owned(), value.to_owned());
        self
    }

    fn forced(self) -> Self {
        self.tag("application.create.force", "true")
    }

    fn identity(&self, profile: Profile) -> Result<Identity, Refusal> {
        identify(&self.user, &self.groups, is_forced(&self.tags), Switches::of(profile), no_resolver)
    }

    fn place(&self, rules: &Rules, tree: &Tree, profile: Profile) -> Placement {
        let identity = self.identity(profile).unwrap();
        rules.place(&Submission { queue: &self.queue, identity: &identity, tags: &self.tags }, tree)
    }
}

/// The outcome in short: `root.a.b #2 +1` is placed by rule 2 with one queue created; `-` means that no rule matched.
fn short(placement: &Placement) -> String {
    match &placement.outcome {
        PlacementOutcome::Placed(placed) => {
            let rule = match placed.rule {
                RuleRef::Rule(0) => String::new(),
                RuleRef::Rule(number) => format!(" #{}", number + 1),
                RuleRef::Recovery => " recovery".to_owned(),
                RuleRef::Fallback => " fallback".to_owned(),
            };
            let created = if placed.create.is_empty() { String::new() } else { format!(" +{}", placed.create.len()) };
            format!("{}{rule}{created}", placed.path)
        }
        PlacementOutcome::Refused(refused) => match refused.refusal.code() {
            "no-rule-matched" => "-".to_owned(),
            code => code.to_owned(),
        },
    }
}

struct Answers([&'static str; 3]);

impl From<&'static str> for Answers {
    /// The same under every profile. If no rule matched, 1.8 continues with `root.default` (PLC-004).
    fn from(answer: &'static str) -> Self {
        Self([answer; 3])
    }
}

impl From<[&'static str; 3]> for Answers {
    /// For kornsole, 1.5.1, and 1.8.0; 1.9.0 places like 1.8.0.
    fn from(answers: [&'static str; 3]) -> Self {
        Self(answers)
    }
}

#[track_caller]
fn check(rules: &[RuleConfig], tree: &Tree, by: &By, answers: impl Into<Answers>) {
    let [own, old, new] = answers.into().0;
    for (profile, expected) in Profile::ALL.into_iter().zip([own, old, new, new]) {
        check_under(profile, rules, tree, by, expected);
    }
}

#[track_caller]
fn check_under(profile: Profile, rules: &[RuleConfig], tree: &Tree, by: &By, expected: &str) {
    let rules = Rules::build(rules, profile).unwrap();
    let open = tree.0.get("root.default").is_some_and(|queue| queue.state.leaf && !queue.state.draining);
    let falls_back = expected == "-" && profile.is_since_1_8() && open && {
        access::submit(tree, "root.default", &by.identity(profile).unwrap()).is_some()
    };
    let expected = if falls_back { "root.default fallback" } else { expected };
    let placement = by.place(&rules, tree, profile);
    assert_eq!(short(&placement), expected, "{profile}, {by:?}\n{:#?}", placement.trace);
}

#[track_caller]
fn on_t(rules: &[RuleConfig], by: &By, answers: impl Into<Answers>) {
    check(rules, &Tree::t(), by, answers);
}

//! Properties of every list of rules, tree, and submission.

use proptest::prelude::*;

use super::*;
use model::name::is_queue_name;

fn part() -> impl Strategy<Value = String> {
    let good: &[&str] = &["a", "b", "C", "default", "users"];
    let odd: &[&str] = &["root", "@recovery@", "é", "x y", "", "_dot_", "a@b", "\u{212a}"];
    let pick = |names| proptest::sample::select(names).prop_map(str::to_owned);
    prop_oneof![6 => pick(good), 1 => pick(odd)]
}

fn text() -> impl Strategy<Value = String> {
    let front = proptest::sample::select(&["", "root.", "root.", "ROOT."][..]);
    (front, proptest::collection::vec(part(), 0..4)).prop_map(|(front, parts)| format!("{front}{}", parts.join(".")))
}

fn filter() -> impl Strategy<Value = FilterConfig> {
    let names: &[&str] = &["a", "b", "C", "users", "^a", ".*", "x y"];
    let list = || proptest::collection::vec(proptest::sample::select(names).prop_map(str::to_owned), 0..3);
    let written = (any::<bool>(), list(), list()).prop_map(|(deny, users, groups)| FilterConfig {
        deny,
        users,
        groups,
        written: true,
    });
    prop_oneof![3 => Just(FilterConfig::default()), 1 => written]
}

fn one_rule() -> impl Strategy<Value = RuleConfig> {
    use RuleKind::{ApplicationType, Fixed, PrimaryGroup, Provided, SecondaryGroup, Tag, User};
    let known: &[RuleKind] = &[Provided, User, Fixed, Tag];
    let more: &[RuleKind] = &[PrimaryGroup, SecondaryGroup, ApplicationType];
    let kind = prop_oneof![8 => proptest::sample::select(known), 1 => proptest::sample::select(more)];
    (kind, any::<bool>(), text(), filter(), any::<bool>()).prop_map(|(kind, create, value, filter, text)| {
        let value = if kind == Tag { "ns".to_owned() } else { value };
        RuleConfig { kind, create, value, filter, text, ..RuleConfig::default() }
    })
}

fn rules() -> impl Strategy<Value = Vec<RuleConfig>> {
    let chain = proptest::collection::vec(one_rule(), 1..3).prop_map(|links| {
        let whole = |rule: &RuleConfig| rule.kind == RuleKind::Fixed && rule.value.starts_with("root");
        // A whole path has no parent (CFG-087).
        let chain = links.into_iter().reduce(|parent, rule| if whole(&rule) { rule } else { rule.parent(parent) });
        chain.unwrap_or_default()
    });
    proptest::collection::vec(chain, 0..5)
}

fn tree() -> impl Strategy<Value = Tree> {
    let queue = (any::<bool>(), any::<bool>(), proptest::bool::weighted(0.1), 0..3_usize, part(), part());
    (0..5_usize, proptest::collection::vec(queue, 2..16)).prop_map(|(root_acl, queues)| {
        let acl = |which| Acl {
            all_users: which == 1 || which > 2,
            users: if which == 2 { vec!["a".to_owned()] } else { Vec::new() },
            groups: Vec::new(),
        };
        let mut tree = Tree::default();
        tree.0.insert(QueuePath::root(), Queue { submit: acl(root_acl), ..Queue::default() });
        for (leaf, managed, draining, which, name, below) in queues {
            for path in [format!("root.{name}"), format!("root.{name}.{below}")] {
                let path = QueuePath::new(&path);
                let legal = is_queue_name(path.name(), model::name::NameChars::Narrow);
                let parent = path.parent().and_then(|parent| tree.0.get(&parent)).map(|parent| parent.state.leaf);
                if legal && parent == Some(false) && !tree.0.contains_key(&path) {
                    let leaf = leaf || path.depth() == 2;
                    let state = QueueState { leaf, managed, draining };
                    tree.0.insert(path, Queue { state, submit: acl(which), admin: Acl::default() });
                }
            }
        }
        tree
    })
}

fn submission() -> impl Strategy<Value = By> {
    let tags = (proptest::option::of(text()), proptest::option::of(text()), proptest::bool::weighted(0.2));
    (text(), part(), proptest::collection::vec(part(), 0..3), tags).prop_map(|(queue, user, groups, tags)| {
        let (ns, kind, forced) = tags;
        let mut by = By { queue, user, groups, tags: BTreeMap::new() };
        by.tags.extend(ns.map(|ns| ("NS".to_owned(), ns)));
        by.tags.extend(kind.map(|kind| ("application.type".to_owned(), kind)));
        if forced { by.forced() } else { by }
    })
}

fn place(rules: &[RuleConfig], tree: &Tree, by: &By, profile: Profile) -> Option<(Rules, Placement)> {
    let rules = Rules::build_at_start(rules, profile).ok()?;
    let identity = by.identity(profile).ok()?;
    let placement = rules.place(&Submission { queue: &by.queue, identity: &identity, tags: &by.tags }, tree);
    Some((rules, placement))
}

fn creates(rule: &RuleConfig) -> bool {
    rule.create || rule.parent.as_deref().is_some_and(creates)
}

fn swapped(text: &str) -> String {
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    text.chars().map(swap).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn what_is_placed_is_a_leaf_or_can_be_made_one(
        rules in rules(), tree in tree(), by in submission(), profile in proptest::sample::select(&Profile::ALL[..])
    ) {
        let Some((built, placement)) = place(&rules, &tree, &by, profile) else { return Ok(()) };
        let lines = placement.lines(&built);
        prop_assert!(lines.iter().filter(|line| line.mark != Mark::None).count() >= placement.trace.rules.len());
        prop_assert_eq!(placement.reason().is_some(), placement.refused().is_some());
        let Some(placed) = placement.placed() else { return Ok(()) };
        if placed.create.is_empty() {
            prop_assert!(tree.queue(placed.path.as_str()).is_some_and(|queue| queue.state.leaf));
            return Ok(());
        }
        prop_assert_eq!(placed.create.last(), Some(&placed.path));
        let mut above = placed.create[0].parent().unwrap();
        let parent = tree.queue(above.as_str()).unwrap();
        prop_assert!(!parent.state.leaf && (placed.recovery || !parent.state.draining));
        for path in &placed.create {
            prop_assert!(tree.queue(path.as_str()).is_none());
            prop_assert_eq!(path.parent(), Some(above));
            prop_assert!(placed.recovery || is_queue_name(path.name(), Switches::of(profile).queue_name_chars));
            above = path.clone();
        }
    }

    #[test]
    fn without_create_nothing_is_created(
        rules in rules(), tree in tree(), by in submission(), profile in proptest::sample::select(&Profile::ALL[..])
    ) {
        let Some((_, placement)) = place(&rules, &tree, &by, profile) else { return Ok(()) };
        if rules.iter().any(creates) {
            return Ok(());
        }
        match &placement.outcome {
            PlacementOutcome::Placed(placed) => prop_assert!(placed.create.is_empty() || placed.rule == RuleRef::Recovery),
            PlacementOutcome::Refused(refused) => prop_assert!(refused.left_behind.is_empty()),
        }
    }

    #[test]
    fn the_case_of_the_requested_queue_does_not_matter(rules in rules(), tree in tree(), by in submission()) {
        let other = By { queue: swapped(&by.queue), ..by.clone() };
        let of = |by: &By| place(&rules, &tree, by, Profile::Kornsole).map(|(_, placement)| short(&placement));
        prop_assert_eq!(of(&by), of(&other));
    }

    #[test]
    fn only_who_has_access_is_placed(rules in rules(), tree in tree(), by in submission()) {
        let Some((_, placement)) = place(&rules, &tree, &by, Profile::Kornsole) else { return Ok(()) };
        if let Some(placed) = placement.placed().filter(|placed| !placed.recovery) {
            let who = by.identity(Profile::Kornsole).unwrap();
            prop_assert!(access::submit(&tree, placed.path.as_str(), &who).is_some());
            prop_assert!(ancestors(placed.path.as_str()).all(|path| tree.queue(path).is_none_or(|q| !q.state.draining)));
        }
    }
}

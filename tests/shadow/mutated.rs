//! Decisions that no core would make are illegal, with the violated rule.

use forecast::shadow::{Decision, Source, Verdict};
use model::{NodeId, Profile};
use proptest::prelude::*;
use scheduler::state::node::Node;
use scheduler::{Partition, PartitionCommand};

use super::play::{CONFIG, Case, EXACT, Player, Stage, case};

const PROFILE: Profile = Profile::V1_8_0;

fn halfway(name: &str, at: prop::sample::Index) -> Option<(Player, Case)> {
    use scenario::StepKind;
    let case = case(name, PROFILE)?;
    let schedules =
        |(number, step): (usize, &scenario::ScenarioStep)| matches!(step.kind, StepKind::Schedule(_)).then_some(number);
    let stops: Vec<usize> = case.scenario.steps.iter().enumerate().filter_map(schedules).collect();
    let stop = stops[at.index(stops.len())];
    let mut player = Player::prepare(&case.scenario, PROFILE, EXACT)?;
    (0..stop).for_each(|number| player.step(&case, number));
    Some((player, case))
}

/// Returns why a node's values exclude a request, or `None`.
fn refuses(node: &Node, wanted: &[(String, i64)]) -> Option<&'static str> {
    let shortfall = wanted.iter().any(|(name, want)| *want > node.available.amount(name).max(0));
    match (node.schedulable, shortfall) {
        (false, _) => Some("node-unschedulable"),
        (true, true) => Some("node-resources"),
        _ => None,
    }
}

type Candidate = (Decision, Vec<(String, i64)>, bool);

fn pending(part: &Partition) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (_, app) in part.apps.iter() {
        for (.., key) in &app.pending_order {
            let ask = &app.asks[*key];
            if ask.rare.required_node.is_some() || ask.rare.task_group.is_some() {
                continue;
            }
            let wanted: Vec<(String, i64)> = ask.resource.iter().map(|(name, want)| (name.to_owned(), want)).collect();
            let mut queue = part.queues.get(app.queue);
            let mut has_space = true;
            while let Some(own) = queue {
                let shortfall = |(name, want): &(String, i64)| {
                    let left =
                        own.max.as_ref().and_then(|max| max.get(name)).map(|max| max - own.allocated.amount(name));
                    *want > 0 && left.is_some_and(|left| *want > left.max(0))
                };
                has_space &= !wanted.iter().any(shortfall);
                queue = own.parent.and_then(|parent| part.queues.get(parent));
            }
            let (app, ask) = (app.id.clone(), ask.id.clone());
            let (at, node, source) = (Default::default(), NodeId::default(), Source::RestEvent);
            found.push((Decision { at, app, ask, node, source }, wanted, has_space));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_node_that_cannot_take_it_is_illegal(
        name in prop::sample::select(&["nodes-003", "mix-002", "preempt-001", "quota-003", "limits-004", "late-nodes-049"]),
        at: prop::sample::Index, which: prop::sample::Index,
    ) {
        let Some((mut player, _)) = halfway(name, at) else { return Ok(()) };
        let part = player.shadow.partition().unwrap();
        let mut planted = Vec::new();
        for (decision, wanted, has_space) in pending(part) {
            for node in part.nodes.iter() {
                if let Some(rule) = refuses(node, &wanted).filter(|_| has_space) {
                    planted.push((Decision { at: player.now, node: node.id.clone(), ..decision.clone() }, rule));
                }
            }
        }
        if planted.is_empty() {
            return Ok(());
        }
        let (decision, rule) = &planted[which.index(planted.len())];
        let found = player.shadow.decided(decision);
        prop_assert_eq!(found.verdict, Verdict::Illegal, "{:?}", &found);
        let earlier = ["state", "user-limit", "group-limit", "user-applications", "group-applications", "queue-applications"];
        let named = found.rule.unwrap();
        prop_assert!(named == *rule || earlier.contains(&named), "{} is not {}", named, rule);
        prop_assert!(!found.cause.is_empty());
    }

    #[test]
    fn what_exceeds_a_maximum_is_illegal(
        name in prop::sample::select(&["quota-001", "quota-002", "quota-003", "quota-004", "mix-001", "mix-003"]),
        at: prop::sample::Index, which: prop::sample::Index,
    ) {
        let Some((mut player, _)) = halfway(name, at) else { return Ok(()) };
        let part = player.shadow.partition().unwrap();
        let node = part.nodes.iter().next().unwrap().id.clone();
        let full: Vec<Decision> =
            pending(part).into_iter().filter(|(_, _, space)| !space).map(|(decision, ..)| decision).collect();
        if full.is_empty() {
            return Ok(());
        }
        let decision = Decision { at: player.now, node, ..full[which.index(full.len())].clone() };
        let found = player.shadow.decided(&decision);
        prop_assert_eq!(found.verdict, Verdict::Illegal, "{:?}", &found);
        let earlier = ["state", "user-limit", "group-limit", "user-applications", "group-applications", "queue-applications"];
        let named = found.rule.unwrap();
        prop_assert!(named == "queue-maximum" || earlier.contains(&named), "{}", named);
    }
}

#[test]
fn each_rule_is_named_with_its_values() {
    let mut stage = Stage::new(CONFIG, EXACT, &[("n1", 4), ("n2", 4)]);
    stage.submit("s", "root.small").ask("s", "one", 2, 0).ask("s", "two", 1, 0).wait(1_000);
    assert_eq!(stage.decided("s", "one", "n1").verdict, Verdict::Same);
    let found = stage.decided("s", "two", "n2");
    assert_eq!(found.rule, Some("queue-maximum"));
    assert_eq!(found.cause, "it would wait for cpu in root.small: 1 missing, 2 of 2 used");
    stage.submit("a", "root.a").ask("a", "wide", 3, 0).ask("a", "tall", 3, 0).ask("a", "late", 1, 0).wait(1_000);
    let found = stage.decided("a", "wide", "n1");
    assert_eq!(found.rule, Some("node-resources"));
    assert_eq!(found.cause, "node n1 has too little left: cpu 1 missing, 2 of 4 used");
    stage.give(PartitionCommand::DrainNode("n2".into()));
    let found = stage.decided("a", "late", "n2");
    assert_eq!((found.rule, found.cause.as_str()), (Some("node-unschedulable"), "node n2 is unschedulable"));
}

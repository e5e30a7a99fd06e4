use std::sync::Arc;
use view::waiting::Sentence;
use view::waiting::Sentences;

use model::Profile;
use scheduler::EventKind;
use view::record::{PreemptionGrounds, PreemptionRule, Retained, WhyRetained};
use view::waiting::PreemptionOutcome;

use super::stage::{Stage, cores, open_root};

fn stage(profile: Profile, ask: &str) -> Stage {
    let queues = "{name: a, resources: {guaranteed: {vcore: 4}}}, {name: b, resources: {guaranteed: {vcore: 10}}},
        {name: c, resources: {guaranteed: {vcore: 8}}}";
    let mut stage = Stage::bare(profile, &open_root(queues));
    stage.play("- node: {id: n1, capacity: {vcore: 10}}\n- node: {id: n2, capacity: {vcore: 10}}");
    for (app, count) in [("a", 7), ("c", 3)] {
        stage.submit(&format!("{app}1"), &format!("root.{app}"));
        stage.ask_for(&format!("{app}1"), "t", "{vcore: 2}", 0, count);
        stage.play("- schedule: idle");
    }
    stage.submit("b1", "root.b");
    stage.play(&format!(
        "- ask: {{app: b1, id: x, resource: {{vcore: {ask}}}, allowPreemptOther: true}}\n- advance: 30s"
    ));
    stage
}

fn grounds(events: &[EventKind]) -> Option<Arc<PreemptionGrounds>> {
    events.iter().find_map(|event| match event {
        EventKind::Preempted { grounds, .. } => Some(Arc::clone(grounds)),
        _ => None,
    })
}

fn reasons(retained: &[Retained]) -> Vec<(WhyRetained, String, u64)> {
    let mut all: Vec<_> = retained.iter().map(|one| (one.why, one.leaf.queue.to_string(), one.count)).collect();
    all.sort();
    all
}

#[test]
fn the_grounds_have_the_previous_state_of_the_queues_and_the_skipped_victims() {
    for profile in Profile::ALL {
        let mut stage = stage(profile, "4");
        let grounds = grounds(&stage.play("- schedule: 1")).expect("something was preempted");
        assert_eq!((grounds.rule, grounds.victims), (PreemptionRule::Guarantee, 2), "{profile}");
        assert_eq!(grounds.own.sentence(), "root.b: nothing used, 10 cpu guaranteed, nothing over");
        let leaves: Vec<String> = grounds.leaves.iter().map(|leaf| leaf.sentence()).collect();
        assert_eq!(leaves, ["root.a: 14 cpu used, 4 cpu guaranteed, 10 cpu over"], "{profile}");
        assert_eq!(grounds.leaves[0].over(), cores(10));
        let retained = reasons(&grounds.retained.groups);
        let counted: u64 = retained.iter().map(|(.., count)| count).sum();
        assert_eq!(
            counted + grounds.victims + grounds.retained.others,
            10,
            "each allocation is in it once: {retained:?}"
        );
        assert_eq!(retained[0], (WhyRetained::WithinGuarantee, "root.c".to_owned(), 3), "{profile}");
        for (why, ..) in &retained[1..] {
            assert!(matches!(why, WhyRetained::OtherNode | WhyRetained::NotNeeded), "{profile}: {retained:?}");
        }
    }
}

#[test]
fn a_request_without_victims_shows_the_candidates_and_why_they_stay() {
    for profile in Profile::ALL {
        let queues = "{name: a, resources: {guaranteed: {vcore: 20}}}, {name: b, resources: {guaranteed: {vcore: 10}}}";
        let mut stage = Stage::bare(profile, &open_root(queues));
        stage.play("- node: {id: n1, capacity: {vcore: 10}}");
        stage.submit("a1", "root.a");
        stage.ask_for("a1", "t", "{vcore: 2}", 0, 5);
        stage.play("- schedule: idle");
        stage.submit("b1", "root.b");
        stage.play("- ask: {app: b1, id: x, resource: {vcore: 2}, allowPreemptOther: true}\n- advance: 30s");
        assert_eq!(stage.cycle(), "nothing");
        let found = stage.explain("b1");
        let verdict = &found.asks[0].preemption;
        assert_eq!(verdict.outcome, PreemptionOutcome::NoCandidates, "{profile}");
        assert_eq!(
            verdict.retained.sentences(),
            [
                "5 allocations of root.a, the first t-1 of a1: the queue is within its guarantee, 10 cpu used, 20 cpu guaranteed"
            ],
            "{profile}"
        );
    }
}

#[test]
fn an_enforced_maximum_shows_what_was_not_preempted_and_why() {
    for profile in Profile::ALL.into_iter().filter(|profile| profile.enforces_quotas()) {
        let tree = |max: u32| {
            format!(
                "partitions: [{{name: default, preemption: {{quotapreemptionenabled: true}}, queues: [{{name: root, submitacl: '*', \
                 queues: [{{name: p, resources: {{max: {{vcore: {max}}}}}, properties: {{quota.preemption.delay: 3s}}, queues: [\
                 {{name: a}}, {{name: c, resources: {{guaranteed: {{vcore: 8}}}}}}]}}]}}]}}]"
            )
        };
        let mut stage = Stage::bare(profile, &tree(20));
        stage.play("- node: {id: n1, capacity: {vcore: 20, memory: 100}}");
        for (app, leaf) in [("a1", "a"), ("c1", "c")] {
            stage.submit(app, &format!("root.p.{leaf}"));
        }
        stage.ask_for("a1", "t", "{vcore: 2}", 0, 2);
        stage.ask_for("a1", "u", "{vcore: 6}", 0, 1);
        stage.ask_for("a1", "m", "{memory: 10}", 0, 1);
        stage.ask_for("c1", "t", "{vcore: 2}", 0, 2);
        stage.play("- schedule: idle");
        stage.configure(&tree(9));
        let events = stage.play("- advance: 10s");
        let found = events.iter().find_map(|event| match event {
            EventKind::QuotaPreempted { grounds, .. } => grounds.clone(),
            _ => None,
        });
        let grounds = found.unwrap_or_else(|| panic!("{profile}: nothing went"));
        assert_eq!((grounds.rule, grounds.victims), (PreemptionRule::Maximum, 2), "{profile}");
        assert_eq!(
            reasons(&grounds.retained.groups),
            [
                (WhyRetained::WithinGuarantee, "root.p.c".to_owned(), 2),
                (WhyRetained::NothingShared, "root.p.a".to_owned(), 1),
                (WhyRetained::TooLarge, "root.p.a".to_owned(), 1)
            ],
            "{profile}"
        );
    }
}

//! Every recorded scenario, under the profile of its release and under another one.

use std::collections::BTreeMap;

use forecast::shadow::Verdict;
use model::Profile;

use super::play::{EXACT, case, cases, play};

/// The state equals the release's at every step. Returns the numbers of decisions and preemptions.
fn agrees(profile: Profile) -> (usize, usize) {
    let (mut decisions, mut preemptions, mut wrong) = (0, 0, String::new());
    for case in cases(profile) {
        let Some(played) = play(&case, profile, EXACT) else { continue };
        for comparison in &played.comparisons {
            decisions += 1;
            if comparison.verdict != Verdict::Same {
                wrong += &format!("{}: {comparison:?}\n", case.name);
            }
        }
        for check in &played.checks {
            preemptions += 1;
            if !check.is_same() {
                wrong += &format!("{}: {check:?}\n", case.name);
            }
        }
        for snapshot in &played.snapshots {
            wrong += &format!("{snapshot}: another state\n");
        }
    }
    assert!(wrong.is_empty(), "{profile}: {} lines\n{}", wrong.lines().count(), &wrong[..wrong.len().min(4000)]);
    (decisions, preemptions)
}

#[test]
fn with_the_profile_of_1_5_1_every_decision_of_1_5_1_is_the_same() {
    assert_eq!(agrees(Profile::V1_5_1), (3532, 16));
}

#[test]
fn with_the_profile_of_1_8_0_every_decision_of_1_8_0_is_the_same() {
    assert_eq!(agrees(Profile::V1_8_0), (3596, 39));
}

#[test]
fn with_the_profile_of_1_9_0_every_decision_of_1_9_0_is_the_same() {
    assert_eq!(agrees(Profile::V1_9_0), (3602, 36));
}

#[test]
fn with_another_profile_what_differs_is_named() {
    let mut table: BTreeMap<(Verdict, &str), usize> = BTreeMap::new();
    for case in cases(Profile::V1_8_0) {
        let Some(played) = play(&case, Profile::V1_5_1, EXACT) else { continue };
        for comparison in &played.comparisons {
            assert!(comparison.verdict == Verdict::Same || !comparison.cause.is_empty(), "{comparison:?}");
            let rule = comparison.rule.unwrap_or_default();
            assert_eq!(comparison.verdict == Verdict::Illegal, !rule.is_empty(), "{comparison:?}");
            *table.entry((comparison.verdict, rule)).or_default() += 1;
        }
    }
    let line = |((verdict, rule), count): (&(Verdict, &str), &usize)| {
        format!("{count:6} {} {rule}", verdict.name()).trim_end().to_owned()
    };
    let table: Vec<String> = table.iter().map(line).collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    3262 same
       4 node
     206 order
       1 illegal node-resources
      17 illegal placement
       1 illegal queue-maximum
      20 illegal state
    ");
}

#[test]
fn a_difference_has_a_reason() {
    let mut found = String::new();
    for name in ["appsort-001", "gang-003", "nodes-003", "preempt-003", "quota-002"] {
        let Some(case) = case(name, Profile::V1_8_0) else { continue };
        let Some(played) = play(&case, Profile::V1_5_1, EXACT) else { continue };
        let first = played.comparisons.iter().find(|one| !one.verdict.agrees());
        if let Some(first) = first {
            found += &format!("{name}: {} {}: {} {}\n", first.app, first.ask, first.verdict.name(), first.cause);
        }
    }
    insta::assert_snapshot!(found, @r"
    appsort-001: app-003 t4-1: illegal it would wait for app-002, which was submitted earlier: its queue starts one application at a time
    quota-002: app-005 t10-1: order kornsole allocates app-003 t5-2 on node-01 before it: queue root.delta.alpha has a smaller fair share than root.delta.gamma
    ");
}

//! Gangs that time out after some of their placeholders were replaced (SCH-146).

use model::Profile;
use scheduler::EventKind;
use scheduler::inspect::invariants;

use super::gangs::{counts, gang, member, placeholders, released};
use super::stage::{Stage, cores};

/// One placeholder was replaced by r1, one is allocated, one does not fit, and r2 waits for it.
fn late(profile: Profile, style: &str) -> Stage {
    let mut stage = Stage::bare(profile, &super::stage::open_root("{name: q}"));
    stage.play("- node: {id: n0, capacity: {vcore: 2}}");
    let more = format!(", gangStyle: {style}, placeholderTimeout: 10s");
    gang(&mut stage, "g", "root.q", &more, "{vcore: 3}", 3);
    member(&mut stage, "g", "r1", "{vcore: 1}");
    assert_eq!(stage.asks(3), "ph-1 r1 ph-2");
    assert_eq!(stage.app("g"), "Accepted");
    stage
}

fn check_invariants(stage: &Stage) {
    assert_eq!(invariants::violations(stage.scheduler()), [""; 0]);
}

#[test]
fn p_21_what_a_late_gang_must_release() {
    for profile in Profile::ALL {
        let mut stage = late(profile, "Soft");
        let gone = released(&stage.play("- advance: 11s"));
        let real_too = matches!(profile, Profile::V1_8_0 | Profile::V1_9_0);
        let want: &[&str] = if real_too { &["ph-2 Timeout", "r1 Timeout"] } else { &["ph-2 Timeout"] };
        assert_eq!(gone, want, "{profile}");
        let left = if real_too { cores(0) } else { cores(1) };
        assert!(stage.queue("root.q").allocated.sub(&left).is_zero(), "{profile}");
        assert_eq!(stage.app("g"), if real_too { "Completing" } else { "Accepted" }, "{profile}");
        check_invariants(&stage);
    }
}

/// 1.5.1 counts all placeholders, 1.8.0 also the pending real request.
#[test]
fn p_07_what_counts_as_timed_out_when_a_gang_is_late() {
    let all = [(Profile::Kornsole, 2), (Profile::V1_5_1, 3), (Profile::V1_8_0, 3), (Profile::V1_9_0, 3)];
    for (profile, timed_out) in all {
        let mut stage = late(profile, "Soft");
        member(&mut stage, "g", "r0", "{vcore: 2}");
        stage.play("- advance: 11s");
        assert_eq!(counts(stage.application("g")), (3, 1, timed_out), "{profile}");
        // In the releases, the rest of the old count hides the new placeholder.
        placeholders(&mut stage, "g", "again", "{vcore: 1}", 1);
        member(&mut stage, "g", "r1-again", "{vcore: 1}");
        stage.play("- node: {id: n1, capacity: {vcore: 1}}\n- drainNode: n0");
        assert_eq!(stage.asks(1), "again", "{profile}: it was asked for first");
        check_invariants(&stage);
    }
}

#[test]
fn p_22_what_a_failed_gang_retains() {
    for profile in Profile::ALL {
        let mut stage = late(profile, "Hard");
        let events = stage.play("- advance: 11s");
        let asked = events.iter().any(|event| matches!(event, EventKind::Stopping { ask, .. } if ask.as_str() == "r1"));
        assert_eq!(asked, matches!(profile, Profile::V1_8_0 | Profile::V1_9_0), "{profile}");
        let (leaks, partition) = (profile != Profile::Kornsole, stage.partition());
        assert!(partition.app_key(&"g".into()).is_none() && stage.queue("root.q").allocated.is_zero(), "{profile}");
        let node = partition.nodes.iter().next().expect("there is one");
        assert_eq!(node.allocated, if leaks { cores(1) } else { Default::default() }, "{profile}");
        assert_eq!(node.left_behind.len(), usize::from(leaks), "{profile}");
        let user = partition.usage.users.find("sue").and_then(|key| partition.usage.users.get(key));
        let used = user.and_then(|user| user.at(stage.queue("root.q").key)).map(|usage| usage.allocated.clone());
        assert_eq!(used, leaks.then(|| cores(1)), "{profile}");
        check_invariants(&stage);
        // The node is smaller by that until it is removed.
        stage.submit("b", "root.q");
        stage.ask("b", "t", 0, 2);
        assert_eq!(stage.asks(2), if leaks { "t-1 nothing" } else { "t-1 t-2" }, "{profile}");
        stage.play("- removeNode: n0");
        check_invariants(&stage);
    }
}

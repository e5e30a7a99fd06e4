use model::Profile;
use scheduler::{AskSpec, PartitionCommand};

use super::stage::{Stage, open_root};

const TWO_LEAVES: &str =
    "{name: a, resources: {guaranteed: {vcore: 4}}}, {name: b, resources: {guaranteed: {vcore: 4}}}";

fn full(profile: Profile, queues: &str) -> Stage {
    let mut stage = Stage::bare(profile, &open_root(queues));
    stage.play("- node: {id: n1, capacity: {vcore: 10}}");
    stage.submit("x", "root.a");
    for number in 1..=5 {
        stage.ask_for("x", &format!("t{number}"), "{vcore: 2}", 0, 1);
        assert_eq!(stage.cycle(), format!("t{number}@n1"));
    }
    stage
}

fn wants(stage: &mut Stage, id: &str, resource: &str) {
    stage.play(&format!("- ask: {{app: y, id: {id}, resource: {resource}, allowPreemptOther: true}}"));
}

fn waits(stage: &mut Stage, id: &str, resource: &str) {
    stage.submit("y", "root.b");
    wants(stage, id, resource);
    stage.play("- advance: 30s");
}

fn runs(stage: &mut Stage, id: &str, vcore: i64, stays: bool, originator: bool) {
    stage.command(PartitionCommand::Ask(AskSpec {
        app: "x".into(),
        id: id.into(),
        resource: super::stage::cores(vcore),
        allow_preempt_self: !stays,
        originator,
        ..AskSpec::default()
    }));
    stage.play("- schedule: 1");
}

#[test]
fn sch_150_the_switch_of_the_partition_changes_with_a_reload() {
    let config = |enabled| {
        format!(
            "partitions: [{{name: default, preemption: {{enabled: {enabled}}},
             queues: [{{name: root, submitacl: '*', queues: [{TWO_LEAVES}]}}]}}]"
        )
    };
    let mut stage = full(Profile::Kornsole, TWO_LEAVES);
    waits(&mut stage, "w", "{vcore: 2}");
    let mut reload = |enabled| {
        stage.play(&format!("- config: |\n    {}", config(enabled).replace('\n', " ")));
        stage.cycle()
    };
    assert_eq!([reload(false), reload(true)], ["nothing", "-t5 w>n1"]);
}

#[test]
fn sch_150_ten_attempts_and_what_counts_as_one() {
    for (profile, message) in
        [(Profile::V1_5_1, "nothing"), (Profile::V1_8_0, "-t5 w>n1"), (Profile::Kornsole, "-t5 w>n1")]
    {
        let mut stage = full(profile, TWO_LEAVES);
        stage.submit("y", "root.b");
        stage.ask_for("y", "no", "{vcore: 2}", 1, 10);
        wants(&mut stage, "w", "{vcore: 2}");
        stage.play("- advance: 30s");
        assert_eq!(stage.cycle(), message, "{profile}: ten asks before it may not preempt");
    }
    for profile in Profile::ALL {
        let mut stage = full(profile, TWO_LEAVES);
        stage.submit("y", "root.b");
        for number in 1..=10 {
            wants(&mut stage, &format!("large{number}"), "{vcore: 6}");
        }
        wants(&mut stage, "w", "{vcore: 2}");
        stage.play("- advance: 30s");
        let message = [stage.cycle(), stage.cycle()];
        // After an attempt, requests wait for 15 s, so only in 1.5.1 they block the others for longer.
        let second = if profile == Profile::V1_5_1 { "nothing" } else { "-t5 w>n1" };
        assert_eq!(message, ["nothing", second], "{profile}: ten asks before it find no victims");
    }
}

#[test]
fn sch_151_an_ask_waits_for_the_delay_of_its_leaf_and_15_s_after_each_try() {
    let queues = |guaranteed| {
        format!(
            "{{name: a, resources: {{guaranteed: {{vcore: {guaranteed}}}}}}},
             {{name: b, properties: {{preemption.delay: 5s}}, resources: {{guaranteed: {{vcore: 4}}}}}}"
        )
    };
    for profile in Profile::ALL {
        let mut stage = full(profile, &queues(10));
        stage.submit("y", "root.b");
        wants(&mut stage, "w", "{vcore: 2}");
        stage.play("- advance: 5s");
        assert_eq!(stage.cycle(), "nothing", "{profile}: a has but its guarantee");
        stage.play(&format!("- config: |\n    {}", open_root(&queues(4)).replace('\n', " ")));
        assert_eq!(stage.cycle(), "nothing", "{profile}: it tried a moment ago");
        stage.play("- advance: 14990ms");
        assert_eq!(stage.cycle(), "nothing");
        stage.play("- advance: 10ms");
        assert_eq!(stage.cycle(), "-t5 w>n1");
        let mut stage = full(profile, &queues(4));
        stage.submit("y", "root.b");
        wants(&mut stage, "w", "{vcore: 2}");
        stage.play("- advance: 4990ms");
        assert_eq!(stage.cycle(), "nothing", "{profile}: it is too young");
        stage.play("- advance: 10ms");
        assert_eq!(stage.cycle(), "-t5 w>n1");
    }
}

#[test]
fn sch_151_an_ask_preempts_once() {
    let mut stage = full(Profile::Kornsole, TWO_LEAVES);
    waits(&mut stage, "w", "{vcore: 2}");
    assert_eq!(stage.cycle(), "-t5 w>n1");
    stage.play("- updateNode: {id: n1, capacity: {vcore: 8}}\n- advance: 1h");
    assert_eq!(stage.cycle(), "nothing", "the room was taken away again");
}

#[test]
fn sch_153_no_victim_in_the_leaf_of_the_ask_or_with_a_required_node() {
    let mut stage = Stage::bare(Profile::Kornsole, &open_root(TWO_LEAVES));
    stage.play("- node: {id: n1, capacity: {vcore: 10}}");
    stage.submit("x", "root.a");
    for number in 1..=4 {
        stage.play(&format!(
            "- ask: {{app: x, id: t{number}, resource: {{vcore: 2}}, requiredNode: n1}}\n- schedule: 1"
        ));
    }
    stage.submit("y", "root.b");
    wants(&mut stage, "own", "{vcore: 2}");
    assert_eq!(stage.cycle(), "own@n1");
    wants(&mut stage, "w", "{vcore: 2}");
    stage.play("- advance: 30s");
    assert_eq!(stage.cycle(), "nothing");
}

#[test]
fn sch_158_wishes_first_then_drivers_then_age() {
    let queues = "{name: a, resources: {guaranteed: {vcore: 2}}}, {name: b, resources: {guaranteed: {vcore: 6}}}";
    for profile in Profile::ALL {
        let mut stage = Stage::bare(profile, &open_root(queues));
        stage.play("- node: {id: n1, capacity: {vcore: 8}}");
        stage.submit("x", "root.a");
        for (id, stays, originator) in
            [("old", false, false), ("driver", false, true), ("stays", true, false), ("new", false, false)]
        {
            runs(&mut stage, id, 2, stays, originator);
        }
        let mut message = Vec::new();
        stage.submit("y", "root.b");
        for id in ["w1", "w2", "w3"] {
            wants(&mut stage, id, "{vcore: 2}");
            stage.play("- advance: 30s");
            message.extend([stage.cycle(), stage.cycle()]);
        }
        let victims: Vec<&str> =
            message.iter().step_by(2).map(|message| message.split(' ').next().unwrap_or_default()).collect();
        assert_eq!(victims, ["-new", "-old", "-driver"], "{profile}");
    }
}

#[test]
fn sch_158_victims_that_do_not_help_the_ask_are_last() {
    let queues =
        "{name: a, resources: {guaranteed: {memory: 1}}}, {name: b, resources: {guaranteed: {vcore: 4, memory: 4}}}";
    let mut stage = Stage::bare(Profile::Kornsole, &open_root(queues));
    stage.play("- node: {id: n1, capacity: {vcore: 4, memory: 8}}");
    stage.submit("x", "root.a");
    for (id, resource) in [("cpu", "{vcore: 3}"), ("mem", "{memory: 4}")] {
        stage.ask_for("x", id, resource, 0, 1);
        assert_eq!(stage.cycle(), format!("{id}@n1"));
    }
    waits(&mut stage, "w", "{vcore: 2, memory: 2}");
    assert_eq!(stage.cycle(), "-cpu w>n1", "there is memory enough, and the newest one has nothing else");
}

#[test]
fn sch_159_the_node_that_needs_the_fewest_victims() {
    let mut stage = Stage::bare(Profile::Kornsole, &open_root(TWO_LEAVES));
    stage.play("- node: {id: n1, capacity: {vcore: 4}}\n- node: {id: n2, capacity: {vcore: 4}}");
    stage.submit("x", "root.a");
    for (id, vcore) in [("t1", 2), ("big", 4), ("t2", 2)] {
        stage.ask_for("x", id, &format!("{{vcore: {vcore}}}"), 0, 1);
    }
    assert_eq!(stage.nodes(3), "n1 n2 n1");
    waits(&mut stage, "w", "{vcore: 4}");
    assert_eq!(stage.cycle(), "-big w>n2");
}

fn quota(profile: Profile) -> Stage {
    let mut stage = Stage::bare(
        profile,
        &open_root(&format!("{{name: p, resources: {{max: {{vcore: 10}}}}, queues: [{TWO_LEAVES}]}}")),
    );
    stage.play("- node: {id: n1, capacity: {vcore: 10}}");
    stage.submit("x", "root.p.a");
    for number in 1..=5 {
        stage.ask_for("x", &format!("t{number}"), "{vcore: 2}", number - 10, 1);
    }
    assert_eq!(stage.asks(5), "t5 t4 t3 t2 t1");
    stage.play("- node: {id: n2, capacity: {vcore: 10}}");
    stage.submit("y", "root.p.b");
    stage
}

#[test]
fn sch_160_victims_for_the_quota_are_the_newest_wherever_they_run() {
    // P-14: by allocation time or by request time.
    for (profile, message) in
        [(Profile::V1_5_1, "-t1 -t2 w>n1"), (Profile::V1_8_0, "-t5 -t4 w>n1"), (Profile::Kornsole, "-t1 -t2 w>n1")]
    {
        let mut stage = quota(profile);
        wants(&mut stage, "w", "{vcore: 4}");
        stage.play("- advance: 30s");
        let reported_now = stage.cycle();
        assert_eq!(reported_now.replace("w>n2", "w>n1"), message, "{profile}");
        assert!(reported_now.ends_with("w>n2"), "{profile}: n2 has room: {reported_now}");
        assert_eq!(stage.cycle(), "w<n2 w@n2");
    }
}

#[test]
fn sch_160_nothing_is_preempted_if_all_victims_do_not_help() {
    for profile in Profile::ALL {
        let mut stage = quota(profile);
        stage.play(
            "- ask: {app: y, id: w, resource: {vcore: 4}, priority: -9, allowPreemptOther: true}\n- advance: 30s",
        );
        assert_eq!(stage.cycle(), "nothing", "{profile}: only t1 is not more important");
    }
}

#[test]
fn d_18_how_far_a_queue_gives() {
    let one_name = ("{vcore: 3}", "{vcore: 4}");
    let two_names = ("{vcore: 3, memory: 6}", "{vcore: 4, memory: 4}");
    for (profile, (each, guaranteed), message) in [
        (Profile::Kornsole, one_name, "nothing"),
        (Profile::V1_5_1, one_name, "nothing"),
        (Profile::V1_8_0, one_name, "-t2 w>n1"),
        (Profile::Kornsole, two_names, "nothing"),
        (Profile::V1_5_1, two_names, "-t2 w>n1"),
        (Profile::V1_8_0, two_names, "-t2 w>n1"),
    ] {
        let queues = format!(
            "{{name: a, resources: {{guaranteed: {guaranteed}}}}}, {{name: b, resources: {{guaranteed: {{vcore: 3, memory: 6}}}}}}"
        );
        let mut stage = Stage::bare(profile, &open_root(&queues));
        stage.play("- node: {id: n1, capacity: {vcore: 6, memory: 12}}");
        stage.submit("x", "root.a");
        stage.ask_for("x", "t1", each, 0, 1);
        stage.ask_for("x", "t2", each, 0, 1);
        assert_eq!(stage.asks(2), "t1 t2");
        waits(&mut stage, "w", each);
        assert_eq!(stage.cycle(), message, "{profile}, {each} over {guaranteed}");
    }
}

#[test]
fn p_10_a_queue_with_all_of_its_maximum_is_a_fence() {
    for profile in Profile::ALL {
        // The maximum does not limit memory: only in 1.8.0 it is a fence.
        let message = if profile == Profile::V1_8_0 { "nothing" } else { "-t5 w>n1" };
        let queues = "{name: a, resources: {guaranteed: {memory: 4}}},
            {name: b, resources: {guaranteed: {memory: 4, vcore: 4}, max: {vcore: 4}}}";
        let mut stage = Stage::bare(profile, &open_root(queues));
        stage.play("- node: {id: n1, capacity: {vcore: 10, memory: 10}}");
        stage.submit("x", "root.a");
        for number in 1..=5 {
            stage.ask_for("x", &format!("t{number}"), "{memory: 2}", 0, 1);
            stage.cycle();
        }
        stage.submit("y", "root.b");
        stage.ask_for("y", "own", "{vcore: 4}", 0, 1);
        assert_eq!(stage.cycle(), "own@n1");
        wants(&mut stage, "w", "{memory: 2}");
        stage.play("- advance: 30s");
        assert_eq!(stage.cycle(), message, "{profile}");
    }
}

#[test]
fn p_12_and_p_13_in_1_8_0_victims_must_make_up_for_the_ask_alone() {
    // 1.8.0 does not count the free core when it trims the victims.
    for (profile, message) in
        [(Profile::V1_5_1, "-t3 w>n1"), (Profile::V1_8_0, "nothing"), (Profile::Kornsole, "-t3 w>n1")]
    {
        let mut stage = Stage::bare(profile, &open_root(TWO_LEAVES));
        stage.play("- node: {id: n1, capacity: {vcore: 7}}");
        stage.submit("x", "root.a");
        for number in 1..=3 {
            stage.ask_for("x", &format!("t{number}"), "{vcore: 2}", 0, 1);
        }
        assert_eq!(stage.asks(3), "t1 t2 t3");
        waits(&mut stage, "w", "{vcore: 3}");
        assert_eq!(stage.cycle(), message, "{profile}");
    }
}

/// n2 is used by allocations that cannot be preempted; `w` reserves it.
fn reserved_elsewhere(profile: Profile) -> Stage {
    let queues = "{name: a, resources: {guaranteed: {vcore: 4}}}, {name: b, resources: {guaranteed: {vcore: 4}}},
        {name: c, properties: {preemption.policy: disabled}}";
    let mut stage = Stage::bare(profile, &open_root(queues));
    stage.play("- node: {id: n1, capacity: {vcore: 10, memory: 100}}");
    stage.submit("x", "root.a");
    stage.ask_for("x", "t", "{vcore: 4, memory: 1}", 0, 2);
    stage.play("- schedule: 2\n- node: {id: n2, capacity: {vcore: 10, memory: 100}}");
    stage.submit("z", "root.c");
    stage.ask_for("z", "disabled", "{vcore: 8, memory: 90}", 0, 1);
    assert_eq!(stage.cycle(), "disabled@n2");
    stage.submit("y", "root.b");
    stage.play("- ask: {app: y, id: w, resource: {vcore: 4, memory: 1}, allowPreemptOther: true}\n- advance: 3s");
    assert_eq!(stage.cycle(), "w>n2");
    stage
}

#[test]
fn p_05_the_reservation_of_an_ask_that_preempts_on_another_node() {
    for (profile, message, then) in [
        (Profile::V1_5_1, "-t-2", "w<n2 w@n1"),
        (Profile::V1_8_0, "-t-2 w<n2 w>n1", "w<n1 w@n1"),
        (Profile::Kornsole, "-t-2 w<n2 w>n1", "w<n1 w@n1"),
    ] {
        let mut stage = reserved_elsewhere(profile);
        stage.play("- advance: 30s");
        assert_eq!([stage.cycle(), stage.cycle()], [message, then], "{profile}");
    }
}

#[test]
fn sch_136_a_preemptor_does_away_with_old_reservations_in_1_8_0() {
    for (profile, message) in
        [(Profile::V1_5_1, "nothing"), (Profile::V1_8_0, "old<n1 -t4 new>n1"), (Profile::Kornsole, "nothing")]
    {
        let mut stage = Stage::bare(profile, &open_root(&format!("{TWO_LEAVES}, {{name: c}}")));
        stage.play("- node: {id: n1, capacity: {vcore: 8}}");
        stage.submit("x", "root.a");
        for number in 1..=4 {
            stage.ask_for("x", &format!("t{number}"), "{vcore: 2}", 0, 1);
        }
        assert_eq!(stage.asks(4), "t1 t2 t3 t4");
        stage.play("- node: {id: n2, capacity: {vcore: 8}}");
        stage.play("- drainNode: n2");
        stage.submit("z", "root.c");
        stage.ask("z", "old", 0, 1);
        stage.play("- advance: 3s");
        assert_eq!(stage.cycle(), "old>n1");
        stage.submit("y", "root.b");
        let asks = "- ask: {app: y, id: new, resource: {vcore: 2}, priority: 1, allowPreemptOther: true}";
        stage.play(&format!("- advance: 119m\n{asks}\n- advance: 58s"));
        assert_eq!(stage.cycle(), "nothing", "{profile}: the reservation is not old enough");
        stage.play("- advance: 15s");
        assert_eq!(stage.cycle(), message, "{profile}");
    }
}

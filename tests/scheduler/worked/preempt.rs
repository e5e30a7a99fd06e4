//! EX-18, EX-20 and EX-21: preemption.

use model::Profile;
use scheduler::{AskSpec, PartitionCommand};

use super::stage::{Stage, cores, open_root};

fn ex_18(profile: Profile, a: &str, last: u32) -> Stage {
    let queues = format!("{{name: a, resources: {a}}}, {{name: b, resources: {{guaranteed: {{vcore: 10}}}}}}");
    let mut stage = Stage::bare(profile, &open_root(&queues));
    stage.play("- node: {id: n1, capacity: {vcore: 10}}\n- node: {id: n2, capacity: {vcore: 10}}");
    stage.submit("a1", "root.a");
    for number in 1..=10 {
        stage.ask_for("a1", &format!("t{number:02}"), "{vcore: 2}", 0, 1);
    }
    assert_eq!(stage.nodes(10), "n1 n2 n1 n2 n1 n2 n1 n2 n1 n2");
    stage.submit("b1", "root.b");
    for (id, vcore) in [("x1", 4), ("x2", 4), ("x3", last)] {
        stage.play(&format!("- ask: {{app: b1, id: {id}, resource: {{vcore: {vcore}}}, allowPreemptOther: true}}"));
    }
    stage.play("- advance: 30s");
    stage
}

fn used(stage: &Stage) -> (i64, i64) {
    let vcore = |path| stage.queue(path).allocated.amount("vcore") / 1000;
    (vcore("root.a"), vcore("root.b"))
}

#[test]
fn ex_18_step_by_step() {
    for profile in Profile::ALL {
        let mut stage = ex_18(profile, "{guaranteed: {vcore: 10}}", 4);
        let mut message = Vec::new();
        for _ in 0..5 {
            message.push((stage.cycle(), used(&stage)));
            assert_eq!(stage.queue("root.a").preempting, cores(0), "the victims are gone with their cycle");
        }
        let table = [
            ("-t09 -t07 x1>n1", (16, 0)),
            ("x1<n1 x1@n1", (16, 4)),
            ("-t05 -t03 x2>n1", (12, 4)),
            ("x2<n1 x2@n1", (12, 8)),
            ("nothing", (12, 8)),
        ];
        assert_eq!(message, table.map(|(message, used)| (message.to_owned(), used)), "{profile}");
        stage.play("- advance: 1h");
        assert_eq!(stage.cycle(), "nothing", "b would have 12 of its 10");
    }
}

#[test]
fn ex_18_a_reservation_counts_against_the_running_applications() {
    let mut stage = ex_18(Profile::Kornsole, "{guaranteed: {vcore: 10}}", 4);
    stage.cycle();
    assert_eq!(stage.app("b1"), "Accepted");
    assert!(stage.queue("root.b").allocating_accepted.contains("b1"));
}

#[test]
fn ex_18_with_a_smaller_last_ask() {
    let mut stage = ex_18(Profile::Kornsole, "{guaranteed: {vcore: 10}}", 2);
    let message: Vec<String> = (0..6).map(|_| stage.cycle()).collect();
    assert_eq!(message[4..], ["-t01 x3>n1", "x3<n1 x3@n1"]);
    assert_eq!(used(&stage), (10, 10));
}

#[test]
fn ex_18_who_has_exactly_its_guarantee_gives_nothing() {
    for profile in Profile::ALL {
        let mut stage = ex_18(profile, "{guaranteed: {vcore: 20}}", 2);
        assert_eq!(stage.cycle(), "nothing", "{profile}");
    }
}

#[test]
fn ex_18_who_has_no_guarantee_gives_but_in_1_5_1() {
    for (profile, message) in
        [(Profile::V1_5_1, "nothing"), (Profile::V1_8_0, "-t09 -t07 x1>n1"), (Profile::Kornsole, "-t09 -t07 x1>n1")]
    {
        assert_eq!(ex_18(profile, "{max: {vcore: 100}}", 2).cycle(), message, "{profile}");
    }
}

fn ex_20(profile: Profile, a: &str, pb: &str, b: &str, victims: i32, ask: i32) -> String {
    let leaf = |name, properties| {
        format!("{{name: {name}, resources: {{guaranteed: {{vcore: 4}}}}, properties: {{{properties}}}}}")
    };
    let mut stage = Stage::bare(
        profile,
        &open_root(&format!(
            "{{name: pa, queues: [{}]}}, {{name: pb, properties: {{{pb}}}, queues: [{}]}}",
            leaf("a", a),
            leaf("b", b)
        )),
    );
    stage.play("- node: {id: n1, capacity: {vcore: 10}}");
    stage.submit("x", "root.pa.a");
    for number in 1..=5 {
        stage.ask_for("x", &format!("t{number}"), "{vcore: 2}", victims, 1);
    }
    assert_eq!(stage.asks(5), "t1 t2 t3 t4 t5");
    stage.submit("y", "root.pb.b");
    stage.play(&format!(
        "- ask: {{app: y, id: w, resource: {{vcore: 2}}, priority: {ask}, allowPreemptOther: true}}\n- advance: 30s"
    ));
    stage.cycle()
}

#[test]
fn ex_20_who_can_be_a_victim() {
    let newest = "-t5 w>n1";
    let no_victim = "nothing";
    for profile in Profile::ALL {
        for (a, pb, b, victims, ask, message) in [
            ("", "", "", 0, 0, newest),
            ("", "", "", 1, 0, no_victim),
            ("", "", "", -1, 0, newest),
            ("priority.offset: '1'", "", "", 0, 0, no_victim),
            ("priority.offset: '-1'", "", "", 1, 0, newest),
            ("", "", "priority.offset: '5'", 5, 0, newest),
            ("", "", "priority.offset: '5'", 6, 0, no_victim),
            ("preemption.policy: disabled", "", "", 0, 0, no_victim),
            ("", "", "preemption.policy: fence", 0, 0, no_victim),
            ("", "preemption.policy: fence", "", 0, 0, no_victim),
            ("preemption.policy: fence", "", "", 0, 0, newest),
            ("priority.policy: fence", "", "", 100, 0, newest),
            ("priority.policy: fence, priority.offset: '1'", "", "", 0, 0, no_victim),
            ("", "", "priority.policy: fence, priority.offset: '-1'", 0, 100, no_victim),
        ] {
            let reported_now = ex_20(profile, a, pb, b, victims, ask);
            assert_eq!(reported_now, message, "{profile}, a: {a}, pb: {pb}, b: {b}, victims {victims}, ask {ask}");
        }
    }
}

fn ex_21(profile: Profile, wanted: u32) -> Stage {
    let a = "{name: a, properties: {preemption.policy: disabled}, resources: {guaranteed: {vcore: 10}}}";
    let mut stage = Stage::bare(profile, &open_root(&format!("{a}, {{name: sys}}")));
    stage.play("- node: {id: n1, capacity: {vcore: 10}}");
    stage.submit("a1", "root.a");
    for (id, vcore, priority, stays, originator) in [
        ("hi", 2, 9, false, false),
        ("r0", 2, 0, false, false),
        ("r1", 2, 0, false, false),
        ("orig", 1, 0, false, true),
        ("opt", 2, 0, true, false),
    ] {
        stage.command(PartitionCommand::Ask(AskSpec {
            app: "a1".into(),
            id: id.into(),
            resource: cores(vcore),
            priority: model::Priority(priority),
            allow_preempt_self: !stays,
            originator,
            ..AskSpec::default()
        }));
        stage.play("- schedule: 1");
    }
    stage.play("- node: {id: n2, capacity: {vcore: 10}}");
    stage.submit("d", "root.sys");
    stage.play(&format!("- ask: {{app: d, id: d1, resource: {{vcore: {wanted}}}, requiredNode: n1}}"));
    assert_eq!(stage.queue("root.a").allocated, cores(9));
    stage
}

#[test]
fn ex_21_a_required_node() {
    for profile in Profile::ALL {
        let mut stage = ex_21(profile, 4);
        let message: Vec<String> = (0..3).map(|_| stage.cycle()).collect();
        assert_eq!(message, ["d1>n1", "-r1 -r0", "d1<n1 d1@n1"], "{profile}");
        assert_eq!(stage.queue("root.a").allocated, cores(5));
    }
}

#[test]
fn ex_21_protected_and_started_applications_are_preempted_last() {
    let mut stage = ex_21(Profile::Kornsole, 8);
    assert_eq!([stage.cycle(), stage.cycle()], ["d1>n1", "-r1 -r0 -opt -orig"]);
}

#[test]
fn ex_21_the_more_important_stays_and_that_is_reported_once() {
    let mut stage = ex_21(Profile::Kornsole, 9);
    assert_eq!([stage.cycle(), stage.cycle(), stage.cycle()], ["d1>n1", "d1!n1", "nothing"]);
    stage.play("- release: {app: a1, id: hi}");
    assert_eq!(stage.cycle(), "-r1 -r0 -opt -orig");
}

#[test]
fn sch_167_the_switch_of_the_partition_is_not_for_required_nodes() {
    let mut stage = ex_21(Profile::Kornsole, 4);
    let config = "partitions: [{name: default, preemption: {enabled: false}, queues: [{name: root, submitacl: '*',
      queues: [{name: a}, {name: sys}]}]}]";
    stage.play(&format!("- config: |\n    {config}"));
    assert_eq!([stage.cycle(), stage.cycle()], ["d1>n1", "-r1 -r0"]);
}

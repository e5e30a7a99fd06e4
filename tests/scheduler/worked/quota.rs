//! Quota preemption (N-01 to N-09 of the profiles). The recordings of 1.9.0 cover the rest.

use model::Profile;
use scheduler::{AskSpec, EventKind, PartitionCommand};

use super::stage::{Stage, cores};

fn enforced(queues: &str) -> String {
    format!(
        "partitions: [{{name: default, preemption: {{quotapreemptionenabled: true}}, \
         queues: [{{name: root, submitacl: '*', queues: [{queues}]}}]}}]"
    )
}

fn leaf(max: u32, properties: &str, guaranteed: u32) -> String {
    let resources = format!("max: {{vcore: {max}}}, guaranteed: {{vcore: {guaranteed}}}");
    enforced(&format!("{{name: a, resources: {{{resources}}}, properties: {{{properties}}}}}"))
}

const DELAY: &str = "quota.preemption.delay: 3s";

fn full(profile: Profile, properties: &str, guaranteed: u32) -> Stage {
    let mut stage = Stage::bare(profile, &leaf(10, properties, guaranteed));
    stage.play("- node: {id: n1, capacity: {vcore: 20}}");
    stage.submit("x", "root.a");
    for number in 1..=5 {
        stage.ask_for("x", &format!("t{number}"), "{vcore: 2}", 0, 1);
    }
    assert_eq!(stage.asks(5), "t1 t2 t3 t4 t5");
    stage
}

fn victims(stage: &mut Stage, by: &str) -> String {
    let events = stage.play(&format!("- advance: {by}"));
    let gone = events.into_iter().filter_map(|event| match event {
        EventKind::QuotaPreempted { ask, queue, .. } => Some(format!("{ask}<{queue}")),
        _ => None,
    });
    gone.collect::<Vec<_>>().join(" ")
}

#[test]
fn n_01_a_queue_is_reduced_to_its_lowered_maximum() {
    for profile in Profile::ALL {
        if !profile.enforces_quotas() {
            continue;
        }
        let mut stage = full(profile, DELAY, 0);
        stage.configure(&leaf(5, DELAY, 0));
        assert_eq!(victims(&mut stage, "2900ms"), "", "{profile}");
        assert!(stage.queue("root.a").quota_due.is_some());
        let gone = victims(&mut stage, "2s");
        assert_eq!(gone.split(' ').count(), 2, "5 less than 10 is not met by 2 each without going too far: {gone}");
        assert_eq!(stage.queue("root.a").allocated, cores(6), "never more goes than has to");
        assert_eq!(victims(&mut stage, "1h"), "", "there is no second time without a second reload");
    }
}

#[test]
fn n_01_a_maximum_that_is_raised_in_time_spares_them() {
    let mut stage = full(Profile::Kornsole, DELAY, 0);
    stage.configure(&leaf(4, DELAY, 0));
    stage.play("- advance: 2s");
    stage.configure(&leaf(10, DELAY, 0));
    assert_eq!(victims(&mut stage, "1h"), "");
    assert_eq!(stage.queue("root.a").quota_due, None);
}

#[test]
fn n_01_nothing_is_preempted_unless_the_partition_enables_it() {
    let off = |max| leaf(max, DELAY, 0).replace("quotapreemptionenabled: true", "enabled: true");
    let mut stage = full(Profile::Kornsole, DELAY, 0);
    stage.configure(&off(4));
    assert_eq!(victims(&mut stage, "1h"), "");
    stage.configure(&leaf(4, DELAY, 0));
    assert_eq!(victims(&mut stage, "1s").split(' ').count(), 3, "its time has passed long ago");
}

#[test]
fn n_01_the_delay_is_read_by_its_old_name() {
    for (profile, count) in [(Profile::Kornsole, 3), (Profile::V1_9_0, 0)] {
        let mut stage = full(profile, "preemption.quota.delay: 3s", 0);
        stage.configure(&leaf(4, "preemption.quota.delay: 3s", 0));
        assert_eq!(victims(&mut stage, "10s").matches('<').count(), count, "{profile}");
    }
}

#[test]
fn n_01a_opted_in_pods_are_preempted_first() {
    for (profile, first) in [(Profile::Kornsole, "t1<root.a"), (Profile::V1_9_0, "o<root.a")] {
        let mut stage = Stage::bare(profile, &leaf(10, DELAY, 0));
        stage.play("- node: {id: n1, capacity: {vcore: 20}}");
        stage.submit("x", "root.a");
        for (id, offers, originator) in [("o", false, true), ("t1", true, false), ("t2", false, false)] {
            stage.command(PartitionCommand::Ask(AskSpec {
                app: "x".into(),
                id: id.into(),
                resource: cores(2),
                allow_preempt_self: offers,
                originator,
                ..AskSpec::default()
            }));
        }
        assert_eq!(stage.asks(3), "o t1 t2");
        stage.configure(&leaf(4, DELAY, 0));
        assert_eq!(victims(&mut stage, "10s"), first, "{profile}");
    }
}

/// The leaf is 8 above its guaranteed resources, its parent 2.
#[test]
fn n_01b_every_guarantee_of_the_path_protects() {
    for (profile, left) in [(Profile::Kornsole, 8), (Profile::V1_9_0, 4)] {
        let leaf = |max: u32, guaranteed: u32| {
            enforced(&format!(
                "{{name: p, resources: {{max: {{vcore: 10}}, guaranteed: {{vcore: {guaranteed}}}}}, queues: [\
                 {{name: a, resources: {{max: {{vcore: {max}}}, guaranteed: {{vcore: 2}}}}, properties: {{{DELAY}}}}}]}}"
            ))
        };
        let mut stage = Stage::bare(profile, &leaf(10, 8));
        stage.play("- node: {id: n1, capacity: {vcore: 20}}");
        stage.submit("x", "root.p.a");
        stage.ask_for("x", "t", "{vcore: 2}", 0, 5);
        stage.play("- schedule: idle");
        stage.configure(&leaf(4, 8));
        victims(&mut stage, "10s");
        assert_eq!(stage.queue("root.p.a").allocated, cores(left), "{profile}: the parent is guaranteed 8");
    }
}

#[test]
fn n_01c_a_queue_below_its_guarantee_loses_nothing_of_it() {
    let tree = |max: u32| {
        enforced(&format!(
            "{{name: p, resources: {{max: {{vcore: {max}, memory: 100}}}}, properties: {{{DELAY}}}, queues: [{{name: a}}, \
             {{name: b, resources: {{guaranteed: {{vcore: 4, memory: 1}}}}}}]}}"
        ))
    };
    for (profile, gone) in [(Profile::Kornsole, 6), (Profile::V1_9_0, 4)] {
        let mut stage = Stage::bare(profile, &tree(14));
        stage.play("- node: {id: n1, capacity: {vcore: 20, memory: 100}}");
        stage.submit("x", "root.p.a");
        stage.submit("y", "root.p.b");
        stage.ask_for("x", "t", "{vcore: 1}", 0, 8);
        stage.ask_for("y", "u", "{vcore: 1, memory: 2}", 0, 2);
        stage.play("- schedule: idle");
        stage.configure(&tree(4));
        victims(&mut stage, "10s");
        assert_eq!(stage.queue("root.p.a").allocated, cores(8 - gone), "{profile}");
    }
}

#[test]
fn n_01d_a_delay_that_is_taken_out_calls_it_off() {
    for (profile, count) in [(Profile::Kornsole, 0), (Profile::V1_9_0, 3)] {
        let mut stage = full(profile, DELAY, 0);
        stage.configure(&leaf(4, DELAY, 0));
        stage.configure(&leaf(4, "", 0));
        assert_eq!(victims(&mut stage, "1h").matches('<').count(), count, "{profile}");
    }
}

#[test]
fn n_09_an_event_shows_what_was_enforced() {
    let mut stage = full(Profile::Kornsole, DELAY, 8);
    stage.configure(&leaf(8, DELAY, 8));
    let events = stage.play("- advance: 10s");
    let reported = events.iter().find_map(|event| match event {
        EventKind::QuotaEnforced { queue, max, excess, preempted, victims } => {
            Some((queue.as_str(), max.clone(), excess.clone(), preempted.clone(), *victims))
        }
        _ => None,
    });
    assert_eq!(reported, Some(("root.a", cores(8), cores(2), cores(2), 1)));
}

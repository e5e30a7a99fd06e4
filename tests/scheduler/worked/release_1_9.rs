//! Differences of 1.9.0 from 1.8.0 (section 10 of the profiles).

use model::{Profile, Resource};

use super::stage::{Stage, open_root};

#[test]
fn n_06_a_capacity_of_0_is_no_capacity() {
    for profile in Profile::ALL {
        let mut stage = Stage::bare(profile, &open_root("{name: a}"));
        stage.play("- node: {id: n1, capacity: {vcore: 4, gpu: 0}}");
        let retains = matches!(profile, Profile::V1_5_1 | Profile::V1_8_0);
        let total = |stage: &Stage| stage.partition().nodes.iter().next().map(|node| node.total.clone());
        let named = |total: Option<Resource>| total.is_some_and(|total| total.get("gpu").is_some());
        assert_eq!(named(total(&stage)), retains, "{profile}");
        stage.play("- updateNode: {id: n1, capacity: {vcore: 8, gpu: 0}}");
        assert_eq!(named(total(&stage)), retains, "{profile}, after an update");
    }
}

/// Request t2 reserves n1; its queue's maximum is lowered below the usage.
#[test]
fn n_04_a_reservation_without_headroom_is_given_up_after_120_minutes() {
    let tree = |max: u32| open_root(&format!("{{name: a, resources: {{max: {{vcore: {max}}}}}}}"));
    for profile in Profile::ALL {
        let mut stage = Stage::bare(profile, &tree(20));
        stage.play("- node: {id: n1, capacity: {vcore: 10}}\n- node: {id: n2, capacity: {vcore: 6}}");
        stage.submit("x", "root.a");
        stage.ask_for("x", "t1", "{vcore: 8}", 0, 1);
        assert_eq!(stage.cycle(), "t1@n1");
        stage.ask_for("x", "t2", "{vcore: 8}", 0, 1);
        stage.play("- advance: 3s");
        assert_eq!(stage.cycle(), "t2>n1", "{profile}");
        stage.configure(&tree(8));
        stage.play("- advance: 119m");
        assert_eq!(stage.cycle(), "nothing", "{profile}");
        stage.play("- advance: 61s");
        let given_up = if profile.enforces_quotas() { "t2<n1" } else { "nothing" };
        assert_eq!(stage.cycle(), given_up, "{profile}");
    }
}

#[test]
fn n_05_what_a_reload_makes_of_properties() {
    let tree = |parent: &str, child: &str| {
        open_root(&format!("{{name: p, properties: {{{parent}}}, queues: [{{name: a, properties: {{{child}}}}}]}}"))
    };
    let by_priority = |stage: &Stage| stage.queue("root.p.a").settings.properties.sort_by_priority;
    let offset = |stage: &Stage| stage.queue("root.p.a").settings.properties.priority_offset;
    let off = "application.sort.priority: disabled";
    for (profile, then, gone, reset) in [
        (Profile::V1_5_1, true, false, 5),
        (Profile::V1_8_0, true, false, 5),
        (Profile::V1_9_0, false, false, 0),
        (Profile::Kornsole, false, true, 0),
    ] {
        let mut stage = Stage::bare(profile, &tree("", ""));
        stage.configure(&tree(off, ""));
        assert_eq!(by_priority(&stage), then, "{profile}: what the parent has now");
        stage.configure(&tree("", off));
        stage.configure(&tree("", ""));
        assert_eq!(by_priority(&stage), gone, "{profile}: what nobody has any more");
        stage.configure(&tree("", "priority.offset: '5'"));
        stage.configure(&tree("priority.offset: '7'", ""));
        assert_eq!(offset(&stage), reset, "{profile}: what a child does not inherit");
    }
}

#[test]
fn n_07_groups_of_an_earlier_submission() {
    for (profile, soon, late) in [
        (Profile::V1_5_1, "dev", "dev"),
        (Profile::V1_8_0, "dev", "dev"),
        (Profile::V1_9_0, "dev", "sue"),
        (Profile::Kornsole, "sue", "sue"),
    ] {
        let mut stage = Stage::bare(profile, &open_root("{name: a}"));
        stage.play("- submit: {app: one, queue: root.a, user: sue, groups: [dev]}\n- advance: 299s");
        stage.submit("two", "root.a");
        stage.play("- advance: 1s");
        stage.submit("three", "root.a");
        let group = |id: &str| stage.application(id).who.groups.join(" ");
        assert_eq!((group("two").as_str(), group("three").as_str()), (soon, late), "{profile}");
    }
}

use model::{Profile, Resource};
use scheduler::EventKind;
use view::{AskState, PendingReason};

use super::gangs::{counts, ended, gang, log, member, placeholders, released};
use super::stage::{Stage, cores, open_root};

fn gang_stage(profile: Profile, node: u32, more: &str) -> Stage {
    let mut stage = Stage::bare(profile, &open_root("{name: q}, {name: r}"));
    stage.play(&format!("- node: {{id: n0, capacity: {{vcore: {node}}}}}"));
    gang(&mut stage, "g1", "root.q", more, "{vcore: 2}", 2);
    assert_eq!(stage.asks(2), "ph-1 ph-2");
    stage
}

fn submits(stage: &mut Stage, queue: &str, total: &str) -> Vec<String> {
    stage.refusals(&format!("- submit: {{app: g-{queue}, queue: root.{queue}, user: sue, placeholder: {total}}}"))
}

#[test]
fn sch_140_a_gang_is_admitted_by_sort_policy_and_maximum_alone() {
    let queues = "{name: p, resources: {max: {vcore: 8, gpu: 2}}, queues: [{name: l, resources: {max: {vcore: 6}}},
        {name: w, properties: {application.sort.policy: stateaware}}]},
      {name: f, properties: {application.sort.policy: fair}}, {name: o}";
    for profile in Profile::ALL {
        let mut stage = Stage::bare(profile, &open_root(queues));
        stage.play("- node: {id: n0, capacity: {vcore: 1}}");
        let reported = submits(&mut stage, "f", "{vcore: 1}");
        assert!(reported.len() == 1 && reported[0].contains("unsupported sort type of root.f"), "{reported:?}");
        let reported = submits(&mut stage, "p.l", "{vcore: 7}");
        assert!(
            reported.len() == 1 && reported[0].contains("larger than max queue allocation of root.p.l"),
            "{reported:?}"
        );
        assert_eq!(stage.app("g-p.l"), "Rejected");
        assert_eq!(submits(&mut stage, "p.w", "{vcore: 8, memory: 1T}"), [""; 0]);
        assert_eq!(submits(&mut stage, "o", "{vcore: 1000}"), [""; 0]);
        assert_eq!(stage.refusals("- submit: {app: a, queue: root.f, user: sue}"), [""; 0]);
        // D-06: the leaf does not limit gpu, its parent does.
        assert_eq!(submits(&mut stage, "p.l", "{gpu: 1}").is_empty(), profile != Profile::V1_5_1, "{profile}");
    }
}

#[test]
fn sch_140_a_dynamic_leaf_is_asked_with_its_template_and_tags() {
    let text = open_root("{name: p, parent: true, childtemplate: {resources: {max: {vcore: 2}}}}")
        .replace("name: default,", "name: default, placementrules: [{name: provided, create: true}],");
    let mut stage = Stage::bare(Profile::Kornsole, &text);
    assert_eq!(submits(&mut stage, "p.x", "{vcore: 3}").len(), 1);
    assert_eq!(submits(&mut stage, "p.y", "{vcore: 2}"), [""; 0]);
    let quota = r#"{"resources":{"vcore":{"value":1000}}}"#;
    let reported = stage.refusals(&format!(
        "- submit: {{app: t, queue: root.p.z, user: sue, placeholder: {{vcore: 2}}, tags: {{namespace.resourcequota: '{quota}'}}}}"
    ));
    assert!(reported.len() == 1 && reported[0].contains("larger than max"), "{reported:?}");
}

#[test]
fn sch_082_a_real_ask_waits_for_the_placeholders_of_its_task_group() {
    let mut stage = Stage::new("{name: q}");
    gang(&mut stage, "g1", "root.q", "", "{vcore: 2}", 1);
    member(&mut stage, "g1", "m", "{vcore: 1}");
    stage.play("- ask: {app: g1, id: other, resource: {vcore: 1}, taskGroup: other, priority: -1}");
    assert_eq!(stage.asks(1), "ph");
    let view = stage.view();
    let app = view.app_by_id(&"g1".into()).expect("g1 lives");
    let waits = app.asks.values().find(|ask| ask.id.as_str() == "m").map(|ask| ask.state.clone());
    assert_eq!(
        waits,
        Some(AskState::Pending { reason: PendingReason::NotTried, reserved: None }),
        "no cycle came to it"
    );
    assert_eq!(stage.asks(3), "m other nothing");
    // A second real request finds no placeholder left and is an ordinary request.
    member(&mut stage, "g1", "m2", "{vcore: 1}");
    assert_eq!(stage.asks(1), "m2");
}

#[test]
fn sch_082_the_view_shows_what_waits_for_a_placeholder() {
    let mut stage = Stage::bare(Profile::Kornsole, &open_root("{name: q}"));
    stage.play("- node: {id: n0, capacity: {vcore: 1}}");
    gang(&mut stage, "g1", "root.q", "", "{vcore: 2}", 1);
    placeholders(&mut stage, "g1", "ph", "{vcore: 2}", 1);
    member(&mut stage, "g1", "m", "{vcore: 1}");
    assert_eq!(stage.asks(1), "nothing");
    let view = stage.view();
    let app = view.app_by_id(&"g1".into()).expect("g1 lives");
    let waits = app.asks.values().find(|ask| ask.id.as_str() == "m").map(|ask| ask.state.clone());
    assert_eq!(waits, Some(AskState::Pending { reason: PendingReason::Placeholder, reserved: None }));
    let groups: Vec<_> = app.task_groups.iter().map(|group| (&*group.name, group.count, group.replaced)).collect();
    assert_eq!(groups, [("tg", 1, 0)], "sent again under its id, a placeholder counts once");
}

#[test]
fn sch_112_removed_placeholders_count_for_their_application() {
    let mut stage = Stage::new("{name: q, maxapplications: 1}");
    gang(&mut stage, "g1", "root.q", "", "{vcore: 2}", 1);
    assert_eq!(stage.asks(1), "ph");
    member(&mut stage, "g1", "waits", "{vcore: 2}");
    stage.play("- release: {app: g1, id: ph}");
    assert_eq!((stage.app("g1"), stage.queue("root.q").allocating_accepted.len()), ("Accepted", 1));
    assert_eq!(stage.partition().placeholders, 0);
}

#[test]
fn sch_142_only_the_whole_gang_moves_the_state() {
    let mut stage = gang_stage(Profile::Kornsole, 10, "");
    assert_eq!(log(stage.application("g1")), "Accepted Starting");
    // Additional placeholders have no effect.
    placeholders(&mut stage, "g1", "more", "{vcore: 1}", 2);
    assert_eq!(stage.asks(2), "more-1 more-2");
    assert_eq!(log(stage.application("g1")), "Accepted Starting");
}

#[test]
fn sch_143_replacing_checks_neither_headroom_nor_drained_nodes() {
    let mut stage = gang_stage(Profile::Kornsole, 2, "");
    stage.play("- drainNode: n0");
    stage.play(&format!("- config: \"{}\"", open_root("{name: q, resources: {max: {vcore: 1}}}, {name: r}")));
    member(&mut stage, "g1", "m", "{vcore: 1}");
    assert_eq!(stage.asks(2), "m nothing");
    assert_eq!(stage.queue("root.q").allocated, cores(2));
}

/// P-07: the result depends on whether the removed placeholder counts as timed out.
#[test]
fn sch_143_a_placeholder_that_is_too_small_is_removed() {
    for (profile, timed_out, next) in
        [(Profile::Kornsole, 2, "large"), (Profile::V1_8_0, 2, "large"), (Profile::V1_5_1, 0, "nothing")]
    {
        let mut stage = gang_stage(profile, 10, "");
        member(&mut stage, "g1", "large", "{vcore: 2}");
        let events = stage.play("- schedule: 1");
        let message = events.iter().filter(|event| matches!(event, EventKind::PlaceholderTooSmall { .. })).count();
        assert_eq!((message, released(&events)), (2, vec!["ph-1 Timeout".to_owned(), "ph-2 Timeout".to_owned()]));
        assert_eq!(counts(stage.application("g1")), (2, 0, timed_out), "{profile}");
        assert_eq!(stage.asks(1), next, "{profile}");
    }
}

#[test]
fn sch_043_a_cycle_that_replaces_does_not_end_idle_and_one_that_only_releases_does() {
    let mut stage = gang_stage(Profile::Kornsole, 10, "");
    member(&mut stage, "g1", "m1", "{vcore: 1}");
    member(&mut stage, "g1", "m2", "{vcore: 1}");
    assert_eq!(released(&stage.play("- schedule: idle")), ["ph-1 Replaced", "ph-2 Replaced"]);
    let mut stage = gang_stage(Profile::Kornsole, 10, "");
    member(&mut stage, "g1", "large", "{vcore: 2}");
    stage.play("- schedule: idle");
    assert!(!stage.application("g1").pending.is_zero());
    stage.play("- schedule: idle");
    assert!(stage.application("g1").pending.is_zero());
}

#[test]
fn sch_144_how_replacements_move_the_state() {
    let mut early = Stage::new("{name: q}");
    gang(&mut early, "g1", "root.q", "", "{vcore: 3}", 2);
    assert_eq!(early.asks(2), "ph-1 ph-2");
    member(&mut early, "g1", "m1", "{vcore: 1}");
    assert_eq!((early.asks(1).as_str(), early.app("g1")), ("m1", "Accepted"));
    member(&mut early, "g1", "m2", "{vcore: 1}");
    assert_eq!((early.asks(1).as_str(), early.app("g1")), ("m2", "Starting"));

    let mut single = Stage::new("{name: q}");
    gang(&mut single, "g1", "root.q", "", "{vcore: 1}", 1);
    member(&mut single, "g1", "m", "{vcore: 1}");
    assert_eq!(single.asks(2), "ph m");
    assert_eq!(log(single.application("g1")), "Accepted Starting Completing Running");
    assert_eq!(single.queue("root.q").running, 1);
}

#[test]
fn sch_145_the_time_runs_from_the_first_placeholder_to_the_last() {
    let mut stage = Stage::new("{name: q}");
    gang(&mut stage, "g1", "root.q", "", "{vcore: 2}", 1);
    stage.play("- advance: 1h");
    assert_eq!(stage.app("g1"), "Accepted");
    assert_eq!(stage.asks(1), "ph");
    assert_eq!(released(&stage.play("- advance: 899s")), [""; 0]);
    assert_eq!(released(&stage.play("- advance: 1s")), ["ph Timeout"]);

    // Released by its owner: the timer starts with the next first placeholder.
    let mut stage = Stage::new("{name: q}");
    gang(&mut stage, "g1", "root.q", ", placeholderTimeout: 10s", "{vcore: 3}", 1);
    assert_eq!(stage.asks(1), "ph");
    placeholders(&mut stage, "g1", "next", "{vcore: 1}", 1);
    stage.play("- advance: 9s\n- release: {app: g1, id: ph}\n- advance: 5s");
    assert_eq!((stage.app("g1"), stage.asks(1).as_str()), ("Accepted", "next"));
    assert_eq!(released(&stage.play("- advance: 9s")), [""; 0]);
    assert_eq!(released(&stage.play("- advance: 1s")), ["next Timeout"]);
}

#[test]
fn sch_145_time_that_has_passed_since_the_creation_is_not_granted_again() {
    for (created, left) in [("4", "4s"), ("0", "1ms"), ("1000", "10s"), ("soon", "10s")] {
        let mut stage = Stage::new("{name: q}");
        stage.play("- advance: 10s");
        let more = format!(", placeholderTimeout: 10s, tags: {{yunikorn.apache.org/creationTime: '{created}'}}");
        gang(&mut stage, "g1", "root.q", &more, "{vcore: 2}", 1);
        let events = stage.play(&format!("- schedule: 1\n- advance: {left}\n- snapshot: now"));
        assert_eq!(released(&events), ["ph Timeout"], "created at {created}");
    }
    let mut stage = Stage::new("{name: q}");
    stage.play("- advance: 10s");
    let more = ", placeholderTimeout: 10s, tags: {yunikorn.apache.org/creationTime: '4'}";
    gang(&mut stage, "g1", "root.q", more, "{vcore: 2}", 1);
    assert_eq!(released(&stage.play("- schedule: 1\n- advance: 3900ms")), [""; 0]);
}

/// A hard gang that was already running releases its running allocations, too.
#[test]
fn sch_146_an_incomplete_gang_with_real_allocations() {
    for (style, states, left) in
        [("Soft", "Accepted Resuming Accepted", cores(1)), ("Hard", "Accepted Failing Failed", cores(0))]
    {
        let mut stage = Stage::new("{name: q}");
        let more = format!(", placeholderTimeout: 10s, gangStyle: {style}");
        gang(&mut stage, "g1", "root.q", &more, "{vcore: 3}", 2);
        assert_eq!(stage.asks(2), "ph-1 ph-2");
        member(&mut stage, "g1", "m", "{vcore: 1}");
        assert_eq!(stage.asks(1), "m");
        member(&mut stage, "g1", "late", "{vcore: 2}");
        stage.play("- advance: 10s");
        assert_eq!(stage.queue("root.q").allocated, left);
        let app = if style == "Hard" { ended(&stage, "g1") } else { stage.application("g1").clone() };
        assert_eq!((log(&app).as_str(), app.pending.is_zero()), (states, true));
    }
}

#[test]
fn sch_147_a_completing_application_finally_releases_its_placeholders() {
    for (profile, timed_out) in [(Profile::Kornsole, 1), (Profile::V1_5_1, 0), (Profile::V1_8_0, 1)] {
        let mut stage = gang_stage(profile, 10, "");
        member(&mut stage, "g1", "m", "{vcore: 1}");
        assert_eq!(stage.asks(1), "m");
        stage.play("- release: {app: g1, id: m}");
        assert_eq!((stage.app("g1"), &stage.queue("root.q").allocated), ("Completing", &cores(1)));
        assert_eq!(released(&stage.play("- advance: 29s")), [""; 0]);
        assert_eq!(released(&stage.play("- advance: 1s")), ["ph-2 Timeout"]);
        let app = ended(&stage, "g1");
        assert_eq!((app.state.name(), counts(&app)), ("Completed", (2, 1, timed_out)), "{profile}");
        assert_eq!(stage.queue("root.q").allocated, cores(0));
    }
}

/// SCH-146: the time may end while the application completes. SCH-170: with the last placeholder it is complete.
#[test]
fn sch_146_the_gang_s_time_ends_while_the_application_completes() {
    let mut stage = gang_stage(Profile::Kornsole, 10, ", placeholderTimeout: 40s");
    member(&mut stage, "g1", "m", "{vcore: 1}");
    assert_eq!(stage.asks(1), "m");
    stage.play("- advance: 30s\n- release: {app: g1, id: m}");
    assert_eq!(stage.app("g1"), "Completing");
    assert_eq!(released(&stage.play("- advance: 10s")), ["ph-2 Timeout"]);
    assert_eq!(stage.app("g1"), "Completed");
}

#[test]
fn lim_011_users_and_groups_pay_for_the_real_one_instead_of_the_placeholder() {
    let mut stage = Stage::new("{name: q, limits: [{groups: [sue], maxresources: {vcore: 2}, maxapplications: 1}]}");
    gang(&mut stage, "g1", "root.q", "", "{vcore: 2}", 1);
    placeholders(&mut stage, "g1", "big", "{vcore: 1}", 1);
    assert_eq!(stage.asks(3), "ph big nothing");
    let used = |stage: &Stage| -> Vec<Resource> {
        let (partition, leaf) = (stage.partition(), stage.queue("root.q").key);
        let users = partition.usage.users.iter().filter_map(|(_, tracker)| tracker.at(leaf));
        let groups = partition.usage.groups.iter().filter_map(|(_, tracker)| tracker.at(leaf));
        users.chain(groups).map(|usage| usage.allocated.clone()).collect()
    };
    assert_eq!(used(&stage), [cores(2), cores(2)]);
    // The quota is used up, but the placeholder's resources are free.
    member(&mut stage, "g1", "m", "{vcore: 500m}");
    assert_eq!(stage.asks(1), "m");
    let rest: Resource = [("vcore", 1500)].into_iter().collect();
    assert_eq!(used(&stage), [rest.clone(), rest]);
    // Without an allocation for a moment, it still counts.
    member(&mut stage, "g1", "m2", "{vcore: 1}");
    stage.play("- release: {app: g1, id: m}");
    assert_eq!(stage.asks(1), "m2");
    assert_eq!((stage.app("g1"), used(&stage)), ("Running", vec![cores(1), cores(1)]));
}

#[test]
fn sch_202_and_173_a_gang_is_killed_and_removed_with_its_placeholders() {
    let text = open_root("{name: q}").replace("submitacl: '*'", "submitacl: '*', adminacl: root");
    for end in ["kill: {app: g1, as: {user: root}}", "remove: {app: g1}"] {
        let mut stage = Stage::bare(Profile::Kornsole, &text);
        stage.play("- node: {id: n0, capacity: {vcore: 2}}");
        gang(&mut stage, "g1", "root.q", ", placeholderTimeout: 60s", "{vcore: 3}", 3);
        assert_eq!(stage.asks(2), "ph-1 ph-2");
        assert_eq!(released(&stage.play(&format!("- {end}"))), ["ph-1 Stopped", "ph-2 Stopped"]);
        assert_eq!((&stage.queue("root.q").allocated, stage.partition().placeholders), (&cores(0), 0));
        // Its timer is over with it, also for a later one.
        stage.submit("next", "root.q");
        stage.ask("next", "t", 0, 1);
        assert_eq!(stage.apps(1), "next");
        assert_eq!(released(&stage.play("- advance: 60s")), [""; 0]);
    }
}

#[test]
fn sch_203_check_6_a_gang_moves_only_where_it_would_be_admitted() {
    let queues = "{name: q}, {name: f, properties: {application.sort.policy: fair}},
        {name: s, resources: {max: {vcore: 2}}}, {name: r}";
    let text = open_root(queues).replace("submitacl: '*'", "submitacl: '*', adminacl: root");
    let mut stage = Stage::bare(Profile::Kornsole, &text);
    stage.play("- node: {id: n0, capacity: {vcore: 2}}");
    gang(&mut stage, "g1", "root.q", ", placeholderTimeout: 60s", "{vcore: 3}", 3);
    assert_eq!(stage.asks(2), "ph-1 ph-2");
    for (to, why) in [("f", "unsupported sort type of root.f"), ("s", "larger than max queue allocation of root.s")] {
        let reported = stage.refusals(&format!("- move: {{app: g1, to: root.{to}, as: {{user: root}}}}"));
        assert!(reported.len() == 1 && reported[0].contains(why), "{reported:?}");
    }
    assert_eq!(stage.refusals("- move: {app: g1, to: root.r, as: {user: root}}"), [""; 0]);
    assert_eq!((&stage.queue("root.q").allocated, &stage.queue("root.r").allocated), (&cores(0), &cores(2)));
    assert!(stage.queue("root.r").allocating_accepted.contains("g1"));
    member(&mut stage, "g1", "m", "{vcore: 1}");
    assert_eq!(stage.asks(1), "m");
    assert_eq!(released(&stage.play("- advance: 60s")), ["ph-2 Timeout"]);
    // Completing and without placeholders, it is no longer a gang.
    stage.play("- release: {app: g1, id: m}");
    assert_eq!(stage.refusals("- move: {app: g1, to: root.f, as: {user: root}}"), [""; 0]);
}

/// SCH-071, SCH-073: replacements use the same order as allocations.
#[test]
fn sch_071_applications_replace_in_the_order_of_their_leaf() {
    let mut stage = Stage::new("{name: q, properties: {application.sort.priority: disabled}}");
    for app in ["g1", "g2"] {
        stage.play(&format!("- submit: {{app: {app}, queue: root.q, user: sue, placeholder: {{vcore: 9}}}}"));
        placeholders(&mut stage, app, &format!("{app}-ph"), "{vcore: 1}", 1);
    }
    assert_eq!(stage.asks(2), "g1-ph g2-ph");
    for (app, priority) in [("g2", 9), ("g1", 0)] {
        stage.play(&format!(
            "- ask: {{app: {app}, id: {app}-m, resource: {{vcore: 1}}, priority: {priority}, taskGroup: tg}}"
        ));
    }
    assert_eq!(stage.asks(3), "g1-m g2-m nothing");
}

/// SCH-153, P-09: an allocation that is being released is not a victim.
#[test]
fn sch_153_a_placeholder_that_was_released_is_not_preempted() {
    let queues = "{name: a}, {name: b, resources: {guaranteed: {vcore: 2}}, properties: {preemption.delay: 1s}}";
    for (large, gone) in [(true, vec!["ph-1 Timeout", "ph-2 Timeout"]), (false, vec!["ph-2 Preempted"])] {
        let mut stage = Stage::bare(Profile::Kornsole, &open_root(queues));
        stage.play("- node: {id: n0, capacity: {vcore: 2}}");
        gang(&mut stage, "g1", "root.a", "", "{vcore: 2}", 2);
        assert_eq!(stage.asks(2), "ph-1 ph-2");
        stage.submit("x", "root.b");
        stage.play("- ask: {app: x, id: x, resource: {vcore: 1}, allowPreemptOther: true}\n- advance: 2s");
        if large {
            member(&mut stage, "g1", "large", "{vcore: 2}");
        }
        let events = stage.play("- schedule: 1");
        let victims = events.iter().filter(|event| matches!(event, EventKind::Preempted { .. })).count();
        assert_eq!((released(&events), victims == 0), (gone.into_iter().map(str::to_owned).collect(), large));
    }
}

use super::stage::Stage;

fn with(queues: &str) -> String {
    format!(
        "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    adminacl: ops\n    queues: \
         [{queues}]\n"
    )
}

#[test]
fn removed_queues_drain_and_are_removed_when_empty() {
    let mut stage = Stage::new(&with("{name: a}, {name: p, queues: [{name: x}, {name: y}]}"));
    stage.submit("one", "root.p.x", "joe", &[2]);
    stage.accepts(&with("{name: a}"));
    assert_eq!(
        stage.tree(),
        "root parent\nroot.a leaf\nroot.p parent Draining\nroot.p.x leaf Draining\nroot.p.y leaf Draining"
    );
    stage.ask("one", "more", 1);
    assert_eq!(stage.cores("one"), Some(3), "what runs continues, and may continue asking");
    assert!(stage.submit("two", "root.p.x", "joe", &[1]).is_some(), "nothing new comes in");
    stage.wait(10);
    assert_eq!(stage.tree(), "root parent\nroot.a leaf\nroot.p parent Draining\nroot.p.x leaf Draining");
    stage.remove("one");
    stage.wait(60);
    assert_eq!(stage.tree(), "root parent\nroot.a leaf");
}

#[test]
fn what_is_put_back_is_active_again_with_its_applications_and_new_settings() {
    let mut stage = Stage::new(&with("{name: a, maxapplications: 1}"));
    stage.submit("one", "root.a", "joe", &[2]);
    stage.accepts(&with("{name: b}"));
    stage.wait(30);
    assert_eq!(stage.tree(), "root parent\nroot.a leaf Draining\nroot.b leaf");
    stage.accepts(&with("{name: A, maxapplications: 2}"));
    assert_eq!(stage.tree(), "root parent\nroot.a leaf\nroot.b leaf Draining");
    assert_eq!(stage.queue("root.a").unwrap().settings.max_applications, Some(2));
    assert_eq!(stage.submit("two", "root.a", "joe", &[1]), None);
    assert_eq!((stage.cores("one"), stage.cores("two")), (Some(2), Some(1)));
    stage.wait(3600);
    assert_eq!(stage.tree(), "root parent\nroot.a leaf", "the cleaner leaves it alone");
}

#[test]
fn cfg_110_a_leaf_with_applications_stays_one_until_it_is_empty() {
    let mut stage = Stage::new(&with("{name: a}"));
    stage.submit("one", "root.a", "joe", &[2]);
    let message = stage.rejects(&with("{name: a, queues: [{name: x}]}"));
    assert!(message.contains("CFG-110") && message.contains("root.a") && message.contains("one"), "{message}");
    assert_eq!(stage.tree(), "root parent\nroot.a leaf");
    stage.remove("one");
    stage.wait(60);
    stage.accepts(&with("{name: a, queues: [{name: x}]}"));
    assert_eq!(stage.tree(), "root parent\nroot.a parent\nroot.a.x leaf");

    stage.submit("two", "root.a.x", "joe", &[2]);
    stage.accepts(&with("{name: a}"));
    stage.ask("two", "more", 1);
    assert_eq!(stage.cores("two"), Some(3), "its pending asks are not starved");
    assert_eq!(
        stage.tree(),
        "root parent\nroot.a parent\nroot.a.x leaf Draining",
        "a parent as long as a child is there"
    );
    stage.remove("two");
    stage.wait(60);
    assert_eq!(stage.tree(), "root parent\nroot.a leaf");
    assert_eq!(stage.submit("three", "root.a", "joe", &[1]), None);
}

#[test]
fn a_dynamic_queue_in_a_new_configuration_becomes_managed_and_its_applications_continue() {
    let text = |queues: &str| {
        with(queues).replace("  queues:\n", "  placementrules: [{name: provided, create: true}]\n  queues:\n")
    };
    let mut stage = Stage::new(&text("{name: p, parent: true}"));
    stage.submit("one", "root.p.x", "joe", &[2]);
    assert!(!stage.queue("root.p.x").unwrap().managed);
    stage.accepts(&text("{name: p, queues: [{name: x, maxapplications: 7}]}"));
    let queue = stage.queue("root.p.x").unwrap();
    assert!(queue.managed && queue.settings.max_applications == Some(7));
    assert_eq!(stage.cores("one"), Some(2));
    stage.accepts(&text("{name: p, parent: true}"));
    assert_eq!(stage.tree(), "root parent\nroot.p parent\nroot.p.x leaf Draining");
}

#[test]
fn dynamic_queues_below_one_that_drains_stay_until_they_are_empty() {
    let text = |queues: &str| {
        with(queues).replace("  queues:\n", "  placementrules: [{name: provided, create: true}]\n  queues:\n")
    };
    let mut stage = Stage::new(&text("{name: p, parent: true}, {name: a}"));
    stage.submit("one", "root.p.x", "joe", &[2]);
    stage.accepts(&text("{name: a}"));
    assert_eq!(stage.tree(), "root parent\nroot.a leaf\nroot.p parent Draining\nroot.p.x leaf");
    assert!(stage.submit("two", "root.p.y", "joe", &[1]).is_some(), "no new child");
    stage.remove("one");
    stage.wait(60);
    assert_eq!(stage.tree(), "root parent\nroot.a leaf");
}

#[test]
fn cfg_111_the_last_of_several_reloads_is_active() {
    let mut stage = Stage::new(&with("{name: a}"));
    stage.submit("one", "root.a", "joe", &[2]);
    // The second reload finds draining what the first removed.
    for queues in ["{name: b}", "{name: c}", "{name: a, maxapplications: 3}"] {
        stage.core.reload("queues.yaml", with(queues).as_bytes());
    }
    assert_eq!(stage.tree(), "root parent\nroot.a leaf\nroot.b leaf Draining\nroot.c leaf Draining");
    assert_eq!(stage.queue("root.a").unwrap().settings.max_applications, Some(3));
    assert_eq!(stage.cores("one"), Some(2));
}

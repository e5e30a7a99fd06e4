use super::*;

#[test]
fn w_004_filters_that_all_or_none_pass_are_named() {
    let rules = |filter: &str| {
        format!(
            "partitions:\n  - name: default\n    placementrules:\n      - {{name: provided, filter: {filter}}}\n    queues: [{{name: root}}]\n"
        )
    };
    let no_user = "W-004 4: rule 1 (provided): no user passes this filter, so the rule never places an application";
    let all = "W-004 4: rule 1 (provided): all users pass this filter, so it has no effect";
    assert_eq!(reported(&rules("{type: deny}")), [no_user]);
    assert_eq!(reported(&rules("{type: allow, users: ['.*']}")), [all]);
    assert_eq!(reported(&rules("{type: deny, users: ['.*']}")), [no_user]);
    assert!(reported(&rules("{type: deny, users: [sue]}")).is_empty());
    assert!(reported(&rules("{groups: ['dev.*']}")).is_empty());
    for everybody in ["['[a-z0-9]*']", "['(bob|.*)']", "['x?']"] {
        assert_eq!(reported(&rules(&format!("{{users: {everybody}}}"))), [all]);
        assert_eq!(reported(&rules(&format!("{{groups: {everybody}}}"))), [all]);
    }
    for nobody in ["['^$']", "['dev-.*', 'ops-.*']"] {
        assert_eq!(reported(&rules(&format!("{{users: {nobody}}}"))), [no_user]);
        assert_eq!(reported(&rules(&format!("{{type: deny, users: {nobody}}}"))), [all]);
    }
    assert!(reported(&rules("{users: [null, sue]}")).is_empty() && reported(&rules("{users: [~, '.*']}")) == [all]);
    assert!(reported(&rules("{type: DENY}")).is_empty(), "the releases read it as allow");
}

#[test]
fn w_005_a_rule_after_one_that_always_matches_is_named() {
    let rules = |first: &str| {
        format!(
            "partitions:\n  - name: default\n    placementrules:\n      - {first}\n      - {{name: provided}}\n    queues: [{{name: root, submitacl: '*', queues: [{{name: a}}, {{name: p, parent: true}}]}}]\n"
        )
    };
    let expected = "W-005 5: rule 2 (provided) is never reached: rule 1 places every application";
    assert_eq!(reported(&rules("{name: fixed, value: root.a}")), [expected]);
    assert_eq!(reported(&rules("{name: Fixed, value: a}")), [expected]);
    for reached in [
        "{name: fixed, value: root.p}",
        "{name: fixed, value: root.x}",
        "{name: fixed, value: root.p, create: true}",
        "{name: user}",
        "{name: fixed, value: root.a, filter: {users: [sue]}}",
    ] {
        assert!(reported(&rules(reached)).is_empty(), "{reached}");
    }
}

#[test]
fn w_005_a_rule_behind_the_queue_of_the_namespace_is_named() {
    let rules = |first: &str| {
        format!(
            "partitions: [{{placementrules: [{first}, {{name: provided}}], queues: [{{name: root, adminacl: '*', queues: [{{name: a}}]}}]}}]\n"
        )
    };
    let names = |first: &str| {
        reported(&rules(first)).iter().any(|warning| {
            warning.starts_with("W-005") && warning.ends_with("rule 1 places every application of a pod")
        })
    };
    assert!(names("{name: tag, value: namespace, create: true}"));
    assert!(!names("{name: tag, value: namespace}") && !names("{name: tag, value: team, create: true}"));
    assert!(!names("{name: tag, value: namespace, create: true, filter: {groups: [dev]}}"));
}

#[test]
fn w_005_is_silent_if_an_access_list_excludes_somebody() {
    let rules = |first: &str, root: &str, leaf: &str| {
        let text = format!(
            "partitions: [{{placementrules: [{first}, {{name: user}}, {{name: provided}}], queues: [{{name: root, {root}queues: [{{name: leaf, {leaf}}}, {{name: p, parent: true}}]}}]}}]\n"
        );
        reported(&text).into_iter().filter(|found| found.starts_with("W-005")).count()
    };
    let fixed = "{name: fixed, value: root.leaf}";
    assert_eq!(rules(fixed, "", "submitacl: bob"), 0);
    assert_eq!(rules(fixed, "submitacl: sue, ", "submitacl: bob"), 0);
    assert_eq!(rules(fixed, "", "submitacl: '*'"), 2, "each later rule");
    assert_eq!(rules("{name: user, create: true}", "submitacl: bob, ", ""), 0);
    assert_eq!(rules("{name: user, create: true}", "submitacl: '*', ", ""), 2);
    assert_eq!(rules("{name: user, create: true, parent: root.p}", "submitacl: '*', ", ""), 2, "a parent as text");
    assert_eq!(rules("{name: UserName, create: True, parent: [{name: fixed, value: p}]}", "submitacl: '*', ", ""), 2);
}

#[test]
fn one_warning_remains_where_the_reader_and_the_lint_agree() {
    let text = "partitions: [{name: p, placementrules: [{name: fixed, value: root.a}, {name: user, filter: {type: deny}}, {name: user, parent: {name: tag, value: x, filter: {users: ['^$']}}}], queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\n";
    for profile in Profile::ALL {
        let mut all = crate::read(text, profile).faults;
        let read = all.len();
        all.extend(lint(text));
        assert_eq!(judged(all.clone(), &[], &[]).len(), read, "{profile}: {all:?}");
        let left = judged(all.clone(), &["W-004".to_owned()], &[]);
        assert!(left.iter().all(|fault| fault.code == "W-005") && left.len() == 2, "{profile}: {left:?}");
        let denied = judged(all, &[], &["W-004".to_owned()]);
        assert_eq!(denied.iter().filter(|fault| fault.severity == Severity::Error).count(), 2);
    }
}

#[test]
fn w_006_created_queues_without_a_maximum_are_named() {
    let rules = |queue: &str| {
        format!(
            "partitions:\n  - name: default\n    placementrules:\n      - {{name: user, create: true, parent: {{name: fixed, value: root.users}}}}\n    queues: [{{name: root, queues: [{{name: users, parent: true{queue}}}]}}]\n"
        )
    };
    assert_eq!(reported(&rules("")), ["W-006 4: queues that this rule creates below root.users have no maximum"]);
    assert!(reported(&rules(", childtemplate: {resources: {max: {vcore: 1}}}")).is_empty());
    assert!(reported(&rules(", resources: {max: {vcore: 1}}")).is_empty());
}

#[test]
fn w_006_a_fixed_rule_that_creates_its_queue_is_named() {
    let rules = |rule: &str, root: &str| {
        reported(&format!(
            "partitions: [{{placementrules: [{rule}], queues: [{{name: root, {root}queues: [{{name: a}}, {{name: p, parent: true, resources: {{max: {{vcore: 1}}}}}}]}}]}}]\n"
        ))
    };
    let adhoc = "{name: fixed, value: root.adhoc, create: true}";
    assert_eq!(rules(adhoc, ""), ["W-006 1: root.adhoc, which this rule creates, has no maximum"]);
    assert!(rules(adhoc, "childtemplate: {resources: {max: {vcore: 1}}}, ").is_empty());
    assert!(rules("{name: fixed, value: A, create: true}", "").is_empty(), "it exists");
    assert!(rules("{name: fixed, value: root.p.adhoc, create: true}", "").is_empty(), "its parent has one");
    assert_eq!(rules("{name: fixed, value: x.y, create: true}", "").len(), 1);
    // The nearest template, which is handed down, and hides the others.
    let below = |template: &str| {
        format!(
            "partitions: [{{placementrules: [{{name: user, create: true, parent: {{name: fixed, value: root.u.v}}}}], queues: [{{name: root, childtemplate: {{resources: {{max: {{vcore: 1}}}}}}, queues: [{{name: u, {template}queues: [{{name: v, parent: true}}]}}]}}]}}]\n"
        )
    };
    assert!(reported(&below("")).is_empty() && reported(&below("childtemplate: {}, ")).is_empty());
    assert_eq!(reported(&below("childtemplate: {maxapplications: 1}, ")).len(), 1);
}

use super::*;

#[test]
fn w_008_and_w_009_properties_without_effect_are_named() {
    let text = root(
        "~properties: {priority.offset: 5}\n~queues:\n~  - name: a\n~    properties: {preemption.delay: 10s}\n~  - name: b\n~    properties: {preemption.policy: fence, priority.policy: fence}\n~    queues: [{name: c, resources: {guaranteed: {vcore: 1}}}, {name: d}]\n",
    );
    assert_eq!(
        reported(&text),
        [
            "W-009 5: `priority.offset` of root has no effect: no other queue competes with root",
            "W-008 8: `preemption.delay` has no effect: root.a, its parents, and its children have no guarantee",
        ]
    );
}

#[test]
fn w_008_is_silent_for_protection_and_for_created_queues() {
    let queue =
        |properties: &str| root(&format!("~queues: [{{name: a, parent: true, properties: {{{properties}}}}}]\n"));
    assert!(reported(&queue("preemption.policy: Disabled")).is_empty());
    assert_eq!(reported(&queue("preemption.policy: fence")).len(), 1);
    let creates = "partitions:\n  - name: default\n    placementrules: [{name: provided, create: true, filter: {users: [sue, bob]}}]\n";
    let text =
        queue("preemption.delay: 10s, preemption.policy: fence").replace("partitions:\n  - name: default\n", creates);
    assert!(!reported(&text).iter().any(|warning| warning.starts_with("W-008")), "{:?}", reported(&text));
}

#[test]
fn w_015_preemption_that_can_never_happen_is_named() {
    let leaf = |more: &str| root(&format!("~queues: [{{name: a, {more}}}]\n"));
    let fenced = leaf("properties: {preemption.policy: fence}, resources: {guaranteed: {vcore: 1}}");
    assert!(reported(&fenced)[0].contains("W-015 5: requests in root.a never preempt"), "{:?}", reported(&fenced));
    let parent = leaf(
        "properties: {preemption.policy: fence}, queues: [{name: b, resources: {guaranteed: {vcore: 1}}}, {name: c}]",
    );
    assert!(reported(&parent).is_empty(), "{:?}", reported(&parent));
    let off = leaf("properties: {preemption.delay: 10s}, resources: {guaranteed: {vcore: 1}}");
    assert!(reported(&off).is_empty(), "{:?}", reported(&off));
    let off = off.replace(
        "    queues:\n      - name: root",
        "    preemption: {enabled: false}\n    queues:\n      - name: root",
    );
    assert_eq!(reported(&off), ["W-015 6: `preemption.delay` has no effect: preemption is disabled for the partition"]);
}

fn of(text: &str) -> Vec<String> {
    reported(&root(text))
}

#[test]
fn w_015_a_delay_of_queues_without_victims_is_named() {
    let guaranteed = "resources: {guaranteed: {vcore: 5}}, properties: {preemption.delay: 5s}";
    let below = |more: &str| {
        of(&format!(
            "~properties: {{preemption.policy: disabled}}\n~queues: [{{name: a, {guaranteed}}}, {{name: b{more}}}]\n"
        ))
    };
    let found = below("");
    assert!(found.len() == 1 && found[0].starts_with("W-015 6: `preemption.delay` has no effect"), "{found:?}");
    assert!(below(", properties: {preemption.policy: Default}").is_empty(), "b gives");
    assert_eq!(below(", properties: {preemption.policy: disabled}").len(), 1);
    assert_eq!(below(", properties: {preemption.policy: default}, queues: [{name: c}]").len(), 0);
    let own = of(&format!(
        "~queues: [{{name: a, {guaranteed}}}, {{name: b, properties: {{preemption.policy: disabled}}}}]\n"
    ));
    assert_eq!(own.len(), 1, "{own:?}");
    let only = |policy: &str| {
        of(&format!("~properties: {{preemption.policy: {policy}}}\n~queues: [{{name: a, {guaranteed}}}]\n"))
    };
    assert!(
        only("disabled").len() == 1 && only("default").iter().all(|found| found.starts_with("W-008")),
        "{:?}",
        only("default")
    );
    assert!(of(&format!("~queues: [{{name: a, {guaranteed}}}, {{name: b}}]\n")).is_empty());
}

#[test]
fn w_015_a_fence_around_one_queue_is_named() {
    let fence = |queues: &str| {
        of(&format!(
            "~queues: [{{name: p, properties: {{preemption.policy: fence}}, queues: [{queues}]}}, {{name: q}}]\n"
        ))
    };
    let only = "{name: only, resources: {guaranteed: {vcore: 5}}, properties: {preemption.delay: 5s}}";
    let found = fence(only);
    assert!(found.len() == 1 && found[0].contains("requests in root.p never preempt"), "{found:?}");
    assert!(found[0].contains("only one queue"), "{found:?}");
    assert!(fence(&format!("{only}, {{name: other}}")).is_empty());
    let found = fence(&format!("{only}, {{name: other, properties: {{preemption.policy: disabled}}}}"));
    assert!(found.len() == 1 && found[0].contains("the other queues in it"), "{found:?}");
    let inner = "{name: x, properties: {preemption.policy: fence}, queues: [{name: y, resources: {guaranteed: {vcore: 1}}}, {name: z}]}";
    assert!(fence(inner).is_empty(), "{:?}", fence(inner));
    let outermost =
        of("~properties: {preemption.policy: fence}\n~queues: [{name: a, resources: {guaranteed: {vcore: 1}}}]\n");
    assert!(outermost.is_empty(), "{outermost:?}");
}

#[test]
fn w_008_a_guarantee_of_zero_is_none() {
    for property in ["preemption.delay: 5s", "preemption.policy: fence"] {
        let text =
            format!("~queues: [{{name: a, resources: {{guaranteed: {{vcore: 0}}}}, properties: {{{property}}}}}]\n");
        assert!(of(&text).len() == 1 && of(&text)[0].starts_with("W-008 5"), "{:?}", of(&text));
    }
    let above = of(
        "~queues: [{name: p, resources: {guaranteed: {vcore: 1}}, queues: [{name: a, properties: {preemption.policy: fence}}]}]\n",
    );
    assert!(above.len() == 1 && above[0].contains("although its parent has a guarantee"), "{above:?}");
}

#[test]
fn w_015_a_delay_of_quotas_that_are_not_enforced_is_named() {
    let quota = |preemption: &str, property: &str| {
        let text = root(&format!("~queues: [{{name: a, properties: {{{property}}}}}]\n"))
            .replace("    queues:\n      - name: root", &format!("    {preemption}\n    queues:\n      - name: root"));
        reported(&text)
    };
    for key in ["quota.preemption.delay", "preemption.quota.delay"] {
        let property = format!("{key}: 30s");
        assert_eq!(
            quota("preemption: {enabled: true}", &property),
            [format!("W-015 6: `{key}` has no effect: quota preemption is off for the partition")]
        );
        assert!(quota("preemption: {enabled: false, quotapreemptionenabled: true}", &property).is_empty());
        assert!(quota("preemption: {}", &format!("{key}: 0s")).is_empty());
    }
}

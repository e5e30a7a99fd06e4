//! Resources in the tree: CFG-042 to CFG-051.

use super::*;

#[test]
fn cfg_042_guaranteed_above_max() {
    let fault = refused("CFG-042", &A("resources: {max: {memory: 10}, guaranteed: {memory: 11}}"));
    check_text(&fault, &["root.a", "memory", "10", "11"]);
    accepted(&A("resources: {max: {memory: 10}, guaranteed: {memory: 10, gpu: 5}}"));
}

#[test]
fn cfg_043_max_above_an_ancestor() {
    let below = "queues: [{name: m, queues: [{name: c, resources: {max: {memory: 11}}}]}]";
    let fault = refused("CFG-043", &A(&format!("resources: {{max: {{memory: 10}}}}, {below}")));
    check_text(&fault, &["root.a.m.c", "memory", "11", "10", "root.a"]);
    accepted(&A(&format!("resources: {{max: {{gpu: 10}}}}, {below}")));
}

#[test]
fn cfg_043_a_smaller_max_in_between_counts() {
    let text = A(
        "resources: {max: {memory: 10}}, queues: [{name: m, resources: {max: {memory: 5}}, queues: [{name: c, resources: {max: {memory: 6}}}]}, {name: n, resources: {max: {memory: 10}}}]",
    );
    check_text(&refused("CFG-043", &text), &["root.a.m.c", "5 of root.a.m"]);
}

#[test]
fn cfg_044_children_guaranteed_more() {
    let two =
        "queues: [{name: c, resources: {guaranteed: {memory: 6}}}, {name: d, resources: {guaranteed: {memory: 6}}}]";
    let fault = refused("CFG-044", &A(&format!("resources: {{guaranteed: {{memory: 10}}}}, {two}")));
    check_text(&fault, &["root.a", "memory", "12", "10", "c 6", "d 6"]);
    accepted(&A(&format!("resources: {{guaranteed: {{memory: 12}}}}, {two}")));
    // A level without guaranteed resources passes on the sum of its children.
    let text = A(&format!("resources: {{guaranteed: {{memory: 10}}}}, queues: [{{name: m, {two}}}]"));
    check_text(&refused("CFG-044", &text), &["m 12"]);
}

#[test]
fn cfg_045_children_guaranteed_more_than_max() {
    let fault = refused(
        "CFG-045",
        &A("resources: {max: {memory: 10}}, queues: [{name: c, resources: {guaranteed: {memory: 11}}}]"),
    );
    check_text(&fault, &["root.a", "memory", "11", "10", "its max"]);
}

#[test]
fn cfg_046_a_guaranteed_zero_is_a_bound() {
    let text = A("resources: {guaranteed: {memory: 0}}, queues: [{name: c, resources: {guaranteed: {memory: 1}}}]");
    refused("CFG-044", &text);
}

#[test]
fn cfg_047_sums_saturate() {
    let max = i64::MAX;
    let child = |name| format!("{{name: {name}, resources: {{guaranteed: {{memory: {max}}}}}}}");
    accepted(&A(&format!("resources: {{max: {{memory: {max}}}}}, queues: [{}, {}]", child("c"), child("d"))));
}

#[test]
fn cfg_048_maxima_may_add_up_to_more() {
    let child = |name| format!("{{name: {name}, resources: {{max: {{memory: 10}}}}}}");
    accepted(&A(&format!("resources: {{max: {{memory: 10}}}}, queues: [{}, {}]", child("c"), child("d"))));
}

#[test]
fn cfg_049_a_zero_max_stays() {
    let config = accepted(&A("resources: {max: {memory: 0}}"));
    assert_eq!(queue(&config, "root.a").max.as_ref().and_then(|max| max.value.get("memory")), Some(0));
}

#[test]
fn cfg_050_a_missing_value_is_unlimited() {
    let config = accepted(&A("resources: {max: {}, guaranteed: ~}"));
    assert!(queue(&config, "root.a").max.is_none());
    assert!(queue(&config, "root.a").guaranteed.is_none());
}

#[test]
fn cfg_051_a_template_is_not_compared() {
    warned("CFG-051", &A("parent: true, childtemplate: {resources: {guaranteed: {memory: 2}, max: {memory: 1}}}"));
    warned(
        "CFG-051",
        &A("parent: true, resources: {max: {memory: 1}}, childtemplate: {resources: {max: {memory: 2}}}"),
    );
}

#[test]
fn templates_with_nothing_in_them_are_none() {
    let template = |text: &str| {
        let config = accepted(&A(&format!("parent: true, childtemplate: {{{text}}}")));
        queue(&config, "root.a").template.clone()
    };
    assert!(template("").is_none());
    assert!(template("properties: {a: ''}, resources: {max: {}}").is_none());
    assert!(template("resources: {guaranteed: {memory: 0}}").is_some_and(|t| t.guaranteed.is_none()));
    assert!(template("resources: {max: {memory: 0}}").is_some_and(|t| t.max.is_some()));
}

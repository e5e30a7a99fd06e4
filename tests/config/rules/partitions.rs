//! Partitions, the root and node sorting: CFG-010 to CFG-018, CFG-041, CFG-100 to CFG-102.

use super::*;

#[test]
fn cfg_010_an_empty_file_is_the_default_configuration() {
    for text in ["", " \n\n", "# nothing\n"] {
        let config = accepted(text);
        assert_eq!(config.partitions[0].rules[0].kind, RuleKind::Tag);
        assert_eq!(config.partitions[0].rules[0].value, "namespace");
        assert!(config.partitions[0].root.submit_acl.value.all_users);
        let warnings = read(text, Profile::Kornsole).faults;
        assert_eq!(warnings.iter().map(|fault| fault.code).collect::<Vec<_>>(), ["CFG-010"]);
    }
}

#[test]
fn cfg_011_no_partitions() {
    for text in ["partitions: []", "checksum: x", "{}"] {
        refused("CFG-011", text);
        both_releases(text, true);
    }
}

#[test]
fn cfg_012_equal_names() {
    let text = "partitions: [{queues: [{name: root}]}, {name: DEFAULT, queues: [{name: root}]}]";
    check_text(&refused("CFG-012", text), &["DEFAULT"]);
    refused("CFG-012", "partitions: [{name: b, queues: []}, {name: B, queues: []}]");
    assert_eq!(accepted("partitions: [{name: DEFAULT, queues: []}]").partitions[0].name, "default");
    assert_eq!(accepted("partitions: [{name: Gpu, queues: []}]").partitions[0].name, "Gpu");
}

#[test]
fn cfg_013_unusual_names() {
    for name in ["a b", "a[b", "a]b", "a/b", "a\\u0001b"] {
        let text = format!("partitions: [{{name: \"{name}\", queues: []}}]");
        refused("CFG-013", &text);
        both_releases(&text, true);
    }
}

#[test]
fn cfg_014_no_queues() {
    refused("CFG-014", "partitions: [{name: default}]");
    refused("CFG-014", "partitions: [{name: default, queues: }]");
    assert!(accepted("partitions: [{queues: []}]").partitions[0].root.parent);
}

#[test]
fn cfg_015_a_root_is_inserted() {
    let config = accepted(&Q("[{name: a}, {name: b}]"));
    assert!(config.partitions[0].root.parent);
    queue(&config, "root.a");
    queue(&config, "root.b");
    queue(&accepted(&Q("[{name: a}]")), "root.a");
}

#[test]
fn cfg_016_a_root_next_to_others() {
    let text = Q("[{name: root, resources: {max: {memory: 5}}}, {name: b}]");
    warned("CFG-016", &text);
    let config = accepted(&text);
    assert!(queue(&config, "root.root").max.is_some());
    queue(&config, "root.b");
}

#[test]
fn cfg_017_root_in_capitals() {
    let config = accepted(&Q("[{name: ROOT, queues: [{name: a}]}]"));
    assert_eq!(config.partitions[0].root.name, "root");
    queue(&config, "root.a");
}

#[test]
fn cfg_018_root_is_always_a_parent() {
    refused("CFG-018", &R("parent: false"));
    both_releases(&R("parent: false"), true);
}

#[test]
fn cfg_041_no_resources_on_root() {
    check_text(&refused("CFG-041", &R("resources: {max: {}}")), &["max", "root"]);
    refused("CFG-041", &R("resources: {guaranteed: {memory: 1}}"));
    accepted(&R("resources: {}"));
}

#[test]
fn cfg_100_node_sorting() {
    check_text(&refused("CFG-100", &P("nodesortpolicy: {type: random}")), &["random"]);
    refused("CFG-100", &P("nodesortpolicy: {type: FAIR}"));
    for good in ["{type: ''}", "{}", "{type: binpacking}", "fair"] {
        accepted(&P(&format!("nodesortpolicy: {good}")));
    }
    both_releases(&P("nodesortpolicy: fair"), false);
}

#[test]
fn cfg_101_weights() {
    check_text(&refused("CFG-101", &P("nodesortpolicy: {resourceweights: {vcore: -0.1}}")), &["vcore", "-0.1"]);
    for odd in [".nan", ".inf"] {
        let text = P(&format!("nodesortpolicy: {{resourceweights: {{vcore: {odd}}}}}"));
        refused("CFG-101", &text);
        both_releases(&text, true);
    }
    let config = accepted(&P("nodesortpolicy: {resourceweights: {vcore: 0, gpu: 2.5}}"));
    let weights: Vec<_> = config.partitions[0].node_sort.weights.clone().into_iter().collect();
    assert_eq!(weights, [("gpu".to_owned(), 2.5), ("vcore".to_owned(), 0.0)]);
    assert_eq!(accepted(&P("nodesortpolicy: {}")).partitions[0].node_sort.weights.len(), 2);
}

#[test]
fn cfg_102_weights_are_numbers() {
    check_text(&refused("CFG-102", &P("nodesortpolicy: {resourceweights: {vcore: '4'}}")), &["vcore"]);
}

#[test]
fn all_errors_are_reported_in_one_pass_by_location() {
    let text = "partitions:\n- queues:\n  - name: root\n    sample: 1\n    queues:\n    - name: a b\n      parent: yes\n      resources:\n        max: {memory: -1}\n";
    let codes: Vec<_> = faults(text, Profile::Kornsole, Severity::Error).iter().map(|f| (f.code, f.at.line)).collect();
    assert_eq!(codes, [("CFG-003", 4), ("CFG-030", 6), ("CFG-006", 7), ("CFG-020", 9)]);
}

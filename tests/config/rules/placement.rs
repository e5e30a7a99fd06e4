//! Placement rules in the configuration: CFG-080 to CFG-094.

use super::*;

fn W(rules: &str) -> String {
    P(&format!("placementrules: [{rules}]"))
}

#[test]
fn cfg_080_names() {
    check_text(&refused("CFG-080", &W("{name: 9a}")), &["rule 1", "9a"]);
    refused("CFG-080", &W("{name: a-b}"));
    refused("CFG-080", &W("{create: true}"));
    check_text(&refused("CFG-080", &W("{name: provided}, {name: user, parent: {name: 9a}}")), &["rule 2", "9a->user"]);
}

#[test]
fn cfg_081_unknown_rules() {
    for name in ["bogus", "recovery", "test", "_x"] {
        let text = W(&format!("{{name: {name}}}"));
        let fault = refused("CFG-081", &text);
        assert!(fault.hint.contains("provided"));
        both_releases(&text, true);
    }
    for name in ["UserName", "PrimaryGroup", "secondarygroupname", "ApplicationType", "type"] {
        accepted(&W(&format!("{{name: {name}}}")));
    }
}

#[test]
fn cfg_082_filter_types() {
    check_text(&refused("CFG-082", &W("{name: user, filter: {type: bogus}}")), &["rule 1", "bogus"]);
    assert!(accepted(&W("{name: user, filter: {type: DENY}}")).partitions[0].rules[0].filter.deny);
}

#[test]
fn cfg_083_one_user() {
    for bad in ["'test[test'", "99test", "'a b'", "''", "'*'"] {
        refused("CFG-083", &W(&format!("{{name: user, filter: {{users: [{bad}]}}}}")));
    }
    for good in ["sue", "'b.*'", "'^(a|b)$'", "'a[b'"] {
        let valid = good != "'a[b'";
        let text = W(&format!("{{name: user, filter: {{users: [{good}]}}}}"));
        assert_eq!(read(&text, Profile::Kornsole).is_valid(), valid, "{text}");
    }
}

#[test]
fn cfg_084_one_group() {
    refused("CFG-084", &W("{name: user, filter: {groups: [test@group]}}"));
    accepted(&W("{name: user, filter: {groups: ['d*']}}"));
}

#[test]
fn cfg_085_several_entries() {
    warned("CFG-085", &W("{name: user, filter: {users: [9a, 'b*']}}"));
}

#[test]
fn cfg_086_values_that_are_missing() {
    for name in ["tag", "fixed"] {
        let text = W(&format!("{{name: {name}}}"));
        check_text(&refused("CFG-086", &text), &["rule 1"]);
    }
    both_releases(&W("{name: tag}"), true);
}

#[test]
fn cfg_087_a_full_path_below_a_rule() {
    let text = W("{name: fixed, value: root.default, parent: {name: user}}");
    check_text(&refused("CFG-087", &text), &["root.default"]);
    both_releases(&text, true);
    both_releases(&W("{name: fixed, value: root.default, parent: {name: fixed, value: users}}"), false);
}

#[test]
fn cfg_088_segments() {
    let text = W("{name: fixed, value: 'root.a b', create: true}");
    check_text(&refused("CFG-088", &text), &["a b"]);
    both_releases(&text, true);
}

#[test]
fn cfg_089_a_parent_queue() {
    check_text(&refused("CFG-089", &W("{name: fixed, value: root.users}")), &["rule 1", "root.users"]);
    refused("CFG-089", &W("{name: fixed, value: ROOT.Users}"));
    refused("CFG-089", &W("{name: fixed, value: root}"));
    both_releases(&W("{name: fixed, value: root.users}"), false);
    accepted(&W("{name: fixed, value: default}"));
}

#[test]
fn cfg_090_a_queue_that_is_not_there() {
    check_text(&refused("CFG-090", &W("{name: fixed, value: root.none}")), &["rule 1", "root.none"]);
    accepted(&W("{name: fixed, value: root.none, create: true}"));
    warned("CFG-090", &W("{name: user, create: true, parent: {name: fixed, value: root.none}}"));
    both_releases(&W("{name: fixed, value: root.none}"), false);
}

#[test]
fn cfg_091_below_a_leaf() {
    check_text(&refused("CFG-091", &W("{name: fixed, value: root.default.x, create: true}")), &["root.default"]);
    both_releases(&W("{name: fixed, value: root.default.x, create: true}"), false);
}

#[test]
fn cfg_092_a_leaf_before_other_rules() {
    let text = W("{name: user, parent: {name: fixed, value: root.default}}");
    check_text(&refused("CFG-092", &text), &["fixed->user", "root.default"]);
    both_releases(&text, false);
    accepted(&W("{name: user, parent: {name: fixed, value: root.users}}"));
}

#[test]
fn cfg_093_parent_rules() {
    refused("CFG-093", &W("{name: user, parent: [{name: tag, value: a}, {name: provided}]}"));
    for (parent, kind, value) in [
        ("root.users", RuleKind::Fixed, "root.users"),
        ("provided", RuleKind::Provided, ""),
        ("[{name: tag, value: a}]", RuleKind::Tag, "a"),
    ] {
        let text = W(&format!("{{name: user, parent: {parent}}}"));
        let config = accepted(&text);
        let parent = config.partitions[0].rules[0].parent.as_ref().expect("a parent rule");
        assert_eq!((parent.kind, parent.value.as_str()), (kind, value));
        both_releases(&text, false);
    }
}

#[test]
fn cfg_094_keys_without_effect() {
    check_text(&warned("CFG-094", &W("{name: user, value: x}")), &["value"]);
}

#[test]
fn w_005_rules_that_are_never_reached() {
    let text = W("{name: user}, {name: fixed, value: default}, {name: provided}");
    check_text(&warned("W-005", &text), &["rule 3 (provided)", "rule 2"]);
    no_warning("W-005", &W("{name: fixed, value: default, filter: {users: [sue]}}, {name: provided}"));
    no_warning("W-005", &text.replace("submitacl: '*'", "submitacl: sue"));
    no_warning("W-005", &W("{name: user, create: true}, {name: provided}"));
}

#[test]
fn plc_001_a_rule_that_adds_nothing_to_an_earlier_one() {
    let twice = "{name: user, create: true, parent: {name: tag, value: ns}}, {name: provided}, {name: User, parent: {name: tag, value: NS}}";
    check_text(&warned("PLC-001", &W(twice)), &["rule 3 (tag->User)", "rule 1"]);
    no_warning("PLC-001", &W("{name: user}, {name: user, create: true}"));
    no_warning("PLC-001", &W("{name: user, filter: {users: [sue]}}, {name: user}"));
}

#[test]
fn w_004_a_filter_that_no_user_passes() {
    for filter in [
        "{type: deny}",
        "{users: [9a, 'b*']}",
        "{users: ['^$']}",
        "{type: deny, groups: ['[a-z]*']}",
        "{type: allow, users: [9a, 9b], groups: [8a, 8b]}",
    ] {
        check_text(&warned("W-004", &W(&format!("{{name: user, filter: {filter}}}"))), &["rule 1 (user)"]);
    }
    for filter in
        ["{}", "{type: deny, users: [sue]}", "{type: deny, users: [9a, 9b]}", "{users: [9a, sue]}", "{users: ['b*']}"]
    {
        no_warning("W-004", &W(&format!("{{name: user, filter: {filter}}}")));
    }
}

#[test]
fn releases_look_at_paths_as_written() {
    let upper = "partitions: [{queues: [{name: Up, queues: [{name: Leaf}]}], placementrules: [{name: fixed, value: root.Up.Leaf}]}]";
    accepted(upper);
    both_releases(upper, false);
    let implicit = "partitions: [{queues: [{name: up, queues: [{name: leaf}]}], placementrules: [{name: user, parent: {name: fixed, value: root.up}}]}]";
    accepted(implicit);
    both_releases(implicit, false);
}

//! YAML and types: CFG-001 to CFG-009.

use super::*;

#[test]
fn cfg_001_no_yaml() {
    refused("CFG-001", "partitions: [{");
    refused("CFG-001", "partitions:\n\t- name: default\n");
    let fault = refused("CFG-001", "partitions:\n- queues:\n  - name: root\n    adminacl: *\n");
    assert_eq!((fault.at.line, fault.at.column), (4, 15));
    assert!(fault.hint.contains("'*'"), "{}", fault.hint);
}

#[test]
fn cfg_002_no_map() {
    check_text(&refused("CFG-002", "hello"), &["single value"]);
    check_text(&refused("CFG-002", "[a]"), &["list"]);
}

#[test]
fn cfg_003_unknown_keys() {
    check_text(&refused("CFG-003", &R("sample: 1")), &["sample", "root"]);
    let fault = refused("CFG-003", &A("submitAcl: x"));
    check_text(&fault, &["submitAcl", "root.a"]);
    assert!(fault.hint.starts_with("did you mean `submitacl`?"), "{}", fault.hint);
    let fault = refused("CFG-003", &A("resources: {maximum: {}}"));
    assert!(fault.hint.contains("guaranteed, max"), "{}", fault.hint);
    refused("CFG-003", "partitions: [{queues: []}]\nextra: 1\n");
    refused("CFG-003", &A("parent: true, childtemplate: {submitacl: x}"));
    accepted(&P("preemption: {quotapreemptionenabled: true}"));
    release(Profile::V1_5_1, &P("preemption: {quotapreemptionenabled: true}"), false);
    release(Profile::V1_8_0, &P("preemption: {quotapreemptionenabled: true}"), true);
    release(Profile::V1_8_0, &P("usergroupresolver: {type: ldap}"), true);
    release(Profile::V1_5_1, &P("usergroupresolver: {type: ldap}"), false);
}

#[test]
fn cfg_003_the_deprecated_dump_path_is_taken() {
    warned("CFG-003", &P("statedumpfilepath: x.txt"));
    both_releases(&P("statedumpfilepath: x.txt"), false);
}

#[test]
fn cfg_004_a_key_twice() {
    let text = "partitions:\n- queues:\n  - name: root\n    submitacl: a\n    submitacl: b\n";
    let fault = refused("CFG-004", text);
    check_text(&fault, &["submitacl", "line 4"]);
    assert_eq!((fault.at.line, fault.at.column), (5, 5));
}

#[test]
fn cfg_005_types() {
    check_text(&refused("CFG-005", &L("[{users: bob, maxapplications: 1}]")), &["users", "single value", "list"]);
    check_text(&refused("CFG-005", &A("submitacl: [a, b]")), &["submitacl", "root.a"]);
    refused("CFG-005", &A("properties: [a]"));
    refused("CFG-005", &A("properties: {x: {y: 1}}"));
    refused("CFG-005", "partitions: {name: default}");
}

#[test]
fn cfg_006_bools() {
    let fault = refused("CFG-006", &A("parent: yes"));
    check_text(&fault, &["parent", "yes"]);
    assert!(fault.hint.contains("true"));
    refused("CFG-006", &P("preemption: {enabled: maybe}"));
    refused("CFG-006", &A("parent: 'true'"));
    refused("CFG-006", &A("parent: 1"));
    for good in ["true", "True", "TRUE", "~"] {
        accepted(&A(&format!("parent: {good}")));
    }
    both_releases(&A("parent: yes"), true);
    both_releases(&A("parent: 'off'"), true);
    both_releases(&A("parent: 'true'"), false);
}

#[test]
fn cfg_007_counts() {
    for bad in ["-1", "'5'", "1.9", "x", "true", "18446744073709551616", "1e2"] {
        check_text(&refused("CFG-007", &A(&format!("maxapplications: {bad}"))), &["maxapplications", "root.a"]);
    }
    for (good, count) in [("0x10", 16), ("18446744073709551615", u64::MAX), ("1_000", 1000), ("010", 8)] {
        let config = accepted(&A(&format!("maxapplications: {good}")));
        assert_eq!(queue(&config, "root.a").max_applications.as_ref().map(|count| count.value), Some(count));
    }
    warned("CFG-007", &A("maxapplications: 010"));
    assert!(queue(&accepted(&A("maxapplications: ~")), "root.a").max_applications.is_none());
    both_releases(&A("maxapplications: 1.9"), true);
    both_releases(&A("maxapplications: 1e2"), true);
    both_releases(&A("maxapplications: '5'"), false);
    both_releases(&A("maxapplications: -0.5"), false);
}

#[test]
fn cfg_008_aliases() {
    check_text(&refused("CFG-008", &A("resources: *x")), &["*x"]);
    let text = R("queues: [{name: a, resources: &x {max: {memory: 5}}}, {name: b, resources: *x}]");
    let config = accepted(&text);
    assert_eq!(queue(&config, "root.b").max, queue(&config, "root.a").max);
}

#[test]
fn cfg_009_a_second_document() {
    let fault = warned("CFG-009", &format!("{}\n---\nhello\n", A("parent: true")));
    assert_eq!(fault.at.line, 2);
}

#[test]
fn text_of_scalars_is_the_source_text() {
    let config = accepted(&R("queues: [{name: 123, properties: {a: true, b: 1e3, c: ~}}, {name: 010}]"));
    let texts: Vec<_> = queue(&config, "root.123").properties.values().map(|text| text.value.as_str()).collect();
    assert_eq!(texts, ["true", "1e3", ""]);
    queue(&config, "root.010");
    let config = accepted(&A("resources: {max: {memory: 010}}"));
    assert_eq!(queue(&config, "root.a").max.as_ref().map(|max| max.value.amount("memory")), Some(10));
}

#[test]
fn null_entries_are_skipped_and_null_maps_are_unset() {
    let config = accepted(&R("queues: [~, {name: a, limits: , resources: {max: ~}}], limits: [~]"));
    assert_eq!(config.partitions[0].root.children.len(), 1);
}

//! Single queues and their siblings: CFG-030 to CFG-038, CFG-055 to CFG-058, and properties.

use super::*;

#[test]
fn cfg_030_names() {
    check_text(&refused("CFG-030", &Q("[{name: no.in-name}]")), &["no.in-name", "root", "'.'"]);
    refused("CFG-030", &A("queues: [{name: ''}]"));
    refused("CFG-030", &A("queues: [{parent: true}]"));
    check_text(&refused("CFG-030", &Q("[{name: 'special-$-name'}]")), &["'$'"]);
    check_text(&refused("CFG-030", &Q(&format!("[{{name: {}}}]", "x".repeat(65)))), &["65"]);
    refused("CFG-030", &Q("[{name: \"a\\n\"}]"));
    for name in ["a:b", "a@b", "a/b", "'a#b'"] {
        let text = Q(&format!("[{{name: {name}}}]"));
        refused("CFG-030", &text);
        release(Profile::V1_5_1, &text, false);
        release(Profile::V1_8_0, &text, true);
    }
}

#[test]
fn cfg_031_siblings() {
    check_text(&refused("CFG-031", &Q("[{name: Test}, {name: test}]")), &["Test", "test", "line 1"]);
    accepted(&R("queues: [{name: a, queues: [{name: x}]}, {name: b, queues: [{name: x}]}, {name: x}]"));
}

#[test]
fn cfg_032_names_are_lower_cased() {
    queue(&accepted(&Q("[{name: Prod, queues: [{name: ETL}]}]")), "root.prod.etl");
}

#[test]
fn cfg_033_type() {
    let config = accepted(&R("queues: [{name: a, queues: [{name: b}]}, {name: c, parent: true}, {name: d}]"));
    let parents = ["root.a", "root.a.b", "root.c", "root.d"].map(|path| queue(&config, path).parent);
    assert_eq!(parents, [true, false, true, false]);
}

#[test]
fn cfg_034_no_parent_with_children() {
    let text = A("parent: false, queues: [{name: c}]");
    check_text(&refused("CFG-034", &text), &["root.a", "1 children"]);
    both_releases(&text, true);
    accepted(&A("parent: false"));
}

#[test]
fn cfg_035_template_on_a_leaf() {
    warned("CFG-035", &A("childtemplate: {maxapplications: 1}"));
    no_warning("CFG-035", &A("parent: true, childtemplate: {maxapplications: 1}"));
}

#[test]
fn cfg_036_many_queues_deep_and_wide() {
    let deep: String =
        (0..100).map(|n| format!("{}- name: q\n{}  queues:\n", "  ".repeat(n), "  ".repeat(n))).collect();
    accepted(&format!("partitions:\n- queues:\n  - name: root\n    queues:\n{}", indent(&deep)));
    let wide: String = (0..2000).map(|n| format!("{{name: q{n}}}, ")).collect();
    assert_eq!(accepted(&Q(&format!("[{wide}]"))).partitions[0].root.children.len(), 2000);
}

#[test]
fn the_deepest_that_is_read_does_not_overflow_and_more_is_reported() {
    let nested = |levels: usize| {
        let queues = format!("{}{}", "{name: a, queues: [".repeat(levels), "]}".repeat(levels));
        let rules = format!("{{name: user{}{}", ", parent: {name: user".repeat(2 * levels), "}".repeat(2 * levels + 1));
        format!("partitions: [{{placementrules: [{rules}], queues: [{queues}]}}]")
    };
    accepted(&nested(120));
    refused("CFG-001", &nested(200));
    refused("CFG-001", &nested(100_000));
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

#[test]
fn cfg_037_acl_with_spaces() {
    check_text(&refused("CFG-037", &A("submitacl: 'a b c'")), &["root.a", "submitacl", "a b c", "3 parts"]);
    refused("CFG-037", &A("submitacl: 'a  b'"));
    check_text(&refused("CFG-037", &A("adminacl: ' a '")), &["adminacl"]);
    both_releases(&A("submitacl: 'a b c'"), false);
    both_releases(&A("submitacl: 'a  b'"), true);
    both_releases(&A("submitacl: ' a '"), true);
}

#[test]
fn cfg_038_names_that_are_ignored() {
    check_text(&warned("CFG-038", &A("submitacl: 'a:b'")), &["root.a", "a:b"]);
    no_warning("CFG-038", &A("submitacl: 9user"));
    let warnings = faults(&A("submitacl: 9user"), Profile::V1_5_1, Severity::Warning);
    assert!(warnings.iter().any(|fault| fault.code == "CFG-038"));
    warned("CFG-038", &A("submitacl: 'a,*'"));
}

#[test]
fn cfg_055_no_zero_applications() {
    for text in [
        A("maxapplications: 0"),
        A("parent: true, childtemplate: {maxapplications: 0}"),
        L("[{users: [bob], maxapplications: 0, maxresources: {memory: 1}}]"),
    ] {
        refused("CFG-055", &text);
        both_releases(&text, true);
    }
    accepted(&A("maxapplications: 1"));
}

#[test]
fn cfg_056_child_above_parent() {
    let fault = refused("CFG-056", &A("maxapplications: 1, queues: [{name: c, maxapplications: 2}]"));
    check_text(&fault, &["root.a.c", "root.a", "1", "2"]);
}

#[test]
fn cfg_057_child_without_a_number() {
    check_text(&refused("CFG-057", &A("maxapplications: 1, queues: [{name: c}]")), &["root.a.c", "root.a", "1"]);
    refused("CFG-057", &R("maxapplications: 5, queues: [{name: m}]"));
    both_releases(&A("maxapplications: 1, queues: [{name: c, maxapplications: 0}]"), false);
}

#[test]
fn cfg_058_child_of_an_unlimited_parent() {
    accepted(&A("queues: [{name: c, maxapplications: 9}]"));
    accepted(&A("maxapplications: 5, queues: [{name: c, maxapplications: 4}, {name: d, maxapplications: 4}]"));
}

#[test]
fn properties_that_are_not_understood() {
    let warning = |text: &str| check_text(&warned("CFG-S09", &A(&format!("properties: {{{text}}}"))), &["root.a"]);
    warning("application.sort.policy: Fair");
    warning("priority.offset: 1.5");
    warning("preemption.delay: '30'");
    warning("priority_offset: 1");
    warning("preemption.quota.delay: 30s");
    no_warning("CFG-S09", &A("properties: {application.sort.policy: fair}"));
    let unknown = warned("CFG-S09", &A("properties: {x.y: z}"));
    assert!(unknown.hint.contains("priority.offset"), "{}", unknown.hint);
    assert_eq!(warned("CFG-S09", &A("properties: {preemption.delai: 3s}")).hint, "did you mean `preemption.delay`?");
    // N-01: `preemption.quota.delay` of 1.8.0 is `quota.preemption.delay` in 1.9.0.
    let (old, new) = ("preemption.quota.delay", "quota.preemption.delay");
    for (profile, known) in
        [(Profile::V1_5_1, ""), (Profile::V1_8_0, old), (Profile::V1_9_0, new), (Profile::Kornsole, new)]
    {
        for key in [old, new] {
            let warned = faults(&A(&format!("properties: {{{key}: 30s}}")), profile, Severity::Warning);
            let told = warned.iter().find(|fault| fault.code == "CFG-S09");
            assert_eq!(told.is_none(), key == known, "{profile}: {warned:?}");
            // 1.5.1 has it under no name.
            let hint = if known.is_empty() { "remove it".to_owned() } else { format!("write `{known}`") };
            assert!(told.is_none_or(|told| told.hint.starts_with(&hint)), "{profile}: {told:?}");
        }
    }
    let both = A(&format!("properties: {{{old}: 30s, {new}: 30s}}"));
    for profile in [Profile::V1_8_0, Profile::V1_9_0, Profile::Kornsole] {
        let warned = faults(&both, profile, Severity::Warning);
        let told = warned.iter().find(|fault| fault.code == "CFG-S09").expect("one of them has no effect");
        assert!(told.hint.starts_with("remove it here, where"), "{profile}: {told:?}");
    }
    warning("quota.preemption.delay: soon");
    no_warning("CFG-S09", &A("properties: {quota.preemption.delay: 0s}"));
}

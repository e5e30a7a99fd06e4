//! Each rule of a queue configuration, by its id, on the smallest file that shows it.
//!
//! Texts are written short: `Q` is one partition with these queues, `R` its root with these keys, `A` a queue `root.a`
//! with these keys, `P` a partition with these keys and the leaf `root.default` and the parent `root.users`, `L` limits
//! of the root.

#![allow(non_snake_case, reason = "the short names are those of the rules' own examples")]
#![allow(clippy::panic, reason = "helpers of tests")]

use kornsole::config::{Config, Fault, QueueConfig, RuleKind, Severity, read};
use kornsole::model::{Profile, QueuePath};

fn Q(queues: &str) -> String {
    format!("partitions: [{{name: default, queues: {queues}}}]")
}

fn R(keys: &str) -> String {
    Q(&format!("[{{name: root, {keys}}}]"))
}

fn A(keys: &str) -> String {
    R(&format!("queues: [{{name: a, {keys}}}]"))
}

fn P(keys: &str) -> String {
    let queues = "queues: [{name: root, submitacl: '*', queues: [{name: default}, {name: users, parent: true}]}]";
    format!("partitions: [{{name: default, {keys}, {queues}}}]")
}

fn L(limits: &str) -> String {
    R(&format!("limits: {limits}"))
}

fn faults(text: &str, profile: Profile, severity: Severity) -> Vec<Fault> {
    read(text, profile).faults.into_iter().filter(|fault| fault.severity == severity).collect()
}

/// The only error of a text, which must be by this rule.
#[track_caller]
fn refused(code: &str, text: &str) -> Fault {
    let errors = faults(text, Profile::Kornsole, Severity::Error);
    let told: Vec<_> = errors.iter().map(|fault| fault.code).collect();
    assert_eq!(told, [code], "{text}\n{errors:#?}");
    assert!(read(text, Profile::Kornsole).config.is_none());
    let fault = errors.into_iter().next().expect("there is one");
    assert!(fault.at.line > 0 && fault.at.column > 0, "{fault}");
    assert!(!fault.hint.is_empty(), "{fault}");
    fault
}

/// The configuration of a text without errors.
#[track_caller]
fn accepted(text: &str) -> Config {
    let reading = read(text, Profile::Kornsole);
    reading.config.unwrap_or_else(|| panic!("{text}\n{:#?}", reading.faults))
}

/// Accepted with a warning by this rule.
#[track_caller]
fn warned(code: &str, text: &str) -> Fault {
    accepted(text);
    let warnings = faults(text, Profile::Kornsole, Severity::Warning);
    let told: Vec<_> = warnings.iter().map(|fault| fault.code).collect();
    warnings.into_iter().find(|fault| fault.code == code).unwrap_or_else(|| panic!("{text}\n{told:?}"))
}

#[track_caller]
fn no_warning(code: &str, text: &str) {
    let warnings = faults(text, Profile::Kornsole, Severity::Warning);
    assert!(warnings.iter().all(|fault| fault.code != code), "{text}\n{warnings:#?}");
}

/// Whether the release takes the text.
#[track_caller]
fn release(profile: Profile, text: &str, takes: bool) {
    let reading = read(text, profile);
    assert_eq!(reading.is_valid(), takes, "{profile}: {text}\n{:#?}", reading.faults);
}

#[track_caller]
fn both_releases(text: &str, take: bool) {
    release(Profile::V1_5_1, text, take);
    release(Profile::V1_8_0, text, take);
}

fn queue<'c>(config: &'c Config, path: &str) -> &'c QueueConfig {
    let mut queue = &config.partitions[0].root;
    for part in QueuePath::new(path).parts().skip(1) {
        queue = queue.children.iter().find(|child| child.name == part).expect("the queue is there");
    }
    assert_eq!(queue.path, Some(QueuePath::new(path)));
    queue
}

/// The message names all of these.
#[track_caller]
fn tells(fault: &Fault, words: &[&str]) {
    for word in words {
        assert!(fault.message.contains(word) || fault.path.contains(word), "{word:?} is not in: {fault}");
    }
}

mod reading {
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
        tells(&refused("CFG-002", "hello"), &["single value"]);
        tells(&refused("CFG-002", "[a]"), &["list"]);
    }

    #[test]
    fn cfg_003_unknown_keys() {
        tells(&refused("CFG-003", &R("sample: 1")), &["sample", "root"]);
        let fault = refused("CFG-003", &A("submitAcl: x"));
        tells(&fault, &["submitAcl", "root.a"]);
        assert!(fault.hint.starts_with("did you mean `submitacl`?"), "{}", fault.hint);
        let fault = refused("CFG-003", &A("resources: {maximum: {}}"));
        assert!(fault.hint.contains("guaranteed, max"), "{}", fault.hint);
        refused("CFG-003", "partitions: [{queues: []}]\nextra: 1\n");
        refused("CFG-003", &A("parent: true, childtemplate: {submitacl: x}"));
        refused("CFG-003", &P("preemption: {quotapreemptionenabled: true}"));
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
        tells(&fault, &["submitacl", "line 4"]);
        assert_eq!((fault.at.line, fault.at.column), (5, 5));
    }

    #[test]
    fn cfg_005_types() {
        tells(&refused("CFG-005", &L("[{users: bob, maxapplications: 1}]")), &["users", "single value", "list"]);
        tells(&refused("CFG-005", &A("submitacl: [a, b]")), &["submitacl", "root.a"]);
        refused("CFG-005", &A("properties: [a]"));
        refused("CFG-005", &A("properties: {x: {y: 1}}"));
        refused("CFG-005", "partitions: {name: default}");
    }

    #[test]
    fn cfg_006_bools() {
        let fault = refused("CFG-006", &A("parent: yes"));
        tells(&fault, &["parent", "yes"]);
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
            tells(&refused("CFG-007", &A(&format!("maxapplications: {bad}"))), &["maxapplications", "root.a"]);
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
        tells(&refused("CFG-008", &A("resources: *x")), &["*x"]);
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
}

mod quantities {
    use super::*;

    fn max(text: &str) -> String {
        A(&format!("resources: {{max: {{{text}}}}}"))
    }

    #[test]
    fn cfg_020_malformed() {
        for bad in ["-1", "+5", "1.5", "0x10", "1_000", "ten", "''", "~", "true"] {
            tells(&refused("CFG-020", &max(&format!("memory: {bad}"))), &["root.a", "max", "memory"]);
        }
        refused("CFG-020", &A("resources: {guaranteed: {memory: x}}"));
    }

    #[test]
    fn cfg_021_suffixes() {
        let fault = refused("CFG-021", &max("memory: 500m"));
        tells(&fault, &["500m", "memory"]);
        assert!(fault.hint.contains("Ki"), "{}", fault.hint);
        for bad in ["5X", "1kk", "1K", "1ki", "1Gb"] {
            refused("CFG-021", &max(&format!("memory: {bad}")));
        }
        accepted(&max("vcore: 500m"));
    }

    #[test]
    fn cfg_022_too_large() {
        let fault = refused("CFG-022", &max("memory: 10E"));
        assert!(fault.hint.contains("9223372036854775807"));
        refused("CFG-022", &max("vcore: 9223372036854775807"));
        accepted(&max("memory: 9223372036854775807"));
    }

    #[test]
    fn cfg_023_in_a_template() {
        let text = A("parent: true, childtemplate: {resources: {max: {memory: x}}}");
        tells(&refused("CFG-023", &text), &["template", "memory"]);
        both_releases(&text, true);
    }

    #[test]
    fn cfg_024_in_a_limit() {
        let fault = refused("CFG-024", &L("[{limit: big, users: [bob], maxresources: {memory: x}}]"));
        tells(&fault, &["root", "limit 1", "big", "memory"]);
    }
}

mod partitions {
    use super::*;

    #[test]
    fn cfg_010_an_empty_file_is_the_default_configuration() {
        for text in ["", " \n\n", "# nothing\n"] {
            let config = accepted(text);
            assert_eq!(config.partitions[0].rules[0].kind, RuleKind::Tag);
            assert_eq!(config.partitions[0].rules[0].value, "namespace");
            assert!(config.partitions[0].root.submit_acl.value.everybody);
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
        tells(&refused("CFG-012", text), &["DEFAULT"]);
        refused("CFG-012", "partitions: [{name: b, queues: []}, {name: B, queues: []}]");
        assert_eq!(accepted("partitions: [{name: DEFAULT, queues: []}]").partitions[0].name, "default");
        assert_eq!(accepted("partitions: [{name: Gpu, queues: []}]").partitions[0].name, "Gpu");
    }

    #[test]
    fn cfg_013_odd_names() {
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
    fn cfg_016_a_root_beside_others() {
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
        tells(&refused("CFG-041", &R("resources: {max: {}}")), &["max", "root"]);
        refused("CFG-041", &R("resources: {guaranteed: {memory: 1}}"));
        accepted(&R("resources: {}"));
    }

    #[test]
    fn cfg_100_node_sorting() {
        tells(&refused("CFG-100", &P("nodesortpolicy: {type: random}")), &["random"]);
        refused("CFG-100", &P("nodesortpolicy: {type: FAIR}"));
        for good in ["{type: ''}", "{}", "{type: binpacking}", "fair"] {
            accepted(&P(&format!("nodesortpolicy: {good}")));
        }
        both_releases(&P("nodesortpolicy: fair"), false);
    }

    #[test]
    fn cfg_101_weights() {
        tells(&refused("CFG-101", &P("nodesortpolicy: {resourceweights: {vcore: -0.1}}")), &["vcore", "-0.1"]);
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
        tells(&refused("CFG-102", &P("nodesortpolicy: {resourceweights: {vcore: '4'}}")), &["vcore"]);
    }

    #[test]
    fn all_faults_come_in_one_pass_by_place() {
        let text = "partitions:\n- queues:\n  - name: root\n    sample: 1\n    queues:\n    - name: a b\n      parent: yes\n      resources:\n        max: {memory: -1}\n";
        let codes: Vec<_> =
            faults(text, Profile::Kornsole, Severity::Error).iter().map(|f| (f.code, f.at.line)).collect();
        assert_eq!(codes, [("CFG-003", 4), ("CFG-030", 6), ("CFG-006", 7), ("CFG-020", 9)]);
    }
}

mod queues {
    use super::*;

    #[test]
    fn cfg_030_names() {
        tells(&refused("CFG-030", &Q("[{name: no.in-name}]")), &["no.in-name", "root", "'.'"]);
        refused("CFG-030", &A("queues: [{name: ''}]"));
        refused("CFG-030", &A("queues: [{parent: true}]"));
        tells(&refused("CFG-030", &Q("[{name: 'special-$-name'}]")), &["'$'"]);
        tells(&refused("CFG-030", &Q(&format!("[{{name: {}}}]", "x".repeat(65)))), &["65"]);
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
        tells(&refused("CFG-031", &Q("[{name: Test}, {name: test}]")), &["Test", "test", "line 1"]);
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
        tells(&refused("CFG-034", &text), &["root.a", "1 children"]);
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
    fn the_deepest_that_is_read_does_not_overflow_and_more_is_told() {
        let nested = |levels: usize| {
            let queues = format!("{}{}", "{name: a, queues: [".repeat(levels), "]}".repeat(levels));
            let rules =
                format!("{{name: user{}{}", ", parent: {name: user".repeat(2 * levels), "}".repeat(2 * levels + 1));
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
        tells(&refused("CFG-037", &A("submitacl: 'a b c'")), &["root.a", "submitacl", "a b c", "3 parts"]);
        refused("CFG-037", &A("submitacl: 'a  b'"));
        tells(&refused("CFG-037", &A("adminacl: ' a '")), &["adminacl"]);
        both_releases(&A("submitacl: 'a b c'"), false);
        both_releases(&A("submitacl: 'a  b'"), true);
        both_releases(&A("submitacl: ' a '"), true);
    }

    #[test]
    fn cfg_038_names_that_are_ignored() {
        tells(&warned("CFG-038", &A("submitacl: 'a:b'")), &["root.a", "a:b"]);
        no_warning("CFG-038", &A("submitacl: 9user"));
        let warnings = faults(&A("submitacl: 9user"), Profile::V1_5_1, Severity::Warning);
        assert!(warnings.iter().any(|fault| fault.code == "CFG-038"));
        warned("CFG-038", &A("submitacl: 'a,*'"));
    }

    #[test]
    fn acl_007_a_comma_before_the_groups() {
        warned("ACL-007", &A("submitacl: 'a, b'"));
    }

    #[test]
    fn acl_008_a_tab_is_no_separator() {
        warned("CFG-038", &A("submitacl: \"a\\tb\""));
    }

    #[test]
    fn acl_024_nobody_may_submit() {
        let fault = warned("ACL-024", &R("queues: [{name: a, submitacl: sue}, {name: b, queues: [{name: c}]}]"));
        tells(&fault, &["root.b"]);
        no_warning("ACL-024", &R("submitacl: '*', queues: [{name: a}]"));
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
        tells(&fault, &["root.a.c", "root.a", "1", "2"]);
    }

    #[test]
    fn cfg_057_child_without_a_number() {
        tells(&refused("CFG-057", &A("maxapplications: 1, queues: [{name: c}]")), &["root.a.c", "root.a", "1"]);
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
        let warning = |text: &str| tells(&warned("CFG-S09", &A(&format!("properties: {{{text}}}"))), &["root.a"]);
        warning("application.sort.policy: Fair");
        warning("priority.offset: 1.5");
        warning("preemption.delay: '30'");
        warning("priority_offset: 1");
        warning("preemption.quota.delay: 30s");
        no_warning("CFG-S09", &A("properties: {application.sort.policy: fair, x.y: z}"));
    }
}

mod resources {
    use super::*;

    #[test]
    fn cfg_042_guaranteed_above_max() {
        let fault = refused("CFG-042", &A("resources: {max: {memory: 10}, guaranteed: {memory: 11}}"));
        tells(&fault, &["root.a", "memory", "10", "11"]);
        accepted(&A("resources: {max: {memory: 10}, guaranteed: {memory: 10, gpu: 5}}"));
    }

    #[test]
    fn cfg_043_max_above_an_ancestor() {
        let below = "queues: [{name: m, queues: [{name: c, resources: {max: {memory: 11}}}]}]";
        let fault = refused("CFG-043", &A(&format!("resources: {{max: {{memory: 10}}}}, {below}")));
        tells(&fault, &["root.a.m.c", "memory", "11", "10", "root.a"]);
        accepted(&A(&format!("resources: {{max: {{gpu: 10}}}}, {below}")));
    }

    #[test]
    fn cfg_043_a_smaller_max_in_between_counts() {
        let text = A(
            "resources: {max: {memory: 10}}, queues: [{name: m, resources: {max: {memory: 5}}, queues: [{name: c, resources: {max: {memory: 6}}}]}, {name: n, resources: {max: {memory: 10}}}]",
        );
        tells(&refused("CFG-043", &text), &["root.a.m.c", "5 of root.a.m"]);
    }

    #[test]
    fn cfg_044_children_guaranteed_more() {
        let two = "queues: [{name: c, resources: {guaranteed: {memory: 6}}}, {name: d, resources: {guaranteed: {memory: 6}}}]";
        let fault = refused("CFG-044", &A(&format!("resources: {{guaranteed: {{memory: 10}}}}, {two}")));
        tells(&fault, &["root.a", "memory", "12", "10", "c 6", "d 6"]);
        accepted(&A(&format!("resources: {{guaranteed: {{memory: 12}}}}, {two}")));
        // A level without guaranteed passes on what its children have.
        let text = A(&format!("resources: {{guaranteed: {{memory: 10}}}}, queues: [{{name: m, {two}}}]"));
        tells(&refused("CFG-044", &text), &["m 12"]);
    }

    #[test]
    fn cfg_045_children_guaranteed_more_than_max() {
        let fault = refused(
            "CFG-045",
            &A("resources: {max: {memory: 10}}, queues: [{name: c, resources: {guaranteed: {memory: 11}}}]"),
        );
        tells(&fault, &["root.a", "memory", "11", "10", "its max"]);
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
    fn cfg_050_nothing_said_is_unlimited() {
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
}

mod limits {
    use super::*;

    #[test]
    fn cfg_060_nobody_named() {
        tells(&refused("CFG-060", &L("[{limit: x, maxapplications: 1}]")), &["limit 1", "x"]);
        refused("CFG-060", &L("[{users: [], groups: [], maxapplications: 1}]"));
    }

    #[test]
    fn cfg_061_users() {
        for name in ["9a", "'a b'", "''", "'a*'", "a/b"] {
            refused("CFG-061", &L(&format!("[{{users: [{name}], maxapplications: 1}}]")));
        }
        for name in ["a:b", "a@b.c", "svc$", "'*'"] {
            accepted(&L(&format!("[{{users: [{name}], maxapplications: 1}}]")));
        }
        release(Profile::V1_8_0, &L("[{users: [a/b], maxapplications: 1}]"), true);
        release(Profile::V1_5_1, &L("[{users: [a/b], maxapplications: 1}]"), false);
    }

    #[test]
    fn cfg_062_groups() {
        for name in ["a@b", "a$", "9a"] {
            refused("CFG-062", &L(&format!("[{{groups: [{name}], maxapplications: 1}}]")));
        }
        accepted(&L("[{groups: [a.b:c], maxapplications: 1}]"));
    }

    #[test]
    fn cfg_063_a_name_twice() {
        let fault = refused("CFG-063", &L("[{users: [bob], maxapplications: 1}, {users: [bob], maxapplications: 2}]"));
        tells(&fault, &["bob", "limit 2", "limit 1"]);
        accepted(&L("[{users: [bob, Bob], groups: [bob], maxapplications: 1}]"));
        let once = L("[{users: [bob, ann, bob], maxapplications: 1}]");
        warned("CFG-063", &once);
        assert_eq!(accepted(&once).partitions[0].root.limits[0].users, ["bob", "ann"]);
        both_releases(&once, false);
    }

    #[test]
    fn cfg_064_a_name_on_two_queues() {
        let limits = "limits: [{users: [bob], maxapplications: 1}]";
        accepted(&R(&format!("queues: [{{name: a, {limits}}}, {{name: b, {limits}}}]")));
    }

    #[test]
    fn cfg_065_a_star_beside_others() {
        let last = L("[{users: [bob, '*'], maxapplications: 1}]");
        refused("CFG-065", &last);
        both_releases(&last, true);
        let first = L("[{users: ['*', bob], maxapplications: 1}]");
        refused("CFG-065", &first);
        both_releases(&first, false);
    }

    #[test]
    fn cfg_066_a_name_after_the_star() {
        let text = L("[{users: ['*'], maxapplications: 1}, {users: [bob], maxapplications: 1}]");
        tells(&refused("CFG-066", &text), &["bob", "limit 2", "limit 1"]);
        accepted(&L("[{users: ['*'], maxapplications: 1}, {groups: [dev], maxapplications: 1}]"));
    }

    #[test]
    fn cfg_067_a_second_star() {
        let text = L("[{users: ['*'], maxapplications: 1}, {users: ['*'], maxapplications: 1}]");
        tells(&refused("CFG-067", &text), &["limit 2", "limit 1"]);
    }

    #[test]
    fn cfg_068_a_group_star_alone() {
        tells(&refused("CFG-068", &L("[{groups: ['*'], maxapplications: 1}]")), &["root"]);
        accepted(&L("[{groups: [dev], maxapplications: 1}, {groups: ['*'], maxapplications: 1}]"));
        let above = "limits: [{groups: [dev], maxapplications: 1}]";
        refused(
            "CFG-068",
            &R(&format!("{above}, queues: [{{name: a, limits: [{{groups: ['*'], maxapplications: 1}}]}}]")),
        );
        accepted(&L("[{users: ['*'], maxapplications: 1}]"));
    }

    #[test]
    fn cfg_069_nothing_limited() {
        refused("CFG-069", &L("[{users: [bob]}]"));
        refused("CFG-069", &L("[{users: [bob], maxresources: {}}]"));
        both_releases(&L("[{users: [bob], maxapplications: 0}]"), false);
    }

    #[test]
    fn cfg_070_all_zero() {
        let text = L("[{users: [bob], maxapplications: 1, maxresources: {memory: 0, vcore: 0}}]");
        tells(&refused("CFG-070", &text), &["memory", "vcore"]);
        accepted(&L("[{users: [bob], maxresources: {memory: 0, vcore: 1}}]"));
    }

    #[test]
    fn cfg_071_applications_above_the_queue() {
        let text = A("maxapplications: 5, limits: [{users: [bob], maxapplications: 6}]");
        tells(&refused("CFG-071", &text), &["root.a", "5", "6"]);
        refused("CFG-071", &R("maxapplications: 5, limits: [{users: [bob], maxapplications: 6}]"));
        accepted(&A("maxapplications: 5, limits: [{users: [bob], maxresources: {memory: 1}}]"));
    }

    #[test]
    fn cfg_072_resources_above_the_queue() {
        let text = A("resources: {max: {memory: 5}}, limits: [{users: [bob], maxresources: {memory: 6}}]");
        tells(&refused("CFG-072", &text), &["root.a", "memory", "5", "6"]);
        let below = "queues: [{name: c, limits: [{users: [bob], maxresources: {memory: 6}}]}]";
        let fault = warned("CFG-072", &A(&format!("resources: {{max: {{memory: 5}}}}, {below}")));
        tells(&fault, &["root.a.c", "never bind", "root.a has at most 5"]);
    }

    /// A limit on `root.a`, nothing on `root.a.m`, a limit on `root.a.m.c`.
    fn down(above: &str, below: &str) -> String {
        A(&format!("limits: [{above}], queues: [{{name: m, queues: [{{name: c, limits: [{below}]}}]}}]"))
    }

    #[test]
    fn cfg_073_above_what_an_ancestor_gives() {
        let text = down("{users: [bob], maxresources: {memory: 5}}", "{users: [bob], maxresources: {memory: 6}}");
        tells(&refused("CFG-073", &text), &["root.a.m.c", "bob", "memory", "6", "5", "that root.a gives"]);
        accepted(&down("{users: [bob], maxresources: {memory: 5}}", "{users: [bob], maxresources: {gpu: 6}}"));
    }

    #[test]
    fn cfg_073_the_smallest_on_the_way_down_counts() {
        let text = R(
            "limits: [{users: [bob], maxresources: {memory: 5}}], queues: [{name: a, limits: [{users: [bob], maxresources: {gpu: 1}}], queues: [{name: c, limits: [{users: [bob], maxresources: {memory: 6}}]}]}]",
        );
        tells(&refused("CFG-073", &text), &["root.a.c", "that root gives"]);
    }

    #[test]
    fn cfg_074_compared_with_the_star() {
        let text = down("{users: ['*'], maxresources: {memory: 5}}", "{users: [bob], maxresources: {memory: 6}}");
        tells(&refused("CFG-074", &text), &["bob", "'*' of root.a"]);
    }

    #[test]
    fn cfg_075_a_star_is_not_compared_with_names() {
        accepted(&down("{users: [bob], maxresources: {memory: 5}}", "{users: ['*'], maxresources: {memory: 6}}"));
        refused(
            "CFG-073",
            &down("{users: ['*'], maxresources: {memory: 5}}", "{users: ['*'], maxresources: {memory: 6}}"),
        );
    }

    #[test]
    fn cfg_076_groups_apart_from_users() {
        let text = down("{groups: [dev], maxresources: {memory: 5}}", "{groups: [dev], maxresources: {memory: 6}}");
        tells(&refused("CFG-076", &text), &["group", "dev"]);
        accepted(&down("{groups: [dev], maxresources: {memory: 5}}", "{users: [dev], maxresources: {memory: 6}}"));
    }

    #[test]
    fn cfg_077_applications_down_the_tree() {
        let above = "{users: [bob], maxapplications: 5}";
        let unset = down(above, "{users: [bob], maxresources: {memory: 1}}");
        tells(&refused("CFG-077", &unset), &["root.a.m.c", "bob", "no `maxapplications`", "5", "root.a"]);
        tells(&refused("CFG-077", &down(above, "{users: [bob], maxapplications: 6}")), &["6", "5"]);
        refused("CFG-077", &down("{users: ['*'], maxapplications: 5}", "{users: [bob], maxapplications: 6}"));
        accepted(&down(above, "{users: [bob], maxapplications: 5}"));
    }

    #[test]
    fn cfg_078_what_only_one_side_sets() {
        accepted(&down("{users: [bob], maxresources: {memory: 5}}", "{users: [bob], maxapplications: 99}"));
    }

    #[test]
    fn cfg_079_partition_and_root() {
        let two = |of_partition: &str, of_root: &str| {
            format!(
                "partitions: [{{name: default, limits: {of_partition}, queues: [{{name: root, limits: {of_root}}}]}}]"
            )
        };
        let bob = "[{users: [bob], maxapplications: 1}]";
        let described = "[{limit: x, users: [bob], maxapplications: 1}]";
        tells(&refused("CFG-079", &two("[{users: [ann], maxapplications: 1}]", bob)), &["root", "line"]);
        accepted(&two(bob, bob));
        warned("CFG-079", &two(described, bob));
        both_releases(&two(described, bob), false);
        both_releases(&two(bob, bob), true);
        let inserted = format!("partitions: [{{limits: {bob}, queues: [{{name: a}}]}}]");
        assert_eq!(accepted(&inserted).partitions[0].root.limits[0].users, ["bob"]);
    }
}

mod rules {
    use super::*;

    fn W(rules: &str) -> String {
        P(&format!("placementrules: [{rules}]"))
    }

    #[test]
    fn cfg_080_names() {
        tells(&refused("CFG-080", &W("{name: 9a}")), &["rule 1", "9a"]);
        refused("CFG-080", &W("{name: a-b}"));
        refused("CFG-080", &W("{create: true}"));
        tells(&refused("CFG-080", &W("{name: provided}, {name: user, parent: {name: 9a}}")), &["rule 2", "9a->user"]);
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
        tells(&refused("CFG-082", &W("{name: user, filter: {type: bogus}}")), &["rule 1", "bogus"]);
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
            tells(&refused("CFG-086", &text), &["rule 1"]);
        }
        both_releases(&W("{name: tag}"), true);
    }

    #[test]
    fn cfg_087_a_full_path_below_a_rule() {
        let text = W("{name: fixed, value: root.default, parent: {name: user}}");
        tells(&refused("CFG-087", &text), &["root.default"]);
        both_releases(&text, true);
        both_releases(&W("{name: fixed, value: root.default, parent: {name: fixed, value: users}}"), false);
    }

    #[test]
    fn cfg_088_segments() {
        let text = W("{name: fixed, value: 'root.a b', create: true}");
        tells(&refused("CFG-088", &text), &["a b"]);
        both_releases(&text, true);
    }

    #[test]
    fn cfg_089_a_parent_queue() {
        tells(&refused("CFG-089", &W("{name: fixed, value: root.users}")), &["rule 1", "root.users"]);
        refused("CFG-089", &W("{name: fixed, value: ROOT.Users}"));
        refused("CFG-089", &W("{name: fixed, value: root}"));
        both_releases(&W("{name: fixed, value: root.users}"), false);
        accepted(&W("{name: fixed, value: default}"));
    }

    #[test]
    fn cfg_090_a_queue_that_is_not_there() {
        tells(&refused("CFG-090", &W("{name: fixed, value: root.none}")), &["rule 1", "root.none"]);
        accepted(&W("{name: fixed, value: root.none, create: true}"));
        warned("CFG-090", &W("{name: user, create: true, parent: {name: fixed, value: root.none}}"));
        both_releases(&W("{name: fixed, value: root.none}"), false);
    }

    #[test]
    fn cfg_091_below_a_leaf() {
        tells(&refused("CFG-091", &W("{name: fixed, value: root.default.x, create: true}")), &["root.default"]);
        both_releases(&W("{name: fixed, value: root.default.x, create: true}"), false);
    }

    #[test]
    fn cfg_092_a_leaf_before_other_rules() {
        let text = W("{name: user, parent: {name: fixed, value: root.default}}");
        tells(&refused("CFG-092", &text), &["fixed->user", "root.default"]);
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
        tells(&warned("CFG-094", &W("{name: user, value: x}")), &["value"]);
    }

    #[test]
    fn plc_001_rules_that_are_never_reached() {
        let text = W("{name: user}, {name: fixed, value: default}, {name: provided}");
        tells(&warned("PLC-001", &text), &["rule 3 (provided)", "rule 2"]);
        no_warning("PLC-001", &W("{name: fixed, value: default, filter: {users: [sue]}}, {name: provided}"));
        no_warning("PLC-001", &text.replace("submitacl: '*'", "submitacl: sue"));
        no_warning("PLC-001", &W("{name: user, create: true}, {name: provided}"));
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
}

mod checksums {
    use kornsole::config::checksum;

    #[test]
    fn a_text_can_carry_its_own_checksum() {
        let plain = checksum(b"partitions: []\n\n");
        assert_eq!(plain.len(), 64);
        assert!(plain.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()));
        let carrying = format!("partitions: []\nchecksum: {plain}\n");
        assert_eq!(checksum(carrying.as_bytes()), plain);
        assert_ne!(checksum(b"partitions: [ ]\n\n"), plain);
    }

    #[test]
    fn the_checksum_is_that_of_sha_256() {
        let empty = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";
        assert_eq!(checksum(b""), empty);
        assert_eq!(checksum(b"checksum: abc"), empty);
    }
}

//! Texts with a queue or a value in an unusual style.

use super::*;

fn root_with(queues: &str) -> String {
    format!("partitions:\n- queues:\n  - name: root\n    queues:\n{queues}")
}

fn set_two_applications(text: &str) -> String {
    report(text, set_max_applications(text, &target(&QueuePath::new("root.a")), Some(2)))
}

fn set_max_memory(text: &str) -> String {
    report(text, set_amount(text, &target(&QueuePath::new("root.a")), Bound::Max, "memory", Some("2G")))
}

#[test]
fn unusual_dashes_are_unchanged() {
    let a = QueuePath::new("root.a");
    // A dash on a separate line, a key after a removed dash, and no line break at the end.
    insta::assert_snapshot!(set_two_applications(&root_with("    -\n      name: a\n")), @"
    +7|      maxapplications: 2
    ~ root.a
        maxapplications none → 2
    ");
    let first = root_with("    - maxapplications: 3 # gone\n      name: a");
    insta::assert_snapshot!(report(&first, set_max_applications(&first, &target(&a), None)), @"
    -5|    - maxapplications: 3 # gone
    -6|      name: a
    +5|    - name: a
    ~ root.a
        maxapplications 3 → none
    ");
    let commented = root_with("    - maxapplications: 3\n      # stays\n      name: a");
    insta::assert_snapshot!(report(&commented, set_max_applications(&commented, &target(&a), None)), @"
    -5|    - maxapplications: 3
    +5|    -
    ~ root.a
        maxapplications 3 → none
    ");
    insta::assert_snapshot!(set_two_applications(&root_with("    - name: a")), @"
    +6|      maxapplications: 2
    ~ root.a
        maxapplications none → 2
    ");
}

#[test]
fn nothing_null_and_empty_brackets_are_filled() {
    insta::assert_snapshot!(set_max_memory(&root_with("    - name: a\n      resources: # none\n")), @"
    +7|        max: {memory: 2G}
    ~ root.a
        max memory none → 2G
    ");
    insta::assert_snapshot!(set_max_memory(&root_with("    - name: a\n      resources: {max: }\n")), @"
    -6|      resources: {max: }
    +6|      resources: {max: {memory: 2G} }
    ~ root.a
        max memory none → 2G
    ");
    insta::assert_snapshot!(set_max_memory(&root_with("    - name: a\n      resources: {max: ~}\n")), @"
    -6|      resources: {max: ~}
    +6|      resources: {max: {memory: 2G}}
    ~ root.a
        max memory none → 2G
    ");
    insta::assert_snapshot!(set_max_memory(&root_with("    - name: a\n      resources: {max}\n")), @"
    -6|      resources: {max}
    +6|      resources: {max: {memory: 2G}}
    ~ root.a
        max memory none → 2G
    ");
    insta::assert_snapshot!(set_max_memory(&root_with("    - {name: a, resources: {max: { }},}\n")), @"
    -5|    - {name: a, resources: {max: { }},}
    +5|    - {name: a, resources: {max: {memory: 2G}},}
    ~ root.a
        max memory none → 2G
    ");
}

#[test]
fn brackets_over_several_lines_stay() {
    let a = QueuePath::new("root.a");
    let lines = root_with("    - {\n        name: a, # the first\n        parent: false # the last\n      }\n");
    insta::assert_snapshot!(set_two_applications(&lines), @"
    -7|        parent: false # the last
    +7|        parent: false, # the last
    +8|        maxapplications: 2
    ~ root.a
        maxapplications none → 2
    ");
    insta::assert_snapshot!(report(&lines, set_parent(&lines, &target(&a), None)), @"
    -6|        name: a, # the first
    -7|        parent: false # the last
    +6|        name: a # the first
    ");
}

#[test]
fn explicit_keys_block_texts_and_tags_are_refused_where_they_are_in_the_way() {
    let a = QueuePath::new("root.a");
    insta::assert_snapshot!(set_two_applications(&root_with("    - ? name\n      : a\n")), @"
    5:9: error[EDT-004]: the keys of this map are not at the start of their lines
    = edit the file by hand
    ");
    let text = root_with("    - name: a\n      submitacl: |-\n        sue\n\n    - name: b\n");
    insta::assert_snapshot!(report(&text, set_acl(&text, &target(&a), Access::Submit, Some("bob"))), @"
    7:9: error[EDT-004]: the value is a block scalar
    = edit the file by hand
    ");
    insta::assert_snapshot!(set_two_applications(&text), @"
    +8|      maxapplications: 2
    ~ root.a
        maxapplications none → 2
    ");
    insta::assert_snapshot!(report(&text, set_acl(&text, &target(&a), Access::Submit, None)), @"
    -6|      submitacl: |-
    -7|        sue
    ~ root.a
        submitacl sue → none
    ");
    insta::assert_snapshot!(set_two_applications(&root_with("    - name: !!str a\n      maxapplications: !!int 1\n")), @"
    6:30: error[EDT-004]: the value has a tag
    = edit the file by hand
    ");
}

//! Limits of users and groups in the configuration: CFG-060 to CFG-079.

use super::*;

#[test]
fn cfg_060_no_user_named() {
    check_text(&refused("CFG-060", &L("[{limit: x, maxapplications: 1}]")), &["limit 1", "x"]);
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
    check_text(&fault, &["bob", "limit 2", "limit 1"]);
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
fn cfg_065_a_star_next_to_others() {
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
    check_text(&refused("CFG-066", &text), &["bob", "limit 2", "limit 1"]);
    accepted(&L("[{users: ['*'], maxapplications: 1}, {groups: [dev], maxapplications: 1}]"));
}

#[test]
fn cfg_067_a_second_star() {
    let text = L("[{users: ['*'], maxapplications: 1}, {users: ['*'], maxapplications: 1}]");
    check_text(&refused("CFG-067", &text), &["limit 2", "limit 1"]);
}

#[test]
fn cfg_068_a_group_star_alone() {
    check_text(&refused("CFG-068", &L("[{groups: ['*'], maxapplications: 1}]")), &["root"]);
    accepted(&L("[{groups: [dev], maxapplications: 1}, {groups: ['*'], maxapplications: 1}]"));
    let above = "limits: [{groups: [dev], maxapplications: 1}]";
    refused("CFG-068", &R(&format!("{above}, queues: [{{name: a, limits: [{{groups: ['*'], maxapplications: 1}}]}}]")));
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
    check_text(&refused("CFG-070", &text), &["memory", "vcore"]);
    accepted(&L("[{users: [bob], maxresources: {memory: 0, vcore: 1}}]"));
}

#[test]
fn cfg_071_applications_above_the_queue() {
    let text = A("maxapplications: 5, limits: [{users: [bob], maxapplications: 6}]");
    check_text(&refused("CFG-071", &text), &["root.a", "5", "6"]);
    refused("CFG-071", &R("maxapplications: 5, limits: [{users: [bob], maxapplications: 6}]"));
    accepted(&A("maxapplications: 5, limits: [{users: [bob], maxresources: {memory: 1}}]"));
}

#[test]
fn cfg_072_resources_above_the_queue() {
    let text = A("resources: {max: {memory: 5}}, limits: [{users: [bob], maxresources: {memory: 6}}]");
    check_text(&refused("CFG-072", &text), &["root.a", "memory", "5", "6"]);
    let below = "queues: [{name: c, limits: [{users: [bob], maxresources: {memory: 6}}]}]";
    let fault = warned("CFG-072", &A(&format!("resources: {{max: {{memory: 5}}}}, {below}")));
    check_text(&fault, &["root.a.c", "has no effect", "root.a has at most 5"]);
}

/// A limit on `root.a`, nothing on `root.a.m`, a limit on `root.a.m.c`.
fn down(above: &str, below: &str) -> String {
    A(&format!("limits: [{above}], queues: [{{name: m, queues: [{{name: c, limits: [{below}]}}]}}]"))
}

#[test]
fn cfg_073_above_what_an_ancestor_gives() {
    let text = down("{users: [bob], maxresources: {memory: 5}}", "{users: [bob], maxresources: {memory: 6}}");
    check_text(&refused("CFG-073", &text), &["root.a.m.c", "bob", "memory", "6", "5", "that root.a gives"]);
    accepted(&down("{users: [bob], maxresources: {memory: 5}}", "{users: [bob], maxresources: {gpu: 6}}"));
}

#[test]
fn cfg_073_the_smallest_on_the_way_down_counts() {
    let text = R(
        "limits: [{users: [bob], maxresources: {memory: 5}}], queues: [{name: a, limits: [{users: [bob], maxresources: {gpu: 1}}], queues: [{name: c, limits: [{users: [bob], maxresources: {memory: 6}}]}]}]",
    );
    check_text(&refused("CFG-073", &text), &["root.a.c", "that root gives"]);
}

#[test]
fn cfg_074_compared_with_the_star() {
    let text = down("{users: ['*'], maxresources: {memory: 5}}", "{users: [bob], maxresources: {memory: 6}}");
    check_text(&refused("CFG-074", &text), &["bob", "'*' of root.a"]);
}

#[test]
fn cfg_075_a_star_is_not_compared_with_names() {
    accepted(&down("{users: [bob], maxresources: {memory: 5}}", "{users: ['*'], maxresources: {memory: 6}}"));
    refused("CFG-073", &down("{users: ['*'], maxresources: {memory: 5}}", "{users: ['*'], maxresources: {memory: 6}}"));
}

#[test]
fn cfg_076_groups_apart_from_users() {
    let text = down("{groups: [dev], maxresources: {memory: 5}}", "{groups: [dev], maxresources: {memory: 6}}");
    check_text(&refused("CFG-076", &text), &["group", "dev"]);
    accepted(&down("{groups: [dev], maxresources: {memory: 5}}", "{users: [dev], maxresources: {memory: 6}}"));
}

#[test]
fn cfg_077_applications_down_the_tree() {
    let above = "{users: [bob], maxapplications: 5}";
    let unset = down(above, "{users: [bob], maxresources: {memory: 1}}");
    check_text(&refused("CFG-077", &unset), &["root.a.m.c", "bob", "no `maxapplications`", "5", "root.a"]);
    check_text(&refused("CFG-077", &down(above, "{users: [bob], maxapplications: 6}")), &["6", "5"]);
    refused("CFG-077", &down("{users: ['*'], maxapplications: 5}", "{users: [bob], maxapplications: 6}"));
    accepted(&down(above, "{users: [bob], maxapplications: 5}"));
}

#[test]
fn cfg_078_what_only_one_side_sets() {
    accepted(&down("{users: [bob], maxresources: {memory: 5}}", "{users: [bob], maxapplications: 99}"));
}

/// Before 1.9.0, a queue named root overwrites the limits of the real root.
#[test]
fn n_08_limits_below_a_queue_named_root() {
    let limit = |memory: u32| format!("limits: [{{users: [sue], maxresources: {{memory: {memory}}}}}]");
    let text = |named: &str, later: u32| {
        R(&format!(
            "{}, queues: [{{name: root, queues: [{{name: a{named}}}]}}, {{name: z, {}}}]",
            limit(10),
            limit(later)
        ))
    };
    for profile in Profile::ALL {
        let by_name = matches!(profile, Profile::V1_5_1 | Profile::V1_8_0);
        release(profile, &text("", 10), true);
        release(profile, &text("", 20), by_name);
        release(profile, &text(&format!(", {}", limit(20)), 10), by_name);
    }
}

#[test]
fn cfg_079_partition_and_root() {
    let two = |of_partition: &str, of_root: &str| {
        format!("partitions: [{{name: default, limits: {of_partition}, queues: [{{name: root, limits: {of_root}}}]}}]")
    };
    let bob = "[{users: [bob], maxapplications: 1}]";
    let described = "[{limit: x, users: [bob], maxapplications: 1}]";
    check_text(&refused("CFG-079", &two("[{users: [ann], maxapplications: 1}]", bob)), &["root", "line"]);
    accepted(&two(bob, bob));
    warned("CFG-079", &two(described, bob));
    both_releases(&two(described, bob), false);
    both_releases(&two(bob, bob), true);
    let inserted = format!("partitions: [{{limits: {bob}, queues: [{{name: a}}]}}]");
    assert_eq!(accepted(&inserted).partitions[0].root.limits[0].users, ["bob"]);
}

#[test]
fn lim_033_a_group_star_hides_the_groups_named_above() {
    let below = |limits: &str| {
        let above = "[{groups: [g1, g2], maxapplications: 9}]";
        R(&format!("limits: {above}, queues: [{{name: a, limits: {limits}}}]"))
    };
    let star = "{groups: ['*'], maxapplications: 1}";
    let fault = warned("LIM-033", &below(&format!("[{{groups: [g1, g3], maxapplications: 2}}, {star}]")));
    check_text(&fault, &["group \"g2\"", "root.a"]);
    no_warning("LIM-033", &below(&format!("[{{groups: [g2, g1], maxapplications: 2}}, {star}]")));
    no_warning("LIM-033", &below("[{groups: [g3], maxapplications: 2}]"));
    let valid = format!(
        "queues: [{{name: b, limits: [{{groups: [g1], maxapplications: 1}}]}}, {{name: a, limits: [{{groups: [g3], maxapplications: 2}}, {star}]}}]"
    );
    no_warning("LIM-033", &R(&valid));
}

use super::*;

#[test]
fn w_007_limits_that_are_never_reached_are_named() {
    let limit = |limit: &str| {
        root(&format!(
            "~resources: {{max: {{vcore: 8, memory: 8Gi}}}}\n~maxapplications: 5\n~limits: [{{users: ['*'], {limit}}}]\n"
        ))
    };
    let expected = ["W-007 7: this limit has no effect: the queue reaches its own maximum first"];
    assert_eq!(reported(&limit("maxresources: {vcore: 8}")), expected);
    assert_eq!(reported(&limit("maxapplications: 5")), expected);
    assert_eq!(reported(&limit("maxapplications: 5, maxresources: {memory: 8G, vcore: 4}")), Vec::<String>::new());
    assert!(reported(&limit("maxresources: {vcore: 4}")).is_empty());
    assert!(reported(&limit("maxresources: {nvidia.com/gpu: 4}")).is_empty());
}

fn idle(limits: &str) -> Vec<String> {
    let all = reported(&root(&format!(
        "~limits: [{{groups: [top], maxapplications: 20}}]\n~queues: [{{name: a, maxapplications: 20, resources: {{max: {{vcore: 20}}}}, limits: [{limits}]}}]\n"
    )));
    all.into_iter().filter(|found| found.starts_with("W-007")).collect()
}

#[test]
fn w_007_an_exception_from_a_limit_for_all_users_is_not_named() {
    let admins = "{users: [admin], maxapplications: 20, maxresources: {vcore: 20}}";
    assert!(idle(&format!("{admins}, {{users: ['*'], maxapplications: 2, maxresources: {{vcore: 2}}}}")).is_empty());
    assert_eq!(idle(admins).len(), 1);
    assert_eq!(idle(&format!("{admins}, {{users: [sue], maxapplications: 2}}")).len(), 1, "no limit for all users");
    assert_eq!(idle(&format!("{admins}, {{users: ['*'], maxapplications: 20}}")).len(), 2, "neither has an effect");
    assert_eq!(idle("{users: [sue], maxapplications: 2}, {users: ['*'], maxapplications: 20}").len(), 1);
}

#[test]
fn w_007_a_group_that_is_selected_instead_of_another_is_not_named() {
    assert!(idle("{groups: [g], maxapplications: 20}").is_empty(), "`top` of root would count");
    assert_eq!(idle("{groups: [top], maxapplications: 20}").len(), 1);
    let alone = |groups: &str| {
        let limits = format!("~maxapplications: 5\n~limits: [{groups}]\n");
        reported(&root(&limits)).into_iter().filter(|found| found.starts_with("W-007")).count()
    };
    assert_eq!(alone("{groups: [g], maxapplications: 5}"), 1);
    assert_eq!(alone("{groups: [g], maxapplications: 5}, {groups: ['*'], maxapplications: 2}"), 0);
    assert_eq!(
        alone("{groups: [g], maxapplications: 2}, {groups: ['*'], maxapplications: 5}"),
        1,
        "nothing is after it"
    );
}

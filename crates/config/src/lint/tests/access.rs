use super::*;

fn hints(text: &str) -> Vec<String> {
    lint(text).into_iter().filter(|fault| fault.code == "W-003").map(|fault| fault.hint).collect()
}

#[test]
fn w_003_a_group_in_the_place_of_a_user_is_named() {
    let text = root("~submitacl: 'team-a-group'\n~adminacl: 'ann,ops dev'\n~queues: [{name: a, adminacl: ' ops'}]\n");
    assert_eq!(
        reported(&text),
        [
            "W-003 5: `submitacl` reads `team-a-group` as a user: groups are after a space",
            "W-003 6: `adminacl` reads `ops` as a user: groups are after a space",
        ]
    );
    assert_eq!(lint(&text)[0].hint, "write `submitacl: ' team-a-group'`");
    assert!(reported(&root("~submitacl: 'ann,bob dev'\n~adminacl: '*'\n")).is_empty());
}

#[test]
fn w_003_the_hint_keeps_each_entry_and_all_names_are_in_one_warning() {
    let text = root("~submitacl: 'team-a-group ops,dev'\n~adminacl: 'ann,a_group,b.grp,9/x,*,zoe dev'\n");
    let found = reported(&text);
    assert!(found[1].contains("reads `a_group` and `b.grp` as users"), "{found:?}");
    assert_eq!(
        hints(&text),
        ["write `submitacl: ' team-a-group,ops,dev'`", "write `adminacl: 'ann,9/x,zoe a_group,b.grp,dev'`"]
    );
    // `* a-group` would be all users.
    assert_eq!(hints(&root("~submitacl: 'a-group,*'\n")), ["write `submitacl: ' a-group'`"]);
    let two = root("~submitacl: 'x,y-group'\n~limits: [{groups: [x], maxapplications: 1}]\n");
    assert_eq!(hints(&two), ["write `submitacl: ' x,y-group'`"]);
}

#[test]
fn w_003_a_user_with_the_name_of_a_group_is_not_named() {
    for right in [
        "~adminacl: 'admin admin'\n",
        "~submitacl: 'admin'\n~limits: [{users: [admin], groups: [admin], maxapplications: 1}]\n",
        "~queues: [{name: a, submitacl: 'sue, ann'}, {name: b, submitacl: 'ann,zoe ops'}]\n",
        "~adminacl: 'admin admin'\n~submitacl: 'admin,sue'\n",
        "~submitacl: 'group-bot'\n~limits: [{users: [group-bot], maxapplications: 1}]\n",
    ] {
        assert!(hints(&root(right)).is_empty(), "{right}: {:?}", reported(&root(right)));
    }
    let rules = |filter: &str| {
        format!(
            "partitions: [{{placementrules: [{{name: user, filter: {filter}}}], queues: [{{name: root, submitacl: 'ops'}}]}}]"
        )
    };
    assert_eq!(hints(&rules("{groups: [ops]}")), ["write `submitacl: ' ops'`"]);
    assert!(
        hints(&rules("{groups: ['ops.*']}")).is_empty() && hints(&rules("{users: [ops], groups: [ops]}")).is_empty()
    );
}

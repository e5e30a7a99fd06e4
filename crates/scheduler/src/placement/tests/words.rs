//! Placements in words.

use insta::assert_snapshot;

use super::*;

fn preview(rules: &[RuleConfig], tree: &Tree, by: &By) -> String {
    let rules = Rules::build(rules, Profile::Kornsole).unwrap();
    let placement = by.place(&rules, tree, Profile::Kornsole);
    let mut text = String::new();
    for Line { depth, head, subject, note, mark } in placement.lines(&rules) {
        let head = format!("{:indent$}{head}", "", indent = 2 * depth);
        text += format!("{head:<26}{subject:<36}{note:<54}{mark}").trim_end();
        text += "\n";
    }
    match placement.reason() {
        Some(reason) => text += &format!("{}: {reason}", placement.refused().unwrap().refusal.code()),
        None => text += &format!("-> {}", placement.outcome),
    }
    text
}

fn four() -> [RuleConfig; 4] {
    [
        provided(),
        tag("namespace").create().parent(fixed("root.namespaces").allow(&["john"], &[])),
        user().create().deny(&[], &["^ops$"]).parent(fixed("root.users")),
        fixed("last"),
    ]
}

#[test]
fn a_walk_that_places() {
    let kim = by("kim").groups(&["ml"]).queue("root.nowhere.x").tag("namespace", "red");
    assert_snapshot!(preview(&four(), &Tree::t(), &kim), @r#"
    1 provided                root.nowhere.x                      does not exist, create is off                         next rule
    2 tag namespace, create   red                                 its parent rule selects no queue
      parent: fixed           root.namespaces                     filter allows others only                             next rule
    3 user, create            kim                                 filter denies others only
      parent: fixed           root.users                          exists, parent
                              root.users.kim                      does not exist, would be a new dynamic leaf           placed
                                                                  submit: allowed by root (*)
    4 fixed                   last                                                                                      not reached
    5 recovery                                                                                                          not reached
    -> root.users.kim
    "#);
}

#[test]
fn a_chain_that_creates_several_queues() {
    let rules = [user().create().parent(tag("ns").create().parent(fixed("root.users")))];
    assert_snapshot!(preview(&rules, &Tree::t(), &by("sarah.x").tag("ns", "new.app")), @r#"
    1 user, create            sarah.x = sarah_dot_x
      parent: tag ns, create  new.app = new_dot_app
        parent: fixed         root.users                          exists, parent
                              root.users.new_dot_app              does not exist, would be a new dynamic parent
                              root.users.new_dot_app.sarah_dot_x  does not exist, would be a new dynamic leaf           placed
                                                                  submit: allowed by root (*)
    2 recovery                                                                                                          not reached
    -> root.users.new_dot_app.sarah_dot_x
    "#);
}

#[test]
fn a_walk_that_ends_at_nothing() {
    let tree = Tree::new(
        "root
         root.locked; leaf; submit boss
         root.old; leaf; submit *; draining
         root.up; submit *",
    );
    let rules = [
        fixed("locked"),
        fixed("old"),
        fixed("up"),
        provided().create(),
        tag("ns"),
        rule(RuleKind::SecondaryGroup),
        user().deny(&["sue"], &[]),
        user().deny(&[], &[]),
        user().create().parent(user().parent(tag("ns"))),
    ];
    assert_snapshot!(preview(&rules, &tree, &by("sue").queue("root.@recovery@")), @r#"
    1 fixed                   locked
                              root.locked                         exists, leaf                                          next rule
                                                                  submit: not allowed by root.locked or its parents
    2 fixed                   old
                              root.old                            exists, leaf, draining                                next rule
                                                                  submit: allowed by root.old (*)
    3 fixed                   up
                              root.up                             exists, parent                                        next rule
    4 provided, create        root.@recovery@                     does not exist, create is on, is for recovery         next rule
    5 tag ns                                                      no tag ns                                             next rule
    6 secondarygroup                                              no other group matches                                next rule
    7 user                    sue                                 filter denies the user, entry sue                     next rule
    8 user                    sue                                 filter denies all users                               next rule
    9 user, create            sue                                 its parent rule selects no queue
      parent: user            sue                                 its parent rule selects no queue
        parent: tag ns                                            no tag ns                                             next rule
    10 recovery                                                   not forced                                            next rule
    no-rule-matched: no placement rule matched for requested queue "root.@recovery@": rule 1 (fixed) root.locked: no submit access; rule 2 (fixed) root.old: is draining; rule 3 (fixed) root.up: is a parent; rule 4 (provided, create) root.@recovery@: is for recovery; rule 5 (tag ns): no tag ns; rule 6 (secondarygroup): no other group matches; rule 7 (user): filter denies the user; rule 8 (user): filter denies all users; rule 9 (user, create): parent tag: no tag ns
    "#);
    assert_snapshot!(preview(&rules[..1], &tree, &by("sue").queue("root.@recovery@").forced()), @r#"
    1 fixed                   locked
                              root.locked                         exists, leaf                                          next rule
                                                                  submit: not allowed by root.locked or its parents
    2 recovery                root.@recovery@                     would be a new dynamic leaf                           placed
    -> root.@recovery@
    "#);
}

#[test]
fn a_parent_that_is_a_leaf_ends_the_walk() {
    let rules = [user().create().parent(user().create().parent(tag("ns"))), fixed("last")];
    assert_snapshot!(preview(&rules, &Tree::t(), &by("u").tag("ns", "default")), @r#"
    1 user, create            u
      parent: user, create    u
        parent: tag ns        default
                              root.default                        exists, leaf, cannot be a parent                      rejected
    2 fixed                   last                                                                                      not reached
    3 recovery                                                                                                          not reached
    parent-is-leaf: the parent of rule 1 is root.default, which is a leaf
    "#);
}

#[test]
fn refusals() {
    let rules = [provided().create().parent(user())];
    for (queue, user, expected) in [
        ("q", "default", "parent-is-leaf: the parent of rule 1 is root.default, which is a leaf"),
        ("root.default.x", "u", "create-below-leaf: root.default.x cannot be created: root.default is a leaf"),
        ("root.A b.c", "u", "illegal-name: \"root.A b.c\" cannot be a queue: \"A b\" is not a valid name"),
    ] {
        let built = Rules::build(&rules, Profile::Kornsole).unwrap();
        let placement = by(user).queue(queue).place(&built, &Tree::t(), Profile::Kornsole);
        assert_eq!(placement.outcome.to_string(), expected);
    }
}

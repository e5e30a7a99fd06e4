//! Section 11, rows 70 to 72: access, and the table of `acl-and-users.md` section 4.

use super::*;
use crate::placement::access::{AclKind, Grant, GrantedBy};
use crate::placement::walk::Walk;

#[test]
fn row_70_no_configured_list_denies_all_users() {
    let tree = Tree::new("root\nroot.default; leaf");
    check(&[provided().create()], &tree, &to("root.default"), "-");
    check(&[provided().create()], &tree, &to("root.x"), "-");
}

#[test]
fn row_71_no_access_runs_the_next_rule() {
    let tree = Tree::new("root\nroot.locked; leaf; submit nobody2\nroot.open; leaf; submit *");
    let rules = [fixed("locked"), fixed("open")];
    check(&rules, &tree, &by("u"), "root.open #2");
    check(&rules, &tree, &by("nobody2"), "root.locked");
}

fn section_4() -> Tree {
    Tree::new(
        "root
         root.a; submit sue dev
         root.a.sub; leaf; admin adm
         root.a.deny; submit  ; leaf
         root.a.grp; leaf; submit  ops",
    )
}

fn grant(queue: &str, list: AclKind, by: GrantedBy) -> Option<Grant> {
    Some(Grant { queue: QueuePath::new(queue), list, by })
}

#[test]
fn row_72_the_table_of_access() {
    let tree = section_4();
    let (submit, admin) = (AclKind::Submit, AclKind::Admin);
    let group = |name: &str| GrantedBy::Group(name.into());
    let by_a = || grant("root.a", submit, GrantedBy::User);
    for (user, groups, queue, may_submit, may_admin) in [
        ("sue", "sue", "root.a.sub", by_a(), None),
        (
            "adm",
            "adm",
            "root.a.sub",
            grant("root.a.sub", admin, GrantedBy::User),
            grant("root.a.sub", admin, GrantedBy::User),
        ),
        ("adm", "adm", "root.a.new", None, None),
        ("joe", "dev", "root.a.sub", grant("root.a", submit, group("dev")), None),
        ("joe", "x", "root.a.sub", None, None),
        ("Sue", "Sue", "root.a.sub", None, None),
        ("sue", "sue", "root.a.deny", by_a(), None),
        ("x", "y ops", "root.a.grp", grant("root.a.grp", submit, group("ops")), None),
        ("sue", "sue", "root.a.new", by_a(), None),
        ("sue", "sue", "root.other", None, None),
    ] {
        let who = Identity::new(user, groups.split(' '));
        assert_eq!(access::submit(&tree, queue, &who), may_submit, "{who} submits to {queue}");
        assert_eq!(access::admin(&tree, queue, &who), may_admin, "{who} administers {queue}");
        let groups: Vec<&str> = groups.split(' ').collect();
        let created = if tree.queue(queue).is_some() { "" } else { " +1" };
        let expected = if may_submit.is_some() { format!("{queue}{created}") } else { "-".to_owned() };
        for profile in Profile::ALL {
            check_under(profile, &[provided().create()], &tree, &by(user).groups(&groups).queue(queue), &expected);
        }
    }
}

#[test]
fn an_admin_list_on_root_opens_everything_but_the_recovery_queue() {
    let mut tree = section_4();
    tree.0.extend(Tree::new("root; admin boss\nroot.@recovery@; leaf; dynamic").0);
    let boss = Identity::new("boss", ["boss"]);
    assert_eq!(access::submit(&tree, "root.a.deny", &boss), grant("root", AclKind::Admin, GrantedBy::User));
    assert_eq!(access::submit(&tree, RECOVERY_QUEUE, &boss), None);
    assert_eq!(access::admin(&tree, RECOVERY_QUEUE, &boss), grant("root", AclKind::Admin, GrantedBy::User));
}

#[test]
fn creating_asks_again() {
    let (tree, who) = (section_4(), Identity::new("adm", ["adm"]));
    let submission = Submission { queue: "", identity: &who, tags: &BTreeMap::new() };
    let walk = Walk { switches: Switches::of(Profile::Kornsole), submission: &submission, tree: &tree };
    let path = QueuePath::new("root.a.new");
    let refused = walk.plan(&path, "root.a.new", tree.queue("root.a").unwrap()).unwrap_err();
    assert_eq!(refused.refusal.code(), "create-denied");
    assert_eq!(refused.refusal.to_string(), "root.a.new cannot be created: no submit access to root.a");
}

#[test]
fn the_trace_names_the_queue_that_was_asked() {
    let rules = Rules::build(&[provided().create()], Profile::Kornsole).unwrap();
    let asked = |by: By| by.place(&rules, &section_4(), Profile::Kornsole).trace.rules[0].asked.clone().unwrap();
    let denied = asked(by("adm").queue("root.a.new.deep"));
    assert_eq!((denied.queue, denied.grant), (QueuePath::new("root.a"), None));
    let granted = asked(by("sue").queue("root.a.sub"));
    assert_eq!(granted.queue, QueuePath::new("root.a.sub"));
    assert_eq!(granted.grant, grant("root.a", AclKind::Submit, GrantedBy::User));
}

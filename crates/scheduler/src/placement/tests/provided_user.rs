//! Section 11, rows 1 to 30: `provided`, `user`, names.

use super::*;

#[test]
fn rows_1_to_8_provided_finds_queues() {
    let rules = [provided()];
    on_t(&rules, &to("root.default"), "root.default");
    on_t(&rules, &to("default"), "root.default");
    on_t(&rules, &to("Default"), "root.default");
    on_t(&rules, &to("ROOT.default"), ["root.default", "-", "-"]);
    on_t(&rules, &to("root.upper"), "root.upper");
    on_t(&rules, &to("root.UPPER"), "root.upper");
    for none in ["root.none", "none", "", "root.users", "root", "grp.leaf"] {
        on_t(&rules, &to(none), "-");
    }
    on_t(&rules, &to("root.grp.leaf"), "root.grp.leaf");
}

#[test]
fn row_9_no_rules_are_one_provided_rule() {
    on_t(&[], &to("root.default"), "root.default");
    on_t(&[], &to("root.new"), "-");
}

#[test]
fn rows_10_to_16_provided_creates_queues() {
    let rules = [provided().create()];
    on_t(&rules, &to("new"), "root.new +1");
    on_t(&rules, &to("NewQ"), "root.newq +1");
    on_t(&rules, &to("a.b"), "root.a_dot_b +1");
    on_t(&rules, &to("root.x.y.z"), "root.x.y.z +3");
    on_t(&rules, &to("root"), "root.root +1");
    on_t(&rules, &to("."), "root._dot_ +1");
}

#[test]
fn rows_12_to_14_what_was_created_counts() {
    for profile in Profile::ALL {
        let rules = Rules::build(&[provided().create()], profile).unwrap();
        let mut tree = Tree::t();
        let placement = to("root.x.y.z").place(&rules, &tree, profile);
        let placed = placement.placed().unwrap();
        assert_eq!(placed.create, ["root.x", "root.x.y", "root.x.y.z"].map(QueuePath::new));
        tree.create(placed);
        for (queue, expected) in [
            ("root.x.y.z", "root.x.y.z"),
            ("root.X.y", "-"),
            ("root.x.y.z.q", "create-below-leaf"),
            ("root.x.y.v", "root.x.y.v +1"),
        ] {
            check_under(profile, &[provided().create()], &tree, &to(queue), expected);
        }
    }
}

#[test]
fn rows_17_to_19_what_cannot_be_created_is_rejected() {
    let rules = [provided().create()];
    on_t(&rules, &to("root.default.sub"), "create-below-leaf");
    let long = "x".repeat(65);
    for illegal in ["root.", "root..a", "root.a.", " root.default", "a b", "é", "\u{212a}", &long] {
        on_t(&rules, &to(illegal), "illegal-name");
    }
    on_t(&rules, &to(&long[..64]), Answers([Box::leak(format!("root.{} +1", &long[..64]).into_boxed_str()); 3]));
    on_t(&rules, &to("a@b"), ["illegal-name", "illegal-name", "root.a@b +1"]);
}

#[test]
fn an_illegal_text_without_create_names_no_queue_but_in_1_8() {
    let rules = [provided(), fixed("last")];
    for illegal in ["a b", "root..a", "é"] {
        on_t(&rules, &to(illegal), ["root.last #2", "root.last #2", "illegal-name"]);
    }
    on_t(&rules, &to("a@b"), "root.last #2");
}

#[test]
fn row_20_the_recovery_queue_is_closed() {
    on_t(&[provided().create()], &to("root.@recovery@"), ["-", "root.@recovery@ +1", "root.@recovery@ +1"]);
    on_t(
        &[provided().create(), fixed("last")],
        &to("root.@Recovery@"),
        ["root.last #2", "root.@recovery@ +1", "root.@recovery@ +1"],
    );
    on_t(&[provided()], &to("root.@recovery@"), "-");
}

#[test]
fn an_existing_recovery_queue_allows_no_user_to_submit() {
    let mut tree = Tree::t();
    tree.0.insert(
        QueuePath::new(RECOVERY_QUEUE),
        Queue { state: QueueState { leaf: true, ..QueueState::default() }, ..Queue::default() },
    );
    check(&[provided().create()], &tree, &to("root.@recovery@"), "-");
    check(&[provided()], &tree, &to("root.@recovery@"), "-");
    // If it counts as missing, its name is illegal; if it exists, it has no ACL and no children.
    check(&[provided().create()], &tree, &to("root.@recovery@.x"), ["illegal-name", "-", "-"]);
}

#[test]
fn rows_21_and_22_a_failed_creation_ends_it_and_a_failed_check_does_not() {
    let rules = [provided().create(), fixed("last")];
    on_t(&rules, &to("root.default.x"), "create-below-leaf");
    on_t(&rules, &to("root.users"), "root.last #2");
    on_t(&rules, &to(""), "root.last #2");
}

#[test]
fn rows_23_to_30_user() {
    on_t(&[user()], &by("default"), "root.default");
    on_t(&[user()], &by("UPPER"), "root.upper");
    on_t(&[user()], &by("bob"), "-");
    on_t(&[user()], &by("users"), "-");
    let rules = [user().create()];
    on_t(&rules, &by("a..b"), "root.a_dot__dot_b +1");
    on_t(&rules, &by("root.default"), "root.root_dot_default +1");
    on_t(&rules, &by("bob@domain"), ["illegal-name", "illegal-name", "root.bob@domain +1"]);
    on_t(&rules, &by("a:b"), ["illegal-name", "illegal-name", "root.a:b +1"]);
    on_t(&rules, &by("x$"), "illegal-name");
    on_t(&rules, &by("Bob"), "root.bob +1");
    on_t(&[user(), provided()], &by("bob").queue("root.default"), "root.default #2");
}

#[test]
fn a_partly_created_path_remains_only_in_1_5_1() {
    for (profile, left_behind) in [(Profile::Kornsole, 0), (Profile::V1_5_1, 2), (Profile::V1_8_0, 0)] {
        let rules = Rules::build(&[provided().create()], profile).unwrap();
        let placement = to("root.good.better.ba d.x").place(&rules, &Tree::t(), profile);
        assert_eq!(short(&placement), "illegal-name", "{profile}");
        let expected = &["root.good", "root.good.better"].map(QueuePath::new)[..left_behind];
        assert_eq!(placement.refused().unwrap().left_behind, expected, "{profile}");
    }
}

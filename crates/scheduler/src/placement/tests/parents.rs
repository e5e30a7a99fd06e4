//! Section 11, rows 31 to 50: `fixed`, `tag`, parent rules.

use super::*;

#[test]
fn rows_31_to_33_fixed() {
    on_t(&[fixed("grp.leaf")], &by("u"), "root.grp.leaf");
    on_t(&[fixed("GRP.Leaf")], &by("u"), "root.grp.leaf");
    on_t(&[fixed("users.a.b").create()], &by("u"), "root.users.a.b +2");
    // The configuration check rejects the first rule (CFG-089); run anyway, it fails.
    on_t(&[fixed("root.grp"), fixed("root.default")], &by("u"), "root.default #2");
}

#[test]
fn rows_34_to_38_tag() {
    on_t(&[tag("NameSpace").create()], &by("u").tag("namespace", "testing"), "root.testing +1");
    let rules = [tag("namespace").create()];
    on_t(&rules, &by("u").tag("NAMESPACE", "mixed"), "root.mixed +1");
    on_t(&rules, &by("u").tag("namespace", "a.b"), "root.a_dot_b +1");
    on_t(&rules, &by("u").tag("namespace", "root.users.x"), "root.users.x +1");
    on_t(&rules, &by("u").tag("namespace", ""), "-");
    on_t(
        &rules,
        &by("u").tag("namespace", "Root.users.x"),
        ["root.users.x +1", "root.root_dot_users_dot_x +1", "root.root_dot_users_dot_x +1"],
    );
    on_t(&rules, &by("u").tag("namespace", "root.default.x"), "create-below-leaf");
}

#[test]
fn rows_39_to_43_a_parent_by_tag() {
    let child = user().create().parent(tag("ns"));
    on_t(std::slice::from_ref(&child), &by("u").tag("ns", "users"), "root.users.u +1");
    on_t(std::slice::from_ref(&child), &by("u").tag("ns", "newapp"), "-");
    on_t(std::slice::from_ref(&child), &by("u"), "-");
    let two = [child, fixed("last")];
    on_t(&two, &by("u").tag("ns", "default"), "parent-is-leaf");
    on_t(&two, &by("u"), "root.last #2");
    on_t(&[user().parent(tag("ns").create())], &by("u").tag("ns", "newapp"), "-");
}

#[test]
fn a_parent_that_is_a_leaf_is_an_error_without_create_too() {
    on_t(&[user().parent(tag("ns")), fixed("last")], &by("u").tag("ns", "default"), "parent-is-leaf");
    let inner = user().create().parent(user().create().parent(tag("ns")));
    on_t(&[inner, fixed("last")], &by("u").tag("ns", "default"), "parent-is-leaf");
}

#[test]
fn rows_44_and_45_a_chain_of_three() {
    let rules = [user().create().parent(tag("ns").create().parent(fixed("root.users")))];
    on_t(&rules, &by("sarah.x").tag("ns", "new.app"), "root.users.new_dot_app.sarah_dot_x +2");
    on_t(&rules, &by("sarah").tag("ns", "root.grp"), "root.grp.sarah +1");
}

#[test]
fn rows_46_to_48_the_innermost_is_next_to_root() {
    let rules = [provided().create().parent(user().create().parent(tag("ns").create()))];
    on_t(&rules, &by("joe").queue("q2.x").tag("ns", "n.1"), "root.n_dot_1.joe.q2_dot_x +3");
    on_t(&rules, &by("joe").queue("root.users.z").tag("ns", "n1"), "root.users.z +1");
    on_t(&rules, &by("joe").queue("q1"), "-");
}

#[test]
fn row_49_fixed_below_user() {
    let rules = [fixed("batch").create().parent(user().create())];
    on_t(&rules, &by("joe.x"), "root.joe_dot_x.batch +2");
    on_t(&rules, &by("default"), "parent-is-leaf");
}

#[test]
fn row_50_a_filter_on_the_parent_applies_only_where_the_parent_runs() {
    let rules = [tag("ns").create().parent(fixed("root.users").allow(&["john"], &[])), fixed("last")];
    on_t(&rules, &by("john").tag("ns", "x"), "root.users.x +1");
    on_t(&rules, &by("bob").tag("ns", "x"), "root.last #2");
    on_t(&rules, &by("bob").tag("ns", "root.users.y"), "root.users.y +1");
}

#[test]
fn fixed_values_that_only_begin_with_the_letters_root() {
    let mut tree = Tree::t();
    tree.0.extend(Tree::new("root.rootbeer; leaf\nroot.root\nroot.root.u; leaf\nroot.u; leaf").0);
    // The releases treat the value as a path, which does not exist.
    check(&[fixed("rootbeer")], &tree, &by("u"), ["root.rootbeer", "-", "-"]);
    check(
        &[fixed("rootbeer").create(), fixed("last")],
        &tree,
        &by("u"),
        ["root.rootbeer", "root.last #2", "root.last #2"],
    );
    check(&[fixed("root"), fixed("last")], &tree, &by("u"), "root.last #2");
    check(&[user().parent(fixed("root"))], &tree, &by("u"), ["root.u", "root.root.u", "root.root.u"]);
}

#[test]
fn chains_may_be_very_long() {
    let deep = (0..2000).fold(fixed("users"), |parent, _| user().create().parent(parent));
    on_t(&[deep], &by("u"), Answers([Box::leak(format!("root.users{} +2000", ".u".repeat(2000)).into_boxed_str()); 3]));
}

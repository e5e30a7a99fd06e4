//! Section 12: the examples of the seeds. Rows 96 and 97 are in `groups`.

use super::*;

fn open(queues: &str) -> Tree {
    Tree::new(&format!("root; submit *\n{queues}"))
}

#[test]
fn rows_80_and_81_provided_below_user() {
    let rules = [provided().create().parent(user().create())];
    check(&rules, &open(""), &by("developer").queue("my_special_queue"), "root.developer.my_special_queue +2");
    check(&rules, &open(""), &by("developer").queue("root.dev_queue"), "root.dev_queue +1");
}

#[test]
fn rows_82_and_83_user_without_create() {
    let tree = open("root.finance_dot_test; leaf");
    check(&[user()], &tree, &by("finance.test"), "root.finance_dot_test");
    check(&[user()], &tree, &by("developer"), "-");
}

#[test]
fn row_84_fixed() {
    let tree = open("root.last_resort; leaf");
    check(&[fixed("last_resort")], &tree, &by("developer").queue("my_special_queue"), "root.last_resort");
}

#[test]
fn rows_85_and_86_tag() {
    let rules = [tag("namespace").create()];
    let in_default = to("my_special_queue").tag("namespace", "default");
    check(&rules, &open("root.default; leaf"), &in_default, "root.default");
    check(&rules, &open(""), &in_default, "root.default +1");
    check(&rules, &open(""), &to("my_special_queue").tag("namespace", "testing"), "root.testing +1");
    check(&rules, &open(""), &to("my_special_queue"), "-");
}

#[test]
fn row_87_dots() {
    check(&[user().create()], &open(""), &by("user.name"), "root.user_dot_name +1");
}

/// Row 91 writes the parents as lists of one, which the parser accepts.
#[test]
fn rows_88_to_91_the_first_complex_example() {
    let rules = [
        user().create().allow(&[], &["dev*"]).parent(tag("namespace")),
        tag("namespace").create().parent(fixed("root.namespaces").allow(&["john"], &[])),
        fixed("root.default"),
    ];
    let tree = open("root.default; leaf\nroot.namespaces\nroot.newapp");
    check(&rules, &tree, &by("john").tag("namespace", "testing"), "root.namespaces.testing #2 +1");
    let sarah = by("sarah").groups(&["sarah", "test_app", "dev_app"]).tag("namespace", "newapp");
    check(&rules, &tree, &sarah, "root.newapp.sarah +1");
    check(&rules, &open("root.default; leaf\nroot.namespaces"), &sarah, "root.default #3");
    check(&rules, &tree, &by("bob").groups(&["bob"]).tag("namespace", "testapp"), "root.default #3");
}

#[test]
fn rows_92_to_94_the_second_complex_example() {
    let rules = [fixed("root.production"), user().create()];
    let production = "root.production; leaf; submit john,bob";
    let closed = Tree::new(&format!("root\n{production}"));
    check(&rules, &closed, &by("john"), "root.production");
    check(&rules, &closed, &by("bob"), "root.production");
    check(&rules, &closed, &by("sue"), "-");
    check(&rules, &open(production), &by("sue"), "root.production");
    let meant = Tree::new(&format!("root\n{production}\nroot.users; submit *"));
    let rules = [fixed("production"), user().create().parent(fixed("root.users"))];
    check(&rules, &meant, &by("sue"), "root.users.sue #2 +1");
    check(&rules, &meant, &by("bob"), "root.production");
}

#[test]
fn row_95_a_fixed_parent() {
    let tree = open("root.fixedparent\nroot.fixedparent.user2; leaf");
    let parent = || fixed("root.fixedparent").text();
    check(&[user().create().parent(parent())], &tree, &by("user1"), "root.fixedparent.user1 +1");
    check(&[user().parent(parent())], &tree, &by("user2"), "root.fixedparent.user2");
    check(&[user().parent(parent())], &tree, &by("user1"), "-");
}

#[test]
fn row_98_a_filter_of_others() {
    let tree = open("root.user1; leaf\nroot.user2; leaf");
    let rules = [user().allow(&["user2", "user3"], &[])];
    check(&rules, &tree, &by("user1"), "-");
    check(&rules, &tree, &by("user2"), "root.user2");
}

#[test]
fn row_99_no_rules() {
    let tree = open("root.default; leaf");
    check(&[], &tree, &to("root.default"), "root.default");
    check(&[], &tree, &to("root.new"), "-");
}

#[test]
fn row_100_both_queues_of_the_template_example_are_created() {
    let tree = open("root.parent\nroot.notemplate");
    for (queue, expected) in
        [("root.parent.sales", "root.parent.sales +1"), ("root.notemplate.sales", "root.notemplate.sales +1")]
    {
        check(&[provided().create()], &tree, &to(queue), expected);
    }
}

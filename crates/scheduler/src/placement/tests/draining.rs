//! Draining queues (PLC-062, PLC-071) and row 79.

use super::*;

#[test]
fn row_79_a_draining_leaf() {
    let mut tree = Tree::t();
    tree.0.extend(Tree::new("root.b; leaf; draining").0);
    check(&[provided()], &tree, &to("root.b"), ["-", "root.b", "-"]);
    check(&[provided(), fixed("last")], &tree, &to("root.b"), ["root.last #2", "root.b", "root.last #2"]);
}

fn below() -> Tree {
    Tree::new(
        "root; submit *
         root.last; leaf
         root.p; draining
         root.p.dyn; leaf; dynamic
         root.p.up; dynamic",
    )
}

#[test]
fn a_dynamic_leaf_below_a_draining_parent() {
    let rules = [provided(), fixed("last")];
    check(&rules, &below(), &to("root.p.dyn"), ["root.last #2", "root.p.dyn", "root.p.dyn"]);
}

#[test]
fn nothing_is_created_below_a_draining_queue() {
    let rules = [provided().create(), fixed("last")];
    check(&rules, &below(), &to("root.p.x"), "create-below-draining");
    check(&rules, &below(), &to("root.p.x.ba d"), ["create-below-draining", "create-below-draining", "illegal-name"]);
    check(&rules, &below(), &to("root.p.up.x"), ["create-below-draining", "root.p.up.x +1", "root.p.up.x +1"]);
}

#[test]
fn the_refusal_names_the_queue_that_drains() {
    let rules = Rules::build(&[provided().create()], Profile::Kornsole).unwrap();
    let placement = to("root.p.up.x").place(&rules, &below(), Profile::Kornsole);
    assert_eq!(
        placement.refused().unwrap().refusal,
        Refusal::CreateBelowDraining { path: QueuePath::new("root.p.up.x"), draining: QueuePath::new("root.p") }
    );
}

#[test]
fn the_fallback_of_1_8_is_checked_like_a_result() {
    for (queue, expected) in [
        ("root.default; leaf", "root.default fallback"),
        ("root.default; leaf; draining", "-"),
        ("root.default", "-"),
        ("root.other; leaf", "-"),
    ] {
        let tree = Tree::new(&format!("root; submit *\n{queue}"));
        let rules = Rules::build(&[provided()], Profile::V1_8_0).unwrap();
        assert_eq!(short(&to("").place(&rules, &tree, Profile::V1_8_0)), expected, "{queue}");
        assert_eq!(short(&to("").forced().place(&rules, &tree, Profile::V1_8_0)), "root.@recovery@ recovery +1");
        let closed = Tree::new(&format!("root\n{queue}"));
        assert_eq!(short(&to("").place(&rules, &closed, Profile::V1_8_0)), "-", "{queue}");
    }
}

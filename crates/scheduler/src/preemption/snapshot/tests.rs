use super::*;
use model::{Profile, Time};

fn res(pairs: Amounts<'_>) -> Resource {
    pairs.iter().copied().collect()
}

type Amounts<'a> = &'a [(&'a str, i64)];

fn tree(queues: &[(&str, Amounts<'_>, Amounts<'_>, Amounts<'_>)]) -> QueueTree {
    let mut tree = QueueTree::default();
    for (path, guaranteed, max, allocated) in queues {
        let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
        let parent = tree.find_text(parent);
        let key = tree.add(parent, name, true, Time::ZERO);
        let set = |pairs: Amounts<'_>| (!pairs.is_empty()).then(|| res(pairs));
        let queue = &mut tree[key];
        (queue.guaranteed, queue.max, queue.allocated) = (set(guaranteed), set(max), res(allocated));
    }
    tree
}

fn remaining(tree: &QueueTree, asking: &str, queue: &str) -> Option<String> {
    let (switches, wanted) = (Switches::of(Profile::V1_8_0), Resource::new());
    let key = |path| tree.find_text(path).expect("the queue is in the tree");
    let mut snapshot = PreemptionSnapshot::new(tree, &switches, key(asking), &wanted);
    let level = snapshot.level(key(queue));
    snapshot.remaining(level).map(|left| format!("{left:?}"))
}

#[test]
fn what_is_left_of_a_guarantee_in_1_8_0() {
    let m = |amount| [("memory", amount)];
    let tree = tree(&[
        ("root", &[], &m(100), &m(50)),
        ("root.none", &[], &[], &m(5)),
        ("root.a", &m(20), &[], &[("memory", 15), ("vcore", 1)]),
        ("root.a.own", &[("vcore", 3)], &[], &[("vcore", 1)]),
        ("root.a.less", &m(2), &[], &m(9)),
        ("root.a.more", &m(30), &[], &m(6)),
        ("root.ab", &m(9), &[], &m(12)),
    ]);
    let text = |text: &str| Some(text.to_owned());
    for (asking, queue, left) in [
        ("root.none", "root", None),
        ("root.none", "root.none", None),
        ("root.none", "root.ab", text(r#"{"memory": -3}"#)),
        // The smaller of its own remainder and its parent's.
        ("root.none", "root.a.less", text(r#"{"memory": -7}"#)),
        ("root.none", "root.a.more", text(r#"{"memory": 5}"#)),
        // Guaranteed resources of the request's ancestors protect nothing.
        ("root.a.own", "root.a.own", text(r#"{"vcore": 2}"#)),
        ("root.a.own", "root.a", None),
        ("root.a.own", "root.a.more", text(r#"{"memory": 24}"#)),
        // Its path is only a textual prefix of the other one.
        ("root.ab", "root.a", None),
        ("root.ab", "root.a.more", text(r#"{"memory": 24}"#)),
    ] {
        assert_eq!(remaining(&tree, asking, queue), left, "{queue} for an ask in {asking}");
    }
}

/// SCH-154 with SCH-104: in 1.5.1 missing names count 0.
#[test]
fn the_path_minimum_of_1_5_1() {
    let both = [("memory", 10), ("vcore", 10)];
    let tree = tree(&[
        ("root", &[], &both, &both),
        ("root.ask", &both, &[], &[]),
        ("root.bare", &[], &[], &[("memory", 5)]),
        ("root.vcore", &[], &[("vcore", 5)], &[("memory", 5)]),
        ("root.held", &[("memory", 5)], &[], &[("memory", 5)]),
        ("root.over", &[("memory", 4)], &[], &[("memory", 5)]),
    ]);
    let wanted = res(&[("memory", 1)]);
    for (profile, giving) in
        [(Profile::V1_5_1, "vcore over"), (Profile::V1_8_0, "bare vcore over"), (Profile::Kornsole, "bare vcore over")]
    {
        let switches = Switches::of(profile);
        let key = |name: &str| tree.find_text(&format!("root.{name}")).expect("the queue is in the tree");
        let mut snapshot = PreemptionSnapshot::new(&tree, &switches, key("ask"), &wanted);
        let gives = |name: &&str| {
            let level = snapshot.level(key(name));
            snapshot.gives(level)
        };
        let found: Vec<&str> = ["bare", "vcore", "held", "over"].into_iter().filter(gives).collect();
        assert_eq!(found.join(" "), giving, "{profile}");
    }
}

/// Every trial can be taken back (SCH-155).
#[test]
fn a_shadow_returns_to_its_previous_state() {
    let m = |amount| [("memory", amount)];
    let tree = tree(&[("root", &[], &m(10), &m(9)), ("root.a", &m(4), &[], &m(9)), ("root.b", &m(5), &[], &[])]);
    let (wanted, victim) = (res(&m(3)), res(&m(2)));
    let key = |path| tree.find_text(path).expect("the queue is in the tree");
    let switches = Switches::of(Profile::Kornsole);
    let mut snapshot = PreemptionSnapshot::new(&tree, &switches, key("root.b"), &wanted);
    let a = snapshot.level(key("root.a"));
    assert!(snapshot.leaf_has_space());
    for _ in 0..2 {
        snapshot.add_ask();
        assert!(!snapshot.ask_queue_is_well());
        let offers = [(); 3].map(|()| snapshot.offer(a, &victim, true));
        assert_eq!(offers, [OfferResult::Taken, OfferResult::Taken, OfferResult::Stays]);
        assert!(snapshot.ask_queue_is_well());
        snapshot.rewind(0);
        assert_eq!(snapshot.mark(), 0);
    }
}

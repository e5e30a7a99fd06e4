//! EX-19: nodes reserved for requests that fit no node.

use super::stage::{Stage, open_root};
use model::Profile;

fn ex_19(profile: Profile, big: u32) -> Stage {
    let mut stage = Stage::bare(profile, &open_root("{name: q}"));
    stage.submit("a", "root.q");
    for (id, node, resource) in [("s1", "n1", "{vcore: 6, memory: 10}"), ("s2", "n2", "{vcore: 7, memory: 60}")] {
        stage.play(&format!("- node: {{id: {node}, capacity: {{vcore: 10, memory: 100}}}}"));
        stage.ask_for("a", id, resource, 0, 1);
        assert_eq!(stage.cycle(), format!("{id}@{node}"));
    }
    stage.ask_for("a", "big", &format!("{{vcore: {big}, memory: 20}}"), 0, 1);
    stage
}

#[test]
fn ex_19_a_reservation() {
    for profile in Profile::ALL {
        let mut stage = ex_19(profile, 7);
        assert_eq!(stage.cycle(), "nothing", "{profile}: it is younger than 2 s");
        stage.play("- advance: 2s");
        assert_eq!(stage.cycle(), "big>n2");
        stage.ask("a", "small", 0, 1);
        assert_eq!(stage.cycle(), "small@n1", "{profile}: n2 is kept");
        stage.play("- release: {app: a, id: small}\n- release: {app: a, id: s1}");
        assert_eq!(stage.cycle(), "big<n2 big@n1", "{profile}: n2 is still too small, any other node will do");
        assert_eq!(stage.partition().reservations, 0);
    }
}

#[test]
fn ex_19_no_reservation_without_headroom() {
    let mut stage = ex_19(Profile::Kornsole, 8);
    stage.play("- advance: 1h");
    assert_eq!(stage.cycle(), "nothing");
}

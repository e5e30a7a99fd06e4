//! Requests without a node block their application if configured so (D-19).

use std::time::UNIX_EPOCH;

use model::Profile;
use view::waiting::BlockLevel;
use view::waiting::Sentence;
use wire::convert::Wall;
use wire::convert::explain as convert;

use super::stage::{Stage, open_root};

fn stage(profile: Profile, properties: &str) -> Stage {
    let mut stage = Stage::bare(profile, &open_root(&queues(properties)));
    stage.play("- node: {id: n0, capacity: {vcore: 4}}\n- node: {id: n1, capacity: {memory: 4}}\n- node: {id: n2, capacity: {memory: 4}}");
    stage.submit("a", "root.p.q");
    stage
}

fn queues(properties: &str) -> String {
    format!("{{name: p, properties: {{{properties}}}, queues: [{{name: q}}]}}")
}

const ONE: &str = "application.unschedasks.backoff: '1', application.unschedasks.backoff.delay: 2s";

#[test]
fn d_19_the_later_asks_wait_for_the_delay() {
    for profile in Profile::ALL {
        let mut stage = stage(profile, ONE);
        stage.ask_for("a", "big", "{memory: 5}", 5, 1);
        stage.ask("a", "t", 0, 1);
        let counts = matches!(profile, Profile::V1_8_0 | Profile::V1_9_0);
        assert_eq!(stage.asks(1), if counts { "nothing" } else { "t" }, "{profile}");
        // Even an earlier request is not tried until the time has passed.
        stage.ask("a", "u", 9, 1);
        assert_eq!(stage.asks(1), if counts { "nothing" } else { "u" }, "{profile}");
        stage.play("- advance: 1900ms");
        assert_eq!(stage.asks(1), "nothing", "{profile}");
        stage.play("- advance: 200ms");
        assert_eq!(stage.asks(3), if counts { "u nothing nothing" } else { "nothing nothing nothing" }, "{profile}");
    }
}

/// Without a later request, nothing waits; an allocated one counts as later, too.
#[test]
fn d_19_the_last_ask_delays_nothing() {
    let mut stage = stage(Profile::V1_8_0, ONE);
    stage.ask("a", "t", 5, 1);
    stage.ask_for("a", "big", "{memory: 5}", 0, 1);
    assert_eq!(stage.asks(2), "t nothing");
    stage.ask("a", "u", 1, 1);
    assert_eq!(stage.asks(1), "u", "big is the last: it stopped nobody");
    stage.ask("a", "v", -1, 1);
    assert_eq!(stage.asks(1), "nothing", "v is behind it");
    stage.play("- release: {app: a, id: v}\n- advance: 3s");
    assert_eq!(stage.asks(1), "nothing");
    stage.ask("a", "w", 1, 1);
    assert_eq!(stage.asks(1), "w", "v is withdrawn: none is behind big any more");
}

#[test]
fn d_19_what_does_not_count_and_what_a_reload_changes() {
    let mut stage = stage(Profile::V1_8_0, "application.unschedasks.backoff: '2'");
    stage.play("- ask: {app: a, id: away, resource: {vcore: 1}, priority: 9, requiredNode: n7}");
    stage.ask_for("a", "none", "{gpu: 1}", 8, 1);
    stage.ask_for("a", "much", "{memory: 9}", 7, 1);
    stage.ask("a", "t", 0, 1);
    assert_eq!(stage.asks(1), "t", "a required node does not count, nor does what has no room in the queue");
    stage.ask_for("a", "big", "{memory: 5}", 7, 1);
    stage.ask("a", "u", 0, 1);
    assert_eq!(stage.asks(1), "nothing", "two found no node, and the delay is 30 seconds");
    let own = queues("").replace("name: q", "name: q, properties: {application.unschedasks.backoff: '3'}");
    stage.play(&format!("- config: {:?}", open_root(&own)));
    assert_eq!(stage.asks(1), "nothing", "the time that has begun goes on");
    stage.play("- advance: 31s");
    assert_ne!(stage.asks(1), "nothing", "two are not enough any more");
}

fn reported(stage: &Stage, ask: &str) -> Option<(BlockLevel, String)> {
    let found = stage.explain("a").asks.into_iter().find(|one| one.id.as_str() == ask).expect("it is pending");
    found.blockers.first().map(|first| (first.level, first.sentence()))
}

#[test]
fn d_19_an_explanation_names_the_backoff() {
    for profile in Profile::ALL {
        let mut stage = stage(profile, ONE);
        stage.ask_for("a", "big", "{memory: 5}", 5, 1);
        stage.ask("a", "t", 0, 1);
        if !matches!(profile, Profile::V1_8_0 | Profile::V1_9_0) {
            assert_eq!(reported(&stage, "t"), None, "{profile}");
            continue;
        }
        let (level, before) = reported(&stage, "t").expect("big is before it and finds no node");
        assert_eq!(level, BlockLevel::Backoff);
        assert_eq!(
            before,
            "the end of its back-off: its request big found no node; if the next cycle finds none, later cycles skip the \
             application for 2s, and again after each further failure"
        );
        assert_eq!(stage.asks(1), "nothing", "{profile}");
        stage.play("- advance: 500ms");
        // A cycle takes 1 ms of scenario time.
        let (_, during) = reported(&stage, "t").expect("it is held off");
        assert_eq!(
            during,
            "the end of its back-off: its request big found no node, so cycles have skipped the application for 501ms; they try it \
             again in 1.499s, and skip it again if as many requests find none"
        );
        assert_eq!(reported(&stage, "big").map(|(level, _)| level), Some(BlockLevel::Node));
        let found = convert::explained(&stage.explain("a"), &Wall::new(UNIX_EPOCH, 1.0));
        let json = serde_json::to_value(&found).unwrap();
        let of_t = json["asks"].as_array().unwrap().iter().find(|one| one["allocationKey"] == "t").unwrap();
        let blocked = &of_t["blockedBy"][0];
        assert_eq!((&blocked["level"], &blocked["names"]["allocationKey"]), (&"backoff".into(), &"big".into()));
        assert_eq!(blocked["until"].as_i64().unwrap() - blocked["since"].as_i64().unwrap(), 2_000_000_000);
        stage.play("- release: {app: a, id: big}\n- advance: 1600ms");
        assert_eq!(reported(&stage, "t"), None, "the time is over");
        assert_eq!(stage.asks(1), "t", "{profile}");
    }
}

use std::time::Duration;

use engine::Setup;
use model::Profile;
use scheduler::{AskSpec, PartitionCommand, Tuning};

use super::stage::Stage;
use crate::common::millicores;

fn text(of_a: u32) -> String {
    format!(
        "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - {{name: a, resources: \
         {{guaranteed: {{vcore: {of_a}}}}}}}\n    - {{name: b, resources: {{guaranteed: {{vcore: 50}}}}}}\n"
    )
}

fn contested(of_a: u32, tuning: Tuning) -> Stage {
    let mut stage = Stage::set_up(&text(of_a), &Setup { tuning, ..Setup::of(Profile::Kornsole) });
    for (app, queue, count, cores) in [("low", "root.a", 10, 8), ("high", "root.b", 1, 30)] {
        stage.submit(app, queue, "sue", &[]);
        let ask = AskSpec {
            app: app.into(),
            id: "t".into(),
            count,
            resource: millicores(cores * 1000),
            allow_preempt_self: true,
            allow_preempt_other: true,
            ..AskSpec::default()
        };
        stage.apply_in(None, PartitionCommand::Ask(ask));
        stage.wait(0);
    }
    assert_eq!((stage.cores("low"), stage.cores("high")), (Some(80), Some(0)));
    stage
}

#[test]
fn nothing_is_preempted_while_less_than_the_threshold_is_in_use() {
    for (percent, expected) in [(0, 30), (80, 30), (81, 0), (100, 0)] {
        let tuning = Tuning { preemption_min_load: percent, ..Tuning::default() };
        let mut stage = contested(10, tuning);
        stage.wait(120);
        assert_eq!(stage.cores("high"), Some(expected), "{percent} %");
    }
}

#[test]
fn the_same_ask_tries_again_after_the_interval() {
    for (interval, late, then) in [(15, 40, 50), (60, 85, 95)] {
        let tuning = Tuning { preemption_interval: Duration::from_secs(interval), ..Tuning::default() };
        let mut stage = contested(100, tuning);
        stage.wait(32);
        stage.accepts(&text(10));
        stage.wait(late - 32);
        assert_eq!(stage.cores("high"), Some(0), "its last try was at 30 s, when the guarantee of root.a held");
        stage.wait(then - late);
        assert_eq!(stage.cores("high"), Some(30));
    }
}

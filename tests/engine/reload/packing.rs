use engine::Setup;
use model::Profile;
use scheduler::{AskSpec, Command, EventKind, PartitionCommand, Tuning};

use super::stage::Stage;
use crate::common::millicores;

const TEXT: &str = "\
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues: [{name: a, resources: {max: {vcore: 60}}}, {name: b}]
";

fn cycles(stage: &mut Stage) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let events = stage.core.apply(&Command::Cycle);
        let message: Vec<String> = events
            .into_iter()
            .filter_map(|event| match event.kind {
                EventKind::Allocated { app, ask, node, .. } => Some(format!("{app}/{ask} on {node}")),
                _ => None,
            })
            .collect();
        if message.is_empty() {
            return all;
        }
        all.push(message.join(", "));
    }
}

fn stage(allocations_per_cycle: u32) -> Stage {
    let tuning = Tuning { allocations_per_cycle, ..Tuning::default() };
    Stage::set_up(TEXT, &Setup { tuning, ..Setup::of(Profile::Kornsole) })
}

fn ask(stage: &mut Stage, app: &str, count: u32, cores: i64) {
    let resource = millicores(cores * 1000);
    let spec = AskSpec { app: app.into(), id: "t".into(), count, resource, ..AskSpec::default() };
    stage.apply_in(None, PartitionCommand::Ask(spec));
}

#[test]
fn one_is_as_the_core_does() {
    let mut stage = stage(1);
    stage.node(None, "m");
    stage.submit("one", "root.b", "sue", &[]);
    ask(&mut stage, "one", 3, 10);
    assert_eq!(
        cycles(&mut stage),
        ["one/t-1 on m", "one/t-2 on n", "one/t-3 on m"],
        "the fair order of nodes spreads them"
    );
}

#[test]
fn more_stay_with_the_application_and_its_node_as_far_as_they_fit() {
    let mut stage = stage(3);
    stage.node(None, "m");
    for app in ["one", "two"] {
        stage.submit(app, "root.b", "sue", &[]);
    }
    for app in ["one", "two"] {
        ask(&mut stage, app, 4, 10);
    }
    assert_eq!(
        cycles(&mut stage),
        [
            "one/t-1 on m, one/t-2 on m, one/t-3 on m",
            "one/t-4 on n",
            "two/t-1 on n, two/t-2 on n, two/t-3 on n",
            "two/t-4 on m"
        ]
    );
    let mut stage = self::stage(1000);
    stage.node(None, "m");
    stage.submit("one", "root.b", "sue", &[]);
    ask(&mut stage, "one", 5, 40);
    assert_eq!(cycles(&mut stage), ["one/t-1 on m, one/t-2 on m", "one/t-3 on n, one/t-4 on n"]);
}

#[test]
fn queues_still_block_it() {
    let mut stage = stage(1000);
    stage.submit("one", "root.a", "sue", &[]);
    ask(&mut stage, "one", 9, 13);
    assert_eq!(cycles(&mut stage), ["one/t-1 on n, one/t-2 on n, one/t-3 on n, one/t-4 on n"]);
    assert_eq!(stage.queue("root.a").unwrap().allocated.amount("vcore"), 52_000);
}

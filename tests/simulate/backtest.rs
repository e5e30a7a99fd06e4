//! The accuracy of a forecast on the journal of a demo.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use engine::journal::Dir;
use engine::{Core, Engine, Progress, Setup};
use kornsole::cli::demo;
use model::{Identity, Profile, Time};
use scenario::{Demo, Workload};
use view::act::{AskSpec, NodeSpec, PartitionAct, Submission};

use super::command::{path, simulate};
use super::common::{TestDir, millicores, user, within};

fn recorded(dir: &Path, minutes: u64) {
    const SEED: u64 = 42;
    let setup = Setup::of(Profile::Kornsole);
    let workload: Box<dyn Workload> = Box::new(Demo::new(SEED, setup.profile));
    let open = Dir::open(dir, false).unwrap();
    let (mut core, retained) = open.start(&setup, 1.0, Some(workload), Box::new(|_| demo::core(SEED, &setup))).unwrap();
    let until = Time::ZERO + Duration::from_secs(60 * minutes);
    while core.run_until(until, 1000) == Progress::Busy {}
    assert!(retained.sync(&mut core));
    drop((core, retained));
}

/// The forecast, the simulation of the real submissions, both with errors, and the real value.
fn row<'t>(table: &'t str, name: &str) -> Vec<&'t str> {
    let found = table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {table}"));
    found[name.len()..].split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn simulated_arrivals_are_close_to_recorded_ones() {
    let dir = TestDir::new();
    let state = dir.join("state");
    recorded(&state, 10);
    let (code, out, err) = simulate(&["--state", path(&state), "--backtest"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let number = |text: &str| text.trim_end_matches(" %").parse::<f64>().unwrap();
    let [_, _, replayed, _, was] = row(&out, "asks")[..] else { panic!("{out}") };
    let (replayed, was) = (number(replayed), number(was));
    assert!((replayed - was).abs() <= was * 0.1, "asks: {out}");
    for name in ["vcore in use", "memory in use"] {
        let [_, _, replayed, _, was] = row(&out, name)[..] else { panic!("{out}") };
        assert!((number(replayed) - number(was)).abs() <= 5.0, "{name}: {out}");
    }
}

fn with_a_late_node(dir: &Path, node: bool) {
    const CONFIG: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]";
    let setup = Setup::of(Profile::Kornsole);
    let config = || Arc::new(config::read(CONFIG, setup.profile).config.unwrap());
    let open = Dir::open(dir, false).unwrap();
    let make =
        Box::new(|workload| Ok(Core::set_up(&setup, config(), workload)?.with_config_text(CONFIG.as_bytes(), None)));
    let (core, retained) = open.start(&setup, 1.0, None, make).unwrap();
    let engine = Engine::start_with_journal(core, 1.0, None, Some(retained)).unwrap();
    let give = |act| {
        let (sender, answers) = channel();
        let answer = Box::new(move |outcome| drop(sender.send(outcome)));
        engine.perform(user("sue").scheduler_admin(true), within(act).into(), answer);
        answers.recv().unwrap().unwrap();
    };
    std::thread::sleep(Duration::from_millis(20));
    if node {
        give(PartitionAct::AddNode(NodeSpec { id: "n1".into(), capacity: millicores(2000), ..NodeSpec::default() }));
    }
    let who = Identity::new("sue", ["sue"]);
    give(PartitionAct::Submit(Submission {
        app: "app".into(),
        queue: "root.a".to_owned(),
        who,
        ..Submission::default()
    }));
    let ask = AskSpec { app: "app".into(), id: "t".into(), count: 3, resource: millicores(1000), ..AskSpec::default() };
    give(PartitionAct::Ask { app: "app".into(), asks: vec![ask] });
}

#[test]
fn a_node_that_was_added_during_the_span_exists_from_its_start() {
    let dir = TestDir::new();
    let state = dir.join("state");
    with_a_late_node(&state, true);
    let (code, out, err) = simulate(&["--state", path(&state), "--json"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let run: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(run["figures"]["resources"]["vcore"]["peak"], 2000, "two asks have room at a time: {run}");
}

#[test]
fn a_span_without_a_node_is_refused() {
    let dir = TestDir::new();
    let state = dir.join("state");
    with_a_late_node(&state, false);
    for arguments in [["--state", path(&state)].as_slice(), &["--state", path(&state), "--backtest"]] {
        let (code, out, err) = simulate(arguments);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.contains("no nodes existed from 0.000s to "), "{err}");
    }
}

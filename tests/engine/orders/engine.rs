//! Operations on a running engine: one answer each, after the view has the change.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ::scenario::{self, ScenarioWorkload};
use engine::{Core, Engine, Progress, Setup};
use model::{AppState, Profile, Time};
use source::{Embedded, Source, Stepped};
use view::act::{Act, Actor, Code, Done, Order, Refusal};

use crate::common::{about, kill, user};
use crate::orders::stage::{CONFIG, Stage, owner};

const PATIENCE: Duration = Duration::from_secs(20);

fn ask_for(source: &dyn Source, act: Act) -> Receiver<Result<Done, Refusal>> {
    let (sender, message) = channel();
    let answer = move |outcome| {
        let _ = sender.send(outcome);
    };
    source.act(Order::from(act), Box::new(answer));
    message
}

fn running(who: Actor) -> Embedded {
    Embedded::new(Engine::start(Stage::new().core, 1.0).unwrap(), about("test"), who)
}

#[test]
fn whoever_has_the_answer_sees_it_in_the_view() {
    let source = running(user("ann"));
    assert_eq!(source.may(&kill("etl")), Ok(()));
    let done = ask_for(&source, kill("etl")).recv_timeout(PATIENCE).unwrap().unwrap();
    assert!(matches!(done, Done::Killed(_)));
    let state = source.view().partitions[0].app_by_id(&"etl".into()).unwrap().state;
    assert_eq!(state, AppState::Failed);
    let refusal = source.may(&kill("etl")).unwrap_err();
    assert_eq!(refusal.code, Code::AppTerminated);
    assert_eq!(ask_for(&source, kill("etl")).recv_timeout(PATIENCE).unwrap().unwrap_err(), refusal);
}

#[test]
fn a_stepped_source_answers_at_once() {
    let source = Stepped::new(Stage::new().core, about("test"), user("bob"));
    let refusal = ask_for(&source, kill("etl")).try_recv().unwrap().unwrap_err();
    assert_eq!(refusal.code, Code::AclDenied);
    assert_eq!(source.configuration().map(|configuration| configuration.text.to_string()), Some(CONFIG.to_owned()));
}

#[test]
fn an_engine_that_stops_answers_what_it_did_not_do() {
    let source = running(user("ann"));
    let answers: Vec<_> = (0..100).map(|_| ask_for(&source, kill("nobody"))).collect();
    drop(source);
    for answer in answers {
        let code = answer.recv_timeout(PATIENCE).unwrap().unwrap_err().code;
        assert!(matches!(code, Code::NotFound | Code::Unavailable), "{code:?}");
    }
}

#[test]
fn while_it_is_paused_the_clock_is_stopped_and_operations_are_accepted() {
    let source = running(owner());
    assert_eq!(ask_for(&source, Act::Pause).recv_timeout(PATIENCE).unwrap(), Ok(Done::Paused));
    assert!(source.view().paused);
    let stopped_at = source.now();
    assert_eq!(ask_for(&source, Act::Pause).recv_timeout(PATIENCE).unwrap(), Ok(Done::Paused));
    assert_eq!(source.now(), stopped_at);
    assert_eq!(ask_for(&source, Act::Resume).recv_timeout(PATIENCE).unwrap(), Ok(Done::Resumed));
    assert!(!source.view().paused);
    while source.now() == stopped_at {
        std::thread::yield_now();
    }
}

#[test]
fn only_the_scheduler_acl_may_pause_it() {
    let mut stage = Stage::new();
    let refusal = stage.refused(&user("ann"), Act::Pause);
    assert_eq!((refusal.code, refusal.details.scheduler_acl), (Code::AclDenied, true));
}

#[test]
fn a_core_that_rests_is_where_it_was() {
    let mut stage = Stage::new();
    stage.pass(1);
    stage.order(&owner(), Act::Pause).unwrap();
    let (now, snapshot) = (stage.core.now(), stage.snapshot());
    stage.pass(3600);
    assert_eq!((stage.core.now(), stage.snapshot()), (now, snapshot));
    stage.order(&owner(), Act::Resume).unwrap();
    stage.pass(10);
    assert!(stage.core.now() > now);
}

#[test]
fn paused_it_rests_after_the_last_step_of_its_workload() {
    let steps = "
name: three
config: |
  partitions: [{name: default, queues: [{name: root, submitacl: '*', adminacl: ann, queues: [{name: q}]}]}]
steps:
  - node: {id: n, capacity: {vcore: 8}}
  - submit: {app: one, queue: root.q, user: sue}
  - ask: {app: one, id: t, resource: {vcore: 1}}
";
    let core = |paused| {
        let scenario = scenario::read(steps).scenario.unwrap();
        let config = config::read(scenario.config_text().unwrap(), Profile::Kornsole).config.unwrap();
        let workload = ScenarioWorkload::new(scenario, Profile::Kornsole);
        let setup = Setup { paused, ..Setup::of(Profile::Kornsole) };
        Core::set_up(&setup, Arc::new(config), Some(Box::new(workload))).unwrap()
    };
    let allocated = |core: &mut Core| {
        assert_eq!(core.run_until(Time::from_millis(60_000), 1000), Progress::Reached);
        core.take_view().unwrap().partitions[0].allocated.amount("vcore")
    };
    assert_eq!(allocated(&mut core(false)), 1000);
    let mut paused = core(true);
    assert_eq!(allocated(&mut paused), 0);
    assert!(paused.is_paused() && paused.now() < Time::from_millis(10));
    paused.perform(&owner(), &Act::Resume.into()).unwrap();
    assert_eq!(allocated(&mut paused), 1000);
}

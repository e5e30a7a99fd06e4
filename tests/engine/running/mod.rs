//! The engine: due work runs at its own time at any speed.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::config::{self, AllowedRemoval};
use engine::{Core, Engine, Progress, Setup};
use model::{AppState, Identity, Profile, QueueState, Time};
use scenario::Workload;
use scheduler::{AskSpec, Command, Event, EventKind, NodeSpec, PartitionCommand, Submission};
use source::{Embedded, Link, Source, Stepped};
use view::NoticeWeight;

use crate::common::{TestDir, about, millicores};

const CONFIG: &str = r"
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        adminacl: ops
        queues: [{name: a}]
";

fn commands(app: &str) -> Vec<Command> {
    let who = Identity::new("sue", ["dev"]);
    let submission = Submission { app: app.into(), queue: "root.a".to_owned(), who, ..Submission::default() };
    let ask = AskSpec { app: app.into(), id: "t".into(), count: 3, resource: millicores(1000), ..AskSpec::default() };
    vec![PartitionCommand::Submit(submission).into(), PartitionCommand::Ask(ask).into()]
}

struct Beat {
    second: u64,
    running: Vec<(Time, Command)>,
    history: Arc<Mutex<Vec<Event>>>,
}

impl Beat {
    fn new(history: &Arc<Mutex<Vec<Event>>>) -> Box<Self> {
        Box::new(Self { second: 0, running: Vec::new(), history: Arc::clone(history) })
    }
}

impl Workload for Beat {
    fn next(&self) -> Option<Time> {
        let release = self.running.iter().map(|(at, _)| *at).min();
        [Some(Time::from_millis(self.second * 1000)), release].into_iter().flatten().min()
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        let mut due = Vec::new();
        self.running.retain(|(at, command)| {
            if *at <= now {
                due.push(command.clone());
            }
            *at > now
        });
        if now >= Time::from_millis(self.second * 1000) {
            if self.second == 0 {
                let spec = NodeSpec { id: "n".into(), capacity: millicores(8000), ..NodeSpec::default() };
                due.push(PartitionCommand::AddNode(spec).into());
            }
            due.extend(commands(&format!("app-{}", self.second)));
            self.second += 1;
        }
        due
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        self.history.lock().unwrap().extend(events.iter().cloned());
        for event in events {
            if let EventKind::Allocated { app, ask, .. } = &event.kind {
                let release = PartitionCommand::Release { app: app.clone(), ask: ask.clone() };
                self.running.push((now + Duration::from_millis(1500), release.into()));
            }
        }
    }
}

fn core(workload: Option<Box<dyn Workload>>) -> Core {
    let config = config::read(CONFIG, Profile::Kornsole).config.unwrap();
    Core::new(Profile::Kornsole, Arc::new(config), workload).unwrap()
}

#[test]
fn the_history_does_not_depend_on_how_far_time_jumps() {
    let history = |steps: &[u64]| {
        let history = Arc::default();
        let mut core = core(Some(Beat::new(&history)));
        let mut now = Time::ZERO;
        for ms in steps {
            now = now + Duration::from_millis(*ms);
            while core.run_until(now, 7) == Progress::Busy {}
        }
        drop(core);
        Arc::try_unwrap(history).unwrap().into_inner().unwrap()
    };
    let one_jump = history(&[20_000]);
    assert!(one_jump.len() > 200, "{}", one_jump.len());
    assert_eq!(history(&[1; 20_000]), one_jump);
    assert_eq!(history(&[7000, 1, 12_999]), one_jump);
}

#[test]
fn timers_fire_and_a_finished_application_is_cleaned_away() {
    let mut core = core(None);
    for command in commands("one") {
        core.apply(&command);
    }
    let node = NodeSpec { id: "n".into(), capacity: millicores(8000), ..NodeSpec::default() };
    core.apply(&PartitionCommand::AddNode(node).into());
    assert_eq!(core.run_until(Time::from_millis(10), 100), Progress::Reached);
    let state = |core: &mut Core| {
        let view = core.take_view()?;
        let partition = &view.partitions[0];
        partition.app_by_id(&"one".into()).map(|app| app.state)
    };
    assert_eq!(state(&mut core), Some(AppState::Running));
    for ask in ["t-1", "t-2", "t-3"] {
        core.apply(&PartitionCommand::Release { app: "one".into(), ask: ask.into() }.into());
    }
    core.run_until(Time::from_millis(20_000), 100);
    assert_eq!(state(&mut core), Some(AppState::Completing));
    core.run_until(Time::from_millis(31_000), 100);
    assert_eq!(state(&mut core), Some(AppState::Completed));
}

#[test]
fn a_stepped_source_shows_changes_over_time() {
    let source = Stepped::new(core(Some(Beat::new(&Arc::default()))), about("test"), Identity::new("sue", ["dev"]));
    assert_eq!(source.view().partitions[0].allocated.amount("vcore"), 3000);
    let before = source.view();
    source.advance(Duration::ZERO);
    assert!(Arc::ptr_eq(&before, &source.view()), "nothing happened, so the view is the same");
    source.advance(Duration::from_secs(1));
    assert_eq!(source.view().partitions[0].allocated.amount("vcore"), 6000);
    assert_eq!(source.view().partitions[0].apps.iter().flatten().count(), 2);
    source.advance(Duration::from_secs(9));
    let view = source.view();
    assert!((view.allocation_rate - 3.0).abs() < 0.7, "{}", view.allocation_rate);
}

#[test]
fn the_allocation_rate_decreases_by_itself() {
    let mut core = core(None);
    let node = NodeSpec { id: "n".into(), capacity: millicores(8000), ..NodeSpec::default() };
    core.apply(&PartitionCommand::AddNode(node).into());
    for command in commands("one") {
        core.apply(&command);
    }
    core.run_until(Time::from_millis(1), 100);
    assert!(core.take_view().unwrap().allocation_rate > 0.0);
    let mut rate = 1.0;
    for _ in 0..20 {
        let Some(wake) = core.next_wake() else { break };
        core.run_until(wake, 1000);
        if let Some(view) = core.take_view() {
            rate = view.allocation_rate;
        }
    }
    assert!(rate.abs() < f64::EPSILON, "{rate}");
}

#[test]
fn an_engine_runs_by_itself_answers_and_stops() {
    let engine = Engine::start(core(Some(Beat::new(&Arc::default()))), 50.0).unwrap();
    let source = Embedded::new(engine, about("test"), Identity::new("sue", ["dev"]));
    let (wake, woken) = channel();
    source.on_change(Box::new(move || {
        let _ = wake.send(());
    }));
    let patience = Duration::from_secs(20);
    while source.view().partitions[0].allocated.is_empty() {
        woken.recv_timeout(patience).unwrap();
    }
    assert_eq!(source.link(), Link::LIVE);
    drop(source);
    while woken.recv_timeout(patience).is_ok() {}
}

#[test]
fn commands_from_outside_are_answered_with_their_events() {
    let engine = Engine::start(core(None), 1.0).unwrap();
    let answer = engine.apply(PartitionCommand::DrainNode("nowhere".into()).into());
    let events = answer.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(matches!(events[0].kind, EventKind::Refused { .. }), "{events:?}");
}

#[test]
fn a_configuration_that_the_scheduler_refuses_starts_nothing() {
    let mut config = config::read(CONFIG, Profile::Kornsole).config.unwrap();
    let rule = config::RuleConfig { kind: config::RuleKind::Fixed, ..config::RuleConfig::default() };
    config.partitions[0].rules.push(rule);
    assert!(Core::new(Profile::Kornsole, Arc::new(config), None).is_err());
}

#[test]
fn a_changed_configuration_file_is_reloaded_and_a_bad_one_is_reported() {
    let dir = TestDir::new();
    let file = dir.write("queues.yaml", CONFIG);
    let allowed_removal = AllowedRemoval { empty: false, queues: Some(1) };
    let setup = Setup { allowed_removal, ..Setup::of(Profile::Kornsole) };
    let config = config::read(CONFIG, Profile::Kornsole).config.unwrap();
    let mut engine = Engine::start(Core::set_up(&setup, Arc::new(config), None).unwrap(), 1.0).unwrap();
    engine.watch(&file, CONFIG.as_bytes().to_vec()).unwrap();
    let source = Embedded::new(engine, about("test"), Identity::new("sue", ["dev"]));
    let (wake, woken) = channel();
    source.on_change(Box::new(move || {
        let _ = wake.send(());
    }));
    let await_notice = |number: u64| loop {
        if let Some(notice) = source.view().notices.iter().find(|notice| notice.number == number) {
            return Arc::clone(notice);
        }
        woken.recv_timeout(Duration::from_secs(20)).unwrap();
    };
    std::fs::write(&file, CONFIG.replace("{name: a}", "{name: b}")).unwrap();
    assert!(await_notice(1).title.starts_with("root.a drains"));
    assert_eq!(await_notice(2).weight, NoticeWeight::Info);
    let states = || {
        let view = source.view();
        view.partitions[0].walk().map(|queue| (queue.path.to_string(), queue.state)).collect::<Vec<_>>()
    };
    let drained = [("root", QueueState::Active), ("root.a", QueueState::Draining), ("root.b", QueueState::Active)];
    assert_eq!(states(), drained.map(|(path, state)| (path.to_owned(), state)));

    std::fs::write(&file, CONFIG.replace("name: a}", "name: 'a b'}")).unwrap();
    let refused = await_notice(3);
    assert_eq!(refused.weight, NoticeWeight::Error);
    assert!(refused.text.contains("queues.yaml:8:") && refused.text.contains("CFG-030"), "{}", refused.text);
    assert_eq!(states(), drained.map(|(path, state)| (path.to_owned(), state)), "what was in force stays");
}

mod events;

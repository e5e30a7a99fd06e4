use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::channel;

use engine::journal::{Dir, Disk, MakeCore, RunningJournal};
use engine::{Core, Engine, Setup};
use model::{AppId, Identity, Profile};
use scheduler::inspect::invariants;
use scheduler::{AskSpec, NodeSpec, Submission};
use view::act::{Act, Actor, Code, Done, Order, PartitionAct, Refusal};
use view::audit::AuditQuery;

use crate::common::{kill, millicores, move_to, within};

/// All users submit to two of the queues, no user to the third.
pub const CONFIG: &str = "partitions:
  - name: default
    queues:
      - name: root
        adminacl: '*'
        queues:
          - name: a
            submitacl: '*'
          - name: b
            submitacl: '*'
      ";

pub fn setup() -> Setup {
    Setup::of(Profile::Kornsole)
}

pub fn fresh(setup: &Setup) -> MakeCore<'_> {
    Box::new(|workload| {
        let config = config::read(CONFIG, setup.profile).config.ok_or("the configuration does not read")?;
        Ok(Core::set_up(setup, Arc::new(config), workload)?.with_config_text(CONFIG.as_bytes(), None))
    })
}

/// Starts the scheduler of a disk.
pub fn on(disk: Arc<dyn Disk>) -> Result<(Core, RunningJournal), String> {
    let setup = setup();
    let dir = Dir::on(disk).map_err(|problem| problem.to_string())?;
    dir.start(&setup, 1.0, None, fresh(&setup)).map_err(|problem| problem.to_string())
}

pub fn engine((core, retained): (Core, RunningJournal)) -> Engine {
    Engine::start_with_journal(core, 1.0, None, Some(retained)).unwrap()
}

/// The seed, which can be set for additional rounds.
pub fn seed() -> u64 {
    std::env::var("KORNSOLE_CHANCE").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Deterministic random numbers.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

pub fn sue() -> Actor {
    Actor::from(Identity::new("sue", ["dev"])).scheduler_admin(true)
}

pub fn submit(app: &str, queue: &str) -> Act {
    let who = Identity::new("sue", ["dev"]);
    within(PartitionAct::Submit(Submission { app: app.into(), queue: queue.to_owned(), who, ..Submission::default() }))
}

pub fn ask(app: &str, count: u32) -> Act {
    let ask = AskSpec { app: app.into(), id: "t".into(), count, resource: millicores(100), ..AskSpec::default() };
    within(PartitionAct::Ask { app: app.into(), asks: vec![ask] })
}

/// Performs an operation and waits for the answer.
pub fn perform(engine: &Engine, act: Act) -> Result<Done, Refusal> {
    let (sender, answered) = channel();
    let answer = Box::new(move |outcome| {
        let _ = sender.send(outcome);
    });
    engine.perform(sue(), Order::from(act), answer);
    answered.recv().unwrap()
}

/// An operation of a client, with a form as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Submit(String, &'static str),
    Ask(String),
    Move(String),
    Kill(String),
    Node(String),
}

impl Step {
    pub fn act(&self) -> Act {
        match self {
            Self::Submit(app, queue) => submit(app, queue),
            Self::Ask(app) => ask(app, 3),
            Self::Move(app) => move_to(app, "root.b"),
            Self::Kill(app) => kill(app),
            Self::Node(node) => within(PartitionAct::AddNode(NodeSpec {
                id: node.as_str().into(),
                capacity: millicores(1000),
                ..NodeSpec::default()
            })),
        }
    }

    pub fn line(&self) -> String {
        match self {
            Self::Submit(app, queue) => format!("submit {app} {queue}"),
            Self::Ask(app) => format!("ask {app}"),
            Self::Move(app) => format!("move {app}"),
            Self::Kill(app) => format!("kill {app}"),
            Self::Node(node) => format!("node {node}"),
        }
    }
}

/// Submits applications, adds requests, and moves or kills some.
pub fn steps(name: &str, chance: &mut Chance, count: usize) -> Vec<Step> {
    let mut steps = vec![Step::Node(format!("{name}-node"))];
    for number in 0.. {
        if steps.len() >= count {
            break;
        }
        let app = format!("{name}-{number}");
        if chance.below(5) == 0 {
            steps.push(Step::Submit(app, "root.none"));
            continue;
        }
        steps.push(Step::Submit(app.clone(), "root.a"));
        for step in [Step::Ask(app.clone()), Step::Move(app.clone()), Step::Kill(app)] {
            if chance.below(3) > 0 {
                steps.push(step);
            }
        }
    }
    steps
}

/// Answered operations, by their lines.
#[derive(Default)]
pub struct AnsweredOrders {
    pub done: Vec<String>,
    pub refused: Vec<String>,
}

impl AnsweredOrders {
    /// Checks that acknowledged changes are present, and rejected ones have no effect.
    #[track_caller]
    pub fn check(&self, core: &Core) {
        let wrong = invariants::violations(core.scheduler());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let part = &core.scheduler().partitions()[0];
        let mut last: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in &self.done {
            let words: Vec<&str> = line.split(' ').collect();
            last.entry(words[1]).or_default().push(words[0]);
        }
        for (name, done) in &last {
            if done.contains(&"node") {
                assert!(part.nodes.find(&(*name).into()).is_some(), "node {name} is missing");
                continue;
            }
            let id = AppId::from(*name);
            let live = part.app(&id);
            let ended = part.ended_app(&id);
            assert!(live.is_some() || ended.is_some(), "{name} is missing, and was answered {done:?}");
            assert!(!done.contains(&"kill") || live.is_none(), "{name} is back, and was answered {done:?}");
            let Some(live) = live else { continue };
            assert!(
                !done.contains(&"move") || live.queue_path.as_str() == "root.b",
                "{name} is not where it was moved"
            );
            assert!(!done.contains(&"ask") || live.asks.len() == 3, "{name} lacks asks, and was answered {done:?}");
        }
        for line in &self.refused {
            let words: Vec<&str> = line.split(' ').collect();
            let id = AppId::from(words[1]);
            let (app, done) = (part.app(&id), last.get(words[1]).cloned().unwrap_or_default());
            match words[0] {
                "submit" => assert!(app.is_none(), "{line} was refused, and is there"),
                "ask" => assert!(app.is_none_or(|app| app.asks.is_empty()), "{line} was refused, and has asks"),
                "move" => assert!(app.is_none_or(|app| app.queue_path.as_str() == "root.a"), "{line} was refused"),
                "node" => assert!(part.nodes.find(&words[1].into()).is_none(), "{line} was refused, and is there"),
                _ => {
                    assert!(done.contains(&"kill") || !done.contains(&"submit") || app.is_some(), "{line} was refused")
                }
            }
        }
    }

    /// Checks that every answered act has one audit entry, allowed or rejected.
    #[track_caller]
    pub fn check_audit(&self, core: &Core) {
        let entries = core.audit_log().entries(&AuditQuery { limit: usize::MAX, ..AuditQuery::default() });
        let ids: Vec<u64> = entries.iter().map(|entry| entry.id).collect();
        assert!(ids.windows(2).all(|pair| pair[0] == pair[1] + 1), "numbers have no gaps");
        let mut counts: BTreeMap<(String, bool), usize> = BTreeMap::new();
        for entry in &entries {
            *counts.entry((format!("{} {}", entry.action, entry.object), entry.allowed)).or_default() += 1;
        }
        let lines = self.done.iter().map(|line| (line, true)).chain(self.refused.iter().map(|line| (line, false)));
        for (line, allowed) in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let action = if words[0] == "node" { "add-node" } else { words[0] };
            let key = (format!("{action} {}", words[1]), allowed);
            assert_eq!(counts.get(&key), Some(&1), "{key:?} in the audit");
        }
    }
}

pub fn is_not_durable(refusal: &Refusal) -> bool {
    matches!(refusal.code, Code::NotDurable | Code::Unavailable)
}

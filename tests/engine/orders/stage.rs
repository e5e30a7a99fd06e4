//! A core with two tenants and a running application of sue in the first.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::config::{self, Config};
use engine::{Core, Setup};
use model::{Identity, Profile, Time};
use scheduler::{AskSpec, NodeSpec, PartitionCommand, Submission};
use view::View;
use view::act::{Act, Actor, Code, Done, Order, Refusal};

use crate::common::{millicores, user};

pub const CONFIG: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a   # the first tenant
            adminacl: ann
            submitacl: ' dev'
            queues:
              - name: x
              - name: y
                resources: {max: {vcore: 2}}
          - name: b
            adminacl: bob
            submitacl: sue
            queues: [{name: z}, {name: few, maxapplications: 1}]
";

pub struct Stage {
    pub core: Core,
}

/// A user in the scheduler ACL.
pub fn owner() -> Actor {
    user("owner").scheduler_admin(true)
}

pub fn ask(id: &str, count: u32, vcore: i64) -> AskSpec {
    AskSpec { id: id.into(), count, resource: millicores(vcore), ..AskSpec::default() }
}

fn config() -> Arc<Config> {
    Arc::new(config::read(CONFIG, Profile::Kornsole).config.unwrap())
}

impl Stage {
    pub fn new() -> Self {
        Self::retained(None)
    }

    /// A stage with this setup.
    pub fn set_up(setup: &Setup) -> Self {
        Self::on(Core::set_up(setup, config(), None).unwrap(), None)
    }

    /// A stage with the configuration stored in a file.
    pub fn retained(file: Option<PathBuf>) -> Self {
        Self::on(Core::new(Profile::Kornsole, config(), None).unwrap(), file)
    }

    fn on(core: Core, file: Option<PathBuf>) -> Self {
        let mut stage = Self { core: core.with_config_text(CONFIG.as_bytes(), file) };
        let node = NodeSpec { id: "n".into(), capacity: millicores(100_000), ..NodeSpec::default() };
        stage.give(PartitionCommand::AddNode(node));
        stage.submit("etl", "root.a.x");
        stage.give(PartitionCommand::Ask(AskSpec { app: "etl".into(), ..ask("t", 3, 1000) }));
        stage.settle();
        stage.give(PartitionCommand::Ask(AskSpec { app: "etl".into(), ..ask("big", 1, 1_000_000) }));
        stage.settle();
        stage
    }

    pub fn give(&mut self, command: PartitionCommand) {
        self.core.apply(&command.into());
    }

    pub fn submit(&mut self, app: &str, queue: &str) {
        let who = Identity::new("sue", ["dev"]);
        let queue = queue.to_owned();
        self.give(PartitionCommand::Submit(Submission { app: app.into(), queue, who, ..Submission::default() }));
    }

    /// Runs everything that is due now, including cycles.
    pub fn settle(&mut self) {
        self.core.run_until(self.core.now(), 1000);
    }

    pub fn pass(&mut self, seconds: u64) -> Time {
        let until = self.core.now() + Duration::from_secs(seconds);
        self.core.run_until(until, 1000);
        until
    }

    pub fn view(&mut self) -> Arc<View> {
        // The notice guarantees a newer view.
        self.core.notice(view::NoticeWeight::Info, "look".to_owned(), String::new());
        self.core.take_view().unwrap()
    }

    pub fn order(&mut self, who: &Actor, act: Act) -> Result<Done, Refusal> {
        self.core.perform(who, &Order::from(act))
    }

    /// Returns the rejection of an act, which must change nothing. The view must agree if it can decide.
    pub fn refused(&mut self, who: &Actor, act: Act) -> Refusal {
        let before = self.snapshot();
        let seen = self.view().may(who, &act);
        let refusal = self.order(who, act).unwrap_err();
        assert_eq!(self.snapshot(), before, "{refusal} has changed something");
        if let Err(seen) = seen {
            assert_eq!(seen, refusal, "the view says something else");
        }
        refusal
    }

    /// Everything that an operation can change, as text.
    pub fn snapshot(&mut self) -> String {
        let view = self.view();
        let part = &view.partitions[0];
        let queues: Vec<_> = part.walk().collect();
        let apps: Vec<_> = part.apps.iter().flatten().collect();
        let file = self.core.configuration();
        format!("{queues:?} {apps:?} {:?} {:?} {file:?} {}", part.nodes, part.ended, view.paused)
    }
}

/// Checks the code and a part of the text.
pub fn assert_refusal(refusal: &Refusal, code: Code, words: &str) {
    assert_eq!(refusal.code, code, "{refusal}");
    assert!(refusal.to_string().contains(words), "{refusal}");
}

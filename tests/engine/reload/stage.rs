use std::sync::Arc;
use std::time::Duration;

use ::config::{self, AllowedRemoval};
use engine::{Core, Setup};
use model::{AppId, Identity, Profile, QueuePath, QueueState};
use scheduler::inspect::invariants;
use scheduler::state::queue::Queue;
use scheduler::{AskSpec, Command, Event, EventKind, NodeSpec, Partition, PartitionCommand, Submission};
use view::{NoticeWeight, View};

use crate::common::{TestDir, millicores};

/// Allows a configuration to remove everything.
pub const ANYTHING: AllowedRemoval = AllowedRemoval { empty: true, queues: Some(usize::MAX) };

/// A core with its configuration file; the directory is removed on drop.
pub struct Stage {
    pub core: Core,
    dir: TestDir,
    view: Arc<View>,
}

impl Stage {
    /// A core with the default profile.
    pub fn new(text: &str) -> Self {
        Self::set_up(text, &Setup::of(Profile::Kornsole))
    }

    /// A core with this setup and one node of 100 cores.
    pub fn set_up(text: &str, setup: &Setup) -> Self {
        let setup = &Setup { allowed_removal: ANYTHING, ..setup.clone() };
        let reading = config::read_file(text.as_bytes(), &setup.policy_group, setup.profile);
        let config = reading.config.unwrap_or_else(|| panic!("{:?}", reading.faults));
        let core = Core::set_up(setup, Arc::new(config), None).unwrap();
        let mut stage = Self { core, dir: TestDir::new(), view: Arc::default() };
        stage.node(None, "n");
        stage
    }

    /// The current view.
    pub fn look(&mut self) -> &View {
        if let Some(view) = self.core.take_view() {
            self.view = view;
        }
        &self.view
    }

    /// The alerts about stuck queues so far.
    pub fn alerts(&mut self) -> Vec<String> {
        let notices = self.look().notices.iter();
        notices.map(|notice| notice.title.clone()).filter(|title| title.contains(" drains for ")).collect()
    }

    /// Writes and reloads the file; returns weight, title, and text of the notice.
    pub fn reload(&mut self, text: &str) -> (NoticeWeight, String, String) {
        let file = self.dir.write("queues.yaml", text);
        self.core.reload("queues.yaml", &std::fs::read(&file).unwrap());
        self.check_invariants();
        let notice = self.look().notices.last().unwrap();
        (notice.weight, notice.title.clone(), notice.text.clone())
    }

    /// Reloads a text that must be accepted.
    pub fn accepts(&mut self, text: &str) {
        let (weight, title, text) = self.reload(text);
        assert!(weight < NoticeWeight::Error && title.contains("active"), "{title}\n{text}");
    }

    /// Reloads a text that must be rejected, and returns the reason.
    pub fn rejects(&mut self, text: &str) -> String {
        let (weight, title, text) = self.reload(text);
        assert_eq!(weight, NoticeWeight::Error, "{title}\n{text}");
        text
    }

    /// Advances the time and runs everything that is due.
    pub fn wait(&mut self, seconds: u64) {
        let until = self.core.now() + Duration::from_secs(seconds);
        self.core.run_until(until, usize::MAX);
        self.check_invariants();
    }

    fn check_invariants(&self) {
        assert_eq!(invariants::violations(self.core.scheduler()), Vec::<String>::new());
    }

    /// Applies a command in a partition, by default the first.
    pub fn apply_in(&mut self, partition: Option<&str>, command: PartitionCommand) -> Vec<Event> {
        let events = self.core.apply(&Command::In { partition: partition.map(Arc::from), command });
        self.check_invariants();
        events
    }

    pub fn node(&mut self, partition: Option<&str>, id: &str) {
        let spec = NodeSpec { id: id.into(), capacity: millicores(100_000), ..NodeSpec::default() };
        self.apply_in(partition, PartitionCommand::AddNode(spec));
    }

    /// Submits an application with requests for cores; returns the reason of a rejection.
    pub fn submit(&mut self, app: &str, queue: &str, who: &str, cores: &[i64]) -> Option<String> {
        self.submit_in(None, app, queue, who, cores)
    }

    pub fn submit_in(
        &mut self,
        partition: Option<&str>,
        app: &str,
        queue: &str,
        who: &str,
        cores: &[i64],
    ) -> Option<String> {
        let who = Identity::parse(who).unwrap();
        let submission = Submission { app: app.into(), queue: queue.to_owned(), who, ..Submission::default() };
        let events = self.apply_in(partition, PartitionCommand::Submit(submission));
        for (at, cores) in cores.iter().enumerate() {
            let id = format!("t{at}").as_str().into();
            let ask = AskSpec { app: app.into(), id, resource: millicores(cores * 1000), ..AskSpec::default() };
            self.apply_in(partition, PartitionCommand::Ask(ask));
        }
        self.core.run_until(self.core.now(), usize::MAX);
        events.into_iter().find_map(|event| match event.kind {
            EventKind::AppRejected { message, .. } | EventKind::Refused { message } => Some(message),
            _ => None,
        })
    }

    /// Adds a request to an application.
    pub fn ask(&mut self, app: &str, id: &str, cores: i64) {
        let ask = AskSpec { app: app.into(), id: id.into(), resource: millicores(cores * 1000), ..AskSpec::default() };
        self.apply_in(None, PartitionCommand::Ask(ask));
        self.core.run_until(self.core.now(), usize::MAX);
    }

    /// Removes the application.
    pub fn remove(&mut self, app: &str) {
        self.apply_in(None, PartitionCommand::Remove { app: app.into() });
    }

    pub fn partition(&self, name: &str) -> Option<&Partition> {
        self.core.scheduler().partitions().iter().find(|partition| &*partition.name == name)
    }

    fn first(&self) -> &Partition {
        &self.core.scheduler().partitions()[0]
    }

    pub fn queue(&self, path: &str) -> Option<&Queue> {
        let tree = &self.first().queues;
        tree.find(&QueuePath::new(path)).map(|key| &tree[key])
    }

    /// All queues of the first partition with their states.
    pub fn tree(&self) -> String {
        let tree = &self.first().queues;
        let shown = tree.top_down().into_iter().map(|key| {
            let queue = &tree[key];
            let kind = if queue.leaf { "leaf" } else { "parent" };
            let state = if queue.state == QueueState::Active { String::new() } else { format!(" {}", queue.state) };
            format!("{} {kind}{state}", queue.path)
        });
        shown.collect::<Vec<_>>().join("\n")
    }

    /// Allocated cores of an application; `None` if it is not active.
    pub fn cores(&self, app: &str) -> Option<i64> {
        let key = self.first().app_key(&AppId::from(app))?;
        Some(self.first().apps[key].allocated.amount("vcore") / 1000)
    }
}

//! A user's change survives configurations from a workload.

use std::sync::Arc;
use std::time::Duration;

use ::scenario::{self, Demo, ScenarioWorkload, demo_config};
use engine::{Core, Setup};
use model::{Profile, QueueState, Time};
use view::View;
use view::act::{Act, Order};
use view::audit::AuditQuery;

use crate::common::user;

const BEFORE: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: a
            resources: {max: {vcore: 2}}
          - name: b
            resources: {max: {vcore: 3}}

          - name: old
";

/// A scenario starts with [`BEFORE`] and applies `step` after a minute; a user applies a text in between.
struct Stage {
    core: Core,
    view: Arc<View>,
}

impl Stage {
    fn new(step: &str) -> Self {
        let block = |text: &str, indent: &str| {
            text.lines().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect::<String>()
        };
        let text = format!(
            "version: 1\nconfig: |\n{}steps:\n- {{advance: 1m}}\n- config: |\n{}- {{advance: 1m}}\n",
            block(BEFORE, "  "),
            block(step, "    ")
        );
        let reading = scenario::read(&text);
        assert_eq!(reading.faults, []);
        let scenario = reading.scenario.unwrap();
        let config = scenario.embedded_config(Profile::Kornsole).unwrap().config.unwrap();
        let workload = Box::new(ScenarioWorkload::new(scenario, Profile::Kornsole));
        let core = Core::set_up(&Setup::of(Profile::Kornsole), Arc::new(config), Some(workload)).unwrap();
        Self::on(core.with_config_text(BEFORE.as_bytes(), None))
    }

    fn on(mut core: Core) -> Self {
        let view = core.take_view().unwrap_or_default();
        Self { core, view }
    }

    fn edit(&mut self, text: &str) {
        let base = Some(self.core.scheduler().checksum().to_owned());
        let act = Act::Configure { text: text.to_owned(), base, dry_run: false };
        let owner = user("owner").scheduler_admin(true);
        self.core.perform(&owner, &Order::from(act)).unwrap();
    }

    fn run(&mut self, seconds: u64) {
        let until = self.core.now() + Duration::from_secs(seconds);
        self.core.run_until(until, usize::MAX);
        if let Some(view) = self.core.take_view() {
            self.view = view;
        }
    }

    fn text(&self) -> String {
        self.core.configuration().unwrap().queues.to_string()
    }

    fn state(&self, queue: &str) -> Option<QueueState> {
        let partition = &self.core.scheduler().partitions()[0];
        partition.queues.find_text(queue).map(|key| partition.queues[key].state)
    }

    fn notices(&self) -> Vec<String> {
        self.view.notices.iter().map(|notice| notice.title.clone()).collect()
    }
}

#[test]
fn a_step_is_loaded_unchanged_while_nothing_changes() {
    let step = BEFORE.replace("vcore: 2", "vcore: 7");
    let mut stage = Stage::new(&step);
    stage.run(90);
    assert_eq!(stage.text(), step);
    assert!(stage.notices().iter().all(|title| !title.contains("workload")), "{:?}", stage.notices());
}

#[test]
fn a_step_changes_only_what_the_workload_changes() {
    let mut stage = Stage::new(&BEFORE.replace("\n          - name: old\n", ""));
    stage.run(10);
    stage.edit(&BEFORE.replace("vcore: 2", "vcore: 200"));
    stage.run(80);
    assert_eq!(stage.text(), BEFORE.replace("vcore: 2", "vcore: 200").replace("\n          - name: old\n", ""));
    assert!(stage.notices().iter().any(|title| title.contains("merged with")), "{:?}", stage.notices());
    let old = stage.state("root.old");
    assert!(old.is_none() || old == Some(QueueState::Draining), "{old:?}");
}

#[test]
fn a_step_that_changes_the_same_is_refused_and_reported() {
    let mut stage = Stage::new(&BEFORE.replace("vcore: 2", "vcore: 7"));
    stage.run(10);
    let edited = BEFORE.replace("vcore: 2", "vcore: 200");
    stage.edit(&edited);
    stage.run(80);
    assert_eq!(stage.text(), edited);
    let refused = stage.view.notices.iter().find(|notice| notice.title.contains("workload was rejected"));
    assert!(refused.unwrap().text.contains("both change line"), "{refused:?}");
    let recent = stage.core.audit_log().recent(&AuditQuery { limit: 100, ..AuditQuery::default() });
    let entry = recent.iter().find(|entry| !entry.allowed).expect("the step is in the audit");
    assert!(!entry.allowed && entry.why.contains("the active configuration is unchanged"), "{entry:?}");
}

#[test]
fn the_configuration_of_the_workload_is_saved() {
    let step = BEFORE.replace("\n          - name: old\n", "");
    let mut stage = Stage::new(&step);
    stage.run(10);
    stage.edit(&BEFORE.replace("vcore: 2", "vcore: 200"));
    let saved = stage.core.save();
    let text = format!("version: 1\nconfigFile: q\nsteps:\n- {{advance: 1m}}\n- config: {:?}\n", step);
    let scenario = scenario::read(&text).scenario.unwrap();
    let workload = Box::new(ScenarioWorkload::new(scenario, Profile::Kornsole));
    let core = Core::restored(&Setup::of(Profile::Kornsole), &saved, Some(workload)).unwrap();
    let mut again = Stage::on(core);
    again.run(80);
    assert!(again.text().contains("vcore: 200") && !again.text().contains("old"), "{}", again.text());
}

fn demo() -> Stage {
    let config = config::read(demo_config(), Profile::Kornsole).config.unwrap();
    let workload = Box::new(Demo::new(42, Profile::Kornsole));
    let core = Core::set_up(&Setup::of(Profile::Kornsole), Arc::new(config), Some(workload)).unwrap();
    Stage::on(core.with_config_text(demo_config().as_bytes(), None))
}

#[test]
fn the_demo_changes_only_what_it_drains() {
    let mut stage = demo();
    stage.run(5);
    let edited = demo_config().replacen("\n", "\n# mine\n", 1);
    stage.edit(&edited);
    let (mut removed, mut arrived) = (0, 0);
    let mut there = true;
    for _ in 0..600 {
        stage.run(1);
        assert!(stage.text().contains("# mine"), "at {}", stage.core.now());
        let now = stage.text().contains("name: legacy");
        removed += u32::from(there && !now);
        arrived += u32::from(!there && now);
        there = now;
    }
    assert!(removed > 0 && arrived > 0, "it went {removed} times and came {arrived} times");
    assert!(stage.core.now() > Time::ZERO);
}

#[test]
fn the_demo_does_not_restore_what_a_user_removed() {
    let mut stage = demo();
    stage.run(5);
    let paragraphs: Vec<&str> = demo_config().split("\n\n").filter(|part| !part.contains("- name: legacy\n")).collect();
    stage.edit(&paragraphs.join("\n\n"));
    for _ in 0..600 {
        stage.run(1);
        assert!(!stage.text().contains("name: legacy"), "at {}", stage.core.now());
    }
}

/// Locations refer to the configuration's own text, and messages name this text.
#[test]
fn a_place_names_the_text_that_it_counts_in() {
    let mut stage = Stage::new(&BEFORE.replace("- name: old", "- name: new"));
    stage.run(1);
    let place = |stage: &Stage, queue: &str| {
        let row = stage.view.partitions[0].walk().find(|row| row.path.as_str() == queue).unwrap().clone();
        stage.view.configuration.as_ref().unwrap().place(row.settings.at.unwrap())
    };
    let line = |text: &str, name: &str| text.lines().position(|line| line.contains(name)).unwrap() + 1;
    let want = format!("the configuration at the start, line {}", line(BEFORE, "name: old"));
    assert_eq!(place(&stage, "root.old"), want);
    stage.run(89);
    let want = format!("revision 2, line {}", line(&stage.text(), "name: new"));
    assert_eq!(place(&stage, "root.new"), want);
}

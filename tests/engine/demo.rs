//! The demo: endless, deterministic by seed, and usable with a user's own scenario.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::scenario::{self, Demo, ScenarioWorkload, Sink, StepKind, Workload, demo_config, scenario_text};
use config::Config;
use engine::{Core, Progress, Setup};
use kornsole::cli::demo::workload_text;
use model::{AppState, Profile, QueueState, Time};
use scheduler::inspect::invariants;
use scheduler::{Command, Event, EventKind, ReleaseReason, RunnableCause, Scheduler};

use crate::common::share;

type Allocation = (String, String, String);

fn allocation(event: &Event) -> Option<Allocation> {
    match &event.kind {
        EventKind::Allocated { app, ask, node, .. } => Some((app.to_string(), ask.to_string(), node.to_string())),
        _ => None,
    }
}

#[derive(Clone, Default)]
struct History(Arc<Mutex<Vec<Allocation>>>);

impl History {
    fn take(&self) -> Vec<Allocation> {
        std::mem::take(&mut self.0.lock().expect("nobody panicked"))
    }
}

impl Sink for History {
    fn events(&mut self, _step: i64, events: &[Event]) -> std::io::Result<()> {
        self.0.lock().expect("nobody panicked").extend(events.iter().filter_map(allocation));
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> std::io::Result<()> {
        Ok(())
    }
}

struct Noted<W>(W, History);

impl<W: Workload> Workload for Noted<W> {
    fn next(&self) -> Option<Time> {
        self.0.next()
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        self.0.act(now)
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        self.1.events(0, events).expect("it goes to memory");
        self.0.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        self.0.runs_cycles()
    }

    fn text_of(&self, config: &Config) -> Option<&str> {
        self.0.text_of(config)
    }
}

struct Counted(Demo, Arc<Mutex<BTreeMap<&'static str, BTreeSet<u64>>>>);

impl Workload for Counted {
    fn next(&self) -> Option<Time> {
        self.0.next()
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        self.0.act(now)
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        let mut counts = self.1.lock().expect("nobody panicked");
        for what in events.iter().filter_map(shows) {
            counts.entry(what).or_default().insert(now.0 / 60_000_000);
        }
        drop(counts);
        self.0.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        self.0.runs_cycles()
    }
}

fn shows(event: &Event) -> Option<&'static str> {
    match &event.kind {
        EventKind::AskFitsLimits { app, fits: false, .. } if app.as_str().starts_with("guest") => {
            Some("limit of a group")
        }
        EventKind::AskFitsLimits { fits: false, .. } => Some("limit of a user"),
        EventKind::AppRunnable { cause: RunnableCause::Limits, runnable: false, .. } => Some("applications of a group"),
        EventKind::Preempted { by_app, .. } if by_app.as_str().starts_with("train") => Some("preemption"),
        EventKind::Reserved { .. } => Some("reservation"),
        EventKind::Released { reason: ReleaseReason::Replaced, .. } => Some("placeholder replaced"),
        EventKind::AppState { state: AppState::Resuming, .. } => Some("gang falls back"),
        EventKind::QueueState { to: QueueState::Draining, .. } => Some("queue drains"),
        EventKind::QueueRemoved { managed: true, .. } => Some("queue gone"),
        EventKind::QueueAdded { managed: true, .. } => Some("queue added"),
        EventKind::ConfigRejected { .. }
        | EventKind::AppRejected { .. }
        | EventKind::AskRejected { .. }
        | EventKind::Refused { .. }
        | EventKind::NodeRejected { .. } => Some("refusal"),
        _ => None,
    }
}

fn core(config: &str, workload: impl Workload + 'static) -> Core {
    let config = config::read(config, Profile::Kornsole).config.expect("the configuration is valid");
    Core::new(Profile::Kornsole, Arc::new(config), Some(Box::new(workload))).expect("the scheduler takes it")
}

fn run_until(core: &mut Core, seconds: u64) {
    while core.run_until(Time::from_millis(seconds * 1000), 100_000) == Progress::Busy {}
}

fn history(seed: u64, seconds: u64) -> Vec<Allocation> {
    let history = History::default();
    run_until(&mut core(demo_config(), Noted(Demo::new(seed, Profile::Kornsole), history.clone())), seconds);
    history.take()
}

/// Usage of all cores, in percent.
fn utilisation(core: &Core) -> i64 {
    let partition = &core.scheduler().partitions()[0];
    let root = &partition.queues[partition.queues.find_text("root").expect("there is a root")];
    root.allocated.amount("vcore") * 100 / partition.capacity().amount("vcore")
}

fn amount_of(core: &Core, path: &str) -> (i64, i64, usize) {
    let queues = &core.scheduler().partitions()[0].queues;
    let queue = &queues[queues.find_text(path).expect("the queue is configured")];
    (queue.allocated.amount("vcore"), queue.pending.amount("vcore"), queue.apps.len())
}

#[test]
fn it_is_alive_within_the_first_second() {
    let mut core = core(demo_config(), Demo::new(42, Profile::Kornsole));
    run_until(&mut core, 1);
    assert!(utilisation(&core) >= 50, "{} %", utilisation(&core));
    assert!(amount_of(&core, "root.tenants.tenant-c").1 > 0, "somebody waits already");
    assert!(core.scheduler().partitions()[0].queues.iter().any(|queue| !queue.managed), "dynamic queues are there");
}

#[test]
fn it_stays_alive_and_bounded_for_an_hour() {
    let mut core = core(demo_config(), Demo::new(42, Profile::Kornsole));
    let (mut used, mut starving, mut full, mut waiting, mut gone, mut made) = (Vec::new(), 0, 0, 0, 0, 0);
    let mut dynamic: Vec<String> = Vec::new();
    for sample in 1..=360 {
        run_until(&mut core, sample * 10);
        used.push(utilisation(&core));
        starving += usize::from(amount_of(&core, "root.tenants.tenant-c").1 > 0);
        full += usize::from(amount_of(&core, "root.batch.reports").0 == 12_000);
        waiting += usize::from(amount_of(&core, "root.batch.nightly").2 > 3);
        let partition = &core.scheduler().partitions()[0];
        assert!(partition.apps.len() < 150, "{} live applications", partition.apps.len());
        let now: Vec<String> =
            partition.queues.iter().filter(|queue| !queue.managed).map(|queue| queue.path.to_string()).collect();
        gone += dynamic.iter().filter(|path| !now.contains(path)).count();
        made += now.iter().filter(|path| !dynamic.contains(path)).count();
        dynamic = now;
    }
    let mean = used.iter().sum::<i64>() / 360;
    assert!((60..=90).contains(&mean), "mean utilisation {mean} %");
    assert!(used.iter().all(|used| *used >= 25), "never idle: {used:?}");
    assert!(
        used.iter().max() >= Some(&88) && used.iter().min() <= Some(&55),
        "there are busy and quiet times: {used:?}"
    );
    assert!(starving > 300 && full > 200 && waiting > 200, "starving {starving}, full {full}, waiting {waiting}");
    assert!(gone > 50 && made > 50, "dynamic queues come and go: {made} and {gone}");
}

#[test]
fn capabilities_of_the_scheduler_are_checked_early_and_repeatedly() {
    let seen = Arc::default();
    let mut core = core(demo_config(), Counted(Demo::new(42, Profile::Kornsole), Arc::clone(&seen)));
    run_until(&mut core, 1800);
    let seen = seen.lock().expect("nobody panicked");
    let wanted = [
        "limit of a user",
        "limit of a group",
        "applications of a group",
        "preemption",
        "reservation",
        "placeholder replaced",
        "gang falls back",
        "queue drains",
        "queue gone",
    ];
    for what in wanted {
        let minutes = seen.get(what).unwrap_or_else(|| panic!("{what} is never seen"));
        assert!(minutes.first() < Some(&3), "{what}: first in minute {:?}", minutes.first());
        let tens = minutes.iter().map(|minute| minute / 10).collect::<BTreeSet<_>>();
        assert_eq!(tens.len(), 3, "{what}: not in each ten minutes: {minutes:?}");
    }
    assert!(seen["queue added"].len() > 4, "the queue comes back: {:?}", seen["queue added"]);
    assert_eq!(seen.get("refusal"), None, "nothing is refused");
    assert_eq!(invariants::violations(core.scheduler()), [""; 0]);
}

/// The demos of other profiles tolerate reloads, victims, and placeholders among the events.
#[test]
fn every_profile_has_its_demo() {
    for profile in Profile::ALL {
        let mut core = kornsole::cli::demo::core(42, &Setup::of(profile)).expect("the configuration is valid");
        run_until(&mut core, 300);
        assert!((40..=100).contains(&utilisation(&core)), "{profile}: {} %", utilisation(&core));
        assert_eq!(invariants::violations(core.scheduler()), [""; 0], "{profile}");
    }
}

#[test]
fn a_seed_is_a_history() {
    let first = history(7, 60);
    assert!(first.len() > 300);
    assert_eq!(first, history(7, 60));
    assert_ne!(first, history(8, 60));
}

#[test]
fn what_is_printed_runs_to_the_same_allocations() {
    for seed in [1, 42] {
        let live = history(seed, 150);
        let text = workload_text(seed, Profile::Kornsole, Duration::from_secs(150)).expect("the demo starts");
        let reading = scenario::read(&text);
        assert_eq!(reading.faults, []);
        let scenario = reading.scenario.expect("a text without faults is a scenario");
        let config = scenario.embedded_config(Profile::Kornsole).expect("it is in the text");
        let mut printed = History::default();
        scenario::run(&scenario, config, Profile::Kornsole, &mut printed).expect("it goes to memory");
        let printed = printed.take();
        let parts = live.iter().zip(&printed).position(|(live, printed)| live != printed);
        assert_eq!((parts, live.len()), (None, printed.len()), "seed {seed}");
        assert!(live.len() > 500);
        let reloads = scenario.steps.iter().filter(|step| matches!(step.kind, StepKind::Config(_)));
        assert!(reloads.count() >= 1, "the queue that goes is written down, too");
    }
}

#[test]
fn a_scenario_on_the_engine_has_the_same_result_as_a_run() {
    for name in share::part_of(vec!["mix-001", "mix-003", "priority-003", "quota-000", "reload-002"], 2) {
        let file = format!("{}/tests/conformance/scenarios/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(file).expect("the recordings are there");
        let scenario = scenario::read(&text).scenario.expect("a recorded scenario reads");
        let config = scenario.embedded_config(Profile::Kornsole).expect("it brings its configuration");
        let mut run = History::default();
        scenario::run(&scenario, config.clone(), Profile::Kornsole, &mut run).expect("it goes to memory");

        let config = Arc::new(config.config.expect("it is valid"));
        let history = History::default();
        let steps = Noted(ScenarioWorkload::new(scenario, Profile::Kornsole), history.clone());
        let mut core = Core::new(Profile::Kornsole, config, Some(Box::new(steps))).expect("it is accepted");
        run_until(&mut core, 3600);
        let (run, engine) = (run.take(), history.take());
        assert!(!run.is_empty());
        // After the last step the engine schedules freely.
        assert_eq!(engine[..run.len().min(engine.len())], run, "{name}");
    }
}

#[test]
fn every_scenario_can_be_written_and_read_again() {
    for path in share::recorded_scenarios() {
        let text = std::fs::read_to_string(&path).expect("it is readable");
        // No recording has request tags.
        let text = text.replace(", resource: {", ", tags: {pod: 'a b', true: 'no'}, resource: {");
        let first = scenario::read(&text).scenario.expect("a recorded scenario reads");
        let steps = |scenario: &scenario::Scenario| -> Vec<String> {
            let shown = |step: &scenario::ScenarioStep| match &step.kind {
                StepKind::Config(text) => text.text().to_owned(),
                kind => format!("{kind:?}"),
            };
            scenario.steps.iter().map(shown).collect()
        };
        let text = scenario_text("again", "", "", first.steps.iter().map(|step| &step.kind));
        let reading = scenario::read(&text);
        assert_eq!(reading.faults, [], "{}", path.display());
        assert_eq!(steps(&reading.scenario.expect("no faults")), steps(&first), "{}", path.display());
    }
}

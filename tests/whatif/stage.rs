use std::sync::Arc;

use ::scenario::{self, Runner, Silent};
use forecast::whatif::{Arrivals, Bounds, Change, Fork, LONG_WAIT, Pace, Pair, Plan, Span, Step, run};
use model::Profile;

pub const BOUNDS: Bounds = Bounds { cycles: 100_000, trace_lines: 10_000 };

/// `a` has one running and one pending application.
pub const CONFIG: &str = "partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: a
            resources: {max: {vcore: 2}}
          - name: b
";

pub const STEPS: &str = "
  - node: {id: n1, capacity: {vcore: 8, memory: 8G}}
  - submit: {app: one, queue: root.a, user: sue}
  - ask: {app: one, id: x, count: 2, resource: {vcore: 1}}
  - schedule: idle
  - submit: {app: two, queue: root.a, user: joe}
  - ask: {app: two, id: y, count: 4, resource: {vcore: 1}}
  - schedule: idle
";

/// A runner after the steps of a scenario.
pub fn runner(profile: Profile, config: &str, steps: &str) -> Runner {
    let indented: String = config.lines().map(|line| format!("  {line}\n")).collect();
    let text = format!("version: 1\nconfig: |\n{indented}steps:{steps}");
    let reading = scenario::read(&text);
    let scenario = reading.scenario.unwrap_or_else(|| panic!("{:?}", reading.faults));
    let mut runner = Runner::new(profile);
    let config = scenario.embedded_config(profile).unwrap();
    runner.run(&scenario, config, &mut Silent).unwrap();
    runner
}

pub fn fork_of(runner: &Runner, config: &str) -> Fork {
    let now = runner.now();
    Fork::of(runner.scheduler(), None, (now, Pace::initial(now)), Some(Arc::from(config)), usize::MAX).unwrap()
}

pub fn fork() -> Fork {
    fork_of(&runner(Profile::Kornsole, CONFIG, STEPS), CONFIG)
}

pub fn plan(changes: &[&str], span: Span) -> Plan {
    let steps = changes.iter().map(|text| Step::Change(text.parse::<Change>().unwrap())).collect();
    Plan {
        steps,
        span,
        runtimes: Vec::new(),
        seed: None,
        arrivals: Arrivals::default(),
        long_wait: LONG_WAIT,
        node_groups: Vec::new(),
    }
}

pub fn tried(changes: &[&str], span: Span) -> Pair {
    run(&fork(), &plan(changes, span), BOUNDS, &|| true).unwrap()
}

//! The Multitenancy example (EX-01): allocations and priorities after each step.

use ::scenario::{self, Runner, Scenario, ScenarioStep, Sink, StepKind, Trace};
use model::{Priority, Profile};
use scheduler::{Event, EventKind, Scheduler};

const TEXT: &str = include_str!("../scenarios/multitenancy.yaml");

const QUEUES: [&str; 12] = [
    "root",
    "root.system",
    "root.system.system-normal",
    "root.system.system-high",
    "root.system.system-low",
    "root.tenants",
    "root.tenants.tenant-a",
    "root.tenants.tenant-a.child-a-1",
    "root.tenants.tenant-a.child-a-2",
    "root.tenants.tenant-b",
    "root.tenants.tenant-b.child-b-1",
    "root.tenants.tenant-b.child-b-2",
];

/// The allocation, then the priorities; `-` without requests.
const TABLE: &str = "\
step  allocated   root system normal  high   low tenants    a  a-1  a-2    b  b-1  b-2
asked .           1001   1001     10  1001  -997       0   10    8    6    0    9    8
1     high-p1       10     10     10     -  -997       0   10    8    6    0    9    8
2     normal-p10     2      2      2     -  -997       0   10    8    6    0    9    8
3     normal-p2      0   -997      -     -  -997       0   10    8    6    0    9    8
4     a-1-p8         0   -997      -     -  -997       0   10    5    6    0    9    8
5     a-2-p6         0   -997      -     -  -997       0   10    5    4    0    9    8
6     a-1-p5         0   -997      -     -  -997       0   10    -    4    0    9    8
7     a-2-p4         0   -997      -     -  -997       0    -    -    -    0    9    8
8     b-1-p9         0   -997      -     -  -997       0    -    -    -    0    7    8
9     b-2-p8         0   -997      -     -  -997       0    -    -    -    0    7    -
10    b-1-p7      -997   -997      -     -  -997       -    -    -    -    -    -    -
11    low-p3         -      -      -     -     -       -    -    -    -    -    -    -
12    .              -      -      -     -     -       -    -    -    -    -    -    -
";

#[derive(Default)]
struct Allocated(Vec<String>);

impl Sink for Allocated {
    fn events(&mut self, _step: i64, events: &[Event]) -> std::io::Result<()> {
        let asks = events.iter().filter_map(|event| match &event.kind {
            EventKind::Allocated { ask, .. } => Some(ask.to_string()),
            _ => None,
        });
        self.0.extend(asks);
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> std::io::Result<()> {
        Ok(())
    }
}

fn example() -> Scenario {
    let reading = scenario::read(TEXT);
    assert_eq!(reading.faults, []);
    reading.scenario.expect("a file without faults is a scenario")
}

fn priorities(scheduler: &Scheduler) -> Vec<String> {
    let queues = &scheduler.partitions()[0].queues;
    let of = |path: &&str| queues[queues.find_text(path).expect("the queue is configured")].current_priority();
    QUEUES.iter().map(|path| of(path).to_string()).collect()
}

fn allocates(step: &ScenarioStep) -> bool {
    matches!(step.kind, StepKind::Schedule(_))
}

#[test]
fn every_step_of_the_table_under_every_profile() {
    for profile in Profile::ALL {
        let example = example();
        let mut runner = Runner::new(profile);
        let config = example.embedded_config(profile).expect("the example brings its configuration");
        runner.load(config, &mut Allocated::default()).expect("nothing is written");
        let mut rows = TABLE.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
        let mut expect = |allocated: &[String], scheduler: &Scheduler| {
            let row = rows.next().expect("the table has a row for each step");
            let message = if allocated.is_empty() { "." } else { &allocated.join(",") };
            assert_eq!(
                (row[1], &row[2..]),
                (message, &priorities(scheduler).iter().map(String::as_str).collect::<Vec<_>>()[..]),
                "{profile}, step {}",
                row[0]
            );
        };
        let first = example.steps.iter().position(allocates).expect("the example schedules");
        for (index, step) in example.steps.iter().enumerate() {
            let mut allocated = Allocated::default();
            runner.step(step, &mut allocated).expect("nothing is written");
            if matches!(&step.kind, StepKind::Snapshot(label) if label == "empty") {
                let none = Priority::MIN.to_string();
                assert_eq!(priorities(runner.scheduler()), [none.as_str(); 12], "before any ask");
            }
            if index + 1 == first || allocates(step) {
                expect(&allocated.0, runner.scheduler());
            }
        }
        assert_eq!(rows.next(), None, "{profile}: the table was walked to its end");
    }
}

#[test]
fn the_trace_of_the_example() {
    let example = example();
    let config = example.embedded_config(Profile::Kornsole).expect("the example brings its configuration");
    let mut trace = Trace::new(Vec::new());
    scenario::run(&example, config, Profile::Kornsole, &mut trace).expect("writing to memory");
    let trace = String::from_utf8(trace.finish().expect("writing to memory")).expect("JSON is UTF-8");
    insta::assert_snapshot!(trace);
}

//! Situations from scenarios: exactly one rule alerts, once.

use std::sync::Arc;
use std::time::Duration;

use ::alerts::alerting::Board;
use ::alerts::{ChangeKind, read};
use ::scenario::{self, ScenarioWorkload};
use engine::Core;
use model::{Profile, Time};
use source::Stepped;

use super::common::{about, user};

const CONFIG: &str = "
  partitions:
    - name: default
      queues:
        - name: root
          submitacl: '*'
          queues:
            - name: a
              resources: {guaranteed: {vcore: 4}}
            - name: b
            - name: p
              resources: {guaranteed: {vcore: 4}}
              queues:
                - name: c
                  resources: {guaranteed: {vcore: 4}}
            - name: l
              maxapplications: 1
              limits:
                - limit: sue
                  users: [sue]
                  maxresources: {vcore: 2}
                - limit: dev
                  groups: [dev]
                  maxresources: {vcore: 4}
            - name: m
              resources: {max: {vcore: 2}}
";
fn without_b() -> String {
    CONFIG.replace("            - name: b\n", "")
}

pub const NODES: &str = "- node: {id: n1, capacity: {vcore: 4}}\n- node: {id: n2, capacity: {vcore: 4}}\n";

fn app(name: &str, queue: &str, user: &str, count: u32, cores: u32) -> String {
    format!(
        "- submit: {{app: {name}, queue: root.{queue}, user: {user}, groups: [{user}s]}}\n\
         - ask: {{app: {name}, id: {name}-ask, resource: {{vcore: {cores}}}, count: {count}}}\n\
         - schedule: idle\n"
    )
}

pub fn pass(minutes: u32) -> String {
    format!("- advance: {minutes}m\n")
}

fn reload(text: &str) -> String {
    let indented: String = text.lines().map(|line| format!("    {line}\n")).collect();
    format!("- config: |\n{indented}")
}

/// Returns a scheduler that runs a scenario with the default rules and `rules`.
pub fn source(rules: &str, steps: &str) -> (Stepped, Arc<Board>) {
    let text = format!("version: 1\nname: situation\nconfig: |\n{CONFIG}steps:\n{steps}");
    let reading = scenario::read(&text);
    let scenario = reading.scenario.unwrap_or_else(|| panic!("{:?}\n{text}", reading.faults));
    let own = scenario.config_text().map(|text| text.to_string()).unwrap_or_default();
    let config = config::read(&own, Profile::Kornsole);
    let config = Arc::new(config.config.unwrap_or_else(|| panic!("{:?}", config.faults)));
    let workload = Box::new(ScenarioWorkload::new(scenario, Profile::Kornsole));
    let core = Core::new(Profile::Kornsole, config, Some(workload)).unwrap();
    let rules = read(rules);
    let rules = Arc::new(rules.rules.unwrap_or_else(|| panic!("{:?}", rules.faults)));
    let board = Arc::new(Board::new("test", rules, None, Time::ZERO, Vec::new()));
    (Stepped::new(core, about("test"), user("ann").scheduler_admin(true)).with_alerts(Arc::clone(&board)), board)
}

/// `+` is firing, `-` is resolved.
fn reported(rules: &str, steps: &str, minutes: u64) -> Vec<String> {
    let (source, board) = source(rules, steps);
    let (mut seen, mut all) = (0, Vec::new());
    for _ in 0..minutes * 12 {
        source.advance(Duration::from_secs(5));
        let snapshot = board.snapshot();
        for change in snapshot.recent.iter().filter(|change| change.number >= seen) {
            let symbol = if change.kind == ChangeKind::Firing { '+' } else { '-' };
            all.push(format!("{symbol}{}", change.alert.title()));
        }
        seen = snapshot.next_change;
    }
    all
}

struct Situation(&'static str, &'static str, String, u64, &'static [&'static str]);

const EXPRESSION: &str =
    "[[rule]]\nname = 'slow'\nkind = 'expression'\nwhen = 'queue.waiting.p95 > 20m'\nqueues = ['root.b']\n";
const MAXIMUM: &str = "[[rule]]\nname = 'full'\nkind = 'maximum'\nat = 90\nfor = '10m'\n";
const HALF: &str = "[[rule]]\nname = 'half'\nkind = 'expression'\nwhen = 'cluster.use.cpu / cluster.maximum.cpu >= 50%'\n\
                    until = 'cluster.use.cpu / cluster.maximum.cpu < 20%'\nfor = '5m'\n";
const QUIET: &str = "[[rule]]\nname = 'node-lost'\nenabled = false\n";
const SHORT: &str = "[[rule]]\nname = 'node-lost'\nwithin = '5m'\n";
const EXCEPT: &str = "[[rule]]\nname = 'queue-starves'\nexcept = ['root.a']\n";

fn nodes() -> Vec<Situation> {
    let full = || NODES.to_owned() + &app("busy", "b", "bob", 8, 1);
    vec![
        Situation("nothing happens", "", NODES.to_owned(), 90, &[]),
        Situation("all is in use and nothing waits", "", full(), 90, &[]),
        Situation("a node is lost", "", full() + &pass(5) + "- removeNode: n2\n", 30, &["+node-lost: node n2"]),
        Situation(
            "a lost node is gone for good after its span",
            SHORT,
            NODES.to_owned() + &pass(5) + "- removeNode: n2\n",
            60,
            &["+node-lost: node n2", "-node-lost: node n2"],
        ),
        Situation(
            "a node is drained before it goes",
            "",
            full() + &pass(5) + "- drainNode: n2\n" + &pass(1) + "- removeNode: n2\n",
            60,
            &[],
        ),
        Situation("a node is drained", "", full() + &pass(5) + "- drainNode: n2\n", 60, &[]),
        Situation(
            "half of the nodes take nothing for more than an hour",
            "",
            full() + &pass(5) + "- drainNode: n2\n" + &pass(80) + "- resumeNode: n2\n",
            100,
            &["+nodes-closed: cluster", "-nodes-closed: cluster"],
        ),
        Situation(
            "a node is lost and comes back",
            "",
            NODES.to_owned() + &pass(5) + "- removeNode: n2\n" + &pass(3) + "- node: {id: n2, capacity: {vcore: 4}}\n",
            60,
            &["+node-lost: node n2", "-node-lost: node n2"],
        ),
        Situation(
            "both nodes are lost",
            "",
            NODES.to_owned() + &pass(5) + "- removeNode: n2\n- removeNode: n1\n",
            30,
            &["+node-lost: node n1", "+node-lost: node n2"],
        ),
        Situation("a rule that is taken away", QUIET, NODES.to_owned() + &pass(5) + "- removeNode: n2\n", 30, &[]),
        Situation(
            "a lost node makes a queue starve: the node alerts, the queue does not",
            "",
            NODES.to_owned()
                + &app("own", "a", "ann", 4, 1)
                + &app("busy", "b", "bob", 4, 1)
                + &pass(5)
                + "- removeNode: n1\n"
                + &app("more", "a", "ann", 4, 1),
            50,
            &["+node-lost: node n1"],
        ),
    ]
}

fn queues() -> Vec<Situation> {
    let taken = || NODES.to_owned() + &app("busy", "b", "bob", 8, 1) + &pass(1);
    let starved = || taken() + &app("poor", "a", "ann", 2, 1);
    vec![
        Situation("a queue starves", "", starved(), 60, &["+queue-starves: queue root.a"]),
        Situation(
            "a queue starves for less than its time",
            "",
            starved() + &pass(10) + "- remove: {app: busy}\n",
            60,
            &[],
        ),
        Situation(
            "a queue starves until there is room",
            "",
            starved() + &pass(30) + "- remove: {app: busy}\n",
            60,
            &["+queue-starves: queue root.a", "-queue-starves: queue root.a"],
        ),
        Situation("a queue that starves and is left out by the rule", EXCEPT, starved(), 60, &[]),
        Situation("a queue is below its guarantee and requests nothing", "", taken(), 60, &[]),
        Situation(
            "of queues inside each other the deepest alerts",
            "",
            taken() + &app("deep", "p.c", "ann", 2, 1),
            60,
            &["+queue-starves: queue root.p.c"],
        ),
        Situation(
            "two queues starve",
            "",
            starved() + &app("deep", "p.c", "ann", 2, 1),
            60,
            &["+queue-starves: queue root.a", "+queue-starves: queue root.p.c"],
        ),
        Situation(
            "a queue without a guarantee waits for an hour",
            "",
            taken() + &app("late", "b", "ann", 2, 1),
            60,
            &[],
        ),
    ]
}

fn waits() -> Vec<Situation> {
    let taken = || NODES.to_owned() + &app("busy", "b", "bob", 8, 1) + &pass(1);
    vec![
        Situation(
            "a queue waits for more than four hours",
            "",
            taken() + &app("late", "b", "ann", 2, 1),
            300,
            &["+queue-waits: queue root.b"],
        ),
        Situation(
            "what waited for long is served",
            "",
            taken() + &app("late", "b", "ann", 2, 1) + &pass(260) + "- remove: {app: busy}\n",
            300,
            &["+queue-waits: queue root.b", "-queue-waits: queue root.b"],
        ),
        Situation(
            "an expression over a queue",
            EXPRESSION,
            taken() + &app("late", "b", "ann", 2, 1),
            60,
            &["+slow: queue root.b"],
        ),
        Situation("an expression of another queue", EXPRESSION, taken() + &app("late", "m", "ann", 2, 1), 60, &[]),
        Situation(
            "an expression with a second threshold",
            HALF,
            NODES.to_owned()
                + &app("one", "b", "ann", 3, 1)
                + &app("two", "b", "bob", 3, 1)
                + &pass(10)
                + "- remove: {app: one}\n"
                + &pass(30)
                + "- remove: {app: two}\n",
            90,
            &["+half: cluster", "-half: cluster"],
        ),
        Situation(
            "a queue is at its maximum and asks for more",
            MAXIMUM,
            NODES.to_owned() + &app("m", "m", "ann", 4, 1),
            60,
            &["+full: queue root.m"],
        ),
        Situation(
            "a queue is at its maximum and asks for more for more than two hours",
            "",
            NODES.to_owned() + &app("m", "m", "ann", 4, 1),
            130,
            &["+queue-full: queue root.m"],
        ),
        Situation(
            "a queue is at its maximum and requests nothing",
            MAXIMUM,
            NODES.to_owned() + &app("m", "m", "ann", 2, 1),
            60,
            &[],
        ),
    ]
}

fn limits_and_drains() -> Vec<Situation> {
    vec![
        Situation(
            "a user is at a limit for an hour",
            "",
            NODES.to_owned() + &app("s", "l", "sue", 3, 1),
            90,
            &["+limit-near: user sue in root.l"],
        ),
        Situation(
            "a user is at a limit for half an hour",
            "",
            NODES.to_owned() + &app("s", "l", "sue", 3, 1) + &pass(30) + "- remove: {app: s}\n",
            90,
            &[],
        ),
        Situation("a user uses half of a limit", "", NODES.to_owned() + &app("s", "l", "sue", 1, 1), 90, &[]),
        Situation(
            "an application is held by a maximum of applications: it does not fit",
            "",
            NODES.to_owned() + &app("s", "l", "bob", 1, 1) + &app("t", "l", "ann", 1, 1),
            90,
            &[],
        ),
        Situation(
            "a queue drains for more than an hour",
            "",
            NODES.to_owned() + &app("x", "b", "bob", 1, 1) + &pass(1) + &reload(&without_b()),
            90,
            &["+queue-drains: queue root.b"],
        ),
        Situation(
            "a queue drains for half an hour",
            "",
            NODES.to_owned()
                + &app("x", "b", "bob", 1, 1)
                + &pass(1)
                + &reload(&without_b())
                + &pass(30)
                + "- remove: {app: x}\n",
            90,
            &[],
        ),
    ]
}

fn of_the_cluster() -> Vec<Situation> {
    // The scheduler rejects a leaf with applications that becomes a parent (CFG-110).
    let b = "            - name: b\n";
    let broken = CONFIG.replace(b, &format!("{b}              queues:\n                - name: d\n"));
    let used = || NODES.to_owned() + &app("x", "b", "bob", 1, 1) + &pass(1);
    let split = || NODES.to_owned() + &app("x", "b", "bob", 2, 3) + &pass(1);
    vec![
        Situation("a configuration is refused", "", used() + &reload(&broken), 30, &["+config-refused: configuration"]),
        Situation(
            "a configuration is refused twice",
            "",
            used() + &reload(&broken) + &pass(5) + &reload(&broken),
            30,
            &["+config-refused: configuration"],
        ),
        Situation(
            "a configuration is refused, and the next one is taken",
            "",
            used() + &reload(&broken) + &pass(5) + &reload(CONFIG),
            30,
            &["+config-refused: configuration", "-config-refused: configuration"],
        ),
        Situation(
            "an ask fits all nodes together and none alone",
            "",
            split() + &app("y", "b", "ann", 1, 2),
            60,
            &["+fragmentation: cluster"],
        ),
        Situation(
            "a new node ends the fragmentation",
            "",
            split() + &app("y", "b", "ann", 1, 2) + &pass(40) + "- node: {id: n3, capacity: {vcore: 4}}\n",
            60,
            &["+fragmentation: cluster", "-fragmentation: cluster"],
        ),
        Situation("an ask is larger than all that is free", "", split() + &app("y", "b", "ann", 1, 4), 60, &[]),
    ]
}

#[test]
fn every_rule_alerts_once_when_it_should_and_never_else() {
    let all: Vec<Situation> =
        [nodes(), queues(), waits(), limits_and_drains(), of_the_cluster()].into_iter().flatten().collect();
    assert!(all.len() >= 30, "{}", all.len());
    let mut wrong = Vec::new();
    for Situation(what, rules, steps, minutes, expected) in &all {
        let found = reported(rules, steps, *minutes);
        if found != *expected {
            wrong.push(format!("{what}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

use super::*;
use crate::{Trace, read};

const CONFIG: &str = "version: 1
config: |
  partitions:
    - name: default
      queues:
        - name: root
          submitacl: '*'
          adminacl: ' ops'
          queues:
            - name: a
            - name: b
";

fn trace(steps: &str) -> String {
    let reading = read(&format!("{CONFIG}steps:\n{steps}"));
    assert_eq!(reading.faults, []);
    let scenario = reading.scenario.unwrap();
    let config = scenario.embedded_config(Profile::Kornsole).unwrap();
    let mut trace = Trace::new(Vec::new());
    run(&scenario, config, Profile::Kornsole, &mut trace).unwrap();
    String::from_utf8(trace.finish().unwrap()).unwrap()
}

#[test]
fn reports_what_happens_and_skips_rejected_operations_without_a_line() {
    let trace = trace(
        "- node: {id: n1, capacity: {memory: 10, vcore: 4}}
- node: {id: n1, capacity: {memory: 10}}
- submit: {app: x, queue: root.a, user: sue}
- submit: {app: y, queue: root.none, user: sue}
- ask: {app: x, id: t, resource: {memory: 1}, count: 2}
- ask: {app: x, id: u, resource: {}}
- release: {app: x, id: nothing}
- schedule: idle
- kill: {app: x, as: {user: bob}}
- move: {app: x, to: root.b, as: {user: bob, groups: [ops]}}
- removeNode: n2
",
    );
    // The scheduler defines the wording of messages.
    let worded = |line: &str| match line.split_once(r#","message":""#) {
        Some((head, message)) => format!("{head}, {}", if message.len() > 2 { "why" } else { "no word" }),
        None => line.to_owned(),
    };
    let lines: Vec<String> = trace.lines().map(worded).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"step":-1,"event":"configAccepted"}
    {"step":0,"event":"nodeAccepted","node":"n1"}
    {"step":1,"event":"nodeRejected","node":"n1", why
    {"step":2,"event":"appAccepted","app":"x","queue":"root.a"}
    {"step":3,"event":"appRejected","app":"y", why
    {"step":5,"event":"askRejected","app":"x","ask":"u", why
    {"step":7,"event":"allocated","app":"x","ask":"t-1","node":"n1"}
    {"step":7,"event":"allocated","app":"x","ask":"t-2","node":"n1"}
    {"step":8,"event":"denied","app":"x", why
    {"step":9,"event":"moved","app":"x","queue":"root.b"}
    "#);
}

#[test]
fn releases_of_one_cause_are_ordered_by_application_then_ask() {
    let steps = "- node: {id: n1, capacity: {memory: 10}}
- submit: {app: b, queue: root.b, user: sue}
- submit: {app: a, queue: root.a, user: sue}
- ask: {app: b, id: t2, resource: {memory: 1}, priority: 5}
- ask: {app: b, id: t1, resource: {memory: 1}}
- ask: {app: a, id: t3, resource: {memory: 1}}
- schedule: idle
- removeNode: n1
";
    let trace = trace(steps);
    let released: Vec<&str> = trace.lines().filter(|line| line.contains("released")).collect();
    let line = |app, ask| format!(r#"{{"step":7,"event":"released","app":"{app}","ask":"{ask}","reason":"stopped"}}"#);
    assert_eq!(released, [line("a", "t3"), line("b", "t1"), line("b", "t2")]);
}

#[test]
fn a_kill_shows_the_queue_of_the_application_and_its_resources() {
    let trace = trace(
        "- node: {id: n1, capacity: {memory: 10}}
- submit: {app: x, queue: root.a, user: sue}
- ask: {app: x, id: t, resource: {memory: 1}}
- schedule: 1
- kill: {app: x, as: {user: kim, groups: [ops]}}
- kill: {app: x, as: {user: kim, groups: [ops]}}
",
    );
    let lines: Vec<&str> = trace.lines().skip(4).collect();
    assert_eq!(lines[0], r#"{"step":4,"event":"killed","app":"x","queue":"root.a"}"#);
    assert_eq!(lines[1], r#"{"step":4,"event":"released","app":"x","ask":"t","reason":"stopped"}"#);
    assert!(lines[2].contains(r#""event":"denied","app":"x""#), "{}", lines[2]);
}

#[test]
fn a_snapshot_shows_everything_without_zeros() {
    insta::assert_snapshot!(trace(
        "- node: {id: n1, capacity: {memory: 10, vcore: 4}, attributes: {zone: a}}
- submit: {app: \"quo\\\"te\", queue: root.a, user: sue}
- ask: {app: \"quo\\\"te\", id: t, resource: {memory: 1, gpu: 0}, count: 2}
- schedule: 1
- snapshot: one
"
    ));
}

#[test]
fn timers_fire_on_the_way_at_their_own_time() {
    let reading = read(&format!(
        "{CONFIG}steps:
- node: {{id: n1, capacity: {{memory: 10}}}}
- submit: {{app: x, queue: root.a, user: sue}}
- ask: {{app: x, id: t, resource: {{memory: 1}}}}
- schedule: 1
- release: {{app: x, id: t}}
- advance: 29999ms
- advance: 1ms
"
    ));
    let scenario = reading.scenario.unwrap();
    let mut runner = Runner::new(Profile::Kornsole);
    runner.load(scenario.embedded_config(Profile::Kornsole).unwrap(), &mut crate::Silent).unwrap();
    let mut states = Vec::new();
    for step in &scenario.steps {
        runner.step(step, &mut crate::Silent).unwrap();
        let partition = &runner.scheduler().partitions()[0];
        let live = partition.apps.iter().next().map(|(_, app)| app.state.name());
        states.push(live.or(partition.ended.front().map(|app| app.state.name())).unwrap_or("none"));
    }
    // The step after the release starts 1 ms later, so 29,999 ms more are 30 s.
    assert_eq!(states, ["none", "New", "Accepted", "Starting", "Completing", "Completed", "Completed"]);
    let ended = &runner.scheduler().partitions()[0].ended[0];
    assert_eq!(ended.finished, Some(Time::from_millis(5 + 30_000)));
    assert_eq!(runner.now(), Time::from_millis(7 + 30_000));
}

#[test]
fn a_refused_configuration_is_one_line_and_the_end() {
    let text = CONFIG.replace("name: b", "name: a");
    let scenario = read(&format!("{text}steps:\n- snapshot: never\n")).scenario.unwrap();
    let config = scenario.embedded_config(Profile::Kornsole).unwrap();
    assert_eq!(config.faults[0].at.line, 11);
    let mut trace = Trace::new(Vec::new());
    let outcome = run(&scenario, config, Profile::Kornsole, &mut trace).unwrap();
    assert_eq!(outcome, RunOutcome::Refused);
    let text = String::from_utf8(trace.finish().unwrap()).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert!(text.starts_with(r#"{"step":-1,"event":"configRejected","message":"11:"#), "{text}");
}

#[test]
fn a_refused_reload_is_a_line_and_not_the_end() {
    let trace = trace(
        "- config: |
    partitions: []
- config: |
    partitions:
      - name: default
        queues:
          - name: root
            queues:
              - name: c
- snapshot: end
",
    );
    let events: Vec<serde_json::Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["configAccepted", "configRejected", "configAccepted", "snapshot"]);
    assert_eq!(events[3]["queues"][1]["status"], "Draining");
}

#[test]
fn cycles_stop_at_the_limit_of_the_step() {
    let steps = |cycles: &str| {
        format!(
            "- node: {{id: n1, capacity: {{memory: 10}}}}
- submit: {{app: x, queue: root.a, user: sue}}
- ask: {{app: x, id: t, resource: {{memory: 3}}, count: 4}}
- schedule: {cycles}
"
        )
    };
    let allocated = |cycles| trace(&steps(cycles)).matches("allocated").count();
    assert_eq!([allocated("0"), allocated("2"), allocated("100"), allocated("idle")], [0, 2, 3, 3]);
}

#[test]
fn the_clock_stops_before_it_is_too_late_for_timers() {
    let mut steps = "- submit: {app: x, queue: root.none, user: sue}\n".to_owned();
    steps += &"- advance: 2500000h\n".repeat(1500);
    steps += "- submit: {app: y, queue: root.none, user: sue}\n- advance: 1s\n";
    assert_eq!(trace(&steps).lines().count(), 3);
}

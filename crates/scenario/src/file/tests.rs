use proptest::prelude::*;

use super::*;
use crate::reading::{read, read_bytes};
use config::{Severity, Source};
use model::{MEMORY, Priority, VCORE};
use scheduler::GangStyle;

fn steps(text: &str) -> Vec<StepKind> {
    let reading = read(&format!("version: 1\nsteps:\n{text}"));
    assert_eq!(reading.faults, []);
    reading.scenario.unwrap().steps.into_iter().map(|step| step.kind).collect()
}

fn report(text: &str) -> String {
    let reading = read(text);
    assert!(reading.scenario.is_none());
    Source::new("s.yaml", text).render_all(&reading.faults)
}

#[test]
fn reads_every_kind_of_step() {
    let steps = steps(
        "- node: {id: n1, capacity: {memory: 10G, vcore: 4}, attributes: {zone: a}}
- updateNode: {id: n1, capacity: {memory: 1}}
- removeNode: n1
- drainNode: n1
- resumeNode: n1
- submit: {app: a, user: sue}
- ask: {app: a, id: t, resource: {vcore: 500m}}
- schedule: 3
- schedule: idle
- release: {app: a, id: t}
- remove: {app: a}
- kill: {app: a, as: {user: kim, groups: [ops]}}
- move: {app: a, to: root.B, as: {user: kim}}
- config: |
    partitions: []
- clean: true
- advance: 1m30s
- snapshot: end
",
    );
    insta::assert_debug_snapshot!(steps);
}

#[test]
fn a_request_has_its_own_values_and_defaults_for_the_rest() {
    let [plain, full] = &steps(
        "- ask: {app: a, id: t, resource: {vcore: 1}}
- ask: {app: a, id: t, resource: {memory: 1Ki}, priority: -2147483648, count: 3, requiredNode: n1, allowPreemptSelf: true,
        allowPreemptOther: true, placeholder: true, taskGroup: tg, tags: {pod: a, app: 'x y'}}
",
    )[..] else {
        panic!("two steps")
    };
    let StepKind::Command(PartitionCommand::Ask(plain)) = plain else { panic!("an ask") };
    assert_eq!((plain.priority, plain.count, plain.required_node.as_ref()), (Priority(0), 1, None));
    assert_eq!(plain.resource.get(VCORE), Some(1000));
    let StepKind::Command(PartitionCommand::Ask(full)) = full else { panic!("an ask") };
    assert_eq!((full.priority, full.count), (Priority::MIN, 3));
    assert_eq!(full.resource.get(MEMORY), Some(1024));
    assert!(full.allow_preempt_self && full.allow_preempt_other && full.placeholder);
    assert_eq!(full.task_group.as_deref(), Some("tg"));
    assert!(full.tags.iter().eq([("app", "x y"), ("pod", "a")]) && plain.tags.is_empty());
}

#[test]
fn a_gang_s_total_is_given_or_the_sum_of_its_task_groups() {
    let groups = "taskGroups: [{name: a, minMember: 2, minResource: {memory: 3}}, {name: b, minResource: {memory: 5, vcore: 1}}]";
    let text = format!(
        "- submit: {{app: a, user: sue, type: spark, {groups}}}
- submit: {{app: b, user: sue, placeholder: {{memory: 7}}, gangStyle: Hard, placeholderTimeout: 10s, {groups}}}
"
    );
    let mut submissions = steps(&text).into_iter().map(|step| match step {
        StepKind::Command(PartitionCommand::Submit(submission)) => submission,
        other => panic!("{other:?}"),
    });
    let (sum, given) = (submissions.next().unwrap(), submissions.next().unwrap());
    assert_eq!(sum.placeholder_ask, [(MEMORY, 11), (VCORE, 1000)].into_iter().collect());
    assert_eq!(sum.tags["application.type"], "spark");
    assert_eq!(sum.who.groups, ["sue"]);
    assert_eq!(given.placeholder_ask, [(MEMORY, 7)].into_iter().collect());
    assert_eq!((given.gang_style, given.placeholder_timeout), (GangStyle::Hard, Some(Duration::from_secs(10))));
}

#[test]
fn every_fault_is_reported_at_its_place() {
    let text = "version: 2
nmae: x
config: a
configFile: b
steps:
- node: {id: '', capacity: {memory: 10Gb, vcore: -1, gpu: 99999999999999999999}}
- submit: {user: sue, groups: sue, gangStyle: soft, placeholderTimeout: 10}
- ask: {app: a, id: t, resource: {}, priority: 3000000000, count: 0, taskgroup: x}
-
- {}
- schedule: forever
- release: {app: a}
  remove: {app: b}
- kill: {app: a}
- advance: 5 minutes
- clean: no
- reboot: n1
- [a]
- config: {partitions: []}
- move: {app: a, to: root.a, as: {groups: [x]}}
- drainNode:
";
    insta::assert_snapshot!(report(text));
}

#[test]
fn what_is_no_scenario_at_all_is_reported() {
    assert!(report("").contains("SCN-002"));
    assert!(report("- node").contains("SCN-002"));
    assert!(report("steps: [").contains("SCN-001"));
    assert!(report("steps: {}").contains("1:8: error[SCN-005]"));
    let reading = read_bytes(b"version: 1\n\xff");
    assert_eq!(reading.faults[0].at, Place { line: 2, column: 1 });
}

#[test]
fn a_kubernetes_object_is_named_with_the_option_that_reads_it() {
    let words = report("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: pt}\n");
    assert!(
        words.contains("1:1: error[SCN-002]: the file is a Kubernetes object (PyTorchJob), not a scenario"),
        "{words}"
    );
    assert!(!words.contains("SCN-003"), "{words}");
    let reading = read("apiVersion: v1\nkind: Pod\n");
    assert!(reading.faults[0].hint.contains("run --from-manifests FILE"));
}

#[test]
fn an_embedded_configuration_has_its_location() {
    let reading = read("version: 1\nconfig: |\n  partitions:\n    - name: default\nsteps: []\n");
    let Some(ConfigSource::Text(text)) = reading.scenario.unwrap().config else { panic!("a text") };
    assert_eq!(text.text(), "partitions:\n  - name: default\n");
    assert_eq!(text.outer(Place { line: 2, column: 5 }), Place { line: 4, column: 7 });
}

fn any_words() -> impl Strategy<Value = String> {
    const WORDS: [&str; 37] = [
        "version",
        "steps",
        "config",
        "submit",
        "ask",
        "node",
        "schedule",
        "idle",
        "app",
        "id",
        "capacity",
        "resource",
        "as",
        "taskGroups",
        "advance",
        "1",
        "-9223372036854775808",
        "99999999999999999999h",
        "10G",
        "~",
        "\n",
        "\n  ",
        "\n- ",
        "\n  - ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "|\n",
        "*a",
        "&a ",
        "<<",
        "'",
        "\u{0}",
        "é",
    ];
    prop::collection::vec(prop::sample::select(&WORDS[..]), 0..60).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_a_scenario_or_has_a_fault(words in any_words()) {
        let (step, ask) = (format!("steps:\n- {words}"), format!("steps:\n- ask: {{app: a, {words}}}\n"));
        for text in [words, step, ask] {
            let reading = read(&text);
            let errors = reading.faults.iter().filter(|fault| fault.severity == Severity::Error).count();
            prop_assert_eq!(reading.scenario.is_none(), errors > 0, "{}", text);
            for fault in &reading.faults {
                prop_assert!(fault.code.starts_with("SCN-") && !fault.message.is_empty(), "{:?}", fault);
                prop_assert!(Source::new("f", &text).render(fault).starts_with("f:"));
            }
        }
    }
}

#[test]
fn a_scenario_above_the_bound_of_a_configuration_is_read_and_its_progress_reported() {
    let steps: String = (0..20_000).map(|at| format!("  - advance: {}ms\n", at % 7 + 1)).collect();
    let filler = "# filler\n".repeat(config::yaml::LARGEST / 9 + 1);
    let text = format!(
        "version: 1\nconfig: |\n  partitions:\n    - name: default\n      queues:\n        - name: root\nsteps:\n{steps}{filler}"
    );
    assert!(text.len() > config::yaml::LARGEST);
    let mut seen = Vec::new();
    let reading = crate::read_bytes_with(text.as_bytes(), &mut |read| seen.push(read));
    assert!(reading.scenario.is_some(), "{:?}", reading.faults.first());
    assert!(!seen.is_empty() && seen.is_sorted() && *seen.last().unwrap() <= text.len(), "{seen:?}");
}

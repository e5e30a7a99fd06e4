use super::{faults, notices, pods};

fn flow(spec: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {{generateName: wf-, namespace: ci}}\nspec:\n  entrypoint: main\n{spec}"
    )
}

const ECHO: &str = "  - {name: echo, container: {image: x, resources: {requests: {cpu: 250m, memory: 64Mi}}}}\n";

#[test]
fn one_container_with_the_labels_of_the_workflow() {
    let spec = "  schedulerName: yunikorn\n  podMetadata: {labels: {applicationId: ci-1, queue: root.ci}}\n  podPriorityClassName: x\n  templates:\n  - {name: main, metadata: {labels: {queue: root.own}}, container: {image: x, resources: {limits: {cpu: 1}}}}\n";
    assert_eq!(pods(&flow(spec)), ["ci/wf-00001-main-0 root.own ci-1 1000m 0Mi 0 yunikorn"]);
}

#[test]
fn steps_and_tasks_with_their_loops() {
    let steps = format!(
        "  templates:\n  - name: main\n    steps:\n    - - {{name: a, template: echo}}\n    - - {{name: b, template: echo, withItems: [1, 2, 3]}}\n      - {{name: c, template: inner}}\n  \
         - name: inner\n    dag:\n      tasks:\n      - {{name: d, template: echo}}\n      - {{name: e, template: echo, withSequence: {{count: '4'}}}}\n      - {{name: f, template: wait}}\n  - {{name: wait, suspend: {{}}}}\n{ECHO}"
    );
    assert_eq!(pods(&flow(&steps)).len(), 1 + 3 + 1 + 4);
    assert!(notices(&flow(&steps)).contains("all steps are scheduled at the same time"));
    let inline = "  templates:\n  - name: main\n    steps:\n    - - {name: a, inline: {script: {image: x, resources: {requests: {cpu: 2}}}}}\n";
    assert!(pods(&flow(inline))[0].contains(" 2000m "));
    let exit = format!("  onExit: echo\n  templates:\n  - {{name: main, container: {{image: x}}}}\n{ECHO}");
    assert_eq!(pods(&flow(&exit)).len(), 2);
}

#[test]
fn templates_of_other_objects() {
    let template = format!(
        "---\napiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nmetadata: {{name: shared, namespace: ci}}\nspec:\n  entrypoint: echo\n  templates:\n{ECHO}"
    );
    let reference = "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: w, namespace: ci}\nspec: {workflowTemplateRef: {name: shared}}\n";
    assert!(pods(&format!("{reference}{template}"))[0].starts_with("ci/w-echo-0 - yunikorn-ci-autogen 250m 64Mi"));
    assert!(notices(reference).contains("WorkflowTemplate shared is not in the manifests"));
    let step = "  templates:\n  - name: main\n    steps: [[{name: a, templateRef: {name: shared, template: echo}}]]\n";
    assert_eq!(
        pods(&format!("{}{template}", flow(step))),
        ["ci/wf-00001-shared-echo-0 - yunikorn-ci-autogen 250m 64Mi 0 yunikorn"]
    );
    // A template of the same name in the workflow is a different one.
    let own = step.to_owned() + "  - {name: echo, container: {image: x, resources: {requests: {cpu: 9}}}}\n";
    assert!(pods(&format!("{}{template}", flow(&own)))[0].contains(" 250m "));
    let cron = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\nmetadata: {{name: n, namespace: ci}}\nspec:\n  schedule: '* * * * *'\n  workflowSpec:\n    entrypoint: echo\n    templates:\n  {}",
        ECHO
    );
    assert_eq!(pods(&cron).len(), 1);
}

#[test]
fn templates_that_call_each_other_end() {
    let again = format!(
        "  templates:\n  - name: main\n    steps: [[{{name: a, template: echo}}], [{{name: b, template: main}}]]\n{ECHO}"
    );
    assert_eq!(pods(&flow(&again)).len(), 1);
    assert!(notices(&flow(&again)).contains("template main calls itself"));
    // 2^60 calls are counted, not followed.
    let double = |number: u32| {
        format!(
            "  - {{name: t{number}, steps: [[{{name: a, template: t{n}}}, {{name: b, template: t{n}}}]]}}\n",
            n = number + 1
        )
    };
    let doubled: String = (0..60).map(double).collect();
    let bomb = format!("  templates:\n{doubled}{}", ECHO.replace("echo", "t60")).replace("t0,", "main,");
    assert!(faults(&flow(&bomb)).contains("cannot create 1152921504606846976 pods"), "{}", faults(&flow(&bomb)));
    let chain: String = (0..10_000)
        .map(|number| format!("  - {{name: t{number}, steps: [[{{name: a, template: t{}}}]]}}\n", number + 1))
        .collect();
    let fault = faults(&flow(&format!("  templates:\n{}", chain.replacen("t0,", "main,", 1))));
    assert!(fault.contains("cannot follow more than 100 templates"), "{fault}");
    let missing = "  templates:\n  - name: main\n    steps: [[{name: a, template: nowhere}]]\n";
    assert!(
        faults(&flow(missing))
            .contains("Workflow ci/wf-00001: spec.templates[0].steps[0][0]: template \"nowhere\" not found")
    );
}

fn creates(name: &str, cpu: &str, count: &str) -> String {
    format!(
        "  - name: {name}\n    inputs: {{parameters: [{{name: cpu, default: 250m}}]}}\n    resource:\n      action: create\n      manifest: |\n        \
         apiVersion: batch/v1\n        kind: Job\n        metadata:\n          generateName: train-\n          namespace: ml\n        spec:\n          parallelism: {count}\n          \
         completions: {count}\n          template:\n            metadata: {{labels: {{applicationId: train, queue: root.ml}}}}\n            spec:\n              containers:\n              \
         - {{name: c, resources: {{requests: {{cpu: '{cpu}'}}}}}}\n"
    )
}

#[test]
fn the_objects_that_a_resource_template_creates() {
    let plain = format!("  templates:\n{}", creates("main", "500m", "2"));
    assert_eq!(
        pods(&flow(&plain)),
        [
            "ci/wf-00001-main-0 - yunikorn-ci-autogen 0m 0Mi 0 yunikorn",
            "ml/train-0 root.ml train 500m 0Mi 0 yunikorn",
            "ml/train-1 root.ml train 500m 0Mi 0 yunikorn"
        ]
    );
    let cores = |text: &str| -> Vec<String> {
        pods(text).iter().filter_map(|line| line.split(' ').nth(3).map(str::to_owned)).collect()
    };
    let by_default = format!("  templates:\n{}", creates("main", "{{inputs.parameters.cpu}}", "1"));
    assert_eq!(cores(&flow(&by_default)), ["0m", "250m"]);
    let call = |value: &str| {
        format!(
            "  arguments: {{parameters: [{{name: size, value: 3}}]}}\n  templates:\n  - name: main\n    steps: [[{{name: a, template: job, withItems: [1, 2], arguments: {{parameters: [{{name: cpu, value: '{value}'}}]}}}}]]\n{}",
            creates("job", "{{inputs.parameters.cpu}}", "1")
        )
    };
    assert_eq!(cores(&flow(&call("{{workflow.parameters.size}}"))), ["0m", "0m", "3000m", "3000m"]);
    // A number of pods that only the run knows.
    let unknown = format!("  templates:\n{}", creates("main", "1", "{{steps.a.outputs.result}}"));
    assert_eq!(cores(&flow(&unknown)), ["0m"]);
    assert!(notices(&flow(&unknown)).contains("the manifest of template main depends on parameters"));
    let deleted = plain.replace("action: create", "action: delete");
    assert_eq!(cores(&flow(&deleted)).len(), 1);
    let wrong = plain.replace("parallelism: 2", "parallelism: x");
    let fault = faults(&flow(&wrong));
    assert!(fault.contains("templates[0].resource.manifest: spec.parallelism: expected an integer"), "{fault}");
}

#[test]
fn patches_and_defaults_of_templates_change_their_pods() {
    let patched = |patch: &str| {
        format!(
            "  arguments: {{parameters: [{{name: cpu, value: 1500m}}]}}\n  templateDefaults: {{container: {{resources: {{requests: {{memory: 1Gi}}}}}}}}\n  templates:\n  \
             - name: main\n    podSpecPatch: '{patch}'\n    container: {{image: x}}\n"
        )
    };
    let json = r#"{"containers": [{"name": "main", "resources": {"limits": {"cpu": "{{workflow.parameters.cpu}}"}}}]}"#;
    assert_eq!(pods(&flow(&patched(json))), ["ci/wf-00001-main-0 - yunikorn-ci-autogen 1500m 1024Mi 0 yunikorn"]);
    let unknown = json.replace("workflow.parameters.cpu", "inputs.parameters.size");
    assert!(pods(&flow(&patched(&unknown)))[0].contains(" 0m 1024Mi "));
    assert!(notices(&flow(&patched(&unknown))).contains("podSpecPatch of template main depends on parameters"));
    let fault = faults(&flow(&patched("[1]")));
    assert!(fault.contains("podSpecPatch: expected a map"), "{fault}");
}

#[test]
fn a_dag_runs_its_targets_and_what_they_depend_on() {
    let dag = |target: &str| {
        format!(
            "  arguments: {{parameters: [{{name: t, value: B}}]}}\n  templates:\n  - name: main\n    dag:\n      {target}\n      tasks:\n      \
             - {{name: A, template: echo}}\n      - {{name: B, depends: A.Succeeded, template: echo}}\n      - {{name: C, dependencies: [A], template: echo}}\n      \
             - {{name: D, depends: '(B && !C.Failed)', template: echo}}\n      - {{name: E, depends: C, template: echo}}\n{ECHO}"
        )
    };
    let count = |target: &str| pods(&flow(&dag(target))).len();
    assert_eq!(count("failFast: true"), 5);
    assert_eq!(count("target: E"), 3);
    assert_eq!(count("target: A"), 1);
    assert_eq!(count("target: D"), 4);
    assert_eq!(count("target: B E"), 4);
    assert_eq!(count("target: ''"), 5);
    assert_eq!(count("target: '{{workflow.parameters.t}}'"), 2);
    assert_eq!(count("target: '{{inputs.parameters.none}}'"), 5);
    assert!(notices(&flow(&dag("target: '{{inputs.parameters.none}}'"))).contains("at most these pods"));
    let fault = faults(&flow(&dag("target: F")));
    assert!(fault.contains("spec.templates[0].dag.target: task \"F\" not found"), "{fault}");
}

#[test]
fn a_condition_that_is_false_leaves_its_step_out() {
    let step = |when: &str| {
        flow(&format!(
            "  arguments: {{parameters: [{{name: env, value: prod}}]}}\n  templates:\n  - name: main\n    steps: [[{{name: a, template: echo, when: {when}}}]]\n{ECHO}"
        ))
    };
    assert_eq!(
        notices(&step("'false'")),
        "Workflow ci/wf-00001: creates no pods: its conditions and loops leave out all steps"
    );
    for (when, count) in [
        ("'false'", 0),
        ("'true'", 1),
        ("'{{workflow.parameters.env}} == prod'", 1),
        ("'{{workflow.parameters.env}} == dev'", 0),
        ("'{{steps.b.outputs.result}} == dev'", 1),
    ] {
        let is_known = !when.contains("outputs");
        assert_eq!(pods(&step(when)).len(), count, "{when}");
        assert_eq!(notices(&step(when)).contains("the workflow creates at most these pods"), !is_known, "{when}");
    }
}

#[test]
fn loops_over_known_parameters_are_counted() {
    let with = |parameters: &str, step: &str, inputs: &str| {
        flow(&format!(
            "  arguments: {{parameters: [{parameters}]}}\n  templates:\n  - name: main\n    {inputs}\n    steps: [[{{name: a, template: echo, {step}}}]]\n{ECHO}"
        ))
    };
    let count = |step: &str| pods(&with("{name: n, value: 4}, {name: l, value: '[1, 2]'}", step, "")).len();
    assert_eq!(count("withSequence: {count: '{{workflow.parameters.n}}'}"), 4);
    assert_eq!(count("withSequence: {start: 2, end: '{{ workflow.parameters.n }}'}"), 3);
    assert_eq!(count("withSequence: {start: '5', end: '1'}"), 5);
    assert_eq!(count("withSequence: {count: '0'}"), 0);
    assert_eq!(count("withParam: '[\"a\", {\"b\": 1}, 3]'"), 3);
    assert_eq!(count("withParam: '{{workflow.parameters.l}}'"), 2);
    assert_eq!(count("withParam: '{{steps.x.outputs.result}}'"), 1);
    assert!(
        notices(&with("", "withParam: '{{steps.x.outputs.result}}'", "")).contains("withParam depends on a result")
    );
    let fault = faults(&with("", "withParam: 'a,b'", ""));
    assert!(fault.contains("withParam: expected a JSON list, found \"a,b\""), "{fault}");
    assert!(faults(&with("", "withSequence: {count: few}", "")).contains("withSequence.count: expected an integer"));
    // The entrypoint has the arguments of the workflow, or the default of its input.
    let inputs = "inputs: {parameters: [{name: n, default: 3}]}";
    let of_input = "withSequence: {count: '{{inputs.parameters.n}}'}";
    assert_eq!(pods(&with("{name: n, value: 4}", of_input, inputs)).len(), 4);
    assert_eq!(pods(&with("", of_input, inputs)).len(), 3);
}

#[test]
fn each_call_has_its_own_arguments() {
    let call = |name: &str, n: &str| {
        format!("{{name: {name}, template: inner, arguments: {{parameters: [{{name: n, value: '{n}'}}]}}}}")
    };
    let inner = "  - name: inner\n    inputs: {parameters: [{name: n}]}\n    steps: [[{name: a, template: echo, withSequence: {count: '{{inputs.parameters.n}}'}}]]\n";
    let text = format!(
        "  templates:\n  - name: main\n    steps: [[{}, {}, {}]]\n{inner}{ECHO}",
        call("a", "2"),
        call("b", "5"),
        call("c", "2")
    );
    assert_eq!(pods(&flow(&text)).len(), 9);
    // Arguments that grow: 2^30 calls are not followed one by one.
    let grown = |number: u32| {
        let step = |name: &str| {
            format!(
                "{{name: {name}, template: t{}, arguments: {{parameters: [{{name: n, value: '{{{{inputs.parameters.n}}}}{name}'}}]}}}}",
                number + 1
            )
        };
        format!(
            "  - name: t{number}\n    inputs: {{parameters: [{{name: n, default: x}}]}}\n    steps: [[{}, {}]]\n",
            step("a"),
            step("b")
        )
    };
    let all: String = (0..30).map(grown).collect();
    let text = format!("  templates:\n{all}{}", ECHO.replace("echo", "t30")).replace("name: t0\n", "name: main\n");
    assert!(faults(&flow(&text)).contains("cannot create 1073741824 pods"), "{}", faults(&flow(&text)));
}

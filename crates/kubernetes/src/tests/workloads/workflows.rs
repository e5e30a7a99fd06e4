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

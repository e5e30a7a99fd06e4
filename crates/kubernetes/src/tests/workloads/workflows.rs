//! Workflows of Argo.

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

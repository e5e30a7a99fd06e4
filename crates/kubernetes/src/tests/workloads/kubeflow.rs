use super::{ONE, limited, notices, pods, template};

const BIG: &str = "{cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}";

fn job(kind: &str, version: &str, specs: &str) -> String {
    format!("apiVersion: kubeflow.org/{version}\nkind: {kind}\nmetadata: {{name: t, namespace: ml}}\nspec: {specs}\n")
}

#[test]
fn jobs_of_trainer_1_by_their_replica_specs() {
    let (one, big) = (template(ONE), limited(BIG));
    let torch = job(
        "PyTorchJob",
        "v1",
        &format!("{{pytorchReplicaSpecs: {{Master: {{template: {one}}}, Worker: {{replicas: 2, template: {big}}}}}}}"),
    );
    assert_eq!(
        pods(&torch),
        [
            "ml/t-master-0 root.a app 1000m 1024Mi 0 yunikorn",
            "ml/t-worker-0 root.a app 8000m 32768Mi gpu=4 0 yunikorn",
            "ml/t-worker-1 root.a app 8000m 32768Mi gpu=4 0 yunikorn",
        ]
    );
    let tensor = format!(
        "{{runPolicy: {{cleanPodPolicy: None}}, tfReplicaSpecs: {{PS: {{replicas: 2, template: {one}}}, Worker: {{replicas: 4, template: {big}}}, Chief: {{template: {one}}}}}}}"
    );
    assert_eq!(pods(&job("TFJob", "v1", &tensor)).len(), 7);
    let names: Vec<String> = pods(&job("TFJob", "v1", &tensor)).into_iter().take(3).collect();
    assert!(names[0].starts_with("ml/t-chief-0 ") && names[1].starts_with("ml/t-ps-0 "), "{names:?}");
    let suspended = tensor.replace("cleanPodPolicy: None", "suspend: true");
    assert_eq!(pods(&job("TFJob", "v1", &suspended)).len(), 0);
    for (kind, field) in [
        ("XGBoostJob", "xgbReplicaSpecs"),
        ("PaddleJob", "paddleReplicaSpecs"),
        ("JAXJob", "jaxReplicaSpecs"),
        ("NewJob", "newReplicaSpecs"),
    ] {
        assert_eq!(
            pods(&job(kind, "v1", &format!("{{{field}: {{Worker: {{replicas: 3, template: {one}}}}}}}"))).len(),
            3,
            "{kind}"
        );
    }
}

#[test]
fn mpi_jobs_of_both_versions_have_no_worker_by_default() {
    for version in ["v1", "v2beta1"] {
        let specs = |replicas: &str| {
            format!(
                "{{slotsPerWorker: 1, mpiReplicaSpecs: {{Launcher: {{template: {}}}, Worker: {{{replicas}template: {}}}}}}}",
                template(ONE),
                limited(BIG)
            )
        };
        assert_eq!(pods(&job("MPIJob", version, &specs(""))), ["ml/t-launcher-0 root.a app 1000m 1024Mi 0 yunikorn"]);
        assert_eq!(pods(&job("MPIJob", version, &specs("replicas: 2, "))).len(), 3);
    }
}

#[test]
fn a_train_job_includes_the_pods_of_its_runtime() {
    let train = |trainer: &str| {
        format!(
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: t, namespace: ml}}\nspec: {{runtimeRef: {{name: torch}}, trainer: {{{trainer}}}}}\n---\n"
        )
    };
    let node = template(ONE).replace("name: c,", "name: node,");
    let runtime = format!(
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {{name: torch}}\nspec:\n  mlPolicy: {{numNodes: 2}}\n  template: {{spec: {{replicatedJobs: [\
         {{name: dataset-initializer, template: {{metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}}}, spec: {{template: {node}}}}}}},\
         {{name: node, template: {{metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}, spec: {{template: {node}}}}}}}]}}}}\n"
    );
    let resources = "numNodes: 3, resourcesPerNode: {limits: {cpu: 4, nvidia.com/gpu: 1}}";
    let lines = pods(&format!("{}{runtime}", train(resources)));
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], "ml/t-dataset-initializer-0-0 root.a app 1000m 1024Mi 0 yunikorn");
    assert_eq!(lines[3], "ml/t-node-0-2 root.a app 4000m 0Mi gpu=1 0 yunikorn");
    // Without own fields, those of the runtime.
    let lines = pods(&format!("{}{runtime}", train("")));
    assert_eq!((lines.len(), lines[2].as_str()), (3, "ml/t-node-0-1 root.a app 1000m 1024Mi 0 yunikorn"));
    // Without the runtime, those of the job.
    assert_eq!(pods(&train(resources)).len(), 3);
    assert!(notices(&train(resources)).contains("TrainJob ml/t: ClusterTrainingRuntime torch is not in the manifests"));
}

#[test]
fn a_job_set_has_its_jobs_with_their_pods() {
    let set = |more: &str| {
        format!(
            "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: js}}\nspec:\n  {more}\n  replicatedJobs:\n  \
             - {{name: leader, template: {{spec: {{template: {one}}}}}}}\n  - {{name: workers, replicas: 2, template: {{spec: {{parallelism: 3, completions: 3, template: {one}}}}}}}\n",
            one = template(ONE)
        )
    };
    let lines = pods(&set(""));
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[0], "default/js-leader-0-0 root.a app 1000m 1024Mi 0 yunikorn");
    assert!(lines[6].starts_with("default/js-workers-1-2 "), "{lines:?}");
    assert_eq!(pods(&set("suspend: true")).len(), 0);
}

#[test]
fn a_leader_worker_set_has_groups_of_its_size() {
    let set = |more: &str, size: &str| {
        format!(
            "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {{name: l}}\nspec: {{{more}leaderWorkerTemplate: {{{size}workerTemplate: {}}}}}\n",
            limited(BIG)
        )
    };
    let lines = pods(&set("replicas: 2, ", "size: 3, "));
    let names: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(
        names,
        ["default/l-0", "default/l-0-1", "default/l-0-2", "default/l-1", "default/l-1-1", "default/l-1-2"]
    );
    assert_eq!(pods(&set("", "")), ["default/l-0 root.a app 8000m 32768Mi gpu=4 0 yunikorn"]);
    let leader = format!("size: 2, leaderTemplate: {}, ", template(ONE));
    assert_eq!(pods(&set("", &leader))[0], "default/l-0 root.a app 1000m 1024Mi 0 yunikorn");
}

/// A runtime of MPI: a launcher that is the trainer, and nodes.
fn mpi_runtime(launcher_trains: bool) -> String {
    let of = |name: &str, container: &str, labels: &str| {
        let pod = template(ONE).replace("name: c,", &format!("name: {container},"));
        format!("{{name: {name}, template: {{{labels}spec: {{template: {pod}}}}}}}")
    };
    let step = "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, ";
    format!(
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {{name: mpi}}\nspec:\n  mlPolicy: {{numNodes: 1, mpi: {{runLauncherAsNode: {launcher_trains}}}}}\n  \
         template: {{spec: {{replicatedJobs: [{}, {}]}}}}\n---\n",
        of("launcher", "launcher", step),
        of("node", "node", "")
    )
}

#[test]
fn a_launcher_of_mpi_takes_the_place_of_a_node() {
    let train = |spec: &str| {
        format!(
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: t, namespace: ml}}\nspec: {{runtimeRef: {{name: mpi}}, {spec}}}\n"
        )
    };
    let four = train("trainer: {numNodes: 4, resourcesPerNode: {limits: {cpu: 2}}}");
    let names = |text: &str| -> Vec<String> {
        pods(text).into_iter().map(|line| line.split(' ').take(4).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(
        names(&(mpi_runtime(true) + &four)),
        [
            "ml/t-launcher-0-0 root.a app 2000m",
            "ml/t-node-0-0 root.a app 2000m",
            "ml/t-node-0-1 root.a app 2000m",
            "ml/t-node-0-2 root.a app 2000m"
        ]
    );
    let context = names(&(mpi_runtime(false) + &four));
    assert_eq!((context.len(), context[0].as_str()), (5, "ml/t-launcher-0-0 root.a app 1000m"));
    assert_eq!(names(&(mpi_runtime(true) + &train("trainer: {numNodes: 1}"))).len(), 2);
    assert_eq!(names(&(mpi_runtime(true) + &train("suspend: false"))).len(), 2);
}

#[test]
fn a_train_job_changes_the_templates_of_its_runtime() {
    let runtime = mpi_runtime(true);
    let train = |spec: &str| {
        format!(
            "{runtime}apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: t}}\nspec:\n  runtimeRef: {{name: mpi}}\n  {spec}\n"
        )
    };
    let overrides = train(
        "podTemplateOverrides: [{targetJobs: [{name: node}], metadata: {labels: {queue: root.b}}, spec: {priorityClassName: system-node-critical}}]",
    );
    let lines = pods(&overrides);
    assert!(lines[0].starts_with("default/t-launcher-0-0 root.a "), "{lines:?}");
    assert!(lines[1].starts_with("default/t-node-0-0 root.b app ") && lines[1].contains(" 2000001000 "), "{lines:?}");
    let patches = train(
        "runtimePatches: [{trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: launcher, template: {spec: {template: \
         {spec: {containers: [{name: launcher, resources: {requests: {cpu: 3}}}, {name: side, resources: {limits: {cpu: 1}}}]}}}}}]}}}}]",
    );
    assert_eq!(pods(&patches)[0], "default/t-launcher-0-0 root.a app 4000m 1024Mi 0 yunikorn");
}

#[test]
fn a_disaggregated_set_has_the_groups_of_each_role_in_each_slice() {
    let role = |name: &str, replicas: u32| {
        format!(
            "{{name: {name}, spec: {{replicas: {replicas}, leaderWorkerTemplate: {{size: 2, workerTemplate: {}}}}}}}",
            template(ONE)
        )
    };
    let set = format!(
        "apiVersion: disaggregatedset.x-k8s.io/v1\nkind: DisaggregatedSet\nmetadata: {{name: d}}\nspec: {{slices: 2, roles: [{}, {}]}}\n",
        role("prefill", 1),
        role("decode", 2)
    );
    let lines = pods(&set);
    assert_eq!(lines.len(), 2 * (2 + 4));
    assert!(lines[0].starts_with("default/d-decode-0 root.a app 1000m"), "{lines:?}");
}

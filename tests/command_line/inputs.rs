//! Commands with real inputs: Helm values, directories, patterns, gzip, and standard input.

use std::path::Path;

use crate::common::TestDir;

const CONFIG: &str = "\
partitions:
  - name: default
    placementrules: [{name: provided}]
    queues:
      - name: root
        submitacl: '*'
        queues: [{name: etl, maxapplications: 3}]
";

fn run(dir: &Path, arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    super::kornsole(dir, arguments, stdin)
}

fn block(text: &str, columns: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(columns))).collect()
}

fn values(config: &str) -> String {
    format!("image: {{tag: a}}\nyunikornDefaults:\n  queues.yaml: |\n{}", block(config, 4))
}

fn map(name: &str, config: &str) -> String {
    format!("kind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n  queues.yaml: |\n{}", block(config, 4))
}

fn packed(text: &str) -> Vec<u8> {
    use std::io::Write as _;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

#[test]
fn every_command_reads_helm_values_and_reports_it() {
    let dir = TestDir::new();
    let reported = "queue configuration in Helm values, yunikornDefaults of values.yaml:2\n";
    dir.write("values.yaml", values(CONFIG));
    dir.write("queues.yaml", CONFIG);
    dir.write("pods.yaml", "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 1, pods: 1}}\n");
    let scenario = "version: 1\nsteps: [{node: {id: n1, capacity: {vcore: 1}}}]\n";
    dir.write("scenario.yaml", scenario);
    let run = |arguments: &[&str]| run(&dir, arguments, "");
    for arguments in [
        &["check", "values.yaml"][..],
        &["diff", "queues.yaml", "values.yaml"],
        &["place", "values.yaml", "--user", "sue", "--queue", "root.etl"],
        &["upgrade-check", "--from", "1.8.0", "--to", "1.9.0", "values.yaml"],
        &["run", "--from-manifests", "pods.yaml", "--config", "values.yaml"],
    ] {
        let (code, out, err) = run(arguments);
        assert!(code == Some(0) && err.contains(reported), "{arguments:?}: {out}{err}");
    }
    let (code, out, err) = run(&["diff", "queues.yaml", "values.yaml"]);
    assert_eq!((code, err.as_str()), (Some(0), reported), "{out}");
    assert_eq!(run(&["check", "queues.yaml"]).2, "");
    let (_, _, err) = run(&["run", "scenario.yaml", "--config", "values.yaml"]);
    assert!(err.contains(reported), "{err}");
}

#[test]
fn a_fault_has_its_line_in_the_file_that_was_named() {
    let dir = TestDir::new();
    let bad = CONFIG.replace("maxapplications: 3", "maxapps: 3");
    dir.write("values.yaml", values(&bad));
    dir.write("values.gz", packed(&values(&bad)));
    dir.write("jobs.swf", "1 0 10 100 4 -1 -1 4 3600 -1 1 5 2 -1 1 0 -1 -1\n");
    let place = |name: &str| format!("{name}:10:34: error[CFG-003]: unknown key `maxapps`");
    for (name, arguments) in [
        ("values.yaml", &["check", "values.yaml"][..]),
        ("values.gz", &["check", "values.gz"]),
        ("values.yaml", &["diff", "values.yaml", "values.gz"]),
        ("values.yaml", &["place", "values.yaml", "--user", "sue"]),
        ("values.yaml", &["simulate", "--config", "values.yaml", "jobs.swf"]),
        ("values.yaml", &["serve", "--config", "values.yaml", "--listen", "127.0.0.1:0"]),
    ] {
        let (code, out, err) = run(&dir, arguments, "");
        let printed = out + &err;
        assert!(code != Some(0) && printed.contains(&place(name)), "{arguments:?}: {printed}");
    }
    let (code, out, err) = run(&dir, &["check", "-", "--json"], &values(&bad));
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report[0]["faults"][0]["line"]), (Some(1), &10.into()));
    assert_eq!(err, "queue configuration in Helm values, yunikornDefaults of -:2\n");
}

#[test]
fn directories_and_patterns_have_one_configuration_or_name_all() {
    let dir = TestDir::new();
    let smaller = CONFIG.replace(": 3", ": 2");
    dir.write("defaults.yaml", map("yunikorn-defaults", &smaller));
    dir.write("configs.yaml", map("yunikorn-configs", CONFIG));
    dir.write("service.yaml", "kind: Service\nspec: {}\n");
    dir.write("template.yaml", "kind: Deployment\nspec: {{ .Values.spec }}: {\n");
    dir.write("notes.txt", "partitions: [");
    let run = |arguments: &[&str]| run(&dir, arguments, "");
    // The entry of yunikorn-configs overrides the other one, even in another file.
    dir.write("alone", CONFIG);
    let (code, out, err) = run(&["diff", "alone", "."]);
    assert!(
        code == Some(0) && err.contains("ConfigMap yunikorn-configs, queues.yaml of ./configs.yaml:4"),
        "{out}{err}"
    );
    let (code, out, err) = run(&["check", "*s.yaml"]);
    assert_eq!((code, out.matches(": valid").count()), (Some(0), 2), "{out}{err}");
    assert!(err.contains("of configs.yaml:4\n") && err.contains("of defaults.yaml:4\n"), "{err}");

    dir.write("staging.yaml", map("yunikorn-configs", &smaller));
    let (code, _, err) = run(&["place", ".", "--user", "sue"]);
    let words = "expected one queue configuration, found 2 different configurations: ./configs.yaml:4, ./staging.yaml:4; name the file of one configuration";
    assert!(code == Some(1) && err.contains(words), "{err}");
    assert_eq!(run(&["check", "."]).1.matches(": valid").count(), 3);

    let (code, _, err) = run(&["check", "x*.yaml"]);
    assert!(code == Some(1) && err.contains("x*.yaml: no file matches"), "{err}");
    let (code, _, err) = run(&["check", "serv*.yaml"]);
    assert!(code == Some(1) && err.contains("no queue configuration found; kornsole reads"), "{err}");
    let (code, out, _) = run(&["check", "service.yaml"]);
    assert!(code == Some(1) && out.contains("service.yaml:1:1: error[INP-001]"), "{out}");
}

#[test]
fn files_that_a_kustomization_or_terraform_names_are_read_in_its_directory() {
    let dir = TestDir::new();
    let conf = dir.join("conf");
    std::fs::create_dir(&conf).unwrap();
    std::fs::write(conf.join("q.yaml"), CONFIG.replace("maxapplications", "maxapps")).unwrap();
    let generator =
        |file: &str| format!("configMapGenerator:\n- name: yunikorn-configs\n  files: [queues.yaml={file}]\n");
    dir.write("kustomization.yaml", generator("conf/q.yaml"));
    dir.write("outside.yaml", generator("../q.yaml"));
    dir.write("missing.yaml", generator("q.yaml"));
    dir.write(
        "a.tf",
        "resource \"kubernetes_config_map\" \"a\" {\n  data = { \"queues.yaml\" = file(\"conf/q.yaml\") }\n}\n",
    );
    std::fs::write(conf.join("values.yaml"), values(&CONFIG.replace("maxapplications", "maxapps"))).unwrap();
    let release =
        "resource \"helm_release\" \"a\" {\n  values = [templatefile(\"${path.module}/conf/values.yaml\", {})]\n}\n";
    dir.write("release.tf", release);
    dir.write("charts.yaml", "kind: Kustomization\nhelmCharts: [{name: yunikorn, valuesFile: conf/values.yaml}]\n");
    for file in ["release.tf", "charts.yaml"] {
        let (code, out, err) = run(&dir, &["check", file], "");
        assert!(code == Some(1) && out.contains("conf/values.yaml:10:34: error[CFG-003]"), "{out}{err}");
        assert!(err.contains("Helm values, yunikornDefaults of conf/values.yaml:2"), "{err}");
    }
    for file in ["kustomization.yaml", "a.tf"] {
        let (code, out, err) = run(&dir, &["check", file], "");
        assert!(code == Some(1) && out.contains("conf/q.yaml:7:30: error[CFG-003]"), "{out}{err}");
    }
    for (file, words) in
        [("outside.yaml", "in a file outside of this directory: ../q.yaml"), ("missing.yaml", "cannot read ")]
    {
        let (code, out, _) = run(&dir, &["check", file], "");
        assert!(code == Some(1) && out.contains("error[INP-007]") && out.contains(words), "{out}");
    }
}

#[test]
fn values_of_one_release_are_merged_and_the_overridden_ones_are_named() {
    let dir = TestDir::new();
    dir.write("base.yaml", values(&CONFIG.replace(": 3", ": 2")));
    dir.write("prod.yaml", values(CONFIG));
    dir.write("queues.yaml", CONFIG);
    let terraform = |first: &str, last: &str| {
        format!("resource \"helm_release\" \"a\" {{\n  values = [file(\"{first}\"), file(\"{last}\")]\n}}\n")
    };
    dir.write("main.tf", terraform("base.yaml", "prod.yaml"));
    dir.write("missing.tf", terraform("base.yaml", "none.yaml"));
    dir.write(
        "kustomization.yaml",
        "helmCharts: [{name: yunikorn, valuesFile: base.yaml, additionalValuesFiles: [prod.yaml]}]\n",
    );
    for file in ["main.tf", "kustomization.yaml"] {
        let (code, out, err) = run(&dir, &["diff", "queues.yaml", file], "");
        let words = "queue configuration in Helm values, yunikornDefaults of prod.yaml:2, overrides base.yaml:2\n";
        assert!(code == Some(0) && err == words, "{out}{err}");
    }
    dir.write(
        "choice.tf",
        terraform("base.yaml", "prod.yaml").replace(", ", " : ").replace('[', "var.a ? ").replace(']', ""),
    );
    let (code, out, _) = run(&dir, &["check", "choice.tf"], "");
    let words = "different queue configurations are in base.yaml and prod.yaml, and their order is unknown";
    assert!(code == Some(1) && out.contains("error[INP-007]") && out.contains(words), "{out}");
    let (code, out, _) = run(&dir, &["check", "missing.tf"], "");
    assert!(code == Some(1) && out.contains("missing.tf:2:32: error[INP-007]: the values of `none.yaml`"), "{out}");
}

#[test]
fn one_of_several_configurations_in_a_file_is_named_with_its_line() {
    let dir = TestDir::new();
    let release = |name: &str, config: &str| format!("{name}:\n{}", block(&values(config), 2));
    dir.write("two.yaml", [release("dev", &CONFIG.replace(": 3", ": 2")), release("prod", CONFIG)].concat());
    dir.write("queues.yaml", CONFIG);
    let (code, _, err) = run(&dir, &["diff", "queues.yaml", "two.yaml"], "");
    assert!(code != Some(0) && err.contains("name one with its line, for example two.yaml:14"), "{err}");
    let (code, out, err) = run(&dir, &["diff", "queues.yaml", "two.yaml:14"], "");
    assert!(code == Some(0) && err.contains("yunikornDefaults of two.yaml:14\n"), "{out}{err}");
    let (code, _, err) = run(&dir, &["diff", "queues.yaml", "two.yaml:5"], "");
    assert!(code != Some(0) && err.contains("two.yaml: no queue configuration starts on line 5"), "{err}");
}

#[test]
fn manifests_follow_the_policy_group_of_the_map_and_faults_have_their_file() {
    let dir = TestDir::new();
    let grouped = |config: &str| {
        map("yunikorn-configs", config).replace("  queues.yaml", "  service.policyGroup: tenants\n  tenants.yaml")
    };
    dir.write("node.yaml", "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, pods: 9}}\n");
    let pod = "kind: Pod\nmetadata: {name: p, namespace: ns, labels: {applicationId: a, queue: root.etl}}\n\
               spec: {schedulerName: yunikorn, containers: [{name: c, image: x}]}\n";
    dir.write("pod.yaml", pod);
    dir.write("map.yaml", grouped(CONFIG));
    dir.write("bad.yaml", grouped(&CONFIG.replace("maxapplications", "maxapps")));
    let run = |map: &str| run(&dir, &["run", "--from-manifests", "node.yaml", map, "pod.yaml"], "");
    let (code, out, _) = run("map.yaml");
    assert!(code == Some(0) && out.contains("ns/p  n1    root.etl  a") && !out.contains("built-in"), "{out}");
    let (code, _, err) = run("bad.yaml");
    assert!(code == Some(1) && err.contains("bad.yaml:12:34: error[CFG-003]"), "{err}");
}

#[test]
fn resource_names_of_no_pod_are_warned_of_allowed_and_denied() {
    let dir = TestDir::new();
    dir.write("values.yaml", values(&CONFIG.replace("maxapplications: 3", "resources: {max: {cpu: 3}}")));
    dir.write("node.yaml", "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, pods: 9}}\n");
    dir.write("map.yaml", map("yunikorn-configs", &CONFIG.replace("maxapplications: 3", "resources: {max: {cpu: 3}}")));
    let run = |arguments: &[&str]| run(&dir, arguments, "");
    let (code, out, _) = run(&["check", "values.yaml"]);
    assert!(code == Some(0) && out.contains("values.yaml:10:52: warning[W-001]: no pod requests `cpu`"), "{out}");
    assert!(out.contains("= write `vcore`") && out.contains("valid, 1 warning"), "{out}");
    let (code, out, _) = run(&["check", "--deny", "W-001", "values.yaml"]);
    assert!(code == Some(1) && out.contains("error[W-001]") && out.contains("1 error"), "{out}");
    let (code, out, _) = run(&["check", "--allow", "W-001", "values.yaml"]);
    assert!(code == Some(0) && !out.contains("W-001"), "{out}");
    assert_eq!(run(&["check", "--deny", "W-999", "values.yaml"]).0, Some(2));
    let (_, out, _) = run(&["run", "--from-manifests", "node.yaml", "map.yaml"]);
    assert!(out.contains("note: map.yaml:11:52: warning[W-001]: no pod requests `cpu`"), "{out}");
}

#[test]
fn a_directory_of_manifests_is_read_in_the_order_of_its_names() {
    let dir = TestDir::new();
    dir.write("node.yaml", "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 99, pods: 99}}\n");
    std::fs::create_dir(dir.join("m")).unwrap();
    for number in 0..40 {
        let pod = format!(
            "kind: Pod\nmetadata: {{generateName: t-, labels: {{applicationId: app-{number:02}}}}}\nspec: {{containers: [{{name: c}}]}}\n"
        );
        dir.write(&format!("m/{number:02}.yaml"), pod);
    }
    let (code, out, err) = run(&dir, &["run", "--from-manifests", "node.yaml", "m"], "");
    assert_eq!(code, Some(0), "{err}");
    for number in 0..40 {
        let line = out.lines().find(|line| line.starts_with(&format!("default/t-{:05} ", number + 1)));
        assert!(line.is_some_and(|line| line.ends_with(&format!(" app-{number:02}"))), "{number}: {out}");
    }
    dir.write("m/17.yaml", "kind: Pod\nmetadata: {name: [\n");
    let (code, _, err) = run(&dir, &["run", "--from-manifests", "node.yaml", "m"], "");
    assert!(code == Some(1) && err.contains("m/17.yaml:") && !err.contains("m/18.yaml"), "{err}");
}

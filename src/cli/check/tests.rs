//! Arguments, output, and exit codes of `kornsole check`.

use clap::Parser;
use serde_json::json;

use super::*;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    check: CheckArgs,
}

const BAD: &str = "\
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - name: a b
      resources:
        max: {memory: 500m}
    - name: ok
      properties: {priority.offset: high}
";

/// Exit code, standard output, and standard error.
fn checked(arguments: &[&str], stdin: &str) -> (u8, String, String) {
    let cli = Cli::try_parse_from([&["check"], arguments].concat()).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let core = cli.check.core.or(Profile::NEWEST);
    let code = check(&cli.check, core, &mut stdin.as_bytes(), &mut out, &mut err).unwrap();
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn faults_for_people() {
    let (code, out, _) = checked(&["-"], BAD);
    assert_eq!(code, 1);
    insta::assert_snapshot!(out);
}

#[test]
fn faults_as_json() {
    let (code, out, _) = checked(&["--json", "-"], BAD);
    assert_eq!(code, 1);
    insta::assert_snapshot!(out);
    let (code, out, _) = checked(&["--json", "-"], "partitions: [{queues: [{name: root, submitacl: '*'}]}]");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, report), (0, json!([{"core": "1.9.0", "file": "-", "valid": true, "faults": []}])));
}

#[test]
fn faults_as_annotations() {
    let (code, out, _) = checked(&["--format", "github", "-"], BAD);
    assert_eq!(code, 1);
    insta::assert_snapshot!(out);
}

#[test]
fn faults_as_sarif() {
    let (code, out, _) = checked(&["--format", "sarif", "-"], BAD);
    assert_eq!(code, 1);
    insta::assert_snapshot!(out.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn exit_codes() {
    let good = "partitions: [{queues: [{name: root, submitacl: '*'}]}]";
    assert_eq!(checked(&["-"], good), (0, "-: valid (core 1.9.0)\n".into(), String::new()));
    let (code, _, err) = checked(&["no/such/file", "-"], good);
    assert_eq!(code, 1);
    assert!(err.contains("error: cannot read no/such/file: "), "{err}");
    assert!(Cli::try_parse_from(["check"]).is_err());
    assert!(Cli::try_parse_from(["check", "--core", "2.0", "-"]).is_err());
}

#[test]
fn a_warning_of_the_reader_can_be_denied_and_allowed() {
    let text = "partitions: [{queues: [{name: root, submitacl: '*', properties: {no.such: 1}}]}]";
    let (code, out, _) = checked(&["-", "--deny", "CFG-S09"], text);
    assert!(code == 1 && out.contains("error[CFG-S09]"), "{out}");
    assert_eq!(checked(&["-", "--allow", "CFG-S09"], text), (0, "-: valid (core 1.9.0)\n".into(), String::new()));
    // A comment of the file around the configuration allows it too.
    let values = "yunikornDefaults:\n  queues.yaml: |\n    partitions:\n    - queues:\n      - name: root\n        submitacl: '*'\n        \
        properties:\n          # kornsole: allow CFG-S09 because a test\n          no.such: 1\n";
    let (code, out, _) = checked(&["-", "--deny", "CFG-S09"], values);
    assert!(code == 0 && !out.contains("CFG-S09"), "{out}");
    assert!(Cli::try_parse_from(["check", "-", "--deny", "SCH-001"]).is_err());
}

#[test]
fn a_release_decides_when_asked() {
    let text = "partitions: [{queues: [{name: 'a/b', submitacl: '*'}]}]";
    assert_eq!(checked(&["-"], text), (0, "-: valid (core 1.9.0)\n".into(), String::new()));
    assert_eq!(checked(&["--core", "1.5.1", "-"], text).0, 1);
    let (code, out, _) = checked(&["--core", "kornsole", "-"], text);
    assert_eq!(code, 1);
    assert!(out.ends_with("-: core kornsole rejects it, YuniKorn 1.9.0 accepts it: use --core 1.9.0\n"), "{out}");
    assert_eq!(checked(&["--core", "1.8.0", "-"], text).0, 0);
}

/// A gang of one pod with a sidecar of 512Mi, in a group of 2Gi, with an unknown style.
const GANG: &str = r#"
apiVersion: v1
kind: Pod
metadata:
  name: head
  namespace: ray
  uid: h1
  creationTimestamp: "2025-01-01T10:00:00Z"
  labels: {applicationId: ray-0, queue: root.test}
  annotations:
    yunikorn.apache.org/task-group-name: head
    yunikorn.apache.org/schedulingPolicyParameters: gangSchedulingStyle=hard
    yunikorn.apache.org/task-groups: '[{"name": "head", "minMember": 1, "minResource": {"cpu": "1", "memory": "2Gi"}}]'
spec:
  schedulerName: yunikorn
  containers:
  - {name: head, resources: {requests: {cpu: "1", memory: 2Gi}}}
  - {name: sidecar, resources: {requests: {memory: 512Mi}}}
"#;

fn with_gang(queue: &str) -> (u8, String, String) {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("kornsole-check-{}-{number}.yaml", std::process::id()));
    std::fs::write(&file, GANG).unwrap();
    let config =
        format!("partitions: [{{queues: [{{name: root, submitacl: '*', queues: [{{name: test, {queue}}}]}}]}}]");
    let found = checked(&["-", "--pods", &file.display().to_string()], &config);
    std::fs::remove_file(file).unwrap();
    found
}

#[test]
fn a_gang_that_is_too_small_or_has_no_style_is_named() {
    let (code, out, err) = with_gang("resources: {}");
    assert_eq!((code, err.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[1].starts_with("warning: pod ray/head: gangSchedulingStyle=hard has no effect"), "{out}");
    let small = "warning: pod ray/head: its task group \"head\" requests less than the pod: memory 2Gi of 2.5Gi.";
    assert!(lines[2].starts_with(small), "{out}");
}

#[test]
fn a_queue_that_rejects_the_gang_is_named() {
    let (_, sorts, _) = with_gang("properties: {application.sort.policy: fair}");
    assert!(sorts.contains("warning: application ray-0: rejected: ") && sorts.contains("sorts by fifo"), "{sorts}");
    let (_, small, _) = with_gang("resources: {max: {memory: 1Gi}}");
    assert!(small.contains("larger than max queue allocation of root.test"), "{small}");
}

#[test]
fn a_note_about_pods_has_an_id_that_can_be_denied() {
    let queue = |max: &str| {
        format!("partitions: [{{queues: [{{name: root, submitacl: '*', queues: [{{name: test{max}}}]}}]}}]")
    };
    let dir = std::env::temp_dir().join(format!("kornsole-check-ids-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let (pods, nodes) = (dir.join("pods.yaml"), dir.join("nodes.yaml"));
    std::fs::write(&pods, GANG).unwrap();
    let node =
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: '2', memory: 4Gi, pods: '9'}}}";
    std::fs::write(&nodes, node).unwrap();
    let (pods, nodes) = (pods.display().to_string(), nodes.display().to_string());
    let (code, out, _) = checked(&["-", "--pods", &pods, "--deny", "W-013", "--allow", "W-012"], &queue(""));
    assert_eq!(code, 1);
    assert!(out.contains("error: pod ray/head: gangSchedulingStyle=hard") && !out.contains("(W-012)"), "{out}");
    let plain: String = GANG
        .lines()
        .filter(|line| !line.contains("yunikorn.apache.org") && !line.contains("annotations:"))
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&pods, plain).unwrap();
    let (code, out, _) = checked(&["-", "--pods", &pods], &queue(", resources: {max: {vcore: 500m}}"));
    assert!(
        code == 0 && out.contains("warning[W-011]: max vcore of root.test is 0.5, and pod ray/head requests 1"),
        "{out}"
    );
    let (code, out, _) = checked(&["-", "--nodes", &nodes], &queue(", resources: {guaranteed: {vcore: 3}}"));
    assert!(
        code == 0 && out.contains("warning[W-010]: guaranteed vcore of root.test is 3, and the nodes have 2"),
        "{out}"
    );
    let (_, out, _) = checked(&["-", "--nodes", &nodes], &queue(", resources: {guaranteed: {vcore: 2}}"));
    assert!(!out.contains("W-010"), "{out}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn notes_about_pods_have_their_place_in_each_format_and_a_comment_allows_them() {
    let dir = std::env::temp_dir().join(format!("kornsole-check-places-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("pods.yaml");
    let pod = |name: &str, uid: &str| GANG.replacen("  name: head", name, 1).replace("uid: h1", uid);
    let two = format!("{}---\n{}", pod("  name: ray-0", "uid: h1"), pod("  name: ray-1", "uid: h2"));
    std::fs::write(&file, format!("# a comment\n{two}")).unwrap();
    let name = file.display().to_string();
    let config = "partitions: [{queues: [{name: root, submitacl: '*', queues: [{name: test}]}]}]";
    let (_, sarif, _) = checked(&["-", "--pods", &name, "--format", "sarif"], config);
    let log: Value = serde_json::from_str(&sarif).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert!(results.iter().any(|one| one["ruleId"] == "W-013"), "{sarif}");
    assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("pods.yaml"), "{sarif}");
    assert!(place["region"]["startLine"].as_u64() > Some(0), "{sarif}");
    let (_, github, _) = checked(&["-", "--pods", &name, "--format", "github"], config);
    assert!(github.contains("pods.yaml,line=") && github.contains(",title=W-013::"), "{github}");
    let (_, json, _) = checked(&["-", "--pods", &name, "--json"], config);
    assert!(json.contains("\"podNotes\"") && json.contains("\"id\": \"W-013\""), "{json}");
    let allowed = two.replace("metadata:", "metadata: # kornsole: allow W-013 because it is old");
    std::fs::write(&file, allowed).unwrap();
    let (_, out, _) = checked(&["-", "--pods", &name], config);
    assert!(!out.contains("W-013") && out.contains("W-012"), "{out}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_guarantee_above_the_nodes_is_silent_where_an_autoscaler_adds_nodes() {
    let dir = std::env::temp_dir().join(format!("kornsole-check-scaled-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let node = |labels: &str| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: n{labels}}}, status: {{allocatable: {{cpu: '2', memory: 4Gi, pods: '9'}}}}}}\n"
        )
    };
    let config = "partitions: [{queues: [{name: root, submitacl: '*', queues: [{name: a, resources: {guaranteed: {vcore: 3}}}]}]}]";
    let warned = |name: &str, nodes: &str, more: &str| {
        let (nodes_file, more_file) = (dir.join(format!("{name}.yaml")), dir.join(format!("{name}-more.yaml")));
        std::fs::write(&nodes_file, nodes).unwrap();
        std::fs::write(&more_file, more).unwrap();
        let (nodes_file, more_file) = (nodes_file.display().to_string(), more_file.display().to_string());
        let (code, out, err) = checked(&["-", "--nodes", &nodes_file, &more_file], config);
        assert_eq!((code, err.as_str()), (0, ""), "{name}: {out}");
        out.contains("W-010")
    };
    let pod = "kind: Pod\nmetadata: {name: p}\n";
    assert!(warned("fixed", &node(""), pod));
    assert!(!warned("karpenter", &node(""), "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\n"));
    assert!(!warned("labels", &node(", labels: {karpenter.sh/nodepool: default}"), pod));
    let scaler = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: s, namespace: kube-system, labels: {app.kubernetes.io/name: aws-cluster-autoscaler}}\n\
                  spec: {template: {spec: {containers: [{name: c}]}}}\n";
    assert!(!warned("cluster-autoscaler", &node(""), scaler));
    assert!(!warned("openshift", &node(""), "kind: MachineAutoscaler\nmetadata: {name: m}\n"));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn pods_that_the_api_server_rejects_are_named() {
    let file = std::env::temp_dir().join(format!("kornsole-check-rejected-{}.yaml", std::process::id()));
    let range =
        "kind: LimitRange\nmetadata: {name: l, namespace: ray}\nspec: {limits: [{type: Pod, max: {memory: 1Gi}}]}\n---";
    let fresh = GANG.replace("  creationTimestamp: \"2025-01-01T10:00:00Z\"\n", "");
    std::fs::write(&file, format!("{range}{fresh}")).unwrap();
    let config = "partitions: [{queues: [{name: root, submitacl: '*', queues: [{name: test}]}]}]";
    let (code, out, _) = checked(&["-", "--pods", &file.display().to_string()], config);
    std::fs::remove_file(file).unwrap();
    let words = "warning: LimitRange ray/l rejects 1 pod, so the scheduler does not get it: ray/head: the pod has no memory limit";
    assert!(code == 0 && out.contains(words), "{out}");
    assert!(!out.contains("pod ray/head: "), "{out}");
}

#[test]
fn pods_that_cannot_be_read_are_an_error() {
    let (code, _, err) = checked(&["-", "--pods", "/nowhere/pods.yaml"], "partitions: [{queues: [{name: root}]}]");
    assert!(code == 1 && err.starts_with("error: cannot check pods: "), "{err}");
}

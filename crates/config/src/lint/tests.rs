//! Each warning by an example with it, and by the most similar one without it.

mod access;
mod limits;
mod names;
mod placement;
mod preemption;

use super::*;

fn at(text: &str) -> Vec<(u32, u32, String)> {
    lint(text).into_iter().map(|fault| (fault.at.line, fault.at.column, fault.hint)).collect()
}

#[test]
fn names_of_no_request_are_found_where_they_are_written() {
    let text = "\
partitions:
  - name: default
    limits: [{users: ['*'], maxresources: {GPU: 1}}]
    queues:
      - name: root
        queues:
          - name: a
            resources: {guaranteed: {cpu: 1, vcore: 1}, max: {Memory: 1Gi, example.com/x: 1, pods: 5}}
            limits:
              - users: [sue]
                maxresources:
                  requests.cpu: 4
          - name: b
            childtemplate: {resources: {max: {hugepages-2Mi: 1, slots: 3, requests.nvidia.com/gpu: 1}}}
";
    let found = at(text);
    let places: Vec<(u32, u32)> = found.iter().map(|(line, column, _)| (*line, *column)).collect();
    assert_eq!(places, [(3, 44), (8, 38), (8, 63), (12, 19), (14, 65), (14, 75)]);
    assert!(found[0].2.contains("`nvidia.com/gpu`") && found[1].2 == "write `vcore`", "{found:?}");
    assert!(found[2].2 == "write `memory`" && found[3].2 == "write `vcore`", "{found:?}");
    assert!(found[4].2.contains("with a domain") && found[5].2 == "write `nvidia.com/gpu`", "{found:?}");
    assert_eq!(lint(text)[3].path, "root.a");
}

#[test]
fn a_comment_allows_its_own_line_or_the_next_one() {
    let queue =
        |resources: &str| format!("partitions: [{{queues: [{{name: root,\n  resources: {{\n{resources}\n  }}}}]}}]\n");
    let text = queue("max: {cpu: 1}, # kornsole: allow W-001 because a test\nguaranteed: {cpu: 1}");
    assert_eq!(at(&text).iter().map(|found| found.0).collect::<Vec<_>>(), [4]);
    let text = queue("# kornsole: allow W-001 because a test\n\nmax: {cpu: 1},\nguaranteed: {cpu: 1}");
    assert_eq!(at(&text).iter().map(|found| found.0).collect::<Vec<_>>(), [6]);
    let text = queue("# kornsole: allow W-002 because a test\nmax: {cpu: 1}");
    assert_eq!(at(&text).len(), 1);
}

#[test]
fn a_denied_deletion_is_an_error_and_an_allowed_one_removes_it() {
    let warnings = lint("partitions: [{queues: [{name: root, resources: {max: {cpu: 1}}}]}]");
    let ids = ["W-001".to_owned()];
    assert!(judged(warnings.clone(), &ids, &[]).is_empty());
    assert_eq!(judged(warnings, &[], &ids)[0].severity, Severity::Error);
}

#[test]
fn a_warning_of_the_reader_is_allowed_and_an_error_remains() {
    let text = |comment: &str| {
        format!(
            "partitions: [{{queues: [{{name: root, submitacl: '*', properties: {{\n{comment}\nno.such: 1\n}}}}]}}]\n"
        )
    };
    let read = |text: &str| crate::read(text, Profile::V1_9_0);
    let codes = |text: &str| read(text).faults.into_iter().map(|fault| fault.code).collect::<Vec<_>>();
    assert_eq!(codes(&text("")), ["CFG-S09"]);
    assert!(codes(&text("# kornsole: allow CFG-S09 because a test")).is_empty());
    assert_eq!(codes(&text("# kornsole: allow CFG-S04 because a test")), ["CFG-S09"]);
    let wrong =
        "# kornsole: allow CFG-055 because a test\npartitions: [{queues: [{name: root, maxapplications: 0}]}]\n";
    let severities =
        |profile| crate::read(wrong, profile).faults.into_iter().map(|fault| fault.severity).collect::<Vec<_>>();
    assert!(!severities(Profile::V1_9_0).contains(&Severity::Error));
    assert!(severities(Profile::Kornsole).contains(&Severity::Error), "an error cannot be allowed");
    let ids = ["CFG-S09".to_owned()];
    assert_eq!(judged(read(&text("")).faults, &[], &ids)[0].severity, Severity::Error);
    let both = |severity| Fault { severity, ..warning("CFG-055", Place::default(), "", String::new(), "") };
    let left = judged(vec![both(Severity::Error), both(Severity::Warning)], &["CFG-055".to_owned()], &[]);
    assert_eq!(left, [both(Severity::Error)]);
}

#[test]
fn every_id_of_a_warning_can_be_denied() {
    fn sources(dir: &std::path::Path, all: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                sources(&entry.path(), all);
            } else {
                all.push(std::fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    let mut all = Vec::new();
    sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    let mut found = 0;
    for text in &all {
        for call in [".warning(", ".strict(", ".lenient("] {
            for rest in text.split(call).skip(1) {
                let Some(id) = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) else {
                    continue;
                };
                if id.contains('-') {
                    found += 1;
                    assert!(WARNING_IDS.contains(&id), "{id}");
                }
            }
        }
    }
    assert!(found > 30, "{found}");
    assert!(IDS.iter().all(|id| WARNING_IDS.contains(id)));
}

fn reported(text: &str) -> Vec<String> {
    lint(text).into_iter().map(|fault| format!("{} {}: {}", fault.code, fault.at.line, fault.message)).collect()
}

fn root(text: &str) -> String {
    format!(
        "partitions:\n  - name: default\n    queues:\n      - name: root\n{}",
        text.replace("\n~", "\n        ").replacen('~', "        ", 1)
    )
}

#[test]
fn w_002_amounts_a_thousand_times_off_are_named() {
    let text = root(
        "~resources: {max: {memory: 512, vcore: 8000}}\n~queues: [{name: a, resources: {max: {memory: 1Mi, vcore: 8000m}}}]\n",
    );
    let [memory, cores] = reported(&text).try_into().unwrap();
    assert_eq!(memory, "W-002 5: `memory: 512` is 512 bytes, less than any pod requests");
    assert_eq!(cores, "W-002 5: `vcore: 8000` is a thousand times more than `8000m` of root.a (line 6)");
    let small = root("~resources: {max: {vcore: 8}}\n~queues: [{name: a, resources: {max: {vcore: 8m}}}]\n");
    assert_eq!(reported(&small), ["W-002 6: `vcore: 8m` is a thousand times less than `8` of root (line 5)"]);
    let right =
        root("~resources: {max: {memory: 512Gi, vcore: 8}}\n~queues: [{name: a, resources: {max: {vcore: 8000m}}}]\n");
    assert_eq!(reported(&right), Vec::<String>::new());
}

fn reported_for(text: &str, known: &Known) -> Vec<String> {
    let all = lint_for(text, known).into_iter();
    all.map(|fault| format!("{} {}:{}: {}", fault.code, fault.at.line, fault.at.column, fault.message)).collect()
}

const GUARANTEED: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - {name: a, resources: {guaranteed: {vcore: 6}, max: {vcore: 7}}}
          - {name: b, resources: {guaranteed: {vcore: 5}, max: {vcore: 2000m}}}
";

#[test]
fn w_010_guarantees_above_the_nodes_are_named() {
    let nodes = |cores: i64| Known { nodes: Some([("vcore", cores * 1000)].into_iter().collect()), ..Known::default() };
    assert!(reported_for(GUARANTEED, &Known::default()).is_empty());
    assert!(reported_for(GUARANTEED, &nodes(11)).is_empty(), "the sum fits");
    assert_eq!(
        reported_for(GUARANTEED, &nodes(10)),
        ["W-010 4:9: guaranteed vcore of all child queues of root is 11, and the nodes have 10"]
    );
    let of_a = "W-010 6:55: guaranteed vcore of root.a is 6, and the nodes have 5";
    assert!(
        reported_for(GUARANTEED, &nodes(5)).contains(&of_a.to_owned()),
        "{:?}",
        reported_for(GUARANTEED, &nodes(5))
    );
}

#[test]
fn w_011_a_maximum_below_one_pod_is_named() {
    let pod = |queue: &str, cores: i64| cluster::KnownPod {
        queue: queue.to_owned(),
        name: "ns/p".to_owned(),
        resource: [("vcore", cores * 1000), ("memory", 1 << 30)].into_iter().collect(),
    };
    let known = |pods: Vec<cluster::KnownPod>| Known { pods, ..Known::default() };
    assert!(reported_for(GUARANTEED, &known(vec![pod("root.a", 7), pod("root.b", 2), pod("root.bb", 9)])).is_empty());
    assert_eq!(
        reported_for(GUARANTEED, &known(vec![pod("root.b", 3), pod("root.b", 1)])),
        ["W-011 7:72: max vcore of root.b is 2, and pod ns/p requests 3: it never runs"]
    );
}

#[test]
fn w_014_priorities_that_a_fence_hides_are_named() {
    let with = |others: &str, rules: &str| {
        let text = format!(
            "~properties: {{priority.policy: fence}}\n~queues: [{{name: a, properties: {{priority.policy: fence}}, queues: [{{name: b, \
             properties: {{priority.offset: 5}}}}{others}]}}, {{name: c}}]\n"
        );
        root(&text)
            .replace("~", "        ")
            .replace("    queues:\n      - name: root", &format!("{rules}    queues:\n      - name: root"))
    };
    let found: Vec<String> =
        reported(&with("", "")).into_iter().filter(|reported| reported.starts_with("W-014")).collect();
    assert!(found.len() == 1 && found[0].contains("root.a.b is the only queue"), "{found:?}");
    let of = |text: &str| reported(text).into_iter().any(|reported| reported.starts_with("W-014"));
    assert!(!of(&with(", {name: d}", "")), "its sibling sees it");
    let only = with("", "")
        .replace("properties: {priority.offset: 5}", "queues: [{name: e, properties: {priority.offset: 5}}]");
    assert!(of(&only), "no queue beside it on the path to the fence");
    assert!(of(&with("", "").replace("policy: fence}, queues", "policy: Fence}, queues")), "any case");
    assert!(
        !of(&with("", "    placementrules: [{name: tag, value: namespace, create: true}]\n")),
        "a sibling can be created"
    );
}

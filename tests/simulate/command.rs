use std::path::Path;
use std::process::Command;

use super::common::TestDir;

pub const GENERATED: &str = r#"for = "2h"

[[nodes]]
count = 2
capacity = { vcore = "8", memory = "32Gi" }

[[stream]]
name = "etl"
queue = "root.etl"
user = "ann"
every = "2m"
tasks = [1, 4]
resource = { vcore = "2", memory = "4Gi" }
runtime = ["5m", "20m"]

[[stream]]
name = "web"
queue = "root.web"
user = "bob"
every = "5m"
arrivals = "even"
resource = { vcore = "1" }
runtime = "10m"
"#;

pub fn simulate(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_kornsole")).arg("simulate").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

pub fn path(file: &Path) -> &str {
    file.to_str().unwrap()
}

#[test]
fn a_scenario_gives_the_trace_of_run_byte_for_byte() {
    let dir = TestDir::new();
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/scenarios");
    for name in ["gang", "preempt", "appsort", "fence"] {
        let mut files: Vec<_> = std::fs::read_dir(&scenarios).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let found = files.iter().find(|file| {
            file.extension().is_some_and(|end| end == "yaml")
                && file.file_name().unwrap().to_string_lossy().contains(name)
        });
        let file = found.unwrap_or_else(|| panic!("no scenario has {name} in its name"));
        let trace = dir.write("trace.jsonl", "");
        let (code, out, err) = simulate(&[path(file), "--core", "1.8.0", "--trace", path(&trace)]);
        assert_eq!(code, Some(0), "{out}{err}");
        let run =
            Command::new(env!("CARGO_BIN_EXE_kornsole")).args(["run", "--core", "1.8.0", path(file)]).output().unwrap();
        assert_eq!(std::fs::read(&trace).unwrap(), run.stdout, "{}", file.display());
    }
}

#[test]
fn a_sweep_is_the_same_on_any_number_of_cores_and_can_be_taken_up_again() {
    let dir = TestDir::new();
    let file = dir.write("mix.toml", GENERATED.replace("2h", "20m"));
    let retained = dir.write("runs.jsonl", "");
    let arguments = [path(&file), "--load", "1,2", "--node-count", "2,4", "--seeds", "3", "--json"];
    let with = |more: &[&str]| simulate(&[&arguments[..], more].concat());
    let (code, one, err) = with(&["--threads", "1"]);
    assert_eq!((code, one.lines().count()), (Some(0), 12), "{err}");
    assert_eq!(with(&["--threads", "2"]).1, one);
    assert_eq!(with(&["--resume", path(&retained)]).1, one);
    let lines = std::fs::read_to_string(&retained).unwrap();
    assert_eq!(lines.lines().count(), 12);
    let half: String = lines.lines().take(6).map(|line| format!("{line}\n")).collect();
    std::fs::write(&retained, format!("{half}{}", &lines[..40])).unwrap();
    assert_eq!(with(&["--resume", path(&retained)]).1, one);
    let other = dir.write("other.txt", "my notes\n");
    let (code, _, err) = with(&["--resume", path(&other)]);
    assert!(code == Some(1) && err.contains("not a file of finished runs"), "{err}");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "my notes\n");
}

#[test]
fn the_fewest_nodes_that_meet_a_target_are_found_with_the_runs_it_took() {
    let dir = TestDir::new();
    let file = dir.write("mix.toml", GENERATED);
    let (code, out, err) = simulate(&[path(&file), "--find", "nodes", "--until", "p95(wait, root.etl) < 1m"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let line = out.lines().find(|line| line.contains("nodes meet")).unwrap();
    let nodes: usize = line.split(' ').next().unwrap().parse().unwrap();
    for (count, met) in [(nodes, "yes"), (nodes - 1, "no")] {
        let row = out.lines().rfind(|row| row.trim_start().starts_with(&format!("{count} "))).unwrap_or_default();
        assert!(count == 0 || row.contains(met), "{out}");
    }
    let (code, out, _) = simulate(&[path(&file), "--find", "nodes", "--until", "rejected < 0", "--most", "4"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("rejected < 0 cannot be met"), "{out}");
}

#[test]
fn an_unreachable_target_shows_the_best_value_and_why_more_does_not_help() {
    let dir = TestDir::new();
    let large = dir.write("large.toml", GENERATED.replace("vcore = \"2\", memory", "vcore = \"12\", memory"));
    let (code, out, _) = simulate(&[path(&large), "--find", "nodes", "--until", "waiting(root.etl) < 1"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(
        out.contains("cannot be met: with 2 nodes") && out.contains("requests 12 cpu, the largest node has 8"),
        "{out}"
    );
    let file = dir.write("mix.toml", GENERATED);
    let queues = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: etl\n      resources: {max: {vcore: 4}}\n    - name: web\n";
    let limited = dir.write("limited.yaml", queues);
    let target = ["--find", "nodes", "--until", "p95(wait, root.etl) < 1m"];
    let (code, out, _) = simulate(&[&[path(&file), "--config", path(&limited)], &target[..]].concat());
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("more nodes do not help") && out.contains("a limit of their queue or user"), "{out}");
}

#[test]
fn a_wait_that_never_ends_is_met_by_no_number_of_nodes() {
    let dir = TestDir::new();
    let large = dir.write("large.toml", GENERATED.replace("vcore = \"2\", memory", "vcore = \"12\", memory"));
    let log: String = (1..=2)
        .map(|job| format!("{job} {} 0 600 4 -1 -1 4 3600 2097152 1 5 2 -1 1 0 -1 -1\n", 60 * (job - 1)))
        .collect();
    let log = dir.write("memory.swf", log);
    let pod = |name: &str| {
        format!(
            r#"{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "{name}", "namespace": "spark", "uid": "{name}",
            "creationTimestamp": "2025-01-01T10:00:00Z", "labels": {{"spark-app-selector": "spark-0", "queue": "root.spark"}}}},
            "spec": {{"schedulerName": "yunikorn", "containers": [{{"name": "c", "image": "x", "resources":
            {{"requests": {{"cpu": "2", "nvidia.com/gpu": "1"}}}}}}]}}}}"#
        )
    };
    let pods = format!(r#"{{"apiVersion": "v1", "kind": "List", "items": [{}, {}]}}"#, pod("a"), pod("b"));
    let pods = dir.write("pods.json", pods);
    let cases: [(&[&str], &str); 3] = [
        (&[path(&large)], "requests 12 cpu, the largest node has 8"),
        (&[path(&log), "--node", "vcore=16", "--node-count", "1"], "no node has memory"),
        (
            &[path(&pods), "--runtime", "10m", "--node", "vcore=16,memory=64Gi", "--node-count", "1"],
            "no node has nvidia.com/gpu",
        ),
    ];
    for (arguments, why) in cases {
        let (code, out, err) = simulate(arguments);
        assert_eq!(code, Some(0), "{out}{err}");
        assert!(out.contains("never run: ") && out.contains(why) && out.contains("never"), "{out}");
        let find: Vec<&str> = arguments.iter().filter(|one| !["--node-count", "1"].contains(one)).copied().collect();
        for condition in ["max(wait) < 10m", "mean(wait) < 10m", "max(wait) > 1s", "makespan < 9h"] {
            let (code, out, err) = simulate(&[&find[..], &["--find", "nodes", "--until", condition]].concat());
            assert_eq!(code, Some(1), "{condition}: {out}{err}");
            assert!(out.contains("cannot be met") && out.contains(why), "{condition}: {out}");
        }
        let (_, out, _) = simulate(&[arguments, &["--json"]].concat());
        let run: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
        let metrics = &run["figures"];
        assert!(metrics["total"]["waits"]["max"].is_null() && metrics["never"][0]["count"].as_u64() > Some(0), "{out}");
    }
}

#[test]
fn no_condition_is_met_where_nothing_ever_runs_and_a_search_names_its_core_and_what_never_runs() {
    let dir = TestDir::new();
    let large = GENERATED.replace("vcore = \"2\", memory", "vcore = \"12\", memory");
    let (partly, never) = (
        dir.write("partly.toml", &large),
        dir.write("never.toml", large.split("[[stream]]\nname = \"web\"").next().unwrap()),
    );
    let find = |file: &Path, condition: &str, more: &[&str]| {
        simulate(&[&[path(file), "--find", "nodes", "--until", condition], more].concat())
    };
    let conditions =
        ["utilization(vcore) < 80%", "preempted() < 1", "waiting() < 1000", "rejected < 1", "p50(wait) > 0s"];
    for condition in conditions {
        let (code, out, err) = find(&never, condition, &[]);
        assert_eq!(code, Some(1), "{condition}: {out}{err}");
        assert!(out.contains("cannot be met") && out.contains("the largest node has 8"), "{condition}: {out}");
    }
    let (code, out, _) = find(&partly, "p95(wait, root.web) < 1m", &["--core", "1.8.0"]);
    assert!(code == Some(0) && out.contains("\ncore 1.8.0\n") && out.contains(" requests never run: "), "{out}");
    let (code, out, _) = find(&partly, "max(wait) < 1m", &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["core"], &json["runs"][0]["value"]), (Some(1), &"1.9.0".into(), &serde_json::Value::Null));
}

#[test]
fn configurations_are_compared_in_sentences_and_a_page_needs_no_network() {
    let dir = TestDir::new();
    let file = dir.write("mix.toml", GENERATED);
    let queues = |max: &str| {
        format!(
            "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: etl\n{max}    - name: web\n"
        )
    };
    let wide = dir.write("wide.yaml", queues(""));
    let narrow = dir.write("narrow.yaml", queues("      resources: {max: {vcore: 4}}\n"));
    let html = dir.write("report.html", "");
    let (code, out, err) =
        simulate(&[path(&file), "--config", path(&wide), "--config", path(&narrow), "--html", path(&html)]);
    assert_eq!(code, Some(0), "{err}");
    let sentence = out.lines().find(|line| line.starts_with("narrow.yaml compared with wide.yaml:")).expect(&out);
    assert!(sentence.contains("Worse:") && sentence.contains("p95 of root.etl"), "{sentence}");
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("<svg") && page.contains("vcore in use") && page.len() < 2_000_000);
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("@import"));
    let links = page.matches("http").count();
    assert_eq!(links, page.matches("http://www.w3.org/2000/svg").count(), "only the names of SVG");
}

#[test]
fn bad_input_has_its_place_and_nothing_is_run() {
    let dir = TestDir::new();
    let log = dir.write("log.swf", "1 2 3\n1 0 0 60 2 -1 -1 2 60 -1 1 1 1 -1 1 -1 -1 -1\n");
    let empty = dir.write("empty.swf", "; nothing but a comment\n");
    let nodes = ["--node", "vcore=4", "--node-count", "1"];
    let (code, out, err) = simulate(&[&[path(&log)], &nodes[..]].concat());
    assert!(
        code == Some(1) && out.is_empty() && err.contains("log.swf:1:1: the line has 3 columns, expected 18"),
        "{err}"
    );
    let (code, out, err) = simulate(&[&[path(&log), "--lenient"], &nodes[..]].concat());
    assert!(code == Some(0) && out.contains("1 invalid line skipped"), "{out}{err}");
    for (arguments, code, words) in [
        (vec![path(&log), "--lenient"], 1, "no nodes; use --node"),
        (vec!["x.pdf"], 1, "cannot read x.pdf"),
        (vec![path(&empty), "--node", "vcore=4", "--node-count", "1"], 1, "empty.swf:1:1: no job found"),
        (vec![path(&log), "--seeds", "0"], 2, "0 is not in 1.."),
        (vec![path(&log), "--threads", "0"], 2, "expected an integer from 1"),
        (vec![path(&log), "--most", "none"], 2, "expected an integer from 1"),
        (vec![path(&log), "--load", "0"], 2, "use a number above 0"),
        (vec![path(&log), "--lenient", "--html", "/no/such/folder/report.html"], 1, "nothing was simulated"),
        (vec![path(&log), "--lenient", "--find", "nodes", "--until", "fast"], 2, "is not a target"),
        (vec![path(&log), "--queue", "team:x=root.a"], 2, "is not a queue rule"),
        (vec![path(&log), "--runtime", "history:user"], 2, "a workload has no history"),
    ] {
        let (got, out, err) = simulate(&arguments);
        assert!(got == Some(code) && err.contains(words), "{arguments:?}: {got:?} {out}{err}");
    }
}

#[test]
fn a_file_larger_than_the_memory_is_refused_with_the_estimate() {
    let dir = TestDir::new();
    let file = dir.write("huge.swf", "");
    // The file is sparse.
    std::fs::File::options().write(true).open(&file).unwrap().set_len(4 << 40).unwrap();
    let (code, out, err) = simulate(&[path(&file), "--node", "vcore=4", "--node-count", "1"]);
    assert!(code == Some(1) && out.is_empty(), "{out}{err}");
    assert!(err.contains("has 4096.0 GiB, which need about 49152.0 GiB of memory"), "{err}");
    assert!(err.contains("are available; simulate a part of it"), "{err}");
}

#[test]
fn a_key_that_is_set_is_compared_with_what_is_configured() {
    let dir = TestDir::new();
    let file = dir.write("mix.toml", GENERATED);
    let queues = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: etl\n      resources: {max: {vcore: 4}}\n    - name: web\n";
    let now = dir.write("now.yaml", queues);
    let (code, out, err) = simulate(&[path(&file), "--config", path(&now), "--set", "root.etl.max.vcore=x4"]);
    assert_eq!(code, Some(0), "{err}");
    let sentence =
        out.lines().find(|line| line.starts_with("root.etl.max.vcore=x4 compared with now.yaml:")).expect(&out);
    assert!(sentence.contains("Better:") && sentence.contains("p95 of root.etl"), "{sentence}");
    let target = ["--find", "nodes", "--until", "p95(wait, root.etl) < 1m"];
    let with = |sets: &[&str]| simulate(&[&[path(&file), "--config", path(&now)], sets, &target[..]].concat());
    assert_eq!(with(&[]).0, Some(1), "the maximum keeps it from being met");
    assert_eq!(with(&["--set", "root.etl.max.vcore=none"]).0, Some(0));
    for (set, code, words) in [
        ("root.nowhere.max.vcore=1", 1, "now.yaml: queue root.nowhere not found"),
        ("root.etl.max.vcore", 2, "missing `=`"),
        ("root.etl.max.vcore=much", 1, "--set root.etl.max.vcore=much"),
    ] {
        let (got, out, err) = with(&["--set", set]);
        assert!(got == Some(code) && err.contains(words), "{set}: {got:?} {out}{err}");
    }
}

#[test]
fn a_compressed_log_is_read_as_a_stream_and_jobs_after_the_end_are_not_stored() {
    use std::io::Write as _;
    let dir = TestDir::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writeln!(packed, "; MaxProcs: 64").unwrap();
    for job in 1..=20_000 {
        writeln!(packed, "{job} {} 0 30 1 -1 -1 1 60 -1 1 3 7 -1 1 -1 -1 -1", job * 60).unwrap();
    }
    let log = dir.write("log.swf.gz", packed.finish().unwrap());
    let (code, out, err) = simulate(&[path(&log), "--for", "1h"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("log.swf.gz: jobs that are submitted after the end of --for: 19939\n"), "{out}");
    let root = out.lines().find(|line| line.starts_with("root ")).unwrap();
    assert_eq!(root.split_whitespace().nth(1), Some("61"), "{out}");
    let (_, out, _) = simulate(&[path(&log), "--for", "1h", "--load", "2"]);
    assert!(!out.contains("after the end of --for"), "jobs arrive earlier with --load: {out}");
}

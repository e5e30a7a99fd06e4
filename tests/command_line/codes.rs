use crate::common::TestDir;
use crate::kornsole;

const GOOD: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*'}]}]\n";

#[test]
fn a_file_that_cannot_be_read_is_1_in_every_command_but_diff() {
    let dir = TestDir::new();
    let commands = [
        "check no",
        "check .",
        "check --json no",
        "place no --user a",
        "place no --batch no",
        "run no",
        "play no",
        "play no --check",
        "open no",
        "--config no",
        "--workload no",
        "--settings no",
        "serve --listen 127.0.0.1:0 --log off --config no",
        "serve --listen 127.0.0.1:0 --log off --workload no",
        "serve --listen 127.0.0.1:0 --log off --tokens no",
        "serve --listen 127.0.0.1:0 --log off --tls-cert no --tls-key no",
        "serve --listen 127.0.0.1:0 --log-file no/log",
        "serve --log off --scheduler-config no",
        "demo --scheduler-config no",
        "attach http://127.0.0.1:1 --token-file no",
        "attach http://127.0.0.1:1 --settings no",
        "queues --server http://127.0.0.1:1 --token-file no",
        "apply no --yes --server http://127.0.0.1:1",
        "audit --state no",
        "config show --state no",
    ];
    for line in commands {
        let (code, _, err) = kornsole(&*dir, &line.split(' ').collect::<Vec<_>>(), "");
        assert_eq!(code, Some(1), "{line}: {err}");
        assert!(err.contains("no") || err.contains('.'), "{line} says which file: {err}");
    }
    assert_eq!(kornsole(&*dir, &["diff", "no", "no"], "").0, Some(2), "as diff(1)");
}

#[test]
fn a_flag_may_be_before_or_after_its_command() {
    let dir = TestDir::new();
    dir.write("a.yaml", GOOD);
    for (before, behind) in [
        ("--json check a.yaml", "check --json a.yaml"),
        ("--core 1.8.0 check a.yaml", "check a.yaml --core 1.8.0"),
        ("--user sue --json place a.yaml", "place a.yaml --user sue --json"),
        ("--json diff a.yaml a.yaml", "diff a.yaml a.yaml --json"),
        ("--server http://127.0.0.1:1 queues", "queues --server http://127.0.0.1:1"),
        ("config --state no history", "config history --state no"),
        ("--file no token list", "token list --file no"),
    ] {
        let run = |line: &str| kornsole(&*dir, &line.split(' ').collect::<Vec<_>>(), "");
        let (first, second) = (run(before), run(behind));
        assert_eq!(first, second, "{before}");
        assert_ne!(first.0, Some(2), "{before}: {}", first.2);
    }
    let (code, _, err) = kornsole(&*dir, &["--nonsense", "check", "a.yaml"], "");
    assert!(code == Some(2) && err.contains("--nonsense"), "{err}");
}

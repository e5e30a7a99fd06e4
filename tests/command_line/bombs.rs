//! Input that grows when it is read: every reader rejects it by a limit that the message names.

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::common::TestDir;

const LEVELS: usize = 10_000;

fn deep() -> String {
    format!("{}{}", "[".repeat(LEVELS), "]".repeat(LEVELS))
}

fn aliases(indent: &str) -> String {
    let mut text = format!("{indent}a: &a [x,x,x,x,x,x,x,x,x]\n");
    for (before, name) in ('a'..'k').zip('b'..='k') {
        let nine = vec![format!("*{before}"); 9].join(",");
        text.push_str(&format!("{indent}{name}: &{name} [{nine}]\n"));
    }
    text
}

fn path(file: &Path) -> &str {
    file.to_str().expect("UTF-8")
}

fn reported(command: &[&str], file: &Path) -> String {
    let (code, out, err) = super::kornsole(env!("CARGO_MANIFEST_DIR"), &[command, &[path(file)]].concat(), "");
    assert!(matches!(code, Some(1 | 2)), "{command:?} {}: {code:?} {out}{err}", file.display());
    out + &err
}

const OF_OBJECTS: [&[&str]; 3] = [&["run", "--from-manifests"], &["whatif", "--from-manifests"], &["simulate"]];

#[test]
fn deep_and_aliased_texts_are_refused_by_their_limit() {
    let dir = TestDir::new();
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n";
    let cases: [(&str, &[&[&str]], String); 4] = [
        ("queues.yaml", &[&["check"]], "partitions: LIST\n".to_owned()),
        ("scenario.yaml", &[&["run"], &["whatif", "--workload"]], "version: 1\nsteps: LIST\n".to_owned()),
        ("policy.yaml", &[&["test"]], "tests: LIST\n".to_owned()),
        ("job.yaml", &OF_OBJECTS, format!("{job}  template: LIST\n")),
    ];
    for (name, commands, text) in cases {
        let nested = dir.write(name, text.replace("LIST", &deep()));
        let indent = if name == "job.yaml" { "  " } else { "" };
        let (first, rest) = text.split_at(if name == "job.yaml" { job.len() } else { 0 });
        let aliased = format!("{first}{}{}", aliases(indent), rest.replace("LIST", "*k"));
        let aliased = dir.write(&format!("aliased-{name}"), aliased);
        for command in commands {
            let text = reported(command, &nested);
            assert!(text.contains("nested deeper than 256 levels"), "{command:?}: {text}");
            let text = reported(command, &aliased);
            assert!(text.contains("expand to more than 500000 values"), "{command:?}: {text}");
        }
    }
}

#[test]
fn deep_texts_of_other_formats_are_refused_by_their_limit() {
    let dir = TestDir::new();
    let pods = dir.write("pods.json", format!("{{\"kind\": \"List\", \"items\": {}}}", deep()));
    for command in &OF_OBJECTS {
        let text = reported(command, &pods);
        assert!(text.contains("nested deeper than 127 levels"), "{command:?}: {text}");
    }
    let jobs = dir.write("jobs.json", format!("{{\"jobs\": {}}}", deep()));
    assert!(reported(&["simulate"], &jobs).contains("nested deeper than 127 levels"));
    let terraform = dir.write("queues.tf", format!("x = {}\n", deep()));
    assert!(reported(&["check"], &terraform).contains("levels"), "{}", reported(&["check"], &terraform));
    let generator = dir.write("mix.toml", format!("a = {}\n", deep()));
    assert!(
        reported(&["simulate"], &generator).contains("max recursion depth"),
        "{}",
        reported(&["simulate"], &generator)
    );
    let groups = dir.write("pool.yaml", format!("kind: NodePool\nspec: {}\n", deep()));
    let text = reported(&["simulate", "--node-group", &format!("@{}", path(&groups))], &pods);
    assert!(text.contains("nested deeper than 256 levels"), "{text}");
}

#[test]
fn packed_texts_are_refused_when_they_grow_above_the_limit() {
    let dir = TestDir::new();
    let spaces = vec![b' '; 32 << 20];
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(&spaces).expect("memory");
    let gzip = packer.finish().expect("memory");
    let zstd = compress_to_vec(&spaces[..], CompressionLevel::Fastest);
    for (name, bomb) in [("bomb.gz", &gzip), ("bomb.zst", &zstd)] {
        let config = dir.write(name, bomb);
        assert!(reported(&["check"], &config).contains("has more than 16 MiB when unpacked"), "{name}");
        assert!(reported(&["test"], &config).contains("has more than 16 MiB when unpacked"), "{name}");
        let groups = format!("@{}", path(&config));
        let text = reported(&["simulate", "--node-group", &groups], Path::new("tests/scenarios/tenants.yaml"));
        assert!(text.contains("has more than 16 MiB when unpacked"), "{name}: {text}");
    }
}

#[test]
fn packed_manifests_scenarios_and_policy_tests_are_read() {
    let dir = TestDir::new();
    let pack = |text: &str| {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(text.as_bytes()).expect("memory");
        packer.finish().expect("memory")
    };
    let run = |arguments: &[&str]| super::kornsole(env!("CARGO_MANIFEST_DIR"), arguments, "");
    let node = "kind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}\n";
    let pod = "kind: Pod\nmetadata: {name: p}\nspec: {schedulerName: yunikorn, containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n";
    let inside = dir.join("manifests");
    std::fs::create_dir(&inside).expect("the folder is writable");
    std::fs::write(inside.join("all.yaml.gz"), pack(&format!("{node}---\n{pod}"))).expect("the folder is writable");
    let (code, out, err) = run(&["run", "--from-manifests", path(&inside)]);
    assert!(code == Some(0) && out.contains("to be bound: 1;"), "{out}{err}");
    let scenario = std::fs::read_to_string("tests/scenarios/multitenancy.yaml").expect("a scenario");
    let packed = dir.write("scenario.yaml.gz", pack(&scenario));
    assert_eq!(run(&["run", path(&packed)]).0, Some(0));
}

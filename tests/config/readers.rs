//! All other readers of external data: arbitrary and damaged bytes cause no panic, long run, or large memory usage.
//!
//! A longer run: `PROPTEST_CASES=20000 cargo test --release --test config readers`.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster::kube::Known;
use config::input::{Input, recognize};
use console::shell::settings;
use console::theme::{Themes, read as theme};
use engine::call::{Attempt, post};
use engine::journal::{Dir, MemoryDisk, Store, frame};
use engine::{Core, Setup};
use forecast::policy;
use forecast::simulate::input::{generator, kubernetes, sacct, swf};
use forecast::simulate::node_groups::{NodeGroup, manifests};
use model::{Identity, Profile};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use source::{Saved, Source as _};

use crate::common::TestDir;

const LONGEST: Duration = Duration::from_secs(10);
const MEMORY: u64 = 2 << 20;

const PIECES: [&str; 28] = [
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    ":",
    ",",
    "=",
    "\n",
    "- ",
    "&a ",
    "*a ",
    "<<: ",
    "null",
    "-1",
    "1e308",
    "18446744073709551616",
    "9223372036854775807",
    "[[",
    "]]",
    "\u{0}",
    "é\u{feff}",
    "#",
    ";",
    "\\u0000",
    "0.1e-999",
    "\t",
];

type Damage = Vec<(Index, Vec<u8>, usize)>;

fn damage() -> impl Strategy<Value = Damage> {
    let piece = prop_oneof![
        select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..16),
        (select(&["[", "{\"a\":", "- ", "a:\n "][..]), 1..4_000_usize)
            .prop_map(|(piece, times)| piece.repeat(times).into_bytes()),
    ];
    prop::collection::vec((any::<Index>(), piece, 0..64_usize), 0..6)
}

fn damaged(file: &[u8], damage: Damage) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for (at, piece, taken) in damage {
        let at = at.index(bytes.len() + 1);
        let until = (at + taken).min(bytes.len());
        bytes.splice(at..until, piece);
    }
    bytes
}

fn within<T>(what: &str, read: impl FnOnce() -> T) -> T {
    let started_at = Instant::now();
    let outcome = read();
    assert!(started_at.elapsed() < LONGEST, "{what} took {:?}", started_at.elapsed());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    assert!(most.is_none_or(|most: u64| most < MEMORY), "{what} took {most:?} KiB");
    outcome
}

const KUBECONFIG: &str = "apiVersion: v1
kind: Config
current-context: a
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:6443', certificate-authority-data: QUJD}}]
users: [{name: u, user: {token: secret}}]
contexts: [{name: a, context: {cluster: c, user: u, namespace: ns}}]
";

const SETTINGS: &str = "theme = 'mine'
refresh = '2s'
start = 'queues'
[keys.list]
f = 'apps'
'C-a g' = 'nodes'
[columns]
queues = ['state', 'cpu:12']
[contexts.prod]
address = 'https://prod:9080'
[command.top]
run = ['top', '{app}']
";

const SWF: &str = "; Version: 2
1 0 10 100 4 -1 1024 4 200 2048 1 3 2 1 1 1 -1 -1
2 5 -1 50 8 -1 -1 8 60 -1 0 4 2 -1 2 1 1 10
";

const POLICY: &str = "tests:
- {name: place, place: {user: sue, groups: [dev], tags: {namespace: x}}, expect: root.dev}
- name: room
  nodes: [{count: 2, capacity: {vcore: 16, memory: 64Gi}}]
  submit:
  - {app: a, user: ann, queue: root.a, pods: 4, resource: {vcore: 4, memory: 8Gi}, at: 1m, runtime: 5m}
  within: 5m
  expect: [{app: a, running: all}, {queue: root.a, atLeast: 30%, atMost: {vcore: 4}}]
";

const NODE_GROUPS: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: p}
spec:
  template: {spec: {requirements: [{key: a/instance-cpu, operator: In, values: ['4', '8']}, {key: b/instance-memory, operator: In, values: ['1']}]}}
  limits: {cpu: 100, nodes: 3}
  disruption: {consolidateAfter: 1m}
---
kind: Deployment
spec: {template: {spec: {containers: [{command: [x, '--nodes=1:10:a.large', '--scale-down-unneeded-time=5m']}]}}}
---
autoscalingGroups: [{name: a.large, minSize: 1, maxSize: 4}]
";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

const GENERATED: &str = "seed: 1\njobs:\n- {queue: root.a, count: 3, every: 10s, resource: {vcore: 1}, runtime: 1m}\n";

fn read_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    within("a theme", || drop(theme::read(&text)));
    within("settings", || {
        let read = settings::read(&text, &Themes::shipped());
        read.fault_report("settings.toml", &text).len()
    });
    within("a log of jobs", || swf::read("log.swf", &text).workload.jobs.len());
    within("a table of sacct", || sacct::read("sacct.txt", &text).workload.jobs.len());
    within("sacct in JSON", || sacct::read_json("sacct.json", &text).workload.jobs.len());
    within("a generator", || generator::read(&text, 1).faults.len());
    within("pods", || kubernetes::read(&text).faults.len());
    within("node groups", || {
        drop(text.parse::<NodeGroup>());
        drop(manifests::read_types(&text));
    });
}

fn read_policy(bytes: &[u8]) {
    within("policy tests", || {
        let policy::Reading { file, faults } = policy::read(bytes);
        assert!(file.is_some() || !faults.is_empty());
        let config = Arc::new(config::read(config::DEFAULT_CONFIG, Profile::NEWEST).config.unwrap());
        for case in file.iter().flat_map(|file| &file.cases) {
            let _ = policy::run(case, &config, Profile::NEWEST);
        }
    });
}

fn read_node_groups(bytes: &[u8]) {
    within("manifests of autoscalers", || {
        let Ok(objects) = ::kubernetes::values("f", bytes) else { return };
        let objects: Vec<_> = objects.into_iter().map(|(line, value)| (line.to_string(), value)).collect();
        let types = ["a.large: cpu=2, memory=4Gi".parse().unwrap()];
        for group in manifests::read(&objects, &types).into_iter().flat_map(|read| read.groups) {
            assert_eq!(group.to_string().parse::<NodeGroup>(), Ok(group));
        }
    });
}

fn read_packed(bytes: &[u8]) {
    within("packed data", || {
        let mut streamed = Vec::new();
        let read = config::input::unpacking(bytes, 1 << 24).and_then(|mut from| from.read_to_end(&mut streamed));
        if let Ok(whole) = config::input::unpack(bytes) {
            assert!(read.is_ok() && streamed == *whole);
        }
    });
}

fn read_input(bytes: &[u8]) {
    within("an input", || {
        for group in ["queues", "batch"] {
            let reading = config::read_file(bytes, group, Profile::V1_9_0);
            let text = config::input::text_of(bytes).map(|text| text.into_owned()).unwrap_or_default();
            let unpacked = config::input::unpack(bytes).unwrap_or_default();
            // A carriage return alone is a line break of YAML too.
            let lines = u32::try_from(unpacked.split(|byte| matches!(byte, b'\n' | b'\r')).count()).unwrap();
            assert!(reading.faults.iter().all(|fault| fault.at.line <= lines), "{:?}", reading.faults);
            let Ok(Input::Embedded(found)) = recognize(&text, group) else { continue };
            for one in found {
                let alone = config::read(&one.text, Profile::V1_9_0);
                let within = one.read(Profile::V1_9_0);
                assert_eq!((alone.is_valid(), alone.faults.len()), (within.is_valid(), within.faults.len()));
                assert!(one.at.line > 0 && one.at.line <= lines, "{:?}", one.at);
                let _ = config::lint::lint(&one.text);
            }
        }
    });
}

fn inputs() -> Vec<Vec<u8>> {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config/inputs");
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn read_kubeconfig(bytes: &[u8]) {
    let dir = TestDir::new();
    let file = dir.write("config", bytes);
    within("a kubeconfig", || {
        if let Ok(known) = Known::of(&[file]) {
            let _ = (known.contexts(), known.names());
            let _ = known.context(None);
        }
    });
}

fn read_dump(bytes: &[u8]) {
    within("a state dump", || {
        let Ok(saved) = Saved::read("state.json", bytes, Identity::default()) else { return };
        for part in &saved.view().partitions {
            let _ = saved.twin(&part.name);
        }
    });
}

fn read_journal(bytes: Vec<u8>) {
    within("frames", || {
        let mut found = 0;
        frame::scan(&bytes, |_| found += 1);
        let _ = frame::read_all(&bytes, |_| found += 1);
        found
    });
    within("a journal", || {
        let setup = Setup::of(Profile::Kornsole);
        let disk = Arc::new(MemoryDisk::from(bytes));
        let dir = Dir::on(disk);
        let _ = dir.and_then(|dir| dir.start(&setup, 1.0, None, Box::new(|_| Err("nothing".to_owned()))).map(drop));
    });
}

fn journal() -> Vec<u8> {
    let (setup, disk) = (Setup::of(Profile::Kornsole), Arc::new(MemoryDisk::default()));
    let config = config::read(config::DEFAULT_CONFIG, setup.profile).config.unwrap();
    let make = |_| Core::new(Profile::Kornsole, Arc::new(config), None).map_err(|why| why.to_string());
    let (core, retained) = Dir::on(Arc::clone(&disk) as _).unwrap().start(&setup, 1.0, None, Box::new(make)).unwrap();
    drop((core, retained));
    assert!(Store::open(Arc::new(MemoryDisk::from(disk.copy()))).unwrap().head().unwrap().is_some());
    disk.copy()
}

fn answer_to_webhook(bytes: Vec<u8>) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", server.local_addr().unwrap());
    let answers = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(&bytes);
    });
    let attempt = within("a webhook", || post("hook", &address, None, &"{}".into(), Duration::from_secs(2)));
    if let Attempt::Failed(why) = attempt {
        assert!(why.len() < 10_000, "{why}");
    }
    answers.join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_refused_by_every_reader(bytes in prop::collection::vec(any::<u8>(), 0..4_000)) {
        read_text(&bytes);
        read_input(&bytes);
        read_policy(&bytes);
        read_node_groups(&bytes);
        read_packed(&bytes);
        read_kubeconfig(&bytes);
        read_dump(&bytes);
        read_journal(bytes);
    }

    #[test]
    fn damaged_texts_are_read_as_far_as_possible(file in 0..4_usize, damage in damage()) {
        let theme = include_str!("../../themes/dark.toml");
        read_text(&damaged([SETTINGS, SWF, GENERATED, theme][file].as_bytes(), damage));
    }

    #[test]
    fn damaged_inputs_are_read_or_refused(file in select(inputs()), damage in damage(), again in damage(), packed in 0..3) {
        let mut bytes = damaged(&file, damage);
        read_input(&bytes);
        bytes = match packed {
            0 => return Ok(()),
            1 => gzip(&bytes),
            _ => compress_to_vec(&bytes[..], CompressionLevel::Fastest),
        };
        read_input(&bytes);
        read_packed(&damaged(&bytes, again));
    }

    #[test]
    fn damaged_policy_tests_are_read_or_refused(damage in damage()) {
        read_policy(&damaged(POLICY.as_bytes(), damage));
    }

    #[test]
    fn damaged_node_groups_are_read_or_refused(damage in damage()) {
        read_node_groups(&damaged(NODE_GROUPS.as_bytes(), damage));
    }

    #[test]
    fn damaged_kubeconfigs_are_read_or_refused(damage in damage()) {
        read_kubeconfig(&damaged(KUBECONFIG.as_bytes(), damage));
    }
}

proptest! {
    // Each case takes longer.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_dumps_are_read_or_refused(damage in damage()) {
        read_dump(&damaged(include_bytes!("../conformance/rest/1.8.0/41.json"), damage));
    }

    #[test]
    fn damaged_journals_are_opened_or_refused(damage in damage()) {
        let whole = journal();
        read_journal(damaged(&whole, damage));
    }

    #[test]
    fn answers_to_webhooks_are_taken_or_refused(
        damage in damage(),
        garbage in prop::collection::vec(any::<u8>(), 0..2_000),
        whole in any::<bool>(),
    ) {
        let usual = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n{}";
        answer_to_webhook(if whole { damaged(usual, damage) } else { garbage });
    }
}

//! How fast it is. The numbers of the issue hold for a release build; run with
//! `cargo test --release --test rest speed -- --ignored --nocapture`.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kornsole::api::convert;
use kornsole::api::dto::json;
use kornsole::config;
use kornsole::engine::{Core, Engine, Setup};
use kornsole::model::Profile;
use kornsole::scheduler::{Command, NodeSpec, PartitionCommand};

use super::stage::Stage;

/// A tree of 10 000 queues with limits and properties, on one node.
fn wide() -> Arc<Engine> {
    let mut text =
        "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n".to_owned();
    for tenant in 0..100 {
        let max = "resources: {guaranteed: {vcore: 2, memory: 4G}, max: {vcore: 100, memory: 200G}}";
        let _ = write!(
            text,
            "    - name: tenant-{tenant:02}\n      {max}\n      properties: {{priority.offset: '5'}}\n      queues:\n"
        );
        for queue in 0..99 {
            let _ =
                writeln!(text, "      - {{name: queue-{queue:02}, resources: {{max: {{vcore: 10, memory: 20G}}}}}}");
        }
    }
    let config = Arc::new(config::read(&text, Profile::Kornsole).config.unwrap());
    let mut core = Core::set_up(&Setup::of(Profile::Kornsole), config, None).unwrap();
    let capacity = [("memory", 1_000_000_000_000), ("vcore", 1_000_000)].into_iter().collect();
    let node = NodeSpec { id: "n1".into(), capacity, ..NodeSpec::default() };
    core.apply(&Command::In { partition: None, command: PartitionCommand::AddNode(node) });
    Arc::new(Engine::start(core, 1.0).unwrap())
}

fn best(of: usize, mut what: impl FnMut()) -> Duration {
    (0..of)
        .map(|_| {
            let began = Instant::now();
            what();
            began.elapsed()
        })
        .min()
        .unwrap()
}

#[test]
#[ignore = "measures; needs a release build and a quiet machine"]
fn big_trees_and_many_reads() {
    let stage = Stage::serve(wide(), Profile::Kornsole, |_| {});
    let view = stage.engine.published().view();
    let partition = &view.partitions[0];
    let root = partition.root().unwrap();
    let bytes = json::to_bytes(&convert::queue_tree(partition, root)).len();
    let tree = best(20, || drop(json::to_bytes(&convert::queue_tree(partition, root))));
    let leaf = partition.queue_at(&"root.tenant-50.queue-50".into()).unwrap();
    let one = best(1000, || drop(json::to_bytes(&convert::queue(partition, leaf))));
    eprintln!("tree of 10 000 queues: {tree:?} for {bytes} bytes; one queue: {one:?}");

    let mut stream = stage.connect();
    let request = b"GET /ws/v1/partition/default/queue/root.tenant-50.queue-50 HTTP/1.1\r\nHost: a\r\n\r\n";
    let began = Instant::now();
    let mut buffer = vec![0; 1 << 16];
    for _ in 0..2000 {
        stream.write_all(request).unwrap();
        let count = stream.read(&mut buffer).unwrap();
        assert!(buffer[..count].starts_with(b"HTTP/1.1 200"));
    }
    eprintln!("single reads on one connection: {:.0} a second", 2000.0 / began.elapsed().as_secs_f64());
    if !cfg!(debug_assertions) {
        assert!(tree < Duration::from_millis(20) && one < Duration::from_micros(200));
    }
}

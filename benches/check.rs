//! `kornsole check` with 10,000 queues in 4 MB; the limit for a pre-commit hook is 200 ms.

use std::fmt::Write as _;

use config::{Faults, Reading, checksum, read_file, yaml};
use divan::Bencher;
use model::Profile;

const TENANTS: u32 = 100;
const LEAVES: u32 = 99;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

fn text() -> String {
    let mut text = String::from(
        "partitions:\n- name: default\n  placementrules:\n  - name: provided\n    create: true\n  queues:\n  - name: root\n    \
         submitacl: '*'\n    queues:\n",
    );
    for tenant in 0..TENANTS {
        let _written = writeln!(
            text,
            "    - name: tenant-{tenant:03}\n      parent: true\n      resources:\n        guaranteed: {{memory: 100G, vcore: 100}}\n        \
             max: {{memory: 1T, vcore: 1000}}\n      queues:"
        );
        for leaf in 0..LEAVES {
            let _written = writeln!(
                text,
                "      - name: leaf-{leaf:03}\n        submitacl: 'sue,bob dev,ops'\n        maxapplications: 50\n        properties:\n          \
                 application.sort.policy: fair\n          priority.offset: '5'\n        resources:\n          guaranteed: {{memory: \
                 1G, vcore: 1}}\n          max: {{memory: 10G, vcore: 10}}\n        limits:\n        - limit: each\n          users: \
                 ['*']\n          maxapplications: 5\n          maxresources: {{memory: 5G, vcore: 5}}"
            );
        }
    }
    text
}

#[divan::bench]
fn check(bencher: Bencher) {
    let text = text();
    bencher.bench_local(|| {
        let reading: Reading = read_file(text.as_bytes(), "queues", Profile::Kornsole);
        assert!(reading.is_valid());
        reading
    });
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let text = text();
    bencher.bench_local(|| yaml::parse(&text, &mut Faults::new(Profile::Kornsole)));
}

#[divan::bench]
fn sum(bencher: Bencher) {
    let text = text();
    bencher.bench_local(|| checksum(text.as_bytes()));
}

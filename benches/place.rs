//! One placement among 10,000 queues; the last of ten rules matches.

#![allow(clippy::expect_used, reason = "a bench is a program for its own people")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use config::read;
use divan::Bencher;
use model::Profile;
use view::View;
use view::placement::Request;

const TENANTS: u32 = 100;
const LEAVES: u32 = 99;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

fn cluster() -> Arc<View> {
    let mut text = String::from("partitions:\n- name: default\n  placementrules:\n");
    for rule in 0..9 {
        let _written = match rule % 3 {
            0 => writeln!(text, "  - {{name: tag, value: ns{rule}}}"),
            1 => writeln!(text, "  - {{name: user, parent: {{name: fixed, value: root.tenant-00{rule}}}}}"),
            _ => writeln!(text, "  - {{name: user, filter: {{groups: ['^team-[0-9]+-{rule}$']}}}}"),
        };
    }
    text.push_str("  - {name: provided, create: true}\n  queues:\n  - name: root\n    queues:\n");
    for tenant in 0..TENANTS {
        let _written =
            writeln!(text, "    - name: tenant-{tenant:03}\n      submitacl: ' dev,team-{tenant}'\n      queues:");
        for leaf in 0..LEAVES {
            let _written = writeln!(text, "      - name: leaf-{leaf:03}");
        }
    }
    let config = read(&text, Profile::Kornsole).config.expect("the configuration is valid");
    View::of_config(Arc::new(config), Profile::Kornsole).expect("the scheduler takes it")
}

#[divan::bench(args = ["root.tenant-050.leaf-090", "root.tenant-050.new"])]
fn place(bencher: Bencher, queue: &str) {
    let view = cluster();
    let groups = ["ops".to_owned(), "dev".to_owned()];
    let tags = BTreeMap::from([("ns1".to_owned(), "x".to_owned())]);
    let request = Request { queue, user: "sue", groups: &groups, tags: &tags };
    bencher.bench_local(|| {
        let admission = view.partitions[0].preview(&request, None);
        assert!(admission.placement.placed().is_some());
        admission
    });
}

//! `kornsole kube schedule` with a real Kubernetes API server and simulated kubelets: bindings per second compared with
//! blindly posted ones, time to the first binding, memory, and idle CPU usage; and the same of an attached console and
//! of `kornsole kube shadow`.
//!
//! `KUBEBUILDER_ASSETS=$(scripts/kube-assets) cargo bench --bench kube` prints one line per metric; the defaults are
//! `-- --nodes 1000 --pods 10000 --existing 50000 --rounds 3`. `--program FILE` measures another kornsole program. All
//! processes share the cores of this machine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench is a program for its own people"
)]

mod api;
mod console;
mod kubelets;
mod program;
mod shadow;
#[allow(dead_code, reason = "the tests use the rest of it")]
#[path = "../../tests/kube/stage.rs"]
mod stage;
mod world;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use api::Api;
use console::Console;
use kubelets::Kubelets;
use program::{Process, Program};
use shadow::Shadow;
use stage::Stage;

struct Load {
    program: PathBuf,
    nodes: usize,
    pods: usize,
    existing: usize,
    rounds: usize,
    idle: Duration,
}

impl Load {
    /// Short under `cargo test`, the target's values under `cargo bench`, or the arguments.
    fn asked() -> Self {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let full = words.iter().any(|word| word == "--bench");
        let number = |name: &str, small: usize, large: usize| {
            let reported = words.iter().skip_while(|word| *word != name).nth(1).and_then(|text| text.parse().ok());
            reported.unwrap_or(if full { large } else { small })
        };
        let program = words.iter().skip_while(|word| *word != "--program").nth(1);
        Self {
            program: PathBuf::from(program.map_or(env!("CARGO_BIN_EXE_kornsole"), String::as_str)),
            nodes: number("--nodes", 5, 1_000).max(1),
            pods: number("--pods", 50, 10_000).max(2),
            existing: number("--existing", 100, 50_000),
            rounds: number("--rounds", 1, 3),
            idle: Duration::from_secs(number("--idle", 1, 60) as u64),
        }
    }
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let Some(assets) = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from) else {
        println!(
            "left out: KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver (scripts/kube-assets makes one)"
        );
        return;
    };
    let load = Load::asked();
    let stage = Stage::start(&assets);
    let api = Api::new(&stage.kubeconfig);
    world::make(&api, load.nodes);
    let kubelets = Kubelets::start(&api);
    bindings(&load, &stage, &api, &kubelets);
    existing(&load, &stage, &api, &kubelets);
}

fn line(what: &str, value: f64, unit: &str) {
    println!("{what:<64}{value:>10.2} {unit}");
}

fn bindings(load: &Load, stage: &Stage, api: &Api, kubelets: &Kubelets) {
    let mut parts = Vec::new();
    for round in 1..=load.rounds {
        let of = |what: &str| format!("round {round}: {what}");
        world::make_pods(api, 0..load.pods, "nobody");
        kubelets.until_seen(load.pods);
        kubelets.mark();
        world::bind_blindly(api, kubelets, load.nodes);
        let blind = kubelets.rate(load.pods);
        line(&of("bindings that are posted blindly"), blind, "pods/s");
        clear(api, kubelets);
        world::make_pods(api, 0..load.pods, "kornsole");
        kubelets.until_seen(load.pods);
        kubelets.mark();
        let program = Program::start(&load.program, stage);
        let own = kubelets.rate(load.pods);
        line(&of("kornsole kube schedule"), own, "pods/s");
        line(
            &of("processor time of kornsole"),
            program.process().processor().as_secs_f64() * 1e6 / load.pods as f64,
            "us/pod",
        );
        drop(program);
        clear(api, kubelets);
        parts.push(own / blind * 100.0);
    }
    parts.sort_unstable_by(f64::total_cmp);
    if let Some(part) = parts.get(parts.len() / 2) {
        line("kornsole beside blind bindings, median (aim: at least 80)", *part, "%");
    }
}

fn clear(api: &Api, kubelets: &Kubelets) {
    kubelets.until_settled();
    world::delete_pods(api, kubelets);
    kubelets.until_seen(0);
}

fn existing(load: &Load, stage: &Stage, api: &Api, kubelets: &Kubelets) {
    world::make_running(api, load.existing, load.nodes);
    kubelets.until_seen(load.existing);
    kubelets.until_settled();
    world::make_pods(api, 0..load.nodes.min(100), "kornsole");
    kubelets.until_seen(load.existing + load.nodes.min(100));
    kubelets.mark();
    let started_at = Instant::now();
    let program = Program::start(&load.program, stage);
    let first = kubelets.first().duration_since(started_at);
    let of = |what: &str| format!("{} pods: {what}", load.existing);
    line(&of("from the start to the first binding (aim: 10)"), first.as_secs_f64(), "s");
    kubelets.rate(load.nodes.min(100));
    kubelets.until_settled();
    line(&of("memory held (aim: 500)"), program.process().memory("VmRSS:"), "MB");
    line(&of("memory at most"), program.process().memory("VmHWM:"), "MB");
    // Events about bindings are written for a while.
    std::thread::sleep(load.idle / 3);
    line(&of("while nothing happens (aim: 1)"), used(program.process(), load.idle), "% of a core");
    let url = program.url();
    attached(load, stage, &url);
    followed(load, stage, api, &url);
}

/// CPU usage over a time, in percent of a core.
fn used(process: Process, time: Duration) -> f64 {
    let (before, since) = (process.processor(), Instant::now());
    std::thread::sleep(time);
    (process.processor() - before).as_secs_f64() / since.elapsed().as_secs_f64() * 100.0
}

fn attached(load: &Load, stage: &Stage, url: &str) {
    let of = |what: &str| format!("a console, {} pods: {what}", load.existing);
    let mut console = Console::attach(&load.program, stage, url);
    line(&of("its first figures (aim: 2)"), console.until("use: cpu").as_secs_f64(), "s");
    line(&of("all nodes"), console.ask_until("nodes", "node-0000, ").as_secs_f64(), "s");
    console.ask_until("apps", "1. app-");
    line(&of("pods by name"), console.ask_until("open app-0", ". load/old-").as_secs_f64(), "s");
    line(&of("its part while nothing happens"), used(console.process(), load.idle / 3), "% of a core");
    line(&of("its memory"), console.process().memory("VmRSS:"), "MB");
    line(&of("its memory at most"), console.process().memory("VmHWM:"), "MB");
}

fn followed(load: &Load, stage: &Stage, api: &Api, url: &str) {
    let of = |what: &str| format!("a shadow, {} pods: {what}", load.existing);
    let (shadow, took) = Shadow::start(&load.program, stage, url);
    line(&of("from the start until it watches"), took.as_secs_f64(), "s");
    line(&of("memory"), shadow.process().memory("VmRSS:"), "MB");
    let (before, since, few) = (shadow.process().processor(), Instant::now(), load.nodes.min(100));
    world::make_pods(api, few..few + load.pods, "kornsole");
    let verdicts = shadow.verdicts(load.pods);
    let per_second = load.pods as f64 / since.elapsed().as_secs_f64();
    line(&of("created, bound, and compared pods"), per_second, "pods/s");
    let processor = (shadow.process().processor() - before).as_secs_f64();
    line(&of("processor time"), processor * 1e6 / load.pods as f64, "us/pod");
    for (verdict, count) in verdicts {
        line(&of(&format!("decisions: {verdict}")), count as f64 * 100.0 / load.pods as f64, "%");
    }
    line(&of("memory at most"), shadow.process().memory("VmHWM:"), "MB");
}

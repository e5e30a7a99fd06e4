//! Inputs as people have them: 10 000 manifests in 50 MB read, 100 000 pods scheduled, and a log of 500 MB that is packed with gzip; the time
//! of each, and the memory of the last. Under `cargo test` a small number of all, to see that it works.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a bench is a program for its own people")]

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use kubernetes::dry_run::plan;
use kubernetes::{Cluster, Manifests, Settings};
use model::Profile;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const QUEUES: &str = "partitions:\n- name: default\n  placementrules:\n  - name: tag\n    value: namespace\n    create: true\n  queues:\n  - \
                      name: root\n    submitacl: '*'\n";

/// A Job of about 5 KB, mostly environment, like from templates.
fn job(number: usize, pods: usize, variables: usize) -> String {
    let mut text = format!(
        "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: job-{number}\n  namespace: team-{}\n  labels: {{applicationId: app-{number}}}\n\
         spec:\n  parallelism: {pods}\n  completions: {pods}\n  template:\n    spec:\n      schedulerName: yunikorn\n      restartPolicy: Never\n      \
         containers:\n      - name: main\n        image: registry.example.com/team/image:1.2.3\n        resources:\n          requests: {{cpu: \
         500m, memory: 1Gi}}\n        env:\n",
        number % 50
    );
    for variable in 0..variables {
        let _written =
            writeln!(text, "        - {{name: VARIABLE_{variable}, value: 'some value of variable {variable}'}}");
    }
    text
}

fn node(number: usize) -> String {
    format!(
        "---\napiVersion: v1\nkind: Node\nmetadata: {{name: node-{number}}}\nstatus:\n  allocatable: {{cpu: '64', memory: 256Gi, pods: '250'}}\n  \
         conditions: [{{type: Ready, status: 'True'}}]\n"
    )
}

fn cluster(text: &str) -> Cluster {
    let mut manifests = Manifests::default();
    manifests.read("manifests.yaml", text.as_bytes());
    let (cluster, report) = manifests.finish(&Settings::default().scheduler_names);
    assert!(report.faults.is_empty(), "{:?}", report.faults.first());
    cluster
}

/// Writes a packed log with jobs one minute apart, of so many bytes unpacked.
fn log(file: &Path, bytes: u64) {
    let mut packed = GzEncoder::new(BufWriter::new(File::create(file).expect("a file")), Compression::fast());
    let (mut written, mut job) = (0, 0_u64);
    writeln!(packed, "; MaxNodes: 64\n; MaxProcs: 1024").expect("space");
    while written < bytes {
        job += 1;
        let (submit, runs, processors, user) = (job * 60, 60 + job % 3600, 1 + job % 64, job % 300);
        let line = format!(
            "{job:>8} {submit:>10} {:>8} {runs:>8} {processors:>5} {:>8} {:>8} {processors:>5} {:>8} {:>8} 1 {user:>4} {:>3} -1 1 -1 -1 -1\n",
            job % 100,
            -1,
            -1,
            7200,
            -1,
            user % 20
        );
        packed.write_all(line.as_bytes()).expect("space");
        written += line.len() as u64;
    }
    packed.finish().and_then(|mut file| file.flush()).expect("space");
}

/// The most memory of a command, in MiB; 0 where the system does not tell.
fn memory_of(command: &mut Command) -> u64 {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().expect("the program");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let now =
            text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok());
        most = most.max(now.unwrap_or(0));
        if let Some(ended) = child.try_wait().expect("its status") {
            assert!(ended.success(), "{ended}");
            return most / 1024;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (manifests, pods) = if full { (10_000, 100_000) } else { (20, 200) };
    let text: String = (0..manifests).map(|number| job(number, 1, 75)).collect();
    let started_at = Instant::now();
    let read = cluster(&text);
    println!("{manifests} manifests, {:.1} MB: read in {:.2?}", text.len() as f64 / 1e6, started_at.elapsed());
    assert_eq!(read.counts().0, manifests);

    let each = pods.min(1000);
    let jobs: String = (0..pods / each).map(|number| job(number, each, 1)).collect();
    let nodes: String = (0..pods / 100).map(node).collect();
    let config = Arc::new(config::read(QUEUES, Profile::NEWEST).config.expect("the configuration is valid"));
    let settings = Settings { profile: Profile::NEWEST, ..Settings::default() };
    let started_at = Instant::now();
    let plan = plan(&cluster(&format!("{jobs}{nodes}")), &settings, config).expect("the pods are scheduled");
    println!("{pods} pods on {} nodes: {} bound in {:.2?}", plan.nodes, plan.bound.len(), started_at.elapsed());
    assert_eq!(plan.bound.len(), pods);

    let file = std::env::temp_dir().join(format!("kornsole-inputs-{}.swf.gz", std::process::id()));
    let (bytes, time) = if full { (500_000_000, "6h") } else { (2_000_000, "30m") };
    log(&file, bytes);
    let started_at = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    let memory = memory_of(command.arg("simulate").arg(&file).args(["--for", time, "--csv"]));
    let packed = std::fs::metadata(&file).map_or(0, |file| file.len());
    std::fs::remove_file(&file).expect("the log");
    println!(
        "a log of {:.1} MB ({:.1} MB packed), its first {time} simulated: {memory} MiB in {:.2?}",
        bytes as f64 / 1e6,
        packed as f64 / 1e6,
        started_at.elapsed()
    );
    assert!(memory <= 100, "{memory} MiB");
}

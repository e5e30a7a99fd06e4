//! The REST server under load: processor time, effect on the scheduler, and complete event streams, uncompressed on
//! loopback.
//!
//! The load can be set: `-- --seconds 30 --reads 1000 --streams 10 --events 5000`. Processor time of threads is
//! available only on Linux.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench is a program for its own people")]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::DirBuilderExt;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ::config::{self, Settings};
use engine::{Core, Engine, Numbering, Setup};
use model::{AppId, Identity, Profile, Resource};
use scheduler::{AskSpec, Command, NodeSpec, PartitionCommand, Submission};
use server::auth::{self, NewToken};
use server::{Options, Server};

const ONE: &str = "/ws/v1/partition/default/queue/root.tenant-00.queue-00";
const TREE: &str = "/ws/v1/partition/default/queues";

struct Load {
    tenants: usize,
    seconds: f64,
    reads: u64,
    streams: usize,
    events: u64,
}

impl Load {
    /// Short under `cargo test`, the target's values under `cargo bench`, or the arguments.
    fn asked() -> Self {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let reported = |name: &str| {
            let at = words.iter().position(|word| word == name)?;
            words.get(at + 1).and_then(|word| word.parse::<f64>().ok())
        };
        let whole = |name: &str, usual: u64| reported(name).map_or(usual, |number| number.max(0.0) as u64);
        let full = words.iter().any(|word| word == "--bench");
        Self {
            tenants: if full { 100 } else { 3 },
            seconds: reported("--seconds").unwrap_or(if full { 10.0 } else { 0.2 }),
            reads: whole("--reads", 1000),
            streams: usize::try_from(whole("--streams", 10)).unwrap(),
            events: whole("--events", 5000),
        }
    }

    fn span(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let load = Load::asked();
    let engine = wide(load.tenants);
    let mut options =
        Options::plain("127.0.0.1:0".parse().unwrap(), Profile::Kornsole, Settings::default().config().event.clone());
    options.events.max_streams_per_host = u32::try_from(load.streams).unwrap();
    let dir = std::env::temp_dir().join(format!("kornsole-bench-{}", std::process::id()));
    std::fs::DirBuilder::new().mode(0o700).create(&dir).unwrap();
    let tokens = dir.join("tokens.yaml");
    let new = NewToken::make(Identity::new("sue", ["dev"]), None, false, "").unwrap();
    auth::add(&tokens, new.token).unwrap();
    options.access.tokens = Some(tokens);
    let server = Server::start(options, Arc::clone(&engine)).unwrap();
    reads_one_by_one(&load, server.address());
    many_reads(&load, &engine, server.address());
    what_ifs(&load, &engine, server.address(), &new.secret);
    streams(&load, &engine, server.address());
    std::fs::remove_dir_all(dir).unwrap();
}

fn wide(tenants: usize) -> Arc<Engine> {
    let mut text =
        "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n".to_owned();
    for tenant in 0..tenants {
        let max = "resources: {guaranteed: {vcore: 2, memory: 4G}, max: {vcore: 100000, memory: 200000G}}";
        let _ = write!(
            text,
            "    - name: tenant-{tenant:02}\n      {max}\n      properties: {{priority.offset: '5'}}\n      queues:\n"
        );
        for queue in 0..99 {
            let _ = writeln!(
                text,
                "      - {{name: queue-{queue:02}, resources: {{max: {{vcore: 100000, memory: 200000G}}}}}}"
            );
        }
    }
    let config = Arc::new(config::read(&text, Profile::Kornsole).config.unwrap());
    let mut core = Core::set_up(&Setup::of(Profile::Kornsole), config, None).unwrap();
    let capacity = [("memory", 1 << 50), ("vcore", 1 << 40)].into_iter().collect();
    let node = NodeSpec { id: "n1".into(), capacity, ..NodeSpec::default() };
    core.apply(&Command::In { partition: None, command: PartitionCommand::AddNode(node) });
    Arc::new(Engine::start(core, 1.0).unwrap())
}

fn get(stream: &mut BufReader<TcpStream>, path: &str) -> usize {
    write!(stream.get_mut(), "GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let (_, length) = answer_head(stream);
    std::io::copy(&mut stream.by_ref().take(length as u64), &mut std::io::sink()).unwrap();
    length
}

fn answer_head(stream: &mut BufReader<TcpStream>) -> (u16, usize) {
    let (mut line, mut status, mut length) = (String::new(), 0, 0);
    while line != "\r\n" {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the server hung up");
        if let Some(words) = line.strip_prefix("HTTP/1.1 ") {
            status = words.get(..3).and_then(|code| code.parse().ok()).unwrap_or(0);
        }
        if let Some((_, value)) = line.to_ascii_lowercase().split_once("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    (status, length)
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    BufReader::with_capacity(1 << 16, stream)
}

/// The processor time of threads with a name; `None` if not available.
fn taken(name: &str) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let task = task.ok()?.path();
        let read = |file: &str| std::fs::read_to_string(task.join(file)).unwrap_or_default();
        if read("comm").trim_end().starts_with(name) {
            let nanos = read("schedstat").split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0);
            sum += Duration::from_nanos(nanos);
        }
    }
    Some(sum)
}

/// Returns the result with the server's processor time and the elapsed time.
fn measured<T>(what: impl FnOnce() -> T) -> (T, Option<Duration>, Duration) {
    let (before, started_at) = (taken("rest"), Instant::now());
    let done = what();
    let wall = started_at.elapsed();
    let spent = taken("rest").zip(before).map(|(after, before)| after.saturating_sub(before));
    (done, spent, wall)
}

fn line(what: &str, metric: &str, promise: &str) {
    println!("{what:<58}{metric:>24}   {promise}");
}

fn time(time: Option<Duration>) -> String {
    time.map_or_else(|| "not known here".to_owned(), |time| format!("{:.3} ms", time.as_secs_f64() * 1000.0))
}

fn reads_one_by_one(load: &Load, address: SocketAddr) {
    let mut stream = connect(address);
    for (what, path, times, promise) in
        [("the whole tree", TREE, 50, "below 20 ms at 10 000 queues"), ("one queue", ONE, 2000, "below 0.2 ms")]
    {
        let times = if load.seconds < 1.0 { 3 } else { times };
        let bytes = get(&mut stream, path);
        let ((), spent, wall) = measured(|| {
            for _ in 0..times {
                get(&mut stream, path);
            }
        });
        let what = format!("{what}, {} queues, {bytes} bytes: processor time", load.tenants * 100 + 1);
        line(&what, &time(spent.map(|spent| spent / times)), promise);
        line("    by the clock, asked and read", &time(Some(wall / times)), "");
    }
}

fn work(engine: &Engine, span: Duration, names: &str) -> f64 {
    let (started_at, mut rounds) = (Instant::now(), 0);
    while started_at.elapsed() < span {
        round(engine, &format!("{names}-{rounds}"), 50);
        rounds += 1;
    }
    f64::from(rounds) / started_at.elapsed().as_secs_f64()
}

fn round(engine: &Engine, name: &str, asks: u32) {
    let app = AppId::from(name);
    let apply = |command: PartitionCommand| engine.apply(command.into()).recv().unwrap();
    let (queue, who) = ("root.tenant-00.queue-00".to_owned(), Identity::new("sue", ["dev"]));
    apply(PartitionCommand::Submit(Submission { app: app.clone(), queue, who, ..Submission::default() }));
    let resource: Resource = [("vcore", 1)].into_iter().collect();
    apply(PartitionCommand::Ask(AskSpec {
        app: app.clone(),
        id: "t".into(),
        count: asks,
        resource,
        ..Default::default()
    }));
    for _ in 0..asks {
        engine.apply(Command::Cycle).recv().unwrap();
    }
    apply(PartitionCommand::Remove { app });
}

fn many_reads(load: &Load, engine: &Arc<Engine>, address: SocketAddr) {
    let alone = work(engine, load.span(), "alone");
    let stop = Arc::new(AtomicBool::new(false));
    let reader = reader(address, load.reads, Arc::clone(&stop));
    let (busy, spent, wall) = measured(|| work(engine, load.span(), "read"));
    stop.store(true, Ordering::Relaxed);
    let (count, slowest) = reader.join().unwrap();
    let rate = count as f64 / wall.as_secs_f64();
    line("rounds of work a second, nobody reads", &format!("{alone:.1}"), "");
    line(&format!("    while {rate:.0} single queues a second are read"), &format!("{busy:.1}"), "");
    line("    lost by that", &format!("{:.1} %", 100.0 * (1.0 - busy / alone)), "no more than what the reads take");
    let share = spent.map_or(f64::NAN, |spent| 100.0 * spent.as_secs_f64() / wall.as_secs_f64());
    line("    what the reads take", &format!("{share:.1} % of a core"), "");
    line("    the slowest of them, asked and read", &time(Some(slowest)), "no read waits for a cycle");
}

/// Returns the number of reads and the slowest one.
fn reader(address: SocketAddr, rate: u64, stop: Arc<AtomicBool>) -> JoinHandle<(u64, Duration)> {
    std::thread::spawn(move || {
        let (mut stream, started_at) = (connect(address), Instant::now());
        let (mut count, mut slowest) = (0, Duration::ZERO);
        while !stop.load(Ordering::Relaxed) {
            let asked = Instant::now();
            get(&mut stream, ONE);
            slowest = slowest.max(asked.elapsed());
            count += 1;
            pace(started_at, count, rate);
        }
        (count, slowest)
    })
}

/// Waits until read `count` is due at a rate.
fn pace(started_at: Instant, count: u64, rate: u64) {
    let due = Duration::from_secs_f64(count as f64 / rate.max(1) as f64);
    std::thread::sleep(due.saturating_sub(started_at.elapsed()));
}

fn what_ifs(load: &Load, engine: &Arc<Engine>, address: SocketAddr, token: &str) {
    let took = |names: &str| {
        let before = taken("scheduler");
        let rate = work(engine, load.span(), names);
        let spent = taken("scheduler").zip(before).map(|(after, before)| after.saturating_sub(before));
        (rate, spent.map_or(f64::NAN, |spent| 1000.0 * spent.as_secs_f64() / (rate * load.seconds)))
    };
    let (alone, cost_alone) = took("before");
    let stop = Arc::new(AtomicBool::new(false));
    let asker = std::thread::spawn({
        let (stop, token) = (Arc::clone(&stop), token.to_owned());
        move || {
            let mut count = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                if what_if(&mut connect(address), &token) {
                    count += 1;
                } else {
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            count
        }
    });
    let (busy, cost_busy) = took("forked");
    stop.store(true, Ordering::Relaxed);
    let count = asker.join().unwrap();
    line("rounds of work a second, nobody asks what if", &format!("{alone:.1}"), "");
    line(&format!("    while {count} what-ifs are worked out"), &format!("{busy:.1}"), "no more than 5 % fewer");
    line("a round, nobody asks: time of the thread scheduler", &format!("{cost_alone:.3} ms"), "");
    line("    while what-ifs are worked out", &format!("{cost_busy:.3} ms"), "");
}

/// Returns whether it was computed: the work per address is limited.
fn what_if(stream: &mut BufReader<TcpStream>, token: &str) -> bool {
    let submit = r#"{"submit": {"app": "w", "queue": "root.tenant-01.queue-01", "user": "sue"}}"#;
    let ask = r#"{"ask": {"app": "w", "id": "t", "count": 20000, "resource": {"vcore": 1}}}"#;
    let body = format!(r#"{{"steps": [{submit}, {ask}], "run": {{"cycles": "idle"}}}}"#);
    let head = format!(
        "Host: a\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}",
        body.len()
    );
    write!(stream.get_mut(), "POST /kornsole/v1/whatif HTTP/1.1\r\n{head}\r\n\r\n{body}").unwrap();
    let (status, length) = answer_head(stream);
    let mut answer = Vec::new();
    stream.by_ref().take(length as u64).read_to_end(&mut answer).unwrap();
    assert!(matches!(status, 200 | 429), "{}", String::from_utf8_lossy(&answer));
    status == 200
}

fn streams(load: &Load, engine: &Arc<Engine>, address: SocketAddr) {
    let seen: Vec<Arc<AtomicU64>> = (0..load.streams).map(|_| Arc::default()).collect();
    let listeners: Vec<TcpStream> = seen.iter().map(|seen| listener(address, Arc::clone(seen))).collect();
    let number = || engine.events().page(Numbering::Upstream, u64::MAX, 0).next;
    let first = number();
    let (happened, spent, wall) = measured(|| {
        let (started_at, mut rounds) = (Instant::now(), 0);
        while started_at.elapsed() < load.span() {
            round(engine, &format!("event-{rounds}"), 10);
            rounds += 1;
            pace(started_at, number() - first, load.events);
        }
        let happened = number() - first;
        let patience = Instant::now();
        while seen.iter().any(|seen| seen.load(Ordering::Relaxed) < happened) && patience.elapsed().as_secs() < 10 {
            std::thread::sleep(Duration::from_millis(1));
        }
        happened
    });
    let least = seen.iter().map(|seen| seen.load(Ordering::Relaxed)).min().unwrap_or(0);
    let rate = |count: u64| format!("{:.0} a second", count as f64 / wall.as_secs_f64());
    line("events that happen", &rate(happened), &format!("{} were asked for", load.events));
    let what = format!("    what each of {} clients gets of them, at least", load.streams);
    line(&what, &rate(least), if least == happened { "all of them" } else { "SOME ARE MISSING" });
    let share = spent.map_or(f64::NAN, |spent| 100.0 * spent.as_secs_f64() / wall.as_secs_f64());
    line("    what the server takes for that", &format!("{share:.1} % of a core"), "");
    drop(listeners);
    assert_eq!(least, happened, "a client that reads is cut off");
}

fn listener(address: SocketAddr, seen: Arc<AtomicU64>) -> TcpStream {
    let mut stream = connect(address);
    stream.get_mut().write_all(b"GET /ws/v1/events/stream HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut text = String::new();
    while !text.contains("InstanceUUID") {
        text.clear();
        assert!(stream.read_line(&mut text).unwrap() > 0, "the server hung up");
    }
    let handle = stream.get_ref().try_clone().unwrap();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        while stream.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            // Chunk sizes are between the events.
            if line.starts_with(b"{\"status_code\"") {
                return;
            }
            if line.starts_with(b"{") {
                seen.fetch_add(1, Ordering::Relaxed);
            }
            line.clear();
        }
    });
    handle
}

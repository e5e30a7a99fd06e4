//! The measurements, on Linux.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use local::client::Client;
use local::job::{ArraySpec, JobSpec};
use local::wire::{Reply, Request};

const IDLE: Duration = Duration::from_secs(5);

const WARM: Duration = Duration::from_secs(5);
const BUSY: Duration = Duration::from_secs(15);
const TRUE: &str = "/bin/true";

/// Runs all measurements.
pub fn all() {
    let number =
        |name: &str| std::env::args().skip_while(|word| word != name).nth(1).and_then(|text| text.parse().ok());
    let small = !std::env::args().any(|word| word == "--bench");
    let jobs = number("--jobs").unwrap_or(if small { 20 } else { 1000 });
    let pending = number("--pending").unwrap_or(if small { 100 } else { 10_000 });
    let dir = std::env::temp_dir().join(format!("kornsole-bench-local-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    kornsole(&dir, jobs, pending);
    let (at_one_time, waiting) = if small { (8, 64) } else { (500, pending) };
    // The target rate, 300 per second, and the machine's maximum.
    busy(&dir, at_one_time, waiting, "1.667");
    busy(&dir, at_one_time, waiting, "1");
    task_spooler(&dir, jobs);
    pueue(&dir, jobs);
    // Supervisors outlive their daemon and may still write.
    let _ = fs::remove_dir_all(&dir);
}

fn line(who: &str, what: &str, value: f64, unit: &str) {
    println!("{who:<14}{what:<48}{value:>10.2} {unit}");
}

/// Prints the median and the maximum of times, in ms.
fn times(who: &str, what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let ms = |at: usize| times[at].as_secs_f64() * 1000.0;
    line(who, &format!("{what}, median"), ms(times.len() / 2), "ms");
    line(who, &format!("{what}, 99 of 100"), ms(times.len() * 99 / 100), "ms");
}

struct Daemon {
    child: Child,
    socket: PathBuf,
}

impl Daemon {
    fn up(dir: &Path, cores: &str) -> Self {
        let (jobs, socket) = (dir.join("jobs"), dir.join("run/local.sock"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
        command
            .args(["local", "up", "--cpu", cores, "--mem", "64G", "--history", "100000", "--log", "error", "--dir"])
            .arg(jobs);
        let mut child = command.arg("--socket").arg(&socket).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, socket }
    }

    fn client(&self) -> Client {
        Client::connect(&self.socket).unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn spec(command: &[&str]) -> JobSpec {
    let words: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    JobSpec {
        command: words.into(),
        vcore: 1000,
        memory: 1 << 20,
        dir: "/".to_owned(),
        umask: 0o022,
        ..JobSpec::default()
    }
}

fn submit(client: &mut Client, spec: JobSpec) -> (u64, Duration) {
    let (request, started) = (Request::Submit(Box::new(spec)), Instant::now());
    match client.ask(&request).unwrap() {
        (Reply::Job(job), _) => (job.number, started.elapsed()),
        other => unreachable!("{other:?}"),
    }
}

fn kornsole(dir: &Path, jobs: usize, pending: usize) {
    let who = "kornsole";
    let dir = dir.join(who);
    fs::create_dir_all(&dir).unwrap();
    let daemon = Daemon::up(&dir, "2");
    idle(who, "with nothing pending", daemon.child.id());
    let mut client = daemon.client();
    let started = Instant::now();
    let (numbers, all): (Vec<u64>, Vec<Duration>) = (0..jobs).map(|_| submit(&mut client, spec(&[TRUE]))).unzip();
    for number in numbers {
        while !matches!(client.ask(&Request::Wait(number)).unwrap().0, Reply::Job(job) if job.status.is_some()) {}
    }
    line(who, "jobs a second, 2 at one time", jobs as f64 / started.elapsed().as_secs_f64(), "");
    times(who, "a submission over the socket", all);
    let long = submit(&mut client, JobSpec { vcore: 2000, ..spec(&["/bin/sleep", "3600"]) }).0;
    let waiting: Vec<Duration> = (0..pending).map(|_| submit(&mut client, spec(&[TRUE])).1).collect();
    times(who, &format!("the same while up to {pending} wait"), waiting);
    idle(who, &format!("with {pending} pending"), daemon.child.id());
    client.ask(&Request::Cancel(long)).unwrap();
    let cli = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
        command.args(["submit", "--hold", "--socket"]).arg(&daemon.socket).args(["--", "/bin/true"]);
        command
    };
    commands(who, jobs.min(200), cli);
}

fn busy(dir: &Path, at_one_time: usize, pending: usize, seconds: &str) {
    let who = "kornsole";
    let dir = dir.join(format!("busy-{seconds}"));
    fs::create_dir_all(&dir).unwrap();
    let daemon = Daemon::up(&dir, &at_one_time.to_string());
    let mut client = daemon.client();
    // The second array replaces jobs that end during the measurement.
    for _ in 0..2 {
        let indices = (0..u32::try_from(pending).unwrap()).collect();
        submit(&mut client, JobSpec { array: Some(ArraySpec { indices, most: 0 }), ..spec(&["/bin/sleep", seconds]) });
    }
    sleep(WARM);
    let ended = |client: &mut Client| match client.ask(&Request::Jobs { ended: true }).unwrap().0 {
        Reply::Jobs(jobs) => jobs.iter().filter(|job| job.status.is_some()).count(),
        other => unreachable!("{other:?}"),
    };
    let (before, started, processors) = (ended(&mut client), Instant::now(), processor(daemon.child.id()));
    let mut all = Vec::new();
    while started.elapsed() < BUSY {
        all.push(submit(&mut client, spec(&[TRUE])).1);
        sleep(Duration::from_millis(20));
    }
    let (after, took) = (ended(&mut client), started.elapsed().as_secs_f64());
    let used = processor(daemon.child.id()) - processors;
    line(who, &format!("jobs of {seconds} s a second, {at_one_time} at one time"), (after - before) as f64 / took, "");
    times(who, &format!("a submission meanwhile, {pending} pending"), all);
    line(who, "the daemon meanwhile", 100.0 * used / took, "% of a core");
    line(who, "memory meanwhile", memory(daemon.child.id()), "MB");
}

fn server(name: &str, variable: &str) -> Option<u32> {
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let read = |pid: u32, file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let is = |pid: &u32| {
        let given = read(*pid, "environ");
        read(*pid, "comm").trim_ascii() == name.as_bytes()
            && given.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
    };
    pids.into_iter().find(is)
}

fn idle(who: &str, when: &str, pid: u32) {
    sleep(Duration::from_secs(1));
    let before = processor(pid);
    sleep(IDLE);
    line(who, &format!("idle {when}"), 100.0 * (processor(pid) - before) / IDLE.as_secs_f64(), "% of a core");
    line(who, &format!("memory {when}"), memory(pid), "MB");
}

fn processor(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

fn memory(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1024.0
}

fn commands(who: &str, number: usize, command: impl Fn() -> Command) {
    let one = || {
        let started = Instant::now();
        command().stdout(Stdio::null()).status().unwrap();
        started.elapsed()
    };
    times(who, "the command that submits", (0..number).map(|_| one()).collect());
}

fn is_there(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    let there = path.split(':').any(|dir| Path::new(dir).join(program).exists());
    if !there {
        println!("{program:<14}is not installed");
    }
    there
}

fn task_spooler(dir: &Path, jobs: usize) {
    if !is_there("tsp") {
        return;
    }
    let socket = dir.join("tsp.sock");
    let tsp = |arguments: &[&str]| {
        let mut command = Command::new("tsp");
        command.args(arguments).env("TS_SOCKET", &socket).env("TMPDIR", dir).env("TS_MAXFINISHED", "10000");
        command.stdout(Stdio::null());
        command
    };
    tsp(&["-S", "2"]).status().unwrap();
    let started = Instant::now();
    commands("task-spooler", jobs, || tsp(&["-n", "/bin/true"]));
    // Earlier jobs have ended by then or run in parallel.
    tsp(&["-w"]).status().unwrap();
    line("task-spooler", "jobs a second, 2 at one time", jobs as f64 / started.elapsed().as_secs_f64(), "");
    if let Some(server) = server("tsp", &format!("TS_SOCKET={}", socket.display())) {
        idle("task-spooler", "with nothing pending", server);
    }
    tsp(&["-K"]).status().unwrap();
}

fn pueue(dir: &Path, jobs: usize) {
    if !is_there("pueue") || !is_there("pueued") {
        return;
    }
    let home = dir.join("pueue");
    fs::create_dir_all(home.join("run")).unwrap();
    let with = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).env("HOME", &home).env("XDG_RUNTIME_DIR", home.join("run"));
        command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME").stdout(Stdio::null());
        command
    };
    let mut daemon = with("pueued", &[]).spawn().unwrap();
    sleep(Duration::from_secs(1));
    with("pueue", &["parallel", "2"]).status().unwrap();
    let started = Instant::now();
    commands("pueue", jobs, || with("pueue", &["add", "/bin/true"]));
    with("pueue", &["wait", "--quiet"]).status().unwrap();
    line("pueue", "jobs a second, 2 at one time", jobs as f64 / started.elapsed().as_secs_f64(), "");
    idle("pueue", "with nothing pending", daemon.id());
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

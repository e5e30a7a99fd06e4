//! kornsole alone, over its socket.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::measure::{idle, line, memory, output, processor, timed, times};
use super::queue::Kornsole;
use local::client::Client;
use local::job::{ArraySpec, JobSpec};
use local::wire::{Reply, Request};

const WARM: Duration = Duration::from_secs(5);
const BUSY: Duration = Duration::from_secs(15);
const TRUE: &str = "/bin/true";

/// A running daemon.
pub struct Daemon {
    child: Child,
    kornsole: Kornsole,
}

impl Daemon {
    pub fn up(program: &Path, dir: &Path, cores: &str) -> Self {
        fs::create_dir_all(dir).unwrap();
        let (jobs, socket) = (dir.join("jobs"), dir.join("run/local.sock"));
        let mut command = Command::new(program);
        command
            .args(["local", "up", "--cpu", cores, "--mem", "64G", "--history", "100000", "--log", "error", "--dir"])
            .arg(jobs);
        let mut child = command.arg("--socket").arg(&socket).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, kornsole: Kornsole { program: program.to_owned(), socket } }
    }

    fn client(&self) -> Client {
        Client::connect(&self.kornsole.socket).unwrap()
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

/// By the commands, like other queues; then without a process for each submission, and an array.
pub fn kornsole(program: &Path, dir: &Path, jobs: usize, pending: usize) {
    let who = "kornsole";
    let up = |name: &str| Daemon::up(program, &dir.join(name), "2");
    {
        let daemon = up("short");
        daemon.kornsole.queue(daemon.child.id()).short_jobs(dir, jobs);
    }
    {
        // The memory of finished jobs is another question.
        let daemon = up("pending");
        daemon.kornsole.queue(daemon.child.id()).pending_jobs(pending);
    }
    {
        let daemon = up("socket");
        let mut client = daemon.client();
        let started = Instant::now();
        let (numbers, all): (Vec<u64>, Vec<Duration>) = (0..jobs).map(|_| submit(&mut client, spec(&[TRUE]))).unzip();
        for number in numbers {
            while !matches!(client.ask(&Request::Wait(number)).unwrap().0, Reply::Job(job) if job.status.is_some()) {}
        }
        line(who, &format!("{jobs} × true over one connection"), started.elapsed().as_secs_f64(), "s");
        times(who, "a submission over the socket", all);
    }
    let daemon = up("array");
    let submit = |words: &[&str]| daemon.kornsole.command(&[&["submit", "--cpu", "1", "--mem", "1M"], words].concat());
    let started = Instant::now();
    output(submit(&["--array", &format!("1-{jobs}"), "--", TRUE]));
    timed(daemon.kornsole.command(&["wait", &format!("1-{jobs}")]));
    line(who, &format!("{jobs} × true as an array"), started.elapsed().as_secs_f64(), "s");
    output(submit(&["--array", "1-2", "--", "/bin/sleep", "600"]));
    let arrays = (0..5).map(|_| timed(submit(&["--array", &format!("1-{pending}"), "--", TRUE]))).collect();
    times(who, &format!("the submit command of an array of {pending}"), arrays);
    idle(who, &format!("with 5 arrays of {pending} pending"), daemon.child.id());
    let list = || timed(daemon.kornsole.command(&["jobs"]));
    times(who, "the list with these arrays", (0..5).map(|_| list()).collect());
}

/// Jobs of `seconds`, `at_one_time` of them at a time, with `pending` more.
pub fn busy(program: &Path, dir: &Path, at_one_time: usize, pending: usize, seconds: &str) {
    let who = "kornsole";
    let daemon = Daemon::up(program, &dir.join(format!("busy-{seconds}")), &at_one_time.to_string());
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

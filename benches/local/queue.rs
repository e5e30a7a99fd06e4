//! The same work for each queue, by its commands.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::measure::{idle, line, output, timed, times};

const TRUE: &str = "/bin/true";
const STARTS: usize = 50;
const LISTS: usize = 5;
/// A queue that is slow with many pending jobs gets fewer.
const LONGEST: Duration = Duration::from_secs(300);

type Make<'q> = Box<dyn Fn(&[&str]) -> Command + 'q>;

/// A job queue with two slots, by its commands.
pub struct Queue<'q> {
    pub who: &'static str,
    /// Submits a command.
    pub submit: Make<'q>,
    /// Waits until the last of these jobs has ended.
    pub wait: Box<dyn Fn(usize) + 'q>,
    /// Lists all jobs.
    pub list: Make<'q>,
    pub server: u32,
}

impl Queue<'_> {
    /// Measures short jobs, and the start of one.
    pub fn short_jobs(&self, dir: &Path, jobs: usize) {
        let who = self.who;
        idle(who, "with nothing pending", self.server);
        let started = Instant::now();
        let all: Vec<Duration> = (0..jobs).map(|_| timed((self.submit)(&[TRUE]))).collect();
        (self.wait)(jobs);
        let took = started.elapsed().as_secs_f64();
        line(who, &format!("{jobs} × true, 2 slots, first submit to last end"), took, "s");
        times(who, "the submit command meanwhile", all);
        times(who, "submit to start", (0..STARTS).map(|_| self.start(dir)).collect());
    }

    /// Measures jobs that wait while both slots are busy.
    pub fn pending_jobs(&self, pending: usize) {
        let who = self.who;
        for _ in 0..2 {
            timed((self.submit)(&["/bin/sleep", "600"]));
        }
        let (started, mut all) = (Instant::now(), Vec::new());
        while all.len() < pending && started.elapsed() < LONGEST {
            all.push(timed((self.submit)(&[TRUE])));
        }
        let with = format!("with {} pending", all.len());
        times(who, &format!("the submit command until {} are pending", all.len()), all);
        idle(who, &with, self.server);
        times(who, &format!("the list {with}"), (0..LISTS).map(|_| timed((self.list)(&[]))).collect());
    }

    /// The time from the submit command to the first line of the script that it submits.
    fn start(&self, dir: &Path) -> Duration {
        let fifo = dir.join("started");
        if !fifo.exists() {
            timed(command("mkfifo", &[fifo.to_str().unwrap()]));
        }
        let script = format!(": > {}", fifo.display());
        let started = Instant::now();
        let mut submit = (self.submit)(&["/bin/sh", "-c", &script]).stdout(Stdio::null()).spawn().unwrap();
        drop(File::open(&fifo).unwrap());
        let took = started.elapsed();
        submit.wait().unwrap();
        // The job ends.
        std::thread::sleep(Duration::from_millis(50));
        took
    }
}

fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

fn is_there(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    let there = path.split(':').any(|dir| Path::new(dir).join(program).exists());
    if !there {
        println!("{program:<14}is not installed");
    }
    there
}

pub fn task_spooler(dir: &Path, jobs: usize, pending: usize) {
    if !is_there("tsp") {
        return;
    }
    let socket = dir.join("tsp.sock");
    let tsp = |arguments: &[&str]| {
        let mut command = command("tsp", arguments);
        command.env("TS_SOCKET", &socket).env("TMPDIR", dir).env("TS_MAXFINISHED", "10000");
        command
    };
    timed(tsp(&["-S", "2"]));
    let server = server("tsp", &format!("TS_SOCKET={}", socket.display())).unwrap();
    let queue = Queue {
        who: "task-spooler",
        submit: Box::new(|words| tsp(&[&["-n"], words].concat())),
        // Earlier jobs have ended by then or run in parallel.
        wait: Box::new(|_| {
            timed(tsp(&["-w"]));
        }),
        list: Box::new(|_| tsp(&["-l"])),
        server,
    };
    // Each pending job is a connection, of which the server accepts 1000.
    queue.short_jobs(dir, jobs);
    queue.pending_jobs(pending.min(900));
    timed(tsp(&["-K"]));
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

pub fn pueue(dir: &Path, jobs: usize, pending: usize) {
    if !is_there("pueue") || !is_there("pueued") {
        return;
    }
    let home = dir.join("pueue");
    fs::create_dir_all(home.join("run")).unwrap();
    let with = |program: &str, arguments: &[&str]| {
        let mut command = command(program, arguments);
        command.env("HOME", &home).env("XDG_RUNTIME_DIR", home.join("run"));
        command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME");
        command
    };
    let mut daemon = with("pueued", &[]).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    timed(with("pueue", &["parallel", "2"]));
    let queue = Queue {
        who: "pueue",
        submit: Box::new(|words| with("pueue", &[&["add", "--"], words].concat())),
        wait: Box::new(|_| {
            timed(with("pueue", &["wait", "--quiet"]));
        }),
        list: Box::new(|_| with("pueue", &["status"])),
        server: daemon.id(),
    };
    queue.short_jobs(dir, jobs);
    queue.pending_jobs(pending);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

/// A Slurm that runs on this machine, with two processors.
pub fn slurm(dir: &Path, jobs: usize, pending: usize) {
    let runs = Command::new("sinfo").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !runs.is_ok_and(|status| status.success()) {
        println!("{:<14}is not running", "slurm");
        return;
    }
    let server: u32 = output(command("pidof", &["slurmctld"])).split(' ').next().unwrap().parse().unwrap();
    let submit = |words: &[&str]| {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        command("sbatch", &["--output=/dev/null", "--mem=1M", "--wrap", &quoted.join(" ")])
    };
    let left = || output(command("squeue", &["--noheader"]));
    let queue = Queue {
        who: "slurm",
        submit: Box::new(submit),
        wait: Box::new(|_| {
            while !left().is_empty() {
                std::thread::sleep(Duration::from_millis(100));
            }
        }),
        list: Box::new(|_| command("squeue", &[])),
        server,
    };
    queue.short_jobs(dir, jobs);
    queue.pending_jobs(pending);
    timed(command("scancel", &["--full", "--user=root"]));
}

/// A kornsole program and its socket.
#[derive(Clone)]
pub struct Kornsole {
    pub program: PathBuf,
    pub socket: PathBuf,
}

impl Kornsole {
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("KORNSOLE_LOCAL_SOCKET", &self.socket);
        command
    }

    /// The queue whose daemon is the process `pid`.
    pub fn queue(&self, pid: u32) -> Queue<'_> {
        Queue {
            who: "kornsole",
            submit: Box::new(|words| self.command(&[&["submit", "--cpu", "1", "--mem", "1M", "--"], words].concat())),
            wait: Box::new(|jobs| {
                timed(self.command(&["wait", &format!("1-{jobs}")]));
            }),
            list: Box::new(|_| self.command(&["jobs"])),
            server: pid,
        }
    }
}

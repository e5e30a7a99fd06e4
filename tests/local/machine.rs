use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::TestDir;

const PATIENCE: Duration = Duration::from_secs(30);

/// A daemon. It is stopped on drop, with its jobs.
pub struct Machine {
    pub dir: TestDir,
    arguments: Vec<String>,
    daemon: Option<Child>,
}

impl Machine {
    /// A machine of 4 cores and 4 GB, unless the arguments say otherwise.
    pub fn up(arguments: &[&str]) -> Self {
        Self::up_in(TestDir::new(), arguments)
    }

    /// Like [`Self::up`], in an existing directory.
    pub fn up_in(dir: TestDir, arguments: &[&str]) -> Self {
        fs::set_permissions(&*dir, Permissions::from_mode(0o755)).unwrap();
        let usual = [["--cpu", "4"], ["--mem", "4Gi"], ["--grace", "1s"], ["--log", "warn"]];
        let usual = usual.into_iter().filter(|[flag, _]| !arguments.contains(flag)).flatten();
        let all: Vec<String> = usual.chain(arguments.iter().copied()).map(str::to_owned).collect();
        let mut machine = Self { dir, arguments: all, daemon: None };
        machine.start();
        machine
    }

    /// Starts the daemon with another value of a flag.
    pub fn start_with(&mut self, flag: &str, value: &str) {
        let at = self.arguments.iter().position(|argument| argument == flag).unwrap();
        value.clone_into(&mut self.arguments[at + 1]);
        self.start();
    }

    pub fn socket(&self) -> PathBuf {
        self.dir.join("run/local.sock")
    }

    /// Starts the daemon and waits until it listens.
    pub fn start(&mut self) {
        self.start_as(Command::new(env!("CARGO_BIN_EXE_kornsole")));
    }

    /// Like [`Self::start`], from a directory in which nothing else is installed.
    pub fn start_alone(&mut self) {
        self.start_as(Command::new(self.program()));
    }

    /// Like [`Self::start`], through a wrapper command that the daemon replaces.
    pub fn start_by(&mut self, mut command: Command) {
        command.arg(env!("CARGO_BIN_EXE_kornsole"));
        self.start_as(command);
    }

    /// Starts the daemon and kills it with SIGKILL after this time, whether it listens or not.
    pub fn start_and_kill_after(&self, time: Duration) {
        let mut daemon = self.up_by(Command::new(env!("CARGO_BIN_EXE_kornsole"))).spawn().unwrap();
        sleep(time);
        daemon.kill().unwrap();
        daemon.wait().unwrap();
    }

    fn up_by(&self, mut command: Command) -> Command {
        command.args(["local", "up", "--dir"]).arg(self.dir.join("jobs")).arg("--socket").arg(self.socket());
        command.args(&self.arguments).stdout(Stdio::piped());
        command
    }

    fn start_as(&mut self, command: Command) {
        let mut command = self.up_by(command);
        let mut daemon = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(daemon.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), self.socket().to_str().unwrap(), "it says where it listens");
        self.daemon = Some(daemon);
    }

    /// Kills the daemon with SIGKILL.
    pub fn kill(&mut self) {
        let mut daemon = self.daemon.take().unwrap();
        daemon.kill().unwrap();
        daemon.wait().unwrap();
    }

    /// Runs a command as the current user.
    pub fn call(&self, arguments: &[&str]) -> Output {
        self.call_as(None, arguments)
    }

    /// Like [`Self::call`], as the user with this ID and no other groups.
    pub fn call_as(&self, user: Option<u32>, arguments: &[&str]) -> Output {
        // Other users may not enter the build directory, so they get a copy.
        let program = match user {
            None => PathBuf::from(env!("CARGO_BIN_EXE_kornsole")),
            Some(_) => self.program(),
        };
        let mut command = match user {
            None => Command::new(program),
            Some(id) => {
                let mut command = Command::new("setpriv");
                let id = id.to_string();
                command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--"]).arg(program);
                command
            }
        };
        command.args(arguments).current_dir(&*self.dir).env("KORNSOLE_LOCAL_SOCKET", self.socket());
        command.output().unwrap()
    }

    fn program(&self) -> PathBuf {
        let copy = self.dir.join("kornsole");
        if !copy.exists() {
            fs::hard_link(env!("CARGO_BIN_EXE_kornsole"), &copy)
                .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_kornsole"), &copy).map(drop))
                .unwrap();
        }
        copy
    }

    /// Submits a shell script with these flags and returns the job ID.
    pub fn submit(&self, flags: &[&str], script: &str) -> u64 {
        self.submit_as(None, flags, script)
    }

    pub fn submit_as(&self, user: Option<u32>, flags: &[&str], script: &str) -> u64 {
        let output = self.call_as(user, &[&["submit"], flags, &["--", "sh", "-c", script]].concat());
        let number = String::from_utf8(output.stdout.clone()).unwrap().trim().parse();
        number.unwrap_or_else(|_| panic!("no number: {output:?}"))
    }

    /// Returns the exit status and the output, or the error.
    pub fn reported(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.call(arguments);
        let text = if output.status.success() { output.stdout } else { output.stderr };
        (output.status.code().unwrap(), String::from_utf8(text).unwrap())
    }

    /// The number of jobs that have not ended.
    pub fn live(&self) -> usize {
        let jobs: Value = serde_json::from_slice(&self.call(&["jobs", "--json"]).stdout).unwrap();
        jobs.as_array().unwrap().len()
    }

    /// The exit status of `kornsole wait`.
    pub fn wait(&self, job: u64) -> i32 {
        self.call(&["wait", &job.to_string()]).status.code().unwrap()
    }

    pub fn logs(&self, job: u64) -> String {
        String::from_utf8(self.call(&["logs", &job.to_string()]).stdout).unwrap()
    }

    /// A job in `--json` form.
    pub fn job(&self, job: u64) -> Value {
        let output = self.call(&["job", &job.to_string(), "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    /// Waits until a job is in a state.
    pub fn until(&self, job: u64, state: &str) -> Value {
        let mut last = Value::Null;
        until(|| {
            last = self.job(job);
            last["state"] == state
        });
        last
    }
}

/// Waits until a condition is true.
pub fn until(mut is: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < end, "it did not come to that in time");
        sleep(Duration::from_millis(20));
    }
}

/// Returns whether the tests run as root; otherwise prints a note.
pub fn is_root(what: &str) -> bool {
    let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if !root {
        eprintln!("skipped: {what} needs root");
    }
    root
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            let jobs = Command::new(env!("CARGO_BIN_EXE_kornsole"))
                .args(["jobs", "--json", "--socket"])
                .arg(self.dir.join("run/local.sock"))
                .output();
            let jobs: Value = jobs.ok().and_then(|jobs| serde_json::from_slice(&jobs.stdout).ok()).unwrap_or_default();
            for job in jobs.as_array().into_iter().flatten() {
                let _ = Command::new(env!("CARGO_BIN_EXE_kornsole"))
                    .args(["cancel", &job["number"].to_string(), "--socket"])
                    .arg(self.dir.join("run/local.sock"))
                    .output();
            }
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

//! Input and output of a supervisor: files in the directory of the attempt.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::record::{Environment, Given};
use super::{cgroup, process};

/// The file with the [`Task`].
pub const TASK: &str = "task.json";
/// The [`Claim`] of the one supervisor.
pub const CLAIM: &str = "claim.json";
/// The [`Claim`] of the command's first process.
pub const MAIN: &str = "main.json";
/// The file with the [`super::job::AttemptEnd`].
pub const ENDED: &str = "ended.json";

/// The input of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// ID of the first job of the array, whose directory has the submission; 0 for the job itself.
    #[serde(default)]
    pub first: u64,
    /// Added to, or replacing, the submitted environment.
    pub env: Vec<(String, String)>,
    /// Where it runs.
    pub dir: String,
    /// File mode mask.
    pub umask: u32,
    /// `None` for the daemon's user.
    pub user: Option<Credentials>,
    /// The cgroup that was made for it.
    pub cgroup: Option<PathBuf>,
    /// Limits without a cgroup.
    pub fallback: Option<Fallback>,
    /// If different from the supervisor's.
    #[serde(default)]
    pub files: Option<u64>,
    /// Limits of the submitter (`limits`).
    #[serde(default)]
    pub limits: String,
    /// Niceness of the submitting process.
    #[serde(default)]
    pub nice: i32,
    /// Time limit in seconds.
    pub time_limit: Option<u64>,
    /// Milliseconds between SIGTERM and SIGKILL.
    pub grace_ms: u64,
    /// Maximum stored output in bytes.
    pub output_bytes: u64,
    /// It has a terminal.
    #[serde(default)]
    pub interactive: bool,
    /// Additional output file of the user.
    #[serde(default)]
    pub output: Option<String>,
    /// File of the user for standard error.
    #[serde(default)]
    pub error: Option<String>,
    /// Signal that asks it to end; default: SIGTERM.
    #[serde(default)]
    pub signal: Option<i32>,
    /// Shell command before that signal.
    #[serde(default)]
    pub checkpoint: String,
    /// Shell command after the command has ended.
    #[serde(default)]
    pub at_end: String,
}

/// The user of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The number of the user.
    pub uid: u32,
    /// ID of the primary group.
    pub gid: u32,
    /// IDs of all groups.
    pub groups: Vec<u32>,
}

/// Limits without a cgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fallback {
    /// `RLIMIT_DATA` in bytes.
    pub data: u64,
}

/// A process, safe from reused PIDs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// PID of the process.
    pub pid: i32,
    /// Start time, in ticks since boot.
    pub start: u64,
    /// ID of the boot.
    pub boot: String,
}

/// `None` if missing or invalid.
pub fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// Writes JSON atomically, readable by its owner only. After a loss of power it may be empty until the next
/// [`super::store::Store::sync_unsynced`].
///
/// # Errors
/// The disk rejects it.
pub fn write<T: Serialize>(file: &Path, value: &T) -> io::Result<()> {
    replace(file, &serde_json::to_vec(value)?)
}

pub(super) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = file.with_extension("new");
    write_bytes(&temporary, bytes)?;
    fs::rename(&temporary, file)
}

fn write_bytes(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    opened.write_all(bytes)
}

/// Writes JSON, not atomically: for a file that is read only after another one is written.
///
/// # Errors
/// The disk rejects it.
pub fn write_new<T: Serialize>(file: &Path, value: &T) -> io::Result<()> {
    write_bytes(file, &serde_json::to_vec(value)?)
}

/// Reads the environment and the program with its arguments.
///
/// # Errors
/// They cannot be read.
pub fn submitted(job_dir: &Path, task: &Task) -> io::Result<(Environment, Vec<String>)> {
    let own = job_dir.parent().unwrap_or(job_dir);
    let record = match task.first {
        0 => own.to_owned(),
        first => own.with_file_name(first.to_string()),
    };
    let mut given = Given::read(&record)?;
    let mut env = std::mem::take(&mut given.env);
    env.retain(|(name, _)| task.env.iter().all(|(local, _)| local != name));
    env.extend(task.env.iter().cloned());
    Ok((env, given.into_command()))
}

/// Claims an attempt; exactly one process succeeds.
///
/// # Errors
/// The disk rejects it.
pub fn claim(job_dir: &Path, claim: &Claim) -> io::Result<bool> {
    let own = job_dir.join(format!("claim-{}", claim.pid));
    write_new(&own, claim)?;
    let linked = fs::hard_link(&own, job_dir.join(CLAIM));
    fs::remove_file(&own)?;
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Cleans up after a supervisor that is gone. Returns the usage from its cgroup.
pub fn clear(job_dir: &Path) -> Option<cgroup::Used> {
    let mut used = None;
    if let Some(task) = read::<Task>(&job_dir.join(TASK))
        && let Some(group) = &task.cgroup
    {
        used = Some(cgroup::used(group));
        cgroup::kill(group);
        cgroup::remove(group);
    }
    let main = read::<Claim>(&job_dir.join(MAIN));
    if let Some(main) = main.filter(|main| process::open(main).is_some()) {
        process::signal_group(main.pid, Signal::KILL);
    }
    used
}

/// Detects an impossible start early.
pub fn check(job_dir: &Path) -> io::Result<()> {
    File::open(job_dir.join(TASK)).map(drop)
}

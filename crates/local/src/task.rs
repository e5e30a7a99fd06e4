//! The input and the output of a supervisor: files in the directory of the attempt, which only the daemon's user can read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{cgroup, process};

/// The file with the environment that the job was submitted in, in the directory above that of the attempt.
pub const ENV: &str = "env.json";
/// The file with the words of the command, in the same directory.
pub const COMMAND: &str = "command.json";
/// The file with the [`Task`].
pub const TASK: &str = "task.json";
/// The file with the [`Claim`] of the one supervisor.
pub const CLAIM: &str = "claim.json";
/// The file with the [`Claim`] of the command's first process.
pub const MAIN: &str = "main.json";
/// The file with the [`super::job::AttemptEnd`].
pub const ENDED: &str = "ended.json";

/// One attempt, as it is to be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The program and its arguments, in a task of an earlier release; empty where they are in the file [`COMMAND`] of the job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// What is set in its environment next to what it was submitted in, or instead of that.
    pub env: Vec<(String, String)>,
    /// Where it runs.
    pub dir: String,
    /// The mask of its files.
    pub umask: u32,
    /// The user it runs as; `None` for the user of the daemon.
    pub user: Option<Credentials>,
    /// The cgroup that was made for it.
    pub cgroup: Option<PathBuf>,
    /// Without a cgroup: how many bytes each of its processes may have.
    pub fallback: Option<Fallback>,
    /// How many files each of its processes may have open, where that is not what its supervisor has.
    #[serde(default)]
    pub files: Option<u64>,
    /// The limits of who submitted it, as [`super::limits`] writes them.
    #[serde(default)]
    pub limits: String,
    /// How nice that process was.
    #[serde(default)]
    pub nice: i32,
    /// After how many seconds it is stopped.
    pub time_limit: Option<u64>,
    /// How many milliseconds lie between SIGTERM and SIGKILL.
    pub grace_ms: u64,
    /// How many bytes of output are kept.
    pub output_bytes: u64,
    /// It has a terminal.
    #[serde(default)]
    pub interactive: bool,
    /// A file of the user that gets the output as well.
    #[serde(default)]
    pub output: Option<String>,
    /// A file of the user that gets the standard error.
    #[serde(default)]
    pub error: Option<String>,
    /// The signal that asks it to end; SIGTERM without it.
    #[serde(default)]
    pub signal: Option<i32>,
    /// What a shell runs before that signal.
    #[serde(default)]
    pub checkpoint: String,
    /// What a shell runs when the command has ended.
    #[serde(default)]
    pub at_end: String,
}

/// Who a command runs as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The number of the user.
    pub uid: u32,
    /// The number of the primary group.
    pub gid: u32,
    /// The numbers of all groups.
    pub groups: Vec<u32>,
}

/// What is limited without a cgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fallback {
    /// Bytes of data of one process (`RLIMIT_DATA`).
    pub data: u64,
}

/// A process, so that another one of the same number is not taken for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The process id of the supervisor.
    pub pid: i32,
    /// When it started, in ticks since the machine's start.
    pub start: u64,
    /// Which start of the machine that was.
    pub boot: String,
}

/// Reads a file of JSON; `None` when it is not there, or is none.
pub fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// Writes a file of JSON that only its owner may read, whole or not at all. It outlives this process; after a loss of power it may be empty
/// until [`super::store::Store::sync_unsynced`] has synced it.
///
/// # Errors
/// The disk does not take it.
pub fn write<T: Serialize>(file: &Path, value: &T) -> io::Result<()> {
    let beside = file.with_extension("new");
    write_new(&beside, value)?;
    fs::rename(&beside, file)
}

/// The same for a file that no one reads before another one is written, or that is of no use once the writer no longer exists: one that is cut off
/// may stay.
///
/// # Errors
/// The disk does not take it.
pub fn write_new<T: Serialize>(file: &Path, value: &T) -> io::Result<()> {
    let mut opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    opened.write_all(&serde_json::to_vec(value)?)
}

/// The environment of an attempt.
///
/// # Errors
/// It cannot be read.
pub fn environment(folder: &Path, task: &Task) -> io::Result<Vec<(String, String)>> {
    let submitted = fs::read(folder.parent().unwrap_or(folder).join(ENV))?;
    let mut env: Vec<(String, String)> = serde_json::from_slice(&submitted)?;
    env.retain(|(name, _)| task.env.iter().all(|(ours, _)| ours != name));
    env.extend(task.env.iter().cloned());
    Ok(env)
}

/// The program of an attempt and its arguments.
///
/// # Errors
/// They cannot be read.
pub fn command(folder: &Path, task: &Task) -> io::Result<Vec<String>> {
    if !task.command.is_empty() {
        return Ok(task.command.clone());
    }
    Ok(serde_json::from_slice(&fs::read(folder.parent().unwrap_or(folder).join(COMMAND))?)?)
}

/// Claims an attempt: of all processes that try, one succeeds.
///
/// # Errors
/// The disk does not take it.
pub fn claim(folder: &Path, claim: &Claim) -> io::Result<bool> {
    let own = folder.join(format!("claim-{}", claim.pid));
    write_new(&own, claim)?;
    let linked = fs::hard_link(&own, folder.join(CLAIM));
    fs::remove_file(&own)?;
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Frees what a supervisor that is not there any more may have left of an attempt. Returns what its cgroup has counted, if it had one.
pub fn clear(folder: &Path) -> Option<cgroup::Used> {
    let mut used = None;
    if let Some(task) = read::<Task>(&folder.join(TASK))
        && let Some(group) = &task.cgroup
    {
        used = Some(cgroup::used(group));
        cgroup::kill(group);
        cgroup::remove(group);
    }
    let main = read::<Claim>(&folder.join(MAIN));
    if let Some(main) = main.filter(|main| process::open(main).is_some()) {
        process::signal_group(main.pid, Signal::KILL);
    }
    used
}

/// Opens the directory of an attempt, so that a start of it that cannot be is found before a supervisor is made.
///
/// # Errors
/// It is not there, or may not be read.
pub fn check(folder: &Path) -> io::Result<()> {
    File::open(folder.join(TASK)).map(drop)
}

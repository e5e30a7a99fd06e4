//! Limits by cgroup v2, where this process may make groups; else it says why not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

/// Controllers without which limits are not enforced by groups.
const NEEDED: [&str; 3] = ["cpu", "memory", "pids"];
/// How many processes a job may have.
const MOST_PROCESSES: u32 = 8192;
/// Microseconds of the period in which processor time is counted.
const PERIOD: i64 = 100_000;

/// How limits are enforced on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// By a cgroup for each job, below this one.
    Cgroup(PathBuf),
    /// By process groups, rlimits and niceness, for this reason.
    Processes(String),
}

impl Enforcement {
    /// What can be had: below `wanted`, if that is reported; else in this process's own group, if it was delegated; else, as root, below
    /// `kornsole` at the root of all groups.
    pub fn find(wanted: Option<&Path>) -> Self {
        let mount = match mount() {
            Some(mount) => mount,
            None => return Self::Processes("cgroup v2 is not mounted".to_owned()),
        };
        let own = own(&mount);
        let mut places: Vec<PathBuf> = wanted.map(Path::to_path_buf).into_iter().collect();
        if wanted.is_none() {
            places.extend(own.filter(|own| *own != mount));
            places.extend(geteuid().is_root().then(|| mount.join("kornsole")));
        }
        let mut why = "no cgroup is delegated to this user".to_owned();
        for place in places {
            match prepare(&mount, &place) {
                Ok(jobs) => return Self::Cgroup(jobs),
                Err(error) => why = format!("{}: {error}", place.display()),
            }
        }
        Self::Processes(why)
    }

    /// What is enforced, in words for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Cgroup(group) => {
                format!(
                    "limits: memory, processors and processes of each job, enforced by cgroup v2 in {}",
                    group.display()
                )
            }
            Self::Processes(why) => format!(
                "limits: processors are not limited; memory is limited for each process (RLIMIT_DATA), not for the whole job; jobs run at a lower priority (nice 5). cgroup unavailable: {why}"
            ),
        }
    }

    /// The group of an attempt; `None` without groups.
    pub fn group(&self, name: &str) -> Option<PathBuf> {
        match self {
            Self::Cgroup(jobs) => Some(jobs.join(name)),
            Self::Processes(_) => None,
        }
    }

    /// Makes the group of an attempt with its limits; `None` without groups.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn create(&self, name: &str, vcore: i64, memory: i64) -> io::Result<Option<PathBuf>> {
        let Self::Cgroup(jobs) = self else { return Ok(None) };
        let group = jobs.join(name);
        match fs::create_dir(&group) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        fs::write(group.join("memory.max"), memory.to_string())?;
        fs::write(group.join("cpu.max"), format!("{} {PERIOD}", (vcore * PERIOD / 1000).max(1000)))?;
        fs::write(group.join("cpu.weight"), (vcore / 10).clamp(1, 10_000).to_string())?;
        fs::write(group.join("pids.max"), MOST_PROCESSES.to_string())?;
        // A kernel without accounting of swap has no such file.
        let _ = fs::write(group.join("memory.swap.max"), "0");
        let _ = fs::write(group.join("memory.oom.group"), "1");
        Ok(Some(group))
    }
}

/// Where cgroup v2 is mounted.
fn mount() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (_, path, kind) = (fields.next()?, fields.next()?, fields.next()?);
        (kind == "cgroup2").then(|| PathBuf::from(path))
    })
}

/// This process's own group.
fn own(mount: &Path) -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?.to_owned();
    Some(mount.join(path))
}

/// Makes a group ready to have one for each job: its own processes, of which this is one, move into a leaf next to them.
fn prepare(mount: &Path, place: &Path) -> io::Result<PathBuf> {
    let controllers = fs::read_to_string(place.parent().unwrap_or(mount).join("cgroup.controllers"))?;
    let has = |text: &str, name: &str| text.split_whitespace().any(|one| one == name);
    if let Some(missing) = NEEDED.into_iter().find(|name| !has(&controllers, name)) {
        return Err(io::Error::other(format!("the controller {missing} is missing")));
    }
    fs::create_dir_all(place)?;
    let enable = |group: &Path| {
        NEEDED.iter().try_for_each(|name| fs::write(group.join("cgroup.subtree_control"), format!("+{name}")))
    };
    if place.parent() == Some(mount) && geteuid().is_root() {
        enable(mount)?;
    }
    if own(mount).as_deref() == Some(place) {
        let daemon = place.join("daemon");
        fs::create_dir_all(&daemon)?;
        fs::write(daemon.join("cgroup.procs"), "0")?;
    }
    enable(place)?;
    let jobs = place.join("jobs");
    fs::create_dir_all(&jobs)?;
    enable(&jobs)?;
    Ok(jobs)
}

/// Moves this process into a group.
///
/// # Errors
/// The kernel refuses.
pub fn join(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

/// What a group used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The most bytes of memory.
    pub max_memory: Option<u64>,
    /// Milliseconds of processors.
    pub cpu_ms: Option<u64>,
    /// A process of it was ended for its memory.
    pub out_of_memory: bool,
}

/// What a group used so far.
pub fn used(group: &Path) -> Used {
    let read = |file: &str| fs::read_to_string(group.join(file)).unwrap_or_default();
    let value = |text: &str, name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse::<u64>().ok())
    };
    let events = read("memory.events");
    Used {
        max_memory: read("memory.peak").trim().parse().ok(),
        cpu_ms: value(&read("cpu.stat"), "usage_usec").map(|us| us / 1000),
        out_of_memory: value(&events, "oom_kill").is_some_and(|count| count > 0),
    }
}

/// Whether the kernel counts the most memory of a group, as those from 5.19 on do.
pub fn counts_peak(group: &Path) -> bool {
    group.join("memory.peak").exists()
}

/// Bytes of memory that a group has right now.
pub fn memory(group: &Path) -> Option<u64> {
    fs::read_to_string(group.join("memory.current")).ok()?.trim().parse().ok()
}

/// Ends every process of a group.
pub fn kill(group: &Path) {
    // A kernel before 5.14 has no such file: the supervisor ends what is left one by one.
    let _ = fs::write(group.join("cgroup.kill"), "1");
}

/// Removes a group whose processes have ended.
pub fn remove(group: &Path) {
    // The kernel may need a moment until the last process no longer exists; the next start removes what is left.
    let _ = fs::remove_dir(group);
}

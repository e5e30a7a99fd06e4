//! Limits by cgroup v2.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

const NEEDED: [&str; 3] = ["cpu", "memory", "pids"];
const MOST_PROCESSES: u32 = 8192;
/// Microseconds of the period in which processor time is counted.
const PERIOD: i64 = 100_000;

/// How limits are enforced on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// By a cgroup per job, inside this one.
    Cgroup(PathBuf),
    /// By process groups, rlimits, and niceness; why not by cgroups.
    Processes(String),
}

impl Enforcement {
    /// Uses `wanted`, otherwise the own group if delegated, otherwise, for root, `kornsole` in the root group.
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

    /// Describes the enforcement for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Cgroup(group) => {
                format!(
                    "limits: memory, processors, and processes of each job, enforced by cgroup v2 in {}",
                    group.display()
                )
            }
            Self::Processes(why) => format!(
                "limits: processors are not limited; memory is limited for each process (RLIMIT_DATA), not for the whole job; jobs run at a lower priority (nice 5). cgroup unavailable: {why}"
            ),
        }
    }

    /// Returns the path of a group; `None` without cgroups.
    pub fn group(&self, name: &str) -> Option<PathBuf> {
        match self {
            Self::Cgroup(jobs) => Some(jobs.join(name)),
            Self::Processes(_) => None,
        }
    }

    /// Creates a group with limits; `None` without cgroups.
    ///
    /// # Errors
    /// The kernel rejects it.
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
        // Missing in a kernel without swap accounting.
        let _ = fs::write(group.join("memory.swap.max"), "0");
        let _ = fs::write(group.join("memory.oom.group"), "1");
        Ok(Some(group))
    }
}

fn mount() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (_, path, kind) = (fields.next()?, fields.next()?, fields.next()?);
        (kind == "cgroup2").then(|| PathBuf::from(path))
    })
}

fn own(mount: &Path) -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?.to_owned();
    Some(mount.join(path))
}

/// Moves the group's processes into a leaf group, so that the group can have a subgroup per job.
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
pub fn join(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

/// The usage of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Peak memory in bytes.
    pub max_memory: Option<u64>,
    /// CPU time in milliseconds.
    pub cpu_ms: Option<u64>,
    /// The kernel killed a process for its memory.
    pub out_of_memory: bool,
}

/// Returns the usage so far.
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

/// Returns true for kernel 5.19 and later.
pub fn counts_peak(group: &Path) -> bool {
    group.join("memory.peak").exists()
}

/// Returns the current bytes.
pub fn memory(group: &Path) -> Option<u64> {
    fs::read_to_string(group.join("memory.current")).ok()?.trim().parse().ok()
}

/// Kills every process of a group.
pub fn kill(group: &Path) {
    // Missing before kernel 5.14: the supervisor then kills the processes one by one.
    let _ = fs::write(group.join("cgroup.kill"), "1");
}

/// Removes the group of ended processes.
pub fn remove(group: &Path) {
    // The kernel may need a moment; the next start removes the rest.
    let _ = fs::remove_dir(group);
}

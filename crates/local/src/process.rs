//! Processes from `/proc`: identity, state, usage, and children.

use std::fs;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::sys::time::TimeValLike as _;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open, wait, waitpid,
};

use super::task::Claim;

/// Linux reports 100 ticks per second on every architecture.
const TICK_MS: u64 = 10;

/// Returns the fields of `/proc/PID/stat` after the name, which may contain any character; field 0 is the state.
fn stat(pid: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// Returns the ID of the machine's current boot.
pub fn boot() -> String {
    static BOOT: OnceLock<String> = OnceLock::new();
    let read = || fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned();
    BOOT.get_or_init(read).clone()
}

/// Returns the identity; `None` if the process does not exist.
pub fn identify(pid: i32) -> Option<Claim> {
    let start = stat(&pid.to_string())?.get(19)?.parse().ok()?;
    Some(Claim { pid, start, boot: boot() })
}

/// Returns a descriptor that is readable when the process ends. `None` if it has ended: its PID may be reused.
pub fn open(claim: &Claim) -> Option<OwnedFd> {
    let fd = pidfd_open(Pid::from_raw(claim.pid)?, PidfdFlags::empty()).ok()?;
    let is = identify(claim.pid)?;
    // A zombie has ended but is not reaped.
    let zombie = stat(&claim.pid.to_string())?.first().is_some_and(|state| state == "Z");
    (is == *claim && !zombie).then_some(fd)
}

/// Usage of ended children and their descendants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfChildren {
    /// CPU time in microseconds.
    pub cpu_us: u64,
    /// Memory of the largest process, in bytes.
    pub largest: u64,
}

/// Zeros if the system does not report it.
pub fn of_children() -> OfChildren {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return OfChildren::default() };
    let us = |time: TimeVal| u64::try_from(time.num_microseconds()).unwrap_or_default();
    let largest = u64::try_from(usage.max_rss()).unwrap_or_default().saturating_mul(1024);
    OfChildren { cpu_us: us(usage.user_time()) + us(usage.system_time()), largest }
}

/// The processor time of the ended children of a process, in milliseconds.
pub fn ended_cpu_ms(pid: i32) -> u64 {
    cpu_by_stat(pid, [13, 14])
}

/// Returns milliseconds, with ended children.
pub fn cpu_ms(pid: i32) -> u64 {
    cpu_by_stat(pid, [11, 12]) + cpu_by_stat(pid, [13, 14])
}

fn cpu_by_stat(pid: i32, at: [usize; 2]) -> u64 {
    let fields = stat(&pid.to_string()).unwrap_or_default();
    let field = |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
    at.into_iter().map(field).sum::<u64>() * TICK_MS
}

fn kib_of(pid: &str, file: &str, field: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the peak bytes since its program started; `pid` may be `self`.
pub fn peak(pid: &str) -> Option<u64> {
    kib_of(pid, "status", "VmHWM")
}

/// Returns bytes; if `shared`, only its part of the shared pages.
pub fn memory(pid: i32, shared: bool) -> Option<u64> {
    let pid = pid.to_string();
    let part = shared.then(|| kib_of(&pid, "smaps_rollup", "Pss")).flatten();
    part.or_else(|| kib_of(&pid, "status", "VmRSS"))
}

/// Returns true for the program of this process.
pub fn is_of_this_program(pid: i32) -> bool {
    let program = |pid: &str| fs::read_link(format!("/proc/{pid}/exe")).ok();
    program(&pid.to_string()).is_some_and(|other| Some(other) == program("self"))
}

/// Lists descendants, parents first. Concurrent starts and ends may be missing.
pub fn tree(top: i32) -> Vec<i32> {
    let (mut found, mut left) = (Vec::new(), vec![top]);
    while let Some(parent) = left.pop() {
        for child in listed_children(parent) {
            if child != top && !found.contains(&child) {
                found.push(child);
                left.push(child);
            }
        }
    }
    found
}

/// Scans all processes if the kernel has no lists of children.
fn listed_children(parent: i32) -> Vec<i32> {
    let own = |thread: &str| fs::read_to_string(format!("/proc/{parent}/task/{thread}/children"));
    if own(&parent.to_string()).is_err_and(|_| fs::exists(format!("/proc/{parent}")).unwrap_or(false)) {
        return children_of(parent);
    }
    let threads = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| own(thread.file_name().to_str()?).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Returns the niceness, from -20 to 19.
pub fn niceness(pid: i32) -> Option<i32> {
    stat(&pid.to_string())?.get(16)?.parse().ok()
}

/// A process in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// PID; unique only together with the start time.
    pub pid: i32,
    /// PID of its parent.
    pub parent: i32,
    /// The first 15 bytes of the program name.
    pub name: String,
    /// Own CPU time in milliseconds.
    pub cpu_ms: u64,
    /// CPU time of its ended children, in milliseconds.
    pub ended_cpu_ms: u64,
    /// Resident memory (RSS) in bytes.
    pub memory: u64,
}

/// Lists all processes of the machine.
pub fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| one(entry.file_name().to_str()?.parse().ok()?)).collect()
}

fn one(pid: i32) -> Option<Process> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (before, rest) = text.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok());
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        name,
        cpu_ms: (field(11)? + field(12)?) * TICK_MS,
        ended_cpu_ms: (field(13)? + field(14)?) * TICK_MS,
        memory: field(21)? * rustix::param::page_size() as u64,
    })
}

/// Lists the children of a process.
pub fn children_of(parent: i32) -> Vec<i32> {
    let parent = parent.to_string();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let pids = pids.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let children = pids.filter(|pid| stat(pid).is_some_and(|fields| fields.get(1) == Some(&parent)));
    children.filter_map(|pid| pid.parse().ok()).collect()
}

/// Ignores a missing group.
pub fn signal_group(leader: i32, signal: Signal) {
    if let Some(leader) = Pid::from_raw(leader) {
        let _ = kill_process_group(leader, signal);
    }
}

/// Keeps only standard input and outputs. Call it before this process opens files.
pub fn close_inherited() {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<i32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in open.into_iter().filter(|number| *number > 2) {
        // The descriptor of the list itself is closed already.
        let _ = nix::unistd::close(number);
    }
}

/// Kills a process; ignores a missing process.
pub fn kill(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Returns the end in words; `None` if it has not ended.
pub fn reap(pid: i32) -> Option<String> {
    let (_, status) = waitpid(Some(Pid::from_raw(pid)?), WaitOptions::NOHANG).ok()??;
    Some(match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown".to_owned(),
    })
}

/// Reaps all ended children. Returns true if others are left.
pub fn has_children() -> bool {
    loop {
        // Without a PID, waitpid waits only for this process group.
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_is_known_by_its_number_and_its_start() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let claim = identify(i32::try_from(child.id()).unwrap()).unwrap();
        assert!(open(&claim).is_some());
        let other = Claim { start: claim.start + 1, ..claim.clone() };
        assert!(open(&other).is_none(), "another process of that number is not it");
        let before = Claim { boot: "another".to_owned(), ..claim.clone() };
        assert!(open(&before).is_none(), "nor one of an earlier start of the machine");
        kill(claim.pid);
        child.wait().unwrap();
        assert!(open(&claim).is_none());
    }
}

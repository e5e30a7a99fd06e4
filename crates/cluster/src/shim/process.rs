//! The identity of a lease holder shows the next process of the same pod or machine that it has ended.
//!
//! It is `NAME_MARK_INSTANCE`. The mark locates the process: the UID of its pod or the boot of the machine, the PID
//! namespace, and the PID.

use std::os::unix::fs::MetadataExt as _;

/// A process as a lease holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    name: String,
    mark: Mark,
    instance: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    /// `pod-UID`, or the boot ID of a machine.
    place: String,
    /// Inode of its PID namespace.
    namespace: u64,
    pid: u32,
}

impl Process {
    /// Identifies this process; `pod` is the UID of its pod, `instance` is unique per run.
    pub fn this(name: &str, pod: Option<&str>, instance: &str) -> Self {
        let place = match pod {
            Some(uid) => format!("pod-{uid}"),
            None => std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned(),
        };
        let namespace = std::fs::metadata("/proc/self/ns/pid").map_or(0, |namespace| namespace.ino());
        let mark = Mark { place, namespace, pid: std::process::id() };
        Self { name: name.to_owned(), mark, instance: instance.to_owned() }
    }

    /// `None` from another program or release.
    fn read(identity: &str) -> Option<Self> {
        let (rest, instance) = identity.rsplit_once('_')?;
        let (name, mark) = rest.rsplit_once('_')?;
        let (rest, pid) = mark.rsplit_once('.')?;
        let (place, namespace) = rest.rsplit_once('.')?;
        let mark = Mark { place: place.to_owned(), namespace: namespace.parse().ok()?, pid: pid.parse().ok()? };
        Some(Self { name: name.to_owned(), mark, instance: instance.to_owned() })
    }

    /// Returns the identity in the lease.
    pub fn identity(&self) -> String {
        let Mark { place, namespace, pid } = &self.mark;
        format!("{}_{place}.{namespace}.{pid}_{}", self.name, self.instance)
    }

    /// Returns the whole identity if another program or release wrote it.
    pub fn name_of(identity: &str) -> String {
        Self::read(identity).map_or_else(|| identity.to_owned(), |process| process.name)
    }

    /// Returns true if the holder is an earlier process of this pod or machine, and has certainly ended.
    pub fn has_ended(&self, holder: &str) -> bool {
        self.has_ended_by(holder, |pid| std::path::Path::new(&format!("/proc/{pid}")).exists())
    }

    fn has_ended_by(&self, holder: &str, runs: impl Fn(u32) -> bool) -> bool {
        let (Some(before), mine) = (Self::read(holder), &self.mark) else { return false };
        let known = !mine.place.is_empty() && mine.namespace != 0;
        if !known || before.mark.place != mine.place || before.instance == self.instance {
            return false;
        }
        match before.mark.namespace == mine.namespace {
            // Its PID now belongs to this process, or to none.
            true => before.mark.pid == mine.pid || !runs(before.mark.pid),
            // A pod restarts its container. On a machine, it may be a process in another container.
            false => mine.place.starts_with("pod-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(name: &str, place: &str, namespace: u64, pid: u32, instance: &str) -> Process {
        let mark = Mark { place: place.to_owned(), namespace, pid };
        Process { name: name.to_owned(), mark, instance: instance.to_owned() }
    }

    #[test]
    fn an_identity_is_read_as_it_was_written() {
        let here = Process::this("my_host", None, "0a1b-2c");
        assert_eq!(Process::read(&here.identity()), Some(here));
        let in_pod = Process::this("kornsole-7f", Some("11-22"), "x");
        assert_eq!(Process::read(&in_pod.identity()), Some(in_pod.clone()));
        assert_eq!(Process::read("kornsole-7f_0a1b"), None, "as releases before wrote it");
        let before = "kornsole-7f_0a1b";
        assert_eq!([Process::name_of(&in_pod.identity()), Process::name_of(before)], ["kornsole-7f", before]);
    }

    #[test]
    fn only_a_process_that_has_certainly_ended_is_replaced_at_once() {
        let me = process("host", "boot-1", 7, 40, "new");
        let ended = |before: Process, runs: bool| me.has_ended_by(&before.identity(), |_| runs);
        assert!(ended(process("host", "boot-1", 7, 30, "old"), false), "no process has its PID");
        assert!(!ended(process("host", "boot-1", 7, 30, "old"), true), "it still runs");
        assert!(ended(process("host", "boot-1", 7, 40, "old"), true), "the PID is this process");
        assert!(ended(process("other", "boot-1", 7, 30, "old"), false), "the machine was renamed");
        assert!(!ended(process("host", "boot-2", 7, 30, "old"), false), "another machine may have this name");
        assert!(!ended(process("host", "boot-1", 8, 30, "old"), false), "another container of the machine");
        assert!(!me.has_ended_by("host_old", |_| false), "unknown form");
        let pod = process("kornsole-7f", "pod-1", 9, 1, "new");
        assert!(pod.has_ended_by(&process("kornsole-7f", "pod-1", 8, 1, "old").identity(), |_| true));
        assert!(!pod.has_ended_by(&process("kornsole-7f", "pod-2", 8, 1, "old").identity(), |_| false));
        let neighbor = process("kornsole-7f", "pod-1", 9, 50, "new");
        assert!(!neighbor.has_ended_by(&process("kornsole-7f", "pod-1", 9, 1, "old").identity(), |_| true), "exec");
    }
}

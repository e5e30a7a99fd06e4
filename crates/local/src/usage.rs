use std::collections::HashMap;

use super::daemon::Daemon;
use super::job::{JobState, Owner};
use super::process::{self, Process};
use super::running::Running;
use super::wire::{JobUse, ProcessUse, Reply};
use super::{cgroup, wall_ms};

impl Daemon {
    /// Jobs of the user and those that the user administers; only one if set.
    pub(super) fn used(&self, who: &Owner, only: Option<u64>) -> Reply {
        let jobs: Vec<_> = {
            let table = self.table();
            let running = table.running.iter().filter_map(|(number, running)| Some((table.jobs.get(number)?, running)));
            let wanted = running.filter(|(job, _)| only.is_none_or(|only| only == job.number));
            let seen = wanted.filter(|(job, _)| job.state == JobState::Running && self.may_see(who, job));
            let of = |running: &Running| (running.pid, running.earlier_cpu_ms);
            seen.map(|(job, by)| (self.report(job).listed(), format!("{}-{}", job.number, job.next), of(by))).collect()
        };
        let (all, at) = (if jobs.is_empty() { Vec::new() } else { process::all() }, wall_ms());
        let mut children: HashMap<i32, Vec<&Process>> = HashMap::new();
        for process in &all {
            children.entry(process.parent).or_default().push(process);
        }
        let mut uses: Vec<JobUse> = jobs
            .into_iter()
            .map(|(job, name, (supervisor, earlier))| {
                let processes = below(&children, supervisor);
                // Children that the supervisor has reaped.
                let ended = all.iter().find(|process| process.pid == supervisor).map_or(0, |own| own.ended_cpu_ms);
                let ended = ended.saturating_sub(earlier);
                let sum = processes.iter().map(|process| process.cpu_ms + process.ended_cpu_ms).sum::<u64>() + ended;
                let group = self.settings.enforcement.group(&name);
                let used = group.as_deref().map(cgroup::used).unwrap_or_default();
                let current = group.as_deref().and_then(cgroup::memory);
                let resident: u64 = processes.iter().map(|process| process.memory).sum();
                // Not their sum: shared pages would count for each.
                let peaks = processes.iter().filter_map(|process| process::peak(&process.pid.to_string()));
                let seen_memory = peaks.chain(current).max().unwrap_or_default();
                let processes = processes.into_iter().map(|process| ProcessUse {
                    pid: process.pid,
                    parent: process.parent,
                    name: process.name.clone(),
                    memory: process.memory,
                    cpu_ms: process.cpu_ms,
                });
                let gpus = job.gpus.iter().map(|index| self.settings.machine.gpu_use(*index)).collect();
                JobUse {
                    job,
                    gpus,
                    at,
                    cpu_ms: used.cpu_ms.unwrap_or(sum),
                    memory: current.unwrap_or(resident),
                    max_memory: used.max_memory,
                    seen_memory,
                    processes: processes.collect(),
                }
            })
            .collect();
        uses.sort_by_key(|one| one.job.number);
        Reply::Use(uses)
    }
}

/// The processes below one, parents before their children.
fn below<'p>(children: &HashMap<i32, Vec<&'p Process>>, top: i32) -> Vec<&'p Process> {
    let (mut found, mut left): (Vec<&Process>, Vec<i32>) = (Vec::new(), vec![top]);
    while let Some(parent) = left.pop() {
        // A list of processes is not atomic, and may contain a cycle.
        for child in children.get(&parent).into_iter().flatten() {
            if child.pid != top && !found.iter().any(|known| known.pid == child.pid) {
                found.push(child);
                left.push(child.pid);
            }
        }
    }
    found
}

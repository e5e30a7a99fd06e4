//! Creates the sheet of a job from the daemon's answers.

use std::time::Duration;

use local::job::JobState;
use local::wire::{JobReport, JobUse, ProcessUse};
use model::AppId;
use view::job::{GpuUsage, JobAsked, JobOutput, JobPhase, JobProcess, JobSheet, JobUsage};

const MOST_PROCESSES: usize = 200;

#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    job: u64,
    attempt: u32,
    at: u64,
    cpu_ms: u64,
    most: u64,
}

/// The sheet of a job at `now` (milliseconds since 1970); returns the measurement for the next call.
pub(super) fn of(
    job: &JobReport,
    used: Option<&JobUse>,
    output: Option<JobOutput>,
    before: Option<Sample>,
    now: u64,
) -> (JobSheet, Option<Sample>) {
    let before = before.filter(|before| (before.job, before.attempt) == (job.number, job.attempts));
    let sample = used.map(|used| Sample {
        job: job.number,
        attempt: job.attempts,
        at: used.at,
        cpu_ms: used.cpu_ms,
        most: used.memory.max(before.map_or(0, |before| before.most)),
    });
    let since = |at: u64| Duration::from_millis(now.saturating_sub(at));
    let over = job.state == JobState::Ended;
    let usage = match (used, sample) {
        (Some(used), Some(sample)) => Some(running(used, sample, before)),
        _ if over && job.attempts > 0 => Some(ended(job)),
        _ => None,
    };
    let sheet = JobSheet {
        app: AppId::from(if job.app.is_empty() { format!("job-{}", job.number) } else { job.app.clone() }),
        number: job.number,
        name: job.name.clone(),
        user: job.user.clone(),
        queue: job.queue.clone(),
        phase: phase(job.state),
        reason: job.reason.clone(),
        failed: job.status.is_some_and(|status| status != 0),
        command: job.command.to_vec(),
        dir: job.dir.clone(),
        output_file: job.output.clone(),
        error_file: job.error.clone(),
        note: job.note.clone(),
        lost_output: job.lost_output,
        asked: JobAsked {
            vcore: job.vcore,
            memory: job.memory,
            gpu: job.gpu,
            time: job.time_limit.map(Duration::from_secs),
        },
        gpus: job.gpus.clone(),
        priority: job.priority,
        submitted: since(job.submitted),
        // For a finished job, over all attempts, like its usage.
        ran: match (over, job.started) {
            (true, Some(_)) => Some(Duration::from_millis(job.ran_ms)),
            (false, Some(started)) if job.state == JobState::Running => Some(since(started)),
            _ => None,
        },
        ended: job.ended.map(since),
        attempts: job.attempts,
        usage,
        output,
    };
    (sheet, sample)
}

const fn phase(state: JobState) -> JobPhase {
    match state {
        JobState::Held => JobPhase::Held,
        JobState::Waiting => JobPhase::Waiting,
        JobState::Queued => JobPhase::Queued,
        JobState::Running => JobPhase::Running,
        JobState::Ended => JobPhase::Ended,
    }
}

fn bytes(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn running(used: &JobUse, sample: Sample, before: Option<Sample>) -> JobUsage {
    let rate = |before: Sample| {
        let passed = sample.at.saturating_sub(before.at);
        i64::try_from((sample.cpu_ms.saturating_sub(before.cpu_ms) * 1000).checked_div(passed)?).ok()
    };
    let gpus = used.gpus.iter();
    JobUsage {
        vcore: before.and_then(rate),
        cpu: Duration::from_millis(used.cpu_ms),
        memory: Some(bytes(used.memory)),
        most: Some(bytes(used.max_memory.unwrap_or(sample.most))),
        most_is_sampled: used.max_memory.is_none(),
        gpus: gpus.map(|gpu| GpuUsage { index: gpu.index, busy: gpu.busy, memory: gpu.memory.map(bytes) }).collect(),
        processes: tree(&used.processes),
    }
}

fn ended(job: &JobReport) -> JobUsage {
    JobUsage { cpu: Duration::from_millis(job.cpu_ms), most: job.max_memory.map(bytes), ..JobUsage::default() }
}

/// The input has parents first.
fn tree(processes: &[ProcessUse]) -> Vec<JobProcess> {
    let known = |pid: i32| processes.iter().any(|one| one.pid == pid);
    let mut shown: Vec<JobProcess> = Vec::new();
    let mut left: Vec<(usize, &ProcessUse)> =
        processes.iter().rev().filter(|one| !known(one.parent)).map(|one| (0, one)).collect();
    while let Some((depth, one)) = left.pop() {
        if shown.len() == MOST_PROCESSES {
            break;
        }
        shown.push(JobProcess {
            pid: one.pid,
            depth,
            name: one.name.clone(),
            memory: bytes(one.memory),
            cpu: Duration::from_millis(one.cpu_ms),
        });
        // A process list is not read atomically and can contain a cycle.
        let new = |child: &&ProcessUse| child.parent == one.pid && !shown.iter().any(|known| known.pid == child.pid);
        left.extend(processes.iter().rev().filter(new).map(|child| (depth + 1, child)));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32) -> ProcessUse {
        ProcessUse { pid, parent, name: format!("p{pid}"), memory: 1, cpu_ms: 10 }
    }

    #[test]
    fn processes_are_below_their_parents() {
        let all = [process(10, 1), process(20, 1), process(11, 10), process(12, 11), process(21, 20)];
        let shown: Vec<(i32, usize)> = tree(&all).iter().map(|one| (one.pid, one.depth)).collect();
        assert_eq!(shown, [(10, 0), (11, 1), (12, 2), (20, 0), (21, 1)]);
        let circle = [process(1, 2), process(2, 1)];
        assert!(tree(&circle).is_empty(), "a circle ends");
    }
}

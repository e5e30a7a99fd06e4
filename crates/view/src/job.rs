//! A local job for display: its request, usage, processes, and output.
//!
//! Times are durations, so that no clock is needed to show them.

use std::fmt;
use std::time::Duration;

use crate::units::show_amount;
use model::quantity::show_vcore;
use model::{AppId, MEMORY};

/// A job must run this long before its usage is compared with its request.
const LONG_ENOUGH: Duration = Duration::from_secs(60);
/// "Far less" means: less than this fraction (1/n) of the request.
const FAR_LESS: i64 = 4;
/// Smaller memory differences are not reported, in bytes.
const LITTLE_MEMORY: i64 = 250_000_000;

/// The phase of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobPhase {
    /// Held until a user releases it.
    Held,
    /// Waiting for another job.
    Waiting,
    /// Waiting for the scheduler.
    Queued,
    /// Running or starting.
    Running,
    /// It has ended.
    Ended,
}

impl JobPhase {
    /// The word in `kornsole jobs`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Waiting => "waiting",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Ended => "ended",
        }
    }

    /// Whether it has not started and can be held, moved, and edited.
    pub const fn is_pending(self) -> bool {
        matches!(self, Self::Held | Self::Waiting | Self::Queued)
    }
}

/// The request of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobAsked {
    /// Thousandths of a core.
    pub vcore: i64,
    /// Bytes of memory.
    pub memory: i64,
    /// Number of GPUs.
    pub gpu: i64,
    /// After how much running it is ended.
    pub time: Option<Duration>,
}

impl fmt::Display for JobAsked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cpu, {}", show_vcore(self.vcore), show_amount(MEMORY, self.memory))?;
        if self.gpu > 0 {
            write!(f, ", {} gpu", self.gpu)?;
        }
        Ok(())
    }
}

/// The usage of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobUsage {
    /// Millicores between the last two measurements; `None` before the second one and after the end.
    pub vcore: Option<i64>,
    /// CPU time so far.
    pub cpu: Duration,
    /// Current bytes; `None` after the end.
    pub memory: Option<i64>,
    /// Peak bytes, if known.
    pub most: Option<i64>,
    /// The peak is only sampled: peaks between two measurements are missing.
    pub most_is_sampled: bool,
    /// The current usage of its GPUs.
    pub gpus: Vec<GpuUsage>,
    /// Its processes, parents before their children.
    pub processes: Vec<JobProcess>,
}

/// The current usage of a GPU, as far as its driver reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuUsage {
    /// The GPU index, from 0.
    pub index: u32,
    /// Percent of busy time.
    pub busy: Option<u8>,
    /// Used bytes of its memory.
    pub memory: Option<i64>,
}

/// A process of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobProcess {
    /// The process id.
    pub pid: i32,
    /// Depth below the first process.
    pub depth: usize,
    /// What it is called.
    pub name: String,
    /// Bytes of memory that it has in the machine.
    pub memory: i64,
    /// CPU time so far.
    pub cpu: Duration,
}

/// A part of a job's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobOutput {
    /// The attempt; 0 before the first one.
    pub attempt: u32,
    /// The offset of the first byte.
    pub first: u64,
    /// The raw output, not always UTF-8.
    pub bytes: Vec<u8>,
    /// More output may follow.
    pub more: bool,
}

/// The requested part of a job's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputWanted {
    /// None of it.
    None,
    /// The end, as much as a first look shows.
    End,
    /// The output after this byte of this attempt; if a later attempt exists, its end.
    From(u32, u64),
}

/// A job with all displayed details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSheet {
    /// The current application of the job.
    pub app: AppId,
    /// The job ID.
    pub number: u64,
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// The queue; empty if none.
    pub queue: String,
    /// Whether it is pending, runs, or has ended.
    pub phase: JobPhase,
    /// Why it waits, or how it ended.
    pub reason: String,
    /// It did not end with exit status 0.
    pub failed: bool,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Where it runs.
    pub dir: String,
    /// The additional output file; empty for none.
    pub output_file: String,
    /// The separate file for standard error; empty for none.
    pub error_file: String,
    /// A non-fatal problem; empty for none.
    pub note: String,
    /// Bytes of output that could not be written.
    pub lost_output: u64,
    /// What it requested.
    pub asked: JobAsked,
    /// GPU indices of the current or last attempt.
    pub gpus: Vec<u32>,
    /// Higher values are scheduled first.
    pub priority: i32,
    /// Time since submission.
    pub submitted: Duration,
    /// Run time of the last attempt; `None` before the first one.
    pub ran: Option<Duration>,
    /// Time since the end.
    pub ended: Option<Duration>,
    /// Number of starts.
    pub attempts: u32,
    /// `None` if unknown.
    pub usage: Option<JobUsage>,
    /// The requested part of the output.
    pub output: Option<JobOutput>,
}

impl JobSheet {
    /// Returns a sentence for each resource with much less usage than requested. `time` formats a duration.
    pub fn hints(&self, time: impl Fn(Duration) -> String) -> Vec<String> {
        self.usage
            .as_ref()
            .map(|usage| usage.far_less(&self.asked, self.ran.unwrap_or_default(), time))
            .unwrap_or_default()
    }
}

impl JobUsage {
    /// As [`JobSheet::hints`], for a usage after a run time.
    pub fn far_less(&self, asked: &JobAsked, ran: Duration, time: impl Fn(Duration) -> String) -> Vec<String> {
        let mut hints = Vec::new();
        if ran < LONG_ENOUGH {
            return hints;
        }
        let time = time(ran);
        if let Some(most) = self.most.filter(|most| asked.memory >= LITTLE_MEMORY && *most < asked.memory / FAR_LESS) {
            // Usage before the first sample is unknown.
            let within = if self.most_is_sampled { "during the check".to_owned() } else { format!("in {time}") };
            let (asked, most) = (show_amount(MEMORY, asked.memory), show_amount(MEMORY, most));
            hints.push(format!("requested {asked}, at most {most} {within}"));
        }
        let used = i64::try_from(self.cpu.as_millis() * 1000 / ran.as_millis().max(1)).unwrap_or(i64::MAX);
        if asked.vcore > 1000 && used < asked.vcore / FAR_LESS {
            hints.push(format!(
                "requested {} cpu, used {} on average in {time}",
                show_vcore(asked.vcore),
                show_vcore(used)
            ));
        }
        hints
    }
}

/// A change of a job that has not started; `None` keeps a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobEdit {
    /// Thousandths of a core.
    pub vcore: Option<i64>,
    /// Bytes of memory.
    pub memory: Option<i64>,
    /// Number of GPUs.
    pub gpu: Option<i64>,
    /// Time limit in seconds; 0 for none.
    pub time: Option<u64>,
    /// What it is called.
    pub name: Option<String>,
}

/// An operation on a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobAct {
    /// Stop it, or remove it from the queue.
    Cancel,
    /// Keep it from starting.
    Hold,
    /// Let it start.
    Release,
    /// Restart it from its start.
    Requeue,
    /// Move it to another queue.
    Move(String),
    /// Change its priority.
    Priority(i32),
    /// Change its request.
    Edit(JobEdit),
}

impl JobAct {
    /// The verb for dialogs and rejections.
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Hold => "hold",
            Self::Release => "release",
            Self::Requeue => "requeue",
            Self::Move(_) => "move",
            Self::Priority(_) => "set the priority of",
            Self::Edit(_) => "change",
        }
    }
}

/// An operation on the job of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOrder {
    /// The application of the job.
    pub app: AppId,
    /// What is done.
    pub act: JobAct,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOURS: Duration = Duration::from_secs(7200);

    #[test]
    fn a_user_that_requests_far_more_than_it_uses_is_notified() {
        let asked = JobAsked { vcore: 8000, memory: 32 << 30, gpu: 0, time: None };
        let usage = |cpu, most| JobUsage { cpu, most, ..JobUsage::default() };
        let hints = |asked: &JobAsked, ran: Duration, usage: &JobUsage| {
            usage.far_less(asked, ran, |time| format!("{}h", time.as_secs() / 3600))
        };
        let little = usage(HOURS, Some(3_328_599_655));
        let both = ["requested 32Gi, at most 3.1Gi in 2h", "requested 8 cpu, used 1 on average in 2h"];
        assert_eq!(hints(&asked, HOURS, &little), both);
        let sampled = JobUsage { most_is_sampled: true, ..little.clone() };
        assert_eq!(hints(&asked, HOURS, &sampled)[0], "requested 32Gi, at most 3.1Gi during the check");
        assert!(hints(&asked, Duration::from_secs(30), &little).is_empty(), "too early to say");
        assert!(hints(&asked, HOURS, &usage(HOURS * 4, Some(16 << 30))).is_empty(), "it uses half of it");
        assert!(hints(&asked, HOURS, &usage(HOURS * 4, None)).is_empty(), "what is not known is not said");
        let small = JobAsked { vcore: 1000, memory: 100_000_000, ..asked };
        assert!(hints(&small, HOURS, &usage(Duration::ZERO, Some(0))).is_empty(), "little is nothing to save");
    }
}

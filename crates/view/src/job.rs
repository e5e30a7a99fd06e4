//! A job of this machine as a person sees it: what was requested it, what it uses, its processes, its output.
//!
//! An application is a job where the scheduler starts processes itself. Times are lengths, so that no clock is needed to show them.

use std::fmt;
use std::time::Duration;

use crate::units::show_amount;
use model::quantity::show_vcore;
use model::{AppId, MEMORY};

/// How long a job has to run before its usage says something about its needs.
const LONG_ENOUGH: Duration = Duration::from_secs(60);
/// It uses far less than it requested when it uses less than one part of this many.
const FAR_LESS: i64 = 4;
/// Less memory than this is not worth a word.
const LITTLE_MEMORY: i64 = 250_000_000;

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobPhase {
    /// It waits to be released by hand.
    Held,
    /// It waits for another job.
    Waiting,
    /// It waits for the scheduler.
    Queued,
    /// It runs, or is about to.
    Running,
    /// It has ended.
    Ended,
}

impl JobPhase {
    /// The word for it, as `kornsole jobs` says it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Waiting => "waiting",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Ended => "ended",
        }
    }

    /// Whether it has yet to start: then it can be held, moved and changed.
    pub const fn is_pending(self) -> bool {
        matches!(self, Self::Held | Self::Waiting | Self::Queued)
    }
}

/// What a job requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobAsked {
    /// Thousandths of a core.
    pub vcore: i64,
    /// Bytes of memory.
    pub memory: i64,
    /// How many GPUs.
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

/// What a job uses, or used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobUsage {
    /// Thousandths of a core between the last two measurements; `None` before the second, and of a job that has ended.
    pub vcore: Option<i64>,
    /// What it used of processors so far.
    pub cpu: Duration,
    /// Bytes right now; `None` of a job that has ended.
    pub memory: Option<i64>,
    /// The most bytes so far, where that is counted or was seen.
    pub most: Option<i64>,
    /// The most is only what was seen from here: peaks between two measurements are not in it.
    pub most_is_sampled: bool,
    /// What its GPUs do right now.
    pub gpus: Vec<GpuUsage>,
    /// Its processes, parents before their children.
    pub processes: Vec<JobProcess>,
}

/// What a GPU does right now, as far as its driver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuUsage {
    /// Which GPU of the machine, from 0 on.
    pub index: u32,
    /// Percent of the time that it computes.
    pub busy: Option<u8>,
    /// Bytes of its own memory that are in use.
    pub memory: Option<i64>,
}

/// A process of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobProcess {
    /// The process id.
    pub pid: i32,
    /// How deep it is below the first one.
    pub depth: usize,
    /// What it is called.
    pub name: String,
    /// Bytes of memory that it has in the machine.
    pub memory: i64,
    /// What it used of processors so far.
    pub cpu: Duration,
}

/// A part of a job's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobOutput {
    /// Of which attempt; 0 before the first one.
    pub attempt: u32,
    /// The number of the first byte of it.
    pub first: u64,
    /// What came, as it was written: not always UTF-8.
    pub bytes: Vec<u8>,
    /// There may be more right behind it.
    pub more: bool,
}

/// Which part of a job's output is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputWanted {
    /// None of it.
    None,
    /// The end of it, as much as a first look takes.
    End,
    /// What follows this byte of this attempt; of a later attempt its end.
    From(u32, u64),
}

/// All that is shown of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSheet {
    /// The application that it is now.
    pub app: AppId,
    /// The number that commands take.
    pub number: u64,
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// Where it is queued; empty when it is in no queue.
    pub queue: String,
    /// Where it stands.
    pub phase: JobPhase,
    /// Why it waits, or how it ended.
    pub reason: String,
    /// It ended otherwise than with exit status 0.
    pub failed: bool,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs.
    pub dir: String,
    /// The file that gets its output as well; empty for none.
    pub output_file: String,
    /// What could not be done for it, but did not end it; empty for nothing.
    pub note: String,
    /// How many bytes of its output could not be written.
    pub lost_output: u64,
    /// What it requested.
    pub asked: JobAsked,
    /// The indices of the GPUs that it has or had.
    pub gpus: Vec<u32>,
    /// A higher one is tried first.
    pub priority: i32,
    /// How long ago it was submitted.
    pub submitted: Duration,
    /// How long its last attempt has run, or ran; `None` before the first one.
    pub ran: Option<Duration>,
    /// How long ago it ended.
    pub ended: Option<Duration>,
    /// How often it was started.
    pub attempts: u32,
    /// What it uses; `None` where that is unknown.
    pub usage: Option<JobUsage>,
    /// The part of the output that was requested.
    pub output: Option<JobOutput>,
}

impl JobSheet {
    /// Where it uses far less than it requested, one sentence for each resource: others could have the rest.
    /// `time` writes a length of time.
    pub fn hints(&self, time: impl Fn(Duration) -> String) -> Vec<String> {
        self.usage
            .as_ref()
            .map(|usage| usage.far_less(&self.asked, self.ran.unwrap_or_default(), time))
            .unwrap_or_default()
    }
}

impl JobUsage {
    /// Where a job that ran for so long used far less than it requested. `time` writes a length of time.
    pub fn far_less(&self, asked: &JobAsked, ran: Duration, time: impl Fn(Duration) -> String) -> Vec<String> {
        let mut hints = Vec::new();
        if ran < LONG_ENOUGH {
            return hints;
        }
        let time = time(ran);
        if let Some(most) = self.most.filter(|most| asked.memory >= LITTLE_MEMORY && *most < asked.memory / FAR_LESS) {
            // What was before the first look is unknown.
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

/// What is changed of a job that has not started; what is `None` stays unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobEdit {
    /// Thousandths of a core.
    pub vcore: Option<i64>,
    /// Bytes of memory.
    pub memory: Option<i64>,
    /// How many GPUs.
    pub gpu: Option<i64>,
    /// After how many seconds of running it is ended; 0 for never.
    pub time: Option<u64>,
    /// What it is called.
    pub name: Option<String>,
}

/// What is done to a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobAct {
    /// End it, or take it out of the queue.
    Cancel,
    /// Keep it from starting.
    Hold,
    /// Let it start.
    Release,
    /// Have it restart from its start.
    Requeue,
    /// Put it into another queue.
    Move(String),
    /// Give it another priority.
    Priority(i32),
    /// Change what it requests.
    Edit(JobEdit),
}

impl JobAct {
    /// The verb for a question, and for why it was refused.
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

/// Something to be done to the job that an application is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOrder {
    /// The application that the job is for the scheduler.
    pub app: AppId,
    /// What is done.
    pub act: JobAct,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOURS: Duration = Duration::from_secs(7200);

    #[test]
    fn who_asks_for_far_more_than_he_uses_hears_of_it() {
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

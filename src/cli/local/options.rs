//! Job options on the command line, in a file, or in a script. The command line overrides `#kornsole`, which overrides
//! `#SBATCH`.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::amounts;
use super::sbatch_values::{self, Dependencies};
use local::job::{ArraySpec, Dependency, WhenStopped};

/// The options of a job.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct JobOptions {
    /// Queue [default: from the placement rules]
    #[arg(long, short, value_name = "QUEUE")]
    pub queue: Option<String>,
    /// Job name [default: name of the program]
    #[arg(long, short, value_name = "NAME")]
    pub name: Option<String>,
    /// Cores, for example 2, 0.5, or 500m [default: 1]
    #[arg(long, short, value_name = "CORES", value_parser = amounts::cores)]
    pub cpu: Option<i64>,
    /// Memory, for example 4G [default: share of the machine for the requested cores]
    #[arg(long, short, value_name = "AMOUNT", value_parser = amounts::memory)]
    pub mem: Option<i64>,
    /// Number of GPUs, for this job alone
    #[arg(long, short, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(0..=1024))]
    pub gpu: Option<i64>,
    /// Time limit, for example 2h or 1h30m
    #[arg(long, short, value_name = "TIME", value_parser = amounts::seconds)]
    pub time: Option<u64>,
    /// Priority; kornsole schedules higher priorities first [default: 0]
    #[arg(long, short, value_name = "NUMBER", allow_negative_numbers = true)]
    pub priority: Option<i32>,
    /// Start after this job: JOB or JOB:ok (success), JOB:any (end), JOB:notok (failure)
    #[arg(long, value_name = "JOB[:ok|:any|:notok]", value_delimiter = ',', value_parser = amounts::dependency)]
    pub after: Vec<Dependency>,
    /// Dependencies as in Slurm: afterok:17:18_3, afterany, afternotok, aftercorr, singleton
    #[arg(long, value_name = "LIST", value_parser = sbatch_values::dependencies)]
    pub dependency: Option<Dependencies>,
    /// Submit one job for each index, for example 1-100, 1,4,9, or 0-20:5
    ///
    /// With %COUNT, for example 1-100%8, at most COUNT of the jobs run at one time.
    #[arg(long, short, value_name = "INDICES[%COUNT]", value_parser = amounts::array)]
    pub array: Option<ArraySpec>,
    /// Maximum number of retries after a failed attempt
    #[arg(long, value_name = "COUNT")]
    pub retry: Option<u32>,
    /// Requeue the job after preemption or a reboot (default)
    #[arg(long, overrides_with = "no_requeue")]
    pub requeue: bool,
    /// Fail the job after preemption or a reboot
    #[arg(long)]
    pub no_requeue: bool,
    /// Never preempt the job; requires the admin ACL of the queue
    #[arg(long)]
    pub no_preempt: bool,
    /// Run the job in a terminal and attach this terminal to it
    ///
    /// Press ctrl-] to detach; `kornsole local attach` attaches again.
    #[arg(long, short)]
    pub interactive: bool,
    /// Hold the job until `kornsole release`
    #[arg(long)]
    pub hold: bool,
    /// Environment variable of the job, in addition to the current environment (repeatable)
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// Working directory [default: the current directory]
    #[arg(long, short, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// File to append the output to; kornsole also stores the output
    ///
    /// In the name, %j is the job ID, %A the ID of the array, %a the index, %x the job name, %u the user, and %N the machine.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// File to append standard error to, separate from the output; same placeholders
    #[arg(long, value_name = "FILE")]
    pub error: Option<PathBuf>,
    /// Signal that stops the job, for example USR1 [default: TERM]
    #[arg(long, value_name = "SIGNAL", value_parser = amounts::signal)]
    pub signal: Option<i32>,
    /// Shell command to run before the stop signal, for example to save the work
    ///
    /// $KORNSOLE_PID is the first process of the job.
    #[arg(long, value_name = "COMMAND")]
    pub checkpoint: Option<String>,
    /// Shell command to run after each attempt
    ///
    /// $KORNSOLE_END is the result of the attempt.
    #[arg(long, value_name = "COMMAND")]
    pub at_end: Option<String>,
}

/// The options of one line of a script, or of one key of a file.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Line {
    #[command(flatten)]
    options: JobOptions,
}

impl JobOptions {
    /// Reads words of a command line.
    ///
    /// # Errors
    /// The error in them, in one line.
    pub fn read(words: &[String]) -> Result<Self, String> {
        let line = Line::try_parse_from(words).map_err(|why| {
            let text = why.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        })?;
        Ok(line.options)
    }

    /// These options, and options of `other` that are missing here.
    pub fn or(self, other: Self) -> Self {
        let has_requeue = self.requeue || self.no_requeue;
        let (requeue, no_requeue) =
            if has_requeue { (self.requeue, self.no_requeue) } else { (other.requeue, other.no_requeue) };
        let has_dependency = !self.after.is_empty() || self.dependency.is_some();
        let (after, dependency) =
            if has_dependency { (self.after, self.dependency) } else { (other.after, other.dependency) };
        // The last value of a variable wins.
        let env = other.env.into_iter().chain(self.env).collect();
        Self {
            queue: self.queue.or(other.queue),
            name: self.name.or(other.name),
            cpu: self.cpu.or(other.cpu),
            mem: self.mem.or(other.mem),
            gpu: self.gpu.or(other.gpu),
            time: self.time.or(other.time),
            priority: self.priority.or(other.priority),
            after,
            dependency,
            array: self.array.or(other.array),
            retry: self.retry.or(other.retry),
            requeue,
            no_requeue,
            no_preempt: self.no_preempt || other.no_preempt,
            interactive: self.interactive || other.interactive,
            hold: self.hold || other.hold,
            env,
            dir: self.dir.or(other.dir),
            output: self.output.or(other.output),
            error: self.error.or(other.error),
            signal: self.signal.or(other.signal),
            checkpoint: self.checkpoint.or(other.checkpoint),
            at_end: self.at_end.or(other.at_end),
        }
    }

    /// What happens to the job when it is stopped for an external reason.
    pub fn when_stopped(&self) -> WhenStopped {
        if self.no_requeue && !self.requeue { WhenStopped::Fail } else { WhenStopped::Requeue }
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    if name.is_empty() { Err("write NAME=VALUE".to_owned()) } else { Ok((name.to_owned(), value.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<JobOptions, String> {
        JobOptions::read(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_command_line_wins_over_a_file() {
        let own = read("--cpu 2 --requeue --env A=1").unwrap();
        let all = own.or(read("--cpu 4 --mem 1G --no-requeue --env A=2 --env B=3").unwrap());
        assert_eq!((all.cpu, all.mem, all.when_stopped()), (Some(2000), Some(1_000_000_000), WhenStopped::Requeue));
        let last = |name: &str| all.env.iter().rfind(|(other, _)| other == name).map(|(_, value)| value.as_str());
        assert_eq!((last("A"), last("B")), (Some("1"), Some("3")));
    }

    #[test]
    fn invalid_input_is_reported_in_one_line() {
        let why = read("--time soon").unwrap_err();
        assert!(why.contains("--time") && why.contains("soon") && !why.contains('\n'), "{why}");
        assert!(read("--colour blue").unwrap_err().contains("--colour"));
    }
}

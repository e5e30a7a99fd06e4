//! What may be asked for a job: on the command line, in a file, in the lines of a script. The command line wins, then `#kornsole`, then
//! `#SBATCH`.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::amounts;
use super::sbatch_values::{self, Dependencies};
use local::job::{ArraySpec, Dependency, WhenStopped};

/// What may be asked for a job.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct JobOptions {
    /// The queue; without it where the placement rules put it
    #[arg(long, short, value_name = "QUEUE")]
    pub queue: Option<String>,
    /// What the job is called; without it as its program
    #[arg(long, short, value_name = "NAME")]
    pub name: Option<String>,
    /// Cores, as 2, 0.5 or 500m; without it 1
    #[arg(long, short, value_name = "CORES", value_parser = amounts::cores)]
    pub cpu: Option<i64>,
    /// Memory, as 4G; without it the machine's share for each core
    #[arg(long, short, value_name = "AMOUNT", value_parser = amounts::memory)]
    pub mem: Option<i64>,
    /// GPUs, each for this job alone
    #[arg(long, short, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(0..=1024))]
    pub gpu: Option<i64>,
    /// End it after this time of running, as 2h or 1h30m
    #[arg(long, short, value_name = "TIME", value_parser = amounts::seconds)]
    pub time: Option<u64>,
    /// A higher priority is tried first; without it 0
    #[arg(long, short, value_name = "NUMBER", allow_negative_numbers = true)]
    pub priority: Option<i32>,
    /// Begin after this job has ended: JOB or JOB:ok with exit status 0, JOB:any however
    #[arg(long, value_name = "JOB[:ok|:any|:notok]", value_delimiter = ',', value_parser = amounts::dependency)]
    pub after: Vec<Dependency>,
    /// Dependencies as in Slurm: afterok:17:18_3, afterany, afternotok, aftercorr, singleton
    #[arg(long, value_name = "LIST", value_parser = sbatch_values::dependencies)]
    pub dependency: Option<Dependencies>,
    /// A job for each index, as 1-100, 1,4,9 or 0-20:5; with %8 at most 8 of them at one time
    #[arg(long, short, value_name = "INDICES[%COUNT]", value_parser = amounts::array)]
    pub array: Option<ArraySpec>,
    /// Try again so often after an attempt that failed
    #[arg(long, value_name = "COUNT")]
    pub retry: Option<u32>,
    /// Begin again when it had to make room or the machine was restarted: so it is without any option
    #[arg(long, overrides_with = "no_requeue")]
    pub requeue: bool,
    /// Fail, rather than begin again, when it had to make room or the machine was restarted
    #[arg(long)]
    pub no_requeue: bool,
    /// Never make room for others; for those who administer its queue
    #[arg(long)]
    pub no_preempt: bool,
    /// Give it a terminal, and attach this one to it until it ends; ctrl-] leaves it running, `kornsole local attach` comes back
    #[arg(long, short)]
    pub interactive: bool,
    /// Keep it until `kornsole release`
    #[arg(long)]
    pub hold: bool,
    /// Set a variable of its environment, which else is that of this call
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// Where it runs; without it here
    #[arg(long, short, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// A file that gets its output as well, added at its end; %j is the job's number, %A the array's, %a its index, %x its name, %u its user, %N the machine
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A file that gets its standard error, which is then not in the output; with the same letters
    #[arg(long, value_name = "FILE")]
    pub error: Option<PathBuf>,
    /// The signal that asks it to end, as USR1; without it TERM
    #[arg(long, value_name = "SIGNAL", value_parser = amounts::signal)]
    pub signal: Option<i32>,
    /// A command that a shell runs before that signal, so that the job can save its work; $KORNSOLE_PID is its first process
    #[arg(long, value_name = "COMMAND")]
    pub checkpoint: Option<String>,
    /// A command that a shell runs after each attempt; $KORNSOLE_END says how it ended
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
    /// Reads words as the command line has them.
    ///
    /// # Errors
    /// What is wrong with them, in one line.
    pub fn read(words: &[String]) -> Result<Self, String> {
        let line = Line::try_parse_from(words).map_err(|why| {
            let text = why.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        })?;
        Ok(line.options)
    }

    /// These options, and those of `other` that are not among them.
    pub fn or(self, other: Self) -> Self {
        let says_what = self.requeue || self.no_requeue;
        let (requeue, no_requeue) =
            if says_what { (self.requeue, self.no_requeue) } else { (other.requeue, other.no_requeue) };
        let says_after = !self.after.is_empty() || self.dependency.is_some();
        let (after, dependency) =
            if says_after { (self.after, self.dependency) } else { (other.after, other.dependency) };
        // A variable that is set twice has the later value.
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

    /// What becomes of it when it is stopped for a reason that is not its own.
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
    fn what_does_not_read_is_said_in_one_line() {
        let why = read("--time soon").unwrap_err();
        assert!(why.contains("--time") && why.contains("soon") && !why.contains('\n'), "{why}");
        assert!(read("--colour blue").unwrap_err().contains("--colour"));
    }
}

//! `#SBATCH` lines on one machine. An unknown option that affects the run is an error.

use std::path::PathBuf;

use super::amounts;
use super::batch::{Batch, Export};
use super::options::JobOptions;
use super::sbatch_values::{dependencies, gpus, memory, of_gres, time};
use super::start_time::begin;
use super::zone::Zone;
use local::dialect::{Dialect, host};

const FLAGS: [&str; 16] = [
    "--contiguous",
    "--hold",
    "--ignore-pbs",
    "--no-kill",
    "--no-requeue",
    "--overcommit",
    "--oversubscribe",
    "--parsable",
    "--quiet",
    "--requeue",
    "--share",
    "--spread-job",
    "--use-min-nodes",
    "--verbose",
    "--wait",
    "--exclusive",
];
const SHORT: [(char, &str); 28] = [
    ('A', "--account"),
    ('a', "--array"),
    ('b', "--begin"),
    ('C', "--constraint"),
    ('c', "--cpus-per-task"),
    ('D', "--chdir"),
    ('d', "--dependency"),
    ('e', "--error"),
    ('G', "--gpus"),
    ('H', "--hold"),
    ('i', "--input"),
    ('J', "--job-name"),
    ('k', "--no-kill"),
    ('L', "--licenses"),
    ('m', "--distribution"),
    ('N', "--nodes"),
    ('n', "--ntasks"),
    ('O', "--overcommit"),
    ('o', "--output"),
    ('p', "--partition"),
    ('Q', "--quiet"),
    ('q', "--qos"),
    ('s', "--oversubscribe"),
    ('t', "--time"),
    ('v', "--verbose"),
    ('W', "--wait"),
    ('w', "--nodelist"),
    ('x', "--exclude"),
];
/// Options without an effect on one machine.
const HARMLESS: [&str; 34] = [
    "--account",
    "--acctg-freq",
    "--comment",
    "--contiguous",
    "--cpu-freq",
    "--delay-boot",
    "--distribution",
    "--gpu-bind",
    "--hint",
    "--ignore-pbs",
    "--kill-on-invalid-dep",
    "--mail-type",
    "--mail-user",
    "--mem-bind",
    "--nice",
    "--no-kill",
    "--overcommit",
    "--oversubscribe",
    "--parsable",
    "--power",
    "--priority",
    "--profile",
    "--propagate",
    "--qos",
    "--quiet",
    "--share",
    "--spread-job",
    "--switches",
    "--time-min",
    "--tres-bind",
    "--use-min-nodes",
    "--verbose",
    "--wait",
    "--wckey",
];

/// The requests of a script.
#[derive(Default)]
pub struct Sbatch {
    options: JobOptions,
    tasks: Option<i64>,
    tasks_per_node: Option<i64>,
    cpus_per_task: Option<i64>,
    cpus_per_gpu: Option<i64>,
    /// Bytes; 0 for all.
    mem: Option<i64>,
    mem_per_cpu: Option<i64>,
    mem_per_gpu: Option<i64>,
    gpus: Option<i64>,
    gpus_per_task: Option<i64>,
    exclusive: bool,
    export: Export,
    begin: Option<u64>,
}

impl Sbatch {
    /// Parses the words of one line. Returns the ignored options.
    ///
    /// # Errors
    /// An unknown option or an invalid value.
    pub fn line(&mut self, words: &[String]) -> Result<Vec<String>, String> {
        let mut ignored = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, mut value) = split(word)?;
            if value.is_none() && !FLAGS.contains(&name.as_str()) && name != "--nice" {
                let next = words.next().ok_or_else(|| format!("cannot apply {word}: missing value"))?;
                value = Some(next.clone());
            }
            let value = value.unwrap_or_default();
            let shown = if value.is_empty() { name.clone() } else { format!("{name}={value}") };
            if HARMLESS.contains(&name.as_str()) || (name == "--open-mode" && value == "append") {
                ignored.push(shown);
                continue;
            }
            self.option(&name, &value).map_err(|why| format!("cannot apply {shown}: {why}"))?;
        }
        Ok(ignored)
    }

    fn option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let options = &mut self.options;
        match name {
            "--job-name" => options.name = Some(value.to_owned()),
            "--partition" => options.queue = Some(value.to_owned()),
            "--array" => options.array = Some(amounts::array(value)?),
            "--output" => options.output = Some(PathBuf::from(value)),
            "--error" => options.error = Some(PathBuf::from(value)),
            "--chdir" => options.dir = Some(PathBuf::from(value)),
            "--hold" => options.hold = true,
            "--requeue" => (options.requeue, options.no_requeue) = (true, false),
            "--no-requeue" => (options.requeue, options.no_requeue) = (false, true),
            "--time" => options.time = time(value)?,
            "--dependency" => options.dependency = Some(dependencies(value)?),
            "--export" => self.export = export(value, &mut options.env)?,
            "--begin" => self.begin = begin(value, local::wall_ms(), &Zone::local()?)?,
            "--exclusive" if value.is_empty() => self.exclusive = true,
            "--input" if value == "/dev/null" => {}
            "--nodes" => one_node(value)?,
            "--nodelist" | "--exclude" => self.place(name == "--nodelist", value)?,
            _ => return self.amount(name, value),
        }
        Ok(())
    }

    fn amount(&mut self, name: &str, value: &str) -> Result<(), String> {
        let place = match name {
            "--ntasks" => &mut self.tasks,
            "--ntasks-per-node" => &mut self.tasks_per_node,
            "--cpus-per-task" => &mut self.cpus_per_task,
            "--cpus-per-gpu" => &mut self.cpus_per_gpu,
            "--mem" => &mut self.mem,
            "--mem-per-cpu" => &mut self.mem_per_cpu,
            "--mem-per-gpu" => &mut self.mem_per_gpu,
            "--gpus" | "--gpus-per-node" | "--gres" => &mut self.gpus,
            "--gpus-per-task" => &mut self.gpus_per_task,
            _ => return Err("not supported on one machine, and it changes the job; remove the option".to_owned()),
        };
        *place = Some(match name {
            "--mem" => memory(value)?,
            "--mem-per-cpu" | "--mem-per-gpu" => {
                Some(memory(value)?).filter(|bytes| *bytes > 0).ok_or("expected a quantity, for example 4G")?
            }
            "--gres" => of_gres(value)?,
            name if name.starts_with("--gpus") => gpus(value)?,
            _ => {
                value.parse().ok().filter(|count| (1..=1_000_000).contains(count)).ok_or("expected a number from 1")?
            }
        });
        Ok(())
    }

    fn place(&self, wanted: bool, value: &str) -> Result<(), String> {
        let here = value.split(',').any(|node| node == host() || node == "localhost");
        match here == wanted {
            true => Ok(()),
            false => Err(format!("this machine is {}; remove the option", host())),
        }
    }

    /// Returns the result of all lines.
    ///
    /// # Errors
    /// Options that exclude each other.
    pub fn finish(self) -> Result<(JobOptions, Batch), String> {
        let mut options = self.options;
        let tasks = self.tasks.or(self.tasks_per_node).unwrap_or(1);
        let gpus = self.gpus_per_task.map(|each| each * tasks).or(self.gpus);
        let amounts = [self.mem, self.mem_per_cpu, self.mem_per_gpu];
        if amounts.iter().flatten().count() > 1 {
            return Err("cannot apply --mem, --mem-per-cpu, and --mem-per-gpu together; use one of them".to_owned());
        }
        let per_gpu = |each: Option<i64>, name: &str| match (each, gpus) {
            (Some(each), Some(gpus @ 1..)) => Ok(Some(each.saturating_mul(gpus))),
            (Some(_), _) => Err(format!("cannot apply {name}: the script requests no GPUs; add --gpus")),
            (None, _) => Ok(None),
        };
        let by_gpu = per_gpu(self.cpus_per_gpu, "--cpus-per-gpu")?;
        let asked = self.cpus_per_task.is_some() || self.tasks.or(self.tasks_per_node).is_some();
        let of_tasks = Some(self.cpus_per_task.unwrap_or(1).saturating_mul(tasks)).filter(|_| asked);
        let cores = of_tasks.max(by_gpu);
        options.cpu = cores.map(|cores| cores.saturating_mul(1000));
        options.gpu = gpus;
        let by_cores = self.mem_per_cpu.map(|each| each.saturating_mul(cores.unwrap_or(1)));
        let memory = self.mem.or(by_cores).or(per_gpu(self.mem_per_gpu, "--mem-per-gpu")?);
        options.mem = memory.filter(|bytes| *bytes > 0);
        let batch = Batch {
            tasks,
            cpus_per_task: self.cpus_per_task,
            mem_per_cpu: self.mem_per_cpu,
            whole_memory: memory == Some(0),
            exclusive: self.exclusive,
            export: self.export,
            begin: self.begin,
            ..Batch::new(Dialect::Slurm)
        };
        Ok((options, batch))
    }
}

fn split(word: &str) -> Result<(String, Option<String>), String> {
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        return Ok((format!("--{name}"), value.map(str::to_owned)));
    }
    let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
    let known = letters.next().and_then(|letter| SHORT.iter().find(|(short, _)| *short == letter));
    let Some((_, name)) = known else {
        return Err(format!("cannot apply {word}: unknown option of sbatch; remove it"));
    };
    let rest = letters.as_str();
    Ok(((*name).to_owned(), (!rest.is_empty()).then(|| rest.to_owned())))
}

fn one_node(value: &str) -> Result<(), String> {
    let least = value.split_once('-').map_or(value, |(least, _)| least);
    if least == "1" { Ok(()) } else { Err("a local job has one node; use 1".to_owned()) }
}

/// Parses `ALL`, `NONE`, or names, optionally with values.
fn export(value: &str, env: &mut Vec<(String, String)>) -> Result<Export, String> {
    let (mut names, mut all) = (Vec::new(), false);
    for part in value.split(',') {
        match part.split_once('=') {
            _ if part.is_empty() => return Err("expected ALL, NONE, or names of variables".to_owned()),
            Some((name, value)) => env.push((name.to_owned(), value.to_owned())),
            None if part == "ALL" => all = true,
            None if part == "NONE" || part == "NIL" => {}
            None => names.push(part.to_owned()),
        }
    }
    Ok(if all { Export::All } else { Export::Only(names) })
}

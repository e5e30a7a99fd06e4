//! Requests of scripts for other schedulers, on one machine.

use local::dialect::{Dialect, host};
use local::job::JobSpec;
use local::wire::Info;

/// Script requests that are not options of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The scheduler of the script.
    pub dialect: Dialect,
    /// The number of tasks, which share the job's cores.
    pub tasks: i64,
    /// Whole cores per task, if set.
    pub cpus_per_task: Option<i64>,
    /// Bytes per core, if set.
    pub mem_per_cpu: Option<i64>,
    /// Whether to use the machine's whole memory.
    pub whole_memory: bool,
    /// Whether to use all cores and GPUs.
    pub exclusive: bool,
    /// The variables of the job.
    pub export: Export,
    /// The earliest start time, in ms since 1970.
    pub begin: Option<u64>,
}

/// The variables that a job gets from the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Export {
    /// All variables of the call, except those about another job.
    #[default]
    All,
    /// Login variables and these.
    Only(Vec<String>),
}

const LOGIN: [&str; 8] = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TZ", "USER"];

impl Batch {
    /// A batch of one task.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            tasks: 1,
            cpus_per_task: None,
            mem_per_cpu: None,
            whole_memory: false,
            exclusive: false,
            export: Export::All,
            begin: None,
        }
    }

    /// Whether the size of the machine is needed from the daemon.
    pub fn needs_machine(&self) -> bool {
        self.whole_memory || self.exclusive
    }

    /// Requests the whole machine, as far as the script needs it.
    pub fn take_all(&self, spec: &mut JobSpec, machine: &Info) {
        if self.whole_memory {
            spec.memory = machine.memory;
        }
        if self.exclusive {
            (spec.vcore, spec.gpu) = (machine.vcore, machine.gpu);
        }
    }

    /// Completes the job's dialect, start time, and environment, without variables about another job.
    pub fn finish(&self, spec: &mut JobSpec, set: &[(String, String)]) {
        (spec.dialect, spec.begin) = (Some(self.dialect), self.begin);
        let own = match self.dialect {
            Dialect::Slurm => "SLURM_",
            Dialect::Pbs => "PBS_",
        };
        let is_set = |name: &str| set.iter().any(|(known, _)| known == name);
        spec.env.retain(|(name, _)| !name.starts_with(own) || is_set(name));
        if let Export::Only(names) = &self.export {
            spec.env.retain(|(name, _)| is_set(name) || LOGIN.contains(&name.as_str()) || names.contains(name));
        }
        let variables = match self.dialect {
            Dialect::Slurm => self.of_slurm(spec),
            Dialect::Pbs => {
                spec.slots = u32::try_from(self.tasks).unwrap_or(u32::MAX);
                of_pbs(spec)
            }
        };
        let new: Vec<_> = variables.into_iter().filter(|(name, _)| !is_set(name)).collect();
        spec.env.extend(new);
    }

    fn of_slurm(&self, spec: &JobSpec) -> Vec<(String, String)> {
        let (host, cores) = (host(), (spec.vcore / 1000).max(1));
        let mut found = Vec::new();
        let mut set = |name: &str, value: &str| found.push((format!("SLURM_{name}"), value.to_owned()));
        for name in ["NODELIST", "JOB_NODELIST", "SUBMIT_HOST"] {
            set(name, &host);
        }
        for name in ["NNODES", "JOB_NUM_NODES"] {
            set(name, "1");
        }
        for name in ["PROCID", "LOCALID", "NODEID"] {
            set(name, "0");
        }
        for name in ["NTASKS", "NPROCS", "TASKS_PER_NODE"] {
            set(name, &self.tasks.to_string());
        }
        for name in ["CPUS_ON_NODE", "JOB_CPUS_PER_NODE"] {
            set(name, &cores.to_string());
        }
        let per_task = self.cpus_per_task.filter(|_| self.exclusive).unwrap_or(cores / self.tasks).max(1);
        set("CPUS_PER_TASK", &per_task.to_string());
        set("JOB_NAME", &spec.name);
        set("SUBMIT_DIR", &here(spec));
        set("JOB_USER", &variable(spec, "USER"));
        set("JOB_UID", &rustix::process::getuid().as_raw().to_string());
        set("JOB_PARTITION", &spec.queue);
        match self.mem_per_cpu {
            Some(bytes) => set("MEM_PER_CPU", &(bytes >> 20).to_string()),
            None if spec.memory > 0 => set("MEM_PER_NODE", &(spec.memory >> 20).to_string()),
            None => {}
        }
        if spec.gpu > 0 {
            set("GPUS", &spec.gpu.to_string());
            set("GPUS_ON_NODE", &spec.gpu.to_string());
        }
        found.push(("SLURMD_NODENAME".to_owned(), host));
        found
    }
}

fn of_pbs(spec: &JobSpec) -> Vec<(String, String)> {
    let (cores, slots) = ((spec.vcore / 1000).max(1), spec.slots.to_string());
    let mut found = vec![("NCPUS".to_owned(), cores.to_string())];
    let mut set = |name: &str, value: String| found.push((format!("PBS_{name}"), value));
    set("ENVIRONMENT", "PBS_BATCH".to_owned());
    set("JOBNAME", spec.name.clone());
    set("NUM_NODES", "1".to_owned());
    set("NUM_PPN", slots.clone());
    set("NP", slots);
    for name in ["NODENUM", "VNODENUM"] {
        set(name, "0".to_owned());
    }
    set("TASKNUM", "1".to_owned());
    if let Some(seconds) = spec.time_limit {
        set("WALLTIME", seconds.to_string());
    }
    for name in ["QUEUE", "O_QUEUE"] {
        set(name, spec.queue.clone());
    }
    for name in ["O_HOST", "O_SERVER", "SERVER"] {
        set(name, host());
    }
    set("O_SYSTEM", "Linux".to_owned());
    set("O_WORKDIR", here(spec));
    set("JOBDIR", variable(spec, "HOME"));
    for name in ["HOME", "LANG", "LOGNAME", "MAIL", "PATH", "SHELL", "TZ"] {
        set(&format!("O_{name}"), variable(spec, name));
    }
    found
}

fn variable(spec: &JobSpec, name: &str) -> String {
    spec.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

/// The working directory, or the job's if it has no valid name.
fn here(spec: &JobSpec) -> String {
    let here = std::env::current_dir().ok().and_then(|dir| dir.to_str().map(str::to_owned));
    here.unwrap_or_else(|| spec.dir.clone())
}

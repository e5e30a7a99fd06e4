//! The command `kornsole submit`.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser};
use rustix::fs::{Access, access};

use super::batch::{Batch, Export};
use super::options::JobOptions;
use super::{Ended, SocketArgs, absolute, ask, attach, code, job_file, jobs, script, unexpected};
use crate::cli::remote::escaped;
use crate::cli::settings::print;
use local::about_ms;
use local::job::JobSpec;
use local::wire::{JobReport, Reply, Request};

/// The largest script or job file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The arguments of `kornsole submit`.
#[derive(Args, Clone, Debug)]
pub struct SubmitArgs {
    /// The options of the job
    #[command(flatten)]
    pub options: JobOptions,
    /// YAML file with `command` and these options by their long names
    #[arg(long, short, value_name = "FILE", conflicts_with = "script")]
    pub file: Option<PathBuf>,
    /// Wait until the job finishes, and exit with its exit status
    #[arg(long, short)]
    pub wait: bool,
    /// Print the queue and the expected start; do not submit
    #[arg(long = "where", conflicts_with = "wait")]
    pub where_to: bool,
    /// Print the output as JSON
    #[arg(long)]
    pub json: bool,
    /// The socket of the daemon
    #[command(flatten)]
    pub daemon: SocketArgs,
    /// Script; its lines that start with #kornsole or #SBATCH contain options
    #[arg(value_name = "SCRIPT")]
    pub script: Option<PathBuf>,
    /// Arguments of the script; put arguments that start with - after --
    #[arg(value_name = "ARGUMENT")]
    pub arguments: Vec<String>,
    /// Command and its arguments, after --; with a script, its last arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// `kornsole submit` without the other commands.
#[derive(Parser)]
#[command(name = "kornsole submit")]
struct Alone {
    #[command(flatten)]
    args: SubmitArgs,
}

impl SubmitArgs {
    /// Parses a command line that starts with `submit`, without building the other commands, which takes longer than
    /// submitting. `None` for other commands and for errors, which the full command line reports.
    pub fn alone(words: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = words.into_iter().skip(1).peekable();
        words.peek().filter(|first| *first == "submit")?;
        Alone::try_parse_from(words).ok().map(|alone| alone.args)
    }
}

/// Submits a job and prints its ID.
pub fn submit(args: &SubmitArgs) -> ExitCode {
    code(submitted(args))
}

fn submitted(args: &SubmitArgs) -> Result<ExitCode, Ended> {
    let (mut spec, batch) = spec(args)?;
    let interactive = spec.interactive && !args.where_to;
    if interactive {
        attach::check()?;
    }
    let mut client = args.daemon.connect()?;
    if let Some(batch) = batch {
        if batch.needs_machine() {
            let (Reply::Info(machine), _) = ask(&mut client, &Request::Info)? else { return Err(unexpected()) };
            batch.take_all(&mut spec, &machine);
        }
        batch.finish(&mut spec, &args.options.env);
    }
    if args.where_to {
        return whereabouts(args, &ask(&mut client, &Request::Where(Box::new(spec)))?.0);
    }
    let asked = spec.queue.clone();
    let (Reply::Job(job), _) = ask(&mut client, &Request::Submit(Box::new(spec)))? else { return Err(unexpected()) };
    if is_elsewhere(&asked, &job.queue) {
        warn(&format!("job {} is in {}, not in {asked}: the placement rules select the queue", job.number, job.queue));
    }
    if interactive {
        return attach::attach(&args.daemon, job.number);
    }
    if !args.wait {
        let number = job.array.map_or_else(|| job.number.to_string(), |task| format!("{}-{}", task.first, task.last()));
        return if args.json { jobs::print_json(&job) } else { Ok(print(&format!("{number}\n"))) };
    }
    let last = job.array.map_or(job.number, |task| task.last());
    let mut status = 0;
    for number in job.number..=last {
        let job: JobReport = jobs::waited(&mut client, number)?;
        if args.json {
            jobs::print_json(&job)?;
        }
        if status == 0 {
            status = job.status.unwrap_or(1);
        }
    }
    Ok(ExitCode::from(status))
}

/// Whether a job is in another queue than requested, by the path or its last part.
fn is_elsewhere(asked: &str, queue: &str) -> bool {
    !asked.is_empty() && queue != asked && !queue.ends_with(&format!(".{asked}"))
}

fn whereabouts(args: &SubmitArgs, reply: &Reply) -> Result<ExitCode, Ended> {
    let Reply::Where(found) = reply else { return Err(unexpected()) };
    if args.json {
        return jobs::print_json(found);
    }
    let when = match found.starts_in {
        Some(0) => "starts immediately".to_owned(),
        Some(ms) => format!("starts in about {}", about_ms(ms)),
        None => "start time unknown".to_owned(),
    };
    Ok(print(&escaped(&format!("{}\n{when}: {}\n", found.queue, found.because))))
}

type Wanted = (Vec<String>, JobOptions, Option<Batch>);

/// The command to run: from the command line, a file, or a script.
fn wanted(args: &SubmitArgs) -> Result<Wanted, Ended> {
    if let Some(file) = &args.file {
        let (name, bytes) = (file.display().to_string(), read(file)?);
        let found = job_file::read(&name, &bytes).map_err(Ended::misused)?;
        let command = if args.command.is_empty() { found.command } else { args.command.clone() };
        return Ok((command, args.options.clone().or(found.options), None));
    }
    let Some(file) = &args.script else { return Ok((args.command.clone(), args.options.clone(), None)) };
    let name = file.display().to_string();
    let bytes = read(file).map_err(|ended| match file.exists() {
        true => ended,
        // Without `--`, flags of the command would be parsed as flags of `submit`.
        false => Ended::misused(format!("{}; write a command after --: kornsole submit -- {name}", ended.message)),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| Ended::misused(format!("{name}: not a script: not UTF-8")))?;
    let found = script::read(&name, &text).map_err(Ended::misused)?;
    if !found.ignored.is_empty() {
        warn(&found.ignored);
    }
    let path = absolute(file)?;
    let path = path.to_str().ok_or_else(|| Ended::misused(format!("{name}: name is not UTF-8")))?.to_owned();
    let starts = fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o111 != 0);
    let interpreter = text.lines().next().and_then(|line| line.strip_prefix("#!")).map(str::trim);
    let before: Vec<String> = match interpreter {
        _ if starts => Vec::new(),
        Some(line) if !line.is_empty() => line.split_whitespace().map(str::to_owned).collect(),
        _ => {
            let why = format!("cannot start {name}: not executable; make it executable, or start the file with #!");
            return Err(Ended::misused(why));
        }
    };
    let arguments = args.arguments.iter().chain(&args.command).cloned();
    let command = before.into_iter().chain([path]).chain(arguments).collect();
    let (mut options, mut batch) = (args.options.clone().or(found.options), found.batch);
    if let Some(batch) = &mut batch {
        batch.whole_memory &= options.mem.is_none();
        batch.exclusive &= args.options.cpu.is_none();
        if let Export::Only(names) = &mut batch.export {
            names.extend(options.env.iter().map(|(name, _)| name.clone()));
        }
        let own = || file.file_name().map(|name| name.to_string_lossy().into_owned());
        options.name = options.name.or_else(own);
    }
    Ok((command, options, batch))
}

fn read(file: &Path) -> Result<Vec<u8>, Ended> {
    let wrong = |why: &dyn std::fmt::Display| Ended::misused(format!("{}: {why}", file.display()));
    let found = fs::metadata(file).map_err(|why| wrong(&why))?;
    if !found.is_file() || found.len() > LARGEST {
        return Err(wrong(&format!("not a file of at most {LARGEST} bytes")));
    }
    fs::read(file).map_err(|why| wrong(&why))
}

fn warn(what: &str) {
    crate::cli::print_line(&format!("warning: {}", escaped(what)));
}

fn spec(args: &SubmitArgs) -> Result<(JobSpec, Option<Batch>), Ended> {
    let (command, options, batch) = wanted(args)?;
    let here = || std::env::current_dir().map_err(|why| Ended::misused(format!("the current directory: {why}")));
    let dir = options.dir.as_deref().map_or_else(here, absolute)?;
    fs::read_dir(&dir).map(drop).or_else(|why| match why.kind() {
        // The user may enter a directory without permission to list it.
        std::io::ErrorKind::PermissionDenied if fs::metadata(dir.join(".")).is_ok() => Ok(()),
        _ => Err(Ended::misused(format!("{}: {why}", dir.display()))),
    })?;
    let env = environment(&options.env)?;
    let Some(program) = command.first() else {
        return Err(Ended::misused("missing command: add one after --, or a script, or --file"));
    };
    let path = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, path)| path.as_str());
    if !can_start(program, path, &dir) {
        return Err(Ended::misused(format!("cannot start {program}: not found or not executable")));
    }
    let file = |file: &Option<PathBuf>| file.as_deref().map(|file| output(&dir, file)).transpose();
    let output = file(&options.output)?;
    // The same file as the output is not a separate one.
    let error = file(&options.error)?.filter(|error| output.as_ref() != Some(error));
    // umask can only be read by setting it.
    let umask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    rustix::process::umask(umask);
    let dir = dir.to_str().ok_or_else(|| Ended::misused(format!("{}: the name is not UTF-8", dir.display())))?;
    let (when_stopped, dependency) = (options.when_stopped(), options.dependency.unwrap_or_default());
    let spec = JobSpec {
        command: command.into(),
        name: options.name.unwrap_or_default(),
        queue: options.queue.unwrap_or_default(),
        vcore: options.cpu.unwrap_or(1000),
        memory: options.mem.unwrap_or(0),
        gpu: options.gpu.unwrap_or(0),
        time_limit: options.time,
        priority: options.priority.unwrap_or(0),
        after: options.after.into_iter().chain(dependency.after).collect(),
        singleton: dependency.singleton,
        retry: options.retry.unwrap_or(0),
        when_stopped,
        hold: options.hold,
        env,
        dir: dir.to_owned(),
        umask: umask.as_raw_mode(),
        array: options.array,
        output: output.unwrap_or_default(),
        no_preempt: options.no_preempt,
        interactive: options.interactive,
        signal: options.signal,
        checkpoint: options.checkpoint.unwrap_or_default(),
        at_end: options.at_end.unwrap_or_default(),
        error: error.unwrap_or_default(),
        begin: None,
        dialect: None,
        slots: 0,
        // The daemon reads the limits from the kernel.
        limits: String::new(),
        nice: 0,
    };
    Ok((spec, batch))
}

/// The environment of this call with the added variables. A variable that is not UTF-8 is skipped with a warning.
fn environment(set: &[(String, String)]) -> Result<Vec<(String, String)>, Ended> {
    let mut env = Vec::new();
    for (name, value) in std::env::vars_os() {
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => env.push((name, value)),
            (Ok(name), Err(_)) if set.iter().any(|(known, _)| *known == name) => {}
            (Ok(name), Err(_)) => {
                warn(&format!("skipped variable {name} in the environment of the job: not UTF-8"));
            }
            (Err(_), _) => warn("skipped a variable in the environment of the job: the name is not UTF-8"),
        }
    }
    for (name, value) in set {
        env.retain(|(known, _)| known != name);
        env.push((name.clone(), value.clone()));
    }
    Ok(env)
}

/// The absolute path of the output file, if the user may write there.
fn output(dir: &Path, file: &Path) -> Result<String, Ended> {
    let path = dir.join(file);
    let wrong = |why: &dyn std::fmt::Display| Ended::misused(format!("the output file {}: {why}", path.display()));
    let text = path.to_str().ok_or_else(|| wrong(&"its name is not UTF-8"))?;
    let parent = path.parent().filter(|parent| !parent.to_string_lossy().contains('%'));
    if let Some(parent) = parent {
        access(parent, Access::WRITE_OK | Access::EXEC_OK).map_err(|why| wrong(&why))?;
    }
    if path.is_dir() {
        return Err(wrong(&"it is a directory"));
    }
    Ok(text.to_owned())
}

/// Whether a program can be started: found in `PATH` unless its name has a slash.
fn can_start(program: &str, path: &str, dir: &Path) -> bool {
    let is_program =
        |file: &Path| fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    if program.contains('/') {
        return is_program(&dir.join(program));
    }
    !program.is_empty() && path.split(':').any(|parent_dir| is_program(&dir.join(parent_dir).join(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submit_is_read_by_itself_or_by_the_whole_command_line() {
        let read = |line: &str| SubmitArgs::alone(line.split(' ').map(OsString::from));
        let args = read("kornsole submit --cpu 2 -n job --wait -- make --name x").unwrap();
        assert_eq!((args.options.cpu, args.options.name.as_deref(), args.wait), (Some(2000), Some("job"), true));
        assert_eq!(args.command, ["make", "--name", "x"]);
        for other in ["kornsole", "kornsole jobs", "kornsole --json submit -- true", "kornsole submit --help"] {
            assert!(read(other).is_none(), "{other}");
        }
        assert!(read("kornsole submit --colour blue -- true").is_none(), "what is wrong is said elsewhere");
    }
}

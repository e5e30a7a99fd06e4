//! `kornsole play`: plays a tape and compares the result with the recording.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::attached::Attached;
use super::console::{self, Opened};
use super::look::{self, Colors};
use super::sayings::Looks;
use super::served::Served;
use super::simulate::simulator;
use super::{alerts, demo, fail, live, load, printed, sayings};
use ::alerts::read::defaults;
use ::console::tape::cast::Cast;
use ::console::tape::snapshot::{Difference, Image};
use ::console::tape::watch::Watch;
use ::console::tape::{self, Against, Head, Limits, PlayResult, Shots, Stage, Tape, svg};
use config::{Fault, Place, Severity, Source};
use engine::Setup;
use model::Time;
use source::{Board, Jobs, SourcePlace};

/// The arguments of `kornsole play`.
#[derive(Args, Clone, Debug)]
pub struct PlayArgs {
    /// Tapes to play, each with a new scheduler
    #[arg(required = true, value_name = "TAPE")]
    pub tapes: Vec<PathBuf>,
    /// Address or context of the scheduler, for tapes with `Source server`
    ///
    /// The keys of such a tape change this scheduler.
    #[arg(long, value_name = "URL|CONTEXT")]
    pub server: Option<String>,
    /// Compare snapshots and images with the recorded files
    ///
    /// The snapshots of a tape are in the file with its name and `.txt`. The exit code is 1 if one of them differs.
    #[arg(long, conflicts_with = "update")]
    pub check: bool,
    /// Write snapshots and images to the files next to the tape
    #[arg(long)]
    pub update: bool,
    /// Also play in linear mode, and check its output at each snapshot
    ///
    /// kornsole prints the output. Linear mode must print the words that the tape expects, and must not draw anything.
    #[arg(long, conflicts_with_all = ["live", "update"])]
    pub linear: bool,
    /// Write the last screen as an SVG image
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the last screen as plain text
    #[arg(long, value_name = "FILE")]
    pub text: Option<PathBuf>,
    /// Write an asciicast, version 2
    #[arg(long, value_name = "FILE")]
    pub cast: Option<PathBuf>,
    /// Show the tape in this terminal at the speed of a person
    ///
    /// Press space to pause, + and - to change the speed, and q to quit.
    #[arg(long, conflicts_with_all = ["update", "cast"])]
    pub live: bool,
    /// Colors of --live: auto, never, 16, 256, or true
    #[arg(long, value_name = "WHICH", default_value = "auto", value_parser = look::colors, requires = "live")]
    pub color: Colors,
}

/// How the snapshots of a tape are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only plays it, and says what did not hold.
    Play,
    /// They are compared with the file.
    Check,
    /// They become the file.
    Update,
}

/// Why a tape failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The exit code: 1 for a tape that is invalid, or for what was expected and is not so; 2 for wrong use.
    pub code: u8,
    /// The message for a person.
    pub message: String,
}

/// The error for a tape that needs `--server`.
const NO_SERVER: &str = "use --server to name its scheduler";
const OWN_SCHEDULER: &str = "it has its own scheduler; --server needs a tape with `Source server`";

/// The error for a tape without readable jobs.
const NO_JOBS: &str = "cannot read the recorded jobs";

/// The error for alert rules with a remote scheduler.
const NO_BOARD: &str = "rules need a scheduler in this process: remove `Set Alerts`";

/// The error for a tape without readable rules.
const NO_RULES: &str = "cannot read the alert rules";

/// Plays the tapes. Exit code 0: all as expected; 1: an expectation or snapshot failed, or a tape is invalid; 2:
/// invalid usage.
pub fn run(args: &PlayArgs) -> ExitCode {
    if args.tapes.len() > 1 && (args.svg.is_some() || args.text.is_some() || args.cast.is_some()) {
        return fail("cannot create one image from several tapes; name one tape", 2);
    }
    let mode = match (args.check, args.update) {
        (true, _) => Mode::Check,
        (_, true) => Mode::Update,
        _ => Mode::Play,
    };
    let mut code = 0;
    for tape in &args.tapes {
        let played = play_one(args, tape, mode);
        match played {
            Ok(played) if played.stopped => return ExitCode::from(code),
            Ok(played) => {
                let name = tape.display();
                sayings::print(&played);
                let shots = counted(played.shots.len(), "snapshot");
                let did = if mode == Mode::Update { "written" } else { "ok" };
                // The reader may have closed the pipe.
                let _ = writeln!(printed::out(), "{name}: {did}, {shots}, {} of virtual time", shown(played.time));
            }
            Err(problem) => {
                let _ = fail(&problem.message, problem.code);
                code = code.max(problem.code);
            }
        }
    }
    ExitCode::from(code)
}

fn play_one(args: &PlayArgs, tape: &Path, mode: Mode) -> Result<PlayResult, Problem> {
    let unreadable = |message| Problem { code: 1, message };
    let mut cast = args.cast.as_ref().map(|_| Cast::new(&title(tape)));
    let played = if args.live {
        live::play(tape, mode, args.server.as_deref(), args.color.depth())?
    } else {
        let watch = cast.as_mut().map(|cast| cast as &mut dyn Watch);
        play_watched(tape, mode, args.server.as_deref(), watch, Looks { depth: None, linear: args.linear })?
    };
    if let (Some(cast), Some(file)) = (cast, &args.cast) {
        write(file, &cast.text()).map_err(unreadable)?;
    }
    images(args, tape, &played).map_err(unreadable)?;
    Ok(played)
}

/// Fails with all errors of the file.
pub fn read_file(path: &Path) -> Result<(Tape, Vec<u8>), Problem> {
    let unreadable = |message| Problem { code: 1, message };
    let bytes = load::bytes(path).map_err(unreadable)?;
    let tape::Reading { tape, faults } = tape::read(&bytes);
    match tape {
        Some(tape) => Ok((tape, bytes)),
        None => Err(unreadable(load::fault_report(path, &bytes, &faults))),
    }
}

/// Plays a tape with its scheduler; paths of files are relative to the tape.
///
/// # Errors
/// The tape or a named file is invalid, an expectation is not met, or a snapshot differs.
pub fn play_file(path: &Path, mode: Mode) -> Result<PlayResult, Problem> {
    play_watched(path, mode, None, None, Looks::default())
}

/// Plays a tape, and checks linear mode too.
///
/// # Errors
/// As [`play_file`], or linear mode does not print an expected text.
pub fn play_linear(path: &Path, mode: Mode) -> Result<PlayResult, Problem> {
    play_watched(path, mode, None, None, Looks { linear: true, ..Looks::default() })
}

/// Plays a tape for a viewer, on the scheduler of `server` if the tape requests one.
///
/// # Errors
/// As [`play_file`].
pub fn play_watched(
    path: &Path,
    mode: Mode,
    server: Option<&str>,
    watch: Option<&mut dyn Watch>,
    Looks { depth, linear }: Looks,
) -> Result<PlayResult, Problem> {
    let name = path.to_string_lossy();
    let unreadable = |message| Problem { code: 1, message };
    let (tape, bytes) = read_file(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let render = |fault: &Fault| Source::new(&name, &text).render(fault);

    let simulator = Some(simulator(path.parent()));
    let stage = Stage {
        limits: Limits::default(),
        jobs: None,
        alerts: None,
        watch,
        depth,
        linear,
        title: title(path),
        simulator,
    };
    let played = match (&tape.head.against, server) {
        (Against::Server, Some(_)) if tape.head.alerts.is_some() => {
            return Err(Problem { code: 2, message: format!("{name}: {NO_BOARD}") });
        }
        (Against::Server, Some(server)) => {
            Attached::start(server, tape.head.read_only).map(|rig| tape::play_on(&tape, Box::new(rig), stage))
        }
        (Against::Server, None) => return Err(Problem { code: 2, message: format!("{name}: {NO_SERVER}") }),
        (_, Some(_)) => return Err(Problem { code: 2, message: format!("{name}: {OWN_SCHEDULER}") }),
        (_, None) => play_here(&tape, path, stage),
    };
    let played = played.map_err(|report| {
        let what = "cannot open the scheduler of the tape";
        unreadable(format!("{}{report}", render(&fault("TAPE-010", tape.head.at, what))))
    })?;
    if played.stopped {
        return Ok(played);
    }
    let mut problem = String::new();
    if let Some(failure) = &played.failure {
        problem += &render(&fault(failure.code, failure.at, &failure.what));
        problem += &format!("  the screen after {} of virtual time:\n", shown(failure.time));
        problem.extend(failure.screen.lines().iter().map(|line| format!("  |{line}\n")));
    }
    match mode {
        Mode::Update if played.failure.is_none() => {
            write_shots(path, &played).map_err(unreadable)?;
            for image in &played.images {
                write(&path.with_file_name(&image.file), &image.text).map_err(unreadable)?;
            }
        }
        Mode::Check => {
            let differences = compare(path, &played).map_err(unreadable)?;
            problem.extend(differences.iter().map(|difference| report(difference, &render)));
            let stale: Vec<String> = played.images.iter().filter_map(|image| stale(path, image, &render)).collect();
            problem.extend(stale.iter().map(String::as_str));
            if !differences.is_empty() || !stale.is_empty() {
                problem += &format!("`kornsole play {name} --update` saves the current screens\n");
            }
        }
        _ => {}
    }
    if problem.is_empty() { Ok(played) } else { Err(Problem { code: 1, message: problem }) }
}

/// The alerts that the head requests; they are not stored and not sent.
fn board(head: &Head, tape: &Path) -> Result<Option<Arc<Board>>, String> {
    let mut rules = match head.alerts.as_deref() {
        None => return Ok(None),
        Some(_) if head.served => return Err("rules are not evaluated with `Set Served`".to_owned()),
        Some("default") => defaults(),
        Some(file) => alerts::of_file(&tape.with_file_name(file))?,
    };
    rules.targets.receivers.clear();
    Ok(Some(Arc::new(Board::new("tape", Arc::new(rules), None, Time::ZERO, Vec::new()))))
}

fn play_here(tape: &Tape, path: &Path, mut stage: Stage<'_>) -> Result<PlayResult, String> {
    let Opened { core, mut about, .. } = open(&tape.head, path)?;
    if let Some(file) = &tape.head.jobs {
        about.place = SourcePlace::Machine { enforced: true };
        let jobs = recorded_jobs(&path.with_file_name(file));
        stage.jobs = Some(jobs.map_err(|why| format!("{file}: {NO_JOBS}: {why}"))?);
    }
    stage.alerts = board(&tape.head, path).map_err(|why| format!("{NO_RULES}: {why}"))?;
    // A tape must not write the configuration file.
    let core = core.without_config_file();
    if tape.head.served {
        let rig = Served::start(core, about, &tape.head).map_err(|why| format!("cannot serve the tape: {why}"))?;
        Ok(tape::play_on(tape, Box::new(rig), stage))
    } else {
        Ok(tape::play(tape, core, about, stage))
    }
}

fn recorded_jobs(file: &Path) -> Result<Arc<dyn Jobs>, String> {
    #[cfg(target_os = "linux")]
    {
        let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        Ok(Arc::new(source::local::recorded::RecordedJobs::read(&text)?))
    }
    #[cfg(not(target_os = "linux"))]
    Err(format!("{}: only Linux runs jobs", file.display()))
}

fn fault(code: &'static str, at: Place, message: &str) -> Fault {
    let (path, hint) = (String::new(), String::new());
    Fault { code, severity: Severity::Error, at, path, message: message.to_owned(), hint }
}

/// The file with the snapshots of a tape.
pub fn shots_file(tape: &Path) -> PathBuf {
    tape.with_extension("txt")
}

fn compare(tape: &Path, played: &PlayResult) -> Result<Vec<Difference>, String> {
    let file = shots_file(tape);
    let text = match fs::read(&file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("cannot read {}: {error}", file.display())),
    };
    Ok(Shots::read(&text).compare(&played.shots, played.failure.is_none()))
}

fn write_shots(tape: &Path, played: &PlayResult) -> Result<(), String> {
    let file = shots_file(tape);
    if played.shots.is_empty() {
        return match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!("{}: {error}", file.display())),
            _ => Ok(()),
        };
    }
    let name = tape.file_name().unwrap_or(tape.as_os_str()).to_string_lossy();
    write(&file, &Shots::of(&played.shots).text(&name))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

fn report(difference: &Difference, render: &impl Fn(&Fault) -> String) -> String {
    let what = format!("the snapshot `{}` differs from the recording", difference.name);
    format!("{}{}\n", render(&fault("TAPE-030", difference.at.unwrap_or_default(), &what)), difference.what)
}

/// Why an image differs from its file; `None` if it does not.
fn stale(tape: &Path, image: &Image, render: &impl Fn(&Fault) -> String) -> Option<String> {
    let file = tape.with_file_name(&image.file);
    let what = match fs::read(&file) {
        Ok(bytes) if bytes == image.text.as_bytes() => return None,
        Ok(_) => "differs from the recording".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => "does not exist".to_owned(),
        Err(error) => format!("cannot be read: {error}"),
    };
    Some(render(&fault("TAPE-031", image.at, &format!("the image `{}` {what}", image.file))))
}

fn images(args: &PlayArgs, tape: &Path, played: &PlayResult) -> Result<(), String> {
    if let Some(file) = &args.svg {
        write(file, &svg::draw(&played.screen, &title(tape)))?;
    }
    if let Some(file) = &args.text {
        write(file, &(played.screen.lines().join("\n") + "\n"))?;
    }
    Ok(())
}

fn title(tape: &Path) -> String {
    format!("kornsole: {}", tape.file_stem().unwrap_or_default().to_string_lossy())
}

/// `0s` or `1.5s`.
fn shown(time: Duration) -> String {
    format!("{}s", time.as_secs_f64())
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Opens the scheduler of a tape like the commands of the console. Paths are relative to the tape.
fn open(head: &Head, tape: &Path) -> Result<Opened, String> {
    let next_to = |file: &str| tape.parent().unwrap_or(Path::new("")).join(file);
    let setup = Setup::of(head.core);
    match &head.against {
        Against::Default => console::open(None, None, &setup),
        Against::Config(file) => console::open(Some(&next_to(file)), None, &setup),
        Against::Scenario(file, config) => {
            console::open(config.as_deref().map(next_to).as_deref(), Some(&next_to(file)), &setup)
        }
        Against::Demo { seed } => demo::open(*seed, &setup),
        Against::Server => Err(NO_SERVER.to_owned()),
    }
}

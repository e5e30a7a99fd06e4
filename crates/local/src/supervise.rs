//! The supervisor of an attempt (`kornsole-job local-run`): starts the command, stores its output, and writes how it
//! ended.
//!
//! It outlives the daemon, and may get another attempt from it (`line`). SIGTERM asks it to end the job:
//! SIGTERM to the job's processes, then SIGKILL. After the first process of the job, all others are ended too, also in
//! other process groups: they become its children.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, getpid, nice, pidfd_open, set_child_subreaper, setsid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::helper::Helper;
use super::hook::{self, Hook};
use super::job::{AttemptEnd, Outcome};
use super::line::{self, Line};
use super::meter::{self, Meter, Peak};
use super::output::Writer;
use super::part::START;
use super::store;
use super::task::{CLAIM, Claim, ENDED, MAIN, TASK, Task, claim, read, write, write_new};
use super::terminal::Terminal;
use super::user_file::UserFile;
use super::{cgroup, process};

/// Many starts must not delay the daemon.
pub(super) const NICE: i32 = 5;
/// How long it waits for processes after SIGKILL.
const PATIENCE: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_millis(10);
const DISK_RETRY: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Asked,
    TimeLimit,
}

struct Supervisor<'s> {
    dir: PathBuf,
    task: Task,
    main: Child,
    main_fd: OwnedFd,
    signals: &'s UnixStream,
    source: Option<File>,
    hook_output: Option<OwnedFd>,
    terminal: Option<Terminal>,
    output: Writer,
    ending: Option<Ending>,
    checkpoint: Option<hook::Running>,
    kill_at: Option<Instant>,
    time_limit: Option<Instant>,
    meter: Meter,
    /// Measures living processes, because no cgroup counts them.
    polls: bool,
}

/// Runs the attempts that no other supervisor has claimed.
///
/// # Errors
/// The reason.
pub fn run() -> Result<(), String> {
    // The daemon already makes it a session leader.
    let _ = setsid();
    let _ = nice(NICE);
    process::close_inherited();
    // Do not keep other file systems in use.
    std::env::set_current_dir("/").map_err(|why| format!("/: {why}"))?;
    // Before the claim: then it may be signaled.
    let signals = signals().map_err(|why| format!("cannot handle signals: {why}"))?;
    let own = process::identify(getpid().as_raw_nonzero().get()).ok_or("cannot read /proc")?;
    set_child_subreaper(Some(getpid())).map_err(|why| format!("cannot adopt orphan processes: {why}"))?;
    let mut line = Line::of_this_process().map_err(|why| format!("cannot receive from the daemon: {why}"))?;
    // A supervisor with unkillable processes accepts no other job.
    while let Some(dir) = line.next() {
        forget(&signals);
        if !claimed(&dir, &own).map_err(|why| format!("{}: {why}", dir.join(CLAIM).display()))? {
            break;
        }
        attempt(&dir, &signals, &line)?;
        if process::has_children() || !meter::is_exact_enough() {
            break;
        }
        line.send(line::ENDED);
    }
    Ok(())
}

fn attempt(dir: &Path, signals: &UnixStream, line: &Line) -> Result<(), String> {
    let task = read::<Task>(&dir.join(TASK)).ok_or("cannot read the task")?;
    let (group, at_end) = (task.cgroup.clone(), !task.at_end.is_empty());
    let started = start(dir, task, signals);
    line.send(line::STARTED);
    let mut end = match started {
        Ok(mut supervisor) => supervisor.supervise(),
        Err(why) => AttemptEnd::new(Outcome::NotStarted(why.to_string())),
    };
    if let Some(group) = &group {
        let used = cgroup::used(group);
        if used.out_of_memory && end.outcome == Outcome::Signalled(Signal::KILL.as_raw()) {
            end.outcome = Outcome::MemoryLimit;
        }
        (end.max_memory, end.cpu_ms) = (used.max_memory.or(end.max_memory), used.cpu_ms.unwrap_or(end.cpu_ms));
    }
    if at_end {
        let text = end.outcome.to_string();
        let hook = hook::Running::start(dir, Hook::AtEnd, ("KORNSOLE_END", &text), Stdio::null(), Stdio::null());
        let note = hook.map_or_else(|why| format!("--at-end: {why}"), hook::Running::wait);
        let notes = [std::mem::take(&mut end.note), note];
        end.note = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join("; ");
        end_children(|| group.as_deref().into_iter().for_each(cgroup::kill));
    }
    group.as_deref().into_iter().for_each(cgroup::remove);
    // A missing directory was removed with its job: nothing waits for this end.
    while write(&dir.join(ENDED), &end).is_err() && dir.exists() {
        sleep(DISK_RETRY);
    }
    Ok(())
}

/// Drops signals for the previous attempt. The daemon repeats those for the next one.
fn forget(mut signals: &UnixStream) {
    let none = Timespec { tv_sec: 0, tv_nsec: 0 };
    if matches!(poll(&mut [PollFd::new(signals, PollFlags::IN)], Some(&none)), Ok(1..)) {
        let _ = signals.read(&mut [0; 4096]);
    }
}

fn claimed(dir: &Path, own: &Claim) -> io::Result<bool> {
    loop {
        match claim(dir, own) {
            Err(why) if store::may_pass(&why) => sleep(DISK_RETRY),
            claimed => return claimed,
        }
    }
}

/// Readable after an end signal; other fatal signals are ignored.
fn signals() -> io::Result<UnixStream> {
    let (local, remote) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGTERM, remote)?;
    // With SIGCHLD ignored, children could not be waited for, so it also gets a handler.
    for ignored in [SIGCHLD, SIGHUP, SIGINT] {
        signal_hook::flag::register(ignored, std::sync::Arc::default())?;
    }
    Ok(local)
}

fn start<'s>(dir: &Path, task: Task, signals: &'s UnixStream) -> io::Result<Supervisor<'s>> {
    let meter = Meter::new();
    let polls = !task.cgroup.as_deref().is_some_and(cgroup::counts_peak);
    let Ends { source, writer, terminal } = Ends::open(dir, &task)?;
    let mut command = Helper::default().command();
    command.arg(START).arg(dir);
    let hook_output = if task.checkpoint.is_empty() { None } else { Some(writer.try_clone()?) };
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut copy = None;
    command.stdin(Stdio::null());
    if task.output.is_some() {
        let (local, remote) = UnixStream::pair()?;
        command.stdin(OwnedFd::from(remote));
        copy = Some(UserFile::from(local, task.user.clone(), task.output_bytes));
    }
    let main = command.spawn()?;
    drop(command);
    let pid = i32::try_from(main.id()).unwrap_or_default();
    let main_fd = pidfd_open(Pid::from_raw(pid).ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty())?;
    let (file, claim) = (dir.join(MAIN), process::identify(pid));
    // Needed only if this supervisor is killed. A full disk must not block the job or its clock.
    let mut output = Writer::new(dir, task.output_bytes, move || {
        let _ = claim.map_or(Ok(()), |main| write_new(&file, &main));
    });
    copy.into_iter().for_each(|copy| output.copy_to(copy));
    // A limit beyond the clock's range is none.
    let time_limit = task.time_limit.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
    let (ending, checkpoint, kill_at, source, dir) = (None, None, None, Some(source), dir.to_path_buf());
    Ok(Supervisor {
        dir,
        task,
        main,
        main_fd,
        signals,
        source,
        hook_output,
        terminal,
        output,
        ending,
        checkpoint,
        kill_at,
        time_limit,
        meter,
        polls,
    })
}

struct Ends {
    source: File,
    writer: OwnedFd,
    terminal: Option<Terminal>,
}

impl Ends {
    fn open(dir: &Path, task: &Task) -> io::Result<Self> {
        if task.interactive {
            let (terminal, writer) = Terminal::open(dir, task.user.as_ref())?;
            return Ok(Self { source: terminal.output()?, writer, terminal: Some(terminal) });
        }
        let (source, writer) = io::pipe()?;
        Ok(Self { source: File::from(OwnedFd::from(source)), writer: OwnedFd::from(writer), terminal: None })
    }
}

impl Supervisor<'_> {
    fn supervise(&mut self) -> AttemptEnd {
        let status = loop {
            match self.main.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => self.wait(),
                Err(why) => {
                    let end = AttemptEnd::new(Outcome::Lost(why.to_string()));
                    return AttemptEnd { asked: self.ending.is_some(), ..self.measured(end) };
                }
            }
        };
        let ending = self.ending;
        self.end_the_rest();
        while self.take_output(Some(Duration::ZERO), true) {}
        self.output.finish();
        if let Some(terminal) = &mut self.terminal {
            terminal.finish();
        }
        let mut end = AttemptEnd::new(outcome(status));
        (end.lost_output, end.note) = (self.output.lost(), self.output.note());
        end.asked = ending == Some(Ending::Asked);
        if ending == Some(Ending::TimeLimit) {
            end.outcome = Outcome::TimeLimit;
        }
        self.measured(end)
    }

    fn measured(&self, mut end: AttemptEnd) -> AttemptEnd {
        match self.meter.peak() {
            Peak::Measured(bytes) => end.max_memory = Some(bytes),
            Peak::AtMost(bytes) => end.memory_at_most = Some(bytes),
        }
        AttemptEnd { cpu_ms: self.meter.cpu_ms(), ..end }
    }

    fn wait(&mut self) {
        let now = Instant::now();
        let look = Some(self.meter.due).filter(|_| self.polls);
        let due = [self.kill_at, self.time_limit.filter(|_| self.ending.is_none()), look].into_iter().flatten().min();
        let timeout = due.map(|due| due.saturating_duration_since(now));
        let ready = self.output.is_ready();
        self.take_output(if ready { timeout } else { timeout.min(Some(SOON)).or(Some(SOON)) }, ready);
        if self.checkpoint.as_mut().is_some_and(hook::Running::has_ended) {
            self.checkpoint = None;
            self.ask_to_end();
        }
        let now = Instant::now();
        if look.is_some_and(|look| look <= now) {
            self.meter.look();
        }
        if self.time_limit.is_some_and(|limit| limit <= now) && self.ending.is_none() {
            self.end(Ending::TimeLimit);
        }
        if self.kill_at.is_some_and(|at| at <= now) {
            self.kill_at = None;
            self.signal(Signal::KILL);
        }
    }

    /// Returns true if there was output.
    fn take_output(&mut self, timeout: Option<Duration>, ready: bool) -> bool {
        let timeout = timeout.map(|most| Timespec {
            tv_sec: i64::try_from(most.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(most.subsec_nanos()),
        });
        let mut watched = vec![PollFd::new(&self.main_fd, PollFlags::IN), PollFd::new(self.signals, PollFlags::IN)];
        let source = self.source.as_ref().filter(|_| ready).map(|source| source.as_fd());
        watched.extend(source.as_ref().map(|source| PollFd::new(source, PollFlags::IN)));
        watched.extend(self.terminal.iter().flat_map(Terminal::watched));
        watched.extend(self.checkpoint.as_ref().map(|hook| PollFd::new(&hook.fd, PollFlags::IN)));
        if !matches!(poll(&mut watched, timeout.as_ref()), Ok(ready) if ready > 0) {
            return false;
        }
        let seen: Vec<bool> = watched.iter().map(|fd| !fd.revents().is_empty()).collect();
        drop(watched);
        let mut bytes = vec![0; 1 << 16];
        if seen[1] {
            let _ = self.signals.read(&mut bytes);
            if self.ending.is_none() {
                self.end(Ending::Asked);
            }
        }
        if let Some(terminal) = &mut self.terminal {
            terminal.serve();
        }
        let Some(source) = self.source.as_mut().filter(|_| ready && seen[2]) else { return false };
        match source.read(&mut bytes) {
            Ok(count @ 1..) => {
                self.output.write(&bytes[..count]);
                if let Some(terminal) = &mut self.terminal {
                    terminal.show(&bytes[..count]);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
            // A terminal that no process has open ends with an error.
            _ => self.source = None,
        }
        self.source.is_some()
    }

    fn end(&mut self, why: Ending) {
        self.ending = Some(why);
        self.kill_at = Some(Instant::now() + Duration::from_millis(self.task.grace_ms));
        let own = self.main.id().to_string();
        // If no hook can be started, only the signal is sent.
        self.checkpoint = self.hook_output.as_ref().and_then(|writer| {
            let (output, errors) = (writer.try_clone().ok()?, writer.try_clone().ok()?);
            let variable = ("KORNSOLE_PID", own.as_str());
            hook::Running::start(&self.dir, Hook::Checkpoint, variable, output.into(), errors.into()).ok()
        });
        if self.checkpoint.is_none() {
            self.ask_to_end();
        }
    }

    fn ask_to_end(&self) {
        // An interactive shell ignores SIGTERM.
        let usual = if self.task.interactive { Signal::HUP } else { Signal::TERM };
        self.signal(self.task.signal.and_then(Signal::from_named_raw).unwrap_or(usual));
    }

    /// Signals the job's process group; SIGKILL reaches the whole cgroup.
    fn signal(&self, signal: Signal) {
        process::signal_group(i32::try_from(self.main.id()).unwrap_or_default(), signal);
        if let (Signal::KILL, Some(group)) = (signal, &self.task.cgroup) {
            cgroup::kill(group);
        }
    }

    fn end_the_rest(&self) {
        end_children(|| self.signal(Signal::KILL));
    }
}

/// `first` can end all of them at once.
fn end_children(first: impl Fn()) {
    if !process::has_children() {
        return;
    }
    first();
    let (until, own) = (Instant::now() + PATIENCE, getpid().as_raw_nonzero().get());
    while process::has_children() && Instant::now() < until {
        process::children_of(own).into_iter().for_each(process::kill);
        sleep(Duration::from_millis(1));
    }
}

fn outcome(status: ExitStatus) -> Outcome {
    match (status.code(), status.signal()) {
        (Some(code), _) => Outcome::Exited(code),
        (None, Some(signal)) => Outcome::Signalled(signal),
        (None, None) => Outcome::Lost("the exit status is unknown".to_owned()),
    }
}

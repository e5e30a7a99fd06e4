//! `kornsole local attach` and `kornsole submit --interactive`: a job in this terminal.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use signal_hook::consts::SIGWINCH;

use super::{Ended, SocketArgs, ask, code, unexpected};
use crate::cli::remote::escaped;
use local::client::Client;
use local::job::JobState;
use local::terminal::{Frame, frames};
use local::wire::{JobReport, Reply, Request};

/// The key that leaves the job running: ctrl-].
const LEAVE: u8 = 0x1d;
/// How often to check whether a job has started.
const LOOK: Duration = Duration::from_millis(250);
/// How long to wait for the end of a job after its terminal is closed.
const END: Duration = Duration::from_secs(60);

/// The arguments of `kornsole local attach`.
#[derive(Args, Clone, Debug)]
pub struct AttachArgs {
    /// ID of the job
    #[arg(value_name = "JOB")]
    pub number: u64,
    /// The socket of the daemon
    #[command(flatten)]
    pub daemon: SocketArgs,
}

/// Attaches to a job.
pub fn run(args: &AttachArgs) -> ExitCode {
    code(check().and_then(|()| attach(&args.daemon, args.number)))
}

pub(super) fn check() -> Result<(), Ended> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Ended::misused("cannot run an interactive job: standard input and output are not a terminal"))
}

/// Attaches to a job once it runs. Returns its exit status, or 0 after a detach.
pub(super) fn attach(daemon: &SocketArgs, number: u64) -> Result<ExitCode, Ended> {
    let mut client = daemon.connect()?;
    let started = started(&mut client, number)?;
    if started.state == JobState::Ended {
        return ended(&started);
    }
    let lost = |why: io::Error| Ended::refused(format!("the terminal is lost: {why}"));
    let stream = match client.attach(number).map_err(lost)? {
        (_, Some(stream)) => stream,
        (Reply::Refused { message, .. }, None) => return Err(Ended::refused(message)),
        _ => return Err(unexpected()),
    };
    let left = {
        let _raw = Raw::begin().map_err(lost)?;
        relay(stream).map_err(lost)?
    };
    if left {
        print_line(&format!("\ndetached from job {number}; reattach with `kornsole local attach {number}`"));
        return Ok(ExitCode::SUCCESS);
    }
    let until = Instant::now() + END;
    loop {
        let job = look(&mut client, number)?;
        match job.state {
            JobState::Ended => return ended(&job),
            JobState::Running if job.attempts == started.attempts && Instant::now() < until => sleep(LOOK),
            _ => {
                print_line(&format!("job {number} is {}", super::jobs::state(job.state)));
                return Ok(ExitCode::SUCCESS);
            }
        }
    }
}

fn ended(job: &JobReport) -> Result<ExitCode, Ended> {
    if job.status != Some(0) {
        print_line(&format!("job {}: {}", job.number, job.reason));
    }
    Ok(ExitCode::from(job.status.unwrap_or(1)))
}

fn look(client: &mut Client, number: u64) -> Result<JobReport, Ended> {
    match ask(client, &Request::Job(number))? {
        (Reply::Job(job), _) => Ok(*job),
        _ => Err(unexpected()),
    }
}

/// Waits until a job runs, or has ended.
fn started(client: &mut Client, number: u64) -> Result<JobReport, Ended> {
    let mut polls = 0_u64;
    loop {
        let job = look(client, number)?;
        polls += 1;
        if matches!(job.state, JobState::Running | JobState::Ended) {
            return Ok(job);
        }
        // A job that was Pending only for a moment is about to start, so report it later.
        if polls == 2 {
            let why = if job.reason.is_empty() { String::new() } else { format!(": {}", job.reason) };
            print_line(&format!(
                "job {number} is {}{why}; ctrl-c detaches, `kornsole local attach {number}` reattaches",
                super::jobs::state(job.state)
            ));
        }
        sleep(LOOK);
    }
}

fn print_line(text: &str) {
    crate::cli::print_line(&escaped(text));
}

/// The terminal in raw mode: all keys go to the job.
struct Raw {
    before: Termios,
}

impl Raw {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

fn size() -> Vec<u8> {
    let size = tcgetwinsize(io::stdout()).map_or((24, 80), |size| (size.ws_row, size.ws_col));
    let bytes = [size.0.to_be_bytes(), size.1.to_be_bytes()].concat();
    frames(Frame::Size, &bytes)
}

/// Returns whether the user detached.
fn relay(mut stream: UnixStream) -> io::Result<bool> {
    let (mut resized, signal) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGWINCH, signal)?;
    stream.write_all(&size())?;
    let mut bytes = vec![0; 1 << 16];
    loop {
        let input = io::stdin();
        let fds = [input.as_fd(), stream.as_fd(), resized.as_fd()];
        let mut watched = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        match poll(&mut watched, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let ready = watched.map(|fd| !fd.revents().is_empty());
        if ready[2] {
            let _ = resized.read(&mut bytes)?;
            stream.write_all(&size())?;
        }
        if ready[1] {
            match stream.read(&mut bytes) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    let mut out = io::stdout().lock();
                    out.write_all(&bytes[..count])?;
                    out.flush()?;
                }
                Err(why) if why.kind() == io::ErrorKind::ConnectionReset => return Ok(false),
                Err(why) => return Err(why),
            }
        }
        if ready[0] {
            // Bypasses the buffer of stdin, which poll cannot see.
            let count = rustix::io::read(io::stdin(), &mut bytes)?;
            let typed = &bytes[..count];
            let leaves = typed.iter().position(|key| *key == LEAVE);
            let sent = stream.write_all(&frames(Frame::Typed, &typed[..leaves.unwrap_or(count)]));
            if count == 0 || leaves.is_some() {
                return Ok(true);
            }
            match sent {
                // The job has ended; its last output is read first.
                Err(why) if why.kind() == io::ErrorKind::BrokenPipe => {}
                sent => sent?,
            }
        }
    }
}

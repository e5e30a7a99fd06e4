//! The last process before the command. Separate, because user IDs are per thread and it has only one. It reads its
//! task as the daemon's user, but the user's files only as that user.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{
    Resource, Rlimit, Signal, geteuid, getgid, getrlimit, getuid, ioctl_tiocsctty, nice,
    set_parent_process_death_signal, setrlimit, setsid, umask,
};
use rustix::thread::{
    disable_transparent_huge_pages, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::hook::Hook;
use super::task::{Credentials, TASK, Task, read, submitted};
use super::{cgroup, limits, supervise, user_file};

const LAST_SIGNAL: i32 = 64;

/// Returns only on failure, with the exit status of a shell.
pub fn run(dir: &Path, hook: Option<Hook>) -> (String, u8) {
    let Some(task) = read::<Task>(&dir.join(TASK)) else { return ("cannot read the task".to_owned(), 125) };
    let (env, command) = match submitted(dir, &task) {
        Ok(submitted) => submitted,
        Err(why) => return (format!("cannot read the submission: {why}"), 125),
    };
    if let Err(why) = limit(&task, hook) {
        return (format!("cannot set the limits: {why}"), 125);
    }
    if let Err(why) = task.user.as_ref().map_or(Ok(()), become_user) {
        return (format!("cannot run as the submitter: {why}"), 125);
    }
    // After the change of user, which clears it.
    if let Err(why) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return (format!("cannot watch the supervisor: {why}"), 125);
    }
    umask(rustix::fs::Mode::from_raw_mode(task.umask));
    if let Err(why) = std::env::set_current_dir(&task.dir) {
        return (format!("{}: {why}", task.dir), 126);
    }
    let shell = |text: &str| vec!["/bin/sh".to_owned(), "-c".to_owned(), text.to_owned()];
    let words = match hook {
        None => command,
        Some(Hook::Checkpoint) => shell(&task.checkpoint),
        Some(Hook::AtEnd) => shell(&task.at_end),
    };
    if let (None, Some(file)) = (hook, &task.output)
        && let Err(why) = user_file::open_and_send(file, io::stdin().as_fd())
    {
        return (format!("the output file {file}: {why}"), 126);
    }
    let Some((program, arguments)) = words.split_first() else { return ("missing command".to_owned(), 127) };
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(env);
    let input = if task.interactive && hook.is_none() { io::stdout().as_fd().try_clone_to_owned().ok() } else { None };
    command.stdin(input.map_or_else(Stdio::null, Stdio::from));
    match task.error.as_ref().filter(|_| hook.is_none()).map(|file| (file, user_file::open(file))) {
        Some((_, Ok(error))) => {
            command.stderr(error);
        }
        Some((file, Err(why))) => return (format!("the error file {file}: {why}"), 126),
        None => {}
    }
    if hook.is_some() {
        command.envs(std::env::vars_os());
    }
    // The daemon and its supervisors disable them; a kernel without support has nothing to undo.
    let _ = disable_transparent_huge_pages(false);
    default_signals();
    let why = command.exec();
    let status = if why.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    (format!("{program}: {why}"), status)
}

/// Resets all signals to their default, even if the daemon was started with ignored signals. A handler does not survive
/// `exec`: the kernel installs the default. [`Command::exec`] clears the signal mask.
///
/// Five signals stay ignored if the parent of the daemon ignored them, because safe code cannot change them: SIGILL,
/// SIGFPE, and SIGSEGV, whose handlers `signal_hook` forbids, and 32 and 33, which belong to the C library.
fn default_signals() {
    for signal in (1..=LAST_SIGNAL).filter(|signal| !signal_hook::consts::FORBIDDEN.contains(signal)) {
        // The C library rejects 32 and 33.
        let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
    }
}

fn limit(task: &Task, hook: Option<Hook>) -> io::Result<()> {
    setsid()?;
    if task.interactive && hook.is_none() {
        ioctl_tiocsctty(io::stdout())?;
    }
    if let Some(group) = &task.cgroup {
        cgroup::join(group)?;
    }
    if task.files.is_some() {
        setrlimit(Resource::Nofile, Rlimit { current: task.files, ..getrlimit(Resource::Nofile) })?;
    }
    limits::apply(&task.limits)?;
    if let Some(fallback) = task.fallback {
        let own = getrlimit(Resource::Data);
        let limit = Some(own.current.map_or(fallback.data, |own| own.min(fallback.data)));
        setrlimit(Resource::Data, Rlimit { current: limit, maximum: limit })?;
    } else {
        // The cgroup limits the job. Without the privilege, its processes are nicer than others in that cgroup only,
        // where all are equal.
        let _ = nice(-supervise::NICE);
    }
    if task.nice != 0 {
        // Root may lower the niceness to that of the submitter. The kernel clamps it.
        let _ = nice(task.nice);
    }
    Ok(())
}

/// Groups first, while this is permitted.
fn become_user(user: &Credentials) -> io::Result<()> {
    let (uid, gid) = (rustix::process::Uid::from_raw(user.uid), rustix::process::Gid::from_raw(user.gid));
    let groups: Vec<_> = user.groups.iter().map(|group| rustix::process::Gid::from_raw(*group)).collect();
    set_thread_groups(&groups)?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)?;
    set_no_new_privs(true)?;
    if (getuid(), geteuid(), getgid()) == (uid, uid, gid) {
        Ok(())
    } else {
        Err(io::Error::other("the user did not change"))
    }
}

//! Runs the user's own commands.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus, Stdio};

use crate::state::own_command::{OwnOutput, OwnRun};

/// How much of the output of one in the background is kept, in bytes.
const RETAINED: u64 = 64 * 1024;

/// Runs a command in the released terminal.
///
/// # Errors
/// It cannot be started, or failed.
pub fn run(run: &OwnRun) -> Result<String, String> {
    let ended = if run.output == OwnOutput::Pager { in_pager(run) } else { command(run)?.status() };
    report(run, ended, "")
}

/// Returns exit status and last line.
///
/// # Errors
/// It cannot be started, or failed.
pub fn in_background(run: &OwnRun) -> Result<String, String> {
    let mut command = command(run)?;
    let (output, input) = io::pipe().map_err(|error| format!("{}: {error}", run.name))?;
    let copy = input.try_clone().map_err(|error| format!("{}: {error}", run.name))?;
    let started = command.stdin(Stdio::null()).stdout(input).stderr(copy).spawn();
    // Close the write ends of the pipe.
    drop(command);
    let mut printed = Vec::new();
    let ended = started.and_then(|mut child| {
        let mut output = output;
        output.by_ref().take(RETAINED).read_to_end(&mut printed)?;
        io::copy(&mut output, &mut io::sink())?;
        child.wait()
    });
    let printed = String::from_utf8_lossy(&printed);
    report(run, ended, printed.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

fn command(run: &OwnRun) -> Result<Command, String> {
    let (program, arguments) = run.words.split_first().ok_or_else(|| format!("{} does not run a program", run.name))?;
    let mut command = Command::new(program);
    command.args(arguments).envs(run.variables.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// Stops the command when the pager exits.
fn in_pager(run: &OwnRun) -> io::Result<ExitStatus> {
    let pager = std::env::var_os("PAGER").filter(|pager| !pager.is_empty()).unwrap_or_else(|| "less".into());
    // In the shell like git: `PAGER="less -R"`.
    let mut pager = Command::new("/bin/sh").arg("-c").arg(pager).stdin(Stdio::piped()).spawn()?;
    let started = pager.stdin.take().ok_or(io::ErrorKind::BrokenPipe.into()).and_then(|input| {
        let input = File::from(OwnedFd::from(input));
        let copy = input.try_clone()?;
        let command = command(run).map_err(io::Error::other);
        command?.stdin(Stdio::null()).stdout(input).stderr(copy).spawn()
    });
    pager.wait()?;
    let mut child = started?;
    if let Some(ended) = child.try_wait()? {
        return Ok(ended);
    }
    // The pager no longer reads.
    child.kill()?;
    child.wait()?;
    Ok(ExitStatus::default())
}

fn report(run: &OwnRun, ended: io::Result<ExitStatus>, last: &str) -> Result<String, String> {
    let last = if last.is_empty() { String::new() } else { format!(": {last}") };
    match ended {
        Ok(status) if status.success() => Ok(format!("{} succeeded{last}", run.name)),
        Ok(status) => Err(format!("{} ended with {status}{last}", run.name)),
        Err(error) => {
            let program = run.words.first().map(String::as_str).unwrap_or_default();
            Err(format!("{}: cannot start {program}: {error}", run.name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn background(words: &[&str], variables: &[(&'static str, &str)]) -> Result<String, String> {
        in_background(&OwnRun {
            name: "own".to_owned(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            variables: variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
            output: OwnOutput::Background,
        })
    }

    const HOSTILE: &str = "a b; exit 7 $(exit 7) `exit 7` '\" | & > *";

    #[test]
    fn a_program_gets_a_hostile_name_as_one_argument() {
        let print = ["/bin/sh", "-c", "printf '%s arguments, the first is %s' $# \"$1\"", "own", HOSTILE];
        assert_eq!(background(&print, &[]), Ok(format!("own succeeded: 1 arguments, the first is {HOSTILE}")));
    }

    #[test]
    fn a_shell_gets_a_hostile_name_as_a_variable() {
        let line = ["/bin/sh", "-c", "printf '%s' \"${KORNSOLE_APP}\""];
        assert_eq!(background(&line, &[("KORNSOLE_APP", HOSTILE)]), Ok(format!("own succeeded: {HOSTILE}")));
    }

    #[test]
    fn the_end_of_an_application_is_shown() {
        let failed = background(&["/bin/sh", "-c", "echo first; echo no such pod >&2; exit 3"], &[]).unwrap_err();
        assert!(failed.contains("own ended with") && failed.ends_with(": no such pod"), "{failed}");
        assert!(background(&["/no/such/program"], &[]).unwrap_err().contains("cannot start"));
        let much = background(&["/bin/sh", "-c", "head -c 1000000 /dev/zero"], &[]);
        assert!(much.is_ok(), "more than is kept does not stop it: {much:?}");
    }
}

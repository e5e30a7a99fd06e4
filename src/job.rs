//! The `kornsole-job` binary, which `kornsole` starts: small, so that jobs start quickly.

use std::io::Write as _;
use std::process::ExitCode;

fn fail(message: &str, status: u8) -> ExitCode {
    // If stderr is closed, there is no way to report the error.
    let _ = writeln!(std::io::stderr().lock(), "{message}");
    ExitCode::from(status)
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    match local::part::of_a_job(std::env::args_os()) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err((why, status))) => fail(&why, status),
        None => fail("kornsole-job: `kornsole local up` starts it for each job; see `kornsole submit --help`", 2),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    fail("kornsole-job: local jobs are not supported on this system", 2)
}

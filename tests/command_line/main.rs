//! Commands without a screen: output, streams, and exit codes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod bombs;
mod codes;
mod diff;
mod git;
mod help;
mod hidden;
mod inputs;
mod linear;
mod manifests;
mod place;
mod policy;
mod run;
mod settings;
mod tapes;
mod tokens;
mod upgrade;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn kornsole(dir: impl AsRef<Path>, arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A call that does not read its input closes the pipe.
    let _written = child.stdin.take().expect("piped").write_all(stdin.as_bytes());
    let output = child.wait_with_output().expect("the binary ends");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

//! What a console gets of the daemon: the REST API, with a token that stands for who asked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::process::Command;

use serde_json::Value;

use super::machine::Machine;

/// Where the API is, and a token for who runs the tests.
fn door(machine: &Machine) -> (String, String) {
    let mut stream = UnixStream::connect(machine.socket()).unwrap();
    stream.write_all(b"\"door\"\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    let reply: Value = serde_json::from_str(&line).unwrap();
    let text = |key: &str| reply["door"][key].as_str().unwrap_or_else(|| panic!("{line}")).to_owned();
    (text("url"), text("token"))
}

fn asked(url: &str, token: Option<&str>, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(arguments).args(["--server", url]).env_remove("KORNSOLE_TOKEN");
    command.envs(token.map(|token| ("KORNSOLE_TOKEN", token)));
    let output = command.output().unwrap();
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn a_console_sees_jobs_by_a_token_and_nobody_does_without() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&["--name", "shown"], "sleep 300");
    machine.until(job, "running");
    let (url, token) = door(&machine);
    let (same, another) = door(&machine);
    assert!(url == same && token != another && url.starts_with("http://127.0.0.1:"), "{url} {same}");
    let (code, app) = asked(&url, Some(&token), &["app", "job-1", "--json"]);
    assert!(code == 0 && app.contains("\"applicationState\":\"Running\""), "{code} {app}");
    for wrong in [None, Some("kso_no_token")] {
        let (code, text) = asked(&url, wrong, &["apps"]);
        assert!(code != 0 && !text.contains("job-1"), "{wrong:?}: {code} {text}");
    }
}

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command as Process, Stdio};

use super::terminal::Terminal;
use crate::common::{TestDir, kornsole_command};

#[test]
fn a_console_shows_the_jobs_of_this_machine() {
    let dir = TestDir::new();
    let (jobs, socket) = (dir.join("jobs").display().to_string(), dir.join("s").display().to_string());
    let mut command = kornsole_command(&["local", "up", "--cpu", "4", "--mem", "4Gi", "--log", "error"]);
    command.args(["--dir", &jobs, "--socket", &socket]).stdin(Stdio::null()).stderr(Stdio::null());
    let mut daemon = Daemon(command.stdout(Stdio::piped()).spawn().unwrap());
    BufReader::new(daemon.0.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let call = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_kornsole");
        assert!(
            Process::new(program).args(arguments).env("KORNSOLE_LOCAL_SOCKET", &socket).status().unwrap().success()
        );
    };
    call(&["submit", "--name", "shown", "--", "sleep", "20"]);
    let here = dir.display().to_string();
    let own = [("XDG_CONFIG_HOME", here.as_str()), ("KORNSOLE_LOCAL_SOCKET", &socket)];
    let mut terminal = Terminal::kornsole(&[], &own);
    terminal.until_text("local jobs");
    terminal.press("l");
    terminal.until_text("THIS MACHINE");
    terminal.press("2");
    terminal.until_text("job-1");
    terminal.until_text("root.users");
    terminal.press("o");
    terminal.until_text("running for");
    terminal.until_text("sleep");
    terminal.press("q");
    terminal.press(":quit\r");
    assert_eq!(terminal.end().exit_code(), 0);
    call(&["cancel", "1"]);
}

/// Killed on drop.
pub(super) struct Daemon(pub Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

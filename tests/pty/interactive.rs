//! Interactive jobs: the terminal survives the attached client.

use std::io::{BufRead as _, BufReader};
use std::process::{Command as Process, Stdio};

use portable_pty::PtySize;

use super::local::Daemon;
use super::terminal::Terminal;
use crate::common::{TestDir, kornsole_command};

fn up() -> (TestDir, String, Daemon) {
    let dir = TestDir::new();
    let (jobs, socket) = (dir.join("jobs").display().to_string(), dir.join("s").display().to_string());
    let mut command =
        kornsole_command(&["local", "up", "--cpu", "4", "--mem", "4G", "--grace", "5s", "--log", "error"]);
    command.args(["--dir", &jobs, "--socket", &socket]).stdin(Stdio::null()).stderr(Stdio::null());
    let mut daemon = Daemon(command.stdout(Stdio::piped()).spawn().unwrap());
    BufReader::new(daemon.0.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    (dir, socket, daemon)
}

fn call(socket: &str, arguments: &[&str]) -> (i32, String) {
    let mut command = Process::new(env!("CARGO_BIN_EXE_kornsole"));
    let output = command.args(arguments).env("KORNSOLE_LOCAL_SOCKET", socket).output().unwrap();
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn a_shell_is_left_resumed_and_ends_with_its_status() {
    let (_dir, socket, mut daemon) = up();
    let own = [("KORNSOLE_LOCAL_SOCKET", socket.as_str()), ("PS1", "at> ")];
    let mut terminal = Terminal::kornsole(&["submit", "--interactive", "--", "sh"], &own);
    terminal.until_text("at> ");
    terminal.press("tty; stty size; echo kept=$KORNSOLE_JOB\r");
    terminal.until_text("/dev/pts/");
    terminal.until_text("30 100");
    terminal.until_text("kept=1");
    terminal.master.resize(PtySize { rows: 20, cols: 90, pixel_width: 0, pixel_height: 0 }).unwrap();
    // The shell can be faster than the daemon.
    terminal.press("until stty size | grep '20 90'; do sleep 0.1; done; name=here\r");
    // A shell that draws its line again at the new size can do so between the command and its output.
    terminal.until_text("20 90\n");
    daemon.0.kill().unwrap();
    terminal.press("echo still $name\r");
    terminal.until_text("still here");
    terminal.press("\u{1d}");
    terminal.until_text("detached from job 1");
    assert_eq!(terminal.end().exit_code(), 0);
    let again = socket.clone();
    let dir = std::path::Path::new(&again).parent().unwrap().join("jobs").display().to_string();
    let mut command = kornsole_command(&["local", "up", "--cpu", "4", "--mem", "4G", "--log", "error"]);
    command.args(["--dir", &dir, "--socket", &socket]).stdin(Stdio::null()).stdout(Stdio::piped());
    daemon.0 = command.spawn().unwrap();
    BufReader::new(daemon.0.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let mut terminal = Terminal::kornsole(&["local", "attach", "1"], &own);
    terminal.until_text("still here");
    terminal.press("echo it is $name; exit 7\r");
    terminal.until_text("it is here");
    assert_eq!(terminal.end().exit_code(), 7);
    let (code, log) = call(&socket, &["logs", "1"]);
    assert!(code == 0 && log.contains("kept=1") && log.contains("it is here"), "{log}");
}

#[test]
fn keys_reach_the_job_and_a_hang_up_ends_a_shell_at_once() {
    let (_dir, socket, _daemon) = up();
    let own = [("KORNSOLE_LOCAL_SOCKET", socket.as_str()), ("PS1", "at> ")];
    let script = "trap 'echo caught' INT; echo begun; while :; do sleep 0.1; done";
    let mut catches = Terminal::kornsole(&["submit", "--interactive", "--", "sh", "-c", script], &own);
    catches.until_text("begun");
    catches.press("\u{3}");
    catches.until_text("caught");
    let terminal = Terminal::kornsole(&["submit", "--interactive", "--", "sh"], &own);
    terminal.until_text("at> ");
    assert_eq!(call(&socket, &["cancel", "--yes", "1", "2"]).0, 0);
    terminal.until_text("canceled by");
    assert_eq!(terminal.end().exit_code(), 125);
}

#[test]
fn without_a_terminal_nothing_is_submitted() {
    let (_dir, socket, _daemon) = up();
    let (code, why) = call(&socket, &["submit", "--interactive", "--", "sh"]);
    assert!(code == 2 && why.contains("are not a terminal"), "{code} {why}");
    assert_eq!(call(&socket, &["jobs", "--json"]).1, "[]\n");
    assert_eq!(call(&socket, &["submit", "--", "sleep", "60"]).0, 0);
    let own = [("KORNSOLE_LOCAL_SOCKET", socket.as_str())];
    let terminal = Terminal::kornsole(&["local", "attach", "1"], &own);
    terminal.until_text("has no terminal");
    assert_eq!(terminal.end().exit_code(), 1);
    let terminal = Terminal::kornsole(&["submit", "--interactive", "--array", "1-2", "--", "sh"], &own);
    terminal.until_text("an array has no terminal");
    assert_eq!(terminal.end().exit_code(), 2);
    let terminal = Terminal::kornsole(&["submit", "--interactive", "--hold", "--", "sh"], &own);
    terminal.until_text("job 2 is held");
    terminal.signal("INT");
    terminal.end();
    assert!(call(&socket, &["job", "2"]).1.contains("held"));
    assert_eq!(call(&socket, &["cancel", "--yes", "1", "2"]).0, 0);
}

//! The real program.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// The program, without the settings, the token and the proxies of who runs the tests.
pub fn kornsole_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.env("XDG_CONFIG_HOME", "/nonexistent").env_remove("KORNSOLE_TOKEN");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command.args(arguments);
    command
}

/// `kornsole serve` on any free port, with piped output. It logs only if the arguments say so.
pub fn serve_command(arguments: &[&str]) -> Command {
    let mut command = kornsole_command(&["serve", "--listen", "127.0.0.1:0"]);
    if !arguments.contains(&"--log") {
        command.args(["--log", "off"]);
    }
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server that runs until it is dropped.
pub struct Program {
    pub child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// `http` or `https`.
    pub scheme: String,
}

impl Program {
    /// Starts `kornsole serve`, and waits until it listens.
    pub fn serve(arguments: &[&str]) -> Self {
        Self::spawn(serve_command(arguments))
    }

    /// Starts a command whose first line of output is the address.
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (scheme, address) = line.trim().split_once("://").unwrap_or_else(|| panic!("{line:?} is no address"));
        Self { address: address.parse().unwrap(), scheme: scheme.to_owned(), child }
    }

    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Sends a signal by its name without `SIG`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Kills it and waits for its end.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

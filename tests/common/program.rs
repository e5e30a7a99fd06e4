use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// Returns a command without the user's settings, token, and proxies.
pub fn kornsole_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.env("XDG_CONFIG_HOME", "/nonexistent").env_remove("KORNSOLE_TOKEN");
    // The state of attached clusters must not be the user's.
    command.env("XDG_STATE_HOME", std::env::temp_dir().join("kornsole-tests"));
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command.args(arguments);
    command
}

/// `kornsole serve` on a free port with piped output, without logs by default.
pub fn serve_command(arguments: &[&str]) -> Command {
    let mut command = kornsole_command(&["serve", "--listen", "127.0.0.1:0"]);
    if !arguments.contains(&"--log") {
        command.args(["--log", "off"]);
    }
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server that is killed on drop.
pub struct Program {
    pub child: Child,
    /// The listening address.
    pub address: SocketAddr,
    /// `http` or `https`.
    pub scheme: String,
}

impl Program {
    /// Starts `kornsole serve` and waits until it listens.
    pub fn serve(arguments: &[&str]) -> Self {
        Self::spawn(serve_command(arguments))
    }

    /// Starts a command whose first line of output contains the address.
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (scheme, address) =
            line.trim().split_once("://").unwrap_or_else(|| panic!("{line:?} is not a valid address"));
        Self { address: address.parse().unwrap(), scheme: scheme.to_owned(), child }
    }

    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Sends a signal, named without `SIG`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Kills the process and waits for its exit.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Posts JSON with a token; returns status and body.
pub fn post(program: &Program, path: &str, token: &str, body: &str) -> (u16, Value) {
    let (status, _, body) = post_for_head(program, path, token, body);
    (status, body)
}

/// Like [`post`], with the head of the answer.
pub fn post_for_head(program: &Program, path: &str, token: &str, body: &str) -> (u16, String, Value) {
    let mut stream = TcpStream::connect(program.address).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    // A server that rejects the request may not read all of it.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?} is no answer"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let text = body.find('{').zip(body.rfind('}')).map_or("null", |(from, to)| &body[from..=to]);
    (status, head.to_owned(), serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {answer}")))
}

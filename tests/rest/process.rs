//! The real program: where it listens, how it stops, what it refuses to start with.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use super::stage::{PATIENCE, answer};

/// `kornsole serve` with some arguments, on any free port.
struct Program {
    child: Child,
    address: SocketAddr,
    scheme: String,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
        command.arg("serve").args(["--listen", "127.0.0.1:0", "--log", "off"]).args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (scheme, address) = line.trim().split_once("://").unwrap_or_else(|| panic!("{line:?} is no address"));
        Self { address: address.parse().unwrap(), scheme: scheme.to_owned(), child }
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_serves_until_it_is_told_to_stop() {
    let mut program = Program::start(&["--workload", "tests/conformance/rest/scenario.yaml", "--speed", "1000"]);
    let mut stream = TcpStream::connect(program.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
        .write_all(b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\nGET /ws/v1/events/stream HTTP/1.1\r\nHost: a\r\n\r\n")
        .unwrap();
    let mut seen = vec![0; 12];
    stream.read_exact(&mut seen).unwrap();
    assert_eq!(seen, b"HTTP/1.1 200", "it is ready");
    program.signal("HUP");
    program.signal("TERM");
    stream.read_to_end(&mut seen).unwrap();
    assert!(program.child.wait().unwrap().success(), "who listens to events does not keep it from stopping");
    assert!(TcpStream::connect(program.address).is_err());
}

#[test]
fn connections_are_encrypted_where_there_is_a_certificate() {
    let folder = std::env::temp_dir().join(format!("kornsole-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (chain, key) = (folder.join("chain.pem"), folder.join("key.pem"));
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&chain, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let program = Program::start(&["--tls-cert", chain.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]);
    assert_eq!(program.scheme, "https");
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    let mut client = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(program.address).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = rustls::Stream::new(&mut client, &mut socket);
    stream.write_all(b"GET /ws/v1/clusters HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    // Some servers close without a word of goodbye; what counts is the answer.
    let _ = stream.read_to_end(&mut bytes);
    assert_eq!(answer(&bytes).json()[0]["clusterName"], "kornsole");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn it_says_why_it_does_not_start() {
    let refused = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kornsole")).arg("serve").args(arguments).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, told) = refused(&["--listen", "nowhere"]);
    assert!(code == 2 && told.contains("HOST:PORT"), "{code} {told}");
    let (code, told) = refused(&["--listen", ":0", "--tls-cert", "no.pem", "--tls-key", "no.key"]);
    assert!(code == 1 && told.contains("no.pem"), "{code} {told}");
    let (code, told) = refused(&["--listen", "0.0.0.0:0", "--set", "token.file=tokens.yaml"]);
    assert!(code == 2 && told.contains("--tls-cert"), "{code} {told}");
    let (code, told) = refused(&["--log", "loud,,=", "--listen", ":0"]);
    assert!(code == 2 && told.contains("--log"), "{code} {told}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (code, told) = refused(&["--listen", &taken.local_addr().unwrap().to_string(), "--log", "off"]);
    assert!(code == 1 && told.contains("cannot listen on"), "{code} {told}");
}

//! The real program: listening, stopping, and startup errors.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use super::stage::{Answer, PATIENCE, answer, ask};
use crate::common::{Program, TestDir};

#[test]
fn it_serves_until_it_is_stopped() {
    let mut program = Program::serve(&["--workload", "tests/conformance/rest/scenario.yaml", "--speed", "1000"]);
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

fn certificate(dir: &TestDir) -> rustls::pki_types::CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(dir.join("chain.pem"), made.cert.pem()).unwrap();
    std::fs::write(dir.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    made.cert.der().clone()
}

/// Trusts only this certificate; `None` if the server has another one.
fn ask_encrypted(
    address: SocketAddr,
    trusted: &rustls::pki_types::CertificateDer<'static>,
    head: &str,
) -> Option<Answer> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    let mut client = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = rustls::Stream::new(&mut client, &mut socket);
    stream.write_all(format!("{head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").as_bytes()).ok()?;
    let mut bytes = Vec::new();
    // Some servers close without a TLS close message.
    let _ = stream.read_to_end(&mut bytes);
    Some(answer(&bytes))
}

#[test]
fn connections_are_encrypted_and_certificates_read_again_at_sighup() {
    let dir = TestDir::new();
    let first = certificate(&dir);
    let (chain, key) = (dir.join("chain.pem"), dir.join("key.pem"));
    let program = Program::serve(&["--tls-cert", chain.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]);
    assert_eq!(program.scheme, "https");
    let clusters = || ask_encrypted(program.address, &first, "GET /ws/v1/clusters");
    assert_eq!(clusters().unwrap().json()[0]["clusterName"], "kornsole");
    std::fs::write(&chain, "nonsense").unwrap();
    program.signal("HUP");
    assert_eq!(clusters().unwrap().status, 200);
    let second = certificate(&dir);
    program.signal("HUP");
    let started_at = Instant::now();
    while ask_encrypted(program.address, &second, "GET /livez").is_none() {
        assert!(started_at.elapsed() < PATIENCE, "the new certificate never comes");
    }
    assert!(clusters().is_none(), "the old one is gone");
}

#[test]
fn paused_it_is_stopped_until_it_is_resumed() {
    let dir = TestDir::new();
    let owner = nix::unistd::User::from_uid(nix::unistd::Uid::current()).unwrap().unwrap().name;
    let token = format!("Bearer {}", dir.token(&owner, "x"));
    let tokens = dir.tokens();
    let workload = "tests/conformance/rest/scenario.yaml";
    let program =
        Program::serve(&["--workload", workload, "--paused", "--speed", "1000", "--tokens", tokens.to_str().unwrap()]);
    let paused = || ask(program.address, "GET", "/kornsole/v1/server", &[], b"").json()["paused"].clone();
    let until = |wanted: bool| {
        let started_at = Instant::now();
        while paused() != wanted {
            assert!(started_at.elapsed() < PATIENCE, "it never gets to paused: {wanted}");
        }
    };
    until(true);
    let time = || ask(program.address, "GET", "/debug/fullstatedump", &[], b"").json()["timestamp"].as_i64().unwrap();
    assert_eq!(time(), time(), "its clock stands");
    let resume = || ask(program.address, "POST", "/kornsole/v1/scheduler/resume", &[("Authorization", &token)], b"");
    assert_eq!(resume().status, 200, "the owner of the process may");
    until(false);
    let stopped = time();
    let started_at = Instant::now();
    while time() == stopped {
        assert!(started_at.elapsed() < PATIENCE, "its clock runs");
    }
}

#[test]
fn the_log_is_filtered_by_module_and_written_to_its_target() {
    let dir = TestDir::new();
    let file = dir.join("kornsole.log");
    let run = |flags: &[&str]| {
        let mut program = Program::serve(flags);
        assert_eq!(ask(program.address, "GET", "/ws/v1/clusters", &[], b"").status, 200);
        program.signal("TERM");
        assert!(program.child.wait().unwrap().success());
        let mut message = String::new();
        program.child.stderr.as_mut().unwrap().read_to_string(&mut message).unwrap();
        message
    };
    let count = |text: &str, what: &str| text.lines().filter(|line| line.contains(what)).count();
    let message = |text: &str| {
        (count(text, " INFO kornsole::cli::serve: serving on http://"), count(text, "DEBUG server::yunikorn: answered"))
    };
    let to_file = ["--log-file", file.to_str().unwrap()];
    assert_eq!(run(&[&["--log", "info,server=debug"][..], &to_file].concat()), "", "it goes into the file");
    assert_eq!(message(&std::fs::read_to_string(&file).unwrap()), (1, 1));
    run(&[&["--log", "kornsole::cli=warn,server=debug"][..], &to_file].concat());
    assert_eq!(message(&std::fs::read_to_string(&file).unwrap()), (1, 2), "what was there stays");
    run(&[&["--log", "debug,server=info"][..], &to_file].concat());
    assert_eq!(message(&std::fs::read_to_string(&file).unwrap()), (2, 2));
    assert_eq!(message(&run(&["--log", "debug"])), (1, 1), "without a file on standard error");
    assert_eq!(run(&["--log", "off"]), "");
    let nowhere = dir.join("no/such/folder/log");
    let output = Command::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log-file", nowhere.to_str().unwrap()])
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && message.contains("cannot write ") && message.contains("no/such/folder/log: "),
        "{message}"
    );
}

#[test]
fn it_shows_why_it_does_not_start() {
    let refused = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kornsole")).arg("serve").args(arguments).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, message) = refused(&["--listen", "nowhere"]);
    assert!(code == 2 && message.contains("HOST:PORT"), "{code} {message}");
    let (code, message) = refused(&["--listen", ":0", "--tls-cert", "no.pem", "--tls-key", "no.key"]);
    assert!(code == 1 && message.contains("no.pem"), "{code} {message}");
    let (code, message) = refused(&["--listen", "0.0.0.0:0", "--set", "token.file=tokens.yaml"]);
    assert!(code == 2 && message.contains("--tls-cert"), "{code} {message}");
    let dir = TestDir::new();
    dir.token("sue", "dev");
    std::fs::set_permissions(dir.tokens(), std::fs::Permissions::from_mode(0o640)).unwrap();
    let (code, message) = refused(&["--listen", ":0", "--log", "off", "--tokens", dir.tokens().to_str().unwrap()]);
    assert!(code == 1 && message.contains("chmod 600"), "others may read the tokens: {code} {message}");
    let (code, message) = refused(&["--listen", ":0", "--require-token"]);
    assert!(code == 2 && message.contains("--tokens"), "{code} {message}");
    let (code, message) = refused(&["--log", "loud,,=", "--listen", ":0"]);
    assert!(code == 2 && message.contains("--log"), "{code} {message}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (code, message) = refused(&["--listen", &taken.local_addr().unwrap().to_string(), "--log", "off"]);
    assert!(code == 1 && message.contains("cannot listen on"), "{code} {message}");
}

fn refused(flags: &[&str]) -> (Option<i32>, String) {
    let mut command = crate::common::serve_command(flags);
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn as_root_a_file_of_tokens_that_others_could_replace_is_refused() {
    if !nix::unistd::Uid::effective().is_root() {
        return;
    }
    let dir = TestDir::new();
    dir.token("ann", "ann");
    let tokens = dir.tokens();
    let flags = ["--tokens", tokens.to_str().unwrap()];
    let set =
        |path: &std::path::Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    set(&dir, 0o777);
    let (code, err) = refused(&flags);
    assert!(code == Some(1) && err.contains("other users can write to its directory"), "{code:?} {err}");
    set(&dir, 0o755);
    std::os::unix::fs::chown(&tokens, Some(65534), None).unwrap();
    let (code, err) = refused(&flags);
    assert!(code == Some(1) && err.contains("its owner is uid 65534, and the server runs as root"), "{code:?} {err}");
    std::os::unix::fs::chown(&tokens, Some(0), None).unwrap();
    let link = dir.join("open");
    std::fs::create_dir(&link).unwrap();
    std::os::unix::fs::symlink(&tokens, link.join("tokens.yaml")).unwrap();
    set(&link, 0o777);
    let (code, err) = refused(&["--tokens", link.join("tokens.yaml").to_str().unwrap()]);
    assert!(code == Some(1) && err.contains("other users can write to its directory"), "a link: {code:?} {err}");
    Program::serve(&flags).kill();
}

#[test]
fn a_private_key_that_others_may_read_is_warned_of() {
    let dir = TestDir::new();
    certificate(&dir);
    let (chain, key, log) = (dir.join("chain.pem"), dir.join("key.pem"), dir.join("log"));
    let paths = [&chain, &key, &log].map(|path| path.to_str().unwrap());
    let flags = ["--tls-cert", paths[0], "--tls-key", paths[1], "--log", "warn", "--log-file", paths[2]];
    let logged = |mode| {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let _ = std::fs::remove_file(&log);
        Program::serve(&flags).kill();
        std::fs::read_to_string(&log).unwrap_or_default()
    };
    assert!(logged(0o644).contains("other users can read this private key (mode 644)"));
    assert_eq!(logged(0o600), "");
}

#[test]
fn the_help_shows_what_the_scheduler_acl_allows() {
    let help = crate::common::kornsole_command(&["serve", "--help"]).output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("To kill or move applications, a user needs the admin ACL of the queue."), "{help}");
    assert!(!help.contains("Who may kill, move"), "{help}");
}

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Once, mpsc};
use std::time::Duration;

use config::Settings;
use engine::{Engine, Setup};
use kornsole::cli;
use model::Profile;
use server::{Options, Server};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::common::TestDir;

/// The maximum wait of a test.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A served scheduler.
pub struct Stage {
    pub engine: Arc<Engine>,
    pub server: Server,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.text()))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(&name.to_ascii_lowercase()).map(String::as_str)
    }
}

impl Stage {
    /// Runs the recorded scenario to its end, then pauses.
    pub fn recorded(profile: Profile) -> Self {
        static LOG: Once = Once::new();
        LOG.call_once(|| tracing_subscriber::registry().with(LevelFilter::INFO).init());
        let text = std::fs::read_to_string("tests/conformance/rest/scenario.yaml").unwrap();
        let nodes = text.lines().map(|line| match line.strip_prefix("  - node: {") {
            Some(node) if node.contains("attributes: {") => {
                line.replace("attributes: {", "attributes: {ready: 'true', ")
            }
            Some(node) => format!("  - node: {{attributes: {{ready: 'true'}}, {node}"),
            None => line.to_owned(),
        });
        let (dir, text) = (TestDir::new(), nodes.collect::<Vec<_>>().join("\n"));
        Self::resting(&dir.write("scenario.yaml", text), profile, |_| {})
    }

    /// Runs a scenario to its end, then pauses.
    pub fn resting(scenario: &Path, profile: Profile, set: impl FnOnce(&mut Options)) -> Self {
        Self::resting_by(Setup::by(profile, Settings::default().config()), scenario, set)
    }

    /// Like [`Self::resting`], with the given setup.
    pub fn resting_by(setup: Setup, scenario: &Path, set: impl FnOnce(&mut Options)) -> Self {
        let setup = Setup { paused: true, instance: "test".into(), ..setup };
        let profile = setup.profile;
        let opened = cli::console::open(None, Some(scenario), &setup).unwrap();
        let stage = Self::serve(cli::serve::engine(opened, 1000.0, None).unwrap(), profile, set);
        stage.wait_until(|view| view.paused);
        stage
    }

    pub fn serve(engine: Arc<Engine>, profile: Profile, set: impl FnOnce(&mut Options)) -> Self {
        let events = Settings::default().config().event.clone();
        let mut options = Options::plain("127.0.0.1:0".parse().unwrap(), profile, events);
        set(&mut options);
        let server = Server::start(options, Arc::clone(&engine)).unwrap();
        Self { engine, server }
    }

    /// Waits until a condition on the view is true.
    pub fn wait_until(&self, is: impl Fn(&view::View) -> bool) {
        let (news, changes) = mpsc::channel();
        self.engine.published().on_change(Box::new(move || {
            let _ = news.send(());
        }));
        while !is(&self.engine.published().view()) {
            changes.recv_timeout(PATIENCE).expect("the view shows what is waited for");
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    pub fn connect(&self) -> TcpStream {
        connect(self.address())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        ask(self.address(), method, path, headers, body)
    }
}

/// Sends a request on a new connection.
pub fn ask(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    let mut stream = connect(address);
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    let _ = stream.write_all(body);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    answer(&bytes)
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Parses an answer.
pub fn answer(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no whole head: {:?}", String::from_utf8_lossy(bytes)));
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let pair = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    let headers: BTreeMap<String, String> = lines.filter_map(pair).collect();
    let body = &bytes[end + 4..];
    let chunked = headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked");
    Answer { status, headers, body: if chunked { joined(body) } else { body.to_vec() } }
}

fn joined(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n").expect("a chunk has a size");
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
}

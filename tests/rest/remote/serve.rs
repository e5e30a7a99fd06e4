use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::net::TcpSocket;

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        let kind = ("Content-Type".to_owned(), "application/json; charset=UTF-8".to_owned());
        Self { status: 200, headers: vec![kind], body: body.into() }
    }

    pub fn text(status: u16, body: &str) -> Self {
        let kind = ("Content-Type".to_owned(), "text/plain; charset=utf-8".to_owned());
        Self { status, headers: vec![kind], body: body.into() }
    }

    /// The answer with a gzip body.
    pub fn gzipped(mut self) -> Self {
        self.body = gzip(&self.body);
        self.headers.push(("Content-Encoding".to_owned(), "gzip".to_owned()));
        self
    }

    /// The answer of a core's router for an unknown path.
    pub fn no_endpoint() -> Self {
        Self::text(404, "404 page not found\n")
    }
}

/// Answers by method and path with query.
pub type Set = BTreeMap<(String, String), Answer>;

/// Failures of a connection.
#[derive(Clone, Debug, PartialEq)]
pub enum Mischief {
    /// The connection works.
    None,
    /// The connection is closed without an answer.
    HangUp,
    /// The server never answers.
    Silence,
    /// The answer ends after this number of bytes of its body.
    Half(usize),
    /// Every answer is this one.
    Always(u16, &'static str, &'static str),
    /// Every answer is a redirect.
    Redirect,
    /// Every answer is sent in small pieces.
    Trickle,
    /// Requests whose path contains this text are answered after the failure has ended.
    Delayed(&'static str),
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Arrived {
    pub line: String,
    pub headers: Vec<String>,
    pub body: String,
}

struct State {
    set: Mutex<Arc<Set>>,
    mischief: Mutex<Mischief>,
    arrived: Mutex<Vec<Arrived>>,
    stopped: AtomicBool,
}

fn soon<T>(mut what: impl FnMut() -> std::io::Result<T>) -> T {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        match what() {
            Ok(done) => return done,
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
        std::thread::yield_now();
    }
}

/// A reserved port without a listener.
pub struct Away {
    pub port: u16,
    _socket: TcpSocket,
}

/// The server, which stops on drop.
pub struct Server {
    pub port: u16,
    state: Arc<State>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    pub fn start(set: Set) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), set)
    }

    /// Starts on the port of a previous server.
    pub fn again(away: Away, set: Set) -> Self {
        Self::again_with(away, set, Mischief::None)
    }

    /// Fails from the first request.
    pub fn again_with(away: Away, set: Set, mischief: Mischief) -> Self {
        let port = away.port;
        drop(away);
        Self::with(soon(|| TcpListener::bind(("127.0.0.1", port))), set, mischief)
    }

    fn on(listener: TcpListener, set: Set) -> Self {
        Self::with(listener, set, Mischief::None)
    }

    fn with(listener: TcpListener, set: Set, mischief: Mischief) -> Self {
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            set: Mutex::new(Arc::new(set)),
            mischief: Mutex::new(mischief),
            arrived: Mutex::new(Vec::new()),
            stopped: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stopped.load(Ordering::Acquire) {
                    return;
                }
                let (Ok(stream), shared) = (stream, Arc::clone(&shared)) else { continue };
                std::thread::spawn(move || {
                    let _ = serve(&stream, &shared);
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        Self { port, state, thread: Some(thread) }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn answer(&self, set: Set) {
        *self.state.set.lock().unwrap() = Arc::new(set);
    }

    pub fn mischief(&self, mischief: Mischief) {
        *self.state.mischief.lock().unwrap() = mischief;
    }

    /// All requests so far.
    pub fn arrived(&self) -> Vec<Arrived> {
        self.state.arrived.lock().unwrap().clone()
    }

    /// Stops listening and reserves the port; open connections are closed.
    pub fn stop(mut self) -> Away {
        self.end();
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        // A process that is being started may inherit the listener until it executes.
        soon(|| socket.bind(([127, 0, 0, 1], self.port).into()));
        Away { port: self.port, _socket: socket }
    }

    fn end(&mut self) {
        self.state.stopped.store(true, Ordering::Release);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn serve(stream: &TcpStream, state: &State) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let Some(arrived) = read_request(&mut reader)? else { return Ok(()) };
        if state.stopped.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut words = arrived.line.split(' ');
        let key = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
        state.arrived.lock().unwrap().push(arrived);
        let set = Arc::clone(&state.set.lock().unwrap());
        let answer = set.get(&key).cloned().unwrap_or_else(Answer::no_endpoint);
        let mischief = state.mischief.lock().unwrap().clone();
        match mischief {
            Mischief::Delayed(path) if key.1.contains(path) => {
                while *state.mischief.lock().unwrap() == mischief && !state.stopped.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_millis(2));
                }
                write_answer(stream, &answer, answer.body.len())?;
            }
            Mischief::None | Mischief::Delayed(_) => write_answer(stream, &answer, answer.body.len())?,
            Mischief::Trickle => {
                write_answer(stream, &answer, 0)?;
                for piece in answer.body.chunks(64) {
                    (&*stream).write_all(piece)?;
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            Mischief::HangUp => return Ok(()),
            Mischief::Silence => {
                let mut end = [0];
                let _ = reader.read(&mut end)?;
                return Ok(());
            }
            Mischief::Half(most) => {
                write_answer(stream, &answer, most.min(answer.body.len() / 2))?;
                return Ok(());
            }
            Mischief::Always(status, kind, body) => {
                let headers = vec![("Content-Type".to_owned(), kind.to_owned())];
                write_answer(stream, &Answer { status, headers, body: body.into() }, body.len())?;
            }
            Mischief::Redirect => {
                let headers = vec![("Location".to_owned(), "https://login.example/".to_owned())];
                write_answer(stream, &Answer { status: 302, headers, body: Vec::new() }, 0)?;
            }
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Arrived>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut headers = Vec::new();
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? <= 2 {
            break;
        }
        let header = header.trim_end().to_owned();
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        headers.push(header);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Arrived { line: line.trim_end().to_owned(), headers, body: String::from_utf8(body).unwrap() }))
}

fn write_answer(mut stream: &TcpStream, answer: &Answer, most: usize) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} X\r\nContent-Length: {}\r\n", answer.status, answer.body.len());
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(&answer.body[..most]);
    stream.write_all(&bytes)
}

/// A gzip stream of stored blocks (RFC 1951, 1952).
fn gzip(body: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut blocks = body.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).unwrap();
        packed.push(u8::from(blocks.peek().is_none()));
        packed.extend(length.to_le_bytes());
        packed.extend((!length).to_le_bytes());
        packed.extend(block);
    }
    let sum = body.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    });
    packed.extend((!sum).to_le_bytes());
    packed.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
    packed
}

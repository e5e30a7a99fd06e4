//! A tape's scheduler, served over REST in this process, and the attached console: one clock for all three.
//!
//! Without the wall clock, the same tape shows the same screens despite the sockets: the scheduler is stepped, and the
//! tape waits until the client has read everything.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokio::net::TcpSocket;

use ::client::{self, Target, Token};
use console::tape::{Head, Rig};
use engine::{Core, Progress};
use model::Time;
use server::auth::{self, NewToken};
use server::{Access, Options, Server};
use source::remote::RemoteOptions;
use source::{About, Remote, Source, Stepped};

const PATIENCE: Duration = Duration::from_secs(60);
/// Client timeout, long enough for a slow machine.
const LONG: Duration = Duration::from_secs(120);

/// A served scheduler, its attached console, and their clock.
pub struct Served {
    scheduler: Arc<Stepped>,
    remote: Arc<Remote>,
    options: Options,
    state: State,
    _dir: Dir,
}

enum State {
    Running {
        _server: Server,
    },
    /// No listener, but the port is reserved.
    Stopped(TcpSocket),
}

struct Dir(PathBuf);

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Dir {
    fn new() -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("kornsole-tape-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        Ok(Self(dir))
    }
}

impl Served {
    /// Serves a core and attaches the tape's user to it.
    ///
    /// # Errors
    /// The system provides no port, directory, or thread.
    pub fn start(core: Core, about: About, head: &Head) -> Result<Self, String> {
        let actor = head.actor();
        let dir = Dir::new()?;
        let tokens = dir.0.join("tokens.yaml");
        let new = NewToken::make(head.identity.clone(), None, false, "")?;
        auth::add(&tokens, new.token)?;
        let events = config::Settings::default().config().event.clone();
        let mut options = Options::plain(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), head.core, events);
        let owner = if head.scheduler_admin { head.identity.user.clone() } else { String::new() };
        options.access = Access { tokens: Some(tokens), owner, ..Access::default() };
        let scheduler = Arc::new(Stepped::unstarted(core, about, actor));
        let server = Server::start(options.clone(), Arc::clone(&scheduler)).map_err(|error| error.to_string())?;
        options.listen = server.address();
        let limits =
            client::Limits { connect: LONG, header: LONG, idle: LONG, retained: 0, ..client::Limits::default() };
        let remote_options = RemoteOptions { limits, read_only: head.read_only, ..RemoteOptions::default() };
        let message = |fault: client::TargetFault| fault.to_string();
        let target = Target::new("localhost").map_err(message)?.found_at(server.address());
        let target = target.with_token(Token::new(&new.secret).map_err(message)?).map_err(message)?;
        let remote = Remote::stepped(&target, remote_options, Stepped::STARTED_AT).map_err(message)?;
        Ok(Self { scheduler, remote: Arc::new(remote), options, state: State::Running { _server: server }, _dir: dir })
    }
}

impl Served {
    /// The served scheduler, for changes that bypass the console.
    pub fn scheduler(&self) -> &Arc<Stepped> {
        &self.scheduler
    }
}

impl Rig for Served {
    fn source(&self) -> Arc<dyn Source> {
        Arc::<Remote>::clone(&self.remote)
    }

    fn now(&self) -> Time {
        Source::now(&*self.scheduler)
    }

    fn advance_until(&self, until: Time, steps: usize) -> Progress {
        self.scheduler.advance_until(until, steps)
    }

    fn pass(&self, by: Duration) {
        self.remote.pass(by);
    }

    fn settle(&self) -> bool {
        self.remote.settle()
    }

    fn server(&mut self, there: bool) -> Result<(), String> {
        let address = self.options.listen;
        let message = |error: std::io::Error| format!("{address}: {error}");
        match (&self.state, there) {
            (State::Running { .. }, true) => return Err("the server is already running".to_owned()),
            (State::Stopped(_), false) => return Err("the server has already stopped".to_owned()),
            (State::Running { .. }, false) => {
                let socket = TcpSocket::new_v4().map_err(message)?;
                socket.set_reuseaddr(true).map_err(message)?;
                // The stopping server finishes its current answers.
                let before = std::mem::replace(&mut self.state, State::Stopped(socket));
                drop(before);
                if let State::Stopped(socket) = &self.state {
                    soon(|| socket.bind(address)).map_err(message)?;
                }
            }
            (State::Stopped(_), true) => {
                let fresh = TcpSocket::new_v4().map_err(message)?;
                drop(std::mem::replace(&mut self.state, State::Stopped(fresh)));
                let start = || {
                    let server = Server::start(self.options.clone(), Arc::clone(&self.scheduler));
                    server.map_err(|error| std::io::Error::other(error.to_string()))
                };
                self.state = State::Running { _server: soon(start).map_err(message)? };
            }
        }
        Ok(())
    }
}

/// A starting process may hold the port for a moment.
fn soon<T>(mut what: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    let until = Instant::now() + PATIENCE;
    loop {
        match what() {
            Err(_) if Instant::now() < until => std::thread::yield_now(),
            outcome => return outcome,
        }
    }
}

//! How a server is set up.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alerts::alerting::Board;
use config::DEFAULT_POLICY_GROUP;
use config::settings::EventConfig;
use model::{Acl, Profile};
use view::shadowed::ShadowSource;

/// How a server is set up, once, at start.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Certificate and key; without them connections are plain.
    pub tls: Option<TlsFiles>,
    /// The id of the resource manager, which this process is itself.
    pub cluster_id: String,
    /// Whose configurations are valid, and which names are legal.
    pub profile: Profile,
    /// Who may arrive, and what for.
    pub access: Access,
    /// Which entry of a manifest is the queue configuration.
    pub policy_group: String,
    /// How many events are given at once, and to how many.
    pub events: EventConfig,
    /// What is set of the scheduler's own settings, as anybody may read it (`rest.md` 5.8, `Extra`).
    pub extra: BTreeMap<String, String>,
    /// What applies to every connection.
    pub limits: Limits,
    /// The alerts of the scheduler, where they are evaluated.
    pub alerts: Option<Arc<Board>>,
    /// What a shadow found, where this is one.
    pub shadow: Option<ShadowSource>,
}

impl Options {
    /// The address that is listened on where no one says otherwise.
    pub const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 9080);

    /// A plain server on an address.
    pub fn plain(listen: SocketAddr, profile: Profile, events: EventConfig) -> Self {
        let cluster_id = "kornsole".to_owned();
        let (access, policy_group) = (Access::default(), DEFAULT_POLICY_GROUP.to_owned());
        let (extra, limits, alerts, shadow) = Default::default();
        Self { listen, tls: None, cluster_id, profile, access, policy_group, events, extra, limits, alerts, shadow }
    }
}

/// The leader while this process is a standby. All copies share one value.
pub type Leader = Arc<Mutex<String>>;

/// What a standby answers to those who want it to act.
pub(crate) fn standby(leader: &Leader) -> String {
    let leader = leader.lock().unwrap_or_else(PoisonError::into_inner);
    format!("standby, leader is {}", if leader.is_empty() { "unknown" } else { &leader })
}

/// Who may arrive, and what for (`rest.md` E1).
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The file of tokens; without one no one can change anything.
    pub tokens: Option<PathBuf>,
    /// The file of tokens may come later, as a Secret that is made after the Deployment; until then no one has one.
    pub tokens_later: bool,
    /// Nothing is shown without a token, but whether the server lives.
    pub require_token: bool,
    /// Nothing can be changed, by no one.
    pub read_only: bool,
    /// Another process leads, and this one only shows what it follows; nothing can be changed. Its name; empty if unknown.
    pub standby: Option<Leader>,
    /// Applications are the jobs of a daemon, which alone submits, asks, releases and removes: one that someone else submits might have the
    /// name of another user's next job.
    pub of_jobs: bool,
    /// Who is in the scheduler ACL, in addition the owner of the process.
    pub scheduler_acl: Acl,
    /// The user who owns the process.
    pub owner: String,
    /// Whether pages in a browser may read the YuniKorn API, whatever site they are of; `None` says no where a token is required.
    pub pages: Option<bool>,
}

impl Access {
    /// Whether pages in a browser may read the YuniKorn API.
    pub fn allows_pages(&self) -> bool {
        self.pages.unwrap_or(!self.require_token)
    }
}

/// The files of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, PEM.
    pub certificate: PathBuf,
    /// Its private key, PEM.
    pub key: PathBuf,
}

/// Bounds on the work that clients can cause in a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Threads that talk to clients.
    pub workers: usize,
    /// Big answers that are put together at the same time.
    pub heavy: usize,
    /// Stack of each thread, in bytes.
    pub stack: usize,
    /// Connections at the same time.
    pub connections: usize,
    /// Connections of one address at the same time.
    pub connections_per_peer: usize,
    /// For the TLS handshake, and for the whole header of a request; also how long a connection may be idle.
    pub header: Duration,
    /// For the whole body of a request.
    pub body: Duration,
    /// From the header of a request to that of its answer.
    pub answer: Duration,
    /// How long a client may take no byte of an answer.
    pub write: Duration,
    /// The same for a stream of events (`rest.md` 5.11).
    pub stream_write: Duration,
    /// How often the native API's stream of events says that it is alive (`rest.md` E10).
    pub heartbeat: Duration,
    /// The most bytes of a configuration that is sent.
    pub config_bytes: usize,
    /// The most bytes of a request's header.
    pub header_bytes: usize,
    /// The most bytes of bodies that are being read or worked on, of each part.
    pub bodies: usize,
    /// The most bytes of answers that are not taken yet, of each part.
    pub answers: usize,
    /// How long the server works for one address at once on what is expensive; in the long run it is a quarter of the time.
    pub work: Duration,
    /// What one what-if may take.
    pub what_if: WhatIfLimits,
}

/// Bounds of one what-if (`rest.md` E7). What takes more is refused.
#[derive(Clone, Copy, Debug)]
pub struct WhatIfLimits {
    /// The longest that it works, in time of the processor.
    pub time: Duration,
    /// By how much its thread is replaced by the scheduler, on Linux. On one processor a thread with 14 has 45 parts of 1 069 next to the
    /// scheduler's, which is 4.2 %.
    pub nice: i32,
    /// The most bytes that its copies of the state take, about.
    pub bytes: usize,
    /// The most cycles of each of its two runs.
    pub cycles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            workers: std::thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 4)),
            // Half of the processors at most: the scheduler needs one as well.
            heavy: std::thread::available_parallelism().map_or(1, |count| (count.get() / 2).clamp(1, 4)),
            stack: 16 << 20,
            connections: 1024,
            connections_per_peer: 512,
            header: Duration::from_secs(10),
            body: Duration::from_secs(30),
            answer: Duration::from_secs(60),
            write: Duration::from_secs(20),
            stream_write: Duration::from_secs(5),
            heartbeat: Duration::from_secs(15),
            config_bytes: 4 << 20,
            header_bytes: 64 << 10,
            bodies: 128 << 20,
            answers: 512 << 20,
            work: Duration::from_secs(5),
            what_if: WhatIfLimits { time: Duration::from_secs(10), nice: 14, bytes: 1 << 30, cycles: 100_000 },
        }
    }
}

//! The options of a server.

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

/// The options of a server at start.
#[derive(Clone, Debug)]
pub struct Options {
    /// The listening address.
    pub listen: SocketAddr,
    /// Certificate and key; default: no TLS.
    pub tls: Option<TlsFiles>,
    /// The ID of the resource manager, which is this process.
    pub cluster_id: String,
    /// The profile for configurations and names.
    pub profile: Profile,
    /// The access rules.
    pub access: Access,
    /// The entry of a manifest with the queue configuration.
    pub policy_group: String,
    /// The limits of event batches and streams.
    pub events: EventConfig,
    /// The public settings of the scheduler (`rest.md` 5.8, `Extra`).
    pub extra: BTreeMap<String, String>,
    /// The limits of connections.
    pub limits: Limits,
    /// The alerts of the scheduler, if evaluated.
    pub alerts: Option<Arc<Board>>,
    /// The results of a shadow, if this is one.
    pub shadow: Option<ShadowSource>,
}

impl Options {
    /// The default listening address.
    pub const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 9080);

    /// A server without TLS on an address.
    pub fn plain(listen: SocketAddr, profile: Profile, events: EventConfig) -> Self {
        let cluster_id = "kornsole".to_owned();
        let (access, policy_group) = (Access::default(), DEFAULT_POLICY_GROUP.to_owned());
        let (extra, limits, alerts, shadow) = Default::default();
        Self { listen, tls: None, cluster_id, profile, access, policy_group, events, extra, limits, alerts, shadow }
    }
}

/// The leader while this process is on standby. Clones share one value.
pub type Leader = Arc<Mutex<String>>;

pub(crate) fn standby(leader: &Leader) -> String {
    let leader = leader.lock().unwrap_or_else(PoisonError::into_inner);
    format!("standby, leader is {}", if leader.is_empty() { "unknown" } else { &leader })
}

/// The access rules (`rest.md` E1).
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The token file; without it no changes are possible.
    pub tokens: Option<PathBuf>,
    /// The token file may appear later, for example as a Secret; until then there are no tokens.
    pub tokens_later: bool,
    /// Whether everything except the liveness check requires a token.
    pub require_token: bool,
    /// Whether all changes are disabled.
    pub read_only: bool,
    /// The leader's name, possibly empty, of a read-only standby.
    pub standby: Option<Leader>,
    /// Applications are jobs of a daemon, which only it may change: another submission could use the name of another
    /// user's next job.
    pub of_jobs: bool,
    /// The scheduler ACL, in addition to the owner of the process.
    pub scheduler_acl: Acl,
    /// The owner of the process.
    pub owner: String,
    /// Whether browser pages may read the YuniKorn API; default: only if no token is required.
    pub pages: Option<bool>,
}

impl Access {
    /// Whether browser pages may read the YuniKorn API.
    pub fn allows_pages(&self) -> bool {
        self.pages.unwrap_or(!self.require_token)
    }
}

/// The files of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain in PEM.
    pub certificate: PathBuf,
    /// The private key in PEM.
    pub key: PathBuf,
}

/// Limits of the work that clients can cause.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The number of client threads.
    pub workers: usize,
    /// Large answers created in parallel.
    pub heavy: usize,
    /// Stack of each thread, in bytes.
    pub stack: usize,
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum number of connections per address.
    pub connections_per_peer: usize,
    /// Timeout of the TLS handshake, a request's header, and an idle connection.
    pub header: Duration,
    /// Timeout of a request's body.
    pub body: Duration,
    /// Timeout from a request's header to its answer's header.
    pub answer: Duration,
    /// Timeout of a write without progress.
    pub write: Duration,
    /// The same for an event stream (`rest.md` 5.11).
    pub stream_write: Duration,
    /// Interval of keep-alive lines in native event streams (`rest.md` E10).
    pub heartbeat: Duration,
    /// Maximum size of a submitted configuration, in bytes.
    pub config_bytes: usize,
    /// Maximum size of a request's header, in bytes.
    pub header_bytes: usize,
    /// Maximum bytes of bodies in progress, of each API.
    pub bodies: usize,
    /// Maximum bytes of unread answers, of each API.
    pub answers: usize,
    /// Burst of expensive work per address, with a quarter of the time in the long run.
    pub work: Duration,
    /// The limits of a what-if.
    pub what_if: WhatIfLimits,
}

/// Limits of a what-if (`rest.md` E7).
#[derive(Clone, Copy, Debug)]
pub struct WhatIfLimits {
    /// Maximum processor time.
    pub time: Duration,
    /// Niceness of its thread, on Linux. With 14, it gets 4.2% of a processor that the scheduler uses.
    pub nice: i32,
    /// Approximate maximum memory of its state copies, in bytes.
    pub bytes: usize,
    /// Maximum number of cycles of each of its two runs.
    pub cycles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            workers: std::thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 4)),
            // At most half of the processors: the scheduler needs one, too.
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

//! The table of all keys of the scheduler's own configuration.

use std::time::Duration;

use super::SchedulerConfig;
use super::values::{SettingText, acl, command, duration, flag, number, path, text, webhook};

/// A key of the settings file.
pub struct SettingKey {
    /// The name in the file and in `--set`.
    pub name: &'static str,
    /// The type of its value, as text.
    pub kind: &'static str,
    /// The default value; empty if unset.
    pub default: &'static str,
    /// The condition for its effect; empty if it is immediate.
    pub waits_for: &'static str,
    /// What it means.
    pub doc: &'static str,
    pub(super) path: bool,
    pub(super) list: bool,
    /// Sets the value, or returns the expected form.
    pub(super) set: fn(&mut SchedulerConfig, &SettingText) -> Result<(), String>,
}

impl SettingKey {
    const fn new(
        name: &'static str,
        kind: &'static str,
        default: &'static str,
        doc: &'static str,
        set: fn(&mut SchedulerConfig, &SettingText) -> Result<(), String>,
    ) -> Self {
        Self { name, kind, default, waits_for: "", doc, path: false, list: false, set }
    }

    const fn path(
        name: &'static str,
        doc: &'static str,
        set: fn(&mut SchedulerConfig, &SettingText) -> Result<(), String>,
    ) -> Self {
        Self { path: true, ..Self::new(name, "path", "", doc, set) }
    }

    const fn waiting(self, waits_for: &'static str) -> Self {
        Self { waits_for, ..self }
    }

    const fn or_list(self) -> Self {
        Self { list: true, ..self }
    }
}

const EVENTS: &str = "the resource manager is this process itself";
const DURATION: &str = "duration";
const NUMBER: &str = "whole number";
const MILLISECOND: Duration = Duration::from_millis(1);

fn put<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

/// Every key in the order of printing.
pub static KEYS: [SettingKey; 27] = [
    SettingKey::new("bind.host", "host name or address", "127.0.0.1", "Where the server listens.", |c, w| {
        put(&mut c.bind_host, text(w))
    }),
    SettingKey::new(
        "bind.port",
        "whole number, 0 is any free port",
        "9080",
        "The port on which it listens.",
        |c, w| put(&mut c.bind_port, number(w, 0, 65_535)),
    ),
    SettingKey::path("tls.certificate", "The server's certificate chain, PEM. Requires `tls.key`.", |c, w| {
        put(&mut c.tls_certificate, path(w))
    }),
    SettingKey::path("tls.key", "The private key of the certificate, PEM.", |c, w| put(&mut c.tls_key, path(w))),
    SettingKey::path("token.file", "The bearer tokens that can authenticate. Flag: --tokens.", |c, w| {
        put(&mut c.token_file, path(w))
    }),
    SettingKey::new(
        "scheduler.acl",
        "access list",
        "",
        "Users, a space, and groups that can change the configuration and nodes, as the process owner can. Flag: --scheduler-acl.",
        |c, w| put(&mut c.scheduler_acl, acl(w)),
    ),
    SettingKey::path(
        "queues.file",
        "The queue configuration; also a ConfigMap manifest with one. Flag: --config. The demo has its own.",
        |c, w| put(&mut c.queues_file, path(w)),
    ),
    SettingKey::new(
        "queues.policyGroup",
        "text",
        crate::DEFAULT_POLICY_GROUP,
        "The entry of a ConfigMap to read: NAME.yaml. Flag: --policy-group.",
        |c, w| put(&mut c.policy_group, text(w)),
    ),
    SettingKey::path(
        "state.folder",
        "Directory of the journal; the scheduler resumes from it at the next start. Flag: --state.",
        |c, w| put(&mut c.state_dir, path(w)),
    ),
    SettingKey::new(
        "state.size",
        "whole number, MiB",
        "512",
        "The maximum disk space of the journal: the oldest records are removed first. The newest two snapshots are never removed.",
        |c, w| put(&mut c.state_bytes, number::<u64>(w, 64, 1 << 20).map(|mebibytes| mebibytes << 20)),
    ),
    SettingKey::new("cleaner.interval", DURATION, "10s", "How often unused dynamic queues are removed.", |c, w| {
        put(&mut c.cleaner_interval, duration(w, Duration::from_millis(100)))
    }),
    SettingKey::new("event.trackingEnabled", "true or false", "true", "Whether events are recorded.", |c, w| {
        put(&mut c.event.tracking_enabled, flag(w))
    }),
    SettingKey::new(
        "event.requestCapacity",
        NUMBER,
        "1000",
        "The number of events that are stored for the resource \
        manager.",
        |c, w| put(&mut c.event.request_capacity, number(w, 1, 10_000_000)),
    )
    .waiting(EVENTS),
    SettingKey::new(
        "event.ringBufferCapacity",
        NUMBER,
        "100000",
        "The number of events that are stored for the REST API and the console.",
        |c, w| put(&mut c.event.ring_buffer_capacity, number(w, 1, 10_000_000)),
    ),
    SettingKey::new("event.maxStreams", NUMBER, "100", "The maximum number of event streams.", |c, w| {
        put(&mut c.event.max_streams, number(w, 1, 100_000))
    }),
    SettingKey::new(
        "event.maxStreamsPerHost",
        NUMBER,
        "15",
        "The maximum number of event streams for one host.",
        |c, w| put(&mut c.event.max_streams_per_host, number(w, 1, 100_000)),
    ),
    SettingKey::new(
        "event.RESTResponseSize",
        NUMBER,
        "10000",
        "The maximum number of events in one response.",
        |c, w| put(&mut c.event.rest_response_size, number(w, 1, 10_000_000)),
    ),
    SettingKey::new(
        "drain.stuckAfter",
        DURATION,
        "1h",
        "A queue that drains for longer is reported as stuck, and again after each such period. 0: never.",
        |c, w| put(&mut c.drain.stuck_after, duration(w, Duration::ZERO)),
    ),
    SettingKey::new(
        "drain.command",
        "program, or list of program and arguments",
        "",
        "The program to run, without a shell, when a queue starts to drain and when it is stuck. It gets a \
            JSON object on standard input.",
        |c, w| put(&mut c.drain.command, command(w)),
    )
    .or_list(),
    SettingKey::new(
        "drain.webhook",
        "http:// or https:// address",
        "",
        "The address to which the JSON object is posted.",
        |c, w| put(&mut c.drain.webhook, webhook(w)),
    ),
    SettingKey::path("drain.ca", "Additional trusted CA certificates (PEM) for the webhook.", |c, w| {
        put(&mut c.drain.authorities, path(w))
    }),
    SettingKey::new(
        "drain.timeout",
        DURATION,
        "10s",
        "The timeout of one call of the command or the webhook.",
        |c, w| put(&mut c.drain.timeout, duration(w, MILLISECOND)),
    ),
    SettingKey::new("drain.retries", NUMBER, "3", "The number of retries after a failed call.", |c, w| {
        put(&mut c.drain.retries, number(w, 0, 20))
    }),
    SettingKey::new(
        "drain.retryPause",
        DURATION,
        "1s",
        "The delay before the first retry; it doubles with each further retry.",
        |c, w| put(&mut c.drain.retry_pause, duration(w, Duration::ZERO)),
    ),
    SettingKey::new(
        "cycle.allocations",
        NUMBER,
        "1",
        "The maximum number of allocations for one application on one node in one cycle. The core uses 1.",
        |c, w| put(&mut c.allocations_per_cycle, number(w, 1, 1000)),
    ),
    SettingKey::new(
        "preemption.interval",
        DURATION,
        "15s",
        "The delay between two preemption attempts for the same request. The core uses 15s.",
        |c, w| put(&mut c.preemption_interval, duration(w, Duration::ZERO)),
    ),
    SettingKey::new(
        "preemption.minLoad",
        "whole number, percent",
        "0",
        "The share of cluster resources in use below which preemption is off. The core uses 0.",
        |c, w| put(&mut c.preemption_min_load, number(w, 0, 100)),
    ),
];

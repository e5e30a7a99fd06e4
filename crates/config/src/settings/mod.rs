//! The scheduler's own configuration: a flat map in YAML, read at start. Only operators can change it.
//!
//! [`KEYS`] is the only table of names, types, defaults, meanings, and setters.

mod host;
mod keys;
mod print;
mod values;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use host::is_this_machine;
pub use keys::{KEYS, SettingKey};
pub use print::template;

use super::fault::{Fault, Faults, Severity};
use super::node::unknown_key;
use super::types::Place;
use super::yaml::{self, Node};
use model::{Acl, Profile};
use values::SettingText;

/// The typed values of the scheduler's own configuration, described in [`KEYS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchedulerConfig {
    /// `bind.host`: a name or an address.
    pub bind_host: String,
    /// `bind.port`; 0 is any free port.
    pub bind_port: u16,
    /// `tls.certificate`: the chain in PEM; requires `tls.key`.
    pub tls_certificate: Option<PathBuf>,
    /// `tls.key`: a file in PEM.
    pub tls_key: Option<PathBuf>,
    /// `token.file`: the tokens and their users.
    pub token_file: Option<PathBuf>,
    /// `scheduler.acl`: who may do operations on the whole scheduler.
    pub scheduler_acl: Acl,
    /// `queues.file`: the queue configuration.
    pub queues_file: Option<PathBuf>,
    /// `queues.policyGroup`: the entry of a ConfigMap with the queue configuration.
    pub policy_group: String,
    /// `state.folder`: the journal; without it nothing is stored.
    pub state_dir: Option<PathBuf>,
    /// `state.size`: the disk limit of the journal in bytes.
    pub state_bytes: u64,
    /// `cleaner.interval`, between two passes of the cleaner.
    pub cleaner_interval: Duration,
    /// `event.*`: the storage of events.
    pub event: EventConfig,
    /// `drain.*`: the reports about draining queues.
    pub drain: DrainConfig,
    /// `cycle.allocations`: the number of decisions before other work runs.
    pub allocations_per_cycle: u32,
    /// `preemption.interval`, between two searches for victims.
    pub preemption_interval: Duration,
    /// `preemption.minLoad`, in percent
    pub preemption_min_load: u8,
}

/// The limits of stored events and their readers (SCH-220).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventConfig {
    /// `event.trackingEnabled`: whether events are stored.
    pub tracking_enabled: bool,
    /// `event.requestCapacity`: the number stored for the resource manager.
    pub request_capacity: u32,
    /// `event.ringBufferCapacity`: the number stored for readers.
    pub ring_buffer_capacity: u32,
    /// `event.maxStreams`: simultaneous readers.
    pub max_streams: u32,
    /// `event.maxStreamsPerHost`: the same per address.
    pub max_streams_per_host: u32,
    /// `event.RESTResponseSize`: the most events of one answer.
    pub rest_response_size: u32,
}

/// When a draining queue counts as stuck, and its reports (SCH-211).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainConfig {
    /// `drain.stuckAfter`; zero: never.
    pub stuck_after: Duration,
    /// `drain.command`: the program and its arguments; empty if none.
    pub command: Vec<String>,
    /// `drain.webhook`: URL for reports.
    pub webhook: Option<String>,
    /// `drain.ca`: authorities in PEM in addition to the system's.
    pub authorities: Option<PathBuf>,
    /// `drain.timeout` of each attempt.
    pub timeout: Duration,
    /// `drain.retries` after the first attempt.
    pub retries: u32,
    /// `drain.retryPause` before the first retry; doubled before each further one.
    pub retry_pause: Duration,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is the default.
    Default,
    /// It is in the file.
    File(Place),
    /// A flag of the command line, as written there.
    Flag(String),
}

/// The scheduler's own configuration with the origin of each value.
#[derive(Clone, Debug)]
pub struct Settings {
    config: SchedulerConfig,
    /// For each key of [`KEYS`].
    written: Vec<(Option<SettingText>, Origin)>,
    file: String,
}

impl Default for Settings {
    fn default() -> Self {
        let mut config = SchedulerConfig::default();
        let default = |key: &SettingKey| {
            let written = (!key.default.is_empty()).then(|| SettingText::One(key.default.to_owned()))?;
            #[expect(clippy::expect_used, reason = "the table is a constant, and the tests read it")]
            (key.set)(&mut config, &written).expect("the defaults of the table are good values");
            Some(written)
        };
        let written = KEYS.iter().map(default).map(|written| (written, Origin::Default)).collect();
        Self { config, written, file: String::new() }
    }
}

impl Settings {
    /// The effective values, including defaults.
    pub fn config(&self) -> &SchedulerConfig {
        &self.config
    }

    /// Reads a file; relative paths are based on its directory. Returns every error; a key with an error keeps its
    /// value.
    pub fn read(&mut self, file: &Path, bytes: &[u8]) -> Vec<Fault> {
        self.file = file.display().to_string();
        let mut faults = Faults::new(Profile::Kornsole);
        let document = yaml::decode(bytes, &mut faults).and_then(|text| yaml::parse(text, &mut faults));
        let root = document.as_ref().and_then(|document| document.root());
        if let Some(root) = root {
            self.read_map(root, file.parent().unwrap_or(Path::new("")), &mut faults);
        }
        faults.into_sorted()
    }

    fn read_map(&mut self, root: Node<'_>, dir: &Path, faults: &mut Faults) {
        const FILE: &str = "the scheduler's own configuration";
        let Some(fields) = root.any_map(FILE, "", faults) else { return };
        let known: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        for (key, value) in fields {
            let Some(at) = KEYS.iter().position(|row| row.name == key.text) else {
                unknown_key(key.text, key.at, FILE, &known, "", faults);
                continue;
            };
            if value.is_null() {
                continue;
            }
            let Some(written) = written(value, &KEYS[at], faults) else { continue };
            let written = if KEYS[at].path { written.within(dir) } else { written };
            if let Err(due) = self.take(at, written, Origin::File(value.at())) {
                let message = format!("`{}` is {}", key.text, shown(value));
                faults.error("SET-001", value.at(), key.text, message, due);
            }
        }
    }

    /// Overrides a key; relative paths are based on the current directory.
    ///
    /// # Errors
    /// The error and the expected form.
    pub fn set(&mut self, name: &str, value: &str, flag: &str) -> Result<(), String> {
        let Some(at) = KEYS.iter().position(|key| key.name == name) else {
            let mut faults = Faults::default();
            let known: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
            unknown_key(name, Place::default(), flag, &known, "", &mut faults);
            let text = |fault: &Fault| format!("{}; {}", fault.message, fault.hint);
            return Err(faults.into_sorted().iter().map(text).collect());
        };
        self.take(at, SettingText::One(value.to_owned()), Origin::Flag(flag.to_owned()))
            .map_err(|due| format!("{flag}: `{name}` is {value:?}; expected {due}"))
    }

    /// Returns the missing keys, each error at the key that requires another one.
    pub fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (one, other) in [("tls.certificate", "tls.key"), ("tls.key", "tls.certificate")] {
            let (Some((Some(_), origin)), Some((None, _))) = (self.of(one), self.of(other)) else { continue };
            faults.push(Fault {
                code: "SET-002",
                severity: Severity::Error,
                at: if let Origin::File(at) = origin { *at } else { Place::default() },
                path: one.to_owned(),
                message: format!("`{one}` is set and `{other}` is not"),
                hint: format!("set `{other}` too, or remove both"),
            });
        }
        faults
    }

    fn of(&self, name: &str) -> Option<&(Option<SettingText>, Origin)> {
        let at = KEYS.iter().position(|key| key.name == name)?;
        self.written.get(at)
    }

    fn take(&mut self, at: usize, written: SettingText, origin: Origin) -> Result<(), String> {
        (KEYS[at].set)(&mut self.config, &written)?;
        self.written[at] = (Some(written), origin);
        Ok(())
    }
}

fn written(value: Node<'_>, key: &SettingKey, faults: &mut Faults) -> Option<SettingText> {
    if let Some(scalar) = value.scalar() {
        return Some(SettingText::One(scalar.text.to_owned()));
    }
    if !key.list {
        value.wrong_type(key.name, "a single value", key.name, faults);
        return None;
    }
    let items = value.items(key.name, key.name, faults)?;
    let texts = items.into_iter().map(|item| item.text(key.name, key.name, faults).good().map(|text| text.value));
    texts.collect::<Option<Vec<_>>>().map(SettingText::Many)
}

fn shown(value: Node<'_>) -> String {
    value.scalar().map_or_else(|| value.kind().to_owned(), |scalar| format!("{:?}", scalar.text))
}

#[cfg(test)]
mod tests;

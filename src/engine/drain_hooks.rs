//! Notifies the administrators of a queue that it drains: a command is run, or an address posted to, on a thread of its own.
//!
//! Invariants:
//! - [`DrainNotifier::notify`] never waits: it fails when too many reports wait already;
//! - the webhook's certificate is checked, and no redirect is followed;
//! - data never becomes part of a command line: the words of the command are fixed, the report comes as JSON on standard input;
//! - each try ends by its time limit, and a final failure is reported once.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::Builder;
use std::time::{Duration, Instant, SystemTime};

use reqwest::blocking::Client;
use reqwest::{Certificate, Url, redirect};

use super::drain_report::DrainReport;
use crate::config::settings::{DrainConfig, is_this_machine};

/// How many reports may wait.
const WAITING: usize = 64;
/// How often a running command is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How much of a command's standard error is kept, in bytes.
const KEPT: usize = 4096;
/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// What is called for a draining queue, and how patiently.
#[derive(Clone, Debug)]
pub struct DrainHook {
    targets: Vec<HookTarget>,
    timeout: Duration,
    retries: u32,
    pause: Duration,
}

#[derive(Clone, Debug)]
enum HookTarget {
    Command(Vec<String>),
    /// The address, and a file of authorities beside the system's.
    Webhook(String, Option<PathBuf>),
}

impl DrainHook {
    /// By the scheduler's own configuration; `None` when nothing is to be called.
    pub fn of(config: &DrainConfig) -> Option<Self> {
        let command = (!config.command.is_empty()).then(|| HookTarget::Command(config.command.clone()));
        let webhook = config.webhook.clone().map(|address| HookTarget::Webhook(address, config.authorities.clone()));
        let targets: Vec<HookTarget> = command.into_iter().chain(webhook).collect();
        let DrainConfig { timeout, retries, retry_pause: pause, .. } = *config;
        (!targets.is_empty()).then_some(Self { targets, timeout, retries, pause })
    }
}

/// A report that waits for its delivery.
struct Delivery {
    queue: String,
    document: Arc<str>,
}

/// How one try ended.
enum Attempt {
    Done,
    Failed(String),
    /// The notifier was dropped meanwhile.
    Stopped,
}

/// The thread that calls the hook. Dropping this stops it: waiting reports are not delivered any more, a running hook is left to itself.
pub struct DrainNotifier {
    jobs: SyncSender<Delivery>,
    _stop: Sender<()>,
}

impl DrainNotifier {
    /// Starts the thread. `failed` is called with one line and the reason when a report could not be delivered.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start(hook: DrainHook, failed: impl Fn(String, String) + Send + 'static) -> std::io::Result<Self> {
        let (jobs, inbox) = sync_channel(WAITING);
        let (stop, stopped) = channel();
        Builder::new().name("drain-hook".to_owned()).spawn(move || Worker { hook, stopped, failed }.run(&inbox))?;
        Ok(Self { jobs, _stop: stop })
    }

    /// Queues a report; `since` is when the queue began to drain by the wall clock.
    ///
    /// # Errors
    /// Too many are waiting: one line for a person.
    pub fn notify(&self, report: &DrainReport, since: SystemTime) -> Result<(), String> {
        let queue = report.draining.queue.to_string();
        let job = Delivery { queue, document: report.document(since).into() };
        self.jobs.try_send(job).map_err(|error| {
            let job = match error {
                std::sync::mpsc::TrySendError::Full(job) | std::sync::mpsc::TrySendError::Disconnected(job) => job,
            };
            format!("the administrators of {} are not notified: {WAITING} reports wait already", job.queue)
        })
    }
}

struct Worker<F> {
    hook: DrainHook,
    stopped: Receiver<()>,
    failed: F,
}

impl<F: Fn(String, String)> Worker<F> {
    fn run(&self, inbox: &Receiver<Delivery>) {
        while let Ok(job) = inbox.recv() {
            for target in &self.hook.targets {
                if self.stops_within(Duration::ZERO) {
                    return;
                }
                self.deliver(target, &job);
            }
        }
    }

    /// Tries until it works, with pauses that double.
    fn deliver(&self, target: &HookTarget, job: &Delivery) {
        let mut why = String::new();
        for attempt in 0..=self.hook.retries {
            let pause = self.hook.pause.saturating_mul(1 << attempt.saturating_sub(1).min(20)).min(LONGEST_PAUSE);
            if attempt > 0 && self.stops_within(pause) {
                return;
            }
            let outcome = match target {
                HookTarget::Command(words) => self.call(words, &job.document),
                HookTarget::Webhook(address, authorities) => self.post(address, authorities.as_deref(), &job.document),
            };
            match outcome {
                Attempt::Done | Attempt::Stopped => return,
                Attempt::Failed(reason) => why = reason,
            }
        }
        let tries = match self.hook.retries {
            0 => "tried once".to_owned(),
            retries => format!("tried {} times", u64::from(retries) + 1),
        };
        (self.failed)(format!("the administrators of {} could not be notified", job.queue), format!("{why}; {tries}"));
    }

    /// Whether the end comes within a time.
    fn stops_within(&self, time: Duration) -> bool {
        self.stopped.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
    }

    fn call(&self, words: &[String], document: &Arc<str>) -> Attempt {
        let [program, arguments @ ..] = words else { return Attempt::Done };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return Attempt::Failed(format!("{program} cannot be run: {error}")),
        };
        let said = match feed(&mut child, document) {
            Ok(said) => said,
            Err(error) => {
                // It gets nothing to read, so there is nothing for it to do.
                let _ = child.kill().and_then(|()| child.wait());
                return Attempt::Failed(format!("{program} cannot be fed: {error}"));
            }
        };
        let until = Instant::now() + self.hook.timeout;
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Attempt::Done,
                Ok(Some(status)) => {
                    let said = said.recv_timeout(LOOK_EVERY * 10).unwrap_or_default();
                    return Attempt::Failed(format!("{program}: {status}{}", last_words(&said)));
                }
                Ok(None) if Instant::now() >= until => {
                    // It may have ended this moment; both are fine.
                    let _ = child.kill().and_then(|()| child.wait());
                    return Attempt::Failed(format!(
                        "{program} took longer than {:?} and was ended",
                        self.hook.timeout
                    ));
                }
                Ok(None) if self.stops_within(LOOK_EVERY) => return Attempt::Stopped,
                Ok(None) => {}
                Err(error) => return Attempt::Failed(format!("{program}: {error}")),
            }
        }
    }

    fn post(&self, address: &str, authorities: Option<&Path>, document: &Arc<str>) -> Attempt {
        let client = match caller(address, authorities, self.hook.timeout) {
            Ok(client) => client,
            Err(why) => return Attempt::Failed(format!("the webhook: {why}")),
        };
        let request = client.post(address).header("content-type", "application/json").body(document.to_string());
        match request.send() {
            Ok(answer) if answer.status().is_success() => Attempt::Done,
            Ok(answer) => Attempt::Failed(format!("the webhook answers {}", answer.status())),
            Err(error) => Attempt::Failed(format!("the webhook: {}", causes(&error.without_url()))),
        }
    }
}

/// A client for one try: certificates may have been renewed since the last.
fn caller(address: &str, authorities: Option<&Path>, timeout: Duration) -> Result<Client, String> {
    // A provider that is already there, the REST client's, is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let message = |error: reqwest::Error| causes(&error.without_url());
    let url = Url::parse(address).map_err(|error| format!("its address does not read: {error}"))?;
    let mut builder = Client::builder().timeout(timeout).redirect(redirect::Policy::none());
    if url.host_str().is_some_and(is_this_machine) {
        // A proxy has nothing to do with this machine.
        builder = builder.no_proxy();
    }
    builder = match (url.scheme(), authorities) {
        ("https", None) => builder,
        ("https", Some(file)) => {
            let pem = std::fs::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
            let found = Certificate::from_pem_bundle(&pem).map_err(message)?;
            if found.is_empty() {
                return Err(format!("{} has no certificate in PEM", file.display()));
            }
            builder.tls_certs_merge(found)
        }
        // Without TLS the system's certificates need not be read, nor be there.
        _ => builder.tls_certs_only([]),
    };
    builder.build().map_err(message)
}

/// Writes the document to a command, and listens to what it says on standard error; both beside it, so that neither side waits
/// for the other.
fn feed(child: &mut Child, document: &Arc<str>) -> std::io::Result<Receiver<String>> {
    let (send, said) = channel();
    if let Some(mut stdin) = child.stdin.take() {
        let document = Arc::clone(document);
        Builder::new().name("drain-hook-write".to_owned()).spawn(move || {
            // A command need not read its input.
            let _ = stdin.write_all(document.as_bytes());
        })?;
    }
    if let Some(mut stderr) = child.stderr.take() {
        Builder::new().name("drain-hook-read".to_owned()).spawn(move || {
            let mut kept = Vec::new();
            // What cannot be read is not there; the rest is taken so that the command never waits for a reader.
            let _ = stderr.by_ref().take(KEPT as u64).read_to_end(&mut kept);
            let _ = send.send(String::from_utf8_lossy(&kept).into_owned());
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        })?;
    }
    Ok(said)
}

/// The last line that is not empty, fit for a message.
fn last_words(said: &str) -> String {
    let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let shown: String = last.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.is_empty() { shown } else { format!(": {shown}") }
}

/// An error with everything that led to it.
fn causes(error: &dyn std::error::Error) -> String {
    let all = std::iter::successors(Some(error), |error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

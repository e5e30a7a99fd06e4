//! Tells the administrators of a queue that it drains: a command is run, or an address posted to, on a thread of its own.
//!
//! Invariants:
//! - whoever hands in a report never waits: a report that finds the queue full is handed back;
//! - the webhook's certificate is checked, and no redirect is followed;
//! - data never becomes part of a command line: the words of the command are fixed, the report comes as JSON on standard input;
//! - each try ends by its time limit, and what fails for good is told once.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::Builder;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reqwest::blocking::Client;
use reqwest::{Certificate, Url, redirect};
use serde_json::{Value, json};

use crate::config::settings::DrainConfig;
use crate::config::settings::is_this_machine;
use crate::model::{Resource, Time};
use crate::scheduler::{Draining, DrainingApp};

/// How many reports may wait.
const WAITING: usize = 64;
/// How often a running command is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How much of what a command says on standard error is kept, in bytes.
const KEPT: usize = 4096;
/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// What is called, and how patiently.
#[derive(Clone, Debug)]
pub struct Hook {
    ways: Vec<Way>,
    timeout: Duration,
    retries: u32,
    pause: Duration,
}

#[derive(Clone, Debug)]
enum Way {
    Command(Vec<String>),
    /// The address, and a file of authorities beside the system's.
    Webhook(String, Option<PathBuf>),
}

impl Hook {
    /// By the scheduler's own configuration; `None` when nothing is to be called.
    pub fn of(config: &DrainConfig) -> Option<Self> {
        let command = (!config.command.is_empty()).then(|| Way::Command(config.command.clone()));
        let webhook = config.webhook.clone().map(|address| Way::Webhook(address, config.authorities.clone()));
        let ways: Vec<Way> = command.into_iter().chain(webhook).collect();
        let DrainConfig { timeout, retries, retry_pause: pause, .. } = *config;
        (!ways.is_empty()).then_some(Self { ways, timeout, retries, pause })
    }
}

/// Something to tell of a draining queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainReport {
    /// The partition.
    pub partition: Arc<str>,
    /// It has been draining for long; else it has just begun (SCH-211).
    pub stuck: bool,
    /// When this is so, by the scheduler's time.
    pub at: Time,
    /// The queue and what holds it.
    pub draining: Draining,
}

impl DrainReport {
    /// The report as the JSON object that is handed out, named as in the REST API; `since` is when it began by the wall clock.
    pub fn document(&self, since: SystemTime) -> String {
        let Draining { queue, applications, allocated, admins, .. } = &self.draining;
        let nanos = since.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let users = if admins.everybody { json!(["*"]) } else { json!(admins.users) };
        json!({
            "event": if self.stuck { "stuck" } else { "draining" },
            "partition": &*self.partition,
            "queue": queue.as_str(),
            "since": u64::try_from(nanos).unwrap_or(u64::MAX),
            "seconds": self.at.since(self.draining.since).as_secs(),
            "long": self.stuck,
            "applications": applications.iter().map(application).collect::<Vec<_>>(),
            "allocated": amounts(allocated),
            "admins": {"users": users, "groups": admins.groups},
        })
        .to_string()
    }
}

fn application(app: &DrainingApp) -> Value {
    json!({
        "applicationID": app.id.as_str(),
        "queueName": app.queue.as_str(),
        "user": app.who.user,
        "groups": app.who.groups,
        "applicationState": app.state.name(),
        "allocated": amounts(&app.allocated),
        "pending": amounts(&app.pending),
    })
}

fn amounts(resource: &Resource) -> Value {
    resource.iter().map(|(name, amount)| (name.to_owned(), Value::from(amount))).collect()
}

/// A report on its way.
struct Job {
    queue: String,
    document: Arc<str>,
}

/// What became of one try.
enum Outcome {
    Done,
    Failed(String),
    /// Nobody waits for it any more.
    Stopped,
}

/// The thread that tells. Dropping this lets it go: what waits is not told any more, what runs is left to itself.
pub struct Tell {
    jobs: SyncSender<Job>,
    _stop: Sender<()>,
}

impl Tell {
    /// Starts the thread. `failed` is called with one line and the reason when a report could not be handed out.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start(hook: Hook, failed: impl Fn(String, String) + Send + 'static) -> std::io::Result<Self> {
        let (jobs, inbox) = sync_channel(WAITING);
        let (stop, stopped) = channel();
        Builder::new().name("tell".to_owned()).spawn(move || Worker { hook, stopped, failed }.run(&inbox))?;
        Ok(Self { jobs, _stop: stop })
    }

    /// Hands in a report.
    ///
    /// # Errors
    /// Too many are waiting: one line for a person.
    pub fn tell(&self, report: &DrainReport, since: SystemTime) -> Result<(), String> {
        let queue = report.draining.queue.to_string();
        let job = Job { queue, document: report.document(since).into() };
        self.jobs.try_send(job).map_err(|error| {
            let job = match error {
                std::sync::mpsc::TrySendError::Full(job) | std::sync::mpsc::TrySendError::Disconnected(job) => job,
            };
            format!("the administrators of {} are not told: {WAITING} reports wait already", job.queue)
        })
    }
}

struct Worker<F> {
    hook: Hook,
    stopped: Receiver<()>,
    failed: F,
}

impl<F: Fn(String, String)> Worker<F> {
    fn run(&self, inbox: &Receiver<Job>) {
        while let Ok(job) = inbox.recv() {
            for way in &self.hook.ways {
                if self.stops_within(Duration::ZERO) {
                    return;
                }
                self.deliver(way, &job);
            }
        }
    }

    /// Tries until it works, with pauses that double.
    fn deliver(&self, way: &Way, job: &Job) {
        let mut why = String::new();
        for attempt in 0..=self.hook.retries {
            let pause = self.hook.pause.saturating_mul(1 << attempt.saturating_sub(1).min(20)).min(LONGEST_PAUSE);
            if attempt > 0 && self.stops_within(pause) {
                return;
            }
            let outcome = match way {
                Way::Command(words) => self.call(words, &job.document),
                Way::Webhook(address, authorities) => self.post(address, authorities.as_deref(), &job.document),
            };
            match outcome {
                Outcome::Done | Outcome::Stopped => return,
                Outcome::Failed(reason) => why = reason,
            }
        }
        let tries = match self.hook.retries {
            0 => "tried once".to_owned(),
            retries => format!("tried {} times", u64::from(retries) + 1),
        };
        (self.failed)(format!("the administrators of {} could not be told", job.queue), format!("{why}; {tries}"));
    }

    /// Whether the end comes within a time.
    fn stops_within(&self, time: Duration) -> bool {
        self.stopped.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
    }

    fn call(&self, words: &[String], document: &Arc<str>) -> Outcome {
        let [program, arguments @ ..] = words else { return Outcome::Done };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return Outcome::Failed(format!("{program} cannot be run: {error}")),
        };
        let said = match feed(&mut child, document) {
            Ok(said) => said,
            Err(error) => {
                // It gets nothing to read, so there is nothing for it to do.
                let _ = child.kill().and_then(|()| child.wait());
                return Outcome::Failed(format!("{program} cannot be fed: {error}"));
            }
        };
        let until = Instant::now() + self.hook.timeout;
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Outcome::Done,
                Ok(Some(status)) => {
                    let said = said.recv_timeout(LOOK_EVERY * 10).unwrap_or_default();
                    return Outcome::Failed(format!("{program}: {status}{}", last_words(&said)));
                }
                Ok(None) if Instant::now() >= until => {
                    // It may have ended this moment; both are fine.
                    let _ = child.kill().and_then(|()| child.wait());
                    return Outcome::Failed(format!(
                        "{program} took longer than {:?} and was ended",
                        self.hook.timeout
                    ));
                }
                Ok(None) if self.stops_within(LOOK_EVERY) => return Outcome::Stopped,
                Ok(None) => {}
                Err(error) => return Outcome::Failed(format!("{program}: {error}")),
            }
        }
    }

    fn post(&self, address: &str, authorities: Option<&Path>, document: &Arc<str>) -> Outcome {
        let client = match caller(address, authorities, self.hook.timeout) {
            Ok(client) => client,
            Err(why) => return Outcome::Failed(format!("the webhook: {why}")),
        };
        let request = client.post(address).header("content-type", "application/json").body(document.to_string());
        match request.send() {
            Ok(answer) if answer.status().is_success() => Outcome::Done,
            Ok(answer) => Outcome::Failed(format!("the webhook answers {}", answer.status())),
            Err(error) => Outcome::Failed(format!("the webhook: {}", causes(&error.without_url()))),
        }
    }
}

/// A client for one try: certificates may have been renewed since the last.
fn caller(address: &str, authorities: Option<&Path>, timeout: Duration) -> Result<Client, String> {
    // A provider that is already there, the REST client's, is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let told = |error: reqwest::Error| causes(&error.without_url());
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
            let found = Certificate::from_pem_bundle(&pem).map_err(told)?;
            if found.is_empty() {
                return Err(format!("{} has no certificate in PEM", file.display()));
            }
            builder.tls_certs_merge(found)
        }
        // Without TLS the system's certificates need not be read, nor be there.
        _ => builder.tls_certs_only([]),
    };
    builder.build().map_err(told)
}

/// Writes the document to a command, and listens to what it says on standard error; both beside it, so that neither side waits
/// for the other.
fn feed(child: &mut Child, document: &Arc<str>) -> std::io::Result<Receiver<String>> {
    let (tell, said) = channel();
    if let Some(mut stdin) = child.stdin.take() {
        let document = Arc::clone(document);
        Builder::new().name("tell-write".to_owned()).spawn(move || {
            // A command need not read what it is told.
            let _ = stdin.write_all(document.as_bytes());
        })?;
    }
    if let Some(mut stderr) = child.stderr.take() {
        Builder::new().name("tell-read".to_owned()).spawn(move || {
            let mut kept = Vec::new();
            // What cannot be read is not there; the rest is taken so that the command never waits for a reader.
            let _ = stderr.by_ref().take(KEPT as u64).read_to_end(&mut kept);
            let _ = tell.send(String::from_utf8_lossy(&kept).into_owned());
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

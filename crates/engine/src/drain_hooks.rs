//! Notifies the administrators of a draining queue with a command or a webhook, on its own thread.
//!
//! Invariants:
//! - [`DrainNotifier::notify`] never blocks: it fails if too many reports wait;
//! - the certificate of the webhook is checked, and redirects are not followed;
//! - data never becomes part of a command line: the report is JSON on standard input;
//! - each try has a time limit, and a final failure is reported once.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::Builder;
use std::time::{Duration, SystemTime};

use super::call::{Attempt, post, run};
use super::drain_report::DrainReport;
use config::settings::DrainConfig;

const WAITING: usize = 64;
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// The target and the retry policy.
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
    /// A URL, and a file with additional CA certificates.
    Webhook(String, Option<PathBuf>),
}

impl DrainHook {
    /// Returns the hook of a configuration; `None` if there is none.
    pub fn of(config: &DrainConfig) -> Option<Self> {
        let command = (!config.command.is_empty()).then(|| HookTarget::Command(config.command.clone()));
        let webhook = config.webhook.clone().map(|address| HookTarget::Webhook(address, config.authorities.clone()));
        let targets: Vec<HookTarget> = command.into_iter().chain(webhook).collect();
        let DrainConfig { timeout, retries, retry_pause: pause, .. } = *config;
        (!targets.is_empty()).then_some(Self { targets, timeout, retries, pause })
    }
}

struct Delivery {
    queue: String,
    document: Arc<str>,
}

/// The thread of a hook. Dropping it stops the thread: waiting reports are discarded, a running hook continues.
pub struct DrainNotifier {
    jobs: SyncSender<Delivery>,
    _stop: Sender<()>,
}

impl DrainNotifier {
    /// Starts the thread. `failed` is called with a title and a reason if a report could not be delivered.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(hook: DrainHook, failed: impl Fn(String, String) + Send + 'static) -> std::io::Result<Self> {
        let (jobs, inbox) = sync_channel(WAITING);
        let (stop, stopped) = channel();
        Builder::new().name("drain-hook".to_owned()).spawn(move || Worker { hook, stopped, failed }.run(&inbox))?;
        Ok(Self { jobs, _stop: stop })
    }

    /// Queues a report; `since` is the wall clock at the start of the drain.
    ///
    /// # Errors
    /// Returns a message if too many reports wait.
    pub fn notify(&self, report: &DrainReport, since: SystemTime) -> Result<(), String> {
        let queue = report.draining.queue.to_string();
        let job = Delivery { queue, document: report.document(since).into() };
        self.jobs.try_send(job).map_err(|error| {
            let job = match error {
                std::sync::mpsc::TrySendError::Full(job) | std::sync::mpsc::TrySendError::Disconnected(job) => job,
            };
            format!("cannot notify the administrators of {}: {WAITING} reports are queued already", job.queue)
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

    fn deliver(&self, target: &HookTarget, job: &Delivery) {
        let mut why = String::new();
        for attempt in 0..=self.hook.retries {
            let pause = self.hook.pause.saturating_mul(1 << attempt.saturating_sub(1).min(20)).min(LONGEST_PAUSE);
            if attempt > 0 && self.stops_within(pause) {
                return;
            }
            let outcome = match target {
                HookTarget::Command(words) => {
                    run(words, &job.document, self.hook.timeout, |time| self.stops_within(time))
                }
                HookTarget::Webhook(address, authorities) => {
                    post("the webhook", address, authorities.as_deref(), &job.document, self.hook.timeout)
                }
            };
            match outcome {
                Attempt::Done | Attempt::Stopped => return,
                Attempt::Failed(reason) => why = reason,
            }
        }
        let tries = match self.hook.retries {
            0 => "tried once".to_owned(),
            retries => format!("{} attempts failed", u64::from(retries) + 1),
        };
        (self.failed)(format!("cannot notify the administrators of {}", job.queue), format!("{why}; {tries}"));
    }

    fn stops_within(&self, time: Duration) -> bool {
        self.stopped.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
    }
}

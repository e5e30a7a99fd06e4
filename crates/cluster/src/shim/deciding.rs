//! The active scheduler: its mapping on the engine's thread, and its operations.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::configuration::Configured;
use super::core_sink::CoreSink;
use super::hands::Hands;
use super::review::Review;
use super::running::Started;
use super::time_of_day;
use engine::{Core, Engine};
use kubernetes::live::{Deed, Input, Live, Report, Weight};
use view::NoticeWeight;

const REVIEW: Duration = Duration::from_secs(1);

pub(super) struct Deciding {
    pub engine: Arc<Engine>,
    pub live: Option<Box<Live>>,
    pub review: Option<Box<Review>>,
    pub hands: Hands,
    pub configured: Configured,
    pub checked_at: Instant,
    /// Another process has the lease and acts.
    pub observes: bool,
}

impl Deciding {
    pub fn started(&self) -> Started {
        let (pods, notices) = match &self.live {
            Some(live) => (live.counts(), live.cluster().notices().to_vec()),
            None => Default::default(),
        };
        Started { engine: Arc::clone(&self.engine), configured: self.configured.clone(), pods, notices }
    }

    /// Returns the time until the next work.
    pub fn wait(&self) -> Duration {
        let due = self.live.as_ref().and_then(|live| live.next_due());
        let due = due.map_or(REVIEW, |due| due.since(time_of_day()));
        let words = if self.hands.has_words() { Duration::from_millis(100) } else { REVIEW };
        due.min(words).max(Duration::from_millis(1))
    }

    fn with<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Core, &mut Live) -> T + Send + 'static,
    ) -> Result<T, String> {
        let Some(mut live) = self.live.take() else { return Err("the mapping is lost".to_owned()) };
        let answer = self.engine.work(move |core| {
            let done = work(core, &mut live);
            (live, done)
        });
        let (live, done) = answer.recv().map_err(|_| "the scheduler has stopped".to_owned())?;
        self.live = Some(live);
        Ok(done)
    }

    pub fn batch(&mut self, inputs: Vec<Input>) -> Result<(), String> {
        let deeds = self.with(move |core, live| live.batch(time_of_day(), inputs, &mut CoreSink(core)))?;
        if !self.observes {
            self.hands.carry_out(deeds);
        }
        Ok(())
    }

    /// Applies the maps; an invalid one changes nothing (K8S-016, K8S-017).
    pub fn configure(&mut self, namespace: &str) -> Result<(), String> {
        let Some(live) = &self.live else { return Ok(()) };
        if !self.configured.hot_refresh {
            return Ok(());
        }
        let configured = match Configured::read(live.cluster(), namespace) {
            Ok(configured) => configured,
            Err(why) => {
                tracing::error!("the ConfigMaps in {namespace} have no effect: {why}");
                let title = format!("the ConfigMaps in {namespace} have no effect: {why}");
                return self.with(|core, _| core.notice(NoticeWeight::Warning, title, String::new()));
            }
        };
        let is_new = configured.queues != self.configured.queues;
        self.configured = configured;
        if is_new {
            let (name, text) =
                (format!("{} of the ConfigMaps in {namespace}", self.configured.key), self.configured.queues.clone());
            let before = self.with(move |core, _| {
                let before = core.scheduler().checksum().to_owned();
                core.reload(&name, text.as_bytes());
                before != core.scheduler().checksum()
            })?;
            tracing::info!("the queues of the ConfigMaps are {}", if before { "active" } else { "refused" });
            self.batch(vec![Input::Configured])?;
        }
        Ok(())
    }

    /// Reports why pods are pending.
    pub fn look(&mut self) -> Result<(), String> {
        self.hands.speak();
        if self.checked_at.elapsed() < REVIEW {
            return Ok(());
        }
        self.checked_at = Instant::now();
        let Some(mut review) = self.review.take() else { return Ok(()) };
        let (review, waits) = self.with(move |core, live| {
            let waits = review.look(core, live);
            (review, waits)
        })?;
        self.review = Some(review);
        let mut deeds = Vec::new();
        for wait in waits {
            if wait.needs_nodes {
                self.hands.set_unschedulable(wait.pod.clone(), wait.words.clone());
            }
            let (pod, message) = (wait.pod, wait.words);
            let (weight, reason) = (Weight::Warning, "FailedScheduling");
            deeds.push(Deed::Report(Report { pod, weight, reason, action: "Scheduling", message }));
        }
        self.hands.carry_out(deeds);
        Ok(())
    }
}

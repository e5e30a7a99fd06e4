//! A kornsole scheduler in the visible state of a remote one, to explain its decisions and to test changes.
//!
//! Invariants:
//! - pure: a view in, a scheduler out;
//! - invisible state ([`Twin::unknown`]) and differences from the reported state ([`Twin::differs`]) are listed;
//! - a copy with different usage or pending requests of queues explains nothing: it reports the difference.

mod agreement;
mod blocked;
mod differences;
mod layout;
mod replay;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::whatif::{Fork, NoFork, Pace, try_remedies};
pub use agreement::Agreement;
use kubernetes::{AskSeen, BlockedPod, ClusterContext, Listed};
use model::{AppId, AskId, Profile, Time};
use scheduler::{Partition, Scheduler};
use view::act::{Code, Refusal};
use view::waiting::{Asked, Finding, answer};
use view::{AskRow, AskState, PartitionView};

/// A scheduler in the state of a remote partition.
#[derive(Clone, Debug)]
pub struct Twin {
    scheduler: Scheduler,
    partition: Arc<str>,
    now: Time,
    unknown: Vec<String>,
    differs: Vec<String>,
    text: Option<Arc<str>>,
    reported: BTreeMap<(AppId, AskId), Arc<str>>,
    /// Ineffective gang settings, by request.
    hints: BTreeMap<AskId, Vec<String>>,
    /// Pods that are not requested yet, by application.
    blocked: BTreeMap<AppId, Vec<BlockedPod>>,
}

impl Twin {
    /// Creates a copy with the decisions of `profile`.
    ///
    /// # Errors
    /// The partition is not loaded yet.
    pub fn of(part: &PartitionView, profile: Profile, now: Time) -> Result<Self, String> {
        Self::made(part, profile, now, None)
    }

    /// Creates a copy with the pods, nodes, and filters of Kubernetes.
    ///
    /// # Errors
    /// The partition is not loaded yet.
    pub fn in_kubernetes(part: &PartitionView, profile: Profile, now: Time, listed: Listed) -> Result<Self, String> {
        let rows = part.apps.iter().flatten().filter(|row| !row.state.is_ended());
        let asks: Vec<AskSeen<'_>> = rows.flat_map(|row| row.asks.values().map(|ask| seen(ask))).collect();
        let context = ClusterContext::of(listed, &asks, part.nodes.values().map(|node| &node.id));
        Self::made(part, profile, now, Some(&context))
    }

    fn made(
        part: &PartitionView,
        profile: Profile,
        now: Time,
        context: Option<&ClusterContext>,
    ) -> Result<Self, String> {
        let config = layout::config(part)?;
        let mut unknown = unseen(profile, context);
        let mut scheduler = Scheduler::new(profile);
        replay::replay(&mut scheduler, (part, context), config, now, &mut unknown);
        replay::dynamic(&mut scheduler, part);
        for own in scheduler.partitions_mut().iter_mut().filter(|own| own.name == part.name) {
            let blocked = part.apps.iter().flatten().filter_map(|row| Some((&row.id, row.backoff_until?)));
            blocked.for_each(|(app, until)| own.back_off_until(app, until));
        }
        let hints = context.map(|context| context.hints().clone()).unwrap_or_default();
        let blocked = context.map(|context| context.blocked().clone()).unwrap_or_default();
        let (partition, reported) = (Arc::clone(&part.name), reported(part));
        let mut twin =
            Self { scheduler, partition, now, unknown, differs: Vec::new(), text: None, reported, hints, blocked };
        twin.differs = match twin.partition() {
            Some(own) => differences::between(own, part),
            None => vec!["cannot create its queues".to_owned()],
        };
        Ok(twin)
    }

    /// Allows tests of configuration changes.
    #[must_use]
    pub fn with_text(self, text: Option<Arc<str>>) -> Self {
        Self { text, ..self }
    }

    /// Lists parts of the state that could not be read.
    #[must_use]
    pub fn without(mut self, parts: &[String]) -> Self {
        self.unknown.extend_from_slice(parts);
        self
    }

    /// Fails if the copy differs from the report.
    pub fn explain(&self, of: &Asked) -> Result<Finding, Refusal> {
        let part = self.partition().ok_or_else(|| Refusal::not_found("partition", &self.partition))?;
        let found = answer(part, self.now, of);
        // An object that does not exist is unknown to an accurate copy too.
        let is_known = !found.as_ref().is_err_and(|refusal| refusal.code == Code::NotFound);
        if is_known && !self.differs.is_empty() {
            let differs = self.differs.join("; ");
            let why = format!("the simulation copy differs from its source state: {differs}{}", self.words_for(of));
            return Err(Refusal::new(Code::Unavailable, format!("cannot explain {of}"), why));
        }
        let mut found = found?;
        if let Finding::App(found) = &mut found
            && let Ok(fork) = self.fork(usize::MAX)
        {
            try_remedies(&fork, found);
        }
        if let Finding::App(found) = &mut found {
            // Its own cycles during the creation are no history.
            found.asks.iter_mut().for_each(|ask| ask.found.clear());
            if matches!(of, Asked::App(_, None)) {
                blocked::add(found, &self.blocked);
            }
        }
        Ok(found)
    }

    /// Returns the remote scheduler's reason why no node accepted a request.
    pub fn reported(&self, app: &AppId, ask: &AskId) -> Option<Arc<str>> {
        self.reported.get(&(app.clone(), ask.clone())).map(Arc::clone)
    }

    /// Returns the remote scheduler's reason, as the end of a sentence; may be empty.
    pub fn words_for(&self, of: &Asked) -> String {
        let Asked::App(app, ask) = of else { return String::new() };
        let of_app =
            |((of, id), _): &(&(AppId, AskId), &Arc<str>)| of == app && ask.as_ref().is_none_or(|ask| ask == id);
        let found = self.reported.iter().find(of_app);
        found
            .map(|((_, id), reported)| format!("; the scheduler reports for request {id}: {reported}"))
            .unwrap_or_default()
    }

    /// Lists the invisible state, one line each.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Returns the differences from the reported state.
    pub fn differs(&self) -> &[String] {
        &self.differs
    }

    /// Lists ineffective gang settings, each once.
    pub fn hints<'a>(&self, asks: impl Iterator<Item = &'a AskId>) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for hint in asks.filter_map(|ask| self.hints.get(ask)).flatten() {
            if !found.contains(hint) {
                found.push(hint.clone());
            }
        }
        found
    }

    /// Returns the release that it decides like.
    pub fn profile(&self) -> Profile {
        self.scheduler.switches().profile
    }

    /// Returns the time of its view.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Fails if two copies exceed `most` bytes.
    pub fn fork(&self, most: usize) -> Result<Fork, NoFork> {
        let moment = (self.now, Pace::initial(self.now));
        Fork::of(&self.scheduler, Some(&self.partition), moment, self.text.clone(), most)
    }

    /// Rejects a copy that differs from the reported state.
    ///
    /// # Errors
    /// It differs, or is too large.
    pub fn trusted_fork(&self, most: usize) -> Result<Fork, String> {
        if !self.differs.is_empty() {
            return Err(format!("the simulation copy differs from its source state: {}", self.differs.join("; ")));
        }
        self.fork(most).map_err(|why| why.to_string())
    }

    fn partition(&self) -> Option<&Partition> {
        self.scheduler.partitions().iter().find(|part| part.name == self.partition)
    }
}

fn reported(part: &PartitionView) -> BTreeMap<(AppId, AskId), Arc<str>> {
    let apps = part.apps.iter().flatten();
    let asks = apps.flat_map(|app| app.asks.values().map(move |ask| (app, ask)));
    asks.filter_map(|(app, ask)| Some(((app.id.clone(), ask.id.clone()), Arc::clone(ask.reported.as_ref()?)))).collect()
}

fn seen(ask: &AskRow) -> AskSeen<'_> {
    AskSeen { id: &ask.id, tags: &ask.tags, pending: matches!(ask.state, AskState::Pending { .. }) }
}

fn unseen(profile: Profile, context: Option<&ClusterContext>) -> Vec<String> {
    let history = "how long a request has waited for its current cause, and its earlier causes".to_owned();
    if profile == Profile::Kornsole {
        return vec![history];
    }
    let mut unseen = vec![history, "the order of events within one second".to_owned()];
    match context {
        Some(context) => unseen.extend_from_slice(context.unknown()),
        None => unseen.extend([
            "the resource manager's own conditions: node selectors, taints, affinity, volumes".to_owned(),
            "whether a request can preempt or be preempted: assumed to be true".to_owned(),
        ]),
    }
    if profile == Profile::V1_5_1 {
        unseen.push("reservations, and the time of an allocation".to_owned());
    }
    unseen
}

//! Audit entries: one per change or rejection, with the facts before and after (REST E11).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::journal::record::WallTime;
use super::state::State;
use ::config::{self, Config};
use model::{AppId, Identity, NodeId, QueueState};
use scheduler::{Command, Event, EventKind, Partition, PartitionCommand};
use view::act::{Act, Actor, ActsFrom, Code, LONGEST_REASON, LoadedBy, Order, PartitionAct, Refusal};
use view::audit::{self, AuditEntry, Facts, LONGEST_WHY, Revision, RevisionSource};
use view::drain::span;

/// The longest object name, in characters: an HTTP request can contain any name.
const LONGEST_OBJECT: usize = 256;

pub(super) struct ConfigOrigin {
    pub by: LoadedBy,
    source: RevisionSource,
    reason: String,
    /// `None` reads the clock.
    wall: Option<WallTime>,
}

impl From<LoadedBy> for ConfigOrigin {
    /// Files and the start have no order.
    fn from(by: LoadedBy) -> Self {
        let source = match &by {
            LoadedBy::Start => RevisionSource::Start,
            LoadedBy::File => RevisionSource::File,
            LoadedBy::Workload => RevisionSource::Workload,
            LoadedBy::Seen => RevisionSource::Seen,
            LoadedBy::User(_) => RevisionSource::Api,
            LoadedBy::RolledBack(_) => RevisionSource::Rollback(0),
        };
        Self { by, source, reason: String::new(), wall: None }
    }
}

impl ConfigOrigin {
    /// An order, possibly a rollback.
    pub fn order(actor: &Actor, order: &Order, wall: Option<WallTime>) -> Self {
        let user = actor.user().to_owned();
        let (by, source) = match (&order.act, &actor.from) {
            (Act::Rollback { revision, .. }, _) => (LoadedBy::RolledBack(user), RevisionSource::Rollback(*revision)),
            (_, ActsFrom::Console) => (LoadedBy::User(user), RevisionSource::Console),
            (_, ActsFrom::Api { .. }) => (LoadedBy::User(user), RevisionSource::Api),
            (_, ActsFrom::File(_)) => (LoadedBy::User(user), RevisionSource::File),
            (_, ActsFrom::Workload) => (LoadedBy::User(user), RevisionSource::Workload),
        };
        Self { by, source, reason: order.reason.clone(), wall }
    }

    pub fn file(wall: WallTime) -> Self {
        Self { wall: Some(wall), ..Self::from(LoadedBy::File) }
    }

    fn user(&self) -> &str {
        match &self.by {
            LoadedBy::User(user) | LoadedBy::RolledBack(user) => user,
            LoadedBy::Start | LoadedBy::File | LoadedBy::Workload | LoadedBy::Seen => "",
        }
    }
}

/// Records an order that was rejected before its execution. `wall` is the recorded time, here and in the functions that
/// follow; `None` reads the clock.
pub(super) fn enter_refusal(state: &State, actor: &Actor, order: &Order, refusal: &Refusal, wall: Option<WallTime>) {
    if !order.act.is_dry_run() {
        let before = facts(state, &order.act);
        enter(state, actor, order, before, Err(refusal), wall);
    }
}

pub(super) fn enter(
    state: &State,
    actor: &Actor,
    order: &Order,
    before: Facts,
    outcome: Result<(), &Refusal>,
    wall: Option<WallTime>,
) {
    let act = &order.act;
    let after = if outcome.is_ok() { facts(state, act) } else { Facts::new() };
    let request = match &actor.from {
        ActsFrom::Api { request, .. } => request.to_string(),
        _ => String::new(),
    };
    let refusal = outcome.err();
    state.audit_log.enter(AuditEntry {
        id: 0,
        at: state.now,
        wall: state.wall_nanos(wall),
        user: actor.user().to_owned(),
        groups: actor.identity.groups.clone(),
        address: audit::address(&actor.from),
        action: audit::action(act).to_owned(),
        partition: act.partition().map(ToString::to_string).unwrap_or_default(),
        object: audit::object(act).chars().take(LONGEST_OBJECT).collect(),
        allowed: refusal.is_none(),
        code: refusal.map(|refusal| refusal.code.name().to_owned()).unwrap_or_default(),
        why: refusal.map(|refusal| refusal.to_string().chars().take(LONGEST_WHY).collect()).unwrap_or_default(),
        reason: order.reason.chars().take(LONGEST_REASON).collect(),
        before,
        after,
        request,
    });
}

/// Records a configuration from its file or from the workload.
pub(super) fn enter_load(state: &State, from: ActsFrom, before: Facts, refused: Option<&str>, wall: Option<WallTime>) {
    let actor = Actor { from, ..Actor::from(Identity::default()) };
    let act = Act::Configure { text: String::new(), base: None, dry_run: false };
    let refusal = refused.map(|why| Refusal::new(Code::ConfigInvalid, "the configuration was rejected", why));
    enter(state, &actor, &Order::from(act), before, refusal.as_ref().map_or(Ok(()), Err), wall);
}

/// A command of the workload as an order, with the facts before it.
pub(super) type WorkloadOrder = (Actor, Order, Facts);

/// `None` if it is not an order.
pub(super) fn workload_order(state: &State, command: &Command) -> Option<WorkloadOrder> {
    let Command::In { partition, command } = command else { return None };
    let (app, by, reason, to) = match command {
        PartitionCommand::Kill { app, by, reason } => (app, by, reason.as_str(), None),
        PartitionCommand::Move { app, to, by } => (app, by, "", Some(to)),
        _ => return None,
    };
    let first = || state.scheduler.partitions().first().map(|part| Arc::clone(&part.name));
    let partition = partition.clone().or_else(first)?;
    let (app, expect_queue) = (app.clone(), None);
    let act = match to {
        None => PartitionAct::Kill { app, expect_queue },
        Some(to) => PartitionAct::Move { app, to: to.clone(), expect_queue, dry_run: false },
    };
    let order = Order::new(Act::within(&partition, act), reason);
    let facts = facts(state, &order.act);
    Some((Actor { from: ActsFrom::Workload, ..Actor::from(by.clone()) }, order, facts))
}

pub(super) fn enter_workload_order(state: &State, order: Option<WorkloadOrder>, events: &[Event]) {
    let Some((actor, order, before)) = order else { return };
    let refusal = events.iter().find_map(|event| match &event.kind {
        EventKind::Denied { why, .. } => Some(Refusal::denied(&actor, &order.act, why)),
        EventKind::Refused { message } => Some(Refusal::new(Code::NotFound, message.clone(), "")),
        _ => None,
    });
    enter(state, &actor, &order, before, refusal.as_ref().map_or(Ok(()), Err), None);
}

/// Records the active configuration as a revision, or its text once that is known.
pub(super) fn revise(state: &State, text: Option<Arc<str>>, changes: usize, origin: &ConfigOrigin) {
    state.audit_log.revise(Revision {
        number: state.active_config.revision,
        checksum: state.active_config.config.checksum.clone(),
        at: state.now,
        wall: state.wall_nanos(origin.wall),
        by: origin.user().to_owned(),
        reason: origin.reason.clone(),
        source: origin.source,
        changes,
        text,
    });
}

pub(super) fn facts(state: &State, act: &Act) -> Facts {
    match act {
        Act::Configure { .. } | Act::Rollback { .. } => config_facts(state),
        Act::Pause | Act::Resume => vec![fact("state", if state.paused { "resting" } else { "running" })],
        Act::Silence { rule, subject, lasts } => {
            let given = [("rule", rule), ("subject", subject)].into_iter().filter(|(_, text)| !text.is_empty());
            let mut facts: Facts = given.map(|(name, text)| fact(name, text.as_str())).collect();
            facts.push(fact("for", span(*lasts)));
            facts
        }
        Act::EndSilence { silence, .. } => vec![fact("silence", silence.to_string())],
        Act::In { partition, act } => {
            let parts = state.scheduler.partitions();
            let part = parts.iter().find(|part| part.name == *partition);
            part.map(|part| within(part, act)).unwrap_or_default()
        }
    }
}

pub(super) fn config_facts(state: &State) -> Facts {
    vec![fact("revision", state.active_config.revision), fact("checksum", state.scheduler.checksum())]
}

pub(super) fn count_changes(old: &Config, new: &Config) -> usize {
    if old.partitions.is_empty() { 0 } else { config::diff(old, new).changes.len() }
}

fn fact(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

fn within(part: &Partition, act: &PartitionAct) -> Facts {
    match act {
        PartitionAct::Kill { app, .. }
        | PartitionAct::Move { app, .. }
        | PartitionAct::Ask { app, .. }
        | PartitionAct::Release { app, .. }
        | PartitionAct::Remove { app } => app_facts(part, app),
        PartitionAct::Submit(submission) => app_facts(part, &submission.app),
        PartitionAct::AddNode(spec) => node_facts(part, &spec.id),
        PartitionAct::UpdateNode { id, .. } | PartitionAct::RemoveNode { id, .. } => node_facts(part, id),
        PartitionAct::DrainNode(id) | PartitionAct::ResumeNode(id) => node_facts(part, id),
        PartitionAct::Clean { .. } => {
            let mut queues: BTreeMap<bool, usize> = BTreeMap::new();
            part.queues.iter().for_each(|queue| *queues.entry(queue.state == QueueState::Draining).or_default() += 1);
            let count = |draining| queues.get(&draining).copied().unwrap_or(0);
            let all = count(true) + count(false);
            vec![fact("queues", all), fact("draining", count(true)), fact("ended applications", part.ended.len())]
        }
    }
}

fn app_facts(part: &Partition, id: &AppId) -> Facts {
    let app = part.app(id).or_else(|| part.ended_app(id).map(|app| &**app));
    let Some(app) = app else { return Facts::new() };
    vec![
        fact("queue", &app.queue_path),
        fact("state", app.state),
        fact("allocations", app.allocations.len()),
        fact("pending requests", app.pending_order.len()),
    ]
}

fn node_facts(part: &Partition, id: &NodeId) -> Facts {
    let Some(key) = part.nodes.find(id) else { return Facts::new() };
    let node = &part.nodes[key];
    vec![
        fact("state", if node.schedulable { "schedulable" } else { "drained" }),
        fact("capacity", &node.total),
        fact("used by others", &node.occupied),
        fact("allocations", node.allocations.len()),
    ]
}

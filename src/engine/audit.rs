//! What goes into the ledger: an entry for each changing act, with what it found and what it left (REST E11).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::core::Core;
use crate::config::{self, Config};
use crate::model::{AppId, Identity, NodeId, QueueState};
use crate::scheduler::{Command, Event, EventKind, Partition, PartitionCommand};
use crate::view::act::{Act, Actor, ActsFrom, Code, LONGEST_REASON, LoadedBy, Order, PartitionAct, Refusal};
use crate::view::ledger::{self, AuditEntry, Facts, Revision, RevisionSource};

/// The longest name of an object in an entry, in characters: a request may name anything.
const LONGEST_OBJECT: usize = 256;
/// The longest text of a refusal in an entry, in characters: a text may have any number of faults.
const LONGEST_WHY: usize = 2_000;

/// Whose doing a configuration is, and why it came.
pub(super) struct Origin {
    pub by: LoadedBy,
    source: RevisionSource,
    reason: String,
}

impl From<LoadedBy> for Origin {
    /// Nobody's order.
    fn from(by: LoadedBy) -> Self {
        let source = match &by {
            LoadedBy::Start => RevisionSource::Start,
            LoadedBy::File => RevisionSource::File,
            LoadedBy::Workload => RevisionSource::Workload,
            LoadedBy::User(_) => RevisionSource::Api,
            LoadedBy::RolledBack(_) => RevisionSource::Rollback(0),
        };
        Self { by, source, reason: String::new() }
    }
}

impl Origin {
    /// An order of somebody, which may bring an older revision back.
    pub fn order(actor: &Actor, order: &Order) -> Self {
        let user = actor.user().to_owned();
        let (by, source) = match (&order.act, &actor.from) {
            (Act::Rollback { revision, .. }, _) => (LoadedBy::RolledBack(user), RevisionSource::Rollback(*revision)),
            (_, ActsFrom::Console) => (LoadedBy::User(user), RevisionSource::Console),
            (_, ActsFrom::Api { .. }) => (LoadedBy::User(user), RevisionSource::Api),
            (_, ActsFrom::File(_)) => (LoadedBy::User(user), RevisionSource::File),
            (_, ActsFrom::Workload) => (LoadedBy::User(user), RevisionSource::Workload),
        };
        Self { by, source, reason: order.reason.clone() }
    }

    fn user(&self) -> &str {
        match &self.by {
            LoadedBy::User(user) | LoadedBy::RolledBack(user) => user,
            LoadedBy::Start | LoadedBy::File | LoadedBy::Workload => "",
        }
    }
}

impl Core {
    /// Takes note that an order was refused before it came to the scheduler: its text was not valid.
    pub fn refused(&mut self, actor: &Actor, order: &Order, refusal: &Refusal) {
        if !order.act.is_dry_run() {
            let before = self.facts(&order.act);
            self.enter(actor, order, before, Err(refusal));
        }
    }

    /// Writes what somebody wanted and what came of it.
    pub(super) fn enter(&self, actor: &Actor, order: &Order, before: Facts, outcome: Result<(), &Refusal>) {
        let act = &order.act;
        let after = if outcome.is_ok() { self.facts(act) } else { Facts::new() };
        let request = match &actor.from {
            ActsFrom::Api { request, .. } => request.to_string(),
            _ => String::new(),
        };
        let refusal = outcome.err();
        self.ledger().enter(AuditEntry {
            id: 0,
            at: self.now(),
            wall: self.wall(),
            user: actor.user().to_owned(),
            groups: actor.identity.groups.clone(),
            address: ledger::address(&actor.from),
            action: ledger::action(act).to_owned(),
            partition: act.partition().map(ToString::to_string).unwrap_or_default(),
            object: ledger::object(act).chars().take(LONGEST_OBJECT).collect(),
            allowed: refusal.is_none(),
            code: refusal.map(|refusal| refusal.code.name().to_owned()).unwrap_or_default(),
            why: refusal.map(|refusal| refusal.to_string().chars().take(LONGEST_WHY).collect()).unwrap_or_default(),
            reason: order.reason.chars().take(LONGEST_REASON).collect(),
            before,
            after,
            request,
        });
    }

    /// Writes what the configuration's file brought.
    pub(super) fn enter_reload(&self, name: &str, before: Facts, refused: Option<&str>) {
        self.enter_load(ActsFrom::File(Arc::from(name)), before, refused);
    }

    /// Writes what a configuration of the workload led to.
    pub(super) fn enter_step(&self, before: Facts, refused: Option<&str>) {
        self.enter_load(ActsFrom::Workload, before, refused);
    }

    fn enter_load(&self, from: ActsFrom, before: Facts, refused: Option<&str>) {
        let actor = Actor { from, ..Actor::from(Identity::default()) };
        let act = Act::Configure { text: String::new(), base: None, dry_run: false };
        let refusal = refused.map(|why| Refusal::new(Code::ConfigInvalid, "the configuration was refused", why));
        self.enter(&actor, &Order::from(act), before, refusal.as_ref().map_or(Ok(()), Err));
    }

    /// What to remember of a command of the workload before it is carried out: of those that a person could have ordered.
    pub(super) fn before_duty(&self, command: &Command) -> Option<(Actor, Order, Facts)> {
        let Command::In { partition, command } = command else { return None };
        let (app, by, reason, to) = match command {
            PartitionCommand::Kill { app, by, reason } => (app, by, reason.as_str(), None),
            PartitionCommand::Move { app, to, by } => (app, by, "", Some(to)),
            _ => return None,
        };
        let named = || self.scheduler().partitions().first().map(|part| Arc::clone(&part.name));
        let partition = partition.clone().or_else(named)?;
        let (app, expect_queue) = (app.clone(), None);
        let act = match to {
            None => PartitionAct::Kill { app, expect_queue },
            Some(to) => PartitionAct::Move { app, to: to.clone(), expect_queue, dry_run: false },
        };
        let order = Order { act: Act::within(&partition, act), reason: reason.to_owned() };
        let facts = self.facts(&order.act);
        Some((Actor { from: ActsFrom::Workload, ..Actor::from(by.clone()) }, order, facts))
    }

    /// Writes what came of a command of the workload.
    pub(super) fn enter_duty(&self, noted: Option<(Actor, Order, Facts)>, events: &[Event]) {
        let Some((actor, order, before)) = noted else { return };
        let refusal = events.iter().find_map(|event| match &event.kind {
            EventKind::Denied { why, .. } => Some(Refusal::denied(&actor, &order.act, why)),
            EventKind::Refused { message } => Some(Refusal::new(Code::NotFound, message.clone(), "")),
            _ => None,
        });
        self.enter(&actor, &order, before, refusal.as_ref().map_or(Ok(()), Err));
    }

    /// Writes a configuration that came into force, or how one is written that did.
    pub(super) fn revise(&self, text: Option<Arc<str>>, changes: usize, origin: &Origin) {
        self.ledger().revise(Revision {
            number: self.in_force.revision(),
            checksum: self.in_force.checksum(),
            at: self.now(),
            wall: self.wall(),
            by: origin.user().to_owned(),
            reason: origin.reason.clone(),
            source: origin.source,
            changes,
            text,
        });
    }

    /// What is so of the thing that an act is about.
    pub(super) fn facts(&self, act: &Act) -> Facts {
        match act {
            Act::Configure { .. } | Act::Rollback { .. } => self.config_facts(),
            Act::Pause | Act::Resume => vec![fact("state", if self.rests() { "resting" } else { "running" })],
            Act::In { partition, act } => {
                let parts = self.scheduler().partitions();
                let part = parts.iter().find(|part| part.name == *partition);
                part.map(|part| within(part, act)).unwrap_or_default()
            }
        }
    }

    /// What is so of the configuration.
    pub(super) fn config_facts(&self) -> Facts {
        vec![fact("revision", self.in_force.revision()), fact("checksum", self.scheduler().checksum())]
    }
}

/// How many settings are different in a configuration; none where there was none before.
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
        fact("pending asks", app.pending_order.len()),
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

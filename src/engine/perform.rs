//! Orders: the one road by which anybody changes a running scheduler (REST Part II).
//!
//! Every right is checked here, on the scheduler's own state, right before the command is given; so no order can pass by a check
//! that another one goes through. What is refused has changed nothing.

use std::sync::Arc;

use super::core::Core;
use crate::model::{AppId, AskId, NodeId, QueuePath, Resource};
use crate::scheduler::placement::{PlacementOutcome, access};
use crate::scheduler::state::app::Application;
use crate::scheduler::{AskSpec, Command, Event, EventKind, Partition, PartitionCommand, Submission};
use crate::view::act::may::queue_changed;
use crate::view::act::{
    AclKind, Act, Actor, Asked, Cleaned, Code, Details, Done, Kept, Killed, LONGEST_REASON, MOST_ASKS, Moved, NodeDone,
    Order, PartitionAct, Reason, Refusal, Released, Submitted,
};

/// Who acts how on which partition.
struct Within<'a> {
    actor: &'a Actor,
    order: &'a Order,
    partition: &'a Arc<str>,
}

impl Core {
    /// Carries out an order now, whole or not at all; cycles follow with the next [`Core::run_until`].
    ///
    /// This is also the one place that knows who wanted what, why, and what came of it: it writes that into the ledger, unless
    /// nothing was to be done anyway.
    ///
    /// # Errors
    /// Which check refused, and what would be needed. Nothing was done.
    pub fn perform(&mut self, actor: &Actor, order: &Order) -> Result<Done, Refusal> {
        if order.act.is_dry_run() {
            return self.perform_checked(actor, order);
        }
        let before = self.facts(&order.act);
        let outcome = self.perform_checked(actor, order);
        self.enter(actor, order, before, outcome.as_ref().map(drop));
        outcome
    }

    fn perform_checked(&mut self, actor: &Actor, order: &Order) -> Result<Done, Refusal> {
        if let Some(refusal) = Self::refused_at_once(actor, order) {
            return Err(refusal);
        }
        match &order.act {
            Act::Configure { text, base, dry_run } => self
                .reconfigure(actor, order, text, base.as_deref(), *dry_run)
                .map(|done| Done::Configured(Box::new(done))),
            Act::Rollback { revision, base, dry_run } => self
                .roll_back(actor, order, *revision, base.as_deref(), *dry_run)
                .map(|done| Done::Configured(Box::new(done))),
            Act::Pause | Act::Resume if !actor.scheduler_admin => Err(Refusal::no_scheduler_acl(actor, &order.act)),
            Act::Pause => {
                self.rest();
                Ok(Done::Paused)
            }
            Act::Resume => {
                self.go_on();
                Ok(Done::Resumed)
            }
            Act::In { partition, act } => self.perform_within(&Within { actor, order, partition }, act),
        }
    }

    /// Why an order is refused whatever the scheduler's state.
    pub(super) fn refused_at_once(actor: &Actor, order: &Order) -> Option<Refusal> {
        let long = order.reason.chars().count();
        let too_long = || {
            let text = format!("it has {long} characters, at most {LONGEST_REASON} are kept");
            Refusal::new(Code::BadRequest, "the reason is too long", text)
        };
        Refusal::read_only(actor, &order.act).or_else(|| (long > LONGEST_REASON).then(too_long))
    }

    fn perform_within(&mut self, at: &Within<'_>, act: &PartitionAct) -> Result<Done, Refusal> {
        match act {
            PartitionAct::Kill { app, expect_queue } => self.order_kill(at, app, expect_queue.as_ref()),
            PartitionAct::Move { app, to, expect_queue, dry_run } => {
                self.order_move(at, app, to, expect_queue.as_ref(), *dry_run)
            }
            PartitionAct::Clean { queues, applications, dry_run } => {
                self.order_clean(at, *queues, *applications, *dry_run)
            }
            PartitionAct::Submit(submission) => self.order_submit(at, submission),
            PartitionAct::Ask { app, asks } => self.order_asks(at, app, asks),
            PartitionAct::Release { app, ask } => self.order_release(at, app, ask),
            PartitionAct::Remove { app } => self.order_remove(at, app),
            PartitionAct::AddNode(_)
            | PartitionAct::UpdateNode { .. }
            | PartitionAct::DrainNode(_)
            | PartitionAct::ResumeNode(_)
            | PartitionAct::RemoveNode { .. } => self.order_node(at, act),
        }
    }

    /// Gives a command that every check has passed. With a journal the whole order is kept already ([`super::journal`]).
    fn commit(&mut self, at: &Within<'_>, command: PartitionCommand) -> Vec<Event> {
        self.apply(&Command::In { partition: Some(Arc::clone(at.partition)), command })
    }

    fn part(&self, at: &Within<'_>) -> Result<&Partition, Refusal> {
        let found = self.scheduler().partitions().iter().find(|part| part.name == *at.partition);
        found.ok_or_else(|| Refusal::not_found("partition", at.partition))
    }

    fn order_kill(&mut self, at: &Within<'_>, app: &AppId, expect: Option<&QueuePath>) -> Result<Done, Refusal> {
        let part = self.part(at)?;
        let key = part.may_kill(app, &at.actor.identity).map_err(|why| at.denied(&why))?;
        let queue = part.apps[key].queue_path.clone();
        at.expected(&queue, expect)?;
        let (by, reason) = (at.actor.identity.clone(), at.order.reason.clone());
        let events = self.commit(at, PartitionCommand::Kill { app: app.clone(), by, reason });
        Ok(Done::Killed(self.ended(at, app, queue, &events)))
    }

    fn order_remove(&mut self, at: &Within<'_>, app: &AppId) -> Result<Done, Refusal> {
        let queue = at.own(self.part(at)?, app)?.queue_path.clone();
        let events = self.commit(at, PartitionCommand::Remove { app: app.clone() });
        Ok(Done::Removed(self.ended(at, app, queue, &events)))
    }

    /// What an application lost that ended just now.
    fn ended(&self, at: &Within<'_>, app: &AppId, queue: QueuePath, events: &[Event]) -> Killed {
        let part = self.part(at).ok();
        let live = part.and_then(|part| part.app(app));
        let state = live.or_else(|| Some(&**part?.ended_app(app)?)).map(|app| app.state).unwrap_or_default();
        let left = live.map_or(0, |app| app.asks.len());
        let released = events.iter().filter_map(|event| match &event.kind {
            EventKind::Released { app: whose, ask, .. } if whose == app => Some(ask.clone()),
            _ => None,
        });
        let withdrawn = events.iter().filter_map(|event| match &event.kind {
            EventKind::AskRemoved { app: whose, ask, .. } if whose == app => Some(ask.clone()),
            _ => None,
        });
        let (released, withdrawn) = (released.collect(), withdrawn.collect());
        Killed { app: app.clone(), queue, state, released, withdrawn, left }
    }

    fn order_move(
        &mut self,
        at: &Within<'_>,
        app: &AppId,
        to: &QueuePath,
        expect: Option<&QueuePath>,
        dry_run: bool,
    ) -> Result<Done, Refusal> {
        let part = self.part(at)?;
        let key = part.may_kill(app, &at.actor.identity).map_err(|why| at.denied(&why))?;
        let from = part.apps[key].queue_path.clone();
        at.expected(&from, expect)?;
        part.may_move(app, to, &at.actor.identity).map_err(|why| at.denied(&why))?;
        let moving = &part.apps[key];
        let effects = move_effects(moving, to);
        let done = Moved { app: app.clone(), from, to: to.clone(), state: moving.state, effects, dry_run };
        if !dry_run {
            let by = at.actor.identity.clone();
            self.commit(at, PartitionCommand::Move { app: app.clone(), to: to.clone(), by });
        }
        Ok(Done::Moved(done))
    }

    fn order_clean(
        &mut self,
        at: &Within<'_>,
        queues: bool,
        applications: bool,
        dry_run: bool,
    ) -> Result<Done, Refusal> {
        let part = self.part(at)?;
        let root = QueuePath::root();
        if !at.actor.scheduler_admin && access::admin(&part.queues, root.as_str(), &at.actor.identity).is_none() {
            return Err(Refusal::no_access(at.actor, &at.order.act, &root, AclKind::Admin));
        }
        let plan = if queues { part.cleaning_plan() } else { Default::default() };
        let expired = if applications { part.expired(self.now()) } else { 0 };
        let kept =
            plan.draining.into_iter().map(|(queue, apps)| Kept { queue, why: counted(apps as usize, "application") });
        let done =
            Cleaned { removed_queues: plan.removed, kept: kept.collect(), removed_applications: expired, dry_run };
        if !dry_run {
            self.commit(at, PartitionCommand::Clean { queues, applications });
        }
        Ok(Done::Cleaned(done))
    }

    /// Submission in one's own name, into a queue that one may submit to (REST E1).
    fn order_submit(&mut self, at: &Within<'_>, submission: &Submission) -> Result<Done, Refusal> {
        let part = self.part(at)?;
        let app = &submission.app;
        if submission.who != at.actor.identity {
            let text = format!("{} submits in no other name than his own", at.actor.user());
            return Err(Refusal::new(Code::AclDenied, at.cannot(), text));
        }
        if part.app(app).is_some() {
            return Err(Refusal::new(Code::Exists, at.cannot(), "a live application has this id"));
        }
        // A forced submission passes placement without any right.
        if let PlacementOutcome::Placed(placed) = part.would_place(submission).placement.outcome
            && access::submit(&part.queues, placed.path.as_str(), &at.actor.identity).is_none()
        {
            return Err(Refusal::no_access(at.actor, &at.order.act, &placed.path, AclKind::Submit));
        }
        let events = self.commit(at, PartitionCommand::Submit(submission.clone()));
        for event in events {
            match event.kind {
                EventKind::AppAccepted { app, queue } => return Ok(Done::Submitted(Submitted { app, queue })),
                EventKind::AppRejected { message, .. } => {
                    return Err(Refusal::new(Code::NotPlaced, at.cannot(), message));
                }
                _ => {}
            }
        }
        Err(Refusal::new(Code::NotPlaced, at.cannot(), "it was placed nowhere"))
    }

    /// All asks or none.
    fn order_asks(&mut self, at: &Within<'_>, app: &AppId, asks: &[AskSpec]) -> Result<Done, Refusal> {
        let part = self.part(at)?;
        at.own(part, app)?;
        let count: u64 = asks.iter().map(|ask| u64::from(ask.count.max(1))).sum();
        if asks.is_empty() || count > MOST_ASKS as u64 {
            let text = format!("an order makes 1 to {MOST_ASKS} asks, these are {count}");
            return Err(Refusal::new(Code::BadRequest, at.cannot(), text));
        }
        let asks: Vec<AskSpec> = asks.iter().map(|ask| AskSpec { app: app.clone(), ..ask.clone() }).collect();
        if let Some((ask, why)) = part.refused_ask(&asks) {
            let taken = part.app(app).and_then(|app| app.ask_key(&ask)).is_some();
            let code = if taken { Code::Exists } else { Code::BadRequest };
            let reasons = vec![Reason { code, queue: None, text: why.clone() }];
            let details = Details { reasons, ..Details::default() };
            return Err(Refusal::new(code, at.cannot(), why).with(details));
        }
        let ids = asks.iter().flat_map(|ask| ask.ids().collect::<Vec<_>>()).collect();
        for ask in asks {
            self.commit(at, PartitionCommand::Ask(ask));
        }
        Ok(Done::Asked(Asked { app: app.clone(), asks: ids }))
    }

    fn order_release(&mut self, at: &Within<'_>, app: &AppId, ask: &AskId) -> Result<Done, Refusal> {
        let application = at.own(self.part(at)?, app)?;
        let key = application.ask_key(ask).ok_or_else(|| Refusal::not_found("allocation", ask.as_str()))?;
        let allocated = application.asks[key].allocation.is_some();
        self.commit(at, PartitionCommand::Release { app: app.clone(), ask: ask.clone() });
        Ok(Done::Released(Released { app: app.clone(), ask: ask.clone(), allocated }))
    }

    /// What members of the scheduler ACL do with nodes.
    fn order_node(&mut self, at: &Within<'_>, act: &PartitionAct) -> Result<Done, Refusal> {
        let part = self.part(at)?;
        if !at.actor.scheduler_admin {
            return Err(Refusal::no_scheduler_acl(at.actor, &at.order.act));
        }
        let known = |id: &NodeId| {
            let key = part.nodes.find(id).ok_or_else(|| Refusal::not_found("node", id.as_str()))?;
            Ok(&part.nodes[key])
        };
        let (node, command) = match act {
            PartitionAct::AddNode(spec) => {
                if part.nodes.find(&spec.id).is_some() {
                    return Err(Refusal::new(Code::Exists, at.cannot(), "a node of this id is registered already"));
                }
                (&spec.id, PartitionCommand::AddNode(spec.clone()))
            }
            PartitionAct::UpdateNode { id, capacity, occupied } => {
                known(id)?;
                let (capacity, occupied): (Option<Resource>, _) = (capacity.clone(), occupied.clone());
                (id, PartitionCommand::UpdateNode { id: id.clone(), capacity, occupied })
            }
            PartitionAct::DrainNode(id) => (&known(id)?.id, PartitionCommand::DrainNode(id.clone())),
            PartitionAct::ResumeNode(id) => (&known(id)?.id, PartitionCommand::ResumeNode(id.clone())),
            PartitionAct::RemoveNode { id, force } => {
                let running = known(id)?.allocations.len();
                if running > 0 && !force {
                    let text = format!("{} would be released; force does it", counted(running, "allocation"));
                    return Err(Refusal::new(Code::NodeInUse, at.cannot(), text));
                }
                (id, PartitionCommand::RemoveNode(id.clone()))
            }
            _ => return Err(Refusal::new(Code::BadRequest, at.cannot(), "this is nothing that is done to a node")),
        };
        let node = node.clone();
        let events = self.commit(at, command);
        let mut released = Vec::new();
        for event in events {
            match event.kind {
                EventKind::NodeRejected { message, .. } => {
                    return Err(Refusal::new(Code::BadRequest, at.cannot(), message));
                }
                EventKind::Released { app, ask, .. } => released.push((app, ask)),
                _ => {}
            }
        }
        Ok(Done::Node(NodeDone { node, released }))
    }
}

impl Within<'_> {
    fn cannot(&self) -> String {
        format!("cannot {}", self.order.act)
    }

    fn denied(&self, why: &crate::scheduler::Denial) -> Refusal {
        Refusal::denied(self.actor, &self.order.act, why)
    }

    /// Refuses when the application is in another queue than it should be.
    fn expected(&self, is: &QueuePath, expect: Option<&QueuePath>) -> Result<(), Refusal> {
        match expect {
            Some(expect) if expect != is => Err(queue_changed(&self.order.act, is, expect)),
            _ => Ok(()),
        }
    }

    /// A live application of the actor's own, or in a queue that he administers.
    fn own<'p>(&self, part: &'p Partition, app: &AppId) -> Result<&'p Application, Refusal> {
        let owned = part.app(app).filter(|app| app.who.user == self.actor.identity.user);
        if let Some(owned) = owned {
            return Ok(owned);
        }
        let key = part.may_kill(app, &self.actor.identity).map_err(|why| self.denied(&why))?;
        Ok(&part.apps[key])
    }
}

/// What a move means for an application, in sentences (SCH-204).
fn move_effects(app: &Application, to: &QueuePath) -> Vec<String> {
    let mut effects = Vec::new();
    let running = app.allocations.len();
    if running > 0 {
        let verb = if running == 1 { "keeps" } else { "keep" };
        effects.push(format!("{} {verb} running and {} counted in {to}", counted(running, "allocation"), be(running)));
    }
    let pending = app.pending_order.len();
    if pending > 0 {
        effects.push(format!("{} {} along", counted(pending, "pending ask"), if pending == 1 { "goes" } else { "go" }));
    }
    let reserved = app.reservations.len();
    if reserved > 0 {
        effects.push(format!("{} {} given up", counted(reserved, "reservation"), be(reserved)));
    }
    effects.push(format!("the limits of {to} and the queues above it hold instead of those of {}", app.queue_path));
    effects
}

const fn be(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// `1 application`, `2 applications`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

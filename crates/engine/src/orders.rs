//! Orders: the only way to change a running scheduler (REST Part II). All rights are checked directly before the
//! command, so no order can skip a check.

use std::sync::Arc;

use super::audit;
use super::configure::{self, ConfigChange};
use super::prepared::Prepared;
use super::rejected;
use super::state::{State, counted};
use model::{AppId, AskId, NodeId, QueuePath, Resource};
use scheduler::placement::{PlacementOutcome, access};
use scheduler::state::app::Application;
use scheduler::{AskSpec, Command, Denial, Event, EventKind, Partition, PartitionCommand, Submission};
use view::act::may::queue_changed;
use view::act::{
    AclKind, Act, Actor, Cleaned, Code, Details, Done, DrainingQueue, Killed, LONGEST_REASON, MOST_ASKS, Moved,
    NodeDone, Order, PartitionAct, PendingAsks, Reason, Refusal, Released, Submitted,
};

struct Within<'a> {
    actor: &'a Actor,
    order: &'a Order,
    partition: &'a Arc<str>,
}

/// As [`super::Core::perform`]. Only this function knows the actor, the order, its reason, and its outcome, so it
/// records them in the audit, except for dry runs.
///
/// # Errors
/// Returns the rejection. Nothing was changed.
pub(super) fn perform(state: &mut State, actor: &Actor, order: &Order, prepared: Prepared) -> Result<Done, Refusal> {
    if order.act.is_dry_run() {
        return perform_checked(state, actor, order, prepared);
    }
    let (before, wall) = (audit::facts(state, &order.act), prepared.wall);
    let outcome = perform_checked(state, actor, order, prepared);
    audit::enter(state, actor, order, before, outcome.as_ref().map(drop), wall);
    outcome
}

fn perform_checked(state: &mut State, actor: &Actor, order: &Order, prepared: Prepared) -> Result<Done, Refusal> {
    if let Some(refusal) = refused_at_once(actor, order) {
        return Err(refusal);
    }
    if let Some(place) = state.configured_by.as_ref().filter(|_| changes_configuration(&order.act)) {
        let text = format!("it is stored in {place}: a change here would be lost, so change it there");
        return Err(Refusal::new(Code::NotSupported, "cannot change the configuration here", text));
    }
    match &order.act {
        Act::Configure { text, base, dry_run } => {
            let change = ConfigChange { text, base: base.as_deref(), dry_run: *dry_run };
            let done = configure::replace(state, actor, order, &change, prepared)?;
            Ok(Done::Configured(Box::new(done)))
        }
        Act::Rollback { revision, base, dry_run } => {
            let text = configure::revision_text(state, *revision, &prepared)?;
            let change = ConfigChange { text: &text, base: base.as_deref(), dry_run: *dry_run };
            let done = configure::roll_back(state, actor, order, *revision, &change, prepared)?;
            Ok(Done::Configured(Box::new(done)))
        }
        Act::Pause | Act::Resume | Act::Silence { .. } | Act::EndSilence { .. } if !actor.scheduler_admin => {
            Err(Refusal::no_scheduler_acl(actor, &order.act))
        }
        Act::Silence { .. } | Act::EndSilence { .. } => Ok(Done::Silenced),
        Act::Pause => {
            state.pause();
            Ok(Done::Paused)
        }
        Act::Resume => {
            state.resume(prepared.wall);
            Ok(Done::Resumed)
        }
        Act::In { partition, act } => perform_within(state, &Within { actor, order, partition }, act),
    }
}

const fn changes_configuration(act: &Act) -> bool {
    matches!(act, Act::Configure { dry_run: false, .. } | Act::Rollback { dry_run: false, .. })
}

/// The rejection of an order in every state of the scheduler.
pub(super) fn refused_at_once(actor: &Actor, order: &Order) -> Option<Refusal> {
    let long = order.reason.chars().count();
    let too_long = || {
        let text = format!("it has {long} characters, the limit is {LONGEST_REASON}");
        Refusal::new(Code::BadRequest, "the reason is too long", text)
    };
    Refusal::read_only(actor, &order.act).or_else(|| (long > LONGEST_REASON).then(too_long))
}

fn perform_within(state: &mut State, at: &Within<'_>, act: &PartitionAct) -> Result<Done, Refusal> {
    match act {
        PartitionAct::Kill { app, expect_queue } => order_kill(state, at, app, expect_queue.as_ref()),
        PartitionAct::Move { app, to, expect_queue, dry_run } => {
            order_move(state, at, app, to, expect_queue.as_ref(), *dry_run)
        }
        PartitionAct::Clean { queues, applications, dry_run } => {
            order_clean(state, at, *queues, *applications, *dry_run)
        }
        PartitionAct::Submit(submission) => order_submit(state, at, submission),
        PartitionAct::Ask { app, asks } => order_asks(state, at, app, asks),
        PartitionAct::Release { app, ask } => order_release(state, at, app, ask),
        PartitionAct::Remove { app } => order_remove(state, at, app),
        PartitionAct::AddNode(_)
        | PartitionAct::UpdateNode { .. }
        | PartitionAct::DrainNode(_)
        | PartitionAct::ResumeNode(_)
        | PartitionAct::RemoveNode { .. } => order_node(state, at, act),
    }
}

/// Executes a command that passed all checks. With a journal, the whole order is recorded already ([`crate::journal`]).
fn commit(state: &mut State, at: &Within<'_>, command: PartitionCommand) -> Vec<Event> {
    state.apply(&Command::In { partition: Some(Arc::clone(at.partition)), command })
}

fn partition<'s>(state: &'s State, at: &Within<'_>) -> Result<&'s Partition, Refusal> {
    let found = state.scheduler.partitions().iter().find(|part| part.name == *at.partition);
    found.ok_or_else(|| Refusal::not_found("partition", at.partition))
}

fn order_kill(state: &mut State, at: &Within<'_>, app: &AppId, expect: Option<&QueuePath>) -> Result<Done, Refusal> {
    let part = partition(state, at)?;
    let key = part.may_kill(app, &at.actor.identity).map_err(|why| at.denied(&why))?;
    let queue = part.apps[key].queue_path.clone();
    at.expected(&queue, expect)?;
    let (by, reason) = (at.actor.identity.clone(), at.order.reason.clone());
    let events = commit(state, at, PartitionCommand::Kill { app: app.clone(), by, reason });
    Ok(Done::Killed(ended(state, at, app, queue, &events)))
}

fn order_remove(state: &mut State, at: &Within<'_>, app: &AppId) -> Result<Done, Refusal> {
    let queue = at.own(partition(state, at)?, app)?.queue_path.clone();
    let events = commit(state, at, PartitionCommand::Remove { app: app.clone() });
    Ok(Done::Removed(ended(state, at, app, queue, &events)))
}

/// The allocations and requests that the end of an application released.
fn ended(state: &State, at: &Within<'_>, app: &AppId, queue: QueuePath, events: &[Event]) -> Killed {
    let part = partition(state, at).ok();
    let live = part.and_then(|part| part.app(app));
    let state = live.or_else(|| Some(&**part?.ended_app(app)?)).map(|app| app.state).unwrap_or_default();
    let left = live.map_or(0, |app| app.asks.len());
    let released = events.iter().filter_map(|event| match &event.kind {
        EventKind::Released { app: owner, ask, .. } if owner == app => Some(ask.clone()),
        _ => None,
    });
    let canceled = events.iter().filter_map(|event| match &event.kind {
        EventKind::AskRemoved { app: owner, ask, .. } if owner == app => Some(ask.clone()),
        _ => None,
    });
    let (released, canceled) = (released.collect(), canceled.collect());
    Killed { app: app.clone(), queue, state, released, canceled, left, pods: Vec::new() }
}

fn order_move(
    state: &mut State,
    at: &Within<'_>,
    app: &AppId,
    to: &QueuePath,
    expect: Option<&QueuePath>,
    dry_run: bool,
) -> Result<Done, Refusal> {
    let part = partition(state, at)?;
    let key = part.may_kill(app, &at.actor.identity).map_err(|why| at.denied(&why))?;
    let from = part.apps[key].queue_path.clone();
    at.expected(&from, expect)?;
    part.may_move(app, to, &at.actor.identity).map_err(|why| at.denied(&why))?;
    let moving = &part.apps[key];
    let effects = move_effects(moving, to);
    let done = Moved { app: app.clone(), from, to: to.clone(), state: moving.state, effects, dry_run };
    if !dry_run {
        let by = at.actor.identity.clone();
        commit(state, at, PartitionCommand::Move { app: app.clone(), to: to.clone(), by });
    }
    Ok(Done::Moved(done))
}

fn order_clean(
    state: &mut State,
    at: &Within<'_>,
    queues: bool,
    applications: bool,
    dry_run: bool,
) -> Result<Done, Refusal> {
    let part = partition(state, at)?;
    let root = QueuePath::root();
    if !at.actor.scheduler_admin && access::admin(&part.queues, root.as_str(), &at.actor.identity).is_none() {
        return Err(Refusal::no_access(at.actor, &at.order.act, &root, AclKind::Admin));
    }
    let plan = if queues { part.cleaning_plan() } else { Default::default() };
    let expired = if applications { part.expired(state.now) } else { 0 };
    let retained = plan
        .draining
        .into_iter()
        .map(|(queue, apps)| DrainingQueue { queue, why: counted(apps as usize, "application") });
    let done =
        Cleaned { removed_queues: plan.removed, retained: retained.collect(), removed_applications: expired, dry_run };
    if !dry_run {
        commit(state, at, PartitionCommand::Clean { queues, applications });
    }
    Ok(Done::Cleaned(done))
}

/// Submits an application in the actor's own name, into a queue with submit access (REST E1).
fn order_submit(state: &mut State, at: &Within<'_>, submission: &Submission) -> Result<Done, Refusal> {
    let part = partition(state, at)?;
    let app = &submission.app;
    if submission.who != at.actor.identity {
        let text = format!("{} can submit only with their own user name", at.actor.user());
        return Err(Refusal::new(Code::AclDenied, at.cannot(), text));
    }
    if part.app(app).is_some() {
        return Err(Refusal::new(Code::Exists, at.cannot(), "an active application has this id"));
    }
    // A forced submission passes placement without any right.
    if let PlacementOutcome::Placed(placed) = part.would_place(submission).placement.outcome
        && access::submit(&part.queues, placed.path.as_str(), &at.actor.identity).is_none()
    {
        return Err(Refusal::no_access(at.actor, &at.order.act, &placed.path, AclKind::Submit));
    }
    let submission = rejected::small(part, submission).unwrap_or_else(|| submission.clone());
    let events = commit(state, at, PartitionCommand::Submit(submission));
    for event in events {
        match event.kind {
            EventKind::AppAccepted { app, queue } => return Ok(Done::Submitted(Submitted { app, queue })),
            EventKind::AppRejected { message, .. } => {
                return Err(Refusal::new(Code::NotPlaced, at.cannot(), message));
            }
            _ => {}
        }
    }
    Err(Refusal::new(Code::NotPlaced, at.cannot(), "no placement rule matched"))
}

/// All requests or none.
fn order_asks(state: &mut State, at: &Within<'_>, app: &AppId, asks: &[AskSpec]) -> Result<Done, Refusal> {
    let part = partition(state, at)?;
    at.own(part, app)?;
    let count: u64 = asks.iter().map(|ask| u64::from(ask.count.max(1))).sum();
    if asks.is_empty() || count > MOST_ASKS as u64 {
        let text = format!("one operation can add 1 to {MOST_ASKS} requests, found {count}");
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
        commit(state, at, PartitionCommand::Ask(ask));
    }
    Ok(Done::Asked(PendingAsks { app: app.clone(), asks: ids }))
}

fn order_release(state: &mut State, at: &Within<'_>, app: &AppId, ask: &AskId) -> Result<Done, Refusal> {
    let application = at.own(partition(state, at)?, app)?;
    let key = application.ask_key(ask).ok_or_else(|| Refusal::not_found("allocation", ask.as_str()))?;
    let allocated = application.asks[key].allocation.is_some();
    commit(state, at, PartitionCommand::Release { app: app.clone(), ask: ask.clone() });
    Ok(Done::Released(Released { app: app.clone(), ask: ask.clone(), allocated }))
}

fn order_node(state: &mut State, at: &Within<'_>, act: &PartitionAct) -> Result<Done, Refusal> {
    let part = partition(state, at)?;
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
                return Err(Refusal::new(Code::Exists, at.cannot(), "a node with this id is already registered"));
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
                let text = format!("{} would be released; use force", counted(running, "allocation"));
                return Err(Refusal::new(Code::NodeInUse, at.cannot(), text));
            }
            (id, PartitionCommand::RemoveNode(id.clone()))
        }
        _ => return Err(Refusal::new(Code::BadRequest, at.cannot(), "invalid action for a node")),
    };
    let node = node.clone();
    let events = commit(state, at, command);
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

impl Within<'_> {
    fn cannot(&self) -> String {
        format!("cannot {}", self.order.act)
    }

    fn denied(&self, why: &Denial) -> Refusal {
        Refusal::denied(self.actor, &self.order.act, why)
    }

    fn expected(&self, is: &QueuePath, expect: Option<&QueuePath>) -> Result<(), Refusal> {
        match expect {
            Some(expect) if expect != is => Err(queue_changed(&self.order.act, is, expect)),
            _ => Ok(()),
        }
    }

    /// An active application of the actor, or in a queue that the actor administers.
    fn own<'p>(&self, part: &'p Partition, app: &AppId) -> Result<&'p Application, Refusal> {
        let owned = part.app(app).filter(|app| app.who.user == self.actor.identity.user);
        if let Some(owned) = owned {
            return Ok(owned);
        }
        let key = part.may_kill(app, &self.actor.identity).map_err(|why| self.denied(&why))?;
        Ok(&part.apps[key])
    }
}

fn move_effects(app: &Application, to: &QueuePath) -> Vec<String> {
    let mut effects = Vec::new();
    let running = app.allocations.len();
    if running > 0 {
        let verb = if running == 1 { "keeps" } else { "keep" };
        effects.push(format!("{} {verb} running and {} counted in {to}", counted(running, "allocation"), be(running)));
    }
    let pending = app.pending_order.len();
    if pending > 0 {
        effects.push(format!(
            "{} {} to {to}",
            counted(pending, "pending request"),
            if pending == 1 { "moves" } else { "move" }
        ));
    }
    let reserved = app.reservations.len();
    if reserved > 0 {
        effects.push(format!("{} {} abandoned", counted(reserved, "reservation"), be(reserved)));
    }
    effects.push(format!("the limits of {to} and its parents apply instead of those of {}", app.queue_path));
    effects
}

const fn be(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

//! Kill, move, pause: the question, the operation, and its result.

use std::sync::Arc;

use crate::present::format;
use crate::present::guard::orders::{kill_of, part, target, within};
use crate::state::effect::Effect;
use crate::state::layer::{Confirm, Question};
use crate::state::orders::{Purpose, QuestionOrigin};
use crate::state::{Grade, State};
use model::QueuePath;
use view::act::{Act, Configured, Done, Killed, Moved, Order, PartitionAct};
use view::placement::access;
use view::{AppRow, LimitUse, PartitionView, Side};

/// Asks whether to pause the scheduler.
pub fn ask_pause(state: &mut State) {
    let name = &state.cluster.about.name;
    let live: u64 = state.cluster.view.partitions.iter().map(|part| part.live_apps as u64).sum();
    let pending: u64 = state.cluster.view.partitions.iter().map(pending_asks).sum();
    let lines = vec![
        "Its clock stops: no allocations, preemptions, or timeouts until :resume.".to_owned(),
        format!(
            "{} of {} are pending; running applications can still be killed and moved.",
            format::count(pending, "pending request"),
            format::count(live, "application")
        ),
    ];
    ask(state, format!("Pause {name}?"), lines, "Pause", Act::Pause.into());
}

fn pending_asks(part: &PartitionView) -> u64 {
    part.apps.iter().flatten().map(|app| u64::from(app.pending_asks)).sum()
}

/// Resumes the scheduler.
pub fn resume(state: &mut State) {
    send(state, Act::Resume.into(), Purpose::Report);
}

/// Asks whether to kill the application.
pub fn kill(state: &mut State, reason: &str) {
    let Some(app) = target(state).and_then(|app| part(state)?.app_by_id(&app.id).cloned()) else { return };
    let Some(act) = within(state, kill_of(&app)) else { return };
    ask_kill(state, &app, Order::new(act, reason));
}

pub(super) fn ask_kill(state: &mut State, app: &AppRow, order: Order) {
    super::pods::look_up(state, &app.id);
    let lines = kill_lines(state, app);
    ask(state, format!("Kill {}?", app.id), lines, "Kill", order);
}

/// Opens a question with Cancel preselected.
pub(super) fn ask(state: &mut State, title: String, mut lines: Vec<String>, accept: &'static str, order: Order) {
    lines.extend(waived(state));
    state.ask(Confirm::new(title, lines, accept, Question::Order(Box::new(order))));
}

pub(super) fn waived(state: &State) -> Option<String> {
    let waived = state.cluster.actor().ok()?.cluster.as_ref()?.waived?;
    Some(format!("{waived}."))
}

pub(super) fn kill_lines(state: &State, app: &AppRow) -> Vec<String> {
    let mut lines = vec![status_of(state, app)];
    let used = app.allocated.add(&app.placeholder);
    let running = app.asks.len().saturating_sub(app.pending_asks as usize);
    let asks = format::count(u64::from(app.pending_asks), "pending request");
    lines.push(match running {
        0 => format!("Cancels {asks}; it has no allocations."),
        _ => {
            let allocations = format::count(running as u64, "allocation");
            format!("Releases {allocations} ({}), cancels {asks}.", format::resource(&used))
        }
    });
    if let Some(part) = part(state) {
        let limits: Vec<String> = part.limits_of(app).iter().map(limit_words).collect();
        let and = if limits.is_empty() { String::new() } else { format!(", and the {}", limits.join(", the ")) };
        lines.push(format!("It leaves {}; usage decreases there and in its parents{and}.", app.queue));
        lines.extend(granted(state, part, &app.queue, "Allowed"));
    }
    lines.extend(super::pods::kill_lines(state, app));
    lines.push("This cannot be undone.".to_owned());
    lines
}

fn status_of(state: &State, app: &AppRow) -> String {
    let age = format::duration(state.cluster.at.since(app.submitted));
    format!("{}, of {}, {}, submitted {age} ago", app.queue, app.who.user, app.state)
}

pub(super) fn limit_words(limit: &LimitUse) -> String {
    let side = if limit.side == Side::User { "user" } else { "group" };
    format!("limit of {side} {} on {}", limit.name, limit.queue)
}

/// A server's decision can be known before the ACLs.
fn granted(state: &State, part: &PartitionView, queue: &QueuePath, word: &str) -> Option<String> {
    let actor = state.cluster.actor().ok()?;
    let Some(grant) = access::admin(part, queue.as_str(), &actor.identity) else {
        part.decided.as_ref()?.queues.get(queue).filter(|granted| granted.admin)?;
        return Some(format!("{word} by the server (user {}).", actor.identity.user));
    };
    let by = match &grant.by {
        access::GrantedBy::AllUsers => "all users".to_owned(),
        access::GrantedBy::User => format!("user {}", actor.identity.user),
        access::GrantedBy::Group(group) => format!("group {group}"),
    };
    Some(format!("{word} by the adminacl of {} ({by}).", grant.queue))
}

/// The answer opens the question.
pub(super) fn ask_first(state: &mut State, act: Act) {
    let asked = QuestionOrigin { turn: state.turn, at: state.now };
    send(state, act.into(), Purpose::Ask(asked));
}

pub(super) fn move_act(state: &State, to: &str, dry_run: bool) -> Option<Act> {
    let app = target(state)?;
    let (expect_queue, to) = (Some(app.queue.clone()), QueuePath::new(to));
    within(state, PartitionAct::Move { app: app.id.clone(), to, expect_queue, dry_run })
}

/// Why the view rejects a move.
pub fn move_refused(state: &State, app: &AppRow, to: &str) -> Option<String> {
    let part = part(state)?;
    let (expect_queue, target) = (Some(app.queue.clone()), QueuePath::new(to));
    let act = within(state, PartitionAct::Move { app: app.id.clone(), to: target, expect_queue, dry_run: true })?;
    part.may_take(state.cluster.actor().ok()?, &act, app, &QueuePath::new(to)).err().map(|refusal| refusal.reason())
}

/// Reports unanswered operations before a switch.
pub fn leave_open(state: &mut State) {
    let given = state.orders.open.iter().filter(|ticket| matches!(ticket.purpose, Purpose::Report | Purpose::Batch(_)));
    let acts: Vec<String> = given.map(|ticket| ticket.act.to_string()).collect();
    let name = state.cluster.about.name.clone();
    for act in acts {
        let message = format!("{act}: {name} had not answered when you left it; the result is shown only there");
        state.keep(Some(state.now), Grade::Warning, message, String::new());
    }
}

pub(super) fn ask_move(state: &mut State, act: Act, would: Moved) {
    let Act::In { partition, act: PartitionAct::Move { app, to, expect_queue, .. } } = act else { return };
    let mut lines = vec![format!("{} → {}", would.from, would.to)];
    if let Some(row) = part(state).and_then(|part| part.app_by_id(&app)) {
        lines.insert(0, status_of(state, row));
    }
    lines.extend(would.effects.iter().map(|effect| sentence(effect)));
    lines.extend(part(state).and_then(|part| granted(state, part, &would.from, "Allowed")));
    let act = Act::In { partition, act: PartitionAct::Move { app: app.clone(), to, expect_queue, dry_run: false } };
    ask(state, format!("Move {app}?"), lines, "Move", act.into());
}

fn sentence(clause: &str) -> String {
    let mut rest = clause.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).chain(['.']).collect())
}

pub(super) fn send(state: &mut State, order: Order, purpose: Purpose) -> u64 {
    let number = state.orders.open_ticket(order.act.clone(), purpose);
    state.emit(Effect::SendOrder(number, order));
    number
}

/// Sends the confirmed operation.
pub fn yes(state: &mut State, order: Order) {
    send(state, order, Purpose::Report);
}

/// The result as one line.
pub fn result_text(done: &Done) -> String {
    let lost = |killed: &Killed| {
        let released = format::count(killed.released.len() as u64, "allocation");
        let canceled = format::count(killed.canceled.len() as u64, "request");
        let left = if killed.left > 0 { format!(", {} more follow", killed.left) } else { String::new() };
        format!("{released} released, {canceled} canceled{left}, it is {}", killed.state)
    };
    match done {
        Done::Killed(killed) => format!("killed {}: {}", killed.app, lost(killed)),
        Done::Removed(killed) => format!("removed {}: {}", killed.app, lost(killed)),
        Done::Moved(Moved { app, from, to, .. }) => format!("moved {app} from {from} to {to}; :move-back undoes it"),
        Done::Configured(done) => configured(done),
        Done::Cleaned(done) => {
            let queues = format::count(done.removed_queues.len() as u64, "queue");
            format!("removed {queues}, {}", format::count(done.removed_applications as u64, "application"))
        }
        Done::Submitted(done) => format!("submitted {} to {}", done.app, done.queue),
        Done::Asked(done) => format!("{} of {} pending", format::count(done.asks.len() as u64, "request"), done.app),
        Done::Released(done) => format!("released {} of {}", done.ask, done.app),
        Done::Node(done) => format!("changed node {}", done.node),
        Done::Paused => "the scheduler is paused and its clock stopped; :resume resumes it".to_owned(),
        Done::Resumed => "the scheduler is resumed".to_owned(),
        Done::Silenced => "silences changed".to_owned(),
    }
}

fn configured(done: &Configured) -> String {
    let drain = match done.draining.len() as u64 {
        0 => String::new(),
        1 => ", 1 queue starts to drain".to_owned(),
        more => format!(", {more} queues start to drain"),
    };
    format!("{} is active{drain}", done.name())
}

/// The application that a command line targets.
pub fn aim(state: &State) -> Option<Arc<AppRow>> {
    target(state)
}

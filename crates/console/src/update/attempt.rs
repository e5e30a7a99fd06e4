//! Denied attempts: they never become operations, but the audit records them.
//!
//! Only a missing right counts, not another reason of a disabled command.

use std::time::Duration;

use crate::input::command::{CommandId, LogCommand, OrderCommand, TextCommand};
use crate::present::format;
use crate::state::effect::Effect;
use crate::state::orders::RefusedAttempt;
use crate::state::{Grade, State};
use model::QueuePath;
use view::act::{Act, Code, Order, PartitionAct, Refusal, Submission};

/// Reports the reason, and records the attempt.
pub fn refuse(state: &mut State, id: CommandId, reason: String) {
    let of_job = state.cluster.has_jobs
        && matches!(id, CommandId::Order(OrderCommand::Kill) | CommandId::Order(OrderCommand::Move));
    if state.cluster.past.shown.is_none()
        && !of_job
        && let Some(act) = wanted(state, id)
        && let Ok(actor) = state.cluster.actor()
        && let Err(refusal) = state.cluster.newest.may(actor, &act)
    {
        note(state, act, &refusal);
    }
    state.report(Grade::Refusal, reason);
}

/// Repetitions within a minute are only counted: a held key would flood the audit.
pub fn note(state: &mut State, act: Act, refusal: &Refusal) {
    if !matches!(refusal.code, Code::AclDenied | Code::ReadOnly) {
        return;
    }
    let order = Order::from(act.for_real());
    let same = |tried: &&mut RefusedAttempt| {
        let known = &tried.order.act;
        (known.verb(), known.object(), known.partition())
            == (order.act.verb(), order.act.object(), order.act.partition())
            && tried.refusal.code == refusal.code
    };
    if let Some(tried) = state.orders.tried.iter_mut().find(same) {
        tried.again += 1;
        return;
    }
    state.orders.tried.push(RefusedAttempt {
        order: order.clone(),
        refusal: refusal.clone(),
        since: state.now,
        again: 0,
    });
    state.emit(Effect::ReportRefusal(order, refusal.clone()));
}

/// Records the number of repetitions when the minute ends.
pub fn due(state: &mut State) {
    let now = state.now;
    let over = |tried: &RefusedAttempt| now >= tried.since + RefusedAttempt::WINDOW;
    if !state.orders.tried.iter().any(over) {
        return;
    }
    let (done, open) = std::mem::take(&mut state.orders.tried).into_iter().partition(over);
    state.orders.tried = open;
    let done: Vec<RefusedAttempt> = done;
    for tried in done.into_iter().filter(|tried| tried.again > 0) {
        let reason = format!("tried {} more within a minute", format::count(u64::from(tried.again), "time"));
        state.emit(Effect::ReportRefusal(Order { reason, ..tried.order }, tried.refusal));
    }
}

/// When the next such minute ends.
pub fn next_due(state: &State) -> Option<Duration> {
    state.orders.tried.iter().map(|tried| tried.since + RefusedAttempt::WINDOW).min()
}

fn wanted(state: &State, id: CommandId) -> Option<Act> {
    let app = || crate::present::guard::orders::target(state).map(|app| app.id.clone());
    let node = || crate::present::guard::workload::node_under(state).map(|node| node.id.clone());
    let act = match id {
        CommandId::Order(OrderCommand::Kill) => PartitionAct::Kill { app: app()?, expect_queue: None },
        CommandId::Order(OrderCommand::Move) => {
            PartitionAct::Move { app: app()?, to: QueuePath::root(), expect_queue: None, dry_run: false }
        }
        CommandId::Order(OrderCommand::Submit) => PartitionAct::Submit(Submission::default()),
        CommandId::Order(OrderCommand::Ask) => PartitionAct::Ask { app: app()?, asks: Vec::new() },
        CommandId::Order(OrderCommand::Release) => PartitionAct::Release { app: app()?, ask: "".into() },
        CommandId::Order(OrderCommand::RemoveApp) => PartitionAct::Remove { app: app()? },
        CommandId::Order(OrderCommand::DrainNode) => PartitionAct::DrainNode(node()?),
        CommandId::Order(OrderCommand::ResumeNode) => PartitionAct::ResumeNode(node()?),
        CommandId::Order(OrderCommand::Clean) => {
            PartitionAct::Clean { queues: true, applications: true, dry_run: false }
        }
        CommandId::Order(OrderCommand::Pause) => return Some(Act::Pause),
        CommandId::Order(OrderCommand::Resume) => return Some(Act::Resume),
        CommandId::Log(LogCommand::RollBack) => return Some(Act::Rollback { revision: 0, base: None, dry_run: false }),
        CommandId::Text(TextCommand::Apply) => {
            return Some(Act::Configure { text: String::new(), base: None, dry_run: false });
        }
        _ => return None,
    };
    crate::present::guard::orders::within(state, act)
}

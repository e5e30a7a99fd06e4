//! Operations on marked applications: one question, and one result each.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::input::command;
use crate::input::command::{CommandId, OrderCommand};
use crate::present::format;
use crate::present::guard::bulk::{PLAIN, has_marks, marked, moved_here};
use crate::present::layout;
use crate::present::subject;
use crate::present::subject::app_at;
use crate::state::layer::{Confirm, Question};
use crate::state::orders::{Batch, Purpose, Ticket};
use crate::state::page::{Page, Subject};
use crate::state::{Grade, State};
use crate::update::aftermath;
use crate::update::command_line::open_command_line_with;
use crate::update::lists;
use crate::update::orders;
use model::{AppId, QueuePath, Resource};
use view::act::{Act, Done, Order, PartitionAct, Refusal};
use view::{AppRow, PartitionView};

const NAMED: usize = 6;

fn all_over(state: &mut State) -> bool {
    let over = has_marks(state) && marked(state).is_empty();
    if over {
        if let Page::Apps(page) = state.page_mut() {
            page.unmark();
        }
        state.report(Grade::Refusal, "the marked applications have ended");
    }
    over
}

/// Toggles the mark, and moves to the next row.
pub fn toggle(state: &mut State) {
    let Some(Subject::App(row)) = subject::of(state) else { return };
    if let Page::Apps(page) = state.page_mut()
        && page.marked.remove(&row.id).is_none()
    {
        page.marked.insert(row.id.clone(), row.slot);
    }
    if let Page::Apps(page) = state.page_mut()
        && page.marked.is_empty()
    {
        page.unmark();
    }
    lists::go(state, crate::state::cursor::Move::Rows(1));
}

/// Marks all listed applications, or removes all marks.
pub fn toggle_all(state: &mut State) {
    let Some(part) = state.cluster.part() else { return };
    let Page::Apps(page) = state.page() else { return };
    let live = |row: &Arc<AppRow>| !row.state.is_ended();
    let shown: Vec<_> = page
        .list
        .rows
        .iter()
        .filter_map(|line| app_at(part, line))
        .filter(live)
        .map(|row| (row.id.clone(), row.slot))
        .collect();
    if let Page::Apps(page) = state.page_mut() {
        if page.marked.is_empty() {
            page.marked.extend(shown);
        } else {
            page.unmark();
        }
    }
}

/// Asks to kill the marked or selected applications.
pub fn kill(state: &mut State, reason: Option<&str>) {
    if all_over(state) {
        return;
    }
    let apps = marked(state);
    let reason = match reason_of(state, &apps, reason.unwrap_or_default().trim()) {
        Ok(reason) => reason,
        Err(why) => return state.report(Grade::Refusal, why),
    };
    if apps.is_empty() {
        return orders::kill(state, &reason);
    }
    let act = |app: &AppRow| PartitionAct::Kill { app: app.id.clone(), expect_queue: Some(app.queue.clone()) };
    ask(state, "Kill", "This cannot be undone.".to_owned(), &apps, &reason, act);
}

/// The reason without the application's own name.
///
/// # Errors
/// It starts with another application's name, which the user probably means.
fn reason_of(state: &State, marked: &[Arc<AppRow>], written: &str) -> Result<String, String> {
    let (name, rest) = written.split_once(char::is_whitespace).unwrap_or((written, ""));
    let known = state.cluster.part().and_then(|part| part.app_by_id(&AppId::from(name)));
    let Some(named) = known.filter(|row| !row.state.is_ended()) else { return Ok(written.to_owned()) };
    let target = if marked.is_empty() { crate::present::guard::orders::target(state) } else { None };
    match target {
        Some(target) if target.id == named.id => Ok(rest.trim().to_owned()),
        target => {
            let about =
                target.map_or_else(|| "those marked".to_owned(), |target| format!("{}, under the cursor", target.id));
            Err(format!(
                "{name} is another application: the text after kill is the reason, for {about}; use :app {name} to open it"
            ))
        }
    }
}

/// Asks to move the marked or selected applications.
pub fn move_to(state: &mut State, to: Option<&str>) {
    if all_over(state) {
        return;
    }
    let apps = marked(state);
    let Some(to) = to.map(str::trim).filter(|to| !to.is_empty()) else {
        return open_command_line_with(
            state,
            &format!("{} ", command::by_id(CommandId::Order(OrderCommand::Move)).name),
        );
    };
    if apps.is_empty() {
        if let Some(act) = orders::move_act(state, to, true) {
            orders::ask_first(state, act);
        }
        return;
    }
    let target = QueuePath::new(to);
    let leaf = state.cluster.part().and_then(|part| part.queue_at(&target)).is_some_and(|row| row.leaf);
    if !leaf {
        return state.report(Grade::Refusal, format!("{to} is not a leaf queue"));
    }
    let act = |app: &AppRow| PartitionAct::Move {
        app: app.id.clone(),
        to: target.clone(),
        expect_queue: Some(app.queue.clone()),
        dry_run: false,
    };
    ask(state, "Move", format!("They are moved to {target} if it accepts them."), &apps, "", act);
}

/// Excludes operations that would be rejected: the question lists only what will happen.
fn ask(
    state: &mut State,
    verb: &'static str,
    outcome: String,
    apps: &[Arc<AppRow>],
    reason: &str,
    act: impl Fn(&AppRow) -> PartitionAct,
) {
    let Some(part) = state.cluster.part() else { return };
    let partition = Arc::clone(&part.name);
    let order = |app: &AppRow| Order::new(Act::within(&partition, act(app)), reason);
    let (mut orders, mut allowed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for app in apps {
        let order = order(app);
        match refusal(state, &order) {
            None => {
                orders.push(order);
                allowed.push(Arc::clone(app));
            }
            Some(why) => refused.push((app.id.to_string(), why)),
        }
    }
    let stays = refused.first().map(|(app, why)| match refused.len() {
        1 => format!("{app} is rejected and is not moved: {why}."),
        more => format!("{more} are rejected and are not moved, {app} because: {why}."),
    });
    if allowed.is_empty() {
        return state.report(Grade::Refusal, stays.unwrap_or_else(|| "no marks".to_owned()));
    }
    let mut lines = named(&allowed, layout::named_in_question(state));
    let act = orders.first().map(|order| &order.act);
    lines.extend(consequences(part, &allowed, act));
    if matches!(act, Some(Act::In { act: PartitionAct::Kill { .. }, .. })) {
        let pods = state.cluster.view.kubernetes.as_ref();
        lines.extend(pods.map(|all| all.kill_lines(allowed.iter().map(AsRef::as_ref), None)).unwrap_or_default());
    }
    lines.extend(stays);
    lines.push(outcome);
    let count = format::count(allowed.len() as u64, "application");
    let title = if refused.is_empty() {
        format!("{verb} {count}?")
    } else {
        format!("{verb} {} of {}?", allowed.len(), format::count(apps.len() as u64, "application"))
    };
    let want = whole_subtree(state, apps.len()).or_else(|| (apps.len() > PLAIN).then(|| partition.to_string()));
    let want = keep_typed(state, want);
    state.ask(Confirm::new(title, lines, verb, Question::Orders(orders)).typing(want));
}

fn keep_typed(state: &mut State, want: Option<String>) -> Option<String> {
    let Page::Apps(page) = state.page_mut() else { return want };
    if page.marked.is_empty() {
        return want;
    }
    page.typed = want.or_else(|| page.typed.take());
    page.typed.clone()
}

fn named(apps: &[Arc<AppRow>], most: usize) -> Vec<String> {
    let most = if apps.len() > most { most - 1 } else { most };
    let line = |app: &Arc<AppRow>| {
        format!("{} ({}, {}) {}", app.id, app.queue, app.who.user, format::resource(&app.allocated))
    };
    let mut lines: Vec<String> = apps.iter().take(most).map(line).collect();
    if apps.len() > most {
        lines.push(format!("and {} more", apps.len() - most));
    }
    lines
}

fn consequences(part: &PartitionView, apps: &[Arc<AppRow>], act: Option<&Act>) -> Vec<String> {
    let mut lines = Vec::new();
    let kills = matches!(act, Some(Act::In { act: PartitionAct::Kill { .. }, .. }));
    let asks: u64 = apps.iter().map(|app| u64::from(app.pending_asks)).sum();
    let all: u64 = apps.iter().map(|app| app.asks.len() as u64).sum();
    let mut allocated = Resource::new();
    apps.iter().for_each(|app| {
        allocated.add_assign(&app.allocated);
        allocated.add_assign(&app.placeholder);
    });
    let allocations = format::count(all.saturating_sub(asks), "allocation");
    let amounts = if allocated.is_zero() { String::new() } else { format!(" ({})", format::resource(&allocated)) };
    let asks = format::count(asks, "pending request");
    lines.push(match kills {
        true => format!("Releases {allocations}{amounts}, cancels {asks}."),
        false => format!("Moves {allocations}{amounts} and {asks} too; nothing is released."),
    });
    let queues: BTreeSet<String> = apps.iter().map(|app| app.queue.to_string()).collect();
    let limits: BTreeSet<String> =
        apps.iter().flat_map(|app| part.limits_of(app)).map(|limit| orders::limit_words(&limit)).collect();
    let limits = if limits.is_empty() { String::new() } else { format!(", and the {}", some(&limits, ", the ")) };
    lines.push(format!("They leave {}; usage decreases there and in its parents{limits}.", some(&queues, ", ")));
    lines
}

fn some(names: &BTreeSet<String>, between: &str) -> String {
    let first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(between))
}

fn refusal(state: &State, order: &Order) -> Option<String> {
    match state.cluster.actor() {
        Ok(actor) => state.cluster.newest.may(actor, &order.act).err().map(|refusal| refusal.reason()),
        Err(why) => Some(why),
    }
}

fn whole_subtree(state: &State, marked: usize) -> Option<String> {
    let Page::Apps(page) = state.page() else { return None };
    let row = state.cluster.part()?.queue_at(page.scope.as_ref()?)?;
    let all = usize::try_from(row.app_count).ok() == Some(marked);
    (all && marked > 1 && !row.leaf).then(|| row.path.to_string())
}

/// Sends the confirmed operations.
pub fn yes(state: &mut State, orders: Vec<Order>) {
    let number = state.orders.next_number();
    state.batches.push(Batch { number, left: orders.len(), ..Batch::default() });
    for order in orders {
        orders::send(state, order, Purpose::Batch(number));
    }
    if let Page::Apps(page) = state.page_mut() {
        page.unmark();
    }
}

/// Asks whether to undo the last move.
pub fn move_back(state: &mut State) {
    let moved = moved_here(state);
    let apps: Vec<Arc<AppRow>> = moved.iter().map(|(app, _)| Arc::clone(app)).collect();
    let back = |app: &AppRow| moved.iter().find(|(row, _)| row.id == app.id).map(|(_, from)| from.clone());
    let act = |app: &AppRow| PartitionAct::Move {
        app: app.id.clone(),
        to: back(app).unwrap_or_else(|| app.queue.clone()),
        expect_queue: Some(app.queue.clone()),
        dry_run: false,
    };
    let target_words = "They return to their previous queues if these accept them.".to_owned();
    ask(state, "Move back", target_words, &apps, "", act);
}

/// The last result reports all.
pub fn answered(state: &mut State, ticket: &Ticket, number: u64, outcome: &Result<Done, Refusal>) {
    let act = &ticket.act;
    let Some(at) = state.batches.iter().position(|batch| batch.number == number) else { return };
    let batch = &mut state.batches[at];
    batch.left = batch.left.saturating_sub(1);
    let (grade, message) = match outcome {
        Ok(done) => {
            batch.done += 1;
            batch.since = if batch.done == 1 { ticket.since } else { batch.since.min(ticket.since) };
            batch.acts.push(act.clone());
            state.orders.keep_moved(done, number);
            (Grade::Info, orders::result_text(done))
        }
        Err(refusal) => {
            batch.refused += 1;
            (Grade::Refusal, format!("{act}: {refusal}"))
        }
    };
    let summary = (batch.left == 0).then(|| {
        let (done, refused) = (batch.done, batch.refused);
        match refused {
            0 => (Grade::Info, format!("all {done} done; see :messages")),
            _ => (Grade::Refusal, format!("{done} done, {refused} rejected; see :messages for the reasons")),
        }
    });
    state.keep(Some(state.now), grade, message, String::new());
    if let Some((grade, message)) = summary {
        let batch = state.batches.remove(at);
        state.report(grade, message);
        aftermath::expect(state, batch.acts, batch.since);
    }
}

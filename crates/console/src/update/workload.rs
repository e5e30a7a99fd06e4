//! Manual commands of a resource manager, each with a question and an access check.

use std::collections::BTreeMap;

use crate::present::format;
use crate::present::guard::orders::{part, target, within};
use crate::present::guard::workload::{ask_under, clean_act, drain_act, node_under};
use crate::state::{Grade, State};
use crate::update::orders::{ask, ask_first};
use model::{AppId, AskId, MEMORY, NodeId, Priority, Resource, VCORE, parse_quantity};
use view::act::{Act, AskSpec, Cleaned, GangStyle, MOST_ASKS, Order, PartitionAct, Submission};
use view::placement::{PlacementOutcome, Request};
use view::{AppRow, AskState, NodeRow, PartitionView};

const LONGEST_ID: usize = 200;

/// Submits as the current user: `APPLICATION [QUEUE] [TAG=VALUE…]`.
///
/// The question shows its placement.
pub fn submit(state: &mut State, words: &str) {
    match submission(state, words) {
        Ok((submission, lines)) => {
            let title = format!("Submit {}?", submission.app);
            let Some(act) = within(state, PartitionAct::Submit(submission)) else { return };
            ask(state, title, lines, "Submit", act.into());
        }
        Err(why) => state.report(Grade::Refusal, why),
    }
}

fn submission(state: &State, words: &str) -> Result<(Submission, Vec<String>), String> {
    let actor = state.cluster.actor()?;
    let part = part(state).ok_or_else(|| state.cluster.why_no_part())?;
    let mut words = words.split_whitespace();
    let app = words.next().unwrap_or_default();
    if app.is_empty() || app.len() > LONGEST_ID || app.contains('=') {
        return Err(format!("write APPLICATION [QUEUE] [TAG=VALUE…]; an id has 1 to {LONGEST_ID} bytes and no ="));
    }
    let (mut queue, mut tags) = (String::new(), BTreeMap::new());
    for word in words {
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() => drop(tags.insert(key.to_owned(), value.to_owned())),
            None if queue.is_empty() && tags.is_empty() => word.clone_into(&mut queue),
            _ => return Err(format!("{word:?} is not a queue or TAG=VALUE")),
        }
    }
    let app = AppId::from(app);
    let submission = Submission {
        app: app.clone(),
        queue,
        who: actor.identity.clone(),
        tags,
        gang_style: GangStyle::default(),
        placeholder_timeout: None,
        placeholder_ask: Resource::default(),
        created: None,
    };
    let lines = placed(part, &submission)?;
    Ok((submission, lines))
}

pub(super) fn placed(part: &PartitionView, submission: &Submission) -> Result<Vec<String>, String> {
    let Submission { app, queue, who, tags, .. } = submission;
    let request = Request { queue, user: &who.user, groups: &who.groups, tags };
    match part.preview(&request, Some(app)).placement.outcome {
        PlacementOutcome::Refused(refused) => Err(format!("{app} would be rejected: {}", refused.refusal)),
        PlacementOutcome::Placed(placed) => {
            let mut lines = vec![format!("It is placed in {}, as user {}.", placed.path, who.user)];
            if !placed.create.is_empty() {
                let queues: Vec<&str> = placed.create.iter().map(|queue| queue.as_str()).collect();
                lines.push(format!("Creates {}.", queues.join(", ")));
            }
            Ok(lines)
        }
    }
}

/// `[COUNT] RESOURCE=QUANTITY… [priority=N] [node=NODE] [id=ID]`
pub fn add_asks(state: &mut State, words: &str) {
    let Some(app) = target(state) else { return };
    match ask_of(&app, words) {
        Ok(spec) => {
            let each = if spec.count > 1 { " each" } else { "" };
            let mut lines = vec![
                format!(
                    "{}: {}{each}.",
                    format::count(u64::from(spec.count), "request"),
                    format::resource(&spec.resource)
                ),
                format!("In {}, priority {}.", app.queue, spec.priority),
            ];
            if let Some(node) = &spec.required_node {
                lines.push(format!("On node {node} only."));
            }
            let title = format!("Add requests to {}?", app.id);
            let asks = PartitionAct::Ask { app: app.id.clone(), asks: vec![spec] };
            let Some(act) = within(state, asks) else { return };
            ask(state, title, lines, "Ask", act.into());
        }
        Err(why) => state.report(Grade::Refusal, why),
    }
}

fn ask_of(app: &AppRow, words: &str) -> Result<AskSpec, String> {
    let mut spec = AskSpec { app: app.id.clone(), count: 1, ..AskSpec::default() };
    let mut named = None;
    for (at, word) in words.split_whitespace().enumerate() {
        let Some((key, value)) = word.split_once('=') else {
            spec.count = match word.parse() {
                Ok(count) if at == 0 && (1..=MOST_ASKS as u64).contains(&count) => count as u32,
                _ => {
                    return Err(format!(
                        "{word:?} is not RESOURCE=QUANTITY; a count of up to {MOST_ASKS} can precede it"
                    ));
                }
            };
            continue;
        };
        match key {
            "id" => named = Some(AskId::from(value)),
            "node" => spec.required_node = Some(NodeId::from(value)),
            "priority" => {
                let number = value.parse().map_err(|_| format!("{value:?} is not a priority; write a whole number"))?;
                spec.priority = Priority(number);
            }
            _ => {
                let name = match key {
                    "cpu" => VCORE,
                    "mem" => MEMORY,
                    _ => key,
                };
                let amount = parse_quantity(name, value).map_err(|fault| format!("{word}: {fault}"))?;
                spec.resource.set(name, amount);
            }
        }
    }
    if spec.resource.is_zero() {
        return Err("write [COUNT] RESOURCE=QUANTITY…, for example 3 vcore=500m memory=1Gi".to_owned());
    }
    spec.id = named.unwrap_or_else(|| unused(app));
    Ok(spec)
}

/// The first ID of `by-hand-1`, `by-hand-2` … that no request of the application uses.
fn unused(app: &AppRow) -> AskId {
    let taken = |id: &str| {
        app.asks
            .values()
            .any(|ask| ask.id.as_str().strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
    };
    let free = (1_u64..).map(|number| format!("by-hand-{number}")).find(|id| !taken(id));
    AskId::from(free.unwrap_or_default())
}

/// Releases an allocation, or cancels a request.
pub fn release(state: &mut State) {
    let Some((app, id)) = ask_under(state) else { return };
    let row =
        part(state).and_then(|part| part.app_by_id(&app)).and_then(|row| row.asks.values().find(|ask| ask.id == id));
    let lines = match row {
        Some(row) => vec![match &row.state {
            AskState::Allocated { node, .. } => {
                format!("Its allocation on {node} ends and frees {}.", format::resource(&row.resource))
            }
            AskState::Pending { .. } => {
                format!("It is pending and will be canceled: {}.", format::resource(&row.resource))
            }
        }],
        None => Vec::new(),
    };
    let Some(act) = within(state, PartitionAct::Release { app: app.clone(), ask: id.clone() }) else { return };
    ask(state, format!("Release {id} of {app}?"), lines, "Release", act.into());
}

/// Removes an application as its submitter would.
pub fn remove(state: &mut State) {
    let Some(app) = target(state) else { return };
    let running = app.asks.len().saturating_sub(app.pending_asks as usize) as u64;
    let asks = format::count(u64::from(app.pending_asks), "pending request");
    let lines = vec![
        "It ends as Completed, not as Failed.".to_owned(),
        format!("Releases {}, cancels {asks}.", format::count(running, "allocation")),
    ];
    let Some(act) = within(state, PartitionAct::Remove { app: app.id.clone() }) else { return };
    ask(state, format!("Remove {}?", app.id), lines, "Remove", act.into());
}

/// Asks whether to drain or resume the selected node.
pub fn drain(state: &mut State, drain: bool) {
    let Some(node) = node_under(state) else { return };
    let Some(act) = within(state, drain_act(&node.id, drain)) else { return };
    ask_drain(state, &node, drain, act.into());
}

pub(super) fn ask_drain(state: &mut State, node: &NodeRow, drain: bool, order: Order) {
    let id = &node.id;
    let (title, word, line) = match drain {
        true => {
            let stay = format::count(node.allocations.len() as u64, "allocation");
            (format!("Drain node {id}?"), "Drain", format!("It accepts no new allocations; {stay} on it continue."))
        }
        false => (format!("Resume node {id}?"), "Resume", "It accepts new allocations again.".to_owned()),
    };
    let mut lines = vec![line];
    if drain && !node.reservations.is_empty() {
        lines.push(format!("It is reserved for {}.", format::count(node.reservations.len() as u64, "request")));
    }
    ask(state, title, lines, word, order);
}

/// The dry run opens the question.
pub fn clean(state: &mut State) {
    if let Some(act) = within(state, clean_act(true)) {
        ask_first(state, act);
    }
}

/// Asks whether to clean up.
pub fn ask_clean(state: &mut State, act: Act, would: &Cleaned) {
    let Act::In { partition, .. } = act else { return };
    let queues = would.removed_queues.len() as u64;
    if queues == 0 && would.removed_applications == 0 {
        let retained = format::count(would.retained.len() as u64, "draining queue");
        return state.report(Grade::Info, format!("nothing to clean up; {retained} still in use"));
    }
    let mut lines = vec![format!(
        "Removes {} and {} that ended long ago.",
        format::count(queues, "empty queue"),
        format::count(would.removed_applications as u64, "application")
    )];
    const SHOWN: usize = 8;
    lines.extend(would.removed_queues.iter().take(SHOWN).map(|queue| format!("  {queue}")));
    if would.removed_queues.len() > SHOWN {
        lines.push(format!("  and {} more", would.removed_queues.len() - SHOWN));
    }
    lines.extend(
        would.retained.iter().take(SHOWN).map(|retained| format!("{} stays: {}", retained.queue, retained.why)),
    );
    ask(state, "Clean up?".to_owned(), lines, "Clean up", Act::In { partition, act: clean_act(false) }.into());
}

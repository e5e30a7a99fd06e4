//! The meaning of a change for a partition: another configuration, or commands.

use super::change::{Amount, Change};
use super::config_change;
use model::{AppId, AskId, Identity, NodeId, Priority, QueuePath, parse_quantity};
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use scheduler::{AskSpec, Copies, NodeSpec, Partition, PartitionCommand, Submission};

const MOST_COMMANDS: usize = 250_000;

/// The meaning of a change.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A new text of the queue configuration.
    Config(String),
    /// With the copied requests and nodes.
    Commands(Vec<PartitionCommand>, Copies),
}

/// Translates a change; `text` is the active queue configuration, if known.
///
/// # Errors
/// Why the change is impossible.
pub fn meaning(part: &Partition, text: Option<&str>, change: &Change) -> Result<Meaning, String> {
    let mut copies = Copies::default();
    let commands = match change {
        Change::Set { queue, key, value } => {
            let text = text.ok_or("the active configuration is unknown; use a complete one")?;
            return config_change::edited(text, part, (queue, key, value)).map(Meaning::Config);
        }
        Change::AddNodes(node, count) => more_nodes(part, node, *count, &mut copies)?,
        Change::RemoveNode(node) => vec![PartitionCommand::RemoveNode(node.clone())],
        Change::DrainNode(node) => vec![PartitionCommand::DrainNode(node.clone())],
        Change::ResumeNode(node) => vec![PartitionCommand::ResumeNode(node.clone())],
        Change::Kill(app) => {
            let reason = "what if".to_owned();
            vec![PartitionCommand::Kill { app: app.clone(), by: Identity::default(), reason }]
        }
        Change::Move(app, to) => {
            vec![PartitionCommand::Move { app: app.clone(), to: to.clone(), by: Identity::default() }]
        }
        Change::ResizeNode(node, resource, amount) => resized(part, node, resource, amount)?,
        Change::Submit(app, count, priority) => more_apps(part, app, (*count, *priority), &mut copies)?,
        Change::Demand(queue, factor) => demand(part, queue, *factor, &mut copies)?,
    };
    Ok(Meaning::Commands(commands, copies))
}

fn more_nodes(
    part: &Partition,
    like: &NodeId,
    count: u32,
    copies: &mut Copies,
) -> Result<Vec<PartitionCommand>, String> {
    let found = part.nodes.find(like).and_then(|key| part.nodes.get(key));
    let node = found.ok_or_else(|| format!("node {like} to copy not found"))?;
    let names = free_names(like.as_str(), |name| part.nodes.find(&NodeId::from(name)).is_some());
    let specs = names.take(count as usize).map(|name| {
        let id = NodeId::from(name);
        copies.nodes.push((like.clone(), id.clone()));
        PartitionCommand::AddNode(NodeSpec {
            id,
            capacity: node.total.clone(),
            occupied: node.occupied.clone(),
            attributes: (*node.attributes).clone(),
            drained: false,
        })
    });
    Ok(specs.collect())
}

fn resized(part: &Partition, id: &NodeId, resource: &str, amount: &Amount) -> Result<Vec<PartitionCommand>, String> {
    let found = part.nodes.find(id).and_then(|key| part.nodes.get(key));
    let node = found.ok_or_else(|| format!("node {id} not found"))?;
    let text = config_change::quantity(resource, amount, || node.total.get(resource))?;
    let amount =
        text.map_or(Ok(0), |text| parse_quantity(resource, &text).map_err(|fault| format!("{text:?} is {fault}")))?;
    let mut capacity = node.total.clone();
    capacity.set(resource, amount);
    Ok(vec![PartitionCommand::UpdateNode { id: id.clone(), capacity: Some(capacity), occupied: None }])
}

fn more_apps(
    part: &Partition,
    like: &AppId,
    (count, priority): (u32, Option<Priority>),
    copies: &mut Copies,
) -> Result<Vec<PartitionCommand>, String> {
    let live = part.app(like);
    let app = live.ok_or_else(|| format!("active application {like} to copy not found"))?;
    within((app.asks.len() + 1).saturating_mul(count as usize))?;
    let mut commands = Vec::new();
    let names = free_names(like.as_str(), |name| part.app_key(&AppId::from(name)).is_some());
    for (number, name) in names.take(count as usize).enumerate() {
        let id = AppId::from(name);
        commands.push(PartitionCommand::Submit(Submission {
            app: id.clone(),
            queue: app.requested_queue.to_string(),
            who: app.who.clone(),
            tags: (*app.tags).clone(),
            gang_style: app.gang_style,
            placeholder_timeout: app.placeholder_timeout,
            placeholder_ask: app.placeholder_ask.clone(),
            created: None,
        }));
        commands.extend(app.asks.iter().map(|(_, ask)| {
            let copy = AskId::from(format!("{}-whatif-{}", ask.id, number + 1));
            copies.asks.push((ask.id.clone(), copy.clone()));
            let spec = again(&id, copy, ask);
            PartitionCommand::Ask(AskSpec { priority: priority.unwrap_or(ask.priority), ..spec })
        }));
    }
    Ok(commands)
}

/// Adds copies of requests, or withdraws the last ones.
fn demand(
    part: &Partition,
    queue: &QueuePath,
    factor: f64,
    copies: &mut Copies,
) -> Result<Vec<PartitionCommand>, String> {
    if part.queues.find(queue).is_none() {
        return Err(format!("queue {queue} not found"));
    }
    let mut apps: Vec<&Application> = part.apps.iter().map(|(_, app)| app).collect();
    apps.retain(|app| app.queue_path.is_within(queue));
    apps.sort_by_key(|app| &app.id);
    let pending: usize = apps.iter().map(|app| app.pending_order.len()).sum();
    // A float saturates.
    within((pending as f64 * (factor - 1.0).abs()) as usize)?;
    let (mut before, mut after, mut commands) = (0_u64, 0_u64, Vec::new());
    for app in apps {
        for (.., key) in &app.pending_order {
            let ask = &app.asks[*key];
            before += 1;
            // The rounding remainder carries over to the next request.
            let wanted = (before as f64 * factor).floor() as u64 - after;
            after += wanted;
            if wanted == 0 {
                commands.push(PartitionCommand::Release { app: app.id.clone(), ask: ask.id.clone() });
            }
            let names = free_names(ask.id.as_str(), |name| app.ask_key(&AskId::from(name)).is_some());
            let more = names.take(usize::try_from(wanted.saturating_sub(1)).unwrap_or(usize::MAX));
            commands.extend(more.map(|name| {
                let copy = AskId::from(name);
                copies.asks.push((ask.id.clone(), copy.clone()));
                PartitionCommand::Ask(again(&app.id, copy, ask))
            }));
        }
    }
    Ok(commands)
}

fn within(commands: usize) -> Result<(), String> {
    if commands <= MOST_COMMANDS {
        return Ok(());
    }
    Err(format!("the change adds about {commands} requests; the limit is {MOST_COMMANDS}; use a smaller number"))
}

fn again(app: &AppId, id: AskId, ask: &Ask) -> AskSpec {
    AskSpec {
        app: app.clone(),
        id,
        count: 1,
        resource: ask.resource.clone(),
        priority: ask.priority,
        required_node: ask.rare.required_node.clone(),
        allow_preempt_self: ask.allow_preempt_self,
        allow_preempt_other: ask.allow_preempt_other,
        originator: ask.originator,
        placeholder: ask.placeholder,
        task_group: ask.rare.task_group.clone(),
        tags: ask.rare.tags.clone(),
        created: None,
        limit: ask.rare.limit,
    }
}

fn free_names<'a>(name: &'a str, taken: impl Fn(&str) -> bool + 'a) -> impl Iterator<Item = String> + 'a {
    (1_u64..).map(move |number| format!("{name}-whatif-{number}")).filter(move |name| !taken(name))
}

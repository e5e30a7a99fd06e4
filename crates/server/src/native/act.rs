//! Changing requests: each is converted to an operation.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;

use super::route::Verb;
use super::{NativeRequest, Reply, body};
use config::properties::parse_duration;
use model::{NodeId, Priority, QueuePath, Resource, parse_quantity};
use view::act::{Act, AskSpec, Code, Done, GangStyle, NodeSpec, Order, PartitionAct, Refusal, Submission};
use view::placement::TYPE_TAG;
use wire::convert::native as convert;
use wire::dto::native as dto;

const MOST_IDS: usize = 1000;

pub(super) async fn act(request: &NativeRequest) -> Result<Reply, Refusal> {
    if request.route.verb == Verb::Bulk {
        return bulk(request).await;
    }
    let order = order(request)?;
    let created = matches!(request.route.verb, Verb::Submit | Verb::Ask | Verb::AddNode);
    let act = order.act.to_string();
    let outcome = request.native.perform(&request.who, order).await;
    let code = outcome.as_ref().err().map_or("OK", |refusal| refusal.code.name());
    tracing::info!(user = request.who.actor.user(), act, code, "order");
    reply(&outcome?, created)
}

fn reply(done: &Done, created: bool) -> Result<Reply, Refusal> {
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(match done {
        Done::Killed(killed) | Done::Removed(killed) => Reply::ok(&convert::killed(killed)),
        Done::Moved(moved) => Reply::ok(&convert::moved(moved)),
        Done::Configured(done) => Reply::ok(&convert::configured(done)),
        Done::Cleaned(done) => Reply::ok(&convert::cleaned(done)),
        Done::Submitted(done) => {
            let submitted =
                dto::SubmittedApplication { application_id: done.app.to_string(), queue: done.queue.to_string() };
            Reply::with(status, &submitted)
        }
        Done::Asked(done) => {
            let asks = done.asks.iter().map(ToString::to_string).collect();
            Reply::with(status, &dto::AddedAsks { application_id: done.app.to_string(), asks })
        }
        Done::Released(done) => Reply::ok(&dto::ReleasedAllocation {
            application_id: done.app.to_string(),
            allocation_key: done.ask.to_string(),
            allocated: done.allocated,
        }),
        Done::Node(done) => Reply::with(status, &convert::node_changed(done)),
        // Silences are answered elsewhere with the silence itself.
        Done::Silenced => Reply::with(StatusCode::NO_CONTENT, &()),
        Done::Paused | Done::Resumed => Reply::ok(&dto::Paused { paused: *done == Done::Paused }),
    })
}

/// Whether an act belongs to a resource manager, not to an administrator.
pub(super) fn is_of_a_resource_manager(act: &Act) -> bool {
    use PartitionAct::{Ask, Release, Remove, Submit};
    matches!(act, Act::In { act: Submit(_) | Ask { .. } | Release { .. } | Remove { .. }, .. })
}

/// Users of pending jobs see the reason.
pub(super) fn drains_without_reason(order: &Order) -> bool {
    matches!(order.act, Act::In { act: PartitionAct::DrainNode(_), .. }) && order.reason.trim().is_empty()
}

fn order(request: &NativeRequest) -> Result<Order, Refusal> {
    let only_reason = || body::json::<dto::OnlyReason>(&request.body.bytes).map(|body| body.reason);
    let app = || request.parameter(1).into();
    let node = || NodeId::from(request.parameter(1));
    let (act, reason) = match request.route.verb {
        Verb::Kill => {
            let dto::Kill { reason, expect_queue } = body::json(&request.body.bytes)?;
            let expect_queue = expect_queue.as_deref().map(QueuePath::new);
            (PartitionAct::Kill { app: app(), expect_queue }, reason)
        }
        Verb::Move => {
            let dto::Move { to, reason, expect_queue, dry_run } = body::json(&request.body.bytes)?;
            let expect_queue = expect_queue.as_deref().map(QueuePath::new);
            (PartitionAct::Move { app: app(), to: QueuePath::new(&to), expect_queue, dry_run }, reason)
        }
        Verb::Cleanup => cleanup(body::json(&request.body.bytes)?)?,
        Verb::Submit => submit(request, body::json(&request.body.bytes)?)?,
        Verb::Ask => {
            let asks: Vec<dto::Ask> = body::json(&request.body.bytes)?;
            let asks = asks.into_iter().map(|one| ask(one, request.parameter(1))).collect::<Result<_, _>>()?;
            (PartitionAct::Ask { app: app(), asks }, None)
        }
        Verb::Release => (PartitionAct::Release { app: app(), ask: request.parameter(2).into() }, None),
        Verb::Remove => (PartitionAct::Remove { app: app() }, only_reason()?),
        Verb::AddNode => {
            let dto::NodeBody { id, capacity, occupied, attributes, drained, reason } =
                body::json(&request.body.bytes)?;
            let id = known_by("a node needs an `id`", id.unwrap_or_default())?;
            let (capacity, occupied) = (resource(capacity)?, resource(occupied)?);
            let spec = NodeSpec { id: id.into(), capacity, occupied, attributes, drained };
            (PartitionAct::AddNode(spec), reason)
        }
        Verb::UpdateNode => {
            let dto::NodeBody { capacity, occupied, reason, .. } = body::json(&request.body.bytes)?;
            let amount = |amounts: Option<_>| amounts.map(|amounts| resource(Some(amounts))).transpose();
            let (capacity, occupied) = (amount(capacity)?, amount(occupied)?);
            (PartitionAct::UpdateNode { id: node(), capacity, occupied }, reason)
        }
        Verb::DrainNode => (PartitionAct::DrainNode(node()), only_reason()?),
        Verb::ResumeNode => (PartitionAct::ResumeNode(node()), only_reason()?),
        Verb::RemoveNode => (PartitionAct::RemoveNode { id: node(), force: request.flag("force") }, None),
        Verb::Pause => return Ok(Order::new(Act::Pause, only_reason()?.unwrap_or_default())),
        Verb::Resume => return Ok(Order::new(Act::Resume, only_reason()?.unwrap_or_default())),
        verb => return Err(Refusal::new(Code::NotSupported, format!("{verb:?} is not an operation"), "")),
    };
    let reason = reason.or_else(|| request.header("kornsole-reason").map(str::to_owned)).unwrap_or_default();
    Ok(Order::new(Act::within(&Arc::from(request.parameter(0)), act), reason))
}

fn cleanup(body: dto::Cleanup) -> Result<(PartitionAct, Option<String>), Refusal> {
    let dto::Cleanup { what, dry_run, reason } = body;
    if let Some(other) = what.iter().find(|what| !["queues", "applications"].contains(&what.as_str())) {
        return Err(body::wrong("body", format!("what: {other:?} is invalid; valid values: `queues`, `applications`")));
    }
    let has = |wanted: &str| what.iter().any(|what| what == wanted);
    let act = PartitionAct::Clean { queues: has("queues"), applications: has("applications"), dry_run };
    Ok((act, reason))
}

/// Bytes; longer than any ID in a cluster.
const LONGEST_ID: usize = 512;
/// Maximum length of a queue path, in bytes.
const LONGEST_PATH: usize = 4096;

/// Validates a new ID.
///
/// # Errors
/// A missing or unprintable ID; `missing` names it.
fn known_by(missing: &str, id: String) -> Result<String, Refusal> {
    if id.is_empty() {
        return Err(body::wrong("body", missing));
    }
    if id.len() > LONGEST_ID || id.chars().any(char::is_control) {
        let text = format!("an id has at most {LONGEST_ID} bytes and no control characters: {:?}", start_of(&id));
        return Err(body::wrong("body", text));
    }
    Ok(id)
}

fn start_of(text: &str) -> String {
    text.chars().take(40).collect()
}

fn submit(request: &NativeRequest, body: dto::Submit) -> Result<(PartitionAct, Option<String>), Refusal> {
    let dto::Submit { app, queue, user, groups, mut tags, kind, gang_style, placeholder_timeout, .. } = body;
    let app = known_by("an application needs an id: `app`", app)?;
    if queue.len() > LONGEST_PATH {
        return Err(body::wrong("body", format!("queue: a path has at most {LONGEST_PATH} bytes")));
    }
    let who = request.who.actor.identity.clone();
    if user.is_some_and(|user| user != who.user) || groups.is_some_and(|groups| groups != who.groups) {
        let text = format!("`user` and `groups` must be those of the token, {who}");
        return Err(Refusal::new(Code::AclDenied, format!("cannot submit {app}"), text));
    }
    if let Some(kind) = kind.filter(|kind| !kind.is_empty()) {
        tags.entry(TYPE_TAG.to_owned()).or_insert(kind);
    }
    let gang_style = match gang_style.as_deref() {
        None | Some("Soft") => GangStyle::Soft,
        Some("Hard") => GangStyle::Hard,
        Some(other) => {
            return Err(body::wrong("body", format!("gangStyle: {other:?} is invalid; valid values: `Soft`, `Hard`")));
        }
    };
    let placeholder_timeout = match placeholder_timeout {
        None => None,
        Some(dto::Span::Seconds(seconds)) => Some(Duration::from_secs(seconds)),
        Some(dto::Span::Text(text)) => {
            let due = || {
                body::wrong(
                    "body",
                    format!(
                        "placeholderTimeout: {text:?} is not a duration; use for example 10s or \
                    1m30s"
                    ),
                )
            };
            Some(parse_duration(&text).ok_or_else(due)?)
        }
    };
    let placeholder_ask = match body.placeholder {
        Some(total) => resource(Some(total))?,
        None => sum_of(body.task_groups)?,
    };
    let submission = Submission {
        app: app.into(),
        queue,
        who,
        tags,
        gang_style,
        placeholder_timeout,
        placeholder_ask,
        created: None,
    };
    Ok((PartitionAct::Submit(submission), body.reason))
}

fn sum_of(groups: Vec<dto::TaskGroup>) -> Result<Resource, Refusal> {
    let mut total = Resource::new();
    for group in groups {
        known_by("a task group needs a `name`", group.name)?;
        let members = i64::from(group.min_member.unwrap_or(1));
        for (name, amount) in resource(Some(group.min_resource))?.iter() {
            total.set(name, total.amount(name).saturating_add(amount.saturating_mul(members)));
        }
    }
    Ok(total)
}

fn ask(ask: dto::Ask, app: &str) -> Result<AskSpec, Refusal> {
    if let Some(other) = ask.app.filter(|named| named != app) {
        let text = format!("app: {:?} does not match the application of the path", start_of(&other));
        return Err(body::wrong("body", text));
    }
    if ask.count == 0 {
        return Err(body::wrong("body", "count: at least 1"));
    }
    Ok(AskSpec {
        id: known_by("an ask needs an `id`", ask.id)?.into(),
        count: ask.count,
        resource: resource(Some(ask.resource))?,
        priority: Priority(ask.priority),
        required_node: ask.required_node.map(NodeId::from),
        allow_preempt_self: ask.allow_preempt_self,
        allow_preempt_other: ask.allow_preempt_other,
        originator: ask.originator,
        placeholder: ask.placeholder,
        task_group: ask.task_group.map(Arc::from),
        tags: ask.tags.into(),
        ..AskSpec::default()
    })
}

fn resource(amounts: Option<BTreeMap<String, dto::Quantity>>) -> Result<Resource, Refusal> {
    let mut resource = Resource::new();
    for (name, amount) in amounts.unwrap_or_default() {
        let name = known_by("a resource needs a name", name)?;
        let text = match amount {
            dto::Quantity::Number(number) => number.to_string(),
            dto::Quantity::Text(text) => text,
        };
        let amount = parse_quantity(&name, &text);
        let amount = amount.map_err(|_| body::wrong("body", format!("{name}: {text:?} is not a quantity")))?;
        resource.set(&name, amount);
    }
    Ok(resource)
}

/// Performs each item; failures do not stop the others.
async fn bulk(request: &NativeRequest) -> Result<Reply, Refusal> {
    let dto::BulkAction { action, ids, to, reason } = body::json(&request.body.bytes)?;
    if ids.len() > MOST_IDS {
        return Err(body::wrong("body", format!("ids: {} ids, the limit is {MOST_IDS}", ids.len())));
    }
    let act = |id: &str| -> Result<PartitionAct, Refusal> {
        let (app, expect_queue) = (id.into(), None);
        match (action.as_str(), &to) {
            ("kill", _) => Ok(PartitionAct::Kill { app, expect_queue }),
            ("move", Some(to)) => Ok(PartitionAct::Move { app, to: QueuePath::new(to), expect_queue, dry_run: false }),
            ("move", None) => Err(body::wrong("body", "to: a move needs a target")),
            (other, _) => {
                Err(body::wrong("body", format!("action: {other:?} is invalid; valid values: `kill`, `move`")))
            }
        }
    };
    act("")?;
    let partition = Arc::from(request.parameter(0));
    // The bytes that each operation contains.
    let each = to.as_ref().map_or(0, String::len) + reason.as_ref().map_or(0, String::len);
    let mut results = Vec::with_capacity(ids.len());
    for id in ids {
        let order = Order::new(Act::within(&partition, act(&id)?), reason.clone().unwrap_or_default());
        let outcome = match request.native.refused.check(&request.who.actor) {
            Some(limited) => Err(limited.refusal),
            None => {
                let outcome = request.native.perform(&request.who, order).await;
                outcome.inspect_err(|_| request.native.charge(&request.who, request.route, each + id.len()))
            }
        };
        let error = outcome.err().map(|refusal| convert::refusal(&refusal, &request.native.wall, ""));
        let status = error.as_ref().map_or(200, |error| error.status_code);
        results.push(dto::BulkResult { id, ok: error.is_none(), status, error });
    }
    let failed = results.iter().filter(|result| !result.ok).count();
    tracing::info!(user = request.who.actor.user(), action, of = results.len(), failed, "orders");
    Ok(Reply::ok(&dto::BulkResults { results }))
}

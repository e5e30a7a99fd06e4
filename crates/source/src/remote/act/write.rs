//! Converts an order to an HTTP request of the native API.

use std::collections::BTreeMap;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_MATCH};
use serde::Serialize;

use super::read::{self, ReadDone};
use client::encode_once;
use config::AllowedRemoval;
use model::{AppId, NodeId, QueuePath, Resource};
use view::act::{Act, AskSpec, GangStyle, NodeSpec, Order, PartitionAct, Submission};
use wire::dto::audit::Rollback;
use wire::dto::native::{self as dto, ALLOW_EMPTY, ALLOW_REMOVAL};

/// An order as an HTTP request.
pub struct OrderRequest {
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    pub read: ReadDone,
}

impl OrderRequest {
    fn json(method: Method, path: String, body: &impl Serialize, read: ReadDone) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        let body = wire::dto::json::to_bytes(body);
        Self { method, path, headers, body, read }
    }

    fn post(path: String, body: &impl Serialize, read: ReadDone) -> Self {
        Self::json(Method::POST, path, body, read)
    }

    fn delete(path: String, reason: &str, read: ReadDone) -> Self {
        let mut headers = HeaderMap::new();
        add_reason(&mut headers, reason);
        Self { method: Method::DELETE, path, headers, body: Vec::new(), read }
    }
}

/// Adds the reason as a header, in one line.
pub fn add_reason(headers: &mut HeaderMap, reason: &str) {
    let line: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if let Ok(value) = HeaderValue::from_bytes(line.as_bytes())
        && !line.is_empty()
    {
        headers.insert(HeaderName::from_static("kornsole-reason"), value);
    }
}

/// Returns the HTTP request for an order.
pub fn request(order: &Order) -> OrderRequest {
    let reason = Some(order.reason.clone()).filter(|reason| !reason.is_empty());
    let rest = |verb: &str| {
        OrderRequest::post(
            format!("kornsole/v1/scheduler/{verb}"),
            &dto::OnlyReason { reason: reason.clone() },
            read::rests,
        )
    };
    match &order.act {
        Act::Rollback { revision, base, dry_run } => {
            let mut asked = roll_back(*revision, base.as_deref(), *dry_run, reason);
            add_allowed(&mut asked.headers, order.allowed);
            asked
        }
        Act::Configure { text, base, dry_run } => {
            let mut asked = configure(text, base.as_deref(), *dry_run, &order.reason);
            add_allowed(&mut asked.headers, order.allowed);
            asked
        }
        Act::Pause => rest("pause"),
        Act::Resume => rest("resume"),
        Act::Silence { rule, subject, lasts } => {
            let lasts = format!("{}ms", lasts.as_millis());
            let body = dto::SilenceOrder { rule: rule.clone(), subject: subject.clone(), lasts, reason };
            OrderRequest::post("kornsole/v1/alerts/silences".to_owned(), &body, read::silenced)
        }
        Act::EndSilence { silence, .. } => {
            OrderRequest::delete(format!("kornsole/v1/alerts/silences/{silence}"), &order.reason, read::silenced)
        }
        Act::In { partition, act } => {
            let partition = format!("kornsole/v1/partition/{}", encode_once(partition));
            within(&partition, act, reason, &order.reason)
        }
    }
}

fn within(partition: &str, act: &PartitionAct, reason: Option<String>, written: &str) -> OrderRequest {
    let app = |id: &AppId, verb: &str| format!("{partition}/application/{}/{verb}", encode_once(id.as_str()));
    let node = |id: &NodeId, verb: &str| format!("{partition}/node/{}{verb}", encode_once(id.as_str()));
    let path = |queue: &Option<QueuePath>| queue.as_ref().map(ToString::to_string);
    match act {
        PartitionAct::Kill { app: id, expect_queue } => {
            let body = dto::Kill { reason, expect_queue: path(expect_queue) };
            OrderRequest::post(app(id, "kill"), &body, read::killed)
        }
        PartitionAct::Move { app: id, to, expect_queue, dry_run } => {
            let expect_queue = path(expect_queue);
            let body = dto::Move { to: to.to_string(), reason, expect_queue, dry_run: *dry_run };
            OrderRequest::post(app(id, "move"), &body, read::moved)
        }
        PartitionAct::Clean { queues, applications, dry_run } => {
            let what = [("queues", *queues), ("applications", *applications)];
            let what = what.iter().filter(|(_, wanted)| *wanted).map(|(name, _)| (*name).to_owned()).collect();
            let body = dto::Cleanup { what, dry_run: *dry_run, reason };
            OrderRequest::post(format!("{partition}/cleanup"), &body, read::cleaned)
        }
        PartitionAct::Submit(submission) => {
            OrderRequest::post(format!("{partition}/applications"), &submit(submission, reason), read::submitted)
        }
        PartitionAct::Ask { app: id, asks } => {
            let mut asked = OrderRequest::post(app(id, "asks"), &asks.iter().map(ask).collect::<Vec<_>>(), read::asked);
            // The body is a list without a field for it.
            add_reason(&mut asked.headers, written);
            asked
        }
        PartitionAct::Release { app: id, ask } => {
            OrderRequest::delete(app(id, &format!("allocation/{}", encode_once(ask.as_str()))), written, read::released)
        }
        PartitionAct::Remove { app: id } => {
            OrderRequest::post(app(id, "remove"), &dto::OnlyReason { reason }, read::removed)
        }
        PartitionAct::AddNode(spec) => {
            OrderRequest::post(format!("{partition}/nodes"), &added_node(spec, reason), read::node_done)
        }
        PartitionAct::UpdateNode { id, capacity, occupied } => {
            let (capacity, occupied) = (capacity.as_ref().map(amounts), occupied.as_ref().map(amounts));
            let body = dto::NodeBody { capacity, occupied, reason, ..dto::NodeBody::default() };
            OrderRequest::json(Method::PUT, node(id, ""), &body, read::node_done)
        }
        PartitionAct::DrainNode(id) => {
            OrderRequest::post(node(id, "/drain"), &dto::OnlyReason { reason }, read::node_done)
        }
        PartitionAct::ResumeNode(id) => {
            OrderRequest::post(node(id, "/resume"), &dto::OnlyReason { reason }, read::node_done)
        }
        PartitionAct::RemoveNode { id, force } => {
            OrderRequest::delete(node(id, if *force { "?force" } else { "" }), written, read::node_done)
        }
    }
}

fn configure(text: &str, base: Option<&str>, dry_run: bool, reason: &str) -> OrderRequest {
    let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/x-yaml"))]);
    add_base(&mut headers, base);
    add_reason(&mut headers, reason);
    let path = if dry_run { "kornsole/v1/config?dryRun" } else { "kornsole/v1/config" }.to_owned();
    OrderRequest { method: Method::PUT, path, headers, body: text.to_owned().into_bytes(), read: read::configured }
}

fn roll_back(revision: u64, base: Option<&str>, dry_run: bool, reason: Option<String>) -> OrderRequest {
    let path = if dry_run { "kornsole/v1/config/rollback?dryRun" } else { "kornsole/v1/config/rollback" }.to_owned();
    let mut asked = OrderRequest::post(path, &Rollback { revision, reason }, read::configured);
    add_base(&mut asked.headers, base);
    asked
}

fn add_base(headers: &mut HeaderMap, base: Option<&str>) {
    // A checksum is hex digits; anything else names no configuration and is rejected as missing.
    if let Some(Ok(base)) = base.map(|base| HeaderValue::from_str(&format!("\"{base}\""))) {
        headers.insert(IF_MATCH, base);
    }
}

fn add_allowed(headers: &mut HeaderMap, allowed: AllowedRemoval) {
    if allowed.empty {
        headers.insert(HeaderName::from_static(ALLOW_EMPTY), HeaderValue::from_static("true"));
    }
    if let Some(queues) = allowed.queues {
        headers.insert(HeaderName::from_static(ALLOW_REMOVAL), HeaderValue::from(queues));
    }
}

/// User and groups are those of the token; they are not sent.
fn submit(submission: &Submission, reason: Option<String>) -> dto::Submit {
    let Submission { app, queue, tags, gang_style, placeholder_timeout, placeholder_ask, .. } = submission;
    dto::Submit {
        app: app.to_string(),
        queue: queue.clone(),
        tags: tags.clone(),
        gang_style: Some(if *gang_style == GangStyle::Hard { "Hard" } else { "Soft" }.to_owned()),
        placeholder_timeout: placeholder_timeout.map(|timeout| match timeout.subsec_nanos() {
            0 => dto::Span::Seconds(timeout.as_secs()),
            _ => dto::Span::Text(format!("{}us", timeout.as_micros())),
        }),
        placeholder: Some(amounts(placeholder_ask)),
        reason,
        ..dto::Submit::default()
    }
}

fn ask(spec: &AskSpec) -> dto::Ask {
    dto::Ask {
        app: None,
        id: spec.id.to_string(),
        count: spec.count.max(1),
        resource: amounts(&spec.resource),
        priority: spec.priority.0,
        required_node: spec.required_node.as_ref().map(ToString::to_string),
        allow_preempt_self: spec.allow_preempt_self,
        allow_preempt_other: spec.allow_preempt_other,
        originator: spec.originator,
        placeholder: spec.placeholder,
        task_group: spec.task_group.as_deref().map(str::to_owned),
        tags: (&spec.tags).into(),
    }
}

fn added_node(spec: &NodeSpec, reason: Option<String>) -> dto::NodeBody {
    dto::NodeBody {
        id: Some(spec.id.to_string()),
        capacity: Some(amounts(&spec.capacity)),
        occupied: Some(amounts(&spec.occupied)),
        attributes: spec.attributes.clone(),
        drained: spec.drained,
        reason,
    }
}

fn amounts(resource: &Resource) -> BTreeMap<String, dto::Quantity> {
    let written = |(name, amount): (&str, i64)| {
        let text = if name == model::VCORE { format!("{amount}m") } else { amount.to_string() };
        (name.to_owned(), dto::Quantity::Text(text))
    };
    resource.iter().map(written).collect()
}

//! Orders to a kornsole: an act → a request of Part II, and its answer → what was done, or why not (`rest.md` E2, E4, E5, E8, E9).

use std::fmt::Write as _;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::api::client::{Client, Fault, Said, once};
use crate::config::diff::What;
use crate::config::{Place, Severity};
use crate::model::{AppId, AppState, AskId, QueuePath};
use crate::view::act::{
    AclKind, Act, ChangeLine, Cleaned, Code, Configured, Details, Done, FoundFault, Kept, Killed, Moved, NodeDone,
    Order, PartitionAct, Reason, Refusal, Released,
};

/// An order as a request.
struct Asked {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Vec<u8>,
    read: ReadDone,
}

/// Reads what was done; `None` when the answer does not say so.
type ReadDone = fn(&Act, Value) -> Option<Done>;

/// Has an order carried out.
///
/// # Errors
/// Why it was not; where the answer is missing, that it may have been.
pub async fn perform(client: &Client, order: &Order) -> Result<Done, Refusal> {
    let Some(asked) = request(order) else { return Err(unknown(&order.act)) };
    let Asked { method, path, mut headers, body, read } = asked;
    if let Some(key) = key() {
        headers.insert(HeaderName::from_static("idempotency-key"), key);
    }
    let send = || client.send_json::<Value>(method.clone(), &path, headers.clone(), body.clone());
    let mut result = send().await;
    if matches!(result, Err(Fault::Slow(..) | Fault::Cut(_))) {
        // The key makes sure that nothing is done twice.
        result = send().await;
    }
    let got = result.map_err(|fault| refusal(&order.act, &fault))?;
    read(&order.act, got.value).ok_or_else(|| {
        Refusal::new(
            Code::Unavailable,
            format!("cannot tell what came of it: {}", order.act),
            "the answer does not read",
        )
    })
}

/// An act that has no request here.
fn unknown(act: &Act) -> Refusal {
    Refusal::new(Code::NotSupported, format!("cannot {act}"), "this is not done through an attached console")
}

fn key() -> Option<HeaderValue> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    let text = bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    });
    HeaderValue::from_str(&text).ok()
}

fn request(order: &Order) -> Option<Asked> {
    let Order { act, reason } = order;
    let partition = act.partition().map(|name| format!("kornsole/v1/partition/{}", once(name))).unwrap_or_default();
    let app = |id: &AppId, verb: &str| format!("{partition}/application/{}/{verb}", once(id.as_str()));
    let node = |id: &crate::model::NodeId, verb: &str| format!("{partition}/nodes/{}{verb}", once(id.as_str()));
    let mut body = Map::new();
    if !reason.is_empty() {
        body.insert("reason".to_owned(), json!(reason));
    }
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    let (method, path, read): (Method, String, ReadDone) = match act {
        Act::Configure { .. } | Act::Rollback { .. } => return configure(order),
        Act::Pause => (Method::POST, "kornsole/v1/scheduler/pause".to_owned(), rests),
        Act::Resume => (Method::POST, "kornsole/v1/scheduler/resume".to_owned(), rests),
        Act::In { act: wanted, .. } => match wanted {
            PartitionAct::Kill { app: id, expect_queue } => {
                expect_queue.iter().for_each(|queue| put("expectQueue", json!(queue.as_str())));
                (Method::POST, app(id, "kill"), killed)
            }
            PartitionAct::Move { app: id, to, expect_queue, dry_run } => {
                put("to", json!(to.as_str()));
                expect_queue.iter().for_each(|queue| put("expectQueue", json!(queue.as_str())));
                if *dry_run {
                    put("dryRun", json!(true));
                }
                (Method::POST, app(id, "move"), moved)
            }
            PartitionAct::Clean { queues, applications, dry_run } => {
                let what = [("queues", *queues), ("applications", *applications)];
                put("what", what.iter().filter(|(_, on)| *on).map(|(name, _)| json!(name)).collect());
                if *dry_run {
                    put("dryRun", json!(true));
                }
                (Method::POST, format!("{partition}/cleanup"), cleaned)
            }
            PartitionAct::Release { app: id, ask } => {
                (Method::DELETE, app(id, &format!("allocation/{}", once(ask.as_str()))), released)
            }
            PartitionAct::Remove { app: id } => (Method::POST, app(id, "remove"), removed),
            PartitionAct::DrainNode(id) => (Method::POST, node(id, "/drain"), node_done),
            PartitionAct::ResumeNode(id) => (Method::POST, node(id, "/resume"), node_done),
            PartitionAct::RemoveNode { id, force } => {
                (Method::DELETE, node(id, if *force { "?force" } else { "" }), node_done)
            }
            PartitionAct::Submit(_)
            | PartitionAct::Ask { .. }
            | PartitionAct::AddNode(_)
            | PartitionAct::UpdateNode { .. } => return None,
        },
    };
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    Some(Asked { method, path, headers, body: Value::Object(body).to_string().into_bytes(), read })
}

fn configure(order: &Order) -> Option<Asked> {
    let header = |text: &str| HeaderValue::from_str(text).ok();
    let mut headers = HeaderMap::new();
    let (Act::Configure { base, dry_run, .. } | Act::Rollback { base, dry_run, .. }) = &order.act else { return None };
    if let Some(base) = base {
        headers.insert(reqwest::header::IF_MATCH, header(&format!("\"{base}\""))?);
    }
    let dry = if *dry_run { "?dryRun" } else { "" };
    let (method, path, kind, body) = match &order.act {
        Act::Rollback { revision, .. } => {
            let body = json!({"revision": revision, "reason": order.reason});
            (Method::POST, "kornsole/v1/config/rollback", "application/json", body.to_string())
        }
        Act::Configure { text, .. } => {
            if !order.reason.is_empty() {
                headers.insert(HeaderName::from_static("kornsole-reason"), header(&order.reason)?);
            }
            (Method::PUT, "kornsole/v1/config", "application/x-yaml", text.clone())
        }
        _ => return None,
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Some(Asked { method, path: format!("{path}{dry}"), headers, body: body.into_bytes(), read: configured })
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    let list = value.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn asks(value: &Value, key: &str) -> Vec<AskId> {
    texts(value, key).into_iter().map(AskId::from).collect()
}

fn state(value: &Value) -> AppState {
    let word = text(value, "state");
    let known = [
        AppState::Failing,
        AppState::Failed,
        AppState::Completed,
        AppState::Running,
        AppState::Accepted,
        AppState::New,
    ];
    known.into_iter().find(|state| state.name() == word).unwrap_or_default()
}

fn killed_by(value: &Value) -> Option<Killed> {
    Some(Killed {
        app: AppId::from(value.get("applicationID")?.as_str()?),
        queue: QueuePath::new(&text(value, "queue")),
        state: state(value),
        released: asks(value, "releasedAllocations"),
        withdrawn: asks(value, "withdrawnRequests"),
    })
}

fn killed(_act: &Act, value: Value) -> Option<Done> {
    killed_by(&value).map(Done::Killed)
}

fn removed(_act: &Act, value: Value) -> Option<Done> {
    killed_by(&value).map(Done::Removed)
}

fn moved(act: &Act, value: Value) -> Option<Done> {
    Some(Done::Moved(Moved {
        app: AppId::from(value.get("applicationID")?.as_str()?),
        from: QueuePath::new(&text(&value, "from")),
        to: QueuePath::new(&text(&value, "to")),
        state: state(&value),
        effects: texts(&value, "effects"),
        dry_run: act.is_dry_run(),
    }))
}

fn cleaned(act: &Act, value: Value) -> Option<Done> {
    let kept = value.get("kept").and_then(Value::as_array).into_iter().flatten();
    Some(Done::Cleaned(Cleaned {
        removed_queues: texts(&value, "removedQueues").iter().map(|path| QueuePath::new(path)).collect(),
        kept: kept.map(|one| Kept { queue: QueuePath::new(&text(one, "queue")), why: text(one, "why") }).collect(),
        removed_applications: usize::try_from(value.get("removedApplications")?.as_u64()?).ok()?,
        dry_run: act.is_dry_run(),
    }))
}

fn released(act: &Act, _value: Value) -> Option<Done> {
    let Act::In { act: PartitionAct::Release { app, ask }, .. } = act else { return None };
    Some(Done::Released(Released { app: app.clone(), ask: ask.clone(), allocated: true }))
}

fn node_done(act: &Act, _value: Value) -> Option<Done> {
    Some(Done::Node(NodeDone { node: act.object().into(), released: Vec::new() }))
}

/// Only what was asked for counts as done.
fn rests(act: &Act, value: Value) -> Option<Done> {
    let paused = value.get("paused")?.as_bool()?;
    (paused == matches!(act, Act::Pause)).then_some(if paused { Done::Paused } else { Done::Resumed })
}

fn configured(act: &Act, value: Value) -> Option<Done> {
    #[derive(Deserialize)]
    struct Change {
        #[serde(default)]
        partition: String,
        #[serde(default)]
        path: String,
        what: String,
        #[serde(default)]
        key: String,
        from: Option<String>,
        to: Option<String>,
        #[serde(default)]
        effect: String,
    }
    let changes: Vec<Change> =
        serde_json::from_value(value.get("changes").cloned().unwrap_or_else(|| json!([]))).ok()?;
    let line = |change: Change| ChangeLine {
        partition: change.partition,
        queue: (!change.path.is_empty()).then(|| QueuePath::new(&change.path)),
        what: match change.what.as_str() {
            "added" => What::Added,
            "removed" => What::Removed,
            _ => What::Changed,
        },
        key: change.key,
        from: change.from,
        to: change.to,
        effect: change.effect,
    };
    let queues = |key: &str| texts(&value, key).iter().map(|path| (String::new(), QueuePath::new(path))).collect();
    Some(Done::Configured(Box::new(Configured {
        checksum: value.get("checksum")?.as_str()?.to_owned(),
        previous: text(&value, "previous"),
        revision: value.get("revision").and_then(Value::as_u64).unwrap_or_default(),
        changes: changes.into_iter().map(line).collect(),
        touches: Vec::new(),
        outside: false,
        draining: queues("draining"),
        created: queues("created"),
        what_happens: texts(&value, "whatHappens"),
        warning: value.get("warning").and_then(Value::as_str).map(str::to_owned),
        dry_run: act.is_dry_run(),
    })))
}

/// Why something was not done, in the words of whoever refused it.
pub fn refusal(act: &Act, fault: &Fault) -> Refusal {
    let cannot = || format!("cannot {act}");
    match fault {
        Fault::Missing(said) | Fault::Refused(_, said) => {
            let code = said.code.as_deref().and_then(Code::named).unwrap_or(match fault {
                Fault::Missing(_) => Code::NotFound,
                Fault::Refused(401, _) => Code::Unauthenticated,
                Fault::Refused(403, _) => Code::AclDenied,
                Fault::Refused(429, _) => Code::RateLimited,
                Fault::Refused(400..500, _) => Code::BadRequest,
                _ => Code::Unavailable,
            });
            let message = if said.message.is_empty() { cannot() } else { said.message.clone() };
            let description = if said.description == said.message { "" } else { &said.description };
            Refusal::new(code, message, description).with(details(said))
        }
        Fault::Slow(..) | Fault::Cut(_) | Fault::TooLarge(_) | Fault::Unreadable(..) => {
            let why = format!("{fault}; it may have been done all the same");
            Refusal::new(Code::Unavailable, format!("there is no answer: {act}"), why)
        }
        Fault::NoEndpoint(_) => Refusal::new(Code::NotSupported, cannot(), fault.to_string()),
        _ => Refusal::new(Code::Unavailable, cannot(), format!("{fault}; nothing was done")),
    }
}

fn details(said: &Said) -> Details {
    let Some(value) = &said.details else { return Details::default() };
    let list = |key: &str| value.get(key).and_then(Value::as_array).into_iter().flatten();
    let some = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Details {
        queue: some(value, "queue").map(|path| QueuePath::new(&path)),
        access: match some(value, "access").as_deref() {
            Some("admin") => Some(AclKind::Admin),
            Some("submit") => Some(AclKind::Submit),
            _ => None,
        },
        checked: texts(value, "checked").iter().map(|path| QueuePath::new(path)).collect(),
        scheduler_acl: value.get("schedulerAcl").and_then(Value::as_bool).unwrap_or_default(),
        kind: some(value, "kind"),
        reasons: list("reasons")
            .map(|one| Reason {
                code: some(one, "code").as_deref().and_then(Code::named).unwrap_or(Code::BadRequest),
                queue: some(one, "queue").map(|path| QueuePath::new(&path)),
                text: text(one, "text"),
            })
            .collect(),
        faults: list("faults").map(fault).collect(),
        current: some(value, "current"),
        changed_by: some(value, "changedBy"),
        changed_at: value.get("changedAt").and_then(Value::as_i64).map(crate::api::convert::read::time),
    }
}

fn fault(one: &Value) -> FoundFault {
    let number =
        |key: &str| u32::try_from(one.get(key).and_then(Value::as_u64).unwrap_or_default()).unwrap_or(u32::MAX);
    FoundFault {
        code: text(one, "code"),
        severity: if text(one, "severity") == "warning" { Severity::Warning } else { Severity::Error },
        at: Place { line: number("line"), column: number("column") },
        path: text(one, "path"),
        message: text(one, "message"),
        hint: text(one, "hint"),
    }
}

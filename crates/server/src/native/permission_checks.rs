//! Permission checks without an attempt (E3).

use super::{NativeRequest, Reply, body, config, read};
use model::QueuePath;
use view::act::{AclKind, Act, Configured, Order, PartitionAct, Refusal};
use view::placement::access;
use wire::convert::native as convert;
use wire::dto::native as dto;

const MOST: usize = 1000;

pub(super) async fn checks(request: &NativeRequest) -> Result<Reply, Refusal> {
    let dto::Checks { checks } = body::json(&request.body.bytes)?;
    if checks.len() > MOST {
        return Err(body::wrong("body", format!("checks: {} checks, the limit is {MOST}", checks.len())));
    }
    let mut results = Vec::with_capacity(checks.len());
    for check in checks {
        let outcome = check_one(request, check).await?;
        let why = outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
        results.push(dto::CheckResult { allowed: outcome.is_ok(), why });
    }
    Ok(Reply::ok(&dto::CheckResults { results }))
}

async fn check_one(request: &NativeRequest, check: dto::Check) -> Result<Result<(), Refusal>, Refusal> {
    let view = request.view();
    let part = match &check.partition {
        Some(name) => read::partition(&view, name),
        None => view.partitions.first().ok_or_else(|| Refusal::not_found("partition", "at all")),
    };
    let part = match part {
        Ok(part) => part,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let missing = |key: &str| body::wrong("body", format!("{} needs `{key}`", check.action));
    let app = || check.application.as_deref().ok_or_else(|| missing("application"));
    let actor = &request.who.actor;
    Ok(match check.action.as_str() {
        "kill" => {
            view.may(actor, &Act::within(&part.name, PartitionAct::Kill { app: app()?.into(), expect_queue: None }))
        }
        "move" => {
            let to = QueuePath::new(check.to.as_deref().ok_or_else(|| missing("to"))?);
            let act = PartitionAct::Move { app: app()?.into(), to, expect_queue: None, dry_run: true };
            request.native.perform(&request.who, Order::from(Act::within(&part.name, act))).await.map(|_| ())
        }
        "submit" => {
            let queue = QueuePath::new(check.queue.as_deref().ok_or_else(|| missing("queue"))?);
            match access::submit(part, queue.as_str(), &actor.identity) {
                Some(_) => Ok(()),
                None => {
                    let act = Act::within(&part.name, PartitionAct::Submit(Default::default()));
                    Err(Refusal::no_access(actor, &act, &queue, AclKind::Submit))
                }
            }
        }
        "config" => {
            let text = check.text.clone().ok_or_else(|| missing("text"))?;
            match config::dry_run(request, text).await {
                Ok(done) => match shortfall(request, &done).as_slice() {
                    [] => Ok(()),
                    missing => Err(Refusal::new(
                        view::act::Code::AclDenied,
                        "you may not make this change",
                        missing.join("; "),
                    )),
                },
                Err(refusal) => Err(refusal),
            }
        }
        other => {
            return Err(body::wrong(
                "body",
                format!("action: {other:?} is invalid; valid values: kill, move, submit, config"),
            ));
        }
    })
}

/// The caller's missing rights for a configuration change; empty if it is allowed.
pub(super) fn shortfall(request: &NativeRequest, done: &Configured) -> Vec<String> {
    let actor = &request.who.actor;
    if let Some(why) = &actor.read_only {
        return vec![format!("read-only: {why}")];
    }
    // An unchanged text requires no rights.
    if actor.scheduler_admin || done.checksum == done.previous {
        return Vec::new();
    }
    let view = request.view();
    let administers = |partition: &str, queue: &QueuePath| {
        let part = view.partitions.iter().find(|part| *part.name == *partition);
        part.is_some_and(|part| access::admin(part, queue.as_str(), &actor.identity).is_some())
    };
    let mut missing = Vec::new();
    if done.outside {
        missing.push("membership in the scheduler ACL".to_owned());
    }
    // A change without reported differences, for example in a comment, requires rights on every root.
    let roots: Vec<_> = view.partitions.iter().map(|part| (part.name.to_string(), QueuePath::root())).collect();
    let touched = if done.touches.is_empty() && !done.outside { &roots } else { &done.touches };
    let touched = touched.iter().filter(|(partition, queue)| !administers(partition, queue));
    missing.extend(touched.map(|(partition, queue)| format!("admin access on {}", convert::named(partition, queue))));
    missing
}
